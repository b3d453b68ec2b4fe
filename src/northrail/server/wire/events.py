"""Events as a seat or a spectator sees them, and the steps of a game."""

from typing import Annotated, Literal

from pydantic import Field

from northrail.server.wire.types import Cards, Colour, Message


class Took(Message):
    """A seat took a face-up card."""

    code: Literal["took"]
    seat: int
    colour: Colour
    place: int = Field(description="Its place in the face-up row.")


class Drew(Message):
    """A seat drew a card from the deck."""

    code: Literal["drew"]
    seat: int
    colour: Colour | None = Field(None, description="Only the seat itself sees it.")


class TurnedUp(Message):
    """A card was turned face up."""

    code: Literal["turned_up"]
    seat: None
    colour: Colour
    place: int = Field(description="Its place in the face-up row.")


class RowCleared(Message):
    """Too many locomotives were face up, so the row was cleared."""

    code: Literal["row_cleared"]
    seat: None
    locomotives: int


class Reshuffled(Message):
    """The discard pile was shuffled into a new deck."""

    code: Literal["reshuffled"]
    seat: None
    count: int


class TunnelTried(Message):
    """A seat paid for a tunnel, and cards were turned over."""

    code: Literal["tunnel_tried"]
    seat: int
    route: int
    cards: Cards
    revealed: list[Colour]
    matches: list[bool] = Field(description="[card] -> whether it matches; each match costs one more card.")
    owed: int = Field(description="How many extra cards the tunnel costs.")


class Claimed(Message):
    """A seat claimed a route."""

    code: Literal["claimed"]
    seat: int
    route: int
    cards: Cards
    points: int


class GaveUp(Message):
    """A seat gave up a tunnel and took its cards back."""

    code: Literal["gave_up"]
    seat: int
    route: int


class DrewTickets(Message):
    """A seat drew tickets."""

    code: Literal["drew_tickets"]
    seat: int
    count: int
    tickets: list[int] | None = Field(None, description="Ticket numbers; only the seat itself sees them.")


class KeptTickets(Message):
    """A seat chose its tickets. Others learn how many first tickets it kept once every seat has chosen."""

    code: Literal["kept_tickets"]
    seat: int
    count: int | None = None
    of: int | None = None
    tickets: list[int] | None = Field(None, description="Ticket numbers; only the seat itself sees them.")


class AllKept(Message):
    """Every seat has chosen its first tickets."""

    code: Literal["all_kept"]
    seat: None
    counts: list[int] = Field(description="[seat] -> first tickets kept.")


class CompletedTickets(Message):
    """A seat completed tickets; only the seat itself sees this."""

    code: Literal["completed_tickets"]
    seat: int
    tickets: list[int]


class Passed(Message):
    """A seat had no legal move and passed."""

    code: Literal["passed"]
    seat: int


class LastRound(Message):
    """The last round begins."""

    code: Literal["last_round"]
    seat: int
    trains: int = Field(description="How many trains the seat has left.")


class GameOver(Message):
    """The game is over."""

    code: Literal["game_over"]
    seat: None


Event = Annotated[
    Took
    | Drew
    | TurnedUp
    | RowCleared
    | Reshuffled
    | TunnelTried
    | Claimed
    | GaveUp
    | DrewTickets
    | KeptTickets
    | AllKept
    | CompletedTickets
    | Passed
    | LastRound
    | GameOver,
    Field(discriminator="code"),
]


class Step(Message):
    """A command and the events it led to."""

    version: int = Field(description="The version of the table after this step.")
    seat: int
    by: Literal["person", "bot"] = Field(description="Who chose: a person, or a bot, which may play for a person.")
    at: float = Field(description="The time, in seconds since 1970.")
    events: list[Event]
