/** A review that is being made or done: its steps as they come, and which one is shown. */

import * as server from "../server.ts";
import type { Frame, Replay, ReviewNews, ReviewStep, SeatReview, Summary } from "../protocol";
import { messageOf } from "../table.svelte.ts";

const ASK_AGAIN = 800; // milliseconds

export class ReviewPlayer {
    status = $state<ReviewNews["status"]>("none");
    ahead = $state(0);
    steps = $state.raw<ReviewStep[]>([]);
    summary = $state.raw<Summary | null>(null);
    problem = $state("");
    seat = $state(0);
    /** The choice that is shown, by its number; after the last one, the end of the game. */
    at = $state(0);

    constructor(
        readonly id: string,
        readonly replay: Replay,
        seat: number,
    ) {
        this.seat = seat;
    }

    /** Ask for the review, and for news of it until it is done. An effect calls this, and stops it with the returned function. */
    run(): () => void {
        let isOpen = true;
        const follow = async () => {
            await server.askReview(this.id);
            while (isOpen) {
                this.receive(await server.review(this.id, this.steps.length));
                if (this.status === "done" || this.status === "failed") return;
                await new Promise((done) => setTimeout(done, ASK_AGAIN));
            }
        };
        follow().catch((trouble) => (this.problem = messageOf(trouble)));
        return () => (isOpen = false);
    }

    private receive(news: ReviewNews): void {
        [this.status, this.ahead, this.summary] = [news.status, news.ahead, news.summary];
        this.steps = [...this.steps, ...news.steps];
        const first = this.own?.worst[0];
        if (this.summary && first && this.at === 0) this.at = first.step;
    }

    get total(): number {
        return this.replay.frames.length - 1;
    }
    get own(): SeatReview | null {
        return this.summary?.by_seat[this.seat] ?? null;
    }
    get step(): ReviewStep | null {
        return this.steps[this.at] ?? null;
    }
    /** The position before the choice that is shown. */
    get frame(): Frame {
        return this.replay.frames[this.at]!;
    }

    seek(at: number): void {
        this.at = Math.min(this.total, Math.max(0, at));
    }
}
