/** A person's preferences on this device. */

import type { Speed } from "./table-plan.ts";

const KEY = "northrail.settings";
const DEFAULTS = {
    theme: "auto" as "auto" | "light" | "dark",
    sound: false,
    tips: true,
    motion: true,
    /** Whether to ask before a choice that costs much, where hints are allowed. */
    tutor: false,
    name: "",
    /** The colour of your trains, 0 to 4. */
    colour: 0,
    level: "",
    speed: "normal" as Speed,
    /** Whether to offer bots for study besides the levels for people. */
    study: false,
    /** Tips that were dismissed one by one. */
    dismissed: [] as string[],
};
export type Settings = typeof DEFAULTS;

function stored(): Partial<Settings> {
    try {
        return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
    } catch {
        return {};
    }
}

export const settings = $state<Settings>({ ...DEFAULTS, ...stored() });

/** Apply changes and store them. */
export function change(changes: Partial<Settings>): void {
    Object.assign(settings, changes);
    apply();
    try {
        localStorage.setItem(KEY, JSON.stringify(settings));
    } catch {
        // Without storage, the settings last until the page is closed.
    }
}

export function apply(): void {
    if (settings.theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = settings.theme;
    document.documentElement.classList.toggle("still", !moves());
}

export const prefersReducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether to animate. */
export const moves = (): boolean => settings.motion && !prefersReducedMotion();
