"""What a route costs and how it may be paid, as kernels. One formula serves every route, from its own numbers.

A payment is exact: it pays, and no part of it would pay for the same choice of the set's colour. ``s`` is a STATE, or the
VIEW of the acting seat. Values read from a record are made ``int`` before they are shifted or multiplied, so that compiled
and plain Python agree.
"""

from northrail._jit import kernel
from northrail.board import CARDS, GRAY, HELD, LENGTH, LOCOMOTIVE
from northrail.state import UNCHOSEN

# --- which routes can be paid for --------------------------------------------------------------------------------------


@kernel
def claimable(board, s, moves):
    """Write bits of the routes the acting seat can pay for; gives their union, to see whether there is any.

    Routes without substitutes are looked up by cards of the colour and locomotives; the others by group, where `need`
    says how many cards (or alike sets) in hand suffice.
    """
    seat = int(s.seat)
    trains = min(int(s.trains[seat]), LENGTH)
    locomotives = int(s.hand[seat, LOCOMOTIVE])
    wild = min(locomotives, LENGTH)
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, int(s.hand[seat, colour]))
    cards = int(s.hand_size[seat]) - locomotives
    sets = 0  # alike sets in hand, counted when first asked for
    sets_of = 0
    union = 0
    for word in range(board.words):
        free = int(s.open[seat, word] & board.fits[trains, word])
        if free == 0:
            continue
        paid = int(board.cover[wild, GRAY, min(most, LENGTH), word])
        for colour in range(LOCOMOTIVE):
            paid |= board.cover[wild, colour, min(int(s.hand[seat, colour]), LENGTH), word]
        for group in range(board.group_start[word], board.group_start[word + 1]):
            colour = int(board.group_colour[group])
            swap = int(board.group_alike[group])
            supply = cards + locomotives * int(board.group_tame[group])
            if swap == 0:
                held = most if colour == GRAY else int(s.hand[seat, colour])
                if supply >= board.need[group, wild, held_index_of(held)]:
                    paid |= board.group_routes[group]
            elif board.group_routes[group] & free != 0:
                if sets_of != swap:
                    sets_of = swap
                    sets = alike_sets(s, seat, swap)
                supply = sets + locomotives // swap * int(board.group_tame[group])
                if alike_payable(board, s, seat, group, colour, wild, supply):
                    paid |= board.group_routes[group]
        moves[word] = paid & free
        union |= paid & free
    return union


@kernel
def alike_sets(s, seat, swap):
    """Sets of ``swap`` cards of one colour in hand."""
    sets = 0
    for colour in range(LOCOMOTIVE):
        sets += int(s.hand[seat, colour]) // swap
    return sets


@kernel
def alike_payable(board, s, seat, group, colour, wild, supply):
    """Whether so many alike sets suffice beside the best choice of the set's colour."""
    if colour != GRAY:
        return supply >= board.need[group, wild, held_index_of(int(s.hand[seat, colour]))]
    for other in range(LOCOMOTIVE):
        if supply >= board.need[group, wild, held_index_of(int(s.hand[seat, other]))]:
            return True
    return False


@kernel
def held_index_of(cards):
    """`board.held_index`, for kernels."""
    return cards if cards < HELD else LENGTH + (cards - LENGTH) % LENGTH


# --- card by card ------------------------------------------------------------------------------------------------------


@kernel
def missing(board, route, wild, set_cards, least):
    """Cards of other colours (or of the set's, beyond the set) still to come for a legal payment, or -1 if there is none.

    ``wild`` locomotives and ``set_cards`` of the set's colour are in the payment, at least ``least`` of these as the set.
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
def others_in_hand(board, s, route, colour, start):
    """Cards of colours from ``start`` on, outside the set, that could be part of substitutes."""
    total = 0
    stop = LOCOMOTIVE if board.route_wild[route] else CARDS
    swap = int(board.route_swap[route])
    for other in range(start, stop):
        if other != colour or colour == LOCOMOTIVE:
            held = int(s.hand[s.seat, other])
            total += held - held % swap if board.route_alike[route] else held
    return total


@kernel
def can_finish(board, s, colour, wild_least, wild_most, set_least, set_most):
    """Whether some legal payment has so many locomotives and so many cards of the set's colour, from the hand."""
    route = int(s.route)
    least = 1 if colour != LOCOMOTIVE and board.route_colour[route] == GRAY else 0
    length = int(board.route_length[route])
    if board.route_swap[route] == 0:  # locomotives and the set fill all spaces, and locomotives the symbols
        wild_least = max(wild_least, int(board.route_symbols[route]), length - set_most)
        return wild_least <= min(wild_most, length - max(set_least, least))
    others = others_in_hand(board, s, route, colour, 0)
    for wild in range(min(wild_most, length), wild_least - 1, -1):
        for set_cards in range(set_most, set_least - 1, -1):
            wanted = missing(board, route, wild, set_cards, least)
            if 0 <= wanted <= others:
                return True
    return False


@kernel
def sets_layable(board, s):
    """Bits of the colours a gray route's set can have; LOCOMOTIVE for none."""
    types = 0
    wild = int(s.hand[s.seat, LOCOMOTIVE]) if board.route_wild[s.route] else 0
    for colour in range(LOCOMOTIVE):
        held = int(s.hand[s.seat, colour])
        if held > 0 and can_finish(board, s, colour, 0, wild, 1, held):
            types |= 1 << colour
    if can_finish(board, s, LOCOMOTIVE, 0, wild, 0, 0):
        types |= 1 << LOCOMOTIVE
    return types


@kernel
def layable(board, s):
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
    for other in range(LOCOMOTIVE if is_wild else CARDS):
        if (other != colour or colour == LOCOMOTIVE) and s.laid[other] > 0:
            laid_others += int(s.laid[other])
            last = other
    types = 0
    if laid_others == 0:
        held = int(s.hand[seat, LOCOMOTIVE])
        if is_wild and set_cards == 0 and held > 0 and can_finish(board, s, colour, wild + 1, wild + held, 0, set_held):
            types |= 1 << LOCOMOTIVE
        if set_held > 0 and can_finish(board, s, colour, wild, wild, set_cards + 1, set_cards + set_held):
            types |= 1 << colour
    least = 1 if colour != LOCOMOTIVE and board.route_colour[route] == GRAY else 0
    wanted = missing(board, route, wild, set_cards, least) - laid_others
    if wanted > 0:
        types |= others_layable(board, s, wanted, last)
    return types


@kernel
def others_layable(board, s, wanted, last):
    """Bits of the colours outside the set that may come next, ``wanted`` cards before the end, none before ``last``."""
    route = int(s.route)
    colour = int(s.set_colour)
    swap = int(board.route_swap[route])
    if board.route_alike[route] and s.laid[last] % swap != 0 and (last != colour or colour == LOCOMOTIVE):
        return 1 << last  # a set of alike cards is begun
    types = 0
    for other in range(last, LOCOMOTIVE if board.route_wild[route] else CARDS):
        if other == colour and colour != LOCOMOTIVE:
            continue
        enough = int(s.hand[s.seat, other]) >= (swap if board.route_alike[route] else 1)
        if enough and others_in_hand(board, s, route, colour, other) >= wanted:
            types |= 1 << other
    return types


# --- tunnels -----------------------------------------------------------------------------------------------------------


@kernel
def owed(s):
    """Cards a tunnel still asks for."""
    count = int(s.revealed[LOCOMOTIVE]) - int(s.extra)
    if s.set_colour != LOCOMOTIVE:
        count += int(s.revealed[s.set_colour])
    return count


@kernel
def addable(board, s):
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


# --- whole payments ----------------------------------------------------------------------------------------------------


@kernel
def set_for(board, route, cards):
    """The colour of the set for which exactly these cards are a legal payment, LOCOMOTIVE for no set; UNCHOSEN if none."""
    if board.route_colour[route] != GRAY:
        colour = int(board.route_colour[route])
        return colour if pays(board, route, colour, cards, 0) else UNCHOSEN
    for colour in range(LOCOMOTIVE):
        if cards[colour] > 0 and pays(board, route, colour, cards, 1):
            return colour
    return LOCOMOTIVE if pays(board, route, LOCOMOTIVE, cards, 0) else UNCHOSEN


@kernel
def pays(board, route, colour, cards, least):
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
def usual_payment(board, s, route, colour, wild, cards):
    """Write the payment with so many locomotives that asks for the fewest cards; gives whether there is one.

    Substitutes are taken from the colours the hand has most of.
    """
    seat = int(s.seat)
    for other in range(CARDS):
        cards[other] = 0
    is_wild = board.route_wild[route] != 0
    length = int(board.route_length[route])
    if wild > (min(int(s.hand[seat, LOCOMOTIVE]), length) if is_wild else 0):
        return False
    least = 1 if colour != LOCOMOTIVE and board.route_colour[route] == GRAY else 0
    set_cards = 0
    if colour != LOCOMOTIVE:
        room = min(length - int(board.route_symbols[route]), length - wild)
        set_cards = min(int(s.hand[seat, colour]), room)
        cards[colour] = set_cards
    if is_wild:
        cards[LOCOMOTIVE] = wild
    wanted = missing(board, route, wild, set_cards, least)
    step = int(board.route_swap[route]) if board.route_alike[route] else 1
    while wanted > 0:
        best = -1
        for other in range(LOCOMOTIVE if is_wild else CARDS):
            left = int(s.hand[seat, other]) - int(cards[other])
            # The set's colour may join in only when the set is as large as it can be.
            inside = other != colour or colour == LOCOMOTIVE or set_cards == length - int(board.route_symbols[route])
            if left >= step and inside and (best < 0 or left > int(s.hand[seat, best]) - int(cards[best])):
                best = other
        if best < 0:
            return False
        cards[best] += step
        wanted -= step
    return wanted == 0


@kernel
def usual_payments(board, s, route, rows):
    """Write the payments people use, one a row, the fewest locomotives first; gives their number.

    For each number of locomotives one for each colour of the set; without a set only where no set is possible.
    """
    own = int(board.route_colour[route])
    count = 0
    for wild in range(int(board.route_length[route]) + 1):
        before = count
        for colour in range(LOCOMOTIVE):
            if (own == GRAY or own == colour) and usual_payment(board, s, route, colour, wild, rows[count]):
                count += 1
        if own == GRAY and count == before and usual_payment(board, s, route, LOCOMOTIVE, wild, rows[count]):
            count += 1
    return count


@kernel
def usual_payments_at(boards, states, at, route, rows):
    """`usual_payments`, called from Python; ``states`` are STATE or VIEW records."""
    return usual_payments(boards[0], states[at], route, rows)


@kernel
def set_for_at(boards, route, cards):
    """`set_for`, called from Python."""
    return set_for(boards[0], route, cards)
