"""Kernels that write what a seat may know as an observation. `layouts` says what each byte means.

They take a `ViewStruct` and public events, nothing else. So an observation cannot hold a secret.
"""

from northrail.boards.board import CARDS, CITIES, NOBODY, ROUTE_BITS, TICKET_BITS, TICKET_WORDS, BoardStruct
from northrail.engine.moves import OTHER_MOVES
from northrail.engine.scoring import completed_tickets
from northrail.engine.state import OVER, Moves, ViewStruct, batch_size
from northrail.kernels.bits import spread_bits
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Bytes, Int8s, Int64s, Struct, int8, int16, int64
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.plans import clear_plan, update_plan

COMPACT, PLANNER, HISTORY = range(3)
MOST = 255  # a byte holds no more; larger values are written as this
EVENTS = 32  # how many events an observation with history shows


class PublicEvents(Struct):
    """The last events that everyone at the table has seen, in a ring."""

    what = int8(EVENTS)  # LOGGED_… code
    seat = int8(EVENTS)
    which = int16(EVENTS)  # a route, a colour, or a number of tickets
    number = int16(EVENTS)  # points, or a number of cards
    count = int64()  # of all events so far; event n is at n % EVENTS


@kernel
def put_bytes(obs: Bytes, at: int, counts: Int8s) -> int:
    """Write nine card counts; return the next place."""
    for colour in range(CARDS):
        obs[at + colour] = counts[colour]
    return at + CARDS


@kernel
def put_one(obs: Bytes, at: int, which: int, size: int) -> int:
    """Write a one where ``which`` says and zeros elsewhere; NOBODY writes no one. Return the next place."""
    for place in range(size):
        obs[at + place] = 0
    if which != NOBODY:
        obs[at + which] = 1
    return at + size


@kernel
def put_routes(obs: Bytes, at: int, board: BoardStruct, words: Int64s) -> int:
    """Write a set of routes, one byte for each route; return the next place."""
    left = int(board.routes)
    for word in range(board.words):
        size = min(left, ROUTE_BITS)
        spread_bits(obs, at, words[word], size)
        at += size
        left -= size
    return at


@kernel
def put_tickets(obs: Bytes, at: int, board: BoardStruct, words: Int64s) -> int:
    """Write a set of tickets, one byte for each ticket; return the next place."""
    left = int(board.tickets)
    for word in range(TICKET_WORDS):
        size = min(left, TICKET_BITS)
        spread_bits(obs, at, words[word], size)
        at += size
        left -= size
    return at


@kernel
def around(v: ViewStruct, turn: int) -> int:
    """Return the seat ``turn`` places after the observing one."""
    seat = int(v.me) + turn
    return seat - int(v.seats) if seat >= v.seats else seat


@kernel
def places_after(v: ViewStruct, seat: int) -> int:
    """Return how many places after the observing seat another one sits."""
    turn = int(seat) - int(v.me)
    return turn + int(v.seats) if turn < 0 else turn


@kernel
def put_compact(board: BoardStruct, v: ViewStruct, obs: Bytes, at: int) -> int:
    """Write the compact layout; return the next place."""
    seats = int(v.seats)
    me = int(v.me)
    at = put_one(obs, at, int(v.phase), OVER + 1)
    at = put_one(obs, at, places_after(v, int(v.seat)), seats)
    at = put_one(obs, at, places_after(v, int(v.first)), seats)
    untouched = int(v.ticket_deck_size)
    for number in range(v.batches):
        untouched -= batch_size(v.batch[number])
    obs[at] = v.choosing
    obs[at + 1] = v.turns_left + 1
    obs[at + 2] = v.passes
    obs[at + 3] = v.deck_size
    obs[at + 4] = v.ticket_deck_size
    obs[at + 5] = untouched
    obs[at + 6] = v.offered_count
    at = put_bytes(obs, at + 7, v.hand[me])
    at = put_bytes(obs, at, v.face_up)
    at = put_bytes(obs, at, v.discard)
    at = put_bytes(obs, at, v.laid)
    at = put_bytes(obs, at, v.revealed)
    at = put_one(obs, at, int(v.set_colour), CARDS)
    obs[at] = v.extra
    at += 1
    for turn in range(seats):
        seat = around(v, turn)
        obs[at] = v.trains[seat]
        obs[at + 1] = min(MOST, int(v.points[seat]))
        obs[at + 2] = v.hand_size[seat]
        obs[at + 3] = v.ticket_count[seat]
        obs[at + 4] = v.returned_count[seat]
        at = put_bytes(obs, at + 5, v.known[seat])
    spread_bits(obs, at, v.bonus_cards, board.bonuses)
    at += int(board.bonuses)
    at = put_one(obs, at, int(v.route), int(board.routes))
    for turn in range(seats):
        at = put_routes(obs, at, board, v.owned[around(v, turn)])
    at = put_routes(obs, at, board, v.open[me])
    at = put_tickets(obs, at, board, v.held[me])
    at = put_tickets(obs, at, board, v.offered)
    return put_tickets(obs, at, board, v.returned)


@kernel
def whole(value: float) -> int:
    """Round a number up to a whole one, from 0 to MOST."""
    count = 0
    while count < MOST and count < value:
        count += 1
    return count


@kernel
def put_plan(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, obs: Bytes, at: int
) -> int:
    """Write the planner's features: completed tickets, its plan, and the cards it wants; return the next place."""
    roots = int8.empty(CITIES)
    done = int64.zeros(TICKET_WORDS)
    completed_tickets(board, v, int(v.me), roots, done)
    at = put_tickets(obs, at, board, done)
    clear_plan(plan)
    update_plan(board, v, w, scratch, plan)
    at = put_routes(obs, at, board, plan.routes)
    at = put_routes(obs, at, board, plan.extra)
    for colour in range(CARDS):
        obs[at + colour] = whole(plan.want[colour])
    at += CARDS
    obs[at] = min(MOST, int(plan.gray))
    obs[at + 1] = whole(plan.turns)
    obs[at + 2] = max(0, min(MOST, int(plan.spare)))
    return at + 3


@entry
def put_view(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    scratch: PlanScratch,
    plan: Plan,
    layout: int,
    obs: Bytes,
    at: int,
) -> int:
    """Write all of a layout but its history, which is not in a view; return the next place."""
    at = put_compact(board, v, obs, at)
    return put_plan(board, v, w, scratch, plan, obs, at) if layout == PLANNER else at


@kernel
def put_events(v: ViewStruct, events: PublicEvents, obs: Bytes, at: int) -> int:
    """Write the last public events, newest first; return the next place."""
    for back in range(EVENTS):
        number = int(events.count) - 1 - back
        if number < 0:
            obs[at] = 0
            obs[at + 1] = 0
            obs[at + 2] = 0
            obs[at + 3] = 0
        else:
            place = number % EVENTS
            obs[at] = int(events.what[place]) + 1
            obs[at + 1] = places_after(v, int(events.seat[place]))
            obs[at + 2] = int(events.which[place])
            obs[at + 3] = min(MOST, int(events.number[place]))
        at += 4
    return at


@entry
def put_mask(board: BoardStruct, moves: Moves, mask: Bytes, at: int) -> None:
    """Write a set of moves, one byte for each move."""
    spread_bits(mask, put_routes(mask, at, board, moves.claims), moves.other, OTHER_MOVES)
