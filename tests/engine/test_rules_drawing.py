"""Drawing train cards: two cards, the row, face-up locomotives, empty decks, what others learn, and passing."""

from pathlib import Path

import pytest
from positions import (
    COLOURS,
    LIGHTS,
    LOCOMOTIVE,
    NORDIC,
    TABLES,
    at,
    claims,
    event_codes,
    hand_of,
    kinds,
    named,
    put_aside,
    small_board,
    texts,
)

from northrail import Board, Game, IllegalMove

pytestmark = pytest.mark.engine

BOARDS = [NORDIC, LIGHTS]
NO_CARDS: dict[str, int] = {}


# --- two cards, one after the other -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_two_cards_are_drawn_one_after_the_other(board: Board, seats: int) -> None:
    game = at(board, seats=seats)
    assert event_codes(game.play("take blind")) == ["drew"]
    assert (game.seat, game.phase) == (0, "second_card")
    assert game.view(None).hand_sizes[0] == 1
    assert event_codes(game.play("take blind")) == ["drew"]
    assert (game.seat, game.phase) == (1, "turn")
    assert game.view(None).hand_sizes[0] == 2


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_second_card_must_be_drawn_if_it_can_be(board: Board) -> None:
    game = at(board, {"red": 5})
    game.play("take blind")
    assert kinds(game) == {"take", "blind"}
    with pytest.raises(IllegalMove, match="seat 0 cannot draw tickets: it must draw a second card"):
        game.play("draw tickets")
    with pytest.raises(IllegalMove, match="it must draw a second card"):
        game.play("pass")


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_face_up_card_is_replaced_at_once_and_seen_before_the_second_choice(board: Board) -> None:
    game = at(board, face_up={"red": 1, "blue": 4}, deck={"green": 9})
    take, turned = game.play("take red")
    assert (take.code, turned.code) == ("took", "turned_up")
    assert turned.seen_by(None)["colour"] == "green"
    assert game.phase == "second_card"
    assert game.position()["face_up"] == {"blue": 4, "green": 1}
    assert texts(game) == ["take blue", "take green", "take blind"]
    game.play("take green")
    assert hand_of(game) == {"green": 1, "red": 1}
    assert sum(game.position()["face_up"].values()) == 5


def test_only_face_up_cards_can_be_taken() -> None:
    game = at(NORDIC, face_up={"red": 3, "blue": 2})
    with pytest.raises(IllegalMove, match="seat 0 cannot take green: the face-up cards are 2 blue and 3 red"):
        game.play("take green")


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_three_face_up_locomotives_change_nothing(board: Board) -> None:
    game = at(board, face_up={"red": 1, LOCOMOTIVE: 4}, deck={LOCOMOTIVE: 5})
    assert event_codes(game.play("take red")) == ["took", "turned_up"]
    assert game.position()["face_up"] == {LOCOMOTIVE: 5}
    assert game.position()["discard"] == {}


# --- locomotives face up ----------------------------------------------------------------------------------------------


def test_nordic_two_face_up_locomotives_may_be_taken() -> None:
    game = at(NORDIC, face_up={LOCOMOTIVE: 2, "red": 3})
    game.play("take locomotive")
    assert (game.seat, game.phase) == (0, "second_card")
    game.play("take locomotive")
    assert hand_of(game) == {LOCOMOTIVE: 2}
    assert game.seat == 1


def test_nordic_a_face_up_locomotive_may_be_the_second_card() -> None:
    game = at(NORDIC, face_up={LOCOMOTIVE: 2, "red": 3})
    game.play("take red")
    assert "take locomotive" in texts(game)


@pytest.mark.parametrize("seats", range(2, 6))
def test_lights_a_face_up_locomotive_ends_the_draw(seats: int) -> None:
    game = at(LIGHTS, seats=seats, face_up={LOCOMOTIVE: 2, "red": 3})
    game.play("take locomotive")
    assert hand_of(game) == {LOCOMOTIVE: 1}
    assert (game.seat, game.phase) == (1, "turn")
    assert sum(game.position()["face_up"].values()) == 5


@pytest.mark.parametrize("first", ["take red", "take blind"])
def test_lights_a_face_up_locomotive_may_only_be_the_first_card(first: str) -> None:
    game = at(LIGHTS, face_up={LOCOMOTIVE: 2, "red": 3}, deck={"blue": 5})
    game.play(first)
    assert "take locomotive" not in texts(game)
    with pytest.raises(IllegalMove, match="a face-up locomotive can't be the second card"):
        game.play("take locomotive")


def test_lights_a_locomotive_from_the_deck_is_one_card_of_two() -> None:
    game = at(LIGHTS, face_up={"red": 5}, deck={LOCOMOTIVE: 5})
    game.play("take blind")
    assert game.phase == "second_card"
    game.play("take blind")
    assert hand_of(game) == {LOCOMOTIVE: 2}


@pytest.mark.parametrize(
    ("deck", "face_up", "first"),
    [({}, {"red": 1, LOCOMOTIVE: 2}, "take red"), ({"red": 1}, {LOCOMOTIVE: 5}, "take blind")],
)
def test_lights_the_turn_ends_when_only_face_up_locomotives_remain(
    deck: dict[str, int], face_up: dict[str, int], first: str
) -> None:
    game = at(LIGHTS, deck=deck, face_up=face_up)
    game.play(first)
    assert hand_of(game) == {"red": 1}
    assert (game.seat, game.phase) == (1, "turn")


@pytest.mark.parametrize(
    ("deck", "face_up", "first"),
    [({}, {"red": 1, LOCOMOTIVE: 2}, "take red"), ({"red": 1}, {LOCOMOTIVE: 5}, "take blind")],
)
def test_nordic_a_face_up_locomotive_is_a_second_card_like_any_other(
    deck: dict[str, int], face_up: dict[str, int], first: str
) -> None:
    game = at(NORDIC, deck=deck, face_up=face_up)
    game.play(first)
    assert texts(game) == ["take locomotive"]


def test_lights_with_nothing_else_to_draw_a_face_up_locomotive_is_still_a_first_card() -> None:
    game = at(LIGHTS, deck={}, face_up={LOCOMOTIVE: 2}, ticket_deck=[])
    assert texts(game) == ["take locomotive"]
    game.play("take locomotive")
    assert game.position()["face_up"] == {LOCOMOTIVE: 1}
    assert game.seat == 1


# --- empty decks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_discards_become_the_deck_as_soon_as_it_is_empty(board: Board, seats: int) -> None:
    game = at(board, seats=seats, deck={"red": 1}, discard={"blue": 3})
    blind, reshuffle = game.play("take blind")
    assert (blind.code, reshuffle.code) == ("drew", "reshuffled")
    assert str(reshuffle) == "the discards become a new deck of 3 cards"
    assert game.position()["deck"] == {"blue": 3}
    assert game.position()["discard"] == {}
    game.play("take blind")
    assert hand_of(game) == {"blue": 1, "red": 1}


def test_discards_become_the_deck_while_the_row_is_filled() -> None:
    game = at(NORDIC, face_up={"red": 5}, deck={"green": 1}, discard={"blue": 3})
    assert event_codes(game.play("take red")) == ["took", "turned_up", "reshuffled"]
    assert game.position()["face_up"] == {"green": 1, "red": 4}
    assert game.position()["deck"] == {"blue": 3}


def test_discards_are_not_reshuffled_while_the_deck_lasts() -> None:
    game = at(NORDIC, deck={"red": 3}, discard={"blue": 3})
    put_aside(game)
    assert game.position()["discard"] == {"blue": 3}
    assert game.position()["deck"] == {"red": 1}


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_empty_places_in_the_row_stay_empty_without_deck_and_discards(board: Board) -> None:
    game = at(board, face_up={"red": 2, "blue": 3}, deck={})
    assert event_codes(game.play("take red")) == ["took"]
    assert game.position()["face_up"] == {"blue": 3, "red": 1}
    assert texts(game) == ["take blue", "take red"]
    game.play("take blue")
    assert game.position()["face_up"] == {"blue": 2, "red": 1}


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_empty_places_are_filled_when_cards_are_discarded_again(board: Board) -> None:
    route = named(board, "Karlskrona–Norrköping")
    colour = board.routes[route].colour
    game = at(board, {colour: 3}, face_up={"purple": 3}, deck={})
    events = game.claim(route, {colour: 3})
    assert event_codes(events) == ["claimed", "reshuffled", "turned_up", "turned_up"]
    assert game.position()["face_up"] == {"purple": 3, colour: 2}
    assert game.position()["deck"] == {colour: 1}


def test_fewer_discards_than_empty_places_fill_some_of_them() -> None:
    game = at(NORDIC, {"red": 1}, face_up={}, deck={})
    game.claim(named(NORDIC, "Norrköping–Stockholm red"), {"red": 1})
    assert game.position()["face_up"] == {"red": 1}
    assert game.position()["deck"] == {}


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(("deck", "face_up", "move"), [({"red": 1}, {}, "take blind"), ({}, {"red": 1}, "take red")])
def test_if_only_one_card_can_be_drawn_one_is_drawn(
    board: Board, deck: dict[str, int], face_up: dict[str, int], move: str
) -> None:
    game = at(board, deck=deck, face_up=face_up)
    game.play(move)
    assert hand_of(game) == {"red": 1}
    assert (game.seat, game.phase) == (1, "turn")


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_with_nothing_to_draw_a_seat_must_do_something_else(board: Board) -> None:
    route = named(board, "Norrköping–Stockholm")
    colour = board.routes[route].colour
    game = at(board, {colour: 1}, deck={}, face_up={})
    assert kinds(game) == {"claim", "draw_tickets"}
    assert route in claims(game)
    with pytest.raises(IllegalMove, match="seat 0 cannot take blind: the deck is empty"):
        game.play("take blind")
    with pytest.raises(IllegalMove, match="seat 0 cannot take red: no cards are face up"):
        game.play("take red")
    with pytest.raises(IllegalMove, match="seat 0 cannot pass: it can still claim"):
        game.play("pass")


# --- passing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_a_seat_passes_only_when_it_has_no_legal_move(board: Board, seats: int) -> None:
    game = at(board, seats=seats, deck={}, face_up={}, ticket_deck=[])
    assert texts(game) == ["pass"]
    [event] = game.play("pass")
    assert event.text_for(None) == "seat 0 has no legal move and passes"
    assert (game.seat, game.phase) == (1, "turn")
    assert game.position()["passes"] == 1


def test_a_claim_resets_the_count_of_passes() -> None:
    game = at(NORDIC, deck={}, face_up={}, ticket_deck=[])
    game.play("pass")
    game.claim(named(NORDIC, "Norrköping–Stockholm red"), {"red": 1})
    assert game.position()["passes"] == 0
    assert not game.over


def test_the_game_ends_at_once_when_every_seat_passes_in_a_row(tmp_path: Path) -> None:
    """All cards are in hands, nobody has two alike, and the routes that locomotives could pay for are taken."""
    board = small_board(tmp_path)
    hand = dict.fromkeys(COLOURS, 1)
    owners = {named(board, "B–C"): 0, named(board, "A–C"): 1}
    game = at(board, hand, others={1: hand | {LOCOMOTIVE: 2}}, deck={}, face_up={}, ticket_deck=[], owners=owners)
    assert event_codes(game.play("pass")) == ["passed"]
    assert texts(game) == ["pass"] and not game.over
    assert event_codes(game.play("pass")) == ["passed", "game_over"]
    assert game.over and game.moves() == []
    assert game.position()["turns_left"] is None and game.position()["trains"] == [5, 4]
    assert [score.routes for score in game.scores()] == [1, 2]


# --- what others learn ------------------------------------------------------------------------------------------------


def known(game: Game, seat: int = 0) -> dict[str, int]:
    cards: dict[str, int] = game.view(None).known[seat]
    return cards


@pytest.mark.parametrize("seats", [2, 3])
def test_cards_taken_face_up_are_known_and_blind_ones_are_not(seats: int) -> None:
    game = at(NORDIC, seats=seats, face_up={"red": 5}, deck={"green": 9})
    [take, *_] = game.play("take red")
    [blind] = game.play("take blind")
    assert known(game) == {"red": 1}
    assert take.seen_by(1)["colour"] == "red"
    assert "colour" not in blind.seen_by(1) and blind.seen_by(0)["colour"] == "green"
    assert blind.text_for(1) == "seat 0 draws a card from the deck"
    assert game.view(1).known == game.view(0).known == game.view(None).known
    assert game.view(1).hand_sizes[0] == 2
    assert game.view(0).hand == {"green": 1, "red": 1}


def test_known_cards_are_forgotten_when_played() -> None:
    hand = {"red": 3}
    game = at(NORDIC, hand, known=[{"red": 2}, {}])
    game.claim(named(NORDIC, "Rovaniemi–Tornio red"), {"red": 1})
    assert known(game) == {"red": 1}


def test_playing_unknown_cards_never_makes_known_counts_negative() -> None:
    game = at(NORDIC, {"red": 3}, known=[{"red": 2}, {}])
    game.claim(named(NORDIC, "Helsinki–Imatra red"), {"red": 3})
    assert known(game) == {}


def test_cards_laid_on_a_tunnel_and_taken_back_are_known() -> None:
    game = at(NORDIC, {"green": 2, LOCOMOTIVE: 1}, deck={"green": 9}, known=[{"green": 1}, {}])
    game.claim(named(NORDIC, "Kristiansand–Stavanger green"), {"green": 1, LOCOMOTIVE: 1})
    assert known(game) == {"green": 1}, "nothing is learned before it is settled"
    game.play("give up")
    assert known(game) == {"green": 1, LOCOMOTIVE: 1}


def test_known_cards_that_are_laid_and_taken_back_stay_known() -> None:
    game = at(NORDIC, {"green": 4}, deck={"green": 6}, known=[{"green": 4}, {}])
    game.claim(named(NORDIC, "Kristiansand–Stavanger green"), {"green": 2})
    game.play("give up")
    assert known(game) == {"green": 4}


def test_with_two_seats_a_reshuffle_reveals_both_hands() -> None:
    game = at(NORDIC, {"white": 3}, deck={"red": 1}, discard={"blue": 9})
    assert known(game) == {} and known(game, 1) == {}
    game.play("take blind")
    assert known(game) == {"white": 3, "red": 1} == hand_of(game)
    assert known(game, 1) == hand_of(game, 1)


def test_with_two_seats_a_reshuffle_reveals_cards_laid_for_a_tunnel_too() -> None:
    game = at(NORDIC, {"green": 3, "white": 1}, deck={"red": 1}, discard={"green": 9})
    game.claim(named(NORDIC, "Kristiansand–Stavanger green"), {"green": 2})
    assert game.phase == "tunnel"
    assert known(game) == {"green": 3, "white": 1}
    game.play("give up")
    assert known(game) == {"green": 3, "white": 1}


@pytest.mark.parametrize(("board", "seats"), [table for table in TABLES if table[1] > 2], ids=str)
def test_with_more_seats_a_reshuffle_reveals_nothing(board: Board, seats: int) -> None:
    game = at(board, {"white": 3}, seats=seats, deck={"red": 1}, discard={"blue": 9})
    game.play("take blind")
    assert game.view(None).known == [NO_CARDS] * seats


def test_a_view_shows_no_hand_but_its_own() -> None:
    game = at(NORDIC, {"white": 3}, others={1: {"red": 7}})
    assert game.view(0).hand == {"white": 3}
    assert game.view(1).hand == {"red": 7}
    assert game.view(None).hand == {}
    assert game.view(0).hand_sizes == [3, 7]
    assert game.view(0).moves and game.view(0).options
    assert game.view(1).moves == [] and game.view(1).options is None and game.view(None).options is None
