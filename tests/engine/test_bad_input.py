"""Bad moves, claims and records: each raises its own error, which says what was expected, and changes nothing."""

import copy
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from positions import LIGHTS, LOCOMOTIVE, NORDIC, Cards, at, named, situation, small_board, using

import northrail
from northrail import BadMove, BadPosition, BadRecord, Game, IllegalMove, Move, NorthrailError

pytestmark = pytest.mark.engine


def unchanged(game: Game) -> AbstractContextManager[None]:
    """Check that the block leaves the game unchanged: its position, its record and its moves."""

    @contextmanager
    def watched() -> Any:
        before = game.position(), game.record(), game.moves(), game.copy()
        yield
        assert (game.position(), game.record(), game.moves()) == before[:3]
        assert game == before[3]

    return watched()


def under_way() -> Game:
    """Return a game after some moves, so that its record is not empty."""
    game = Game(NORDIC, seats=2, seed=3, first=0)
    while game.phase == "tickets":
        game.play(game.moves()[0])
    game.play("take blind")
    game.play("take blind")
    return game


# --- moves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected claim, take, .*got ''"),
        ("   ", "expected claim, take, .*got '   '"),
        ("fly", "expected claim, take, .*got 'fly'"),
        ("take", "got 'take'"),
        ("take pink", "got 'take pink'"),
        ("take red red", "got 'take red red'"),
        ("take blind now", "got 'take blind now'"),
        ("draw", "got 'draw'"),
        ("draw cards", "got 'draw cards'"),
        ("card", "got 'card'"),
        ("card gray", "got 'card gray'"),
        ("give", "got 'give'"),
        ("pass please", "got 'pass please'"),
        ("claim", "expected a route of Nordic Countries such as 'claim Ålborg–Århus purple', got 'claim'"),
        ("claim Oslo", "got 'claim Oslo'"),
        ("claim Bergen–Oslo", "got 'claim Bergen–Oslo'; is it Bergen–Oslo blue or Bergen–Oslo red?"),
        ("claim Bergen–Oslo green", "expected a route .*got 'claim Bergen–Oslo green'"),
        ("claim Bergen–Atlantis red", "got 'claim Bergen–Atlantis red'"),
        ("claim Stockholm–Sundsvall gray #3", "#3"),
        ("keep", "expected tickets on offer"),
        ("keep Oslo–Helsinki", r"expected tickets on offer \(none\)"),
    ],
)
def test_a_text_that_does_not_name_a_move_is_refused(text: str, message: str) -> None:
    game = under_way()
    with unchanged(game), pytest.raises(BadMove, match=message):
        game.play(text)


@pytest.mark.parametrize("move", [None, 3.0, True, b"pass", ["pass"], {"move": "pass"}], ids=repr)
def test_an_object_that_is_not_a_move_is_refused(move: Any) -> None:
    game = under_way()
    with unchanged(game), pytest.raises(BadMove, match="expected a Move, a text or a number, got "):
        game.play(move)


@pytest.mark.parametrize("number", [-1, -(10**20), 81 + 53, 10**6, 10**20])
def test_a_number_that_is_not_a_move_is_refused(number: int) -> None:
    game = under_way()
    with unchanged(game), pytest.raises(BadMove, match=f"expected a move number from 0 to 133, got {number}"):
        game.play(number)
    with unchanged(game), pytest.raises(BadMove, match=f"expected a move number from 0 to 133, got {number}"):
        game.play(Move(number, "take blind", "blind"))


@pytest.mark.parametrize("text", ["keep {0}, {0}", "keep {0}; {1}", "keep {0}, Oslo–Narnia", "keep {0},", "keep , {0}"])
def test_keeping_tickets_that_are_not_on_offer_is_refused(text: str) -> None:
    game = Game(NORDIC, seed=3, first=0)
    names = ["–".join(ends) for ends in game.position()["offered"]]
    with (
        unchanged(game),
        pytest.raises(BadMove, match=r"expected tickets on offer .*, each once, with commas between, got 'keep"),
    ):
        game.play(text.format(*names))


def test_keeping_more_tickets_than_are_on_offer_is_refused() -> None:
    game = at(NORDIC, ticket_deck=["Oslo–Helsinki", "Oslo–Stockholm"])
    game.play("draw tickets")
    with unchanged(game), pytest.raises(BadMove, match="expected a set of the 2 offered tickets, got set 4"):
        game.play(len(NORDIC.routes) + 20 + 4)


def test_a_move_from_another_offer_is_refused() -> None:
    """A Move names the tickets it keeps. With other tickets on offer it is refused, even if its number is legal."""
    game = Game(NORDIC, seed=3, first=0)
    move = game.moves()[0]
    game.play(move)
    with unchanged(game), pytest.raises(NorthrailError):
        game.play(move)


# --- moves that are not legal -----------------------------------------------------------------------------------------


def over() -> Game:
    game = at(NORDIC, turns_left=1)
    game.play("take blind")
    game.play("take blind")
    assert game.over
    return game


def asked_for(phase: str) -> Game:
    """Return a game in which seat 0 is in this phase."""
    if phase == "tickets":
        return Game(NORDIC, seed=3, first=0)
    game = at(NORDIC, {"green": 5, "red": 5, LOCOMOTIVE: 3}, seats=3, deck={"green": 3}, face_up={"red": 4, "blue": 1})
    if phase == "second_card":
        game.play("take blue")
    elif phase == "pay":
        game.play("claim Göteborg–Norrköping gray")
    elif phase == "tunnel":
        game.claim(named(NORDIC, "Kristiansand–Stavanger green"), {"green": 2})
    elif phase == "over":
        return over()
    assert (game.seat, game.phase) == (0, phase)
    return game


WHEN = {
    "claim Norrköping–Stockholm red": {"turn"},
    "take red": {"turn", "second_card"},
    "take blind": {"turn", "second_card"},
    "draw tickets": {"turn"},
    "card green": {"pay", "tunnel"},
    "give up": {"tunnel"},
    "pass": {"turn"},
}
ASKED = {
    "tickets": "it must choose which tickets to keep",
    "turn": "it must draw cards, claim a route or draw tickets",
    "second_card": "it must draw a second card",
    "pay": "it must finish its payment",
    "tunnel": "it must add cards for the tunnel or give it up",
    "over": "the game is over",
}


@pytest.mark.parametrize(
    ("text", "phase"), [(text, phase) for text in WHEN for phase in ASKED if phase not in WHEN[text]]
)
def test_a_move_that_does_not_fit_the_phase_is_refused(text: str, phase: str) -> None:
    game = asked_for(phase)
    with (
        unchanged(game),
        pytest.raises(IllegalMove, match=rf"{text.replace('card', 'lay')}.*{ASKED[phase]} \(move \d+\)"),
    ):
        game.play(text)


@pytest.mark.parametrize("phase", [phase for phase in ASKED if phase != "tickets"])
def test_keeping_tickets_when_none_are_on_offer_is_refused(phase: str) -> None:
    game = asked_for(phase)
    with unchanged(game), pytest.raises(BadMove, match="expected tickets on offer"):
        game.play("keep Oslo–Helsinki")


RED = named(NORDIC, "Norrköping–Stockholm red")
FIVE = named(NORDIC, "Kirkenes–Rovaniemi blue")
REFUSALS: dict[str, tuple[Callable[[], Game], str, str]] = {
    "owned by another": (
        lambda: at(NORDIC, {"red": 1}, owners={RED: 1}),
        f"claim {NORDIC.routes[RED]}",
        "seat 1 owns it",
    ),
    "owned already": (lambda: at(NORDIC, {"red": 1}, owners={RED: 0}), f"claim {NORDIC.routes[RED]}", "seat 0 owns it"),
    "parallel to its own": (
        lambda: at(NORDIC, {"red": 1}, seats=3, owners={RED + 1: 0}),
        f"claim {NORDIC.routes[RED]}",
        "it owns a parallel route",
    ),
    "closed": (
        lambda: at(NORDIC, {"red": 1}, owners={RED + 1: 1}),
        f"claim {NORDIC.routes[RED]}",
        "with 2 seats it closed when Norrköping–Stockholm orange was claimed",
    ),
    "too long": (
        lambda: at(NORDIC, {"blue": 5}, owners=using(NORDIC, 36, clear=[FIVE])),
        f"claim {NORDIC.routes[FIVE]}",
        "it is 5 spaces long and the seat has 4 trains left",
    ),
    "too dear": (
        lambda: at(NORDIC, {"blue": 4, LOCOMOTIVE: 5}),
        f"claim {NORDIC.routes[FIVE]}",
        "it costs 5 blue; the seat holds 4 blue and 5 locomotives",
    ),
    "not in the row": (lambda: at(NORDIC, face_up={"red": 5}), "take green", "the face-up cards are 5 red"),
    "locomotive second": (
        lambda: second(at(LIGHTS, face_up={"red": 4, LOCOMOTIVE: 1})),
        "take locomotive",
        "a face-up locomotive can't be the second card",
    ),
    "no deck": (lambda: at(NORDIC, deck={}), "take blind", "the deck is empty"),
    "no tickets": (lambda: at(NORDIC, ticket_deck=[]), "draw tickets", "there are no tickets left"),
    "wrong set": (lambda: asked_for("pay"), "card blue", "lay blue: expected card green or card red"),
    "wrong extra": (
        lambda: asked_for("tunnel"),
        "card red",
        "lay red: expected card green or card locomotive or give up",
    ),
    "no need to pass": (lambda: at(NORDIC, {"red": 1}), "pass", "pass: it can still claim"),
}


def second(game: Game) -> Game:
    game.play("take red")
    return game


@pytest.mark.parametrize("reason", REFUSALS)
def test_an_illegal_move_is_refused_with_its_reason(reason: str) -> None:
    begin, text, message = REFUSALS[reason]
    game = begin()
    number = len(game.record()["moves"]) + 1
    with unchanged(game), pytest.raises(IllegalMove, match=rf"^seat 0 cannot .*{message}.* \(move {number}\)$"):
        game.play(text)


def test_keeping_too_few_tickets_is_refused() -> None:
    game = Game(NORDIC, seed=3, first=0)
    one = "–".join(game.position()["offered"][0])
    with (
        unchanged(game),
        pytest.raises(IllegalMove, match=rf"seat 0 cannot keep {one}: it must keep at least 2, got 1 \(move 1\)"),
    ):
        game.play(f"keep {one}")


def test_all_errors_share_a_base_class() -> None:
    for error in (BadMove, BadPosition, BadRecord, IllegalMove, northrail.BadBoard):
        assert issubclass(error, NorthrailError) and issubclass(error, ValueError)
        assert (
            sum(
                issubclass(error, other) for other in (BadMove, BadPosition, BadRecord, IllegalMove, northrail.BadBoard)
            )
            == 1
        )


# --- whole claims -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("route", "cards"),
    [
        (-1, {"red": 1}),
        (81, {"red": 1}),
        ("Oslo", {"red": 1}),
        (None, {"red": 1}),
        (True, {"red": 1}),
        (58.0, {"red": 1}),
        (RED, {"pink": 1}),
        (RED, {"Red": 1}),
        (RED, {"red": -1}),
        (RED, {"red": "1"}),
        (RED, {"red": 1.0}),
        (RED, {"red": True}),
        (RED, {"red": 128}),
        (RED, {"red": 10**30}),
        (RED, {"red": None}),
        (RED, {7: 1}),
        (RED, None),
        (RED, 1),
        (RED, ["red"]),
        (RED, [("red", 1)]),
    ],
    ids=repr,
)
def test_a_nonsense_claim_is_refused(route: Any, cards: Any) -> None:
    game = at(NORDIC, {"red": 3})
    with (
        unchanged(game),
        pytest.raises(
            BadMove, match=r"expected (a route from 0 to 80|numbers of purple, blue, .*|cards such as .*), got "
        ),
    ):
        game.claim(route, cards)
    with unchanged(game):
        assert not game.can_pay(route, cards)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ({"red": 2}, "Norrköping–Stockholm red costs exactly 1 red; got 2 red"),
        ({"red": 1, "blue": 1}, "costs exactly 1 red; got 1 blue and 1 red"),
        ({"red": 1, LOCOMOTIVE: 1}, "costs exactly 1 red"),
        ({"blue": 1}, "costs exactly 1 red; got 1 blue"),
        ({}, "costs exactly 1 red; got nothing"),
        ({"red": 4}, "seat 0 holds 1 blue, 3 red and 1 locomotive, got 4 red"),
    ],
    ids=str,
)
def test_a_payment_that_is_not_exact_is_refused(cards: Cards, message: str) -> None:
    game = at(NORDIC, {"red": 3, "blue": 1, LOCOMOTIVE: 1})
    with unchanged(game), pytest.raises(IllegalMove, match=rf"{message}.* \(move 1\)$"):
        game.claim(RED, cards)
    with unchanged(game):
        assert not game.can_pay(RED, cards)


def test_too_many_cards_are_refused_even_where_substitutes_are_allowed() -> None:
    game = at(NORDIC, {"red": 9, "blue": 9, LOCOMOTIVE: 3})
    ferry = named(NORDIC, "Ålborg–Kristiansand red")
    with (
        unchanged(game),
        pytest.raises(
            IllegalMove, match=r"costs exactly 1 locomotive and 1 red; .*any 3 cards can replace any one card"
        ),
    ):
        game.claim(ferry, {LOCOMOTIVE: 1, "red": 2})


@pytest.mark.parametrize("phase", ["tickets", "second_card", "pay", "tunnel", "over"])
def test_a_whole_claim_outside_a_turn_is_refused(phase: str) -> None:
    game = asked_for(phase)
    with unchanged(game), pytest.raises(IllegalMove, match=ASKED[phase]):
        game.claim(RED, {"red": 1})
    with unchanged(game):
        assert not game.can_pay(RED, {"red": 1})


@pytest.mark.parametrize("seat", [2, -1, "0", True, 0.0, [0]], ids=repr)
def test_a_view_of_a_seat_that_does_not_exist_is_refused(seat: Any) -> None:
    game = under_way()
    with unchanged(game), pytest.raises(BadMove, match="expected a seat from 0 to 1 or None, got "):
        game.view(seat)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seats": 1}, "seats: expected 2 to 3 on Nordic Countries, got 1"),
        ({"seats": "2"}, "seats: .*got '2'"),
        ({"seats": None}, "seats: .*got None"),
        ({"seed": -1}, r"seed: expected a number from 0 to 2\^62-1, got -1"),
        ({"seed": 2**62}, "seed: "),
        ({"seed": "7"}, "seed: .*got '7'"),
        ({"seed": 1.5}, "seed: "),
        ({"first": 2}, "first: expected a seat from 0 to 1 or None, got 2"),
        ({"first": -1}, "first: "),
        ({"first": True}, "first: "),
    ],
    ids=str,
)
def test_a_game_that_cannot_begin_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        Game(NORDIC, **arguments)


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (("Oslo", "Atlantis"), "expected a city of Nordic Countries, got 'Atlantis'"),
        (("Oslo", None), "expected a city of Nordic Countries, got None"),
        (("Oslo", "Helsinki"), "expected two cities joined by a route, got Oslo and Helsinki"),
        (("Oslo", "Bergen"), "Oslo–Bergen has routes in blue and red: say which colour"),
        (("Oslo", "Bergen", "green"), "Oslo–Bergen is blue or red, got 'green'"),
    ],
    ids=str,
)
def test_a_route_that_does_not_exist_is_refused(ends: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BadMove, match=message):
        NORDIC.route(*ends)


# --- records ----------------------------------------------------------------------------------------------------------


def record() -> dict[str, Any]:
    return under_way().record()


FROM_START = at(NORDIC, {"red": 1}).record()


@pytest.mark.parametrize(
    "foreign", [None, [], "northrail", 7, {}, {"northrail": 2}, {"northrail": "1"}, {"moves": []}], ids=repr
)
def test_something_that_is_not_a_record_is_refused(foreign: Any) -> None:
    with pytest.raises(BadRecord, match='expected a record with "northrail": 1, got '):
        Game.replay(foreign)


@pytest.mark.parametrize("field", ["board", "digest", "seats", "seed", "moves"])
def test_a_record_with_a_missing_field_is_refused(field: str) -> None:
    broken = record()
    del broken[field]
    with pytest.raises(BadRecord, match=f"expected the fields .*{field}.*, got "):
        Game.replay(broken)


def test_a_record_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(BadRecord, match=r"expected the fields .*, got .*winner"):
        Game.replay(record() | {"winner": 0})
    with pytest.raises(BadRecord, match="expected the fields "):
        Game.replay(FROM_START | {"seed": 3})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"digest": "0" * 12},
            "digest: the record was made on another version of the board; expected nordic-countries .*, got .* 0{12}",
        ),
        ({"digest": None}, "digest: "),
        ({"board": "northern-lights"}, "digest: .*expected northern-lights"),
        ({"board": "atlantis"}, "board: expected nordic-countries or northern-lights .*got 'atlantis'"),
        ({"board": 5}, "board: .*got 5"),
        ({"board": ["nordic-countries"]}, "board: "),
        ({"seats": 9}, "seats: expected 2 to 3 on Nordic Countries, got 9"),
        ({"seats": "2"}, "seats: "),
        ({"seats": None}, "seats: "),
        ({"seed": -1}, "seed: "),
        ({"seed": "3"}, "seed: "),
        ({"seed": 3.0}, "seed: "),
        ({"first": 5}, "first: expected a seat from 0 to 1 or None, got 5"),
        ({"moves": "take blind"}, "moves: expected a list of move texts, got 'take blind'"),
        ({"moves": [1, 2]}, "moves: expected a list of move texts"),
        ({"moves": None}, "moves: "),
        ({"moves": {"0": "pass"}}, "moves: "),
    ],
    ids=str,
)
def test_a_record_with_a_wrong_field_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        Game.replay(record() | changes)


def test_the_error_names_the_move_of_a_record_that_cannot_be_played() -> None:
    good = record()
    moves = good["moves"]
    with pytest.raises(BadRecord, match=r"moves: move 3 cannot be played: expected claim, take, .*got 'fly'"):
        Game.replay(good | {"moves": [*moves[:2], "fly", *moves[2:]]})
    with pytest.raises(BadRecord, match=r"moves: move 3 cannot be played: seat 0 cannot pass: .* \(move 3\)"):
        Game.replay(good | {"moves": [*moves[:2], "pass", *moves[2:]]})
    with pytest.raises(BadRecord, match="moves: move 1 cannot be played"):
        Game.replay(good | {"seed": 4})


def test_a_record_that_continues_after_the_end_is_refused() -> None:
    finished = over().record()
    assert Game.replay(finished).over
    with pytest.raises(
        BadRecord,
        match=f"moves: move {len(finished['moves']) + 1} cannot be played: seat 0 cannot take blind: the game is over",
    ):
        Game.replay(finished | {"moves": [*finished["moves"], "take blind"]})


@pytest.mark.parametrize("start", [None, [], "x", {}, {"seats": 2}], ids=repr)
def test_a_record_with_a_broken_start_is_refused(start: Any) -> None:
    with pytest.raises(BadRecord):
        Game.replay(FROM_START | {"start": start})


def test_a_record_whose_start_has_too_many_cards_names_the_field() -> None:
    broken = copy.deepcopy(FROM_START)
    broken["start"]["deck"]["red"] += 1
    with pytest.raises(BadRecord, match=r"deck: expected .*, got "):
        Game.replay(broken)


def test_a_record_whose_start_has_a_different_number_of_seats_is_refused() -> None:
    with pytest.raises(BadRecord, match="seats"):
        Game.replay(FROM_START | {"seats": 3})


@pytest.mark.parametrize("upto", [-1, 5, "2", 1.0, True], ids=repr)
def test_a_replay_beyond_the_end_of_the_record_is_refused(upto: Any) -> None:
    with pytest.raises(BadRecord, match="upto: expected a number from 0 to 4, got "):
        Game.replay(record(), upto=upto)


def test_a_record_on_your_own_board_needs_the_board(tmp_path: Path) -> None:
    board = small_board(tmp_path)
    kept = Game(board, seed=1).record()
    assert Game.replay(kept, board).position() == Game(board, seed=1).position()
    with pytest.raises(BadRecord, match=r"board: expected .* or your own board as `board`, got 'small'"):
        Game.replay(kept)
    with pytest.raises(BadRecord, match=r"digest: .*expected nordic-countries .*, got small"):
        Game.replay(kept, NORDIC)


def test_a_record_survives_json_and_damage_is_noticed() -> None:
    text = json.dumps(record())
    assert Game.replay(json.loads(text)) == under_way()
    assert Game.replay(json.loads(text), upto=1).phase == "tickets"
    for damaged in (text.replace("take blind", "take blond"), text.replace('"seed": 3', '"seed": null')):
        assert damaged != text
        with pytest.raises(BadRecord):
            Game.replay(json.loads(damaged))


def test_replaying_does_not_change_the_record() -> None:
    kept = copy.deepcopy(FROM_START)
    game = Game.replay(kept)
    game.play("take blind")
    assert kept == FROM_START


def test_reading_a_position_does_not_change_it() -> None:
    position = situation(LIGHTS, {"red": 1}, tickets={0: ["Oslo–Helsinki"]})
    before = copy.deepcopy(position)
    Game.from_position(LIGHTS, position).play("take blind")
    assert position == before
