import { describe, expect, test } from "vitest";
import openapi from "../from-server/openapi.json";
import type { Board, Chance, LedTo, ReviewStep, SeatReview, Summary } from "../src/protocol";
import { heightOf, linesOf, polyline, valueAt } from "../src/review/lines.ts";
import { chanceSentence, ledToText, partsOf, resultSentence } from "../src/review/sentences.ts";

const board = {
    routes: [{ cities: ["Bergen", "Oslo"], colour: "red", twin: 0 }],
    tickets: [{ cities: ["Bergen", "Umeå"], points: 9 }],
} as unknown as Board;
const naming = { board, names: ["Anna", "Bo"] };
const step = (number: number, seat: number, known: number | null, open: number) =>
    ({ number, seat, known, known_win: known === null ? null : 0.5, open: [open, -open], open_win: [0.4, 0.6] }) as unknown as ReviewStep;
const summary = (result: number, luck: number, adjusted: number) =>
    ({
        result: [result, -result],
        wins: result > 0 ? [1, 0] : result < 0 ? [0, 1] : [0.5, 0.5],
        by_seat: [{ luck: { total: luck, error: 8.6 }, adjusted }],
    }) as unknown as Summary;

describe("a result", () => {
    test("is told with its luck", () => {
        expect(resultSentence(summary(-12, -31.2, 19.2), 0, "Anna")).toBe(
            "Anna lost by 12 with 31 (± 9) points of bad luck. Without luck, Anna would have won by 19.",
        );
        expect(resultSentence(summary(0, 3, -3), 0, "Anna")).toMatch(/^Anna shared the win with 3 .* good luck.* lost by 3\.$/);
    });
    test("has a part for the start only if the game did not begin with a deal", () => {
        const parts = { start: 0, decisions: 1, luck: 2, others: 3, error: 1 };
        expect(partsOf({ parts } as SeatReview).map((part) => part.points)).toEqual([1, 2, 3]);
        expect(partsOf({ parts: { ...parts, start: 4 } } as SeatReview)).toHaveLength(4);
    });
});

describe("every code has a sentence", () => {
    const codes = (schema: "LedTo" | "Chance", name: "code" | "kind") =>
        (openapi.components.schemas[schema].properties as Record<string, { enum?: string[] }>)[name]!.enum!;
    const facts = { route: 0, seat: 1, turns: 2, tickets: [0], drawn: ["red"], row: ["locomotive"], revealed: ["red"], owed: 1 };
    test.each(codes("LedTo", "code"))("%s", (code) => {
        expect(ledToText([{ code, facts } as LedTo], naming)).toMatch(/^[A-Z].*\.$/);
    });
    test.each(codes("Chance", "kind"))("%s", (kind) => {
        expect(chanceSentence({ kind, facts } as Chance, 0, naming)).toMatch(/^[A-Z].*\.$/);
    });
});

describe("the graph", () => {
    const steps = [step(0, 0, 5, 2), step(1, 1, 3, -4), step(2, 0, null, -23)];
    test("has one line of the seat’s own decisions and one with all cards open, and both end at the result", () => {
        const lines = linesOf(steps, 0, summary(-12, 0, 0), false);
        expect(lines.known).toEqual([
            [0, 5],
            [3, -12],
        ]);
        expect(lines.open.map(([, value]) => value)).toEqual([2, -4, -23, -12]);
        expect(lines.most).toBe(30);
    });
    test("shows the chance to win on request", () => {
        const lines = linesOf(steps, 1, null, true);
        expect([lines.known, lines.most]).toEqual([[[1, 0.5]], 1]);
        expect(lines.open.every(([, value]) => value === 0.6)).toBe(true);
    });
    test("puts a value at its height", () => {
        expect([heightOf(10, 10, false), heightOf(0, 10, false), heightOf(-10, 10, false), heightOf(1, 1, true)]).toEqual([0, 0.5, 1, 0]);
        expect(polyline([[1, 10]], 2, 10, false)).toBe("50,0");
    });
    test("knows the last value before a place", () => {
        expect([valueAt([[2, 7]], 1), valueAt([[2, 7]], 5)]).toEqual([null, 7]);
    });
});
