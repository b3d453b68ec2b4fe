"""The trainer: examples that can be played again, sets of routes as columns, and a network that learns."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import train
from northrail import Board
from northrail.boards.board import ROUTE_BITS
from northrail.players.training import UNKNOWN
from northrail.players.value import Net, load_net, save_net
from train import QUICK, SEARCHED, Training, bits, examples_of, fit, play, targets


@pytest.fixture
def training(nordic: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Training:
    monkeypatch.setattr(train, "CACHE", tmp_path)
    return Training(nordic, games=200, searched=20, iterations=16, epochs=2, seed=1)


@pytest.mark.parametrize("kind", [QUICK, SEARCHED])
def test_the_same_seed_gives_the_same_examples(training: Training, kind: str) -> None:
    one, two = (examples_of(training, kind, 3, 4, 0) for _ in range(2))
    assert len(one["won"]) > 20
    assert all(np.array_equal(one[name], two[name]) for name in one)
    other = examples_of(replace(training, seed=2), kind, 3, 4, 0)
    assert not np.array_equal(one["margin"], other["margin"])


def test_only_searches_expect_something(training: Training) -> None:
    assert set(examples_of(training, QUICK, 2, 10, 0)["worth"]) == {np.float32(UNKNOWN)}
    searched = examples_of(training, SEARCHED, 2, 10, 0)
    assert 0 < searched["worth"].min() < searched["worth"].max() < 1
    # What a search expects goes with how the game ended.
    ended = targets(searched | {"worth": np.full_like(searched["worth"], UNKNOWN)})
    assert np.corrcoef(searched["worth"], ended)[0, 1] > 0.2


def test_what_a_turn_was_worth_mixes_what_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "LOOK_BACK", 0.5)
    facts = {
        "game": [7, 7, 7, 7, 8],
        "seat": [0, 1, 0, 0, 0],
        "worth": [0.1, 0.9, 0.4, 0.6, UNKNOWN],
        "margin": [0.0] * 5,
        "won": [0.5] * 5,
    }
    data = {name: np.array(each, np.float32) for name, each in facts.items()}
    last, before = 0.5, (0.5 + 0.6) / 2
    assert targets(data) == pytest.approx([(before + 0.4) / 2, 0.5, before, last, 0.5])


def test_bold_searches_play_differently(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    one = examples_of(training, SEARCHED, 2, 4, 0)
    monkeypatch.setattr(train, "BOLD", 0.0)
    other = examples_of(training, SEARCHED, 2, 4, 0)
    assert not np.array_equal(one["worth"], other["worth"])


def test_finished_games_are_not_played_again(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    files = list(play(training))
    assert {file.name[0] for file in files} == {"2", "3"}
    monkeypatch.setattr(train, "examples_of", None)
    assert list(play(training)) == files


def test_sets_become_columns(nordic: Board) -> None:
    count = len(nordic.routes)
    words = np.zeros((1, 3, 4), np.int64)
    words[0, 2, (count - 1) // ROUTE_BITS] = 1 << (count - 1) % ROUTE_BITS
    assert bits(words, count, ROUTE_BITS).nonzero()[1].tolist() == [3 * count - 1]
    assert bits(words[:0], count, ROUTE_BITS).shape == (0, 3 * count)


@pytest.mark.long  # needs PyTorch, which only `make train` installs
def test_a_network_learns_and_goes_on_after_an_interruption(training: Training, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is large, so the tests do not install it")
    files = list(play(replace(training, games=2000)))
    weights = fit(training, files)
    assert set(weights) == set(Net.fields)
    again = fit(training, files)  # both epochs are done, so this only reads them
    assert all(np.array_equal(weights[name], again[name]) for name in weights)
    save_net(tmp_path / "net.npz", training.board, weights, training.command)
    assert np.isfinite(np.asarray(load_net(str(tmp_path / "net.npz"), training.board).between)).all()
