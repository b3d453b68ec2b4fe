"""Scratch memory in which kernels play games."""

from northrail.engine.rules import Log
from northrail.engine.scoring import ScoreTable
from northrail.engine.state import Moves, State, ViewStruct
from northrail.kernels.structs import Struct, part


class GameScratch(Struct):
    """A game, and what kernels write about it: a seat's view, the legal moves, the log, the scores."""

    state = part(State)
    seen = part(ViewStruct)
    table = part(ScoreTable)
    moves = part(Moves)
    log = part(Log)
