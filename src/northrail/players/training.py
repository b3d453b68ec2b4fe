"""Examples for training the network of `value`: situations from many games, and how those games ended.

In most games the quick planner plays all seats, each with weights of its own. In some, searches with an earlier network
play most of the seats. Bold searches follow that network wherever it leads, so that a new one learns where it was
wrong. All make a random move now and then: so the network also learns what happens after moves that they would not
make.
"""

from northrail.boards.board import NOBODY, ROUTE_BITS, SEATS, BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.rules import apply, deal, legal
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, TURN, Moves, advance, scaled, seeded
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, Structs, copy_struct, float32, float64, int8, int32, part
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import QUICK, choose
from northrail.players.plans import clear_plan
from northrail.players.tree import SearchSettings, TreeScratch, begin, best_move, decide, grow
from northrail.players.value import Inputs, read

SURE = 1 << 20  # a chance of 1
MIX = 0x5EED  # keeps the random moves apart from the deals
UNKNOWN = -1.0  # what no search has judged


class Recipe(Struct):
    """How the games are played from which a network learns."""

    noise = float64()  # the chance of a random move at a turn
    rate = float64()  # the chance that a turn becomes an example
    planners = float64()  # the chance that a planner plays a seat; searches play the others
    bold = float64()  # the chance that a search makes the move it likes best, however unsure it is
    doubt = float64()  # of the other searches
    iterations = int32()  # of a search
    settings = part(SearchSettings)
    root = part(Weights)  # for a search's first moves
    quick = part(Weights)  # for imagined worlds, and for reading views


class Example(Struct):
    """What a seat saw at the start of a turn, what a search expected, and how the game ended for the seat."""

    inputs = part(Inputs)
    margin = float32()
    won = float32()  # its share of the win
    worth = float32()  # from 0 to 1, or UNKNOWN
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
    recipe: Recipe,
    players: Structs[Weights],
    count: int,
    trees: Structs[TreeScratch],
    seats: int,
    seed: int,
    games: int,
    examples: Structs[Example],
    most: int,
) -> int:
    """Play games between planners with ``count`` sets of weights, and searches; return how many examples they gave.

    Searches use the first of ``trees``, which holds their network. If searches play, only their turns become examples.
    """
    found = 0
    who = int8.empty(SEATS)
    is_bold = int8.empty(SEATS)
    for number in range(games):
        game = seed + number
        rng = seeded(game ^ MIX)
        deal(board, scratch.state, seats, NOBODY, game, scratch.log)
        s = scratch.state
        first = found
        for seat in range(seats):
            clear_plan(scratch.plans[seat])
            rng = advance(rng)
            searches = scaled(rng, SURE) >= recipe.planners * SURE
            rng = advance(rng)
            who[seat] = NOBODY if searches else scaled(rng, count)
            rng = advance(rng)
            is_bold[seat] = scaled(rng, SURE) < recipe.bold * SURE
        while s.phase != OVER:
            seat = int(s.seat)
            look(board, s, seat, scratch.seen)
            worth = UNKNOWN
            rng = advance(rng)
            if who[seat] == NOBODY:
                recipe.settings.doubt = 0.0 if is_bold[seat] else recipe.doubt
                move = searched(board, scratch, recipe, trees, rng >> 8)
                worth = expected(trees[0], move)
            else:
                weights = players[who[seat]]
                move = choose(board, scratch.seen, weights, scratch.planning, scratch.plans[seat], scratch.moves, QUICK)
            if s.phase == TURN:
                rng = advance(rng)
                picked = scaled(rng, SURE) < recipe.rate * SURE
                if picked and found < most and s.turns_left < 0 and (worth >= 0.0 or recipe.planners >= 1.0):
                    example = examples[found]
                    read(
                        board,
                        scratch.seen,
                        recipe.quick,
                        scratch.planning,
                        scratch.plan,
                        scratch.moves,
                        example.inputs,
                    )
                    example.seat = seat
                    example.game = game
                    example.worth = worth
                    found += 1
                rng = advance(rng)
                if scaled(rng, SURE) < recipe.noise * SURE:
                    rng = advance(rng)
                    legal(board, scratch.seen, scratch.moves)
                    move = any_move(board, scratch.moves, rng)
            apply(board, s, move, scratch.log)
        score(board, s, scratch.table, False)
        write_ends(scratch, examples, first, found)
    return found


@kernel
def searched(
    board: BoardStruct, scratch: TrainingScratch, recipe: Recipe, trees: Structs[TreeScratch], seed: int
) -> int:
    """Return the move of a search for the view in ``scratch.seen``."""
    tree = trees[0]
    seat = int(scratch.seen.me)
    copy_struct(tree.plan, scratch.plans[seat])
    if begin(board, scratch.seen, recipe.root, recipe.settings, tree) > 1:
        grow(board, scratch.seen, recipe.quick, recipe.settings, tree, seed, int(recipe.iterations))
    move = best_move(trees, 1, recipe.settings)
    decide(board, scratch.seen, recipe.root, tree, move)
    copy_struct(scratch.plans[seat], tree.plan)  # it knows how a claim is paid
    return move


@kernel
def expected(tree: TreeScratch, move: int) -> float:
    """Return what a search expects after one of its first moves, from 0 to 1, or UNKNOWN if it had no choice."""
    if tree.count < 2:
        return UNKNOWN
    at = int(tree.nodes[0].child)
    while tree.nodes[at].move != move:
        at = int(tree.nodes[at].sibling)
    return float(tree.nodes[at].value / max(1, int(tree.nodes[at].visits)))


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
