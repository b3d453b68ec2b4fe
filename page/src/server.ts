/** Asking the server. Answers are the types its OpenAPI describes; a refusal is a `Refused` with the server's sentence. */

import type {
    BoardSummary,
    Board,
    Bot,
    Joined,
    Made,
    News,
    NewTable,
    Payment,
    Rematch,
    Replay,
    SeatLink,
    Tables,
    Command,
} from "./protocol";
import type { Cards } from "./cards.ts";
import { texts } from "./texts.ts";

export type Choice = Command["choice"];

/** The server said no; `status` 0 means that it could not be asked. */
export class Refused extends Error {
    constructor(
        readonly status: number,
        message: string,
        readonly wait = 0,
    ) {
        super(message);
    }
}

const sentence = (detail: unknown): string => {
    if (typeof detail === "string" && detail) return texts.sentence(detail);
    return texts.errors.unknown;
};

async function ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    let answer: Response;
    try {
        answer = await fetch(path, {
            method,
            headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
            body: body === undefined ? undefined : JSON.stringify(body),
            signal: AbortSignal.timeout(20_000),
        });
    } catch {
        throw new Refused(0, texts.errors.unreachable);
    }
    const told = await answer.json().catch(() => null);
    if (!answer.ok || told === null) {
        throw new Refused(answer.status, sentence(told?.detail), Number(answer.headers.get("retry-after") ?? 0));
    }
    return told as T;
}

const LONGEST_PAUSE = 3000;
const SHORT = 2000;
const PATIENCE = 120_000; // for a move: two minutes, in which a server is started again
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Ask again for a while, in milliseconds, if the network fails or the server is busy; only for what may be asked twice. */
async function persist<T>(question: () => Promise<T>, patience = 8000): Promise<T> {
    const until = performance.now() + patience;
    for (let attempt = 1; ; attempt++) {
        try {
            return await question();
        } catch (problem) {
            const again = problem instanceof Refused && [0, 429, 502, 503, 504].includes(problem.status);
            const wait = again ? Math.max(problem.wait * 1000, Math.min(LONGEST_PAUSE, 250 * 2 ** attempt)) : 0;
            if (!again || performance.now() + wait > until) throw problem;
            await pause(wait);
        }
    }
}

const at = (table: string) => `/api/tables/${encodeURIComponent(table)}`;
const query = (asked: Record<string, string | number | boolean | null | undefined>) =>
    new URLSearchParams(
        Object.entries(asked).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)]])),
    ).toString();

export const boards = () => persist(() => ask<BoardSummary[]>("GET", "/api/boards"));
export const boardAt = (href: string) => persist(() => ask<Board>("GET", href));
export const bots = () => persist(() => ask<Bot[]>("GET", "/api/bots"));
export const setUp = (table: NewTable) => ask<Made>("POST", "/api/tables", table);
export const tables = (ids: string[]) => persist(() => ask<Tables>("GET", `/api/tables?${query({ ids: ids.join(",") })}`));

export interface Asked {
    since?: number;
    chat?: number;
    seat?: number | null;
    watch?: boolean;
}
export const news = (table: string, asked: Asked = {}) =>
    persist(() => ask<News>("GET", `${at(table)}/news?${query({ ...asked })}`), SHORT);

/** A move, told once however often the network fails: the server knows its key. */
export function move(table: string, command: Command): Promise<News> {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return persist(() => ask<News>("POST", `${at(table)}/moves`, command, { "idempotency-key": key }), PATIENCE);
}

export const wouldPay = (table: string, seat: number, route: number, cards: Cards) =>
    persist(() => ask<Payment>("POST", `${at(table)}/payments`, { seat, route, cards }));
export const say = (table: string, seat: number, text: string) => ask<News>("POST", `${at(table)}/chat`, { seat, text });
export const join = (table: string, name: string) => ask<Joined>("POST", `${at(table)}/seats`, { name });
export const enter = (table: string, key: string) => ask<Joined>("POST", `${at(table)}/enter`, { key });
export const pace = (table: string, faster: boolean) => ask<News>("PATCH", at(table), { faster });
export const fill = (table: string, seat: number, level: string | null) =>
    ask<News>("PUT", `${at(table)}/seats/${seat}`, { sitter: level === null ? { who: "open" } : { who: "bot", level } });
export const leave = (table: string, seat: number) => ask<News>("POST", `${at(table)}/seats/${seat}/leave`);
export const resign = (table: string, seat: number) => ask<News>("POST", `${at(table)}/seats/${seat}/resign`);
export const handOver = (table: string, seat: number) => ask<News>("POST", `${at(table)}/seats/${seat}/hand-over`, {});
export const takeBack = (table: string, seat: number) => ask<News>("POST", `${at(table)}/seats/${seat}/take-back`);
export const seatLink = (table: string, seat: number) => ask<SeatLink>("POST", `${at(table)}/seats/${seat}/link`);
export const close = (table: string) => ask<News>("POST", `${at(table)}/close`);
export const rematch = (table: string) => ask<Rematch>("POST", `${at(table)}/rematch`);
export const replay = (table: string) => persist(() => ask<Replay>("GET", `${at(table)}/replay`));
export const recordPath = (table: string) => `${at(table)}/record`;
