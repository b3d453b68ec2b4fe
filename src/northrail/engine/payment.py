"""Kernels for payments: which routes a hand can pay for, and which cards may come next in a payment.

A payment consists of wild locomotives, a *set* of cards of one colour, and substitutes for the spaces that are left.
It is exact: no smaller part of it would pay for the route with a set of that colour. One formula, `missing`, serves
every route. ``s`` is a State, or the ViewStruct of the seat to move.

Kernels convert values from arrays to ``int`` before they shift or multiply them: NumPy's small integers would overflow
in plain Python.
"""

from northrail.boards.board import (
    CARDS,
    GRAY,
    HELD,
    LENGTH,
    LOCOMOTIVE,
    PAIRS,
    SUPPLY,
    BoardStruct,
)
from northrail.engine.state import UNCHOSEN, Moves, StateOrView
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Int16s, Int32s, Struct, int8

PAYMENTS = (LENGTH + 1) * CARDS  # the most usual payments a route can have


class Payments(Struct):
    """Payments for a route."""

    cards = int8(PAYMENTS, CARDS)  # [payment, colour] -> cards


# --- which routes can be paid for -----------------------------------------------------------------------------------


@kernel
def claimable(board: BoardStruct, s: StateOrView, moves: Moves) -> int:
    """Write the routes that the seat to move can claim into ``moves``; return nonzero if there are any.

    Tables answer for most routes, by locomotives, a colour, cards of that colour and cards in all. The others form
    groups: those where locomotives are not wild or substitutes must be alike. For each group, `need` holds how many
    cards or alike sets the hand must have.
    """
    seat = int(s.seat)
    trains = min(int(s.trains[seat]), LENGTH)
    locomotives = int(s.hand[seat, LOCOMOTIVE])
    wild = min(locomotives, LENGTH)
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, int(s.hand[seat, colour]))
    cards = int(s.hand_size[seat]) - locomotives
    supply = min(cards, SUPPLY - 1)
    # Four variables instead of an array stay in registers.
    paid0, paid1, paid2, paid3 = 0, 0, 0, 0
    for colour in range(CARDS):
        held = min(int(s.hand[seat, colour]) if colour != GRAY else most, LENGTH)
        row = int(board.pay_row[wild, colour, held, supply])
        paid0 |= board.paid_by[row, 0]
        paid1 |= board.paid_by[row, 1]
        paid2 |= board.paid_by[row, 2]
        paid3 |= board.paid_by[row, 3]
    for group in range(board.groups):
        colour = int(board.group_colour[group])
        held = int(s.hand[seat, colour]) if colour != GRAY else most
        supply = cards + locomotives * int(board.group_tame[group])
        # All ones if the supply is enough. Branch-free: a mispredicted branch costs more than this.
        yes = (int(board.need[group, wild, held_index_of(held)]) - 1 - supply) >> 63
        paid0 |= board.group_routes[group, 0] & yes
        paid1 |= board.group_routes[group, 1] & yes
        paid2 |= board.group_routes[group, 2] & yes
        paid3 |= board.group_routes[group, 3] & yes
    if board.has_pairs or board.alike_groups > 0:
        # The best set is the largest colour with an even count, or the largest with an odd count: that one breaks up
        # one pair fewer.
        pairs, even, odd = 0, 0, 0
        for colour in range(LOCOMOTIVE):
            held = int(s.hand[seat, colour])
            pairs += held >> 1
            even = max(even, held & -(1 - (held & 1)))
            odd = max(odd, held & -(held & 1))
        if board.has_pairs:
            supply = min(pairs, PAIRS - 1)
            row = int(board.pair_row[wild, held_index_of(even), supply])
            other = int(board.pair_row[wild, held_index_of(odd), supply])
            paid0 |= board.paid_by[row, 0] | board.paid_by[other, 0]
            paid1 |= board.paid_by[row, 1] | board.paid_by[other, 1]
            paid2 |= board.paid_by[row, 2] | board.paid_by[other, 2]
            paid3 |= board.paid_by[row, 3] | board.paid_by[other, 3]
        for group in range(board.groups, board.groups + board.alike_groups):
            if board.group_alike[group] == 2:
                colour = int(board.group_colour[group])
                supply = pairs + (locomotives >> 1) * int(board.group_tame[group])
                held = int(s.hand[seat, colour]) if colour != GRAY else even
                yes = (int(board.need[group, wild, held_index_of(held)]) - 1 - supply) >> 63
                if colour == GRAY and odd > 0:
                    yes |= (int(board.need[group, wild, held_index_of(odd)]) - 1 - supply) >> 63
            else:
                yes = -int(alike_payable(board, s, seat, group, wild))
            paid0 |= board.group_routes[group, 0] & yes
            paid1 |= board.group_routes[group, 1] & yes
            paid2 |= board.group_routes[group, 2] & yes
            paid3 |= board.group_routes[group, 3] & yes
    paid0 &= s.open[seat, 0] & board.fits[trains, 0]
    paid1 &= s.open[seat, 1] & board.fits[trains, 1]
    paid2 &= s.open[seat, 2] & board.fits[trains, 2]
    paid3 &= s.open[seat, 3] & board.fits[trains, 3]
    moves.claims[0] = paid0
    moves.claims[1] = paid1
    moves.claims[2] = paid2
    moves.claims[3] = paid3
    return paid0 | paid1 | paid2 | paid3


@kernel
def alike_payable(board: BoardStruct, s: StateOrView, seat: int, group: int, wild: int) -> bool:
    """Return whether the hand has enough alike cards for a group, with the best colour for the set."""
    swap = int(board.group_alike[group])
    supply = 0
    for colour in range(CARDS if board.group_tame[group] else LOCOMOTIVE):
        supply += int(s.hand[seat, colour]) // swap
    colour = int(board.group_colour[group])
    if colour != GRAY:
        return supply >= board.need[group, wild, held_index_of(int(s.hand[seat, colour]))]
    for other in range(LOCOMOTIVE):
        if supply >= board.need[group, wild, held_index_of(int(s.hand[seat, other]))]:
            return True
    return False


@kernel
def held_index_of(cards: int) -> int:
    """Return the column of `need` for ``cards`` of a colour. Above 12, only remainders by 2, 3 and 4 matter."""
    return cards if cards < HELD else LENGTH + (cards - LENGTH) % LENGTH


# --- card by card ---------------------------------------------------------------------------------------------------


@kernel
def missing(board: BoardStruct, route: int, wild: int, set_cards: int, least: int) -> int:
    """Return how many cards of other colours complete a payment, or -1 if none do.

    The payment has ``wild`` locomotives and ``set_cards`` cards of the set's colour. At least ``least`` of these must
    form the set. As many as possible do: otherwise the payment would contain cards it does not need.
    """
    length = int(board.route_length[route])
    symbols = int(board.route_symbols[route])
    swap = int(board.route_swap[route])
    as_set = min(set_cards, length - symbols)
    spaces = length - wild - as_set  # for substitutes
    over = set_cards - as_set  # cards of the set's colour inside substitutes
    if spaces < 0 or as_set < least:
        return -1
    if spaces == 0:
        return 0 if over == 0 else -1
    if swap == 0 or (spaces > symbols and not board.route_anywhere[route]):
        return -1
    if over > swap * spaces or (board.route_alike[route] and over % swap != 0):
        return -1
    return swap * spaces - over


@kernel
def others_in_hand(board: BoardStruct, s: StateOrView, route: int, colour: int) -> int:
    """Return how many cards in hand, outside the set's colour, could serve as substitutes."""
    seat = int(s.seat)
    if not board.route_alike[route]:  # the whole hand without the set and wild locomotives
        total = int(s.hand_size[seat])
        if board.route_wild[route]:
            total -= int(s.hand[seat, LOCOMOTIVE])
        return total - int(s.hand[seat, colour]) if colour != LOCOMOTIVE else total
    total = 0
    for other in range(LOCOMOTIVE if board.route_wild[route] else CARDS):
        if other != colour or colour == LOCOMOTIVE:
            total += usable(board, route, int(s.hand[seat, other]))
    return total


@kernel
def usable(board: BoardStruct, route: int, held: int) -> int:
    """Return how many of ``held`` cards of one colour could serve as substitutes."""
    if not board.route_alike[route]:
        return held
    swap = int(board.route_swap[route])
    return held & -2 if swap == 2 else held - held % swap  # a division would be slower than all the rest


@kernel
def can_finish(
    board: BoardStruct,
    route: int,
    least: int,
    others: int,
    wild_least: int,
    wild_most: int,
    set_least: int,
    set_most: int,
) -> bool:
    """Return whether a legal payment exists within these limits on locomotives, the set's colour and other cards.

    More cards of the set's colour never need more others. So for each number of locomotives we only try the most.
    """
    length = int(board.route_length[route])
    symbols = int(board.route_symbols[route])
    swap = int(board.route_swap[route])
    if swap == 0:  # locomotives and the set fill all spaces, and only locomotives fill symbols
        wild_least = max(wild_least, symbols, length - set_most)
        return wild_least <= min(wild_most, length - max(set_least, least))
    for wild in range(min(wild_most, length), wild_least - 1, -1):
        set_cards = min(set_most, length - wild if wild >= symbols else length - symbols + swap * (symbols - wild))
        if board.route_alike[route] and set_cards > length - symbols:
            set_cards -= (set_cards - (length - symbols)) % swap
        if set_cards >= set_least and 0 <= missing(board, route, wild, set_cards, least) <= others:
            return True
    return False


@kernel
def set_least(board: BoardStruct, route: int, colour: int) -> int:
    """Return how many cards the set needs at least: on a gray route, 1 of the chosen colour."""
    return int(colour != LOCOMOTIVE and board.route_colour[route] == GRAY)


@kernel
def sets_layable(board: BoardStruct, s: StateOrView) -> int:
    """Return bits of the colours that a gray route's set can have; bit LOCOMOTIVE means no set."""
    route = int(s.route)
    wild = int(s.hand[s.seat, LOCOMOTIVE]) if board.route_wild[route] else 0
    others = others_in_hand(board, s, route, LOCOMOTIVE) if board.route_swap[route] > 0 else 0
    types = int(can_finish(board, route, 0, others, 0, wild, 0, 0)) << LOCOMOTIVE
    for colour in range(LOCOMOTIVE):
        held = int(s.hand[s.seat, colour])
        rest = others - usable(board, route, held) if others > 0 else 0
        if held > 0 and can_finish(board, route, 1, rest, 0, wild, 1, held):
            types |= 1 << colour
    return types


@entry
def layable(board: BoardStruct, s: StateOrView) -> int:
    """Return bits of the card types that may come next in a payment; none when it is complete.

    The order is fixed: locomotives where they are wild, then the set, then the rest by colour.
    """
    route = int(s.route)
    seat = int(s.seat)
    colour = int(s.set_colour)
    if colour == UNCHOSEN:
        return sets_layable(board, s)
    is_wild = board.route_wild[route] != 0
    wild = int(s.laid[LOCOMOTIVE]) if is_wild else 0
    set_cards = int(s.laid[colour]) if colour != LOCOMOTIVE else 0
    set_held = int(s.hand[seat, colour]) if colour != LOCOMOTIVE else 0
    laid_others = 0
    last = 0  # the last colour laid outside the set
    if board.route_swap[route] > 0:
        skipped = int(colour != LOCOMOTIVE) << colour | int(is_wild) << LOCOMOTIVE
        for other in range(CARDS):  # branch-free, because the laid cards are unpredictable
            laid = int(s.laid[other]) & ((skipped >> other & 1) - 1)
            laid_others += laid
            last = max(last, other & -int(laid > 0))
    types = 0
    least = set_least(board, route, colour)
    if laid_others == 0:
        held = int(s.hand[seat, LOCOMOTIVE])
        others = others_in_hand(board, s, route, colour) if board.route_swap[route] > 0 else 0
        if is_wild and set_cards == 0 and held > 0:
            types |= int(can_finish(board, route, least, others, wild + 1, wild + held, 0, set_held)) << LOCOMOTIVE
        if set_held > 0:
            most = set_cards + set_held
            types |= int(can_finish(board, route, least, others, wild, wild, set_cards + 1, most)) << colour
    wanted = missing(board, route, wild, set_cards, least) - laid_others
    if wanted > 0:
        types |= others_layable(board, s, wanted, last)
    return types


@kernel
def others_layable(board: BoardStruct, s: StateOrView, wanted: int, last: int) -> int:
    """Return bits of the substitutes that may come next; ``wanted`` are missing, and ``last`` was the last colour."""
    route = int(s.route)
    colour = int(s.set_colour)
    swap = int(board.route_swap[route])
    if board.route_alike[route] and s.laid[last] % swap != 0 and (last != colour or colour == LOCOMOTIVE):
        return 1 << last  # complete the alike cards that were started
    types = 0
    total = 0  # cards from this colour on that could serve as substitutes
    if not board.route_alike[route]:
        skipped = int(colour != LOCOMOTIVE) << colour | int(board.route_wild[route]) << LOCOMOTIVE | (1 << last) - 1
        for at in range(CARDS):  # branch-free, as in `layable`
            other = LOCOMOTIVE - at
            held = int(s.hand[s.seat, other]) & ((skipped >> other & 1) - 1)
            total += held
            types |= (int(held > 0) & int(total >= wanted)) << other
        return types
    for other in range((LOCOMOTIVE if board.route_wild[route] else CARDS) - 1, last - 1, -1):
        if other != colour or colour == LOCOMOTIVE:
            held = usable(board, route, int(s.hand[s.seat, other]))
            total += held
            if held > 0 and total >= wanted:
                types |= 1 << other
    return types


# --- tunnels --------------------------------------------------------------------------------------------------------


@entry
def owed(s: StateOrView) -> int:
    """Return how many extra cards a tunnel still costs."""
    count = int(s.revealed[LOCOMOTIVE]) - int(s.extra)
    if s.set_colour != LOCOMOTIVE:
        count += int(s.revealed[s.set_colour])
    return count


@kernel
def addable(s: StateOrView) -> int:
    """Return bits of the card types that may be added for a tunnel: locomotives first, then the set's colour."""
    wanted = owed(s)
    wild = int(s.hand[s.seat, LOCOMOTIVE])
    colour = int(s.set_colour)
    held = int(s.hand[s.seat, colour]) if colour != LOCOMOTIVE else 0
    types = 0
    if wild > 0 and wild + held >= wanted:
        types |= 1 << LOCOMOTIVE
    if held >= wanted:
        types |= 1 << colour
    return types


# --- whole payments -------------------------------------------------------------------------------------------------


@entry
def set_for(board: BoardStruct, route: int, cards: Int8s) -> int:
    """Return the set's colour that makes these cards a legal payment; LOCOMOTIVE for no set, UNCHOSEN if none does."""
    if board.route_colour[route] != GRAY:
        colour = int(board.route_colour[route])
        return colour if pays(board, route, colour, cards, 0) else UNCHOSEN
    for colour in range(LOCOMOTIVE):
        if cards[colour] > 0 and pays(board, route, colour, cards, 1):
            return colour
    return LOCOMOTIVE if pays(board, route, LOCOMOTIVE, cards, 0) else UNCHOSEN


@kernel
def pays(board: BoardStruct, route: int, colour: int, cards: Int8s, least: int) -> bool:
    """Return whether the cards are a legal payment with a set of this colour, of at least ``least`` cards."""
    is_wild = board.route_wild[route] != 0
    swap = int(board.route_swap[route])
    others = 0
    for other in range(LOCOMOTIVE if is_wild else CARDS):
        if other != colour or colour == LOCOMOTIVE:
            others += int(cards[other])
            if board.route_alike[route] and cards[other] % swap != 0:
                return False
    wild = int(cards[LOCOMOTIVE]) if is_wild else 0
    set_cards = int(cards[colour]) if colour != LOCOMOTIVE else 0
    return missing(board, route, wild, set_cards, least) == others


@kernel
def usual_payment(board: BoardStruct, s: StateOrView, route: int, colour: int, wild: int, cards: Int8s) -> bool:
    """Write the cheapest payment with ``wild`` locomotives into ``cards``; return whether there is one.

    Substitutes come from the colours with the most cards in hand. If it returns False, ignore ``cards``.
    """
    seat = int(s.seat)
    is_wild = board.route_wild[route] != 0
    length = int(board.route_length[route])
    if wild > (min(int(s.hand[seat, LOCOMOTIVE]), length) if is_wild else 0):
        return False
    set_cards = 0
    if colour != LOCOMOTIVE:
        room = min(length - int(board.route_symbols[route]), length - wild)
        set_cards = min(int(s.hand[seat, colour]), room)
    wanted = missing(board, route, wild, set_cards, set_least(board, route, colour))
    wild_cards = int(s.hand[seat, LOCOMOTIVE]) if is_wild else 0
    # Most calls end here: the hand has too few cards, whatever their colours.
    if wanted < 0 or wanted > int(s.hand_size[seat]) - set_cards - wild_cards:
        return False
    for other in range(CARDS):
        cards[other] = 0
    if colour != LOCOMOTIVE:
        cards[colour] = set_cards
    if is_wild:
        cards[LOCOMOTIVE] = wild
    # The set's colour may also serve as substitutes, but only when the set is as large as possible.
    joins = colour == LOCOMOTIVE or set_cards == length - int(board.route_symbols[route])
    step = int(board.route_swap[route]) if board.route_alike[route] else 1
    while wanted > 0:
        best = -1
        for other in range(LOCOMOTIVE if is_wild else CARDS):
            left = int(s.hand[seat, other]) - int(cards[other])
            if (
                left >= step
                and (other != colour or joins)
                and (best < 0 or left > int(s.hand[seat, best]) - int(cards[best]))
            ):
                best = other
        if best < 0:
            return False
        cards[best] += step
        wanted -= step
    return wanted == 0


@kernel
def usual_payments(board: BoardStruct, s: StateOrView, route: int, payments: Payments) -> int:
    """Write the payments that people usually want, fewest locomotives first; return how many there are.

    For each number of locomotives there is one payment per colour of the set. A payment without a set is included only
    where no set is possible.
    """
    own = int(board.route_colour[route])
    count = 0
    for wild in range(int(board.route_length[route]) + 1):
        before = count
        for colour in range(LOCOMOTIVE):
            if (own in (GRAY, colour)) and usual_payment(board, s, route, colour, wild, payments.cards[count]):
                count += 1
        if own == GRAY and count == before and usual_payment(board, s, route, LOCOMOTIVE, wild, payments.cards[count]):
            count += 1
    return count


@entry
def price_list(
    board: BoardStruct, s: StateOrView, routes: Int16s, count: int, payments: Payments, cards: Int8s, ends: Int32s
) -> None:
    """Write the usual payments for each of ``count`` routes, fewest locomotives first, then fewest cards.

    ``cards`` gets CARDS counts for each payment. ``ends`` gets the number of payments up to and with each route.
    ``payments`` is overwritten.
    """
    end = 0
    for number in range(count):
        start = end
        for at in range(usual_payments(board, s, routes[number], payments)):
            end += insert_payment(payments.cards[at], cards, start, end)
        ends[number] = end


@kernel
def insert_payment(payment: Int8s, cards: Int8s, start: int, end: int) -> int:
    """Insert a payment into a sorted list of payments from ``start`` to ``end``, unless it is there; return 0 if so."""
    place = end
    order = payment_order(payment, 0)
    for at in range(start, end):
        other = payment_order(cards, at)
        if other > order:
            place = min(place, at)
        elif other == order:
            same = 1
            for colour in range(CARDS):
                if cards[at * CARDS + colour] != payment[colour]:
                    same = 0
            if same != 0:
                return 0
    for at in range(end * CARDS - 1, place * CARDS - 1, -1):
        cards[at + CARDS] = cards[at]
    for colour in range(CARDS):
        cards[place * CARDS + colour] = payment[colour]
    return 1


@kernel
def payment_order(cards: Int8s, at: int) -> int:
    """Return a number by which to sort payments: by locomotives, then by cards in all."""
    total = 0
    for colour in range(CARDS):
        total += int(cards[at * CARDS + colour])
    return int(cards[at * CARDS + LOCOMOTIVE]) * 1024 + total
