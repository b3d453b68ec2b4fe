"""Playouts as kernels: try whole choices in the same worlds with the same later luck, and play each game to its end.

The quick planner plays for every seat, and each seat knows only its own view. Each turn of each world has its own
random stream. So two games that differ in one choice have the same luck later, and much of the noise cancels in their
difference.
"""

from northrail.boards.board import SEATS, BoardStruct
from northrail.engine.knowledge import imagine, look
from northrail.engine.rules import apply, shuffle_tickets
from northrail.engine.scoring import score
from northrail.engine.state import OVER, PAY, TUNNEL, TURN, State, ViewStruct, batch_size, seeded
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Floats, Int16s, Struct, Structs, copy_struct, int16, int64, part
from northrail.players.cards import worth_of_cards
from northrail.players.plan_structs import Plan, Weights
from northrail.players.planner import QUICK, THOROUGH, choose, sort_moves
from northrail.players.plans import clear_plan
from northrail.players.tree import TURNS, SearchSettings, TreeScratch, enter_world, make_move, weigh_tickets

STEPS = 64  # the most moves in a whole choice, as in `decide`
ANY_MOVE = -1  # stands for the quick planner's own move


class Option(Struct):
    """A whole choice to try, move by move: a claim with its cards, for example."""

    moves = int16(STEPS)
    length = int16()


class Start(Struct):
    """Where playouts begin."""

    state = part(State)
    plans = part(Plan, SEATS)
    turn = int64()  # turns begun so far


# --- options --------------------------------------------------------------------------------------------------------


@entry
def list_moves(board: BoardStruct, v: ViewStruct, w: Weights, tree: TreeScratch, best: Int16s, width: int) -> int:
    """Write the moves that the planner likes best, best first; return how many, at most ``width``."""
    choose(board, v, w, tree.planning, tree.plan, tree.moves, THOROUGH)
    return sort_moves(board, tree.moves, tree.planning.value, best, width)


@entry
def write_option(
    board: BoardStruct, v: ViewStruct, w: Weights, tree: TreeScratch, plan: Plan, move: int, option: Option
) -> None:
    """Write the whole choice that starts with ``move``, or with the quick planner's own; it pays as the planner does.

    ``plan`` is the plan of the view's seat. Only the quick planner's own move updates it.
    """
    me = int(v.me)
    tree.rng[0] = seeded(0)
    imagine(board, v, tree.rng, tree.state)  # the rules decide when a payment is complete; others' cards do not matter
    look(board, tree.state, me, tree.seen)
    copy_struct(tree.plans[me], plan)
    if move == ANY_MOVE:
        move = choose(board, tree.seen, w, tree.planning, tree.plans[me], tree.moves, QUICK)
        copy_struct(plan, tree.plans[me])
        apply(board, tree.state, move, tree.log)
    else:
        worth_of_cards(tree.seen, w, tree.planning, tree.plans[me])
        make_move(board, tree, move)
    option.moves[0] = move
    length = 1
    while (tree.state.phase == PAY or (tree.state.phase == TUNNEL and tree.state.extra > 0)) and length < STEPS:
        look(board, tree.state, me, tree.seen)
        move = choose(board, tree.seen, w, tree.planning, tree.plans[me], tree.moves, QUICK)
        option.moves[length] = move
        length += 1
        apply(board, tree.state, move, tree.log)
    option.length = length


# --- playing out ----------------------------------------------------------------------------------------------------


@kernel
def begin_step(tree: TreeScratch) -> None:
    """Give the next decision the random stream of its turn and phase; a payment in progress keeps its stream."""
    s = tree.state
    if s.phase == TURN:
        tree.turn += 1
    if s.phase != PAY and s.extra == 0:
        s.rng = seeded(tree.turn * 8 + int(s.phase))


@kernel
def try_option(board: BoardStruct, start: Start, w: Weights, tree: TreeScratch, option: Option, luck: int) -> None:
    """Play a choice and then the rest of the game with the luck of a world; write the final scores to `tree.table`."""
    s = tree.state
    copy_struct(s, start.state)
    for seat in range(s.seats):
        copy_struct(tree.plans[seat], start.plans[seat])
    tree.turn = luck + int(start.turn)
    begin_step(tree)
    for at in range(option.length):
        apply(board, s, int(option.moves[at]), tree.log)
    while s.phase != OVER:
        begin_step(tree)
        seat = int(s.seat)
        look(board, s, seat, tree.seen)
        apply(board, s, choose(board, tree.seen, w, tree.planning, tree.plans[seat], tree.moves, QUICK), tree.log)
    score(board, s, tree.table, False)


@kernel
def write_end(tree: TreeScratch, place: int, margins: Floats, shares: Floats) -> None:
    """Write each seat's margin over the best other seat, and its share of the win."""
    table = tree.table
    winners = 0
    for seat in range(tree.state.seats):
        winners += int(table.winner[seat])
    for seat in range(tree.state.seats):
        most = -9999
        for other in range(tree.state.seats):
            if other != seat:
                most = max(most, int(table.total[other]))
        margins[place + seat] = float(int(table.total[seat]) - most)
        shares[place + seat] = float(int(table.winner[seat])) / winners


@kernel
def try_options(
    board: BoardStruct,
    start: Start,
    w: Weights,
    tree: TreeScratch,
    options: Structs[Option],
    count: int,
    luck: int,
    row: int,
    margins: Floats,
    shares: Floats,
) -> None:
    """Try every option in one world; write the ends to row number ``row``, by option and seat."""
    seats = int(start.state.seats)
    for at in range(count):
        try_option(board, start, w, tree, options[at], luck)
        write_end(tree, (row * count + at) * seats, margins, shares)


@entry(threads=True)
def play_imagined(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    settings: SearchSettings,
    tree: TreeScratch,
    start: Start,
    options: Structs[Option],
    count: int,
    seed: int,
    first: int,
    worlds: int,
    margins: Floats,
    shares: Floats,
) -> None:
    """Try options in worlds imagined from a view, from world number ``first`` on.

    ``start`` gives the plan of the view's seat and the turns so far. Its state is overwritten with each world.
    """
    me = int(v.me)
    weigh_tickets(board, v, settings, tree)
    copy_struct(tree.plan, start.plans[me])
    for seat in range(v.seats):
        if seat != me:
            clear_plan(start.plans[seat])
    for row in range(worlds):
        luck = seed + (first + row) * TURNS
        enter_world(board, v, tree, luck)
        copy_struct(start.state, tree.state)
        try_options(board, start, w, tree, options, count, luck, row, margins, shares)


@entry(threads=True)
def play_open(
    board: BoardStruct,
    s: State,
    w: Weights,
    tree: TreeScratch,
    start: Start,
    options: Structs[Option],
    count: int,
    seed: int,
    worlds: int,
    margins: Floats,
    shares: Floats,
) -> None:
    """Try options in the true position, with all hands and tickets as they are and only the future unknown.

    The order of the ticket deck belongs to the future. ``start`` gives all plans and the turns so far.
    """
    for row in range(worlds):
        luck = seed + row * TURNS
        copy_struct(start.state, s)
        shuffle_future(start.state, luck)
        try_options(board, start, w, tree, options, count, luck, row, margins, shares)


@kernel
def shuffle_future(s: State, luck: int) -> None:
    """Shuffle the ticket deck as far as no seat can know its order: the untouched part, and each batch under it."""
    s.rng = seeded(luck)
    at = int(s.ticket_deck_size)
    for number in range(s.batches):
        at -= batch_size(s.batch[number])
    shuffle_tickets(s, 0, at)
    for number in range(s.batches):
        size = batch_size(s.batch[number])
        shuffle_tickets(s, at, at + size)
        at += size
