"""Kernels for the final scores: completed tickets, the longest path, bonus cards, the winners."""

from northrail.boards.board import (
    CITIES,
    COUNT_COUNTRIES,
    COUNT_LOCOMOTIVES,
    COUNT_PATH,
    COUNT_ROUTES,
    COUNT_TICKETS,
    COUNT_TRAINS,
    LOCOMOTIVE,
    MOST_TRAINS,
    NOBODY,
    ROUTE_BITS,
    SEATS,
    TICKET_BITS,
    TICKET_WORDS,
    TIE_PATH,
    TIE_TICKETS,
    BoardStruct,
)
from northrail.engine.state import LOW, State, StateOrView, mixed
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Int8s, Int16s, Int64s, Struct, int8, int16, int64

BEEN = 1024  # how many situations the search for the longest path remembers


class ScoreTable(Struct):
    """The final scores."""

    routes = int16(SEATS)  # [seat] -> points for routes
    tickets = int16(SEATS)
    bonuses = int16(SEATS)
    total = int16(SEATS)
    completed = int16(SEATS)  # number of completed tickets
    won = int16(SEATS)  # bits of the bonus cards won
    longest = int16(SEATS)  # trains on the longest path; 0 where `score` did not search for it
    winner = int8(SEATS)  # 1 for each winner


class Network(Struct):
    """One seat's routes, numbered for the search for its longest path."""

    at_city = int64(CITIES)  # [city] -> bits of the seat's routes there
    ends = int8(MOST_TRAINS, 2)  # [route] -> its two cities
    lengths = int8(MOST_TRAINS)


@kernel
def root_of(roots: Int8s, city: int) -> int:
    """Return the city that represents all cities connected to ``city``."""
    while roots[city] != city:
        roots[city] = roots[roots[city]]
        city = int(roots[city])
    return city


@kernel
def join_cities(board: BoardStruct, s: StateOrView, seat: int, roots: Int8s) -> None:
    """Fill ``roots`` so that cities connected by the seat's routes have the same root."""
    for city in range(board.cities):
        roots[city] = city
    for word in range(board.words):
        rest = int(s.owned[seat, word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            a = root_of(roots, int(board.route_city[route, 0]))
            b = root_of(roots, int(board.route_city[route, 1]))
            roots[a] = b


@entry
def completed_tickets(board: BoardStruct, s: StateOrView, seat: int, roots: Int8s, done: Int64s) -> int:
    """Write bits of the seat's completed tickets into ``done``; return the points of all its tickets."""
    join_cities(board, s, seat, roots)
    points = 0
    for word in range(TICKET_WORDS):
        done[word] = 0
        rest = int(s.held[seat, word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            a = root_of(roots, int(board.ticket_city[ticket, 0]))
            if a == root_of(roots, int(board.ticket_city[ticket, 1])):
                done[word] |= bit
                points += int(board.ticket_points[ticket])
            else:
                points -= int(board.ticket_points[ticket])
    return points


# --- the longest path -----------------------------------------------------------------------------------------------


@entry
def longest_path(board: BoardStruct, s: StateOrView, seat: int) -> int:
    """Return the length of the seat's longest continuous path in trains; it may repeat cities but not routes.

    Call a city odd if an odd number of the seat's routes meet there. A longest path cannot be extended, so it starts
    at an odd city, or it is a loop over every route it can reach. We search depth first from each odd city. A branch
    stops if `path_bound` shows that it cannot beat the best path, or if the search was here before with the same
    routes left.
    """
    net = Network()
    count = 0
    for word in range(board.words):
        rest = int(s.owned[seat, word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            net.lengths[count] = board.route_length[route]
            for end in range(2):
                city = int(board.route_city[route, end])
                net.ends[count, end] = city
                net.at_city[city] |= 1 << count
            count += 1
    best = 0
    cities = int8.empty(MOST_TRAINS + 1)
    untried = int64.empty(MOST_TRAINS + 1)
    unused = int64.empty(MOST_TRAINS + 1)
    length = int64.empty(MOST_TRAINS + 1)
    been = int64.empty(BEEN)  # [hash] -> the routes that were left when the search was in `been_city`
    been_city = int8.empty(BEEN)
    for place in range(BEEN):
        been[place] = -1
    every = (1 << count) - 1
    for start in range(board.cities):
        if net.at_city[start] == 0:
            continue
        bound = path_bound(start, every, net)
        if popcount(net.at_city[start]) & 1 == 0:
            # An even city is worth starting from only if no reachable city is odd. Then one loop takes every route.
            if is_round(start, net):
                best = max(best, bound)
            continue
        depth = 0
        cities[0] = start
        unused[0] = every
        length[0] = 0
        untried[0] = net.at_city[start] if bound > best else 0
        while depth >= 0:
            if untried[depth] == 0:
                depth -= 1
                continue
            edge = lowest(untried[depth])
            untried[depth] &= untried[depth] - 1
            city = int(net.ends[edge, 0]) + int(net.ends[edge, 1]) - int(cities[depth])
            so_far = length[depth] + int(net.lengths[edge])
            left = unused[depth] & ~(1 << edge)
            best = max(best, so_far)
            place = mixed((left & LOW) * 31 + (left >> 32) + city * 0x9E3779B) % BEEN
            if been[place] == left and been_city[place] == city:
                continue
            been[place] = left
            been_city[place] = city
            if so_far + path_bound(city, left, net) > best:
                depth += 1
                cities[depth] = city
                unused[depth] = left
                length[depth] = so_far
                untried[depth] = net.at_city[city] & left
    return best


@kernel
def is_round(start: int, net: Network) -> bool:
    """Return whether an even number of routes meet in every city that can be reached."""
    reached = 1 << start
    frontier = reached
    while frontier != 0:
        city = lowest(frontier)
        frontier &= frontier - 1
        rest = int(net.at_city[city])
        if popcount(rest) & 1 == 1:
            return False
        while rest != 0:
            edge = lowest(rest)
            rest &= rest - 1
            other = 1 << (int(net.ends[edge, 0]) + int(net.ends[edge, 1]) - city)
            frontier |= other & ~reached
            reached |= other
    return True


@kernel
def path_bound(start: int, unused: int, net: Network) -> int:
    """Return an upper bound for the length of a path from ``start`` over unused routes.

    On a path, only the two ends can be odd. So at every other odd city, the path leaves out at least the shortest
    route there. One left-out route can serve two cities, so we subtract half the sum.
    """
    reached = 1 << start
    frontier = 1 << start
    total = 0
    shortest_sum = 0
    shortest_most = 0
    odd = 0
    start_odd = False
    start_shortest = 0
    while frontier != 0:
        city = lowest(frontier)
        frontier &= frontier - 1
        rest = int(net.at_city[city] & unused)
        is_odd = popcount(rest) & 1 == 1
        shortest = 127
        while rest != 0:
            edge = lowest(rest)
            rest &= rest - 1
            shortest = min(shortest, int(net.lengths[edge]))
            total += int(net.lengths[edge])  # each route counts twice, once from each end
            other = 1 << (int(net.ends[edge, 0]) + int(net.ends[edge, 1]) - city)
            frontier |= other & ~reached
            reached |= other
        if city == start:
            start_odd = is_odd
            start_shortest = shortest
        elif is_odd:
            odd += 1
            shortest_sum += shortest
            shortest_most = max(shortest_most, shortest)
    if odd > 0 and not start_odd:
        shortest_sum += start_shortest
        shortest_most = max(shortest_most, start_shortest)
    return total // 2 - (shortest_sum - shortest_most + 1) // 2


# --- bonus cards ----------------------------------------------------------------------------------------------------


@entry
def bonus_count(board: BoardStruct, s: StateOrView, seat: int, card: int, done: Int64s, path: int) -> int:
    """Return the seat's count for a bonus card, such as its completed tickets or its trains left."""
    counts = board.bonus_counts[card]
    total = 0
    if counts == COUNT_TICKETS:
        for word in range(TICKET_WORDS):
            total += popcount(done[word] & board.bonus_tickets[card, word])
    elif counts == COUNT_ROUTES:
        for word in range(board.words):
            total += popcount(s.owned[seat, word] & board.bonus_routes[card, word])
    elif counts == COUNT_TRAINS:
        total = int(s.trains[seat])
    elif counts == COUNT_LOCOMOTIVES:
        total = int(s.hand[seat, LOCOMOTIVE])
        for colour in range(LOCOMOTIVE):
            total += int(s.hand[seat, colour]) // 2
    elif counts == COUNT_PATH:
        total = path
    elif counts == COUNT_COUNTRIES:
        countries = 0
        for word in range(board.words):
            rest = int(s.owned[seat, word])
            while rest != 0:
                route = word * ROUTE_BITS + lowest(rest)
                rest &= rest - 1
                for end in range(2):
                    countries |= 1 << int(board.city_country[board.route_city[route, end]])
        total = popcount(countries)
    return total


@kernel
def asks_for_path(board: BoardStruct, s: State) -> bool:
    """Return whether a bonus card in play counts the longest path."""
    for card in range(board.bonuses):
        if int(s.bonus_cards) >> card & 1 and board.bonus_counts[card] == COUNT_PATH:
            return True
    return False


# --- the scores -----------------------------------------------------------------------------------------------------


@entry
def score(board: BoardStruct, s: State, table: ScoreTable, with_path: bool) -> None:
    """Fill ``table`` as if the game ended now. Search for longest paths only if they count or ``with_path`` is set."""
    seats = int(s.seats)
    roots = int8.empty(CITIES)
    done = int64.zeros(SEATS, TICKET_WORDS)
    searched = with_path or asks_for_path(board, s)
    for seat in range(seats):
        table.routes[seat] = s.points[seat]
        if has_chosen(s, seat):
            table.tickets[seat] = completed_tickets(board, s, seat, roots, done[seat])
        else:
            table.tickets[seat] = 0
        table.completed[seat] = 0
        for word in range(TICKET_WORDS):
            table.completed[seat] += popcount(done[seat, word])
        table.bonuses[seat] = 0
        table.won[seat] = 0
        table.longest[seat] = longest_path(board, s, seat) if searched else 0
    for card in range(board.bonuses):
        if int(s.bonus_cards) >> card & 1:
            most = 0
            for seat in range(seats):
                most = max(most, bonus_count(board, s, seat, card, done[seat], int(table.longest[seat])))
            for seat in range(seats):
                if bonus_count(board, s, seat, card, done[seat], int(table.longest[seat])) == most:
                    table.won[seat] |= 1 << card
                    table.bonuses[seat] += board.bonus_points[card]
    for seat in range(seats):
        table.total[seat] = table.routes[seat] + table.tickets[seat] + table.bonuses[seat]
        table.winner[seat] = 1
    keep_best(table, table.total, seats)
    for at in range(2):
        tie = board.tie_break[at]
        if tie != NOBODY and count_winners(table, seats) > 1:
            if tie == TIE_TICKETS:
                keep_best(table, table.completed, seats)
            elif tie == TIE_PATH:
                if not searched:
                    searched = True
                    for seat in range(seats):
                        table.longest[seat] = longest_path(board, s, seat)
                keep_best(table, table.longest, seats)
            else:
                keep_most_cards(table, seats)


@kernel
def has_chosen(s: StateOrView, seat: int) -> bool:
    """Return whether the seat has chosen its first tickets. Seats choose in order, from the starting seat on."""
    return (int(seat) - int(s.first) + int(s.seats)) % int(s.seats) < int(s.seats) - int(s.choosing)


@kernel
def count_winners(table: ScoreTable, seats: int) -> int:
    """Return how many seats are still tied for first place."""
    count = 0
    for seat in range(seats):
        count += int(table.winner[seat])
    return count


@kernel
def keep_best(table: ScoreTable, values: Int16s, seats: int) -> None:
    """Among the tied seats, keep those with the highest value."""
    best = -32768
    for seat in range(seats):
        if table.winner[seat]:
            best = max(best, int(values[seat]))
    for seat in range(seats):
        if values[seat] != best:
            table.winner[seat] = 0


@kernel
def keep_most_cards(table: ScoreTable, seats: int) -> None:
    """Among the tied seats, keep those with the most bonus cards."""
    best = 0
    for seat in range(seats):
        if table.winner[seat]:
            best = max(best, popcount(table.won[seat]))
    for seat in range(seats):
        if popcount(table.won[seat]) != best:
            table.winner[seat] = 0
