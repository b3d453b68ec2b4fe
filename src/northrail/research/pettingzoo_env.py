"""A PettingZoo environment in which every seat is an agent.

>>> env = NorthrailAEC("nordic-countries", seats=3)
>>> env.reset(seed=1)
>>> env.agents, env.observe(env.agent_selection)["observation"].shape
(['seat_0', 'seat_1', 'seat_2'], (660,))
"""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from northrail.boards.board import Board
from northrail.research.rendering import RENDER_MODES, Pixels, check_mode, render
from northrail.research.vector import Vector

Obs = dict[str, np.ndarray[Any, Any]]


class NorthrailAEC(AECEnv[str, Obs, int | None]):
    """Agents take turns. An observation is a dict with ``observation`` and ``action_mask``, all 0 if others are to act.

    ``arguments`` are those of `Vector`: layout, reward, most_steps.

    An illegal action ends the game: that agent gets -100, or -1 if ``reward`` is ``win``, and the others 0.
    ``reset(seed=n)`` deals ``Game(board, seats, n)``. Without a seed the next number follows.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "northrail_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        board: Board | str = "nordic-countries",
        seats: int = 2,
        *,
        illegal: str = "lose",
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        check_mode(render_mode)
        self.render_mode = render_mode
        self.vector = Vector(board, 1, ("learner",) * seats, illegal=illegal, autoreset="disabled", **arguments)
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: self._space() for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(self.vector.actions) for agent in self.possible_agents}
        self._has_seed = False

    def _space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (self.vector.layout.width,), np.uint8),
                "action_mask": spaces.Box(0, 1, (self.vector.actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  # the API has options
        """Deal a game."""
        if seed is None and not self._has_seed:
            seed = int(gymnasium.utils.seeding.np_random()[0].integers(1 << 48))
        self.vector.reset(seed)
        self._begin()

    def _begin(self) -> None:
        """Let all agents begin in the vector's game; one loaded after its end is over for all."""
        self._has_seed = True
        over = not self.vector.mask.any()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.vector.to_move[0]]
        self._show()

    def step(self, action: int | None) -> None:
        """Play an action of the agent to act; a finished agent takes None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        _, rewards, terminated, truncated = self.vector.step(np.asarray(action).reshape(1))
        self._cumulative_rewards[agent] = 0.0
        for each, seat in self._seat_of.items():
            self.rewards[each] = float(rewards[0, seat])
            self.terminations[each], self.truncations[each] = bool(terminated[0]), bool(truncated[0])
        self.agent_selection = self.possible_agents[self.vector.to_move[0]]
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Obs:
        """Return what an agent may know, and its legal actions."""
        seat = self._seat_of[agent]
        mask = self.vector.mask[0].copy()
        if seat != self.vector.to_move[0]:
            mask[:] = 0
        return {"observation": self.vector.observe(0, seat), "action_mask": mask}

    def render(self) -> Pixels | str | None:
        """Return a picture of the game, or in the mode ``human`` write it to the terminal."""
        return render(self.vector.game(0), self.render_mode, int(self.vector.to_move[0]))

    def close(self) -> None:
        """Close the environment."""
        self.vector.close()

    def get_state(self) -> bytes:
        """Return the game as bytes, with every secret."""
        return self.vector.get_state()

    def set_state(self, state: bytes) -> None:
        """Continue from what `get_state` returned."""
        self.vector.set_state(state)
        self._begin()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
