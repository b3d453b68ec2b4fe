"""`View`: what one seat may know, for people, players and pages. It is made from a ViewStruct and nothing else."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from northrail.boards.board import (
    CITIES,
    COLOURS,
    LOCOMOTIVE,
    NOBODY,
    ROUTE_BITS,
    TICKET_BITS,
    Board,
    Route,
    numbers_in,
)
from northrail.engine.knowledge import look
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, PASS, TAKE, Move, move_of
from northrail.engine.payment import Payments, owed, usual_payments
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

Cards = dict[str, int]


def cards_of(counts: Iterable[int]) -> Cards:
    """Card counts by name, without the colours of which there are none."""
    return {COLOURS[at]: int(count) for at, count in enumerate(counts) if count}


def ticket_json(board: Board, ticket: int) -> dict[str, Any]:
    """A ticket as JSON."""
    return {"cities": list(board.tickets[ticket].cities), "points": board.tickets[ticket].points}


def legal_moves(board: Board, s: StateOrView, offered: tuple[int, ...]) -> list[Move]:
    """Every legal move of the seat that is asked, in number order."""
    moves = Moves()
    legal(board.struct, s, moves)
    routes, others = numbers_in(moves.claims.tolist(), ROUTE_BITS), numbers_in([moves.other], 63)
    return [move_of(board, number, offered) for number in (*routes, *(len(board.routes) + place for place in others))]


@dataclass(frozen=True)
class View:
    """Everything one seat may know, JSON-able by `json`. Only the seat that is asked has moves and options."""

    board: Board
    me: int | None  # who looks; None for a spectator
    seats: int
    first: int
    seat: int  # who is asked
    phase: str
    hand: Cards
    tickets: list[dict[str, Any]]  # cities, points, joined
    offered: list[dict[str, Any]]  # tickets to choose from, also while others choose their first
    keep_least: int  # how many of them must be kept
    returned: list[dict[str, Any]]  # tickets put back, as far as they may still be where they were put
    known: list[Cards]  # [seat] -> cards all know it to hold
    hand_sizes: list[int]
    ticket_counts: list[int]  # 0 while first tickets are being chosen
    trains: list[int]
    points: list[int]  # for routes
    owners: dict[str, int]  # route -> seat
    face_up: Cards
    deck: int
    discard: Cards
    ticket_deck: int
    batches: list[dict[str, Any]]  # returned tickets under the deck, from the top: seat, count, and one's own tickets
    bonus_cards: list[str]
    route: int | None  # being paid for
    laid: Cards
    revealed: Cards
    turns_left: int | None  # once the last round has begun
    final: list[dict[str, Any]] | None  # [seat] -> hand and tickets, when the game is over

    def json(self) -> dict[str, Any]:
        """The view as JSON, with its options; equal for equal knowledge."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        return deepcopy(facts | {"board": self.board.id, "options": self.options})

    @property
    def struct(self) -> ViewStruct:
        """The same for kernels."""
        struct: ViewStruct = self.__dict__["_struct"]
        return struct

    @property
    def _is_asked(self) -> bool:
        return self.me == self.seat and self.phase != "over"

    @cached_property
    def options(self) -> dict[str, Any] | None:
        """What the seat may do, in a form a page can offer without knowing a rule; None unless this seat is asked."""
        return _options(self) if self._is_asked else None

    @cached_property
    def moves(self) -> list[Move]:
        """Every legal move, in number order; none unless this seat is asked."""
        if not self._is_asked:
            return []
        offered = tuple(numbers_in(self.struct.offered.tolist(), TICKET_BITS))
        return legal_moves(self.board, self.struct, offered)


def see(board: Board, s: State, me: int | None) -> View:
    """What seat ``me`` (None: a spectator) may know of a state."""
    struct = ViewStruct()
    look(board.struct, s, NOBODY if me is None else me, struct)
    return view_of(board, struct)


def view_of(board: Board, struct: ViewStruct) -> View:
    """The View of a ViewStruct."""
    v = struct.values()
    count, seats = v.seats, range(v.seats)
    me = None if v.me == NOBODY else v.me
    offered = numbers_in(v.offered, TICKET_BITS)
    keep = board.rules.first_tickets[1] if v.choosing else board.rules.drawn_tickets[1]
    owners = {route: seat for seat in seats for route in numbers_in(v.owned[seat], ROUTE_BITS)}
    view = View.__new__(View)  # the fields at once: a frozen class takes as long to set them as to find them
    view.__dict__.update(
        _struct=struct,  # not a field: a view as JSON is what the seat knows and no more
        board=board,
        me=me,
        seats=count,
        first=v.first,
        seat=v.seat,
        phase=PHASES[v.phase],
        hand=cards_of(v.hand[me]) if me is not None else {},
        tickets=_tickets(board, struct, v, me) if me is not None else [],
        offered=[ticket_json(board, ticket) for ticket in offered],
        keep_least=min(keep, len(offered)),
        returned=[ticket_json(board, ticket) for ticket in numbers_in(v.returned, TICKET_BITS)],
        known=[cards_of(v.known[seat]) for seat in seats],
        hand_sizes=list(v.hand_size[:count]),
        ticket_counts=list(v.ticket_count[:count]),
        trains=list(v.trains[:count]),
        points=list(v.points[:count]),
        owners={str(route): owners[route] for route in sorted(owners)},
        face_up=cards_of(v.face_up),
        deck=v.deck_size,
        discard=cards_of(v.discard),
        ticket_deck=v.ticket_deck_size,
        batches=_batches(board, v),
        bonus_cards=[card.name for at, card in enumerate(board.bonus_cards) if v.bonus_cards >> at & 1],
        route=None if v.route == NOBODY else v.route,
        laid=cards_of(v.laid),
        revealed=cards_of(v.revealed),
        turns_left=None if v.turns_left == NOT_YET else v.turns_left,
        final=[{"hand": cards_of(v.hand[seat]), "tickets": _tickets(board, struct, v, seat)} for seat in seats]
        if v.phase == OVER
        else None,
    )
    return view


def _tickets(board: Board, struct: ViewStruct, v: SimpleNamespace, seat: int) -> list[dict[str, Any]]:
    held = numbers_in(v.held[seat], TICKET_BITS)
    if not held:
        return []
    done = np.zeros(2, np.int64)
    completed_tickets(board.struct, struct, seat, np.zeros(CITIES, np.int8), done)
    joined = set(numbers_in(done.tolist(), TICKET_BITS))
    return [ticket_json(board, ticket) | {"joined": ticket in joined} for ticket in held]


def _batches(board: Board, v: SimpleNamespace) -> list[dict[str, Any]]:
    """The returned tickets under the deck; one's own with what may be in them."""
    batches: list[dict[str, Any]] = []
    if not v.batches:
        return batches
    at = v.ticket_deck_size - sum(batch_size(v.batch[number]) for number in range(v.batches))
    placed = {ticket for ticket in v.placed if ticket != NOBODY}
    for number in range(v.batches):
        seat, size = batch_seat(v.batch[number]), batch_size(v.batch[number])
        batch: dict[str, Any] = {"seat": int(seat), "count": int(size)}
        if seat == v.me:
            tickets = [ticket for ticket in v.placed[at : at + size] if ticket != NOBODY]
            if not tickets:  # others have drawn from it: one of these and others
                tickets = [ticket for ticket in numbers_in(v.returned, TICKET_BITS) if ticket not in placed]
            batch["tickets"] = [ticket_json(board, ticket) for ticket in tickets]
        batches.append(batch)
        at += size
    return batches


# --- options --------------------------------------------------------------------------------------------------------


def _options(view: View) -> dict[str, Any]:
    board, struct = view.board, view.struct
    moves = Moves()
    legal(board.struct, struct, moves)
    other = moves.other
    options: dict[str, Any] = {
        "claim": _prices(board, struct, numbers_in(moves.claims.tolist(), ROUTE_BITS)),
        "take": [colour for at, colour in enumerate(COLOURS, TAKE) if other >> at & 1],
        "blind": bool(other >> BLIND & 1),
        "draw_tickets": min(board.rules.drawn_tickets[0], view.ticket_deck) if other >> DRAW_TICKETS & 1 else 0,
        "card": [colour for at, colour in enumerate(COLOURS, CARD) if other >> at & 1],
        "keep": None,
        "tunnel": None,
        "pass": bool(other >> PASS & 1),
    }
    if view.phase == "tickets":
        options["keep"] = {"offered": deepcopy(view.offered), "least": view.keep_least}
    if view.phase == "tunnel":
        options["tunnel"] = _tunnel(view, owed(struct)) | {"give_up": bool(other >> GIVE_UP & 1)}
    return options


def _prices(board: Board, struct: ViewStruct, routes: list[int]) -> dict[str, Any]:
    """What routes cost: the usual payments, the fewest locomotives first, and what any other must satisfy."""
    found = Payments()
    prices = {}
    for number in routes:
        count = usual_payments(board.struct, struct, number, found)
        usual = found.cards[:count].tolist()
        if count > 1:
            usual = [list(row) for row in dict.fromkeys(map(tuple, usual))]
            usual.sort(key=lambda row: (row[LOCOMOTIVE], sum(row)))
        prices[str(number)] = {"payments": [cards_of(row) for row in usual], "needs": _needs(board.routes[number])}
    return prices


def _needs(route: Route) -> dict[str, Any]:
    """What a payment for a route must satisfy."""
    substitute = route.substitute
    return {
        "spaces": route.length,
        "locomotives": route.locomotives,
        "colour": route.colour,
        "locomotives_wild": route.wild,
        "substitute": substitute
        and {"cards": substitute.cards, "alike": substitute.alike, "any_space": substitute.any_space},
        "text": route.price,
    }


def _tunnel(view: View, count: int) -> dict[str, Any]:
    """What a tunnel still costs and the ways to pay it, the fewest locomotives first."""
    colour = COLOURS[view.struct.set_colour]
    hand = view.hand
    payments = []
    for wild in range(count + 1):
        rest = {colour: count - wild} if wild < count else {}
        added = rest | ({"locomotive": wild} if wild else {})
        if (colour != "locomotive" or not rest) and all(hand.get(name, 0) >= added[name] for name in added):
            payments.append(added)
    return {"route": view.route, "colour": colour, "owed": count, "payments": payments}
