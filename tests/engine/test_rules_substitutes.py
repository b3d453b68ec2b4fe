"""Ferries and Murmansk–Lieksa: which cards can replace others; no card may be superfluous."""

from itertools import product

import pytest
from positions import COLOURS, LIGHTS, LOCOMOTIVE, NORDIC, Cards, at, claims, hand_of, named, texts

from northrail import Board, IllegalMove

pytestmark = pytest.mark.engine

BIG_HAND = {"red": 9, "blue": 9, "green": 9, "white": 6, LOCOMOTIVE: 9}


def check(board: Board, name: str, cards: Cards, legal: bool, hand: Cards | None = None) -> None:
    """Check a payment with `can_pay`, and with `claim`, which discards exactly these cards or changes nothing."""
    route = named(board, name)
    game = at(board, BIG_HAND if hand is None else hand, seats=3)
    assert game.can_pay(route, cards) == legal
    if legal:
        game.claim(route, cards)
        assert game.position()["owners"] == {str(route): 0}
        assert game.position()["discard"] == {
            colour: cards[colour] for colour in (*COLOURS, LOCOMOTIVE) if cards.get(colour)
        }
    else:
        before = game.position()
        with pytest.raises(IllegalMove):
            game.claim(route, cards)
        assert game.position() == before


# --- Nordic ferries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        ({LOCOMOTIVE: 1, "orange": 2}, True),  # the rulebook's example
        ({LOCOMOTIVE: 2, "orange": 1}, True),
        ({LOCOMOTIVE: 3}, True),
        ({"orange": 3}, False),
        ({"orange": 5}, True),  # the symbol by three orange
        ({"orange": 2, "red": 3}, True),
        ({"orange": 2, "red": 2, LOCOMOTIVE: 1}, False),
    ],
)
def test_rulebook_the_ferry_to_kristiansand_needs_a_locomotive_or_three_cards(cards: Cards, legal: bool) -> None:
    check(NORDIC, "Kristiansand–Stavanger orange", cards, legal, {"orange": 6, "red": 6, LOCOMOTIVE: 6})


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        # Ålborg–Kristiansand: two spaces, one symbol, red
        ({LOCOMOTIVE: 1, "red": 1}, True),
        ({LOCOMOTIVE: 2}, True),
        ({LOCOMOTIVE: 1, "blue": 3}, True),
        ({LOCOMOTIVE: 1, "blue": 2, "green": 1}, True),
        ({"red": 1, "blue": 3}, True),
        ({"red": 1, "blue": 1, "green": 1, "white": 1}, True),
        ({"red": 4}, True),  # three of them pay for the symbol
        ({"red": 3, "blue": 1}, True),  # red, and a three of red, red, blue
        ({"blue": 6}, True),  # threes stack and may fill every space
        ({"blue": 2, "green": 2, "white": 2}, True),
        ({LOCOMOTIVE: 1}, False),
        ({LOCOMOTIVE: 1, "blue": 1}, False),
        ({LOCOMOTIVE: 1, "blue": 2}, False),
        ({"red": 2}, False),
        ({"red": 3}, False),
        ({"blue": 3}, False),
        ({LOCOMOTIVE: 1, "red": 2}, False),  # one card too many
        ({LOCOMOTIVE: 1, "red": 3}, False),  # a red card would do for the three
        ({LOCOMOTIVE: 1, "blue": 2, "red": 1}, False),
        ({LOCOMOTIVE: 2, "red": 1}, False),
        ({LOCOMOTIVE: 3}, False),
        ({LOCOMOTIVE: 1, "blue": 4}, False),
        ({"red": 1, "blue": 4}, False),
        ({"red": 1, "blue": 5}, False),  # red with three blue would do
        ({"red": 6}, False),
        ({"red": 5}, False),
        ({"blue": 7}, False),
        ({"blue": 5}, False),
        ({"blue": 5, LOCOMOTIVE: 1}, False),  # a locomotive never belongs to a three
        ({"blue": 2, LOCOMOTIVE: 1, "red": 1}, False),
    ],
    ids=str,
)
def test_a_coloured_nordic_ferry(cards: Cards, legal: bool) -> None:
    check(NORDIC, "Ålborg–Kristiansand red", cards, legal)


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        # Helsinki–Stockholm: four spaces, two symbols, gray
        ({LOCOMOTIVE: 2, "red": 2}, True),
        ({LOCOMOTIVE: 2, "red": 1, "blue": 1}, False),
        ({LOCOMOTIVE: 4}, True),
        ({LOCOMOTIVE: 3, "red": 1}, True),
        ({LOCOMOTIVE: 3, "red": 3}, True),  # no set: three red for a space
        ({LOCOMOTIVE: 3, "red": 2}, False),
        ({LOCOMOTIVE: 1, "red": 2, "blue": 3}, True),
        ({LOCOMOTIVE: 2, "red": 1, "blue": 3}, True),  # three blue for a space that is no symbol
        ({"red": 2, "blue": 6}, True),
        ({"red": 8}, True),
        ({"red": 3, "blue": 5}, True),
        ({"red": 1, "blue": 9}, True),
        ({"red": 6, "blue": 6}, True),  # no set at all: twelve cards
        ({"red": 4, "blue": 4, "green": 4}, True),
        ({"red": 6, "blue": 7}, False),
        ({"red": 6, "blue": 5}, False),
        ({LOCOMOTIVE: 2, "red": 3}, False),
        ({LOCOMOTIVE: 2, "red": 6}, True),  # no set: two threes
        ({LOCOMOTIVE: 5}, False),
    ],
    ids=str,
)
def test_a_gray_nordic_ferry(cards: Cards, legal: bool) -> None:
    check(NORDIC, "Helsinki–Stockholm gray", cards, legal)


def test_a_nordic_ferry_of_one_space_takes_a_locomotive_or_any_three_cards() -> None:
    for cards in product(range(4), repeat=3):
        red, blue, locomotives = cards
        paid = {"red": red, "blue": blue, LOCOMOTIVE: locomotives}
        legal = (red + blue, locomotives) in ((0, 1), (3, 0))
        game = at(NORDIC, {"red": 3, "blue": 3, LOCOMOTIVE: 3})
        assert game.can_pay(named(NORDIC, "Vaasa–Umeå"), paid) == legal, paid
    check(NORDIC, "Århus–København gray", {LOCOMOTIVE: 1}, True)
    check(NORDIC, "Århus–København gray", {"red": 1, "blue": 1, "green": 1}, True)
    check(NORDIC, "Århus–København gray", {"red": 2, LOCOMOTIVE: 1}, False)


def test_a_ferry_paid_by_threes_scores_and_takes_trains_by_its_spaces() -> None:
    route = named(NORDIC, "Åndalsnes–Bergen black")
    game = at(NORDIC, {"black": 3, "red": 6})
    game.claim(route, {"black": 3, "red": 6})
    assert game.view(None).points == [10, 0]
    assert game.position()["trains"] == [35, 40]


def test_laying_card_by_card_reaches_every_payment_and_offers_no_superfluous_card() -> None:
    """One locomotive, two red, three blue for a red ferry of two spaces and one symbol: all four ways, and no other."""
    route = named(NORDIC, "Ålborg–Kristiansand red")
    hand = {LOCOMOTIVE: 1, "red": 2, "blue": 3}
    reached = set()
    start = at(NORDIC, hand)
    assert start.play("claim Ålborg–Kristiansand red") == []
    games = [start]
    while games:
        game = games.pop()
        if game.phase == "pay":
            for move in game.moves():
                games.append(game.copy())
                games[-1].play(move)
        else:
            reached.add(tuple(sorted(game.position()["discard"].items())))
    every = product(range(2), range(3), range(4))
    payable = {
        tuple(
            sorted((colour, count) for colour, count in zip((LOCOMOTIVE, "red", "blue"), counts, strict=True) if count)
        )
        for counts in every
        if at(NORDIC, hand).can_pay(route, dict(zip((LOCOMOTIVE, "red", "blue"), counts, strict=True)))
    }
    assert reached == payable
    assert reached == {
        (("locomotive", 1), ("red", 1)),
        (("blue", 3), ("locomotive", 1)),
        (("blue", 3), ("red", 1)),
        (("blue", 2), ("red", 2)),
    }


@pytest.mark.parametrize(
    "hand",
    [
        {"orange": 1, "white": 1, "black": 1, "red": 1},
        {"red": 4, "blue": 3, LOCOMOTIVE: 2},
        {"green": 9, "red": 8, LOCOMOTIVE: 4},
    ],
    ids=str,
)
@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
def test_the_payments_listed_for_a_route_are_distinct_and_legal(board: Board, hand: Cards) -> None:
    game = at(board, hand)
    options = game.view(0).options
    assert options is not None
    assert {int(route) for route in options["claim"]} == claims(game)
    for route, price in options["claim"].items():
        payments = [tuple(sorted(cards.items())) for cards in price["payments"]]
        assert payments and len(set(payments)) == len(payments), str(board.routes[int(route)])
        assert all(game.can_pay(int(route), cards) for cards in price["payments"])


# --- ferries of Northern Lights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        # Ålborg–Oslo: three spaces, one symbol
        ({"red": 2, LOCOMOTIVE: 1}, True),  # the rulebook's example: two of one colour and a locomotive,
        ({"red": 2, "blue": 2}, True),  # or a pair
        ({"red": 4}, True),  # also of the set's colour
        ({"red": 1, LOCOMOTIVE: 2}, True),
        ({LOCOMOTIVE: 3}, True),
        ({"red": 1, LOCOMOTIVE: 1, "blue": 2}, True),  # the pair for the symbol, the locomotive for a space
        ({LOCOMOTIVE: 2, "blue": 2}, True),
        ({"red": 2, "blue": 1, "green": 1}, False),  # no pair
        ({"red": 1, "blue": 1, LOCOMOTIVE: 1}, False),  # no set of one colour
        ({"red": 3}, False),
        ({"red": 5}, False),
        ({"red": 1, "blue": 4}, False),  # a pair never pays for a space without symbol
        ({"blue": 2, "green": 2, "white": 2}, False),
        ({"red": 2, LOCOMOTIVE: 2}, True),  # no set: the pair for the symbol, locomotives for the rest
        ({"red": 3, LOCOMOTIVE: 1}, False),  # two red would do
        ({"red": 2, "blue": 3}, False),
        ({LOCOMOTIVE: 4}, False),
    ],
    ids=str,
)
def test_a_northern_ferry_with_one_symbol(cards: Cards, legal: bool) -> None:
    check(LIGHTS, "Ålborg–Oslo gray", cards, legal)


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        # Mo i Rana–Narvik: four spaces, two symbols
        ({LOCOMOTIVE: 1, "blue": 2, "red": 2}, True),  # the rulebook's example
        ({LOCOMOTIVE: 2, "red": 2}, True),
        ({"red": 2, "blue": 2, "green": 2}, True),  # pairs of different colours
        ({"red": 2, "blue": 4}, True),  # and of one
        ({"red": 6}, True),  # and of the set's
        ({"red": 4, "blue": 2}, True),
        ({"red": 2, "blue": 3, "green": 1}, False),
        ({"red": 2, "blue": 2, "green": 1, "white": 1}, False),
        ({"red": 1, "blue": 1, "green": 2, "white": 2}, False),
        ({"red": 4}, False),
        ({"red": 2, "blue": 2}, False),
        ({"red": 2, "blue": 2, "green": 2, "white": 2}, False),
        ({LOCOMOTIVE: 4}, True),
        ({LOCOMOTIVE: 5}, False),
    ],
    ids=str,
)
def test_a_northern_ferry_with_two_symbols(cards: Cards, legal: bool) -> None:
    check(LIGHTS, "Mo i Rana–Narvik gray #1", cards, legal)


def test_a_northern_ferry_of_one_space_takes_a_locomotive_or_a_pair() -> None:
    game = at(LIGHTS, {"red": 3, "blue": 3, LOCOMOTIVE: 3})
    route = named(LIGHTS, "Umeå–Vaasa gray #1")
    for red, blue, locomotives in product(range(4), repeat=3):
        paid = {"red": red, "blue": blue, LOCOMOTIVE: locomotives}
        assert game.can_pay(route, paid) == ((red, blue, locomotives) in ((0, 0, 1), (2, 0, 0), (0, 2, 0))), paid


@pytest.mark.parametrize(
    ("hand", "can"), [({"red": 1, "blue": 1}, False), ({"red": 2}, True), ({LOCOMOTIVE: 1}, True)], ids=str
)
def test_a_northern_ferry_is_offered_if_and_only_if_the_hand_can_pay(hand: Cards, can: bool) -> None:
    assert (named(LIGHTS, "Umeå–Vaasa gray #1") in claims(at(LIGHTS, hand))) == can


# --- Murmansk–Lieksa --------------------------------------------------------------------------------------------------

MANY = {"green": 12, "red": 12, "blue": 12, LOCOMOTIVE: 8}


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        ({"green": 9}, True),
        ({"green": 8, "red": 4}, True),
        ({"green": 7, "red": 8}, True),  # the rulebook's example
        ({"green": 7, "red": 3, "blue": 4, LOCOMOTIVE: 1}, True),
        ({"green": 5, "red": 12, "blue": 4}, True),
        ({"green": 5, "red": 8, "blue": 3, LOCOMOTIVE: 5}, True),  # locomotives inside the fours
        ({"green": 8, LOCOMOTIVE: 4}, True),
        ({"green": 7, LOCOMOTIVE: 8}, True),
        ({"green": 12, "red": 12, "blue": 12}, True),  # 36 cards with no set
        ({"green": 12, "red": 12, "blue": 4, LOCOMOTIVE: 8}, True),
        ({"green": 1, "red": 12, "blue": 12, LOCOMOTIVE: 8}, True),  # 1 + 32
        ({"green": 10}, False),
        ({"green": 9, "red": 4}, False),
        ({"green": 8, LOCOMOTIVE: 1}, False),  # a locomotive is no wild card here
        ({"green": 8, "red": 3}, False),
        ({"green": 8, "red": 5}, False),
        ({"green": 7, "red": 7}, False),
        ({"green": 7, "red": 9}, False),
        ({"green": 5, "red": 12, "blue": 3}, False),
        ({"green": 5, "red": 12, "blue": 5}, False),
        ({"green": 12}, False),  # 9 would do, and 12 are three fours only
        ({"green": 12, "red": 12, "blue": 11}, False),
        ({"green": 12, "red": 12, "blue": 12, LOCOMOTIVE: 1}, False),
        ({LOCOMOTIVE: 8}, False),
    ],
    ids=str,
)
def test_murmansk_lieksa(cards: Cards, legal: bool) -> None:
    check(NORDIC, "Lieksa–Murmansk gray", cards, legal, MANY)


def test_murmansk_lieksa_scores_27_and_takes_nine_trains_whatever_was_paid() -> None:
    game = at(NORDIC, MANY)
    game.claim(named(NORDIC, "Lieksa–Murmansk gray"), {"green": 12, "red": 12, "blue": 12})
    assert game.view(None).points == [27, 0]
    assert game.position()["trains"] == [31, 40]
    assert hand_of(game) == {LOCOMOTIVE: 8}


@pytest.mark.parametrize(
    ("hand", "can"),
    [
        ({"green": 9}, True),
        ({"green": 8, LOCOMOTIVE: 3}, False),
        ({"green": 8, LOCOMOTIVE: 3, "red": 1}, True),
        (dict.fromkeys(COLOURS, 4) | {LOCOMOTIVE: 1}, True),  # 4 of a set and 29 others; 20 are wanted
        (dict.fromkeys(COLOURS, 2) | {LOCOMOTIVE: 13}, False),  # 2 of a set and 27 others; 28 are wanted
        (dict.fromkeys(COLOURS, 2) | {LOCOMOTIVE: 14}, True),
    ],
    ids=str,
)
def test_murmansk_lieksa_is_offered_if_and_only_if_the_hand_can_pay(hand: Cards, can: bool) -> None:
    assert (named(NORDIC, "Lieksa–Murmansk gray") in claims(at(NORDIC, hand))) == can


def test_murmansk_lieksa_with_no_set_lays_locomotives_last_and_all_of_them() -> None:
    paid = {"green": 12, "red": 12, "blue": 4, LOCOMOTIVE: 8}
    game = at(NORDIC, MANY)
    [event] = game.claim(named(NORDIC, "Lieksa–Murmansk gray"), paid)
    assert event.seen_by(None)["cards"] == paid
    assert hand_of(game) == {"blue": 8}


def test_murmansk_lieksa_with_no_set_is_spelled_as_a_locomotive() -> None:
    game = at(NORDIC, dict.fromkeys(COLOURS, 5))
    game.play("claim Lieksa–Murmansk gray")
    assert texts(game) == [f"card {colour}" for colour in (*COLOURS, LOCOMOTIVE)]
    game.play("card locomotive")
    assert (game.seat, game.phase) == (0, "pay")
