/** Presents new events: announces and animates all of them, and shows the notable ones over the map for a while. */

import { untrack } from "svelte";
import { animateSteps, landAll } from "../animations.ts";
import { unseenSteps } from "../feed.ts";
import { announce } from "../notifications.svelte.ts";
import type { Board, Step } from "../protocol";
import { eventSentence, type Event } from "../sentences.ts";
import { playSounds, soundsOf } from "../sound.ts";
import type { Table } from "../table.svelte.ts";

export class EventBanner {
    event = $state.raw<Event | null>(null);

    constructor(
        private readonly table: Table,
        private readonly board: Board,
    ) {
        let shown = table.news!.version;
        $effect(() => {
            const fresh = unseenSteps(table.feed!.steps, shown);
            if (!fresh.length) return;
            shown = fresh.at(-1)!.version;
            untrack(() => this.present(fresh));
        });
        $effect(() => landAll);
        $effect(() => {
            if (!this.event) return;
            const timer = setTimeout(() => (this.event = null), this.event.code === "tunnel_tried" ? 4500 : 5000);
            return () => clearTimeout(timer);
        });
    }

    private present(steps: Step[]): void {
        const events = steps.flatMap((step) => step.events);
        announce(events.map((event) => eventSentence(event, { board: this.board, names: this.table.names })));
        animateSteps(steps, this.table.me, (seat) => this.table.news!.table.seats[seat]!.colour);
        playSounds(soundsOf(events, this.table.isShared));
        this.event = events.findLast((event) => this.isNotable(event)) ?? this.event;
        if (this.table.news!.final) this.event = null;
    }

    /** Whether to show an event here. The turn panel shows the cards of a tunnel that costs you extra. */
    private isNotable(event: Event): boolean {
        if (event.code === "tunnel_tried") return !(event.seat === this.table.me && event.owed);
        return event.code === "last_round" || event.code === "completed_tickets";
    }
}
