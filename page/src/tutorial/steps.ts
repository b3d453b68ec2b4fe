/** Where a lesson stands. It is linear, so the table's version tells which moves were made. */

import { sameCards, type Cards } from "../cards.ts";
import type { LessonStep } from "../protocol";
import type { Choice } from "../server.ts";

/** The step at which a lesson goes on at a version of its table. */
export function firstStep(steps: readonly LessonStep[], version: number): number {
    const at = steps.findIndex((step) => step.version >= version);
    return at < 0 ? steps.length : at;
}

/** The step after the moves that were made. Something to read stays until the person goes on. */
export function afterMoves(steps: readonly LessonStep[], at: number, version: number): number {
    while (at < steps.length && steps[at]!.who !== "nobody" && steps[at]!.version < version) at++;
    return at;
}

/** The move of yours that comes at a version; none while a rival moves or once all moves are made. */
export const moveAt = (steps: readonly LessonStep[], version: number): LessonStep | null =>
    steps.find((step) => step.version === version && step.who === "you") ?? null;

/** Whether a step asks for this choice. A claim without cards takes any payment. */
export const isAsked = (step: LessonStep, choice: Choice): boolean =>
    step.choices.some(
        (asked) =>
            asked.kind === choice.kind &&
            (choice.kind !== "take" || asked.colour === choice.colour) &&
            (choice.kind !== "claim" || asked.route === choice.route) &&
            (choice.kind !== "keep" || sameTickets(asked.tickets ?? [], choice.tickets)) &&
            (!("cards" in choice) || !asked.cards || sameCards(asked.cards as Cards, choice.cards as Cards)),
    );

const sameTickets = (some: readonly number[], others: readonly number[]) =>
    some.length === others.length && some.every((ticket) => others.includes(ticket));

/** Whether there is only the end of the lesson to read. */
export const isLast = (steps: readonly LessonStep[], at: number): boolean =>
    at >= steps.length || (at === steps.length - 1 && steps[at]!.who === "nobody");
