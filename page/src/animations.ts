/** Cards and points that fly in an overlay to show what happened. The page underneath is already up to date. */

import type { Step } from "./protocol";
import type { Event } from "./sentences.ts";
import type { ColourOf } from "./seat-colours.ts";
import { moves } from "./settings.svelte.ts";

const FLIGHT = 520; // milliseconds

/** The screen rectangle of the element with this `data-at`; null if it is not visible. */
function box(name: string): DOMRect | null {
    const found = document.querySelector(`[data-at="${name}"]`)?.getBoundingClientRect();
    return found && found.width > 0 ? found : null;
}

function fly(make: () => HTMLElement, from: DOMRect, to: DOMRect, delay: number): void {
    const ghost = make();
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    document.body.append(ghost);
    const { offsetWidth: width, offsetHeight: height } = ghost;
    const place = (rect: DOMRect) => `translate(${rect.x + rect.width / 2 - width / 2}px, ${rect.y + rect.height / 2 - height / 2}px)`;
    ghost
        .animate(
            [
                { transform: `${place(from)} scale(1)`, opacity: 1 },
                { transform: `${place(to)} scale(.55)`, opacity: 0.9, offset: 0.9 },
                { transform: `${place(to)} scale(.4)`, opacity: 0 },
            ],
            { duration: FLIGHT, delay, easing: "cubic-bezier(.3,.7,.2,1)", fill: "both" },
        )
        .finished.finally(() => ghost.remove());
}

function cardGhost(colour: string | null): HTMLElement {
    const card = document.createElement("div");
    card.className = `card-ghost ${colour === null ? "back" : `card-face ${colour}`}`;
    if (colour !== null) card.innerHTML = `<svg viewBox="-6 -6 12 12"><use href="#sign-${colour}"/></svg>`;
    return card;
}

function pointsGhost(points: number, colour: number): HTMLElement {
    const label = document.createElement("div");
    label.className = `points-ghost seat-${colour}`;
    label.textContent = `+${points}`;
    return label;
}

/** Animate one event; cards of the seat `me` fly to or from the open hand. */
function animate(event: Event, me: number | null, colourOf: ColourOf, delay: number): void {
    const seat = event.seat ?? 0;
    const holder = seat === me ? (box("hand") ?? box(`seat-${seat}`)) : box(`seat-${seat}`);
    if (event.code === "took" || event.code === "drew") {
        const from = event.code === "took" ? box(`row-${event.place}`) : box("deck");
        if (from && holder) fly(() => cardGhost(event.colour ?? null), from, holder, delay);
    } else if (event.code === "drew_tickets" || event.code === "kept_tickets") {
        const [deck, seats] = [box("tickets"), box(`seat-${seat}`)];
        if (deck && seats && seat !== me) {
            fly(() => cardGhost(null), event.code === "drew_tickets" ? deck : seats, event.code === "drew_tickets" ? seats : deck, delay);
        }
    } else if (event.code === "claimed") {
        const [route, seats] = [box(`route-${event.route}`), box(`seat-${seat}`)];
        if (route && seats) fly(() => pointsGhost(event.points, colourOf(seat)), route, seats, delay + 500);
        if (route && holder) {
            Object.entries(event.cards).forEach(([colour], at) => fly(() => cardGhost(colour), holder, route, delay + at * 70));
        }
    }
}

/** Animate steps one after the other. */
export function animateSteps(steps: Step[], me: number | null, colourOf: ColourOf): void {
    if (!moves() || document.visibilityState !== "visible") return;
    let delay = 0;
    for (const step of steps) {
        for (const event of step.events) {
            animate(event, me, colourOf, delay);
            if (["took", "drew", "claimed"].includes(event.code)) delay += 180;
        }
    }
}
