/** Why your last move can’t be taken back. */

import type { Step } from "./protocol";
import { NO_SELECTION, type Selection } from "./selection.ts";
import { texts } from "./texts.ts";

/** What can be taken back now, or why nothing can. */
export function takeBackText(steps: readonly Step[], me: number, selection: Selection, kept: readonly number[]): string {
    if (selection !== NO_SELECTION || kept.length > 0) return texts.takeBack.pending;
    const mine = steps.findLast((step) => step.seat === me && step.by === "person");
    const event = mine?.events.findLast((event) => event.seat === me && event.code in texts.takeBack.why);
    return event ? texts.takeBack.why[event.code]! : texts.takeBack.none;
}
