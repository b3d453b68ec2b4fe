/** The symbols of card colours and the shapes of seats, the same ones that `northrail show` draws. */

import themes from "../from-server/themes.json";

/** SVG definitions of every symbol and shape, for `<use href="#sign-red">` and the like. */
export const symbolDefinitions: string = [
    ...Object.entries(themes.signs).map(([name, sign]) => `<g id="sign-${name}" class="sign">${sign}</g>`),
    ...themes.shapes.map((shape, seat) => `<g id="shape-${seat}" class="sign">${shape}</g>`),
].join("");
