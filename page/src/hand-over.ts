/** On a shared device: what your move led to, for you to read before you hand the device over. */

import type { Board, News, Step } from "./protocol";
import { routeName, ticketNames, type Event } from "./sentences.ts";
import { texts } from "./texts.ts";

/** What happened in the last turn that the person in a seat played. */
export function lastTurnOf(seat: number, steps: readonly Step[]): Event[] {
    const last = steps.findLastIndex((step) => step.seat === seat);
    const other = steps.slice(0, last + 1).findLastIndex((step) => step.seat !== seat);
    return steps.slice(other + 1, last + 1).flatMap((step) => (step.by === "person" ? step.events : []));
}

/** The cards that a seat drew, in order. */
export const drawnCards = (events: readonly Event[]): string[] =>
    events.flatMap((event) => ((event.code === "took" || event.code === "drew") && event.colour ? [event.colour] : []));

/** "green and a locomotive", "2 purple" */
const cardNames = (cards: string[]): string =>
    texts.list(
        [...new Set(cards)].map((colour) => {
            const count = cards.filter((card) => card === colour).length;
            return count === 1 ? texts.oneCard(colour) : texts.cards(count, colour);
        }),
    );

/** What a person's last turn led to, in sentences. */
export function resultsOf(news: News, steps: readonly Step[], board: Board): string[] {
    // First tickets that were chosen ahead of the seat's turn are not in the steps yet.
    if (news.sealed) return [texts.handOver.kept(ticketNames(board, news.sealed))];
    const events = news.you === null ? [] : lastTurnOf(news.you, steps);
    const cards = drawnCards(events);
    const others = events.flatMap((event): string[] => {
        if (event.code === "claimed") return [texts.handOver.claimed(routeName(board, event.route), event.points)];
        if (event.code === "gave_up") return [texts.handOver.gaveUp(routeName(board, event.route))];
        if (event.code === "kept_tickets" && event.tickets) return [texts.handOver.kept(ticketNames(board, event.tickets))];
        if (event.code === "completed_tickets") return [texts.handOver.completed(ticketNames(board, event.tickets))];
        if (event.code === "passed") return [texts.handOver.passed];
        return event.code === "last_round" ? [texts.handOver.lastRound] : [];
    });
    return cards.length ? [...others, texts.handOver.drew(cardNames(cards))] : others;
}
