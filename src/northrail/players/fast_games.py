"""Many games between planners and published agents inside one kernel, for tuning, measuring and proving.

No position leaves the kernel, only a table of the games. Every move is compared with the legal ones.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from northrail.boards.board import NOBODY, SEATS, Board, BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.rules import Log, apply, deal, is_legal
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import OVER, Moves, State, ViewStruct
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, Structs, copy_struct, int8, int16, int32, int64, part
from northrail.players.planner import CAREFUL, choose, fill_weights, forget
from northrail.players.plans import Desk, Mind, Weights
from northrail.players.published import AGENTS, choose_published


class Side(Struct):
    """Who plays: a planner with its weights and its care, or one of the published agents."""

    weights = part(Weights)
    agent = int8()
    care = int8()


class Hall(Struct):
    """Where a fast game takes place."""

    state = part(State)
    seen = part(ViewStruct)
    table = part(ScoreTable)
    moves = part(Moves)
    log = part(Log)
    minds = part(Mind, SEATS)
    desk = part(Desk)


class Played(Struct):
    """A fast game: decisions in all; by seat who sat there, its points, whether it won, its completed tickets."""

    seed = int64()
    decisions = int32()
    side = int16(SEATS)
    points = int16(SEATS)
    completed = int16(SEATS)
    winner = int8(SEATS)


@kernel
def play_out(board: BoardStruct, hall: Hall, sides: Structs[Side], game: Played) -> int:
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


@entry(threads=True)
def play_all(
    board: BoardStruct, hall: Hall, sides: Structs[Side], seats: int, games: Structs[Played], count: int
) -> None:
    """Play the games of a table and write how they went."""
    for at in range(count):
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


def planner_side(board: Board, care: int = CAREFUL, **weights: float) -> Side:
    """The planner, with its tuned weights changed by those that are given."""
    side = Side()
    side.agent, side.care = NOBODY, care
    fill_weights(side.weights, board, weights)
    return side


def published_side(agent: str) -> Side:
    """A published agent by its name."""
    side = Side()
    side.agent = AGENTS.index(agent)
    return side


def fast_games(board: Board, seats: int, sides: Sequence[Side], deals: int, seed: int = 0) -> Any:
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
    played = Played.many(deals * seats)
    games = played.array
    games["seed"] = np.repeat(np.arange(seed, seed + deals), seats)
    games["side"][:, :seats] = np.tile((np.arange(seats) + np.arange(seats)[:, None]) % seats, (deals, 1))
    who = Side.many(seats)
    for at, side in enumerate(sides):
        copy_struct(who[at], side)
    play_all(board.struct, Hall(), who, seats, played, len(played))
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
