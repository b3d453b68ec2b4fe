"""Other boards than ours: other rules, played in lockstep with the reference, and the limits of size."""

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lockstep import compare_on
from tables import Size

import northrail
from northrail.boards.load import build_board
from reference import load

pytestmark = pytest.mark.engine

Data = dict[str, Any]


def alike_threes(data: Data) -> None:
    data["rules"]["ferry_substitute"] = {"cards": 3, "alike": True, "any_space": True}


def any_pairs_for_symbols(data: Data) -> None:
    data["rules"]["ferry_substitute"] = {"cards": 2, "alike": False, "any_space": False}


def no_substitute(data: Data) -> None:
    del data["rules"]["ferry_substitute"]


def wild_everywhere(data: Data) -> None:
    data["rules"]["locomotives_pay_for"] = "every route"


def wild_on_ferries_and_tunnels(data: Data) -> None:
    data["rules"]["locomotives_pay_for"] = "ferries and tunnels"


def gray_tunnels(data: Data) -> None:
    for number, route in enumerate(data["routes"]):
        if number % 3 == 0 and "locomotives" not in route and "substitute" not in route:
            route |= {"colour": "gray", "tunnel": True}


def alike_fours_without_wild(data: Data) -> None:
    for number, route in enumerate(data["routes"]):
        if number % 4 == 0 and "locomotives" not in route and not route.get("tunnel"):
            route["substitute"] = {"cards": 4 - number % 3, "alike": True, "any_space": True}


def coloured_ferries_all_symbols(data: Data) -> None:
    for route in data["routes"]:
        if "locomotives" in route:
            route |= {"colour": "red", "locomotives": route["length"], "draw_bonus": 2}


def few_cards_many_seats(data: Data) -> None:
    rules = data["rules"]
    rules["cards"] = {"each_colour": 5, "locomotives": 4, "hand": 2, "face_up": 3}
    rules["seats"] = {"least": 2, "most": 5}
    rules["double_routes"] = {"2": 2, "3": 2, "4": 1, "5": 2}
    rules["triple_routes"] = {"2": 1, "3": 1, "4": 3, "5": 2}
    rules |= {"trains": 20, "last_round_at": 5, "first_tickets": {"deal": 2, "keep": 1}, "tunnel_cards": 4}


def tickets_the_other_way(data: Data) -> None:
    ways = ["leave the game", "go under the deck"]
    data["rules"]["returned_tickets"] = ways[1 - ways.index(data["rules"]["returned_tickets"])]
    data["rules"]["drawn_tickets"] = {"deal": 5, "keep": 1}


def row_the_other_way(data: Data) -> None:
    ways = ["an ordinary card", "first card only"]
    data["rules"]["face_up_locomotive"] = ways[1 - ways.index(data["rules"]["face_up_locomotive"])]
    data["rules"]["cards"]["face_up"] = 1


def every_bonus(data: Data) -> None:
    data["rules"]["bonus_cards_in_play"] = len(data["bonus_cards"])
    data["rules"]["tie_break"] = ["bonus cards", "longest path"]


def classic(data: Data) -> None:
    data["rules"] |= {
        "locomotives_pay_for": "every route",
        "face_up_locomotive": "first card only",
        "flush_row_at": 3,
        "returned_tickets": "go under the deck",
        "trains": 45,
        "first_tickets": {"deal": 3, "keep": 2},
        "bonus_cards_in_play": 1,
        "tie_break": ["completed tickets", "longest path"],
    }
    data["rules"]["cards"] |= {"locomotives": 24}
    data["bonus_cards"] = [{"name": "Longest path", "points": 10, "most": "longest path"}]


def rows_swept_for_one_locomotive(data: Data) -> None:
    data["rules"]["flush_row_at"] = 1
    data["rules"]["cards"] = {"each_colour": 4, "locomotives": 30, "hand": 4, "face_up": 4}


CHANGES: list[Callable[[Data], None]] = [
    alike_threes,
    any_pairs_for_symbols,
    no_substitute,
    wild_everywhere,
    wild_on_ferries_and_tunnels,
    gray_tunnels,
    alike_fours_without_wild,
    coloured_ferries_all_symbols,
    few_cards_many_seats,
    tickets_the_other_way,
    row_the_other_way,
    every_bonus,
    classic,
    rows_swept_for_one_locomotive,
]


@pytest.mark.parametrize("name", ["nordic-countries", "northern-lights"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_other_switches(name: str, change: Callable[[Data], None], size: Size) -> None:
    data = copy.deepcopy(load(name))
    change(data)
    board = build_board(data)
    least, most = board.rules.seats
    for seed in range(size.pick(1, 3)):
        seats = least + seed % (most - least + 1)
        compare_on(board, data, seats, seed, size.pick(60, 100_000))


def ring(cities: int, routes: int, tickets: int, length: int) -> Data:
    """A board of a given size: cities in a ring, routes to ever farther neighbours."""
    data = copy.deepcopy(load("nordic-countries"))
    names = [f"City {number}" for number in range(cities)]
    pairs = [(at, (at + step) % cities) for step in range(1, cities // 2) for at in range(cities)]
    data["cities"] = [{"name": name, "longitude": 0.0, "latitude": 0.0} for name in names]
    data["routes"] = [{"cities": [names[a], names[b]], "length": length, "colour": "red"} for a, b in pairs[:routes]]
    data["tickets"] = [{"cities": [names[a], names[b]], "points": 3} for a, b in reversed(pairs[-tickets:])]
    data["rules"]["route_points"] = {str(length): 18}
    return data


@pytest.mark.parametrize("length", [1, 12])
def test_the_largest_board_plays(length: int, size: Size) -> None:
    board = build_board(ring(63, 252, 120, length))
    chance = random.Random(0)
    game = northrail.Game(board, 3, seed=1)
    for _ in range(size.pick(60, 600)):
        if not game.over:
            game.play(chance.choice(game.moves()))
    assert northrail.Game.replay(game.record(), board) == game
    assert sum(game.scores()[seat].routes for seat in range(3)) == 18 * len(game.position()["owners"])


@pytest.mark.parametrize(
    ("cities", "routes", "tickets", "length", "word"),
    [(64, 100, 50, 1, "cities"), (63, 253, 50, 1, "routes"), (63, 100, 121, 1, "tickets"), (63, 100, 50, 13, "length")],
)
def test_a_larger_one_is_refused(cities: int, routes: int, tickets: int, length: int, word: str) -> None:
    with pytest.raises(northrail.BadBoard, match=word):
        build_board(ring(cities, routes, tickets, length))


def test_a_record_of_ones_own_board_needs_the_board(tmp_path: Path) -> None:
    text = (Path(northrail.__file__).parent / "boards" / "nordic-countries.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace('id = "nordic-countries"', 'id = "mine"'), encoding="utf-8")
    board = northrail.load_board(path)
    game = northrail.Game(board, 2, seed=3)
    game.play(game.moves()[0])
    with pytest.raises(northrail.BadRecord, match="board: expected nordic-countries or northern-lights"):
        northrail.Game.replay(game.record())
    assert northrail.Game.replay(game.record(), northrail.load_board(str(path))) == game
