/** Steps through a finished game. */

import type { Frame, Replay } from "./protocol";
import type { Event } from "./sentences.ts";

type Ticket = Frame["tickets"][number][number];

const STEP_TIME = 900; // milliseconds

export class ReplayPlayer {
    /** The frame that is shown; the first is the deal. */
    at = $state(0);
    isPlaying = $state(false);
    highlightedTicket = $state.raw<Ticket | null>(null);

    constructor(readonly replay: Replay) {}

    get last(): number {
        return this.replay.frames.length - 1;
    }
    get frame(): Frame {
        return this.replay.frames[this.at]!;
    }
    get isAtEnd(): boolean {
        return this.at === this.last;
    }
    get events(): Event[] {
        return this.frame.step?.events ?? [];
    }
    get claimed(): number | null {
        return this.events.find((event) => event.code === "claimed")?.route ?? null;
    }
    points(seat: number): number {
        return this.isAtEnd ? this.replay.final.seats[seat]!.total : this.frame.view.points[seat]!;
    }

    goTo(frame: number): void {
        this.at = Math.min(this.last, Math.max(0, frame));
        if (this.isAtEnd) this.isPlaying = false;
    }

    /** Jump to a frame and stop there. */
    seek(frame: number): void {
        this.isPlaying = false;
        this.goTo(frame);
    }

    /** Play or pause; at the end, play from the start. */
    toggle(): void {
        if (this.isAtEnd) this.at = 0;
        this.isPlaying = !this.isPlaying;
    }

    /** Step on while playing. An effect calls this, and stops it with the returned function. */
    run(): (() => void) | undefined {
        if (!this.isPlaying) return;
        const timer = setInterval(() => this.goTo(this.at + 1), STEP_TIME);
        return () => clearInterval(timer);
    }

    isHighlighted(ticket: Ticket): boolean {
        return this.highlightedTicket?.number === ticket.number;
    }

    toggleTicket(ticket: Ticket): void {
        this.highlightedTicket = this.isHighlighted(ticket) ? null : ticket;
    }
}
