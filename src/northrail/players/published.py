"""Four published agents, rebuilt from their descriptions as yardsticks: path, one-step, long-route and hungry.

Each assigns every route a value. The rest is the same for all: claim the affordable route with the highest value, or
draw cards for the route with the highest value.
"""

from northrail.boards.board import (
    CARDS,
    GRAY,
    LENGTH,
    LOCOMOTIVE,
    NOBODY,
    ROUTE_BITS,
    TICKET_BITS,
    TICKET_WORDS,
    Board,
    BoardStruct,
)
from northrail.engine.moves import BLIND, CARD, DRAW_TICKETS, GIVE_UP, KEEP, PASS, TAKE
from northrail.engine.paths import FAR, find_path
from northrail.engine.rules import legal
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import NOT_YET, PAY, SECOND_CARD, TICKETS_PHASE, TUNNEL, Moves, ViewStruct
from northrail.engine.view import View
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int64s
from northrail.players.cards import best_payment, intend, next_card
from northrail.players.plan_structs import Plan, PlanScratch
from northrail.players.plans import clear_plan

AGENTS = ("path", "one-step", "long-route", "hungry")
PATH, ONE_STEP, LONG_ROUTE, HUNGRY = range(4)
SPARE_TRAINS = 5  # hungry keeps tickets whose plan leaves this many
MANY_TRAINS = 8  # agents draw tickets only while this many are left


@kernel
def lengths_of(board: BoardStruct, v: ViewStruct, shortest: int, cost: Floats) -> None:
    """Write each route's length as its cost: 0 for own routes, FAR for closed ones and those below ``shortest``."""
    me = int(v.me)
    trains = min(int(v.trains[me]), LENGTH)
    for route in range(board.routes):
        word = int(board.route_word[route])
        bit = board.route_bit[route]
        cost[route] = FAR
        if v.owned[me, word] & bit != 0:
            cost[route] = 0.0
        elif v.open[me, word] & board.fits[trains, word] & bit != 0 and board.route_length[route] >= shortest:
            cost[route] = float(board.route_length[route])


@kernel
def add_path(board: BoardStruct, scratch: PlanScratch, ticket: int, worth: float) -> float:
    """Raise the value of the routes to claim on a ticket's path by ``worth``; return the trains they need."""
    trains = 0.0
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(scratch.via[city])
        if scratch.cost[route] > 0:
            scratch.value[route] += worth + board.route_points[route] * (scratch.value[route] == 0)
            trains += scratch.cost[route]
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return trains


@kernel
def value_routes(board: BoardStruct, v: ViewStruct, agent: int, tickets: Int64s, scratch: PlanScratch) -> float:
    """Write what each route is worth to the agent; return the trains its plan needs."""
    value = scratch.value
    for route in range(board.routes):
        value[route] = 0.0
    join_cities(board, v, int(v.me), scratch.roots)
    lengths_of(board, v, 3 if agent == LONG_ROUTE else 1, scratch.cost)
    trains = 0.0
    most = 0
    for word in range(TICKET_WORDS):
        rest = int(tickets[word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            rest &= rest - 1
            a, b = int(board.ticket_city[ticket, 0]), int(board.ticket_city[ticket, 1])
            if root_of(scratch.roots, a) == root_of(scratch.roots, b):
                continue
            left = v.trains[v.me] - (trains if agent == HUNGRY else 0.0)
            if find_path(board, scratch.cost, a, b, left, scratch.far, scratch.via) == FAR:
                continue
            points = int(board.ticket_points[ticket])
            if agent in (ONE_STEP, LONG_ROUTE):
                if points > most:  # only the most valuable ticket
                    most = points
                    for route in range(board.routes):
                        value[route] = 0.0
                    trains = add_path(board, scratch, ticket, 1.0)
            else:
                trains += add_path(board, scratch, ticket, 2.0 * points)
                if agent == HUNGRY:  # planned routes are free for the next ticket
                    for route in range(board.routes):
                        if value[route] > 0:
                            scratch.cost[route] = 0.0
    return trains


@kernel
def keep_best(board: BoardStruct, v: ViewStruct, agent: int, scratch: PlanScratch, moves: Moves) -> int:
    """Return the set of tickets to keep: all of them; for hungry, the set that earns most per train."""
    sets = int(moves.other) >> KEEP
    every = 0
    for kept in range(32):
        if sets >> kept & 1:
            every = kept
    if agent != HUNGRY:
        return every
    best = NOBODY
    most = -FAR
    fewest = lowest(sets)
    least_trains = FAR
    for kept in range(32):
        if not sets >> kept & 1:
            continue
        for word in range(TICKET_WORDS):
            scratch.chosen[word] = v.held[v.me, word]
        points = 0.0
        at = 0
        for word in range(TICKET_WORDS):
            rest = int(v.offered[word])
            while rest != 0:
                if kept >> at & 1:
                    scratch.chosen[word] |= rest & -rest
                    points += board.ticket_points[word * TICKET_BITS + lowest(rest)]
                rest &= rest - 1
                at += 1
        trains = value_routes(board, v, HUNGRY, scratch.chosen, scratch)
        for route in range(board.routes):
            if scratch.value[route] > 0:
                points += board.route_points[route]
        if trains < least_trains:
            least_trains = trains
            fewest = kept
        if trains <= v.trains[v.me] - SPARE_TRAINS and points / max(1.0, trains) > most:
            most = points / max(1.0, trains)
            best = kept
    return fewest if best == NOBODY else best


@kernel
def card_for(board: BoardStruct, v: ViewStruct, moves: Moves, route: int) -> int:
    """Return the card to draw for a route: a face-up one that helps, or blind."""
    other = int(moves.other)
    me = int(v.me)
    if route != NOBODY:
        colour = int(board.route_colour[route])
        if colour != GRAY:
            if other >> (TAKE + colour) & 1 and v.hand[me, colour] < board.route_length[route]:
                return TAKE + colour
        else:
            best = NOBODY
            for face in range(LOCOMOTIVE):
                if other >> (TAKE + face) & 1 and (best == NOBODY or v.hand[me, face] > v.hand[me, best]):
                    best = face
            if best != NOBODY:
                return TAKE + best
        if board.route_wild[route] and other >> (TAKE + LOCOMOTIVE) & 1:
            return TAKE + LOCOMOTIVE
    if other >> BLIND & 1:
        return BLIND
    for face in range(CARDS):
        if other >> (TAKE + face) & 1:
            return TAKE + face
    return NOBODY


@kernel
def draws_tickets(v: ViewStruct, agent: int, trains: float) -> bool:
    """Return whether the agent wants more tickets; ``trains`` are those its plan needs."""
    if v.turns_left != NOT_YET or agent in (PATH, LONG_ROUTE):
        return False
    if agent == HUNGRY:
        return bool(v.trains[v.me] - trains > MANY_TRAINS)
    least = 99
    for seat in range(v.seats):
        least = min(least, int(v.trains[seat]))
    return trains == 0 and least >= MANY_TRAINS


@entry
def choose_published(
    board: BoardStruct, v: ViewStruct, agent: int, scratch: PlanScratch, plan: Plan, moves: Moves
) -> int:
    """Return the agent's move."""
    legal(board, v, moves)
    routes = int(board.routes)
    other = int(moves.other)
    me = int(v.me)
    if v.phase == TICKETS_PHASE:
        return routes + KEEP + keep_best(board, v, agent, scratch, moves)
    if v.phase == PAY:
        return routes + CARD + next_card(board, v, plan)
    if v.phase == TUNNEL:
        for colour in range(CARDS):
            if other >> (CARD + colour) & 1:
                return routes + CARD + colour
        return routes + GIVE_UP
    value = scratch.value
    trains = value_routes(board, v, agent, v.held[me], scratch)
    if trains == 0:  # all tickets are done: any route for its points
        for route in range(board.routes):
            if v.open[me, board.route_word[route]] & board.route_bit[route] != 0:
                value[route] = float(board.route_points[route]) * (board.route_length[route] <= v.trains[me])
    best = NOBODY
    target = NOBODY
    for route in range(board.routes):
        if value[route] > 0:
            if target == NOBODY or value[route] > value[target]:
                target = route
            if moves.claims[board.route_word[route]] & board.route_bit[route] != 0:
                if best == NOBODY or value[route] > value[best]:
                    best = route
    if v.phase == SECOND_CARD:
        return routes + card_for(board, v, moves, target)
    if best != NOBODY:
        for colour in range(CARDS):
            scratch.keep[colour] = 1.5 if colour == LOCOMOTIVE else 1.0
        best_payment(board, v, scratch, best)
        intend(plan, scratch, best)
        return best
    if other >> DRAW_TICKETS & 1 and draws_tickets(v, agent, trains):
        return routes + DRAW_TICKETS
    card = card_for(board, v, moves, target)
    if card != NOBODY:
        return routes + card
    for word in range(board.words):
        if moves.claims[word] != 0:
            plan.route = NOBODY
            return int(word * ROUTE_BITS + lowest(moves.claims[word]))
    return routes + (DRAW_TICKETS if other >> DRAW_TICKETS & 1 else PASS)


class Published:
    """One of the published agents, chosen by its name."""

    def __init__(self, agent: str) -> None:
        self._agent = AGENTS.index(agent)
        self._plan, self._scratch, self._moves = Plan(), PlanScratch(), Moves()
        clear_plan(self._plan)

    def start(self, _board: Board, _seat: int, _seats: int, _seed: int) -> None:
        """Begin a game."""
        clear_plan(self._plan)

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        return choose_published(board.struct, view, self._agent, self._scratch, self._plan, self._moves)
