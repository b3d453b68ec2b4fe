"""A laboratory: environments for people who train and study agents.

Action, agent and observation are words of this room only; elsewhere they are move, player and view. An action is the
number of a move, so every board has its own fixed numbering.

- `vector.Vector` holds many games in flat arrays and steps them inside one kernel call. It needs only NumPy.
- `episodes` has its kernels: they deal, play, let bots answer, and give rewards.
- `observing` writes observations; `layouts` says what each byte of them means.
- `gym_env`, `pettingzoo_env` and `open_spiel_game` are the same games for Gymnasium, PettingZoo and OpenSpiel, which
  the extra `research` installs.
- `rendering` draws a game as pixels, SVG or text.
- `collecting` plays whole games between bots; `datasets` writes and reads them, `study` counts what happens in them.

Everything an agent observes is written from a `ViewStruct`, what its seat may know. The types forbid anything else.
"""

from northrail.research.layouts import Layout, layout_of
from northrail.research.vector import Vector

__all__ = ["Layout", "Vector", "layout_of"]
