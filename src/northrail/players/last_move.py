"""What a player decided last, kept until someone asks for the reason."""

from importlib import import_module

from northrail.boards.board import Board
from northrail.engine.state import ViewStruct
from northrail.players.plans import Mind


class LastMove:
    """A player's last move, and what it saw and had in mind when it made it."""

    def __init__(self) -> None:
        self._kept: tuple[Board, bytes, bytes, int] | None = None

    def keep(self, board: Board, record: ViewStruct, mind: Mind, move: int) -> None:
        """Remember a move, with the view and the mind it was made of. As bytes: nobody may ever ask for the reason."""
        self._kept = board, bytes(record), bytes(mind), move

    def forget(self) -> None:
        """Remember nothing, as before the first move."""
        self._kept = None

    @property
    def reason(self) -> str:
        """A sentence about the move; an empty one before the first."""
        return self.reason_among({})

    def reason_among(self, visits: dict[int, tuple[int, float]]) -> str:
        """The same, and how the move fared in a search; ``visits`` are what `Search.visits` gives."""
        if self._kept is None:
            return ""
        # By name: a sentence changes no move, so no kernel is compiled anew and no result is void when one is edited.
        sentence: str = import_module("northrail.players.reasons").reason_for(*self._kept, visits)
        return sentence
