"""The planner: joins its tickets by the routes that cost the fewest turns, and takes what then pays best."""

import json
from importlib import resources

import numpy as np

from northrail.boards.board import CARDS, LOCOMOTIVE, NOBODY, ROUTE_BITS, TICKET_BITS, TICKET_WORDS, Board, BoardStruct
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, KEEP, PASS, TAKE
from northrail.engine.payment import set_for
from northrail.engine.rules import keep_least, legal
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import (
    PAY,
    SECOND_CARD,
    TICKETS_PHASE,
    TUNNEL,
    UNCHOSEN,
    Moves,
    ViewStruct,
    advance,
    scaled,
    seeded,
)
from northrail.engine.view import View
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int16s, Int64s
from northrail.players.last_move import LastMove
from northrail.players.plans import (
    FAR,
    Desk,
    Mind,
    Weights,
    adopt_path,
    best_payment,
    horizon,
    is_contested,
    is_free,
    path_trains,
    path_turns,
    plan_tickets,
    price_routes,
    spread,
    think,
    ticket_worth,
    worth_of_cards,
)

# How much care a move is given: by the plan in mind; every set of offered tickets compared; every legal move valued.
QUICK, CAREFUL, THOROUGH = range(3)
WORTH_A_LOOK = 6  # moves among which it may slip
# Values are points, in bands that say what comes before what: claims before tickets before cards.
CLAIM_BAND, TICKET_BAND, UNWISE = 100.0, 50.0, -300.0


@entry
def choose(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, moves: Moves, care: int) -> int:
    """The planner's move, found with more or less care: QUICK, CAREFUL or THOROUGH."""
    legal(board, v, moves)
    routes = int(board.routes)
    if v.phase == TICKETS_PHASE:
        if care >= CAREFUL:
            return routes + KEEP + compare_tickets(board, v, w, desk, mind, moves)
        return routes + KEEP + pick_tickets(board, v, w, desk, mind)
    if v.phase == PAY:
        return routes + CARD + next_card(board, v, mind)
    think(board, v, w, desk, mind)
    worth_of_cards(v, w, desk, mind)
    if v.phase == TUNNEL:
        return routes + answer_tunnel(board, desk, moves)
    if v.phase == SECOND_CARD:
        return routes + choose_card(board, v, desk, moves)
    return choose_turn(board, v, w, desk, mind, moves, care)


# --- tickets --------------------------------------------------------------------------------------------------------


@kernel
def compare_tickets(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, moves: Moves) -> int:
    """The set of offered tickets to keep: the one whose plan is worth most."""
    me = int(v.me)
    price_routes(board, v, w, mind, desk.fresh)
    best = 0
    most = -FAR
    sets = int(moves.other) >> KEEP
    while sets != 0:
        kept = lowest(sets)
        sets &= sets - 1
        at = 0
        for word in range(TICKET_WORDS):
            desk.chosen[word] = v.held[me, word]
            rest = int(v.offered[word])
            while rest != 0:
                if kept >> at & 1:
                    desk.chosen[word] |= rest & -rest
                rest &= rest - 1
                at += 1
        for route in range(board.routes):
            desk.cost[route] = desk.fresh[route]
        plan_tickets(board, v, w, desk.chosen, desk, mind)
        desk.value[int(board.routes) + KEEP + kept] = mind.worth
        if mind.worth > most:
            most = mind.worth
            best = kept
    mind.trains = NOBODY  # what is in mind now belongs to the last set tried
    mind.tickets[0] = -1
    return best


@kernel
def pick_tickets(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> int:
    """The offered tickets that are worth their way from the plan in mind, one after the other; as many as must be."""
    think(board, v, w, desk, mind)
    price_plan(board, v, w, desk, mind)
    least = keep_least(board, v)
    spare = int(mind.spare)
    turns = horizon(v, w) - mind.turns
    kept = 0
    count = 0
    best_ticket = NOBODY
    while True:
        best = NOBODY
        most = -FAR
        at = 0
        for word in range(TICKET_WORDS):
            rest = int(v.offered[word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                if kept >> at & 1 == 0:
                    value = ticket_value(board, v, w, desk, mind, ticket, spare, turns)
                    if value > most:
                        most = value
                        best = at
                        best_ticket = ticket
                        for city in range(board.cities):
                            desk.best_via[city] = desk.via[city]
                at += 1
        if best == NOBODY or (count >= least and most <= 0):
            break
        kept |= 1 << best
        count += 1
        if most > 0:
            spare -= path_trains(board, desk.cost, desk.best_via, best_ticket)
            turns -= adopt_path(board, v, w, desk, mind, best_ticket)
    mind.tickets[0] = -1  # to be planned for anew
    return kept


@kernel
def ticket_value(
    board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, ticket: int, spare: int, turns: float
) -> float:
    """What one more ticket is worth with so many trains and turns to spare; writes its way into `desk.via`."""
    points = float(board.ticket_points[ticket])
    gain = points + ticket_worth(board, v, w, mind, ticket)
    start = int(board.ticket_city[ticket, 0])
    far = spread(board, desk.cost, start, int(board.ticket_city[ticket, 1]), gain, desk.far, desk.via)
    if far == FAR or path_trains(board, desk.cost, desk.via, ticket) > spare:
        return -points
    asks = path_turns(board, v, w, desk.cost, desk.via, ticket)
    return float(max(-points, gain - far - w.over * max(0.0, asks - max(0.0, turns))))


@kernel
def drawing_value(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> float:
    """What drawing tickets is expected to bring: all tickets not seen are as likely, and those worth it are kept."""
    price_plan(board, v, w, desk, mind)
    turns = horizon(v, w) - mind.turns - 1.0
    count = 0
    for ticket in range(board.tickets):
        word = ticket // TICKET_BITS
        if (v.held[v.me, word] | v.returned[word]) >> (ticket % TICKET_BITS) & 1 == 0:
            value = ticket_value(board, v, w, desk, mind, ticket, int(mind.spare), turns)
            at = count
            while at > 0 and desk.lot[at - 1] > value:
                desk.lot[at] = desk.lot[at - 1]
                at -= 1
            desk.lot[at] = value
            count += 1
    return expected_worth(desk.lot, count, min(int(board.draw_deal), int(v.ticket_deck_size)))


@kernel
def expected_worth(lot: Floats, count: int, drawn: int) -> float:
    """What so many tickets of ``count`` are worth on average, if those worth it are kept, or else the best one.

    ``lot`` is what each is worth, the least first.
    """
    worth = 0.0
    drawn = min(drawn, count)
    odds = float(drawn) / max(1, count)  # that a ticket is drawn
    best = odds  # that it is the best of those drawn
    for at in range(count - 1, -1, -1):
        worth += (odds if lot[at] > 0 else best) * lot[at]
        best *= max(0.0, float(at - drawn + 1)) / max(1, at)
    return worth


@kernel
def price_plan(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> None:
    """Write what each route costs beside the plan in mind, whose own routes cost nothing more."""
    price_routes(board, v, w, mind, desk.cost)
    for word in range(board.words):
        rest = int(mind.plan[word])
        while rest != 0:
            desk.cost[word * ROUTE_BITS + lowest(rest)] = 0.0
            rest &= rest - 1


# --- claims and cards ------------------------------------------------------------------------------------------------


@kernel
def choose_turn(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, moves: Moves, care: int) -> int:
    """Claim, draw cards or draw tickets."""
    me = int(v.me)
    routes = int(board.routes)
    left = horizon(v, w)
    hurry = left < w.hurry
    best = NOBODY
    most = -FAR
    planned = 0
    joined = False
    for word in range(board.words):
        planned |= int(mind.plan[word])
        rest = int(moves.claims[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            in_plan = mind.plan[word] & bit != 0
            is_wise = in_plan or hurry or mind.extra[word] & bit != 0 or is_windfall(board, w, mind, route)
            if not (is_wise or care == THOROUGH):
                continue
            if not joined:
                joined = True
                join_cities(board, v, me, desk.roots)
            value = claim_value(board, v, w, desk, mind, route, hurry)
            if in_plan:
                value += 3.0 + (w.urgent if is_contested(board, mind, route) else 0.0)
            elif not is_wise:
                value += UNWISE
            desk.value[route] = value + CLAIM_BAND
            if value > most:
                most = value
                if value > UNWISE / 2:
                    best = route
                    intend(mind, desk, route)
    other = int(moves.other)
    card = choose_card(board, v, desk, moves)
    if other >> DRAW_TICKETS & 1:
        if care == QUICK:  # a guess, for who has no time to look at every ticket
            wise = planned == 0 and v.trains[me] >= w.tickets_trains and left >= w.tickets_turns
        else:
            wise = best == NOBODY or care == THOROUGH
            wise = wise and drawing_value(board, v, w, desk, mind) + w.tickets >= w.turn + w.busy * mind.turns
        desk.value[routes + DRAW_TICKETS] = TICKET_BAND if wise else 0.0
        if wise and best == NOBODY:
            return routes + DRAW_TICKETS
    if best != NOBODY:
        return best
    if card != NOBODY:
        return routes + card
    for word in range(board.words):
        if moves.claims[word] != 0:
            route = word * ROUTE_BITS + lowest(moves.claims[word])
            best_payment(board, v, desk, route)
            intend(mind, desk, route)
            return int(route)
    desk.value[routes + PASS] = 0.0
    return routes + (DRAW_TICKETS if other >> DRAW_TICKETS & 1 else PASS)


@kernel
def is_windfall(board: BoardStruct, w: Weights, mind: Mind, route: int) -> bool:
    """Whether a route that can be paid for now is worth a turn for its points, and the trains that the plan leaves."""
    if board.route_points[route] < w.windfall or board.route_length[route] > mind.spare:
        return False
    return is_free(board, mind, route)


@kernel
def claim_value(
    board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, route: int, hurry: bool
) -> float:
    """What claiming a route now is worth, UNWISE if it wastes cards; writes its payment."""
    cost = best_payment(board, v, desk, route)
    waste = cost - board.route_length[route]
    value = gain_now(board, v, desk, mind, route)
    if board.route_tunnel[route]:
        value -= w.reserve * tunnel_risk(board, v, desk, route) * 3.0
    if not hurry:
        value -= w.turn * max(0.0, waste) / w.draw
        if waste > w.fair or value < 0:
            value += UNWISE
    return value


@kernel
def intend(mind: Mind, desk: Desk, route: int) -> None:
    """Remember the payment of a route that is about to be claimed."""
    mind.route = route
    for colour in range(CARDS):
        mind.pay[colour] = desk.pay[colour]


@kernel
def gain_now(board: BoardStruct, v: ViewStruct, desk: Desk, mind: Mind, route: int) -> float:
    """Points a claim brings at once, tickets joined by it included; `desk.roots` are the seat's."""
    gain = board.route_points[route] + mind.lure[route]
    a = root_of(desk.roots, int(board.route_city[route, 0]))
    b = root_of(desk.roots, int(board.route_city[route, 1]))
    if a != b:
        for word in range(TICKET_WORDS):
            rest = int(v.held[v.me, word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                c = root_of(desk.roots, int(board.ticket_city[ticket, 0]))
                d = root_of(desk.roots, int(board.ticket_city[ticket, 1]))
                if (c == a and d == b) or (c == b and d == a):
                    gain += 2.0 * board.ticket_points[ticket]
    return float(gain)


@kernel
def tunnel_risk(board: BoardStruct, v: ViewStruct, desk: Desk, route: int) -> float:
    """The chance that a tunnel asks for more than the hand then holds."""
    colour = int(board.route_colour[route])
    if desk.pay[LOCOMOTIVE] == board.route_length[route]:
        colour = LOCOMOTIVE
    elif colour == LOCOMOTIVE:
        for other in range(LOCOMOTIVE):
            if desk.pay[other] > 0:
                colour = other
    left = int(v.hand[v.me, LOCOMOTIVE]) - int(desk.pay[LOCOMOTIVE])
    if colour != LOCOMOTIVE:
        left += int(v.hand[v.me, colour]) - int(desk.pay[colour])
    if left >= board.tunnel_cards:
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
    none = q * q * q  # products: `**` rounds differently in C
    one = 3.0 * p * (q * q)
    two = 3.0 * p * p * q
    if left <= 0:
        return 1.0 - none
    if left == 1:
        return 1.0 - none - one
    return max(0.0, 1.0 - none - one - two)


@kernel
def choose_card(board: BoardStruct, v: ViewStruct, desk: Desk, moves: Moves) -> int:
    """The card to draw: face up what is worth most, or blind."""
    unseen = 0
    total = 0.0
    for colour in range(CARDS):
        count = unseen_of(board, v, colour)
        unseen += count
        total += count * desk.draw[colour]
    blind = total / max(1, unseen)
    routes = int(board.routes)
    best = NOBODY
    most = -FAR
    if int(moves.other) >> BLIND & 1:
        best = BLIND
        most = blind
        desk.value[routes + BLIND] = blind
    for colour in range(CARDS):
        if int(moves.other) >> (TAKE + colour) & 1:
            value = desk.draw[colour]
            if colour == LOCOMOTIVE and board.row_locomotive_alone:
                value -= blind + 0.2
            desk.value[routes + TAKE + colour] = value
            if value > most + 1e-9:
                most = value
                best = TAKE + colour
    return best


@kernel
def unseen_of(board: BoardStruct, v: ViewStruct, colour: int) -> int:
    """Cards of a colour that may still come: in the deck, or in others' hands unknown."""
    count = int(board.card_count[colour]) - int(v.face_up[colour]) - int(v.discard[colour]) - int(v.hand[v.me, colour])
    count -= int(v.laid[colour]) + int(v.revealed[colour])
    for seat in range(v.seats):
        if seat != v.me:
            count -= int(v.known[seat, colour])
    return max(0, count)


@kernel
def next_card(board: BoardStruct, v: ViewStruct, mind: Mind) -> int:
    """The next card of the payment in mind, or the first that may come."""
    choices = int(v.choices)
    if mind.route == v.route:
        if v.set_colour == UNCHOSEN:
            colour = set_for(board, int(v.route), mind.pay)
            if colour != UNCHOSEN and choices >> colour & 1:
                return colour
        else:
            if board.route_wild[v.route] and v.laid[LOCOMOTIVE] < mind.pay[LOCOMOTIVE] and choices >> LOCOMOTIVE & 1:
                return LOCOMOTIVE
            colour = int(v.set_colour)
            if colour != LOCOMOTIVE and v.laid[colour] < mind.pay[colour] and choices >> colour & 1:
                return colour
            for other in range(CARDS):
                if v.laid[other] < mind.pay[other] and choices >> other & 1:
                    return other
    return int(lowest(choices))


@kernel
def answer_tunnel(board: BoardStruct, desk: Desk, moves: Moves) -> int:
    """Pay what the tunnel asks for, with the cards that are worth least, or give it up."""
    best = NOBODY
    least = FAR
    for colour in range(CARDS):
        if int(moves.other) >> (CARD + colour) & 1 and desk.keep[colour] < least:
            least = desk.keep[colour]
            best = colour
    for place in range(CARD, GIVE_UP + 1):
        desk.value[int(board.routes) + place] = 1.0 if place == CARD + best else 0.0
    return GIVE_UP if best == NOBODY else CARD + best


@entry
def forget(mind: Mind) -> None:
    """Make a mind that has not thought yet."""
    mind.trains = NOBODY
    mind.route = NOBODY
    for word in range(TICKET_WORDS):
        mind.tickets[word] = -1


# --- slips ----------------------------------------------------------------------------------------------------------


@kernel
def sort_moves(board: BoardStruct, moves: Moves, value: Floats, best: Int16s, width: int) -> int:
    """Write the moves of a set that are worth most, best first, into ``best``; gives how many, ``width`` at most."""
    count = 0
    for word in range(board.words + 1):
        is_claim = word < board.words
        rest = int(moves.claims[word]) if is_claim else int(moves.other)
        start = word * ROUTE_BITS if is_claim else int(board.routes)
        while rest != 0:
            move = start + lowest(rest)
            rest &= rest - 1
            at = count
            while at > 0 and value[best[at - 1]] < value[move]:
                if at < width:
                    best[at] = best[at - 1]
                at -= 1
            if at < width:
                best[at] = move
                count = min(count + 1, width)
    return count


@entry
def choose_loosely(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    desk: Desk,
    mind: Mind,
    moves: Moves,
    best: Int16s,
    rng: Int64s,
    slip: float,
) -> int:
    """The planner's move or, with the odds of a slip each time, the next best that is not unwise."""
    move = choose(board, v, w, desk, mind, moves, THOROUGH)
    if v.phase in (PAY, TUNNEL):
        return move
    count = sort_moves(board, moves, desk.value, best, WORTH_A_LOOK)
    at = 0
    while at + 1 < count and desk.value[best[at + 1]] > UNWISE / 2:
        rng[0] = advance(rng[0])
        if scaled(rng[0], 1 << 20) >= slip * (1 << 20):
            break
        at += 1
    if at == 0:
        return move
    move = int(best[at])
    if move < board.routes:
        best_payment(board, v, desk, move)
        intend(mind, desk, move)
    return move


# --- for people -----------------------------------------------------------------------------------------------------


def tuned_weights(board: str) -> dict[str, float]:
    """The weights tuned for a board, or those for boards of one's own."""
    text = resources.files("northrail").joinpath("players", "planner.json").read_text("utf-8")
    tuned: dict[str, dict[str, float]] = json.loads(text)["weights"]
    return tuned.get(board, tuned["usual"])


class Weighted:
    """What a planner believes: the tuned weights, changed by those that are given."""

    def __init__(self, **given: float) -> None:
        unknown = set(given) - set(Weights.fields)
        if unknown:
            raise ValueError(f"expected weights among {', '.join(Weights.fields)}, got {', '.join(sorted(unknown))}")
        self._given = given
        self._weights = Weights()
        self._board = ""

    def on(self, board: Board) -> Weights:
        """The weights for a board."""
        if self._board != board.id:
            self._board = board.id
            fill_weights(self._weights, board, self._given)
        return self._weights


def fill_weights(weights: Weights, board: Board, given: dict[str, float]) -> None:
    """Write the weights tuned for a board, changed by those that are given."""
    for name, weight in (tuned_weights(board.id) | given).items():
        setattr(weights, name, weight)


class Planner:
    """Plans for all its tickets at once, counts turns, and keeps its plan until something breaks it.

    ``slip`` is how often it does the next best thing instead of the best, from 0 to 1. ``weights`` are what it
    believes, by the names of `Weights`; those not given are the tuned ones.
    """

    def __init__(self, slip: float = 0.0, **weights: float) -> None:
        if not 0 <= slip < 1:
            raise ValueError(f"slip: expected a number from 0 to below 1, got {slip}")
        self._slip = float(slip)
        self._weights = Weighted(**weights)
        self._mind, self._desk, self._moves = Mind(), Desk(), Moves()
        self._best = np.zeros(WORTH_A_LOOK, np.int16)
        self._rng = np.ones(1, np.int64)
        self._last = LastMove()
        forget(self._mind)

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._rng[0] = seeded(seed)
        self._last.forget()
        forget(self._mind)

    @property
    def reason(self) -> str:
        """A sentence about its last move."""
        return self._last.reason

    def choose(self, view: View) -> int:
        """The number of its move."""
        return self.choose_record(view.board, view.struct)

    def choose_record(self, board: Board, record: ViewStruct) -> int:
        """The number of its move."""
        weights = self._weights.on(board)
        thoughts = board.struct, record, weights, self._desk, self._mind, self._moves
        if self._slip == 0:
            move = choose(*thoughts, CAREFUL)
        else:
            move = choose_loosely(*thoughts, self._best, self._rng, self._slip)
        self._last.keep(board, record, self._mind, move)
        return move
