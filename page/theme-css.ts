/** Colours of the themes as CSS variables, so that no colour stands in the page's own styles. */

export type Theme = Record<string, unknown> & { sea: string[]; aurora: string[]; cards: Record<string, string[]>; seats: string[][] };

const PLAIN = [
    "paper",
    "ink",
    "faint",
    "accent",
    "land",
    "lake",
    "coast",
    "border",
    "circle",
    "halo",
    "panel",
    "line",
    "edge",
    "rock",
    "cut",
    "water",
    "wagon",
];
const PAIRS = ["city", "arctic", "mark"];

export function variables(theme: Theme): string {
    const lines: [string, string][] = PLAIN.map((name) => [name, theme[name] as string]);
    for (const name of PAIRS) {
        const [surface, on] = theme[name] as string[];
        lines.push([name, surface!], [`${name}-on`, on!]);
    }
    theme.sea.forEach((colour, at) => lines.push([`sea-${at}`, colour]));
    (theme.shoals as string[]).forEach((colour, at) => lines.push([`shoal-${at}`, colour]));
    for (const [name, [surface, on]] of Object.entries(theme.cards)) lines.push([`card-${name}`, surface!], [`card-${name}-on`, on!]);
    theme.seats.forEach(([surface, on], seat) => lines.push([`seat-${seat}`, surface!], [`seat-${seat}-on`, on!]));
    return lines.map(([name, value]) => `--${name}:${value};`).join("");
}

/** Light by default, dark where the device or the person asks for it. */
export function themeCss(themes: { light: Theme; dark: Theme }): string {
    const light = `color-scheme:light;--night:0;${variables(themes.light)}`;
    const dark = `color-scheme:dark;--night:1;${variables(themes.dark)}`;
    return (
        `:root{${light}}:root[data-theme=dark]{${dark}}` +
        `@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}` +
        aurora(themes.dark.aurora)
    );
}

function aurora(colours: string[]): string {
    const shown =
        "@media(prefers-color-scheme:dark){:root:not([data-theme=light]) .aurora{display:inline}}:root[data-theme=dark] .aurora{display:inline}";
    return `.aurora{display:none}${shown}:root{${colours.map((colour, at) => `--aurora-${at}:${colour};`).join("")}}`;
}
