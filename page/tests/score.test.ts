import { describe, expect, test } from "vitest";
import type { Keep, View } from "../src/protocol";
import { isWasteful, scoreNow, standingOf, trainsFor } from "../src/score.ts";
import { NO_SELECTION } from "../src/selection.ts";
import { takeBackText } from "../src/take-back.ts";
import { texts } from "../src/texts.ts";
import { step, view } from "./example.ts";

const ticket = (points: number, joined: boolean, number = points) =>
    ({ number, cities: ["Oslo", "Bergen"], points, joined, needs: null }) as View["tickets"][number];

describe("your score", () => {
    test("adds completed tickets to your routes and subtracts the others", () => {
        const score = scoreNow(view({ points: [34, 9, 9], tickets: [ticket(22, true), ticket(10, false), ticket(8, false)] }))!;
        expect(texts.score.sum(score)).toBe("34 + tickets 22 − 18 = 38");
        expect(texts.score.words(score)).toContain("minus 18 for open tickets");
        const early = scoreNow(view({ tickets: [ticket(9, false)] }))!;
        expect(texts.score.sum(early)).toBe("0 + tickets 0 − 9 = −9");
    });
    test("is not shown to spectators, before there are tickets, or beside the final score", () => {
        expect([scoreNow(view({ me: null, tickets: [] })), scoreNow(view())]).toEqual([null, null]);
        expect(scoreNow(view({ phase: "over", tickets: [ticket(9, true)] }))).toBeNull();
    });
    test("in a race for a bonus card comes first, and hidden counts are left out", () => {
        const standings = [
            { name: "Longest path", counts: [23, 30, 19] },
            { name: "Globetrotter", counts: [2, null, null] },
        ];
        const told = (name: string) => standingOf(view({ standings }), name).map(({ seat, count }) => [seat, count]);
        expect(told("Longest path")).toEqual([
            [0, 23],
            [1, 30],
            [2, 19],
        ]);
        expect(told("Globetrotter")).toEqual([[0, 2]]);
        expect(told("another")).toEqual([]);
    });
});

describe("tickets to keep", () => {
    const keep = { offered: [{ number: 4 }, { number: 9 }, { number: 2 }], least: 1, together: [0, 10, 12, 15, 7, null, 20, 30] } as Keep;
    test("need trains together", () => {
        expect([trainsFor(keep, [4, 9]), trainsFor(keep, [2]), trainsFor(keep, [4, 2])]).toEqual([15, 7, null]);
        expect(texts.score.together(2, 0, 30, 40)).toBe("2 tickets need about 30 of your 40 trains.");
        expect(texts.score.together(1, 0, 9, 40)).toBe("1 ticket needs 9 of your 40 trains.");
        expect(texts.score.together(1, 2, 45, 40)).toBe("With your 2 open tickets, this one needs about 45 trains. You have 40.");
    });
});

describe("a claim is wasteful", () => {
    const now = (changes: Partial<View> = {}) => view({ hand: { red: 5, blue: 3 }, useful: [3], ...changes });
    test("if it takes nearly all cards for few points and serves no ticket", () => {
        expect(isWasteful(now(), 7, 2, { red: 4, blue: 3 })).toBe(true);
        expect(texts.score.wasteful(7, 8, 2)).toBe("This uses 7 of your 8 cards for 2 points and helps none of your tickets.");
    });
    test.each([
        ["serves a ticket", now({ useful: [7] }), 2, { red: 4, blue: 3 }],
        ["brings many points", now(), 15, { red: 5, blue: 1 }],
        ["leaves many cards", now(), 2, { red: 2 }],
        ["is from a small hand", now({ hand: { red: 2 } }), 2, { red: 2 }],
        ["is made in the last round", now({ turns_left: 1 }), 2, { red: 4, blue: 3 }],
        ["is made without an open ticket", now({ useful: [] }), 2, { red: 4, blue: 3 }],
    ])("but not if it %s", (_why, seen, points, cards) => {
        expect(isWasteful(seen, 7, points, cards)).toBe(false);
    });
});

describe("taking back", () => {
    const steps = [
        step(1, { events: [{ code: "took", seat: 0, colour: "red", place: 1 }] }),
        step(2, { seat: 1, events: [{ code: "passed", seat: 1 }] }),
    ];
    test("is not possible once something new was seen, and the page says what", () => {
        expect(takeBackText(steps, 0, NO_SELECTION, [])).toBe(texts.takeBack.why.took);
        expect(takeBackText(steps, 1, NO_SELECTION, [])).toBe(texts.takeBack.why.passed);
        expect(takeBackText(steps, 2, NO_SELECTION, [])).toBe(texts.takeBack.none);
    });
    test("is possible while nothing is confirmed", () => {
        expect(takeBackText(steps, 0, { kind: "ticket deck" }, [])).toBe(texts.takeBack.pending);
        expect(takeBackText(steps, 0, NO_SELECTION, [4])).toBe(texts.takeBack.pending);
    });
});
