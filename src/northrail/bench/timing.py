"""The compiled loop in which `northrail bench` times kernels."""

from northrail.boards.board import NOBODY, BoardStruct
from northrail.engine.knowledge import imagine, look
from northrail.engine.rules import Log, deal, legal
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import Moves, State, ViewStruct
from northrail.kernels.decorators import entry
from northrail.kernels.structs import Int64s, Struct, Structs, copy_struct, part

COPY, LEGAL, LOOK, IMAGINE, SCORING, DEAL = range(6)


class Output(Struct):
    """What the timed kernels write into."""

    world = part(State)
    seen = part(ViewStruct)
    moves = part(Moves)
    table = part(ScoreTable)
    log = part(Log)


@entry(threads=True)
def repeat(
    board: BoardStruct,
    what: int,
    rounds: int,
    states: Structs[State],
    views: Structs[ViewStruct],
    count: int,
    out: Output,
    rng: Int64s,
) -> int:
    """Run one kernel on every state or view, ``rounds`` times; return a number that depends on every result."""
    total = 0
    for _ in range(rounds):
        for at in range(count):
            if what == COPY:
                copy_struct(out.world, states[at])
                total += int(out.world.deck_size)
            elif what == LEGAL:
                legal(board, states[at], out.moves)
                total += int(out.moves.other)
            elif what == LOOK:
                look(board, states[at], states[at].seat, out.seen)
                total += int(out.seen.deck_size)
            elif what == IMAGINE:
                imagine(board, views[at], rng, out.world)
                total += int(out.world.deck_size)
            elif what == SCORING:
                score(board, states[at], out.table, False)
                total += int(out.table.total[0])
            else:
                deal(board, out.world, states[at].seats, NOBODY, at, out.log)
                total += int(out.world.deck_size)
    return total
