/** Sentences of reviews: with `texts.ts` and `sentences.ts` the page’s English. They are loaded with the review. */

import type { Chance, LedTo, SeatReview, Summary } from "../protocol";
import { routeName, ticketNames, type Naming } from "../sentences.ts";
import { texts } from "../texts.ts";

const whole = (points: number) => Math.round(Math.abs(points));

/** How a seat fared and how lucky it was: "Anna lost by 12 with 31 (± 9) points of bad luck." */
export function resultSentence(summary: Summary, seat: number, name: string): string {
    const margin = summary.result[seat]!;
    const { luck, adjusted } = summary.by_seat[seat]!;
    const won = summary.wins[seat]!;
    const how = won === 1 ? "won" : won > 0 ? "shared the win" : "lost";
    const by = margin === 0 ? "" : ` by ${Math.abs(margin)}`;
    const kind = luck.total > 0 ? "good" : "bad";
    const without = adjusted > 0 ? `won by ${whole(adjusted)}` : `lost by ${whole(adjusted)}`;
    return (
        `${name} ${how}${by} with ${whole(luck.total)} (± ${whole(luck.error)}) points of ${kind} luck. ` +
        `Without luck, ${name} would have ${whole(adjusted) === 0 ? "tied" : without}.`
    );
}

const later = (turns: number) => (turns === 0 ? "before the next turn" : turns === 1 ? "a turn later" : `${turns} turns later`);

type Facts = Record<string, any>; // eslint-disable-line

const LED_TO: Record<LedTo["code"], (facts: Facts, naming: Naming) => string> = {
    route_taken: (facts, { board, names }) => `${names[facts.seat]} took ${routeName(board, facts.route)} ${later(facts.turns)}.`,
    claimed_later: (facts, { board, names }) => `${names[facts.seat]} claimed ${routeName(board, facts.route)} ${later(facts.turns)}.`,
    never_claimed: (facts, { board }) => `Nobody claimed ${routeName(board, facts.route)}.`,
    tickets_failed: (facts, { board }) => `${ticketNames(board, facts.tickets)}: never completed.`,
    tickets_completed: (facts, { board }) => `${ticketNames(board, facts.tickets)}: completed.`,
};

/** What followed from a choice. */
export const ledToText = (found: readonly LedTo[], naming: Naming): string =>
    found.map(({ code, facts }) => LED_TO[code](facts, naming)).join(" ");

const cards = (colours: string[]) => texts.list(colours.map(texts.oneCard));

const CHANCE: Record<Chance["kind"], (facts: Facts, name: string, naming: Naming) => string> = {
    card: (facts, name) => `${name} drew ${cards(facts.drawn)} from the deck.`,
    row: (facts) => `${texts.sentence(cards(facts.row))} turned up in the row.`,
    tunnel: (facts, name, { board }) =>
        `${name} tried ${routeName(board, facts.route)}: ${cards(facts.revealed) || "no cards"} turned over, ` +
        `${facts.owed === 0 ? "no extra cost" : `${texts.cardCount(facts.owed)} extra`}.`,
    tickets: (facts, name, { board }) => `${name} was offered ${ticketNames(board, facts.tickets)}.`,
    bonus: (facts, name) => `${name} claimed a route, and ${cards([...facts.drawn, ...facts.row])} came from the deck.`,
};

/** What chance decided after a choice of a seat. */
export const chanceSentence = ({ kind, facts }: Chance, seat: number, naming: Naming): string =>
    CHANCE[kind](facts, naming.names[seat]!, naming);

/** The parts of a result that are shown, with their names. */
export function partsOf({ parts }: SeatReview): { name: string; points: number }[] {
    const start = Math.abs(parts.start) < 1e-9 ? [] : [{ name: texts.review.parts.start, points: parts.start }];
    return [
        ...start,
        { name: texts.review.parts.decisions, points: parts.decisions },
        { name: texts.review.parts.luck, points: parts.luck },
        { name: texts.review.parts.others, points: parts.others },
    ];
}
