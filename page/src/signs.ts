/** Signs of colours and shapes of seats, the same as `northrail show` draws. */

import themes from "../from-server/themes.json";

/** Every sign and shape once, to be used by its id. */
export const definitions: string = [
    ...Object.entries(themes.signs).map(([name, sign]) => `<g id="sign-${name}" class="sign">${sign}</g>`),
    ...themes.shapes.map((shape, seat) => `<g id="shape-${seat}" class="sign">${shape}</g>`),
].join("");
