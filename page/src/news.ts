/** What the server told, put together: the newest news, all steps and all that was said. */

import type { ChatLine, Event, News, SeatFacts, Step, View } from "./protocol";
import { texts } from "./texts.ts";

/** All that is known of a table. `news` is the whole of it; steps and chat are what came with it and before. */
export interface Told {
    news: News;
    steps: Step[];
    chat: ChatLine[];
}

/** The news as the first ones. */
export const first = (news: News): Told => ({ news, steps: news.steps, chat: news.chat });

/**
 * What is known once `news` have come. Older news say nothing new of the game: an answer may be overtaken by a
 * socket's news, or come from another tab's.
 */
export function hear(told: Told | null, news: News): Told {
    if (told === null) return first(news);
    const older = news.version < told.news.version || (news.version === told.news.version && news.now < told.news.now);
    const otherEyes = news.you !== told.news.you;
    return {
        news: older && !otherEyes ? told.news : news,
        // Other eyes know other cards: their steps take the place of what the last eyes were told.
        steps: joined(told.steps, news.steps, (step) => step.version, otherEyes),
        chat: joined(told.chat, news.chat, (line) => line.number, false),
    };
}

function joined<T>(had: T[], more: T[], number: (one: T) => number, replace: boolean): T[] {
    if (more.length === 0) return had;
    const known = new Map(had.map((one) => [number(one), one]));
    for (const one of more) if (replace || !known.has(number(one))) known.set(number(one), one);
    return [...known.values()].sort((one, other) => number(one) - number(other));
}

/** The steps one has not been shown yet; after a long absence only the last few. */
export const unseen = (steps: Step[], shown: number, most = 4): Step[] => steps.filter((step) => step.version > shown).slice(-most);

/** The last event of a kind, if it is no older than the given version. */
export function lastEvent(steps: Step[], kind: Event["event"], from = 0): Event | null {
    for (const step of steps.toReversed()) {
        if (step.version < from) return null;
        const found = step.events.findLast((event) => event.event === kind);
        if (found) return found;
    }
    return null;
}

/** For each place of the row, the version at which its card was turned face up; 0 for the deal. */
export const turnedAt = (steps: Step[], places: number): number[] =>
    Array.from(
        { length: places },
        (_, place) =>
            steps.findLast((step) => step.events.some((event) => event.event === "face_up" && event.place === place))?.version ?? 0,
    );

/** Whether a seat is asked for something now. Everybody chooses the first tickets at once. */
export function isAsked(view: View, seat: number): boolean {
    if (view.phase === "over") return false;
    return view.chosen ? !view.chosen[seat] : view.seat === seat;
}

/** How a seat stands, in a word or two. */
export function standing(news: News, view: View, seat: SeatFacts): string {
    if (seat.resigned) return texts.seats.resigned;
    if (seat.stand_in) return texts.seats.standIn;
    if (!seat.present) return texts.seats.away;
    if (view.chosen?.[seat.seat]) return texts.seats.chosen;
    if (seat.who === "bot") return texts.seats.bot(texts.level(seat.level ?? ""));
    return news.yours.includes(seat.seat) ? texts.table.you : "";
}
