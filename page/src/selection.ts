/** What a person has selected and not yet confirmed. Apart from what the server sent, this is the page's only game state. */

import type { Options, View } from "./protocol";
import { changed, countOf, sameCards, type Cards, type Colour } from "./cards.ts";
import type { Choice } from "./server.ts";

export type Selection =
    | { kind: "none" }
    /** `nearby`: routes the tap may have meant instead. `payment` is one the server proposed, `custom` is put together card by card. */
    | { kind: "route"; route: number; nearby: number[]; payment: Cards | null; custom: Cards | null }
    | { kind: "ticket deck" }
    | { kind: "tunnel"; payment: Cards | null };

export const NO_SELECTION: Selection = { kind: "none" };

export const claimable = (view: View | null): number[] => Object.keys(view?.options?.claim ?? {}).map(Number);

/** A route, with its first payment preselected. */
export function selectRoute(options: Options | null, route: number, nearby: number[] = [route]): Selection {
    const claim = options?.claim[route];
    return claim ? { kind: "route", route, nearby, payment: claim.payments[0] ?? null, custom: null } : NO_SELECTION;
}

/** Start a payment card by card. */
export const startCustomPayment = (selection: Selection): Selection =>
    selection.kind === "route" ? { ...selection, payment: null, custom: {} } : selection;

/** Add cards to a custom payment, or take some back, as far as the hand allows. */
export function layCards(selection: Selection, hand: Cards, colour: Colour, change: number): Selection {
    if (selection.kind !== "route" || selection.custom === null) return selection;
    const after = (selection.custom[colour] ?? 0) + change;
    if (after < 0 || after > (hand[colour] ?? 0)) return selection;
    return { ...selection, custom: changed(selection.custom, colour, change) };
}

/** The part of a selection that is still possible with new options. */
export function stillPossible(selection: Selection, options: Options | null): Selection {
    if (options === null) return NO_SELECTION;
    if (selection.kind === "route") {
        const claim = options.claim[selection.route];
        if (!claim) return NO_SELECTION;
        const payment = selection.payment && claim.payments.find((cards) => sameCards(cards, selection.payment!));
        if (selection.payment && !payment && claim.complete) return selectRoute(options, selection.route, selection.nearby);
        return { ...selection, nearby: selection.nearby.filter((route) => options.claim[route]) };
    }
    if (selection.kind === "ticket deck") return options.draw_tickets > 0 ? selection : NO_SELECTION;
    if (selection.kind === "tunnel") return options.tunnel ? selection : NO_SELECTION;
    return selection;
}

/** The choice to send to the server if the selection is confirmed; null if it is incomplete. */
export function choiceOf(selection: Selection): Choice | null {
    if (selection.kind === "ticket deck") return { kind: "draw_tickets" };
    if (selection.kind === "tunnel") return selection.payment && { kind: "tunnel", cards: selection.payment };
    if (selection.kind !== "route") return null;
    const cards = selection.custom ?? selection.payment;
    return cards && countOf(cards) > 0 ? { kind: "claim", route: selection.route, cards } : null;
}

export const toggled = (kept: number[], ticket: number): number[] =>
    kept.includes(ticket) ? kept.filter((each) => each !== ticket) : [...kept, ticket];
