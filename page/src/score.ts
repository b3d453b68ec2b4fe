/** What a view says about scores: your own so far, and whether a claim is worth its cards. */

import { countOf, type Cards } from "./cards.ts";
import type { Keep, View } from "./protocol";

export interface ScoreNow {
    routes: number;
    /** Points of completed tickets, and of those still open. */
    completed: number;
    open: number;
    total: number;
}

/** Your score if the game ended now, without bonus cards; null for spectators, without tickets and after the game. */
export function scoreNow(view: View): ScoreNow | null {
    if (view.me === null || view.phase === "over" || view.tickets.length === 0) return null;
    const points = (joined: boolean) => view.tickets.filter((each) => each.joined === joined).reduce((sum, each) => sum + each.points, 0);
    const [routes, completed, open] = [view.points[view.me]!, points(true), points(false)];
    return { routes, completed, open, total: routes + completed - open };
}

/** The trains that the chosen tickets and your open ones need together; null if they can’t be completed. */
export function trainsFor(keep: Keep, chosen: readonly number[]): number | null {
    const bits = keep.offered.reduce((sum, ticket, at) => sum + (chosen.includes(ticket.number) ? 1 << at : 0), 0);
    return keep.together[bits] ?? null;
}

/** How the seats stand for a bonus card: yours first, then the others by their counts. Hidden counts are left out. */
export function standingOf(view: View, bonus: string): { seat: number; count: number }[] {
    const counts = view.standings.find((standing) => standing.name === bonus)?.counts ?? [];
    const known = counts.flatMap((count, seat) => (count === null ? [] : [{ seat, count }]));
    return known.toSorted((one, other) => Number(other.seat === view.me) - Number(one.seat === view.me) || other.count - one.count);
}

const MUCH = 0.75; // of the hand
const SMALL_HAND = 4; // cards; with fewer, every claim takes much of them

/** Whether a payment takes nearly the whole hand for few points, though other routes would serve an open ticket. */
export function isWasteful(view: View, route: number, points: number, cards: Cards): boolean {
    const [used, held] = [countOf(cards), countOf(view.hand)];
    const hasOpenTicket = view.useful.length > 0;
    return (
        hasOpenTicket &&
        view.turns_left === null &&
        !view.useful.includes(route) &&
        held >= SMALL_HAND &&
        used >= MUCH * held &&
        points <= used
    );
}
