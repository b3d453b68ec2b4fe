/** What routes look like and where they can be touched. */

import type { Board, Layout, Route, Space } from "../protocol";
import { texts } from "../texts.ts";
import type { Point } from "./curve.ts";

/** The angle of a space, turned so that nothing stands on its head. */
export function tilt(space: Space): number {
    const angle = ((space.angle % 180) + 180) % 180;
    return angle > 90 ? angle - 180 : angle;
}

/** The line of a route from city to city through its spaces. */
export function track(board: Board, route: number): Point[] {
    const place = placeOf(board.layout, route);
    const [from, to] = board.routes[route]!.cities.map((name) => cityAt(board.layout, name));
    return [from!, ...place.spaces.map(({ x, y }): Point => [x, y]), to!];
}

export const placeOf = (layout: Layout, route: number) => layout.routes.find((place) => place.number === route)!;

export function cityAt(layout: Layout, name: string): Point {
    const city = layout.cities.find((place) => place.name === name)!;
    return [city.x, city.y];
}

/** The middle line of a route's spaces, from the outer end of the first to that of the last. */
export function core(layout: Layout, route: number): Point[] {
    const spaces = placeOf(layout, route).spaces;
    const ends = (space: Space): [Point, Point] => {
        const turn = (space.angle * Math.PI) / 180;
        const [dx, dy] = [(Math.cos(turn) * space.length) / 2.6, (Math.sin(turn) * space.length) / 2.6];
        return [
            [space.x - dx, space.y - dy],
            [space.x + dx, space.y + dy],
        ];
    };
    const [first, last] = [spaces[0]!, spaces.at(-1)!];
    if (first === last) return ends(first);
    const outer = (space: Space, next: Space) =>
        ends(space).toSorted(
            (one, other) => Math.hypot(other[0] - next.x, other[1] - next.y) - Math.hypot(one[0] - next.x, one[1] - next.y),
        )[0]!;
    return [outer(first, spaces[1]!), ...spaces.map(({ x, y }): Point => [x, y]), outer(last, spaces.at(-2)!)];
}

/** Waves before and behind the sign of a ferry's space, where there is room. */
export function waves(space: Space): string | null {
    const reach = space.length / 2 - 5;
    if (reach < 10) return null;
    const step = (reach - 6.5) / 2;
    const wave = `q${step / 2}-2 ${step} 0t${step} 0`;
    return `M${-reach} 0${wave}M6.5 0${wave}`;
}

/** How many cards stand in for one, where the board says so beside the route: "4:1". */
export function swapOf(route: Route): number | null {
    return route.ferry ? null : route.substitute;
}

/** A route in words: "Bergen–Oslo blue, 4 spaces, 7 points, tunnel" */
export function routeWords(route: Route, taken: string | null = null): string {
    const parts = [route.name, texts.spaces(route.length), texts.points(route.points)];
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

/** The routes a finger at a point may mean, the nearest first. A fingertip is wide: `reach` says how wide on the board. */
export function touched(board: Board, routes: readonly number[], point: Point, reach: number): number[] {
    return routes
        .map((route) => {
            const spaces = placeOf(board.layout, route).spaces.map(({ x, y }): Point => [x, y]);
            const line = spaces.length > 1 ? spaces : track(board, route);
            return { route, far: distance(point, line) };
        })
        .filter(({ far }) => far <= reach)
        .sort((one, other) => one.far - other.far)
        .map(({ route }) => route);
}
