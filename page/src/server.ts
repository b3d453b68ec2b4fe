/** Requests to the server. Answers have the types of its OpenAPI schema; a refused request throws `Refused`. */

import type {
    Addresses,
    BoardSummary,
    Board,
    Bot,
    Cost,
    Hint,
    Joined,
    Lesson,
    Made,
    News,
    Played,
    NewTable,
    Payment,
    Refusal,
    Rematch,
    Replay,
    ReviewNews,
    TableFacts,
    SeatLink,
    Tables,
    Command,
    WhyNot,
} from "./protocol";
import type { Cards } from "./cards.ts";
import { refusalSentence } from "./sentences.ts";
import { texts } from "./texts.ts";

export type Choice = Command["choice"];

/** A request failed with an HTTP status; 0 means that the server could not be reached. */
export class Refused extends Error {
    constructor(
        readonly status: number,
        readonly refusal: Refusal | null,
        readonly wait = 0,
    ) {
        super(refusal?.code ?? `status ${status}`);
    }

    /** Why, in a sentence. */
    sentence(names?: readonly string[]): string {
        if (this.refusal) return refusalSentence(this.refusal, { names });
        return this.status === 0 ? texts.errors.unreachable : texts.errors.unknown;
    }
}

async function request<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    let response: Response;
    try {
        response = await fetch(path, {
            method,
            headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
            body: body === undefined ? undefined : JSON.stringify(body),
            signal: AbortSignal.timeout(20_000),
        });
    } catch {
        throw new Refused(0, null);
    }
    const answer = await response.json().catch(() => null);
    if (!response.ok || answer === null) {
        throw new Refused(response.status, answer?.code ? answer : null, Number(response.headers.get("retry-after") ?? 0));
    }
    return answer as T;
}

// How long to retry, in milliseconds.
const USUALLY = 8000;
const FOR_NEWS = 2000;
const FOR_A_MOVE = 120_000; // a server that restarts is back within two minutes
const LONGEST_PAUSE = 3000;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Repeat a request while the network fails or the server is busy. Only for requests that may arrive twice. */
async function retry<T>(send: () => Promise<T>, duration = USUALLY): Promise<T> {
    const until = performance.now() + duration;
    for (let attempt = 1; ; attempt++) {
        try {
            return await send();
        } catch (problem) {
            const again = problem instanceof Refused && [0, 429, 502, 503, 504].includes(problem.status);
            const wait = again ? Math.max(problem.wait * 1000, Math.min(LONGEST_PAUSE, 250 * 2 ** attempt)) : 0;
            if (!again || performance.now() + wait > until) throw problem;
            await pause(wait);
        }
    }
}

const at = (table: string) => `/api/tables/${encodeURIComponent(table)}`;
export const queryString = (query: Record<string, string | number | boolean | null | undefined>) =>
    new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)]])),
    ).toString();

export const boards = () => retry(() => request<BoardSummary[]>("GET", "/api/boards"));
export const boardAt = (href: string) => retry(() => request<Board>("GET", href));
export const bots = () => retry(() => request<Bot[]>("GET", "/api/bots"));
export const lessons = () => retry(() => request<Lesson[]>("GET", "/api/lessons"));
export const startLesson = (lesson: string, name: string, colour: number) =>
    request<Made>("POST", `/api/lessons/${lesson}`, { name, colour });
export const addresses = () => retry(() => request<Addresses>("GET", "/api/addresses"));
export const createTable = (table: NewTable) => request<Made>("POST", "/api/tables", table);
export const tables = (ids: string[]) => retry(() => request<Tables>("GET", `/api/tables?${queryString({ ids: ids.join(",") })}`));

export interface NewsQuery {
    /** The version and chat line that are known already. */
    since?: number;
    chat?: number;
    seat?: number | null;
    watch?: boolean;
}
export const news = (table: string, query: NewsQuery = {}) =>
    retry(() => request<News>("GET", `${at(table)}/news?${queryString({ ...query })}`), FOR_NEWS);

/**
 * Send a move; return what the table is at then, or its news. The server plays it once, however often it arrives: every
 * attempt has the same key.
 */
export function move(table: string, command: Command, withNews: boolean): Promise<News | Played> {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return retry(
        () => request<News | Played>("POST", `${at(table)}/moves?news=${withNews}`, command, { "idempotency-key": key }),
        FOR_A_MOVE,
    );
}

export const checkPayment = (table: string, seat: number, route: number, cards: Cards) =>
    retry(() => request<Payment>("POST", `${at(table)}/payments`, { seat, route, cards }));
export const why = (table: string, seat: number, asked: { kind: string; route?: number; colour?: string }) =>
    retry(() =>
        request<WhyNot>("GET", `${at(table)}/why?${queryString({ seat, kind: asked.kind, route: asked.route, colour: asked.colour })}`),
    );
export const hint = (table: string, seat: number, version: number, careful = false) =>
    retry(() => request<Hint>("GET", `${at(table)}/hint?${queryString({ seat, version, careful })}`));
export const cost = (table: string, command: Command) => request<Cost>("POST", `${at(table)}/cost`, command);
export const sendChat = (table: string, seat: number, text: string) => request<News>("POST", `${at(table)}/chat`, { seat, text });
export const join = (table: string, name: string, colour: number) => request<Joined>("POST", `${at(table)}/seats`, { name, colour });
export const enter = (table: string, key: string) => request<Joined>("POST", `${at(table)}/enter`, { key });
export const setSpeed = (table: string, speed: TableFacts["speed"]) => request<News>("PATCH", at(table), { speed });
export const fillSeat = (table: string, seat: number, level: string | null) =>
    request<News>("PUT", `${at(table)}/seats/${seat}`, { sitter: level === null ? { who: "open" } : { who: "bot", level } });
export const leave = (table: string, seat: number) => request<News>("POST", `${at(table)}/seats/${seat}/leave`);
export const resign = (table: string, seat: number) => request<News>("POST", `${at(table)}/seats/${seat}/resign`);
export const handOver = (table: string, seat: number) => request<News>("POST", `${at(table)}/seats/${seat}/hand-over`, {});
export const takeBack = (table: string, seat: number) => request<News>("POST", `${at(table)}/seats/${seat}/take-back`);
export const seatLink = (table: string, seat: number) => request<SeatLink>("POST", `${at(table)}/seats/${seat}/link`);
export const close = (table: string) => request<News>("POST", `${at(table)}/close`);
export const rematch = (table: string) => request<Rematch>("POST", `${at(table)}/rematch`);
export const replay = (table: string) => retry(() => request<Replay>("GET", `${at(table)}/replay`));
export const recordPath = (table: string) => `${at(table)}/record`;
export const askReview = (table: string) => retry(() => request<ReviewNews>("POST", `${at(table)}/review`));
export const review = (table: string, since: number) =>
    retry(() => request<ReviewNews>("GET", `${at(table)}/review?${queryString({ since })}`));
