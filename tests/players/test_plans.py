"""What plans are made of, against slow counts: the shortest ways, the lure of bonus cards, routes for their points."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from northrail import Board, Game
from northrail.boards.board import NOBODY, ROUTE_BITS
from northrail.engine.state import ViewStruct
from northrail.players.planner import Planner, fill_weights, forget
from northrail.players.plans import (
    FAR,
    Desk,
    Mind,
    Weights,
    horizon,
    largest_set,
    price_routes,
    spread,
    think,
    turns_for,
)


def weights_of(board: Board, **changed: float) -> Weights:
    """The board's weights, some of them changed."""
    weights = Weights()
    fill_weights(weights, board, changed)
    return weights


def room_to_think() -> tuple[Desk, Mind]:
    """A desk, and a mind that has not thought yet."""
    desk, mind = Desk(), Mind()
    forget(mind)
    return desk, mind


def turns_of(board: Board, seats: int, seed: int) -> Iterator[ViewStruct]:
    """What planners see at every fifth turn of a game."""
    game = Game(board, seats, seed)
    planners = [Planner() for _ in range(seats)]
    turns = 0
    while not game.over:
        record = game.view(game.seat).struct
        turns += game.phase == "turn"
        if game.phase == "turn" and turns % 5 == 0:
            yield record
        game.play(planners[game.seat].choose_record(board, record))


def members(words: Any) -> set[int]:
    """The routes of a set of bits."""
    return {
        word * ROUTE_BITS + bit for word, bits in enumerate(words) for bit in range(ROUTE_BITS) if int(bits) >> bit & 1
    }


def cities_of(board: Board, route: int) -> list[int]:
    """The numbers of the cities that a route joins."""
    return [int(city) for city in board.struct.route_city[route]]


def test_a_way_is_the_shortest_and_within_its_limit(board: Board) -> None:
    chance = random.Random(4)
    desk, _ = room_to_think()
    printed = board.struct
    ends = [cities_of(board, route) for route in range(len(board.routes))]
    for _ in range(100):
        cost = [chance.choice([0.0, FAR, 1.0, chance.uniform(0.3, 9.0)]) for _ in ends]
        desk.cost[: len(cost)] = cost
        start, goal = chance.sample(range(len(board.cities)), 2)
        far = [0.0 if city == start else FAR for city in range(len(board.cities))]
        for _ in far:  # Bellman and Ford
            for (a, b), price in zip(ends, cost, strict=True):
                far[a], far[b] = min(far[a], far[b] + price), min(far[b], far[a] + price)
        truth = far[goal]
        for limit in (FAR, truth, truth * 1.01, truth * 0.99):
            found = spread(printed, desk.cost, start, goal, limit, desk.far, desk.via)
            if truth >= FAR or truth > limit:
                assert found == FAR
                continue
            assert found == pytest.approx(truth)
            city, length = goal, 0.0
            while city != start:
                route = int(desk.via[city])
                length += cost[route]
                city = sum(ends[route]) - city
            assert length == pytest.approx(truth)


def test_routes_are_worth_their_steps_towards_the_bonus_cards_in_play(table: tuple[Board, int]) -> None:
    board, seats = table
    desk, mind = room_to_think()
    weights = weights_of(board)
    lured = 0
    for v in turns_of(board, seats, 3):
        price_routes(board.struct, v, weights, mind, desk.cost)
        owned = [members(v.owned[seat]) for seat in range(seats)]
        me = int(v.me)
        reached = {board.cities[city].country for route in owned[me] for city in cities_of(board, route)}
        for number, route in enumerate(board.routes):
            lure = 0.0
            for at, card in enumerate(board.bonus_cards):
                if not int(v.bonus_cards) >> at & 1:
                    continue
                counted = members(board.struct.bonus_routes[at])
                counts = [len(counted & routes) for routes in owned]
                gap = abs(counts[me] - max(counts[:me] + counts[me + 1 :])) if card.most == "routes" else 0
                steps = {
                    "routes": float(number in counted),
                    "longest path": 0.2 * route.length,
                    "countries": float(
                        sum(board.cities[end].country not in reached for end in cities_of(board, number))
                    ),
                }.get(card.most, 0.0)
                lure += steps * float(weights.bonus) * card.points / (3 + gap)
            assert mind.lure[number] == pytest.approx(lure)
            lured += lure > 0
    assert (lured > 0) == (len(board.bonus_cards) > 1)  # Globetrotter counts tickets alone


@pytest.mark.parametrize("extra", [0.5, 2.0])
def test_routes_for_their_points_are_the_best_that_trains_and_turns_allow(
    extra: float, table: tuple[Board, int]
) -> None:
    board, seats = table
    printed = board.struct
    weights = weights_of(board, extra=extra)
    most = 0
    for v in turns_of(board, seats, 8):
        desk, mind = room_to_think()
        think(printed, v, weights, desk, mind)
        me, largest = int(v.me), largest_set(v)
        planned, chosen = members(mind.plan), set[int]()
        trains, turns = int(mind.spare), horizon(v, weights) - float(mind.turns)
        while trains > 0 and turns > 0:
            best, gain = NOBODY, extra
            for route in sorted(members(v.open[me]) - planned - chosen):
                beside = {int(other) for other in printed.route_parallel[route] if other != NOBODY}
                needs = turns_for(printed, v, weights, route, largest)
                points = float(printed.route_points[route]) + float(mind.lure[route])
                rate = points / needs if needs > 0.5 else 2.0 * points
                fits = board.routes[route].length <= trains and needs <= turns + 1.0
                if fits and rate >= gain and not beside & (planned | chosen):
                    best, gain = route, rate
            if best == NOBODY:
                break
            chosen.add(best)
            trains -= board.routes[best].length
            turns -= turns_for(printed, v, weights, best, largest)
        assert members(mind.extra) == chosen
        most = max(most, len(chosen))
    assert most > 0
