"""A trained network as a player in the arena."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from blindness import assert_blind
from positions import LIGHTS, NORDIC

from northrail import Game
from northrail.arena import Contest, play_game
from northrail.errors import NorthrailError
from northrail.players import Recipe, load_player
from northrail.research import Vector
from northrail.research.network import Network, save_network


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a random network for two seats on Nordic Countries."""
    vector = Vector("nordic-countries", games=1, players=("learner", "learner"), layout="planner")
    chance = np.random.default_rng(1)
    sizes = [vector.layout.width, 16, vector.actions]
    layers = [
        (chance.normal(size=(outputs, inputs)), chance.normal(size=outputs))
        for inputs, outputs in itertools.pairwise(sizes)
    ]
    save_network(tmp_path / "network.npz", vector.layout.name, np.full(sizes[0], 0.1, np.float32), layers)
    return tmp_path / "network.npz"


def test_a_network_plays_legally_and_blindly(path: Path) -> None:
    recipe = Recipe("network", "northrail.research.network", "Network", {"path": str(path)})
    result = play_game(Contest(NORDIC, (recipe, load_player("hard")), 2, seed=3), 0)
    assert result.fault is None and result.points is not None
    assert_blind(lambda _: Network(str(path)), NORDIC, 2, seed=3, decisions=20)


def test_a_network_sees_what_the_environment_shows_and_plays_its_largest_output(path: Path) -> None:
    with np.load(path) as file:
        arrays = dict(file)
    vector = Vector("nordic-countries", games=8, players=("learner", "learner"), layout="planner", seed=5)
    network = Network(str(path))
    for _ in range(30):
        hidden = np.tanh(vector.obs * arrays["factor"] @ arrays["w_0"].T + arrays["b_0"])
        outputs = np.where(vector.mask == 1, hidden @ arrays["w_1"].T + arrays["b_1"], -np.inf)
        games = [vector.game(at) for at in range(8)]
        chosen = [network.choose(game.view(game.seat)) for game in games]
        assert chosen == outputs.argmax(axis=1).tolist()
        vector.step(vector.random_actions())


def test_networks_for_other_tables_are_refused(path: Path, tmp_path: Path) -> None:
    game = Game(LIGHTS, 2, seed=1)
    with pytest.raises(NorthrailError, match=r"expected \d+ bytes of planner-1 and \d+ actions, for Northern Lights"):
        Network(str(path)).choose(game.view(game.seat))
    with pytest.raises(NorthrailError, match="expected a network as save_network writes it"):
        Network(str(tmp_path / "missing.npz"))
    save_network(tmp_path / "history.npz", "history-1", np.ones(3), [(np.ones((1, 3)), np.ones(1))])
    with pytest.raises(NorthrailError, match="expected the layout compact or planner, got history-1"):
        Network(str(tmp_path / "history.npz"))
