"""The planner: completes its tickets with the routes that take the fewest turns, and makes the move worth most."""

import json
from importlib import resources
from typing import Any

from northrail.boards.board import NOBODY, ROUTE_BITS, TICKET_BITS, TICKET_WORDS, Board, BoardStruct
from northrail.engine.moves import CARD, DRAW_TICKETS, KEEP, PASS
from northrail.engine.paths import FAR, find_path
from northrail.engine.rules import keep_least, legal
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import PAY, SECOND_CARD, TICKETS_PHASE, TUNNEL, Moves, ViewStruct
from northrail.engine.view import View
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int16s
from northrail.players.cards import (
    answer_tunnel,
    best_payment,
    choose_card,
    intend,
    next_card,
    tunnel_risk,
    worth_of_cards,
)
from northrail.players.last_move import LastMove
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.plans import (
    adopt_path,
    clear_plan,
    horizon,
    is_contested,
    is_free,
    path_trains,
    path_turns,
    plan_tickets,
    price_routes,
    ticket_worth,
    update_plan,
)

# How much care goes into a move. QUICK keeps its plan from turn to turn, for playouts. CAREFUL plans anew and
# compares every set of offered tickets. THOROUGH also values every legal move.
QUICK, CAREFUL, THOROUGH = range(3)
# Values are points, in bands that set priorities: claims before tickets before cards.
CLAIM_BAND, TICKET_BAND, UNWISE = 100.0, 50.0, -300.0


@entry
def choose(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, moves: Moves, care: int
) -> int:
    """Return the planner's move, found with more or less care: QUICK, CAREFUL or THOROUGH.

    Only QUICK keeps its plan. The others depend on the view alone, except that a claim is paid as planned.
    """
    legal(board, v, moves)
    if care != QUICK and v.phase != PAY:
        clear_plan(plan)
    routes = int(board.routes)
    if v.phase == TICKETS_PHASE:
        if care >= CAREFUL:
            return routes + KEEP + compare_tickets(board, v, w, scratch, plan, moves)
        return routes + KEEP + pick_tickets(board, v, w, scratch, plan)
    if v.phase == PAY:
        return routes + CARD + next_card(board, v, plan)
    update_plan(board, v, w, scratch, plan)
    worth_of_cards(v, w, scratch, plan)
    if v.phase == TUNNEL:
        return routes + answer_tunnel(board, scratch, moves)
    if v.phase == SECOND_CARD:
        return routes + choose_card(board, v, scratch, moves)
    return choose_turn(board, v, w, scratch, plan, moves, care)


# --- tickets --------------------------------------------------------------------------------------------------------


@kernel
def compare_tickets(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, moves: Moves
) -> int:
    """Return the set of offered tickets to keep: the one whose plan is worth most."""
    me = int(v.me)
    price_routes(board, v, w, plan, scratch.fresh)
    best = 0
    most = -FAR
    sets = int(moves.other) >> KEEP
    while sets != 0:
        kept = lowest(sets)
        sets &= sets - 1
        at = 0
        for word in range(TICKET_WORDS):
            scratch.chosen[word] = v.held[me, word]
            rest = int(v.offered[word])
            while rest != 0:
                if kept >> at & 1:
                    scratch.chosen[word] |= rest & -rest
                rest &= rest - 1
                at += 1
        for route in range(board.routes):
            scratch.cost[route] = scratch.fresh[route]
        plan_tickets(board, v, w, scratch.chosen, scratch, plan)
        scratch.value[int(board.routes) + KEEP + kept] = plan.worth
        if plan.worth > most:
            most = plan.worth
            best = kept
    clear_plan(plan)  # it belongs to the last set tried
    return best


@kernel
def pick_tickets(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> int:
    """Pick the offered tickets worth their path on top of the plan, best first; at least as many as the rules say."""
    update_plan(board, v, w, scratch, plan)
    price_plan(board, v, w, scratch, plan)
    least = keep_least(board, v)
    spare = int(plan.spare)
    turns = horizon(board, v, w) - plan.turns
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
                    value = ticket_value(board, v, w, scratch, plan, ticket, spare, turns)
                    if value > most:
                        most = value
                        best = at
                        best_ticket = ticket
                        for city in range(board.cities):
                            scratch.best_via[city] = scratch.via[city]
                at += 1
        if best == NOBODY or (count >= least and most <= 0):
            break
        kept |= 1 << best
        count += 1
        if most > 0:
            spare -= path_trains(board, scratch.cost, scratch.best_via, best_ticket)
            turns -= adopt_path(board, v, w, scratch, plan, best_ticket)
    plan.tickets[0] = -1  # plan for them next time
    return kept


@kernel
def ticket_value(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    scratch: PlanScratch,
    plan: Plan,
    ticket: int,
    spare: int,
    turns: float,
) -> float:
    """Return what one more ticket is worth with these trains and turns to spare; writes its path into `scratch.via`."""
    points = float(board.ticket_points[ticket])
    gain = points + ticket_worth(board, v, w, plan, ticket)
    start = int(board.ticket_city[ticket, 0])
    far = find_path(board, scratch.cost, start, int(board.ticket_city[ticket, 1]), gain, scratch.far, scratch.via)
    if far == FAR or path_trains(board, scratch.cost, scratch.via, ticket) > spare:
        return -points
    asks = path_turns(board, v, w, scratch.cost, scratch.via, ticket)
    return float(max(-points, gain - far - w.over * max(0.0, asks - max(0.0, turns))))


@kernel
def drawing_value(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> float:
    """Return what drawing tickets brings on average: every unseen ticket is equally likely, and good ones are kept."""
    price_plan(board, v, w, scratch, plan)
    turns = horizon(board, v, w) - plan.turns - 1.0
    count = 0
    for ticket in range(board.tickets):
        word = ticket // TICKET_BITS
        if (v.held[v.me, word] | v.returned[word]) >> (ticket % TICKET_BITS) & 1 == 0:
            value = ticket_value(board, v, w, scratch, plan, ticket, int(plan.spare), turns)
            at = count
            while at > 0 and scratch.lot[at - 1] > value:
                scratch.lot[at] = scratch.lot[at - 1]
                at -= 1
            scratch.lot[at] = value
            count += 1
    return expected_worth(scratch.lot, count, min(int(board.draw_deal), int(v.ticket_deck_size)))


@kernel
def expected_worth(lot: Floats, count: int, drawn: int) -> float:
    """Return what ``drawn`` of ``count`` tickets are worth on average if good ones are kept, or else the best one.

    ``lot`` is what each ticket is worth, ascending.
    """
    worth = 0.0
    drawn = min(drawn, count)
    odds = float(drawn) / max(1, count)  # the chance that a ticket is drawn
    best = odds  # the chance that it is the best of those drawn
    for at in range(count - 1, -1, -1):
        worth += (odds if lot[at] > 0 else best) * lot[at]
        best *= max(0.0, float(at - drawn + 1)) / max(1, at)
    return worth


@kernel
def price_plan(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> None:
    """Write what each route costs on top of the plan, whose own routes cost nothing more."""
    price_routes(board, v, w, plan, scratch.cost)
    for word in range(board.words):
        rest = int(plan.routes[word])
        while rest != 0:
            scratch.cost[word * ROUTE_BITS + lowest(rest)] = 0.0
            rest &= rest - 1


# --- turns ----------------------------------------------------------------------------------------------------------


@kernel
def choose_turn(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, moves: Moves, care: int
) -> int:
    """Choose between claiming, drawing cards and drawing tickets."""
    me = int(v.me)
    routes = int(board.routes)
    left = horizon(board, v, w)
    hurry = left < w.hurry
    best = NOBODY
    most = -FAR
    joined = False
    for word in range(board.words):
        rest = int(moves.claims[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            in_plan = plan.routes[word] & bit != 0
            is_wise = in_plan or hurry or plan.extra[word] & bit != 0 or is_windfall(board, w, plan, route)
            if not (is_wise or care == THOROUGH):
                continue
            if not joined:
                joined = True
                join_cities(board, v, me, scratch.roots)
            value = claim_value(board, v, w, scratch, plan, route, hurry)
            if in_plan:
                value += 3.0 + (w.urgent if is_contested(board, plan, route) else 0.0)
            elif not is_wise:
                value += UNWISE
            scratch.value[route] = value + CLAIM_BAND
            if value > most:
                most = value
                if value > UNWISE / 2:
                    best = route
                    intend(plan, scratch, route)
    other = int(moves.other)
    card = choose_card(board, v, scratch, moves)
    if other >> DRAW_TICKETS & 1:
        if care == QUICK:  # a guess: there is no time to look at every ticket
            wise = best == NOBODY and plan.turns <= w.tickets_busy
            wise = wise and plan.spare >= w.tickets_trains and left - plan.turns >= w.tickets_turns
        else:
            wise = best == NOBODY or care == THOROUGH
            wise = wise and drawing_value(board, v, w, scratch, plan) + w.tickets >= w.turn + w.busy * plan.turns
        scratch.value[routes + DRAW_TICKETS] = TICKET_BAND if wise else 0.0
        if wise and best == NOBODY:
            return routes + DRAW_TICKETS
    if best != NOBODY:
        return best
    if card != NOBODY:
        return routes + card
    for word in range(board.words):
        if moves.claims[word] != 0:
            route = word * ROUTE_BITS + lowest(moves.claims[word])
            best_payment(board, v, scratch, route)
            intend(plan, scratch, route)
            return int(route)
    scratch.value[routes + PASS] = 0.0
    return routes + (DRAW_TICKETS if other >> DRAW_TICKETS & 1 else PASS)


@kernel
def is_windfall(board: BoardStruct, w: Weights, plan: Plan, route: int) -> bool:
    """Return whether an affordable route outside the plan is worth a turn and fits into the trains the plan leaves."""
    if board.route_points[route] < w.windfall or board.route_length[route] > plan.spare:
        return False
    return is_free(board, plan, route)


@kernel
def claim_value(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, route: int, hurry: bool
) -> float:
    """Return what claiming a route now is worth, reduced by UNWISE if it wastes cards; writes its payment."""
    cost = best_payment(board, v, scratch, route)
    waste = cost - board.route_length[route]
    value = gain_now(board, v, scratch, plan, route)
    if board.route_tunnel[route]:
        value -= w.reserve * tunnel_risk(board, v, scratch, route) * board.tunnel_cards
    if not hurry:
        value -= w.turn * max(0.0, waste) / w.draw
        if waste > w.fair or value < 0:
            value += UNWISE
    return value


@kernel
def gain_now(board: BoardStruct, v: ViewStruct, scratch: PlanScratch, plan: Plan, route: int) -> float:
    """Return the points a claim brings at once, with the tickets it completes; `scratch.roots` are the seat's."""
    gain = board.route_points[route] + plan.bonus_worth[route]
    a = root_of(scratch.roots, int(board.route_city[route, 0]))
    b = root_of(scratch.roots, int(board.route_city[route, 1]))
    if a != b:
        for word in range(TICKET_WORDS):
            rest = int(v.held[v.me, word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                c = root_of(scratch.roots, int(board.ticket_city[ticket, 0]))
                d = root_of(scratch.roots, int(board.ticket_city[ticket, 1]))
                if (c == a and d == b) or (c == b and d == a):
                    gain += 2.0 * board.ticket_points[ticket]
    return float(gain)


# --- order ----------------------------------------------------------------------------------------------------------


@kernel
def sort_moves(board: BoardStruct, moves: Moves, value: Floats, best: Int16s, width: int) -> int:
    """Write the moves worth most into ``best``, best first; return how many, at most ``width``."""
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


# --- the player -----------------------------------------------------------------------------------------------------


PATIENT, STEADY, PLAYOUTS = KINDS = ("patient", "steady", "playouts")  # of weights: sections of planner.json


def tuned_weights(board: str, kind: str = PATIENT) -> dict[str, float]:
    """Return the weights of a kind tuned for a board; for your own boards, the usual ones.

    Patient weights make the most points among players like themselves. No other weights that we found beat steady ones
    clearly. Those for playouts are the quick planner's, in searches with a network.
    """
    tuned: dict[str, dict[str, dict[str, float]]] = _file()
    patient = tuned[PATIENT]
    return tuned[kind].get(board) or patient.get(board) or patient["usual"]


def _file() -> Any:
    return json.loads(resources.files("northrail").joinpath("players", "planner.json").read_text("utf-8"))


class BoardWeights:
    """A planner's weights: those of a kind tuned for the board, some of them replaced by the given ones."""

    def __init__(self, given: dict[str, float] | None = None, kind: str = PATIENT) -> None:
        given = given or {}
        if kind not in KINDS:
            raise ValueError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
        unknown = set(given) - set(Weights.fields)
        if unknown:
            raise ValueError(f"expected weights among {', '.join(Weights.fields)}, got {', '.join(sorted(unknown))}")
        self._kind, self._given = kind, given
        self._weights = Weights()
        self._board = ""

    def on(self, board: Board) -> Weights:
        """Return the weights for a board."""
        if self._board != board.id:
            self._board = board.id
            fill_weights(self._weights, board, self._given, self._kind)
        return self._weights


def fill_weights(weights: Weights, board: Board, given: dict[str, float], kind: str = PATIENT) -> None:
    """Write the weights of a kind tuned for a board, some of them replaced by the given ones."""
    for name, weight in (tuned_weights(board.id, kind) | given).items():
        setattr(weights, name, weight)


class Planner:
    """Makes a new plan at every turn: for all its tickets at once, counting turns.

    It believes in the tuned weights of a ``kind``; ``weights`` replace some of them, by the names of `Weights`.
    """

    def __init__(self, kind: str = PATIENT, **weights: float) -> None:
        self.last_move: LastMove | None = None
        self._weights = BoardWeights(weights, kind)
        self._plan, self._scratch, self._moves = Plan(), PlanScratch(), Moves()
        clear_plan(self._plan)

    def start(self, _board: Board, _seat: int, _seats: int, _seed: int) -> None:
        """Begin a game."""
        self.last_move = None
        clear_plan(self._plan)

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        weights = self._weights.on(board)
        move = choose(board.struct, view, weights, self._scratch, self._plan, self._moves, CAREFUL)
        self.last_move = LastMove(board, bytes(view), bytes(self._plan), move)
        return move
