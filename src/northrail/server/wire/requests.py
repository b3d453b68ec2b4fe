"""What clients send: tables to set up, seats to take, moves and chat. The server checks requests with these models."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from northrail.server.wire.types import Cards, ChatText, Colour, Key, Level, Name, Request, Seat, Speed, Version

Route = Annotated[int, Field(ge=0, le=251)]

# --- tables and seats -------------------------------------------------------------------------------------------------


class PersonSeat(Request):
    """A seat for a person on this device."""

    who: Literal["here"]
    name: Name
    colour: Seat | None = Field(None, description="The colour of the trains; ignored if someone else chose it.")


class OpenSeat(Request):
    """A seat for anyone with the link."""

    who: Literal["open"]


class BotSeat(Request):
    """A seat for a bot; without ``level`` it plays at the usual level."""

    who: Literal["bot"]
    level: Level | None = None


NewSeat = Annotated[PersonSeat | OpenSeat | BotSeat, Field(discriminator="who")]


class NewTable(Request):
    """A table to set up. The game starts once no seat is open."""

    board: Annotated[str, StringConstraints(max_length=60)]
    seats: Annotated[list[NewSeat], Field(min_length=2, max_length=5)]
    first: Seat | None = None
    clock: Annotated[int, Field(ge=10, le=604_800)] | None = None
    speed: Speed = "normal"
    start: dict[str, Any] | None = Field(None, description="A position to start from, instead of a new deal.")
    hints: bool | None = Field(None, description="Allow hints; the default is only for one person alone.")


class NewLesson(Request):
    """A lesson to start."""

    name: Name
    colour: Seat | None = None


class Change(Request):
    """A change of how fast bots move. Any player at the table can make it."""

    speed: Speed


class Join(Request):
    """Take an open seat: the one named, or any."""

    name: Name
    seat: Seat | None = None
    colour: Seat | None = None


class Enter(Request):
    """Take your seat on another device, with the key from its personal link."""

    key: Key


class Fill(Request):
    """Give a seat to a bot, or open it to anyone with the link, before the game starts."""

    sitter: Annotated[OpenSeat | BotSeat, Field(discriminator="who")]


class HandOver(Request):
    """Let a bot play for a seat; without ``level`` at the usual level."""

    level: Level | None = None


# --- playing ----------------------------------------------------------------------------------------------------------


class KeepTickets(Request):
    """Keep these of the offered tickets, by number."""

    kind: Literal["keep"]
    tickets: Annotated[list[Annotated[int, Field(ge=0, le=119)]], Field(min_length=1, max_length=5)]


class TakeCard(Request):
    """Take a face-up card. ``place`` says which one, if several have this colour."""

    kind: Literal["take"]
    colour: Colour
    place: Annotated[int, Field(ge=0, le=9)] | None = None


class DrawBlind(Request):
    """Draw a card from the deck."""

    kind: Literal["blind"]


class DrawTickets(Request):
    """Draw tickets."""

    kind: Literal["draw_tickets"]


class ClaimRoute(Request):
    """Claim a route with exactly these cards."""

    kind: Literal["claim"]
    route: Route
    cards: Cards


class PayTunnel(Request):
    """Pay the extra cost of a tunnel with exactly these cards."""

    kind: Literal["tunnel"]
    cards: Cards


class GiveUp(Request):
    """Give up the tunnel and take the cards back."""

    kind: Literal["give_up"]


class Pass(Request):
    """Pass. This is only allowed without any other legal move."""

    kind: Literal["pass"]


Choice = Annotated[
    KeepTickets | TakeCard | DrawBlind | DrawTickets | ClaimRoute | PayTunnel | GiveUp | Pass,
    Field(discriminator="kind"),
]


class Command(Request):
    """One whole choice of a seat. ``version`` is the version of the table that the choice is based on."""

    seat: Seat
    version: Version
    choice: Choice


class AskPayment(Request):
    """Check whether exactly these cards would pay for the route now."""

    seat: Seat
    route: Route
    cards: Cards


class AskWhy(Request):
    """Ask why a seat can't do something now: claim ``route``, take a face-up ``colour``, or draw."""

    seat: Seat
    kind: Literal["claim", "take", "blind", "draw_tickets"]
    route: Route | None = None
    colour: Colour | None = None


class NewChatLine(Request):
    """A line of chat to send."""

    seat: Seat
    text: ChatText


class Look(Request):
    """View the table as another of your seats, or as a spectator (null). Clients send this on the socket."""

    look: Seat | None
