/** Whose eyes look at the table when several people share a device. */

import type { News } from "./protocol";
import { isAsked } from "./news.ts";

/** Which of this device's people is asked next, if any; who asks whom is the server's word. */
export function nextHere(news: News): number | null {
    const { view, yours, table } = news;
    if (!view || table.status !== "running") return null;
    const playing = yours.filter((seat) => isPlayedByHand(news, seat));
    const inOrder = [...playing].sort((one, other) => turn(one, view.first, view.seats) - turn(other, view.first, view.seats));
    return inOrder.find((seat) => isAsked(view, seat)) ?? null;
}

/** Whether no bot decides for a seat, for a while or for good. */
export const isPlayedByHand = (news: News, seat: number): boolean => !news.table.seats[seat]!.stand_in && !news.table.seats[seat]!.resigned;

const turn = (seat: number, first: number, seats: number) => (seat - first + seats) % seats;

/** People of this device who still play; with more than one the hand is covered between them. */
export const sharing = (news: News): boolean =>
    news.yours.filter((seat) => !news.table.seats[seat]?.resigned).length > 1 && news.table.status === "running";

/** Whose eyes to ask the server for: a shared device's as confirmed; else those of the one person here who still plays. */
export function eyesToAsk(news: News | null, eyes: number | null): { seat?: number; watch?: boolean } {
    if (news === null || news.yours.length < 2 || news.table.status !== "running") return {};
    if (sharing(news)) return eyes === null ? { watch: true } : { seat: eyes };
    const left = news.yours.find((seat) => !news.table.seats[seat]?.resigned);
    return left === undefined ? {} : { seat: left };
}

/**
 * For whom the device is to be covered: the next person here, unless it is they who look already.
 * `eyes` are the ones a person has confirmed to be.
 */
export function coveredFor(news: News, eyes: number | null): number | null {
    if (!sharing(news)) return null;
    const next = nextHere(news);
    return next !== null && next !== eyes ? next : null;
}
