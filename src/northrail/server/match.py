"""A match: who sits where, the game, what happened. It has no I/O; the store keeps it and a session brings it news."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from northrail.boards.board import Board
from northrail.engine.events import Event, words_of
from northrail.engine.game import Game
from northrail.engine.moves import Move
from northrail.engine.view import View, cards_of
from northrail.errors import BadMove, IllegalMove, NorthrailError

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
    """An event at the table: the engine's, or that a seat completed tickets, which it alone is told."""

    event: Event
    more: Json = field(default_factory=dict)  # what the table knows about it, such as the place in the row
    only: int | None = None  # the one seat that is told

    def seen_by(self, board: Board, seat: int | None, names: list[str]) -> Json:
        """It as a seat (None: a spectator) is told it."""
        facts = self.event.seen_by(seat) | self.more
        facts["text"] = named(facts["text"], names)
        if self.event.kind == "all_chosen":
            facts["counts"] = facts.pop("kept")
        if "tickets" in facts:
            facts["tickets"] = [numbered(board, ticket) for ticket in facts["tickets"]]
        return facts


@dataclass(frozen=True)
class Step:
    """A command and what it made happen."""

    command: Command
    happenings: list[Happening]

    def seen_by(self, board: Board, seat: int | None, names: list[str]) -> Json:
        """It as a seat (None: a spectator) is told it."""
        told = [each for each in self.happenings if each.only is None or each.only == seat]
        return {
            "version": self.command.version,
            "seat": self.command.seat,
            "by": self.command.by,
            "at": self.command.at,
            "events": [each.seen_by(board, seat, names) for each in told],
        }


class Completed(Event):
    """A seat completed tickets, which it alone is told."""

    def seen_by(self, _seat: int | None) -> Json:
        """It, in words."""
        tickets = ", ".join(f"{'–'.join(each['cities'])} ({each['points']})" for each in self.private["tickets"])
        return {
            "event": "joined",
            "seat": self.seat,
            "tickets": self.private["tickets"],
            "text": f"seat {self.seat} completes {tickets}",
        }


def named(text: str, names: list[str]) -> str:
    """A sentence with the names of seats for their numbers.

    >>> named("seat 1 takes red", ["Anna", "Bo"])
    'Bo takes red'
    """
    return re.sub(r"\bseat (\d)\b", lambda found: names[int(found[1])], text)


def refusal(fault: Exception, names: list[str]) -> str:
    """Why something was refused, with names.

    Without the number of the engine's move: a payment is several, and how many depends on the payer's hand.

    >>> refusal(IllegalMove("seat 1 cannot pass: it can still take blind (move 40)"), ["Anna", "Bo"])
    'Bo cannot pass: it can still take blind'
    """
    return named(re.sub(r" \(move \d+\)$", "", str(fault)), names)


def numbered(board: Board, ticket: Mapping[str, Any]) -> Json:
    """A ticket as JSON with its number."""
    return {"number": _ticket_numbers(board)[tuple(ticket["cities"])], **ticket}


@lru_cache(maxsize=64)
def _ticket_numbers(board: Board) -> dict[tuple[str, ...], int]:
    """Cities as printed -> number; `Board.ticket` takes any spelling, which takes its time."""
    return {ticket.cities: number for number, ticket in enumerate(board.tickets)}


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
        """The game after a choice of the seat that is asked, and what happened; raises why it cannot be."""
        game = self._running()
        if seat != game.seat:
            raise IllegalMove(f"seat {seat} is not asked: it is the turn of seat {game.seat}")
        after = game.copy()
        return after, play(after, choice)

    def sealing(self, seat: int, tickets: Iterable[int]) -> None:
        """Raise why a seat cannot choose these first tickets before it is asked."""
        game = self._running().copy()
        if not self.first_tickets or (self.chosen or [])[seat]:
            raise IllegalMove(f"seat {seat} has chosen its first tickets already")
        while game.seat != seat:
            game.play(game.moves()[0])  # what the others choose makes no difference to it
        play(game, {"kind": "keep", "tickets": list(tickets)})

    def add(self, command: Command, tried: tuple[Game, list[Event]] | None = None) -> Step:
        """Play a command for good; ``tried`` is what `trial` gave for it, if it was tried just now."""
        assert command.version == self.version + 1, f"expected version {self.version + 1}, got {command.version}"
        assert self.game is not None, "the game has begun"
        joined = _joined(self.view(command.seat))
        self.game, events = tried or (self.game, play(self.game, command.choice))
        game = self.game
        self._views.clear()
        happenings = [self._placed(event, command.choice.get("place")) for event in events]
        now = _joined(self.view(command.seat)) if any(event.kind in ("claim", "kept") for event in events) else []
        new = [ticket for ticket in now if ticket not in joined]
        if new:
            event = Completed("joined", command.seat, {}, {"tickets": new})
            happenings.append(Happening(event, only=command.seat))
        self.sealed.pop(command.seat, None)
        if game.seat != command.seat or game.phase == "turn":
            self.turn_began = command.at
        step = Step(command, happenings)
        self.steps.append(step)
        return step

    def _running(self) -> Game:
        if self.game is None or self.status != "running":
            raise IllegalMove(
                {"waiting": "the game has not begun", "closed": "the table is closed"}.get(
                    self.status, "the game is over"
                )
            )
        return self.game

    def _asks(self, event: Event) -> list[bool]:
        """Which of the cards turned over for a tunnel ask for one more."""
        options = self.view(event.seat).options if event.public["owed"] else None
        asking = (options["tunnel"]["colour"], "locomotive") if options else ()
        return [colour in asking for colour in event.public["revealed"]]

    def _placed(self, event: Event, wish: int | None) -> Happening:
        """The event with what the table knows of it: its place in the face-up row, where it has one."""
        row = self.row
        if event.kind == "tunnel":
            return Happening(event, {"asks": self._asks(event)})
        if event.kind == "flush":
            row[:] = [None] * len(row)
        if event.kind not in ("take", "face_up"):
            return Happening(event)
        colour = event.public["colour"]
        if event.kind == "face_up":
            place = row.index(None)
            row[place] = colour
        else:
            place = wish if wish is not None and wish < len(row) and row[wish] == colour else row.index(colour)
            row[place] = None
        return Happening(event, {"place": place})

    # --- payments

    def payment_fault(self, seat: int, route: int, cards: Mapping[str, int]) -> str | None:
        """Why a seat cannot pay for a route with these cards now; None if it can."""
        try:
            self.trial(seat, {"kind": "claim", "route": route, "cards": dict(cards)})
        except NorthrailError as fault:
            return refusal(fault, self.names)
        return None


def _joined(view: View) -> list[Json]:
    return [ticket for ticket in view.tickets if ticket["joined"]]


# --- choices ---------------------------------------------------------------------------------------------------------

WORDS = {"blind": "take blind", "draw_tickets": "draw tickets", "give_up": "give up", "pass": "pass"}


def play(game: Game, choice: Mapping[str, Any]) -> list[Event]:
    """Play a whole choice; gives what happened, or raises why it cannot be and changes nothing that matters."""
    match choice["kind"]:
        case "keep":
            return game.play(f"keep {', '.join(_ticket(game.board, number) for number in choice['tickets'])}")
        case "take":
            return game.play(f"take {choice['colour']}")
        case "claim":
            return game.claim(choice["route"], choice["cards"])
        case "tunnel":
            return _pay_tunnel(game, choice["cards"])
        case kind:
            return game.play(WORDS[kind])


def _ticket(board: Board, number: int) -> str:
    if number >= len(board.tickets):
        raise BadMove(f"expected a ticket from 0 to {len(board.tickets) - 1}, got {number}")
    return str(board.tickets[number])


def _pay_tunnel(game: Game, cards: Mapping[str, int]) -> list[Event]:
    """Add cards for a tunnel: locomotives first, then the colour, of which the engine lays the rest by itself."""
    wanted = {colour: count for colour, count in cards.items() if count}
    options = game.view(game.seat).options or {}
    ways = (options["tunnel"] or {}).get("payments", [])
    if wanted not in ways:
        if game.phase != "tunnel":
            return game.play("give up")  # the engine says what is asked instead
        expected = " or ".join(words_of(way) for way in ways) or "to give up"
        raise IllegalMove(f"seat {game.seat} cannot add {words_of(wanted)}: expected {expected}")
    events: list[Event] = []
    laid = dict.fromkeys(wanted, 0)
    order = sorted(wanted, key=lambda colour: colour != "locomotive")
    while game.phase == "tunnel" and not events:
        colour = next(colour for colour in order if laid[colour] < wanted[colour])
        laid[colour] += 1
        events += game.play(f"card {colour}")
    return events


def choice_of(before: Game, first: Move, events: list[Event]) -> Json:
    """The whole choice that a move and the cards laid after it made; ``events`` is what all of them made happen."""
    match first.kind:
        case "claim":
            fact = next(event.public for event in events if event.kind in ("claim", "tunnel"))
            return {"kind": "claim", "route": first.route, "cards": dict(fact.get("laid") or fact["paid"])}
        case "keep":
            return {"kind": "keep", "tickets": list(first.tickets)}
        case "take":
            return {"kind": "take", "colour": first.colour, "place": None}
        case "card":
            laid = cards_of(before.view(before.seat).struct.laid)
            paid = next(event.public["paid"] for event in events if event.kind == "claim")
            added = {colour: count - laid.get(colour, 0) for colour, count in paid.items()}
            return {"kind": "tunnel", "cards": {colour: count for colour, count in added.items() if count}}
        case "give up":
            return {"kind": "give_up"}
        case "tickets":
            return {"kind": "draw_tickets"}
        case kind:
            return {"kind": kind}
