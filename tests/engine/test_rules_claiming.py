"""Claiming routes: exact payments, gray routes, parallel routes, trains, points, and what "+X" gives."""

from pathlib import Path

import pytest
from positions import (
    COLOURS,
    LIGHTS,
    LOCOMOTIVE,
    NORDIC,
    SMALL,
    TABLES,
    Cards,
    at,
    claims,
    event_codes,
    hand_of,
    named,
    put_aside,
    small_board,
    texts,
    using,
)

from northrail import Board, Game, IllegalMove

pytestmark = pytest.mark.engine


def refused(game: Game, route: int, cards: Cards) -> bool:
    """Return whether `can_pay` and `claim` both refuse a payment from the hand."""
    before = game.position()
    assert not any(game.position()["hands"][game.seat].get(colour, 0) < count for colour, count in cards.items())
    if game.can_pay(route, cards):
        return False
    with pytest.raises(IllegalMove, match=r"costs exactly|needs"):
        game.claim(route, cards)
    assert game.position() == before
    return True


# --- regular routes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "name", "cards", "points"),
    [
        (NORDIC, "Rovaniemi–Tornio red", {"red": 1}, 1),
        (NORDIC, "Oslo–Örebro yellow", {"yellow": 2}, 2),
        (NORDIC, "Helsinki–Imatra red", {"red": 3}, 4),
        (NORDIC, "Kuopio–Vaasa gray", {"white": 4}, 7),
        (NORDIC, "Kirkenes–Rovaniemi blue", {"blue": 5}, 10),
        (NORDIC, "Mo i Rana–Trondheim red", {"red": 4, LOCOMOTIVE: 2}, 15),
        (NORDIC, "Lieksa–Murmansk gray", {"green": 9}, 27),
        (LIGHTS, "Norrköping–Karlstad black", {"black": 1}, 1),
        (LIGHTS, "Umeå–Storuman yellow", {"yellow": 2}, 2),
        (LIGHTS, "Helsinki–Imatra green", {"green": 3}, 4),
        (LIGHTS, "Vaasa–Kuopio yellow", {"yellow": 4}, 7),
        (LIGHTS, "Karlstad–Östersund yellow", {"yellow": 5}, 10),
    ],
    ids=str,
)
def test_a_claim_puts_trains_on_the_route_and_scores_at_once(
    board: Board, name: str, cards: Cards, points: int
) -> None:
    route = named(board, name)
    game = at(board, cards | {"orange": 1})
    [event] = game.claim(route, cards)
    assert event.code == "claimed"
    assert event.seen_by(1)["cards"] == cards
    assert event.seen_by(1)["points"] == points
    position = game.position()
    assert position["owners"] == {str(route): 0}
    assert position["trains"] == [40 - board.routes[route].length, 40]
    assert position["hands"][0] == {"orange": 1}
    assert position["discard"] == cards
    assert game.view(None).points == [points, 0]
    assert (game.seat, game.phase) == (1, "turn")


def test_rulebook_a_yellow_route_takes_a_set_of_two_yellow() -> None:
    route = named(NORDIC, "Oslo–Örebro yellow")
    game = at(NORDIC, {"yellow": 3, "green": 1, LOCOMOTIVE: 3})
    assert game.can_pay(route, {"yellow": 2})
    assert refused(game, route, {"yellow": 3})
    assert refused(game, route, {"yellow": 1})
    assert refused(game, route, {"yellow": 1, "green": 1})
    assert refused(game, route, {"yellow": 1, LOCOMOTIVE: 1})
    assert refused(game, route, {"yellow": 2, LOCOMOTIVE: 1})
    assert refused(game, route, {LOCOMOTIVE: 2})
    assert refused(game, route, {})


@pytest.mark.parametrize("colour", COLOURS)
def test_rulebook_a_gray_route_takes_a_set_of_any_one_colour(colour: str) -> None:
    route = named(NORDIC, "Göteborg–Norrköping gray")
    other = "red" if colour != "red" else "blue"
    game = at(NORDIC, {colour: 3, other: 1, LOCOMOTIVE: 2})
    assert refused(game, route, {colour: 2, other: 1})
    assert refused(game, route, {colour: 2, LOCOMOTIVE: 1})
    game.claim(route, {colour: 3})
    assert game.position()["owners"] == {str(route): 0}


def test_a_gray_route_asks_for_its_colour_only_if_there_is_a_choice() -> None:
    route = named(NORDIC, "Göteborg–Norrköping gray")
    game = at(NORDIC, {"red": 3, "blue": 4, "green": 2})
    assert game.play(f"claim {NORDIC.routes[route]}") == []
    assert (game.seat, game.phase) == (0, "pay")
    assert texts(game) == ["card blue", "card red"]
    assert event_codes(game.play("card blue")) == ["claimed"]
    assert hand_of(game) == {"blue": 1, "green": 2, "red": 3}
    game = at(NORDIC, {"red": 3, "green": 2})
    assert event_codes(game.play(f"claim {NORDIC.routes[route]}")) == ["claimed"]


def test_locomotives_never_help_on_a_regular_nordic_route() -> None:
    for number, route in enumerate(NORDIC.routes):
        if not route.ferry and not route.tunnel and route.substitute is None:
            game = at(NORDIC, {LOCOMOTIVE: 14})
            assert number not in claims(game), str(route)
            assert not game.can_pay(number, {LOCOMOTIVE: route.length})


def test_locomotives_pay_for_every_route_of_northern_lights() -> None:
    game = at(LIGHTS, {LOCOMOTIVE: 18})
    assert claims(game) == set(range(len(LIGHTS.routes)))
    for number, route in enumerate(LIGHTS.routes):
        assert game.can_pay(number, {LOCOMOTIVE: route.length})
        assert not game.can_pay(number, {LOCOMOTIVE: route.length + 1})


@pytest.mark.parametrize("cards", [{"yellow": 2}, {"yellow": 1, LOCOMOTIVE: 1}, {LOCOMOTIVE: 2}], ids=str)
def test_rulebook_three_ways_to_pay_for_two_yellow_on_northern_lights(cards: Cards) -> None:
    route = named(LIGHTS, "Umeå–Storuman yellow")
    game = at(LIGHTS, {"yellow": 2, LOCOMOTIVE: 2, "red": 2})
    game.claim(route, cards)
    assert game.position()["discard"] == cards


def test_northern_lights_a_regular_route_takes_no_other_colour_and_no_pair() -> None:
    route = named(LIGHTS, "Umeå–Storuman yellow")
    game = at(LIGHTS, {"yellow": 2, LOCOMOTIVE: 2, "red": 2})
    assert refused(game, route, {"yellow": 1, "red": 1})
    assert refused(game, route, {"red": 2})
    assert refused(game, route, {"yellow": 1, "red": 2})
    assert refused(game, route, {"yellow": 2, LOCOMOTIVE: 1})


def test_locomotives_are_laid_first_when_a_payment_is_laid_card_by_card() -> None:
    route = named(LIGHTS, "Umeå–Storuman yellow")
    game = at(LIGHTS, {"yellow": 2, LOCOMOTIVE: 1})
    game.play(f"claim {LIGHTS.routes[route]}")
    assert game.phase == "pay"
    assert texts(game) == ["card yellow", "card locomotive"]
    again = game.copy()
    game.play("card locomotive")
    assert hand_of(game) == {"yellow": 1}
    again.play("card yellow")
    assert hand_of(again) == {LOCOMOTIVE: 1}


def test_cards_that_are_not_held_cannot_be_played() -> None:
    route = named(NORDIC, "Oslo–Örebro yellow")
    game = at(NORDIC, {"yellow": 1, "red": 5})
    assert route not in claims(game)
    with pytest.raises(
        IllegalMove,
        match=r"seat 0 cannot claim Oslo–Örebro yellow: it costs 2 yellow; the seat holds 1 yellow and 5 red",
    ):
        game.play("claim Oslo–Örebro yellow")
    with pytest.raises(IllegalMove, match="it costs 2 yellow; the seat holds 1 yellow and 5 red"):
        game.claim(route, {"yellow": 2})


def test_a_route_need_not_touch_your_other_routes() -> None:
    game = at(NORDIC, {"red": 1}, owners={named(NORDIC, "Ålborg–Århus"): 0})
    game.claim(named(NORDIC, "Rovaniemi–Tornio red"), {"red": 1})
    assert len(game.position()["owners"]) == 2


# --- trains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
@pytest.mark.parametrize("left", [3, 4, 5])
def test_a_route_longer_than_the_trains_left_cannot_be_claimed(board: Board, left: int) -> None:
    five = next(number for number, route in enumerate(board.routes) if route.length == 5)
    hand = {LOCOMOTIVE: 14} | dict.fromkeys(COLOURS, 5)
    game = at(board, hand, owners=using(board, 40 - left, clear=[five]), face_up={"red": 5})
    assert game.position()["trains"][0] == left
    assert max(board.routes[number].length for number in claims(game)) == left
    assert (five in claims(game)) == (left == 5)
    if left < 5:
        with pytest.raises(IllegalMove, match=f"it is 5 spaces long and the seat has {left} trains left"):
            game.claim(five, {LOCOMOTIVE: 5})


def test_the_last_trains_may_be_used_up() -> None:
    route = named(NORDIC, "Helsinki–Imatra red")
    game = at(NORDIC, {"red": 3}, owners=using(NORDIC, 37, clear=[route]))
    game.claim(route, {"red": 3})
    assert game.position()["trains"][0] == 0


# --- parallel routes --------------------------------------------------------------------------------------------------

IN_USE = {(NORDIC, 2): 1, (NORDIC, 3): 2, (LIGHTS, 2): 1, (LIGHTS, 3): 1, (LIGHTS, 4): 2, (LIGHTS, 5): 2}
TRIPLES_IN_USE = {2: 1, 3: 2, 4: 3, 5: 3}


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_how_many_sides_of_a_double_route_can_be_claimed(board: Board, seats: int) -> None:
    one, other = named(board, "Karlskrona–Norrköping"), named(board, "Karlskrona–Norrköping") + 1
    hand = {board.routes[one].colour: 3, board.routes[other].colour: 3}
    game = at(board, hand, seats=seats, others={1: hand})
    assert {one, other} <= claims(game)
    game.claim(one, {board.routes[one].colour: 3})
    assert (other in claims(game)) == (IN_USE[board, seats] == 2)
    if IN_USE[board, seats] == 2:
        game.claim(other, {board.routes[other].colour: 3})
        assert game.position()["owners"] == {str(one): 0, str(other): 1}
    else:
        with pytest.raises(IllegalMove, match=f"with {seats} seats it closed when {board.routes[one]} was claimed"):
            game.claim(other, {board.routes[other].colour: 3})


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_nobody_owns_both_sides_of_a_double_route(board: Board, seats: int) -> None:
    one, other = named(board, "Karlskrona–Norrköping"), named(board, "Karlskrona–Norrköping") + 1
    for mine, wanted in ((one, other), (other, one)):
        game = at(board, {board.routes[wanted].colour: 3}, seats=seats, owners={mine: 0})
        assert wanted not in claims(game)
        with pytest.raises(IllegalMove, match="it owns a parallel route"):
            game.play(f"claim {board.routes[wanted]}")


def test_a_claimed_route_cannot_be_claimed_again() -> None:
    route = named(NORDIC, "Helsinki–Imatra red")
    game = at(NORDIC, {"red": 3}, owners={route: 1})
    assert route not in claims(game)
    with pytest.raises(IllegalMove, match="seat 1 owns it"):
        game.play("claim Helsinki–Imatra red")


@pytest.mark.parametrize("seats", range(2, 6))
@pytest.mark.parametrize("pair", ["Karlstad–Oslo", "Karlstad–Stockholm"])
def test_how_many_lanes_of_a_triple_route_can_be_claimed(pair: str, seats: int) -> None:
    lanes = [named(LIGHTS, pair) + lane for lane in range(3)]
    hand = {LOCOMOTIVE: 3}
    game = at(LIGHTS, hand, seats=seats, others=dict.fromkeys(range(1, seats), hand))
    for seat in range(seats):
        taken = min(seat, TRIPLES_IN_USE[seats])
        is_open = seat < TRIPLES_IN_USE[seats]
        assert claims(game) & set(lanes) == (set(lanes[taken:]) if is_open else set())
        if is_open:
            game.claim(lanes[seat], {LOCOMOTIVE: 1})
        else:
            put_aside(game)
    assert len(game.position()["owners"]) == TRIPLES_IN_USE[seats]
    assert not claims(game) & set(lanes), "the first seat owns one of the three"


@pytest.mark.parametrize("seats", range(2, 6))
def test_nobody_owns_two_lanes_of_a_triple_route(seats: int) -> None:
    lanes = [named(LIGHTS, "Karlstad–Oslo") + lane for lane in range(3)]
    for mine in lanes:
        assert not claims(at(LIGHTS, {LOCOMOTIVE: 3}, seats=seats, owners={mine: 0})) & set(lanes)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("pair", ["Kristiansand–Stavanger", "Mo i Rana–Trondheim"])
@pytest.mark.parametrize("lane", [0, 1])
def test_double_routes_whose_sides_differ_are_still_doubles(pair: str, lane: int, seats: int) -> None:
    taken, beside = named(NORDIC, pair) + lane, named(NORDIC, pair) + 1 - lane
    hand = {LOCOMOTIVE: 6}
    assert (beside in claims(at(NORDIC, hand, seats=seats, owners={taken: 1}))) == (seats == 3)
    assert beside not in claims(at(NORDIC, hand, seats=seats, owners={taken: 0}))


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_every_double_and_triple_route_closes_by_the_same_rule(board: Board, seats: int) -> None:
    """For each number of lanes that others own, check whether a seat that can pay may claim the remaining ones."""
    lanes: dict[frozenset[str], list[int]] = {}
    for number, route in enumerate(board.routes):
        lanes.setdefault(frozenset(route.cities), []).append(number)
    hand = {LOCOMOTIVE: 10} | dict.fromkeys(COLOURS, 6)
    for group in (group for group in lanes.values() if len(group) > 1):
        in_use = IN_USE[board, seats] if len(group) == 2 else TRIPLES_IN_USE[seats]
        for taken in range(1, min(in_use, seats - 1) + 1):
            game = at(board, hand, seats=seats, owners={group[lane]: 1 + lane for lane in range(taken)})
            assert claims(game) & set(group) == (set(group[taken:]) if taken < in_use else set()), board.routes[
                group[0]
            ]


def test_identical_parallel_routes_have_different_numbers() -> None:
    game = at(NORDIC, {"red": 4}, seats=3, others={1: {"blue": 4}})
    game.play("claim Stockholm–Sundsvall gray #2")
    assert "claim Stockholm–Sundsvall gray #1" in texts(game)
    assert "claim Stockholm–Sundsvall gray #2" not in texts(game)


# --- "+X" -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cards", "drawn"),
    [
        ("Åndalsnes–Trondheim", {LOCOMOTIVE: 1}, 1),
        ("Kristiansand–Stavanger", {LOCOMOTIVE: 1, "blue": 1}, 1),
        ("Bergen–Åndalsnes", {LOCOMOTIVE: 2, "blue": 2}, 2),
        ("Trondheim–Mo i Rana", {LOCOMOTIVE: 2, "blue": 3}, 3),
        ("Honningsvåg–Kirkenes", {LOCOMOTIVE: 1, "blue": 1}, 0),
    ],
)
def test_after_claiming_a_plus_route_cards_are_drawn_from_the_deck(name: str, cards: Cards, drawn: int) -> None:
    route = named(LIGHTS, name)
    game = at(LIGHTS, cards, seats=3, deck={"red": 6}, face_up={"green": 5})
    events = game.claim(route, cards)
    assert event_codes(events) == ["claimed"] + ["drew"] * drawn
    assert all("colour" not in event.seen_by(1) for event in events[1:])
    assert hand_of(game) == ({"red": drawn} if drawn else {})
    assert game.position()["face_up"] == {"green": 5}
    assert game.view(None).known[0] == {}
    assert game.position()["discard"] == cards
    assert (game.seat, game.phase) == (1, "turn")


def test_plus_may_reshuffle_the_discards_including_the_payment() -> None:
    game = at(LIGHTS, {LOCOMOTIVE: 2, "blue": 3}, deck={"red": 1}, discard={"red": 2}, face_up={"green": 5})
    events = game.claim(named(LIGHTS, "Trondheim–Mo i Rana"), {LOCOMOTIVE: 2, "blue": 3})
    assert event_codes(events) == ["claimed", "drew", "reshuffled", "drew", "drew"]
    assert events[2].seen_by(None)["count"] == 7
    assert sum(hand_of(game).values()) == 3
    assert game.position()["discard"] == {}
    assert sum(game.position()["deck"].values()) == 5


def test_plus_from_an_empty_deck_draws_from_the_payment_and_then_the_row_is_filled() -> None:
    game = at(LIGHTS, {LOCOMOTIVE: 5}, deck={}, face_up={"green": 1})
    events = game.claim(named(LIGHTS, "Trondheim–Mo i Rana"), {LOCOMOTIVE: 5})
    assert event_codes(events) == ["claimed", "reshuffled", "drew", "drew", "drew", "turned_up", "turned_up"]
    assert hand_of(game) == {LOCOMOTIVE: 3}
    assert game.position()["face_up"] == {"green": 1, LOCOMOTIVE: 2}
    assert game.position()["deck"] == {}


def test_plus_draws_as_many_cards_as_there_are(tmp_path: Path) -> None:
    """No built-in route draws more cards than it costs; this one draws 4 for a payment of 1."""
    board = small_board(tmp_path)
    game = at(board, {LOCOMOTIVE: 1}, deck={"red": 1}, face_up={"green": 1}, discard={})
    events = game.claim(named(board, "B–C"), {LOCOMOTIVE: 1})
    assert event_codes(events) == ["claimed", "drew", "reshuffled", "drew"]
    assert hand_of(game) == {"red": 1, LOCOMOTIVE: 1}
    assert game.position()["face_up"] == {"green": 1}


def test_the_row_is_filled_only_after_plus(tmp_path: Path) -> None:
    board = small_board(tmp_path, SMALL.replace("draw_bonus = 4", "draw_bonus = 1"))
    game = at(board, {"red": 2}, deck={}, face_up={})
    events = game.claim(named(board, "B–C"), {"red": 2})
    assert event_codes(events) == ["claimed", "reshuffled", "drew", "turned_up"]
    assert hand_of(game) == {"red": 1} and game.position()["face_up"] == {"red": 1}
