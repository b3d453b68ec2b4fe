/** The faces of the animals that bots are, as SVG on a field of 48 by 48 with a disc behind them. */

const eye = (x: number, y: number, size = 2.2) =>
    `<circle class="dark" cx="${x}" cy="${y}" r="${size}"/><circle class="snow" cx="${x + size * 0.3}" cy="${y - size * 0.35}" r="${size * 0.3}"/>`;
const eyes = (x: number, y: number, size?: number) => eye(24 - x, y, size) + eye(24 + x, y, size);
/** A shape, and the same on the other side of the face. */
const both = (shape: string) => `${shape}<g transform="matrix(-1 0 0 1 48 0)">${shape}</g>`;

const faces = {
    puffin:
        '<path class="dark" d="M5 48C3 28 6 7 21 7c11 0 15.500 8 15.500 17 0 9-5.500 13-3.500 24z"/>' +
        '<path class="snow" d="M19 48c.5-6 5-10 12.500-11.500 1 3 1.200 7 1.500 11.500z"/>' +
        '<ellipse class="snow" cx="23.500" cy="22" rx="10.500" ry="9.500"/>' +
        '<path class="gray" d="M29.500 13c5 5 5 14 0 19.500l3.500-.3c4-5.500 4-13.400 0-18.900z"/>' +
        '<path class="yellow" d="M33 13.300c4 5.500 4 13.400 0 18.900l2.500-.8c3.400-5 3.400-12.100 0-17.100z"/>' +
        '<path class="orange" d="M35.500 14.300c6.500 2 10.500 6 11.500 11-4 .8-7.500 3-11.500 6.100 3.400-5 3.400-12.100 0-17.100z"/>' +
        '<path class="orange" d="M20.300 20.500 24 16.500l3.700 4-3.700 3.800z"/>' +
        eye(24, 20.5, 2.2),
    seal:
        '<path class="gray" d="M4 48c1-8 3-9 4-17C9 19 15 10 24 10s15 9 16 21c1 8 3 9 4 17z"/>' +
        '<ellipse class="snow" cx="24" cy="33" rx="11" ry="7.500"/>' +
        eyes(8, 23.5, 3) +
        '<path class="dark" d="M19.500 28.500c2-1.500 7-1.500 9 0 0 2.500-2.500 4-4.500 4s-4.500-1.500-4.500-4z"/>' +
        '<path class="line" d="M24 32v3.500c-1.500 1.500-4 1.500-5 .5M24 35.500c1.500 1.500 4 1.500 5 .5"/>' +
        both('<path class="line" d="M15.500 32.500 7 30.500M15.500 34.500 7 36.500"/>'),
    hare:
        both(
            '<path class="snow" d="M14.500 24C9 15 9 4 13 1.500 18 3 21 13 20.500 22z"/>' +
                '<path class="dark" d="M11 6.500C11.500 3.500 12 2 13 1.500c1.500.5 2.800 1.800 3.900 4z"/>' +
                '<path class="pink" d="M15.500 20.500C13 15 12.500 11 13.300 8c2.700 2.500 4.500 7.500 4.700 12z"/>',
        ) +
        '<path class="snow" d="M24 17c9 0 13.500 6.500 13.500 13.500S32 45 24 45s-13.500-7.500-13.500-14.500S15 17 24 17z"/>' +
        eyes(6.5, 28) +
        '<path class="pink" d="M21 33.500h6c0 2-1.500 3.500-3 3.500s-3-1.500-3-3.500z"/>' +
        '<path class="line" d="M24 37v2c-1 1.500-3 1.500-4 .5M24 39c1 1.500 3 1.500 4 .5"/>',
    squirrel:
        both(
            '<path class="russet" d="M10 22C8 14 9 6 11 2.500c4 3 8 7 10 13z"/><path class="fur-on" d="M10 10c0-3 .3-5.500 1-7.500 2 1.500 3.500 3 5 4.700z"/>',
        ) +
        '<path class="russet" d="M24 12c10 0 16 7 16 15 0 9-7 16.500-16 16.500S8 36 8 27c0-8 6-15 16-15z"/>' +
        both('<path class="snow" d="M24 43.500c-8 0-13-4.500-14.500-9.500 4-4 10-5 14.500-1z"/>') +
        both('<circle class="snow" cx="15.500" cy="25" r="4.200"/>') +
        eyes(8.5, 25, 2.8) +
        '<path class="dark" d="M21.500 31h5c0 2-1.200 3-2.500 3s-2.500-1-2.500-3z"/>' +
        '<path class="line" d="M24 34v2.500"/><path class="snow" d="M22.200 36.500h3.600v3.500h-3.600z"/>',
    reindeer:
        both(
            '<path class="antler" d="M18 17C15 12 9 12 6 6M11.500 11.500C11 8 11.500 5 13.500 2M7.500 8.500C5.500 9 4 8.500 2.500 7"/>' +
                '<path class="fur-on" d="M17 20C12 16 7 16 4.500 18.500 7 23.500 12 25 16.500 24z"/>',
        ) +
        '<path class="fur" d="M24 13c7 0 10 5 9.500 12-.4 6-1.500 10-2.500 14-1 5-4 7-7 7s-6-2-7-7c-1-4-2.100-8-2.500-14-.5-7 2.500-12 9.500-12z"/>' +
        '<path class="snow" d="M24 32c5 0 7 3 7 6.500 0 5-3.500 7.500-7 7.500s-7-2.500-7-7.500c0-3.500 2-6.500 7-6.500z"/>' +
        eyes(5.8, 24) +
        '<ellipse class="red" cx="24" cy="36.500" rx="4" ry="3"/>' +
        '<path class="line" d="M24 39.500v1.500c-1 1.200-2.500 1.200-3.500.5M24 41c1 1.200 2.500 1.200 3.500.5"/>',
    otter:
        both('<circle class="fur-on" cx="9.500" cy="18" r="4.500"/><circle class="fur" cx="10" cy="18.500" r="2.200"/>') +
        '<path class="fur-on" d="M24 9c11 0 17 8 17 17S34 44 24 44 7 35 7 26 13 9 24 9z"/>' +
        '<path class="fur" d="M24 25c9 0 14 4 14 8.500C36 40 30.500 44 24 44s-12-4-14-10.500C10 29 15 25 24 25z"/>' +
        eyes(8, 22) +
        '<path class="dark" d="M18.500 25c2-2 9-2 11 0 0 3.500-3 5.500-5.500 5.500s-5.500-2-5.500-5.500z"/>' +
        '<path class="line" d="M24 30.500v3c-1.800 2-5 2-6.500.5M24 33.500c1.800 2 5 2 6.500.5"/>' +
        both('<path class="pale" d="M15.500 31.500 6 29.500M15.500 34 6.500 36"/>'),
    lynx:
        both(
            '<path class="fur" d="M9 25C7 16 7 9 8.500 5.500 14 8 19 12 21.500 17z"/>' +
                '<path class="dark" d="M7.600 11C7.500 6 7 3 6.500 .5 9 2.500 11.500 5 13.500 8z"/>' +
                '<path class="snow" d="M6 40c-.5-5 .5-10 4-14l8 12c-4 3-8 3.500-12 2z"/>',
        ) +
        '<path class="fur" d="M24 13c9 0 14.500 6 14.500 14S32.500 43.500 24 43.500 9.500 35 9.500 27 15 13 24 13z"/>' +
        '<path class="snow" d="M24 30c6 0 9 2.500 9 6.500s-4 7-9 7-9-3-9-7 3-6.500 9-6.500z"/>' +
        both('<path class="fur-on" d="M21 15l1 5.500 1-5.500zM15.500 17l3 4-1-5zM11 29l5 1-5 1.200zM12 33l4.500-.8-3.500 2.600z"/>') +
        both(
            '<path class="yellow" d="M13.500 26c2-2.500 5.500-2.500 7 .5-2 2-5.500 2-7-.5z"/><ellipse class="dark" cx="17.300" cy="26" rx="1" ry="1.900"/>',
        ) +
        '<path class="dark" d="M21 31.500h6c0 2-1.500 3.500-3 3.500s-3-1.500-3-3.500z"/>' +
        '<path class="line" d="M24 35v1.500c-1.300 1.500-3.500 1.500-4.500.5M24 36.500c1.300 1.500 3.500 1.500 4.500.5"/>',
    fox:
        both(
            '<path class="orange" d="M7 24C4 15 4 7 6 3c6 2 12 6.500 14.500 12z"/><path class="dark" d="M8.500 17C7 12.500 7 9 8 7c3.200 1.400 6 3.600 7.800 6z"/>',
        ) +
        '<path class="orange" d="M24 11c9 0 17 6 18.500 15C37 34 30 40 24 45.500 18 40 11 34 5.500 26 7 17 15 11 24 11z"/>' +
        both('<path class="snow" d="M5.500 26c6-2.500 12 0 15.500 8.500l3 11C18 40 11 34 5.500 26z"/>') +
        eyes(7.5, 24.5) +
        '<path class="dark" d="M20.500 38.500c1.500-1.500 5.500-1.500 7 0-.5 3.500-2 5.500-3.500 7-1.500-1.500-3-3.500-3.500-7z"/>',
    owl:
        '<path class="snow" d="M24 5c12 0 18.500 8 18.500 20 0 9-2 16-4 23h-29c-2-7-4-14-4-23C5.500 13 12 5 24 5z"/>' +
        '<path class="gray" d="M20 8.500l1.500 3 1.500-3zM25 8.500l1.500 3 1.500-3zM22.500 12.500l1.500 3 1.500-3zM13 11.500l1.500 3 1.500-3zM32 11.500l1.500 3 1.500-3zM13 40l2 3.500 2-3.500zM31 40l2 3.500 2-3.500zM22 41l2 3.500 2-3.500zM17.500 44.500l1.700 3 1.700-3zM27 44.500l1.700 3 1.700-3z"/>' +
        both('<circle class="pale-disc" cx="15.500" cy="24.500" r="8.500"/><circle class="yellow" cx="15.800" cy="24.500" r="5.500"/>') +
        eyes(8, 24.5, 3) +
        '<path class="dark" d="M24 27c2.200 1.500 3 3.500 2.500 6-.5 2-1.500 3-2.500 4-1-1-2-2-2.500-4-.5-2.500.3-4.500 2.500-6z"/>' +
        both('<path class="brow" d="M22 20.500c-3-3.500-7-5-12-4.500"/>'),
    bear:
        both('<circle class="snow" cx="11" cy="14" r="6"/><circle class="gray" cx="11.500" cy="14.500" r="3"/>') +
        '<path class="snow" d="M24 8c11 0 16.500 8 16.500 17.500C40.500 36 34 45 24 45S7.500 36 7.500 25.500C7.500 16 13 8 24 8z"/>' +
        '<path class="pale-disc" d="M24 26c6.500 0 9.500 4 9.500 9s-4 9-9.500 9-9.500-4-9.500-9 3-9 9.500-9z"/>' +
        eyes(7.5, 23, 2) +
        '<path class="dark" d="M19 30c1.500-2 8.500-2 10 0 .5 3.500-3 5.500-5 5.500s-5.500-2-5-5.500z"/>' +
        '<path class="line" d="M24 35.500v2.500c-1.500 2-4 2-5.500.8M24 38c1.500 2 4 2 5.500.8"/>',
};

/** The markup of an animal’s face; empty for an animal without one. */
export const faceOf = (animal: string): string => (faces as Record<string, string>)[animal] ?? "";

/** The animal that a bot is, such as "puffin"; empty for people. Bots of older tables may be animals without a face. */
export const animalOf = (seat: { who: string; name?: string | null }): string =>
    seat.who === "bot" ? (seat.name ?? "").replace(/ \d+$/, "").toLowerCase() : "";
