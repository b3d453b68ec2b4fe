"""What a seat knows of the game and may do in it: tickets, options and the whole view."""

from typing import Any, get_type_hints

from pydantic import Field, create_model

from northrail.engine.view import FACTS, Fact
from northrail.server.wire.types import Cards, Colour, Message, Phase


class Ticket(Message):
    """A ticket. ``number`` is its index in the board's list."""

    number: int
    cities: tuple[str, str]
    points: int


class Needs(Message):
    """The shortest connection between a ticket's cities, over the seat's routes and routes it can still claim."""

    trains: int = Field(description="Trains still to be placed; 0 when the cities are connected.")
    routes: list[int] = Field(description="The routes still to be claimed.")
    path: list[int] = Field(description="All routes of the connection, including those the seat owns.")


class HeldTicket(Ticket):
    """A ticket the seat holds. ``needs`` is null when it can't be completed: no path is open, or too few trains."""

    joined: bool
    needs: Needs | None


class OfferedTicket(Ticket):
    """A ticket the seat may keep. ``needs`` is null when it can't be completed: no path is open, or too few trains."""

    needs: Needs | None


class FinalTicket(Ticket):
    """A ticket at the end of the game or in a replay."""

    joined: bool
    path: list[int] = Field(description="The seat's routes that join its cities; empty if they are not joined.")


class Batch(Message):
    """Tickets that a seat returned under the deck, top batch first. ``tickets`` is null if the viewer can't know."""

    seat: int
    count: int
    tickets: list[Ticket] | None


class Claim(Message):
    """A route the seat can pay for."""

    payments: list[Cards] = Field(
        description="The usual payments, the fewest cards first, then the fewest locomotives."
    )
    complete: bool = Field(description="Whether this lists every payment; if not, `POST …/payments` checks others.")


class Keep(Message):
    """Tickets to choose from. The seat has to keep at least ``least`` of them."""

    offered: list[OfferedTicket]
    least: int
    together: list[int | None] = Field(
        description="[set of offered tickets, as bits] -> trains that they and the seat's open tickets need together, "
        "as far as we find; null if they can't be completed."
    )


class Tunnel(Message):
    """The extra cost of a tunnel, and the ways to pay it, the fewest locomotives first.

    Without any payment the seat has to give up.
    """

    route: int
    colour: Colour
    owed: int
    matching: Cards = Field(description="The revealed cards that match; each costs one more card.")
    payments: list[Cards]
    give_up: bool


class Standing(Message):
    """How the seats stand in the race for a bonus card."""

    name: str
    counts: list[int | None] = Field(description="[seat] -> its count; null where only that seat can know it.")


class Options(Message):
    """What a seat may do now. It is null in a view when another seat is to move, or a bot plays for this one."""

    claim: dict[str, Claim] = Field(description="Route number -> how it can be paid.")
    take: list[Colour] = Field(description="Face-up colours that may be taken.")
    blind: bool = Field(description="Whether a card may be drawn from the deck.")
    draw_tickets: int = Field(description="How many tickets the seat would draw; 0 if it can't.")
    keep: Keep | None
    tunnel: Tunnel | None
    passing: bool = Field(description="Whether the seat has to pass because it has no legal move.")


def _described(fact: Fact[Any]) -> tuple[Any, Any]:
    return get_type_hints(fact.read)["return"], Field(description=fact.__doc__)


# The fields of the engine's View, except those a table shows in its own way.
_fields: Any = {name: _described(fact) for name, fact in FACTS.items() if name not in ("face_up", "final")}
EngineView: Any = create_model("EngineView", __base__=Message, **_fields)


class View(EngineView):  # type: ignore[misc]  # made above
    """Everything a seat, or a spectator, may know of the game."""

    board: str
    phase: Phase
    tickets: list[HeldTicket]
    offered: list[OfferedTicket]
    returned: list[Ticket]
    batches: list[Batch]
    closed: list[int] = Field(description="Unowned routes that no seat can claim any more.")
    useful: list[int] = Field(description="Routes to claim on a short way to complete the seat's open tickets.")
    standings: list[Standing] = Field(description="How the seats stand for each bonus card in play.")
    row: list[Colour | None] = Field(description="[place] -> face-up card. A card keeps its place until it is taken.")
    chosen: list[bool] | None = Field(description="[seat] -> whether it has chosen its first tickets; null afterwards.")
    options: Options | None
