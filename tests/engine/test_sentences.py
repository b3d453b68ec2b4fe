"""Every code has its sentence: events and refusals in English."""

import typing
from typing import Any

import pytest

from northrail import Game, load_board
from northrail.engine.english import event_sentence, refusal_sentence
from northrail.engine.events import Event
from northrail.server.wire import events
from northrail.server.wire.refusals import MoveCode

pytestmark = pytest.mark.engine
NORDIC = load_board("nordic-countries")
RED = NORDIC.route("Bergen", "Oslo", "red")

EVENTS: dict[str, tuple[dict[str, Any], str]] = {
    "took": ({"colour": "red"}, "seat 1 takes red"),
    "drew": ({}, "seat 1 draws a card from the deck"),
    "turned_up": ({"colour": "red"}, "red is turned face up"),
    "row_cleared": ({"locomotives": 3}, "3 locomotives are face up: the row is cleared"),
    "reshuffled": ({"count": 1}, "the discards become a new deck of 1 card"),
    "claimed": (
        {"route": RED, "cards": {"red": 3, "locomotive": 1}, "points": 7},
        "seat 1 claims Bergen–Oslo red with 3 red and 1 locomotive for 7 points",
    ),
    "tunnel_tried": (
        {"route": RED, "cards": {"red": 4}, "revealed": ["red", "blue"], "owed": 1},
        "seat 1 tries the tunnel Bergen–Oslo red with 4 red: red, blue turned over, 1 extra card needed",
    ),
    "gave_up": ({"route": RED}, "seat 1 gives up Bergen–Oslo red and takes the cards back"),
    "drew_tickets": ({"count": 3}, "seat 1 draws 3 tickets"),
    "kept_tickets": ({"count": 2, "of": 3}, "seat 1 keeps 2 of 3 tickets"),
    "all_kept": ({"counts": [2, 3]}, "all players have chosen their tickets: seat 0 keeps 2, seat 1 keeps 3"),
    "completed_tickets": ({"tickets": [0]}, f"seat 1 completes {NORDIC.tickets[0]} ({NORDIC.tickets[0].points})"),
    "passed": ({}, "seat 1 has no legal move and passes"),
    "last_round": ({"trains": 2}, "seat 1 has 2 trains left: the last round begins"),
    "game_over": ({}, "the game is over"),
}
REFUSALS: dict[str, dict[str, Any]] = {
    "already_chosen": {},
    "card_not_wanted": {"moves": [len(NORDIC.routes)]},
    "cards_not_held": {"hand": {"red": 1}, "cards": {"red": 2}},
    "deck_empty": {},
    "game_over": {},
    "keep_more": {"least": 2, "count": 1},
    "locomotive_second": {},
    "must_move": {"move": 0},
    "no_tickets_left": {},
    "not_face_up": {"face_up": {"red": 1}},
    "not_your_turn": {"turn": 0},
    "owns_parallel": {},
    "route_closed": {"seats": 2, "by": RED},
    "route_owned": {"owner": 0},
    "too_few_cards": {"route": RED, "hand": {}},
    "too_few_trains": {"length": 4, "trains": 1},
    "tunnel_begun": {},
    "wrong_extra": {"payments": []},
    "wrong_payment": {"route": RED, "cards": {"red": 1}},
    "wrong_phase": {"phase": "turn"},
}
# Errors in what was sent rather than refusals by the rules: their message is where they are raised.
BAD_INPUT = {"bad_move", "bad_position", "no_such_colour", "no_such_route", "not_offered"}


def test_every_code_of_the_protocol_has_a_case_here() -> None:
    union = typing.get_args(typing.get_args(events.Event)[0])
    assert set(EVENTS) == {typing.get_args(each.model_fields["code"].annotation)[0] for each in union}
    assert set(REFUSALS) == set(typing.get_args(MoveCode)) - BAD_INPUT


@pytest.mark.parametrize("code", EVENTS)
def test_an_event_has_a_sentence(code: str) -> None:
    facts, sentence = EVENTS[code]
    assert event_sentence(NORDIC, code, 1, facts) == sentence
    assert str(Event(NORDIC, code, 1, facts)) == sentence


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refusal_has_a_sentence(code: str) -> None:
    sentence = refusal_sentence(NORDIC, 1, code, REFUSALS[code] | {"doing": "do this"})
    assert sentence.startswith(("seat 1 cannot do this: ", "seat 1 holds ", "Bergen–Oslo red costs "))
    assert "{" not in sentence and "None" not in sentence


def test_tickets_are_named_to_those_who_know_them() -> None:
    event = Event(NORDIC, "kept_tickets", 1, {}, {"count": 1, "of": 2, "tickets": [0]})
    assert event.text_for(1) == str(event) == f"seat 1 keeps {NORDIC.tickets[0]} ({NORDIC.tickets[0].points})"
    assert event.text_for(0) == event.text_for(None) == "seat 1 has chosen"
    drew, name = Event(NORDIC, "drew_tickets", 1, {"count": 1}, {"tickets": [0]}), event.text_for(1)[13:]
    assert (drew.text_for(0), str(drew)) == (
        "seat 1 draws 1 ticket",
        f"seat 1 draws 1 ticket: {name}",
    )


def test_an_unknown_code_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="stolen"):
        event_sentence(NORDIC, "stolen", 1, {})
    with pytest.raises(AssertionError, match="because"):
        refusal_sentence(NORDIC, 1, "because", {"doing": "do this"})


# --- views ------------------------------------------------------------------------------------------------------------


def test_a_view_prints_in_one_line_and_equals_another_of_the_same_knowledge() -> None:
    game = Game(NORDIC, 2, 7, first=0)
    view = game.view(1)
    assert repr(view) == "<View of seat 1: tickets, seat 0 to move, Nordic Countries>"
    assert repr(game.view()).startswith("<View of a spectator: ")
    assert view == game.view(1) == Game.imagine(view, seed=3).view(1) and view != game.view(0)
    with pytest.raises(AttributeError, match="read only"):
        view.hand = {}
    assert "Your cards" in (type(view).hand.__doc__ or "")
