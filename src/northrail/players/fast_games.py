"""Many games between bots inside one kernel, for tuning and measuring.

The kernel returns no positions, only a table of the games. It checks that every move is legal.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from northrail.boards.board import NOBODY, SEATS, Board, BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.rules import apply, deal, is_legal
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, ViewStruct, advance, seeded
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, Structs, copy_struct, int8, int16, int32, int64, part
from northrail.players.bots import BOTS, PLANNING, PUBLISHED, Bot, bot_move
from northrail.players.plan_structs import Plan, PlanScratch
from northrail.players.planner import CAREFUL, fill_weights
from northrail.players.plans import clear_plan
from northrail.players.published import AGENTS


class FastGameScratch(GameScratch):
    """Scratch memory of a fast game."""

    plans = part(Plan, SEATS)
    planning = part(PlanScratch)
    noticed = part(ViewStruct)


class Played(Struct):
    """A finished fast game: its decisions; and by seat the contender, points, completed tickets and wins."""

    seed = int64()
    decisions = int32()
    contender = int16(SEATS)
    points = int16(SEATS)
    completed = int16(SEATS)
    winner = int8(SEATS)


@kernel
def play_out(board: BoardStruct, scratch: FastGameScratch, contenders: Structs[Bot], game: Played) -> int:
    """Play a dealt game to its end; return its decisions, negative if the last one was illegal."""
    s = scratch.state
    decisions = 0
    rng = seeded(game.seed + BOTS)
    while s.phase != OVER:
        seat = int(s.seat)
        look(board, s, seat, scratch.seen)
        who = contenders[game.contender[seat]]
        plan = scratch.plans[seat]
        decisions += 1
        rng = advance(rng)
        move = bot_move(
            board,
            scratch.seen,
            who,
            scratch.planning,
            plan,
            scratch.moves,
            scratch.noticed,
            int(game.seed) * SEATS + seat,
            rng,
        )
        if move < 0 or not is_legal(board, scratch.moves, move):
            return -decisions
        apply(board, s, move, scratch.log)
    return decisions


@entry(threads=True)
def play_all(
    board: BoardStruct,
    scratch: FastGameScratch,
    contenders: Structs[Bot],
    seats: int,
    games: Structs[Played],
    count: int,
) -> None:
    """Play the games of a table and write their results."""
    for at in range(count):
        game = games[at]
        deal(board, scratch.state, seats, NOBODY, game.seed, scratch.log)
        for seat in range(seats):
            clear_plan(scratch.plans[seat])
        game.decisions = play_out(board, scratch, contenders, game)
        if game.decisions < 0:
            return
        score(board, scratch.state, scratch.table, False)
        for seat in range(seats):
            game.points[seat] = scratch.table.total[seat]
            game.completed[seat] = scratch.table.completed[seat]
            game.winner[seat] = scratch.table.winner[seat]


def planner_contender(board: Board, care: int = CAREFUL, **weights: float) -> Bot:
    """Return a planner with its tuned weights, some of them replaced by ``weights``."""
    bot = Bot()
    bot.plays, bot.care = PLANNING, care
    fill_weights(bot.weights, board, weights)
    return bot


def published_contender(agent: str) -> Bot:
    """Return a published agent by its name."""
    bot = Bot()
    bot.plays, bot.agent = PUBLISHED, AGENTS.index(agent)
    return bot


def fast_games(board: Board, seats: int, contenders: Sequence[Bot], deals: int, seed: int = 0) -> Any:
    """Return a table of games. Each deal is played once per seat, and the contenders rotate through the seats.

    Contenders are bots such as `bot_of` returns. Each row has the decisions, and by contender the points, the completed
    tickets and the share of the win.

    >>> import northrail
    >>> board = northrail.load_board("nordic-countries")
    >>> table = fast_games(board, 2, [planner_contender(board), published_contender("path")], deals=10)
    >>> table.shape, bool(table["points"][:, 0].mean() > table["points"][:, 1].mean())
    ((20,), True)
    """
    if len(contenders) != seats:
        raise ValueError(f"expected {seats} contenders, one for each seat, got {len(contenders)}")
    played = Played.many(deals * seats)
    games = played.array
    games["seed"] = np.repeat(np.arange(seed, seed + deals), seats)
    games["contender"][:, :seats] = np.tile((np.arange(seats) + np.arange(seats)[:, None]) % seats, (deals, 1))
    who = Bot.many(seats)
    for at, contender in enumerate(contenders):
        copy_struct(who[at], contender)
    play_all(board.struct, FastGameScratch(), who, seats, played, len(played))
    if len(games) and games["decisions"].min() < 0:
        wrong = games[games["decisions"].argmin()]
        raise AssertionError(f"decision {-wrong['decisions']} with seed {wrong['seed']} on {board.name} is not legal")
    seat_of = np.argsort(games["contender"][:, :seats], axis=1)
    points, completed, winner = (
        np.take_along_axis(games[column], seat_of, axis=1) for column in ("points", "completed", "winner")
    )
    table = np.zeros(
        len(games), [("decisions", "i4"), *((name, "f8", seats) for name in ("points", "completed", "share"))]
    )
    table["decisions"], table["points"], table["completed"] = games["decisions"], points, completed
    table["share"] = winner / winner.sum(axis=1, keepdims=True)
    return table
