/** Shows in the tab's title that it is your turn, and plays a sound when it becomes your turn. */

import { untrack } from "svelte";
import type { Board } from "../protocol";
import { playSounds } from "../sound.ts";
import type { Table } from "../table.svelte.ts";
import { texts } from "../texts.ts";

export function alertOnTurn(table: Table, board: Board): void {
    let wasMyTurn = false;
    $effect(() => {
        const { isMyTurn } = table;
        document.title = isMyTurn ? texts.table.titleTurn(texts.name) : `${board.name} · ${texts.name}`;
        // On a shared device you have just said that you are here.
        if (isMyTurn && !wasMyTurn && !table.isShared) untrack(() => playSounds(["turn"]));
        wasMyTurn = isMyTurn;
    });
}
