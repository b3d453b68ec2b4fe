"""Play many random games at kernel speed."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from northrail.boards.board import NOBODY, Board, BoardStruct
from northrail.engine.game import MOST_SEED
from northrail.engine.rules import apply, count_moves, deal, legal, nth_move
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, TURN, advance, scaled, seeded
from northrail.errors import BadPosition
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Int16s, Int32s

CHOICES = 1 << 61  # added to a game's seed to get the seed for its random moves
MOST_GAMES = 1 << 40


@kernel
def play_random(board: BoardStruct, scratch: GameScratch, seats: int, seed: int) -> tuple[int, int]:
    """Play a random game to its end and score it; return its numbers of decisions and turns."""
    s = scratch.state
    deal(board, s, seats, NOBODY, seed, scratch.log)
    rng = seeded(seed + CHOICES)
    decisions = 0
    turns = 0
    while s.phase != OVER:
        legal(board, s, scratch.moves)
        turns += int(s.phase == TURN)
        decisions += 1
        rng = advance(rng)
        move = nth_move(board, scratch.moves, scaled(rng, count_moves(board, scratch.moves)))
        apply(board, s, move, scratch.log)
    score(board, s, scratch.table, False)
    return decisions, turns


@entry(threads=True)
def play_many(
    board: BoardStruct,
    scratch: GameScratch,
    seats: int,
    seed: int,
    games: int,
    decisions: Int32s,
    turns: Int32s,
    scores: Int16s,
    winners: Int8s,
) -> None:
    """Play random games and write the results of each; ``scores`` and ``winners`` hold one row per game."""
    for game in range(games):
        decisions[game], turns[game] = play_random(board, scratch, seats, seed + game)
        for seat in range(seats):
            scores[game * seats + seat] = scratch.table.total[seat]
            winners[game * seats + seat] = scratch.table.winner[seat]


def random_games(board: Board, seats: int = 2, games: int = 10_000, seed: int = 0, threads: int = 1) -> Any:
    """Play random games and return a table with the decisions, turns, scores and winners of each.

    Game ``n`` starts like ``Game(board, seats, seed + n)``. The result does not depend on ``threads``.

    >>> import northrail
    >>> table = random_games(northrail.load_board("nordic-countries"), seats=3, games=100)
    >>> table.shape, table["winners"].any(axis=1).all()
    ((100,), np.True_)
    """
    least, most = board.rules.seats
    for name, value, low, high in (
        ("seats", seats, least, most),
        ("games", games, 0, MOST_GAMES),
        ("seed", seed, 0, MOST_SEED - CHOICES - games),
        ("threads", threads, 1, 1024),
    ):
        if type(value) is not int or not low <= value <= high:
            raise BadPosition(f"{name}: expected a number from {low} to {high}, got {value!r}")
    # Kernels need contiguous arrays, so each column is one. We combine them at the end.
    columns: dict[str, Any] = {
        "decisions": np.zeros(games, np.int32),
        "turns": np.zeros(games, np.int32),
        "scores": np.zeros((games, seats), np.int16),
        "winners": np.zeros((games, seats), np.int8),
    }

    def play(start: int, stop: int) -> None:
        rows = [column[start:stop].reshape(-1) for column in columns.values()]
        play_many(board.struct, GameScratch(), seats, seed + start, stop - start, *rows)

    bounds = np.linspace(0, games, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        for result in [pool.submit(play, start, stop) for start, stop in itertools.pairwise(bounds)]:
            result.result()
    columns["winners"] = columns["winners"].view(np.bool_)
    table = np.zeros(games, [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table
