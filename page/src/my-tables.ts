/** The tables this device has played at, most recent first. */

const KEY = "northrail.tables";
const MOST = 60;

export function myTables(): string[] {
    try {
        const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
    } catch {
        return [];
    }
}

export function remember(table: string): void {
    store([table, ...myTables().filter((id) => id !== table)].slice(0, MOST));
}

export function forget(table: string): void {
    store(myTables().filter((id) => id !== table));
}

function store(tables: string[]): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(tables));
    } catch {
        // A device without storage can still play.
    }
}
