/** A line to a table: news as they come, for as long as it is wanted, over any number of sockets. */

import type { News } from "./protocol";
import type { Asked } from "./server.ts";

export type LineState = "calling" | "open" | "lost";
/** A socket closed for good: the table is gone, refuses, or was begun on another version of its board. Other ends are tried again. */
export const FINAL_CODES = [4403, 4404, 4409];

export interface LineWishes {
    /** What to ask for now: a later socket goes on where the last one ended. */
    asked: () => Asked;
    news: (news: News) => void;
    state: (state: LineState) => void;
    refused: (code: number, reason: string) => void;
}

const FIRST_WAIT = 400;
const MOST_WAIT = 8000;
const LONG_HIDDEN = 30_000;

/** How long to wait before the next call: longer each time, and not all at once. */
export const waitBefore = (attempt: number, chance = Math.random()): number =>
    Math.min(MOST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.7 + 0.6 * chance);

export class Line {
    private socket: WebSocket | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private attempt = 0;
    private ended = false;
    private hiddenAt = 0;

    constructor(
        private readonly table: string,
        private readonly wishes: LineWishes,
    ) {
        addEventListener("online", this.now);
        addEventListener("offline", this.drop);
        document.addEventListener("visibilitychange", this.seen);
        this.call();
    }

    /** Look with other eyes; the news for them come at once. */
    look(seat: number | null): void {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ look: seat }));
    }

    hangUp(): void {
        this.ended = true;
        clearTimeout(this.timer);
        removeEventListener("online", this.now);
        removeEventListener("offline", this.drop);
        document.removeEventListener("visibilitychange", this.seen);
        this.socket?.close();
    }

    /** Do not wait any longer: the network is back, or somebody looks. */
    private readonly now = () => {
        if (this.socket === null && !this.ended && document.visibilityState === "visible") this.call();
    };

    /** The network is gone; the socket would be silent for minutes before it says so. */
    private readonly drop = () => {
        if (this.ended) return;
        const socket = this.socket;
        this.socket = null;
        socket?.close();
        this.lost();
    };

    /** After a while out of sight, as in a pocket, a socket may be dead without knowing it. */
    private readonly seen = () => {
        if (document.visibilityState === "hidden") this.hiddenAt = performance.now();
        else if (performance.now() - this.hiddenAt > LONG_HIDDEN && !this.ended) {
            this.socket?.close();
            this.call();
        } else this.now();
    };

    private lost(): void {
        this.wishes.state("lost");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.call(), waitBefore(this.attempt++));
    }

    private call(): void {
        clearTimeout(this.timer);
        const asked = this.wishes.asked();
        const told = Object.entries(asked).flatMap(([name, value]) =>
            value === null || value === undefined ? [] : [[name, String(value)]],
        );
        const socket = new WebSocket(
            `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/tables/${this.table}/socket?${new URLSearchParams(told)}`,
        );
        this.socket = socket;
        socket.onmessage = (message) => {
            if (this.socket !== socket) return;
            this.attempt = 0;
            this.wishes.state("open");
            this.wishes.news(JSON.parse(message.data) as News);
        };
        socket.onclose = (end) => {
            if (this.socket !== socket) return;
            this.socket = null;
            if (this.ended) return;
            if (FINAL_CODES.includes(end.code)) {
                this.ended = true;
                this.wishes.refused(end.code, end.reason);
                return;
            }
            this.lost();
        };
    }
}
