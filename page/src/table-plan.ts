/** A table that is being set up, before the server creates it. */

import type { BoardSummary, Bot, NewTable } from "./protocol";
import { texts } from "./texts.ts";

export type Speed = NonNullable<NewTable["speed"]>;
export const SPEEDS: readonly Speed[] = ["normal", "fast", "instant"];

export type SeatPlan = { who: "here"; name: string; colour: number } | { who: "open" } | { who: "bot"; level: string };
export interface TablePlan {
    board: string;
    seats: SeatPlan[];
    first: number | null;
    clock: number;
    speed: Speed;
    /** Null until someone decides: then hints are for one person alone. */
    hints?: boolean | null;
}

const QUICK_SEATS = 3;

/** A game against bots on a board, with the usual number of seats. */
export function quickGame(board: BoardSummary, level: string, own: { name: string; colour: number; speed: Speed }): TablePlan {
    const nobody: TablePlan = { board: "", seats: [], first: null, clock: 0, speed: own.speed, hints: null };
    return onBoard(withSeats({ ...nobody, seats: [seatHere(nobody, 0, own)] }, QUICK_SEATS, level), board, level);
}

/** The levels people play against, from weak to strong; all bots if the server has none of these levels. */
export function levelsOf(bots: Bot[]): Bot[] {
    const levels = Object.keys(texts.levels).flatMap((level) => bots.filter((bot) => bot.level === level));
    return levels.length ? levels : bots;
}

/** The level to play at: the one last chosen, else the weakest, so that a first game is fun. */
export function ownLevel(bots: Bot[], chosen: string): string {
    const levels = levelsOf(bots).map((bot) => bot.level);
    return levels.includes(chosen) ? chosen : (levels[0] ?? "");
}

/** The animal that a bot of the plan will be: the server gives out those of each level in turn. */
export function plannedAnimal(plan: TablePlan, seat: number, bots: Bot[]): string {
    const levelAt = (at: number) => (plan.seats[at]?.who === "bot" ? plan.seats[at].level : null);
    const animals = bots.find((bot) => bot.level === levelAt(seat))?.animals ?? [];
    const before = plan.seats.slice(0, seat).filter((_, at) => levelAt(at) === levelAt(seat)).length;
    return animals[before % animals.length]?.toLowerCase() ?? "";
}

/** The plan with `count` seats; new ones are bots. */
export function withSeats(plan: TablePlan, count: number, level: string): TablePlan {
    const seats = Array.from({ length: count }, (_, seat): SeatPlan => plan.seats[seat] ?? { who: "bot", level });
    return { ...plan, seats, first: plan.first !== null && plan.first >= count ? null : plan.first };
}

/** The plan on another board, with as many seats as that board allows. */
export function onBoard(plan: TablePlan, board: BoardSummary, level: string): TablePlan {
    const count = Math.min(board.most_seats, Math.max(board.least_seats, plan.seats.length));
    return withSeats({ ...plan, board: board.id }, count, level);
}

/** The first seat on this device, which belongs to the device's owner; -1 if there is none. */
export const ownSeat = (plan: TablePlan): number => plan.seats.findIndex((seat) => seat.who === "here");

/** The colours people on this device chose, except the person in `seat`. */
export const takenColours = (plan: TablePlan, seat: number): number[] =>
    plan.seats.flatMap((each, at) => (each.who === "here" && at !== seat ? [each.colour] : []));

/** The first of these colours that nobody has taken, else any. */
export function freeColour(taken: readonly number[], wanted: readonly number[] = []): number {
    return [...wanted, ...texts.trainColours.keys()].find((colour) => !taken.includes(colour)) ?? 0;
}

/** A seat on this device, with a name and a colour to begin with; the first one is the owner's. */
export function seatHere(plan: TablePlan, seat: number, own: { name: string; colour: number }): SeatPlan {
    const isOwn = [-1, seat].includes(ownSeat(plan));
    return {
        who: "here",
        name: isOwn ? own.name || texts.home.you : texts.setup.player(seat),
        colour: freeColour(takenColours(plan, seat), [isOwn ? own.colour : seat]),
    };
}

/** The name the owner of this device typed; null if it is only a suggestion. */
export function ownName(plan: TablePlan): string | null {
    const seat = ownSeat(plan);
    const own = plan.seats[seat];
    return own?.who === "here" && ![texts.home.you, texts.setup.player(seat)].includes(own.name) ? own.name.trim() : null;
}

export const hasPerson = (plan: TablePlan): boolean => plan.seats.some((seat) => seat.who !== "bot");
export const hasNames = (plan: TablePlan): boolean => plan.seats.every((seat) => seat.who !== "here" || seat.name.trim() !== "");
/** Whether every seat is taken, so that the game starts right away. */
export const isFull = (plan: TablePlan): boolean => plan.seats.every((seat) => seat.who !== "open");

/** Whether players may ask for hints: as chosen, else only one person who plays alone. */
export const allowsHints = (plan: TablePlan): boolean => plan.hints ?? plan.seats.filter((seat) => seat.who !== "bot").length === 1;

export function toNewTable(plan: TablePlan): NewTable {
    return {
        board: plan.board,
        seats: plan.seats.map((seat) => (seat.who === "here" ? { ...seat, name: seat.name.trim() } : seat)),
        first: plan.first,
        clock: plan.clock || null,
        speed: plan.speed,
        hints: plan.hints ?? null,
    };
}
