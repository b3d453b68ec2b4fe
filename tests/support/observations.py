"""Observations once more, slow and obvious: from the words of a View instead of its struct."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import northrail
from northrail.boards.board import COLOURS
from northrail.engine.state import PHASES

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def compact(game: northrail.Game, me: int) -> Bytes:
    """Return the compact layout for one seat."""
    return np.array(list(_compact(game.board, game.view(me), me)), np.uint8)


def _compact(board: northrail.Board, view: northrail.View, me: int) -> Iterator[int]:
    seats = [(me + turn) % view.seats for turn in range(view.seats)]
    routes, tickets = range(len(board.routes)), range(len(board.tickets))
    yield from (phase == view.phase for phase in PHASES)
    yield from (seat == view.seat for seat in seats)
    yield from (seat == view.first for seat in seats)
    struct = view.struct
    yield struct.choosing
    yield 0 if view.turns_left is None else view.turns_left + 1
    yield struct.passes
    yield view.deck
    yield view.ticket_deck
    yield view.ticket_deck - sum(batch["count"] for batch in view.batches)
    yield struct.offered_count
    for cards in (view.hand, view.face_up, view.discard, view.laid, view.revealed):
        yield from _counts(cards)
    tunnel_or_pay = view.phase in ("tunnel", "pay") and struct.set_colour >= 0
    yield from (tunnel_or_pay and at == struct.set_colour for at in range(len(COLOURS)))
    yield struct.extra
    for seat in seats:
        yield from (view.trains[seat], view.points[seat], view.hand_sizes[seat], view.ticket_counts[seat])
        yield struct.returned_count[seat]
        yield from _counts(view.known[seat])
    yield from (card.name in view.bonus_cards for card in board.bonus_cards)
    yield from (route == view.route for route in routes)
    for seat in seats:
        yield from (view.owners.get(str(route)) == seat for route in routes)
    yield from (int(struct.open[me][route // 63]) >> route % 63 & 1 for route in routes)
    for some in (view.tickets, view.offered, view.returned):
        numbers = {ticket["number"] for ticket in some}
        yield from (ticket in numbers for ticket in tickets)


def _counts(cards: dict[str, int]) -> Iterator[int]:
    return (cards.get(colour, 0) for colour in COLOURS)
