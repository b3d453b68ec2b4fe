"""`Game`: the rules for people. Moves and events in words, positions, records, and nothing changed by a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np

from northrail import explain
from northrail._jit import for_kernels, records
from northrail.board import CARDS, COLOURS, LOCOMOTIVE, NOBODY, TICKET_BITS, Board, numbers_in
from northrail.board_file import BUILT_IN, load_board
from northrail.errors import BadMove, BadPosition, BadRecord, IllegalMove, NorthrailError
from northrail.events import Event, events_of, words_of
from northrail.knowledge import imagine_at
from northrail.moves import CARD, Move, move_of, number_of
from northrail.payment import owed, set_for_at
from northrail.position import position_of, states_of
from northrail.rules import LOG, MOVES, deal_at, is_legal_at, legal_at, play_at
from northrail.scoring import SCORE, score_at
from northrail.state import OVER, PAY, PHASES, STATE, TUNNEL, UNCHOSEN, seeded
from northrail.view import View, cards_of, legal_moves, see

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
        self._states = records(STATE, 1)
        self._played: list[str] = []
        self._work()
        deal_at(board.record, self._states, 0, seats, NOBODY if first is None else first, seed, self._log)

    def _work(self) -> None:
        """Arrays that kernels write into, made once for each game, and the state as a plain array."""
        self._plain = self._states.view(np.ndarray)
        self._legal = records(MOVES, 1)
        self._log = records(LOG, 1)

    def _field(self, name: str) -> int:
        """A number of the state; NumPy takes ten times as long to make a record of it first."""
        return int(self._plain[name].item())

    # --- who is asked what

    @property
    def seats(self) -> int:
        """How many sit at the table."""
        return self._field("seats")

    @property
    def seat(self) -> int:
        """The seat that is asked; when the game is over, the one that moved last."""
        return self._field("seat")

    @property
    def phase(self) -> str:
        """What is asked: tickets, turn, second_card, pay, tunnel; or over."""
        return PHASES[self._field("phase")]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._field("phase") == OVER

    def _offered(self) -> tuple[int, ...]:
        return tuple(numbers_in(self._plain["offered"][0].tolist(), TICKET_BITS))

    def moves(self) -> list[Move]:
        """Every legal move, in number order."""
        return legal_moves(self.board, self._states, self._offered())

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
        legal_at(for_kernels(self.board.record), for_kernels(self._states), 0, for_kernels(self._legal))

    def _may(self, number: int) -> bool:
        return bool(is_legal_at(for_kernels(self.board.record), for_kernels(self._legal), number))

    def _play(self, number: int) -> list[Event]:
        seat, offered, choosing = self.seat, self._offered(), self._field("choosing")
        self._played.append(str(move_of(self.board, number, offered)))
        states, log = for_kernels(self._states), for_kernels(self._log)
        play_at(for_kernels(self.board.record), states, 0, number, log)
        chosen = None
        if choosing:
            chosen = self._plain["ticket_count"][0, : self.seats].tolist() if choosing == 1 else []
        asked = int(owed(self._states[0])) if self._field("phase") == TUNNEL else 0
        return list(events_of(self.board, self._log[0], seat, list(offered or self._offered()), asked, chosen))

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
        while self._states[0].phase == PAY:
            s = self._states[0]
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
        held = self._states[0].hand[self.seat]
        if any(counts[at] > held[at] for at in range(CARDS)):
            raise IllegalMove(
                f"seat {self.seat} holds {words_of(cards_of(held))}, got {words_of(cards_of(counts))}{ends}"
            )
        colour = int(set_for_at(self.board.record, route, np.array(counts, np.int8)))
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
        return see(self.board, self._states, 0, seat)

    def _score(self) -> Any:
        table = records(SCORE, 1)
        score_at(self.board.record, self._states, 0, table)
        return table[0]

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
        return position_of(self.board, self._states)

    @classmethod
    def from_position(cls, board: Board, position: Mapping[str, Any]) -> Self:
        """A game that begins at a position; raises BadPosition naming the field that is wrong."""
        game = cls.__new__(cls)
        game.board = board
        game._states = states_of(board, position)
        game._played = []
        game._work()
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
        states = records(STATE, 1)
        imagine_at(view.printed.record, view.record, np.array([seeded(seed)], np.int64), states, 0)
        return cls.from_position(view.printed, position_of(view.printed, states))

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
        game._states = records(STATE, 1)
        # As bytes: NumPy copies a record field by field, fifty times as slowly.
        game._states.view(np.uint8)[:] = self._states.view(np.uint8)
        game._played = list(self._played)
        game._work()
        return game

    def __eq__(self, other: object) -> bool:
        """Whether both are in the same situation on the same board, whatever led to it."""
        return (
            isinstance(other, Game) and self.board == other.board and self._states.tobytes() == other._states.tobytes()
        )

    __hash__ = None  # type: ignore[assignment]  # games change

    def _repr_svg_(self) -> str:
        """The board with its trains, where a notebook shows it."""
        svg: str = import_module("northrail.draw").draw(self)  # by name, as in `Board`
        return svg

    def __repr__(self) -> str:
        asked = f"move {len(self._played) + 1}: {self.phase}, seat {self.seat}"
        return f"<Game on {self.board.name}, {self.seats} seats, {asked}>"
