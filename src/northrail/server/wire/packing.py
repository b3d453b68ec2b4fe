"""Kernels that write a seat's view as JSON: what changes with most moves. The rest of a view is made in `messages`.

They read a ViewStruct, like everything that tells a seat something. Python would take ten times as long.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from northrail.boards.board import CARDS, COLOURS, LENGTH, NOBODY, ROUTE_BITS, ROUTES, Board, BoardStruct
from northrail.engine.moves import BLIND, DRAW_TICKETS, PASS, TAKE
from northrail.engine.payment import PAYMENTS, Payments, insert_payment, usual_payments
from northrail.engine.rules import legal
from northrail.engine.state import NOT_YET, PHASES, Moves, ViewStruct
from northrail.engine.view import View, first_alike
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Int16s, Struct, int8, int16, int32, uint8

PARTS = 4
ROOM = 1 << 16  # bytes; the longest options on our boards have 38,000
MOST_CARDS_TEXT = CARDS * 20 + 3  # bytes of cards by colour, with braces
MOST_CLAIM = PAYMENTS * MOST_CARDS_TEXT + 64  # bytes of a route's payments
MOST_SPENT = 4 * LENGTH  # cards of a payment
TEXTS = 1024  # bytes of all words
ZERO, MINUS, AND = ord("0"), ord("-"), ord(",")

# Pieces of JSON; the first are the colours and the phases.
PIECES = (
    *(f'"{colour}"' for colour in COLOURS),
    *(f'"{phase}"' for phase in PHASES),
    *("null", "true", "false", "{", "}", "]", ",", ":"),
    *('"owners":{', '},"closed":[', '],"trains":[', '],"points":['),
    *('"known":[', '],"hand_sizes":['),
    *('"deck":', ',"discard":', ',"ticket_deck":'),
    *('"seat":', ',"phase":', ',"route":', ',"laid":', ',"revealed":', ',"turns_left":'),
    *('"me":', ',"hand":'),
    *('"options":{"claim":{', '},"take":[', '],"blind":', ',"draw_tickets":', ',"keep":null,"tunnel":null,"passing":'),
    *(':{"payments":[', '],"complete":', '"'),
)
PHASE = CARDS  # + phase
NULL = PHASE + len(PHASES)
TRUE, FALSE, OPEN, CLOSE, CLOSE_LIST, COMMA, COLON = range(NULL + 1, NULL + 8)
OWNERS, CLOSED, TRAINS, POINTS, KNOWN, HAND_SIZES, DECK, DISCARD, TICKET_DECK = range(COLON + 1, COLON + 10)
SEAT, PHASE_IS, ROUTE, LAID, REVEALED, TURNS_LEFT, ME, HAND = range(TICKET_DECK + 1, TICKET_DECK + 9)
CLAIM, TAKEN, BLINDLY, DRAWN, PASSING, PRICES, COMPLETE, QUOTE = range(HAND + 1, HAND + 9)
assert len(PIECES) - 1 == QUOTE


class Words(Struct):
    """Pieces of JSON, one after the other."""

    start = int16(len(PIECES) + 1)  # [piece] -> where it begins
    text = uint8(TEXTS)


class Paper(Struct):
    """What kernels write on."""

    size = int32()  # bytes written
    ends = int32(PARTS)  # [part] -> where it ends
    starts = int32(ROUTES)  # [route] -> where its payments begin, if they are written already
    stops = int32(ROUTES)
    cards = int8((PAYMENTS + 1) * CARDS)  # the payments of a route, sorted
    text = uint8(ROOM)


# --- pieces -----------------------------------------------------------------------------------------------------------


@kernel
def put(paper: Paper, words: Words, piece: int) -> None:
    """Write a piece of JSON."""
    size = int(paper.size)
    for at in range(words.start[piece], words.start[piece + 1]):
        paper.text[size] = words.text[at]
        size += 1
    paper.size = size


@kernel
def put_number(paper: Paper, number: int) -> None:
    """Write a number that is not negative."""
    digits = 1
    above = 10
    while number >= above:
        above *= 10
        digits += 1
    size = int(paper.size) + digits
    paper.size = size
    for _ in range(digits):
        size -= 1
        paper.text[size] = ZERO + number % 10
        number = number // 10


@kernel
def put_signed(paper: Paper, number: int) -> None:
    """Write a number."""
    if number < 0:
        paper.text[paper.size] = MINUS
        paper.size += 1
    put_number(paper, number if number >= 0 else -number)


@kernel
def put_comma(paper: Paper, start: int) -> None:
    """Write a comma, unless the list that started at a place is empty."""
    if paper.size > start:
        paper.text[paper.size] = AND
        paper.size += 1


@kernel
def put_cards(paper: Paper, words: Words, counts: Int8s, first: int) -> None:
    """Write cards by colour, without those that are none. Their counts begin at ``first``."""
    put(paper, words, OPEN)
    start = int(paper.size)
    for colour in range(CARDS):
        if counts[first + colour] > 0:
            put_comma(paper, start)
            put(paper, words, colour)
            put(paper, words, COLON)
            put_number(paper, int(counts[first + colour]))
    put(paper, words, CLOSE)


@kernel
def put_bool(paper: Paper, words: Words, is_so: int) -> None:
    """Write true or false."""
    put(paper, words, TRUE if is_so != 0 else FALSE)


@kernel
def put_or_null(paper: Paper, words: Words, number: int, none: int) -> None:
    """Write a number, or null if it is ``none``."""
    if number == none:
        put(paper, words, NULL)
    else:
        put_number(paper, number)


# --- views ------------------------------------------------------------------------------------------------------------


@entry
def write_public(board: BoardStruct, v: ViewStruct, words: Words, paper: Paper) -> None:
    """Write what everyone knows: the map, known cards, decks, and the turn. ``paper.ends`` gets the ends of these."""
    paper.size = 0
    write_map(board, v, words, paper)
    paper.ends[0] = paper.size
    put(paper, words, KNOWN)
    for seat in range(v.seats):
        if seat > 0:
            put(paper, words, COMMA)
        put_cards(paper, words, v.known[seat], 0)
    put(paper, words, HAND_SIZES)
    put_numbers(paper, words, v.hand_size, v.seats)
    put(paper, words, CLOSE_LIST)
    paper.ends[1] = paper.size
    put(paper, words, DECK)
    put_number(paper, v.deck_size)
    put(paper, words, DISCARD)
    put_cards(paper, words, v.discard, 0)
    put(paper, words, TICKET_DECK)
    put_number(paper, v.ticket_deck_size)
    paper.ends[2] = paper.size
    put(paper, words, SEAT)
    put_number(paper, v.seat)
    put(paper, words, PHASE_IS)
    put(paper, words, PHASE + int(v.phase))
    put(paper, words, ROUTE)
    put_or_null(paper, words, v.route, NOBODY)
    put(paper, words, LAID)
    put_cards(paper, words, v.laid, 0)
    put(paper, words, REVEALED)
    put_cards(paper, words, v.revealed, 0)
    put(paper, words, TURNS_LEFT)
    put_or_null(paper, words, v.turns_left, NOT_YET)
    paper.ends[3] = paper.size


@kernel
def put_numbers(paper: Paper, words: Words, numbers: Int8s, count: int) -> None:
    """Write a list of numbers, without brackets."""
    for at in range(count):
        if at > 0:
            put(paper, words, COMMA)
        put_number(paper, int(numbers[at]))


@kernel
def write_map(board: BoardStruct, v: ViewStruct, words: Words, paper: Paper) -> None:
    """Write who owns which route, which routes nobody can claim any more, trains and points."""
    put(paper, words, OWNERS)
    start = int(paper.size)
    for route in range(board.routes):
        word, bit = int(board.route_word[route]), int(board.route_bit[route])
        for seat in range(v.seats):
            if v.owned[seat, word] & bit != 0:
                put_comma(paper, start)
                put(paper, words, QUOTE)
                put_number(paper, route)
                put(paper, words, QUOTE)
                put(paper, words, COLON)
                put_number(paper, seat)
    put(paper, words, CLOSED)
    start = int(paper.size)
    for route in range(board.routes):
        word, bit = int(board.route_word[route]), int(board.route_bit[route])
        alive = 0
        for seat in range(v.seats):
            alive |= (v.owned[seat, word] | v.open[seat, word]) & bit
        if alive == 0:
            put_comma(paper, start)
            put_number(paper, route)
    put(paper, words, TRAINS)
    put_numbers(paper, words, v.trains, v.seats)
    put(paper, words, POINTS)
    for seat in range(v.seats):
        if seat > 0:
            put(paper, words, COMMA)
        put_signed(paper, int(v.points[seat]))
    put(paper, words, CLOSE_LIST)


@entry
def write_hand(v: ViewStruct, words: Words, paper: Paper) -> None:
    """Write the seat, and its cards."""
    paper.size = 0
    put(paper, words, ME)
    put_or_null(paper, words, v.me, NOBODY)
    put(paper, words, HAND)
    if v.me == NOBODY:
        put(paper, words, OPEN)
        put(paper, words, CLOSE)
    else:
        put_cards(paper, words, v.hand[v.me], 0)


@entry
def write_options(
    board: BoardStruct,
    v: ViewStruct,
    alike: Int16s,
    moves: Moves,
    payments: Payments,
    words: Words,
    paper: Paper,
    room: int,
) -> bool:
    """Write what the seat to move may do, at its turn or before its second card; return False if there is no room.

    ``alike`` maps each route to the first with the same price. ``moves`` and ``payments`` are overwritten.
    """
    paper.size = 0
    legal(board, v, moves)
    put(paper, words, CLAIM)
    start = int(paper.size)
    for route in range(board.routes):
        paper.starts[route] = 0
    for word in range(board.words):
        rest = int(moves.claims[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            if paper.size + MOST_CLAIM > room:
                return False
            put_comma(paper, start)
            put(paper, words, QUOTE)
            put_number(paper, route)
            put(paper, words, QUOTE)
            put(paper, words, PRICES)
            write_payments(board, v, route, int(alike[route]), payments, words, paper)
            put(paper, words, COMPLETE)
            put_bool(paper, words, int(board.route_swap[route] == 0))
            put(paper, words, CLOSE)
    put(paper, words, TAKEN)
    start = int(paper.size)
    for colour in range(CARDS):
        if moves.other >> (TAKE + colour) & 1:
            put_comma(paper, start)
            put(paper, words, colour)
    put(paper, words, BLINDLY)
    put_bool(paper, words, moves.other >> BLIND & 1)
    put(paper, words, DRAWN)
    can_draw = moves.other >> DRAW_TICKETS & 1
    put_number(paper, min(int(board.draw_deal), int(v.ticket_deck_size)) * can_draw)
    put(paper, words, PASSING)
    put_bool(paper, words, moves.other >> PASS & 1)
    put(paper, words, CLOSE)
    return True


@kernel
def write_payments(
    board: BoardStruct, v: ViewStruct, route: int, twin: int, payments: Payments, words: Words, paper: Paper
) -> None:
    """Write the usual payments for a route, the fewest cards first; copy them if its ``twin`` has them already."""
    if paper.starts[twin] > 0:
        size = int(paper.size)
        for at in range(paper.starts[twin], paper.stops[twin]):
            paper.text[size] = paper.text[at]
            size += 1
        paper.size = size
        return
    count = 0
    for at in range(usual_payments(board, v, route, payments)):
        count += insert_payment(payments.cards[at], paper.cards, 0, count)
    start = int(paper.size)
    for total in range(MOST_SPENT + 1):
        for at in range(count):
            spent = 0
            for colour in range(CARDS):
                spent += int(paper.cards[at * CARDS + colour])
            if spent == total:
                put_comma(paper, start)
                put_cards(paper, words, paper.cards, at * CARDS)
    paper.starts[twin] = start
    paper.stops[twin] = paper.size


# --- for Python -------------------------------------------------------------------------------------------------------


def _words(pieces: Iterable[str]) -> Words:
    words, end = Words(), 0
    for number, piece in enumerate(pieces):
        text = piece.encode()
        words.text[end : end + len(text)] = list(text)
        words.start[number], end = end, end + len(text)
        words.start[number + 1] = end
    return words


# Only the event loop packs views, so one set of buffers is enough.
_WORDS, _PAPER, _MOVES, _PAYMENTS = _words(PIECES), Paper(), Moves(), Payments()
_TEXT = _PAPER.memory[Paper.fields["text"].offset :]


@lru_cache(maxsize=64)
def _alike(board: Board) -> np.ndarray[Any, np.dtype[np.int16]]:
    return np.array(first_alike(board), np.int16)


def packed_public(view: View) -> list[bytes]:
    """Return what everyone knows, packed in four parts without braces: the map, known cards, the decks, the turn."""
    write_public(view.board.struct, view.struct, _WORDS, _PAPER)
    known, deck, turn, end = _PAPER.ends.tolist()
    return [bytes(_TEXT[:known]), bytes(_TEXT[known:deck]), bytes(_TEXT[deck:turn]), bytes(_TEXT[turn:end])]


def packed_hand(view: View) -> bytes:
    """Return the seat and its cards, packed without braces."""
    write_hand(view.struct, _WORDS, _PAPER)
    return bytes(_TEXT[: _PAPER.size])


def packed_options(view: View, room: int = ROOM) -> bytes | None:
    """Return the options of the seat to move, at its turn or before its second card; None if they are too long."""
    if not write_options(view.board.struct, view.struct, _alike(view.board), _MOVES, _PAYMENTS, _WORDS, _PAPER, room):
        return None
    return bytes(_TEXT[: _PAPER.size])
