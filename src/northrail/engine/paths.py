"""Shortest paths between cities: a kernel for players, and a function for everyone else."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from northrail.boards.board import CITIES, NOBODY, ROUTES, Board, BoardStruct
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry
from northrail.kernels.structs import Floats, Int16s, float64, int16

FAR = 1e9  # the cost of a route that is closed, and of a path that does not exist


@entry
def find_path(board: BoardStruct, cost: Floats, start: int, goal: int, limit: float, far: Floats, via: Int16s) -> float:
    """Return the cost of the cheapest path, or FAR if it is above ``limit``.

    ``via`` gets the route by which each city was reached; follow it back from ``goal``. ``far`` gets the costs.
    """
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
                    limit = reach  # longer paths cannot be part of the best one


@entry
def path_between(board: BoardStruct, cost: Floats, start: int, goal: int, routes: Int16s) -> int:
    """Write the routes of the cheapest path into ``routes``, in order; return how many, or -1 if there is no path."""
    far = float64.empty(CITIES)
    via = int16.empty(CITIES)
    if find_path(board, cost, start, goal, FAR, far, via) >= FAR:
        return -1
    count = 0
    city = goal
    while city != start:
        route = int(via[city])
        routes[count] = route
        count += 1
        city = int(board.route_city[route, 0]) + int(board.route_city[route, 1]) - city
    for at in range(count // 2):
        routes[at], routes[count - 1 - at] = routes[count - 1 - at], routes[at]
    return count


@entry
def join_in_turn(
    board: BoardStruct, cost: Floats, tickets: Int16s, count: int, trains: int, farthest: int, routes: Int16s
) -> int:
    """Plan to join the cities of ``count`` tickets while trains last, the nearest or the farthest first.

    A route that costs 1 needs no trains, and neither does one that is planned for another ticket. ``routes`` gets the
    routes of the plan; we return how many. ``tickets`` gets NOBODY for each one that is joined; overwrites ``cost``.
    """
    planned = 0
    path = int16.empty(CITIES)
    while True:
        best = NOBODY
        best_length = 0
        for at in range(count):
            if tickets[at] == NOBODY:
                continue
            ticket = int(tickets[at])
            steps = path_between(
                board, cost, int(board.ticket_city[ticket, 0]), int(board.ticket_city[ticket, 1]), path
            )
            length = 0
            for step in range(steps):
                if cost[path[step]] > 1.0:
                    length += int(board.route_length[path[step]])
            is_better = length > best_length if farthest != 0 else length < best_length
            if steps >= 0 and length <= trains and (best == NOBODY or is_better):
                best = at
                best_length = length
        if best == NOBODY:
            return planned
        ticket = int(tickets[best])
        steps = path_between(board, cost, int(board.ticket_city[ticket, 0]), int(board.ticket_city[ticket, 1]), path)
        for step in range(steps):
            if cost[path[step]] > 1.0:
                routes[planned] = path[step]
                planned += 1
                cost[path[step]] = 1.0
        tickets[best] = NOBODY
        trains -= best_length


@dataclass(frozen=True)
class Path:
    """A path between two cities: its cost, and its routes in order."""

    cost: int
    routes: tuple[int, ...]


def shortest_path(board: Board, cost_of: Callable[[int], int | None], start: str, end: str) -> Path | None:
    """Return the cheapest path between two cities, or None if there is none. Among equals, fewer routes win.

    ``cost_of`` takes a route's number and returns its cost, or None if it is closed.

    >>> import northrail
    >>> board = northrail.load_board("nordic-countries")
    >>> path = shortest_path(board, lambda route: board.routes[route].length, "Oslo", "Stockholm")
    >>> path.cost, [str(board.routes[route]) for route in path.routes]
    (4, ['Oslo–Örebro green', 'Örebro–Stockholm black'])
    """
    cost, routes = np.full(ROUTES, FAR), np.empty(CITIES, np.int16)
    for route in range(len(board.routes)):
        price = cost_of(route)
        if price is not None:
            # The 1 breaks ties by number of routes. A path has fewer routes than CITIES, so it never outweighs a cost.
            cost[route] = price * CITIES + 1
    names = [city.name for city in board.cities]
    count = path_between(board.struct, cost, names.index(start), names.index(end), routes)
    if count < 0:
        return None
    path = routes[:count].tolist()
    return Path(round(sum(cost[path])) // CITIES, tuple(path))
