"""Cards as kernels: which ones a plan needs, what each is worth, which to draw, and how to pay."""

from northrail.boards.board import CARDS, GRAY, LOCOMOTIVE, NOBODY, ROUTE_BITS, BoardStruct
from northrail.engine.moves import BLIND, CARD, GIVE_UP, TAKE
from northrail.engine.paths import FAR
from northrail.engine.payment import set_for, usual_payment
from northrail.engine.state import UNCHOSEN, Moves, ViewStruct
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import kernel
from northrail.players.plan_structs import Plan, PlanScratch, Weights

TUNED_TUNNEL = 3.0  # cards that tunnels turn over on the boards the weights were tuned on

# --- what cards are worth -------------------------------------------------------------------------------------------


@kernel
def list_wants(board: BoardStruct, plan: Plan) -> None:
    """Write which cards the routes of a plan need."""
    for colour in range(CARDS):
        plan.want[colour] = 0.0
    gray = 0
    wild = 0
    for word in range(board.words):
        rest = int(plan.routes[word]) | int(plan.extra[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            share = 1.0 if int(plan.routes[word]) & (rest & -rest) != 0 else 0.6
            rest &= rest - 1
            colour = int(board.route_colour[route])
            symbols = int(board.route_symbols[route])
            cards = int(board.route_length[route]) - symbols
            plan.want[LOCOMOTIVE] += symbols * share
            if cards > 0 and board.route_wild[route]:
                wild = 1
            if colour == GRAY:
                gray = max(gray, cards)
            else:
                plan.want[colour] += cards * share
                if board.route_tunnel[route]:
                    plan.want[colour] += 0.5 * share * (board.tunnel_cards / TUNED_TUNNEL)
    plan.gray = gray
    plan.wild = wild


@kernel
def worth_of_cards(v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> None:
    """Write what one more card of each colour is worth, and what one card less would cost."""
    me = int(v.me)
    gray = int(plan.gray)
    spare = NOBODY
    most = -99.0
    for colour in range(LOCOMOTIVE):
        more = v.hand[me, colour] - plan.want[colour]
        if more > most:
            most = more
            spare = colour
    for colour in range(LOCOMOTIVE):
        held = float(v.hand[me, colour])
        lack = plan.want[colour] - held
        draw = float(w.spare)
        keep = float(w.spare)
        if lack > 0:
            draw = 1.0 + w.close / (0.5 + lack)
        if lack >= 0:
            keep = 1.0
        if colour == spare and gray > 0 and most < gray:
            draw = max(draw, 0.8 + w.close / (0.5 + gray - most))
            keep = max(keep, 0.8)
        scratch.draw[colour] = draw
        scratch.keep[colour] = keep
    value = float(w.wild) if plan.wild else float(w.locomotive)
    if v.hand[me, LOCOMOTIVE] < plan.want[LOCOMOTIVE]:
        value = max(value, float(w.symbol))
    scratch.draw[LOCOMOTIVE] = value
    scratch.keep[LOCOMOTIVE] = value


@kernel
def unseen_of(board: BoardStruct, v: ViewStruct, colour: int) -> int:
    """Count the cards of a colour that this seat has not seen: in the deck, or unknown in other hands."""
    count = int(board.card_count[colour]) - int(v.face_up[colour]) - int(v.discard[colour]) - int(v.hand[v.me, colour])
    count -= int(v.laid[colour]) + int(v.revealed[colour])
    for seat in range(v.seats):
        if seat != v.me:
            count -= int(v.known[seat, colour])
    return max(0, count)


@kernel
def choose_card(board: BoardStruct, v: ViewStruct, scratch: PlanScratch, moves: Moves) -> int:
    """Return the draw that is worth most: a face-up card, or blind."""
    unseen = 0
    total = 0.0
    for colour in range(CARDS):
        count = unseen_of(board, v, colour)
        unseen += count
        total += count * scratch.draw[colour]
    blind = total / max(1, unseen)
    routes = int(board.routes)
    best = NOBODY
    most = -FAR
    if int(moves.other) >> BLIND & 1:
        best = BLIND
        most = blind
        scratch.value[routes + BLIND] = blind
    for colour in range(CARDS):
        if int(moves.other) >> (TAKE + colour) & 1:
            value = scratch.draw[colour]
            if colour == LOCOMOTIVE and board.row_locomotive_alone:
                value -= blind + 0.2
            scratch.value[routes + TAKE + colour] = value
            if value > most + 1e-9:
                most = value
                best = TAKE + colour
    return best


# --- payments -------------------------------------------------------------------------------------------------------


@kernel
def best_payment(board: BoardStruct, v: ViewStruct, scratch: PlanScratch, route: int) -> float:
    """Write the cheapest payment of a route into `scratch.pay`; return what its cards are worth, or FAR."""
    own = int(board.route_colour[route])
    most = 0
    if board.route_wild[route]:
        most = min(int(v.hand[v.me, LOCOMOTIVE]), int(board.route_length[route]))
    best = FAR
    for wild in range(most + 1):
        for colour in range(CARDS):
            if own in (GRAY, colour) and usual_payment(board, v, route, colour, wild, scratch.try_pay):
                cost = 0.0
                for other in range(CARDS):
                    cost += scratch.try_pay[other] * scratch.keep[other]
                if cost < best - 1e-9:
                    best = cost
                    for other in range(CARDS):
                        scratch.pay[other] = scratch.try_pay[other]
    return best


@kernel
def intend(plan: Plan, scratch: PlanScratch, route: int) -> None:
    """Remember how a route that is about to be claimed will be paid."""
    plan.route = route
    for colour in range(CARDS):
        plan.pay[colour] = scratch.pay[colour]


@kernel
def next_card(board: BoardStruct, v: ViewStruct, plan: Plan) -> int:
    """Return the next card of the remembered payment; without one, the first card that is allowed."""
    choices = int(v.choices)
    if plan.route == v.route:
        if v.set_colour == UNCHOSEN:
            colour = set_for(board, int(v.route), plan.pay)
            if colour != UNCHOSEN and choices >> colour & 1:
                return colour
        else:
            if board.route_wild[v.route] and v.laid[LOCOMOTIVE] < plan.pay[LOCOMOTIVE] and choices >> LOCOMOTIVE & 1:
                return LOCOMOTIVE
            colour = int(v.set_colour)
            if colour != LOCOMOTIVE and v.laid[colour] < plan.pay[colour] and choices >> colour & 1:
                return colour
            for other in range(CARDS):
                if v.laid[other] < plan.pay[other] and choices >> other & 1:
                    return other
    return int(lowest(choices))


# --- tunnels --------------------------------------------------------------------------------------------------------


@kernel
def tunnel_risk(board: BoardStruct, v: ViewStruct, scratch: PlanScratch, route: int) -> float:
    """Return the chance that a tunnel costs more extra cards than the hand then holds; `scratch.pay` is the payment."""
    colour = int(board.route_colour[route])
    if scratch.pay[LOCOMOTIVE] == board.route_length[route]:
        colour = LOCOMOTIVE
    elif colour == LOCOMOTIVE:
        for other in range(LOCOMOTIVE):
            if scratch.pay[other] > 0:
                colour = other
    left = int(v.hand[v.me, LOCOMOTIVE]) - int(scratch.pay[LOCOMOTIVE])
    if colour != LOCOMOTIVE:
        left += int(v.hand[v.me, colour]) - int(scratch.pay[colour])
    turned = int(board.tunnel_cards)
    if left >= turned:
        return 0.0
    hits = 0
    unseen = 0
    for other in range(CARDS):
        count = unseen_of(board, v, other)
        unseen += count
        if other in (colour, LOCOMOTIVE):
            hits += count
    p = float(hits) / max(1, unseen)
    q = 1.0 - p
    risk = 0.0
    for matches in range(max(0, left) + 1, turned + 1):
        chance = 1.0  # of this many matches; products, because `**` rounds differently in C
        for at in range(turned):
            chance *= p * (turned - at) / (at + 1.0) if at < matches else q
        risk += chance
    return risk


@kernel
def answer_tunnel(board: BoardStruct, scratch: PlanScratch, moves: Moves) -> int:
    """Pay the extra cards of a tunnel with those worth least; give up if none can be paid."""
    best = NOBODY
    least = FAR
    for colour in range(CARDS):
        if int(moves.other) >> (CARD + colour) & 1 and scratch.keep[colour] < least:
            least = scratch.keep[colour]
            best = colour
    for place in range(CARD, GIVE_UP + 1):
        scratch.value[int(board.routes) + place] = 1.0 if place == CARD + best else 0.0
    return GIVE_UP if best == NOBODY else CARD + best
