/** Lines with rounded corners as SVG paths, in the way of `northrail show`. */

import type { Size } from "../zoom.ts";

export type Point = readonly [number, number];

export const STEP = 0.5; // coasts are drawn to half a unit, in whole numbers
const FINE = 1.4; // bends of the coast that are shorter are left out
export const COARSE = 8; // and so in shallow water: wide strokes along every fjord take a browser seconds

const apart = (one: Point, other: Point) => Math.hypot(one[0] - other[0], one[1] - other[1]);

/** A line with its corners rounded; outside the map corners stay as they are. */
export function curve(points: readonly Point[], map: Size, radius: number, closed = true, fine = FINE): string {
    const thin: Point[] = [];
    for (const point of points) if (thin.length === 0 || apart(point, thin.at(-1)!) >= fine) thin.push(point);
    if (thin.length < 3) return "";
    const count = thin.length;
    const bends = thin
        .map((here, at) => {
            const before = thin[(at + count - 1) % count]!;
            const after = thin[(at + 1) % count]!;
            return { into: toward(here, before, radius, map), here, out: toward(here, after, radius, map) };
        })
        .slice(closed ? 0 : 1, closed ? undefined : -1);
    const pen = new Pen(closed ? bends[0]!.into : thin[0]!);
    for (const bend of bends) {
        pen.line(bend.into);
        pen.bend(bend.here, bend.out);
    }
    if (!closed) pen.line(thin.at(-1)!);
    return pen.path + (closed ? "z" : "");
}

/** A point at most half way and at most so far on the way; none of it outside the map. */
function toward(here: Point, there: Point, most: number, map: Size): Point {
    if (!(0 < here[0] && here[0] < map.width && 0 < here[1] && here[1] < map.height)) return here;
    const part = Math.min(0.5, most / (apart(here, there) || 1));
    return [here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])];
}

const grid = (point: Point): Point => [Math.round(point[0] / STEP), Math.round(point[1] / STEP)];

/** Writes a path in whole steps, each from where the last one ended. */
class Pen {
    private at: Point;
    path: string;

    constructor(start: Point) {
        this.at = grid(start);
        this.path = `M${this.at[0]} ${this.at[1]}`;
    }

    line(point: Point): void {
        this.write("l", [grid(point)]);
    }

    bend(corner: Point, point: Point): void {
        this.write("q", [grid(corner), grid(point)]);
    }

    private write(letter: string, points: Point[]): void {
        const end = points.at(-1)!;
        if (end[0] === this.at[0] && end[1] === this.at[1]) return;
        const steps = points.flatMap((point) => [point[0] - this.at[0], point[1] - this.at[1]]);
        this.path += letter + steps.join(" ");
        this.at = end;
    }
}
