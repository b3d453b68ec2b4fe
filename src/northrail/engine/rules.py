"""The rules as kernels, in the order of a rulebook: setting up, legal moves, paying, drawing, ending.

Kernels trust their caller: `apply` expects a legal move. Kernels convert values from arrays to ``int`` before they
shift or multiply them: NumPy's small integers would overflow in plain Python.
"""

import numpy as np

from northrail.boards.board import (
    BONUSES,
    CARDS,
    GRAY,
    LENGTH,
    LOCOMOTIVE,
    MOST_OFFERED,
    NOBODY,
    ROUTE_BITS,
    ROUTE_WORDS,
    TICKET_BITS,
    TICKET_WORDS,
    BoardStruct,
)
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, KEEP, PASS, TAKE
from northrail.engine.payment import addable, claimable, layable, owed
from northrail.engine.state import (
    NOT_YET,
    OVER,
    PAY,
    SECOND_CARD,
    TICKETS_PHASE,
    TUNNEL,
    TURN,
    UNCHOSEN,
    Moves,
    State,
    StateOrView,
    advance,
    batch_of,
    batch_seat,
    batch_size,
    scaled,
    seeded,
)
from northrail.kernels.bits import colour_at, colours_in, lowest, nth_bit, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, clear_struct, int8, int16

# [tickets offered, least to keep] -> bits of the sets that may be kept
KEEP_SETS = np.array(
    [
        [
            sum(1 << kept for kept in range(1, 1 << offered) if kept.bit_count() >= least)
            for least in range(MOST_OFFERED + 1)
        ]
        for offered in range(MOST_OFFERED + 1)
    ],
    dtype=np.int64,
)


class Log(Struct):
    """What a move caused; `events_of` reads it."""

    line = int16(96, 3)  # LOGGED_… code, what it is about, a number; the most is 80: a claim that draws 12 and flushes
    lines = int16()
    cards = int8(CARDS)  # the cards of the last payment


(
    LOGGED_TAKE,
    LOGGED_BLIND,
    LOGGED_FACE_UP,
    LOGGED_RESHUFFLE,
    LOGGED_CLAIM,
    LOGGED_REVEALED,
    LOGGED_TUNNEL,
    LOGGED_GIVEN_UP,
    LOGGED_OFFERED,
    LOGGED_KEPT,
    LOGGED_PASS,
    LOGGED_LAST_ROUND,
    LOGGED_OVER,
    LOGGED_FLUSH,
) = range(14)
FLUSHES = 3  # the most in a row: without a limit, a deck of mostly locomotives would flush forever


@kernel
def note(log: Log, what: int, which: int, count: int) -> None:
    """Add a line to the log."""
    at = int(log.lines)
    log.line[at, 0] = what
    log.line[at, 1] = which
    log.line[at, 2] = count
    log.lines = at + 1


# --- setting up -----------------------------------------------------------------------------------------------------


@kernel
def clear(s: State) -> None:
    """Reset a state to an empty table."""
    clear_struct(s)
    s.route = NOBODY
    s.set_colour = UNCHOSEN
    s.turns_left = NOT_YET


@entry
def deal(board: BoardStruct, s: State, seats: int, first: int, seed: int, log: Log) -> None:
    """Set up a game. ``first`` is the starting seat, or NOBODY to draw it from the seed."""
    log.lines = 0
    clear(s)
    s.seats = seats
    s.rng = advance(seeded(seed))
    drawn = scaled(s.rng, seats)
    s.first = drawn if first == NOBODY else first
    s.deck_size = 0
    for colour in range(CARDS):
        s.deck[colour] = board.card_count[colour]
        s.deck_size += board.card_count[colour]
    for seat in range(seats):
        s.trains[seat] = board.trains
        for word in range(ROUTE_WORDS):
            s.open[seat, word] = board.fits[LENGTH, word]
        for _ in range(board.hand):
            s.hand[seat, draw_card(s)] += 1
        s.hand_size[seat] = board.hand
    fill_row(board, s, log)
    deal_tickets(board, s)
    deal_bonus_cards(board, s)
    s.choosing = seats
    s.seat = s.first
    s.phase = TICKETS_PHASE
    offer_first(board, s)


@kernel
def deal_tickets(board: BoardStruct, s: State) -> None:
    """Shuffle the tickets and deal each seat its first tickets."""
    count = int(board.tickets)
    for at in range(count):
        s.ticket_deck[at] = at
    shuffle_tickets(s, 0, count)
    top = 0
    for seat in range(s.seats):
        for _ in range(board.first_deal):
            ticket = int(s.ticket_deck[top])
            s.held[seat, ticket // TICKET_BITS] |= 1 << (ticket % TICKET_BITS)
            top += 1
    drop_tickets(s, top, count)


@kernel
def deal_bonus_cards(board: BoardStruct, s: State) -> None:
    """Draw the bonus cards in play, or use them all where the board says so."""
    s.bonus_cards = 0
    left = int(board.bonuses)
    wanted = int(board.bonuses_in_play)
    if wanted == left:
        s.bonus_cards = (1 << left) - 1
        return
    order = int8.zeros(BONUSES)
    for at in range(left):
        order[at] = at
    for at in range(wanted):
        s.rng = advance(s.rng)
        other = at + scaled(s.rng, left - at)
        order[at], order[other] = order[other], order[at]
        s.bonus_cards |= 1 << int(order[at])


@kernel
def offer_first(board: BoardStruct, s: State) -> None:
    """Offer the seat to move its first tickets."""
    for word in range(TICKET_WORDS):
        s.offered[word] = s.held[s.seat, word]
        s.held[s.seat, word] = 0
    s.offered_count = board.first_deal


# --- the decks ------------------------------------------------------------------------------------------------------


@kernel
def draw_card(s: State) -> int:
    """Take a random card from the deck and return its colour; the deck must not be empty."""
    s.rng = advance(s.rng)
    colour = colour_at(s.deck, scaled(s.rng, s.deck_size))
    s.deck[colour] -= 1
    s.deck_size -= 1
    return colour


@kernel
def restock(s: State, log: Log) -> None:
    """Turn the discards into a new deck if the deck is empty."""
    if s.deck_size > 0:
        return
    for colour in range(CARDS):
        s.deck[colour] = s.discard[colour]
        s.deck_size += s.discard[colour]
        s.discard[colour] = 0
    if s.deck_size > 0:
        note(log, LOGGED_RESHUFFLE, 0, s.deck_size)
        if s.seats == 2:
            # With two seats, both can now work out the other's hand: it holds all cards that are nowhere else.
            for seat in range(2):
                for colour in range(CARDS):
                    s.known[seat, colour] = s.hand[seat, colour]
            for colour in range(CARDS):
                s.known[s.seat, colour] += s.laid[colour]


@kernel
def fill_row(board: BoardStruct, s: State, log: Log) -> None:
    """Fill the face-up row from the deck, and flush it if it shows too many locomotives."""
    size = 0
    for colour in range(CARDS):
        size += int(s.face_up[colour])
    flushes = 0
    while True:
        while size < board.row and s.deck_size > 0:
            colour = draw_card(s)
            s.face_up[colour] += 1
            size += 1
            note(log, LOGGED_FACE_UP, colour, 1)
            restock(s, log)
        too_many = board.flush_row_at > 0 and s.face_up[LOCOMOTIVE] >= board.flush_row_at
        if not too_many or s.deck_size == 0 or flushes == FLUSHES:
            return
        note(log, LOGGED_FLUSH, 0, s.face_up[LOCOMOTIVE])
        for colour in range(CARDS):
            s.discard[colour] += s.face_up[colour]
            s.face_up[colour] = 0
        size = 0
        flushes += 1


@kernel
def draw_blind(s: State, log: Log) -> None:
    """Draw a card from the deck for the seat to move."""
    colour = draw_card(s)
    s.hand[s.seat, colour] += 1
    s.hand_size[s.seat] += 1
    note(log, LOGGED_BLIND, colour, 1)
    restock(s, log)


@kernel
def shuffle_tickets(s: State, start: int, stop: int) -> None:
    """Shuffle the ticket deck from ``start`` up to ``stop``."""
    for last in range(stop - 1, start, -1):
        s.rng = advance(s.rng)
        other = start + scaled(s.rng, last - start + 1)
        s.ticket_deck[last], s.ticket_deck[other] = s.ticket_deck[other], s.ticket_deck[last]


@kernel
def drop_tickets(s: State, count: int, size: int) -> None:
    """Take ``count`` tickets off the top of a ticket deck of ``size``."""
    for at in range(size):
        s.ticket_deck[at] = s.ticket_deck[at + count] if at + count < size else 0
    s.ticket_deck_size = size - count


# --- legal moves ----------------------------------------------------------------------------------------------------


@entry
def legal(board: BoardStruct, s: StateOrView, moves: Moves) -> None:
    """Write the legal moves of the seat to move into ``moves``. ``s`` is a State, or that seat's ViewStruct."""
    phase = s.phase
    if phase != TURN:  # at a turn, every field is written below
        clear_struct(moves)
    if phase == TURN:
        claims = claimable(board, s, moves)
        other = drawable(board, s, True)
        if s.ticket_deck_size > 0:
            other |= 1 << DRAW_TICKETS
        if other == 0 and claims == 0:
            other = 1 << PASS
        moves.other = other
    elif phase == SECOND_CARD:
        moves.other = drawable(board, s, False)
    elif phase == PAY:
        moves.other = int(s.choices) << CARD
    elif phase == TUNNEL:
        moves.other = addable(s) << CARD
        if s.extra == 0:
            moves.other |= 1 << GIVE_UP
    elif phase == TICKETS_PHASE:
        moves.other = KEEP_SETS[int(s.offered_count), keep_least(board, s)] << KEEP


@kernel
def keep_least(board: BoardStruct, s: StateOrView) -> int:
    """Return how many of the offered tickets must be kept."""
    return min(int(s.offered_count), int(board.first_keep if s.choosing > 0 else board.draw_keep))


@kernel
def drawable(board: BoardStruct, s: StateOrView, first_card: bool) -> int:
    """Return bits of the card draws that are legal now."""
    other = colours_in(s.face_up) << TAKE
    if s.face_up[LOCOMOTIVE] > 0 and (first_card or not board.row_locomotive_alone):
        other |= 1 << (TAKE + LOCOMOTIVE)
    if s.deck_size > 0:
        other |= 1 << BLIND
    return other


# --- paying ---------------------------------------------------------------------------------------------------------


@kernel
def lay(s: State, colour: int, count: int) -> None:
    """Lay cards from the hand of the seat to move."""
    s.hand[s.seat, colour] -= count
    s.hand_size[s.seat] -= count
    s.laid[colour] += count


@kernel
def begin_claim(board: BoardStruct, s: State, route: int, log: Log) -> None:
    """Start paying for a route."""
    s.route = route
    s.phase = PAY
    colour = int(board.route_colour[route])
    if colour != GRAY:
        s.set_colour = colour
        if board.route_swap[route] == 0 and not (board.route_wild[route] and s.hand[s.seat, LOCOMOTIVE] > 0):
            lay(s, colour, int(board.route_length[route]))  # the only payment; `lay_forced` would be slower
            complete_payment(board, s, log)
            return
    lay_forced(board, s, log)


@kernel
def choose_card(board: BoardStruct, s: State, colour: int, log: Log) -> None:
    """Lay a card, or choose the set's colour."""
    if s.phase == TUNNEL:
        add_to_tunnel(board, s, colour, log)
    elif s.set_colour == UNCHOSEN:
        s.set_colour = colour
        lay_forced(board, s, log)
    else:
        lay(s, colour, 1)
        lay_forced(board, s, log)


@kernel
def lay_forced(board: BoardStruct, s: State, log: Log) -> None:
    """Lay forced cards until a real choice remains or the payment is complete."""
    while True:
        types = layable(board, s)
        if types == 0:
            complete_payment(board, s, log)
            return
        if types & (types - 1) != 0:
            s.choices = types
            return
        colour = lowest(types)
        if s.set_colour == UNCHOSEN:
            s.set_colour = colour
        elif board.route_swap[s.route] == 0 and colour == s.set_colour and colour != LOCOMOTIVE:
            laid = int(s.laid[LOCOMOTIVE]) + int(s.laid[colour])
            lay(s, colour, int(board.route_length[s.route]) - laid)  # no other card can follow
        else:
            lay(s, colour, 1)


@kernel
def complete_payment(board: BoardStruct, s: State, log: Log) -> None:
    """Claim the route, or turn over cards for a tunnel."""
    s.choices = 0
    if not board.route_tunnel[s.route]:
        settle(board, s, log)
        return
    if s.laid[LOCOMOTIVE] == board.route_length[s.route]:
        s.set_colour = LOCOMOTIVE
    for colour in range(CARDS):
        log.cards[colour] = s.laid[colour]
    note(log, LOGGED_TUNNEL, s.route, 0)
    for _ in range(board.tunnel_cards):
        if s.deck_size > 0:
            colour = draw_card(s)
            s.revealed[colour] += 1
            note(log, LOGGED_REVEALED, colour, 1)
            restock(s, log)
    if owed(s) == 0:
        settle(board, s, log)
    else:
        s.phase = TUNNEL


@kernel
def add_to_tunnel(board: BoardStruct, s: State, colour: int, log: Log) -> None:
    """Add a locomotive, or pay the whole extra cost in the set's colour."""
    while True:
        if colour != LOCOMOTIVE:
            lay(s, colour, owed(s))
            break
        lay(s, LOCOMOTIVE, 1)
        s.extra += 1
        if owed(s) == 0:
            break
        types = addable(s)
        if types & (types - 1) != 0:
            return
        colour = lowest(types)
    settle(board, s, log)


@kernel
def give_up(board: BoardStruct, s: State, log: Log) -> None:
    """Take back the cards laid for a tunnel; everyone has seen them."""
    seat = int(s.seat)
    for colour in range(CARDS):
        laid = s.laid[colour]
        s.hand[seat, colour] += laid
        s.hand_size[seat] += laid
        s.known[seat, colour] = max(s.known[seat, colour], laid)
        s.laid[colour] = 0
        s.discard[colour] += s.revealed[colour]
        s.revealed[colour] = 0
    note(log, LOGGED_GIVEN_UP, s.route, 0)
    s.route = NOBODY
    s.set_colour = UNCHOSEN
    restock(s, log)
    fill_row(board, s, log)
    end_turn(board, s, False, log)


@kernel
def settle(board: BoardStruct, s: State, log: Log) -> None:
    """Finish a claim: place trains, score points, discard the cards, and draw the route's bonus cards (+1, +2 …)."""
    seat = int(s.seat)
    route = int(s.route)
    for colour in range(CARDS):
        laid = s.laid[colour]
        log.cards[colour] = laid
        s.known[seat, colour] = max(0, int(s.known[seat, colour]) - int(laid))
        s.discard[colour] += laid + s.revealed[colour]
        s.laid[colour] = 0
        s.revealed[colour] = 0
    note(log, LOGGED_CLAIM, route, board.route_points[route])
    own(board, s, seat, route)
    s.trains[seat] -= board.route_length[route]
    s.points[seat] += board.route_points[route]
    s.route = NOBODY
    s.set_colour = UNCHOSEN
    s.extra = 0
    restock(s, log)
    for _ in range(board.route_draw[route]):
        if s.deck_size > 0:
            draw_blind(s, log)
    fill_row(board, s, log)
    end_turn(board, s, False, log)


@kernel
def own(board: BoardStruct, s: State, seat: int, route: int) -> None:
    """Give a route to a seat. Close it to all seats, and close its parallel routes as the rules say."""
    word = int(board.route_word[route])
    bit = board.route_bit[route]
    s.owned[seat, word] |= bit
    for other in range(s.seats):
        s.open[other, word] &= ~bit
    lanes = 1
    taken = 1
    for at in range(2):
        beside = int(board.route_parallel[route, at])
        if beside != NOBODY:
            lanes += 1
            for other in range(s.seats):
                if s.owned[other, board.route_word[beside]] & board.route_bit[beside] != 0:
                    taken += 1
    full = taken >= board.usable[s.seats, lanes]
    for at in range(lanes - 1):
        beside = int(board.route_parallel[route, at])
        for other in range(s.seats):
            if full or other == seat:  # nobody owns two routes between the same cities
                s.open[other, board.route_word[beside]] &= ~board.route_bit[beside]


# --- drawing --------------------------------------------------------------------------------------------------------


@kernel
def take_face_up(board: BoardStruct, s: State, colour: int, log: Log) -> None:
    """Take a card from the row and refill it."""
    s.face_up[colour] -= 1
    s.hand[s.seat, colour] += 1
    s.hand_size[s.seat] += 1
    s.known[s.seat, colour] += 1
    note(log, LOGGED_TAKE, colour, 1)
    fill_row(board, s, log)
    after_card(board, s, colour == LOCOMOTIVE and board.row_locomotive_alone != 0, log)


@kernel
def after_card(board: BoardStruct, s: State, enough: bool, log: Log) -> None:
    """Let the seat draw a second card if it may and there is one; otherwise end its turn."""
    if s.phase == TURN and not enough and drawable(board, s, False) != 0:
        s.phase = SECOND_CARD
    else:
        end_turn(board, s, False, log)


@kernel
def draw_tickets(board: BoardStruct, s: State, log: Log) -> None:
    """Offer the seat to move tickets from the top of the deck."""
    size = int(s.ticket_deck_size)
    count = min(int(board.draw_deal), size)
    seat = int(s.seat)
    if s.batches > 0:
        open_batches(s, count)
    for at in range(count):
        ticket = int(s.ticket_deck[at])
        word = ticket // TICKET_BITS
        bit = 1 << (ticket % TICKET_BITS)
        s.offered[word] |= bit
        if s.returned[seat, word] & bit != 0:  # it was in one of this seat's batches
            s.returned[seat, word] &= ~bit
            s.returned_count[seat] -= 1
    drop_tickets(s, count, size)
    s.offered_count = count
    s.phase = TICKETS_PHASE
    note(log, LOGGED_OFFERED, count, 0)


@kernel
def open_batches(s: State, count: int) -> None:
    """Remove the next ``count`` tickets from the batches; a seat forgets its own batch once it is used up."""
    untouched = int(s.ticket_deck_size)
    for at in range(s.batches):
        untouched -= batch_size(s.batch[at])
    count -= untouched
    start = untouched
    while count > 0:
        seat = batch_seat(s.batch[0])
        size = batch_size(s.batch[0])
        if count < size:
            s.batch[0] = batch_of(seat, size - count)
            if seat != s.seat:
                s.opened = 1
            return
        count -= size
        start += size
        for at in range(s.batches):
            s.batch[at] = s.batch[at + 1] if at + 1 < s.batches else 0
        s.batches -= 1
        s.opened = 0
        remember_batches(s, seat, start)


@kernel
def remember_batches(s: State, seat: int, start: int) -> None:
    """Let a seat remember only its batches from place ``start`` of the deck on."""
    for word in range(TICKET_WORDS):
        s.returned[seat, word] = 0
    s.returned_count[seat] = 0
    at = start
    for number in range(s.batches):
        size = batch_size(s.batch[number])
        if batch_seat(s.batch[number]) == seat:
            for place in range(at, at + size):
                ticket = int(s.ticket_deck[place])
                s.returned[seat, ticket // TICKET_BITS] |= 1 << (ticket % TICKET_BITS)
            s.returned_count[seat] += size
        at += size


@kernel
def keep_tickets(board: BoardStruct, s: State, kept: int, log: Log) -> None:
    """Keep a set of the offered tickets and return the rest."""
    seat = int(s.seat)
    size = int(s.ticket_deck_size)
    returned = 0
    place = 0
    for word in range(TICKET_WORDS):
        rest = int(s.offered[word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            if kept >> place & 1:
                s.held[seat, word] |= bit
                s.ticket_count[seat] += 1
            else:
                s.returned[seat, word] |= bit
                s.returned_count[seat] += 1
                if board.returned_go_under:
                    s.ticket_deck[size + returned] = ticket
                returned += 1
            place += 1
        s.offered[word] = 0
    note(log, LOGGED_KEPT, kept, place)
    if board.returned_go_under and returned > 0:
        shuffle_tickets(s, size, size + returned)
        s.ticket_deck_size += returned
        s.batch[s.batches] = batch_of(seat, returned)
        s.batches += 1
    s.offered_count = 0
    if s.choosing == 0:
        end_turn(board, s, False, log)
        return
    s.choosing -= 1
    s.seat = after(s, seat)
    if s.choosing > 0:
        offer_first(board, s)
    else:
        s.phase = TURN


@kernel
def after(s: State, seat: int) -> int:
    """Return the next seat around the table."""
    return seat + 1 if seat + 1 < s.seats else 0


# --- ending ---------------------------------------------------------------------------------------------------------


@kernel
def end_turn(board: BoardStruct, s: State, passed: bool, log: Log) -> None:
    """Pass the turn on, begin the last round, or end the game."""
    s.passes = s.passes + 1 if passed else 0
    over = s.passes == s.seats  # everyone passed, so nothing can change any more
    if not over:
        if s.turns_left != NOT_YET:
            s.turns_left -= 1
            over = s.turns_left == 0
        elif s.trains[s.seat] <= board.last_round_at:
            s.turns_left = s.seats
            note(log, LOGGED_LAST_ROUND, s.seat, s.trains[s.seat])
    if over:
        s.phase = OVER
        note(log, LOGGED_OVER, 0, 0)
    else:
        s.seat = after(s, int(s.seat))
        s.phase = TURN


# --- playing --------------------------------------------------------------------------------------------------------


@entry
def apply(board: BoardStruct, s: State, move: int, log: Log) -> None:
    """Play ``move``, which must be legal."""
    log.lines = 0
    if move < board.routes:
        begin_claim(board, s, move, log)
        return
    other = move - int(board.routes)
    if other < BLIND:
        take_face_up(board, s, other - TAKE, log)
    elif other == BLIND:
        draw_blind(s, log)
        after_card(board, s, False, log)
    elif other == DRAW_TICKETS:
        draw_tickets(board, s, log)
    elif other < GIVE_UP:
        choose_card(board, s, other - CARD, log)
    elif other == GIVE_UP:
        give_up(board, s, log)
    elif other < PASS:
        keep_tickets(board, s, other - KEEP, log)
    else:
        note(log, LOGGED_PASS, s.seat, 0)
        end_turn(board, s, True, log)


@kernel
def count_moves(board: BoardStruct, moves: Moves) -> int:
    """Return how many moves a set holds."""
    count = popcount(moves.other)
    for word in range(board.words):
        count += popcount(moves.claims[word])
    return count


@kernel
def nth_move(board: BoardStruct, moves: Moves, n: int) -> int:
    """Return the n-th move of a set, counting from 0, in number order."""
    for word in range(board.words):
        size = popcount(moves.claims[word])
        if n < size:
            return word * ROUTE_BITS + nth_bit(moves.claims[word], n)
        n -= size
    return int(board.routes) + nth_bit(moves.other, n)


@entry
def is_legal(board: BoardStruct, moves: Moves, move: int) -> bool:
    """Return whether a set holds ``move``."""
    if move < board.routes:
        return moves.claims[board.route_word[move]] & board.route_bit[move] != 0
    return (int(moves.other) >> (move - int(board.routes))) & 1 != 0
