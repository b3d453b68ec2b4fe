"""Search as kernels: a tree over a seat's own decisions, grown in worlds imagined from its view.

Every iteration imagines a world, gives the other seats tickets that suit the routes they own, walks down the tree, adds
a leaf to it and lets the quick planner play for all seats to the end. The tree knows which moves this seat made, not
what it saw between them: one node stands for all worlds (information set search with a single observer). Others are
not searched for, they play as the planner would with what the world gives them, and each sees its own view only.
"""

import math
from typing import Any

import numpy as np

from northrail._jit import kernel
from northrail.board import CARDS, LENGTH, ROUTE_WORDS, SEATS, TICKET_BITS, TICKET_WORDS, TICKETS
from northrail.knowledge import VIEW, add, has, imagine, look
from northrail.players.planner import QUICK, THOROUGH, choose, forget, intend, sort_moves
from northrail.players.plans import DESK, FAR, MIND, best_payment, horizon, spread, worth_of_cards
from northrail.rules import LOG, MOVES, apply
from northrail.scoring import SCORE, score
from northrail.state import OVER, PAY, SECOND_CARD, STATE, TUNNEL, TURN, advance, batch_size, scaled, seeded

NODES = 1 << 15
DEPTH = 48  # own decisions that a path in the tree may have
WIDTH = 6  # moves the tree considers after the first, the ones the planner likes best
FIRST_WIDTH = 8  # and at its root
WORLDS = 1 << 12  # first moves are compared in so many
TURNS = 1 << 16  # seeds of a world
SWAPS = 24  # tries to find each ticket of another seat one that suits it better

NODE = np.dtype(
    [
        ("value", np.float64),  # sum over its visits
        ("visits", np.int32),
        ("offers", np.int32),  # how often its move could be made
        ("child", np.int32),  # its first, or 0
        ("sibling", np.int32),  # the next, or 0
        ("move", np.int16),
    ],
    align=True,
)

# What the search believes about itself.
TASTE = np.dtype(
    [
        ("explore", np.float64),  # how much untried moves draw it
        ("margin", np.float64),  # points that make a game as good as won
        ("win", np.float64),  # share of winning itself in the worth of an end; the rest is the margin's
        ("calm", np.float64),  # visits before a move's own results count more than its parent's mean
        ("doubt", np.float64),  # standard errors by which a move must be better than the planner's
        ("suit", np.float64),  # how surely others hold tickets that suit their routes
    ],
    align=True,
)

ROOM = np.dtype(
    [
        ("state", STATE),
        ("seen", VIEW),
        ("table", SCORE),
        ("moves", MOVES),
        ("log", LOG),
        ("minds", MIND, SEATS),
        ("mind", MIND),  # the searching seat's own, as it is at the root
        ("desk", DESK),
        ("nodes", NODE, NODES),
        ("size", np.int32),
        ("rng", np.int64, 1),
        ("suits", np.float64, (SEATS, TICKETS)),  # [seat, ticket] -> how likely it holds it, beside others
        ("path", np.int32, DEPTH),
        ("firsts", np.int16, FIRST_WIDTH),  # the moves at the root
        ("count", np.int16),  # how many
        ("best", np.int16, WIDTH),
        ("turn", np.int64),  # the world's seed, and the turns since
        ("ends", np.float32, (FIRST_WIDTH, WORLDS)),  # [first move, world] -> what its end was worth
    ],
    align=True,
)


@kernel
def copy_mind(source: Any, target: Any) -> None:
    """Copy what matters from decision to decision."""
    for word in range(ROUTE_WORDS):
        target.plan[word] = source.plan[word]
        target.extra[word] = source.extra[word]
    for word in range(TICKET_WORDS):
        target.tickets[word] = source.tickets[word]
    for card in range(len(source.step)):
        target.step[card] = source.step[card]
    for route in range(len(source.lure)):
        target.lure[route] = source.lure[route]
    for colour in range(CARDS):
        target.want[colour] = source.want[colour]
        target.pay[colour] = source.pay[colour]
    target.contested = source.contested
    target.worth = source.worth
    target.turns = source.turns
    target.gray = source.gray
    target.wild = source.wild
    target.route = source.route
    target.trains = source.trains
    target.spare = source.spare


# --- the tree -------------------------------------------------------------------------------------------------------


@kernel
def child_of(room: Any, node: int, move: int) -> int:
    """The child for a move, made if there is none; 0 when the tree is full."""
    last = 0
    at = int(room.nodes[node].child)
    while at != 0:
        if room.nodes[at].move == move:
            return at
        last = at
        at = int(room.nodes[at].sibling)
    at = int(room.size)
    if at == NODES:
        return 0
    room.size = at + 1
    room.nodes[at].value = 0.0
    room.nodes[at].visits = 0
    room.nodes[at].offers = 0
    room.nodes[at].child = 0
    room.nodes[at].sibling = 0
    room.nodes[at].move = move
    if last == 0:
        room.nodes[node].child = at
    else:
        room.nodes[last].sibling = at
    return at


@kernel
def offer(room: Any, taste: Any, node: int, moves: Any, count: int) -> int:
    """The child of ``node`` to visit, for one of so many moves, the best first; 0 when the tree is full."""
    here = room.nodes[node]
    mean = here.value / here.visits if here.visits > 0 else 0.5
    chosen = 0
    most = -FAR
    for rank in range(count):
        at = child_of(room, node, int(moves[rank]))
        if at == 0:
            return 0
        there = room.nodes[at]
        there.offers += 1
        prior = 1.0 / (1.0 + rank)
        worth = (there.value + taste.calm * mean) / (there.visits + taste.calm)
        worth += taste.explore * prior * math.sqrt(there.offers) / (1.0 + there.visits)
        if worth > most:
            most = worth
            chosen = at
    return chosen


# --- worlds ---------------------------------------------------------------------------------------------------------


@kernel
def weigh_tickets(board: Any, v: Any, taste: Any, room: Any) -> None:
    """Write how well each ticket suits the routes of each other seat: the shorter the way left, the better."""
    desk = room.desk
    for seat in range(v.seats):
        if seat == v.me:
            continue
        trains = min(int(v.trains[seat]), LENGTH)
        for route in range(board.routes):
            word = int(board.route_word[route])
            bit = board.route_bit[route]
            desk.cost[route] = FAR
            if v.owned[seat, word] & bit != 0:
                desk.cost[route] = 0.0
            elif v.open[seat, word] & board.fits[trains, word] & bit != 0:
                desk.cost[route] = float(board.route_length[route])
        for ticket in range(board.tickets):
            start = int(board.ticket_city[ticket, 0])
            goal = int(board.ticket_city[ticket, 1])
            points = max(1.0, float(board.ticket_points[ticket]))
            left = spread(board, desk.cost, start, goal, 2.0 * points, desk.far, desk.via)
            room.suits[seat, ticket] = 0.01 + math.exp(-taste.suit * min(2.0, left / points))


@kernel
def suit_tickets(board: Any, v: Any, room: Any) -> None:
    """Exchange tickets of other seats with those in the deck, so that what suits them comes up as often as it should.

    A Metropolis walk: an exchange is made with the odds of the two tickets. Batches under the deck stay as they are.
    """
    s = room.state
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
                room.rng[0] = advance(room.rng[0])
                place = scaled(room.rng[0], loose)
                other = int(s.ticket_deck[place])
                room.rng[0] = advance(room.rng[0])
                if room.suits[seat, other] * 65536.0 > room.suits[seat, held] * scaled(room.rng[0], 65536):
                    s.held[seat, held // TICKET_BITS] &= ~(1 << (held % TICKET_BITS))
                    add(s.held[seat], other)
                    s.ticket_deck[place] = held
                    held = other


@kernel
def worth_of_end(board: Any, room: Any, taste: Any, me: int) -> float:
    """What the end of a world is worth to a seat, from 0 to 1."""
    score(board, room.state, room.table, False)
    table = room.table
    most = -999
    winners = 0
    for seat in range(room.state.seats):
        winners += int(table.winner[seat])
        if seat != me:
            most = max(most, int(table.total[seat]))
    margin = float(int(table.total[me]) - most)
    won = float(table.winner[me]) / winners
    return float(taste.win * won + (1.0 - taste.win) * (0.5 + 0.5 * math.tanh(margin / taste.margin)))


# --- searching ------------------------------------------------------------------------------------------------------


@kernel
def begin(board: Any, v: Any, w: Any, taste: Any, room: Any) -> int:
    """Plant a tree for the moves of a view; gives how many moves it considers, 1 when there is nothing to search."""
    room.firsts[0] = choose(board, v, w, room.desk, room.mind, room.moves, THOROUGH)
    count = 1
    if v.phase not in (PAY, TUNNEL):
        count = sort_moves(board, room.moves, room.desk.value, room.firsts, FIRST_WIDTH)
    room.count = count
    room.size = 1
    room.nodes[0].value = 0.0
    room.nodes[0].visits = 0
    room.nodes[0].child = 0
    for rank in range(count):
        child_of(room, 0, int(room.firsts[rank]))
    if count > 1:
        weigh_tickets(board, v, taste, room)
    return count


@kernel
def grow(board: Any, v: Any, w: Any, taste: Any, room: Any, seed: int, iterations: int) -> None:
    """Let the tree of `begin` grow. The n-th visit of each first move has the same world, so that luck tells less."""
    for _ in range(iterations):
        first = offer(room, taste, 0, room.firsts, int(room.count))
        world = int(room.nodes[first].visits)
        enter_world(board, v, room, seed + world * TURNS)
        worth_of_cards(room.seen, w, room.desk, room.mind)
        make_move(board, room, int(room.nodes[first].move))
        depth = descend(board, w, taste, room, first, int(v.me))
        while room.state.phase != OVER:
            apply(board, room.state, ask(board, w, room), room.log)
        worth = worth_of_end(board, room, taste, int(v.me))
        if world < WORLDS:
            room.ends[first - 1, world] = worth
        room.nodes[0].visits += 1
        room.nodes[0].value += worth
        for at in range(depth + 1):
            room.nodes[room.path[at]].visits += 1
            room.nodes[room.path[at]].value += worth


@kernel
def enter_world(board: Any, v: Any, room: Any, seed: int) -> None:
    """Imagine a world and let all seats forget what they had in mind, but the one that looks."""
    room.turn = seed
    room.rng[0] = seeded(seed)
    imagine(board, v, room.rng, room.state)
    suit_tickets(board, v, room)
    for seat in range(v.seats):
        forget(room.minds[seat])
    copy_mind(room.mind, room.minds[v.me])
    look(board, room.state, int(v.me), room.seen)


@kernel
def ask(board: Any, w: Any, room: Any) -> int:
    """The quick planner's move for the seat that is asked.

    Each turn begins its own chance: two games in the same world that differ in one move then have the same luck later.
    """
    s = room.state
    if s.phase == TURN:
        room.turn += 1
        s.rng = seeded(room.turn)
    seat = int(s.seat)
    look(board, s, seat, room.seen)
    return choose(board, room.seen, w, room.desk, room.minds[seat], room.moves, QUICK)


@kernel
def descend(board: Any, w: Any, taste: Any, room: Any, first: int, me: int) -> int:
    """Play down the tree from a first move to a leaf; writes the path and gives its depth."""
    s = room.state
    node = first
    depth = 0
    room.path[0] = first
    while s.phase != OVER and room.nodes[node].visits > 0 and depth + 1 < DEPTH:
        move = ask(board, w, room)
        if s.seat != me or s.phase not in (TURN, SECOND_CARD):
            apply(board, s, move, room.log)
            continue
        mind = room.minds[me]
        if horizon(room.seen, w) >= w.hurry:  # there is time: claims that are not planned are not worth a look
            for word in range(board.words):
                room.moves.claims[word] &= mind.plan[word] | mind.extra[word]
        if move < board.routes:
            room.moves.claims[board.route_word[move]] |= board.route_bit[move]
        count = sort_moves(board, room.moves, room.desk.value, room.best, WIDTH)
        node = offer(room, taste, node, room.best, count)
        if node == 0:
            apply(board, s, move, room.log)
            break
        depth += 1
        room.path[depth] = node
        make_move(board, room, int(room.nodes[node].move))
    return depth


@kernel
def make_move(board: Any, room: Any, move: int) -> None:
    """Play a move of the seat in `room.seen`; a claim with the payment its cards are worth least in."""
    if move < board.routes:
        best_payment(board, room.seen, room.desk, move)
        intend(room.minds[room.seen.me], room.desk, move)
    apply(board, room.state, move, room.log)


@kernel
def begin_at(boards: Any, views: Any, weights: Any, tastes: Any, rooms: Any, at: int) -> int:
    """`begin`, called from Python."""
    return begin(boards[0], views[0], weights[0], tastes[0], rooms[at])


@kernel
def grow_at(
    boards: Any, views: Any, weights: Any, tastes: Any, rooms: Any, at: int, seed: int, iterations: int
) -> None:
    """`grow`, called from Python."""
    grow(boards[0], views[0], weights[0], tastes[0], rooms[at], seed, iterations)


@kernel
def decide_at(boards: Any, views: Any, weights: Any, _tastes: Any, rooms: Any, at: int, move: int) -> None:
    """Remember how a move is paid, called from Python."""
    room = rooms[at]
    if move < boards[0].routes:
        worth_of_cards(views[0], weights[0], room.desk, room.mind)
        best_payment(boards[0], views[0], room.desk, move)
        intend(room.mind, room.desk, move)


@kernel
def forget_at(rooms: Any) -> None:
    """Begin a game, called from Python."""
    for room in rooms:
        forget(room.mind)


@kernel
def best_at(rooms: Any, tastes: Any) -> int:
    """The move to make, called from Python: the planner's, unless another did better in the same worlds beyond doubt.

    Each room has its own worlds and the same first moves, in the same order.
    """
    best = 1
    most = 0.0
    child = int(rooms[0].nodes[1].sibling)
    while child != 0:
        count = 0
        total = 0.0
        squares = 0.0
        for at in range(len(rooms)):
            nodes = rooms[at].nodes
            for world in range(min(WORLDS, int(nodes[1].visits), int(nodes[child].visits))):
                more = float(rooms[at].ends[child - 1, world]) - float(rooms[at].ends[0, world])
                total += more
                squares += more * more
                count += 1
        if count > 1:
            mean = total / count
            error = math.sqrt(max(0.0, squares / count - mean * mean) / (count - 1))
            sure = mean - tastes[0].doubt * error
            if sure > most:
                most = sure
                best = child
        child = int(rooms[0].nodes[child].sibling)
    return int(rooms[0].nodes[best].move)
