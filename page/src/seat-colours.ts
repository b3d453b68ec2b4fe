/** The colours of the seats' trains. A screen that shows a table provides them, and its parts look them up. */

import { getContext, setContext } from "svelte";
import type { SeatFacts } from "./protocol";

export type ColourOf = (seat: number) => number;
const KEY = Symbol("seat colours");

/** Seats that chose no colour have that of their number. */
export const provideColours = (seats: () => readonly SeatFacts[] | undefined): void => {
    setContext<ColourOf>(KEY, (seat) => seats()?.[seat]?.colour ?? seat);
};

export const seatColours = (): ColourOf => getContext<ColourOf | undefined>(KEY) ?? ((seat) => seat);
