"""Measure the research environments: observed steps a second, alone, against bots, and beside other people's games.

An observed step plays an action and writes the observation and the mask of the next one. Actions are random and legal.
CartPole and Connect Four are there for scale: they run in the same minute on the same machine.
"""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from northrail.bench.speed import REPEATS, Figure, best_rates
from northrail.boards.load import load_board
from northrail.engine.batches import random_games
from northrail.extras import import_extra
from northrail.research.vector import Vector

STEPS = 60_000  # of the fastest environment in one run; the slower ones take fewer
GAMES = 1024
MANY_TIMES = 8  # as many runs as usual where two threads are compared with one
WHERE = "Nordic Countries, 2 seats"
PUBLISHED = ("path", "one-step", "long-route", "hungry")


def measure() -> Iterator[Figure]:
    """Measure all figures and yield each one."""
    (rate,) = best_rates(vector_steps())
    yield Figure("research_steps_per_second", WHERE, "observed steps, all seats learn", rate, "/s", ">= 1,000,000")
    yield from two_threads()
    for layout, slower in (("history", 1), ("planner", 10)):
        (rate,) = best_rates(vector_steps(layout=layout, slower=slower))
        yield Figure(f"research_{layout}_per_second", WHERE, f"observed steps, layout {layout}", rate, "/s")
    for bot, slower, target in (
        *((name, 5, ">= 150,000") for name in PUBLISHED),
        ("medium", 40, ""),
        ("hard", 40, ">= 25,000"),
    ):
        (rate,) = best_rates(vector_steps(players=("learner", bot), slower=slower))
        yield Figure(f"research_{bot}_per_second", WHERE, f"observed steps against {bot}", rate, "/s", target)
    yield from beside_others()


def two_threads() -> Iterator[Figure]:
    """Measure the speed-up from a second thread, and that of random games, whose threads never wait, for scale.

    Many short runs: two processors are seldom undisturbed at the same time, least of all virtual ones.
    """
    board = load_board("nordic-countries")

    def games(threads: int) -> Callable[[], int]:
        return lambda: len(random_games(board, 2, max(1, STEPS // 60), threads=threads))

    runs = (vector_steps(4, threads=1), vector_steps(4, threads=2), games(1), games(2))
    one, two, alone, together = best_rates(*runs, times=MANY_TIMES * REPEATS)
    yield Figure("research_two_threads_ratio", WHERE, "two threads against one", two / one, "×", ">= 1.8")
    yield Figure("research_two_threads_scale", WHERE, "the same for whole random games", together / alone, "×")


def vector_steps(slower: float = 1, **arguments: Any) -> Callable[[], int]:
    """Return a run of random steps in a vector; ``slower`` is how many times fewer steps it takes."""
    vector = Vector(games=GAMES, **arguments)
    times = max(1, round(STEPS / slower / vector.games))

    def run() -> int:
        for _ in range(times):
            vector.step(vector.random_actions())
        return times * vector.games

    return run


# --- beside other people's games --------------------------------------------------------------------------------------


def beside_others() -> Iterator[Figure]:
    """Measure the environments people know, ours and others, in turns."""
    gymnasium = import_extra("gymnasium", "research")
    import_extra("northrail.research.gym_env", "research")
    agents = import_extra("northrail.research.pettingzoo_env", "research")
    runs = {
        "gymnasium": (
            "Gymnasium: ours against path",
            _gym(gymnasium.make("northrail/NordicCountries-v0", opponents=("path",))),
        ),
        "cartpole": ("Gymnasium: CartPole", _gym(gymnasium.make("CartPole-v1"))),
        "gymnasium_vector": (
            "Gymnasium, 1024 games: ours against path",
            _gym_vector(gymnasium.make_vec("northrail/NordicCountries-v0", num_envs=GAMES, opponents=("path",))),
        ),
        "cartpole_vector": (
            "Gymnasium, 1024 games: CartPole in NumPy",
            _gym_vector(gymnasium.make_vec("CartPole-v1", num_envs=GAMES)),
        ),
        "pettingzoo": ("PettingZoo: ours", _agents(agents.NorthrailAEC())),
    }
    if importlib.util.find_spec("pygame") is not None:  # their classic games import it
        connect_four = import_extra("pettingzoo.classic.connect_four.connect_four", "research")
        runs["connect_four"] = "PettingZoo: Connect Four", _agents(connect_four.raw_env())
    rates = dict(zip(runs, best_rates(*(run for _, run in runs.values())), strict=True))
    for name, rate in rates.items():
        yield Figure(f"research_{name}_per_second", "Beside other people's games", runs[name][0], rate, "/s")
    for ours, other in (("gymnasium", "cartpole"), ("pettingzoo", "connect_four")):
        if other in rates:
            what = f"{runs[ours][0]}, against {runs[other][0].partition(': ')[2]}"
            ratio = rates[ours] / rates[other]
            yield Figure(f"research_{ours}_ratio", "Beside other people's games", what, ratio, "×")


def _gym(env: Any) -> Callable[[], int]:
    """Return a run of random steps in a Gymnasium environment."""
    chance = np.random.default_rng(1)
    mask = [env.reset(seed=1)[1].get("action_mask")]

    def run() -> int:
        for _ in range(max(1, STEPS // 30)):
            _, _, terminated, truncated, info = env.step(_any(chance, mask[0], env.action_space.n))
            if terminated or truncated:
                _, info = env.reset()
            mask[0] = info.get("action_mask")
        return max(1, STEPS // 30)

    return run


def _gym_vector(env: Any) -> Callable[[], int]:
    """Return a run of random steps in a vector of Gymnasium."""
    env.reset(seed=1)
    times = max(1, STEPS // 3 // GAMES)
    pick = getattr(env, "vector", None)

    def run() -> int:
        for _ in range(times):
            env.step(pick.random_actions() if pick is not None else env.action_space.sample())
        return times * GAMES

    return run


def _agents(env: Any) -> Callable[[], int]:
    """Return a run of random steps in a PettingZoo environment."""
    chance = np.random.default_rng(1)
    env.reset(seed=1)

    def run() -> int:
        for _ in range(max(1, STEPS // 30)):
            obs, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(_any(chance, obs["action_mask"], 0))
        return max(1, STEPS // 30)

    return run


def _any(chance: np.random.Generator, mask: Any, count: int) -> int:
    """Return a random action, a legal one if there is a mask."""
    if mask is None:
        return int(chance.integers(count))
    legal = np.flatnonzero(mask)
    return int(legal[int(chance.random() * len(legal))])
