/** A live connection to a table. It opens a new socket whenever the last one breaks, until it is closed. */

import { withChanges, type NewsMessage } from "./feed.ts";
import type { News } from "./protocol";
import { queryString, type NewsQuery } from "./server.ts";

export type ConnectionState = "connecting" | "open" | "lost";
/** Close codes after which reconnecting is useless: the table refuses, is gone, or was played on another version of its board. */
export const FINAL_CODES = [4403, 4404, 4409];

export interface ConnectionHandlers {
    /** What to request: a new socket continues where the last one ended. */
    query: () => NewsQuery;
    onnews: (news: News) => void;
    onstate: (state: ConnectionState) => void;
    onrefused: (code: number, reason: string) => void;
}

const FIRST_DELAY = 400;
const LONGEST_DELAY = 8000;
const LONG_HIDDEN = 30_000;

/** Milliseconds before the next attempt: exponential, with jitter so that not all pages return at the same moment. */
export const retryDelay = (attempt: number, chance = Math.random()): number =>
    Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt) * (0.7 + 0.6 * chance);

export class Connection {
    private socket: WebSocket | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private attempt = 0;
    private isClosed = false;
    private hiddenAt = 0;

    constructor(
        private readonly table: string,
        private readonly handlers: ConnectionHandlers,
    ) {
        addEventListener("online", this.reconnect);
        addEventListener("offline", this.drop);
        document.addEventListener("visibilitychange", this.visibilityChanged);
        this.connect();
    }

    /** Receive news as another seat; the server sends the first at once. */
    viewAs(seat: number | null): void {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ look: seat }));
    }

    close(): void {
        this.isClosed = true;
        clearTimeout(this.timer);
        removeEventListener("online", this.reconnect);
        removeEventListener("offline", this.drop);
        document.removeEventListener("visibilitychange", this.visibilityChanged);
        this.socket?.close();
    }

    /** Skip the rest of the delay: the network is back, or the page is visible again. */
    private readonly reconnect = () => {
        if (this.socket === null && !this.isClosed && document.visibilityState === "visible") this.connect();
    };

    /** Without a network a socket gives no signal for minutes, so drop it. */
    private readonly drop = () => {
        if (this.isClosed) return;
        const socket = this.socket;
        this.socket = null;
        socket?.close();
        this.retry();
    };

    /** A socket may die unnoticed in the background, for example on a phone in a pocket. */
    private readonly visibilityChanged = () => {
        if (document.visibilityState === "hidden") this.hiddenAt = performance.now();
        else if (performance.now() - this.hiddenAt > LONG_HIDDEN && !this.isClosed) {
            this.socket?.close();
            this.connect();
        } else this.reconnect();
    };

    private retry(): void {
        this.handlers.onstate("lost");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.connect(), retryDelay(this.attempt++));
    }

    private connect(): void {
        clearTimeout(this.timer);
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        const query = queryString({ ...this.handlers.query(), changes: true });
        let known: News | null = null; // what this socket has sent so far
        const socket = new WebSocket(`${scheme}://${location.host}/api/tables/${this.table}/socket?${query}`);
        this.socket = socket;
        socket.onmessage = (message) => {
            if (this.socket !== socket) return;
            this.attempt = 0;
            this.handlers.onstate("open");
            known = withChanges(known, JSON.parse(message.data) as NewsMessage);
            this.handlers.onnews(known);
        };
        socket.onclose = (end) => {
            if (this.socket !== socket) return;
            this.socket = null;
            if (this.isClosed) return;
            if (FINAL_CODES.includes(end.code)) {
                this.isClosed = true;
                this.handlers.onrefused(end.code, end.reason);
                return;
            }
            this.retry();
        };
    }
}
