/** What lies under the routes: sea, coast, lakes, borders, the Arctic Circle, the title and the points for a route. */

import type { Board, Box, Layout } from "../protocol";
import { texts } from "../texts.ts";
import { COARSE, curve, STEP, type Point } from "./curve.ts";

const RAY = 7; // how wide a ray of northern lights is
const AURORA = 0.25; // how much of the sea it covers, at its brightest
const CURTAINS = 3;
const SHOALS = 3;

const n = (number: number) => String(Math.round(number * 100) / 100);
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The ground as SVG. Colours come by class, so that another theme needs no other drawing. */
export function ground(board: Board): string {
    const layout = board.layout;
    const size = `width="${n(layout.width)}" height="${n(layout.height)}"`;
    return [
        definitions(layout),
        `<g clip-path="url(#map)"><rect ${size} fill="url(#sea)"/>`,
        `<g class="aurora">${Array.from({ length: CURTAINS }, (_, at) => curtain(layout, at)).join("")}</g>`,
        coast(layout),
        circle(layout),
        "</g>",
        frame(layout),
        title(board),
        worth(board),
        ornament(layout.seats),
    ].join("");
}

function definitions(layout: Layout): string {
    const stops = [0, 1, 2, 3].map((at) => `<stop offset="${n(at / 3)}" style="stop-color:var(--sea-${at})"/>`).join("");
    const fading = (at: number) =>
        [
            [0, 0],
            [0.5, 0.3 * AURORA],
            [0.82, AURORA],
            [0.9, 0.5 * AURORA],
            [1, 0],
        ]
            .map(([part, shine]) => `<stop offset="${part}" style="stop-color:var(--aurora-${at})" stop-opacity="${n(shine!)}"/>`)
            .join("");
    const rays = Array.from(
        { length: CURTAINS },
        (_, at) =>
            `<linearGradient id="aurora-${at}" x2="0" y2="1">${fading(at)}</linearGradient>` +
            `<rect id="ray-${at}" width="${RAY}" height="${n(0.17 * layout.height)}" fill="url(#aurora-${at})" shape-rendering="crispEdges"/>`,
    ).join("");
    const land = layout.land.map((ring) => curve(ring as Point[], layout, 3)).join("");
    const shore = layout.land.map((ring) => curve(ring as Point[], layout, 0, true, COARSE)).join("");
    return (
        `<defs><linearGradient id="sea" x2=".25" y2="1">${stops}</linearGradient>${rays}` +
        `<clipPath id="map"><rect width="${n(layout.width)}" height="${n(layout.height)}"/></clipPath>` +
        `<path id="land" d="${land}"/><path id="shore" d="${shore}"/></defs>`
    );
}

/** Northern lights: rays side by side across the upper part of the map, on a hem that swings. */
function curtain(layout: Layout, number: number): string {
    const rays = Math.ceil(layout.width / RAY) + 1;
    return Array.from({ length: rays }, (_, at) => {
        const swing = 2 * Math.sin(at / 9 + 2.4 * number) + Math.sin(at / 4 + number) + 0.6 * Math.sin(at * 1.1);
        const y = layout.height * (0.085 * number - 0.03 + 0.009 * swing);
        return `<use href="#ray-${number}" x="${at * RAY}" y="${y.toFixed(0)}"/>`;
    }).join("");
}

function coast(layout: Layout): string {
    if (layout.land.length === 0) return "";
    const shoals = Array.from(
        { length: SHOALS },
        (_, depth) =>
            `<use href="#shore" fill="none" style="stroke:var(--shoal-${depth})" stroke-width="${n(((SHOALS - depth) * 9) / STEP)}"` +
            ' stroke-linejoin="round" stroke-opacity=".6"/>',
    ).join("");
    const lines = (name: string, paths: string[]) => `<path class="${name}" d="${paths.join("")}"/>`;
    return (
        `<g transform="scale(${STEP})">${shoals}<use href="#land" class="land"/>` +
        lines(
            "border",
            layout.borders.map((line) => curve(line as Point[], layout, 3, false)),
        ) +
        '<use href="#land" class="coast"/>' +
        lines(
            "lake",
            layout.lakes.map((ring) => curve(ring as Point[], layout, 40)),
        ) +
        "</g>"
    );
}

function circle(layout: Layout): string {
    if (layout.arctic_circle.length < 2) return "";
    const corners = layout.arctic_circle.map(([x, y]) => `${n(x!)},${n(y!)}`).join(" ");
    return `<polyline class="circle" points="${corners}"/>${circleName(layout)}`;
}

/** The words "Arctic Circle", along it, where there is most room. */
function circleName(layout: Layout): string {
    const labels = [...layout.cities.map((city) => city.label), ...layout.routes.flatMap((route) => route.mark ?? [])];
    const things: Box[] = [
        ...layout.routes.flatMap((route) => route.spaces.map(({ x, y }) => ({ x, y, width: 0, height: 0 }))),
        ...labels.map(({ x, y, width, height }) => ({ x: x - width / 2, y: y - height / 2, width, height })),
        ...layout.cities.map(({ x, y }) => ({ x, y, width: 0, height: 0 })),
        layout.title,
        layout.table,
        layout.seats,
    ];
    let best: { room: number; x: number; y: number; angle: number } | null = null;
    for (let at = 0; at + 1 < layout.arctic_circle.length; at++) {
        const [x, y] = layout.arctic_circle[at] as unknown as Point;
        const [u, v] = layout.arctic_circle[at + 1] as unknown as Point;
        const middle: Point = [(x + u) / 2, (y + v) / 2];
        if (middle[0] <= 90 || middle[0] >= layout.width - 90) continue;
        const room = Math.min(90, ...things.map((thing) => apart(middle, thing)));
        const angle = (Math.atan2(v - y, u - x) * 180) / Math.PI;
        if (!best || room > best.room || (room === best.room && middle[0] > best.x)) best = { room, x: middle[0], y: middle[1], angle };
    }
    if (!best) return "";
    const upright = Math.abs(best.angle) <= 90 ? best.angle : best.angle - Math.sign(best.angle) * 180;
    return (
        '<text class="circle-name" text-anchor="middle" font-size="14" letter-spacing="1.5" y="-6"' +
        ` transform="translate(${n(best.x)} ${n(best.y)}) rotate(${n(upright)})">${escaped(texts.board.arcticCircle)}</text>`
    );
}

/** How far a point is from a box; across counts half, for a name lies along. */
function apart(point: Point, box: Box): number {
    const dx = Math.max(box.x - point[0], 0, point[0] - box.x - box.width);
    const dy = Math.max(box.y - point[1], 0, point[1] - box.y - box.height);
    return Math.hypot(dx / 2, dy);
}

function frame(layout: Layout): string {
    return `<rect class="map-edge" x=".8" y=".8" width="${n(layout.width - 1.6)}" height="${n(layout.height - 1.6)}"/>`;
}

function title(board: Board): string {
    const box = board.layout.title;
    return (
        `<text class="board-title" x="${n(box.x)}" y="${n(box.y + box.height * 0.58)}" font-size="${n(box.height * 0.74)}"` +
        ` textLength="${n(box.width)}">${escaped(board.name)}</text>`
    );
}

/** What routes are worth by their length. */
function worth(board: Board): string {
    const box = board.layout.table;
    const points = Object.entries(board.rules.points);
    const longest = Math.max(...points.map(([length]) => Number(length)));
    const pitch = Math.min(14, (box.width - 70) / longest);
    const row = (box.height - 40) / points.length;
    const rows = points.map(([length, worth], at) => {
        const y = box.y + 34 + (at + 0.5) * row;
        const spaces = Array.from(
            { length: Number(length) },
            (_, space) =>
                `<rect class="worth-space" x="${n(box.x + 16 + space * pitch)}" y="${n(y - 3.5)}" width="${n(pitch - 2.5)}" height="7" rx="1.2"/>`,
        ).join("");
        return `${spaces}<text class="worth" text-anchor="end" x="${n(box.x + box.width - 16)}" y="${n(y + 5)}" font-size="15">${worth}</text>`;
    });
    return (
        `<rect class="sheet" x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}" rx="3"/>` +
        `<text class="heading" x="${n(box.x + 16)}" y="${n(box.y + 25)}" font-size="15">${escaped(texts.board.pointsForRoute)}</text>` +
        rows.join("")
    );
}

/** A sun that does not set by day, the moon and stars by night. */
function ornament(box: Box): string {
    const size = Math.min(box.width, box.height) / 2;
    const at = `transform="translate(${n(box.x + box.width / 2)} ${n(box.y + box.height / 2)})"`;
    return `<g class="by-day" ${at}>${sun(size)}</g><g class="aurora" ${at}>${moon(size)}</g>`;
}

/** Half a disc on the horizon, its rays, and the light on the water below. */
function sun(size: number): string {
    let lines = "";
    for (let at = 0; at < 25; at++) {
        const turn = (Math.PI * at) / 24;
        const [x, y] = [-Math.cos(turn) * size, -Math.sin(turn) * size];
        const end = at % 2 ? 0.62 : 0.78;
        lines += `M${n(x * 0.46)} ${n(y * 0.46)}L${n(x * end)} ${n(y * end)}`;
    }
    for (const [half, below] of [
        [0.9, 0.02],
        [0.55, 0.12],
        [0.32, 0.2],
        [0.14, 0.27],
    ]) {
        lines += `M${n(-size * half!)} ${n(size * below!)}H${n(size * half!)}`;
    }
    const r = n(size * 0.38);
    return `<path class="shine" d="M-${r} 0A${r} ${r} 0 0 1 ${r} 0Z"/><path class="rays" d="${lines}"/>`;
}

/** A crescent among stars. */
function moon(size: number): string {
    const [r, s, x, y] = [n(size * 0.34), n(size * 0.27), n(size * 0.1), n(size * 0.12)];
    let drawn = `M${x}-${r}A${r} ${r} 0 1 0 ${r} ${y}A${s} ${s} 0 1 1 ${x}-${r}Z`;
    const stars = [
        [-0.7, -0.35, 8],
        [-0.5, 0.5, 5],
        [0.55, -0.55, 6],
        [0.75, 0.3, 4],
        [-0.25, -0.7, 4],
        [0.3, 0.68, 5],
    ];
    for (const [right, down, ray] of stars as [number, number, number][]) {
        drawn += `M${n(right * size)} ${n(down * size - ray)}q0 ${ray} ${ray} ${ray}q-${ray} 0-${ray} ${ray}q0-${ray}-${ray}-${ray}q${ray} 0 ${ray}-${ray}z`;
    }
    return `<path class="shine" d="${drawn}"/>`;
}
