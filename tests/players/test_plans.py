"""The parts of a plan, compared with slow counts: bonus cards, routes for points, tunnels, the end of the game."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from positions import SMALL, small_board

from northrail import Board, Game
from northrail.boards.board import COLOURS, NOBODY, ROUTE_BITS
from northrail.engine.state import ViewStruct
from northrail.players.cards import list_wants, tunnel_risk
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import Planner, claim_value, fill_weights
from northrail.players.plans import clear_plan, horizon, largest_set, price_routes, turns_for, update_plan


def weights_of(board: Board, **changed: float) -> Weights:
    """Return the board's weights with some changes."""
    weights = Weights()
    fill_weights(weights, board, changed)
    return weights


def empty_plan() -> tuple[PlanScratch, Plan]:
    """Scratch memory, and an empty plan."""
    scratch, plan = PlanScratch(), Plan()
    clear_plan(plan)
    return scratch, plan


def turns_of(board: Board, seats: int, seed: int) -> Iterator[ViewStruct]:
    """Yield the planner's view at every fifth turn of a game."""
    game = Game(board, seats, seed)
    planners = [Planner() for _ in range(seats)]
    turns = 0
    while not game.over:
        view = game.view(game.seat).struct
        turns += game.phase == "turn"
        if game.phase == "turn" and turns % 5 == 0:
            yield view
        game.play(planners[game.seat].choose_struct(board, view))


def members(words: Any) -> set[int]:
    """Return the routes in a bit set."""
    return {
        word * ROUTE_BITS + bit for word, bits in enumerate(words) for bit in range(ROUTE_BITS) if int(bits) >> bit & 1
    }


def cities_of(board: Board, route: int) -> list[int]:
    """Return the numbers of the cities that a route joins."""
    return [int(city) for city in board.struct.route_city[route]]


def test_routes_are_worth_their_steps_towards_the_bonus_cards_in_play(table: tuple[Board, int]) -> None:
    board, seats = table
    scratch, plan = empty_plan()
    weights = weights_of(board)
    tempted = 0
    for v in turns_of(board, seats, 3):
        price_routes(board.struct, v, weights, plan, scratch.cost)
        owned = [members(v.owned[seat]) for seat in range(seats)]
        me = int(v.me)
        reached = {board.cities[city].country for route in owned[me] for city in cities_of(board, route)}
        for number, route in enumerate(board.routes):
            bonus_worth = 0.0
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
                bonus_worth += steps * float(weights.bonus) * card.points / (3 + gap)
            assert plan.bonus_worth[number] == pytest.approx(bonus_worth)
            tempted += bonus_worth > 0
    assert (tempted > 0) == (len(board.bonus_cards) > 1)  # Globetrotter counts tickets alone


@pytest.mark.parametrize("extra", [0.5, 2.0])
def test_routes_for_their_points_are_the_best_that_trains_and_turns_allow(
    extra: float, table: tuple[Board, int]
) -> None:
    board, seats = table
    struct = board.struct
    weights = weights_of(board, extra=extra)
    most = 0
    for v in turns_of(board, seats, 8):
        scratch, plan = empty_plan()
        update_plan(struct, v, weights, scratch, plan)
        me, largest = int(v.me), largest_set(v)
        planned, chosen = members(plan.routes), set[int]()
        trains, turns = int(plan.spare), horizon(struct, v, weights) - float(plan.turns)
        while trains > 0 and turns > 0:
            best, gain = NOBODY, extra
            for route in sorted(members(v.open[me]) - planned - chosen):
                beside = {int(other) for other in struct.route_parallel[route] if other != NOBODY}
                needs = turns_for(struct, v, weights, route, largest)
                points = float(struct.route_points[route]) + float(plan.bonus_worth[route])
                rate = points / needs if needs > 0.5 else 2.0 * points
                fits = board.routes[route].length <= trains and needs <= turns + 1.0
                if fits and rate >= gain and not beside & (planned | chosen):
                    best, gain = route, rate
            if best == NOBODY:
                break
            chosen.add(best)
            trains -= board.routes[best].length
            turns -= turns_for(struct, v, weights, best, largest)
        assert members(plan.extra) == chosen
        most = max(most, len(chosen))
    assert most > 0


# --- boards with other numbers ----------------------------------------------------------------------------------------

TUNNEL = 2  # the route A–C of the small board: two blue
BLUE, RED = COLOURS.index("blue"), COLOURS.index("red")


def board_with(folder: Path, rule: str, value: int) -> Board:
    """Return the small board with one rule changed."""
    return small_board(folder, SMALL.replace("\ntrains = 6\n", f"\ntrains = 6\n{rule} = {value}\n"))


def view_with(blue: int) -> ViewStruct:
    """Return the view of a seat that holds a red card and this many blue cards."""
    view = ViewStruct()
    view.seats, view.trains[:2], view.turns_left = 2, 6, -1
    view.hand[0, BLUE], view.hand[0, RED], view.hand_size[0] = blue, 1, blue + 1
    return view


@pytest.mark.engine
@pytest.mark.parametrize("turned", range(1, 7))
def test_the_risk_of_a_tunnel_is_that_of_the_cards_it_turns_over(turned: int, tmp_path: Path) -> None:
    board = board_with(tmp_path, "tunnel_cards", turned)
    for held in range(2, 10):
        view, scratch = view_with(held), PlanScratch()
        board.struct.card_count[BLUE] = 12  # enough for every hand
        scratch.pay[BLUE] = 2
        unseen = [int(count) for count in board.struct.card_count]
        unseen[BLUE] -= held
        unseen[RED] -= 1
        match = (unseen[BLUE] + unseen[COLOURS.index("locomotive")]) / sum(unseen)
        risk = sum(
            math.prod(match if hit else 1 - match for hit in hits)
            for hits in itertools.product((True, False), repeat=turned)
            if sum(hits) > held - 2
        )
        assert tunnel_risk(board.struct, view, scratch, TUNNEL) == pytest.approx(risk)


@pytest.mark.engine
def test_a_tunnel_costs_more_where_it_turns_over_more_cards(tmp_path: Path) -> None:
    weights = Weights()
    weights.tunnel, weights.draw, weights.reserve, weights.hurry, weights.turn = 0.6, 2.0, 0.5, 1.0, 1.0
    turns, wants, values = [], [], []
    for turned in (1, 3, 6):
        board = board_with(tmp_path, "tunnel_cards", turned)
        scratch, plan = empty_plan()
        plan.routes[0] = 1 << TUNNEL
        turns.append(turns_for(board.struct, view_with(0), weights, TUNNEL, 0))
        list_wants(board.struct, plan)
        wants.append(float(plan.want[BLUE]))
        values.append(claim_value(board.struct, view_with(2), weights, scratch, plan, TUNNEL, True))
        assert scratch.pay[BLUE] == 2
        lost = 0.5 * tunnel_risk(board.struct, view_with(2), scratch, TUNNEL) * turned
        assert values[-1] == pytest.approx(2 - lost)
    assert turns == pytest.approx([2 + 0.1, 2 + 0.3, 2 + 0.6])
    assert wants == pytest.approx([2 + 0.5 / 3, 2 + 0.5, 2 + 1])


@pytest.mark.engine
@pytest.mark.parametrize("last", [0, 2, 5, 6])
def test_the_planner_expects_the_last_round_where_the_board_says(last: int, tmp_path: Path) -> None:
    board, weights = board_with(tmp_path, "last_round_at", last), Weights()
    weights.pace, weights.watch, weights.stride = 2.0, 1e12, 1.0  # it does not watch how the other seat plays
    view = view_with(0)
    assert horizon(board.struct, view, weights) == pytest.approx(1 + (6 - last) / 2)
    view.turns_left = 1
    assert horizon(board.struct, view, weights) == 1


@pytest.mark.engine
def test_the_planner_watches_how_fast_the_others_build(tmp_path: Path) -> None:
    """Another seat has placed 6 trains in 4 turns of drawing; cards in hand are trains it places in larger steps."""
    board, weights, view = board_with(tmp_path, "last_round_at", 2), Weights(), view_with(0)
    weights.pace, weights.watch, weights.stock, weights.stride = 1.0, 4.0, 0.0, 3.0
    other = 1 - view.me
    board.struct.trains, view.trains[other], view.hand_size[other] = 18, 12, board.struct.hand + 2
    assert horizon(board.struct, view, weights) == pytest.approx(1 + 10 / ((1.0 * 4 + 6) / (4 + 4)))
    weights.stock = 0.5
    ready = 0.5 * int(view.hand_size[other])
    assert horizon(board.struct, view, weights) == pytest.approx(1 + ready / 3 + (10 - ready) / (10 / 8))
