/** Boards, each fetched once. */

import * as server from "./server.ts";
import type { Board, BoardSummary } from "./protocol";

let list: Promise<BoardSummary[]> | undefined;
const whole = new Map<string, Promise<Board>>();

export function boards(): Promise<BoardSummary[]> {
    list ??= server.boards().catch((problem) => {
        list = undefined;
        throw problem;
    });
    return list;
}

export function boardOf(id: string): Promise<Board> {
    let board = whole.get(id);
    if (!board) {
        board = boards()
            .then((all) => server.boardAt(all.find((each) => each.id === id)?.href ?? `/api/boards/${encodeURIComponent(id)}`))
            .catch((problem) => {
                whole.delete(id);
                throw problem;
            });
        whole.set(id, board);
    }
    return board;
}
