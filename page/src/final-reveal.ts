/** The order in which the final table is revealed: tickets seat by seat, then bonuses. */

import type { Final } from "./protocol";

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
