/** Which part of the map is visible, and how large: it moves at once or glides, and never leaves the map. */

import type { Point } from "./draw/routes.ts";
import type { Spot } from "./gestures.ts";
import { moves } from "./settings.svelte.ts";
import { around, fit, held, WHOLE, type Box, type Place, type Size } from "./zoom.ts";

const GLIDE = 260; // milliseconds
const REST = 160; // milliseconds without a move until names and edges are drawn sharp again

/** The smallest box with all points and a margin. */
function boxOf(points: readonly Point[], margin: number): Box {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [x, y] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
    return { x, y, width: Math.max(...xs) - x + margin, height: Math.max(...ys) - y + margin };
}

export class Camera {
    /** The frame on the screen. */
    room = $state<Size>({ width: 0, height: 0 });
    /** Whether the map is moving. */
    busy = $state(false);
    /** How large it was when it last rested. */
    settled = $state(1);
    private place = $state.raw<Place>(WHOLE);
    private timer: ReturnType<typeof setTimeout> | undefined;

    readonly picture = $derived.by(() => fit(this.map(), this.room.width ? this.room : this.map()));
    readonly seen = $derived.by(() => held(this.place, this.picture, this.room));
    /** Screen pixels per unit of the map, when the whole map is visible. */
    readonly unit = $derived.by(() => this.picture.width / this.map().width);

    constructor(private readonly map: () => Size) {}

    show(place: Place): void {
        this.place = held(place, this.picture, this.room);
        this.busy = true;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.busy = false;
            this.settled = this.place.scale;
        }, REST);
    }

    glide(place: Place): void {
        const [from, goal] = [this.seen, held(place, this.picture, this.room)];
        if (!moves()) return this.show(goal);
        const start = performance.now();
        const step = (now: number) => {
            const part = Math.min(1, (now - start) / GLIDE);
            const eased = 1 - (1 - part) ** 3;
            const between = (one: number, other: number) => one + (other - one) * eased;
            this.show({ scale: between(from.scale, goal.scale), x: between(from.x, goal.x), y: between(from.y, goal.y) });
            if (part < 1) requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    /** Glide to where all the points are visible, with a margin in pixels, at most `most` times as large as the whole map. */
    lookAt(points: readonly Point[], most: number, margin: number): void {
        if (!points.length || !this.room.width) return;
        const fitted = points.map(([x, y]): Point => [x * this.unit, y * this.unit]);
        this.glide(around(boxOf(fitted, margin), this.room, most));
    }

    /** Glide to where all the points are visible, at the current size, unless they already are. */
    reveal(points: readonly Point[], margin: number): void {
        const { x, y, scale } = this.seen;
        const box = boxOf(
            points.map(([px, py]): Point => [x + px * this.scale, y + py * this.scale]),
            margin,
        );
        const isSeen = box.x >= 0 && box.y >= 0 && box.x + box.width <= this.room.width && box.y + box.height <= this.room.height;
        if (isSeen) return;
        const [middle, aim] = [this.middle, { x: box.x + box.width / 2, y: box.y + box.height / 2 }];
        this.glide({ scale, x: x + middle.x - aim.x, y: y + middle.y - aim.y });
    }

    /** Screen pixels per unit of the map, at the current size. */
    get scale(): number {
        return this.unit * this.seen.scale;
    }

    /** The point of the map under a point of the frame. */
    toMap(at: Spot): Point {
        return [(at.x - this.seen.x) / this.scale, (at.y - this.seen.y) / this.scale];
    }

    get middle(): Spot {
        return { x: this.room.width / 2, y: this.room.height / 2 };
    }
}
