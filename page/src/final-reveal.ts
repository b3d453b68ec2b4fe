/** The final table: the order in which it is revealed, its ranking, and which values counted. */

import type { Board, Final, FinalSeat } from "./protocol";

export type RevealStep = { kind: "ticket"; seat: number; index: number } | { kind: "bonus"; index: number };

/** One ticket of each seat at a time, so that everyone's total keeps changing. */
export function revealSteps(final: Final): RevealStep[] {
    const longest = Math.max(0, ...final.seats.map((seat) => seat.ticket_list.length));
    const tickets: RevealStep[] = [];
    for (let index = 0; index < longest; index++) {
        for (const seat of final.seats) if (index < seat.ticket_list.length) tickets.push({ kind: "ticket", seat: seat.seat, index });
    }
    return [...tickets, ...final.bonuses.map((_, index): RevealStep => ({ kind: "bonus", index }))];
}

/** What is revealed of a seat so far. */
export interface RevealedSeat {
    /** How many tickets. */
    opened: number;
    tickets: number;
    bonuses: { [name: string]: number };
    total: number;
}

/** The seats after `count` steps. The page adds up the totals; the final ones are the server's. */
export function revealedSeats(final: Final, steps: RevealStep[], count: number): RevealedSeat[] {
    if (count >= steps.length) {
        return final.seats.map((seat) => ({
            opened: seat.ticket_list.length,
            tickets: seat.tickets,
            bonuses: seat.bonuses,
            total: seat.total,
        }));
    }
    const done = steps.slice(0, count);
    return final.seats.map((seat) => {
        const opened = done.filter((step) => step.kind === "ticket" && step.seat === seat.seat).length;
        const tickets = seat.ticket_list
            .slice(0, opened)
            .reduce((sum, ticket) => sum + (ticket.joined ? ticket.points : -ticket.points), 0);
        const bonuses = Object.fromEntries(
            done
                .flatMap((step) => (step.kind === "bonus" ? [final.bonuses[step.index]!] : []))
                .filter((bonus) => bonus.winners.includes(seat.seat))
                .map((bonus) => [bonus.name, bonus.points]),
        );
        return { opened, tickets, bonuses, total: seat.routes + tickets + Object.values(bonuses).reduce((sum, points) => sum + points, 0) };
    });
}

/** The seats in the order to list them: by what is revealed so far, and by place in the end. */
export const rankedSeats = (final: Final, revealed: RevealedSeat[], isDone: boolean): FinalSeat[] =>
    final.seats.toSorted((one, other) =>
        isDone ? one.place - other.place : revealed[other.seat]!.total - revealed[one.seat]!.total || one.seat - other.seat,
    );

const REVEAL = 14_000; // milliseconds that the whole reveal may take

/** How long each of so many steps is shown. */
export const revealTime = (steps: number): number => Math.min(1100, REVEAL / (steps + 1));

/** The values that brought a bonus or broke a tie in this game; the others scored nothing, so nobody needs to see them. */
export function countedValues(final: Final, board: Board): ("completed" | "longest")[] {
    const bonuses = final.bonuses.map((bonus) => board.bonus_cards.find((card) => card.name === bonus.name)!);
    const isAll = (name: string) => bonuses.some((card) => card.most === name && !card.worth_at_most && !card.ends.length);
    return (["completed", "longest"] as const).filter((value) => final.tie_break === COUNTED[value] || isAll(COUNTED[value]));
}

/** By the names that board files use. */
const COUNTED = { completed: "completed tickets", longest: "longest path" } as const;

const revealedKey = (table: string) => `northrail.revealed.${table}`;

/** Whether this tab has shown a table's whole reveal before. */
export function wasRevealed(table: string): boolean {
    try {
        return sessionStorage.getItem(revealedKey(table)) !== null;
    } catch {
        return false;
    }
}

export function markRevealed(table: string): void {
    try {
        sessionStorage.setItem(revealedKey(table), "1");
    } catch {
        // Without storage, a reload shows the reveal again.
    }
}
