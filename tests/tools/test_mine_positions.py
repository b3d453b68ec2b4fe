"""Mining test positions: the same games give the same positions, and a stopped run goes on."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import mine_positions
from mine_positions import Comparison, Mine, Rejected, Settings, compact, exactly, fault_of, split
from northrail import Game, load_board
from northrail.analysis.judge import Estimate, Judge
from northrail.arena.positions import load_problems

NORDIC = load_board("nordic-countries")


def test_moves_that_lose_much_and_for_sure_are_worse() -> None:
    losses = {"a": Estimate(0, 0), "b": Estimate(1.0, 0.1), "c": Estimate(3.0, 1.0), "d": Estimate(4.0, 0.9)}
    assert split(losses) == (["a", "b", "c"], ["d"])


def test_moves_are_compared_in_the_same_worlds_and_then_in_fresh_ones() -> None:
    game = Game(NORDIC, 2, 1)
    compared = Comparison(Judge(NORDIC), game.view(game.seat))
    moves = [*compared.scripts][:2]
    compared.play([moves[0], moves[0]], 6)
    before = compared.losses()
    assert all(loss == Estimate(0, 0) for loss in before.values())
    compared.play(moves, 6)
    assert next(iter(compared.losses().values())) == Estimate(0, 0) and {*compared.losses()} == {*moves}


def test_a_compact_position_has_the_same_view() -> None:
    problem = load_problems()[0]
    whole = Game.from_position(problem.board, problem.position).position()
    short = compact(problem.board, whole)
    assert len(json.dumps(short)) < len(json.dumps(whole))
    assert bytes(Game.from_position(problem.board, short).view(whole["seat"]).struct) == bytes(problem.view().struct)


def test_exhaustive_play_refuses_a_wrong_list() -> None:
    problem = next(each for each in load_problems() if each.exact and len(each.best) == 1)
    others = [move for move in problem.losses if move not in problem.best]
    assert exactly(problem.view(), problem.best, others) == problem.exact
    with pytest.raises(Rejected, match="exhaustive play disagrees"):
        exactly(problem.view(), others[:1], [*problem.best])


def test_the_check_finds_a_wrong_list() -> None:
    problem = next(each for each in load_problems() if each.exact and len(each.best) == 1)
    judge, few = Judge(problem.board), Settings(worlds=60, effort=40, searches=1)
    assert fault_of(judge, problem, few) is None
    worse = next(move for move in problem.losses if move not in problem.best)
    wrong = replace(problem, best=(worse,), losses={**problem.losses, problem.best[0]: (0.0, 0.0)})
    assert fault_of(judge, wrong, few)


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "TABLES": (("nordic-countries", 2),),
        "SCREEN": 4,
        "JUDGE": 30,
        "LONG": 40,
        "SURE": 1.0,
    }.items():
        monkeypatch.setattr(mine_positions, name, value)
    monkeypatch.setattr(mine_positions, "SIFT", ((6, 0.5), (12, 0.5)))
    monkeypatch.setattr(mine_positions, "ASKED", ("hard", "one-step"))
    monkeypatch.setattr(mine_positions, "PLAYERS", ("hard", "easy"))
    judges = {"nordic-countries": Judge(NORDIC)}
    missing = Counter({"last round": 3, "drawn tickets": 3})

    def found(path: Path, games: int) -> list[dict[str, object]]:
        mine = Mine(path)
        for number in range(len(mine.games), games):
            mine.add(mine_positions.mine_game(number, missing, judges))
        assert Mine(path).counts == mine.counts
        return [game["found"] for game in Mine(path).games]

    whole = found(tmp_path / "whole.jsonl", 3)
    assert any(whole)
    found(tmp_path / "parts.jsonl", 1)
    assert found(tmp_path / "parts.jsonl", 3) == whole
