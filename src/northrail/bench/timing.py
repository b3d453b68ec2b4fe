"""The compiled loop in which `northrail bench` times kernels."""

from northrail.boards.board import NOBODY, BoardStruct
from northrail.engine.knowledge import imagine, look
from northrail.engine.rules import deal, legal
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import State, ViewStruct
from northrail.kernels.decorators import entry
from northrail.kernels.structs import Int64s, Structs, copy_struct

COPY, LEGAL, LOOK, IMAGINE, SCORING, DEAL = range(6)


@entry(threads=True)
def repeat(
    board: BoardStruct,
    what: int,
    rounds: int,
    states: Structs[State],
    views: Structs[ViewStruct],
    count: int,
    scratch: GameScratch,
    rng: Int64s,
) -> int:
    """Run one kernel on every state or view, ``rounds`` times; return a number that depends on every result."""
    total = 0
    for _ in range(rounds):
        for at in range(count):
            if what == COPY:
                copy_struct(scratch.state, states[at])
                total += int(scratch.state.deck_size)
            elif what == LEGAL:
                legal(board, states[at], scratch.moves)
                total += int(scratch.moves.other)
            elif what == LOOK:
                look(board, states[at], states[at].seat, scratch.seen)
                total += int(scratch.seen.deck_size)
            elif what == IMAGINE:
                imagine(board, views[at], rng, scratch.state)
                total += int(scratch.state.deck_size)
            elif what == SCORING:
                score(board, states[at], scratch.table, False)
                total += int(scratch.table.total[0])
            else:
                deal(board, scratch.state, states[at].seats, NOBODY, at, scratch.log)
                total += int(scratch.state.deck_size)
    return total
