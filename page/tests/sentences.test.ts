import { describe, expect, test } from "vitest";
import openapi from "../from-server/openapi.json";
import type { Board, BonusCard, Price, Route } from "../src/protocol";
import {
    bonusText,
    choiceSentence,
    eventSentence,
    reasonsText,
    priceText,
    refusalSentence,
    routeName,
    verdict,
    type Event,
} from "../src/sentences.ts";
import { final } from "./example.ts";

const price = (changes: Partial<Price> = {}): Price => ({
    spaces: 3,
    locomotives: 0,
    colour: "blue",
    locomotives_wild: false,
    substitute: null,
    ...changes,
});
const route = (changes: Partial<Route> = {}) =>
    ({ cities: ["Bergen", "Oslo"], colour: "red", twin: 0, price: price(), ...changes }) as Route;
const line = (x: number, y: number) => ({
    line: [
        [x, y - 20],
        [x, y],
        [x, y + 20],
    ],
});
const city = (name: string, country: string, arctic = false) => ({ name, country, arctic });
const board = {
    cities: [city("Bergen", "Norway"), city("Oslo", "Norway"), city("Kiruna", "Sweden", true), city("Umeå", "Sweden")],
    routes: [
        route(),
        route({ colour: "gray", twin: 1 }),
        route({ colour: "gray", twin: 2 }),
        route({ cities: ["Kiruna", "Umeå"], colour: "gray", twin: 1 }),
        route({ cities: ["Kiruna", "Umeå"], colour: "gray", twin: 2 }),
        route({ cities: ["Kiruna", "Umeå"], colour: "gray", twin: 3 }),
    ],
    tickets: [
        { cities: ["Bergen", "Umeå"], points: 9 },
        { cities: ["Oslo", "Kiruna"], points: 12 },
    ],
    drawing: { routes: [line(0, 0), line(30, 5), line(10, 5), line(50, 90), line(51, 60), line(52, 75)] },
} as unknown as Board;
const naming = { board, names: ["Anna", "Bo"] };
const said = (event: Event) => eventSentence(event, naming);

describe("a route", () => {
    test("is named by its cities and colour, and by its place if there are several", () => {
        expect(routeName(board, 0)).toBe("Bergen–Oslo red");
        expect([routeName(board, 1), routeName(board, 2)]).toEqual(["Bergen–Oslo gray (right)", "Bergen–Oslo gray (left)"]);
        expect([3, 4, 5].map((number) => routeName(board, number).split(" ").at(-1))).toEqual(["(lower)", "(upper)", "(middle)"]);
    });
    test("has a price", () => {
        expect(priceText(price(), false)).toBe("3 blue cards");
        expect(priceText(price({ colour: "gray", locomotives_wild: true }), true)).toBe(
            "3 cards of one colour; a locomotive can replace any card; the tunnel may cost extra",
        );
        const any = { cards: 3, alike: false, any_space: true };
        expect(priceText(price({ locomotives: 1, substitute: any }), false)).toBe(
            "1 locomotive and 2 blue cards; any 3 cards can replace any one card",
        );
        const alike = { cards: 2, alike: true, any_space: false };
        expect(priceText(price({ locomotives: 3, substitute: alike }), false)).toBe(
            "3 locomotives; 2 cards of one colour can replace one locomotive",
        );
    });
});

describe("an event", () => {
    test("tells as much as the seat may know", () => {
        expect(said({ code: "drew", seat: 0 })).toBe("Anna draws a card from the deck");
        expect(said({ code: "drew", seat: 0, colour: "red" })).toBe("Anna draws red from the deck");
        expect(said({ code: "took", seat: 0, colour: "locomotive", place: 1 })).toBe("Anna takes a locomotive");
        expect(said({ code: "kept_tickets", seat: 1 })).toBe("Bo has chosen");
        expect(said({ code: "kept_tickets", seat: 1, count: 2, of: 3 })).toBe("Bo keeps 2 of 3 tickets");
        expect(said({ code: "kept_tickets", seat: 1, count: 2, of: 3, tickets: [0, 1] })).toBe(
            "Bo keeps Bergen–Umeå (9) and Oslo–Kiruna (12)",
        );
        expect(said({ code: "drew_tickets", seat: 0, count: 3 })).toBe("Anna draws 3 tickets");
    });
    test("names routes, cards and points", () => {
        expect(said({ code: "claimed", seat: 0, route: 0, cards: { red: 2, locomotive: 1 }, points: 4 })).toBe(
            "Anna claims Bergen–Oslo red with 2 red and 1 locomotive for 4 points",
        );
        const tunnel = { code: "tunnel_tried" as const, seat: 1, route: 0, cards: { red: 3 }, matches: [true, false, false] };
        expect(said({ ...tunnel, revealed: ["red", "blue", "blue"], owed: 1 })).toBe(
            "Bo tries the tunnel Bergen–Oslo red with 3 red: red, blue, blue turned over, 1 extra card needed",
        );
        expect(said({ ...tunnel, revealed: [], owed: 0 })).toContain("nothing turned over, no extra cards needed");
        expect(said({ code: "all_kept", seat: null, counts: [3, 2] })).toBe("Everyone has chosen tickets: Anna keeps 3 and Bo keeps 2");
        expect(said({ code: "turned_up", seat: null, colour: "locomotive", place: 2 })).toBe("A locomotive is turned face up");
    });
});

describe("a refusal", () => {
    test("names players and routes where they are known", () => {
        expect(refusalSentence({ code: "route_owned", facts: { owner: 1 } }, naming)).toBe("Bo owns it.");
        expect(refusalSentence({ code: "route_owned", facts: { owner: 1 } })).toBe("Another player owns it.");
        expect(refusalSentence({ code: "route_closed", facts: { seats: 2, by: 0 } }, naming)).toBe(
            "Closed with 2 players: Bergen–Oslo red is taken.",
        );
        expect(refusalSentence({ code: "others_play", facts: { seats: [0, 1] } }, naming)).toContain("Anna and Bo are still playing.");
    });
    test("of a price says how much of it you have", () => {
        const have = (changes: Partial<Price>, hand: Record<string, number>) => {
            const priced = { ...board, routes: [route({ price: price(changes) })] };
            return refusalSentence({ code: "too_few_cards", facts: { route: 0, hand } }, { ...naming, board: priced });
        };
        expect(have({ spaces: 4 }, { blue: 1, red: 7 })).toBe("You have 1 of 4 blue.");
        expect(have({ spaces: 4, locomotives_wild: true }, { blue: 1, locomotive: 1 })).toBe("You have 1 of 4 blue and 1 locomotive.");
        expect(have({ spaces: 4, locomotives: 2 }, { blue: 3 })).toBe("You have 0 of 2 locomotives and 2 of 2 blue.");
        expect(have({ spaces: 4, colour: "gray" }, { red: 3, blue: 2, locomotive: 9 })).toBe("You have 3 of 4 cards of one colour.");
        expect(have({ spaces: 1, locomotives: 1 }, {})).toBe("You have 0 of 1 locomotive.");
    });
    test("has a sentence for every code of the server", () => {
        const codes = openapi.components.schemas.Refusal.properties.code.anyOf.flatMap((part) => part.enum);
        expect(codes.length).toBeGreaterThan(50);
        const facts = {
            seat: 0,
            seats: [1],
            owner: 1,
            by: 0,
            route: 0,
            turn: 1,
            least: 2,
            most: 3,
            trains: 1,
            length: 4,
            colour: "red",
            phase: "turn",
            hand: {},
        };
        for (const code of codes) expect(refusalSentence({ code, facts }, naming), code).toMatch(/^[A-Z].*\S$/);
    });
    test("of an unknown kind is still a sentence", () => {
        expect(refusalSentence({ code: "new_in_the_next_version", facts: {} })).toBe(
            "Something went wrong on the server. Please try again.",
        );
    });
});

describe("a bonus card", () => {
    const card = (changes: Partial<BonusCard>): BonusCard => ({
        name: "",
        points: 10,
        most: "routes",
        length: null,
        ferry: false,
        worth_at_most: null,
        ends: [],
        ...changes,
    });
    test("says what it counts", () => {
        expect(bonusText(card({ length: 1 }), board)).toBe("10 points for the most one-space routes");
        expect(bonusText(card({ ferry: true, points: 1, length: 2 }), board)).toBe("1 point for the most two-space ferries");
        expect(bonusText(card({ most: "longest path" }), board)).toBe("10 points for the longest path");
        expect(bonusText(card({ most: "completed tickets", worth_at_most: 5 }), board)).toBe(
            "10 points for the most completed tickets worth 5 points or less",
        );
        expect(bonusText(card({ most: "countries", ends: ["Oslo"] }), board)).toBe("10 points for the most countries reached");
    });
    test("names cities together if they have something in common", () => {
        expect(bonusText(card({ ends: ["Kiruna"] }), board)).toContain("with an end in the Arctic");
        expect(bonusText(card({ ends: ["Bergen", "Oslo"] }), board)).toContain("with an end in Norway");
        expect(bonusText(card({ ends: ["Bergen", "Umeå"] }), board)).toContain("with an end in Bergen or Umeå");
    });
});

test("the verdict names the winners and says when a tie-break decided", () => {
    expect(verdict(final, ["P0", "P1"])).toBe("P1 wins with 34 points");
    expect(verdict({ ...final, tie_break: "longest path" }, ["P0", "P1"])).toBe("P1 wins with 34 points and the longest path");
    expect(verdict({ ...final, winners: [0, 1] }, ["P0", "P1"])).toBe("P0 and P1 share the win with 22 points each");
});

describe("a hint", () => {
    const priced = { ...board, bonus_cards: [{ name: "Ferry Master" }] } as unknown as Board;
    const why = (code: string, facts: object) => reasonsText([{ code, facts }] as never, { ...naming, board: priced });

    test("is a sentence for every kind of choice", () => {
        const told = (choice: object) => choiceSentence(choice as never, board);
        expect(told({ kind: "claim", route: 0, cards: { red: 4 } })).toBe("Claim Bergen–Oslo with 4 red.");
        expect(told({ kind: "take", colour: "green" })).toBe("Take the green card.");
        expect(told({ kind: "take", colour: "locomotive" })).toBe("Take the locomotive.");
        expect(told({ kind: "keep", tickets: [0, 1] })).toBe("Keep Bergen–Umeå (9) and Oslo–Kiruna (12).");
        expect(told({ kind: "tunnel", cards: { blue: 1 } })).toBe("Add 1 blue.");
        for (const kind of ["blind", "draw_tickets", "give_up", "pass"]) expect(told({ kind })).toMatch(/^[A-Z].*\.$/);
    });
    test("has reasons addressed to you, one for every code of the server", () => {
        expect(why("completes", { tickets: [0], sure: true })).toBe("It completes Bergen–Umeå.");
        expect(why("completes", { tickets: [0, 1], sure: false })).toBe("It would complete Bergen–Umeå and Oslo–Kiruna.");
        expect(why("on_the_way", { tickets: [0], seats: [1] })).toBe("It is on your way from Bergen to Umeå, where Bo is building too.");
        expect(why("deck_may_help", { cards: { purple: 1 }, route: 0 })).toBe(
            "Bergen–Oslo still needs 1 purple, and the deck may bring more than the row.",
        );
        const facts = {
            ...{ card: 0, cards: { blue: 1 }, colour: "blue", countries: ["Norway"], extra: 1, least: 1, more: true, move: "take red" },
            ...{ points: [7], route: 0, seats: [], spare: 2, sure: true, tickets: [0], trains: 9, worlds: 3 },
        };
        const codes = openapi.components.schemas.Reason.properties.code.enum;
        expect(codes.length).toBeGreaterThan(30);
        for (const code of codes) expect(why(code, { ...facts, points: code.startsWith("for_") ? 7 : [7] }), code).toMatch(/^[A-Z].*\.$/);
    });
});
