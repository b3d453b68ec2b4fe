import { flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, test } from "vitest";
import Seats from "../src/parts/Seats.svelte";
import type { News } from "../src/protocol";
import { final, news, seatFacts, view } from "./example.ts";

let shown: object | null = null;
afterEach(() => {
    if (shown) void unmount(shown);
    shown = null;
});

/** The seats whose row says that a bot is thinking. */
function thinking(changes: Partial<News>): number[] {
    document.body.innerHTML = "";
    const told = news(changes);
    const props = { news: told, view: told.view!, final: told.final, receivedAt: 0, onselect: () => {} };
    shown = mount(Seats, { target: document.body, props });
    flushSync();
    return [...document.querySelectorAll("li")].flatMap((row, seat) => (row.querySelector(".thinking[aria-hidden]") ? [seat] : []));
}

describe("a seat shows that its bot is thinking", () => {
    const seats = [seatFacts(0), seatFacts(1, { who: "bot", level: "easy" }), seatFacts(2, { stand_in: "easy" })];
    const table = { ...news().table, seats };
    test.each([0, 1, 2])("while seat %d has to move, unless a person plays there", (seat) => {
        expect(thinking({ table, view: view({ seat }) })).toEqual(seat === 0 ? [] : [seat]);
    });
    test("while first tickets are chosen, until it has chosen", () => {
        expect(thinking({ table, view: view({ phase: "tickets", chosen: [false, false, true] }) })).toEqual([1]);
    });
    test("but not after the game", () => {
        expect(thinking({ table: { ...table, status: "over" }, view: view({ seat: 1, phase: "over" }), final })).toEqual([]);
    });
});
