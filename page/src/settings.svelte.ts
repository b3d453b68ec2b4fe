/** What a person likes on this device. */

const KEY = "northrail.settings";
const usual = {
    theme: "auto" as "auto" | "light" | "dark",
    sound: false,
    hints: true,
    motion: true,
    name: "",
    level: "",
    away: [] as string[],
};
export type Settings = typeof usual;

function kept(): Partial<Settings> {
    try {
        return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
    } catch {
        return {};
    }
}

export const settings = $state<Settings>({ ...usual, ...kept() });

/** Keep and use what was changed. */
export function change(changes: Partial<Settings>): void {
    Object.assign(settings, changes);
    apply();
    try {
        localStorage.setItem(KEY, JSON.stringify(settings));
    } catch {
        // Then it lasts as long as the page.
    }
}

export function apply(): void {
    if (settings.theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = settings.theme;
    document.documentElement.classList.toggle("still", !moves());
}

export const deviceIsStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether things may move. */
export const moves = (): boolean => settings.motion && !deviceIsStill();
