"""What a route costs and how it may be paid, as kernels. One formula serves every route, from its own numbers.

A payment is exact: it pays, and no part of it would pay for the same choice of the set's colour. ``s`` is a State,
or the ViewStruct of the acting seat. Values read from an array are made ``int`` before they are shifted or multiplied:
NumPy's small integers would overflow in plain Python.
"""

from northrail.boards.board import CARDS, GRAY, HELD, LENGTH, LOCOMOTIVE, PAIRS, SUPPLY, BoardStruct
from northrail.engine.state import UNCHOSEN, Moves, StateOrView
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Struct, int8

PAYMENTS = (LENGTH + 1) * CARDS  # usual ones of a route, at most


class Payments(Struct):
    """Payments for a route."""

    cards = int8(PAYMENTS, CARDS)  # [payment, colour] -> cards


# --- which routes can be paid for -----------------------------------------------------------------------------------


@kernel
def claimable(board: BoardStruct, s: StateOrView, moves: Moves) -> int:
    """Write bits of the routes the acting seat can pay for; gives their union, to see whether there is any.

    Most are looked up: by locomotives, a colour, cards of it and cards in all. Where locomotives are not wild, or
    substitutes must be alike, `need` says how many cards (or alike sets) in hand suffice for a group of routes.
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
    # Four names instead of an array: they stay in registers.
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
        # All ones if the supply suffices. No branch: a processor that guesses this wrongly loses more than it takes.
        yes = (int(board.need[group, wild, held_index_of(held)]) - 1 - supply) >> 63
        paid0 |= board.group_routes[group, 0] & yes
        paid1 |= board.group_routes[group, 1] & yes
        paid2 |= board.group_routes[group, 2] & yes
        paid3 |= board.group_routes[group, 3] & yes
    if board.has_pairs or board.alike_groups > 0:
        # The best set is the largest of the even colours or the largest of the odd ones, which break up a pair less.
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
    """Whether the hand has enough alike sets for a group beside the best choice of the set's colour."""
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
    """The column of `need` for so many cards of a colour: beyond 12 only the remainder by 2, 3 and 4 matters."""
    return cards if cards < HELD else LENGTH + (cards - LENGTH) % LENGTH


# --- card by card ---------------------------------------------------------------------------------------------------


@kernel
def missing(board: BoardStruct, route: int, wild: int, set_cards: int, least: int) -> int:
    """Cards of other colours that make a legal payment of these, or -1 if none do.

    ``wild`` locomotives and ``set_cards`` of the set's colour are laid, at least ``least`` of the latter as the set.
    As many as possible of them pay as the set: a payment in which one more could would have a part too many.
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
    """Cards outside the set that could be part of substitutes."""
    seat = int(s.seat)
    if not board.route_alike[route]:  # the whole hand but the set and wild locomotives
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
    """How many of so many cards of one colour can be part of substitutes."""
    if not board.route_alike[route]:
        return held
    swap = int(board.route_swap[route])
    return held & -2 if swap == 2 else held - held % swap  # a division takes longer than all the rest


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
    """Whether some legal payment has so many locomotives, so many cards of the set's colour and at most so many others.

    With more cards of the set's colour fewer others are missing: for each number of locomotives only the most matter.
    """
    length = int(board.route_length[route])
    symbols = int(board.route_symbols[route])
    swap = int(board.route_swap[route])
    if swap == 0:  # locomotives and the set fill all spaces, and locomotives the symbols
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
    """How many cards must pay as the set: on a gray route a colour is chosen only to be used."""
    return int(colour != LOCOMOTIVE and board.route_colour[route] == GRAY)


@kernel
def sets_layable(board: BoardStruct, s: StateOrView) -> int:
    """Bits of the colours a gray route's set can have; LOCOMOTIVE for none."""
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
    """Bits of the card types that may come next in a payment; none when it is complete.

    The order is fixed: locomotives where they are wild, the set, the rest by colour.
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
        for other in range(CARDS):  # branch-free: what was laid is unpredictable
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
    """Bits of the colours outside the set that may come next, ``wanted`` cards before the end, none before ``last``."""
    route = int(s.route)
    colour = int(s.set_colour)
    swap = int(board.route_swap[route])
    if board.route_alike[route] and s.laid[last] % swap != 0 and (last != colour or colour == LOCOMOTIVE):
        return 1 << last  # a set of alike cards is begun
    types = 0
    total = 0  # cards from here on that could be part of substitutes
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
    """Cards a tunnel still asks for."""
    count = int(s.revealed[LOCOMOTIVE]) - int(s.extra)
    if s.set_colour != LOCOMOTIVE:
        count += int(s.revealed[s.set_colour])
    return count


@kernel
def addable(s: StateOrView) -> int:
    """Bits of the card types that may be added for a tunnel: locomotives first, then the colour laid."""
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
    """The set's colour with which exactly these cards are a legal payment; LOCOMOTIVE for no set, UNCHOSEN if none."""
    if board.route_colour[route] != GRAY:
        colour = int(board.route_colour[route])
        return colour if pays(board, route, colour, cards, 0) else UNCHOSEN
    for colour in range(LOCOMOTIVE):
        if cards[colour] > 0 and pays(board, route, colour, cards, 1):
            return colour
    return LOCOMOTIVE if pays(board, route, LOCOMOTIVE, cards, 0) else UNCHOSEN


@kernel
def pays(board: BoardStruct, route: int, colour: int, cards: Int8s, least: int) -> bool:
    """Whether the cards are a legal payment with a set of that colour, at least ``least`` cards of it as the set."""
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
    """Write the payment with so many locomotives that asks for the fewest cards; gives whether there is one.

    Substitutes are taken from the colours the hand has most of. What is written means nothing where there is none.
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
    # Most questions end here: too few cards in hand, whatever their colours.
    if wanted < 0 or wanted > int(s.hand_size[seat]) - set_cards - wild_cards:
        return False
    for other in range(CARDS):
        cards[other] = 0
    if colour != LOCOMOTIVE:
        cards[colour] = set_cards
    if is_wild:
        cards[LOCOMOTIVE] = wild
    # The set's colour may join in only when the set is as large as it can be.
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


@entry
def usual_payments(board: BoardStruct, s: StateOrView, route: int, payments: Payments) -> int:
    """Write the payments people use, the fewest locomotives first; gives their number.

    For each number of locomotives one for each colour of the set; without a set only where no set is possible.
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
