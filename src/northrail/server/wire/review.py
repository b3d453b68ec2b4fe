"""The review of a finished game, as the server sends it; docs/review.md says what the numbers mean."""

from typing import Any, Literal

from pydantic import Field

from northrail.server.wire.requests import Choice
from northrail.server.wire.responses import Reason
from northrail.server.wire.types import Message, Phase

Label = Literal["", "inaccuracy", "mistake", "blunder", "good_find"]
ChanceKind = Literal["card", "row", "tunnel", "tickets", "bonus"]
LedToCode = Literal["route_taken", "claimed_later", "never_claimed", "tickets_failed", "tickets_completed"]


class Estimate(Message):
    """A mean and its standard error, in points."""

    mean: float
    error: float


class Alternative(Message):
    """A choice that was compared with the one that was made."""

    choice: Choice
    moves: list[int]
    margin: float = Field(description="The expected margin, as far as the seat could know.")
    win: float = Field(description="The chance to win, from 0 to 1.")


class Verdict(Message):
    """What a choice was worth, as far as its seat could know."""

    margin: float
    win: float
    loss: Estimate = Field(description="Points less than the best alternative; negative if it was better.")
    win_loss: float
    best: Choice
    best_moves: list[int]
    label: Label
    find: Estimate = Field(description="Points more than the quick planner's choice.")
    usual: Choice = Field(description="The quick planner's choice.")
    alternatives: list[Alternative] = Field(description="Best first.")
    tickets: dict[str, float] = Field(description="Offered ticket -> what keeping it was worth.")
    reasons: list[Reason] = Field(description="What speaks for the best alternative.")


class Chance(Message):
    """What chance decided after a choice."""

    kind: ChanceKind
    facts: dict[str, Any]


class ReviewStep(Message):
    """One whole choice, and the luck that followed. Lists hold one number for each seat."""

    number: int = Field(description="The choice led from this version of the table to the next.")
    move: int
    moves: list[int]
    turn: int
    seat: int
    phase: Phase
    kind: str
    choice: Choice
    forced: bool
    offered: list[int]
    claimed: int | None
    drawn: int
    locomotives: int
    expected_locomotives: float
    open: list[float] = Field(description="The expected margin before the choice, with all cards open.")
    open_win: list[float]
    known: float | None = Field(description="The same for its seat, as far as it could know; null if it was forced.")
    known_win: float | None
    decision: list[float]
    decision_error: float
    hidden: list[float]
    luck: list[float]
    luck_error: float
    chance: Chance | None
    verdict: Verdict | None
    again: bool = Field(description="Whether the best alternative was missed before.")


class Parts(Message):
    """What a result is made of: the sum of start, decisions, luck and others is the margin."""

    start: float
    decisions: float
    luck: float
    others: float
    error: float


class Luck(Message):
    """Luck by where it came from."""

    total: float
    deal: float
    own: float
    others: float
    hidden: float
    error: float


class LedTo(Message):
    """What followed from a choice: a code with facts."""

    code: LedToCode
    facts: dict[str, Any]


class Worst(Message):
    """A decision that lost much."""

    step: int
    led_to: list[LedTo]


class LedgerEntry(Message):
    """A ticket that a seat was offered."""

    ticket: int
    points: int
    step: int
    kept: bool
    worth: float | None
    complete: bool
    brought: int
    trains: int | None
    turns: int | None


class Locomotives(Message):
    """Locomotives that were dealt and drawn from the deck, and how many were to be expected."""

    got: int
    expected: float


class SeatReview(Message):
    """The review of one seat."""

    parts: Parts
    luck: Luck
    adjusted: float = Field(description="The margin without luck.")
    worst: list[Worst]
    finds: list[int]
    moments: list[int] = Field(description="The steps whose luck moved the game most.")
    tickets: list[LedgerEntry]
    locomotives: Locomotives


class Summary(Message):
    """What a review adds up to, once it is done."""

    northrail_review: int
    depth: str
    board: str
    seats: int
    result: list[float]
    wins: list[float]
    totals: list[int]
    by_seat: list[SeatReview]


class ReviewNews(Message):
    """How far a review is, and its steps."""

    status: Literal["none", "waiting", "running", "done", "failed"]
    ahead: int = Field(description="Reviews that come first.")
    total: int = Field(description="How many steps there will be.")
    steps: list[ReviewStep]
    summary: Summary | None
