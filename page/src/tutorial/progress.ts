/** Which lessons this device has finished, and the tables of those it has begun. */

const KEY = "northrail.lessons";

export interface Progress {
    done: boolean;
    /** The table of a lesson that was begun and not finished. */
    table: string | null;
}

export function progress(): Record<string, Progress> {
    try {
        const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
        return stored !== null && typeof stored === "object" ? (stored as Record<string, Progress>) : {};
    } catch {
        return {};
    }
}

function note(lesson: string, changes: Partial<Progress>): void {
    const all = progress();
    const was = all[lesson] ?? { done: false, table: null };
    try {
        localStorage.setItem(KEY, JSON.stringify({ ...all, [lesson]: { ...was, ...changes } }));
    } catch {
        // Without storage, lessons can still be played; they just get no tick.
    }
}

export const noteBegun = (lesson: string, table: string): void => note(lesson, { table });
export const noteDone = (lesson: string): void => note(lesson, { done: true, table: null });
