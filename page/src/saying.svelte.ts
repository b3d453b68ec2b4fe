/** A short line said at the edge of the screen, and what a screen reader is told. */

import { texts } from "./texts.ts";

/** What is said aloud is numbered, so that the same sentence is spoken each time it is told. */
export const saying = $state<{ toast: string | null; aloud: { number: number; sentence: string }[] }>({ toast: null, aloud: [] });

let spoken = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Show a sentence for a while. */
export function say(sentence: string): void {
    saying.toast = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => (saying.toast = null), 2500 + 50 * sentence.length);
}

/** Tell sentences to who listens instead of looking. */
export function tell(sentences: string[]): void {
    if (sentences.length) saying.aloud = sentences.map((each) => ({ number: spoken++, sentence: texts.sentence(each) }));
}

/** Take back all that was said: other eyes look, and it may name the last ones' cards. */
export function hush(): void {
    saying.toast = null;
    saying.aloud = [];
}
