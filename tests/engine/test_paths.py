"""Shortest paths, against a slow search that tries every route again and again."""

import random

import pytest

from northrail import Board
from northrail.boards.board import CITIES, ROUTES
from northrail.engine.paths import FAR, find_path, shortest_path
from northrail.kernels.structs import float64, int16

pytestmark = pytest.mark.engine

NOWHERE = (FAR, FAR)


def slow_paths(board: Board, costs: list[float | None], start: str) -> dict[str, tuple[float, float]]:
    """Return the least cost to each city, and the fewest routes at that cost (Bellman–Ford)."""
    found = {city.name: NOWHERE for city in board.cities} | {start: (0.0, 0.0)}
    for _ in board.cities:
        for route, cost in zip(board.routes, costs, strict=True):
            for here, there in (route.cities, route.cities[::-1]):
                if cost is not None and found[here] != NOWHERE:
                    found[there] = min(found[there], (found[here][0] + cost, found[here][1] + 1))
    return found


def test_a_path_is_the_cheapest_and_of_those_the_shortest(board: Board) -> None:
    chance = random.Random(4)
    names = [city.name for city in board.cities]
    missing = ties = 0
    for _ in range(40):
        costs = [chance.choice([0, None, None, None, None, 1, route.length]) for route in board.routes]
        start, end = chance.sample(names, 2)
        cost, count = slow_paths(board, list(costs), start)[end]
        path = shortest_path(board, costs.__getitem__, start, end)
        if path is None:
            missing += 1
            assert cost == FAR
            continue
        assert (path.cost, len(path.routes)) == (cost, count)
        assert sum(costs[route] or 0 for route in path.routes) == cost
        city = start
        for route in path.routes:
            one, other = board.routes[route].cities
            assert city in (one, other) and costs[route] is not None
            city = other if city == one else one
        assert city == end
        ties += 0 in [costs[route] for route in path.routes]
    assert missing > 0 and ties > 0


def test_the_path_from_a_city_to_itself_is_empty(nordic: Board) -> None:
    path = shortest_path(nordic, lambda _: None, "Oslo", "Oslo")
    assert path is not None and (path.cost, path.routes) == (0, ())


def test_the_kernel_keeps_to_its_limit(board: Board) -> None:
    chance = random.Random(5)
    far, via, cost = float64.zeros(CITIES), int16.zeros(CITIES), float64.zeros(ROUTES)
    ends = [[int(city) for city in board.struct.route_city[route]] for route in range(len(board.routes))]
    names = [city.name for city in board.cities]
    for _ in range(40):
        costs = [chance.choice([0.0, None, 1.0, chance.uniform(0.3, 9.0)]) for _ in ends]
        cost[: len(costs)] = [FAR if price is None else price for price in costs]
        start, goal = chance.sample(range(len(names)), 2)
        truth = slow_paths(board, costs, names[start])[names[goal]][0]
        for limit in (FAR, truth, truth * 1.01, truth * 0.99):
            found = find_path(board.struct, cost, start, goal, limit, far, via)
            if truth >= FAR or truth > limit:
                assert found == FAR
                continue
            assert found == pytest.approx(truth)
            city, length = goal, 0.0
            while city != start:
                route = int(via[city])
                length += cost[route]
                city = sum(ends[route]) - city
            assert length == pytest.approx(truth)
