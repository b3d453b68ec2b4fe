"""The trainer: examples that can be played again, sets of routes as columns, and a network that learns."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import train
from northrail import Board
from northrail.boards.board import ROUTE_BITS
from northrail.players.value import Net, load_net, save_net
from train import Training, bits, examples_of, fit, play


@pytest.fixture
def training(nordic: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Training:
    monkeypatch.setattr(train, "CACHE", tmp_path)
    return Training(nordic, games=200, epochs=2, seed=1)


def test_the_same_seed_gives_the_same_examples(training: Training) -> None:
    one, two = (examples_of(training, 3, 4, 0) for _ in range(2))
    assert len(one["won"]) > 20
    assert all(np.array_equal(one[name], two[name]) for name in one)
    other = examples_of(replace(training, seed=2), 3, 4, 0)
    assert not np.array_equal(one["margin"], other["margin"])


def test_finished_games_are_not_played_again(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    files = list(play(training))
    assert {file.name[0] for file in files} == {"2", "3"}
    monkeypatch.setattr(train, "examples_of", None)
    assert list(play(training)) == files


def test_routes_become_columns(nordic: Board) -> None:
    words = np.zeros((1, 3, 4), np.int64)
    last = len(nordic.routes) - 1
    words[0, 2, last // ROUTE_BITS] = 1 << last % ROUTE_BITS
    assert bits(nordic, words).nonzero()[1].tolist() == [3 * len(nordic.routes) - 1]


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
