"""Perft: count the lines of play up to a depth. Tests compare the counts, so a changed rule shows up.

As in chess, a line counts only if it reaches the full depth. A line that ends earlier, because the game is over, does
not count. Chance does not branch: each draw comes from the state's own generator.
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
    """Return the number of lines of ``depth`` moves from a state; ``depth`` is at least 1."""
    moves = Moves()
    legal(board, s, moves)
    count = count_moves(board, moves)
    if depth == 1:  # count the last moves without playing them
        return count
    lines = 0
    after = State()
    for at in range(count):
        copy_struct(after, s)
        apply(board, after, nth_move(board, moves, at), log)
        lines += count_lines(board, after, log, depth - 1)
    return lines


def perft(game: Game, depth: int) -> int:
    """Return how many lines of ``depth`` moves there are from here.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> [perft(game, depth) for depth in range(4)]
    [1, 26, 676, 14196]
    """
    if depth == 0:
        return 1
    return count_lines(game.board.struct, game.state, Log(), depth)


def divide(game: Game, depth: int) -> Iterator[tuple[Move, int]]:
    """Yield each legal move with the number of lines that start with it; ``depth`` is at least 1."""
    for move in game.moves():
        after = game.copy()
        after.play(move)
        yield move, perft(after, depth - 1)
