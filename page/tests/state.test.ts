import { describe, expect, test } from "vitest";
import { currentScreen, screenAt } from "../src/address.ts";
import { cardWords, changed, coloursOf, countOf, sameCards, spread } from "../src/cards.ts";
import { formatTime, secondsLeft } from "../src/clock.ts";
import { retryDelay } from "../src/connection.ts";
import { addNews, botLevel, faceUpSince, isToMove, lastEvent, unseenSteps, withChanges } from "../src/feed.ts";
import { revealedSeats, revealSteps } from "../src/final-reveal.ts";
import { forget, mySeats, myTables, remember } from "../src/my-tables.ts";
import { choiceOf, claimable, layCards, NO_SELECTION, selectRoute, startCustomPayment, stillPossible, toggled } from "../src/selection.ts";
import { texts } from "../src/texts.ts";
import {
    allowsHints,
    freeColour,
    hasNames,
    hasPerson,
    isFull,
    levelsOf,
    onBoard,
    ownLevel,
    ownName,
    quickGame,
    seatHere,
    takenColours,
    plannedAnimal,
    toNewTable,
    withSeats,
    type TablePlan,
} from "../src/table-plan.ts";
import { isShared, nextHere, passTo } from "../src/viewpoint.ts";
import { around, fit, held, moved, WHOLE, zoomed } from "../src/zoom.ts";
import type { Claim } from "../src/protocol";
import { final, news, options, seatFacts, step, view } from "./example.ts";

describe("cards", () => {
    test("are listed in the order of a hand", () => {
        expect(coloursOf({ locomotive: 1, red: 2, purple: 1, blue: 0 })).toEqual(["purple", "red", "locomotive"]);
        expect(spread({ red: 2, blue: 1 })).toEqual(["blue", "red", "red"]);
        expect(countOf({ red: 2, blue: 1 })).toBe(3);
    });
    test("leave out colours that reach zero", () => {
        expect(changed({ red: 1 }, "red", -1)).toEqual({});
        expect(changed({}, "blue", 1)).toEqual({ blue: 1 });
    });
    test("are the same with and without zero counts", () => {
        expect(sameCards({ red: 1, blue: 0 }, { red: 1 })).toBe(true);
        expect(sameCards({ red: 1 }, { red: 2 })).toBe(false);
    });
    test("have words", () => {
        expect(cardWords({ locomotive: 2, red: 1, blue: 3 })).toBe("3 blue, 1 red and 2 locomotives");
        expect(cardWords({})).toBe("");
    });
});

describe("the feed", () => {
    test("from a socket add up", () => {
        const first = withChanges(null, news({ version: 5, view: view({ deck: 40, points: [3, 4] }) }));
        const second = withChanges(first, { changes: true, version: 6, steps: [step(6)], view: { deck: 39 } });
        expect([second.version, second.steps.length, second.table.id]).toEqual([6, 1, first.table.id]);
        expect([second.view?.deck, second.view?.points]).toEqual([39, [3, 4]]);
        expect(withChanges(second, { changes: true, view: null }).view).toBeNull();
        expect(withChanges(second, news({ version: 7 })).steps).toEqual(news().steps);
    });
    test("does not replace newer news with older ones", () => {
        const feed = addNews(null, news({ version: 5, revision: 10, now: 10 }));
        expect(addNews(feed, news({ version: 4, revision: 11 })).news.version).toBe(5);
        expect(addNews(feed, news({ version: 5, revision: 9, watchers: 7 })).news.watchers).toBe(0);
        expect(addNews(feed, news({ version: 5, revision: 11, watchers: 7 })).news.watchers).toBe(7);
        // The server's clock may have been set back.
        expect(addNews(feed, news({ version: 5, revision: 10, now: 9, watchers: 7 })).news.watchers).toBe(7);
    });
    test("has every step and chat line once and in order, even if news overlap", () => {
        const line = (number: number) => ({ number, seat: 0, name: "P0", text: "hi", at: 0 });
        let feed = addNews(null, news({ version: 2, steps: [step(1), step(2)], chat: [line(1)] }));
        feed = addNews(feed, news({ version: 4, since: 1, steps: [step(2), step(3), step(4)], chat: [line(2)] }));
        feed = addNews(feed, news({ version: 3, since: 2, steps: [step(3)], chat: [line(2)] }));
        expect(feed.steps.map((each) => each.version)).toEqual([1, 2, 3, 4]);
        expect(feed.chat.map((each) => each.number)).toEqual([1, 2]);
    });
    test("takes the steps of another seat as that seat saw them", () => {
        const mine = step(1, { events: [{ code: "drew", seat: 0, colour: "red" }] });
        const theirs = step(1, { events: [{ code: "drew", seat: 0 }] });
        const feed = addNews(
            addNews(null, news({ you: 0, version: 1, steps: [mine] })),
            news({ you: 1, version: 1, now: 1, steps: [theirs] }),
        );
        expect(feed.steps[0]!.events[0]).toEqual({ code: "drew", seat: 0 });
    });
    test("shows only the last steps after a long absence", () => {
        const steps = [1, 2, 3, 4, 5, 6].map((version) => step(version));
        expect(unseenSteps(steps, 0).map((each) => each.version)).toEqual([3, 4, 5, 6]);
        expect(unseenSteps(steps, 5).map((each) => each.version)).toEqual([6]);
    });
    test("finds the last event of a kind, unless it is too old", () => {
        const tunnel = step(3, {
            events: [
                {
                    code: "tunnel_tried",
                    seat: 1,
                    route: 7,
                    cards: { red: 2 },
                    revealed: ["red", "blue", "red"],
                    matches: [true, false, true],
                    owed: 2,
                },
            ],
        });
        expect(lastEvent([step(1), tunnel, step(4)], "tunnel_tried")?.revealed).toEqual(["red", "blue", "red"]);
        expect(lastEvent([step(1), tunnel, step(4)], "tunnel_tried", 4)).toBeNull();
    });
    test("knows when each face-up card was turned over", () => {
        const turned = (version: number, place: number) =>
            step(version, { events: [{ code: "turned_up", seat: null, colour: "red", place }] });
        expect(faceUpSince([turned(2, 0), turned(5, 3), turned(7, 0), step(8)], 5)).toEqual([7, 0, 0, 5, 0]);
    });
    test("knows who has to move: everyone for the first tickets, then the seat whose turn it is, and nobody at the end", () => {
        expect([0, 1, 2].map((seat) => isToMove(view({ phase: "tickets", seat: 0, chosen: [true, false, false] }), seat))).toEqual([
            false,
            true,
            true,
        ]);
        expect([0, 1].map((seat) => isToMove(view({ seat: 1 }), seat))).toEqual([false, true]);
        expect(isToMove(view({ phase: "over" }), 0)).toBe(false);
    });
});

describe("a bot", () => {
    const bot = (name: string) => seatFacts(1, { who: "bot", name, level: "medium" });
    test("is shown with its level, unless its name says so", () => {
        expect(botLevel(bot("Reindeer"))).toBe("medium bot");
        expect([botLevel(bot("Medium bot")), botLevel(bot("Medium bot 2"))]).toEqual(["", ""]);
    });
});

describe("a shared device", () => {
    const shared = (changes: Parameters<typeof news>[0] = {}) => news({ yours: [0, 2], ...changes });
    test("is one with several people on it", () => {
        expect(isShared(shared())).toBe(true);
        expect(isShared(news())).toBe(false);
        expect(isShared(shared({ table: { ...news().table, status: "over" } }))).toBe(false);
    });
    test("has to be passed until the next person confirms", () => {
        const turnOfTwo = shared({ view: view({ seat: 2 }) });
        expect(passTo(turnOfTwo, 0)).toBe(2);
        expect(passTo(turnOfTwo, null)).toBe(2);
        expect(passTo(turnOfTwo, 2)).toBeNull();
    });
    test("stays with its viewer while others play elsewhere", () => {
        expect(passTo(shared({ view: view({ seat: 1 }) }), 0)).toBeNull();
    });
    test("goes round from the first player for the first tickets", () => {
        const choosing = (chosen: boolean[]) => shared({ view: view({ phase: "tickets", first: 1, chosen }) });
        expect(nextHere(choosing([false, false, false]))).toBe(2);
        expect(nextHere(choosing([false, false, true]))).toBe(0);
        expect(nextHere(choosing([true, false, true]))).toBeNull();
    });
    test("skips a person a bot plays for", () => {
        const table = { ...news().table, seats: [seatFacts(0), seatFacts(1), seatFacts(2, { stand_in: "simple" })] };
        expect(nextHere(shared({ table, view: view({ seat: 2 }) }))).toBeNull();
    });
});

describe("the selection", () => {
    const claim: Claim = { payments: [{ red: 2 }, { red: 1, locomotive: 1 }], complete: true };
    const offered = options({ claim: { 7: claim } });
    test("takes claimable routes from the options alone", () => {
        expect(claimable(view({ options: offered }))).toEqual([7]);
        expect(claimable(view())).toEqual([]);
    });
    test("of a route starts with the first payment", () => {
        expect(choiceOf(selectRoute(offered, 7))).toEqual({ kind: "claim", route: 7, cards: { red: 2 } });
        expect(selectRoute(offered, 8)).toEqual(NO_SELECTION);
        expect(selectRoute(null, 7)).toEqual(NO_SELECTION);
    });
    test("collects a custom payment card by card, within the hand", () => {
        let selection = startCustomPayment(selectRoute(offered, 7));
        expect(choiceOf(selection)).toBeNull();
        selection = layCards(selection, { red: 1, locomotive: 1 }, "red", 1);
        selection = layCards(selection, { red: 1, locomotive: 1 }, "red", 1);
        selection = layCards(selection, { red: 1, locomotive: 1 }, "locomotive", 1);
        expect(choiceOf(selection)).toEqual({ kind: "claim", route: 7, cards: { red: 1, locomotive: 1 } });
        selection = layCards(selection, { red: 1, locomotive: 1 }, "red", -1);
        selection = layCards(selection, { red: 1, locomotive: 1 }, "red", -1);
        expect(choiceOf(selection)).toEqual({ kind: "claim", route: 7, cards: { locomotive: 1 } });
    });
    test("stays if it is still possible, and is dropped if the route is gone", () => {
        const selection = selectRoute(offered, 7, [7, 9]);
        expect(stillPossible(selection, offered)).toEqual({ ...selection, nearby: [7] });
        expect(stillPossible(selection, options({ claim: { 8: claim } }))).toEqual(NO_SELECTION);
        expect(stillPossible(selection, null)).toEqual(NO_SELECTION);
        expect(stillPossible({ kind: "ticket deck" }, options({ draw_tickets: 0 }))).toEqual(NO_SELECTION);
        expect(stillPossible({ kind: "ticket deck" }, options({ draw_tickets: 3 }))).toEqual({ kind: "ticket deck" });
    });
    test("falls back to the first payment if the chosen one is no longer offered", () => {
        const selection = selectRoute(offered, 7);
        const other = options({ claim: { 7: { ...claim, payments: [{ locomotive: 2 }] } } });
        expect(choiceOf(stillPossible(selection, other))).toEqual({ kind: "claim", route: 7, cards: { locomotive: 2 } });
    });
    test("becomes the choice to send", () => {
        expect(choiceOf({ kind: "tunnel", payment: { red: 1 } })).toEqual({ kind: "tunnel", cards: { red: 1 } });
        expect(choiceOf({ kind: "ticket deck" })).toEqual({ kind: "draw_tickets" });
        expect(choiceOf(NO_SELECTION)).toBeNull();
    });
    test("toggles tickets", () => {
        expect(toggled([3], 5)).toEqual([3, 5]);
        expect(toggled([3, 5], 3)).toEqual([5]);
    });
});

describe("the map", () => {
    const [picture, window] = [
        { width: 100, height: 200 },
        { width: 100, height: 100 },
    ];
    test("fits into its window", () => {
        expect(fit(picture, window)).toEqual({ width: 50, height: 100 });
    });
    test("is centred where there is room and never leaves the window", () => {
        const fitted = fit(picture, window);
        expect(held(WHOLE, fitted, window)).toEqual({ scale: 1, x: 25, y: 0 });
        expect(held(moved({ scale: 4, x: 0, y: 0 }, 500, 500), fitted, window)).toEqual({ scale: 4, x: 0, y: 0 });
        expect(held({ scale: 4, x: -900, y: -900 }, fitted, window)).toEqual({ scale: 4, x: -100, y: -300 });
    });
    test("keeps the point under the pointer when zooming", () => {
        const place = zoomed({ scale: 1, x: 10, y: 20 }, 2, { x: 50, y: 60 });
        expect(place).toEqual({ scale: 2, x: -30, y: -20 });
        expect(zoomed({ scale: 6, x: 0, y: 0 }, 2, { x: 0, y: 0 }).scale).toBe(6);
    });
    test("zooms to a box, within limits", () => {
        expect(around({ x: 10, y: 10, width: 20, height: 50 }, window, 3)).toEqual({ scale: 2, x: 10, y: -20 });
        expect(around({ x: 10, y: 10, width: 1, height: 1 }, window, 3).scale).toBe(3);
    });
});

describe("the final reveal", () => {
    const steps = revealSteps(final);
    test("shows tickets seat by seat, then bonuses", () => {
        expect(steps).toEqual([
            { kind: "ticket", seat: 0, index: 0 },
            { kind: "ticket", seat: 1, index: 0 },
            { kind: "ticket", seat: 0, index: 1 },
            { kind: "bonus", index: 0 },
        ]);
    });
    test("adds up to the server's totals", () => {
        expect(revealedSeats(final, steps, 0).map((seat) => seat.total)).toEqual([20, 15]);
        expect(revealedSeats(final, steps, 2).map((seat) => seat.total)).toEqual([27, 24]);
        expect(revealedSeats(final, steps, 3).map((seat) => seat.total)).toEqual([22, 24]);
        expect(revealedSeats(final, steps, Infinity).map((seat) => seat.total)).toEqual([22, 34]);
        expect(revealedSeats(final, steps, 1)[0]!.opened).toBe(1);
    });
});

describe("setting a table up", () => {
    const boards = {
        small: { id: "nordic-countries", name: "", digest: "", least_seats: 2, most_seats: 3, special: [], href: "", pictures: {} },
        large: { id: "northern-lights", name: "", digest: "", least_seats: 2, most_seats: 5, special: [], href: "", pictures: {} },
    };
    const plan: TablePlan = {
        board: "",
        seats: [{ who: "here", name: " Anna ", colour: 3 }, { who: "open" }],
        first: 1,
        clock: 0,
        speed: "fast",
        hints: null,
    };
    test("plays at the level last chosen, and at first at the weakest level for people", () => {
        const bots = ["random", "hard", "easy", "medium"].map((level) => ({ level, usual: level === "medium", animals: [] }));
        expect(levelsOf(bots).map((bot) => bot.level)).toEqual(["easy", "medium", "hard"]);
        expect(levelsOf(bots.slice(0, 1))).toEqual(bots.slice(0, 1));
        expect(ownLevel(bots, "hard")).toBe("hard");
        expect(ownLevel(bots, "")).toBe("easy");
        expect(ownLevel(bots, "gone")).toBe("easy");
        expect(ownLevel([], "")).toBe("");
    });
    test("plays a quick game with as many bots as usual and as the board allows", () => {
        const own = { name: "Anna", colour: 2, speed: "instant" as const };
        const bot = { who: "bot", level: "easy" };
        const quick = quickGame(boards.large, "easy", own);
        expect(quick).toMatchObject({ board: "northern-lights", speed: "instant", hints: null });
        expect(quick.seats).toEqual([{ who: "here", name: "Anna", colour: 2 }, bot, bot]);
        expect(quickGame({ ...boards.small, most_seats: 2 }, "easy", own).seats).toHaveLength(2);
        expect(quickGame({ ...boards.large, least_seats: 4 }, "easy", own).seats).toHaveLength(4);
    });
    test("tells which animals its bots will be", () => {
        const bots = [{ level: "hard", usual: false, animals: ["Lynx", "Fox"] }];
        const bot = { who: "bot" as const, level: "hard" };
        const full = { ...plan, seats: [plan.seats[0]!, bot, bot, bot, { who: "bot" as const, level: "random" }] };
        expect(full.seats.map((_, seat) => plannedAnimal(full, seat, bots))).toEqual(["", "lynx", "fox", "lynx", ""]);
    });
    test("fills new seats with bots and forgets a first player whose seat is gone", () => {
        expect(withSeats(plan, 3, "simple").seats[2]).toEqual({ who: "bot", level: "simple" });
        expect(withSeats({ ...plan, first: 2 }, 2, "simple").first).toBeNull();
    });
    test("keeps to the seats the board allows", () => {
        const five = withSeats(plan, 5, "simple");
        expect(onBoard(five, boards.small, "simple").seats).toHaveLength(3);
        expect(onBoard(five, boards.large, "simple").seats).toHaveLength(5);
    });
    test("suggests your name for your seat, and does not remember a suggestion as your name", () => {
        const second: TablePlan = { ...plan, seats: [{ who: "open" }, { who: "here", name: "Player 2", colour: 1 }] };
        const anna = { name: "Anna", colour: 3 };
        expect(seatHere(plan, 0, anna)).toEqual({ who: "here", ...anna });
        expect(seatHere(plan, 1, anna)).toEqual({ who: "here", name: "Player 2", colour: 1 });
        expect(seatHere(second, 1, anna)).toEqual({ who: "here", ...anna });
        expect(seatHere({ ...plan, seats: [] }, 1, { name: "", colour: 0 })).toMatchObject({ name: texts.home.you });
        expect([ownName(plan), ownName(second)]).toEqual(["Anna", null]);
    });
    test("gives everyone on this device a colour of their own", () => {
        const others: TablePlan = {
            ...plan,
            seats: [{ who: "here", name: "Bo", colour: 2 }, { who: "bot", level: "easy" }, { who: "open" }],
        };
        expect(seatHere(others, 2, { name: "Anna", colour: 3 })).toMatchObject({ colour: 0 });
        expect(takenColours(others, 0)).toEqual([]);
        expect(freeColour([0, 1, 3], [3, 4])).toBe(4);
    });
    test("needs names and at least one person", () => {
        expect(hasNames(plan)).toBe(true);
        expect(hasNames({ ...plan, seats: [{ who: "here", name: " ", colour: 0 }] })).toBe(false);
        expect(hasPerson({ ...plan, seats: [{ who: "bot", level: "simple" }] })).toBe(false);
        expect(isFull(plan)).toBe(false);
    });
    test("becomes a request to the server", () => {
        expect(toNewTable(plan)).toEqual({
            board: "",
            seats: [{ who: "here", name: "Anna", colour: 3 }, { who: "open" }],
            first: 1,
            clock: null,
            speed: "fast",
            hints: null,
        });
        expect(allowsHints(plan)).toBe(false);
        expect(allowsHints({ ...plan, seats: [plan.seats[0]!, { who: "bot", level: "simple" }] })).toBe(true);
        expect(toNewTable({ ...plan, hints: true }).hints).toBe(true);
    });
});

describe("addresses", () => {
    test("map to screens", () => {
        expect(screenAt("/")).toEqual({ name: "home" });
        expect(screenAt("/new")).toEqual({ name: "new" });
        expect(screenAt("/rules/")).toEqual({ name: "rules" });
        expect(screenAt("/t/abcdefgh23")).toEqual({ name: "table", table: "abcdefgh23", key: null });
        expect(screenAt("/t/abcdefgh23/replay")).toEqual({ name: "replay", table: "abcdefgh23" });
    });
    test("carry a seat key only in the hash", () => {
        const key = "A".repeat(22);
        expect(screenAt("/t/abcdefgh23", `#seat=${key}`)).toEqual({ name: "table", table: "abcdefgh23", key });
        expect(screenAt("/t/abcdefgh23", "#seat=short")).toEqual({ name: "table", table: "abcdefgh23", key: null });
    });
    test("lose the seat key as soon as they are read", () => {
        const key = "A".repeat(22);
        history.replaceState(null, "", `/t/abcdefgh23#seat=${key}`);
        expect(currentScreen()).toEqual({ name: "table", table: "abcdefgh23", key });
        expect(location.hash).toBe("");
        history.replaceState(null, "", "/rules#nordic-countries");
        currentScreen();
        expect(location.hash).toBe("#nordic-countries");
    });
    test("that do not exist are not found", () => {
        for (const path of ["/t", "/t/x", "/t/abcdefgh23/other", "/elsewhere"]) expect(screenAt(path)).toEqual({ name: "not found" });
    });
});

describe("clocks and waits", () => {
    test("count down from the server's time, never below zero", () => {
        expect(secondsLeft({ seat: 0, until: 0, left: 30 }, 1000, 11_000)).toBe(20);
        expect(secondsLeft({ seat: 0, until: 0, left: 3 }, 0, 11_000)).toBe(0);
    });
    test("are shown in a suitable unit", () => {
        expect([0, 12.2, 65, 3600 * 5, 86_400 * 3].map(formatTime)).toEqual(["0 s", "13 s", "1:05", "5 h", "3 d"]);
    });
    test("grow with each attempt, up to a few seconds", () => {
        expect(retryDelay(0, 0.5)).toBe(400);
        expect(retryDelay(3, 0.5)).toBe(3200);
        expect(retryDelay(20, 0.5)).toBe(8000);
    });
});

describe("my tables", () => {
    test("are listed once each, most recent first, and can be removed", () => {
        localStorage.clear();
        for (const table of ["a", "b", "a"]) remember(table);
        expect(myTables()).toEqual(["a", "b"]);
        forget("a");
        expect(myTables()).toEqual(["b"]);
        remember("b", [1]);
        remember("b");
        expect([mySeats("b"), mySeats("a")]).toEqual([[1], []]);
        localStorage.setItem("northrail.tables", '["c", {"id": "d", "seats": [0]}, {"id": 3}, null]');
        expect(myTables()).toEqual(["c", "d"]); // the first is of an earlier version
    });
    test("are empty if the stored list is broken", () => {
        localStorage.setItem("northrail.tables", "{");
        expect(myTables()).toEqual([]);
    });
});
