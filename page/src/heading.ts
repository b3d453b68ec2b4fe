/** The heading of a screen names the tab; and whoever comes from another screen by keys or by ear begins there. */

import { texts } from "./texts.ts";

let cameFromAnother = false;

export function heading(node: HTMLElement, title: string) {
    const update = (title: string) => (document.title = title === texts.name ? title : `${title} · ${texts.name}`);
    update(title);
    node.tabIndex = -1;
    const isLost = (document.activeElement ?? document.body) === document.body;
    if (cameFromAnother && isLost) node.focus({ preventScroll: true });
    return { update, destroy: () => (cameFromAnother = true) };
}
