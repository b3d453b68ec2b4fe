import { describe, expect, test } from "vitest";
import { here, screenAt } from "../src/address.ts";
import { cardWords, changed, coloursOf, countOf, sameCards, spread } from "../src/cards.ts";
import { secondsLeft, timeWords } from "../src/clock.ts";
import { coveredFor, nextHere, sharing } from "../src/eyes.ts";
import { chooseOwn, choiceOf, claimable, lay, nothing, onRoute, stillOn, toggled } from "../src/finger.ts";
import { waitBefore } from "../src/line.ts";
import { forget, mine, remember } from "../src/mine.ts";
import { hear, isAsked, lastEvent, turnedAt, unseen } from "../src/news.ts";
import { revealSteps, shownAt } from "../src/reveal.ts";
import { texts } from "../src/texts.ts";
import {
    begins,
    hasPerson,
    isNamed,
    levelsOf,
    nameFor,
    onBoard,
    ownName,
    requestOf,
    usualLevel,
    withSeats,
    type Plan,
} from "../src/seating.ts";
import { around, fit, held, moved, WHOLE, zoomed } from "../src/zoom.ts";
import type { Claim } from "../src/protocol";
import { final, news, options, seatFacts, step, view } from "./example.ts";

describe("cards", () => {
    test("lie in the order of a hand, whatever order they came in", () => {
        expect(coloursOf({ locomotive: 1, red: 2, purple: 1, blue: 0 })).toEqual(["purple", "red", "locomotive"]);
        expect(spread({ red: 2, blue: 1 })).toEqual(["blue", "red", "red"]);
        expect(countOf({ red: 2, blue: 1 })).toBe(3);
    });
    test("of which none is left are not mentioned any more", () => {
        expect(changed({ red: 1 }, "red", -1)).toEqual({});
        expect(changed({}, "blue", 1)).toEqual({ blue: 1 });
    });
    test("are the same with and without colours one has none of", () => {
        expect(sameCards({ red: 1, blue: 0 }, { red: 1 })).toBe(true);
        expect(sameCards({ red: 1 }, { red: 2 })).toBe(false);
    });
    test("are said in words", () => {
        expect(cardWords({ locomotive: 2, red: 1, blue: 3 })).toBe("3 blue, 1 red and 2 locomotives");
        expect(cardWords({})).toBe("");
    });
});

describe("news", () => {
    test("that are older do not take the place of newer ones", () => {
        const told = hear(null, news({ version: 5, now: 10 }));
        expect(hear(told, news({ version: 4, now: 11 })).news.version).toBe(5);
        expect(hear(told, news({ version: 5, now: 9, watchers: 7 })).news.watchers).toBe(0);
        expect(hear(told, news({ version: 5, now: 11, watchers: 7 })).news.watchers).toBe(7);
    });
    test("that overlap tell every step and every line once and in order", () => {
        const line = (number: number) => ({ number, seat: 0, name: "P0", text: "hi", at: 0 });
        let told = hear(null, news({ version: 2, steps: [step(1), step(2)], chat: [line(1)] }));
        told = hear(told, news({ version: 4, since: 1, steps: [step(2), step(3), step(4)], chat: [line(2)] }));
        told = hear(told, news({ version: 3, since: 2, steps: [step(3)], chat: [line(2)] }));
        expect(told.steps.map((each) => each.version)).toEqual([1, 2, 3, 4]);
        expect(told.chat.map((each) => each.number)).toEqual([1, 2]);
    });
    test("for other eyes tell their side of the same steps", () => {
        const mine = step(1, { events: [{ event: "blind", seat: 0, colour: "red", text: "draws red" }] });
        const theirs = step(1, { events: [{ event: "blind", seat: 0, text: "draws a card" }] });
        const told = hear(hear(null, news({ you: 0, version: 1, steps: [mine] })), news({ you: 1, version: 1, now: 1, steps: [theirs] }));
        expect(told.steps[0]!.events[0]!.text).toBe("draws a card");
    });
    test("after a long absence show only the last steps", () => {
        const steps = [1, 2, 3, 4, 5, 6].map((version) => step(version));
        expect(unseen(steps, 0).map((each) => each.version)).toEqual([3, 4, 5, 6]);
        expect(unseen(steps, 5).map((each) => each.version)).toEqual([6]);
    });
    test("know the last event of a kind, if it is not too old", () => {
        const tunnel = step(3, { events: [{ event: "tunnel", seat: 1, text: "", revealed: ["red", "blue", "red"] }] });
        expect(lastEvent([step(1), tunnel, step(4)], "tunnel")?.revealed).toEqual(["red", "blue", "red"]);
        expect(lastEvent([step(1), tunnel, step(4)], "tunnel", 4)).toBeNull();
    });
    test("say when the card of each place was turned", () => {
        const turned = (version: number, place: number) => step(version, { events: [{ event: "face_up", seat: null, text: "", place }] });
        expect(turnedAt([turned(2, 0), turned(5, 3), turned(7, 0), step(8)], 5)).toEqual([7, 0, 0, 5, 0]);
    });
    test("ask everybody who has not chosen first tickets, later the one whose turn it is, at the end nobody", () => {
        expect([0, 1, 2].map((seat) => isAsked(view({ phase: "tickets", seat: 0, chosen: [true, false, false] }), seat))).toEqual([
            false,
            true,
            true,
        ]);
        expect([0, 1].map((seat) => isAsked(view({ seat: 1 }), seat))).toEqual([false, true]);
        expect(isAsked(view({ phase: "over" }), 0)).toBe(false);
    });
});

describe("a shared device", () => {
    const shared = (changes: Parameters<typeof news>[0] = {}) => news({ yours: [0, 2], ...changes });
    test("is one on which several people play", () => {
        expect(sharing(shared())).toBe(true);
        expect(sharing(news())).toBe(false);
        expect(sharing(shared({ table: { ...news().table, status: "over" } }))).toBe(false);
    });
    test("is covered until the next person says that it is they", () => {
        const turnOfTwo = shared({ view: view({ seat: 2 }) });
        expect(coveredFor(turnOfTwo, 0)).toBe(2);
        expect(coveredFor(turnOfTwo, null)).toBe(2);
        expect(coveredFor(turnOfTwo, 2)).toBeNull();
    });
    test("stays with who looked last while others play elsewhere", () => {
        expect(coveredFor(shared({ view: view({ seat: 1 }) }), 0)).toBeNull();
    });
    test("goes round from the starting seat for the first tickets", () => {
        const choosing = (chosen: boolean[]) => shared({ view: view({ phase: "tickets", first: 1, chosen }) });
        expect(nextHere(choosing([false, false, false]))).toBe(2);
        expect(nextHere(choosing([false, false, true]))).toBe(0);
        expect(nextHere(choosing([true, false, true]))).toBeNull();
    });
    test("does not wait for a person a bot plays for", () => {
        const table = { ...news().table, seats: [seatFacts(0), seatFacts(1), seatFacts(2, { stand_in: "simple" })] };
        expect(nextHere(shared({ table, view: view({ seat: 2 }) }))).toBeNull();
    });
});

describe("the finger", () => {
    const claim: Claim = { payments: [{ red: 2 }, { red: 1, locomotive: 1 }], complete: true, text: "2 red" };
    const asked = options({ claim: { 7: claim } });
    test("finds what can be claimed in the options alone", () => {
        expect(claimable(view({ options: asked }))).toEqual([7]);
        expect(claimable(view())).toEqual([]);
    });
    test("on a route proposes the usual payment", () => {
        expect(choiceOf(onRoute(asked, 7))).toEqual({ kind: "claim", route: 7, cards: { red: 2 } });
        expect(onRoute(asked, 8)).toEqual(nothing);
        expect(onRoute(null, 7)).toEqual(nothing);
    });
    test("lays own cards one by one, never more than are held", () => {
        let finger = chooseOwn(onRoute(asked, 7));
        expect(choiceOf(finger)).toBeNull();
        finger = lay(finger, { red: 1, locomotive: 1 }, "red", 1);
        finger = lay(finger, { red: 1, locomotive: 1 }, "red", 1);
        finger = lay(finger, { red: 1, locomotive: 1 }, "locomotive", 1);
        expect(choiceOf(finger)).toEqual({ kind: "claim", route: 7, cards: { red: 1, locomotive: 1 } });
        finger = lay(finger, { red: 1, locomotive: 1 }, "red", -1);
        finger = lay(finger, { red: 1, locomotive: 1 }, "red", -1);
        expect(choiceOf(finger)).toEqual({ kind: "claim", route: 7, cards: { locomotive: 1 } });
    });
    test("stays where it is if only others spoke, and is lifted if the route is gone", () => {
        const finger = onRoute(asked, 7, [7, 9]);
        expect(stillOn(finger, asked)).toEqual({ ...finger, near: [7] });
        expect(stillOn(finger, options({ claim: { 8: claim } }))).toEqual(nothing);
        expect(stillOn(finger, null)).toEqual(nothing);
        expect(stillOn({ on: "ticket deck" }, options({ draw_tickets: 0 }))).toEqual(nothing);
        expect(stillOn({ on: "ticket deck" }, options({ draw_tickets: 3 }))).toEqual({ on: "ticket deck" });
    });
    test("goes back to the usual payment if the chosen one is not offered any more", () => {
        const finger = onRoute(asked, 7);
        const other = options({ claim: { 7: { ...claim, payments: [{ locomotive: 2 }] } } });
        expect(choiceOf(stillOn(finger, other))).toEqual({ kind: "claim", route: 7, cards: { locomotive: 2 } });
    });
    test("answers a tunnel with what was chosen", () => {
        expect(choiceOf({ on: "tunnel", payment: { red: 1 } })).toEqual({ kind: "tunnel", cards: { red: 1 } });
        expect(choiceOf({ on: "ticket deck" })).toEqual({ kind: "draw_tickets" });
        expect(choiceOf(nothing)).toBeNull();
    });
    test("keeps and puts back tickets", () => {
        expect(toggled([3], 5)).toEqual([3, 5]);
        expect(toggled([3, 5], 3)).toEqual([5]);
    });
});

describe("the map", () => {
    const [picture, window] = [
        { width: 100, height: 200 },
        { width: 100, height: 100 },
    ];
    test("fits whole into its window", () => {
        expect(fit(picture, window)).toEqual({ width: 50, height: 100 });
    });
    test("lies in the middle where there is room and never leaves the window", () => {
        const fitted = fit(picture, window);
        expect(held(WHOLE, fitted, window)).toEqual({ scale: 1, x: 25, y: 0 });
        expect(held(moved({ scale: 4, x: 0, y: 0 }, 500, 500), fitted, window)).toEqual({ scale: 4, x: 0, y: 0 });
        expect(held({ scale: 4, x: -900, y: -900 }, fitted, window)).toEqual({ scale: 4, x: -100, y: -300 });
    });
    test("keeps the point under the finger when it grows", () => {
        const place = zoomed({ scale: 1, x: 10, y: 20 }, 2, { x: 50, y: 60 });
        expect(place).toEqual({ scale: 2, x: -30, y: -20 });
        expect(zoomed({ scale: 6, x: 0, y: 0 }, 2, { x: 0, y: 0 }).scale).toBe(6);
    });
    test("shows a box as large as is sensible", () => {
        expect(around({ x: 10, y: 10, width: 20, height: 50 }, window, 3)).toEqual({ scale: 2, x: 10, y: -20 });
        expect(around({ x: 10, y: 10, width: 1, height: 1 }, window, 3).scale).toBe(3);
    });
});

describe("the end", () => {
    const steps = revealSteps(final);
    test("opens tickets turn about, then bonuses", () => {
        expect(steps).toEqual([
            { kind: "ticket", seat: 0, index: 0 },
            { kind: "ticket", seat: 1, index: 0 },
            { kind: "ticket", seat: 0, index: 1 },
            { kind: "bonus", index: 0 },
        ]);
    });
    test("adds up on the way to what the server says", () => {
        expect(shownAt(final, steps, 0).map((seat) => seat.total)).toEqual([20, 15]);
        expect(shownAt(final, steps, 2).map((seat) => seat.total)).toEqual([27, 24]);
        expect(shownAt(final, steps, 3).map((seat) => seat.total)).toEqual([22, 24]);
        expect(shownAt(final, steps, Infinity).map((seat) => seat.total)).toEqual([22, 34]);
        expect(shownAt(final, steps, 1)[0]!.opened).toBe(1);
    });
});

describe("setting a table up", () => {
    const boards = {
        small: { id: "nordic-countries", name: "", digest: "", least_seats: 2, most_seats: 3, href: "" },
        large: { id: "northern-lights", name: "", digest: "", least_seats: 2, most_seats: 5, href: "" },
    };
    const plan: Plan = { board: "", seats: [{ who: "here", name: " Anna " }, { who: "open" }], first: 1, clock: 0, faster: true };
    test("proposes the usual level, and the levels for people before the other players", () => {
        const bots = ["random", "easy", "medium"].map((level) => ({ level, usual: level === "medium" }));
        expect(levelsOf(bots).map((bot) => bot.level)).toEqual(["easy", "medium"]);
        expect(levelsOf(bots.slice(0, 1))).toEqual(bots.slice(0, 1));
        expect(usualLevel(bots)).toBe("medium");
        expect(usualLevel(bots.slice(0, 1))).toBe("random");
        expect(usualLevel([])).toBe("");
    });
    test("fills new seats with bots and forgets a starting seat that is gone", () => {
        expect(withSeats(plan, 3, "simple").seats[2]).toEqual({ who: "bot", level: "simple" });
        expect(withSeats({ ...plan, first: 2 }, 2, "simple").first).toBeNull();
    });
    test("keeps within what the board allows", () => {
        const five = withSeats(plan, 5, "simple");
        expect(onBoard(five, boards.small, "simple").seats).toHaveLength(3);
        expect(onBoard(five, boards.large, "simple").seats).toHaveLength(5);
    });
    test("proposes one's own name where one sits, and keeps no proposed one as one's own", () => {
        const second: Plan = { ...plan, seats: [{ who: "open" }, { who: "here", name: "Player 2" }] };
        expect([nameFor(plan, 0, "Anna"), nameFor(plan, 1, "Anna")]).toEqual(["Anna", "Player 2"]);
        expect([nameFor(second, 1, "Anna"), nameFor({ ...plan, seats: [] }, 1, "")]).toEqual(["Anna", texts.home.you]);
        expect([ownName(plan), ownName(second)]).toEqual(["Anna", null]);
    });
    test("asks for names and for a person", () => {
        expect(isNamed(plan)).toBe(true);
        expect(isNamed({ ...plan, seats: [{ who: "here", name: " " }] })).toBe(false);
        expect(hasPerson({ ...plan, seats: [{ who: "bot", level: "simple" }] })).toBe(false);
        expect(begins(plan)).toBe(false);
    });
    test("asks the server in its words", () => {
        expect(requestOf(plan)).toEqual({
            board: "",
            seats: [{ who: "here", name: "Anna" }, { who: "open" }],
            first: 1,
            clock: null,
            faster: true,
        });
    });
});

describe("addresses", () => {
    test("lead to their screens", () => {
        expect(screenAt("/")).toEqual({ name: "home" });
        expect(screenAt("/new")).toEqual({ name: "new" });
        expect(screenAt("/rules/")).toEqual({ name: "rules" });
        expect(screenAt("/t/abcdefgh23")).toEqual({ name: "table", table: "abcdefgh23", key: null });
        expect(screenAt("/t/abcdefgh23/replay")).toEqual({ name: "replay", table: "abcdefgh23" });
    });
    test("carry the key of a seat behind the hash only", () => {
        const key = "A".repeat(22);
        expect(screenAt("/t/abcdefgh23", `#seat=${key}`)).toEqual({ name: "table", table: "abcdefgh23", key });
        expect(screenAt("/t/abcdefgh23", "#seat=short")).toEqual({ name: "table", table: "abcdefgh23", key: null });
    });
    test("lose the key of a seat as soon as they are read", () => {
        const key = "A".repeat(22);
        history.replaceState(null, "", `/t/abcdefgh23#seat=${key}`);
        expect(here()).toEqual({ name: "table", table: "abcdefgh23", key });
        expect(location.hash).toBe("");
        history.replaceState(null, "", "/rules#nordic-countries");
        here();
        expect(location.hash).toBe("#nordic-countries");
    });
    test("that mean nothing are said to", () => {
        for (const path of ["/t", "/t/x", "/t/abcdefgh23/other", "/elsewhere"]) expect(screenAt(path)).toEqual({ name: "lost" });
    });
});

describe("clocks and waits", () => {
    test("count down from what the server said, never below nothing", () => {
        expect(secondsLeft({ seat: 0, until: 0, left: 30 }, 1000, 11_000)).toBe(20);
        expect(secondsLeft({ seat: 0, until: 0, left: 3 }, 0, 11_000)).toBe(0);
    });
    test("are told in the unit that matters", () => {
        expect([0, 12.2, 65, 3600 * 5, 86_400 * 3].map(timeWords)).toEqual(["0 s", "13 s", "1:05", "5 h", "3 d"]);
    });
    test("grow from call to call up to a few seconds", () => {
        expect(waitBefore(0, 0.5)).toBe(400);
        expect(waitBefore(3, 0.5)).toBe(3200);
        expect(waitBefore(20, 0.5)).toBe(8000);
    });
});

describe("my tables", () => {
    test("are remembered the latest first, each once, and can be forgotten", () => {
        localStorage.clear();
        for (const table of ["a", "b", "a"]) remember(table);
        expect(mine()).toEqual(["a", "b"]);
        forget("a");
        expect(mine()).toEqual(["b"]);
    });
    test("are none where what was kept makes no sense", () => {
        localStorage.setItem("northrail.tables", "{");
        expect(mine()).toEqual([]);
    });
});
