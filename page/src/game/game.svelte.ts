/** The state of the game screen, without any markup: what is open, what is highlighted and what the status bar says. */

import { untrack } from "svelte";
import { MediaQuery } from "svelte/reactivity";
import { lastEvent } from "../feed.ts";
import type { Board, FinalTicket, News, Options, View } from "../protocol";
import { claimable, NO_SELECTION, selectRoute } from "../selection.ts";
import type { Table } from "../table.svelte.ts";
import type { Naming } from "../sentences.ts";
import { texts } from "../texts.ts";

/** Narrow screens show one tab at a time. Wide screens always show cards and tickets, with the other tabs at the side. */
export const TABS = ["cards", "tickets", "log", "chat", "routes"] as const;
export const SIDE_TABS = ["log", "chat", "routes"] as const;
export type Tab = (typeof TABS)[number];
export type SideTab = (typeof SIDE_TABS)[number];

const ROUTE_INFO_TIME = 5000; // milliseconds

export class GameState {
    tab = $state<Tab>("cards");
    sideTab = $state<SideTab>("log");
    chatDraft = $state("");
    isMenuOpen = $state(false);
    /** The seat whose details are open. */
    openSeat = $state<number | null>(null);
    /** A route that was tapped to read about it. */
    routeInfo = $state<number | null>(null);
    /** The ticket that the final table is revealing, or that was tapped there. */
    finalTicket = $state.raw<FinalTicket | null>(null);
    isFinalRevealed = $state(false);
    private lastReadLine = $state(0);
    private readonly wideScreen = new MediaQuery("min-width: 900px");

    constructor(
        readonly table: Table,
        readonly board: Board,
    ) {
        $effect(() => {
            if (this.isChatOpen) this.lastReadLine = this.lastLine;
        });
        $effect(() => {
            if (this.table.isMyTurn || this.table.isHandingOver || this.isOver) untrack(() => (this.tab = "cards"));
        });
        $effect(() => {
            if (this.routeInfo === null) return;
            const timer = setTimeout(() => (this.routeInfo = null), ROUTE_INFO_TIME);
            return () => clearTimeout(timer);
        });
    }

    get news(): News {
        return this.table.news!;
    }
    get view(): View {
        return this.table.view!;
    }
    /** What you can do now; null while someone else has to move. */
    get options(): Options | null {
        return this.table.isMyTurn ? this.view.options : null;
    }
    get isWide(): boolean {
        return this.wideScreen.current;
    }
    get isSpectator(): boolean {
        return this.table.me === null;
    }
    readonly isOver: boolean = $derived.by(() => this.news.final !== null);
    get names(): string[] {
        return this.table.names;
    }
    readonly naming: Naming = $derived.by(() => ({ board: this.board, names: this.names }));

    // --- chat

    private get lastLine(): number {
        return this.table.feed!.chat.at(-1)?.number ?? 0;
    }
    private readonly isChatOpen: boolean = $derived.by(() => (this.isWide ? this.sideTab : this.tab) === "chat");
    readonly hasUnreadChat: boolean = $derived.by(() => this.lastLine > this.lastReadLine && !this.isChatOpen);

    // --- highlights on the map

    readonly claimableRoutes: number[] = $derived.by(() => (this.options && !this.table.isSending ? claimable(this.view) : []));
    /** The map moves when this changes, so it must not change with every message. */
    readonly selectedRoute: number | null = $derived.by(() => {
        const { selection } = this.table;
        return selection.kind === "route" ? selection.route : this.view.route;
    });
    private readonly ticket = $derived.by(() => {
        const tickets = [...(this.options?.keep?.offered ?? []), ...this.view.tickets];
        return tickets.find((each) => each.number === this.table.highlightedTicket) ?? null;
    });
    readonly highlightedCities: string[] = $derived.by(() => {
        if (this.finalTicket) return [...this.finalTicket.cities];
        if (this.ticket) return [...this.ticket.cities];
        return [...new Set((this.options?.keep?.offered ?? []).flatMap((each) => each.cities))];
    });
    /** The shortest open route of the highlighted ticket; after the game, the routes that completed it. */
    readonly highlightedPath: number[] = $derived.by(() => this.finalTicket?.path ?? this.ticket?.needs?.path ?? []);
    readonly lastClaimed: number | null = $derived.by(() => lastEvent(this.table.feed!.steps, "claimed")?.route ?? null);

    // --- selecting

    selectRoute(route: number, nearby: number[]): void {
        this.routeInfo = null;
        this.table.highlightedTicket = null;
        this.tab = "cards";
        this.table.selection = selectRoute(this.options, route, nearby);
    }

    /** A tap that misses all claimable routes: on another route, or on none. */
    inspectRoute(route: number | null): void {
        this.routeInfo = route;
        if (this.table.selection.kind === "route") this.table.selection = NO_SELECTION;
        if (route === null) this.table.highlightedTicket = null;
    }

    cancel(): void {
        this.table.selection = NO_SELECTION;
        this.table.highlightedTicket = null;
    }

    // --- the status bar

    /** Which controls the turn panel shows. The focus may move when this changes, so it must not change with every message. */
    readonly stage: string = $derived.by(() => {
        if (this.isOver) return "final";
        if (this.options?.keep) return "keep";
        if (this.options?.tunnel) return "tunnel";
        return this.table.selection.kind;
    });

    readonly status: string = $derived.by(() => {
        const { view, options, names, board } = this;
        const { selection } = this.table;
        if (this.news.table.status === "closed") return texts.menu.closedTitle;
        if (this.isOver) return texts.table.prompt.over!;
        if (this.table.isSending) return texts.table.sending;
        if (options?.keep) return texts.table.keep(options.keep.least);
        if (options && selection.kind === "route") return texts.table.paying(texts.between(board.routes[selection.route]!.cities));
        if (options && selection.kind === "ticket deck") return texts.table.drawing;
        if (options) return texts.table.prompt[view.phase]!;
        if (view.chosen) return texts.table.waitingForTickets(texts.list(names.filter((_, seat) => !view.chosen![seat])));
        return texts.table.progress[view.phase]!(names[view.seat]!);
    });
}
