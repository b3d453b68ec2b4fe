"""Tuning the planner: it writes better weights, with the command that found them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import tune
from evolve import Weights
from northrail.boards.load import load_board
from northrail.players.planner import PATIENT, STEADY, Planner, tuned_weights

pytest.importorskip("cma", reason="the extra `tune` is not installed")


def run(*words: object) -> Result:
    app = typer.Typer()
    app.command()(tune.tune)
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return a copy of planner.json."""
    path = tmp_path / "planner.json"
    path.write_text(tune.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    return path


def prefer_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new weights be worth more than the present ones: two deals do not tell."""
    real = tune.worth

    def worth(tuning: tune.Tuning, weights: Weights, *others: Any) -> float:
        return real(tuning, weights, *others) - 1000.0 * (weights == tuned_weights(tuning.board.id, STEADY))

    monkeypatch.setattr(tune, "worth", worth)


FEW = "--generations", 1, "--population", 4, "--deals", 2


def test_a_generation_runs_and_writes_weights_with_the_command_that_made_them(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefer_new(monkeypatch)
    told = run("--board", "northern-lights", "--seats", 3, *FEW, "--rival", "path", "--out", page)
    assert told.exit_code == 0 and "generation 1 of 1: worth " in told.stdout and "% against path" in told.stdout
    content = json.loads(page.read_text(encoding="utf-8"))
    before = json.loads(tune.PAGE.read_text(encoding="utf-8"))
    found = content[STEADY].pop("northern-lights")
    made = content["made by"][STEADY]["northern-lights"]
    assert content[STEADY] == before[STEADY], "what is tuned for other boards stays"
    assert content[PATIENT] == before[PATIENT]
    assert made.startswith('make tune ARGS="--board northern-lights --seats 3 --generations 1 --population 4')
    assert made.endswith('--rival path"')
    usual = tuned_weights("northern-lights", STEADY)
    assert found.keys() == usual.keys()
    assert all(0.3 * usual[name] <= found[name] <= 3 * usual[name] for name in found)
    assert all(found[name] == usual[name] for name in tune.QUICK_ONLY) and found != usual
    Planner(**found)


def test_the_same_seed_finds_the_same_weights(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefer_new(monkeypatch)
    texts = set()
    for _ in range(2):
        run(*FEW, "--out", page)
        texts.add(page.read_text(encoding="utf-8"))
    assert len(texts) == 1


def test_weights_that_are_no_better_are_not_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "worth", lambda *_: 0.5)
    before = page.read_bytes()
    told = run(*FEW, "--out", page)
    assert "so we keep those" in told.stdout and page.read_bytes() == before


def test_stopping_early_compares_the_weights_found_so_far(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefer_new(monkeypatch)
    real = tune.generations

    def stopped(tuning: tune.Tuning, start: Weights) -> Iterator[tuple[int, Weights]]:
        yield from real(tuning, start)
        raise KeyboardInterrupt

    monkeypatch.setattr(tune, "generations", stopped)
    told = run(*FEW, "--out", page)
    assert "stopped" in told.stderr and "nordic-countries, worth" in told.stdout


def test_good_weights_are_worth_more_than_bad_ones() -> None:
    tuning = tune.Tuning(load_board("nordic-countries"), 2, tune.RIVALS, 1, 4, 10, 1)
    good = tuned_weights("nordic-countries", STEADY)
    bad = good | {"ticket": 0.0, "points": 0.0, "turn": 9.0}
    bots = tuning.bots()
    assert tune.worth(tuning, good, bots, 10, 5) > tune.worth(tuning, bad, bots, 10, 5)
    against_hungry = tune.RIVALS.index("hungry")
    assert tune.worths(tuning, good, bots, 10, 5)[against_hungry][0] > 0.6


def test_the_strongest_rival_counts_most(monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = tune.Tuning(load_board("nordic-countries"), 2, ("path", "hungry"), 1, 4, 1, 1)
    monkeypatch.setattr(tune, "worths", lambda *_: [(0.9, 80.0), (0.4, 20.0)])
    assert tune.worth(tuning, {}, [], 1, 1) == 0.5 * 50 + 0.5 * 20


def test_a_number_of_seats_the_board_does_not_have_is_refused() -> None:
    assert "seats: expected 2 to 3" in run("--seats", 5).stderr
    assert "northern-lights" in run("--board", "atlantis").stderr
