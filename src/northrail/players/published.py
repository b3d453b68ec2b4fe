"""Four published agents, made again from their descriptions, as yardsticks: path, one-step, long-route and hungry.

Each says what every route is worth to it; what follows is the same for all: claim the claimable route that is worth
most, or draw cards for the route that is worth most.
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
from northrail.engine.rules import legal
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import NOT_YET, PAY, SECOND_CARD, TICKETS_PHASE, TUNNEL, Moves, ViewStruct
from northrail.engine.view import View
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int64s
from northrail.players.planner import intend, next_card
from northrail.players.plans import FAR, Desk, Mind, best_payment, spread

AGENTS = ("path", "one-step", "long-route", "hungry")
PATH, ONE_STEP, LONG_ROUTE, HUNGRY = range(4)
SPARE_TRAINS = 5  # hungry keeps tickets whose plan leaves so many
MANY_TRAINS = 8  # tickets are drawn only while so many are left


@kernel
def lengths_of(board: BoardStruct, v: ViewStruct, shortest: int, cost: Floats) -> None:
    """Write each route's length as its cost: nothing for own ones, FAR for closed and for too short ones."""
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
def add_path(board: BoardStruct, desk: Desk, ticket: int, worth: float) -> float:
    """Raise the value of the routes to be claimed on a ticket's path by ``worth``; gives the trains they ask for."""
    trains = 0.0
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(desk.via[city])
        if desk.cost[route] > 0:
            desk.value[route] += worth + board.route_points[route] * (desk.value[route] == 0)
            trains += desk.cost[route]
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return trains


@kernel
def value_routes(board: BoardStruct, v: ViewStruct, agent: int, tickets: Int64s, desk: Desk) -> float:
    """Write what each route is worth to the agent; gives the trains its plan asks for."""
    value = desk.value
    for route in range(board.routes):
        value[route] = 0.0
    join_cities(board, v, int(v.me), desk.roots)
    lengths_of(board, v, 3 if agent == LONG_ROUTE else 1, desk.cost)
    trains = 0.0
    most = 0
    for word in range(TICKET_WORDS):
        rest = int(tickets[word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            rest &= rest - 1
            a, b = int(board.ticket_city[ticket, 0]), int(board.ticket_city[ticket, 1])
            if root_of(desk.roots, a) == root_of(desk.roots, b):
                continue
            left = v.trains[v.me] - (trains if agent == HUNGRY else 0.0)
            if spread(board, desk.cost, a, b, left, desk.far, desk.via) == FAR:
                continue
            points = int(board.ticket_points[ticket])
            if agent in (ONE_STEP, LONG_ROUTE):
                if points > most:  # the most valuable ticket alone
                    most = points
                    for route in range(board.routes):
                        value[route] = 0.0
                    trains = add_path(board, desk, ticket, 1.0)
            else:
                trains += add_path(board, desk, ticket, 2.0 * points)
                if agent == HUNGRY:  # what is planned already is free for the next ticket
                    for route in range(board.routes):
                        if value[route] > 0:
                            desk.cost[route] = 0.0
    return trains


@kernel
def keep_best(board: BoardStruct, v: ViewStruct, agent: int, desk: Desk, moves: Moves) -> int:
    """The set of tickets to keep: all of them, or for hungry the set that earns most for each train."""
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
            desk.chosen[word] = v.held[v.me, word]
        points = 0.0
        at = 0
        for word in range(TICKET_WORDS):
            rest = int(v.offered[word])
            while rest != 0:
                if kept >> at & 1:
                    desk.chosen[word] |= rest & -rest
                    points += board.ticket_points[word * TICKET_BITS + lowest(rest)]
                rest &= rest - 1
                at += 1
        trains = value_routes(board, v, HUNGRY, desk.chosen, desk)
        for route in range(board.routes):
            if desk.value[route] > 0:
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
    """The card to draw for a route: face up if it helps, or blind."""
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
    """Whether the agent wants more tickets; ``trains`` are what its plan asks for."""
    if v.turns_left != NOT_YET or agent in (PATH, LONG_ROUTE):
        return False
    if agent == HUNGRY:
        return bool(v.trains[v.me] - trains > MANY_TRAINS)
    least = 99
    for seat in range(v.seats):
        least = min(least, int(v.trains[seat]))
    return trains == 0 and least >= MANY_TRAINS


@entry
def choose_published(board: BoardStruct, v: ViewStruct, agent: int, desk: Desk, mind: Mind, moves: Moves) -> int:
    """The agent's move."""
    legal(board, v, moves)
    routes = int(board.routes)
    other = int(moves.other)
    me = int(v.me)
    if v.phase == TICKETS_PHASE:
        return routes + KEEP + keep_best(board, v, agent, desk, moves)
    if v.phase == PAY:
        return routes + CARD + next_card(board, v, mind)
    if v.phase == TUNNEL:
        for colour in range(CARDS):
            if other >> (CARD + colour) & 1:
                return routes + CARD + colour
        return routes + GIVE_UP
    value = desk.value
    trains = value_routes(board, v, agent, v.held[me], desk)
    if trains == 0:  # nothing left to join: whatever brings points
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
            desk.keep[colour] = 1.5 if colour == LOCOMOTIVE else 1.0
        best_payment(board, v, desk, best)
        intend(mind, desk, best)
        return best
    if other >> DRAW_TICKETS & 1 and draws_tickets(v, agent, trains):
        return routes + DRAW_TICKETS
    card = card_for(board, v, moves, target)
    if card != NOBODY:
        return routes + card
    for word in range(board.words):
        if moves.claims[word] != 0:
            mind.route = NOBODY
            return int(word * ROUTE_BITS + lowest(moves.claims[word]))
    return routes + (DRAW_TICKETS if other >> DRAW_TICKETS & 1 else PASS)


class Published:
    """One of the published agents, by its name."""

    def __init__(self, agent: str) -> None:
        self._agent = AGENTS.index(agent)
        self._mind, self._desk, self._moves = Mind(), Desk(), Moves()

    def start(self, _board: Board, _seat: int, _seats: int, _seed: int) -> None:
        """Begin a game."""
        self._mind.route = NOBODY

    def choose(self, view: View) -> int:
        """The number of its move."""
        return self.choose_record(view.board, view.struct)

    def choose_record(self, board: Board, record: ViewStruct) -> int:
        """The number of its move."""
        return choose_published(board.struct, record, self._agent, self._desk, self._mind, self._moves)
