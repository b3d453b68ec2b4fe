"""Search as kernels: a tree over a seat's own decisions, grown in worlds imagined from its view.

Every iteration imagines a world, gives the other seats tickets that suit the routes they own, walks down the tree, adds
a leaf to it and lets the quick planner play for all seats to the end. The tree knows which moves this seat made, not
what it saw between them: one node stands for all worlds (information set search with a single observer). Others are
not searched for, they play as the planner would with what the world gives them, and each sees its own view only.
"""

import math

from northrail.boards.board import LENGTH, SEATS, TICKET_BITS, TICKETS, BoardStruct
from northrail.engine.knowledge import add, has, imagine, look
from northrail.engine.rules import Log, apply
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import (
    OVER,
    PAY,
    SECOND_CARD,
    TUNNEL,
    TURN,
    Moves,
    State,
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
    int16,
    int32,
    int64,
    part,
)
from northrail.players.planner import QUICK, THOROUGH, choose, forget, intend, sort_moves
from northrail.players.plans import FAR, Desk, Mind, Weights, best_payment, horizon, spread, worth_of_cards

NODES = 1 << 15
DEPTH = 48  # own decisions that a path in the tree may have
WIDTH = 6  # moves the tree considers after the first, the ones the planner likes best
FIRST_WIDTH = 8  # and at its root
WORLDS = 1 << 12  # first moves are compared in so many
TURNS = 1 << 16  # seeds of a world
SWAPS = 24  # tries to find each ticket of another seat one that suits it better


class Node(Struct):
    """A move in the search's tree."""

    value = float64()  # sum over its visits
    visits = int32()
    offers = int32()  # how often its move could be made
    child = int32()  # its first, or 0
    sibling = int32()  # the next, or 0
    move = int16()


class Taste(Struct):
    """What the search believes about itself."""

    explore = float64()  # how much untried moves draw it
    margin = float64()  # points that make a game as good as won
    win = float64()  # share of winning itself in the worth of an end; the rest is the margin's
    calm = float64()  # visits before a move's own results count more than its parent's mean
    doubt = float64()  # standard errors by which a move must be better than the planner's
    suit = float64()  # how surely others hold tickets that suit their routes


class Room(Struct):
    """Where a search takes place: a world, what its seats have in mind, and a tree."""

    state = part(State)
    seen = part(ViewStruct)
    table = part(ScoreTable)
    moves = part(Moves)
    log = part(Log)
    minds = part(Mind, SEATS)
    mind = part(Mind)  # the searching seat's own, as it is at the root
    desk = part(Desk)
    nodes = part(Node, NODES)
    size = int32()
    rng = int64(1)
    suits = float64(SEATS, TICKETS)  # [seat, ticket] -> how likely it holds it, beside others
    path = int32(DEPTH)
    firsts = int16(FIRST_WIDTH)  # the moves at the root
    count = int16()  # how many
    best = int16(WIDTH)
    turn = int64()  # the world's seed, and the turns since
    ends = float32(FIRST_WIDTH, WORLDS)  # [first move, world] -> what its end was worth


# --- the tree -------------------------------------------------------------------------------------------------------


@kernel
def child_of(room: Room, node: int, move: int) -> int:
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
    clear_struct(room.nodes[at])
    room.nodes[at].move = move
    if last == 0:
        room.nodes[node].child = at
    else:
        room.nodes[last].sibling = at
    return at


@kernel
def offer(room: Room, taste: Taste, node: int, moves: Int16s, count: int) -> int:
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
def weigh_tickets(board: BoardStruct, v: ViewStruct, taste: Taste, room: Room) -> None:
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
def suit_tickets(board: BoardStruct, v: ViewStruct, room: Room) -> None:
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
def worth_of_end(board: BoardStruct, room: Room, taste: Taste, me: int) -> float:
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


@entry
def begin(board: BoardStruct, v: ViewStruct, w: Weights, taste: Taste, room: Room) -> int:
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


@entry(threads=True)
def grow(board: BoardStruct, v: ViewStruct, w: Weights, taste: Taste, room: Room, seed: int, iterations: int) -> None:
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
def enter_world(board: BoardStruct, v: ViewStruct, room: Room, seed: int) -> None:
    """Imagine a world and let all seats forget what they had in mind, but the one that looks."""
    room.turn = seed
    room.rng[0] = seeded(seed)
    imagine(board, v, room.rng, room.state)
    suit_tickets(board, v, room)
    for seat in range(v.seats):
        forget(room.minds[seat])
    copy_struct(room.minds[v.me], room.mind)
    look(board, room.state, int(v.me), room.seen)


@kernel
def ask(board: BoardStruct, w: Weights, room: Room) -> int:
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
def descend(board: BoardStruct, w: Weights, taste: Taste, room: Room, first: int, me: int) -> int:
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
def make_move(board: BoardStruct, room: Room, move: int) -> None:
    """Play a move of the seat in `room.seen`; a claim with the payment its cards are worth least in."""
    if move < board.routes:
        best_payment(board, room.seen, room.desk, move)
        intend(room.minds[room.seen.me], room.desk, move)
    apply(board, room.state, move, room.log)


@entry
def decide(board: BoardStruct, v: ViewStruct, w: Weights, room: Room, move: int) -> None:
    """Remember how a move is paid."""
    if move < board.routes:
        worth_of_cards(v, w, room.desk, room.mind)
        best_payment(board, v, room.desk, move)
        intend(room.mind, room.desk, move)


@entry
def best_move(rooms: Structs[Room], count: int, taste: Taste) -> int:
    """The move to make: the planner's, unless another did better in the same worlds beyond doubt.

    Each of the ``count`` rooms has its own worlds and the same first moves, in the same order.
    """
    best = 1
    most = 0.0
    child = int(rooms[0].nodes[1].sibling)
    while child != 0:
        worlds = 0
        total = 0.0
        squares = 0.0
        for at in range(count):
            room = rooms[at]
            for world in range(min(WORLDS, int(room.nodes[1].visits), int(room.nodes[child].visits))):
                more = float(room.ends[child - 1, world]) - float(room.ends[0, world])
                total += more
                squares += more * more
                worlds += 1
        if worlds > 1:
            mean = total / worlds
            error = math.sqrt(max(0.0, squares / worlds - mean * mean) / (worlds - 1))
            sure = mean - taste.doubt * error
            if sure > most:
                most = sure
                best = child
        child = int(rooms[0].nodes[child].sibling)
    return int(rooms[0].nodes[best].move)
