"""A trained network as a player, so that the arena can measure what you trained. It needs only NumPy.

The file is an ``.npz`` with the layers of a policy, as `save_network` writes it. The network sees an observation of its
seat's view, and plays the legal action with the largest output.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from northrail.boards.board import Board
from northrail.engine.moves import OTHER_MOVES
from northrail.engine.rules import legal
from northrail.engine.state import Moves, ViewStruct
from northrail.engine.view import View
from northrail.errors import NorthrailError
from northrail.players.plan_structs import Plan, PlanScratch
from northrail.players.planner import BoardWeights
from northrail.research.layouts import LAYOUTS, layout_of
from northrail.research.observing import put_mask, put_view

Array = np.ndarray[Any, np.dtype[Any]]


def save_network(path: Path, layout: str, factor: Array, layers: Sequence[tuple[Array, Array]]) -> None:
    """Write a network: the name of its layout, what each byte is multiplied with, and weights and biases by layer.

    Between two layers is a tanh. Weights are [output, input], as PyTorch has them.
    """
    arrays: dict[str, Any] = {}
    for at, (weight, bias) in enumerate(layers):
        arrays |= {f"w_{at}": weight, f"b_{at}": bias}
    np.savez_compressed(path, layout=np.array(layout), factor=factor, **arrays)


class Network:
    """Plays what a network in a file likes best, such as one that examples/train_ppo.py trained."""

    def __init__(self, path: str) -> None:
        try:
            with np.load(path) as file:
                arrays = dict(file)
            self._layout = str(arrays["layout"])
            self._factor = arrays["factor"].astype(np.float32)
            count = sum(name.startswith("w_") for name in arrays)
            self._layers = [(arrays[f"w_{at}"].T.copy(), arrays[f"b_{at}"]) for at in range(count)]
        except (OSError, LookupError, ValueError) as error:
            raise NorthrailError(f"{path}: expected a network as save_network writes it, got {error}") from error
        kind = self._layout.rpartition("-")[0]
        if kind not in ("compact", "planner"):
            raise NorthrailError(f"{path}: expected the layout compact or planner, got {self._layout}")
        self._kind, self._path = kind, path
        self._weights = BoardWeights()
        self._plan, self._scratch, self._moves = Plan(), PlanScratch(), Moves()
        self._obs = np.zeros(len(self._factor), np.uint8)
        self._table = "", 0  # the board and the seats that it has checked

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        if self._table != (board.id, view.seats):
            self._check(board, view.seats)
        weights = self._weights.on(board)
        put_view(board.struct, view, weights, self._scratch, self._plan, LAYOUTS[self._kind], self._obs, 0)
        legal(board.struct, view, self._moves)
        mask = np.zeros(len(board.routes) + OTHER_MOVES, np.uint8)
        put_mask(board.struct, self._moves, mask, 0)
        values = self._obs * self._factor
        for at, (weight, bias) in enumerate(self._layers):
            values = (np.tanh(values) if at else values) @ weight + bias
        return int(np.where(mask, values, -np.inf).argmax())

    def _check(self, board: Board, seats: int) -> None:
        """Raise an error unless the network fits this table."""
        layout = layout_of(board, seats, self._kind)
        outputs, actions = len(self._layers[-1][1]), len(board.routes) + OTHER_MOVES
        if (layout.name, layout.width, actions) != (self._layout, len(self._factor), outputs):
            raise NorthrailError(
                f"{self._path}: expected {layout.width} bytes of {layout.name} and {actions} actions, for {board.name} "
                f"with {seats} seats; got a network for {len(self._factor)} of {self._layout} and {outputs}"
            )
        self._table = board.id, seats
