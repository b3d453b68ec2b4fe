"""The STATE record: everything that has happened, in one flat piece of memory; and the randomness inside it."""

import numpy as np

from northrail._jit import kernel
from northrail.board import BONUSES, CARDS, ROUTE_WORDS, SEATS, TICKET_WORDS, TICKETS

TICKETS_PHASE, TURN, SECOND_CARD, PAY, TUNNEL, OVER = range(6)
PHASES = ("tickets", "turn", "second_card", "pay", "tunnel", "over")

BATCHES = TICKETS // 2  # a returned batch leaves at least one ticket under the deck and one in a hand
UNCHOSEN = -1  # as the set's colour: not chosen yet; LOCOMOTIVE stands for "no set"
NOT_YET = -1  # as turns left: the last round has not begun

assert BONUSES < 16, "bonus cards in play are the bits of an int16"

# What the table sees. A VIEW begins with the same fields, so that one kernel serves both.
PUBLIC = [
    ("owned", np.int64, (SEATS, ROUTE_WORDS)),  # [seat] -> bits of the routes it owns
    ("open", np.int64, (SEATS, ROUTE_WORDS)),  # [seat] -> bits of the routes others have not closed to it
    ("points", np.int16, SEATS),  # [seat] -> points for routes
    ("route", np.int16),  # the route being paid for, or NOBODY
    ("bonus_cards", np.int16),  # bits of the bonus cards in play
    ("choices", np.int16),  # in phase pay: bits of the card types that may come next, for the acting seat alone
    ("known", np.int8, (SEATS, CARDS)),  # [seat, colour] -> cards all know it to hold; laid cards still count
    ("face_up", np.int8, CARDS),
    ("discard", np.int8, CARDS),
    ("laid", np.int8, CARDS),  # cards laid for `route`, out of the hand
    ("revealed", np.int8, CARDS),  # cards turned over for a tunnel, not yet discards
    ("hand_size", np.int8, SEATS),
    ("trains", np.int8, SEATS),
    ("ticket_count", np.int8, SEATS),  # tickets kept
    ("returned_count", np.int8, SEATS),  # tickets in `returned`
    ("batch", np.int8, BATCHES),  # [from the top] -> a batch under the ticket deck, packed by `batch_of`
    ("batches", np.int8),  # how many there are
    ("opened", np.int8),  # 1: another than its seat has drawn from the first batch
    ("ticket_deck_size", np.int8),
    ("deck_size", np.int8),
    ("offered_count", np.int8),  # tickets the acting seat chooses from
    ("choosing", np.int8),  # seats that have yet to choose their first tickets, the acting one included
    ("seats", np.int8),
    ("first", np.int8),
    ("seat", np.int8),  # who is asked
    ("phase", np.int8),  # for what
    ("set_colour", np.int8),  # colour of the set being laid, LOCOMOTIVE for no set, or UNCHOSEN
    ("extra", np.int8),  # locomotives among `laid` that pay what a tunnel owes
    ("turns_left", np.int8),  # in the last round, or NOT_YET
    ("passes", np.int8),  # in a row
]
SECRET = [
    ("rng", np.int64),
    ("held", np.int64, (SEATS, TICKET_WORDS)),  # [seat] -> bits of its tickets; dealt ones while it waits to choose
    ("returned", np.int64, (SEATS, TICKET_WORDS)),  # [seat] -> bits of tickets it put back and that may still be there
    ("offered", np.int64, TICKET_WORDS),  # bits of the tickets the acting seat chooses from
    ("hand", np.int8, (SEATS, CARDS)),
    ("deck", np.int8, CARDS),  # by colour: a card is drawn at random when it is drawn
    ("ticket_deck", np.int8, TICKETS),  # [from the top] -> ticket
]
STATE = np.dtype(PUBLIC + SECRET, align=True)

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


@kernel
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
