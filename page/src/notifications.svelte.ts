/** Short messages: a toast to see, and announcements for screen readers. */

import { texts } from "./texts.ts";

/** Announcements are numbered, so that a screen reader speaks a repeated sentence again. */
export const notifications = $state<{ toast: string | null; announcements: { number: number; sentence: string }[] }>({
    toast: null,
    announcements: [],
});

let announced = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Show a sentence for long enough to read it. */
export function showToast(sentence: string): void {
    notifications.toast = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => (notifications.toast = null), 2500 + 50 * sentence.length);
}

/** Let screen readers speak sentences. */
export function announce(sentences: string[]): void {
    if (sentences.length) notifications.announcements = sentences.map((each) => ({ number: announced++, sentence: texts.sentence(each) }));
}

/** Remove all messages: someone else takes the device, and the messages may name the last person's cards. */
export function clearNotifications(): void {
    notifications.toast = null;
    notifications.announcements = [];
}
