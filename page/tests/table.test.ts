import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { News } from "../src/protocol";
import { announce, notifications } from "../src/notifications.svelte.ts";
import { selectRoute } from "../src/selection.ts";
import { Table } from "../src/table.svelte.ts";
import { texts } from "../src/texts.ts";
import { news, options, seatFacts, step, view } from "./example.ts";

/** A socket under the test's control. */
class Socket {
    static all: Socket[] = [];
    static readonly OPEN = 1;
    readyState = 1;
    sent: string[] = [];
    onmessage: ((message: { data: string }) => void) | null = null;
    onclose: ((end: { code: number; reason: string }) => void) | null = null;
    constructor(readonly url: string) {
        Socket.all.push(this);
    }
    static get last(): Socket {
        return Socket.all.at(-1)!;
    }
    send(text: string): void {
        this.sent.push(text);
    }
    close(): void {
        this.readyState = 3;
    }
    receive(news: News): void {
        this.onmessage?.({ data: JSON.stringify(news) });
    }
    end(code: number, reason = ""): void {
        this.readyState = 3;
        this.onclose?.({ code, reason });
    }
    query(name: string): string | null {
        return new URL(this.url).searchParams.get(name);
    }
}

type Answer = { status?: number; body?: unknown; fails?: boolean };
let answers: Answer[] = [];
let requests: { method: string; path: string; body: any; headers: Record<string, string> }[] = [];
const answer = (...next: Answer[]) => answers.push(...next);

beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
    Socket.all = [];
    [answers, requests] = [[], []];
    vi.stubGlobal("WebSocket", Socket);
    vi.stubGlobal(
        "fetch",
        async (path: string, { method, body, headers }: { method: string; body?: string; headers: Record<string, string> }) => {
            requests.push({ method, path, body: body && JSON.parse(body), headers });
            const next = answers.shift();
            if (!next || next.fails) throw new TypeError("no network");
            return new Response(JSON.stringify(next.body ?? {}), { status: next.status ?? 200 });
        },
    );
});
afterEach(() => {
    tables.splice(0).forEach((table) => table.close());
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

const claim = { payments: [{ red: 2 }], complete: true, text: "2 red" };
const myTurn = (changes: Partial<News> = {}) =>
    news({ version: 5, view: view({ options: options({ claim: { 7: claim }, blind: true }) }), ...changes });

const tables: Table[] = [];
async function opened(first: News): Promise<Table> {
    const table = new Table("abcdefghjk");
    tables.push(table);
    await table.open(null);
    Socket.last.receive(first);
    return table;
}

describe("a table", () => {
    test("knows the news, and that it is your turn", async () => {
        const table = await opened(myTurn());
        expect(table.isMyTurn).toBe(true);
        expect(table.connectionState).toBe("open");
        expect(localStorage.getItem("northrail.tables")).toContain("abcdefghjk");
    });
    test("is not yours to move at while a bot plays for you, or after you resigned", async () => {
        const table = await opened(myTurn());
        const before = table.news!;
        for (const [at, changes] of [{ stand_in: "medium" }, { resigned: true }, {}].entries()) {
            const seats = before.table.seats.map((seat) => (seat.seat === 0 ? seatFacts(0, changes) : seat));
            Socket.last.receive({ ...before, now: at + 1, table: { ...before.table, seats } });
            expect(table.isMyTurn).toBe(at === 2);
        }
    });
    test("reconnects after the connection is lost and continues where it was", async () => {
        const table = await opened(myTurn({ chat: [{ number: 3, seat: 0, name: "P0", text: "hi", at: 0 }] }));
        Socket.last.end(1012);
        expect(table.connectionState).toBe("lost");
        await vi.advanceTimersByTimeAsync(1000);
        expect(Socket.all).toHaveLength(2);
        expect([Socket.last.query("since"), Socket.last.query("chat")]).toEqual(["5", "3"]);
        Socket.last.receive(news({ version: 6, since: 5, steps: [step(6)], now: 2 }));
        expect(table.connectionState).toBe("open");
        expect(table.news!.version).toBe(6);
    });
    test("shows at once that the network is gone, and reconnects at once when it is back", async () => {
        const table = await opened(myTurn());
        dispatchEvent(new Event("offline"));
        expect([table.connectionState, Socket.all[0]!.readyState]).toEqual(["lost", 3]);
        dispatchEvent(new Event("online"));
        expect(Socket.all).toHaveLength(2);
        Socket.last.receive(myTurn());
        expect(table.connectionState).toBe("open");
    });
    test("reconnects after a long time in the background, but not after a short one", async () => {
        await opened(myTurn());
        const look = vi.spyOn(document, "visibilityState", "get");
        for (const [hidden, sockets] of [
            [5_000, 1],
            [60_000, 2],
        ] as const) {
            look.mockReturnValue("hidden");
            document.dispatchEvent(new Event("visibilitychange"));
            await vi.advanceTimersByTimeAsync(hidden);
            look.mockReturnValue("visible");
            document.dispatchEvent(new Event("visibilitychange"));
            expect(Socket.all).toHaveLength(sockets);
        }
        look.mockRestore();
    });
    test.each([
        [403, "not_your_seat", "This isn’t your seat."],
        [404, "no_such_table", "Table not found."],
        [409, "board_changed", "This table uses a version of the board that this server doesn’t have."],
    ])("that refuses with %d is not tried again, even if the network comes and goes", async (status, code, message) => {
        const table = await opened(myTurn());
        Socket.last.end(4000 + status, code);
        dispatchEvent(new Event("offline"));
        dispatchEvent(new Event("online"));
        await vi.advanceTimersByTimeAsync(60_000);
        expect(Socket.all).toHaveLength(1);
        expect(table.problem).toEqual({ status, message });
    });
    test("sends a move with its version, and the same key however often the network fails", async () => {
        const table = await opened(myTurn());
        answer({ fails: true }, { status: 503, body: { code: "server_busy", facts: {} } }, { body: news({ version: 6, now: 1 }) });
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(10_000);
        expect(await played).toBe(true);
        expect(requests.map((each) => each.body)).toEqual(Array(3).fill({ seat: 0, version: 5, choice: { kind: "blind" } }));
        expect(new Set(requests.map((each) => each.headers["idempotency-key"])).size).toBe(1);
        expect(table.news!.version).toBe(6);
    });
    test("retries a move for two minutes, however long each attempt takes", async () => {
        const table = await opened(myTurn());
        const slow = vi.fn(() => new Promise((_, fail) => setTimeout(() => fail(new TypeError("no network")), 20_000)));
        vi.stubGlobal("fetch", slow);
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(100_000);
        expect(table.isSending).toBe(true);
        await vi.advanceTimersByTimeAsync(50_000);
        expect(await played).toBe(false);
        expect(slow.mock.calls.length).toBeLessThan(8);
    });
    test("pauses after a card is drawn, so that a double tap draws only one", async () => {
        const table = await opened(myTurn());
        answer({ body: myTurn({ version: 6, now: 1 }) }, { body: news({ version: 7, now: 2 }) });
        expect(await table.play({ kind: "take", colour: "red", place: 0 })).toBe(true);
        expect([table.isDrawPaused, await table.play({ kind: "blind" })]).toEqual([true, false]);
        await vi.advanceTimersByTimeAsync(400);
        expect([table.isDrawPaused, await table.play({ kind: "blind" })]).toEqual([false, true]);
    });
    test("keeps a ticket highlighted while others move, until you move", async () => {
        const table = await opened(myTurn());
        table.highlightedTicket = 3;
        Socket.last.receive(myTurn({ version: 6, now: 1 }));
        expect(table.highlightedTicket).toBe(3);
        answer({ body: news({ version: 7, now: 2 }) });
        await table.play({ kind: "blind" });
        expect(table.highlightedTicket).toBeNull();
    });
    test("shows the server's reason if the game has not moved on", async () => {
        const table = await opened(myTurn());
        answer({ status: 409, body: { code: "bot_plays", facts: { seat: 1 } } }, { body: myTurn({ now: 1 }) });
        await table.play({ kind: "blind" });
        expect(notifications.toast).toBe("A bot is playing for P1. Take the seat back first.");
        answer({ status: 409, body: { code: "chat_full", facts: {} } });
        expect(await table.chat("hi")).toBe(false);
        expect(notifications.toast).toBe("This chat is full.");
    });
    test("can send chat while a move is being sent, but nothing else", async () => {
        const table = await opened(myTurn());
        answer({ fails: true }, { body: news({ now: 1, version: 5, chat: [{ number: 1, seat: 0, name: "P0", text: "hi", at: 0 }] }) });
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(0);
        expect(await table.chat("hi")).toBe(true);
        expect([table.feed!.chat.length, table.isSending]).toEqual([1, true]);
        expect(await table.update(() => Promise.reject(new Error("must not be sent")))).toBe(false);
        expect(notifications.toast).toBe(texts.errors.busy);
        answer({ body: news({ version: 6, now: 2 }) });
        await vi.advanceTimersByTimeAsync(1000);
        expect(await played).toBe(true);
    });
    test("lets you choose again if the game moved on", async () => {
        const table = await opened(myTurn());
        table.selection = selectRoute(table.view!.options, 7);
        answer(
            { status: 409, body: { code: "stale", facts: { version: 6, got: 5 } } },
            { body: news({ version: 6, now: 1, view: view({ seat: 1 }) }) },
        );
        expect(await table.play({ kind: "blind" })).toBe(false);
        expect(notifications.toast).toBe(texts.errors.stale);
        expect([table.news!.version, table.isMyTurn, table.selection.kind, table.isSending]).toEqual([6, false, "none", false]);
    });
    test("shows why a move is refused, and keeps the selection", async () => {
        const table = await opened(myTurn());
        table.selection = selectRoute(table.view!.options, 7);
        answer({ status: 422, body: { code: "owns_parallel", facts: { route: 7 } } }, { body: myTurn({ now: 1 }) });
        expect(await table.play({ kind: "blind" })).toBe(false);
        expect(notifications.toast).toBe("You already own a parallel route.");
        expect(table.selection.kind).toBe("route");
    });
    test("does not send two moves at once", async () => {
        const table = await opened(myTurn());
        answer({ body: news({ version: 6, now: 1 }) });
        const both = await Promise.all([table.play({ kind: "blind" }), table.play({ kind: "blind" })]);
        expect(both).toEqual([true, false]);
        expect(requests).toHaveLength(1);
    });
    test("gets the news of a move from its connection", async () => {
        const table = await opened(myTurn());
        answer({ body: { version: 6, revision: 9 } });
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(0);
        Socket.last.receive(news({ version: 6, revision: 8, now: 1 }));
        expect([requests[0]!.path, table.isSending]).toEqual(["/api/tables/abcdefghjk/moves?news=false", true]);
        Socket.last.receive(news({ version: 6, revision: 9, now: 2 }));
        expect([await played, requests.length]).toEqual([true, 1]);
    });
    test("asks for the news of a move if they are late, or if the connection is lost", async () => {
        const table = await opened(myTurn());
        answer({ body: { version: 6, revision: 9 } }, { body: news({ version: 6, revision: 9, now: 1 }) });
        const played = table.play({ kind: "take", colour: "red", place: 0 });
        await vi.advanceTimersByTimeAsync(1000);
        expect([await played, table.news!.version, requests[1]!.method]).toEqual([true, 6, "GET"]);
        await vi.advanceTimersByTimeAsync(1000);
        Socket.last.onclose?.({ code: 1006, reason: "" } as CloseEvent);
        answer({ body: news({ version: 7, now: 2 }) });
        expect(await table.play({ kind: "blind" })).toBe(true);
        expect([table.news!.version, requests[2]!.path]).toEqual([7, "/api/tables/abcdefghjk/moves?news=true"]);
    });
    test("gives you the seat of a personal link, even if it is open already", async () => {
        const table = await opened(news({ you: null, yours: [] }));
        answer({ body: { seat: 0, key: null, news: news() } });
        await table.open("A".repeat(22));
        await table.open(null);
        expect(requests[0]).toMatchObject({ method: "POST", path: "/api/tables/abcdefghjk/enter", body: { key: "A".repeat(22) } });
        expect(Socket.all).toHaveLength(2);
    });
});

describe("a table on a shared device", () => {
    const shared = (changes: Partial<News> = {}) => myTurn({ yours: [0, 1], ...changes });
    test("shows what your move led to until you hand it over, and hides the hand at first and between two people", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        expect(table.passTo).toBe(0);
        expect(table.view?.me ?? null).toBeNull();
        answer({ body: shared({ now: 2 }) });
        await table.viewAs(0);
        expect(Socket.last.sent).toEqual(['{"look":null}', '{"look":0}']);
        expect([table.passTo, table.view!.me, table.isMyTurn]).toEqual([null, 0, true]);
        Socket.last.receive(shared({ version: 6, now: 3, view: view({ seat: 1 }) }));
        expect([table.passTo, table.isHandingOver, table.view!.me]).toEqual([1, true, 0]);
        answer({ body: shared({ version: 6, you: null, now: 4, view: view({ me: null, seat: 1 }) }) });
        const hidden = table.viewAs(null);
        expect([table.isHandingOver, table.view]).toEqual([false, null]);
        await hidden;
        expect([table.passTo, table.isHandingOver, table.view!.me]).toEqual([1, false, null]);
    });
    test("does not show one person's news or log to another", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        const secret = step(5, { events: [{ code: "drew", seat: 0, colour: "red" }] });
        answer({ body: shared({ now: 2, steps: [secret] }) });
        await table.viewAs(0);
        expect(table.feed!.steps[0]!.events[0]).toEqual({ code: "drew", seat: 0, colour: "red" });
        const theirs = view({ me: 1, seat: 1, options: options({ blind: true }) });
        answer({ body: shared({ you: 1, now: 3, view: theirs, steps: [step(5)] }) });
        await table.viewAs(1);
        expect(table.feed!.steps.map((each) => each.events[0])).toEqual([{ code: "drew", seat: 0 }]);
        Socket.last.receive(shared({ you: 0, now: 4 }));
        expect(table.view!.me).toBe(1);
    });
    test("announces nothing that the last viewer saw", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        announce(["anna draws red from the deck"]);
        answer({ body: shared({ you: null, now: 2, view: view({ me: null }) }) });
        await table.viewAs(null);
        expect(notifications.announcements).toEqual([]);
    });
});

test("a repeated sentence is announced again", () => {
    announce(["bo takes red"]);
    const [first] = notifications.announcements;
    announce(["bo takes red"]);
    expect(notifications.announcements.map((each) => each.sentence)).toEqual(["Bo takes red"]);
    expect(notifications.announcements[0]!.number).not.toBe(first!.number);
});
