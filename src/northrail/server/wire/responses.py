"""What the server sends: news of a table, and responses to requests.

The server builds its messages as plain JSON, for speed; tests check them against these models.
"""

from typing import Any, Literal

from pydantic import Field

from northrail.server.wire.events import Step
from northrail.server.wire.reasons import ReasonCode
from northrail.server.wire.refusals import Code
from northrail.server.wire.requests import Choice
from northrail.server.wire.types import Cards, Message, Speed, Status
from northrail.server.wire.view import FinalTicket, Ticket, View

# --- news -------------------------------------------------------------------------------------------------------------


class SeatFacts(Message):
    """A seat and who plays there."""

    seat: int
    who: Literal["person", "bot", "open"]
    name: str
    colour: int = Field(description="The colour of its trains: 0 to 4, different for each seat.")
    level: str | None = Field(description="The bot's level; null for people and open seats.")
    stand_in: str | None = Field(
        description="The level of the bot that plays for this person; null if they play themselves."
    )
    timed_out: bool = Field(description="Whether that bot plays because the person ran out of time.")
    resigned: bool
    present: bool = Field(description="Whether the person is connected; always true for a bot.")
    reserved: bool = Field(description="Whether an open seat is reserved for its player in the previous game.")


class TableFacts(Message):
    """What everyone may know of a table. Times are in seconds since 1970."""

    id: str
    board: str
    board_name: str
    digest: str
    status: Status
    seats: list[SeatFacts]
    first: int | None = Field(description="The starting seat; null for a random one.")
    clock: int | None = Field(description="Seconds per turn; null for no limit.")
    speed: Speed = Field(description="How fast bots move.")
    hints: bool = Field(description="Whether players may ask for hints.")
    lesson: str | None = Field(description="The lesson that is taught here, if it is one.")
    host_name: str | None = Field(description="The name of the person who set up the table, if they play.")
    made: float
    began: float | None
    ended: float | None
    version: int
    turn: int | None = Field(description="The seat to move.")
    winners: list[int] | None
    rematch: str | None = Field(description="The table of the rematch, once a player has asked for one.")


class Clock(Message):
    """The clock of the current turn."""

    seat: int
    until: float = Field(description="When time runs out, in seconds since 1970.")
    left: float = Field(description="Seconds left when this was sent.")


class ChatLine(Message):
    """A line of chat."""

    number: int
    seat: int
    name: str
    text: str
    at: float


class BonusWon(Message):
    """A bonus card at the end of the game, and the seats that won it."""

    name: str
    points: int
    winners: list[int]


class FinalSeat(Message):
    """The final score of a seat: total = routes + tickets + bonuses."""

    seat: int
    routes: int
    tickets: int
    bonuses: dict[str, int]
    total: int
    completed: int
    longest: int
    hand: Cards
    ticket_list: list[FinalTicket] = Field(
        description="In the order to reveal them: completed ones first, then by points."
    )
    place: int = Field(description="1 for winners; 2 and so on by total.")


class Final(Message):
    """The final scores."""

    seats: list[FinalSeat]
    bonuses: list[BonusWon]
    winners: list[int]
    tie_break: str | None = Field(
        description="What decided among players with the same total, such as `completed tickets`; null if nothing did."
    )


class News(Message):
    """The whole table as one seat or a spectator may know it, and the steps and chat since a given point.

    A client can show any News without having seen earlier ones. The socket sends nothing else.
    """

    table: TableFacts
    you: int | None = Field(description="The seat this is for; null for a spectator.")
    yours: list[int] = Field(description="All seats the client has keys for.")
    host: bool = Field(description="Whether the client set up the table.")
    watchers: int = Field(description="Spectators connected to this server.")
    version: int
    revision: int = Field(description="Counts every change of the table, so that you can tell the newer news.")
    since: int = Field(description="`steps` holds those after this version.")
    steps: list[Step]
    view: View | None = Field(description="Null before the game starts.")
    sealed: list[int] | None = Field(description="The first tickets this seat chose ahead of its turn, by number.")
    clock: Clock | None
    chat: list[ChatLine] = Field(description="The chat after line `chat_since`.")
    chat_since: int
    final: Final | None
    now: float = Field(description="The server's time, in seconds since 1970.")


class Played(Message):
    """The version and the revision of a table after a move, for clients that get their news from a socket."""

    version: int
    revision: int


# --- responses --------------------------------------------------------------------------------------------------------


class Made(Message):
    """A new table. For programs that asked for keys: the key of each local seat, and the host's."""

    id: str
    path: str
    keys: dict[str, str] | None
    host_key: str | None
    news: News


class Rematch(Message):
    """The table of a rematch. For programs that asked for keys: those of the caller's seats, and the host's.

    The first player to ask for a rematch becomes its host.
    """

    id: str
    path: str
    keys: dict[str, str] | None
    host_key: str | None
    news: News


class Tables(Message):
    """Tables in the order of the request. Unknown ones are left out."""

    tables: list[TableFacts]


class Joined(Message):
    """The seat you have taken. Programs that asked for ``key`` send it as `Authorization: Bearer KEY`."""

    seat: int
    key: str | None
    news: News


class SeatLink(Message):
    """A personal link that opens a seat on another device, for a day. Anyone with this link can play the seat."""

    key: str
    path: str
    until: float


class Choices(Message):
    """The choices a seat has now, ready to be sent as moves; none if it can't move.

    For routes that accept substitute cards, only the usual payments are listed.
    """

    seat: int | None
    version: int
    choices: list[dict[str, Any]]


class Refusal(Message):
    """Why a request was refused: a code with facts, such as `{"code": "not_your_seat", "facts": {"seat": 1}}`."""

    code: Code
    facts: dict[str, Any]


class Payment(Message):
    """Whether the cards pay for the route, and if not, why."""

    pays: bool
    why: Refusal | None


class WhyNot(Message):
    """Why a seat can't do something now; null if it can."""

    why: Refusal | None


class Reason(Message):
    """Why the planner would make a move: a code with facts, such as `{"code": "completes", "facts": {…}}`."""

    code: ReasonCode
    facts: dict[str, Any]


class OtherChoice(Message):
    """Another choice, and how many points it would lose."""

    choice: Choice
    loss: float


class Hint(Message):
    """What the planner would do in this seat, ready to be sent as a move, and why, the most important reason first."""

    version: int
    choice: Choice
    reasons: list[Reason]
    alternatives: list[OtherChoice] | None = Field(description="Best first; null unless the hint is a careful one.")


class Cost(Message):
    """What a choice would lose against the best one."""

    version: int
    loss: float
    error: float = Field(description="The standard error of the loss.")
    costly: bool = Field(description="Whether it clearly loses so much that you should look again.")


class Frame(Message):
    """A moment of a finished game, with all hands open."""

    version: int
    step: Step | None = Field(description="The step that led here; null for the deal.")
    view: View
    hands: list[Cards]
    tickets: list[list[FinalTicket]]
    offered: list[Ticket]


class Replay(Message):
    """A finished game, step by step."""

    table: TableFacts
    frames: list[Frame]
    final: Final


class Addresses(Message):
    """Where others on the local network find the page."""

    addresses: list[str] = Field(description="URLs; none if the server only listens on this machine.")


class Health(Message):
    """How the server is doing."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "corrupt", "failing", "full", "gone", "locked", "read_only"]
    last_write: float | None = Field(description="When something was stored last, in seconds since 1970.")
    tables: int = Field(description="Tables in memory.")
    sockets: int
    thinking: int = Field(description="Bots that think or wait for a worker.")
