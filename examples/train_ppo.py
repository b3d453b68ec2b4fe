"""Train MaskablePPO against `path` and draw its learning curves.

pip install 'northrail[train]'
python examples/train_ppo.py --minutes 30 --plot curve.png
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from gymnasium import spaces
from matplotlib import pyplot
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from northrail.research import Vector
from northrail.research.network import save_network

ROLLOUT = 128  # steps in each game between two updates
POINTS = 15  # of the curve
EVALUATED = 200  # games for each point
COUNTS = {"trains": 40, "cards": 12, "points": 100}  # what counts are divided by, so that inputs are about 0 to 1


class Games(VecEnv):
    """A `Vector` as Stable-Baselines3 expects it. The learner has seat 0."""

    def __init__(self, options, seed: int, games: int = 0, reward: str = "steps", scale: float = 0.05):
        games = games or options.games
        self.vector = Vector(
            options.board,
            games=games,
            players=("learner", options.opponent),
            layout=options.layout,
            reward=reward,
            autoreset="same-step",
            seed=seed,
            most_steps=500,
        )
        self.factor, self.scale = input_factors(self.vector.layout), scale
        self.finished = 0  # games
        width = self.vector.layout.width
        self.render_mode = None
        super().__init__(games, spaces.Box(0, np.inf, (width,), np.float32), spaces.Discrete(self.vector.actions))

    def reset(self):
        """Return the observations of the games as they are."""
        return self.vector.obs * self.factor

    def step_async(self, actions):
        """Take the actions of the next step."""
        self.actions = actions

    def step_wait(self):
        """Play them."""
        obs, rewards, terminated, truncated = self.vector.step(self.actions)
        infos = [{} for _ in range(self.num_envs)]
        done = terminated | truncated
        self.finished += int(done.sum())
        for at in np.flatnonzero(done):
            last = self.vector.final_obs[at] * self.factor
            infos[at] = {"terminal_observation": last, "TimeLimit.truncated": bool(truncated[at])}
        return obs * self.factor, rewards[:, 0] * self.scale, done.copy(), infos

    def env_method(self, name, *_args, indices=None, **_kwargs):  # noqa: ARG002  # as in VecEnv
        """Return the masks, which MaskablePPO asks for by this name."""
        assert name == "action_masks", f"expected action_masks, got {name}"
        return list(self.vector.mask.astype(bool))

    def has_attr(self, name):
        """Return whether games have this attribute: only the masks."""
        return name == "action_masks"

    def get_attr(self, name, indices=None):  # noqa: ARG002  # as in VecEnv
        """Return an attribute of each game."""
        return [getattr(self, name, None)] * self.num_envs

    def set_attr(self, name, value, indices=None):  # as in VecEnv
        """Refuse: nothing asks for it."""
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class, indices=None):  # noqa: ARG002  # as in VecEnv
        """Return that no game is wrapped."""
        return [False] * self.num_envs

    def close(self):
        """Close the vector."""
        self.vector.close()


def input_factors(layout) -> np.ndarray:
    """Return what to multiply each byte with: counts become about 0 to 1, flags stay 0 or 1."""
    factor = np.ones(layout.width, np.float32)
    counts = ["deck", "ticket_deck", "ticket_deck_untouched", "hand", "face_up", "discard", "laid", "revealed"]
    counts += [part.name for part in layout.parts if part.name in ("wanted", "wanted_gray", "plan_turns", "plan_spare")]
    for name in counts:
        factor[layout[name]] = 1 / COUNTS["cards"]
    for part in layout.parts:
        if part.name.startswith("seat_"):
            factor[part.start : part.stop] = 1 / COUNTS["cards"]
            factor[part.start], factor[part.start + 1] = 1 / COUNTS["trains"], 1 / COUNTS["points"]
    return factor


def evaluate(model, options, games: int = EVALUATED) -> tuple[float, float]:
    """Return the share of games won and the mean margin, playing the most likely actions on new seeds.

    A game that is cut counts as a tie.
    """
    env = Games(options, seed=1 << 40, games=games, reward="margin", scale=1.0)
    obs, margin, open_games = env.reset(), np.zeros(games), np.ones(games, bool)
    while open_games.any():
        actions, _ = model.predict(obs, action_masks=env.vector.mask.astype(bool), deterministic=True)
        env.step_async(actions)
        obs, rewards, done, _ = env.step_wait()
        margin[open_games & done] = rewards[open_games & done]
        open_games &= ~done
    return float((margin > 0).mean() + 0.5 * (margin == 0).mean()), float(margin.mean())


def new_model(env: Games, seed: int) -> MaskablePPO:
    """Return an untrained network with the settings that did well in short training."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=ROLLOUT,
        batch_size=2048,
        n_epochs=4,
        gamma=0.997,
        gae_lambda=0.95,
        learning_rate=5e-4,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        device="cpu",
    )


def save_policy(model: MaskablePPO, env: Games, path: Path) -> None:
    """Write the policy as a file that `northrail.research.network.Network` plays in the arena."""
    policy = model.policy
    modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    layers = [
        (each.weight.detach().numpy(), each.bias.detach().numpy())
        for each in modules
        if isinstance(each, torch.nn.Linear)
    ]
    save_network(path, env.vector.layout.name, env.factor, layers)


def train(options, seed: int) -> list[tuple[float, int, float, float]]:
    """Train a network, evaluate it from time to time, and return its curve: minutes, steps, games won, margin."""
    env = Games(options, seed=seed << 32)
    model = new_model(env, seed)
    start, curve = time.monotonic(), []
    while True:
        share, margin = evaluate(model, options)
        minutes = (time.monotonic() - start) / 60
        curve.append((minutes, model.num_timesteps, share, margin))
        print(
            f"seed {seed}  {minutes:5.1f} min  {model.num_timesteps:>10,} steps  "
            f"wins {100 * share:5.1f} %  margin {margin:+7.1f}",
            flush=True,
        )
        if minutes >= options.minutes and len(curve) > 1:
            break
        until = time.monotonic() + 60 * options.minutes / POINTS
        while time.monotonic() < until:
            model.learn(options.games * ROLLOUT, reset_num_timesteps=False)
    if options.save:
        model.save(f"{options.save}-{seed}")
        save_policy(model, env, Path(f"{options.save}-{seed}.npz"))
    return curve


def draw(curves: list[list[tuple[float, int, float, float]]], options) -> None:
    """Draw the share of games won over the minutes of training, a line for each seed."""
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for seed, curve in enumerate(curves, 1):
        label = f"seed {seed}: {curve[-1][1] / 1e6:.1f} million steps"
        axes.plot([row[0] for row in curve], [100 * row[2] for row in curve], marker=".", label=label)
    axes.axhline(50, color="gray", linewidth=1)
    axes.set(
        title=f"MaskablePPO against {options.opponent}, {EVALUATED} games for each point",
        xlabel="minutes of training",
        ylabel="games won, %",
        ylim=(0, 100),
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(options.plot, dpi=120, bbox_inches="tight")


def main() -> None:
    """Train a network for each seed, and draw their curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30, help="for each seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many networks to train, one after the other")
    parser.add_argument("--board", default="nordic-countries")
    parser.add_argument("--opponent", default="path")
    parser.add_argument("--layout", default="planner", help="compact, planner or history")
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; the network is small")
    parser.add_argument("--plot", default="", help="draw the learning curves into this file")
    parser.add_argument(
        "--save", default="", help="save the networks under this name, with the seed added, also as .npz"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    curves = []
    for seed in range(1, options.seeds + 1):
        curves.append(train(options, seed))
        if options.plot:
            draw(curves, options)


if __name__ == "__main__":
    main()
