/** The state of the game screen, without any markup: what is open, what is highlighted and what the status bar says. */

import { untrack } from "svelte";
import { MediaQuery } from "svelte/reactivity";
import { lastEvent } from "../feed.ts";
import type { Board, FinalTicket, News, Options, View } from "../protocol";
import { claimable, NO_SELECTION, selectRoute } from "../selection.ts";
import type { Table } from "../table.svelte.ts";
import { routeWords } from "../draw/routes.ts";
import { choiceSentence, priceText, reasonsText, refusalSentence, type Naming } from "../sentences.ts";
import { texts } from "../texts.ts";
import { HintState } from "./hint.svelte.ts";
import { TutorState } from "./tutor.svelte.ts";
import { WhyNot, type Asked } from "./why-not.svelte.ts";

/** Small screens show one tab at a time. Larger ones always show the cards, and in three columns the tickets too. */
export const TABS = ["cards", "tickets", "log", "chat", "routes"] as const;
export const DOCK_TABS = ["tickets", "log", "chat", "routes"] as const;
export const SIDE_TABS = ["log", "chat", "routes"] as const;
export type Tab = (typeof TABS)[number];

/**
 * Where the dock with your cards is: below the map, beside it, or beside it with the cards always visible. In three
 * columns the log has a column of its own.
 */
export type Layout = "below" | "beside" | "two" | "three";

const OTHERS = 3; // choices whose losses a careful hint names

export class GameState {
    tab = $state<Tab>("cards");
    /** The tab beside the cards, on larger screens. */
    sideTab = $state<Tab>("tickets");
    chatDraft = $state("");
    isMenuOpen = $state(false);
    /** The seat whose details are open. */
    openSeat = $state<number | null>(null);
    /** What was tapped though it can't be done, and why. */
    readonly whyNot: WhyNot;
    readonly hint: HintState;
    readonly tutor: TutorState;
    /** The route under the mouse. */
    hoveredRoute = $state<number | null>(null);
    /** The ticket that the final table is revealing, or that was tapped there. */
    finalTicket = $state.raw<FinalTicket | null>(null);
    isFinalRevealed = $state(false);
    private lastReadLine = $state(0);
    private readonly isLandscape = new MediaQuery("(orientation: landscape) and (min-width: 480px)");
    private readonly isLarge = new MediaQuery("(min-width: 900px) and (min-height: 600px)");
    private readonly isLargest = new MediaQuery("min-width: 1280px");

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
        this.whyNot = new WhyNot(table);
        this.hint = new HintState(table);
        this.tutor = new TutorState(table);
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
    readonly layout: Layout = $derived.by(() => {
        if (!this.isLandscape.current) return "below";
        if (!this.isLarge.current) return "beside";
        return this.isLargest.current ? "three" : "two";
    });
    /** Whether your cards are always visible, and the other tabs beside them. */
    get isWide(): boolean {
        return this.layout === "two" || this.layout === "three";
    }
    /** The tab that is open beside the cards: tickets need none in three columns. */
    get openSideTab(): Tab {
        return this.layout === "three" && this.sideTab === "tickets" ? "log" : this.sideTab;
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
    private readonly isChatOpen: boolean = $derived.by(() => (this.isWide ? this.openSideTab : this.tab) === "chat");
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
        if (this.table.pointed.cities.length) return this.table.pointed.cities;
        return [...new Set((this.options?.keep?.offered ?? []).flatMap((each) => each.cities))];
    });
    /** The shortest open route of the highlighted ticket; after the game, the routes that completed it. */
    readonly highlightedPath: number[] = $derived.by(() => this.finalTicket?.path ?? this.ticket?.needs?.path ?? []);
    readonly lastClaimed: number | null = $derived.by(() => lastEvent(this.table.feed!.steps, "claimed")?.route ?? null);

    // --- selecting

    selectRoute(route: number, nearby: number[]): void {
        this.whyNot.ask(null);
        this.table.highlightedTicket = null;
        this.tab = "cards";
        this.table.selection = selectRoute(this.options, route, nearby);
    }

    /** A tap that misses all claimable routes: on another route, or on none. */
    inspectRoute(route: number | null): void {
        this.askWhy(route === null ? null : { kind: "claim", route });
        if (this.table.selection.kind === "route") this.table.selection = NO_SELECTION;
        if (route === null) this.table.highlightedTicket = null;
    }

    cancel(): void {
        this.table.selection = NO_SELECTION;
        this.table.highlightedTicket = null;
        this.clearExplanation();
    }

    // --- explaining

    askWhy(asked: Asked | null): void {
        this.hint.clear();
        this.whyNot.ask(asked);
    }

    showHint(): void {
        this.whyNot.ask(null);
        this.tab = "cards";
        void this.hint.next();
    }

    clearExplanation(): void {
        this.askWhy(null);
    }

    /** The route that was tapped though it can't be claimed. */
    readonly markedRoute: number | null = $derived.by(() => {
        const { asked } = this.whyNot;
        return asked?.kind === "claim" ? asked.route : null;
    });

    /** What the line under the status bar says: a hint, or why something can't be done, followed by the facts. */
    readonly explanation: { lead: string; more: string } = $derived.by(() => {
        const { hint, step } = this.hint;
        if (hint && step === "look") return { lead: texts.hint.look[hint.choice.kind]!, more: "" };
        if (hint && step !== "none") {
            const reasons = step === "move" ? "" : reasonsText(hint.reasons, this.naming);
            const others = (hint.alternatives ?? [])
                .slice(0, OTHERS)
                .map(({ choice, loss }) => texts.hint.loss(choiceSentence(choice, this.board), loss));
            return { lead: choiceSentence(hint.choice, this.board), more: [reasons, texts.hint.others(others)].join(" ").trim() };
        }
        const { asked, refusal } = this.whyNot;
        if (asked === null) return { lead: "", more: "" };
        return { lead: refusal ? refusalSentence(refusal, this.naming) : "", more: asked.kind === "claim" ? this.about(asked.route) : "" };
    });

    readonly isExplaining: boolean = $derived.by(() => this.explanation.lead + this.explanation.more !== "");

    /** A route's name, length and points, and its owner or, if it is still open, its price. */
    private about(route: number): string {
        const owner = this.view.owners[route];
        if (owner !== undefined) return `${routeWords(this.board, route, this.names[owner])}.`;
        if (this.view.closed.includes(route)) return `${routeWords(this.board, route)}.`;
        const { price, tunnel } = this.board.routes[route]!;
        return `${routeWords(this.board, route)}. ${texts.pay.needs(priceText(price, tunnel))}.`;
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
