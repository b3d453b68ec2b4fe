"""Plans as kernels: which routes would join a seat's tickets, what they cost in turns, and what that is worth.

All take the view of the seat that plans. Worth is counted in points; a turn costs `Weights.turn` of them.
"""

from northrail.boards.board import (
    BONUSES,
    CARDS,
    CITIES,
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
    ROUTES,
    TICKET_BITS,
    TICKET_WORDS,
    TICKETS,
    BoardStruct,
)
from northrail.engine.moves import OTHER_MOVES
from northrail.engine.payment import usual_payment
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import ViewStruct
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import kernel
from northrail.kernels.structs import Floats, Int16s, Int64s, Struct, float64, int8, int16, int64

FAR = 1e9
LEAST = 0.3  # what a route costs at least, so that plans stay short


class Weights(Struct):
    """What a planner believes; tuned by self-play."""

    turn = float64()  # points a turn is worth
    draw = float64()  # useful cards drawn in a turn
    hand = float64()  # how much of a colour in hand counts for a route not yet paid for
    symbol = float64()  # cards a locomotive symbol costs that no locomotive in hand pays for
    tunnel = float64()  # cards a tunnel asks for beside its own
    points = float64()  # what a route's own points count while planning for tickets
    pace = float64()  # trains a seat lays in a turn
    over = float64()  # points lost for each turn a plan lasts too long
    ticket = float64()  # points for a completed ticket beside its own
    extra = float64()  # points a turn must bring in to claim a route for points alone
    fair = float64()  # worth of cards a payment may waste
    spare = float64()  # worth of a card that no plan needs
    locomotive = float64()  # worth of a locomotive that no plan needs
    wild = float64()  # worth of a locomotive that stands in for cards the plan lacks
    close = float64()  # more for a card that nearly pays for a route
    urgent = float64()  # points more for claiming a planned route that others may want
    danger = float64()  # points a route costs more to plan if others may want it
    bonus = float64()  # how much of a bonus card's points its first steps are worth
    windfall = float64()  # points a route must bring to be claimed for them alone when it can be paid for now
    tickets = float64()  # points that drawing tickets brings beside the worth of those one would keep
    busy = float64()  # points that drawing tickets costs for each turn the plan asks for
    tickets_trains = float64()  # trains that must be left to draw tickets without a look at each
    tickets_turns = float64()  # and turns
    reserve = float64()  # points a tunnel attempt loses for each card it is likely to ask for and find missing
    hurry = float64()  # turns left when every claim is as good as a planned one


class Mind(Struct):
    """What a seat has in mind; zeros are a mind that has not thought yet."""

    plan = int64(ROUTE_WORDS)  # routes it means to claim for its tickets
    extra = int64(ROUTE_WORDS)  # and for their points
    tickets = int64(TICKET_WORDS)  # the tickets it has planned for
    contested = int64()  # bits of the cities where others own routes
    worth = float64()  # points the plan brings, less what its turns cost
    turns = float64()  # that the plan asks for
    step = float64(BONUSES)  # [bonus card] -> worth of one step towards it
    lure = float64(ROUTES)  # [route] -> worth of its steps towards the bonus cards in play
    want = float64(CARDS)  # [colour] -> cards that plan and extras ask for; LOCOMOTIVE: symbols
    gray = int16()  # the longest set they ask for in any one colour
    wild = int8()  # 1: a locomotive could stand in for a card they ask for
    pay = int8(CARDS)  # the payment of `route`
    route = int16()
    trains = int16()  # this seat's when it last thought
    spare = int16()  # trains the plan leaves


class Desk(Struct):
    """Where a seat thinks: what is here means nothing to the next thought."""

    cost = float64(ROUTES)  # [route] -> points it costs to have; nothing if the seat owns it
    fresh = float64(ROUTES)
    far = float64(CITIES)  # [city] -> cost of the way there
    via = int16(CITIES)  # [city] -> the route by which one comes to it
    best_via = int16(CITIES)
    roots = int8(CITIES)
    needs = float64(ROUTES)  # [route] -> turns it asks for
    gain = float64(ROUTES)  # [route] -> points it brings for each of them
    worthy = int64(ROUTE_WORDS)  # routes that may be claimed for their points
    lot = float64(TICKETS)  # what tickets are worth that may be drawn, the least first
    left = int64(TICKET_WORDS)
    chosen = int64(TICKET_WORDS)
    draw = float64(CARDS)  # [colour] -> worth of one more card
    keep = float64(CARDS)  # [colour] -> worth of one less
    value = float64(ROUTES + OTHER_MOVES)  # [move] -> what it is worth
    pay = int8(CARDS)
    try_pay = int8(CARDS)


# --- what a route costs ---------------------------------------------------------------------------------------------


@kernel
def largest_set(v: ViewStruct) -> int:
    """The most cards of one colour in hand."""
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, int(v.hand[v.me, colour]))
    return most


@kernel
def turns_for(board: BoardStruct, v: ViewStruct, w: Weights, route: int, largest: int) -> float:
    """Turns it takes to collect the cards of a route and claim it; ``largest`` is the `largest_set`."""
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
        missing += w.tunnel
    turns = 1.0 + missing / w.draw
    if board.route_draw[route] > 0:  # rarely, and a division takes as long as all the rest
        turns -= board.route_draw[route] / w.draw
    return turns


@kernel
def routes_gap(board: BoardStruct, v: ViewStruct, card: int) -> int:
    """By how many routes that a bonus card counts this seat is ahead of the best other, or behind."""
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
def feel_lures(board: BoardStruct, v: ViewStruct, w: Weights, mind: Mind) -> None:
    """Write what steps towards the bonus cards are worth: most where the race for a card is close."""
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
    mind.contested = contested
    for route in range(board.routes):
        mind.lure[route] = 0.0
    cards = int(v.bonus_cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        counts = board.bonus_counts[card]
        gap = routes_gap(board, v, card) if counts == COUNT_ROUTES else 0
        step = w.bonus * board.bonus_points[card] / (3.0 + gap)
        mind.step[card] = step
        if counts == COUNT_ROUTES:
            for word in range(board.words):
                rest = int(board.bonus_routes[card, word])
                while rest != 0:
                    mind.lure[word * ROUTE_BITS + lowest(rest)] += step
                    rest &= rest - 1
        elif counts == COUNT_PATH:
            for route in range(board.routes):
                mind.lure[route] += step * 0.2 * board.route_length[route]
        elif counts == COUNT_COUNTRIES:
            for route in range(board.routes):
                for end in range(2):
                    if countries >> int(board.city_country[board.route_city[route, end]]) & 1 == 0:
                        mind.lure[route] += step


@kernel
def ticket_worth(board: BoardStruct, v: ViewStruct, w: Weights, mind: Mind, ticket: int) -> float:
    """What completing a ticket brings beside the points printed on it."""
    worth = float(w.ticket)
    cards = int(v.bonus_cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if board.bonus_counts[card] == COUNT_TICKETS:
            if board.bonus_tickets[card, ticket // TICKET_BITS] >> (ticket % TICKET_BITS) & 1:
                worth += mind.step[card]
    return worth


@kernel
def price_routes(board: BoardStruct, v: ViewStruct, w: Weights, mind: Mind, cost: Floats) -> None:
    """Write what each route costs in points: nothing if it is one's own, FAR if it is closed."""
    feel_lures(board, v, w, mind)
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
            price -= mind.lure[route]
            if is_contested(board, mind, route):
                price += w.danger
            cost[route] = max(LEAST, price)


@kernel
def is_contested(board: BoardStruct, mind: Mind, route: int) -> bool:
    """Whether another seat owns a route at either end."""
    ends = 1 << int(board.route_city[route, 0]) | 1 << int(board.route_city[route, 1])
    return bool(mind.contested & ends != 0)


@kernel
def horizon(v: ViewStruct, w: Weights) -> float:
    """Turns this seat may still have before the game ends."""
    if v.turns_left >= 0:
        return 1.0
    least = 99
    for seat in range(v.seats):
        if seat != v.me:
            least = min(least, int(v.trains[seat]))
    return float(1.0 + max(0, least - 2) / w.pace)


# --- joining tickets ------------------------------------------------------------------------------------------------


@kernel
def spread(board: BoardStruct, cost: Floats, start: int, goal: int, limit: float, far: Floats, via: Int16s) -> float:
    """How far ``goal`` is from ``start``, FAR if more than ``limit``; writes the routes by which one comes there."""
    todo = (1 << int(board.cities)) - 1
    for city in range(board.cities):
        far[city] = FAR
    far[start] = 0.0
    via[start] = NOBODY
    seen = 1 << start
    while True:
        here = NOBODY
        nearest = FAR
        rest = seen & todo
        while rest != 0:
            city = lowest(rest)
            rest &= rest - 1
            if far[city] < nearest:
                nearest = far[city]
                here = city
        if here == NOBODY or nearest > limit:
            return FAR
        if here == goal:
            return nearest
        todo &= ~(1 << here)
        for at in range(board.city_roads[here], board.city_roads[here + 1]):
            route = int(board.city_road[at])
            there = int(board.city_there[at])
            reach = nearest + cost[route]
            if reach < far[there] and reach <= limit:
                far[there] = reach
                via[there] = route
                seen |= 1 << there
                if there == goal:
                    limit = reach  # what is farther can be no part of the way


@kernel
def plan_tickets(board: BoardStruct, v: ViewStruct, w: Weights, tickets: Int64s, desk: Desk, mind: Mind) -> None:
    """Plan routes for these tickets, the cheapest to join first; uses up `desk.cost`."""
    me = int(v.me)
    for word in range(ROUTE_WORDS):
        mind.plan[word] = 0
        mind.extra[word] = 0
    join_cities(board, v, me, desk.roots)
    worth = 0.0
    for word in range(TICKET_WORDS):
        rest = int(tickets[word])
        desk.left[word] = rest
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            a = root_of(desk.roots, int(board.ticket_city[ticket, 0]))
            if a == root_of(desk.roots, int(board.ticket_city[ticket, 1])):
                worth += board.ticket_points[ticket] + ticket_worth(board, v, w, mind, ticket)
                desk.left[word] &= ~bit
    spare = int(v.trains[me])
    turns = 0.0
    while True:
        best = NOBODY
        cheapest = FAR
        for word in range(TICKET_WORDS):
            rest = int(desk.left[word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                start = int(board.ticket_city[ticket, 0])
                goal = int(board.ticket_city[ticket, 1])
                far = spread(board, desk.cost, start, goal, cheapest, desk.far, desk.via)
                if far < cheapest:
                    cheapest = far
                    best = ticket
                    for city in range(board.cities):
                        desk.best_via[city] = desk.via[city]
        if best == NOBODY:
            break
        desk.left[best // TICKET_BITS] &= ~(1 << (best % TICKET_BITS))
        length = path_trains(board, desk.cost, desk.best_via, best)
        gain = board.ticket_points[best] + ticket_worth(board, v, w, mind, best)
        if length > spare or cheapest > gain + board.ticket_points[best]:
            worth -= board.ticket_points[best]
            continue
        spare -= length
        worth += gain - cheapest
        turns += adopt_path(board, v, w, desk, mind, best)
    for word in range(TICKET_WORDS):
        rest = int(desk.left[word])
        while rest != 0:
            worth -= board.ticket_points[word * TICKET_BITS + lowest(rest)]
            rest &= rest - 1
    mind.worth = worth - w.over * max(0.0, turns - horizon(v, w))
    mind.turns = turns
    mind.spare = spare


@kernel
def path_trains(board: BoardStruct, cost: Floats, via: Int16s, ticket: int) -> int:
    """Trains that the path found for a ticket asks for."""
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
    """Turns that it asks for."""
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
def adopt_path(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, ticket: int) -> float:
    """Plan the routes of the path found for a ticket, which then cost no more; gives the turns they ask for."""
    turns = 0.0
    largest = largest_set(v)
    start = int(board.ticket_city[ticket, 0])
    city = int(board.ticket_city[ticket, 1])
    while city != start:
        route = int(desk.best_via[city])
        if desk.cost[route] > 0:
            mind.plan[board.route_word[route]] |= board.route_bit[route]
            turns += turns_for(board, v, w, route, largest)
            desk.cost[route] = 0.0
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    return turns


@kernel
def add_extras(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> None:
    """Choose routes worth their points alone, as far as trains and turns go."""
    trains = int(mind.spare)
    turns = horizon(v, w) - mind.turns
    for word in range(ROUTE_WORDS):
        mind.extra[word] = 0
    if trains <= 0 or turns <= 0:
        return
    find_worthy(board, v, w, desk, mind, trains, turns)
    while trains > 0 and turns > 0:
        best = NOBODY
        most = -FAR
        for word in range(board.words):
            rest = int(desk.worthy[word] & board.fits[min(trains, LENGTH), word])
            while rest != 0:
                route = word * ROUTE_BITS + lowest(rest)
                rest &= rest - 1
                if desk.gain[route] >= most and desk.needs[route] <= turns + 1.0 and is_free(board, mind, route):
                    most = desk.gain[route]
                    best = route
        if best == NOBODY:
            return
        desk.worthy[board.route_word[best]] &= ~board.route_bit[best]
        mind.extra[board.route_word[best]] |= board.route_bit[best]
        trains -= int(board.route_length[best])
        turns -= desk.needs[best]


@kernel
def find_worthy(
    board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind, trains: int, turns: float
) -> None:
    """Write which routes bring enough points for the turns they ask for."""
    largest = largest_set(v)
    for word in range(board.words):
        desk.worthy[word] = 0
        rest = int(v.open[v.me, word] & board.fits[min(trains, LENGTH), word] & ~mind.plan[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            gain = board.route_points[route] + mind.lure[route]
            if gain < w.extra and board.route_draw[route] == 0:  # a turn at least is needed: most are done with here
                continue
            needs = turns_for(board, v, w, route, largest)
            gain = gain / needs if needs > 0.5 else 2.0 * gain
            if gain >= w.extra and needs <= turns + 1.0:
                desk.worthy[word] |= bit
                desk.gain[route] = gain
                desk.needs[route] = needs


@kernel
def is_free(board: BoardStruct, mind: Mind, route: int) -> bool:
    """Whether no route beside it is planned."""
    for at in range(2):
        beside = int(board.route_parallel[route, at])
        if beside != NOBODY:
            word = int(board.route_word[beside])
            if (mind.plan[word] | mind.extra[word]) & board.route_bit[beside] != 0:
                return False
    return True


@kernel
def think(board: BoardStruct, v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> None:
    """Make a plan for the tickets held, unless the one in mind still holds."""
    me = int(v.me)
    lost = False
    less = v.trains[me] != mind.trains
    for word in range(board.words):
        mine = v.owned[me, word]
        mind.plan[word] &= ~mine
        mind.extra[word] &= ~mine
        lost = lost or mind.plan[word] & ~v.open[me, word] != 0
        less = less or mind.extra[word] & ~v.open[me, word] != 0
    for word in range(TICKET_WORDS):
        lost = lost or mind.tickets[word] != v.held[me, word]
    if not lost and less:
        lost = not measure(board, v, w, mind)
    if lost:
        price_routes(board, v, w, mind, desk.cost)
        plan_tickets(board, v, w, v.held[me], desk, mind)
        for word in range(TICKET_WORDS):
            mind.tickets[word] = v.held[me, word]
    if lost or less:
        add_extras(board, v, w, desk, mind)
        list_wants(board, mind)
        mind.trains = v.trains[me]


@kernel
def measure(board: BoardStruct, v: ViewStruct, w: Weights, mind: Mind) -> bool:
    """Count what is left of the plan anew; gives whether the trains suffice for it."""
    spare = int(v.trains[v.me])
    turns = 0.0
    largest = largest_set(v)
    for word in range(board.words):
        rest = int(mind.plan[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            spare -= int(board.route_length[route])
            turns += turns_for(board, v, w, route, largest)
    mind.spare = spare
    mind.turns = turns
    return spare >= 0


# --- cards ----------------------------------------------------------------------------------------------------------


@kernel
def list_wants(board: BoardStruct, mind: Mind) -> None:
    """Write the cards that plan and extras ask for."""
    for colour in range(CARDS):
        mind.want[colour] = 0.0
    gray = 0
    wild = 0
    for word in range(board.words):
        rest = int(mind.plan[word]) | int(mind.extra[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            share = 1.0 if int(mind.plan[word]) & (rest & -rest) != 0 else 0.6
            rest &= rest - 1
            colour = int(board.route_colour[route])
            symbols = int(board.route_symbols[route])
            cards = int(board.route_length[route]) - symbols
            mind.want[LOCOMOTIVE] += symbols * share
            if cards > 0 and board.route_wild[route]:
                wild = 1
            if colour == GRAY:
                gray = max(gray, cards)
            else:
                mind.want[colour] += cards * share
                if board.route_tunnel[route]:
                    mind.want[colour] += 0.5 * share
    mind.gray = gray
    mind.wild = wild


@kernel
def worth_of_cards(v: ViewStruct, w: Weights, desk: Desk, mind: Mind) -> None:
    """Write what one more card of each colour is worth, and what one less would cost."""
    me = int(v.me)
    gray = int(mind.gray)
    spare = NOBODY
    most = -99.0
    for colour in range(LOCOMOTIVE):
        more = v.hand[me, colour] - mind.want[colour]
        if more > most:
            most = more
            spare = colour
    for colour in range(LOCOMOTIVE):
        held = float(v.hand[me, colour])
        lack = mind.want[colour] - held
        draw = float(w.spare)
        keep = float(w.spare)
        if lack > 0:
            draw = 1.0 + w.close / (0.5 + lack)
        if lack >= 0:
            keep = 1.0
        if colour == spare and gray > 0 and most < gray:
            draw = max(draw, 0.8 + w.close / (0.5 + gray - most))
            keep = max(keep, 0.8)
        desk.draw[colour] = draw
        desk.keep[colour] = keep
    value = float(w.wild) if mind.wild else float(w.locomotive)
    if v.hand[me, LOCOMOTIVE] < mind.want[LOCOMOTIVE]:
        value = max(value, float(w.symbol))
    desk.draw[LOCOMOTIVE] = value
    desk.keep[LOCOMOTIVE] = value


@kernel
def best_payment(board: BoardStruct, v: ViewStruct, desk: Desk, route: int) -> float:
    """Write the payment whose cards are worth least into `desk.pay`; gives what they are worth, or FAR."""
    own = int(board.route_colour[route])
    most = 0
    if board.route_wild[route]:
        most = min(int(v.hand[v.me, LOCOMOTIVE]), int(board.route_length[route]))
    best = FAR
    for wild in range(most + 1):
        for colour in range(CARDS):
            if own in (GRAY, colour) and usual_payment(board, v, route, colour, wild, desk.try_pay):
                cost = 0.0
                for other in range(CARDS):
                    cost += desk.try_pay[other] * desk.keep[other]
                if cost < best - 1e-9:
                    best = cost
                    for other in range(CARDS):
                        desk.pay[other] = desk.try_pay[other]
    return best
