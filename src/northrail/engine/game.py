"""`Game`: the engine as Python code uses it, with moves and events in words, positions and records.

A method that raises an error leaves the game as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from northrail.boards.board import CARDS, COLOURS, LOCOMOTIVE, NOBODY, Board
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.choices import Choice, Claim, Keep, PayTunnel, Take
from northrail.engine.english import cards_in_words
from northrail.engine.events import Event, events_of
from northrail.engine.knowledge import imagine
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, KEEP, PASS, TAKE, Move, move_of, number_of
from northrail.engine.payment import owed, set_for
from northrail.engine.position import position_of, state_of
from northrail.engine.refusals import Refusal, why_not, wrong_phase
from northrail.engine.rules import Log, apply, deal, is_legal, legal
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import OVER, PAY, PHASES, TICKETS_PHASE, TUNNEL, UNCHOSEN, Moves, State, seeded
from northrail.engine.view import View, cards_of, legal_moves, offered_tickets, see, tunnel_payments
from northrail.errors import BadMove, BadPosition, BadRecord, NorthrailError

Record = dict[str, Any]
RECORD_FORMAT = 1
RULES = 1  # rises when a change of the rules makes the moves of an old game lead elsewhere
MOST_SEED = 2**62 - 1
PLACES = {"blind": BLIND, "draw_tickets": DRAW_TICKETS, "give_up": GIVE_UP, "pass": PASS}


@dataclass(frozen=True)
class Score:
    """A seat's final score, or its score if the game ended now."""

    routes: int
    tickets: int
    bonuses: dict[str, int]  # bonus card -> points
    total: int
    completed: int  # number of completed tickets
    longest: int  # trains on the longest path


class Game:
    """A game on a board. ``first`` is the starting seat; without it, the seed decides.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> game.seat, game.phase, len(game.moves())
    (0, 'tickets', 26)
    """

    def __init__(self, board: Board, seats: int = 2, seed: int = 0, first: int | None = None) -> None:
        least, most = board.rules.seats
        if type(seats) is not int or not least <= seats <= most:
            raise BadPosition(f"seats: expected {least} to {most} on {board.name}, got {seats!r}")
        if type(seed) is not int or not 0 <= seed <= MOST_SEED:
            raise BadPosition(f"seed: expected a number from 0 to 2^62-1, got {seed!r}")
        if first is not None and (type(first) is not int or not 0 <= first < seats):
            raise BadPosition(f"first: expected a seat from 0 to {seats - 1} or None, got {first!r}")
        self.board = board
        self._begin: Record = {"seats": seats, "seed": seed, "first": first}
        self.state = State()  # for kernels; it holds every secret of the game
        self._played: list[str] = []
        self._legal, self._log = Moves(), Log()
        deal(board.struct, self.state, seats, NOBODY if first is None else first, seed, self._log)

    # --- the current decision

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.state.seats

    @property
    def seat(self) -> int:
        """The seat to move; when the game is over, the seat that moved last."""
        return self.state.seat

    @property
    def phase(self) -> str:
        """What the seat to move decides: tickets, turn, second_card, pay or tunnel; or over."""
        return PHASES[self.state.phase]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.state.phase == OVER

    def moves(self) -> list[Move]:
        """Return every legal move, in number order."""
        return legal_moves(self.board, self.state)

    # --- playing

    def play(self, move: Move | str | int) -> list[Event]:
        """Play a move, given as a Move, a text or a number; return what happened.

        The list is empty while a payment is incomplete.
        """
        number = self.find_move(move).number
        self._must_be_legal(number)
        return self._play(number)

    def apply(self, choice: Choice) -> list[Event]:
        """Play a whole choice, such as a claim with its cards; return what happened.

        >>> import northrail
        >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
        >>> [str(event) for event in game.apply(game.view(0).choices[0])]
        ['seat 0 keeps Helsinki–Östersund (8), Oslo–Honningsvåg (21)']
        """
        routes = len(self.board.routes)
        match choice:
            case Claim():
                return self.claim(choice.route, choice.cards)
            case PayTunnel():
                return self._pay_tunnel(choice.cards)
            case Keep():
                return self.play(routes + KEEP + self._set_of(choice.tickets))
            case Take():
                return self.play(routes + TAKE + self._colour(choice.colour))
        return self.play(routes + PLACES[choice.kind])

    def _set_of(self, tickets: tuple[int, ...]) -> int:
        """Return a set of offered tickets as bits; raise BadMove if one is not on offer or named twice."""
        self._must_be_in(TICKETS_PHASE, "keep tickets")
        offered = offered_tickets(self.state)
        chosen = sum(1 << at for at, ticket in enumerate(offered) if ticket in tickets)
        if not tickets or chosen.bit_count() != len(tickets):
            raise BadMove(f"expected tickets on offer {list(offered)}, each once, got {list(tickets)}", "not_offered")
        return chosen

    def _colour(self, colour: str) -> int:
        if colour not in COLOURS:
            raise BadMove(f"expected a colour, one of {', '.join(COLOURS)}, got {colour!r}", "no_such_colour")
        return COLOURS.index(colour)

    def find_move(self, move: Move | str | int) -> Move:
        """Return the move that a Move, a text or a number stands for, legal or not; raise BadMove if there is none."""
        offered = offered_tickets(self.state)
        if isinstance(move, Move):
            here = move_of(self.board, move.number, offered)
            if here.text != move.text:
                raise BadMove(f"expected a move of this decision, {here.text!r}, got {move.text!r}")
            return here
        if isinstance(move, str):
            return move_of(self.board, number_of(self.board, move, offered), offered)
        if type(move) is not int:
            raise BadMove(f"expected a Move, a text or a number, got {move!r}")
        return move_of(self.board, move, offered)

    def _must_be_legal(self, number: int) -> None:
        legal(self.board.struct, self.state, self._legal)
        if not is_legal(self.board.struct, self._legal, number):
            why_not(self.board, self.state, move_of(self.board, number, offered_tickets(self.state))).throw(self._at)

    def _must_be_in(self, phase: int, doing: str) -> None:
        if self.state.phase != phase:
            wrong_phase(self.board, self.state, doing).throw(self._at)

    @property
    def _at(self) -> str:
        return f" (move {len(self._played) + 1})"

    def _play(self, number: int) -> list[Event]:
        s = self.state
        seat, offered, choosing = s.seat, offered_tickets(s), s.choosing
        self._played.append(str(move_of(self.board, number, offered)))
        apply(self.board.struct, s, number, self._log)
        kept = None
        if choosing:
            kept = s.ticket_count[: s.seats].tolist() if choosing == 1 else []
        extra = owed(s) if s.phase == TUNNEL else 0
        return list(events_of(self.board, self._log, seat, list(offered or offered_tickets(s)), extra, kept))

    def can_pay(self, route: int, cards: Mapping[str, int]) -> bool:
        """Return whether the seat to move may claim ``route`` now with exactly these cards."""
        try:
            self._set_for(route, cards)
        except NorthrailError:
            return False
        return True

    def claim(self, route: int, cards: Mapping[str, int]) -> list[Event]:
        """Claim a route with exactly these cards; return what happened. A tunnel may then cost extra cards."""
        colour, counts = self._set_for(route, cards)
        events = self._play(route)
        s, wild = self.state, self.board.routes[route].wild
        order = [LOCOMOTIVE] * wild + [colour] * (colour != LOCOMOTIVE) + list(range(CARDS))
        while s.phase == PAY:
            card = next(at for at in order if s.laid[at] < counts[at]) if s.set_colour != UNCHOSEN else colour
            events += self._play(len(self.board.routes) + CARD + card)
        return events

    def _set_for(self, route: int, cards: Mapping[str, int]) -> tuple[int, list[int]]:
        """Return the set's colour and the card counts of a payment; raise an error if it is not legal now."""
        if type(route) is not int or not 0 <= route < len(self.board.routes):
            raise BadMove(f"expected a route from 0 to {len(self.board.routes) - 1}, got {route!r}", "no_such_route")
        counts = self._counts(cards)
        self._must_be_legal(route)
        held = self.state.hand[self.seat]
        doing, facts = f"claim {self.board.routes[route]}", {"route": route, "cards": cards_of(counts)}
        if any(counts[at] > held[at] for at in range(CARDS)):
            facts["hand"] = cards_of(held)
            Refusal(self.board, self.seat, "cards_not_held", facts, doing).throw(self._at)
        colour = set_for(self.board.struct, route, np.array(counts, np.int8))
        if colour == UNCHOSEN:
            Refusal(self.board, self.seat, "wrong_payment", facts, doing).throw(self._at)
        return colour, counts

    def _counts(self, cards: Mapping[str, int]) -> list[int]:
        counts = [0] * CARDS
        if not isinstance(cards, Mapping):
            raise BadMove(f'expected cards such as {{"red": 2}}, got {cards!r}')
        for name, count in cards.items():
            if name not in COLOURS or type(count) is not int or not 0 <= count <= 127:
                raise BadMove(f"expected numbers of {', '.join(COLOURS)}, got {name!r}: {count!r}")
            counts[COLOURS.index(name)] = count
        return counts

    def _pay_tunnel(self, cards: Mapping[str, int]) -> list[Event]:
        """Add exactly these cards for the tunnel, locomotives first."""
        counts, s = self._counts(cards), self.state
        added, doing = cards_of(counts), f"add {cards_in_words(cards_of(counts))}"
        self._must_be_in(TUNNEL, doing)
        payments = tunnel_payments(cards_of(s.hand[self.seat]), COLOURS[s.set_colour], owed(s))
        if added not in payments:
            Refusal(self.board, self.seat, "wrong_extra", {"cards": added, "payments": payments}, doing).throw(self._at)
        events: list[Event] = []
        for at in sorted(range(CARDS), key=lambda at: at != LOCOMOTIVE):
            for _ in range(counts[at]):
                if not events:  # once there are events, the rules have laid the rest
                    events = self._play(len(self.board.routes) + CARD + at)
        return events

    # --- looking

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know; None means a spectator."""
        if seat is not None and (type(seat) is not int or not 0 <= seat < self.seats):
            raise BadMove(f"expected a seat from 0 to {self.seats - 1} or None, got {seat!r}")
        return see(self.board, self.state, seat)

    def _score(self) -> ScoreTable:
        table = ScoreTable()
        score(self.board.struct, self.state, table, True)
        return table

    def scores(self) -> list[Score]:
        """Return the score of each seat, as if the game ended now."""
        table = self._score()
        return [
            Score(
                routes=int(table.routes[seat]),
                tickets=int(table.tickets[seat]),
                bonuses={
                    card.name: card.points
                    for at, card in enumerate(self.board.bonus_cards)
                    if int(table.won[seat]) >> at & 1
                },
                total=int(table.total[seat]),
                completed=int(table.completed[seat]),
                longest=int(table.longest[seat]),
            )
            for seat in range(self.seats)
        ]

    def winners(self) -> list[int]:
        """Return the winning seats, as if the game ended now; several if the tie-breaks leave them tied."""
        table = self._score()
        return [seat for seat in range(self.seats) if table.winner[seat]]

    # --- saving and loading

    def position(self) -> dict[str, Any]:
        """Return the whole situation as JSON, secrets included."""
        return position_of(self.board, self.state)

    @classmethod
    def from_position(cls, board: Board, position: Mapping[str, Any]) -> Self:
        """Return a game that starts at a position; raise BadPosition, which names the wrong field."""
        game = cls.__new__(cls)
        game.board = board
        game.state = state_of(board, position)
        game._played = []
        game._legal, game._log = Moves(), Log()
        game._begin = {"seats": game.seats, "start": game.position()}
        return game

    @classmethod
    def imagine(cls, view: View, seed: int = 0) -> Self:
        """Return a game in a random world that fits ``view``, uniform over everything hidden.

        >>> import northrail
        >>> game = northrail.Game(northrail.load_board("northern-lights"), seats=4, seed=1)
        >>> northrail.Game.imagine(game.view(2), seed=5).view(2) == game.view(2)
        True
        """
        world = State()
        imagine(view.board.struct, view.struct, np.array([seeded(seed)], np.int64), world)
        return cls.from_position(view.board, position_of(view.board, world))

    def record(self) -> Record:
        """Return the game as compact JSON: its board, its start and its moves."""
        return {
            "northrail": RECORD_FORMAT,
            "board": self.board.id,
            "digest": self.board.digest,
            **self._begin,
            "moves": list(self._played),
        }

    @classmethod
    def replay(cls, record: Record, board: Board | None = None, upto: int | None = None) -> Self:
        """Return the game of a record, or only its first ``upto`` moves. Pass ``board`` if it is your own."""
        game, moves = cls._from_record(record, board)
        if upto is not None and (type(upto) is not int or not 0 <= upto <= len(moves)):
            raise BadRecord(f"upto: expected a number from 0 to {len(moves)}, got {upto!r}")
        for number, move in enumerate(moves[:upto], 1):
            try:
                game.play(move)
            except NorthrailError as error:
                raise BadRecord(f"moves: move {number} cannot be played: {error}") from error
        return game

    @classmethod
    def _from_record(cls, record: Record, board: Board | None) -> tuple[Self, list[str]]:
        """Return a record's game before its first move, and its moves."""
        if not isinstance(record, Mapping) or record.get("northrail") != RECORD_FORMAT:
            raise BadRecord(f'expected a record with "northrail": {RECORD_FORMAT}, got {str(record)[:60]!r}')
        known = {
            "northrail",
            "board",
            "digest",
            "seats",
            "moves",
            *(("start",) if "start" in record else ("seed", "first")),
        }
        if set(record) - known or known - set(record) - {"first"}:
            raise BadRecord(f"expected the fields {', '.join(sorted(known))}, got {', '.join(sorted(record))}")
        if board is None:
            if record["board"] not in BUILT_IN:
                raise BadRecord(
                    f"board: expected {' or '.join(BUILT_IN)} or your own board as `board`, got {record['board']!r}"
                )
            board = load_board(record["board"])
        if (record["board"], record["digest"]) != (board.id, board.digest):
            theirs, ours = f"{record['board']} {record['digest']}", f"{board.id} {board.digest}"
            raise BadRecord(
                f"digest: the record was made on another version of the board; expected {ours}, got {theirs}"
            )
        moves = record["moves"]
        if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
            raise BadRecord(f"moves: expected a list of move texts, got {str(moves)[:60]!r}")
        try:
            if "start" in record:
                game = cls.from_position(board, record["start"])
                if game.seats != record["seats"]:
                    raise BadRecord(f"seats: expected {game.seats}, as in `start`, got {record['seats']!r}")
                return game, moves
            return cls(board, record["seats"], record["seed"], record.get("first")), moves
        except BadPosition as error:
            raise BadRecord(str(error)) from error

    def copy(self) -> Self:
        """Return an independent copy."""
        game = type(self).__new__(type(self))
        game.board = self.board
        game._begin = self._begin
        game.state = self.state.copy()
        game._played = list(self._played)
        game._legal, game._log = Moves(), Log()
        return game

    def __eq__(self, other: object) -> bool:
        """Return whether both games are in the same situation on the same board, however they got there."""
        return isinstance(other, Game) and self.board == other.board and bytes(self.state) == bytes(other.state)

    __hash__ = None  # type: ignore[assignment]  # games change

    def __repr__(self) -> str:
        now = f"move {len(self._played) + 1}: {self.phase}, seat {self.seat}"
        return f"<Game on {self.board.name}, {self.seats} seats, {now}>"
