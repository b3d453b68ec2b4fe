"""The guide lists every byte of every layout, and its recipes and examples work."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import northrail
from northrail.research.gym_env import NorthrailEnv
from northrail.research.layouts import EVENT_NAMES, Part, layout_of
from northrail.research.pettingzoo_env import NorthrailAEC

GUIDE = Path(__file__).parents[2] / "docs" / "research.md"


def row(part: Part) -> str:
    place = str(part.start) if part.stop == part.start + 1 else f"{part.start}–{part.stop - 1}"
    return f"| {place} | `{part.name}` | {part.meaning} |"


def test_the_guide_lists_every_byte(nordic: northrail.Board) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    compact, planner, history = (layout_of(nordic, 2, name).parts for name in ("compact", "planner", "history"))
    added = [planner[len(compact) :], history[len(compact) :][:1]]
    for parts in (compact, *added):
        assert "\n".join(map(row, parts)) in text
    assert ", ".join(f"{code + 1} {name}" for code, name in EVENT_NAMES.items()) in " ".join(text.split())
    assert f"`{layout_of(nordic, 2).name}`" in text


def test_the_wrapper_for_masks_inside_observations_works() -> None:
    found = re.search(r"class Masked.*?\n\n", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {"gymnasium": gymnasium, "np": np}
    exec(found[0], names)
    env = names["Masked"](NorthrailEnv(opponents=("path",)))
    observation, _ = env.reset(seed=1)
    while env.observation_space.contains(observation) and observation["action_mask"].any():
        observation, _, terminated, _, _ = env.step(int(observation["action_mask"].argmax()))
    assert terminated


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")  # it warns of every version but one
def test_torchrl_reads_the_pettingzoo_environment() -> None:
    torchrl = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed")
    env = torchrl.PettingZooWrapper(NorthrailAEC(seats=2), use_mask=True, categorical_actions=True)
    rollout = env.rollout(100)
    assert rollout["seat_0", "action_mask"].any() and rollout["seat_1", "action_mask"].any()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # its own
def test_rllib_learns_with_the_recipe() -> None:
    pytest.importorskip(
        "ray.rllib", reason="RLlib is not installed; run: pip install 'ray[rllib]'", exc_type=ImportError
    )
    text = GUIDE.read_text(encoding="utf-8").partition("**RLlib**")[2]
    wrapping, learning = re.findall(r"```\n(.*?)```", text, re.DOTALL)[:2]
    names: dict[str, Any] = {}
    few = "config.env_runners(num_env_runners=0).training(train_batch_size_per_learner=300, minibatch_size=100)\n"
    exec(wrapping + learning.replace("algorithm =", f"{few}algorithm ="), names)
    try:
        learned = names["algorithm"].train()
    finally:
        names["algorithm"].stop()
        importlib.import_module("ray").shutdown()
    assert learned["env_runners"]["num_env_steps_sampled"] >= 300
    assert learned["learners"]["default_policy"]["total_loss"] != 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("example", "arguments", "needs", "words"),
    [
        ("open_spiel_ismcts.py", ["--simulations", "3"], "pyspiel", "IS-MCTS wins|ties|loses"),
        ("train_ppo.py", ["--minutes", "0.05", "--games", "4"], "sb3_contrib", r"min +[1-9][0-9,]* steps +wins"),
    ],
)
def test_the_examples_run(example: str, arguments: list[str], needs: str, words: str) -> None:
    if importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    command = [sys.executable, str(GUIDE.parents[1] / "examples" / example), *arguments]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.search(words, told.stdout), told.stdout
