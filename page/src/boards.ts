/** Boards, each fetched once. A failed request is not cached. */

import * as server from "./server.ts";
import type { Board, BoardSummary } from "./protocol";

let summaries: Promise<BoardSummary[]> | undefined;
const boards = new Map<string, Promise<Board>>();

export function listBoards(): Promise<BoardSummary[]> {
    summaries ??= server.boards().catch((problem) => {
        summaries = undefined;
        throw problem;
    });
    return summaries;
}

export function loadBoard(id: string): Promise<Board> {
    let board = boards.get(id);
    if (!board) {
        board = listBoards()
            .then((all) => server.boardAt(all.find((each) => each.id === id)?.href ?? `/api/boards/${encodeURIComponent(id)}`))
            .catch((problem) => {
                boards.delete(id);
                throw problem;
            });
        boards.set(id, board);
    }
    return board;
}
