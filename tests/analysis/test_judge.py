"""Choices are judged by a seat's view alone, in the same worlds, and exactly where a game is nearly over."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from exact_ends import margin_of, worth_of
from reviewed import late_record, played
from tables import BOARDS
from worlds import altered

from northrail import BadMove, Board, Game, IllegalMove
from northrail.analysis import evaluate
from northrail.analysis.judge import Judge, empty_plan, script_of
from northrail.analysis.steps import Depth, Trial, Walk, trial_of
from northrail.engine.choices import choice_from
from northrail.kernels.structs import copy_struct
from northrail.players.plan_structs import Plan

BLUNDERS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "blunders.json").read_text("utf-8"))
TINY = Depth("tiny", 2, 2, 4, 4, 4)


def test_there_are_enough_blunders_of_each_kind() -> None:
    assert len(BLUNDERS) >= 40
    assert {(each["board"], each["kind"]) for each in BLUNDERS} >= {
        ("nordic-countries", "ticket"),
        ("nordic-countries", "points"),
        ("nordic-countries", "tunnel"),
        ("northern-lights", "ticket"),
        ("northern-lights", "points"),
    }


@pytest.mark.parametrize("number", range(len(BLUNDERS)))
def test_known_blunders_are_found_with_their_loss(number: int) -> None:
    blunder = BLUNDERS[number]
    game = Game.from_position(BOARDS[blunder["board"]], blunder["position"])
    best, worse = (choice_from(blunder[name]) for name in ("best", "worse"))
    worths = {str(choice.json()): worth for choice, worth in worth_of(game)}
    loss = worths[str(best.json())] - worths[str(worse.json())]
    assert loss == pytest.approx(blunder["loss"]), "the list is out of date"
    good, bad = evaluate(game.view(game.seat), [best, worse], worlds=400)
    assert good.loss.mean == 0
    assert bad.loss.is_sure
    # The seat does not see the deck, nor the tickets that decide the bonus cards; the exact loss knows both.
    assert bad.loss.mean == pytest.approx(loss, abs=4 * bad.loss.error + 5)


@pytest.mark.parametrize("number", range(len(BLUNDERS)))
def test_with_all_cards_open_the_last_turn_is_exact(number: int) -> None:
    blunder = BLUNDERS[number]
    game = Game.from_position(BOARDS[blunder["board"]], blunder["position"])
    judge, plans = Judge(game.board), Plan.many(2)
    for plan in plans:
        copy_struct(plan, empty_plan())
    view = game.view(game.seat)
    for choice, worth in worth_of(game):
        script = script_of(judge, view, plans[game.seat], choice)
        margins = judge.open(game.state, plans, 0, [script], number << 20, 300).margins[:, 0, game.seat]
        is_tunnel = choice.kind == "claim" and game.board.routes[choice.json()["route"]].tunnel
        if is_tunnel:
            assert margins.mean() == pytest.approx(worth, abs=4 * margins.std() / 300**0.5 + 0.1)
        else:
            assert (margins == worth).all(), f"{choice}: expected {worth}, got {margins.mean()}"


@pytest.mark.engine
def test_kernels_play_out_in_plain_python_too() -> None:
    """`make test-plain` runs this without compiled kernels."""
    blunder = BLUNDERS[0]
    game = Game.from_position(BOARDS[blunder["board"]], blunder["position"])
    best, worse = (choice_from(blunder[name]) for name in ("best", "worse"))
    good, bad = evaluate(game.view(game.seat), [best, worse], worlds=3)
    assert bad.loss.mean == pytest.approx(blunder["loss"], abs=11), "a bonus card may depend on hidden tickets"
    assert good.margin.mean > bad.margin.mean


@pytest.mark.parametrize("name", BOARDS)
def test_two_turns_before_the_end_the_reply_is_played_out_exactly(name: str) -> None:
    """Before its own last turn, the other seat claims what the quick planner would claim, which we play by hand."""
    checked = 0
    for seed in range(4):
        record = played(BOARDS[name], ("planner", "planner"), seed)
        game = Game.replay(record, upto=0)
        for move in record["moves"]:
            if game.phase == "turn" and game.view(0).turns_left == 2:
                break
            game.play(move)
        judge, plans = Judge(game.board), Plan.many(2)
        for plan in plans:
            copy_struct(plan, empty_plan())
        seat, view = game.seat, game.view(game.seat)
        for choice in view.choices:
            after = game.copy()
            after.apply(choice)
            if choice.kind != "claim" or game.board.routes[choice.json()["route"]].tunnel or after.phase != "turn":
                continue
            script = script_of(judge, view, plans[seat], choice)
            other = empty_plan()
            reply = judge.quick_choice(after.view(after.seat).struct, other)
            for number in reply:
                after.play(number)
            if not after.over:  # a tunnel, or tickets
                continue
            margins = judge.open(game.state, plans, 0, [script], seed << 20, 20).margins[:, 0, seat]
            assert (margins == margin_of(after, seat)).all()
            checked += 1
    assert checked > 2


@pytest.mark.parametrize("name", BOARDS)
def test_what_a_seat_could_not_know_changes_nothing(name: str) -> None:
    record = played(BOARDS[name], ("easy", "planner", "planner"), 3)
    chance = random.Random(3)
    walk = Walk(record, None)
    checked = 0
    for moment in walk:
        if moment.number % 17 or len(moment.view.moves) == 1:
            continue
        checked += 1
        plan = walk.plans[moment.seat]
        game = Game.replay(record, upto=moment.move)
        twin = Game.from_position(game.board, altered(game.position(), game.board, moment.seat, chance))
        assert bytes(twin.state) != bytes(game.state)
        verdicts = [
            Trial(Judge(game.board), view, plan, moment.turn, moment.script, moment.usual, TINY).verdict()
            for view in (game.view(moment.seat), twin.view(moment.seat))
        ]
        assert verdicts[0] == verdicts[1]
    assert checked > 5


def test_the_move_that_was_made_is_always_among_the_alternatives(nordic: Board) -> None:
    walk = Walk(late_record(nordic, ("random", "random"), 5), None)
    for moment in walk:
        if len(moment.view.moves) > 1:
            trial = trial_of(walk, moment, TINY)
            assert moment.script in trial.options()
            verdict = trial.verdict()
            assert moment.script in [each.moves for each in verdict.alternatives]
            assert not (verdict.best_moves == moment.script and verdict.loss.mean > 0)


def test_evaluate_takes_moves_in_every_form(nordic: Board) -> None:
    game = Game(nordic, 2, 1)
    view = game.view(game.seat)
    move = view.moves[0]
    by_move, by_text, by_number, by_choice = evaluate(view, [move, str(move), move.number, view.choices[0]], worlds=2)
    assert by_move == by_text == by_number == by_choice


def test_bad_questions_get_an_answer_in_words(nordic: Board) -> None:
    game = Game(nordic, 2, 1)
    with pytest.raises(BadMove, match="expected the view of the seat to move"):
        evaluate(game.view(1 - game.seat))
    with pytest.raises(BadMove, match="worlds: expected a number from 1"):
        evaluate(game.view(game.seat), worlds=0)
    with pytest.raises(IllegalMove):
        evaluate(game.view(game.seat), ["take blind"])
    assert evaluate(game.view(game.seat), []) == []
