/** Which screen an address shows, and the addresses of screens. */

export type Screen =
    | { name: "home" }
    | { name: "new" }
    | { name: "rules" }
    | { name: "learn" }
    | { name: "statistics" }
    | { name: "table"; table: string; key: string | null }
    | { name: "replay"; table: string }
    | { name: "review"; table: string }
    | { name: "not found" };

export function screenAt(path: string, hash = ""): Screen {
    const parts = path.split("/").filter(Boolean);
    const [head, table, tail] = parts;
    if (head === undefined) return { name: "home" };
    if (parts.length === 1 && (head === "new" || head === "rules" || head === "learn" || head === "statistics")) return { name: head };
    if (head === "t" && table && /^[a-z0-9]{10}$/.test(table)) {
        if (parts.length === 2) return { name: "table", table, key: keyIn(hash) };
        if (parts.length === 3 && (tail === "replay" || tail === "review")) return { name: tail, table };
    }
    return { name: "not found" };
}

/** The screen at the current address. A seat key is removed from the address at once: anyone who sees it can take the seat. */
export function currentScreen(): Screen {
    const screen = screenAt(location.pathname, location.hash);
    if (screen.name === "table" && screen.key !== null) history.replaceState(history.state, "", location.pathname);
    return screen;
}

/** The key of a personal seat link. */
function keyIn(hash: string): string | null {
    return /^#seat=([A-Za-z0-9_-]{22})$/.exec(hash)?.[1] ?? null;
}

export const rulesPath = (board: string) => `/rules#${board}`;
export const tablePath = (table: string) => `/t/${table}`;
export const replayPath = (table: string) => `/t/${table}/replay`;
export const reviewPath = (table: string) => `/t/${table}/review`;
