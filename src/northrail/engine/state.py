"""The structs of a game (its state, one seat's view of it, a set of moves) and its random generator."""

from northrail.boards.board import BONUSES, CARDS, ROUTE_WORDS, SEATS, TICKET_WORDS, TICKETS
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, int8, int16, int64

TICKETS_PHASE, TURN, SECOND_CARD, PAY, TUNNEL, OVER = range(6)
PHASES = ("tickets", "turn", "second_card", "pay", "tunnel", "over")

BATCHES = TICKETS // 2  # a returned batch leaves at least one ticket under the deck and one in a hand
UNCHOSEN = -1  # `set_colour` before it is chosen; LOCOMOTIVE there means "no set"
NOT_YET = -1  # `turns_left` before the last round

assert BONUSES < 16, "bonus cards in play are the bits of an int16"


class Public(Struct):
    """What everyone at the table sees. State and ViewStruct start with these fields, so that a kernel can take both."""

    owned = int64(SEATS, ROUTE_WORDS)  # [seat] -> bits of the routes it owns
    open = int64(SEATS, ROUTE_WORDS)  # [seat] -> bits of the routes it may still claim
    points = int16(SEATS)  # [seat] -> points for routes
    route = int16()  # the route being paid for, or NOBODY
    bonus_cards = int16()  # bits of the bonus cards in play
    choices = int16()  # in phase pay: bits of the card types that may come next; only the seat to move sees them
    known = int8(SEATS, CARDS)  # [seat, colour] -> cards that everyone knows it holds, including those it has laid
    face_up = int8(CARDS)
    discard = int8(CARDS)
    laid = int8(CARDS)  # cards laid for `route`; they have left the hand
    revealed = int8(CARDS)  # cards turned over for a tunnel, before they are discarded
    hand_size = int8(SEATS)
    trains = int8(SEATS)
    ticket_count = int8(SEATS)  # tickets kept
    returned_count = int8(SEATS)  # tickets in `returned`
    batch = int8(BATCHES)  # [from the top] -> a batch under the ticket deck, packed by `batch_of`
    batches = int8()  # number of batches
    opened = int8()  # 1 if another seat has drawn from the first batch
    ticket_deck_size = int8()
    deck_size = int8()
    offered_count = int8()  # number of tickets in `State.offered`
    choosing = int8()  # seats that have yet to choose their first tickets, including the seat to move
    seats = int8()
    first = int8()  # the starting seat
    seat = int8()  # the seat to move
    phase = int8()  # what it decides: an index of PHASES
    set_colour = int8()  # colour of the set being laid, LOCOMOTIVE for no set, or UNCHOSEN
    extra = int8()  # locomotives among `laid` that pay a tunnel's extra cost
    turns_left = int8()  # turns left in the last round, or NOT_YET
    passes = int8()  # passes in a row


class State(Public):
    """A whole game situation, with all secrets."""

    rng = int64()
    held = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of its tickets; the dealt ones while it waits to choose
    returned = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of the tickets it returned that may still be there
    offered = int64(TICKET_WORDS)  # bits of the tickets that the seat to move chooses from
    hand = int8(SEATS, CARDS)
    deck = int8(CARDS)  # counts by colour, because each draw takes a random card
    ticket_deck = int8(TICKETS)  # [from the top] -> ticket


class ViewStruct(Public):
    """What one seat may know."""

    held = int64(SEATS, TICKET_WORDS)  # only this seat's row, until the game is over
    offered = int64(TICKET_WORDS)  # tickets this seat chooses from, or will when its turn to choose comes
    returned = int64(TICKET_WORDS)  # tickets it returned that may still be there
    hand = int8(SEATS, CARDS)  # only this seat's row, until the game is over
    placed = int8(TICKETS)  # [place in the ticket deck] -> a ticket of this seat's batch there, sorted, or NOBODY
    me = int8()  # this seat, or NOBODY for a spectator


StateOrView = State | ViewStruct  # a kernel that takes either is compiled for each


class Moves(Struct):
    """A set of moves as bits."""

    claims = int64(ROUTE_WORDS)
    other = int64()


# A multiply-with-carry generator. Below 2^31, the multiplier a keeps every product below the sign bit. It is the
# largest for which a·2^32-1 and a·2^31-1 are prime, which makes the period long.
MULTIPLIER = 2147483085
LOW = 0xFFFFFFFF


@kernel
def advance(rng: int) -> int:
    """Return the generator's next state."""
    return MULTIPLIER * (int(rng) & LOW) + (int(rng) >> 32)


@kernel
def scaled(rng: int, count: int) -> int:
    """Return the number from 0 to ``count`` - 1 that the generator's state selects."""
    return (((int(rng) & LOW) ^ (int(rng) >> 32)) * int(count)) >> 32


@kernel
def mixed(value: int) -> int:
    """Return a 32-bit hash of a number."""
    value = value & LOW
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & LOW
    value = ((value ^ (value >> 15)) * 0x31848BAB) & LOW
    return value ^ (value >> 16)


@entry
def seeded(seed: int) -> int:
    """Return the generator's first state. We hash the seed, because similar seeds would lead to similar deals."""
    low = int(seed) & LOW
    high = int(seed) >> 32
    for turn in range(1, 5):
        low, high = high, low ^ mixed(high + turn * 0x1E3779B9)
    return max(1, (high % (MULTIPLIER - 1)) << 32 | low)


@kernel
def batch_of(seat: int, count: int) -> int:
    """Pack a batch of returned tickets into one small number."""
    return int(count) * 8 + int(seat)


@kernel
def batch_seat(batch: int) -> int:
    """Return the seat that returned the batch."""
    return int(batch) & 7


@kernel
def batch_size(batch: int) -> int:
    """Return how many of its tickets are still under the deck."""
    return int(batch) >> 3
