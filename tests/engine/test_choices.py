"""Whole choices: what `view.choices` lists can be applied, and `Game.apply` is the moves that spell it."""

import random
from collections import Counter

import pytest
from tables import BOARDS, TABLES, play_on, situation

from northrail import BadMove, Game, IllegalMove
from northrail.engine.choices import (
    KINDS,
    Choice,
    Claim,
    DrawTickets,
    GiveUp,
    Keep,
    Pass,
    PayTunnel,
    Take,
    TakeBlind,
    choice_from,
)
from northrail.engine.english import DUTIES

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_every_choice_of_a_view_can_be_applied(name: str, seats: int) -> None:
    kinds = Counter[str]()
    for seed in range(6):
        game, chance = situation(BOARDS[name], seats, seed, "tunnels" if seed % 2 else "any"), random.Random(seed)
        for _ in range(12):
            if game.over:
                break
            choices = game.view(game.seat).choices if game.phase != "pay" else []
            kinds.update(choice.kind for choice in choices)
            for choice in chance.sample(choices, min(6, len(choices))):
                after = game.copy()
                assert after.apply(choice), "a whole choice makes something happen"
                assert after.phase != "pay"
                assert choice_from(choice.json()) == choice
            play_on(game, "any", chance, 1)
    assert {"claim", "take", "blind"} <= set(kinds)


def test_a_claim_is_the_same_card_by_card() -> None:
    game = Game(BOARDS["nordic-countries"], 2, 3)
    chance = random.Random(3)
    compared = 0
    while not game.over:
        for choice in game.view(game.seat).choices if game.phase == "turn" else []:
            if isinstance(choice, Claim):
                whole, laid = game.copy(), game.copy()
                events = whole.apply(choice)
                played = whole.record()["moves"][len(game.record()["moves"]) :]
                assert [event for move in played for event in laid.play(move)] == events
                assert whole == laid
                compared += 1
        play_on(game, "claims", chance, 1)
    assert compared > 50


def test_nobody_else_has_choices() -> None:
    game = Game(BOARDS["northern-lights"], 3, 1, first=0)
    assert game.view(0).choices and not game.view(1).choices and not game.view(None).choices


# --- what cannot be ---------------------------------------------------------------------------------------------------

ANY: dict[str, Choice] = {
    "keep": Keep((0,)),
    "take": Take("red"),
    "blind": TakeBlind(),
    "draw_tickets": DrawTickets(),
    "claim": Claim(0, {"red": 1}),
    "tunnel": PayTunnel({"red": 1}),
    "give_up": GiveUp(),
    "pass": Pass(),
}
PHASES = {
    "tickets": {"keep"},
    "turn": {"take", "blind", "draw_tickets", "claim", "pass"},
    "second_card": {"take", "blind"},
    "tunnel": {"tunnel", "give_up"},
}


def game_in(phase: str) -> Game:
    """Return a game in a phase."""
    for seed in range(100):
        game, chance = Game(BOARDS["nordic-countries"], 2, seed), random.Random(seed)
        while not game.over:
            if game.phase == phase:
                return game
            play_on(game, "tunnels", chance, 1)
    raise AssertionError(f"no game comes to {phase}")


@pytest.mark.parametrize("phase", PHASES)
def test_a_choice_of_another_phase_is_refused_and_changes_nothing(phase: str) -> None:
    assert set(ANY) == set(KINDS)
    game = game_in(phase)
    before = game.copy()
    for kind in set(ANY) - PHASES[phase]:
        with pytest.raises(IllegalMove, match=DUTIES[phase]) as refused:
            game.apply(ANY[kind])
        assert (refused.value.code, refused.value.facts["phase"]) == ("wrong_phase", phase)
        assert game == before and game.record() == before.record()


def test_tickets_that_are_not_offered_cannot_be_kept() -> None:
    game = game_in("tickets")
    offered = [ticket["number"] for ticket in game.view(game.seat).offered]
    other = next(ticket for ticket in range(len(game.board.tickets)) if ticket not in offered)
    for wrong in ((), (other,), (offered[0], offered[0]), (*offered, 999)):
        with pytest.raises(BadMove, match="expected tickets on offer") as refused:
            game.apply(Keep(wrong))
        assert refused.value.code == "not_offered"
    with pytest.raises(IllegalMove, match="must keep at least 2, got 1") as too_few:
        game.apply(Keep((offered[0],)))
    assert too_few.value.facts == {"seat": game.seat, "least": 2, "count": 1}


def test_a_tunnel_is_paid_exactly() -> None:
    game = game_in("tunnel")
    with pytest.raises(IllegalMove, match="cannot add 9 locomotives: expected") as refused:
        game.apply(PayTunnel({"locomotive": 9}))
    assert refused.value.code == "wrong_extra" and refused.value.facts["cards"] == {"locomotive": 9}
    with pytest.raises(BadMove, match="expected numbers of purple"):
        game.apply(PayTunnel({"pink": 1}))


def test_a_tunnel_can_be_paid_in_every_listed_way_or_given_up() -> None:
    paid = 0
    for seed in range(40):
        game, chance = Game(BOARDS["nordic-countries"], 2, seed), random.Random(seed)
        while not game.over and paid < 12:
            if game.phase == "tunnel":
                route, seat = str(game.view(game.seat).route), game.seat
                for choice in game.view(seat).choices:
                    after = game.copy()
                    codes = [event.code for event in after.apply(choice)]
                    assert codes[0] == ("gave_up" if isinstance(choice, GiveUp) else "claimed")
                    assert (after.view(None).owners.get(route) == seat) == isinstance(choice, PayTunnel)
                    paid += isinstance(choice, PayTunnel)
            play_on(game, "tunnels", chance, 1)
    assert paid >= 12


def test_a_colour_must_be_one_of_the_game() -> None:
    with pytest.raises(BadMove, match="expected a colour, one of purple") as refused:
        game_in("turn").apply(Take("pink"))
    assert refused.value.code == "no_such_colour"


@pytest.mark.parametrize(
    "wrong", [{}, {"kind": "steal"}, {"kind": "take"}, {"kind": "claim", "route": 1}, {"kind": "keep", "tickets": 3}]
)
def test_json_that_is_no_choice_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadMove, match="expected a choice such as"):
        choice_from(wrong)
