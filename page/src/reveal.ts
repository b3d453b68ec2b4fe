/** The order in which the end is told: tickets seat by seat, then bonuses. */

import type { Final } from "./protocol";

export type Reveal = { kind: "ticket"; seat: number; index: number } | { kind: "bonus"; index: number };

/** Turn about, one ticket of each seat at a time, so that everybody's number moves. */
export function revealSteps(final: Final): Reveal[] {
    const longest = Math.max(0, ...final.seats.map((seat) => seat.ticket_list.length));
    const tickets: Reveal[] = [];
    for (let index = 0; index < longest; index++) {
        for (const seat of final.seats) if (index < seat.ticket_list.length) tickets.push({ kind: "ticket", seat: seat.seat, index });
    }
    return [...tickets, ...final.bonuses.map((_, index): Reveal => ({ kind: "bonus", index }))];
}

export interface Shown {
    opened: number;
    tickets: number;
    bonuses: { [name: string]: number };
    total: number;
}

/** What of each seat is shown after so many steps. Every number is the server's; here they are only added up on the way. */
export function shownAt(final: Final, steps: Reveal[], at: number): Shown[] {
    if (at >= steps.length) {
        return final.seats.map((seat) => ({
            opened: seat.ticket_list.length,
            tickets: seat.tickets,
            bonuses: seat.bonuses,
            total: seat.total,
        }));
    }
    const done = steps.slice(0, at);
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
