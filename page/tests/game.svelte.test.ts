import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EventBanner } from "../src/game/event-banner.svelte.ts";
import { GameState } from "../src/game/game.svelte.ts";
import { alertOnTurn } from "../src/game/turn-alert.svelte.ts";
import { notifications } from "../src/notifications.svelte.ts";
import type { Board, News, Replay } from "../src/protocol";
import type { Event, EventCode, EventOf } from "../src/sentences.ts";
import { ReplayPlayer } from "../src/replay.svelte.ts";
import { Table } from "../src/table.svelte.ts";
import { settings } from "../src/settings.svelte.ts";
import { texts } from "../src/texts.ts";
import { final, news, options, step, view } from "./example.ts";

const board = {
    name: "Nordic Countries",
    routes: { 7: { cities: ["Bergen", "Oslo"], colour: "red", twin: 0, length: 2, points: 2 } },
} as unknown as Board;
const claim = { payments: [{ red: 2 }], complete: true };
const myTurn = (changes: Partial<News> = {}) => news({ version: 5, view: view({ options: options({ claim: { 7: claim } }) }), ...changes });

let isWide = false;
let destroy = () => {};
beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
    isWide = false;
    vi.stubGlobal("matchMedia", () => ({ matches: isWide, addEventListener: () => {}, removeEventListener: () => {} }));
});
afterEach(() => {
    destroy();
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

/** Run what a component would, with its effects. */
function mounted<T>(make: () => T): T {
    let made: T;
    destroy = $effect.root(() => {
        made = make();
    });
    flushSync();
    return made!;
}

function tableWith(first: News): Table {
    const table = new Table("abcdefghjk");
    table.receive(first);
    return table;
}

const startGame = (table: Table) => mounted(() => new GameState(table, board));
const event = <Code extends EventCode>(code: Code, changes: Partial<EventOf<Code>> = {}) => ({ code, seat: 1, ...changes }) as Event;

describe("the game screen", () => {
    test("says what to do on your turn, and whose turn it is otherwise", () => {
        const table = tableWith(myTurn());
        const game = startGame(table);
        expect(game.status).toBe(texts.table.prompt.turn);
        game.selectRoute(7, [7]);
        expect([game.status, game.stage]).toEqual(["Pay for Bergen–Oslo", "route"]);
        table.receive(news({ version: 6, now: 1, view: view({ seat: 1 }) }));
        expect([game.status, game.stage, game.options]).toEqual(["P1’s turn", "none", null]);
    });
    test("names the players who are still choosing their first tickets", () => {
        const game = startGame(tableWith(news({ view: view({ phase: "tickets", chosen: [true, false, false] }) })));
        expect(game.status).toBe("Waiting for P1 and P2 to choose tickets");
    });
    test("highlights claimable routes on your turn only, and not while a move is being sent", () => {
        const table = tableWith(myTurn());
        const game = startGame(table);
        expect(game.claimableRoutes).toEqual([7]);
        table.isSending = true;
        expect(game.claimableRoutes).toEqual([]);
    });
    test("highlights the cities of a ticket, of all offered tickets, or of the ticket being revealed", () => {
        const offered = [
            { number: 1, cities: ["Oslo", "Bergen"] as [string, string], points: 7, needs: { trains: 4, path: [7], cards: 4 } },
            { number: 2, cities: ["Oslo", "Umeå"] as [string, string], points: 9, needs: null },
        ] as never;
        const table = tableWith(
            myTurn({ view: view({ phase: "tickets", options: options({ keep: { offered, least: 1, together: [0, 4, null, null] } }) }) }),
        );
        const game = startGame(table);
        expect(game.highlightedCities).toEqual(["Oslo", "Bergen", "Umeå"]);
        table.highlightedTicket = 1;
        expect([game.highlightedCities, game.highlightedPath]).toEqual([["Oslo", "Bergen"], [7]]);
        game.finalTicket = { number: 1, cities: ["Turku", "Umeå"], points: 9, joined: true, path: [3] };
        expect([game.highlightedCities, game.highlightedPath]).toEqual([["Turku", "Umeå"], [3]]);
    });
    test("returns a phone to the cards when it is your turn, but not while others play", () => {
        const table = tableWith(news({ version: 4, view: view({ seat: 1 }) }));
        const game = startGame(table);
        game.tab = "log";
        table.receive(news({ version: 5, now: 1, view: view({ seat: 2 }) }));
        flushSync();
        expect(game.tab).toBe("log");
        table.receive(myTurn({ version: 6, now: 2 }));
        flushSync();
        expect(game.tab).toBe("cards");
    });
    test.each([true, false])("marks chat as unread until its tab is open (wide: %s)", (wide) => {
        isWide = wide;
        const table = tableWith(myTurn());
        const game = startGame(table);
        expect(game.hasUnreadChat).toBe(false);
        table.receive(myTurn({ now: 1, chat: [{ number: 1, seat: 1, name: "P1", text: "hi", at: 0 }] }));
        flushSync();
        expect(game.hasUnreadChat).toBe(true);
        if (wide) game.sideTab = "chat";
        else game.tab = "chat";
        flushSync();
        game.tab = "cards";
        game.sideTab = "log";
        flushSync();
        expect(game.hasUnreadChat).toBe(false);
    });
    test("leaves the map and the focus alone when news change nothing", () => {
        const table = tableWith(myTurn());
        let runs = 0;
        mounted(() => {
            const game = new GameState(table, board);
            $effect(() => {
                void [game.selectedRoute, game.stage];
                runs++;
            });
        });
        table.receive(myTurn({ now: 1, chat: [{ number: 1, seat: 1, name: "P1", text: "hi", at: 0 }] }));
        flushSync();
        expect(runs).toBe(1);
    });
    test("says why a tapped route can’t be claimed, until something else is tapped", async () => {
        const why = { code: "route_owned", facts: { route: 7, owner: 1, seat: 0 } };
        const asked: string[] = [];
        vi.stubGlobal("fetch", async (path: string) => {
            asked.push(path);
            return Response.json({ why });
        });
        const table = tableWith(myTurn({ view: view({ owners: { 7: 1 } }) }));
        const game = startGame(table);
        game.inspectRoute(7);
        flushSync();
        expect([game.markedRoute, game.explanation.lead]).toEqual([7, ""]);
        await vi.waitFor(() => expect(game.explanation.lead).toBe("P1 owns it."));
        expect(game.explanation.more).toMatch(/^Bergen–Oslo red.*claimed by P1\.$/);
        table.receive(myTurn({ version: 5, now: 1, view: view({ owners: { 7: 1 } }) }));
        flushSync();
        expect(asked).toEqual(["/api/tables/abcdefghjk/why?seat=0&kind=claim&route=7"]);
        game.inspectRoute(null);
        expect([game.markedRoute, game.explanation.lead]).toEqual([null, ""]);
    });
    test("asks before a costly choice if the tutor is on", async () => {
        settings.tutor = true;
        const asked: string[] = [];
        let costly = true;
        vi.stubGlobal("fetch", async (path: string) => {
            asked.push(path.split("/").at(-1)!);
            return Response.json(path.endsWith("/cost") ? { version: 5, loss: 9.3, error: 1, costly } : myTurn({ version: 6, now: 1 }));
        });
        const table = tableWith(myTurn({ table: { ...news().table, hints: true } }));
        const game = startGame(table);
        const first = table.play({ kind: "draw_tickets" });
        await vi.waitFor(() => expect(game.tutor.loss).toBe(9.3));
        expect(table.isSending).toBe(true);
        game.tutor.answer(false);
        expect([await first, asked, table.isSending]).toEqual([false, ["cost"], false]);
        costly = false;
        expect(await table.play({ kind: "draw_tickets" })).toBe(true);
        expect(asked).toEqual(["cost", "cost", "moves?news=true"]);
        settings.tutor = false;
        flushSync();
        expect(table.mayPlay).toBe(null);
    });
    test("gives a hint in steps: where to look, the move, why, and what others lose", async () => {
        const hint = {
            version: 5,
            choice: { kind: "claim", route: 7, cards: { red: 2 } },
            reasons: [{ code: "for_points", facts: { points: 2 } }],
        };
        vi.stubGlobal("fetch", async () => Response.json(hint));
        const table = tableWith(myTurn({ table: { ...news().table, hints: true } }));
        const game = startGame(table);
        expect(game.hint.isOffered).toBe(true);
        game.showHint();
        await vi.waitFor(() => expect(game.hint.step).toBe("look"));
        expect([game.hint.routes, game.explanation.lead]).toEqual([[7], texts.hint.look.claim]);
        game.showHint();
        expect(game.explanation).toEqual({ lead: "Claim Bergen–Oslo with 2 red.", more: "" });
        expect(table.selection).toMatchObject({ kind: "route", route: 7, payment: { red: 2 } });
        game.showHint();
        expect(game.explanation.more).toBe("It scores 2 points.");
        const careful = { ...hint, alternatives: [{ choice: { kind: "blind" }, loss: 4.21 }] };
        vi.stubGlobal("fetch", async (path: string) => Response.json(path.includes("careful=true") ? careful : hint));
        game.showHint();
        await vi.waitFor(() => expect(game.hint.step).toBe("careful"));
        expect(game.explanation.more).toBe("It scores 2 points. Points that others lose: Draw from the deck (4.2).");
        table.receive(myTurn({ version: 6, now: 1 }));
        flushSync();
        expect([game.hint.step, game.hint.routes, game.explanation.lead]).toEqual(["none", [], ""]);
        expect(game.hint.isOffered).toBe(false);
    });
});

describe("new events", () => {
    const bannerAfter = (...events: Event[]) => {
        const table = tableWith(myTurn({ steps: [step(5)] }));
        const banner = mounted(() => new EventBanner(table, board));
        table.receive(myTurn({ version: 6, now: 1, steps: [step(6, { events })] }));
        flushSync();
        return banner;
    };
    test("are announced once, and old ones are not", () => {
        bannerAfter(event("took", { colour: "red" }));
        expect(notifications.announcements.map((each) => each.sentence)).toEqual(["P1 takes red"]);
    });
    test("show a banner for a while if they are notable", () => {
        const banner = bannerAfter(event("last_round", { trains: 2 }), event("took", { colour: "red" }));
        expect(banner.event?.code).toBe("last_round");
        vi.advanceTimersByTime(5000);
        expect(banner.event).toBeNull();
    });
    const tunnel = (owed: number) => event("tunnel_tried", { seat: 0, route: 7, cards: { red: 2 }, revealed: [], matches: [], owed });
    test("show no banner for a tunnel that costs you extra", () => {
        expect(bannerAfter(tunnel(2)).event).toBeNull();
        destroy();
        expect(bannerAfter(tunnel(0)).event?.code).toBe("tunnel_tried");
    });
});

test("the tab's title says that it is your turn", () => {
    const table = tableWith(myTurn());
    mounted(() => alertOnTurn(table, board));
    expect(document.title).toBe("● Your turn · Northrail");
    table.receive(news({ version: 6, now: 1, view: view({ seat: 1 }) }));
    flushSync();
    expect(document.title).toBe("Nordic Countries · Northrail");
});

describe("a replay", () => {
    const frame = (points: number, events: Event[] = []) => ({
        view: view({ points: [points, 0, 0] }),
        step: events.length ? step(1, { events }) : null,
        hands: [],
        tickets: [],
    });
    const replay = { frames: [frame(0), frame(4, [event("claimed", { route: 7 })]), frame(9)], final } as unknown as Replay;
    test("stays between its first and last step", () => {
        const player = new ReplayPlayer(replay);
        player.seek(-1);
        expect([player.at, player.claimed]).toEqual([0, null]);
        player.seek(1);
        expect([player.claimed, player.points(0)]).toEqual([7, 4]);
        player.seek(9);
        expect([player.at, player.isAtEnd, player.points(0)]).toEqual([2, true, 22]);
    });
    test("plays to the end and stops, and plays again from the start", () => {
        const player = new ReplayPlayer(replay);
        mounted(() => {
            $effect(() => player.run());
        });
        player.toggle();
        flushSync();
        vi.advanceTimersByTime(900);
        expect([player.at, player.isPlaying]).toEqual([1, true]);
        vi.advanceTimersByTime(900);
        expect([player.at, player.isPlaying]).toEqual([2, false]);
        player.toggle();
        expect([player.at, player.isPlaying]).toEqual([0, true]);
    });
});
