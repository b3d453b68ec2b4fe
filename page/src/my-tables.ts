/** The tables this device has played at, most recent first, and its seats there. */

const KEY = "northrail.tables";
const MOST = 60;

interface MyTable {
    id: string;
    seats: number[];
}

function stored(): MyTable[] {
    try {
        const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(found) ? found.map(parsed).filter((each) => each !== null) : [];
    } catch {
        return [];
    }
}

/** Earlier versions of the page stored only the id. */
function parsed(each: unknown): MyTable | null {
    if (typeof each === "string") return { id: each, seats: [] };
    const { id, seats } = (each ?? {}) as Partial<MyTable>;
    return typeof id === "string" && Array.isArray(seats) ? { id, seats } : null;
}

export const myTables = (): string[] => stored().map((table) => table.id);

/** The seats of this device at a table; none if it is not known. */
export const mySeats = (table: string): number[] => stored().find((each) => each.id === table)?.seats ?? [];

export function remember(id: string, seats: number[] = mySeats(id)): void {
    store([{ id, seats }, ...stored().filter((each) => each.id !== id)].slice(0, MOST));
}

export function forget(table: string): void {
    store(stored().filter((each) => each.id !== table));
}

function store(tables: MyTable[]): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(tables));
    } catch {
        // A device without storage can still play.
    }
}
