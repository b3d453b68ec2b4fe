"""What one seat may know. `look` fills a seat's view from a state; `imagine` fills a state that fits a view.

`look` starts with what everyone sees, then adds the seat's own cards and tickets. It shows two things late. Others see
a payment only when it is complete, so a pause does not reveal whether there was a choice. They see how many first
tickets a seat kept only when all seats have chosen.
"""

from northrail.boards.board import CARDS, LOCOMOTIVE, NOBODY, SEATS, TICKET_BITS, TICKET_WORDS, TICKETS, BoardStruct
from northrail.engine.rules import KEEP_SETS
from northrail.engine.scoring import has_chosen
from northrail.engine.state import (
    OVER,
    PAY,
    TICKETS_PHASE,
    TUNNEL,
    TURN,
    UNCHOSEN,
    State,
    ViewStruct,
    advance,
    batch_of,
    batch_seat,
    batch_size,
    scaled,
    seeded,
)
from northrail.kernels.bits import lowest, nth_bit, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Int64s, clear_struct, copy_struct, int8


@entry
def look(board: BoardStruct, s: State, me: int, v: ViewStruct) -> None:
    """Fill ``v`` with what seat ``me`` may know of ``s``; NOBODY is a spectator."""
    copy_struct(v, s)
    v.me = me
    if s.choosing > 0:
        hide_choices(board, s, me, v)
    if me != s.seat:
        hide_payment(s, v)
    for seat in range(SEATS):
        is_open = seat == me or s.phase == OVER
        chosen = is_open and has_chosen(s, seat)
        for colour in range(CARDS):
            v.hand[seat, colour] = s.hand[seat, colour] if is_open else 0
        for word in range(TICKET_WORDS):
            v.held[seat, word] = s.held[seat, word] if chosen else 0
    waits = me != NOBODY and me != s.seat and not has_chosen(s, me)
    for word in range(TICKET_WORDS):
        v.offered[word] = s.offered[word] if me == s.seat else 0
        if waits:
            v.offered[word] = s.held[me, word]
        v.returned[word] = s.returned[me, word] if me != NOBODY else 0
    for place in range(TICKETS):
        v.placed[place] = NOBODY
    if v.batches > 0 and me != NOBODY:
        place_batches(s, me, v)


@kernel
def hide_choices(board: BoardStruct, s: State, me: int, v: ViewStruct) -> None:
    """Hide how many first tickets other seats kept, because all seats choose at the same time."""
    for seat in range(s.seats):
        if seat != me:
            v.ticket_count[seat] = 0
            v.returned_count[seat] = 0
    for at in range(s.batches):
        v.batch[at] = 0
    v.batches = 0
    v.ticket_deck_size = int(board.tickets) - int(s.seats) * int(board.first_deal)


@kernel
def hide_payment(s: State, v: ViewStruct) -> None:
    """Hide an incomplete payment from others: show its cards as still in hand."""
    if s.phase == PAY:
        for colour in range(CARDS):
            v.hand_size[s.seat] += s.laid[colour]
            v.laid[colour] = 0
        v.route = NOBODY
        v.set_colour = UNCHOSEN
        v.choices = 0
        v.phase = TURN
    elif s.phase == TUNNEL:
        v.hand_size[s.seat] += s.extra
        v.laid[LOCOMOTIVE] -= s.extra
        v.extra = 0


@kernel
def place_batches(s: State, me: int, v: ViewStruct) -> None:
    """Write the places of the seat's own batches, except a batch that another seat has drawn from."""
    at = int(s.ticket_deck_size)
    for number in range(s.batches):
        at -= batch_size(s.batch[number])
    for number in range(s.batches):
        size = batch_size(s.batch[number])
        if batch_seat(s.batch[number]) == me and not (number == 0 and s.opened):
            for place in range(at, at + size):
                v.placed[place] = s.ticket_deck[place]
            for last in range(at + size - 1, at, -1):  # sort: nobody may know the order
                for place in range(at, last):
                    if v.placed[place] > v.placed[place + 1]:
                        v.placed[place], v.placed[place + 1] = v.placed[place + 1], v.placed[place]
        at += size


# --- imagining ------------------------------------------------------------------------------------------------------


@entry
def imagine(board: BoardStruct, v: ViewStruct, rng: Int64s, s: State) -> None:
    """Fill ``s`` with a random world that fits ``v``, uniform over everything hidden.

    ``rng`` is the state of the caller's generator, in an array of length 1. The game's own generator stays unused.
    """
    clear_struct(s)
    copy_struct(s, v)
    rng[0] = advance(rng[0])
    s.rng = seeded(rng[0] >> 1)
    imagine_cards(board, v, rng, s)
    pool = int8.empty(TICKETS)
    size = shuffle_unseen(board, v, rng, pool)
    if v.choosing > 0:
        imagine_choices(board, v, rng, s, pool, size)
    else:
        imagine_tickets(board, v, rng, s, pool, size)


@kernel
def imagine_cards(board: BoardStruct, v: ViewStruct, rng: Int64s, s: State) -> None:
    """Deal unseen cards to the other hands; the rest becomes the deck."""
    left = 0
    for colour in range(CARDS):
        seen = int(v.face_up[colour]) + int(v.discard[colour]) + int(v.laid[colour]) + int(v.revealed[colour])
        for seat in range(SEATS):
            held = int(v.hand[seat, colour])
            if seat != v.me and v.phase != OVER:
                held = int(v.known[seat, colour])
                if seat == v.seat:  # `known` still counts cards laid for a tunnel
                    held = max(0, held - int(v.laid[colour]))
            s.hand[seat, colour] = held
            seen += held
        s.deck[colour] = int(board.card_count[colour]) - seen
        left += int(s.deck[colour])
    for seat in range(v.seats):
        unknown = int(v.hand_size[seat])
        for colour in range(CARDS):
            unknown -= int(s.hand[seat, colour])
        for _ in range(unknown):
            rng[0] = advance(rng[0])
            pick = scaled(rng[0], left)
            colour = 0
            while pick >= s.deck[colour]:
                pick -= int(s.deck[colour])
                colour += 1
            s.deck[colour] -= 1
            s.hand[seat, colour] += 1
            left -= 1


@kernel
def has(words: Int64s, ticket: int) -> bool:
    """Return whether a set holds the ticket."""
    return (int(words[ticket // TICKET_BITS]) >> (ticket % TICKET_BITS)) & 1 != 0


@kernel
def add(words: Int64s, ticket: int) -> None:
    """Add a ticket to a set."""
    words[int(ticket) // TICKET_BITS] |= 1 << (int(ticket) % TICKET_BITS)


@kernel
def shuffle_unseen(board: BoardStruct, v: ViewStruct, rng: Int64s, pool: Int8s) -> int:
    """Fill ``pool`` with the tickets whose place is unknown, shuffled; return how many there are.

    If another seat has drawn from a batch of this seat, the batch holds some of its old tickets. The pool ends with a
    random choice of them, as many as the batch still holds.
    """
    size = 0
    for word in range(TICKET_WORDS):
        count = max(0, min(TICKET_BITS, int(board.tickets) - word * TICKET_BITS))
        unseen = ((1 << count) - 1) & ~int(v.offered[word] | v.returned[word])
        for seat in range(v.seats):
            unseen &= ~int(v.held[seat, word])
        while unseen != 0:
            pool[size] = word * TICKET_BITS + lowest(unseen)
            unseen &= unseen - 1
            size += 1
    if v.opened and batch_seat(v.batch[0]) == v.me:
        start = size
        for ticket in range(board.tickets):
            if has(v.returned, ticket) and not is_placed(v, ticket):
                pool[size] = ticket
                size += 1
        shuffle(pool, start, size, rng)
        shuffle(pool, 0, size - batch_size(v.batch[0]), rng)
    else:
        shuffle(pool, 0, size, rng)
    return size


@kernel
def is_placed(v: ViewStruct, ticket: int) -> bool:
    """Return whether the seat knows which of its batches holds the ticket."""
    for place in range(v.ticket_deck_size):
        if v.placed[place] == ticket:
            return True
    return False


@kernel
def shuffle(numbers: Int8s, start: int, stop: int, rng: Int64s) -> None:
    """Shuffle ``numbers`` from ``start`` up to ``stop``."""
    for last in range(stop - 1, start, -1):
        rng[0] = advance(rng[0])
        other = start + scaled(rng[0], last - start + 1)
        numbers[last], numbers[other] = numbers[other], numbers[last]


@kernel
def imagine_tickets(board: BoardStruct, v: ViewStruct, rng: Int64s, s: State, pool: Int8s, size: int) -> None:
    """Deal the tickets in ``pool`` to hands, to an open offer, to returned tickets, and to the deck."""
    me = int(v.me)
    top = 0
    for seat in range(v.seats):
        if seat == me or v.phase == OVER:
            for word in range(TICKET_WORDS):
                s.held[seat, word] = v.held[seat, word]
        else:
            for _ in range(v.ticket_count[seat]):
                add(s.held[seat], pool[top])
                top += 1
        if seat == me:
            for word in range(TICKET_WORDS):
                s.returned[seat, word] = v.returned[word]
        elif not board.returned_go_under:
            for _ in range(v.returned_count[seat]):
                add(s.returned[seat], pool[top])
                top += 1
    if me == v.seat:
        for word in range(TICKET_WORDS):
            s.offered[word] = v.offered[word]
    elif v.phase == TICKETS_PHASE:
        for _ in range(v.offered_count):
            add(s.offered, pool[top])
            top += 1
    at = int(v.ticket_deck_size)
    for number in range(v.batches):
        at -= batch_size(v.batch[number])
    for place in range(at):
        s.ticket_deck[place] = pool[top]
        top += 1
    for number in range(v.batches):
        count = batch_size(v.batch[number])
        own = batch_seat(v.batch[number]) == me
        for place in range(at, at + count):
            if own and number == 0 and v.opened:
                size -= 1
                s.ticket_deck[place] = pool[size]
            elif own:
                s.ticket_deck[place] = v.placed[place]
            else:
                s.ticket_deck[place] = pool[top]
                top += 1
        if own:
            shuffle(s.ticket_deck, at, at + count, rng)
        else:
            for place in range(at, at + count):
                add(s.returned[batch_seat(v.batch[number])], s.ticket_deck[place])
        at += count
    if v.opened and batch_seat(v.batch[0]) != me:
        imagine_memory(board, v, rng, s, batch_seat(v.batch[0]))


@kernel
def imagine_memory(board: BoardStruct, v: ViewStruct, rng: Int64s, s: State, seat: int) -> None:
    """Complete another seat's memory of a batch that others have drawn from, with tickets that are now elsewhere."""
    lacking = int(v.returned_count[seat])
    for word in range(TICKET_WORDS):
        lacking -= popcount(s.returned[seat, word])
    while lacking > 0:
        rng[0] = advance(rng[0])
        ticket = scaled(rng[0], board.tickets)
        offered = seat == s.seat and has(s.offered, ticket)
        if not has(s.returned[seat], ticket) and not has(s.held[seat], ticket) and not offered:
            add(s.returned[seat], ticket)
            lacking -= 1


@kernel
def imagine_choices(board: BoardStruct, v: ViewStruct, rng: Int64s, s: State, pool: Int8s, size: int) -> None:
    """Deal first tickets, and let each seat that has chosen keep a random legal set."""
    seats = int(v.seats)
    dealt = int(board.first_deal)
    sets = KEEP_SETS[dealt, int(board.first_keep)]
    top = 0
    for turn in range(seats):
        seat = (int(v.first) + turn) % seats
        if seat != v.me and not has_chosen(v, seat):
            for _ in range(dealt):
                if seat == v.seat:
                    add(s.offered, pool[top])
                else:
                    add(s.held[seat], pool[top])
                top += 1
    for turn in range(seats - int(v.choosing)):
        seat = (int(v.first) + turn) % seats
        if seat == v.me:
            for word in range(TICKET_WORDS):
                s.held[seat, word] = v.held[seat, word]
                s.returned[seat, word] = v.returned[word]
            continue
        rng[0] = advance(rng[0])
        kept = nth_bit(sets, scaled(rng[0], popcount(sets)))
        for place in range(dealt):
            if kept >> place & 1:
                add(s.held[seat], pool[top])
            else:
                add(s.returned[seat], pool[top])
            top += 1
        s.ticket_count[seat] = popcount(kept)
        s.returned_count[seat] = dealt - popcount(kept)
    if v.me != NOBODY and not has_chosen(v, v.me):
        for word in range(TICKET_WORDS):
            if v.me == v.seat:
                s.offered[word] = v.offered[word]
            else:
                s.held[v.me, word] = v.offered[word]
    deck = 0
    for place in range(top, size):
        s.ticket_deck[deck] = pool[place]
        deck += 1
    if board.returned_go_under:
        for turn in range(seats - int(v.choosing)):
            deck = return_imagined(board, s, (int(v.first) + turn) % seats, deck, rng)
    s.ticket_deck_size = deck


@kernel
def return_imagined(board: BoardStruct, s: State, seat: int, deck: int, rng: Int64s) -> int:
    """Put the tickets that a seat returned under a deck of ``deck`` tickets; return its new size."""
    start = deck
    for ticket in range(board.tickets):
        if has(s.returned[seat], ticket):
            s.ticket_deck[deck] = ticket
            deck += 1
    if deck > start:
        shuffle(s.ticket_deck, start, deck, rng)
        s.batch[s.batches] = batch_of(seat, deck - start)
        s.batches += 1
    return deck
