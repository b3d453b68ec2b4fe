"""A review adds up to the result, is the same every time, and can be told."""

import json

import pytest
from reviewed import late_record, played
from tables import BOARDS, Size, situation

from northrail import BadRecord, Board, Game
from northrail.analysis import Review, luck, review, reviewing, step_from
from northrail.analysis.english import chance_sentence, led_to_sentence, result_sentence, why_sentence
from northrail.analysis.html import page_of
from northrail.analysis.steps import LABELS, Depth, why
from northrail.players.reasons import Reason

TINY = Depth("tiny", 3, 3, 6, 6, 4)
LUCK = Depth("luck", 0, 0, 4, 0, 4)


def assert_adds_up(found: Review) -> None:
    for seat in range(found.seats):
        parts, chance = found.parts(seat), found.luck(seat)
        assert parts.start + parts.decisions + parts.luck + parts.others == pytest.approx(found.result[seat], abs=1e-6)
        assert chance.deal + chance.own + chance.others + chance.hidden == pytest.approx(chance.total, abs=1e-6)
        assert found.adjusted(seat) == pytest.approx(found.result[seat] - chance.total, abs=1e-6)
    if found.seats == 2:
        assert found.luck(0).total == pytest.approx(-found.luck(1).total, abs=1e-6)


@pytest.mark.parametrize(("name", "seats"), [("nordic-countries", 2), ("northern-lights", 3)])
def test_the_parts_add_up_to_the_result(name: str, seats: int) -> None:
    record = played(BOARDS[name], ("planner", "easy", "random")[:seats], 11)
    found = Review(record, None, "luck", list(reviewing(record, None, LUCK)))
    assert_adds_up(found)
    # Where returned tickets go under the deck, their order is chance too.
    without_chance = [step for step in found.steps if step.chance is None and step.kind != "keep"]
    assert without_chance
    assert all(abs(more) < 1e-9 for step in without_chance for more in step.luck)
    assert [move for step in found.steps for move in range(step.move, step.move + len(step.moves))] == list(
        range(len(record["moves"]))
    )


@pytest.fixture(scope="module")
def late() -> Review:
    record = late_record(BOARDS["nordic-countries"], ("easy", "random"), 4, trains=12)
    return Review(record, None, "tiny", list(reviewing(record, None, TINY)))


def test_a_review_of_a_set_up_position_adds_up_too(late: Review) -> None:
    assert_adds_up(late)
    assert late.parts(0).start == pytest.approx(late.steps[0].open[0])
    assert late.luck(0).deal == 0


def test_forced_moves_count_for_nothing(nordic: Board) -> None:
    record = late_record(nordic, ("easy", "beginner"), 2)
    steps = list(reviewing(record, None, TINY))
    for step in steps:
        options = len(Game.replay(record, upto=step.move).moves())
        if step.verdict is None:
            assert step.forced
            assert options == 1
            assert step.decision == [0.0, 0.0]
        elif step.verdict.label in LABELS:
            assert step.verdict.loss.mean >= max(LABELS[step.verdict.label], 2 * step.verdict.loss.error)


def test_a_review_is_the_same_every_time_and_goes_on_where_it_stopped(late: Review) -> None:
    again = list(reviewing(late.record, None, TINY))
    assert again == late.steps
    middle = len(again) // 2
    assert list(reviewing(late.record, None, TINY, again[:middle])) == again[middle:]


def test_a_review_survives_json(late: Review) -> None:
    told = json.loads(json.dumps(late.json()))
    steps = [step_from(each) for each in told["steps"]]
    assert Review(late.record, None, "tiny", steps).json() == late.json()


def test_the_ledger_agrees_with_the_final_score() -> None:
    record = played(BOARDS["nordic-countries"], ("planner", "easy"), 8)
    found = Review(record, None, "luck", list(reviewing(record, None, Depth("luck", 0, 0, 1, 0, 1))))
    for seat, score in enumerate(Game.replay(record).scores()):
        kept = [entry for entry in found.tickets(seat) if entry.kept]
        assert sum(entry.brought for entry in kept) == score.tickets
        assert sum(entry.complete for entry in kept) == score.completed
        assert all(entry.trains and entry.turns for entry in kept if entry.complete)


def test_everything_can_be_told(late: Review) -> None:
    page = page_of(late)
    assert page.startswith("<!doctype html>")
    assert page.count("<img") == sum(len(late.worst(seat)) for seat in range(2))
    assert "_repr_html_" in dir(late)
    for seat in range(2):
        assert result_sentence(late, seat).startswith(f"Seat {seat} ")
    for step in late.steps:
        if step.chance is not None:
            assert chance_sentence(late.board, step.chance, step.seat)
        if step.verdict is not None and step.verdict.best_moves != step.moves:
            assert why_sentence(late.board, step.verdict)
            for each in late.led_to(step):
                assert led_to_sentence(late.board, each["code"], each["facts"])


def test_the_worst_decisions_come_first_and_each_chance_once(late: Review) -> None:
    worst = late.worst(0, count=100)
    losses = [step.verdict.loss.mean for step in worst if step.verdict is not None]
    assert losses == sorted(losses, reverse=True)
    assert losses, "an easy player makes mistakes"
    assert not any(step.again for step in worst)


def test_luck_alone_is_the_luck_of_a_review(nordic: Board) -> None:
    record = late_record(nordic, ("easy", "random"), 4)
    alone = luck(record, worlds=4)
    assert alone[0].total == pytest.approx(-alone[1].total)


def test_unfinished_games_and_unknown_depths_are_refused(nordic: Board) -> None:
    with pytest.raises(BadRecord, match="expected the record of a finished game"):
        review(Game(nordic, 2, 1).record())
    with pytest.raises(BadRecord, match="depth: expected usual or deep, got 'shallow'"):
        review(Game(nordic, 2, 1).record(), depth="shallow")


@pytest.mark.parametrize("name", BOARDS)
def test_every_legal_move_has_reasons(name: str, size: Size) -> None:
    """The best alternative may be any move, not only one that the planner would make."""
    for seed in range(size.pick(4, 12, 400)):
        game = situation(BOARDS[name], 2 + seed % 2, seed, most=40 + 15 * (seed % 12))
        if game.over or game.phase == "pay":
            continue
        view = game.view(game.seat)
        for move in view.moves:
            for reason in why(view, move.number):
                assert str(Reason(reason["code"], reason["facts"], game.board))
