"""Why a seat can't do something now: what stays true longest comes first."""

from typing import Any

import pytest
from positions import LIGHTS, NORDIC, at, named, using

from northrail import Game
from northrail.engine.moves import move_of, number_of
from northrail.engine.refusals import why_not_now

pytestmark = pytest.mark.engine

RED = named(NORDIC, "Bergen–Oslo red")
BLUE = named(NORDIC, "Bergen–Oslo blue")
FOUR_RED = {"red": 4}
TUNNEL = {"phase": "tunnel", "route": BLUE, "set": "blue", "laid": {"blue": 4}, "revealed": {"blue": 1}}
CASES: dict[str, tuple[Game, str, str | None]] = {
    "nothing": (at(NORDIC, FOUR_RED), "claim Bergen–Oslo red", None),
    "someone owns it": (at(NORDIC, FOUR_RED, owners={RED: 1}), "claim Bergen–Oslo red", "route_owned"),
    "you own it": (at(NORDIC, FOUR_RED, owners={RED: 0}), "claim Bergen–Oslo red", "route_owned"),
    "you own its twin": (at(NORDIC, FOUR_RED, seats=3, owners={BLUE: 0}), "claim Bergen–Oslo red", "owns_parallel"),
    "few players": (at(NORDIC, FOUR_RED, owners={BLUE: 1}), "claim Bergen–Oslo red", "route_closed"),
    "few trains": (at(NORDIC, FOUR_RED, owners=using(NORDIC, 38, 0, [RED])), "claim Bergen–Oslo red", "too_few_trains"),
    "few cards": (at(NORDIC, {"red": 1}), "claim Bergen–Oslo red", "too_few_cards"),
    "few cards at another's turn": (
        at(NORDIC, seat=1, others={0: {"red": 1}}),
        "claim Bergen–Oslo red",
        "too_few_cards",
    ),
    "another's turn": (at(NORDIC, seat=1, others={0: FOUR_RED}), "claim Bergen–Oslo red", "not_your_turn"),
    "another's turn, and owned": (at(NORDIC, seat=1, owners={RED: 1}), "claim Bergen–Oslo red", "route_owned"),
    "second card": (at(NORDIC, FOUR_RED, phase="second_card"), "claim Bergen–Oslo red", "wrong_phase"),
    "second card, few cards": (at(NORDIC, phase="second_card"), "claim Bergen–Oslo red", "wrong_phase"),
    "second card, and owned": (
        at(NORDIC, phase="second_card", owners={RED: 1}),
        "claim Bergen–Oslo red",
        "route_owned",
    ),
    "a tunnel": (at(NORDIC, FOUR_RED, **TUNNEL), "take blind", "wrong_phase"),
    "a locomotive second": (
        at(LIGHTS, phase="second_card", face_up={"locomotive": 2, "red": 3}),
        "take locomotive",
        "locomotive_second",
    ),
    "a locomotive first": (at(LIGHTS, face_up={"locomotive": 2, "red": 3}), "take locomotive", None),
    "not face up": (at(NORDIC, face_up={"red": 5}), "take blue", "not_face_up"),
    "a card at another's turn": (at(NORDIC, seat=1, face_up={"red": 5}), "take red", "not_your_turn"),
    "an empty deck": (at(NORDIC, deck={}), "take blind", "deck_empty"),
    "no tickets": (at(NORDIC, ticket_deck=[]), "draw tickets", "no_tickets_left"),
    "tickets for a second card": (at(NORDIC, phase="second_card"), "draw tickets", "wrong_phase"),
    "tickets at another's turn": (at(NORDIC, seat=1), "draw tickets", "not_your_turn"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_reason(case: str) -> None:
    game, text, code = CASES[case]
    view = game.view(0)
    before = bytes(view.struct)
    refusal = why_not_now(view, move_of(game.board, number_of(game.board, text)))
    assert (refusal and refusal.code) == code
    assert bytes(view.struct) == before
    if refusal is not None:
        assert str(refusal).startswith(f"seat 0 cannot {text}: ")
    elif game.seat == 0:
        assert text in [move.text for move in view.moves]


def test_after_the_game_that_is_the_reason(nordic: Any) -> None:
    game = at(nordic, FOUR_RED, owners=using(nordic, 36, 0, [RED]), turns_left=1)
    game.claim(RED, FOUR_RED)
    while not game.over:
        game.play(game.moves()[0])
    refusal = why_not_now(game.view(1), move_of(nordic, RED))
    assert refusal is not None and refusal.code == "game_over"
