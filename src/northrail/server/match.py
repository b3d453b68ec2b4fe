"""A match: the seats, the game and its history. It does no I/O: the store saves it, and a session plays it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from northrail.boards.board import Board
from northrail.engine.choices import Keep, choice_from
from northrail.engine.events import Event
from northrail.engine.game import RULES, Game
from northrail.engine.moves import Move, move_of, number_of
from northrail.engine.refusals import Refusal, why_not_now
from northrail.engine.view import View, joined_tickets
from northrail.errors import BadMove, IllegalMove

Json = dict[str, Any]


@dataclass
class TableInfo:
    """What is stored about a table besides its seats and commands."""

    id: str
    board: str
    digest: str
    seed: int
    secret: str  # seeds the bots
    first: int | None = None
    start: Json | None = None  # a position to start from, instead of a deal
    clock: int | None = None
    speed: str = "normal"  # of the bots: normal, fast, instant
    hints: bool = False  # whether players may ask for hints
    lesson: str | None = None  # the lesson that is taught here
    rules: int = RULES  # the reading of the rules that its commands are for
    host_name: str | None = None  # the name of the person who set up the table, if they play
    made: float = 0.0
    began: float | None = None
    clock_from: float = 0.0  # when a person last took back control; the clock of the turn restarts then
    closed: bool = False
    rematch: str | None = None


@dataclass
class SeatInfo:
    """A seat and who plays there."""

    seat: int
    who: str  # person, bot, open
    name: str = ""
    level: str | None = None
    colour: int | None = None  # the colour its person chose
    stand_in: str | None = None
    timed_out: bool = False  # whether the bot stands in because its person ran out of time
    resigned: bool = False
    reserved: bool = False
    here_until: float | None = None  # its person counts as connected until then


# Slots, here and below: a server keeps many of these, and Python's garbage collector has less to look at.
@dataclass(frozen=True, slots=True)
class Command:
    """One whole choice, as it is stored. ``version`` is the version of the table after it."""

    version: int
    seat: int
    by: str  # person, bot
    at: float
    choice: Json
    key: str | None = None

    def row(self) -> Json:
        """Return it as a row of the database, with the choice as text."""
        return {
            "version": self.version,
            "seat": self.seat,
            "by": self.by,
            "at": self.at,
            "choice": json.dumps(self.choice),
            "key": self.key,
        }


@dataclass(frozen=True, slots=True)
class TableEvent:
    """An event of the engine, with details that only the table knows, such as a card's place in the row."""

    event: Event
    details: Json = field(default_factory=dict)
    only_seat: int | None = None  # the only seat that learns of it; None for all

    def seen_by(self, seat: int | None) -> Json:
        """Return the event as a seat (None: a spectator) may see it."""
        return self.event.seen_by(seat) | self.details


@dataclass(frozen=True, slots=True)
class Step:
    """A command and the events it led to."""

    command: Command
    events: list[TableEvent]

    def seen_by(self, seat: int | None) -> Json:
        """Return the step as a seat (None: a spectator) may see it."""
        return {
            "version": self.command.version,
            "seat": self.command.seat,
            "by": self.command.by,
            "at": self.command.at,
            "events": [event.seen_by(seat) for event in self.events if event.only_seat in (None, seat)],
        }


class Match:
    """A match. `trial` tries a choice on a copy of the game; `add` plays a command."""

    def __init__(self, board: Board, info: TableInfo, seats: list[SeatInfo]) -> None:
        self.board = board
        self.info = info
        self.seats = seats
        self.steps: list[Step] = []
        self.sealed: dict[int, list[int]] = {}  # seat -> first tickets it chose ahead of its turn
        self.game: Game | None = None
        self._seat, self._is_over = 0, False  # of the game; reading its struct takes longer
        self.row: list[str | None] = []
        self.turn_began = 0.0
        self._views: dict[int | None, View] = {}
        self._joined: list[set[int]] = []  # [seat] -> the tickets whose cities it has joined
        if info.began is not None:
            self.begin()

    def begin(self) -> None:
        """Deal the cards, or set up the position to start from."""
        info = self.info
        if info.start is not None:
            self.game = Game.from_position(self.board, info.start)
        else:
            self.game = Game(self.board, len(self.seats), info.seed, info.first)
        self._seat, self._is_over = self.game.seat, self.game.over
        state = self.game.state
        self._joined = [set(joined_tickets(self.board, state, seat)) for seat in range(self.game.seats)]
        counts = self.game.view(None).face_up
        row: list[str | None] = [colour for colour, count in counts.items() for _ in range(count)]
        self.row = row + [None] * (self.board.rules.face_up - len(row))
        self.turn_began = info.began or 0.0

    # --- state

    @property
    def version(self) -> int:
        """How many commands the game has had."""
        return len(self.steps)

    @property
    def status(self) -> str:
        """The status of the table: waiting, running, over or closed."""
        if self._is_over:
            return "over"
        if self.info.closed:
            return "closed"
        return "waiting" if self.game is None else "running"

    @property
    def turn(self) -> int | None:
        """The seat to move."""
        return self._seat if self.status == "running" else None

    @property
    def ended(self) -> float | None:
        """When the game ended, if it is over."""
        return self.steps[-1].command.at if self.status == "over" and self.steps else None

    @property
    def winners(self) -> list[int] | None:
        """The winning seats, if the game is over."""
        return self.game.winners() if self.game is not None and self.game.over else None

    @property
    def names(self) -> list[str]:
        """[seat] -> the name of its player."""
        return [seat_info.name or f"seat {seat_info.seat + 1}" for seat_info in self.seats]

    @property
    def first_tickets(self) -> bool:
        """Whether first tickets are being chosen."""
        return self.game is not None and self.game.state.choosing > 0

    def view(self, seat: int | None) -> View:
        """Return what a seat (None: a spectator) may know of the game, which must have begun."""
        assert self.game is not None
        if seat not in self._views:
            self._views[seat] = self.game.view(seat)
        return self._views[seat]

    @property
    def chosen(self) -> list[bool] | None:
        """[seat] -> whether it has chosen its first tickets; None once all have."""
        if self.game is None or not self.first_tickets:
            return None
        seats, first, left = self.game.seats, self.game.state.first, self.game.state.choosing
        return [(seat - first) % seats < seats - left or seat in self.sealed for seat in range(seats)]

    @property
    def bot_to_move(self) -> str | None:
        """The level of the bot to move, in its own seat or for a person."""
        if self.turn is None:
            return None
        seat_info = self.seats[self.turn]
        return seat_info.level if seat_info.who == "bot" else seat_info.stand_in

    @property
    def bots(self) -> int:
        """The number of seats that bots play, their own or for a person."""
        return sum(seat_info.who == "bot" or seat_info.stand_in is not None for seat_info in self.seats)

    @property
    def deadline(self) -> float | None:
        """When the person to move runs out of time. Everyone chooses first tickets at once, without a clock."""
        if self.info.clock is None or self.turn is None or self.bot_to_move is not None or self.first_tickets:
            return None
        return max(self.turn_began, self.info.clock_from) + self.info.clock

    # --- playing

    def trial(self, seat: int, choice: Json) -> tuple[Game, list[Event]]:
        """Return a copy of the game after a choice of the seat to move, and the events; raise if it is not legal."""
        game = self._running()
        if seat != game.seat:
            Refusal(self.board, seat, "not_your_turn", {"turn": game.seat}, "move").throw()
        after = game.copy()
        return after, after.apply(choice_from(choice))

    def check(self, seat: int, kind: str, route: int | None, colour: str | None) -> None:
        """Raise if a seat can't claim a route, take a card or draw now, judged by its view."""
        self._running()
        if seat >= len(self.seats):
            raise IllegalMove("there is no such seat", "no_such_seat", {"seat": seat})
        move = self._move(kind, route, colour)
        if self.chosen is not None:  # everyone chooses at the same time, no matter whose turn it is
            others = [other for other, has_chosen in enumerate(self.chosen) if not has_chosen]
            if seat in others:
                raise IllegalMove("choose your tickets first", "wrong_phase", {"phase": "tickets"})
            raise IllegalMove("others are choosing their tickets", "others_choose", {"seats": others})
        refusal = why_not_now(self.view(seat), move)
        if refusal is not None:
            refusal.throw()

    def _move(self, kind: str, route: int | None, colour: str | None) -> Move:
        board = self.board
        if kind == "claim":
            if route is None or route >= len(board.routes):
                raise BadMove(f"expected a route below {len(board.routes)}, got {route}", "no_such_route")
            return move_of(board, route)
        if kind == "take":
            if colour is None:
                raise BadMove("expected a colour", "no_such_colour")
            return move_of(board, number_of(board, f"take {colour}"))
        return move_of(board, number_of(board, {"blind": "take blind", "draw_tickets": "draw tickets"}[kind]))

    def seal(self, seat: int, tickets: Iterable[int]) -> None:
        """Check that a seat can choose these first tickets ahead of its turn; raise if the rules refuse it."""
        game = self._running().copy()
        if not self.first_tickets or (self.chosen or [])[seat]:
            Refusal(self.board, seat, "already_chosen", {}, "choose").throw()
        while game.seat != seat:
            game.play(game.moves()[0])  # the choices of other seats make no difference
        game.apply(Keep(tuple(tickets)))

    def add(self, command: Command, tried: tuple[Game, list[Event]] | None = None) -> Step:
        """Play a command. ``tried`` is the result of `trial`, if the choice was just tried."""
        assert command.version == self.version + 1, f"expected version {self.version + 1}, got {command.version}"
        assert self.game is not None, "the game has begun"
        self.game, played = tried or (self.game, self.game.apply(choice_from(command.choice)))
        game = self.game
        self._seat, self._is_over = game.seat, game.over
        self._views.clear()
        events = [self._with_details(event, command.choice.get("place")) for event in played]
        if any(event.code in ("claimed", "kept_tickets") for event in played):
            events += self._completed(command.seat)
        self.sealed.pop(command.seat, None)
        if self._seat != command.seat or game.phase == "turn":
            self.turn_began = command.at
        step = Step(command, events)
        self.steps.append(step)
        return step

    def _completed(self, seat: int) -> list[TableEvent]:
        """Return the event that tells a seat which tickets it has just completed, if it has."""
        assert self.game is not None
        joined = joined_tickets(self.board, self.game.state, seat)
        new = [ticket for ticket in joined if ticket not in self._joined[seat]]
        self._joined[seat] = set(joined)
        if not new:
            return []
        return [TableEvent(Event(self.board, "completed_tickets", seat, {}, {"tickets": new}), only_seat=seat)]

    def _running(self) -> Game:
        if self.game is None or self.status != "running":
            code, why = {
                "waiting": ("game_not_begun", "the game has not begun"),
                "closed": ("table_closed", "the table is closed"),
            }.get(self.status, ("game_over", "the game is over"))
            raise IllegalMove(why, code)
        return self.game

    def _matches(self, event: Event) -> list[bool]:
        """Return which of the cards revealed for a tunnel match, so that each costs one more card."""
        options = self.view(event.seat).options if event.public["owed"] else None
        matching = options["tunnel"]["matching"] if options else ()
        return [colour in matching for colour in event.public["revealed"]]

    def _with_details(self, event: Event, requested: int | None) -> TableEvent:
        """Update the face-up row after an event, and add the details that the table knows.

        ``requested`` is the place of the card that the player wants to take, if they said so.
        """
        row = self.row
        if event.code == "tunnel_tried":
            return TableEvent(event, {"matches": self._matches(event)})
        if event.code == "row_cleared":
            row[:] = [None] * len(row)
        if event.code not in ("took", "turned_up"):
            return TableEvent(event)
        colour = event.public["colour"]
        if event.code == "turned_up":
            place = row.index(None)
            row[place] = colour
        else:
            places = [place for place, card in enumerate(row) if card == colour]
            place = requested if requested in places else places[0]
            row[place] = None
        return TableEvent(event, {"place": place})
