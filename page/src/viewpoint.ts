/** Whose hand to show when several people share a device. The viewer is the seat of the person who confirmed that they are looking. */

import type { News } from "./protocol";
import { isToMove } from "./feed.ts";

/** The next seat on this device that has to move, if any. */
export function nextHere(news: News): number | null {
    const { view, yours, table } = news;
    if (!view || table.status !== "running") return null;
    const playing = yours.filter((seat) => isPlayedByPerson(news, seat));
    const inOrder = [...playing].sort((one, other) => turn(one, view.first, view.seats) - turn(other, view.first, view.seats));
    return inOrder.find((seat) => isToMove(view, seat)) ?? null;
}

/** Whether a person plays for a seat, rather than a bot that stands in or took over for good. */
export const isPlayedByPerson = (news: News, seat: number): boolean =>
    !news.table.seats[seat]!.stand_in && !news.table.seats[seat]!.resigned;

const turn = (seat: number, first: number, seats: number) => (seat - first + seats) % seats;

/** Whether more than one person plays on this device. If so, the hand is hidden between their turns. */
export const isShared = (news: News): boolean =>
    news.yours.filter((seat) => !news.table.seats[seat]?.resigned).length > 1 && news.table.status === "running";

/** The seat to request the table as: on a shared device the viewer's, else that of the only person here who still plays. */
export function viewpoint(news: News | null, viewer: number | null): { seat?: number; watch?: boolean } {
    if (news === null || news.yours.length < 2 || news.table.status !== "running") return {};
    if (isShared(news)) return viewer === null ? { watch: true } : { seat: viewer };
    const left = news.yours.find((seat) => !news.table.seats[seat]?.resigned);
    return left === undefined ? {} : { seat: left };
}

/** The seat to pass the device to: the next one here to move, unless that person is looking already. */
export function passTo(news: News, viewer: number | null): number | null {
    if (!isShared(news)) return null;
    const next = nextHere(news);
    return next !== null && next !== viewer ? next : null;
}
