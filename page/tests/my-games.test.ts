import { afterEach, describe, expect, test } from "vitest";
import { addGame, deleteGames, groups, levelToTry, myGames, opponents, ownSeat, totals, type PlayedGame } from "../src/my-games.ts";
import { isOnlyHere } from "../src/network.ts";
import { final, news } from "./example.ts";

afterEach(() => localStorage.clear());

/** A game of one person, who got `own` points, against bots of these levels. */
function played(own: number, others: number, levels: (string | null)[] = ["easy"], table = "t"): PlayedGame {
    const seat = { tickets: 4, completed: 3 };
    return {
        table,
        board: "nordic-countries",
        boardName: "Nordic Countries",
        ended: 1,
        seats: [
            { ...seat, name: "Anna", level: null, total: own, place: own > others ? 1 : 2, isYours: true },
            ...levels.map((level) => ({ ...seat, name: "X", level, total: others, place: others > own ? 1 : 2, isYours: false })),
        ],
    };
}

describe("your games", () => {
    const over = { ...news(), final, yours: [0] };

    test("are added once, when they are over, and not again after they were deleted", () => {
        addGame({ ...over, final: null });
        expect(myGames()).toEqual([]);
        addGame(over);
        addGame(over);
        expect(myGames()).toHaveLength(1);
        expect(myGames()[0]!.seats[0]).toMatchObject({ isYours: true, total: over.final.seats[0]!.total });
        deleteGames();
        addGame(over);
        expect(myGames()).toEqual([]);
    });
    test("are neither lessons nor games of others", () => {
        addGame({ ...over, table: { ...over.table, id: "lesson", lesson: "ferries" } });
        addGame({ ...over, table: { ...over.table, id: "watched" }, yours: [] });
        expect(myGames()).toEqual([]);
    });
    test("add up without games of several people on one device", () => {
        const alone = [played(90, 60), played(50, 60, ["hard", "easy"]), played(70, 60, [null])];
        const together = { ...played(200, 10), seats: played(200, 10).seats.map((seat) => ({ ...seat, isYours: true })) };
        expect(ownSeat(together)).toBeNull();
        expect(totals([...alone, together])).toEqual({ games: 3, wins: 2, average: 70, best: 90, tickets: 12, completed: 9 });
        expect(totals([together])).toMatchObject({ games: 0, average: 0, best: 0 });
        expect(alone.map(opponents)).toEqual(["easy", "mixed", "people"]);
        const grouped = groups([...alone, played(40, 60), together]);
        expect(grouped.map(({ against, games, wins, best }) => [against, games, wins, best])).toEqual([
            ["easy", 2, 1, 90],
            ["mixed", 1, 0, 50],
            ["people", 1, 1, 70],
        ]);
    });
});

describe("the level to try", () => {
    const levels = ["beginner", "easy", "medium"];
    const [won, close, lost] = [played(90, 60), played(50, 60), played(30, 60)];

    test("is the next one after two wins in a row", () => {
        expect(levelToTry([won, won, lost], "easy", levels)).toEqual({ level: "medium", why: "won" });
        expect(levelToTry([won, close, won], "easy", levels)).toBeNull();
        expect(levelToTry([won, played(9, 90, ["medium"]), won], "easy", levels)).toEqual({ level: "medium", why: "won" });
        expect(levelToTry([won, won], "easy", ["beginner", "easy"])).toBeNull();
    });
    test("is the one before after three clear losses", () => {
        expect(levelToTry([lost, lost, lost], "easy", levels)).toEqual({ level: "beginner", why: "lost" });
        expect(levelToTry([lost, close, lost], "easy", levels)).toBeNull();
        expect(levelToTry([lost, lost, lost], "easy", ["easy", "medium"])).toBeNull();
    });
    test("follows only from games at that level", () => {
        expect(levelToTry([], "easy", levels)).toBeNull();
        expect(levelToTry([won, won], "medium", levels)).toBeNull();
    });
});

test("a link at this device's own address works nowhere else", () => {
    const hosts = ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "192.168.1.5:8000", "play.example.org"];
    expect(hosts.map((host) => isOnlyHere(`http://${host}/t/x`))).toEqual([true, true, true, false, false]);
});
