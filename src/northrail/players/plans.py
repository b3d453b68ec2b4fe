"""Plans as kernels: which routes would complete a seat's tickets, how many turns they take, and what that is worth.

All of them take the view of the seat that plans. Worth is counted in points; a turn costs `Weights.turn` points.
"""

from northrail.boards.board import (
    COUNT_COUNTRIES,
    COUNT_PATH,
    COUNT_ROUTES,
    COUNT_TICKETS,
    GRAY,
    LENGTH,
    LOCOMOTIVE,
    NOBODY,
    ROUTE_BITS,
    ROUTE_WORDS,
    TICKET_BITS,
    TICKET_WORDS,
    BoardStruct,
)
from northrail.engine.paths import FAR, find_path
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import ViewStruct
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int16s, Int64s
from northrail.players.cards import TUNED_TUNNEL, list_wants
from northrail.players.plan_structs import Plan, PlanScratch, Weights

LEAST = 0.3  # the least a route costs, so that plans stay short


# --- what a route costs ---------------------------------------------------------------------------------------------


@kernel
def largest_set(v: ViewStruct) -> int:
    """Return the number of cards in the largest set of one colour in hand."""
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, int(v.hand[v.me, colour]))
    return most


@kernel
def turns_for(board: BoardStruct, v: ViewStruct, w: Weights, route: int, largest: int) -> float:
    """Return the turns it takes to collect the cards of a route and claim it; ``largest`` is the `largest_set`."""
    me = int(v.me)
    symbols = int(board.route_symbols[route])
    cards = int(board.route_length[route]) - symbols
    colour = int(board.route_colour[route])
    held = largest if colour == GRAY else int(v.hand[me, colour])
    wild = int(v.hand[me, LOCOMOTIVE]) if board.route_wild[route] else 0
    missing = max(0.0, cards - w.hand * min(held, cards)) + w.symbol * max(0.0, symbols - w.hand * wild)
    if symbols == 0 and wild > 0:
        missing = max(0.0, missing - w.hand * wild)
    if board.route_tunnel[route]:
        missing += w.tunnel * (board.tunnel_cards / TUNED_TUNNEL)
    turns = 1.0 + missing / w.draw
    if board.route_draw[route] > 0:  # rare, and a division takes as long as all the rest
        turns -= board.route_draw[route] / w.draw
    return turns


@kernel
def routes_gap(board: BoardStruct, v: ViewStruct, card: int) -> int:
    """Return by how many routes this seat is ahead of or behind the best other seat in the race for a bonus card."""
    mine = 0
    most = 0
    for seat in range(v.seats):
        count = 0
        for word in range(board.words):
            count += popcount(v.owned[seat, word] & board.bonus_routes[card, word])
        if seat == v.me:
            mine = count
        else:
            most = max(most, count)
    return max(mine - most, most - mine)


@kernel
def value_bonuses(board: BoardStruct, v: ViewStruct, w: Weights, plan: Plan) -> None:
    """Write what steps towards the bonus cards are worth, most where the race is close; and where others build."""
    me = int(v.me)
    countries = 0
    contested = 0
    for seat in range(v.seats):
        for word in range(board.words):
            rest = int(v.owned[seat, word])
            while rest != 0:
                route = word * ROUTE_BITS + lowest(rest)
                rest &= rest - 1
                for end in range(2):
                    city = int(board.route_city[route, end])
                    if seat == me:
                        countries |= 1 << int(board.city_country[city])
                    else:
                        contested |= 1 << city
    plan.contested = contested
    for route in range(board.routes):
        plan.bonus_worth[route] = 0.0
    cards = int(v.bonus_cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        counts = board.bonus_counts[card]
        gap = routes_gap(board, v, card) if counts == COUNT_ROUTES else 0
        step = w.bonus * board.bonus_points[card] / (3.0 + gap)
        plan.bonus_step[card] = step
        if counts == COUNT_ROUTES:
            for word in range(board.words):
                rest = int(board.bonus_routes[card, word])
                while rest != 0:
                    plan.bonus_worth[word * ROUTE_BITS + lowest(rest)] += step
                    rest &= rest - 1
        elif counts == COUNT_PATH:
            for route in range(board.routes):
                plan.bonus_worth[route] += step * 0.2 * board.route_length[route]
        elif counts == COUNT_COUNTRIES:
            for route in range(board.routes):
                for end in range(2):
                    if countries >> int(board.city_country[board.route_city[route, end]]) & 1 == 0:
                        plan.bonus_worth[route] += step


@kernel
def ticket_worth(board: BoardStruct, v: ViewStruct, w: Weights, plan: Plan, ticket: int) -> float:
    """Return what completing a ticket brings besides its points."""
    worth = float(w.ticket)
    cards = int(v.bonus_cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if board.bonus_counts[card] == COUNT_TICKETS:
            if board.bonus_tickets[card, ticket // TICKET_BITS] >> (ticket % TICKET_BITS) & 1:
                worth += plan.bonus_step[card]
    return worth


@kernel
def price_routes(board: BoardStruct, v: ViewStruct, w: Weights, plan: Plan, cost: Floats) -> None:
    """Write what each route costs in points: nothing if the seat owns it, FAR if it is closed."""
    value_bonuses(board, v, w, plan)
    me = int(v.me)
    largest = largest_set(v)
    trains = min(int(v.trains[me]), LENGTH)
    for route in range(board.routes):
        word = int(board.route_word[route])
        bit = board.route_bit[route]
        if v.owned[me, word] & bit != 0:
            cost[route] = 0.0
        elif v.open[me, word] & board.fits[trains, word] & bit == 0:
            cost[route] = FAR
        else:
            price = w.turn * turns_for(board, v, w, route, largest) - w.points * board.route_points[route]
            price -= plan.bonus_worth[route]
            if is_contested(board, plan, route):
                price += w.danger
            cost[route] = max(LEAST, price)


@kernel
def is_contested(board: BoardStruct, plan: Plan, route: int) -> bool:
    """Return whether another seat owns a route at either end of this one."""
    ends = 1 << int(board.route_city[route, 0]) | 1 << int(board.route_city[route, 1])
    return bool(plan.contested & ends != 0)


@kernel
def horizon(board: BoardStruct, v: ViewStruct, w: Weights) -> float:
    """Estimate the turns this seat still has before another seat ends the game."""
    if v.turns_left >= 0:
        return 1.0
    least = 99.0
    for seat in range(v.seats):
        if seat != v.me:
            least = min(least, turns_to_end(board, v, w, seat))
    return 1.0 + least


@kernel
def turns_to_end(board: BoardStruct, v: ViewStruct, w: Weights, seat: int) -> float:
    """Estimate how many turns a seat needs to place its trains: at the pace it has shown, and faster with more cards.

    We do not count turns: each claim took one, and so did every two cards.
    """
    rest = float(max(0, int(v.trains[seat]) - int(board.last_round_at)))
    placed = int(board.trains) - int(v.trains[seat])
    turns = 0.5 * max(0, placed + int(v.hand_size[seat]) - int(board.hand))
    for word in range(board.words):
        turns += popcount(v.owned[seat, word])
    pace = (w.pace * w.watch + placed) / (w.watch + turns)
    ready = min(rest, w.stock * v.hand_size[seat])
    return float(ready / w.stride + (rest - ready) / pace)


# --- tickets --------------------------------------------------------------------------------------------------------


@kernel
def plan_tickets(
    board: BoardStruct, v: ViewStruct, w: Weights, tickets: Int64s, scratch: PlanScratch, plan: Plan
) -> None:
    """Plan routes for these tickets, the cheapest ticket first; overwrites `scratch.cost`."""
    me = int(v.me)
    for word in range(ROUTE_WORDS):
        plan.routes[word] = 0
        plan.extra[word] = 0
    join_cities(board, v, me, scratch.roots)
    worth = 0.0
    for word in range(TICKET_WORDS):
        rest = int(tickets[word])
        scratch.left[word] = rest
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            a = root_of(scratch.roots, int(board.ticket_city[ticket, 0]))
            if a == root_of(scratch.roots, int(board.ticket_city[ticket, 1])):
                worth += board.ticket_points[ticket] + ticket_worth(board, v, w, plan, ticket)
                scratch.left[word] &= ~bit
    spare = int(v.trains[me])
    turns = 0.0
    while True:
        best = NOBODY
        cheapest = FAR
        for word in range(TICKET_WORDS):
            rest = int(scratch.left[word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                start = int(board.ticket_city[ticket, 0])
                goal = int(board.ticket_city[ticket, 1])
                far = find_path(board, scratch.cost, start, goal, cheapest, scratch.far, scratch.via)
                if far < cheapest:
                    cheapest = far
                    best = ticket
                    for city in range(board.cities):
                        scratch.best_via[city] = scratch.via[city]
        if best == NOBODY:
            break
        scratch.left[best // TICKET_BITS] &= ~(1 << (best % TICKET_BITS))
        length = path_trains(board, scratch.cost, scratch.best_via, best)
        gain = board.ticket_points[best] + ticket_worth(board, v, w, plan, best)
        if length > spare or cheapest > gain + board.ticket_points[best]:
            worth -= board.ticket_points[best]
            continue
        spare -= length
        worth += gain - cheapest
        turns += adopt_path(board, v, w, scratch, plan, best)
    for word in range(TICKET_WORDS):
        rest = int(scratch.left[word])
        while rest != 0:
            worth -= board.ticket_points[word * TICKET_BITS + lowest(rest)]
            rest &= rest - 1
    plan.worth = worth - w.over * max(0.0, turns - horizon(board, v, w))
    plan.turns = turns
    plan.spare = spare


@kernel
def path_trains(board: BoardStruct, cost: Floats, via: Int16s, ticket: int) -> int:
    """Count the trains that the path found for a ticket needs."""
    trains = 0
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(via[city])
        if cost[route] > 0:
            trains += int(board.route_length[route])
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return trains


@kernel
def path_turns(board: BoardStruct, v: ViewStruct, w: Weights, cost: Floats, via: Int16s, ticket: int) -> float:
    """Count the turns that the path found for a ticket needs."""
    turns = 0.0
    largest = largest_set(v)
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(via[city])
        if cost[route] > 0:
            turns += turns_for(board, v, w, route, largest)
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return turns


@kernel
def adopt_path(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, ticket: int) -> float:
    """Add the path found for a ticket to the plan, so that it costs nothing more; return the turns it needs."""
    turns = 0.0
    largest = largest_set(v)
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(scratch.best_via[city])
        if scratch.cost[route] > 0:
            plan.routes[board.route_word[route]] |= board.route_bit[route]
            turns += turns_for(board, v, w, route, largest)
            scratch.cost[route] = 0.0
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return turns


# --- routes for their points ----------------------------------------------------------------------------------------


@kernel
def add_extras(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> None:
    """Choose routes worth claiming for their points alone, as far as trains and turns go."""
    trains = int(plan.spare)
    turns = horizon(board, v, w) - plan.turns
    for word in range(ROUTE_WORDS):
        plan.extra[word] = 0
    if trains <= 0 or turns <= 0:
        return
    find_worthy(board, v, w, scratch, plan, trains, turns)
    while trains > 0 and turns > 0:
        best = NOBODY
        most = -FAR
        for word in range(board.words):
            rest = int(scratch.worthy[word] & board.fits[min(trains, LENGTH), word])
            while rest != 0:
                route = word * ROUTE_BITS + lowest(rest)
                rest &= rest - 1
                if scratch.gain[route] >= most and scratch.needs[route] <= turns + 1.0 and is_free(board, plan, route):
                    most = scratch.gain[route]
                    best = route
        if best == NOBODY:
            return
        scratch.worthy[board.route_word[best]] &= ~board.route_bit[best]
        plan.extra[board.route_word[best]] |= board.route_bit[best]
        trains -= int(board.route_length[best])
        turns -= scratch.needs[best]


@kernel
def find_worthy(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, trains: int, turns: float
) -> None:
    """Write which routes bring enough points for the turns they need."""
    largest = largest_set(v)
    for word in range(board.words):
        scratch.worthy[word] = 0
        rest = int(v.open[v.me, word] & board.fits[min(trains, LENGTH), word] & ~plan.routes[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            gain = board.route_points[route] + plan.bonus_worth[route]
            if gain < w.extra and board.route_draw[route] == 0:  # it takes a turn at least, so most routes fail here
                continue
            needs = turns_for(board, v, w, route, largest)
            gain = gain / needs if needs > 0.5 else 2.0 * gain
            if gain >= w.extra and needs <= turns + 1.0:
                scratch.worthy[word] |= bit
                scratch.gain[route] = gain
                scratch.needs[route] = needs


@kernel
def is_free(board: BoardStruct, plan: Plan, route: int) -> bool:
    """Return whether no parallel route is planned."""
    for at in range(2):
        beside = int(board.route_parallel[route, at])
        if beside != NOBODY:
            word = int(board.route_word[beside])
            if (plan.routes[word] | plan.extra[word]) & board.route_bit[beside] != 0:
                return False
    return True


# --- the whole plan -------------------------------------------------------------------------------------------------


@entry
def clear_plan(plan: Plan) -> None:
    """Make an empty plan."""
    plan.trains = NOBODY
    plan.route = NOBODY
    for word in range(TICKET_WORDS):
        plan.tickets[word] = -1


@kernel
def update_plan(board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan) -> None:
    """Plan for the tickets held, unless the plan from an earlier turn still works."""
    me = int(v.me)
    lost = False
    less = v.trains[me] != plan.trains
    for word in range(board.words):
        mine = v.owned[me, word]
        plan.routes[word] &= ~mine
        plan.extra[word] &= ~mine
        lost = lost or plan.routes[word] & ~v.open[me, word] != 0
        less = less or plan.extra[word] & ~v.open[me, word] != 0
    for word in range(TICKET_WORDS):
        lost = lost or plan.tickets[word] != v.held[me, word]
    if not lost and less:
        lost = not measure(board, v, w, plan)
    if lost:
        price_routes(board, v, w, plan, scratch.cost)
        plan_tickets(board, v, w, v.held[me], scratch, plan)
        for word in range(TICKET_WORDS):
            plan.tickets[word] = v.held[me, word]
    if lost or less:
        add_extras(board, v, w, scratch, plan)
        list_wants(board, plan)
        plan.trains = v.trains[me]


@kernel
def measure(board: BoardStruct, v: ViewStruct, w: Weights, plan: Plan) -> bool:
    """Recount the trains and turns that the plan needs; return whether the trains suffice."""
    spare = int(v.trains[v.me])
    turns = 0.0
    largest = largest_set(v)
    for word in range(board.words):
        rest = int(plan.routes[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            spare -= int(board.route_length[route])
            turns += turns_for(board, v, w, route, largest)
    plan.spare = spare
    plan.turns = turns
    return spare >= 0
