/** The tables this device has been at, the latest first. */

const KEY = "northrail.tables";
const MOST = 60;

export function mine(): string[] {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(kept) ? kept.filter((id): id is string => typeof id === "string") : [];
    } catch {
        return [];
    }
}

export function remember(table: string): void {
    keep([table, ...mine().filter((id) => id !== table)].slice(0, MOST));
}

export function forget(table: string): void {
    keep(mine().filter((id) => id !== table));
}

function keep(tables: string[]): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(tables));
    } catch {
        // A device that keeps nothing can still play.
    }
}
