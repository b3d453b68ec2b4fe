"""Impossible positions: the error names the field that is wrong."""

from typing import Any

import pytest
from positions import LIGHTS, LOCOMOTIVE, NORDIC, at, named, situation, using

from northrail import BadPosition, Board, Game
from northrail.engine.position import FIELDS

pytestmark = pytest.mark.engine

OSLO_HELSINKI, OSLO_STOCKHOLM = ["Oslo", "Helsinki"], ["Oslo", "Stockholm"]
GREEN = named(NORDIC, "Kristiansand–Stavanger green")
GRAY = named(NORDIC, "Göteborg–Norrköping gray")


class _Missing:
    def __repr__(self) -> str:
        return "left out"


MISSING = _Missing()  # as a value: leave the field out


def at_turn(board: Board) -> dict[str, Any]:
    return at(board, {"red": 3, "blue": 2}, tickets={0: ["Oslo–Helsinki"], 1: ["Oslo–Stockholm"]}).position()


def paying() -> dict[str, Any]:
    game = at(NORDIC, {"green": 5, "red": 5})
    game.play("claim Göteborg–Norrköping gray")
    return game.position()


def in_tunnel() -> dict[str, Any]:
    game = at(NORDIC, {"green": 5, LOCOMOTIVE: 2}, deck={"green": 3})
    game.claim(GREEN, {"green": 2})
    return game.position()


def choosing(board: Board) -> dict[str, Any]:
    return Game(board, seats=2, seed=1, first=0).position()


def with_batches() -> dict[str, Any]:
    game = at(LIGHTS, ticket_deck=["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Tallinn"])
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    return game.position()


def refused(board: Board, position: dict[str, Any], message: str, /, **changes: Any) -> None:
    """Check that the position is good as it is, and refused with the changes."""
    assert Game.from_position(board, position).position() == position
    broken = {name: value for name, value in (position | changes).items() if value is not MISSING}
    with pytest.raises(BadPosition, match=message):
        Game.from_position(board, broken)


@pytest.mark.parametrize("thing", [None, [], "position", 7], ids=repr)
def test_something_that_is_not_a_position(thing: Any) -> None:
    with pytest.raises(BadPosition, match="expected a position with fields such as hands and owners, got "):
        Game.from_position(NORDIC, thing)


# --- cards ------------------------------------------------------------------------------------------------------------


def test_111_cards() -> None:
    position = at_turn(NORDIC)
    one_more = position["deck"] | {"red": position["deck"]["red"] + 1}
    assert sum(one_more.values()) + sum(sum(hand.values()) for hand in position["hands"]) + 5 == 111
    refused(NORDIC, position, "^deck: expected .*, the cards that are nowhere else, got ", deck=one_more)


def test_109_cards() -> None:
    position = at_turn(NORDIC)
    refused(NORDIC, position, "^deck: ", deck=position["deck"] | {"red": position["deck"]["red"] - 1})


@pytest.mark.parametrize("place", ["hands", "face_up", "discard"])
def test_thirteen_cards_of_a_colour(place: str) -> None:
    position = situation(NORDIC, {"red": 8}, face_up={"red": 4, "blue": 1}, discard={})
    wrong: dict[str, Any] = {
        "hands": [{"red": 9}, {}],
        "face_up": {"red": 5},
        "discard": {"red": 1},
    }
    Game.from_position(NORDIC, position)
    with pytest.raises(BadPosition, match="expected 12 red cards in all places together, got 13"):
        Game.from_position(NORDIC, position | {place: wrong[place]})


def test_fifteen_locomotives_on_nordic_and_nineteen_on_northern_lights() -> None:
    for board, most in ((NORDIC, 14), (LIGHTS, 18)):
        at(board, {LOCOMOTIVE: most})
        with pytest.raises(
            BadPosition, match=f"expected {most} locomotive cards in all places together, got {most + 1}"
        ):
            at(board, {LOCOMOTIVE: most + 1})


@pytest.mark.parametrize("field", ["hands", "known"])
@pytest.mark.parametrize(
    "wrong",
    [
        {},
        "red",
        [{}],
        [{}, {}, {}],
        [{"pink": 1}, {}],
        [{"red": -1}, {}],
        [{"red": 1.0}, {}],
        [{"red": "1"}, {}],
        [{"red": True}, {}],
        [{"red": 200}, {}],
        [{"red": None}, {}],
        [3, {}],
        [None, {}],
        ["red", {}],
        [[3, 4], {}],
        [["red", None], {}],
        [["pink"], {}],
    ],
    ids=repr,
)
def test_values_that_are_not_cards_of_each_seat(field: str, wrong: Any) -> None:
    refused(NORDIC, at_turn(NORDIC), f"^{field}: ", **{field: wrong}, deck=MISSING)


@pytest.mark.parametrize("field", ["face_up", "discard", "deck"])
@pytest.mark.parametrize(
    "wrong", [None, 5, "red", {"pink": 1}, {"red": -1}, {"red": 0.5}, {"red": "x"}, ["pink"], [7]], ids=repr
)
def test_values_that_are_not_piles(field: str, wrong: Any) -> None:
    refused(NORDIC, at_turn(NORDIC), f"^{field}: ", **{field: wrong})


def test_cards_may_be_listed_one_by_one() -> None:
    position = situation(NORDIC) | {"hands": [["red", "red", "blue"], {}]}
    assert Game.from_position(NORDIC, position).position()["hands"][0] == {"blue": 1, "red": 2}


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("^hands: ", {"hands": MISSING}),
        ("^hands: expected at most 126 cards in a hand, got ", {"hands": [{"red": 120, "blue": 120}, {}]}),
        ("^face_up: expected at most 5 cards, got ", {"face_up": {"red": 3, "blue": 3}, "deck": MISSING}),
        (r"^known: expected cards that seat 0 holds \(\{'blue': 2, 'red': 3\}\), got ", {"known": [{"red": 4}, {}]}),
        ("^known: expected cards that seat 1 holds ", {"known": [{}, {"red": 1}]}),
        ("^laid: expected nothing in phase turn, got ", {"laid": {"red": 1}, "deck": MISSING}),
        ("^revealed: expected nothing in phase turn, got ", {"revealed": {"red": 1}, "deck": MISSING}),
    ],
    ids=str,
)
def test_cards_in_the_wrong_place(message: str, changes: dict[str, Any]) -> None:
    refused(NORDIC, at_turn(NORDIC), message, **changes)


def test_discards_beside_an_empty_deck() -> None:
    position = situation(NORDIC, deck={}, discard={"red": 3})
    with pytest.raises(
        BadPosition, match=r"^deck: expected cards, because the discards replace an empty deck at once, got "
    ):
        Game.from_position(NORDIC, position)


# --- seats, phases and numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("board", ["northern-lights", None, 3]),
        ("seats", [1, 4, 0, -2, "2", None, True, 2.0, MISSING]),
        ("first", [2, -1, "0", None, True]),
        ("seat", [2, -1, "0", None, 1.0, MISSING]),
        ("phase", ["dance", None, 1, ["turn"], MISSING]),
        ("turns_left", [0, 3, -1, "1", 1.0, True]),
        ("passes", [-1, 2, "0", None, 0.0]),
        ("rng", [0, -1, 2**63, "5", None, 1.5]),
        ("trains", [[40], [40, 41], [40, 40, 40], [40, -1], [40, "x"], [40, True], 40, "x"]),
        ("bonus_cards", [["Globetrotter"] * 2, ["Ferry Master"], "Globetrotter", None, 3, [["Globetrotter"]], [3]]),
        ("route", [5, 0, 999, "5", True]),
        ("set", ["red", "pink", 5]),
        ("offered", [[OSLO_HELSINKI], None, 5, "x"]),
        ("dealt", [[[], []], [[OSLO_HELSINKI], []], 5, "x", [[]]]),
        ("batches", [[{"seat": 0, "count": 1}], 5]),
    ],
)
def test_each_field_wrong_in_turn(field: str, wrong: list[Any]) -> None:
    position = at_turn(NORDIC)
    for value in wrong:
        refused(NORDIC, position, f"^{field}: ", **{field: value})


def test_a_field_that_does_not_exist() -> None:
    refused(NORDIC, at_turn(NORDIC), "^unknown field 'winner'; expected board, seats, first, .*, rng$", winner=0)
    refused(NORDIC, at_turn(NORDIC), r"^unknown field 'hand'; did you mean 'hands'\?$", hand={})


def test_the_fields_are_those_of_a_position(board: Board) -> None:
    assert tuple(at_turn(board)) == FIELDS


def test_seats_of_the_board() -> None:
    with pytest.raises(BadPosition, match=r"^seats: expected a number from 2 to 3, got 4"):
        at(NORDIC, seats=4)
    with pytest.raises(BadPosition, match=r"^seats: expected a number from 2 to 5, got 6"):
        at(LIGHTS, seats=6)


@pytest.mark.parametrize(
    "wrong",
    [
        ["Ferry Master", "Polar Express", "Snowplow award", "Snowplow award"],
        ["Ferry Master", "Polar Express", "Snowplow award", "Globetrotter"],
        ["Ferry Master", "Polar Express", "Snowplow award", ["The wild west"]],
        MISSING,
    ],
    ids=str,
)
def test_bonus_cards_of_northern_lights(wrong: Any) -> None:
    message = "^bonus_cards: expected names of Call of the wild, .*, each once, got "
    refused(LIGHTS, at_turn(LIGHTS), message, bonus_cards=wrong)


# --- routes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("owners", "message"),
    [
        ([], "expected routes and seats such as"),
        ("5", "expected routes and seats such as"),
        (None, "expected routes and seats such as"),
        ({"81": 0}, "expected a route from 0 to 80 and a seat, got {'81': 0}"),
        ({"-1": 0}, "expected a route from 0 to 80 and a seat"),
        ({"Oslo": 0}, "expected a route from 0 to 80 and a seat"),
        ({"": 0}, "expected a route from 0 to 80 and a seat"),
        ({"5": 2}, "expected a route from 0 to 80 and a seat, got {'5': 2}"),
        ({"5": -1}, "expected a route from 0 to 80 and a seat"),
        ({"5": None}, "expected a route from 0 to 80 and a seat"),
        ({"5": "0"}, "expected a route from 0 to 80 and a seat"),
        ({"5": True}, "expected a route from 0 to 80 and a seat"),
        ({"5" * 5000: 0}, "expected a route from 0 to 80 and a seat"),
        ({"8": 0, "9": 0}, r"expected a route open to seat 0, .*, got '9 \(Bergen–Oslo red\)'"),
        ({"8": 0, "9": 1}, "expected a route open to seat 1, with no parallel route that closes it"),
        ({"5": 0, 5: 1}, "expected a route open to seat 1"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_impossible_owners(owners: Any, message: str) -> None:
    with pytest.raises(BadPosition, match=f"^owners: {message}"):
        Game.from_position(NORDIC, situation(NORDIC) | {"owners": owners})


def test_more_trains_than_there_are() -> None:
    owners = {str(route): 0 for route in using(NORDIC, 40)}
    Game.from_position(NORDIC, situation(NORDIC) | {"owners": owners})
    more = owners | {str(named(NORDIC, "Boden–Tornio")): 0}
    with pytest.raises(BadPosition, match=r"^owners: expected routes for at most 40 trains of seat 0, got "):
        Game.from_position(NORDIC, situation(NORDIC) | {"owners": more})


def test_more_trains_than_the_routes_leave() -> None:
    position = at_turn(NORDIC) | {"owners": {"0": 0}, "trains": [39, 40]}
    message = r"^trains: expected at most \[39, 40\], the trains that `owners` leaves, got 40"
    refused(NORDIC, position, message, trains=[40, 40])


# --- tickets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["tickets", "returned"])
@pytest.mark.parametrize(
    "wrong",
    [
        "x",
        5,
        [[]],
        [[], [], []],
        [5, []],
        ["Oslo", []],
        [["Oslo–Helsinki"], []],
        [[["Oslo"]], []],
        [[["Oslo", "Helsinki", "Turku"]], []],
        [[["Oslo", "Atlantis"]], []],
        [[["Oslo", 5]], []],
        [[["Oslo", "Tromsø"]], []],
        [[OSLO_HELSINKI, OSLO_HELSINKI], []],
        [[OSLO_HELSINKI, ["Helsinki", "Oslo"]], []],
    ],
    ids=repr,
)
def test_values_that_are_not_tickets(field: str, wrong: Any) -> None:
    refused(NORDIC, at_turn(NORDIC), f"^{field}: ", **{field: wrong})


def test_a_ticket_in_two_places() -> None:
    position = at_turn(NORDIC)
    deck = position["ticket_deck"]
    message = "^ticket_deck: expected every ticket in one place, got Oslo–Helsinki in two"
    refused(NORDIC, position, message, tickets=[[OSLO_HELSINKI], [OSLO_HELSINKI, OSLO_STOCKHOLM]])
    refused(NORDIC, position, message, ticket_deck=[OSLO_HELSINKI, *deck])
    refused(NORDIC, position, message, returned=[[], [OSLO_HELSINKI]])
    refused(NORDIC, position, "^ticket_deck: expected each ticket once", ticket_deck=[deck[0], *deck])
    wrong: Any
    for wrong in (5, "x", {}, [5], None):
        refused(NORDIC, position, "^ticket_deck: ", ticket_deck=wrong)


@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
def test_impossible_first_tickets(board: Board) -> None:
    position = choosing(board)
    mine, theirs = position["offered"], position["dealt"][1]
    refused(
        board, position, "^offered: expected tickets in phase tickets, none in others", offered=[], ticket_deck=MISSING
    )
    refused(board, position, "^offered: ", phase="turn", dealt=None, ticket_deck=MISSING)
    refused(board, position, "^offered: expected at most 3 tickets", dealt=None, ticket_deck=MISSING)
    refused(board, position, "^dealt: expected tickets for the seats that choose after seat 0", dealt=[theirs, []])
    refused(board, position, "^dealt: ", dealt=[[], theirs[1:]], ticket_deck=MISSING)
    refused(board, position, "^dealt: ", dealt=[[], []], ticket_deck=MISSING)
    refused(board, position, "^dealt: ", first=1)
    refused(board, position, "^dealt: ", tickets=[[], [position["ticket_deck"][0]]], ticket_deck=MISSING)
    more = [*mine, position["ticket_deck"][0]]
    refused(board, position, "^offered: expected at most", offered=more, ticket_deck=MISSING)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("^batches: ", {"batches": [{"seat": 0, "count": 3}]}),
        ("^batches: ", {"batches": [{"seat": 1, "count": 2}]}),
        ("^batches: ", {"batches": [{"seat": 5, "count": 2}]}),
        ("^batches: ", {"batches": [{"seat": 0, "count": 0}]}),
        ("^batches: ", {"batches": [{"seat": 0, "count": 99}]}),
        ("^batches: ", {"batches": [{"seat": "0", "count": 2}]}),
        ("^batches: ", {"batches": [{"seat": 0}]}),
        ("^batches: ", {"batches": [5]}),
        ("^batches: ", {"batches": "x"}),
        ("^batches: ", {"batches": {"seat": 0, "count": 2}}),
        ("^returned: expected the tickets of seat 0 in `batches`", {"batches": [{"seat": 0, "count": 1}]}),
        ("^returned: expected the tickets of seat 0 in `batches`", {"batches": []}),
        ("^(returned|batches): ", {"returned": [[], []]}),
        ("^(returned|batches): ", {"returned": [[], [OSLO_STOCKHOLM, ["Oslo", "København"]]]}),
    ],
    ids=str,
)
def test_impossible_batches(message: str, changes: dict[str, Any]) -> None:
    refused(LIGHTS, with_batches(), message, **changes)


# --- paying -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("^route: ", {"route": None}),
        ("^route: ", {"route": 999}),
        ("^route: ", {"route": "Oslo"}),
        ("^route: expected a route open to seat 0", {"owners": {str(GRAY): 1}, "trains": MISSING}),
        ("^set: expected the colour of the set for Göteborg–Norrköping gray, got 'pink'", {"set": "pink"}),
        ("^laid: ", {"set": "blue"}),
        ("^laid: ", {"set": LOCOMOTIVE}),
        ("^set: ", {"set": 5}),
        ("^set: ", {"laid": {"green": 1}, "deck": MISSING}),
        ("^laid: ", {"set": "green", "laid": {"green": 4}, "hands": [{"red": 5}, {}], "deck": MISSING}),
        ("^revealed: expected nothing in phase pay", {"revealed": {"red": 1}, "deck": MISSING}),
        ("^laid: ", {"hands": [{}, {}], "deck": MISSING}),
    ],
    ids=str,
)
def test_impossible_payments(message: str, changes: dict[str, Any]) -> None:
    refused(NORDIC, paying(), message, **changes)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        (
            "^laid: expected 2 cards for the tunnel Kristiansand–Stavanger green",
            {"laid": {"green": 1}, "deck": MISSING},
        ),
        ("^laid: ", {"laid": {"red": 2}, "set": MISSING, "deck": MISSING, "hands": [{}, {}]}),
        ("^laid: ", {"laid": {"green": 1, "red": 1}, "set": MISSING, "deck": MISSING, "hands": [{}, {}]}),
        ("^laid: ", {"laid": {"green": 3}, "deck": MISSING, "hands": [{}, {}]}),
        ("^laid: ", {"route": GRAY}),
        ("^route: ", {"route": None}),
        ("^set: ", {"set": "red"}),
        ("^set: ", {"set": LOCOMOTIVE}),
        ("^revealed: expected the cards turned over, with an extra cost to pay", {"revealed": {}, "deck": MISSING}),
        ("^revealed: ", {"revealed": {"red": 3}, "deck": MISSING, "hands": [{}, {}]}),
        ("^revealed: ", {"revealed": {"green": 4}, "deck": MISSING, "hands": [{}, {}]}),
    ],
    ids=str,
)
def test_impossible_tunnels(message: str, changes: dict[str, Any]) -> None:
    refused(NORDIC, in_tunnel(), message, **changes)


# --- what may be left out ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
def test_fields_with_usual_values_may_be_left_out(board: Board) -> None:
    position = at_turn(board)
    needed = ("seats", "seat", "phase", "hands", "face_up", "tickets", "ticket_deck", "bonus_cards", "rng")
    short = {name: position[name] for name in needed}
    assert Game.from_position(board, short).position() == position
    del short["rng"], short["ticket_deck"]
    read = Game.from_position(board, short).position()
    assert sorted(read["ticket_deck"]) == sorted(position["ticket_deck"])
