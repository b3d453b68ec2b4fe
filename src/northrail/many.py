"""Many random games at kernel speed."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from northrail._jit import kernel, records
from northrail.board import NOBODY, Board
from northrail.errors import BadPosition
from northrail.game import MOST_SEED
from northrail.rules import LOG, MOVES, apply, count_moves, deal, legal, nth_move
from northrail.scoring import SCORE, score
from northrail.state import OVER, STATE, TURN, advance, scaled, seeded

CHOICES = 1 << 61  # added to a game's seed for the stream its moves are drawn from
MOST_GAMES = 1 << 40


WORK = np.dtype([("state", STATE), ("table", SCORE), ("moves", MOVES), ("log", LOG)], align=True)


@kernel
def play_random(board: Any, work: Any, seats: int, seed: int) -> tuple[int, int]:
    """Play a random game to its end and score it; gives its decisions and turns."""
    s = work.state
    deal(board, s, seats, NOBODY, seed, work.log)
    rng = seeded(seed + CHOICES)
    decisions = 0
    turns = 0
    while s.phase != OVER:
        legal(board, s, work.moves)
        turns += int(s.phase == TURN)
        decisions += 1
        rng = advance(rng)
        move = nth_move(board, work.moves, scaled(rng, count_moves(board, work.moves)))
        apply(board, s, move, work.log)
    score(board, s, work.table, False)
    return decisions, turns


@kernel
def play_many(
    boards: Any, works: Any, seats: int, seed: int, decisions: Any, turns: Any, scores: Any, winners: Any
) -> None:
    """Play a random game for each row of the results."""
    work = works[0]
    for game in range(len(decisions)):
        decisions[game], turns[game] = play_random(boards[0], work, seats, seed + game)
        for seat in range(seats):
            scores[game, seat] = work.table.total[seat]
            winners[game, seat] = work.table.winner[seat]


def random_games(board: Board, seats: int = 2, games: int = 10_000, seed: int = 0, threads: int = 1) -> Any:
    """A table of random games: decisions, turns, scores and winners of each.

    Game ``n`` is dealt as ``Game(board, seats, seed + n)``; the result does not depend on ``threads``.

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
    # A column each, for kernels want whole arrays; the table is put together at the end.
    columns: dict[str, Any] = {
        "decisions": np.zeros(games, np.int32),
        "turns": np.zeros(games, np.int32),
        "scores": np.zeros((games, seats), np.int16),
        "winners": np.zeros((games, seats), np.bool_),
    }

    def play(start: int, stop: int) -> None:
        part = [column[start:stop] for column in columns.values()]
        play_many(board.record, records(WORK, 1), seats, seed + start, *part)

    bounds = np.linspace(0, games, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        for result in [pool.submit(play, start, stop) for start, stop in itertools.pairwise(bounds)]:
            result.result()
    table = np.zeros(games, [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table
