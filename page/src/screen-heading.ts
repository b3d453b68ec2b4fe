/** Names the browser tab after a screen's heading, and moves the focus there when the screen changes. */

import { texts } from "./texts.ts";

let hasLeftAScreen = false;

export function screenHeading(node: HTMLElement, title: string) {
    const update = (title: string) => (document.title = title === texts.name ? title : `${title} · ${texts.name}`);
    update(title);
    node.tabIndex = -1;
    // The focused element left with the last screen. Without this, keyboard and screen reader users start at the top of the document.
    const isFocusLost = (document.activeElement ?? document.body) === document.body;
    if (hasLeftAScreen && isFocusLost) node.focus({ preventScroll: true });
    return { update, destroy: () => (hasLeftAScreen = true) };
}
