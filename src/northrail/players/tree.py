"""Search as kernels: a tree over a seat's own decisions, grown in worlds imagined from its view.

Every iteration imagines a world, in which the other seats hold tickets that suit their routes. It walks down the tree,
adds a leaf and lets the quick planner play for all seats: for some turns of this seat, until the network of `value`
judges what it sees, or to the end on boards without a network. The tree knows which moves this seat made, not what it
saw between them: one node stands for all worlds (single-observer information set search). The tree holds no decisions
of other seats. They play as the planner would with what the world gives them, and each sees only its own view.
"""

import math

from northrail.boards.board import LENGTH, SEATS, TICKET_BITS, TICKETS, BoardStruct
from northrail.engine.knowledge import add, has, imagine, look
from northrail.engine.moves import DRAW_TICKETS
from northrail.engine.paths import FAR, find_path
from northrail.engine.rules import apply
from northrail.engine.scoring import score
from northrail.engine.scratch import GameScratch
from northrail.engine.state import (
    OVER,
    PAY,
    SECOND_CARD,
    TUNNEL,
    TURN,
    ViewStruct,
    advance,
    batch_size,
    scaled,
    seeded,
)
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import (
    Int16s,
    Struct,
    Structs,
    clear_struct,
    copy_struct,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    part,
)
from northrail.players.cards import best_payment, intend, worth_of_cards
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import QUICK, THOROUGH, choose, sort_moves
from northrail.players.plans import clear_plan, horizon
from northrail.players.value import MARGIN, MARGIN_UNIT, WIN, Net, NetScratch, judge

NODES = 1 << 16
DEPTH = 48  # the most own decisions on a path through the tree
WIDTH = 6  # moves considered below the root, those the planner likes best
FIRST_WIDTH = 8  # moves considered at the root
WORLDS = 1 << 14  # the most worlds in which first moves are compared
TURNS = 1 << 16  # seeds kept for the turns of each world
SWAPS = 24  # attempts to swap each ticket of another seat for one that suits it better


class Node(Struct):
    """A move in the search's tree."""

    value = float64()  # sum over its visits
    visits = int32()
    offers = int32()  # how often its move could be made
    child = int32()  # its first child, or 0
    sibling = int32()  # its next sibling, or 0
    move = int16()


class SearchSettings(Struct):
    """How the search weighs what it finds."""

    explore = float64()  # how much it tries moves with few visits
    margin = float64()  # points of margin that make a game as good as won
    win = float64()  # weight of winning in the value of a finished game; the margin has the rest
    calm = float64()  # visits before a move's own results count more than its parent's mean
    doubt = float64()  # standard errors by which a move must be better than the planner's
    suit = float64()  # how strongly other seats' routes hint at their tickets
    ahead = int32()  # the turn of this seat, from the leaf on, that a network judges
    network = int8()  # 1: a network judges; 0: games are played to the end


class TreeScratch(GameScratch):
    """Scratch memory of a search: a world, the plans of its seats, and a tree."""

    plans = part(Plan, SEATS)
    plan = part(Plan)  # the searching seat's plan at the root
    planning = part(PlanScratch)
    nodes = part(Node, NODES)
    size = int32()
    rng = int64(1)
    suits = float64(SEATS, TICKETS)  # [seat, ticket] -> how well it suits the seat's routes
    path = int32(DEPTH)
    firsts = int16(FIRST_WIDTH)  # the moves at the root
    count = int16()  # how many there are
    best = int16(WIDTH)
    turn = int64()  # the world's seed, plus the turns since
    net = part(Net)
    judging = part(NetScratch)
    ends = float32(FIRST_WIDTH, WORLDS)  # [first move, world] -> value of the finished game


# --- the tree -------------------------------------------------------------------------------------------------------


@kernel
def child_of(tree: TreeScratch, node: int, move: int) -> int:
    """Return the child for a move, and make it if there is none; 0 when the tree is full."""
    last = 0
    at = int(tree.nodes[node].child)
    while at != 0:
        if tree.nodes[at].move == move:
            return at
        last = at
        at = int(tree.nodes[at].sibling)
    at = int(tree.size)
    if at == NODES:
        return 0
    tree.size = at + 1
    clear_struct(tree.nodes[at])
    tree.nodes[at].move = move
    if last == 0:
        tree.nodes[node].child = at
    else:
        tree.nodes[last].sibling = at
    return at


@kernel
def offer(tree: TreeScratch, settings: SearchSettings, node: int, moves: Int16s, count: int) -> int:
    """Return the child of ``node`` to visit, for one of ``count`` moves, best first; 0 when the tree is full."""
    here = tree.nodes[node]
    mean = here.value / here.visits if here.visits > 0 else 0.5
    chosen = 0
    most = -FAR
    for rank in range(count):
        at = child_of(tree, node, int(moves[rank]))
        if at == 0:
            return 0
        there = tree.nodes[at]
        there.offers += 1
        prior = 1.0 / (1.0 + rank)
        worth = (there.value + settings.calm * mean) / (there.visits + settings.calm)
        worth += settings.explore * prior * math.sqrt(there.offers) / (1.0 + there.visits)
        if worth > most:
            most = worth
            chosen = at
    return chosen


# --- worlds ---------------------------------------------------------------------------------------------------------


@kernel
def weigh_tickets(board: BoardStruct, v: ViewStruct, settings: SearchSettings, tree: TreeScratch) -> None:
    """Write how well each ticket suits the routes of each other seat: the shorter the rest of its path, the better."""
    scratch = tree.planning
    for seat in range(v.seats):
        if seat == v.me:
            continue
        trains = min(int(v.trains[seat]), LENGTH)
        for route in range(board.routes):
            word = int(board.route_word[route])
            bit = board.route_bit[route]
            scratch.cost[route] = FAR
            if v.owned[seat, word] & bit != 0:
                scratch.cost[route] = 0.0
            elif v.open[seat, word] & board.fits[trains, word] & bit != 0:
                scratch.cost[route] = float(board.route_length[route])
        for ticket in range(board.tickets):
            start = int(board.ticket_city[ticket, 0])
            goal = int(board.ticket_city[ticket, 1])
            points = max(1.0, float(board.ticket_points[ticket]))
            left = find_path(board, scratch.cost, start, goal, 2.0 * points, scratch.far, scratch.via)
            tree.suits[seat, ticket] = 0.01 + math.exp(-settings.suit * min(2.0, left / points))


@kernel
def suit_tickets(board: BoardStruct, v: ViewStruct, tree: TreeScratch) -> None:
    """Swap tickets of other seats with those in the deck, so that suitable tickets come up as often as they should.

    This is a Metropolis walk: a swap happens with the odds of the two tickets. Batches under the deck stay as they are.
    """
    s = tree.state
    loose = int(s.ticket_deck_size)
    for number in range(s.batches):
        loose -= batch_size(s.batch[number])
    if loose <= 0 or s.choosing > 0:
        return
    for seat in range(s.seats):
        if seat == v.me:
            continue
        for ticket in range(board.tickets):
            if not has(s.held[seat], ticket):
                continue
            held = ticket
            for _ in range(SWAPS):
                tree.rng[0] = advance(tree.rng[0])
                place = scaled(tree.rng[0], loose)
                other = int(s.ticket_deck[place])
                tree.rng[0] = advance(tree.rng[0])
                if tree.suits[seat, other] * 65536.0 > tree.suits[seat, held] * scaled(tree.rng[0], 65536):
                    s.held[seat, held // TICKET_BITS] &= ~(1 << (held % TICKET_BITS))
                    add(s.held[seat], other)
                    s.ticket_deck[place] = held
                    held = other


@kernel
def worth_of_end(board: BoardStruct, tree: TreeScratch, settings: SearchSettings, me: int) -> float:
    """Return what a finished game is worth to a seat, from 0 to 1."""
    score(board, tree.state, tree.table, False)
    table = tree.table
    most = -999
    winners = 0
    for seat in range(tree.state.seats):
        winners += int(table.winner[seat])
        if seat != me:
            most = max(most, int(table.total[seat]))
    return worth_of(settings, float(table.winner[me]) / winners, float(int(table.total[me]) - most))


@kernel
def worth_of(settings: SearchSettings, won: float, margin: float) -> float:
    """Return what a chance to win and a margin are worth, from 0 to 1."""
    return float(settings.win * won + (1.0 - settings.win) * (0.5 + 0.5 * math.tanh(margin / settings.margin)))


# --- searching ------------------------------------------------------------------------------------------------------


@entry
def begin(board: BoardStruct, v: ViewStruct, w: Weights, settings: SearchSettings, tree: TreeScratch) -> int:
    """Start a tree for the moves of a view; return how many moves it considers, 1 when there is nothing to search."""
    tree.firsts[0] = choose(board, v, w, tree.planning, tree.plan, tree.moves, THOROUGH)
    count = 1
    if v.phase not in (PAY, TUNNEL):
        count = sort_moves(board, tree.moves, tree.planning.value, tree.firsts, FIRST_WIDTH)
        if int(tree.moves.other) >> DRAW_TICKETS & 1:
            count = consider(tree, int(board.routes) + DRAW_TICKETS, count)
    tree.count = count
    tree.size = 1
    tree.nodes[0].value = 0.0
    tree.nodes[0].visits = 0
    tree.nodes[0].child = 0
    for rank in range(count):
        child_of(tree, 0, int(tree.firsts[rank]))
    if count > 1:
        weigh_tickets(board, v, settings, tree)
    return count


@kernel
def consider(tree: TreeScratch, move: int, count: int) -> int:
    """Make sure that a move is among the first moves, if need be instead of the last one; return how many there are."""
    for rank in range(count):
        if tree.firsts[rank] == move:
            return count
    count = min(count + 1, FIRST_WIDTH)
    tree.firsts[count - 1] = move
    return count


@entry(threads=True)
def grow(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    settings: SearchSettings,
    tree: TreeScratch,
    seed: int,
    iterations: int,
) -> None:
    """Grow the tree of `begin`. The n-th visit of each first move uses the same world, so that luck matters less."""
    for _ in range(iterations):
        first = offer(tree, settings, 0, tree.firsts, int(tree.count))
        world = int(tree.nodes[first].visits)
        enter_world(board, v, tree, seed + world * TURNS)
        worth_of_cards(tree.seen, w, tree.planning, tree.plan)
        make_move(board, tree, int(tree.nodes[first].move))
        depth = descend(board, w, settings, tree, first, int(v.me))
        note_end(tree, first, world, depth, play_on(board, w, settings, tree, int(v.me)))


@kernel
def note_end(tree: TreeScratch, first: int, world: int, depth: int, worth: float) -> None:
    """Count what an iteration was worth, for its first move in this world and for every node on its path."""
    if world < WORLDS:
        tree.ends[first - 1, world] = worth
    tree.nodes[0].visits += 1
    tree.nodes[0].value += worth
    for at in range(depth + 1):
        tree.nodes[tree.path[at]].visits += 1
        tree.nodes[tree.path[at]].value += worth


@kernel
def play_on(board: BoardStruct, w: Weights, settings: SearchSettings, tree: TreeScratch, me: int) -> float:
    """Let the quick planner play for all seats up to a judgement or the end; return what that is worth.

    The network errs in much the same way in all worlds, and a search that plays a few turns first wins more games. The
    network never sees a last round: it is short, so we play it.
    """
    s = tree.state
    turns = 0
    while s.phase != OVER:
        if settings.network and s.phase == TURN and s.seat == me and s.turns_left < 0:
            turns += 1
            if turns >= settings.ahead:
                return worth_of_judgement(board, w, settings, tree, me)
        apply(board, s, ask(board, w, tree), tree.log)
    return worth_of_end(board, tree, settings, me)


@kernel
def worth_of_judgement(board: BoardStruct, w: Weights, settings: SearchSettings, tree: TreeScratch, me: int) -> float:
    """Return what the network thinks a world is worth to a seat that begins its turn, from 0 to 1."""
    look(board, tree.state, me, tree.seen)
    judge(board, tree.seen, w, tree.net, tree.planning, tree.moves, tree.judging)
    won = 1.0 / (1.0 + math.exp(-float(tree.judging.ends[WIN])))
    return worth_of(settings, won, MARGIN_UNIT * float(tree.judging.ends[MARGIN]))


@kernel
def enter_world(board: BoardStruct, v: ViewStruct, tree: TreeScratch, seed: int) -> None:
    """Imagine a world, and clear the plans of all seats except the one that searches."""
    tree.turn = seed
    tree.rng[0] = seeded(seed)
    imagine(board, v, tree.rng, tree.state)
    suit_tickets(board, v, tree)
    for seat in range(v.seats):
        clear_plan(tree.plans[seat])
    copy_struct(tree.plans[v.me], tree.plan)
    look(board, tree.state, int(v.me), tree.seen)


@kernel
def ask(board: BoardStruct, w: Weights, tree: TreeScratch) -> int:
    """Return the quick planner's move for the seat to move.

    Each turn has its own random stream: two games in one world that differ in one move have the same luck later.
    """
    s = tree.state
    if s.phase == TURN:
        tree.turn += 1
        s.rng = seeded(tree.turn)
    seat = int(s.seat)
    look(board, s, seat, tree.seen)
    return choose(board, tree.seen, w, tree.planning, tree.plans[seat], tree.moves, QUICK)


@kernel
def descend(board: BoardStruct, w: Weights, settings: SearchSettings, tree: TreeScratch, first: int, me: int) -> int:
    """Play down the tree from a first move to a leaf; write the path and return its depth."""
    s = tree.state
    node = first
    depth = 0
    tree.path[0] = first
    while s.phase != OVER and tree.nodes[node].visits > 0 and depth + 1 < DEPTH:
        move = ask(board, w, tree)
        if s.seat != me or s.phase not in (TURN, SECOND_CARD):
            apply(board, s, move, tree.log)
            continue
        plan = tree.plans[me]
        if horizon(board, tree.seen, w) >= w.hurry:  # early in the game, unplanned claims are not worth a look
            for word in range(board.words):
                tree.moves.claims[word] &= plan.routes[word] | plan.extra[word]
        if move < board.routes:
            tree.moves.claims[board.route_word[move]] |= board.route_bit[move]
        count = sort_moves(board, tree.moves, tree.planning.value, tree.best, WIDTH)
        node = offer(tree, settings, node, tree.best, count)
        if node == 0:
            apply(board, s, move, tree.log)
            break
        depth += 1
        tree.path[depth] = node
        make_move(board, tree, int(tree.nodes[node].move))
    return depth


@kernel
def make_move(board: BoardStruct, tree: TreeScratch, move: int) -> None:
    """Play a move of the seat in `tree.seen`, a claim with the cheapest payment."""
    if move < board.routes:
        best_payment(board, tree.seen, tree.planning, move)
        intend(tree.plans[tree.seen.me], tree.planning, move)
    apply(board, tree.state, move, tree.log)


@entry
def decide(board: BoardStruct, v: ViewStruct, w: Weights, tree: TreeScratch, move: int) -> None:
    """Remember how a claim will be paid."""
    if move < board.routes:
        worth_of_cards(v, w, tree.planning, tree.plan)
        best_payment(board, v, tree.planning, move)
        intend(tree.plan, tree.planning, move)


@entry
def best_move(trees: Structs[TreeScratch], count: int, settings: SearchSettings) -> int:
    """Return the move to make: the planner's, unless another was clearly better in the same worlds.

    Each of the ``count`` trees has its own worlds and the same first moves in the same order.
    """
    best = 1
    most = 0.0
    child = int(trees[0].nodes[1].sibling)
    while child != 0:
        worlds = 0
        total = 0.0
        squares = 0.0
        for at in range(count):
            tree = trees[at]
            for world in range(min(WORLDS, int(tree.nodes[1].visits), int(tree.nodes[child].visits))):
                more = float(tree.ends[child - 1, world]) - float(tree.ends[0, world])
                total += more
                squares += more * more
                worlds += 1
        if worlds > 1:
            mean = total / worlds
            error = math.sqrt(max(0.0, squares / worlds - mean * mean) / (worlds - 1))
            sure = mean - settings.doubt * error
            if sure > most:
                most = sure
                best = child
        child = int(trees[0].nodes[child].sibling)
    return int(trees[0].nodes[best].move)
