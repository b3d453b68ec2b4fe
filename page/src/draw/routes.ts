/** Routes on the map: their lines, their names, and which of them a tap selects. */

import type { Board, Drawing } from "../protocol";
import { routeName } from "../sentences.ts";
import { texts } from "../texts.ts";

export type Point = readonly [number, number];

/** The line through the middle of a route's spaces, from end to end. */
export const lineOf = (drawing: Drawing, route: number): readonly Point[] => drawing.routes[route]!.line;

/** The middle of a route's line. */
export function midpoint(drawing: Drawing, route: number): Point {
    const line = lineOf(drawing, route);
    const [one, other] = [line[Math.floor((line.length - 1) / 2)]!, line[Math.ceil((line.length - 1) / 2)]!];
    return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
}

/** The line of a route from city to city. */
export function track(board: Board, route: number): Point[] {
    const [from, to] = board.routes[route]!.cities.map((name): Point => {
        const city = board.drawing.cities.find((each) => each.name === name)!;
        return [city.x, city.y];
    });
    return [from!, ...lineOf(board.drawing, route).slice(1, -1), to!];
}

/** The outline of a line at a distance, round at both ends, as an SVG path. */
export function outline(line: readonly Point[], far: number): string {
    const side = (points: readonly Point[]) =>
        points.map(([x, y], at): Point => {
            const [[ax, ay], [bx, by]] = [points[Math.max(0, at - 1)]!, points[Math.min(points.length - 1, at + 1)]!];
            const part = far / (Math.hypot(bx - ax, by - ay) || 1);
            return [x + (by - ay) * part, y - (bx - ax) * part];
        });
    const run = (points: Point[]) => points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    const [there, back] = [side(line), side(line.toReversed())];
    const turn = `A${far} ${far} 0 0 1 `;
    return `M${run(there)}${turn}${run(back)}${turn}${run(there.slice(0, 1))}Z`;
}

/** A route in words: "Bergen–Oslo blue, 4 spaces, 7 points, tunnel". */
export function routeWords(board: Board, number: number, taken: string | null = null): string {
    const route = board.routes[number]!;
    const parts = [routeName(board, number), texts.spaces(route.length), texts.points(route.points)];
    if (route.tunnel) parts.push(texts.board.tunnel);
    if (route.ferry) parts.push(texts.board.ferry(route.locomotives));
    if (route.draw_bonus) parts.push(texts.board.drawBonus(route.draw_bonus));
    if (taken !== null) parts.push(texts.board.takenBy(taken));
    return parts.join(", ");
}

/** How far a point is from a line of points. */
export function distance(point: Point, line: readonly Point[]): number {
    let least = Infinity;
    for (let at = 0; at + 1 < line.length; at++) least = Math.min(least, toSegment(point, line[at]!, line[at + 1]!));
    return least;
}

function toSegment([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
    const [dx, dy] = [bx - ax, by - ay];
    const part = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}

/** The routes within `reach` of a point, the nearest first. */
export function touched(drawing: Drawing, routes: readonly number[], point: Point, reach: number): number[] {
    return routes
        .map((route) => ({ route, far: distance(point, lineOf(drawing, route)) }))
        .filter(({ far }) => far <= reach)
        .sort((one, other) => one.far - other.far)
        .map(({ route }) => route);
}
