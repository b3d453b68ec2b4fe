"""Scratch memory for kernels that play whole games."""

from northrail.engine.rules import Log
from northrail.engine.scoring import ScoreTable
from northrail.engine.state import Moves, State, ViewStruct
from northrail.kernels.structs import Struct, part


class GameScratch(Struct):
    """A game's state, and buffers for a seat's view, the scores, the legal moves and the log."""

    state = part(State)
    seen = part(ViewStruct)
    table = part(ScoreTable)
    moves = part(Moves)
    log = part(Log)
