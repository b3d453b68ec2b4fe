"""Judge choices: what each is worth in worlds imagined from a seat's view, and in the true position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from northrail.analysis.playouts import (
    ANY_MOVE,
    STEPS,
    Option,
    Start,
    list_moves,
    play_imagined,
    play_open,
    write_option,
)
from northrail.boards.board import Board
from northrail.engine.choices import Choice, Claim, Keep, PayTunnel, Take
from northrail.engine.english import cards_in_words
from northrail.engine.game import Game
from northrail.engine.knowledge import imagine
from northrail.engine.moves import move_of, number_of
from northrail.engine.rules import Log, apply, is_legal, legal
from northrail.engine.state import Moves, State, ViewStruct, seeded
from northrail.engine.view import View, cards_of, offered_tickets
from northrail.errors import BadMove
from northrail.kernels.structs import Structs, copy_struct
from northrail.players import Answer
from northrail.players.chance import seed_for_choice
from northrail.players.decide import play_answer
from northrail.players.plan_structs import Plan
from northrail.players.planner import BoardWeights
from northrail.players.plans import clear_plan
from northrail.players.search import USUAL_SETTINGS
from northrail.players.tree import SearchSettings, TreeScratch

Json = dict[str, Any]
Script = tuple[int, ...]  # a whole choice as move numbers: a claim with its cards, for example
MOST_WORLDS = 1_000_000


@dataclass(frozen=True)
class Estimate:
    """A mean over worlds and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Any) -> "Estimate":
        """Return the mean of an array of values, one for each world."""
        count = len(values)
        spread = float(values.std(ddof=1)) if count > 1 else 0.0
        return cls(float(values.mean()), spread / count**0.5)

    @property
    def is_sure(self) -> bool:
        """Whether it is more than two standard errors above 0."""
        return self.mean > 0 and self.mean >= 2 * self.error


@dataclass(frozen=True)
class Ends:
    """How games ended, each an array with one row per world, then one per option, then one per seat."""

    margins: Any  # points ahead of the best other seat
    shares: Any  # of the win: 1 for the winner, 0.5 for two winners

    def joined(self, others: "Ends") -> "Ends":
        """Return these ends followed by others of the same options."""
        return Ends(
            np.concatenate([self.margins, others.margins]),
            np.concatenate([self.shares, others.shares]),
        )

    def of_option(self, at: int) -> "Ends":
        """Return the ends of one option, by world and seat."""
        return Ends(self.margins[:, at], self.shares[:, at])


class Judge:
    """Plays out choices on a board. It keeps scratch memory, so use one for each thread."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._weights = BoardWeights().on(board)
        self._settings = SearchSettings()
        for name, value in USUAL_SETTINGS.items():
            setattr(self._settings, name, value)
        self._tree = TreeScratch()
        self._start = Start()
        self._option = Option()

    def moves(self, view: ViewStruct, width: int) -> list[int]:
        """Return the moves that the planner likes best, best first, at most ``width``."""
        best = np.zeros(width, np.int16)
        count = list_moves(self.board.struct, view, self._weights, self._tree, best, width)
        return [int(move) for move in best[:count]]

    def script(self, view: ViewStruct, plan: Plan, move: int) -> Script:
        """Return the whole choice that starts with a move, paid as the planner pays."""
        write_option(self.board.struct, view, self._weights, self._tree, plan, move, self._option)
        return tuple(int(number) for number in self._option.moves[: self._option.length])

    def quick_choice(self, view: ViewStruct, plan: Plan) -> Script:
        """Return the quick planner's own choice and update the plan of its seat."""
        return self.script(view, plan, ANY_MOVE)

    def imagined(
        self, view: ViewStruct, plan: Plan, turn: int, scripts: Sequence[Script], first: int, worlds: int
    ) -> Ends:
        """Return how choices ended in worlds imagined from a view, from world number ``first`` on."""
        self._start.turn = turn
        copy_struct(self._start.plans[view.me], plan)
        margins, shares = self._room(scripts, view.seats, worlds)
        play_imagined(
            self.board.struct,
            view,
            self._weights,
            self._settings,
            self._tree,
            self._start,
            _options(scripts),
            len(scripts),
            seed_for_choice(0, view),
            first,
            worlds,
            margins,
            shares,
        )
        return self._ends(margins, shares, scripts, view.seats)

    def open(
        self, state: State, plans: Structs[Plan], turn: int, scripts: Sequence[Script], seed: int, worlds: int
    ) -> Ends:
        """Return how choices ended from a position with all cards open, with ``worlds`` different futures.

        The same seed gives the same luck at every turn of a game.
        """
        self._start.turn = turn
        for seat in range(state.seats):
            copy_struct(self._start.plans[seat], plans[seat])
        margins, shares = self._room(scripts, state.seats, worlds)
        play_open(
            self.board.struct,
            state,
            self._weights,
            self._tree,
            self._start,
            _options(scripts),
            len(scripts),
            seed,
            worlds,
            margins,
            shares,
        )
        return self._ends(margins, shares, scripts, state.seats)

    def _room(self, scripts: Sequence[Script], seats: int, worlds: int) -> tuple[Any, Any]:
        size = worlds * len(scripts) * seats
        return np.zeros(size), np.zeros(size)

    def _ends(self, margins: Any, shares: Any, scripts: Sequence[Script], seats: int) -> Ends:
        shape = (-1, len(scripts), seats)
        return Ends(margins.reshape(shape), shares.reshape(shape))


def _options(scripts: Sequence[Script]) -> Structs[Option]:
    options = Option.many(len(scripts))
    for at, script in enumerate(scripts):
        options[at].moves[: len(script)] = script
        options[at].length = len(script)
    return options


def empty_plan() -> Plan:
    """Return a plan that has not been made yet."""
    plan = Plan()
    clear_plan(plan)
    return plan


# --- evaluating -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluation:
    """What a choice is worth to the seat that makes it."""

    text: str
    margin: Estimate  # points ahead of the best other seat at the end
    win: Estimate  # share of the win, from 0 to 1
    loss: Estimate  # points less than the best of the choices, in the same worlds; 0 for the best itself

    def __str__(self) -> str:
        return f"{self.text}: {self.margin.mean:+.1f} ± {self.margin.error:.1f}, wins {self.win.mean:.0%}"


def evaluate(view: View, moves: Sequence[Answer] | None = None, worlds: int = 256) -> list[Evaluation]:
    """Return what each of these moves is worth to the seat to move; without ``moves``, what each legal move is worth.

    A move is a Move, its text or its number; or a whole choice, where a claim may also be ``(9, {"red": 4})``. A claim
    without cards is paid as the planner pays. All moves meet the same imagined worlds and the same later luck.

    >>> import northrail
    >>> from northrail.analysis import evaluate
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> best = max(evaluate(game.view(game.seat), worlds=8), key=lambda each: each.margin.mean)
    >>> best.text, best.loss.mean
    ('keep ...', 0.0)
    """
    if view.me is None or view.me != view.seat or view.phase == "over":
        raise BadMove(f"expected the view of the seat to move, got {view!r}")
    if type(worlds) is not int or not 1 <= worlds <= MOST_WORLDS:
        raise BadMove(f"worlds: expected a number from 1 to {MOST_WORLDS:,}, got {worlds!r}")
    judge, plan, struct = Judge(view.board), empty_plan(), view.struct
    answers: Sequence[Answer] = view.moves if moves is None else moves
    scripts = [script_of(judge, view, plan, answer) for answer in answers]
    if not scripts:
        return []
    ends = judge.imagined(struct, plan, 0, scripts, 0, worlds)
    margins = ends.margins[:, :, view.me]
    best = int(margins.mean(axis=0).argmax())
    return [
        Evaluation(
            text=choice_text(view.board, choice_of(view.board, struct, script)),
            margin=Estimate.of(margins[:, at]),
            win=Estimate.of(ends.shares[:, at, view.me]),
            loss=Estimate.of(margins[:, best] - margins[:, at]),
        )
        for at, script in enumerate(scripts)
    ]


def script_of(judge: Judge, view: View, plan: Plan, answer: Answer) -> Script:
    """Return the whole choice that an answer stands for; raise BadMove or IllegalMove if there is none."""
    world = Game.imagine(view)
    if isinstance(answer, Choice | tuple):
        play_answer(world, answer)
        return tuple(
            number_of(view.board, text, offered_tickets(view.struct)) for text in world.record()["moves"][:STEPS]
        )
    move = world.find_move(answer)
    allowed = Moves()
    legal(view.board.struct, view.struct, allowed)
    if not is_legal(view.board.struct, allowed, move.number):
        world.play(move)  # raises the error that says why
    return judge.script(view.struct, plan, move.number)


def choice_of(board: Board, view: ViewStruct, script: Script) -> Json:
    """Return a whole choice as JSON, as `Choice.json` does: a claim with its cards, for example."""
    first = move_of(board, script[0], offered_tickets(view))
    match first.kind:
        case "keep":
            return Keep(first.tickets).json()
        case "take":
            return Take(first.colour or "").json()
        case "claim" | "card":
            world, log = State(), Log()
            imagine(board.struct, view, np.array([seeded(0)], np.int64), world)
            for number in script:
                apply(board.struct, world, number, log)
            if first.kind == "claim":
                return Claim(first.route or 0, cards_of(log.cards)).json()
            return PayTunnel(
                cards_of([int(paid) - int(laid) for paid, laid in zip(log.cards, view.laid, strict=True)])
            ).json()
    return {"kind": first.kind}


def choice_text(board: Board, choice: Json) -> str:
    """Return a whole choice in words, such as "claim Bergen–Oslo red with 3 red and 1 locomotive"."""
    match choice["kind"]:
        case "claim":
            return f"claim {board.routes[choice['route']]} with {cards_in_words(choice['cards'])}"
        case "tunnel":
            return f"pay {cards_in_words(choice['cards'])} more"
        case "keep":
            return "keep " + ", ".join(str(board.tickets[ticket]) for ticket in choice["tickets"])
        case "take":
            return f"take {choice['colour']}"
        case "blind":
            return "take blind"
    return str(choice["kind"]).replace("_", " ")
