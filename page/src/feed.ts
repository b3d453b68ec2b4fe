/** What the server sent about a table, merged: the latest news, all steps and the whole chat. */

import type { ChatLine, News, Played, SeatFacts, Step, View } from "./protocol";
import type { EventCode, EventOf } from "./sentences.ts";
import { texts } from "./texts.ts";

/** What a socket sends: whole news first, then only what has changed. */
export type NewsMessage = News | (Partial<Omit<News, "view">> & { changes: true; view: Partial<View> | null });

/** The whole news once a message has arrived at a socket that has sent `known` before. */
export function withChanges(known: News | null, message: NewsMessage): News {
    if (known === null || !("changes" in message) || !message.changes) return message as News;
    const view = message.view === null ? null : ({ ...known.view, ...message.view } as View);
    return { ...known, ...message, view };
}

/** Whether news are at least as new as a change. */
export const isSince = (news: News, change: Played): boolean =>
    news.version > change.version || (news.version === change.version && news.revision >= change.revision);

/** Everything received about a table. Each message describes the whole table; steps and chat lines add up. */
export interface Feed {
    news: News;
    steps: Step[];
    chat: ChatLine[];
}

export const startFeed = (news: News): Feed => ({ news, steps: news.steps, chat: news.chat });

/**
 * The feed once `news` has arrived. It may be older than the last one: a socket can overtake the answer to a
 * request, and another tab's requests cause news too.
 */
export function addNews(feed: Feed | null, news: News): Feed {
    if (feed === null) return startFeed(news);
    const isOlder = !isSince(news, feed.news);
    const isOtherSeat = news.you !== feed.news.you;
    return {
        news: isOlder && !isOtherSeat ? feed.news : news,
        // Another seat knows other cards, so its steps replace those of the last one.
        steps: merged(feed.steps, news.steps, (step) => step.version, isOtherSeat),
        chat: merged(feed.chat, news.chat, (line) => line.number, false),
    };
}

function merged<T>(had: T[], more: T[], number: (one: T) => number, replace: boolean): T[] {
    if (more.length === 0) return had;
    const known = new Map(had.map((one) => [number(one), one]));
    for (const one of more) if (replace || !known.has(number(one))) known.set(number(one), one);
    return [...known.values()].sort((one, other) => number(one) - number(other));
}

/** The steps after version `shown`; after a long absence only the last few. */
export const unseenSteps = (steps: Step[], shown: number, most = 4): Step[] => steps.filter((step) => step.version > shown).slice(-most);

/** The last event with a code since version `from`. */
export function lastEvent<Code extends EventCode>(steps: Step[], code: Code, from = 0): EventOf<Code> | null {
    for (const step of steps.toReversed()) {
        if (step.version < from) return null;
        const found = step.events.findLast((event): event is EventOf<Code> => event.code === code);
        if (found) return found;
    }
    return null;
}

/** [place in the row] -> the version at which its card was turned face up; 0 for the deal. */
export const faceUpSince = (steps: Step[], places: number): number[] =>
    Array.from(
        { length: places },
        (_, place) =>
            steps.findLast((step) => step.events.some((event) => event.code === "turned_up" && event.place === place))?.version ?? 0,
    );

/** Whether a seat has to move now. Everyone chooses the first tickets at the same time. */
export function isToMove(view: View, seat: number): boolean {
    if (view.phase === "over") return false;
    return view.chosen ? !view.chosen[seat] : view.seat === seat;
}

/** "medium bot"; empty where the bot's name says so already. */
export function botLevel(seat: SeatFacts): string {
    const level = texts.seats.bot(texts.level(seat.level ?? ""));
    return seat.name.toLowerCase().startsWith(level) ? "" : level;
}

/** The status of a seat, in a word or two. */
export function seatStatus(news: News, view: View, seat: SeatFacts): string {
    if (seat.resigned) return texts.seats.resigned;
    if (seat.stand_in) return texts.seats.standIn;
    if (!seat.present) return texts.seats.away;
    if (view.chosen?.[seat.seat]) return texts.seats.chosen;
    if (seat.who === "bot") return botLevel(seat);
    if (seat.seat === news.you) return texts.table.you;
    return news.yours.includes(seat.seat) ? texts.seats.here : "";
}
