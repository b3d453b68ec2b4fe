"""Perft: how many lines of play there are, so many decisions deep. The counts guard the rules.

As in chess, a line counts where it reaches the full depth: a game that is over has no moves and so counts at its own
depth only. Chance does not branch: what a move draws is what the state's own generator gives it.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from northrail._jit import kernel, records
from northrail.game import Game
from northrail.moves import Move
from northrail.rules import LOG, MOVES, apply, count_moves, legal, nth_move
from northrail.state import STATE


@kernel
def count_lines(boards: Any, states: Any, moves: Any, logs: Any, played: Any, depth: Any) -> Any:
    """Count the lines of ``depth`` moves, at least one, from ``states[0]``; all arrays have a place for each depth."""
    board = boards[0]
    lines = 0
    at = 0
    played[0] = 0
    legal(board, states[0], moves[0])
    while at >= 0:
        count = count_moves(board, moves[at])
        if at == depth - 1:  # the last moves need only be counted
            lines += count
            at -= 1
        elif played[at] == count:
            at -= 1
        else:
            move = nth_move(board, moves[at], played[at])
            played[at] += 1
            states[at + 1] = states[at]
            at += 1
            apply(board, states[at], move, logs[0])
            legal(board, states[at], moves[at])
            played[at] = 0
    return lines


def perft(game: Game, depth: int) -> int:
    """How many lines of ``depth`` decisions can be played from here.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> [perft(game, depth) for depth in range(4)]
    [1, 26, 676, 14196]
    """
    if depth == 0:
        return 1
    states = records(STATE, depth)
    states[:1].view(np.uint8)[:] = game._states.view(np.uint8)
    played = np.zeros(depth, np.int64)
    return int(count_lines(game.board.record, states, records(MOVES, depth), records(LOG, 1), played, depth))


def divide(game: Game, depth: int) -> Iterator[tuple[Move, int]]:
    """Each legal move with the lines that begin with it, in all `perft` of ``depth``, which is at least 1."""
    for move in game.moves():
        after = game.copy()
        after.play(move)
        yield move, perft(after, depth - 1)
