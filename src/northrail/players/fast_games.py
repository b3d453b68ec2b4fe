"""Many games between planners and published agents inside one kernel, for tuning, measuring and proving.

No position leaves the kernel, only a table of the games. Every move is compared with the legal ones.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from northrail._jit import for_kernels, kernel, records
from northrail.board import NOBODY, SEATS, Board
from northrail.knowledge import VIEW, look
from northrail.players.planner import CAREFUL, choose, forget, tuned_weights
from northrail.players.plans import DESK, MIND, WEIGHTS
from northrail.players.published import AGENTS, choose_published
from northrail.rules import LOG, MOVES, apply, deal, is_legal
from northrail.scoring import SCORE, score
from northrail.state import OVER, STATE

# Who plays: a planner with its weights and its care, or one of the published agents.
SIDE = np.dtype([("weights", WEIGHTS), ("agent", np.int8), ("care", np.int8)], align=True)
HALL = np.dtype(
    [
        ("state", STATE),
        ("seen", VIEW),
        ("table", SCORE),
        ("moves", MOVES),
        ("log", LOG),
        ("minds", MIND, SEATS),
        ("desk", DESK),
    ],
    align=True,
)
# A game: decisions in all; by seat who sat there, its points, whether it won, its completed tickets.
PLAYED = np.dtype(
    [
        ("seed", np.int64),
        ("decisions", np.int32),
        ("side", np.int16, SEATS),
        ("points", np.int16, SEATS),
        ("completed", np.int16, SEATS),
        ("winner", np.int8, SEATS),
    ],
    align=True,
)


@kernel
def play_out(board: Any, hall: Any, sides: Any, game: Any) -> int:
    """Play the game in the hall to its end; gives its decisions, or a negative number at an illegal one."""
    s = hall.state
    decisions = 0
    while s.phase != OVER:
        seat = int(s.seat)
        look(board, s, seat, hall.seen)
        side = sides[game.side[seat]]
        decisions += 1
        if side.agent == NOBODY:
            mind = hall.minds[seat]
            move = choose(board, hall.seen, side.weights, hall.desk, mind, hall.moves, int(side.care))
        else:
            move = choose_published(board, hall.seen, int(side.agent), hall.desk, hall.minds[seat], hall.moves)
        if move < 0 or not is_legal(board, hall.moves, move):
            return -decisions
        apply(board, s, move, hall.log)
    return decisions


@kernel
def play_all(boards: Any, halls: Any, sides: Any, seats: int, games: Any) -> None:
    """Play the games of a table and write how they went."""
    board = boards[0]
    hall = halls[0]
    for at in range(len(games)):
        game = games[at]
        deal(board, hall.state, seats, NOBODY, game.seed, hall.log)
        for seat in range(seats):
            forget(hall.minds[seat])
        game.decisions = play_out(board, hall, sides, game)
        if game.decisions < 0:
            return
        score(board, hall.state, hall.table, False)
        for seat in range(seats):
            game.points[seat] = hall.table.total[seat]
            game.completed[seat] = hall.table.completed[seat]
            game.winner[seat] = hall.table.winner[seat]


def planner_side(board: Board, care: int = CAREFUL, **weights: float) -> Any:
    """An array of one SIDE: the planner, with its tuned weights changed by those that are given."""
    side = records(SIDE, 1)
    side["agent"], side["care"] = NOBODY, care
    for name, weight in (tuned_weights(board.id) | weights).items():
        side["weights"][name] = weight
    return side


def published_side(agent: str) -> Any:
    """An array of one SIDE: a published agent by its name."""
    side = records(SIDE, 1)
    side["agent"] = AGENTS.index(agent)
    return side


def fast_games(board: Board, seats: int, sides: Sequence[Any], deals: int, seed: int = 0) -> Any:
    """A table of games: each deal is played as often as there are seats, the sides turned round the table.

    Each row has the decisions of all, and by side the points, the completed tickets and the share in the victory.

    >>> import northrail
    >>> board = northrail.load_board("nordic-countries")
    >>> table = fast_games(board, 2, [planner_side(board), published_side("path")], deals=10)
    >>> table.shape, bool(table["points"][:, 0].mean() > table["points"][:, 1].mean())
    ((20,), True)
    """
    if len(sides) != seats:
        raise ValueError(f"expected a side for each of {seats} seats, got {len(sides)}")
    games = records(PLAYED, deals * seats)
    games["seed"] = np.repeat(np.arange(seed, seed + deals), seats)
    games["side"][:, :seats] = np.tile((np.arange(seats) + np.arange(seats)[:, None]) % seats, (deals, 1))
    play_all(board.record, for_kernels(records(HALL, 1)), for_kernels(np.concatenate(sides)), seats, for_kernels(games))
    if len(games) and games["decisions"].min() < 0:
        wrong = games[games["decisions"].argmin()]
        raise AssertionError(f"decision {-wrong['decisions']} with seed {wrong['seed']} on {board.name} is not legal")
    seat_of = np.argsort(games["side"][:, :seats], axis=1)
    points, completed, winner = (
        np.take_along_axis(games[column], seat_of, axis=1) for column in ("points", "completed", "winner")
    )
    table = np.zeros(
        len(games), [("decisions", "i4"), *((name, "f8", seats) for name in ("points", "completed", "share"))]
    )
    table["decisions"], table["points"], table["completed"] = games["decisions"], points, completed
    table["share"] = winner / winner.sum(axis=1, keepdims=True)
    return table
