"""A player's last move, kept so that it can be explained."""

from dataclasses import dataclass, field

from northrail.boards.board import Board


@dataclass(frozen=True)
class LastMove:
    """A player's last move, and the view and plan it came from. They are bytes, which cost least to keep."""

    board: Board
    view: bytes
    plan: bytes
    move: int
    # In a search: move -> worlds it was played in, and how well that went from 0 to 1. The planner's own move is first.
    visits: dict[int, tuple[int, float]] = field(default_factory=dict)
