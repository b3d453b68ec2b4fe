/** Names of cities made larger where the map is small, as far as there is room. */

import type { CityPlace } from "../protocol";
import type { Size } from "../zoom.ts";

interface Box {
    left: number;
    right: number;
    top: number;
    bottom: number;
}
export interface Naming {
    scale: number;
    shift: number;
}

const SMALLER = 0.93; // of two names that overlap, each time both
const EDGE = 6; // from the edge of the map

/** How far a name that is made larger around its city must move to stay on the map. */
function shiftOf(city: CityPlace, scale: number, map: Size): number {
    const [left, right] = ends(city, scale);
    return Math.max(0, EDGE - left) + Math.min(0, map.width - EDGE - right);
}

function ends({ x, label }: CityPlace, scale: number): [number, number] {
    return [x + (label.x - label.width / 2 - x) * scale, x + (label.x + label.width / 2 - x) * scale];
}

function boxOf(city: CityPlace, { scale, shift }: Naming): Box {
    const [left, right] = ends(city, scale);
    const middle = city.y + (city.label.y - city.y) * scale;
    const half = city.label.size * 0.42 * scale;
    return { left: left + shift, right: right + shift, top: middle - half, bottom: middle + half };
}

const overlap = (one: Box, other: Box) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** For each city how much larger its name is, at most `wish`, and how far it moves; no two names overlap that need not. */
export function namings(cities: readonly CityPlace[], wish: number, map: Size): Naming[] {
    const found = cities.map((city) => ({ scale: wish, shift: shiftOf(city, wish, map) }));
    const smaller = (at: number) => {
        const scale = Math.max(1, found[at]!.scale * SMALLER);
        found[at] = { scale, shift: shiftOf(cities[at]!, scale, map) };
    };
    for (let again = wish > 1; again;) {
        again = false;
        const boxes = cities.map((city, at) => boxOf(city, found[at]!));
        for (let one = 0; one < cities.length; one++) {
            for (let other = one + 1; other < cities.length; other++) {
                if (!overlap(boxes[one]!, boxes[other]!) || (found[one]!.scale === 1 && found[other]!.scale === 1)) continue;
                smaller(one);
                smaller(other);
                again = true;
            }
        }
    }
    return found;
}
