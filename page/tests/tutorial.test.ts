import { beforeEach, describe, expect, test } from "vitest";
import type { Board, Lesson, LessonStep, View } from "../src/protocol";
import { nextLesson } from "../src/tutorial/lessons.ts";
import { noteBegun, noteDone, progress } from "../src/tutorial/progress.ts";
import { parallelCities } from "../src/tutorial/parallel.ts";
import { ringedParts, ringsOn } from "../src/tutorial/rings.ts";
import { afterMoves, firstStep, isAsked, isLast, moveAt } from "../src/tutorial/steps.ts";

const show = { routes: [], cities: [], cards: [], tickets: [], parts: [] };
const step = (version: number, who: LessonStep["who"], choices: LessonStep["choices"] = []): LessonStep => ({
    version,
    who,
    say: "",
    otherwise: "",
    choices,
    show,
});
// read, draw, two moves of a rival, read, claim, read
const steps = [
    step(0, "nobody"),
    step(0, "you", [{ kind: "take", colour: "red" }]),
    step(1, "nobody"),
    step(1, "rival"),
    step(2, "rival"),
    step(3, "you", [{ kind: "claim", route: 4, cards: { red: 2 } }]),
    step(4, "nobody"),
];

describe("where a lesson stands", () => {
    test("a lesson that is opened again goes on where its table is", () => {
        expect([0, 1, 2, 3, 4, 5].map((version) => firstStep(steps, version))).toEqual([0, 2, 4, 5, 6, 7]);
    });
    test("moves that were made are passed, but what there is to read waits", () => {
        expect(afterMoves(steps, 0, 3)).toBe(0);
        expect(afterMoves(steps, 1, 0)).toBe(1);
        expect(afterMoves(steps, 1, 3)).toBe(2);
        expect(afterMoves(steps, 3, 2)).toBe(4);
        expect(afterMoves(steps, 3, 3)).toBe(5);
        expect(afterMoves(steps, 7, 9)).toBe(7);
    });
    test("only your own moves are asked for", () => {
        expect(moveAt(steps, 0)).toBe(steps[1]);
        expect(moveAt(steps, 1)).toBeNull();
        expect(moveAt(steps, 4)).toBeNull();
    });
    test("the last text is the end", () => {
        expect([0, 5, 6, 7].map((at) => isLast(steps, at))).toEqual([false, false, true, true]);
        expect(isLast([step(0, "you")], 0)).toBe(false);
    });
});

describe("what a step asks for", () => {
    const asks = (choices: LessonStep["choices"]) => step(0, "you", choices);
    test("a card by its colour, wherever it lies", () => {
        const red = asks([{ kind: "take", colour: "red" }]);
        expect(isAsked(red, { kind: "take", colour: "red", place: 3 })).toBe(true);
        expect(isAsked(red, { kind: "take", colour: "blue" })).toBe(false);
        expect(isAsked(red, { kind: "blind" })).toBe(false);
    });
    test("a route with exactly these cards, or with any", () => {
        const exact = asks([{ kind: "claim", route: 4, cards: { red: 2 } }]);
        expect(isAsked(exact, { kind: "claim", route: 4, cards: { red: 2 } })).toBe(true);
        expect(isAsked(exact, { kind: "claim", route: 4, cards: { red: 1, locomotive: 1 } })).toBe(false);
        const any = asks([{ kind: "claim", route: 4 }]);
        expect(isAsked(any, { kind: "claim", route: 4, cards: { red: 1, locomotive: 1 } })).toBe(true);
        expect(isAsked(any, { kind: "claim", route: 5, cards: { red: 2 } })).toBe(false);
    });
    test("these tickets in any order, and one of several payments", () => {
        const keep = asks([{ kind: "keep", tickets: [7, 3] }]);
        expect(isAsked(keep, { kind: "keep", tickets: [3, 7] })).toBe(true);
        expect(isAsked(keep, { kind: "keep", tickets: [3, 7, 9] })).toBe(false);
        const either = asks([
            { kind: "tunnel", cards: { red: 1 } },
            { kind: "tunnel", cards: { locomotive: 1 } },
        ]);
        expect(isAsked(either, { kind: "tunnel", cards: { locomotive: 1 } })).toBe(true);
        expect(isAsked(either, { kind: "give_up" })).toBe(false);
    });
});

describe("progress on this device", () => {
    beforeEach(() => localStorage.clear());
    const lessons = ["a", "b", "c"].map((id) => ({ id }) as Lesson);

    test("a lesson is begun, then done, and can be begun again", () => {
        noteBegun("a", "table00001");
        expect(progress()).toEqual({ a: { done: false, table: "table00001" } });
        noteDone("a");
        expect(progress().a).toEqual({ done: true, table: null });
        noteBegun("a", "table00002");
        expect(progress().a).toEqual({ done: true, table: "table00002" });
    });
    test("the next lesson is the next one that is not done", () => {
        expect(nextLesson(lessons)?.id).toBe("a");
        noteDone("b");
        expect(nextLesson(lessons, "a")?.id).toBe("c");
        expect(nextLesson(lessons, "c")?.id).toBe("a");
        noteDone("a");
        noteDone("c");
        expect(nextLesson(lessons, "c")).toBeNull();
    });
    test("storage that holds something else counts as nothing", () => {
        localStorage.setItem("northrail.lessons", "null");
        expect(progress()).toEqual({});
        localStorage.setItem("northrail.lessons", "{");
        expect(progress()).toEqual({});
    });
});

test("rings lie around cards, offered tickets and piles", () => {
    const view = { row: ["red", null, "blue", "red"], options: { keep: { offered: [{ number: 8 }, { number: 5 }] } } } as unknown as View;
    const pointing = { ...step(0, "you"), show: { ...show, cards: ["red" as const], tickets: [5], parts: ["deck" as const] } };
    expect(ringedParts(pointing, view)).toEqual(['[data-at="row-0"]', '[data-at="row-3"]', ".offer li:nth-child(2)", '[data-at="deck"]']);
    expect(ringsOn(null, view)).toBe("");
});

test("parallel routes join the same cities, in either order", () => {
    const route = (...cities: string[]) => ({ cities });
    const board = { routes: [route("A", "B"), route("B", "A"), route("A", "C"), ...Array(3).fill(route("C", "D"))] } as unknown as Board;
    expect(parallelCities(board, 2)).toEqual(["B–A"]);
    expect(parallelCities(board, 3)).toEqual(["C–D"]);
});
