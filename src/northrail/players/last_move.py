"""A player's last move, kept so that it can be explained."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from northrail.boards.board import Board


class LastMove(NamedTuple):
    """A player's last move, and the view and plan it came from.

    They are bytes in a tuple: players make one for every move, and hardly anyone asks for the reason.
    """

    board: Board
    view: bytes
    plan: bytes
    move: int
    # In a search: move -> worlds it was played in, and its mean value from 0 to 1. The planner's own move is first.
    visits: Mapping[int, tuple[int, float]] = MappingProxyType({})
