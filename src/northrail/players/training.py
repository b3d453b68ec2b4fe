"""Examples for training the network of `value`: situations from many games, and how those games ended.

The quick planner plays all seats, each with weights of its own, and now and then makes a random move. So the network
also learns what happens after moves that the planner would not make.
"""

from northrail.boards.board import NOBODY, ROUTE_BITS, SEATS, BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.rules import apply, deal
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, TURN, Moves, advance, scaled, seeded
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, Structs, float32, int8, int32, part
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import QUICK, choose
from northrail.players.plans import clear_plan
from northrail.players.value import Inputs, read

SURE = 1 << 20  # a chance of 1
MIX = 0x5EED  # keeps the random moves apart from the deals


class Example(Struct):
    """What a seat saw at the start of a turn, and how the game ended for it."""

    inputs = part(Inputs)
    margin = float32()
    won = float32()  # its share of the win
    game = int32()
    seat = int8()


class TrainingScratch(GameScratch):
    """Scratch memory for games that give examples."""

    plans = part(Plan, SEATS)
    plan = part(Plan)
    planning = part(PlanScratch)


@kernel
def any_move(board: BoardStruct, moves: Moves, rng: int) -> int:
    """Return the legal move that the generator's state selects."""
    count = popcount(moves.other)
    for word in range(board.words):
        count += popcount(moves.claims[word])
    pick = scaled(rng, count)
    for word in range(board.words + 1):
        rest = int(moves.claims[word]) if word < board.words else int(moves.other)
        start = word * ROUTE_BITS if word < board.words else int(board.routes)
        while rest != 0:
            if pick == 0:
                return start + lowest(rest)
            rest &= rest - 1
            pick -= 1
    return NOBODY


@entry(threads=True)
def gather(
    board: BoardStruct,
    scratch: TrainingScratch,
    players: Structs[Weights],
    count: int,
    reader: Weights,
    seats: int,
    seed: int,
    games: int,
    noise: float,
    rate: float,
    examples: Structs[Example],
    most: int,
) -> int:
    """Play games between planners with ``count`` sets of weights; write examples and return how many there are.

    ``noise`` is the chance of a random move at a turn, ``rate`` the chance that a turn becomes an example. The
    planner's inputs come from the weights ``reader``.
    """
    found = 0
    who = int8.empty(SEATS)
    for number in range(games):
        game = seed + number
        rng = seeded(game ^ MIX)
        deal(board, scratch.state, seats, NOBODY, game, scratch.log)
        s = scratch.state
        first = found
        for seat in range(seats):
            clear_plan(scratch.plans[seat])
            rng = advance(rng)
            who[seat] = scaled(rng, count)
        while s.phase != OVER:
            seat = int(s.seat)
            look(board, s, seat, scratch.seen)
            if s.phase == TURN:
                rng = advance(rng)
                if found < most and s.turns_left < 0 and scaled(rng, SURE) < rate * SURE:
                    example = examples[found]
                    read(board, scratch.seen, reader, scratch.planning, scratch.plan, scratch.moves, example.inputs)
                    example.seat = seat
                    example.game = game
                    found += 1
            move = choose(
                board, scratch.seen, players[who[seat]], scratch.planning, scratch.plans[seat], scratch.moves, QUICK
            )
            if s.phase == TURN:
                rng = advance(rng)
                if scaled(rng, SURE) < noise * SURE:
                    rng = advance(rng)
                    move = any_move(board, scratch.moves, rng)
            apply(board, s, move, scratch.log)
        score(board, s, scratch.table, False)
        write_ends(scratch, examples, first, found)
    return found


@kernel
def write_ends(scratch: TrainingScratch, examples: Structs[Example], first: int, after: int) -> None:
    """Write how the game ended into its examples, from number ``first`` to before ``after``."""
    table = scratch.table
    seats = int(scratch.state.seats)
    winners = 0
    for seat in range(seats):
        winners += int(table.winner[seat])
    for at in range(first, after):
        me = int(examples[at].seat)
        most = -9999
        for seat in range(seats):
            if seat != me:
                most = max(most, int(table.total[seat]))
        examples[at].margin = float(int(table.total[me]) - most)
        examples[at].won = float(table.winner[me]) / winners
