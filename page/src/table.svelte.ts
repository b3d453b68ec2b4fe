/** A table as the page knows it: what the server sent, and what the person selected. */

import * as server from "./server.ts";
import { Refused, type Choice } from "./server.ts";
import { Connection, type ConnectionState } from "./connection.ts";
import { addNews, isSince, isToMove, startFeed, type Feed } from "./feed.ts";
import { isPlayedByPerson, isShared, passTo, viewpoint } from "./viewpoint.ts";
import { NO_SELECTION, stillPossible, type Selection } from "./selection.ts";
import { addGame } from "./my-games.ts";
import { remember } from "./my-tables.ts";
import { clearNotifications, showToast } from "./notifications.svelte.ts";
import { refusalSentence } from "./sentences.ts";
import { texts } from "./texts.ts";
import type { Command, News, Played, View } from "./protocol";

export interface Problem {
    status: number;
    message: string;
}

const DRAW_PAUSE = 350; // milliseconds; longer than a double tap
const LATE = 1000; // milliseconds after a move without its news, until we ask for them

export class Table {
    feed = $state.raw<Feed | null>(null);
    connectionState = $state<ConnectionState>("connecting");
    problem = $state.raw<Problem | null>(null);
    selection = $state.raw<Selection>(NO_SELECTION);
    /** Offered tickets that are ticked, by number. */
    keptTickets = $state.raw<number[]>([]);
    /** The ticket whose cities are highlighted, by number. */
    highlightedTicket = $state<number | null>(null);
    /** What a lesson points at on the map. */
    pointed = $state.raw<{ routes: number[]; cities: string[] }>({ routes: [], cities: [] });
    /** Whether to send a choice. A lesson answers those it does not ask for itself. */
    isWanted: (choice: Choice) => boolean = () => true;
    isSending = $state(false);
    /** A drawn card is replaced under the finger. For a moment, ignore the second tap of a double tap. */
    isDrawPaused = $state(false);
    /** On a shared device: the seat of the person who confirmed that they are looking. */
    viewer = $state<number | null>(null);
    /** When the news arrived, in this device's milliseconds. */
    receivedAt = $state(0);

    readonly news: News | null = $derived(this.feed?.news ?? null);
    readonly isShared: boolean = $derived(this.news !== null && isShared(this.news));
    /** On a shared device: the seat to pass it to. Cards stay hidden until its person confirms that they are looking. */
    readonly passTo: number | null = $derived(this.news && passTo(this.news, this.viewer));
    /** Whether the viewer still sees what their move led to, until they hand over the device. */
    readonly isHandingOver: boolean = $derived(this.passTo !== null && this.viewer !== null);
    /** What may be shown now: never one person's hand to another. */
    readonly view: View | null = $derived(
        this.isShared && this.news!.you !== null && this.news!.you !== this.viewer ? null : (this.news?.view ?? null),
    );
    readonly names: string[] = $derived(this.news?.table.seats.map((seat) => seat.name) ?? []);
    readonly me: number | null = $derived(this.news?.you ?? null);
    readonly isMyTurn: boolean = $derived(
        this.view !== null &&
            this.view.options !== null &&
            this.me !== null &&
            isToMove(this.view, this.me) &&
            isPlayedByPerson(this.news!, this.me),
    );

    /** Asked before a move is sent, if someone wants to be asked. */
    mayPlay: ((command: Command) => Promise<boolean>) | null = null;
    private connection: Connection | null = null;
    private onreceived: () => void = () => undefined;

    constructor(readonly id: string) {}

    /** Connect; with the key of a personal link, take the seat first. */
    async open(key: string | null): Promise<void> {
        if (key !== null) await this.enter(key);
        else if (this.connection === null) this.connect();
    }

    private async enter(key: string): Promise<void> {
        try {
            await server.enter(this.id, key);
            remember(this.id);
        } catch (problem) {
            showToast(problem instanceof Refused && problem.status === 403 ? texts.errors.badLink : messageOf(problem));
        }
        this.connect();
    }

    close(): void {
        this.connection?.close();
        this.connection = null;
    }

    /** Open a new connection, also to use the seats this device has just taken. */
    connect(): void {
        this.connection?.close();
        this.connection = new Connection(this.id, {
            query: () => this.query(),
            onnews: (news) => this.receive(news),
            onstate: (state) => (this.connectionState = state),
            onrefused: (code, reason) => (this.problem = { status: code - 4000, message: refusalSentence({ code: reason, facts: {} }) }),
        });
    }

    /** The query for everything since the last news. */
    private query(): server.NewsQuery {
        return {
            since: this.feed?.news.version ?? 0,
            chat: this.feed?.chat.at(-1)?.number ?? 0,
            ...viewpoint(this.news, this.viewer),
        };
    }

    /** Take in news from the connection or from a response. */
    receive(news: News): void {
        if (news.yours.length > 0 && news.table.lesson === null) remember(this.id, news.yours);
        addGame(news);
        const isForSomeoneElse = this.feed !== null && isShared(news) && news.you !== this.viewer;
        if (isForSomeoneElse) {
            this.feed = { ...this.feed!, chat: addNews(this.feed, { ...news, version: -1, steps: [] }).chat };
            if (this.feed.news.version < news.version) void this.viewAs(this.viewer);
            return;
        }
        const before = this.feed?.news;
        this.feed = addNews(this.feed, news);
        this.receivedAt = performance.now();
        this.adapt(before);
        this.onreceived();
    }

    /** Drop selections that are no longer possible. Start with hidden cards on a shared device. */
    private adapt(before: News | undefined): void {
        const news = this.feed!.news;
        this.selection = stillPossible(this.selection, news.view?.options ?? null);
        const offered = news.view?.options?.keep?.offered.map((ticket) => ticket.number) ?? [];
        this.keptTickets = this.keptTickets.filter((ticket) => offered.includes(ticket));
        const isFirst = before === undefined && isShared(news);
        const { seat } = viewpoint(news, this.viewer);
        if (isFirst) void this.viewAs(null);
        else if (!isShared(news) && seat !== undefined && news.you !== seat) void this.viewAs(seat);
    }

    /** Show the table to the person in a seat, or to nobody in particular. Forget what the last viewer saw. */
    async viewAs(seat: number | null): Promise<void> {
        this.viewer = seat;
        this.clearSelection();
        clearNotifications();
        this.connection?.viewAs(seat);
        try {
            const news = await server.news(this.id, seat === null ? { watch: true } : { seat });
            if (this.viewer !== seat) return;
            this.feed = { ...startFeed(news), chat: addNews(this.feed, news).chat };
            this.receivedAt = performance.now();
            this.adapt(news);
        } catch (problem) {
            showToast(messageOf(problem, this.names));
        }
    }

    /** Send a move; return whether it was played. */
    async play(choice: Choice): Promise<boolean> {
        const news = this.news;
        const draws = choice.kind === "take" || choice.kind === "blind";
        if (news === null || news.you === null || this.isSending || (draws && this.isDrawPaused)) return false;
        if (!this.isWanted(choice)) return false;
        const command = { seat: news.you, version: news.version, choice };
        if (this.mayPlay !== null) {
            this.isSending = true; // nothing else can be chosen until the tutor has answered
            const may = await this.mayPlay(command);
            this.isSending = false;
            if (!may) return false;
        }
        return this.send(async () => {
            await this.move(command);
            this.clearSelection();
            if (draws) this.pauseDrawing();
        }, news.version);
    }

    /** Send a move, and wait for its news. An open connection brings them; otherwise they are in the answer. */
    private async move(command: Command): Promise<void> {
        const answer = await server.move(this.id, command, this.connectionState !== "open");
        if ("view" in answer) this.receive(answer);
        else if (!(await this.hasCome(answer))) this.receive(await server.news(this.id, this.query()));
    }

    /** Wait for news of a change from the connection; return whether they have come in time. */
    private hasCome(change: Played): Promise<boolean> {
        return new Promise((settle) => {
            const timer = setTimeout(() => settle(false), LATE);
            this.onreceived = () => {
                if (!isSince(this.news!, change)) return;
                clearTimeout(timer);
                settle(true);
            };
            this.onreceived();
        });
    }

    /** Send a request that answers with news; return whether it succeeded. */
    async update(request: () => Promise<News>): Promise<boolean> {
        return this.send(async () => this.receive(await request()));
    }

    /** Send one request at a time; return whether it succeeded. A move names the version it was chosen at. */
    async send(request: () => Promise<unknown>, version: number | null = null): Promise<boolean> {
        if (this.isSending) {
            showToast(texts.errors.busy);
            return false;
        }
        this.isSending = true;
        try {
            await request();
            return true;
        } catch (problem) {
            await this.recover(problem, version);
            return false;
        } finally {
            this.isSending = false;
        }
    }

    /** Send a chat line, also while another request is under way. */
    async chat(text: string): Promise<boolean> {
        try {
            this.receive(await server.sendChat(this.id, this.me!, text));
            return true;
        } catch (problem) {
            showToast(messageOf(problem, this.names));
            return false;
        }
    }

    /** Fetch the current state and say what went wrong. If the table changed in the meantime, the person chooses again. */
    private async recover(problem: unknown, version: number | null): Promise<void> {
        if (problem instanceof Refused && problem.status !== 0) {
            await server.news(this.id, this.query()).then(
                (news) => this.receive(news),
                () => undefined,
            );
        }
        const hasChanged = version !== null && this.news?.table.status === "running" && this.news.version !== version;
        showToast(hasChanged && problem instanceof Refused && problem.status === 409 ? texts.errors.stale : messageOf(problem, this.names));
    }

    private clearSelection(): void {
        this.selection = NO_SELECTION;
        this.keptTickets = [];
        this.highlightedTicket = null;
    }

    private pauseDrawing(): void {
        this.isDrawPaused = true;
        setTimeout(() => (this.isDrawPaused = false), DRAW_PAUSE);
    }

    nameOf(seat: number): string {
        return this.news?.table.seats[seat]?.name ?? texts.setup.seat(seat);
    }
}

/** What went wrong, in a sentence; with the players' `names` where they are known. */
export const messageOf = (problem: unknown, names?: readonly string[]): string =>
    problem instanceof Refused ? problem.sentence(names) : texts.errors.unknown;
