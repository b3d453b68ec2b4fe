/** Pan, pinch, wheel, tap and double tap on a map, without a page: pointers go in, views and taps come out. */

import { moved, WHOLE, zoomed, type Place } from "./zoom.ts";

/** A point, in pixels of the frame around the map. */
export interface Spot {
    x: number;
    y: number;
}

/** What gestures act on. */
export interface GestureTarget {
    /** The current place. */
    seen(): Place;
    show(place: Place): void;
    glide(place: Place): void;
    /** A tap; `reach` is how many pixels off it may be. Returns whether it picked something. */
    pick(at: Spot, reach: number): boolean;
    /** A tap that picked nothing and is not the second of a double tap. */
    miss(at: Spot, reach: number): void;
}

const SLACK = 8; // pixels a finger may move during a tap
const LONGEST_TAP = 600; // milliseconds
const DOUBLE_TAP = { time: 350, distance: 30, zoom: 2.4 };
/** How many pixels off a tap may be: a fingertip is wide. */
export const REACH = { finger: 24, mouse: 11 };

const apart = (one: Spot, other: Spot) => Math.hypot(one.x - other.x, one.y - other.y);

export class Gestures {
    private readonly pointers = new Map<number, Spot>();
    private tapStart: (Spot & { time: number }) | null = null;
    private lastTap: (Spot & { time: number }) | null = null;

    constructor(private readonly target: GestureTarget) {}

    down(pointer: number, at: Spot, time: number): void {
        this.pointers.set(pointer, at);
        this.tapStart = this.pointers.size === 1 ? { ...at, time } : null;
    }

    move(pointer: number, at: Spot): void {
        const before = this.pointers.get(pointer);
        if (!before) return;
        if (this.pointers.size === 1) {
            if (this.tapStart && apart(at, this.tapStart) < SLACK) return;
            this.tapStart = null;
            this.target.show(moved(this.target.seen(), at.x - before.x, at.y - before.y));
        } else if (this.pointers.size === 2) {
            const other = [...this.pointers].find(([id]) => id !== pointer)![1];
            const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
            const shifted = moved(this.target.seen(), (at.x - before.x) / 2, (at.y - before.y) / 2);
            this.target.show(zoomed(shifted, (apart(at, other) || 1) / (apart(before, other) || 1), middle));
        }
        this.pointers.set(pointer, at);
    }

    up(pointer: number, time: number, kind: keyof typeof REACH): void {
        const start = this.tapStart;
        if (this.pointers.has(pointer) && start && time - start.time < LONGEST_TAP) this.tap(start, REACH[kind]);
        this.cancel(pointer);
    }

    cancel(pointer: number): void {
        if (this.pointers.delete(pointer)) this.tapStart = null;
    }

    /** A turn of the wheel, or a pinch on a touchpad. */
    wheel(at: Spot, turn: number, isPinch: boolean): void {
        this.target.show(zoomed(this.target.seen(), Math.exp(-turn * (isPinch ? 0.01 : 0.0016)), at));
    }

    private tap(at: Spot & { time: number }, reach: number): void {
        const last = this.lastTap;
        this.lastTap = null;
        if (this.target.pick(at, reach)) return;
        if (last && at.time - last.time < DOUBLE_TAP.time && apart(at, last) < DOUBLE_TAP.distance) {
            const seen = this.target.seen();
            this.target.glide(seen.scale > 1.3 ? WHOLE : zoomed(seen, DOUBLE_TAP.zoom, at));
            return;
        }
        this.lastTap = at;
        this.target.miss(at, reach);
    }
}
