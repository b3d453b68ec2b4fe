"""`View`: what one seat may know, as Python values and JSON. It is made from a ViewStruct and nothing else."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np

from northrail.boards.board import (
    CARDS,
    CITIES,
    COLOURS,
    NOBODY,
    ROUTE_BITS,
    TICKET_BITS,
    TICKET_WORDS,
    Board,
    Route,
    numbers_in,
)
from northrail.engine.choices import Cards, Choice, Claim, DrawTickets, GiveUp, Keep, Pass, PayTunnel, Take, TakeBlind
from northrail.engine.knowledge import look
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, PASS, TAKE, Move, move_of
from northrail.engine.payment import PAYMENTS, Payments, owed, price_list
from northrail.engine.rules import legal
from northrail.engine.scoring import completed_tickets
from northrail.engine.state import (
    NOT_YET,
    OVER,
    PHASES,
    Moves,
    State,
    StateOrView,
    ViewStruct,
    batch_seat,
    batch_size,
)
from northrail.kernels.structs import Values


def cards_of(counts: Iterable[int]) -> Cards:
    """Return card counts by colour name, without the colours that have none."""
    return {COLOURS[at]: int(count) for at, count in enumerate(counts) if count}


def ticket_json(board: Board, ticket: int) -> dict[str, Any]:
    """Return a ticket as JSON."""
    cities, points = board.tickets[ticket].cities, board.tickets[ticket].points
    return {"number": ticket, "cities": list(cities), "points": points}


def offered_tickets(s: StateOrView) -> tuple[int, ...]:
    """Return the tickets the seat to move chooses from."""
    return tuple(numbers_in(s.offered.tolist(), TICKET_BITS))


def joined_tickets(board: Board, s: StateOrView, seat: int) -> list[int]:
    """Return the tickets of a seat whose cities it has joined."""
    done = np.zeros(TICKET_WORDS, np.int64)
    completed_tickets(board.struct, s, seat, np.zeros(CITIES, np.int8), done)
    return numbers_in(done.tolist(), TICKET_BITS)


def keep_least(board: Board, s: StateOrView) -> int:
    """Return how many of the offered tickets must be kept."""
    least = board.rules.first_tickets[1] if s.choosing else board.rules.drawn_tickets[1]
    return min(least, len(offered_tickets(s)))


def legal_moves(board: Board, s: StateOrView) -> list[Move]:
    """Return every legal move of the seat to move, in number order."""
    moves, offered = Moves(), offered_tickets(s)
    legal(board.struct, s, moves)
    routes, others = numbers_in(moves.claims.tolist(), ROUTE_BITS), numbers_in([moves.other], 63)
    return [move_of(board, number, offered) for number in (*routes, *(len(board.routes) + place for place in others))]


Value = TypeVar("Value")


class Fact(Generic[Value]):
    """A field of a View, read from its struct on first access and then kept. Its docstring describes it in OpenAPI."""

    def __init__(self, read: Callable[["View"], Value]) -> None:
        self.read, self.__doc__ = read, read.__doc__

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name
        FACTS[name] = self

    @overload
    def __get__(self, view: None, _owner: type) -> Self: ...
    @overload
    def __get__(self, view: "View", _owner: type) -> Value: ...
    def __get__(self, view: "View | None", _owner: type) -> Self | Value:
        if view is None:
            return self
        value = view.__dict__[self.name] = self.read(view)  # hides this descriptor from now on
        return value


FACTS: dict[str, Fact[Any]] = {}  # the fields of a View, in their order


class View:
    """Everything one seat may know; `json` returns it as JSON. Only the seat to move has moves and options."""

    board: Board
    struct: ViewStruct  # the same knowledge for kernels

    def __init__(self, board: Board, struct: ViewStruct) -> None:
        self.__dict__.update(board=board, struct=struct)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"expected a view to be read only, got a new value for {name!r}")

    @Fact
    def me(self) -> int | None:
        """Your seat; null for a spectator."""
        return None if self._v.me == NOBODY else int(self._v.me)

    @Fact
    def seats(self) -> int:
        """How many seats there are."""
        return int(self._v.seats)

    @Fact
    def first(self) -> int:
        """The seat that started."""
        return int(self._v.first)

    @Fact
    def seat(self) -> int:
        """The seat to move."""
        return int(self._v.seat)

    @Fact
    def phase(self) -> str:
        """What that seat decides."""
        return PHASES[self._v.phase]

    @Fact
    def hand(self) -> Cards:
        """Your cards."""
        return cards_of(self._v.hand[self.me]) if self.me is not None else {}

    @Fact
    def tickets(self) -> list[dict[str, Any]]:
        """Your tickets: number, cities, points, and whether the cities are joined."""
        return self._tickets(self.me) if self.me is not None else []

    @Fact
    def offered(self) -> list[dict[str, Any]]:
        """The tickets you choose from, also while other seats choose their first tickets."""
        return self._numbered(offered_tickets(self.struct))

    @Fact
    def keep_least(self) -> int:
        """How many of them you must keep."""
        return keep_least(self.board, self.struct)

    @Fact
    def returned(self) -> list[dict[str, Any]]:
        """Tickets you returned that may still be where you put them."""
        return self._numbered(numbers_in(self._v.returned, TICKET_BITS))

    @Fact
    def known(self) -> list[Cards]:
        """[seat] -> cards everyone knows it holds."""
        return [cards_of(self._v.known[seat]) for seat in range(self.seats)]

    @Fact
    def hand_sizes(self) -> list[int]:
        """[seat] -> number of cards in hand."""
        return list(self._v.hand_size[: self.seats])

    @Fact
    def ticket_counts(self) -> list[int]:
        """[seat] -> number of tickets; 0 while first tickets are being chosen."""
        return list(self._v.ticket_count[: self.seats])

    @Fact
    def trains(self) -> list[int]:
        """[seat] -> trains left."""
        return list(self._v.trains[: self.seats])

    @Fact
    def points(self) -> list[int]:
        """[seat] -> points for routes."""
        return list(self._v.points[: self.seats])

    @Fact
    def owners(self) -> dict[str, int]:
        """Route number -> seat."""
        owned = {route: seat for seat in range(self.seats) for route in numbers_in(self._v.owned[seat], ROUTE_BITS)}
        return {str(route): owned[route] for route in sorted(owned)}

    @Fact
    def face_up(self) -> Cards:
        """The face-up cards."""
        return cards_of(self._v.face_up)

    @Fact
    def deck(self) -> int:
        """Cards left in the deck."""
        return int(self._v.deck_size)

    @Fact
    def discard(self) -> Cards:
        """The discarded cards."""
        return cards_of(self._v.discard)

    @Fact
    def ticket_deck(self) -> int:
        """Tickets left in the deck."""
        return int(self._v.ticket_deck_size)

    @Fact
    def batches(self) -> list[dict[str, Any]]:
        """Returned tickets under the deck, from the top: seat, count, and for your own which tickets they may be."""
        return self._batches()

    @Fact
    def bonus_cards(self) -> list[str]:
        """The bonus cards in play."""
        return [card.name for at, card in enumerate(self.board.bonus_cards) if self._v.bonus_cards >> at & 1]

    @Fact
    def route(self) -> int | None:
        """The route being paid for."""
        return None if self._v.route == NOBODY else int(self._v.route)

    @Fact
    def laid(self) -> Cards:
        """The cards laid for it so far."""
        return cards_of(self._v.laid)

    @Fact
    def revealed(self) -> Cards:
        """The cards turned over for a tunnel."""
        return cards_of(self._v.revealed)

    @Fact
    def turns_left(self) -> int | None:
        """Turns left, once the last round has begun."""
        return None if self._v.turns_left == NOT_YET else int(self._v.turns_left)

    @Fact
    def final(self) -> list[dict[str, Any]] | None:
        """[seat] -> hand and tickets, when the game is over."""
        if self._v.phase != OVER:
            return None
        return [{"hand": cards_of(self._v.hand[seat]), "tickets": self._tickets(seat)} for seat in range(self.seats)]

    def json(self) -> dict[str, Any]:
        """Return the view as JSON, with its options. Two views with the same knowledge have the same JSON."""
        facts = {name: getattr(self, name) for name in FACTS}
        return deepcopy({"board": self.board.id, **facts, "options": self.options})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.board == other.board and self.json() == other.json()

    __hash__ = None  # type: ignore[assignment]  # it holds dicts

    def __repr__(self) -> str:
        who = "a spectator" if self.me is None else f"seat {self.me}"
        return f"<View of {who}: {self.phase}, seat {self.seat} to move, {self.board.name}>"

    @cached_property
    def _v(self) -> Values:
        """The struct's fields as plain Python values."""
        return self.struct.values

    @property
    def _is_to_move(self) -> bool:
        return self.me == self.seat and self.phase != "over"

    @cached_property
    def _legal(self) -> Moves:
        moves = Moves()
        legal(self.board.struct, self.struct, moves)
        return moves

    @cached_property
    def payments(self) -> dict[int, bytes]:
        """Route that the seat to move can claim -> its usual payments, which `payments_in` reads."""
        routes, alike = numbers_in(self._legal.claims.tolist(), ROUTE_BITS), first_alike(self.board)
        asked = list({alike[route] for route in routes})
        cards, ends = np.empty(len(asked) * PAYMENTS * CARDS, np.int8), np.empty(len(asked), np.int32)
        price_list(self.board.struct, self.struct, np.array(asked, np.int16), len(asked), Payments(), cards, ends)
        stops = [0, *(ends * CARDS).tolist()]
        packed = cards[: stops[-1]].tobytes()
        found = {route: packed[start:end] for route, start, end in zip(asked, stops, stops[1:], strict=False)}
        return {route: found[alike[route]] for route in routes}

    @cached_property
    def options(self) -> dict[str, Any] | None:
        """What the seat may do, complete enough for a page that knows no rules; None unless the seat is to move."""
        if not self._is_to_move:
            return None
        routes = _route_prices(self.board)
        prices = {
            str(route): {"payments": payments_in(packed), "needs": routes[route]}
            for route, packed in self.payments.items()
        }
        return {"claim": prices, **self.other_options}

    @cached_property
    def other_options(self) -> dict[str, Any]:
        """What the seat to move may do besides claiming routes."""
        return _other_options(self)

    @cached_property
    def moves(self) -> list[Move]:
        """Every legal move, in number order; none unless this seat is to move."""
        return legal_moves(self.board, self.struct) if self._is_to_move else []

    @cached_property
    def choices(self) -> list[Choice]:
        """Every whole choice, with the usual payments; none unless this seat is to move."""
        return choices_in(self.options)

    def _numbered(self, tickets: Iterable[int]) -> list[dict[str, Any]]:
        return [ticket_json(self.board, ticket) for ticket in tickets]

    def _tickets(self, seat: int) -> list[dict[str, Any]]:
        """Return a seat's tickets, and for each whether its cities are joined."""
        held = numbers_in(self._v.held[seat], TICKET_BITS)
        if not held:
            return []
        joined = joined_tickets(self.board, self.struct, seat)
        return [ticket_json(self.board, ticket) | {"joined": ticket in joined} for ticket in held]

    def _batches(self) -> list[dict[str, Any]]:
        v, batches = self._v, list[dict[str, Any]]()
        if not v.batches:
            return batches
        at = v.ticket_deck_size - sum(batch_size(v.batch[number]) for number in range(v.batches))
        placed = {ticket for ticket in v.placed if ticket != NOBODY}
        for number in range(v.batches):
            seat, size = batch_seat(v.batch[number]), batch_size(v.batch[number])
            tickets = None
            if seat == v.me:
                tickets = [ticket for ticket in v.placed[at : at + size] if ticket != NOBODY]
                if not tickets:  # another seat has drawn from this batch: only some of these are left
                    tickets = [ticket for ticket in numbers_in(v.returned, TICKET_BITS) if ticket not in placed]
            known = None if tickets is None else self._numbered(tickets)
            batches.append({"seat": int(seat), "count": int(size), "tickets": known})
            at += size
        return batches


def see(board: Board, s: State, me: int | None) -> View:
    """Return what seat ``me`` (None: a spectator) may know of a state."""
    struct = ViewStruct()
    look(board.struct, s, NOBODY if me is None else me, struct)
    return View(board, struct)


# --- options --------------------------------------------------------------------------------------------------------


def _other_options(view: View) -> dict[str, Any]:
    board, other = view.board, view._legal.other
    return {
        "take": [colour for at, colour in enumerate(COLOURS, TAKE) if other >> at & 1],
        "blind": bool(other >> BLIND & 1),
        "draw_tickets": min(board.rules.drawn_tickets[0], view.ticket_deck) if other >> DRAW_TICKETS & 1 else 0,
        "card": [colour for at, colour in enumerate(COLOURS, CARD) if other >> at & 1],
        "keep": {"offered": view.offered, "least": view.keep_least} if view.phase == "tickets" else None,
        "tunnel": _tunnel(view, bool(other >> GIVE_UP & 1)) if view.phase == "tunnel" else None,
        "passing": bool(other >> PASS & 1),
    }


@lru_cache(maxsize=4096)  # few payments are new: routes of the same kind share them, and so do the moves of a game
def payments_in(packed: bytes) -> list[Cards]:
    """Return payments that `View.payments` holds, as card counts by colour name. Nobody may change the result."""
    counts = np.frombuffer(packed, np.int8).reshape(-1, CARDS).tolist()
    return [cards_of(row) for row in counts]


@lru_cache(maxsize=64)
def _route_prices(board: Board) -> list[dict[str, Any]]:
    return [price_of(route) for route in board.routes]


@lru_cache(maxsize=64)
def first_alike(board: Board) -> list[int]:
    """Return [route] -> the first route with the same price, and so with the same payments from any hand."""
    prices = _route_prices(board)
    return [prices.index(price) for price in prices]


def price_of(route: Route) -> dict[str, Any]:
    """Return what a payment for a route must satisfy."""
    substitute = route.substitute
    return {
        "spaces": route.length,
        "locomotives": route.locomotives,
        "colour": route.colour,
        "locomotives_wild": route.wild,
        "substitute": substitute
        and {"cards": substitute.cards, "alike": substitute.alike, "any_space": substitute.any_space},
    }


def _tunnel(view: View, can_give_up: bool) -> dict[str, Any]:
    """Return what a tunnel still costs and the ways to pay it."""
    colour = COLOURS[view.struct.set_colour]
    return {
        "route": view.route,
        "colour": colour,
        "owed": owed(view.struct),
        "matching": {name: count for name, count in view.revealed.items() if name in (colour, "locomotive")},
        "payments": tunnel_payments(view.hand, colour, owed(view.struct)),
        "give_up": can_give_up,
    }


def tunnel_payments(hand: Cards, colour: str, count: int) -> list[Cards]:
    """Return the ways to add ``count`` cards for a tunnel paid in ``colour``, fewest locomotives first.

    >>> tunnel_payments({"red": 1, "locomotive": 2}, "red", 2)
    [{'red': 1, 'locomotive': 1}, {'locomotive': 2}]
    """
    payments = []
    for wild in range(count + 1):
        rest = {colour: count - wild} if wild < count else {}
        added = rest | ({"locomotive": wild} if wild else {})
        if (colour != "locomotive" or not rest) and all(hand.get(name, 0) >= added[name] for name in added):
            payments.append(added)
    return payments


def choices_in(options: dict[str, Any] | None) -> list[Choice]:
    """Return the whole choices that options allow."""
    if options is None:
        return []
    found: list[Choice] = []
    if options["keep"]:
        offered = [ticket["number"] for ticket in options["keep"]["offered"]]
        sizes = range(options["keep"]["least"], len(offered) + 1)
        found += [Keep(kept) for size in sizes for kept in combinations(offered, size)]
    if options["tunnel"]:
        found += map(PayTunnel, options["tunnel"]["payments"])
        found += [GiveUp()] * options["tunnel"]["give_up"]
    for route, claim in options["claim"].items():
        found += [Claim(int(route), cards) for cards in claim["payments"]]
    found += map(Take, options["take"])
    found += [TakeBlind()] * options["blind"]
    found += [DrawTickets()] * bool(options["draw_tickets"])
    found += [Pass()] * options["passing"]
    return found
