/** What the finger is on: a choice that is being made and not yet told. Beside the server's word the page's only state. */

import type { Options, View } from "./protocol";
import { changed, countOf, sameCards, type Cards, type Colour } from "./cards.ts";
import type { Choice } from "./server.ts";

export type Finger =
    | { on: "nothing" }
    | { on: "route"; route: number; near: number[]; payment: Cards | null; own: Cards | null }
    | { on: "ticket deck" }
    | { on: "tunnel"; payment: Cards | null };

export const nothing: Finger = { on: "nothing" };

export const claimable = (view: View | null): number[] => Object.keys(view?.options?.claim ?? {}).map(Number);

/** The finger put on a route; its usual payment is proposed. */
export function onRoute(options: Options | null, route: number, near: number[] = [route]): Finger {
    const claim = options?.claim[route];
    return claim ? { on: "route", route, near, payment: claim.payments[0] ?? null, own: null } : nothing;
}

/** Cards chosen from the hand one by one, beginning with none. */
export const chooseOwn = (finger: Finger): Finger => (finger.on === "route" ? { ...finger, payment: null, own: {} } : finger);

/** One card more or less of what is being chosen, within the hand. */
export function lay(finger: Finger, hand: Cards, colour: Colour, change: number): Finger {
    if (finger.on !== "route" || finger.own === null) return finger;
    const after = (finger.own[colour] ?? 0) + change;
    if (after < 0 || after > (hand[colour] ?? 0)) return finger;
    return { ...finger, own: changed(finger.own, colour, change) };
}

/** The finger where it was, if the table's news still allow it; else lifted. */
export function stillOn(finger: Finger, options: Options | null): Finger {
    if (options === null) return nothing;
    if (finger.on === "route") {
        const claim = options.claim[finger.route];
        if (!claim) return nothing;
        const payment = finger.payment && claim.payments.find((cards) => sameCards(cards, finger.payment!));
        if (finger.payment && !payment && claim.complete) return onRoute(options, finger.route, finger.near);
        return { ...finger, near: finger.near.filter((route) => options.claim[route]) };
    }
    if (finger.on === "ticket deck") return options.draw_tickets > 0 ? finger : nothing;
    if (finger.on === "tunnel") return options.tunnel ? finger : nothing;
    return finger;
}

/** The choice that would be told to the server if it were confirmed now. */
export function choiceOf(finger: Finger): Choice | null {
    if (finger.on === "ticket deck") return { kind: "draw_tickets" };
    if (finger.on === "tunnel") return finger.payment && { kind: "tunnel", cards: finger.payment };
    if (finger.on !== "route") return null;
    const cards = finger.own ?? finger.payment;
    return cards && countOf(cards) > 0 ? { kind: "claim", route: finger.route, cards } : null;
}

/** A ticket put to those kept, or back. */
export const toggled = (kept: number[], ticket: number): number[] =>
    kept.includes(ticket) ? kept.filter((each) => each !== ticket) : [...kept, ticket];
