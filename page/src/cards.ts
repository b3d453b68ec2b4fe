/** Cards, as counts by colour. */

import { texts } from "./texts.ts";

/** In the order in which a hand is shown. */
export const COLOURS = ["purple", "blue", "orange", "white", "green", "yellow", "black", "red", "locomotive"] as const;
export type Colour = (typeof COLOURS)[number];
export type Cards = { [colour: string]: number };

/** The colours of which there is at least one card. */
export const coloursOf = (cards: Cards): Colour[] => COLOURS.filter((colour) => (cards[colour] ?? 0) > 0);

export const countOf = (cards: Cards): number => coloursOf(cards).reduce((sum, colour) => sum + cards[colour]!, 0);

/** One entry per card. */
export const spread = (cards: Cards): Colour[] => coloursOf(cards).flatMap((colour) => Array<Colour>(cards[colour]!).fill(colour));

/** The cards with `change` more of a colour; a colour that reaches zero is left out. */
export function changed(cards: Cards, colour: Colour, change: number): Cards {
    const after: Cards = { ...cards, [colour]: (cards[colour] ?? 0) + change };
    if (after[colour]! <= 0) delete after[colour];
    return after;
}

export function sameCards(one: Cards, other: Cards): boolean {
    return COLOURS.every((colour) => (one[colour] ?? 0) === (other[colour] ?? 0));
}

/** "2 red and 1 locomotive" */
export function cardWords(cards: Cards): string {
    const parts = coloursOf(cards).map((colour) => texts.cards(cards[colour]!, colour));
    return texts.list(parts);
}
