"""Test positions with known best decisions: load them, and count how many a player solves.

docs/positions.md says how we found them, and `tools/mine_positions.py` finds more. A decision is the move that starts
it: for a claim, its cards do not count.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

from northrail.arena.ratings import wilson
from northrail.boards.board import Board
from northrail.boards.load import load_board
from northrail.engine.choices import Choice, Claim, Keep, Take
from northrail.engine.game import PLACES, Game
from northrail.engine.moves import KEEP, Move, move_of, number_of
from northrail.engine.view import View, offered_tickets
from northrail.errors import BadMove
from northrail.players import Answer, Recipe

Json = dict[str, Any]
Loss = tuple[float, float]  # points that a move loses, and their standard error

TICKET_FIELDS = ("tickets", "offered", "dealt", "returned", "ticket_deck")  # of a position

# Kind of decision -> what it asks, in the order of a game.
KINDS = {
    "first tickets": "which tickets to keep at the start",
    "card": "which card to draw first",
    "second card": "which card to draw second",
    "claim": "which route to claim",
    "ticket draw": "whether to draw tickets",
    "drawn tickets": "which of the drawn tickets to keep",
    "ending": "whether to begin the last round",
    "last round": "the last turn of a seat",
}


@dataclass(frozen=True)
class Problem:
    """A test position: the seat to move has a best decision, or a few that are equally good."""

    name: str
    kind: str  # one of KINDS
    position: Json  # every world that looks the same to the seat to move asks the same
    best: tuple[str, ...]  # moves, as texts
    losses: Mapping[str, Loss]  # the best moves and those that players chose, against the best of all
    rest: tuple[int, float]  # how many more moves there are, and about how much the best of them loses
    worlds: int  # imagined worlds behind `losses`
    searches: tuple[int, int, int]  # long searches that chose one of `best`, how many there were, their iterations
    exact: Mapping[str, float]  # the same losses by exhaustive play; empty if the end is too far away

    @cached_property
    def board(self) -> Board:
        """The board of the position."""
        return _board(self.position["board"])

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.position["seats"])

    def view(self) -> View:
        """Return what the seat to move knows."""
        game = Game.from_position(self.board, self.position)
        return game.view(game.seat)

    def json(self) -> Json:
        """Return the problem as it is in the file."""
        return {
            "name": self.name,
            "kind": self.kind,
            "best": list(self.best),
            "losses": {move: list(loss) for move, loss in self.losses.items()},
            "rest": list(self.rest),
            "worlds": self.worlds,
            "searches": list(self.searches),
            "exact": dict(self.exact),
            "position": self.position | {name: numbered(self.board, value) for name, value in self._tickets.items()},
        }

    @property
    def _tickets(self) -> Json:
        return {name: self.position[name] for name in TICKET_FIELDS if name in self.position}


_board = lru_cache(maxsize=8)(load_board)


def numbered(board: Board, tickets: Any) -> Any:
    """Return tickets, in lists of any depth, by their numbers. That halves the size of the file."""
    if isinstance(tickets, list) and tickets and isinstance(tickets[0], str):
        return board.ticket(*tickets)
    return [numbered(board, each) for each in tickets] if isinstance(tickets, list) else tickets


def named(board: Board, tickets: Any) -> Any:
    """Return tickets, in lists of any depth, by their cities, as positions have them."""
    if isinstance(tickets, int):
        return list(board.tickets[tickets].cities)
    return [named(board, each) for each in tickets] if isinstance(tickets, list) else tickets


def problem_from(fields: Mapping[str, Any]) -> Problem:
    """Return the problem that some JSON describes."""
    position = fields["position"]
    board = _board(position["board"])
    tickets = {name: named(board, position[name]) for name in TICKET_FIELDS if name in position}
    return Problem(
        name=fields["name"],
        kind=fields["kind"],
        position=position | tickets,
        best=tuple(fields["best"]),
        losses={move: (loss, error) for move, (loss, error) in fields["losses"].items()},
        rest=(fields["rest"][0], fields["rest"][1]),
        worlds=fields["worlds"],
        searches=(fields["searches"][0], fields["searches"][1], fields["searches"][2]),
        exact=dict(fields["exact"]),
    )


def load_problems() -> list[Problem]:
    """Return our test positions.

    >>> problems = load_problems()
    >>> len(problems) >= 200, {problem.kind for problem in problems} == {*KINDS}
    (True, True)
    """
    text = resources.files("northrail").joinpath("arena", "positions.json").read_text("utf-8")
    return [problem_from(fields) for fields in json.loads(text)["positions"]]


# --- solving --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Share:
    """How many problems a player solves, with the 95 % interval of the share."""

    solved: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval (Wilson)."""
        return wilson(self.solved, self.of)

    def __str__(self) -> str:
        if not self.of:
            return "–"
        low, high = self.interval
        return f"{self.solved / self.of:.0%} ({100 * low:.0f}–{100 * high:.0f})"


def decision_of(view: View, answer: Answer) -> str:
    """Return the move that starts what a player answered, as text; raise BadMove if it is not legal.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> decision_of(game.view(game.seat), game.view(game.seat).choices[0])
    'keep Helsinki–Östersund, Oslo–Honningsvåg'
    """
    move = _first_move(view, answer)
    if move not in view.moves:
        raise BadMove(f"expected a legal move of phase {view.phase}, got {move.text!r}")
    return move.text


def _first_move(view: View, answer: Answer) -> Move:
    board, offered = view.board, offered_tickets(view.struct)
    routes = len(board.routes)
    if isinstance(answer, tuple):
        return move_of(board, int(answer[0]))
    if not isinstance(answer, Choice):
        return Game.imagine(view).find_move(answer)
    match answer:
        case Claim():
            return move_of(board, answer.route)
        case Take():
            return move_of(board, number_of(board, f"take {answer.colour}"))
        case Keep():
            kept = sum(1 << at for at, ticket in enumerate(offered) if ticket in answer.tickets)
            return move_of(board, routes + KEEP + kept, offered)
    if answer.kind not in PLACES:
        raise BadMove(f"expected a decision of phase {view.phase}, got {answer}")
    return move_of(board, routes + PLACES[answer.kind])


def answers_of(recipe: Recipe, problems: Sequence[Problem], seed: int = 0) -> list[str]:
    """Return what a player decides in each position. It starts anew in each, with the same seed."""
    found = []
    for problem in problems:
        view, player = problem.view(), recipe()
        start = getattr(player, "start", None)
        if start is not None:
            start(problem.board, view.seat, view.seats, seed)
        try:
            found.append(decision_of(view, player.choose(view)))
        except BadMove as error:
            raise BadMove(f"{recipe.name} in position {problem.name}: {error}") from error
    return found


def shares_of(problems: Sequence[Problem], answers: Sequence[str]) -> dict[str, Share]:
    """Return the share of problems solved, by kind of decision; the last one is that of all."""
    solved = [answer in problem.best for problem, answer in zip(problems, answers, strict=True)]
    shares = {}
    for kind in KINDS:
        of_kind = [yes for problem, yes in zip(problems, solved, strict=True) if problem.kind == kind]
        shares[kind] = Share(sum(of_kind), len(of_kind))
    return shares | {"all": Share(sum(solved), len(solved))}
