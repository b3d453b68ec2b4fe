"""Tunnels: what is turned over, what it costs, and giving up."""

import pytest
from positions import LOCOMOTIVE, NORDIC, Cards, at, event_codes, hand_of, named, put_aside, texts

from northrail import Game, IllegalMove

pytestmark = pytest.mark.engine

GREEN = named(NORDIC, "Kristiansand–Stavanger green")  # two spaces


def tried(hand: Cards, laid: Cards, deck: Cards, discard: Cards | None = None, seats: int = 3) -> Game:
    """Return the game after laying cards for the green tunnel, with exactly this deck."""
    game = at(NORDIC, hand, seats=seats, deck=deck, discard=discard)
    game.claim(GREEN, laid)
    return game


def extra_cost(game: Game) -> int:
    """Return how many extra cards the tunnel costs."""
    options = game.view(0).options
    assert options is not None
    owed: int = options["tunnel"]["owed"]
    return owed


# --- the extra cost ---------------------------------------------------------------------------------------------------


def test_rulebook_two_green_laid_and_one_green_revealed() -> None:
    game = tried({"green": 3}, {"green": 2}, {"green": 1, "red": 1, "blue": 1})
    assert (game.seat, game.phase) == (0, "tunnel")
    assert texts(game) == ["card green", "give up"]
    assert extra_cost(game) == 1
    assert event_codes(game.play("card green"))[0] == "claimed"
    assert game.position()["owners"] == {str(GREEN): 0}
    assert hand_of(game) == {}


def test_rulebook_two_green_laid_and_one_locomotive_revealed() -> None:
    game = tried({"green": 3}, {"green": 2}, {LOCOMOTIVE: 1, "red": 1, "blue": 1})
    assert texts(game) == ["card green", "give up"]
    game.play("card green")
    assert game.position()["owners"] == {str(GREEN): 0}


def test_rulebook_two_locomotives_laid_and_one_locomotive_revealed() -> None:
    game = tried({LOCOMOTIVE: 3, "green": 5}, {LOCOMOTIVE: 2}, {LOCOMOTIVE: 1, "red": 1, "blue": 1})
    assert texts(game) == ["card locomotive", "give up"]
    game.play("card locomotive")
    assert hand_of(game) == {"green": 5}
    assert game.position()["owners"] == {str(GREEN): 0}


def test_if_only_locomotives_are_laid_no_colour_matches() -> None:
    game = tried({LOCOMOTIVE: 2}, {LOCOMOTIVE: 2}, {"green": 3})
    assert game.position()["owners"] == {str(GREEN): 0}
    assert game.seat == 1


def test_if_only_locomotives_are_laid_extra_cards_must_be_locomotives() -> None:
    game = tried({LOCOMOTIVE: 2, "green": 5}, {LOCOMOTIVE: 2}, {LOCOMOTIVE: 2, "green": 1})
    assert texts(game) == ["give up"]


def test_colour_and_locomotive_both_count_against_a_mixed_payment() -> None:
    game = tried({"green": 2, LOCOMOTIVE: 3}, {"green": 1, LOCOMOTIVE: 1}, {"green": 1, LOCOMOTIVE: 1, "red": 1})
    assert extra_cost(game) == 2
    assert texts(game) == ["card locomotive", "give up"], "one green cannot pay for both"
    game.play("card locomotive")
    assert (game.seat, game.phase) == (0, "tunnel")
    assert texts(game) == ["card green", "card locomotive"]
    game.play("card green")
    assert hand_of(game) == {LOCOMOTIVE: 1}
    assert game.position()["owners"] == {str(GREEN): 0}


@pytest.mark.parametrize(
    ("deck", "owed"),
    [
        ({"green": 3}, 3),
        ({LOCOMOTIVE: 3}, 3),
        ({"green": 2, LOCOMOTIVE: 1}, 3),
        ({"green": 1, LOCOMOTIVE: 1, "red": 1}, 2),
        ({"green": 1, "red": 1, "blue": 1}, 1),
    ],
    ids=str,
)
def test_each_revealed_locomotive_or_card_of_the_colour_costs_one_more(deck: Cards, owed: int) -> None:
    game = tried({"green": 5, LOCOMOTIVE: 3}, {"green": 2}, deck)
    assert extra_cost(game) == owed
    assert game.position()["revealed"] == deck
    assert game.position()["laid"] == {"green": 2}
    game.play("card green")
    assert hand_of(game).get("green", 0) == 3 - owed


def test_without_a_match_the_claim_is_settled_at_once() -> None:
    game = at(NORDIC, {"green": 2}, seats=3, deck={"red": 9})
    tunnel, claim = game.claim(GREEN, {"green": 2})
    assert (tunnel.code, claim.code) == ("tunnel_tried", "claimed")
    assert tunnel.seen_by(2)["revealed"] == ["red", "red", "red"] and tunnel.seen_by(2)["owed"] == 0
    assert game.position()["discard"] == {"green": 2, "red": 3}
    assert game.position()["deck"] == {"red": 6}
    assert game.view(None).points == [2, 0, 0]
    assert game.seat == 1


def test_three_cards_are_turned_over_however_long_the_tunnel() -> None:
    for name, cards in (("Kiruna–Narvik white", {"white": 1}), ("Mo i Rana–Trondheim green", {"green": 5})):
        game = at(NORDIC, cards, seats=3, deck={"red": 9})
        game.claim(named(NORDIC, name), cards)
        assert game.position()["deck"] == {"red": 6}


# --- paying -----------------------------------------------------------------------------------------------------------


def test_a_tunnel_is_claimed_by_paying_the_extra_cards() -> None:
    game = at(NORDIC, {"green": 5}, seats=3, deck={"green": 6})
    [tunnel] = game.claim(GREEN, {"green": 2})
    assert tunnel.text_for(1).endswith("green, green, green turned over, 3 extra cards needed")
    [claim] = game.play("card green")
    assert claim.seen_by(1)["cards"] == {"green": 5}
    position = game.position()
    assert position["discard"] == {"green": 8} and position["hands"][0] == {}
    assert position["trains"][0] == 38, "the extra cards are no trains"
    assert position["laid"] == position["revealed"] == {} and position["route"] is None
    assert game.view(None).points[0] == 2
    assert (game.seat, game.phase) == (1, "turn")


def test_a_tunnel_may_be_paid_with_any_mix_of_colour_and_locomotives() -> None:
    for laid in ({"green": 2}, {"green": 1, LOCOMOTIVE: 1}, {LOCOMOTIVE: 2}):
        assert tried({"green": 2, LOCOMOTIVE: 2}, laid, {"red": 9}).position()["owners"] == {str(GREEN): 0}
    game = at(NORDIC, {"green": 3, LOCOMOTIVE: 3, "red": 3})
    for wrong in (
        {"green": 3},
        {"green": 2, LOCOMOTIVE: 1},
        {"green": 1},
        {"red": 2},
        {"green": 1, "red": 1},
        {"red": 3, "green": 1},
    ):
        assert not game.can_pay(GREEN, wrong)


def test_extra_cards_may_be_any_mix_but_the_exact_number() -> None:
    """Three cards are owed; the hand has two green and three locomotives. Locomotives are laid first."""
    start = tried({"green": 4, LOCOMOTIVE: 3}, {"green": 2}, {"green": 3})
    spent = set()
    games = [start]
    while games:
        game = games.pop()
        for move in game.moves():
            if str(move) != "give up":
                following = game.copy()
                following.play(move)
                if following.phase == "tunnel":
                    games.append(following)
                else:
                    left = hand_of(following)
                    spent.add((2 - left.get("green", 0), 3 - left.get(LOCOMOTIVE, 0)))
    assert spent == {(0, 3), (1, 2), (2, 1)}


def test_after_the_first_extra_card_you_cannot_give_up() -> None:
    game = tried({"green": 4, LOCOMOTIVE: 2}, {"green": 2}, {"green": 2, "red": 1})
    assert texts(game) == ["card green", "card locomotive", "give up"]
    game.play("card locomotive")
    assert texts(game) == ["card green", "card locomotive"]
    with pytest.raises(IllegalMove, match="seat 0 cannot give up: it has already added cards"):
        game.play("give up")


def test_forced_cards_are_laid_automatically() -> None:
    game = tried({"green": 3, LOCOMOTIVE: 1}, {"green": 2}, {"green": 2, "red": 1})
    assert texts(game) == ["card locomotive", "give up"]
    game.play("card locomotive")
    assert hand_of(game) == {} and game.seat == 1


# --- giving up --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hand", [{"green": 5}, {"green": 2}], ids=["will not", "cannot"])
def test_giving_up_returns_the_laid_cards_and_discards_the_revealed(hand: Cards) -> None:
    game = at(NORDIC, hand, seats=3, deck={"green": 3, LOCOMOTIVE: 3})
    game.claim(GREEN, {"green": 2})
    revealed = game.position()["revealed"]
    assert sum(revealed.values()) == 3
    assert game.position()["discard"] == {}
    [event] = game.play("give up")
    assert event.text_for(1) == "seat 0 gives up Kristiansand–Stavanger green and takes the cards back"
    position = game.position()
    assert position["hands"][0] == hand
    assert position["discard"] == revealed
    assert position["owners"] == {} and position["trains"] == [40, 40, 40]
    assert position["laid"] == position["revealed"] == {} and position["route"] is None and position["set"] is None
    assert game.view(None).points == [0, 0, 0]
    assert (game.seat, game.phase) == (1, "turn")


def test_the_tunnel_asks_even_if_giving_up_is_the_only_answer() -> None:
    """Others cannot tell a seat that will not pay from one that cannot."""
    poor, rich = (
        at(NORDIC, hand, seats=3, deck={"green": 6}, others={1: rest})
        for hand, rest in (({"green": 2, "red": 3}, {"white": 3}), ({"green": 5}, {"white": 3}))
    )
    seen = []
    for game in (poor, rich):
        events = game.claim(GREEN, {"green": 2})
        assert texts(game) == (["give up"] if game is poor else ["card green", "give up"])
        during = game.view(1).json(), game.view(None).json()
        events += game.play("give up")
        seen.append(([event.seen_by(1) for event in events], during, game.view(1).json()))
    assert seen[0] == seen[1]


def test_you_may_try_a_tunnel_without_holding_extra_cards() -> None:
    game = at(NORDIC, {"green": 2}, seats=3)
    assert f"claim {NORDIC.routes[GREEN]}" in texts(game)


def test_anyone_may_try_again_a_tunnel_that_was_given_up() -> None:
    game = at(NORDIC, {"green": 2}, seats=3, others={1: {"green": 2}}, deck={"green": 6, "red": 12})
    while not game.position()["owners"]:
        game.claim(GREEN, {"green": 2})
        if game.phase == "tunnel":
            game.play("give up")
        if game.seat == 2:
            put_aside(game)
    assert list(game.position()["owners"]) == [str(GREEN)]


# --- short decks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [1, 2])
def test_with_fewer_than_three_cards_fewer_are_turned_over(left: int) -> None:
    game = tried({"green": 5}, {"green": 2}, {"green": left})
    assert game.position()["revealed"] == {"green": left}
    assert extra_cost(game) == left


def test_with_nothing_to_turn_over_there_is_no_extra_cost() -> None:
    game = at(NORDIC, {"green": 2}, seats=3, deck={})
    events = game.claim(GREEN, {"green": 2})
    assert events[0].text_for(1).endswith("nothing turned over, no extra cards needed")
    assert game.position()["owners"] == {str(GREEN): 0}


def test_the_discards_are_reshuffled_during_the_reveal() -> None:
    game = at(NORDIC, {"green": 5}, seats=3, deck={"red": 1}, discard={"green": 4})
    events = game.claim(GREEN, {"green": 2})
    assert sorted(event_codes(events)) == ["reshuffled", "tunnel_tried"]
    assert game.position()["revealed"] == {"green": 2, "red": 1}
    assert game.position()["deck"] == {"green": 2}
    assert game.position()["discard"] == {}


@pytest.mark.parametrize("deck", [{"red": 1}, {"red": 2}], ids=str)
def test_laid_and_revealed_cards_are_not_discards_until_the_tunnel_is_settled(deck: Cards) -> None:
    """The five cards in use do not come back into the reveal; afterwards they are the new deck."""
    game = at(NORDIC, {LOCOMOTIVE: 2}, seats=3, deck=deck)
    tunnel, *rest = game.claim(GREEN, {LOCOMOTIVE: 2})
    assert tunnel.seen_by(1)["revealed"] == ["red"] * deck["red"]
    assert event_codes(rest) == ["claimed", "reshuffled"]
    assert game.position()["deck"] == {LOCOMOTIVE: 2, **deck}


def test_after_giving_up_the_cards_turned_over_become_the_deck_and_fill_the_row() -> None:
    game = at(NORDIC, {"green": 2}, seats=3, deck={"green": 3}, face_up={"red": 3})
    game.claim(GREEN, {"green": 2})
    assert game.position()["deck"] == game.position()["discard"] == {}
    assert event_codes(game.play("give up")) == ["gave_up", "reshuffled", "turned_up", "turned_up"]
    assert game.position()["face_up"] == {"green": 2, "red": 3}
    assert game.position()["deck"] == {"green": 1}
    assert hand_of(game) == {"green": 2}


def test_the_row_is_not_touched_by_a_tunnel() -> None:
    game = at(NORDIC, {"green": 2}, seats=3, deck={"red": 9}, face_up={"green": 5})
    game.claim(GREEN, {"green": 2})
    assert game.position()["face_up"] == {"green": 5}
