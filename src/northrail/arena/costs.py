"""Which kinds of decisions cost each player most: some games of a contest, reviewed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from northrail.analysis.judge import Estimate
from northrail.analysis.steps import Depth, Walk, verdicts
from northrail.arena.contest import Contest, seed_for
from northrail.arena.match import Result
from northrail.engine.game import Game, Record
from northrail.engine.moves import move_of
from northrail.engine.view import offered_tickets
from northrail.players.decide import play_answer

DEPTH = Depth("arena", 16, 32, 96, 0, 0)
KINDS = {  # what was chosen -> what people call it
    "keep": "keeping tickets",
    "draw_tickets": "drawing tickets",
    "claim": "claiming",
    "take": "drawing cards",
    "blind": "drawing cards",
    "card": "tunnels",
    "give_up": "tunnels",
}


@dataclass(frozen=True)
class Cost:
    """What one kind of decisions costs a player against the best alternatives."""

    player: str
    kind: str
    decisions: int
    a_game: float  # points
    loss: float  # points per decision
    error: float  # its standard error, over decisions


def costs_of(contest: Contest, results: Sequence[Result], games: int) -> Iterator[tuple[int, list[Cost]]]:
    """Review the first games that ended without a fault; after each, yield their number and the costs so far."""
    losses: dict[tuple[str, str], list[float]] = defaultdict(list)
    seats: dict[str, int] = defaultdict(int)
    whole = sorted((result for result in results if result.fault is None), key=lambda result: result.game)
    for count, result in enumerate(whole[:games], 1):
        for name in result.players:
            seats[name] += 1
        for moment, verdict in verdicts(Walk(_replayed(contest, result), contest.board), DEPTH):
            kind = KINDS[move_of(contest.board, moment.script[0], offered_tickets(moment.view.struct)).kind]
            losses[result.players[moment.seat], kind].append(verdict.loss.mean)
        yield count, sorted(_costs(losses, seats), key=lambda cost: (cost.player, -cost.a_game))


def _costs(losses: dict[tuple[str, str], list[float]], seats: dict[str, int]) -> Iterator[Cost]:
    for (player, kind), found in losses.items():
        loss = Estimate.of(np.array(found))
        yield Cost(player, kind, len(found), sum(found) / seats[player], loss.mean, loss.error)


def _replayed(contest: Contest, result: Result) -> Record:
    """Play a game of a contest again, for its record: results do not hold the moves."""
    _, line_up = contest.game(result.game)
    game = Game(contest.board, contest.seats, result.seed)
    players: list[Any] = [contest.players[player]() for player in line_up]
    for seat, player in enumerate(players):
        if hasattr(player, "start"):
            player.start(contest.board, seat, contest.seats, seed_for(result.seed, seat, result.players[seat]))
    while not game.over:
        play_answer(game, players[game.seat].choose(game.view(game.seat)))
    return game.record()


def table_of(costs: Sequence[Cost]) -> Table:
    """Return the costs as a table."""
    table = Table(box=None, pad_edge=False)
    for name in ("player", "decisions about", "decisions", "points a game", "points each"):
        table.add_column(name, justify="left" if name in ("player", "decisions about") else "right")
    for cost in costs:
        each = f"{cost.loss:.2f} ±{cost.error:.2f}"
        table.add_row(cost.player, cost.kind, f"{cost.decisions:,}", f"{cost.a_game:.1f}", each)
    return table


def json_of(costs: Sequence[Cost]) -> list[dict[str, Any]]:
    """Return the costs for programs."""
    return [asdict(cost) for cost in costs]
