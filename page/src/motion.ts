/** Things that fly over the page to show what happened. The page below already stands as it will be. */

import type { Event, Step } from "./protocol";
import { moves } from "./settings.svelte.ts";

const FLIGHT = 520;

/** Where something is on the screen, by the name its element carries in `data-at`. */
function box(name: string): DOMRect | null {
    const found = document.querySelector(`[data-at="${CSS.escape(name)}"]`)?.getBoundingClientRect();
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

function wordGhost(word: string, seat: number): HTMLElement {
    const said = document.createElement("div");
    said.className = `word-ghost seat-${seat}`;
    said.textContent = word;
    return said;
}

/** Show what an event did; `me` is whose hand lies open. */
function show(event: Event, me: number | null, delay: number): void {
    const seat = event.seat ?? 0;
    const whose = seat === me ? (box("hand") ?? box(`seat-${seat}`)) : box(`seat-${seat}`);
    if (event.event === "take" || event.event === "blind") {
        const from = event.event === "take" ? box(`row-${event.place}`) : box("deck");
        if (from && whose) fly(() => cardGhost(event.colour ?? null), from, whose, delay);
    } else if (event.event === "offered" || event.event === "kept") {
        const [deck, seats] = [box("tickets"), box(`seat-${seat}`)];
        if (deck && seats && seat !== me) {
            fly(() => cardGhost(null), event.event === "offered" ? deck : seats, event.event === "offered" ? seats : deck, delay);
        }
    } else if (event.event === "claim") {
        const [route, seats] = [box(`route-${event.route}`), box(`seat-${seat}`)];
        if (route && seats) fly(() => wordGhost(`+${event.points}`, seat), route, seats, delay + 500);
        if (route && whose && event.paid) {
            Object.entries(event.paid).forEach(([colour], at) => fly(() => cardGhost(colour), whose, route, delay + at * 70));
        }
    }
}

/** Show the steps one after the other. */
export function showSteps(steps: Step[], me: number | null): void {
    if (!moves() || document.visibilityState !== "visible") return;
    let delay = 0;
    for (const step of steps) {
        for (const event of step.events) {
            show(event, me, delay);
            if (["take", "blind", "claim"].includes(event.event)) delay += 180;
        }
    }
}
