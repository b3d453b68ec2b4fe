/** Rings around what a step points at outside the map, as a style sheet: the parts themselves need not know of lessons. */

import type { LessonStep, View } from "../protocol";

const PARTS: Record<string, string> = {
    deck: '[data-at="deck"]',
    "ticket deck": '[data-at="tickets"]',
    hand: '[data-at="hand"]',
    tickets: 'section[aria-labelledby="tickets-title"],[data-tab="tickets"]',
    players: ".seats > *",
};

export function ringedParts(step: LessonStep | null, view: View): string[] {
    if (!step) return [];
    const { cards, tickets, parts } = step.show;
    const offered = view.options?.keep?.offered ?? [];
    return [
        ...view.row.flatMap((colour, place) => (colour && cards.includes(colour) ? [`[data-at="row-${place}"]`] : [])),
        ...offered.flatMap((ticket, at) => (tickets.includes(ticket.number) ? [`.offer li:nth-child(${at + 1})`] : [])),
        ...parts.map((part) => PARTS[part]!),
    ];
}

export function ringsOn(step: LessonStep | null, view: View): string {
    const ringed = ringedParts(step, view);
    if (ringed.length === 0) return "";
    const ring = "outline:3px solid var(--ink);outline-offset:3px;border-radius:8px";
    return `<style>:is(${ringed.join(",")}){${ring};animation:coach-ring 1.4s ease-in-out infinite}@keyframes coach-ring{50%{outline-offset:5px}}</style>`;
}
