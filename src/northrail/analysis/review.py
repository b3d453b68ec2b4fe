"""`review` a finished game: decisions, luck and what the others did, which add up to the result."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from northrail.analysis.judge import Estimate
from northrail.analysis.ledger import Entry, ledger
from northrail.analysis.steps import (
    DEPTHS,
    LUCK_ONLY,
    Alternative,
    Chance,
    Depth,
    Step,
    Verdict,
    Walk,
    expected_margin,
    judged_steps,
)
from northrail.boards.board import LOCOMOTIVE, Board
from northrail.engine.game import Game, Record
from northrail.errors import BadRecord

REVIEW_FORMAT = 1
WORST = 5  # decisions and moments of luck that come first
NOTABLE = 3.0  # points that a moment of luck moves at least to be told

Json = dict[str, Any]


@dataclass(frozen=True)
class Parts:
    """What a seat's result is made of: ``start + decisions + luck + others`` is its margin."""

    start: float  # what the seat could expect from a position that was set up; 0 if the game was dealt
    decisions: float  # its own, against the quick planner's in its seat, as far as it could know
    luck: float
    others: float  # the decisions of the others
    error: float  # standard error of the luck, and of the decisions of all seats together


@dataclass(frozen=True)
class Luck:
    """A seat's luck in points of margin. ``total`` is the sum of the others."""

    total: float
    deal: float  # first cards, first tickets, the starting seat, bonus cards
    own: float  # what came when this seat drew, tried tunnels or changed the row
    others: float  # what came when the others did
    hidden: float  # how well the choices of all seats met cards and tickets that they could not see
    error: float


class Review:
    """The review of a finished game. `json` returns it as JSON, and a notebook draws it."""

    def __init__(self, record: Record, board: Board | None, depth: str, steps: Sequence[Step]) -> None:
        self.record = record
        self.depth = depth
        self.steps = list(steps)
        self.end = Game.replay(record, board)
        self.board: Board = self.end.board
        self.seats = self.end.seats
        self.result, self.wins = Walk(record, self.board).result
        self.totals = [score.total for score in self.end.scores()]

    @property
    def _before(self) -> list[float]:
        """What each seat could expect before anything happened."""
        if "start" in self.record:
            return self.steps[0].open
        return [expected_margin(self.board, self.seats)] * self.seats

    def parts(self, seat: int) -> Parts:
        """Return what a seat's result is made of."""
        was_dealt = "start" not in self.record
        before = self._before[seat]
        others = sum(step.decision[seat] for step in self.steps if step.seat != seat)
        return Parts(
            start=0.0 if was_dealt else before,
            decisions=sum(step.decision[seat] for step in self.steps if step.seat == seat),
            luck=self.luck(seat).total,
            others=others + (before if was_dealt else 0.0),  # the best of several others is usually ahead
            error=self._error,
        )

    @property
    def _error(self) -> float:
        return math.sqrt(sum(step.decision_error * step.decision_error for step in self.steps))

    def luck(self, seat: int) -> Luck:
        """Return a seat's luck, by where it came from."""
        deal = self.steps[0].open[seat] - self._before[seat]
        own = sum(step.luck[seat] for step in self.steps if step.seat == seat)
        others = sum(step.luck[seat] for step in self.steps if step.seat != seat)
        hidden = sum(step.hidden[seat] for step in self.steps)
        return Luck(deal + own + others + hidden, deal, own, others, hidden, self._error)

    def adjusted(self, seat: int) -> float:
        """Return a seat's margin without luck."""
        return self.result[seat] - self.luck(seat).total

    def judged(self, seat: int) -> list[Step]:
        """Return the decisions of a seat that were not forced."""
        return [step for step in self.steps if step.seat == seat and step.verdict is not None]

    def worst(self, seat: int, count: int = WORST) -> list[Step]:
        """Return the decisions of a seat that lost most, the worst first; each missed chance once."""
        found = [step for step in self.judged(seat) if _is_loss(step) and not step.again]
        return sorted(found, key=lambda step: -_verdict(step).loss.mean)[:count]

    def finds(self, seat: int) -> list[Step]:
        """Return the good finds of a seat, the best first."""
        found = [step for step in self.judged(seat) if _verdict(step).label == "good_find"]
        return sorted(found, key=lambda step: -_verdict(step).find.mean)

    def moments(self, seat: int, count: int = WORST) -> list[Step]:
        """Return the moments of luck that moved the game most."""
        found = [
            step
            for step in self.steps
            if step.chance is not None and abs(step.luck[seat]) >= max(NOTABLE, 2 * step.luck_error)
        ]
        return sorted(found, key=lambda step: -abs(step.luck[seat]))[:count]

    def led_to(self, step: Step) -> list[Json]:
        """Return what followed from a choice that was not the best: codes with facts."""
        verdict, later = _verdict(step), self.steps[step.number + 1 :]
        found: list[Json] = []
        wanted = verdict.best_moves[0]
        if wanted < len(self.board.routes) and wanted != step.moves[0]:
            taken = next((each for each in later if each.claimed == wanted), None)
            if taken is None:
                found.append({"code": "never_claimed", "facts": {"route": wanted}})
            else:
                code = "claimed_later" if taken.seat == step.seat else "route_taken"
                between = [each for each in later if each.number <= taken.number]
                turns = sum(1 for each in between if each.seat == step.seat and each.phase == "turn")
                found.append({"code": code, "facts": {"route": wanted, "seat": taken.seat, "turns": turns}})
        if step.kind == "keep":
            kept = [entry for entry in self.tickets(step.seat) if entry.step == step.number and entry.kept]
            for code, complete in (("tickets_failed", False), ("tickets_completed", True)):
                tickets = [entry.ticket for entry in kept if entry.complete == complete]
                if tickets:
                    found.append({"code": code, "facts": {"tickets": tickets}})
        return found

    def tickets(self, seat: int) -> list[Entry]:
        """Return the ticket ledger of a seat."""
        return ledger(self.board, self.steps, seat)

    def locomotives(self, seat: int) -> tuple[int, float]:
        """Return how many locomotives a seat was dealt and drew from the deck, and how many it could expect."""
        own = [step for step in self.steps if step.seat == seat]
        got = sum(step.locomotives for step in own)
        expected = sum(step.expected_locomotives for step in own)
        if "start" not in self.record:
            cards = self.board.struct.card_count.tolist()
            dealt = Game.replay(self.record, self.board, upto=0).state.hand[seat].tolist()
            got += dealt[LOCOMOTIVE]
            expected += sum(dealt) * cards[LOCOMOTIVE] / sum(cards)
        return got, expected

    def json(self) -> Json:
        """Return the review as JSON; `step_from` reads its steps."""
        return self.summary() | {"steps": [asdict(step) for step in self.steps]}

    def summary(self) -> Json:
        """Return the review as JSON, without its steps."""
        return {
            "northrail_review": REVIEW_FORMAT,
            "depth": self.depth,
            "board": self.board.id,
            "seats": self.seats,
            "result": self.result,
            "wins": self.wins,
            "totals": self.totals,
            "by_seat": [
                {
                    "parts": asdict(self.parts(seat)),
                    "luck": asdict(self.luck(seat)),
                    "adjusted": self.adjusted(seat),
                    "worst": [{"step": step.number, "led_to": self.led_to(step)} for step in self.worst(seat)],
                    "finds": [step.number for step in self.finds(seat)],
                    "moments": [step.number for step in self.moments(seat)],
                    "tickets": [asdict(entry) for entry in self.tickets(seat)],
                    "locomotives": dict(zip(("got", "expected"), self.locomotives(seat), strict=True)),
                }
                for seat in range(self.seats)
            ],
        }

    def _repr_html_(self) -> str:
        from northrail.analysis.html import fragment_of  # noqa: PLC0415  # it draws maps, which only notebooks need

        return fragment_of(self)

    def __repr__(self) -> str:
        return f"<Review of a game on {self.board.name}, {self.seats} seats, {len(self.steps)} choices>"


def _verdict(step: Step) -> Verdict:
    assert step.verdict is not None, "only judged steps come here"
    return step.verdict


def _is_loss(step: Step) -> bool:
    return _verdict(step).label not in ("", "good_find")


# --- making one -----------------------------------------------------------------------------------------------------


def review(
    record: Record,
    board: Board | None = None,
    depth: str = "usual",
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a finished game. Pass ``board`` if it is your own; ``progress`` is told how many choices are done of all.

    The same record gives the same review.
    """
    if depth not in DEPTHS:
        raise BadRecord(f"depth: expected {' or '.join(DEPTHS)}, got {depth!r}")
    return Review(record, board, depth, list(_told(reviewing(record, board, DEPTHS[depth]), record, progress)))


def reviewing(record: Record, board: Board | None, depth: Depth, done: Sequence[Step] = ()) -> Iterator[Step]:
    """Yield the steps of a review as they are done, after those that were done before."""
    yield from judged_steps(Walk(record, board), depth, done)


def _told(steps: Iterator[Step], record: Record, progress: Callable[[int, int], None] | None) -> Iterator[Step]:
    for step in steps:
        if progress is not None:
            progress(step.move + len(step.moves), len(record["moves"]))
        yield step


def luck(record: Record, board: Board | None = None, worlds: int | None = None) -> list[Luck]:
    """Return the luck of each seat in a finished game; much quicker than a whole review.

    ``worlds`` is how many worlds and futures it plays.
    """
    depth = LUCK_ONLY if worlds is None else Depth("luck", 0, 0, worlds, 0, worlds)
    found = Review(record, board, depth.name, list(reviewing(record, board, depth)))
    return [found.luck(seat) for seat in range(found.seats)]


def step_from(json: Json) -> Step:
    """Return a step from its JSON."""
    verdict, chance = json["verdict"], json["chance"]
    if verdict is not None:
        verdict = Verdict(
            **verdict
            | {
                "loss": Estimate(**verdict["loss"]),
                "find": Estimate(**verdict["find"]),
                "best_moves": tuple(verdict["best_moves"]),
                "alternatives": tuple(
                    Alternative(**each | {"moves": tuple(each["moves"])}) for each in verdict["alternatives"]
                ),
                "tickets": {int(ticket): worth for ticket, worth in verdict["tickets"].items()},
                "reasons": tuple(verdict["reasons"]),
            }
        )
    return Step(
        **json
        | {
            "moves": tuple(json["moves"]),
            "offered": tuple(json["offered"]),
            "verdict": verdict,
            "chance": None if chance is None else Chance(**chance),
        }
    )
