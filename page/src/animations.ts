/** Cards, tickets and points that fly to where they end up. The place they fly to counts them once they land. */

import { SvelteMap } from "svelte/reactivity";
import type { Step } from "./protocol";
import type { Event } from "./sentences.ts";
import { moves } from "./settings.svelte.ts";

const FLIGHT = 520; // milliseconds
const GAP = 180; // between the starts of two flights
const LONGEST = 600; // until the last flight of several moves starts
const MOST = 8; // in the air at once; when bots move faster than that, the rest arrives right away

/** [place] -> how much is still in the air on its way there */
const inFlight = new SvelteMap<string, number>();
const flights = new Set<Animation>();

/** What a place shows of an amount: everything but what is still on its way there. */
export const landed = (place: string, amount: number): number => Math.max(0, amount - (inFlight.get(place) ?? 0));

/** End all flights: the screen closes, or someone else looks at it. */
export function landAll(): void {
    for (const flight of flights) flight.cancel();
}

type Cargo = [place: string, amount: number][];

function load(cargo: Cargo, sign: 1 | -1): void {
    for (const [place, amount] of cargo) inFlight.set(place, (inFlight.get(place) ?? 0) + sign * amount);
}

/** The screen rectangle of the first of these `data-at` places that is visible. */
function box(...names: string[]): DOMRect | null {
    for (const name of names) {
        const found = document.querySelector(`[data-at="${name}"]`)?.getBoundingClientRect();
        if (found && found.width > 0) return found;
    }
    return null;
}

function fly(ghost: HTMLElement, from: DOMRect, to: DOMRect, delay: number, cargo: Cargo): void {
    if (flights.size >= MOST) return;
    ghost.classList.add("ghost");
    ghost.style.opacity = "0"; // until its flight begins
    ghost.setAttribute("aria-hidden", "true");
    document.body.append(ghost);
    const { offsetWidth: width, offsetHeight: height } = ghost;
    const place = (rect: DOMRect) => `translate(${rect.x + rect.width / 2 - width / 2}px, ${rect.y + rect.height / 2 - height / 2}px)`;
    const scale = Math.min(1, Math.max(0.35, to.height / height));
    const flight = ghost.animate(
        [
            { transform: `${place(from)} scale(1)`, opacity: 1 },
            { transform: `${place(to)} scale(${scale})`, opacity: 1 },
        ],
        { duration: FLIGHT, delay, easing: "cubic-bezier(.3,.7,.2,1)", fill: "forwards" },
    );
    flights.add(flight);
    load(cargo, 1);
    flight.onfinish = flight.oncancel = () => {
        if (!flights.delete(flight)) return;
        load(cargo, -1);
        ghost.remove();
    };
}

function cardGhost(colour: string | null): HTMLElement {
    const card = document.createElement("div");
    card.className = `card-ghost ${colour === null ? "card-back" : `card-face ${colour}`}`;
    if (colour !== null) card.innerHTML = `<svg viewBox="-6 -6 12 12"><use href="#sign-${colour}"/></svg>`;
    return card;
}

function ticketGhost(): HTMLElement {
    const ticket = document.createElement("div");
    ticket.className = "card-ghost ticket-back";
    return ticket;
}

function pointsGhost(points: number, colour: number): HTMLElement {
    const label = document.createElement("div");
    label.className = `points-ghost seat-${colour}`;
    label.textContent = `+${points}`;
    return label;
}

/** Animate one event; cards of the seat `me` fly to or from the open hand. */
function animate(event: Event, me: number | null, colourOf: (seat: number) => number, delay: number): void {
    const seat = event.seat ?? 0;
    if (event.code === "took" || event.code === "drew") {
        const colour = event.colour ?? null;
        const from = event.code === "took" ? box(`row-${event.place}`) : box("deck");
        const isOpen = seat === me && colour !== null;
        const to = isOpen ? box(`hand-${colour}`, `cards-${seat}`) : box(`cards-${seat}`);
        const cargo: Cargo = [[`cards-${seat}`, 1]];
        if (isOpen) cargo.push([`hand-${colour}`, 1]);
        if (from && to) fly(cardGhost(colour), from, to, delay, cargo);
    } else if (event.code === "kept_tickets") {
        const [from, to, count] = [box("tickets"), box(`tickets-${seat}`), event.tickets?.length ?? event.count];
        if (from && to && count) fly(ticketGhost(), from, to, delay, [[`tickets-${seat}`, count]]);
    } else if (event.code === "claimed") {
        const [route, points] = [box(`route-${event.route}`), box(`points-${seat}`)];
        if (!route) return;
        Object.keys(event.cards).forEach((colour, at) => {
            const from = seat === me ? box(`hand-${colour}`, "hand", `cards-${seat}`) : box(`cards-${seat}`);
            if (from) fly(cardGhost(colour), from, route, delay + at * 70, []);
        });
        if (points) fly(pointsGhost(event.points, colourOf(seat)), route, points, delay + FLIGHT, [[`points-${seat}`, event.points]]);
    }
}

const ANIMATED = ["took", "drew", "kept_tickets", "claimed"];

/** Animate what happened, one event after the other. */
export function animateSteps(steps: Step[], me: number | null, colourOf: (seat: number) => number): void {
    if (!moves() || document.visibilityState !== "visible") return;
    const events = steps.flatMap((step) => step.events).filter((event) => ANIMATED.includes(event.code));
    const gap = Math.min(GAP, LONGEST / events.length);
    events.forEach((event, at) => animate(event, me, colourOf, at * gap));
}
