/** The lessons of all boards, fetched once, and how to start one. */

import * as server from "../server.ts";
import { tablePath } from "../address.ts";
import type { Lesson } from "../protocol";
import { settings } from "../settings.svelte.ts";
import { texts } from "../texts.ts";
import { noteBegun, progress } from "./progress.ts";

let lessons: Promise<Lesson[]> | undefined;

export function listLessons(): Promise<Lesson[]> {
    lessons ??= server.lessons().catch((problem) => {
        lessons = undefined;
        throw problem;
    });
    return lessons;
}

/** Start a lesson at a new table; return its address. */
export async function startLesson(lesson: string): Promise<string> {
    const made = await server.startLesson(lesson, settings.name || texts.home.you, settings.colour);
    noteBegun(lesson, made.id);
    return tablePath(made.id);
}

/** Where a lesson goes on: at its table if that still exists, or else at a new one. */
export async function resumeLesson(lesson: string): Promise<string> {
    const table = progress()[lesson]?.table;
    if (table && (await server.tables([table])).tables.some((each) => each.lesson === lesson && each.status === "running"))
        return tablePath(table);
    return startLesson(lesson);
}

/** The lesson to take next: the first that is not done after `from`, else the first that is not done at all. */
export function nextLesson(all: readonly Lesson[], from: string | null = null): Lesson | null {
    const done = progress();
    const after = all.slice(all.findIndex((lesson) => lesson.id === from) + 1);
    return [...after, ...all].find((lesson) => lesson.id !== from && !done[lesson.id]?.done) ?? null;
}
