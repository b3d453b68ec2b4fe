/** Shows in the tab's title that it is your turn, and chimes when it becomes your turn. */

import type { Board } from "../protocol";
import { settings } from "../settings.svelte.ts";
import { chime } from "../sound.ts";
import type { Table } from "../table.svelte.ts";
import { texts } from "../texts.ts";

export function alertOnTurn(table: Table, board: Board): void {
    let wasMyTurn = false;
    $effect(() => {
        const { isMyTurn } = table;
        document.title = isMyTurn ? texts.table.titleTurn(texts.name) : `${board.name} · ${texts.name}`;
        if (isMyTurn && !wasMyTurn && settings.sound) chime();
        wasMyTurn = isMyTurn;
    });
}
