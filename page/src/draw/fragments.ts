/** Completes the pieces the server draws: the page fills in the captions of the map and the colours of trains. */

import type { Drawing } from "../protocol";
import { texts } from "../texts.ts";

const filled = (fragment: string, values: Record<string, string>) => fragment.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

export const groundOf = (drawing: Drawing): string =>
    filled(drawing.ground, { arctic_circle: texts.board.arcticCircle, points_for_a_route: texts.board.pointsForRoute });

export const trainOf = (drawing: Drawing, route: number, colour: number): string =>
    filled(drawing.routes[route]!.train, { seat: `${colour}` });
