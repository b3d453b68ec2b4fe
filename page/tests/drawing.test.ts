import { describe, expect, test } from "vitest";
import { groundOf, trainOf } from "../src/draw/fragments.ts";
import { namings } from "../src/draw/labels.ts";
import { distance, routeWords, touched, track, type Point } from "../src/draw/routes.ts";
import { Gestures, type Spot } from "../src/gestures.ts";
import type { Board, CityDrawing, Route, RouteDrawing } from "../src/protocol";
import { WHOLE, type Place } from "../src/zoom.ts";

const route = (changes: Partial<Route> = {}): Route => ({
    cities: ["Oslo", "Bergen"],
    twin: 0,
    length: 2,
    colour: "blue",
    locomotives: 0,
    ferry: false,
    tunnel: false,
    draw_bonus: 0,
    points: 2,
    price: { spaces: 2, locomotives: 0, colour: "blue", locomotives_wild: true, substitute: null },
    ...changes,
});
const city = (name: string, x: number, y: number, width = 50): CityDrawing => ({
    name,
    x,
    y,
    radius: 6,
    label: { text: name, x: x + 10 + width / 2, y, width, height: 16, size: 16 },
    dot: "",
});
const drawn = (y: number): RouteDrawing => ({
    line: [
        [48, y],
        [60, y],
        [120, y],
        [132, y],
    ],
    spaces: "",
    train: '<use href="#shape-{seat}"/><use href="#shape-{seat}"/>',
});

const board = {
    routes: [route(), route({ colour: "red" })],
    drawing: {
        width: 400,
        height: 300,
        ground: "<text>{arctic_circle}</text><text>{points_for_a_route}</text><text>{other}</text>",
        cities: [city("Oslo", 20, 100), city("Bergen", 200, 100)],
        routes: [drawn(100), drawn(114)],
    },
} as unknown as Board;

describe("what the server draws", () => {
    test("gets its captions from the page", () => {
        expect(groundOf(board.drawing)).toBe("<text>Arctic Circle</text><text>points for a route</text><text>{other}</text>");
    });
    test("becomes the train of a seat", () => {
        expect(trainOf(board.drawing, 0, 3)).toBe('<use href="#shape-3"/><use href="#shape-3"/>');
    });
});

describe("a route", () => {
    test("runs from city to city through its spaces", () => {
        expect(track(board, 0)).toEqual([
            [20, 100],
            [60, 100],
            [120, 100],
            [200, 100],
        ]);
    });
    test("is touched by a finger that is near, the nearest first", () => {
        expect(touched(board.drawing, [0, 1], [90, 103], 20)).toEqual([0, 1]);
        expect(touched(board.drawing, [0, 1], [90, 112], 20)).toEqual([1, 0]);
        expect(touched(board.drawing, [1], [90, 100], 20)).toEqual([1]);
        expect(touched(board.drawing, [0, 1], [90, 200], 20)).toEqual([]);
    });
    test("is said with all that matters", () => {
        expect(routeWords(board, 0)).toBe("Oslo–Bergen blue, 2 spaces, 2 points");
        const ferry = { ...board, routes: [route({ ferry: true, locomotives: 1, draw_bonus: 2 })] };
        expect(routeWords(ferry, 0, "Anna")).toBe(
            "Oslo–Bergen blue, 2 spaces, 2 points, ferry with 1 locomotive, draw 2 extra cards, claimed by Anna",
        );
    });
    test("is as far from a point as its nearest part", () => {
        const line: Point[] = [
            [0, 0],
            [10, 0],
        ];
        expect(distance([5, 3], line)).toBe(3);
        expect(distance([13, 4], line)).toBe(5);
    });
});

describe("names of cities", () => {
    const map = { width: 400, height: 300 };
    test("grow as wished where there is room", () => {
        expect(namings([city("A", 20, 20), city("B", 20, 200)], 1.7, map).map((each) => each.scale)).toEqual([1.7, 1.7]);
    });
    test("grow less where they would overlap, and stay on the map", () => {
        const [one, other] = namings([city("A", 20, 100), city("B", 20, 118)], 1.7, map);
        expect(one!.scale).toBeLessThan(1.7);
        expect(other!.scale).toBeGreaterThanOrEqual(1);
        expect(namings([city("A", 350, 20, 60)], 1.5, map)[0]!.shift).toBeLessThan(0);
    });
});

describe("gestures", () => {
    /** A map that picks something right of x = 100, and writes down what happens. */
    function map(start: Place = WHOLE) {
        const seen = { now: start, taps: [] as string[] };
        const gestures = new Gestures({
            seen: () => seen.now,
            show: (place) => (seen.now = place),
            glide: (place) => (seen.now = place),
            pick(at: Spot, reach: number) {
                if (at.x > 100) seen.taps.push(`pick ${at.x} ${reach}`);
                return at.x > 100;
            },
            miss: (at, reach) => seen.taps.push(`miss ${at.x} ${reach}`),
        });
        return { seen, gestures };
    }
    const tap = (gestures: Gestures, x: number, time: number, kind: "finger" | "mouse" = "finger") => {
        gestures.down(1, { x, y: 0 }, time);
        gestures.up(1, time + 50, kind);
    };

    test("one pointer pans once it has moved more than a tap allows", () => {
        const { seen, gestures } = map();
        gestures.down(1, { x: 10, y: 10 }, 0);
        gestures.move(1, { x: 14, y: 10 });
        expect(seen.now).toEqual(WHOLE);
        gestures.move(1, { x: 30, y: 15 });
        gestures.move(1, { x: 35, y: 15 });
        expect(seen.now).toEqual({ scale: 1, x: 25, y: 5 });
        gestures.up(1, 100, "finger");
        expect(seen.taps).toEqual([]);
    });
    test("two pointers zoom around the point between them", () => {
        const { seen, gestures } = map();
        gestures.down(1, { x: 0, y: 0 }, 0);
        gestures.down(2, { x: 100, y: 0 }, 0);
        gestures.move(2, { x: 200, y: 0 });
        expect(seen.now.scale).toBe(2);
        expect(seen.now.x).toBe(0); // the finger that rests stays on its point of the map
        gestures.up(2, 50, "finger");
        gestures.up(1, 60, "finger");
        expect(seen.taps).toEqual([]);
    });
    test("a tap picks what is there; a finger reaches further than a mouse", () => {
        const { seen, gestures } = map();
        tap(gestures, 120, 0);
        tap(gestures, 120, 100, "mouse");
        tap(gestures, 20, 200);
        expect(seen.taps).toEqual(["pick 120 24", "pick 120 11", "miss 20 24"]);
    });
    test("a long press or a cancelled one is no tap", () => {
        const { seen, gestures } = map();
        gestures.down(1, { x: 120, y: 0 }, 0);
        gestures.up(1, 700, "finger");
        gestures.down(1, { x: 120, y: 0 }, 800);
        gestures.cancel(1);
        gestures.up(1, 810, "finger");
        expect(seen.taps).toEqual([]);
    });
    test("a double tap on nothing zooms in, and out again", () => {
        const { seen, gestures } = map();
        tap(gestures, 20, 0);
        tap(gestures, 25, 200);
        expect(seen.now.scale).toBe(2.4);
        tap(gestures, 20, 1000);
        tap(gestures, 25, 2000); // too late
        expect(seen.now.scale).toBe(2.4);
        tap(gestures, 25, 2100);
        expect(seen.now).toEqual(WHOLE);
    });
    test("the wheel zooms at the pointer, and a touchpad's pinch more", () => {
        const { seen, gestures } = map();
        gestures.wheel({ x: 50, y: 0 }, -100, false);
        const turned = seen.now.scale;
        expect(turned).toBeGreaterThan(1);
        expect(seen.now.x).toBeLessThan(0);
        seen.now = WHOLE;
        gestures.wheel({ x: 50, y: 0 }, -100, true);
        expect(seen.now.scale).toBeGreaterThan(turned);
    });
});
