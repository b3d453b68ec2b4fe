/** A table as the page knows it: what the server last told, and what the finger is on. */

import * as server from "./server.ts";
import { Refused, type Choice } from "./server.ts";
import { Line, type LineState } from "./line.ts";
import { first, hear, isAsked, type Told } from "./news.ts";
import { coveredFor, eyesToAsk, isPlayedByHand, sharing } from "./eyes.ts";
import { nothing, stillOn, type Finger } from "./finger.ts";
import { remember } from "./mine.ts";
import { hush, say } from "./saying.svelte.ts";
import { texts } from "./texts.ts";
import type { News, View } from "./protocol";

export interface Problem {
    status: number;
    message: string;
}

const REST = 350; // milliseconds; a double tap is quicker

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
    /** A card was drawn just now: its place is filled under the finger, whose second tap means nothing. */
    resting = $state(false);
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
    readonly asked: boolean = $derived(
        this.view !== null &&
            this.view.options !== null &&
            this.me !== null &&
            isAsked(this.view, this.me) &&
            isPlayedByHand(this.news!, this.me),
    );

    private line: Line | null = null;

    constructor(readonly id: string) {}

    /** Listen; with the key of a personal link the seat is taken along first. */
    async open(key: string | null): Promise<void> {
        if (key !== null) await this.enter(key);
        else if (this.line === null) this.call();
    }

    private async enter(key: string): Promise<void> {
        try {
            await server.enter(this.id, key);
            remember(this.id);
        } catch (problem) {
            say(problem instanceof Refused && problem.status === 403 ? texts.errors.badLink : messageOf(problem));
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
            asked: () => this.missing(),
            news: (news) => this.hear(news),
            state: (state) => (this.lineState = state),
            refused: (code, reason) => (this.problem = { status: code - 4000, message: reason }),
        });
    }

    /** What to ask for: all that happened and was said since the last news. */
    private missing(): server.Asked {
        return {
            since: this.told?.news.version ?? 0,
            chat: this.told?.chat.at(-1)?.number ?? 0,
            ...eyesToAsk(this.news, this.eyes),
        };
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
        const first = before === undefined && sharing(news);
        const { seat } = eyesToAsk(news, this.eyes);
        if (first || (this.coveredFor !== null && this.eyes !== null)) void this.lookWith(null);
        else if (!sharing(news) && seat !== undefined && news.you !== seat) void this.lookWith(seat);
    }

    /** Look with the eyes of one of this device's people, or of nobody. What the last eyes saw is forgotten. */
    async lookWith(seat: number | null): Promise<void> {
        this.eyes = seat;
        this.letGo();
        hush();
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
        const draws = choice.kind === "take" || choice.kind === "blind";
        if (news === null || news.you === null || this.sending || (draws && this.resting)) return false;
        const command = { seat: news.you, version: news.version, choice };
        return this.ask(async () => {
            this.hear(await server.move(this.id, command));
            this.letGo();
            if (draws) this.rest();
        }, news.version);
    }

    /** Ask the server for something that changes the table; what goes wrong is said. */
    async tell(question: () => Promise<News>): Promise<boolean> {
        return this.ask(async () => this.hear(await question()));
    }

    /** Ask the server for one thing at a time. A move gives the version it answers, which may be over. */
    async ask(question: () => Promise<unknown>, answers: number | null = null): Promise<boolean> {
        if (this.sending) {
            say(texts.errors.busy);
            return false;
        }
        this.sending = true;
        try {
            await question();
            return true;
        } catch (problem) {
            await this.recover(problem, answers);
            return false;
        } finally {
            this.sending = false;
        }
    }

    /** Say something at the table, whatever else is on its way. */
    async chat(text: string): Promise<boolean> {
        try {
            this.hear(await server.say(this.id, this.me!, text));
            return true;
        } catch (problem) {
            say(messageOf(problem));
            return false;
        }
    }

    private async recover(problem: unknown, answers: number | null): Promise<void> {
        if (problem instanceof Refused && problem.status !== 0) {
            await server.news(this.id, this.missing()).then(
                (news) => this.hear(news),
                () => undefined,
            );
        }
        const wentOn = answers !== null && this.news?.table.status === "running" && this.news.version !== answers;
        say(wentOn && problem instanceof Refused && problem.status === 409 ? texts.errors.stale : messageOf(problem));
    }

    private letGo(): void {
        this.finger = nothing;
        this.kept = [];
        this.litTicket = null;
    }

    private rest(): void {
        this.resting = true;
        setTimeout(() => (this.resting = false), REST);
    }

    nameOf(seat: number): string {
        return this.news?.table.seats[seat]?.name ?? texts.setup.seat(seat);
    }
}

export const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : texts.errors.unknown);
