"""Gymnasium environments: one learner against bots. Importing this module registers them.

>>> import gymnasium
>>> import northrail.research.gym_env
>>> env = gymnasium.make("northrail/NordicCountries-v0", opponents=("path",))
>>> obs, info = env.reset(seed=1)
>>> obs.shape, int(info["action_mask"].sum())
((563,), 26)
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from northrail.boards.board import Board
from northrail.research.rendering import RENDER_MODES, Pixels, check_mode, render
from northrail.research.vector import Vector

ENVIRONMENTS = {"northrail/NordicCountries-v0": "nordic-countries", "northrail/NorthernLights-v0": "northern-lights"}
LEARNER = 0  # the learner's seat; the seed decides who starts
MODES = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}

Obs = np.ndarray[Any, np.dtype[np.uint8]]
Info = dict[str, Any]


class NorthrailEnv(gymnasium.Env[Obs, np.int64]):
    """One learner against bots. Actions are move numbers; ``info["action_mask"]`` says which are legal.

    ``arguments`` are those of `Vector`: layout, reward, most_steps.

    An illegal action loses the game at once: ``terminated``, with a reward of -100, or -1 if ``reward`` is ``win``.
    ``reset(seed=n)`` deals ``Game(board, seats, n)``. Without a seed the next number follows.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        board: Board | str = "nordic-countries",
        opponents: Sequence[str] = ("hard",),
        *,
        illegal: str = "lose",
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        players = ("learner", *opponents)
        self.vector = Vector(board, 1, players, illegal=illegal, autoreset="disabled", **arguments)
        self.observation_space = spaces.Box(0, 255, (self.vector.layout.width,), np.uint8)
        self.action_space = spaces.Discrete(self.vector.actions)
        self._has_seed = False

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Obs, Info]:
        """Deal a game."""
        super().reset(seed=seed, options=options)
        if seed is None and not self._has_seed:
            seed = int(self.np_random.integers(1 << 48))
        self.vector.reset(seed)
        self._has_seed = True
        self._show()
        return self.vector.obs[0].copy(), self._info()

    def step(self, action: Any) -> tuple[Obs, float, bool, bool, Info]:
        """Play an action and let the bots answer."""
        obs, rewards, terminated, truncated = self.vector.step(np.asarray(action).reshape(1))
        self._show()
        return obs[0].copy(), float(rewards[0, LEARNER]), bool(terminated[0]), bool(truncated[0]), self._info()

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which actions are legal, where MaskablePPO looks for them."""
        return np.asarray(self.vector.mask[0] == 1)

    def render(self) -> Pixels | str | None:
        """Return a picture of the game, or in the mode ``human`` write it to the terminal."""
        return render(self.vector.game(0), self.render_mode, LEARNER)

    def close(self) -> None:
        """Close the environment."""
        self.vector.close()

    def get_state(self) -> bytes:
        """Return the game as bytes, with every secret."""
        return self.vector.get_state()

    def set_state(self, state: bytes) -> Obs:
        """Continue from what `get_state` returned; return the observation."""
        self.vector.set_state(state)
        self._has_seed = True
        return np.array(self.vector.obs[0])

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _info(self) -> Info:
        info: Info = {"action_mask": self.vector.mask[0].copy()}
        if self.vector.terminated[0]:
            info["scores"] = self.vector.scores[0].copy()
        return info


class NorthrailVectorEnv(gymnasium.vector.VectorEnv[Obs, Any, Any]):
    """Many such games at once, in one kernel call. With ``copy=False`` a step returns the arrays it overwrites next."""

    def __init__(
        self,
        num_envs: int = 1,
        board: Board | str = "nordic-countries",
        opponents: Sequence[str] = ("hard",),
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        illegal: str = "lose",
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        check_mode(render_mode)
        mode, players = AutoresetMode(autoreset_mode), ("learner", *opponents)
        self.vector = Vector(board, num_envs, players, illegal=illegal, autoreset=MODES[mode], **arguments)
        self.num_envs, self.copy, self.render_mode = num_envs, copy, render_mode
        self.metadata = NorthrailEnv.metadata | {"autoreset_mode": mode}
        self.single_observation_space = spaces.Box(0, 255, (self.vector.layout.width,), np.uint8)
        self.single_action_space = spaces.Discrete(self.vector.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_seed = False

    def reset(self, *, seed: int | Sequence[int] | None = None, options: Info | None = None) -> tuple[Obs, Info]:
        """Deal games: all, or those that ``options["reset_mask"]`` selects."""
        super().reset(seed=seed if isinstance(seed, int) else None, options=options)
        if seed is None and not self._has_seed:
            seed = int(self.np_random.integers(1 << 48))
        self.vector.reset(seed, (options or {}).get("reset_mask"))
        self._has_seed = True
        return self._out(self.vector.obs), self._infos()

    def step(self, actions: Any) -> tuple[Obs, Any, Any, Any, Info]:
        """Play an action in every game and let the bots answer."""
        obs, rewards, terminated, truncated = self.vector.step(actions)
        infos, done = self._infos(), terminated | truncated
        if done.any():
            infos |= {"scores": self.vector.scores.copy(), "_scores": terminated.copy()}
            if self.vector.autoreset == "same-step":
                infos |= {"final_obs": self.vector.final_obs.copy(), "_final_obs": done}
        learner = rewards[:, LEARNER]
        return self._out(obs), self._out(learner), self._out(terminated), self._out(truncated), infos

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which actions are legal in each game."""
        return np.asarray(self.vector.mask == 1)

    def render(self) -> tuple[Any, ...]:
        """Return a picture of each game."""
        return tuple(render(self.vector.game(at), self.render_mode, LEARNER) for at in range(self.num_envs))

    def close_extras(self, **_kwargs: Any) -> None:
        """Close the environment."""
        self.vector.close()

    def _out(self, array: Any) -> Any:
        return array.copy() if self.copy else array

    def _infos(self) -> Info:
        return {"action_mask": self._out(self.vector.mask), "_action_mask": np.ones(self.num_envs, np.bool_)}


for _id, _board in ENVIRONMENTS.items():
    gymnasium.register(
        _id,
        entry_point="northrail.research.gym_env:NorthrailEnv",
        vector_entry_point="northrail.research.gym_env:NorthrailVectorEnv",
        kwargs={"board": _board},
    )
