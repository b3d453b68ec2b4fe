"""The PettingZoo environment: other people's checkers, and the same arrays as `Vector` and `Game`."""

import copy
import random
import warnings

import numpy as np
import pytest
from observations import compact
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from tables import TABLES, Size

import northrail
from northrail.research.pettingzoo_env import NorthrailAEC

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where pygame is installed, they import a game of theirs in a deprecated way
    from pettingzoo.test import api_test, render_test, seed_test

Table = tuple[northrail.Board, int]


def checked_env(render_mode: str | None = None) -> NorthrailAEC:
    return NorthrailAEC("northern-lights", 3, render_mode=render_mode)


def test_the_checkers_pass(table: Table) -> None:
    """Their one complaint is about dict observations; it names their own games with masks as exceptions."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for complaint in ("Observation space for each agent probably should", "Observation is not a NumPy array"):
            warnings.filterwarnings("ignore", message=complaint)
        api_test(NorthrailAEC(*table), num_cycles=300)
    seed_test(lambda: NorthrailAEC(*table), num_cycles=100)


def test_every_render_mode() -> None:
    render_test(checked_env, {"svg": lambda picture: picture.startswith("<svg")})


def test_every_step_is_a_step_of_game(table: Table, size: Size) -> None:
    compare_with_game(table, size.pick(20, 150))


@pytest.mark.long
def test_a_million_steps_are_steps_of_game(table: Table) -> None:
    compare_with_game(table, 1_000_000 // len(TABLES), observed=20)


def compare_with_game(table: Table, steps: int, observed: int = 1) -> None:
    """Compare agents, rewards and ends, and every so many times what all agents observe."""
    board, seats = table
    env = NorthrailAEC(board, seats)
    env.reset(seed=3)
    game, chance = northrail.Game(board, seats, 3), random.Random(3)
    seed = 3
    for step in range(steps):
        seat = game.seat
        assert env.agent_selection == f"seat_{seat}"
        for agent, me in ((f"seat_{me}", me) for me in range(seats if step % observed == 0 else 0)):
            seen = env.observe(agent)
            np.testing.assert_array_equal(seen["observation"], compact(game, me))
            legal = [move.number for move in game.moves()] if me == seat else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        move = chance.choice(game.moves()).number
        game.play(move)
        env.step(move)
        if game.over:
            totals = [score.total for score in game.scores()]
            margins = [total - max(totals[:at] + totals[at + 1 :]) for at, total in enumerate(totals)]
            assert [env.rewards[f"seat_{me}"] for me in range(seats)] == margins
            assert all(env.terminations.values()) and not any(env.truncations.values())
            for _ in range(seats):
                assert env.last()[1] == margins[int(env.agent_selection[-1])]
                env.step(None)
            assert not env.agents
            env.reset()
            seed += 1
            game = northrail.Game(board, seats, seed)


def test_copies_and_saved_states_continue_in_the_same_way() -> None:
    env = NorthrailAEC(seats=2)
    env.reset(seed=5)
    chance = random.Random(5)

    def legal(of: NorthrailAEC) -> list[int]:
        return [int(action) for action in np.flatnonzero(of.observe(of.agent_selection)["action_mask"])]

    for _ in range(20):
        env.step(chance.choice(legal(env)))
    twin, other = copy.deepcopy(env), NorthrailAEC(seats=2)
    other.set_state(env.get_state())
    for _ in range(20):
        assert legal(env) == legal(twin) == legal(other)
        action = chance.choice(legal(env))
        for each in (env, twin, other):
            each.step(action)
        for agent in env.agents:
            for each in (twin, other):
                np.testing.assert_array_equal(env.observe(agent)["observation"], each.observe(agent)["observation"])


def test_parallel_interface() -> None:
    """PettingZoo's own wrapper: all agents observe, and the one to act acts."""
    env = turn_based_aec_to_parallel(checked_env())
    observations, _ = env.reset(seed=1)
    for _ in range(30):
        assert set(observations) == {"seat_0", "seat_1", "seat_2"}
        acting = [agent for agent, seen in observations.items() if seen["action_mask"].any()]
        assert acting == [env.aec_env.agent_selection]
        actions = {agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()}
        observations, _, _, _, _ = env.step(actions)


def test_illegal_actions_and_bad_input() -> None:
    env = NorthrailAEC(seats=2, reward="win")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(0)
    assert env.rewards[agent] == -1 and sum(env.rewards.values()) == -1 and all(env.terminations.values())
    strict = NorthrailAEC(seats=2, illegal="raise")
    strict.reset(seed=1)
    before = strict.get_state()
    for action in (0, 134, None):
        with pytest.raises(northrail.NorthrailError):
            strict.step(action)
        assert strict.get_state() == before
    with pytest.raises(northrail.NorthrailError, match="expected bytes from get_state"):
        strict.set_state(b"nonsense")
    strict.close()
    with pytest.raises(northrail.NorthrailError, match="closed"):
        strict.observe("seat_0")
