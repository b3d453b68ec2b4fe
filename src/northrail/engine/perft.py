"""Perft: how many lines of play there are, so many decisions deep. The counts guard the rules.

As in chess, a line counts where it reaches the full depth: a game that is over has no moves and so counts at its own
depth only. Chance does not branch: what a move draws is what the state's own generator gives it.
"""

from collections.abc import Iterator

from northrail.boards.board import BoardStruct
from northrail.engine.game import Game
from northrail.engine.moves import Move
from northrail.engine.rules import Log, apply, count_moves, legal, nth_move
from northrail.engine.state import Moves, State
from northrail.kernels.decorators import entry
from northrail.kernels.structs import copy_struct


@entry(threads=True)
def count_lines(board: BoardStruct, s: State, log: Log, depth: int) -> int:
    """Count the lines of ``depth`` moves, at least one, from a state."""
    moves = Moves()
    legal(board, s, moves)
    count = count_moves(board, moves)
    if depth == 1:  # the last moves need only be counted
        return count
    lines = 0
    after = State()
    for at in range(count):
        copy_struct(after, s)
        apply(board, after, nth_move(board, moves, at), log)
        lines += count_lines(board, after, log, depth - 1)
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
    return count_lines(game.board.struct, game.state, Log(), depth)


def divide(game: Game, depth: int) -> Iterator[tuple[Move, int]]:
    """Each legal move with the lines that begin with it, in all `perft` of ``depth``, which is at least 1."""
    for move in game.moves():
        after = game.copy()
        after.play(move)
        yield move, perft(after, depth - 1)
