/** A hint for your turn, in steps: where to look, what to do, and why; then a more careful one that compares choices. */

import { countOf, sameCards } from "../cards.ts";
import type { Hint } from "../protocol";
import { NO_SELECTION, type Selection } from "../selection.ts";
import * as server from "../server.ts";
import { showToast } from "../notifications.svelte.ts";
import { messageOf, type Table } from "../table.svelte.ts";

export const STEPS = ["none", "look", "move", "reason", "careful"] as const;
export type HintStep = (typeof STEPS)[number];

export class HintState {
    step = $state<HintStep>("none");
    hint = $state.raw<Hint | null>(null);
    isAsking = $state(false);

    constructor(private readonly table: Table) {
        // A hint is for one decision of one seat.
        const decision = $derived(`${table.news?.version} ${table.me}`);
        $effect(() => {
            void decision;
            return () => this.clear();
        });
    }

    /** Whether the table gives hints and you have something to decide. */
    readonly isOffered: boolean = $derived.by(() => {
        const { news } = this.table;
        return this.table.isMyTurn && news !== null && news.table.hints && news.table.lesson === null;
    });
    /** The routes the hint points at. */
    readonly routes: number[] = $derived.by(() =>
        this.step !== "none" && this.hint?.choice.kind === "claim" ? [this.hint.choice.route] : [],
    );
    /** What to draw, if the hint points at cards: a colour, "deck" or "tickets". */
    readonly pile: string | null = $derived.by(() => {
        if (this.step === "none" || this.hint === null) return null;
        const { choice } = this.hint;
        if (choice.kind === "take") return choice.colour;
        return choice.kind === "blind" ? "deck" : choice.kind === "draw_tickets" ? "tickets" : null;
    });

    clear(): void {
        this.step = "none";
        this.hint = null;
    }

    /** Show the next step. The first one asks the server. */
    async next(): Promise<void> {
        const { news, me } = this.table;
        if (news === null || me === null || this.isAsking) return;
        const isCareful = this.step === "reason";
        if (this.hint === null || isCareful) {
            this.isAsking = true;
            try {
                const hint = await server.hint(this.table.id, me, news.version, isCareful);
                if (this.table.news?.version !== hint.version || this.table.me !== me) return;
                this.hint = hint;
            } catch (problem) {
                showToast(messageOf(problem, this.table.names));
                return;
            } finally {
                this.isAsking = false;
            }
        }
        this.step = STEPS[Math.min(STEPS.indexOf(this.step) + 1, STEPS.length - 1)]!;
        if (this.step === "look") this.table.selection = NO_SELECTION;
        if (this.step === "move" || this.step === "careful") this.prepare(this.hint);
    }

    /** Select what the hint proposes, so that one tap confirms it. */
    private prepare({ choice }: Hint): void {
        if (choice.kind === "keep") this.table.keptTickets = choice.tickets;
        else this.table.selection = selectionOf(choice, this.table);
    }
}

function selectionOf(choice: Hint["choice"], table: Table): Selection {
    if (choice.kind === "draw_tickets") return { kind: "ticket deck" };
    if (choice.kind === "tunnel") return { kind: "tunnel", payment: choice.cards };
    if (choice.kind !== "claim" || countOf(choice.cards) === 0) return NO_SELECTION;
    const { route, cards } = choice;
    const proposed = table.view?.options?.claim[route]?.payments.find((payment) => sameCards(payment, cards)) ?? null;
    return { kind: "route", route, nearby: [route], payment: proposed, custom: proposed ? null : cards };
}
