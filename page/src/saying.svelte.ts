/** A short line said at the edge of the screen, and what a screen reader is told. */

import { texts } from "./texts.ts";

export const saying = $state<{ toast: string | null; aloud: string[] }>({ toast: null, aloud: [] });

let timer: ReturnType<typeof setTimeout> | undefined;

/** Show a sentence for a while. */
export function say(sentence: string): void {
    saying.toast = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => (saying.toast = null), 2500 + 50 * sentence.length);
}

/** Tell sentences to who listens instead of looking. */
export function tell(sentences: string[]): void {
    if (sentences.length) saying.aloud = sentences.map(texts.sentence);
}
