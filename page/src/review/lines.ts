/** The two lines of a review’s graph. */

import type { ReviewStep, Summary } from "../protocol";

/** How many choices were made before, and the value then. */
export type Point = readonly [at: number, value: number];

export interface Lines {
    /** As far as the seat could know. */
    known: Point[];
    /** With all cards open. */
    open: Point[];
    /** The largest value that the graph shows; the smallest is its negative, or 0 for a chance to win. */
    most: number;
}

const LEAST_SCALE = 10; // points

export function linesOf(steps: readonly ReviewStep[], seat: number, summary: Summary | null, isWins: boolean): Lines {
    const known: Point[] = [];
    const open: Point[] = [];
    for (const step of steps) {
        open.push([step.number, (isWins ? step.open_win : step.open)[seat]!]);
        const value = isWins ? step.known_win : step.known;
        if (step.seat === seat && value !== null) known.push([step.number, value]);
    }
    if (summary) {
        const end: Point = [steps.length, (isWins ? summary.wins : summary.result)[seat]!];
        known.push(end);
        open.push(end);
    }
    const most = isWins ? 1 : Math.max(LEAST_SCALE, ...[...known, ...open].map(([, value]) => Math.abs(value)));
    return { known, open, most: isWins ? 1 : Math.ceil(most / 10) * 10 };
}

/** Where a value is, as a share of the height from the top. */
export const heightOf = (value: number, most: number, isWins: boolean): number => (isWins ? 1 - value / most : 0.5 - value / most / 2);

/** The points of an SVG polyline in a square of 100 by 100. */
export const polyline = (points: readonly Point[], total: number, most: number, isWins: boolean): string =>
    points.map(([at, value]) => `${(100 * at) / Math.max(1, total)},${100 * heightOf(value, most, isWins)}`).join(" ");

/** The last value of a line at or before a place. */
export const valueAt = (points: readonly Point[], at: number): number | null => points.findLast(([from]) => from <= at)?.[1] ?? null;
