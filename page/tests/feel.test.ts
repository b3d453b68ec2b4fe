import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isShort } from "../src/clock.ts";
import { countedValues, rankedSeats, revealedSeats, revealSteps, revealTime } from "../src/final-reveal.ts";
import { drawnCards, lastTurnOf, resultsOf } from "../src/hand-over.ts";
import type { Board } from "../src/protocol";
import type { Event } from "../src/sentences.ts";
import { change } from "../src/settings.svelte.ts";
import { playSounds, soundsOf } from "../src/sound.ts";
import { final, news, step } from "./example.ts";

const board = {
    routes: { 7: { cities: ["Bergen", "Oslo"], colour: "red", twin: 0 } },
    tickets: { 1: { cities: ["Oslo", "Umeå"], points: 9 }, 2: { cities: ["Oslo", "Turku"], points: 8 } },
    bonus_cards: [{ name: "Globetrotter", most: "completed tickets", points: 10, worth_at_most: null, ends: [] }],
} as unknown as Board;
const turn = (version: number, seat: number, events: Event[], by: "person" | "bot" = "person") => step(version, { seat, events, by });
const claimed: Event = { code: "claimed", seat: 0, route: 7, cards: { red: 4 }, points: 7 };

describe("before you hand over a shared device", () => {
    const steps = [
        turn(1, 1, [{ code: "drew", seat: 1 }]),
        turn(2, 0, [{ code: "drew", seat: 0, colour: "green" }]),
        turn(3, 0, [{ code: "took", seat: 0, colour: "locomotive", place: 2 }]),
        turn(4, 2, [{ code: "drew", seat: 2 }], "bot"),
    ];
    test("you read which cards you drew, even if a bot has moved since", () => {
        expect(resultsOf(news({ you: 0 }), steps, board)).toEqual(["You drew green and a locomotive."]);
        const twice = turn(
            5,
            0,
            [3, 4].map((place): Event => ({ code: "took", seat: 0, colour: "purple", place })),
        );
        expect(resultsOf(news({ you: 0 }), [...steps, twice], board)).toEqual(["You drew 2 purple."]);
        expect(drawnCards(lastTurnOf(0, steps))).toEqual(["green", "locomotive"]);
    });
    test("you read what a claim brought", () => {
        const more: Event[] = [claimed, { code: "completed_tickets", seat: 0, tickets: [1] }, { code: "drew", seat: 0, colour: "blue" }];
        expect(resultsOf(news({ you: 0 }), [turn(1, 0, more)], board)).toEqual([
            "You claimed Bergen–Oslo red for 7 points.",
            "You completed Oslo–Umeå (9).",
            "You drew blue.",
        ]);
    });
    test("you read which tickets you kept, also those chosen ahead of your turn", () => {
        const kept = turn(1, 0, [{ code: "kept_tickets", seat: 0, tickets: [1, 2], count: 2, of: 3 }]);
        const sentence = "You kept Oslo–Umeå (9) and Oslo–Turku (8).";
        expect(resultsOf(news({ you: 0 }), [kept], board)).toEqual([sentence]);
        expect(resultsOf(news({ you: 0, sealed: [1, 2] }), [], board)).toEqual([sentence]);
    });
    test("what a bot did for you is not your move, and spectators have none", () => {
        expect(resultsOf(news({ you: 0 }), [turn(1, 0, [claimed], "bot")], board)).toEqual([]);
        expect(resultsOf(news({ you: null }), steps, board)).toEqual([]);
        expect(resultsOf(news({ you: 0 }), [], board)).toEqual([]);
    });
});

describe("the final table", () => {
    const steps = revealSteps(final);
    test("ranks by what is revealed so far, and by place in the end", () => {
        const order = (count: number, isDone: boolean) =>
            rankedSeats(final, revealedSeats(final, steps, count), isDone).map((seat) => seat.seat);
        expect(order(0, false)).toEqual([0, 1]); // 20 and 15 for routes
        expect(order(3, false)).toEqual([1, 0]); // 22 and 24 with all tickets
        expect(order(Infinity, true)).toEqual([1, 0]);
    });
    test("shows only values that scored or broke a tie", () => {
        const noBonus = { ...final, bonuses: [] };
        expect(countedValues(final, board)).toEqual(["completed"]);
        expect(countedValues(noBonus, board)).toEqual([]);
        expect(countedValues({ ...noBonus, tie_break: "longest path" }, board)).toEqual(["longest"]);
    });
    test("takes a few seconds, however many tickets there are", () => {
        expect(revealTime(5)).toBe(1100);
        expect(revealTime(69) * 70).toBe(14_000);
    });
});

test("the clock warns in the last ten seconds", () => {
    expect([10.1, 10, 0].map(isShort)).toEqual([false, true, true]);
});

describe("sounds", () => {
    const started: string[] = [];
    const param = () => ({ value: 0, setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} });
    const node = (kind: string) => {
        const made = { frequency: param(), gain: param(), Q: param(), buffer: null, stop() {}, connect: (to: unknown) => to };
        return { ...made, start: () => started.push(kind) };
    };
    class Context {
        currentTime = 0;
        sampleRate = 10;
        destination = {};
        resume = async () => {};
        createGain = () => node("gain");
        createOscillator = () => node("tone");
        createBufferSource = () => node("noise");
        createBiquadFilter = () => node("filter");
        createBuffer = () => ({ getChannelData: () => new Float32Array(10) });
    }
    beforeEach(() => {
        started.length = 0;
        vi.stubGlobal("AudioContext", Context);
        vi.stubGlobal("matchMedia", () => ({ matches: false }));
    });
    afterEach(() => {
        change({ sound: false });
        vi.unstubAllGlobals();
    });

    const drew: Event = { code: "drew", seat: 1 };
    test("play once each, however many events arrive together", () => {
        expect(soundsOf([drew, drew, claimed, drew, { code: "game_over", seat: null }], false)).toEqual(["card", "train", "end"]);
        expect(soundsOf([{ code: "passed", seat: 1 }], false)).toEqual([]);
    });
    test("do not tell the others at a shared device that you completed a ticket", () => {
        const events: Event[] = [claimed, { code: "completed_tickets", seat: 0, tickets: [1] }];
        expect([soundsOf(events, false), soundsOf(events, true)]).toEqual([["train", "ticket"], ["train"]]);
    });
    test("are off until you switch them on", () => {
        playSounds(["card", "turn"]);
        expect(started).toEqual([]);
        change({ sound: true });
        playSounds(["card", "turn"]);
        expect(started).toEqual(["noise", "tone", "tone"]);
    });
    test("in the background only call you to your turn", () => {
        change({ sound: true });
        const look = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
        playSounds(["card", "turn"]);
        expect(started).toEqual(["tone", "tone"]);
        look.mockRestore();
    });
});
