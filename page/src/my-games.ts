/** Your finished games. They are kept on this device and nowhere else. */

import * as server from "./server.ts";
import type { News, TableFacts } from "./protocol";

export interface PlayedSeat {
    name: string;
    /** The bot's level; null for people. */
    level: string | null;
    total: number;
    place: number;
    tickets: number;
    completed: number;
    isYours: boolean;
}
export interface PlayedGame {
    table: string;
    board: string;
    boardName: string;
    /** In seconds since 1970. */
    ended: number;
    seats: PlayedSeat[];
}
interface Stored {
    /** Latest first. */
    games: PlayedGame[];
    /** Tables that need no second look: their game is above, or was deleted, or does not count. */
    seen: string[];
}

const KEY = "northrail.games";
const MOST = 1000;

function stored(): Stored {
    try {
        const { games = [], seen = [] } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>;
        return { games, seen };
    } catch {
        return { games: [], seen: [] };
    }
}

function store({ games, seen }: Stored): void {
    try {
        localStorage.setItem(KEY, JSON.stringify({ games: games.slice(0, MOST), seen: seen.slice(0, MOST) }));
    } catch {
        // A device without storage keeps no statistics.
    }
}

export const myGames = (): PlayedGame[] => stored().games;

/** Delete all games. Their tables are not added again. */
export const deleteGames = (): void => store({ ...stored(), games: [] });

/** Add a finished game in which this device had a seat, once. Lessons do not count. */
export function addGame(news: News): void {
    const { table, final, yours } = news;
    const { games, seen } = stored();
    if (final === null || seen.includes(table.id)) return;
    const game: PlayedGame = {
        table: table.id,
        board: table.board,
        boardName: table.board_name,
        ended: table.ended ?? news.now,
        seats: final.seats.map((score) => ({
            name: table.seats[score.seat]!.name,
            level: table.seats[score.seat]!.level,
            total: score.total,
            place: score.place,
            tickets: score.ticket_list.length,
            completed: score.completed,
            isYours: yours.includes(score.seat),
        })),
    };
    const isMine = yours.length > 0 && table.lesson === null;
    store({ games: isMine ? [game, ...games].toSorted((one, other) => other.ended - one.ended) : games, seen: [table.id, ...seen] });
}

/** Add the games among these tables that ended while the page was closed. */
export async function addFinished(tables: TableFacts[]): Promise<void> {
    const { seen } = stored();
    for (const table of tables.filter((each) => each.status === "over" && !seen.includes(each.id))) {
        await server.news(table.id, { since: table.version }).then(addGame, () => undefined); // try again on the next visit
    }
}

// --- what they add up to

/** Your seat, if you were the only player on this device. On a shared device it is not clear who you are. */
export const ownSeat = (game: PlayedGame): PlayedSeat | null => {
    const yours = game.seats.filter((seat) => seat.isYours);
    return yours.length === 1 ? yours[0]! : null;
};

/** The level of the bots you played against; "people" if there were other people, "mixed" for bots of several levels. */
export function opponents(game: PlayedGame): string {
    const levels = new Set(game.seats.filter((seat) => !seat.isYours).map((seat) => seat.level));
    return levels.has(null) ? "people" : levels.size > 1 ? "mixed" : ([...levels][0] ?? "people");
}

export interface Totals {
    games: number;
    wins: number;
    average: number;
    best: number;
    tickets: number;
    completed: number;
}

export function totals(games: PlayedGame[]): Totals {
    const seats = games.map(ownSeat).filter((seat) => seat !== null);
    const sum = (of: (seat: PlayedSeat) => number) => seats.reduce((all, seat) => all + of(seat), 0);
    return {
        games: seats.length,
        wins: seats.filter((seat) => seat.place === 1).length,
        average: seats.length ? Math.round(sum((seat) => seat.total) / seats.length) : 0,
        best: seats.length ? Math.max(...seats.map((seat) => seat.total)) : 0,
        tickets: sum((seat) => seat.tickets),
        completed: sum((seat) => seat.completed),
    };
}

export interface Group extends Totals {
    boardName: string;
    against: string;
}

/** Totals by board and opponents, in the order of your latest games. */
export function groups(games: PlayedGame[]): Group[] {
    const found = new Map<string, PlayedGame[]>();
    for (const game of games.filter(ownSeat)) {
        const key = `${game.board} ${opponents(game)}`;
        found.set(key, [...(found.get(key) ?? []), game]);
    }
    return [...found.values()].map((group) => ({
        boardName: group[0]!.boardName,
        against: opponents(group[0]!),
        ...totals(group),
    }));
}

// --- which level to try next

const WINS = 2;
const LOSSES = 3;
const BADLY = 2 / 3; // of the winner's points

const isLostBadly = (game: PlayedGame): boolean =>
    ownSeat(game)!.total < BADLY * Math.max(...game.seats.filter((seat) => seat.place === 1).map((seat) => seat.total));

/** The level to try instead of `level`: the next after two wins in a row, the one before after three clear losses. */
export function levelToTry(games: PlayedGame[], level: string, levels: string[]): { level: string; why: "won" | "lost" } | null {
    const latest = games.filter((game) => ownSeat(game) && opponents(game) === level);
    const at = levels.indexOf(level);
    const [last, before] = [latest.slice(0, WINS), latest.slice(0, LOSSES)];
    if (last.length === WINS && last.every((game) => ownSeat(game)!.place === 1) && at + 1 < levels.length)
        return { level: levels[at + 1]!, why: "won" };
    if (before.length === LOSSES && before.every(isLostBadly) && at > 0) return { level: levels[at - 1]!, why: "lost" };
    return null;
}
