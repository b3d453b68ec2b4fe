"""`Game`: the rules for people. Moves and events in words, positions, records, and nothing changed by a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from northrail.boards.board import CARDS, COLOURS, LOCOMOTIVE, NOBODY, TICKET_BITS, Board, numbers_in
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine import refusals as explain
from northrail.engine.events import Event, events_of, words_of
from northrail.engine.knowledge import imagine
from northrail.engine.moves import CARD, Move, move_of, number_of
from northrail.engine.payment import owed, set_for
from northrail.engine.position import position_of, state_of
from northrail.engine.rules import Log, apply, deal, is_legal, legal
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import OVER, PAY, PHASES, TUNNEL, UNCHOSEN, Moves, State, seeded
from northrail.engine.view import View, cards_of, legal_moves, see
from northrail.errors import BadMove, BadPosition, BadRecord, IllegalMove, NorthrailError

Record = dict[str, Any]
RECORD_FORMAT = 1
MOST_SEED = 2**62 - 1


@dataclass(frozen=True)
class Score:
    """What a seat has at the end, or would have if the game ended now."""

    routes: int
    tickets: int
    bonuses: dict[str, int]
    total: int
    completed: int
    longest: int


class Game:
    """A game on a board. ``first`` names the starting seat; without it the seed draws it.

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

    # --- who is asked what

    @property
    def seats(self) -> int:
        """How many sit at the table."""
        return self.state.seats

    @property
    def seat(self) -> int:
        """The seat that is asked; when the game is over, the one that moved last."""
        return self.state.seat

    @property
    def phase(self) -> str:
        """What is asked: tickets, turn, second_card, pay, tunnel; or over."""
        return PHASES[self.state.phase]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.phase == OVER

    def _offered(self) -> tuple[int, ...]:
        return tuple(numbers_in(self.state.offered.tolist(), TICKET_BITS))

    def moves(self) -> list[Move]:
        """Every legal move, in number order."""
        return legal_moves(self.board, self.state, self._offered())

    # --- playing

    def play(self, move: Move | str | int) -> list[Event]:
        """Play a move, its text or its number; gives what happened.

        Nothing has happened yet while a payment is under way: then the list is empty.
        """
        number = self._number(move)
        self._see_legal()
        if not self._may(number):
            raise IllegalMove(
                f"{explain.why_not(self, move_of(self.board, number, self._offered()))} (move {len(self._played) + 1})"
            )
        return self._play(number)

    def _number(self, move: Move | str | int) -> int:
        if isinstance(move, Move):
            here = move_of(self.board, move.number, self._offered())
            if here.text != move.text:
                raise BadMove(f"expected a move made for this choice, here {here.text!r}, got {move.text!r}")
            return move.number
        if isinstance(move, str):
            return number_of(self.board, move, self._offered())
        if type(move) is not int:
            raise BadMove(f"expected a Move, a text or a number, got {move!r}")
        return move_of(self.board, move, self._offered()).number

    def _see_legal(self) -> None:
        """Note which moves are legal, for `_may`."""
        legal(self.board.struct, self.state, self._legal)

    def _may(self, number: int) -> bool:
        return is_legal(self.board.struct, self._legal, number)

    def _play(self, number: int) -> list[Event]:
        s = self.state
        seat, offered, choosing = s.seat, self._offered(), s.choosing
        self._played.append(str(move_of(self.board, number, offered)))
        apply(self.board.struct, s, number, self._log)
        chosen = None
        if choosing:
            chosen = s.ticket_count[: s.seats].tolist() if choosing == 1 else []
        asked = owed(s) if s.phase == TUNNEL else 0
        return list(events_of(self.board, self._log, seat, list(offered or self._offered()), asked, chosen))

    def can_pay(self, route: int, cards: Mapping[str, int]) -> bool:
        """Whether the seat may claim ``route`` now with exactly these cards."""
        try:
            self._set_for(route, cards)
        except NorthrailError:
            return False
        return True

    def claim(self, route: int, cards: Mapping[str, int]) -> list[Event]:
        """Claim a route with exactly these cards, up to the question a tunnel asks."""
        colour, counts = self._set_for(route, cards)
        events = self._play(route)
        cards_at = len(self.board.routes) + CARD
        s = self.state
        while s.phase == PAY:
            wild = self.board.routes[route].wild
            order = [LOCOMOTIVE] * wild + [colour] * (colour != LOCOMOTIVE) + list(range(CARDS))
            next_card = next(at for at in order if s.laid[at] < counts[at]) if s.set_colour != UNCHOSEN else colour
            events += self._play(cards_at + next_card)
        return events

    def _set_for(self, route: int, cards: Mapping[str, int]) -> tuple[int, list[int]]:
        """The set's colour for a payment, and its counts; raises the reason why it cannot be made now."""
        if type(route) is not int or not 0 <= route < len(self.board.routes):
            raise BadMove(f"expected a route from 0 to {len(self.board.routes) - 1}, got {route!r}")
        counts = [0] * CARDS
        if not isinstance(cards, Mapping):
            raise BadMove(f'expected cards such as {{"red": 2}}, got {cards!r}')
        for name, count in cards.items():
            if name not in COLOURS or type(count) is not int or not 0 <= count <= 127:
                raise BadMove(f"expected numbers of {', '.join(COLOURS)}, got {name!r}: {count!r}")
            counts[COLOURS.index(name)] = count
        ends = f" (move {len(self._played) + 1})"
        self._see_legal()
        if not self._may(route):
            raise IllegalMove(explain.why_not(self, move_of(self.board, route)) + ends)
        held = self.state.hand[self.seat]
        if any(counts[at] > held[at] for at in range(CARDS)):
            raise IllegalMove(
                f"seat {self.seat} holds {words_of(cards_of(held))}, got {words_of(cards_of(counts))}{ends}"
            )
        colour = set_for(self.board.struct, route, np.array(counts, np.int8))
        if colour == UNCHOSEN:
            price = self.board.routes[route].price
            raise IllegalMove(
                f"{self.board.routes[route]} costs exactly {price}; got {words_of(cards_of(counts))}{ends}"
            )
        return colour, counts

    # --- looking

    def view(self, seat: int | None = None) -> View:
        """What a seat may know; None looks as a spectator."""
        if seat is not None and (type(seat) is not int or not 0 <= seat < self.seats):
            raise BadMove(f"expected a seat from 0 to {self.seats - 1} or None, got {seat!r}")
        return see(self.board, self.state, seat)

    def _score(self) -> ScoreTable:
        table = ScoreTable()
        score(self.board.struct, self.state, table, True)
        return table

    def scores(self) -> list[Score]:
        """The score of each seat, as if the game ended now."""
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
        """The seats that win, as if the game ended now; several if even the tie-breaks leave them equal."""
        table = self._score()
        return [seat for seat in range(self.seats) if table.winner[seat]]

    # --- keeping

    def position(self) -> dict[str, Any]:
        """The whole situation as JSON, secrets included."""
        return position_of(self.board, self.state)

    @classmethod
    def from_position(cls, board: Board, position: Mapping[str, Any]) -> Self:
        """A game that begins at a position; raises BadPosition naming the field that is wrong."""
        game = cls.__new__(cls)
        game.board = board
        game.state = state_of(board, position)
        game._played = []
        game._legal, game._log = Moves(), Log()
        game._begin = {"seats": game.seats, "start": game.position()}
        return game

    @classmethod
    def imagine(cls, view: View, seed: int = 0) -> Self:
        """A game in a world that looks like ``view`` to the seat it belongs to, uniformly over what is hidden.

        >>> import northrail
        >>> game = northrail.Game(northrail.load_board("northern-lights"), seats=4, seed=1)
        >>> northrail.Game.imagine(game.view(2), seed=5).view(2) == game.view(2)
        True
        """
        world = State()
        imagine(view.board.struct, view.struct, np.array([seeded(seed)], np.int64), world)
        return cls.from_position(view.board, position_of(view.board, world))

    def record(self) -> Record:
        """The game as small JSON: its board, its beginning and its moves."""
        return {
            "northrail": RECORD_FORMAT,
            "board": self.board.id,
            "digest": self.board.digest,
            **self._begin,
            "moves": list(self._played),
        }

    @classmethod
    def replay(cls, record: Record, board: Board | None = None, upto: int | None = None) -> Self:
        """The game of a record, or its first ``upto`` moves; a board of one's own must be given."""
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
        """The game a record begins with, and its moves."""
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
                    f"board: expected {' or '.join(BUILT_IN)} or the board beside the record, got {record['board']!r}"
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
        """An independent copy."""
        game = type(self).__new__(type(self))
        game.board = self.board
        game._begin = self._begin
        game.state = self.state.copy()
        game._played = list(self._played)
        game._legal, game._log = Moves(), Log()
        return game

    def __eq__(self, other: object) -> bool:
        """Whether both are in the same situation on the same board, whatever led to it."""
        return isinstance(other, Game) and self.board == other.board and bytes(self.state) == bytes(other.state)

    __hash__ = None  # type: ignore[assignment]  # games change

    def __repr__(self) -> str:
        asked = f"move {len(self._played) + 1}: {self.phase}, seat {self.seat}"
        return f"<Game on {self.board.name}, {self.seats} seats, {asked}>"
