"""The Gymnasium environments: other people's checker, and the same arrays as `Vector`."""

import copy
import random
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from observations import compact
from tables import Size

import northrail
from northrail.research.gym_env import ENVIRONMENTS, NorthrailEnv, NorthrailVectorEnv
from northrail.research.vector import Vector

NORDIC = "northrail/NordicCountries-v0"


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_checker_passes_without_warnings(name: str) -> None:
    """It also renders in every mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, opponents=("path",)).unwrapped)


def test_human_mode_writes_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    env = NorthrailEnv(opponents=("path",), render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    env.step(env.vector.random_actions()[0])
    assert capsys.readouterr().out.count("Nordic Countries: ") == 3


def test_the_environments_are_registered_by_importing_their_module() -> None:
    env = gymnasium.make(f"northrail.research.gym_env:{NORDIC}")
    assert isinstance(env.unwrapped, NorthrailEnv) and env.unwrapped.vector.board.id == "nordic-countries"


def test_every_step_is_a_step_of_vector(board: northrail.Board, size: Size) -> None:
    """Also over the end of a game: `reset` without a seed continues as a vector of one game does."""
    env = NorthrailEnv(board, ("path", "hungry"))
    vector = Vector(board, 1, ("learner", "path", "hungry"), seed=6)
    obs, info = env.reset(seed=6)
    ended = 0
    for _ in range(size.pick(30, 400)):
        np.testing.assert_array_equal(obs, vector.obs[0])
        np.testing.assert_array_equal(info["action_mask"], vector.mask[0])
        np.testing.assert_array_equal(env.action_masks(), vector.mask[0])
        action = vector.random_actions()[0]
        vector.step([action])
        obs, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (vector.rewards[0, 0], vector.terminated[0], vector.truncated[0])
        if terminated:
            assert info["scores"].tolist() == vector.scores[0].tolist()
            np.testing.assert_array_equal(obs, vector.obs[0])
            vector.step([0])
            obs, info = env.reset()
            ended += 1
    assert ended or size.name == "small"


def test_every_step_is_a_step_of_game(board: northrail.Board) -> None:
    compare_with_game(board, 200)


@pytest.mark.long
def test_a_million_steps_are_steps_of_game(board: northrail.Board) -> None:
    assert compare_with_game(board, 1_000_000 // len(ENVIRONMENTS), observed=20)


def compare_with_game(board: northrail.Board, steps: int, observed: int = 1) -> int:
    """Let the same bot answer in a `Game`; compare masks, rewards and scores, and every so many observations."""
    env, bot = NorthrailEnv(board, ("path",)), northrail.load_player("path")()
    chance, seed, ended = random.Random(1), 40, 0

    def answered(game: northrail.Game) -> northrail.Game:
        while not game.over and game.seat == 1:
            answer = bot.choose(game.view(1))
            assert isinstance(answer, int)
            game.play(answer)
        return game

    obs, info = env.reset(seed=seed)
    game = answered(northrail.Game(board, 2, seed))
    for step in range(steps):
        legal = [move.number for move in game.moves()]
        assert np.flatnonzero(info["action_mask"]).tolist() == legal
        action = chance.choice(legal)
        game.play(action)
        obs, reward, terminated, truncated, info = env.step(action)
        assert terminated == answered(game).over and not truncated
        if step % observed == 0 or terminated:
            np.testing.assert_array_equal(obs, compact(game, 0))
        if terminated:
            mine, other = (score.total for score in game.scores())
            assert info["scores"].tolist() == [mine, other] and reward == mine - other
            ended, seed = ended + 1, seed + 1
            obs, info = env.reset()
            game = answered(northrail.Game(board, 2, seed))
    return ended


@pytest.mark.parametrize("mode", AutoresetMode)
def test_many_games_are_a_vector(mode: AutoresetMode) -> None:
    env = gymnasium.make_vec(NORDIC, num_envs=3, opponents=("path",), autoreset_mode=mode, threads=2)
    assert isinstance(env.unwrapped, NorthrailVectorEnv) and env.metadata["autoreset_mode"] == mode
    obs, infos = env.reset(seed=4)
    vector = Vector("nordic-countries", 3, ("learner", "path"), seed=4, autoreset=env.unwrapped.vector.autoreset)
    ended = 0
    for _ in range(150):
        np.testing.assert_array_equal(obs, vector.obs)
        np.testing.assert_array_equal(infos["action_mask"], vector.mask)
        assert env.observation_space.contains(obs)
        actions = vector.random_actions().copy()
        vector.step(actions)
        obs, rewards, terminated, truncated, infos = env.step(actions)
        assert rewards.tolist() == vector.rewards[:, 0].tolist() and not truncated.any()
        if terminated.any():
            ended += 1
            assert infos["_scores"].tolist() == terminated.tolist()
            assert infos["scores"].tolist() == vector.scores.tolist()
            if mode == AutoresetMode.SAME_STEP:
                np.testing.assert_array_equal(infos["final_obs"][terminated], vector.final_obs[terminated])
            if mode == AutoresetMode.DISABLED:
                vector.reset(games=terminated)
                obs, infos = env.reset(options={"reset_mask": terminated})
    assert ended
    env.close()


def test_many_games_agree_with_gymnasiums_own_vector() -> None:
    """Ours in one kernel, theirs one environment after the other, until the first game ends."""
    ours = NorthrailVectorEnv(2, opponents=("hungry",))
    theirs: Any = gymnasium.make_vec(NORDIC, num_envs=2, opponents=("hungry",), vectorization_mode="sync")
    seen: tuple[Any, ...] = ours.reset(seed=[8, 3])
    expected: tuple[Any, ...] = theirs.reset(seed=[8, 3])
    while True:
        for mine, other in zip(seen[:-1], expected[:-1], strict=True):
            np.testing.assert_array_equal(mine, other)
        np.testing.assert_array_equal(seen[-1]["action_mask"], expected[-1]["action_mask"])
        if len(seen) == 5 and seen[2].any():
            break
        actions = ours.vector.random_actions().copy()
        seen, expected = ours.step(actions), theirs.step(actions)


def test_arrays_are_copied_unless_you_ask_for_the_real_ones() -> None:
    for wanted in (True, False):
        env = NorthrailVectorEnv(2, opponents=("path",), copy=wanted)
        obs, _ = env.reset(seed=1)
        assert np.shares_memory(obs, env.vector.obs) != wanted


def test_a_state_can_be_saved_and_loaded() -> None:
    env = NorthrailEnv(opponents=("easy",))
    env.reset(seed=2)
    env.step(env.vector.random_actions()[0])
    state, obs = env.get_state(), env.vector.obs[0].copy()
    twin = copy.deepcopy(env)
    action = env.vector.random_actions()[0]
    after = env.step(action)
    np.testing.assert_array_equal(env.set_state(state), obs)
    for again in (env.step(action), twin.step(action)):
        np.testing.assert_array_equal(again[0], after[0])


def test_an_illegal_action_loses() -> None:
    env = NorthrailEnv(opponents=("path",), reward="win")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-1.0, True, False) and not info["action_mask"].any()
    strict = NorthrailEnv(opponents=("path",), illegal="raise")
    strict.reset(seed=1)
    for action in (0, 134, 1.5, None):
        with pytest.raises(northrail.NorthrailError):
            strict.step(action)
    np.testing.assert_array_equal(strict.vector.obs[0], strict.reset(seed=1)[0])


def test_bad_modes_and_closed_environments() -> None:
    with pytest.raises(northrail.NorthrailError, match="render_mode: expected human, rgb_array, svg, ansi or None"):
        NorthrailEnv(render_mode="hologram")
    env = NorthrailEnv()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="expected a render_mode"):
        assert env.render() is None
    env.close()
    with pytest.raises(northrail.NorthrailError, match="closed"):
        env.step(0)


def test_pictures_show_trains_and_only_what_the_learner_may_know(board: northrail.Board) -> None:
    env = NorthrailEnv(board, ("random",), render_mode="rgb_array")
    env.reset(seed=1)
    empty = env.render()
    while not env.vector.terminated[0]:
        if "claimed by seat" in (text := str(_rendered(env, "ansi"))):
            break
        env.step(env.vector.random_actions()[0])
    assert isinstance(empty, np.ndarray) and (empty != env.render()).any()
    view = env.vector.game(0).view(0)
    assert text.count("ticket: ") == len(view.tickets)
    assert str(_rendered(env, "svg")).startswith("<svg")


def _rendered(env: NorthrailEnv, mode: str) -> Any:
    env.render_mode, before = mode, env.render_mode
    picture = env.render()
    env.render_mode = before
    return picture
