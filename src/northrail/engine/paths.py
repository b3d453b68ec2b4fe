"""Shortest paths between cities: a kernel for players, and a function for everyone else."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from northrail.boards.board import CITIES, NOBODY, ROUTES, Board, BoardStruct
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry
from northrail.kernels.structs import Floats, Int16s

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
    cost, far, via = np.full(ROUTES, FAR), np.zeros(CITIES), np.zeros(CITIES, np.int16)
    for route in range(len(board.routes)):
        price = cost_of(route)
        if price is not None:
            # The 1 breaks ties by number of routes. A path has fewer routes than CITIES, so it never outweighs a cost.
            cost[route] = price * CITIES + 1
    names = [city.name for city in board.cities]
    if find_path(board.struct, cost, names.index(start), names.index(end), FAR, far, via) == FAR:
        return None
    routes: list[int] = []
    city = end
    while city != start:
        route = int(via[names.index(city)])
        routes.insert(0, route)
        one, other = board.routes[route].cities
        city = one if city == other else other
    return Path(round(far[names.index(end)]) // CITIES, tuple(routes))
