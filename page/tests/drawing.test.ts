import { describe, expect, test } from "vitest";
import { themeCss } from "../theme-css.ts";
import themes from "../from-server/themes.json";
import { curve, type Point } from "../src/draw/curve.ts";
import { ground } from "../src/draw/ground.ts";
import { namings } from "../src/draw/labels.ts";
import { core, distance, routeWords, swapOf, tilt, touched, track } from "../src/draw/routes.ts";
import type { Board, Route, Space } from "../src/protocol";

const space = (x: number, y: number, angle = 0): Space => ({ x, y, angle, length: 30, width: 12, locomotive: false });
const route = (changes: Partial<Route> = {}): Route => ({
    cities: ["Oslo", "Bergen"],
    name: "Bergen–Oslo blue",
    length: 2,
    colour: "blue",
    locomotives: 0,
    ferry: false,
    tunnel: false,
    draw_bonus: 0,
    points: 2,
    price: "2 blue",
    substitute: null,
    ...changes,
});
const city = (name: string, x: number, y: number, width = 50) => ({
    name,
    x,
    y,
    radius: 6,
    label: { text: name, x: x + 10 + width / 2, y, width, height: 16, size: 16 },
});

const board = {
    id: "b",
    name: "A & B",
    digest: "",
    cities: [
        { name: "Oslo", country: "Norway", arctic: false, printed: true },
        { name: "Bergen", country: "Norway", arctic: false, printed: true },
    ],
    routes: [route(), route({ name: "Bergen–Oslo red", colour: "red" })],
    tickets: [],
    bonus_cards: [],
    rules: { points: { "1": 1, "2": 2 } },
    layout: {
        width: 400,
        height: 300,
        cities: [city("Oslo", 20, 100), city("Bergen", 200, 100)],
        routes: [
            { number: 0, spaces: [space(60, 100), space(120, 100)], mark: null },
            { number: 1, spaces: [space(60, 114), space(120, 114)], mark: null },
        ],
        land: [
            [
                [10, 10],
                [390, 10],
                [390, 290],
                [10, 290],
            ],
        ],
        lakes: [],
        borders: [
            [
                [0, 0],
                [50, 60],
                [90, 20],
            ],
        ],
        arctic_circle: [
            [0, 50],
            [200, 40],
            [400, 50],
        ],
        title: { x: 10, y: 10, width: 100, height: 30 },
        table: { x: 10, y: 50, width: 100, height: 80 },
        seats: { x: 10, y: 140, width: 100, height: 80 },
    },
} as unknown as Board;

describe("the ground", () => {
    test("is drawn without a colour of its own and with names that cannot break out", () => {
        const drawn = ground(board);
        expect(drawn).toContain("A &#38; B");
        expect(drawn).toContain("Arctic Circle");
        expect(drawn).not.toMatch(/#[0-9a-f]{6}/i);
        expect(drawn).not.toContain("NaN");
    });
    test("rounds corners inside the map and leaves those outside", () => {
        const inside: Point[] = [
            [10, 10],
            [90, 10],
            [90, 90],
            [10, 90],
        ];
        const outside: Point[] = [
            [-10, -10],
            [190, -10],
            [190, 190],
            [-10, 190],
        ];
        expect(curve(inside, { width: 100, height: 100 }, 3)).toContain("q");
        expect(curve(outside, { width: 100, height: 100 }, 3)).not.toContain("q");
        expect(
            curve(
                [
                    [0, 0],
                    [1, 1],
                ],
                { width: 100, height: 100 },
                3,
            ),
        ).toBe("");
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
        const line = core(board.layout, 0);
        expect(line[0]![0]).toBeLessThan(60);
        expect(line.at(-1)![0]).toBeGreaterThan(120);
    });
    test("is touched by a finger that is near, the nearest first", () => {
        expect(touched(board, [0, 1], [90, 103], 20)).toEqual([0, 1]);
        expect(touched(board, [0, 1], [90, 112], 20)).toEqual([1, 0]);
        expect(touched(board, [1], [90, 100], 20)).toEqual([1]);
        expect(touched(board, [0, 1], [90, 200], 20)).toEqual([]);
    });
    test("never stands on its head", () => {
        expect([0, 90, 135, 180, 270, -45].map((angle) => tilt(space(0, 0, angle)))).toEqual([0, 90, -45, 0, 90, -45]);
    });
    test("is said with all that matters", () => {
        expect(routeWords(route())).toBe("Bergen–Oslo blue, 2 spaces, 2 points");
        expect(routeWords(route({ ferry: true, locomotives: 1, draw_bonus: 2 }), "Anna")).toBe(
            "Bergen–Oslo blue, 2 spaces, 2 points, ferry with 1 locomotive, draw 2 extra cards, claimed by Anna",
        );
    });
    test("says how many cards stand in for one only where it is no ferry", () => {
        expect(swapOf(route({ substitute: 4 }))).toBe(4);
        expect(swapOf(route({ ferry: true, substitute: 3 }))).toBeNull();
        expect(swapOf(route())).toBeNull();
    });
    test("is as far from a point as its nearest part", () => {
        expect(
            distance(
                [5, 3],
                [
                    [0, 0],
                    [10, 0],
                ],
            ),
        ).toBe(3);
        expect(
            distance(
                [13, 4],
                [
                    [0, 0],
                    [10, 0],
                ],
            ),
        ).toBe(5);
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

test("the themes' colours become variables, light by default and dark by wish", () => {
    const css = themeCss(themes.themes as unknown as Parameters<typeof themeCss>[0]);
    expect(css).toContain(`--paper:${themes.themes.light.paper}`);
    expect(css).toContain(`--card-red-on:${themes.themes.light.cards.red[1]}`);
    expect(css).toContain(":root[data-theme=dark]");
    expect(css).not.toContain("undefined");
});
