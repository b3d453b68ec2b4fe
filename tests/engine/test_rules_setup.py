"""The facts of both boards, and the start of a game."""

import heapq
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from positions import LIGHTS, NORDIC, TABLES, all_cards, kinds, named

import northrail
from northrail import BadPosition, Board, Game

pytestmark = pytest.mark.engine

BOARDS = [NORDIC, LIGHTS]


def shortest(board: Board, start: str, end: str) -> int:
    """Return the fewest trains that connect two cities."""
    best = {start: 0}
    queue = [(0, start)]
    while queue:
        length, city = heapq.heappop(queue)
        for route in board.routes:
            if city in route.cities:
                other = route.cities[route.cities[0] == city]
                if length + route.length < best.get(other, 999):
                    best[other] = length + route.length
                    heapq.heappush(queue, (best[other], other))
    return best[end]


@pytest.mark.parametrize(
    ("board", "seats", "cards", "tickets", "locomotives", "first_tickets"),
    [(NORDIC, (2, 3), 110, 46, 14, (5, 2)), (LIGHTS, (2, 5), 114, 55, 18, (4, 2))],
    ids=str,
)
def test_the_contents_of_the_box(
    board: Board, seats: tuple[int, int], cards: int, tickets: int, locomotives: int, first_tickets: tuple[int, int]
) -> None:
    assert board.rules.seats == seats
    assert all_cards(board).total() == cards
    assert len(board.tickets) == tickets
    assert board.rules.locomotives == locomotives
    assert board.rules.each_colour == 12
    assert board.rules.trains == 40
    assert board.rules.first_tickets == first_tickets
    assert board.rules.drawn_tickets == (3, 1)


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_number_of_seats_is_limited_as_printed(board: Board) -> None:
    least, most = board.rules.seats
    for seats in (least - 1, most + 1):
        with pytest.raises(BadPosition, match=rf"seats: expected {least} to {most} .*got {seats}"):
            Game(board, seats=seats)


def test_points_for_routes() -> None:
    assert {route.length: route.points for route in NORDIC.routes} == {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15, 9: 27}
    assert {route.length: route.points for route in LIGHTS.routes} == {1: 1, 2: 2, 3: 4, 4: 7, 5: 10}


def test_six_spaces_score_fifteen_on_northern_lights_too(tmp_path: Path) -> None:
    """No built-in route is that long, but a variant of the board may have one."""
    text = resources.files("northrail").joinpath("boards", "northern-lights.toml").read_text(encoding="utf-8")
    path = tmp_path / "longer.toml"
    path.write_text(text.replace("length = 5", "length = 6"), encoding="utf-8")
    assert {route.points for route in northrail.load_board(path).routes if route.length == 6} == {15}


def test_tickets_are_worth_their_shortest_path() -> None:
    for board in BOARDS:
        for ticket in board.tickets:
            printed_otherwise = board == LIGHTS and ticket.cities == ("Helsinki", "Gdańsk")
            assert ticket.points == shortest(board, *ticket.cities) + printed_otherwise, str(ticket)


def test_only_nordic_countries_has_tunnels_and_only_northern_lights_draws_after_a_claim() -> None:
    assert sum(route.tunnel for route in NORDIC.routes) == 10
    assert not any(route.tunnel for route in LIGHTS.routes)
    assert not any(route.draw_bonus for route in NORDIC.routes)
    assert {route.draw_bonus for route in LIGHTS.routes} == {0, 1, 2, 3}


def test_every_gray_route_of_northern_lights_is_a_ferry_and_no_other() -> None:
    assert all((route.colour == "gray") == route.ferry for route in LIGHTS.routes)


def test_only_murmansk_lieksa_has_nine_spaces() -> None:
    [route] = [route for route in NORDIC.routes if route.length == 9]
    assert set(route.cities) == {"Murmansk", "Lieksa"}
    assert route.colour == "gray" and not route.ferry and not route.tunnel


def test_uneven_doubles_of_nordic_countries() -> None:
    by_ends: dict[frozenset[str], list[int]] = {}
    for route in NORDIC.routes:
        by_ends.setdefault(frozenset(route.cities), []).append(route.length)
    uneven = {ends: sorted(lengths) for ends, lengths in by_ends.items() if len(set(lengths)) > 1}
    assert uneven == {frozenset(("Kristiansand", "Stavanger")): [2, 3], frozenset(("Mo i Rana", "Trondheim")): [5, 6]}
    assert max(map(len, by_ends.values())) == 2


def test_triple_routes_of_northern_lights() -> None:
    pairs = Counter(frozenset(route.cities) for route in LIGHTS.routes)
    triples = {ends for ends, lanes in pairs.items() if lanes == 3}
    assert triples == {frozenset(("Karlstad", "Oslo")), frozenset(("Karlstad", "Stockholm"))}
    assert max(pairs.values()) == 3


def test_bonus_cards() -> None:
    assert {card.name: card.points for card in NORDIC.bonus_cards} == {"Globetrotter": 10}
    assert {card.name: card.points for card in LIGHTS.bonus_cards} == {
        "Call of the wild": 5,
        "Capital investment": 7,
        "Cost efficiency": 7,
        "Small steps strategist": 10,
        "Nordic Express": 10,
        "Local network": 10,
        "International tycoon": 12,
        "Polar Express": 12,
        "Snowplow award": 12,
        "Ferry Master": 12,
        "The wild west": 7,
    }


def test_marks_of_cities() -> None:
    arctic = {city.name for city in LIGHTS.cities if city.arctic}
    assert "Rovaniemi" in arctic and "Mo i Rana" not in arctic
    assert len({city.country for city in LIGHTS.cities}) == 9
    assert [city.name for city in LIGHTS.cities if not city.printed] == ["Karesuando", "Storuman", "Umba"]


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_the_deal(board: Board, seats: int) -> None:
    game = Game(board, seats=seats, seed=5)
    position = game.position()
    dealt = board.rules.first_tickets[0]
    assert [sum(hand.values()) for hand in position["hands"]] == [4] * seats
    assert sum(position["face_up"].values()) == 5
    assert sum(position["deck"].values()) == all_cards(board).total() - 4 * seats - 5
    assert position["discard"] == {} and position["owners"] == {}
    assert position["trains"] == [40] * seats
    assert len(position["offered"]) == dealt
    assert sorted(map(len, position["dealt"])) == [0] + [dealt] * (seats - 1)
    assert len(position["ticket_deck"]) == len(board.tickets) - dealt * seats
    assert game.seat == position["first"] and game.phase == "tickets"
    assert game.view().points == [0] * seats


def test_four_of_eleven_bonus_cards_at_random() -> None:
    seen: Counter[str] = Counter()
    for seed in range(30):
        cards = Game(LIGHTS, seed=seed).position()["bonus_cards"]
        assert len(set(cards)) == 4
        seen.update(cards)
    assert len(seen) == 11
    assert Game(NORDIC).position()["bonus_cards"] == ["Globetrotter"]


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_the_seed_decides_who_starts_unless_you_name_the_seat(board: Board, seats: int) -> None:
    assert {Game(board, seats=seats, seed=seed).seat for seed in range(20)} == set(range(seats))
    for first in range(seats):
        game = Game(board, seats=seats, seed=3, first=first)
        assert game.seat == first and game.position()["first"] == first


def test_naming_the_starting_seat_changes_nothing_else() -> None:
    one, other = (Game(NORDIC, seats=3, seed=3, first=first).position() for first in (0, 2))
    for field in ("hands", "face_up", "deck", "ticket_deck", "rng"):
        assert one[field] == other[field]


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_seats_choose_tickets_in_order_and_then_the_first_seat_begins(board: Board, seats: int) -> None:
    game = Game(board, seats=seats, seed=2, first=1)
    order = []
    while game.phase == "tickets":
        order.append(game.seat)
        game.play(game.moves()[-1])
    assert order == [(1 + turn) % seats for turn in range(seats)]
    assert (game.seat, game.phase) == (1, "turn")
    assert {"take", "blind", "draw_tickets"} <= kinds(game)


def test_cities_may_be_named_without_accents_or_in_english() -> None:
    assert NORDIC.route("Goteborg", "Copenhagen") == named(NORDIC, "Göteborg–København")
    assert LIGHTS.route("Aalborg", "Arhus", "red") == named(LIGHTS, "Århus–Ålborg red")
