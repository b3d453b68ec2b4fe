import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { News } from "../src/protocol";
import { saying, tell } from "../src/saying.svelte.ts";
import { onRoute } from "../src/finger.ts";
import { Table } from "../src/table.svelte.ts";
import { texts } from "../src/texts.ts";
import { news, options, seatFacts, step, view } from "./example.ts";

/** A socket that does what the test says. */
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
    tell(told: News): void {
        this.onmessage?.({ data: JSON.stringify(told) });
    }
    end(code: number, reason = ""): void {
        this.readyState = 3;
        this.onclose?.({ code, reason });
    }
    asked(name: string): string | null {
        return new URL(this.url).searchParams.get(name);
    }
}

type Answer = { status?: number; body?: unknown; fails?: boolean };
let answers: Answer[] = [];
let asked: { method: string; path: string; body: any; headers: Record<string, string> }[] = [];
const answer = (...next: Answer[]) => answers.push(...next);

beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
    Socket.all = [];
    [answers, asked] = [[], []];
    vi.stubGlobal("WebSocket", Socket);
    vi.stubGlobal(
        "fetch",
        async (path: string, { method, body, headers }: { method: string; body?: string; headers: Record<string, string> }) => {
            asked.push({ method, path, body: body && JSON.parse(body), headers });
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
    Socket.last.tell(first);
    return table;
}

describe("a table", () => {
    test("knows what the line told, and that it is asked", async () => {
        const table = await opened(myTurn());
        expect(table.asked).toBe(true);
        expect(table.lineState).toBe("open");
        expect(localStorage.getItem("northrail.tables")).toContain("abcdefghjk");
    });
    test("is not asked while a bot plays for the seat, nor once it was given up", async () => {
        const table = await opened(myTurn());
        const told = table.news!;
        for (const [at, changes] of [{ stand_in: "medium" }, { resigned: true }, {}].entries()) {
            const seats = told.table.seats.map((seat) => (seat.seat === 0 ? seatFacts(0, changes) : seat));
            Socket.last.tell({ ...told, now: at + 1, table: { ...told.table, seats } });
            expect(table.asked).toBe(at === 2);
        }
    });
    test("calls again after the line is lost and goes on where it was", async () => {
        const table = await opened(myTurn({ chat: [{ number: 3, seat: 0, name: "P0", text: "hi", at: 0 }] }));
        Socket.last.end(1012);
        expect(table.lineState).toBe("lost");
        await vi.advanceTimersByTimeAsync(1000);
        expect(Socket.all).toHaveLength(2);
        expect([Socket.last.asked("since"), Socket.last.asked("chat")]).toEqual(["5", "3"]);
        Socket.last.tell(news({ version: 6, since: 5, steps: [step(6)], now: 2 }));
        expect(table.lineState).toBe("open");
        expect(table.news!.version).toBe(6);
    });
    test("says at once that the network is gone, and calls at once when it is back", async () => {
        const table = await opened(myTurn());
        dispatchEvent(new Event("offline"));
        expect([table.lineState, Socket.all[0]!.readyState]).toEqual(["lost", 3]);
        dispatchEvent(new Event("online"));
        expect(Socket.all).toHaveLength(2);
        Socket.last.tell(myTurn());
        expect(table.lineState).toBe("open");
    });
    test("is called anew when it is looked at after a long while, and not after a short one", async () => {
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
        [403, "not yours"],
        [404, "there is no such table"],
        [409, "this server has another version of the board"],
    ])("that refuses with %d is not called again, also when the network comes and goes", async (status, message) => {
        const table = await opened(myTurn());
        Socket.last.end(4000 + status, message);
        dispatchEvent(new Event("offline"));
        dispatchEvent(new Event("online"));
        await vi.advanceTimersByTimeAsync(60_000);
        expect(Socket.all).toHaveLength(1);
        expect(table.problem).toEqual({ status, message });
    });
    test("tells a move with the version it answers, and the same key however often the network fails", async () => {
        const table = await opened(myTurn());
        answer({ fails: true }, { status: 503, body: { detail: "busy" } }, { body: news({ version: 6, now: 1 }) });
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(10_000);
        expect(await played).toBe(true);
        expect(asked.map((each) => each.body)).toEqual(Array(3).fill({ seat: 0, version: 5, choice: { kind: "blind" } }));
        expect(new Set(asked.map((each) => each.headers["idempotency-key"])).size).toBe(1);
        expect(table.news!.version).toBe(6);
    });
    test("tells a move again for two minutes, however long each try takes", async () => {
        const table = await opened(myTurn());
        const slow = vi.fn(() => new Promise((_, fail) => setTimeout(() => fail(new TypeError("no network")), 20_000)));
        vi.stubGlobal("fetch", slow);
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(100_000);
        expect(table.sending).toBe(true);
        await vi.advanceTimersByTimeAsync(50_000);
        expect(await played).toBe(false);
        expect(slow.mock.calls.length).toBeLessThan(8);
    });
    test("rests after a card is drawn, so that a second tap of the same finger takes no other", async () => {
        const table = await opened(myTurn());
        answer({ body: myTurn({ version: 6, now: 1 }) }, { body: news({ version: 7, now: 2 }) });
        expect(await table.play({ kind: "take", colour: "red", place: 0 })).toBe(true);
        expect([table.resting, await table.play({ kind: "blind" })]).toEqual([true, false]);
        await vi.advanceTimersByTimeAsync(400);
        expect([table.resting, await table.play({ kind: "blind" })]).toEqual([false, true]);
    });
    test("keeps a ticket lit while others move, until a move of one's own", async () => {
        const table = await opened(myTurn());
        table.litTicket = 3;
        Socket.last.tell(myTurn({ version: 6, now: 1 }));
        expect(table.litTicket).toBe(3);
        answer({ body: news({ version: 7, now: 2 }) });
        await table.play({ kind: "blind" });
        expect(table.litTicket).toBeNull();
    });
    test("says what the server says where nothing has moved on", async () => {
        const table = await opened(myTurn());
        answer({ status: 409, body: { detail: "a bot plays for this seat" } }, { body: myTurn({ now: 1 }) });
        await table.play({ kind: "blind" });
        expect(saying.toast).toBe("A bot plays for this seat");
        answer({ status: 409, body: { detail: "enough has been said at this table" } });
        expect(await table.chat("hi")).toBe(false);
        expect(saying.toast).toBe("Enough has been said at this table");
    });
    test("can be talked at while a move is on its way, and says that it is busy to all else", async () => {
        const table = await opened(myTurn());
        answer({ fails: true }, { body: news({ now: 1, version: 5, chat: [{ number: 1, seat: 0, name: "P0", text: "hi", at: 0 }] }) });
        const played = table.play({ kind: "blind" });
        await vi.advanceTimersByTimeAsync(0);
        expect(await table.chat("hi")).toBe(true);
        expect([table.told!.chat.length, table.sending]).toEqual([1, true]);
        expect(await table.tell(() => Promise.reject(new Error("must not be asked")))).toBe(false);
        expect(saying.toast).toBe(texts.errors.busy);
        answer({ body: news({ version: 6, now: 2 }) });
        await vi.advanceTimersByTimeAsync(1000);
        expect(await played).toBe(true);
    });
    test("lets a person choose again when it went on meanwhile", async () => {
        const table = await opened(myTurn());
        table.finger = onRoute(table.view!.options, 7);
        answer(
            { status: 409, body: { detail: "expected version 6, got 5" } },
            { body: news({ version: 6, now: 1, view: view({ seat: 1 }) }) },
        );
        expect(await table.play({ kind: "blind" })).toBe(false);
        expect(saying.toast).toBe(texts.errors.stale);
        expect([table.news!.version, table.asked, table.finger.on, table.sending]).toEqual([6, false, "nothing", false]);
    });
    test("says why a move is refused, and leaves the finger where it is", async () => {
        const table = await opened(myTurn());
        table.finger = onRoute(table.view!.options, 7);
        answer({ status: 422, body: { detail: "seat 0 cannot do that" } }, { body: myTurn({ now: 1 }) });
        expect(await table.play({ kind: "blind" })).toBe(false);
        expect(saying.toast).toBe("Seat 0 cannot do that");
        expect(table.finger.on).toBe("route");
    });
    test("does not tell two moves at once", async () => {
        const table = await opened(myTurn());
        answer({ body: news({ version: 6, now: 1 }) });
        const both = await Promise.all([table.play({ kind: "blind" }), table.play({ kind: "blind" })]);
        expect(both).toEqual([true, false]);
        expect(asked).toHaveLength(1);
    });
    test("is entered by a personal link, also when it is open already", async () => {
        const table = await opened(news({ you: null, yours: [] }));
        answer({ body: { seat: 0, key: null, news: news() } });
        await table.open("A".repeat(22));
        await table.open(null);
        expect(asked[0]).toMatchObject({ method: "POST", path: "/api/tables/abcdefghjk/enter", body: { key: "A".repeat(22) } });
        expect(Socket.all).toHaveLength(2);
    });
});

describe("a table on a shared device", () => {
    const shared = (changes: Partial<News> = {}) => myTurn({ yours: [0, 1], ...changes });
    test("covers the hand at first and between two people", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        expect(table.coveredFor).toBe(0);
        expect(table.view?.me ?? null).toBeNull();
        answer({ body: shared({ now: 2 }) });
        await table.lookWith(0);
        expect(Socket.last.sent).toEqual(['{"look":null}', '{"look":0}']);
        expect([table.coveredFor, table.view!.me, table.asked]).toEqual([null, 0, true]);
        answer({ body: shared({ version: 6, you: null, now: 4, view: view({ me: null, seat: 1 }) }) });
        Socket.last.tell(shared({ version: 6, now: 3, view: view({ seat: 1 }) }));
        await vi.advanceTimersByTimeAsync(0);
        expect([table.coveredFor, table.eyes, table.view!.me]).toEqual([1, null, null]);
    });
    test("does not show one person's news to another, nor their log", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        const secret = step(5, { events: [{ event: "blind", seat: 0, colour: "red", text: "draws red" }] });
        answer({ body: shared({ now: 2, steps: [secret] }) });
        await table.lookWith(0);
        expect(table.told!.steps[0]!.events[0]!.text).toBe("draws red");
        const theirs = view({ me: 1, seat: 1, options: options({ blind: true }) });
        answer({ body: shared({ you: 1, now: 3, view: theirs, steps: [step(5)] }) });
        await table.lookWith(1);
        expect(table.told!.steps.map((each) => each.events[0]!.text)).toEqual(["step 5"]);
        Socket.last.tell(shared({ you: 0, now: 4 }));
        expect(table.view!.me).toBe(1);
    });
    test("says nothing of what the last eyes saw to who listens", async () => {
        answer({ body: shared({ you: null, view: view({ me: null }), now: 1 }) });
        const table = await opened(shared());
        await vi.advanceTimersByTimeAsync(0);
        tell(["anna draws red from the deck"]);
        answer({ body: shared({ you: null, now: 2, view: view({ me: null }) }) });
        await table.lookWith(null);
        expect(saying.aloud).toEqual([]);
    });
});

test("the same sentence twice is spoken twice", () => {
    tell(["bo takes red"]);
    const [first] = saying.aloud;
    tell(["bo takes red"]);
    expect(saying.aloud.map((each) => each.sentence)).toEqual(["Bo takes red"]);
    expect(saying.aloud[0]!.number).not.toBe(first!.number);
});
