/** Routes side by side between the same two cities. */

import type { Board } from "../protocol";
import { texts } from "../texts.ts";

/** The cities that this many routes join, by name. */
export function parallelCities(board: Board, size: number): string[] {
    const counts = new Map<string, { cities: readonly string[]; count: number }>();
    for (const { cities } of board.routes) {
        const key = cities.toSorted().join();
        counts.set(key, { cities, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return [...counts.values()].filter(({ count }) => count === size).map(({ cities }) => texts.between(cities));
}
