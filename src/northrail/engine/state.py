"""What kernels work on: the state of a game, what one seat may know of it, a set of moves; and the randomness in it."""

from northrail.boards.board import BONUSES, CARDS, ROUTE_WORDS, SEATS, TICKET_WORDS, TICKETS
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, int8, int16, int64

TICKETS_PHASE, TURN, SECOND_CARD, PAY, TUNNEL, OVER = range(6)
PHASES = ("tickets", "turn", "second_card", "pay", "tunnel", "over")

BATCHES = TICKETS // 2  # a returned batch leaves at least one ticket under the deck and one in a hand
UNCHOSEN = -1  # as the set's colour: not chosen yet; LOCOMOTIVE stands for "no set"
NOT_YET = -1  # as turns left: the last round has not begun

assert BONUSES < 16, "bonus cards in play are the bits of an int16"


class Public(Struct):
    """What the table sees. State and ViewStruct begin with it, so that one kernel serves both."""

    owned = int64(SEATS, ROUTE_WORDS)  # [seat] -> bits of the routes it owns
    open = int64(SEATS, ROUTE_WORDS)  # [seat] -> bits of the routes others have not closed to it
    points = int16(SEATS)  # [seat] -> points for routes
    route = int16()  # the route being paid for, or NOBODY
    bonus_cards = int16()  # bits of the bonus cards in play
    choices = int16()  # in phase pay: bits of the card types that may come next, for the acting seat alone
    known = int8(SEATS, CARDS)  # [seat, colour] -> cards all know it to hold; laid cards still count
    face_up = int8(CARDS)
    discard = int8(CARDS)
    laid = int8(CARDS)  # cards laid for `route`, out of the hand
    revealed = int8(CARDS)  # cards turned over for a tunnel, not yet discards
    hand_size = int8(SEATS)
    trains = int8(SEATS)
    ticket_count = int8(SEATS)  # tickets kept
    returned_count = int8(SEATS)  # tickets in `returned`
    batch = int8(BATCHES)  # [from the top] -> a batch under the ticket deck, packed by `batch_of`
    batches = int8()  # how many there are
    opened = int8()  # 1: another than its seat has drawn from the first batch
    ticket_deck_size = int8()
    deck_size = int8()
    offered_count = int8()  # tickets the acting seat chooses from
    choosing = int8()  # seats that have yet to choose their first tickets, the acting one included
    seats = int8()
    first = int8()
    seat = int8()  # who is asked
    phase = int8()  # for what
    set_colour = int8()  # colour of the set being laid, LOCOMOTIVE for no set, or UNCHOSEN
    extra = int8()  # locomotives among `laid` that pay what a tunnel owes
    turns_left = int8()  # in the last round, or NOT_YET
    passes = int8()  # in a row


class State(Public):
    """Everything that has happened."""

    rng = int64()
    held = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of its tickets; dealt ones while it waits to choose
    returned = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of tickets it put back and that may still be there
    offered = int64(TICKET_WORDS)  # bits of the tickets the acting seat chooses from
    hand = int8(SEATS, CARDS)
    deck = int8(CARDS)  # by colour: a card is drawn at random when it is drawn
    ticket_deck = int8(TICKETS)  # [from the top] -> ticket


class ViewStruct(Public):
    """What one seat may know."""

    held = int64(SEATS, TICKET_WORDS)  # own row only, until the game is over and all is open
    offered = int64(TICKET_WORDS)  # tickets before this seat, also while it waits to choose its first
    returned = int64(TICKET_WORDS)  # tickets it put back and that may still be there
    hand = int8(SEATS, CARDS)  # own row only, until the game is over
    placed = int8(TICKETS)  # [place in the ticket deck] -> a ticket of an own batch there, ascending, or NOBODY
    me = int8()  # who looks, or NOBODY for a spectator


StateOrView = State | ViewStruct  # a kernel that takes either is compiled for each


class Moves(Struct):
    """A set of moves, by their bits."""

    claims = int64(ROUTE_WORDS)
    other = int64()


# A multiply-with-carry generator. The multiplier is the largest below 2^31 that makes the period prime-like
# (a·2^32-1 and a·2^31-1 are primes), so that every product stays below the sign bit.
MULTIPLIER = 2147483085
LOW = 0xFFFFFFFF


@kernel
def advance(rng: int) -> int:
    """The generator's next state."""
    return MULTIPLIER * (int(rng) & LOW) + (int(rng) >> 32)


@kernel
def scaled(rng: int, count: int) -> int:
    """A number from 0 to ``count`` - 1 out of the generator's state."""
    return (((int(rng) & LOW) ^ (int(rng) >> 32)) * int(count)) >> 32


@kernel
def mixed(value: int) -> int:
    """A well-mixed 32-bit number."""
    value = value & LOW
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & LOW
    value = ((value ^ (value >> 15)) * 0x31848BAB) & LOW
    return value ^ (value >> 16)


@entry
def seeded(seed: int) -> int:
    """The generator's first state. Seeds are hashed: neighbouring ones would give neighbouring deals."""
    low = int(seed) & LOW
    high = int(seed) >> 32
    for turn in range(1, 5):
        low, high = high, low ^ mixed(high + turn * 0x1E3779B9)
    return max(1, (high % (MULTIPLIER - 1)) << 32 | low)


@kernel
def batch_of(seat: int, count: int) -> int:
    """A batch of returned tickets in one small number."""
    return int(count) * 8 + int(seat)


@kernel
def batch_seat(batch: int) -> int:
    """Who returned the batch."""
    return int(batch) & 7


@kernel
def batch_size(batch: int) -> int:
    """How many of its tickets still lie under the deck."""
    return int(batch) >> 3
