/** A table as the page knows it: what the server last told, and what the finger is on. */

import * as server from "./server.ts";
import { Refused, type Choice } from "./server.ts";
import { Line, type LineState } from "./line.ts";
import { first, hear, isAsked, type Told } from "./news.ts";
import { coveredFor, eyesToAsk, sharing } from "./eyes.ts";
import { nothing, stillOn, type Finger } from "./finger.ts";
import { remember } from "./mine.ts";
import { say } from "./saying.svelte.ts";
import { texts } from "./texts.ts";
import type { News, View } from "./protocol";

export interface Problem {
    status: number;
    message: string;
}

export class Table {
    told = $state.raw<Told | null>(null);
    lineState = $state<LineState>("calling");
    problem = $state.raw<Problem | null>(null);
    finger = $state.raw<Finger>(nothing);
    /** Tickets on offer that are to be kept. */
    kept = $state.raw<number[]>([]);
    /** A ticket whose cities are lit, by number. */
    litTicket = $state<number | null>(null);
    sending = $state(false);
    /** On a shared device: the seat of the person who said it is they who look. */
    eyes = $state<number | null>(null);
    /** This device's time when the news came, in milliseconds. */
    heard = $state(0);

    readonly news: News | null = $derived(this.told?.news ?? null);
    readonly shared: boolean = $derived(this.news !== null && sharing(this.news));
    readonly coveredFor: number | null = $derived(this.news && coveredFor(this.news, this.eyes));
    /** What may be shown now: not one person's hand to another. */
    readonly view: View | null = $derived(
        this.shared && this.news!.you !== null && this.news!.you !== this.eyes ? null : (this.news?.view ?? null),
    );
    readonly me: number | null = $derived(this.news?.you ?? null);
    readonly asked: boolean = $derived(this.view !== null && this.me !== null && isAsked(this.view, this.me) && this.view.options !== null);

    private line: Line | null = null;

    constructor(readonly id: string) {}

    /** Begin to listen; with the key of a personal link the seat is taken along first. */
    async open(key: string | null): Promise<void> {
        if (key !== null) {
            history.replaceState(history.state, "", location.pathname);
            try {
                await server.enter(this.id, key);
                remember(this.id);
            } catch (problem) {
                say(problem instanceof Refused && problem.status === 403 ? texts.errors.badLink : messageOf(problem));
            }
        }
        this.call();
    }

    close(): void {
        this.line?.hangUp();
        this.line = null;
    }

    /** A new line, for what this device holds has changed. */
    call(): void {
        this.line?.hangUp();
        this.line = new Line(this.id, {
            asked: () => ({
                since: this.told?.news.version ?? 0,
                chat: this.told?.chat.at(-1)?.number ?? 0,
                ...eyesToAsk(this.news, this.eyes),
            }),
            news: (news) => this.hear(news),
            state: (state) => (this.lineState = state),
            refused: (code, reason) => (this.problem = { status: code - 4000, message: reason }),
        });
    }

    /** Take news in, from the line or as an answer. */
    hear(news: News): void {
        if (news.yours.length > 0) remember(this.id);
        const strangers = this.told !== null && sharing(news) && news.you !== this.eyes;
        if (strangers) {
            this.told = { ...this.told!, chat: hear(this.told, { ...news, version: -1, steps: [] }).chat };
            if (this.told.news.version < news.version) void this.lookWith(this.eyes);
            return;
        }
        const before = this.told?.news;
        this.told = hear(this.told, news);
        this.heard = performance.now();
        this.settle(before);
    }

    /** What the finger was on may be gone; and a shared device is covered between two people. */
    private settle(before: News | undefined): void {
        const news = this.told!.news;
        this.finger = stillOn(this.finger, news.view?.options ?? null);
        const offered = news.view?.options?.keep?.offered.map((ticket) => ticket.number) ?? [];
        this.kept = this.kept.filter((ticket) => offered.includes(ticket));
        if (before?.version !== news.version) this.litTicket = null;
        const first = before === undefined && sharing(news);
        const { seat } = eyesToAsk(news, this.eyes);
        if (first || (this.coveredFor !== null && this.eyes !== null)) void this.lookWith(null);
        else if (!sharing(news) && seat !== undefined && news.you !== seat) void this.lookWith(seat);
    }

    /** Look with the eyes of one of this device's people, or of nobody. What the last eyes saw is forgotten. */
    async lookWith(seat: number | null): Promise<void> {
        this.eyes = seat;
        this.finger = nothing;
        this.kept = [];
        this.line?.look(seat);
        try {
            const news = await server.news(this.id, seat === null ? { watch: true } : { seat });
            if (this.eyes !== seat) return;
            this.told = { ...first(news), chat: hear(this.told, news).chat };
            this.heard = performance.now();
            this.settle(news);
        } catch (problem) {
            say(messageOf(problem));
        }
    }

    /** Tell a choice to the server. If the table went on meanwhile, the person chooses again. */
    async play(choice: Choice): Promise<boolean> {
        const news = this.news;
        if (this.sending || news?.you === null || news === null) return false;
        return this.ask(async () => {
            this.hear(await server.move(this.id, { seat: news.you!, version: news.version, choice }));
            this.finger = nothing;
            this.kept = [];
        });
    }

    /** Ask the server for something that changes the table; what goes wrong is said. */
    async ask(question: () => Promise<unknown>): Promise<boolean> {
        if (this.sending) return false;
        this.sending = true;
        try {
            await question();
            return true;
        } catch (problem) {
            await this.recover(problem);
            return false;
        } finally {
            this.sending = false;
        }
    }

    private async recover(problem: unknown): Promise<void> {
        const stale = problem instanceof Refused && problem.status === 409;
        say(stale ? (this.told?.news.table.status === "running" ? texts.errors.stale : problem.message) : messageOf(problem));
        if (problem instanceof Refused && problem.status !== 0) {
            const asked = {
                since: this.told?.news.version ?? 0,
                chat: this.told?.chat.at(-1)?.number ?? 0,
                ...eyesToAsk(this.news, this.eyes),
            };
            await server.news(this.id, asked).then(
                (news) => this.hear(news),
                () => undefined,
            );
        }
    }

    nameOf(seat: number): string {
        return this.news?.table.seats[seat]?.name ?? texts.setup.seat(seat);
    }
}

export const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : texts.errors.unknown);
