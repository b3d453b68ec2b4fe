"""A match: who sits where, the game, and what happened. It has no I/O: the store keeps it, a session plays it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from northrail.boards.board import Board
from northrail.engine.choices import Keep, choice_from
from northrail.engine.events import Event
from northrail.engine.game import Game
from northrail.engine.refusals import Refusal
from northrail.engine.view import View
from northrail.errors import IllegalMove

Json = dict[str, Any]


@dataclass
class Facts:
    """What is fixed about a table, and the little that changes beside the game."""

    id: str
    board: str
    digest: str
    seed: int
    secret: str  # bots take their randomness from it
    first: int | None = None
    start: Json | None = None  # a position to begin at, instead of a deal
    clock: int | None = None
    faster: bool = False
    made: float = 0.0
    began: float | None = None
    clock_from: float = 0.0  # when a person took a seat back: the clock of a turn begins anew
    closed: bool = False
    rematch: str | None = None


@dataclass
class Sitting:
    """A seat and who has it."""

    seat: int
    who: str  # person, bot, open
    name: str = ""
    level: str | None = None
    stand_in: str | None = None
    resigned: bool = False
    reserved: bool = False
    here_until: float | None = None  # its person counts as connected until then, as far as is noted


@dataclass(frozen=True)
class Command:
    """One whole choice, as it is stored; ``version`` is the one it makes."""

    version: int
    seat: int
    by: str  # person, bot
    at: float
    choice: Json
    key: str | None = None


@dataclass(frozen=True)
class Happening:
    """An event at the table, with what the table knows about it, such as its place in the row."""

    event: Event
    more: Json = field(default_factory=dict)
    only: int | None = None  # the one seat that is told

    def seen_by(self, seat: int | None) -> Json:
        """Return it as a seat (None: a spectator) is told it."""
        return self.event.seen_by(seat) | self.more


@dataclass(frozen=True)
class Step:
    """A command and what it made happen."""

    command: Command
    happenings: list[Happening]

    def seen_by(self, seat: int | None) -> Json:
        """Return it as a seat (None: a spectator) is told it."""
        return {
            "version": self.command.version,
            "seat": self.command.seat,
            "by": self.command.by,
            "at": self.command.at,
            "events": [each.seen_by(seat) for each in self.happenings if each.only in (None, seat)],
        }


class Match:
    """A match. `trial` says what a command would lead to, `add` makes it so."""

    def __init__(self, board: Board, facts: Facts, seats: list[Sitting]) -> None:
        self.board = board
        self.facts = facts
        self.seats = seats
        self.steps: list[Step] = []
        self.sealed: dict[int, list[int]] = {}  # seat -> first tickets it chose before it was asked
        self.game: Game | None = None
        self.row: list[str | None] = []
        self.turn_began = 0.0
        self._views: dict[int | None, View] = {}
        self._chosen = False  # whether all first tickets are known to be chosen
        if facts.began is not None:
            self.begin()

    def begin(self) -> None:
        """Deal."""
        facts = self.facts
        if facts.start is not None:
            self.game = Game.from_position(self.board, facts.start)
        else:
            self.game = Game(self.board, len(self.seats), facts.seed, facts.first)
        counts = self.game.view(None).face_up
        row: list[str | None] = [colour for colour, count in counts.items() for _ in range(count)]
        self.row = row + [None] * (self.board.rules.face_up - len(row))
        self.turn_began = facts.began or 0.0

    # --- how it stands

    @property
    def version(self) -> int:
        """How many commands the game has had."""
        return len(self.steps)

    @property
    def status(self) -> str:
        """waiting, running, over or closed."""
        if self.game is not None and self.game.over:
            return "over"
        if self.facts.closed:
            return "closed"
        return "waiting" if self.game is None else "running"

    @property
    def turn(self) -> int | None:
        """The seat that is asked."""
        return self.game.seat if self.game is not None and self.status == "running" else None

    @property
    def ended(self) -> float | None:
        """When the last command came, if the game is over."""
        return self.steps[-1].command.at if self.status == "over" and self.steps else None

    @property
    def winners(self) -> list[int] | None:
        """Who won, when the game is over."""
        return self.game.winners() if self.game is not None and self.game.over else None

    @property
    def names(self) -> list[str]:
        """[seat] -> the name of who has it."""
        return [sitting.name or f"seat {sitting.seat + 1}" for sitting in self.seats]

    @property
    def first_tickets(self) -> bool:
        """Whether first tickets are being chosen."""
        return self.game is not None and self._choosing > 0

    @property
    def _choosing(self) -> int:
        if not self._chosen:
            view = next(iter(self._views.values()), None) or self.view(None)
            left = view.struct.choosing
            self._chosen = not left
            return left
        return 0

    def view(self, seat: int | None) -> View:
        """What a seat (None: a spectator) may know of the game, which has begun."""
        assert self.game is not None
        if seat not in self._views:
            self._views[seat] = self.game.view(seat)
        return self._views[seat]

    @property
    def chosen(self) -> list[bool] | None:
        """[seat] -> whether it has chosen its first tickets; None once all have."""
        if self.game is None or not self._choosing:
            return None
        seats, left = self.game.seats, self._choosing
        first = next(iter(self._views.values())).first
        return [(seat - first) % seats < seats - left or seat in self.sealed for seat in range(seats)]

    @property
    def bot(self) -> str | None:
        """The level of the bot that is to move now, for itself or for a person."""
        if self.turn is None:
            return None
        sitting = self.seats[self.turn]
        return sitting.level if sitting.who == "bot" else sitting.stand_in

    @property
    def deadline(self) -> float | None:
        """When the clock of the person who is asked runs out."""
        if self.facts.clock is None or self.turn is None or self.bot is not None:
            return None
        return max(self.turn_began, self.facts.clock_from) + self.facts.clock

    # --- playing

    def trial(self, seat: int, choice: Json) -> tuple[Game, list[Event]]:
        """Return the game after a choice of the seat to move, and what happened; raise why it cannot be made."""
        game = self._running()
        if seat != game.seat:
            Refusal(self.board, seat, "not_your_turn", {"turn": game.seat}, "move").throw()
        after = game.copy()
        return after, after.apply(choice_from(choice))

    def seal(self, seat: int, tickets: Iterable[int]) -> None:
        """Raise why a seat cannot choose these first tickets before its turn."""
        game = self._running().copy()
        if not self.first_tickets or (self.chosen or [])[seat]:
            Refusal(self.board, seat, "already_chosen", {}, "choose").throw()
        while game.seat != seat:
            game.play(game.moves()[0])  # what the others choose makes no difference
        game.apply(Keep(tuple(tickets)))

    def add(self, command: Command, tried: tuple[Game, list[Event]] | None = None) -> Step:
        """Play a command for good; ``tried`` is what `trial` returned for it, if it was tried just now."""
        assert command.version == self.version + 1, f"expected version {self.version + 1}, got {command.version}"
        assert self.game is not None, "the game has begun"
        joined = _joined(self.view(command.seat))
        self.game, events = tried or (self.game, self.game.apply(choice_from(command.choice)))
        game = self.game
        self._views.clear()
        happenings = [self._placed(event, command.choice.get("place")) for event in events]
        if any(event.code in ("claimed", "kept_tickets") for event in events):
            new = [ticket for ticket in _joined(self.view(command.seat)) if ticket not in joined]
            if new:
                event = Event(self.board, "completed_tickets", command.seat, {}, {"tickets": new})
                happenings.append(Happening(event, only=command.seat))
        self.sealed.pop(command.seat, None)
        if game.seat != command.seat or game.phase == "turn":
            self.turn_began = command.at
        step = Step(command, happenings)
        self.steps.append(step)
        return step

    def _running(self) -> Game:
        if self.game is None or self.status != "running":
            code, why = {
                "waiting": ("game_not_begun", "the game has not begun"),
                "closed": ("table_closed", "the table is closed"),
            }.get(self.status, ("game_over", "the game is over"))
            raise IllegalMove(why, code)
        return self.game

    def _matches(self, event: Event) -> list[bool]:
        """Which of the cards turned over for a tunnel cost one more."""
        options = self.view(event.seat).options if event.public["owed"] else None
        matching = options["tunnel"]["matching"] if options else ()
        return [colour in matching for colour in event.public["revealed"]]

    def _placed(self, event: Event, wish: int | None) -> Happening:
        """Add what the table knows of an event: its place in the face-up row, where it has one."""
        row = self.row
        if event.code == "tunnel_tried":
            return Happening(event, {"matches": self._matches(event)})
        if event.code == "row_cleared":
            row[:] = [None] * len(row)
        if event.code not in ("took", "turned_up"):
            return Happening(event)
        colour = event.public["colour"]
        if event.code == "turned_up":
            place = row.index(None)
            row[place] = colour
        else:
            place = wish if wish is not None and wish < len(row) and row[wish] == colour else row.index(colour)
            row[place] = None
        return Happening(event, {"place": place})


def _joined(view: View) -> list[int]:
    return [ticket["number"] for ticket in view.tickets if ticket["joined"]]
