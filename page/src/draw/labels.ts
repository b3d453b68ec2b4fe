/** City names are enlarged on small screens, as far as there is room. */

import type { CityDrawing } from "../protocol";
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

const SMALLER = 0.93; // two names that overlap both shrink by this factor, until they no longer do
const EDGE = 6; // units a name keeps from the edge of the map

/** How far an enlarged name must move sideways to stay on the map. */
function shiftOf(city: CityDrawing, scale: number, map: Size): number {
    const [left, right] = ends(city, scale);
    return Math.max(0, EDGE - left) + Math.min(0, map.width - EDGE - right);
}

function ends({ x, label }: CityDrawing, scale: number): [number, number] {
    return [x + (label.x - label.width / 2 - x) * scale, x + (label.x + label.width / 2 - x) * scale];
}

function boxOf(city: CityDrawing, { scale, shift }: Naming): Box {
    const [left, right] = ends(city, scale);
    const middle = city.y + (city.label.y - city.y) * scale;
    const half = city.label.size * 0.42 * scale;
    return { left: left + shift, right: right + shift, top: middle - half, bottom: middle + half };
}

const overlap = (one: Box, other: Box) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** How much each city's name is enlarged, at most `most` times, and how far it moves. Names overlap only if they already did. */
export function namings(cities: readonly CityDrawing[], most: number, map: Size): Naming[] {
    const found = cities.map((city) => ({ scale: most, shift: shiftOf(city, most, map) }));
    const smaller = (at: number) => {
        const scale = Math.max(1, found[at]!.scale * SMALLER);
        found[at] = { scale, shift: shiftOf(cities[at]!, scale, map) };
    };
    for (let again = most > 1; again;) {
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
