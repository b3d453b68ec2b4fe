"""Who plays each seat, as the kernels of this room read it."""

from collections.abc import Sequence

from northrail.boards.board import Board
from northrail.kernels.structs import copy_struct
from northrail.players import BadPlayer
from northrail.players.bots import OPPONENTS, bot_of
from northrail.players.planner import fill_weights
from northrail.research.episodes import Setup


def setup_of(board: Board, players: Sequence[str]) -> Setup:
    """Return the set-up of a table: for each seat ``learner``, or the name of a bot that plays inside kernels."""
    setup = Setup()
    setup.seats = len(players)
    fill_weights(setup.weights, board, {})
    for seat, name in enumerate(players):
        if name.partition(":")[0] in OPPONENTS:
            copy_struct(setup.bots[seat], bot_of(board, name))
        elif name != "learner":
            raise BadPlayer(f"players: expected learner or one of {', '.join(OPPONENTS)}, got {name!r}")
    return setup
