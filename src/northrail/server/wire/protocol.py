"""What is said between the server and a page or a program. OpenAPI and the page's types are made from it.

Requests are checked against these models. Answers are built as plain JSON, for speed; tests hold them to the models.
"""

import json
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model

from northrail.engine.view import FACTS, Fact
from northrail.server.wire.refusals import Code

MOST_NAME, MOST_CHAT = 24, 300
MOST_VERSION = 2**31 - 1


def _printable(text: str) -> str:
    """The text itself, if a line can show it."""
    if not text.isprintable():
        raise ValueError("expected letters, digits, signs and spaces")
    return text


Colour = Literal["purple", "blue", "orange", "white", "green", "yellow", "black", "red", "locomotive"]
Phase = Literal["tickets", "turn", "second_card", "pay", "tunnel", "over"]
Status = Literal["waiting", "running", "over", "closed"]
Cards = dict[Colour, Annotated[int, Field(ge=0, le=127)]]
Seat = Annotated[int, Field(ge=0, le=4)]
Version = Annotated[int, Field(ge=0, le=MOST_VERSION, description="How many commands the game has had.")]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_NAME), AfterValidator(_printable)
]
Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHAT), AfterValidator(_printable)
]
Level = Annotated[str, StringConstraints(max_length=40), Field(description="A bot's level, one of `/api/bots`.")]
Key = Annotated[str, StringConstraints(min_length=22, max_length=22, pattern=r"^[A-Za-z0-9_-]{22}$")]


def packed(message: Any) -> bytes:
    """A message as it goes over the wire."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


class Message(BaseModel):
    """Something the server says."""


class Request(BaseModel):
    """Something the server is asked; unknown fields are refused, for they are mistakes."""

    model_config = ConfigDict(extra="forbid")


# --- what a seat knows -----------------------------------------------------------------------------------------------


class Ticket(Message):
    """A ticket; ``number`` is its place in the board's list."""

    number: int
    cities: tuple[str, str]
    points: int


class Needs(Message):
    """The shortest way to join a ticket's cities by routes that are one's own or still open."""

    trains: int = Field(description="Trains still to be placed; 0 when it is joined.")
    routes: list[int] = Field(description="The routes still to be claimed.")
    path: list[int] = Field(description="The routes of the whole way, own ones too.")


class HeldTicket(Ticket):
    """A ticket one holds; ``needs`` is null when no way is left, or too few trains."""

    joined: bool
    needs: Needs | None


class OfferedTicket(Ticket):
    """A ticket one may keep; ``needs`` is null when no way is left, or too few trains."""

    needs: Needs | None


class FinalTicket(Ticket):
    """A ticket at the end."""

    joined: bool


class Batch(Message):
    """Returned tickets under the deck, from the top; ``tickets`` says what one knows of one's own."""

    seat: int
    count: int
    tickets: list[Ticket] | None


class Claim(Message):
    """A route one can pay for."""

    payments: list[Cards] = Field(
        description="The usual payments, the fewest cards first, then the fewest locomotives."
    )
    complete: bool = Field(description="Whether these are all payments; if not, `POST …/payments` checks others.")


class Keep(Message):
    """Tickets to choose from: `keep` at least so many of them."""

    offered: list[OfferedTicket]
    least: int


class Tunnel(Message):
    """What a tunnel costs, and the ways to pay it, the fewest locomotives first. With none you have to give up."""

    route: int
    colour: Colour
    owed: int
    matching: Cards = Field(description="The cards turned over that cost one more each.")
    payments: list[Cards]
    give_up: bool


class Options(Message):
    """What a seat may do now. Null in a view means: nothing, somebody else is asked or a bot plays for the seat."""

    claim: dict[str, Claim] = Field(description="Route number -> how it can be paid.")
    take: list[Colour] = Field(description="Face-up colours that may be taken.")
    blind: bool = Field(description="Whether a card may be drawn from the deck.")
    draw_tickets: int = Field(description="How many tickets would be drawn; 0: none can be.")
    keep: Keep | None
    tunnel: Tunnel | None
    passing: bool = Field(description="Whether one must pass, for nothing else is left.")


def _described(fact: Fact[Any]) -> tuple[Any, Any]:
    return get_type_hints(fact.read)["return"], Field(description=fact.__doc__)


# The fields of the engine's View, except those a table shows in its own way.
_fields: Any = {name: _described(fact) for name, fact in FACTS.items() if name not in ("face_up", "final")}
EngineView: Any = create_model("EngineView", __base__=Message, **_fields)


class View(EngineView):  # type: ignore[misc]  # made above
    """All that a seat, or a spectator, may know."""

    board: str
    phase: Phase
    tickets: list[HeldTicket]
    offered: list[OfferedTicket]
    returned: list[Ticket]
    batches: list[Batch]
    closed: list[int] = Field(description="Routes nobody can claim any more.")
    row: list[Colour | None] = Field(description="The face-up cards by place; cards never move.")
    chosen: list[bool] | None = Field(description="[seat] -> whether it has chosen its first tickets; null afterwards.")
    options: Options | None


# --- what happened ----------------------------------------------------------------------------------------------------


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
    colour: Colour | None = Field(None, description="For the seat itself.")


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
    """The discards became a new deck."""

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
    matches: list[bool] = Field(description="Which of the revealed cards cost one more.")
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
    tickets: list[int] | None = Field(None, description="Ticket numbers, for the seat itself.")


class KeptTickets(Message):
    """A seat chose its tickets. How many first tickets it kept, others learn when all have chosen."""

    code: Literal["kept_tickets"]
    seat: int
    count: int | None = None
    of: int | None = None
    tickets: list[int] | None = Field(None, description="Ticket numbers, for the seat itself.")


class AllKept(Message):
    """Every seat has chosen its first tickets."""

    code: Literal["all_kept"]
    seat: None
    counts: list[int] = Field(description="[seat] -> first tickets kept.")


class CompletedTickets(Message):
    """A seat completed tickets; only the seat itself is told."""

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
    """What one command made happen."""

    version: int = Field(description="The version it made.")
    seat: int
    by: Literal["person", "bot"] = Field(description="Who decided; a bot may stand in for a person.")
    at: float = Field(description="When, in seconds since 1970.")
    events: list[Event]


# --- the table --------------------------------------------------------------------------------------------------------


class SeatFacts(Message):
    """Who sits in a seat."""

    seat: int
    who: Literal["person", "bot", "open"]
    name: str
    level: str | None = Field(description="Of a bot.")
    stand_in: str | None = Field(description="The level of the bot that plays for a person; null: it plays itself.")
    resigned: bool
    present: bool = Field(description="Whether the person is connected; true for a bot.")
    reserved: bool = Field(description="An open seat that is kept for who had it in the game before.")


class TableFacts(Message):
    """A table, as everybody may know it."""

    id: str
    board: str
    board_name: str
    digest: str
    status: Status
    seats: list[SeatFacts]
    first: int | None = Field(description="The seat that is to start; null: chance decides.")
    clock: int | None = Field(description="Seconds for a turn.")
    faster: bool = Field(description="Bots move fast.")
    made: float
    began: float | None
    ended: float | None
    version: int
    turn: int | None = Field(description="The seat that is asked.")
    winners: list[int] | None
    rematch: str | None = Field(description="The table of the next game, once somebody asked for one.")


class Clock(Message):
    """The turn's clock."""

    seat: int
    until: float = Field(description="When it runs out, in seconds since 1970.")
    left: float = Field(description="Seconds left when this was sent.")


class ChatLine(Message):
    """Something said at the table."""

    number: int
    seat: int
    name: str
    text: str
    at: float


class BonusWon(Message):
    """A bonus card at the end, and who gets it."""

    name: str
    points: int
    winners: list[int]


class FinalSeat(Message):
    """A seat at the end. total = routes + tickets + bonuses."""

    seat: int
    routes: int
    tickets: int
    bonuses: dict[str, int]
    total: int
    completed: int
    longest: int
    hand: Cards
    ticket_list: list[FinalTicket] = Field(description="In the order to open them: joined ones first, by points.")
    place: int = Field(description="1 for winners; 2 and so on by total.")


class Final(Message):
    """The final table."""

    seats: list[FinalSeat]
    bonuses: list[BonusWon]
    winners: list[int]
    by_tie_break: bool = Field(description="Whether a tie-break decided.")


class News(Message):
    """The whole of a table as one seat (or a spectator) may know it, and what happened since it last heard.

    A page can draw any News without having seen the ones before. The socket sends News and nothing else.
    """

    table: TableFacts
    you: int | None = Field(description="Whose eyes this is for; null: a spectator's.")
    yours: list[int] = Field(description="The seats this browser holds.")
    host: bool = Field(description="Whether this browser set the table up.")
    watchers: int = Field(description="Spectators connected here.")
    version: int
    since: int = Field(description="The steps begin after this version.")
    steps: list[Step]
    view: View | None = Field(description="Null while the table waits for people.")
    sealed: list[int] | None = Field(description="First tickets this seat has chosen already, as ticket numbers.")
    clock: Clock | None
    chat: list[ChatLine] = Field(description="What was said after `chat_since`.")
    chat_since: int
    final: Final | None
    now: float = Field(description="The server's time, in seconds since 1970.")


# --- asking -----------------------------------------------------------------------------------------------------------


class SitHere(Request):
    """A person on this device."""

    who: Literal["here"]
    name: Name


class SitOpen(Request):
    """Whoever comes by the link."""

    who: Literal["open"]


class SitBot(Request):
    """A bot; without a level the usual one."""

    who: Literal["bot"]
    level: Level | None = None


Sitter = Annotated[SitHere | SitOpen | SitBot, Field(discriminator="who")]


class NewTable(Request):
    """A table to set up; the game begins when no seat is open."""

    board: Annotated[str, StringConstraints(max_length=60)]
    seats: Annotated[list[Sitter], Field(min_length=2, max_length=5)]
    first: Seat | None = None
    clock: Annotated[int, Field(ge=10, le=604_800)] | None = None
    faster: bool = False
    start: dict[str, Any] | None = Field(None, description="A position to play on from, instead of a new deal.")


class Change(Request):
    """A change of the table's pace, by anybody who sits at it."""

    faster: bool


class Join(Request):
    """Sit down in an open seat, any or a certain one."""

    name: Name
    seat: Seat | None = None


class Enter(Request):
    """The key of a personal seat link."""

    key: Key


class Fill(Request):
    """Who is to have a seat, while the table waits: a bot, or whoever comes."""

    sitter: Annotated[SitOpen | SitBot, Field(discriminator="who")]


class HandOver(Request):
    """The level of the bot to play for a seat; without one the usual."""

    level: Level | None = None


class KeepTickets(Request):
    """Keep these of the offered tickets, by number."""

    kind: Literal["keep"]
    tickets: Annotated[list[Annotated[int, Field(ge=0, le=119)]], Field(min_length=1, max_length=5)]


class TakeCard(Request):
    """Take a face-up card; ``place`` says which of several of its colour."""

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
    route: Annotated[int, Field(ge=0, le=251)]
    cards: Cards


class PayTunnel(Request):
    """Add exactly these cards for the tunnel."""

    kind: Literal["tunnel"]
    cards: Cards


class GiveUp(Request):
    """Give the tunnel up."""

    kind: Literal["give_up"]


class Pass(Request):
    """Pass; only where nothing else can be done."""

    kind: Literal["pass"]


Choice = Annotated[
    KeepTickets | TakeCard | DrawBlind | DrawTickets | ClaimRoute | PayTunnel | GiveUp | Pass,
    Field(discriminator="kind"),
]


class Command(Request):
    """One whole choice of a seat; ``version`` is the one it answers."""

    seat: Seat
    version: Version
    choice: Choice


class Choices(Message):
    """The choices a seat could make now, each as a move carries it; none if it is not asked.

    Of payments with substitutes only the usual ones are here.
    """

    seat: int | None
    version: int
    choices: list[dict[str, Any]]


class AskPayment(Request):
    """Would these cards pay for the route now?"""

    seat: Seat
    route: Annotated[int, Field(ge=0, le=251)]
    cards: Cards


class Payment(Message):
    """Whether cards pay for a route, and if not, why."""

    pays: bool
    why: "Refusal | None"


class Say(Request):
    """Something to say at the table."""

    seat: Seat
    text: Words


class SeatLink(Message):
    """A personal link: it carries the seat to another device, for a day. Whoever has it, has the seat."""

    key: str
    path: str
    until: float


class Joined(Message):
    """The seat one now holds; ``key`` for programs that asked for it, which send it as `Authorization: Bearer KEY`."""

    seat: int
    key: str | None
    news: News


class Made(Message):
    """The table one has set up; seat -> key of the seats here, and the host's key, for programs that asked for them."""

    id: str
    path: str
    keys: dict[str, str] | None
    host_key: str | None
    news: News


class Rematch(Message):
    """The next game's table; seat -> key of one's seats there, and the first's host key, for programs that asked."""

    id: str
    path: str
    keys: dict[str, str] | None
    host_key: str | None
    news: News


class Tables(Message):
    """Tables in the order they were asked for; unknown ones are left out."""

    tables: list[TableFacts]


class Frame(Message):
    """A moment of a finished game with all hands open."""

    version: int
    step: Step | None = Field(description="What led here; null for the deal.")
    view: View
    hands: list[Cards]
    tickets: list[list[FinalTicket]]
    offered: list[Ticket]


class Replay(Message):
    """A finished game, moment by moment."""

    table: TableFacts
    frames: list[Frame]
    final: Final


class Health(Message):
    """How the server is."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"]
    tables: int = Field(description="Tables in memory.")
    sockets: int
    thinking: int = Field(description="Bots that think or wait for a worker.")


class Refusal(Message):
    """Why something was refused: a code with facts, such as `{"code": "not_your_seat", "facts": {"seat": 1}}`."""

    code: Code
    facts: dict[str, Any]


class Look(Request):
    """What a client may send on the socket: look with the eyes of another of one's seats (null: a spectator's)."""

    look: Seat | None
