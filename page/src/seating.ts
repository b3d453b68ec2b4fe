/** A table as it is being set up, and as the server is asked for it. */

import type { BoardSummary, Bot, NewTable } from "./protocol";
import { texts } from "./texts.ts";

export type Sitting = { who: "here"; name: string } | { who: "open" } | { who: "bot"; level: string };
export interface Plan {
    board: string;
    seats: Sitting[];
    first: number | null;
    clock: number;
    faster: boolean;
}

/** The levels for people; all there is where the server knows none of them. */
export function levelsOf(bots: Bot[]): Bot[] {
    const levels = bots.filter((bot) => bot.level in texts.levels);
    return levels.length ? levels : bots;
}

/** The level to propose. */
export const usualLevel = (bots: Bot[]): string => (bots.find((bot) => bot.usual) ?? bots[0])?.level ?? "";

/** The plan with as many seats as wished, within what the board allows; new ones are bots. */
export function withSeats(plan: Plan, count: number, level: string): Plan {
    const seats = Array.from({ length: count }, (_, seat): Sitting => plan.seats[seat] ?? { who: "bot", level });
    return { ...plan, seats, first: plan.first !== null && plan.first >= count ? null : plan.first };
}

export function onBoard(plan: Plan, board: BoardSummary, level: string): Plan {
    const count = Math.min(board.most_seats, Math.max(board.least_seats, plan.seats.length));
    return withSeats({ ...plan, board: board.id }, count, level);
}

/** The first seat of somebody on this device: whose device it is. */
export const ownSeat = (plan: Plan): number => plan.seats.findIndex((seat) => seat.who === "here");

/** The name to propose for somebody on this device. */
export function nameFor(plan: Plan, seat: number, own: string): string {
    return [-1, seat].includes(ownSeat(plan)) ? own || texts.home.you : texts.setup.player(seat);
}

/** The name whose device it is was given; null if it was only proposed. */
export function ownName(plan: Plan): string | null {
    const seat = ownSeat(plan);
    const own = plan.seats[seat];
    return own?.who === "here" && ![texts.home.you, texts.setup.player(seat)].includes(own.name) ? own.name.trim() : null;
}

export const hasPerson = (plan: Plan): boolean => plan.seats.some((seat) => seat.who !== "bot");
export const isNamed = (plan: Plan): boolean => plan.seats.every((seat) => seat.who !== "here" || seat.name.trim() !== "");
export const begins = (plan: Plan): boolean => plan.seats.every((seat) => seat.who !== "open");

export function requestOf(plan: Plan): NewTable {
    return {
        board: plan.board,
        seats: plan.seats.map((seat) => (seat.who === "here" ? { who: "here", name: seat.name.trim() } : seat)),
        first: plan.first,
        clock: plan.clock || null,
        faster: plan.faster,
    };
}
