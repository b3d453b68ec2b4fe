"""A learned judgement: how the game will end for a seat, as far as its view tells, by a small neural network.

The network reads what the planner works out from a view: which tickets its plan completes, how many turns that takes,
which cards are missing and which are unseen, how far the others are. It also reads single routes (own, closed, planned
and affordable ones) and the seat's tickets. It judges only the start of a seat's turn. `make train` trains a network
for each of our boards; its inputs depend on the quick planner's weights ("playouts" in planner.json). Your own boards
have no network, and the search does without.

The network computes in 32-bit floats and in a fixed order, so a view has the same value on every machine.
"""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from northrail.boards.board import (
    BONUSES,
    CARDS,
    COUNT_ROUTES,
    GRAY,
    LENGTH,
    LOCOMOTIVE,
    ROUTE_BITS,
    ROUTE_WORDS,
    ROUTES,
    SEATS,
    TICKET_BITS,
    TICKET_WORDS,
    TICKETS,
    Board,
    BoardStruct,
)
from northrail.engine.rules import legal
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import Moves, ViewStruct
from northrail.errors import NorthrailError
from northrail.kernels.bits import lowest, popcount
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Float32s, Struct, float32, int64, part
from northrail.players.cards import unseen_of
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.plans import clear_plan, horizon, is_contested, largest_set, turns_to_end, update_plan

# Where the numbers of each kind begin. Trained networks depend on the order.
OWN, OWN_TICKETS, OWN_PLAN, OWN_CARDS = 0, 17, 23, 35
HAND = 38  # then by colour: cards in hand, cards missing, cards in the row
RIVALS, RIVAL = HAND + 3 * CARDS, 8  # then by seat after this one
BONUS = RIVALS + (SEATS - 1) * RIVAL  # then by bonus card: whether it is in play, and the lead in routes
UNSEEN = BONUS + 2 * BONUSES  # then by colour
KNOWN = UNSEEN + CARDS  # then by seat after this one and colour: cards that everybody saw it take
NUMBERS = KNOWN + (SEATS - 1) * CARDS
OWNED, CLOSED, PLANNED, EXTRA, PAYABLE = range(5)  # sets of routes
SETS = 5
DONE, MEANT, LOST = range(3)  # sets of tickets: complete, planned and given up
TICKET_SETS = 3
FIRST, SECOND = 192, 32  # units in the hidden layers
WIN, MARGIN = range(2)  # what it predicts: the log-odds of winning, and the margin in units of MARGIN_UNIT points
ENDS = 2
MARGIN_UNIT = 50.0


class Inputs(Struct):
    """What the network reads."""

    numbers = float32(NUMBERS)
    routes = int64(SETS, ROUTE_WORDS)
    tickets = int64(TICKET_SETS, TICKET_WORDS)


class Net(Struct):
    """The weights of a network."""

    numbers = float32(NUMBERS, FIRST)
    routes = float32(SETS, ROUTES, FIRST)
    tickets = float32(TICKET_SETS, TICKETS, FIRST)
    first = float32(FIRST)  # biases
    between = float32(FIRST, SECOND)
    second = float32(SECOND)
    last = float32(SECOND, ENDS)
    ends = float32(ENDS)


class NetScratch(Struct):
    """Scratch memory of the network."""

    plan = part(Plan)
    inputs = part(Inputs)
    first = float32(FIRST)
    second = float32(SECOND)
    ends = float32(ENDS)


# --- reading a view -------------------------------------------------------------------------------------------------


@kernel
def read(
    board: BoardStruct, v: ViewStruct, w: Weights, scratch: PlanScratch, plan: Plan, moves: Moves, x: Inputs
) -> None:
    """Write what the network reads of a view whose seat begins its turn; makes a new plan."""
    clear_plan(plan)
    update_plan(board, v, w, scratch, plan)
    legal(board, v, moves)
    for at in range(NUMBERS):
        x.numbers[at] = 0.0
    for word in range(board.words):
        x.routes[OWNED, word] = v.owned[v.me, word]
        x.routes[CLOSED, word] = board.fits[LENGTH, word] & ~(v.open[v.me, word] | v.owned[v.me, word])
        x.routes[PLANNED, word] = plan.routes[word]
        x.routes[EXTRA, word] = plan.extra[word]
        x.routes[PAYABLE, word] = moves.claims[word]
    read_seat(board, v, w, plan, x.numbers)
    join_cities(board, v, int(v.me), scratch.roots)
    read_tickets(board, v, scratch, plan, x)
    read_plan(board, v, plan, moves, x.numbers)
    read_cards(board, v, plan, x.numbers)
    read_rivals(board, v, w, x.numbers)
    read_bonuses(board, v, x.numbers)


@kernel
def read_seat(board: BoardStruct, v: ViewStruct, w: Weights, plan: Plan, n: Float32s) -> None:
    """Write how far the seat is, and how its plan fits into the turns that are left."""
    me = int(v.me)
    left = horizon(board, v, w)
    n[OWN] = v.points[me] / 50.0
    n[OWN + 1] = v.trains[me] / 20.0
    n[OWN + 2] = v.hand_size[me] / 10.0
    n[OWN + 3] = v.hand[me, LOCOMOTIVE] / 4.0
    n[OWN + 4] = largest_set(v) / 5.0
    n[OWN + 5] = v.ticket_count[me] / 5.0
    n[OWN + 6] = plan.worth / 30.0
    n[OWN + 7] = plan.turns / 10.0
    n[OWN + 8] = plan.spare / 20.0
    n[OWN + 9] = min(left, 30.0) / 10.0
    n[OWN + 10] = (left - plan.turns) / 10.0
    n[OWN + 11] = max(0.0, plan.turns - left) / 5.0
    n[OWN + 12] = 1.0 if v.turns_left >= 0 else 0.0
    n[OWN + 13] = v.ticket_deck_size / 20.0
    n[OWN + 14] = v.deck_size / 50.0
    n[OWN + 15] = v.seats / 3.0
    n[OWN + 16] = (v.trains[me] - board.last_round_at) / 20.0


@kernel
def read_tickets(board: BoardStruct, v: ViewStruct, scratch: PlanScratch, plan: Plan, x: Inputs) -> None:
    """Write the tickets complete, planned and given up, with their points; `scratch.roots` are the seat's."""
    for word in range(TICKET_WORDS):
        scratch.left[word] = v.held[v.me, word]
    find_joined(board, scratch, x, DONE)
    for word in range(board.words):
        rest = int(plan.routes[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            a = root_of(scratch.roots, int(board.route_city[route, 0]))
            scratch.roots[a] = root_of(scratch.roots, int(board.route_city[route, 1]))
    find_joined(board, scratch, x, MEANT)
    for word in range(TICKET_WORDS):
        x.tickets[LOST, word] = scratch.left[word]
    count_tickets(board, x, DONE, 5.0, 40.0)
    count_tickets(board, x, MEANT, 3.0, 30.0)
    count_tickets(board, x, LOST, 2.0, 15.0)


@kernel
def find_joined(board: BoardStruct, scratch: PlanScratch, x: Inputs, kind: int) -> None:
    """Move those tickets in `scratch.left` whose cities are joined to a set of the inputs."""
    for word in range(TICKET_WORDS):
        x.tickets[kind, word] = 0
        rest = int(scratch.left[word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            a = root_of(scratch.roots, int(board.ticket_city[ticket, 0]))
            if a == root_of(scratch.roots, int(board.ticket_city[ticket, 1])):
                x.tickets[kind, word] |= bit
                scratch.left[word] &= ~bit


@kernel
def count_tickets(board: BoardStruct, x: Inputs, kind: int, tickets_unit: float, points_unit: float) -> None:
    """Write the number and the points of the tickets in a set."""
    count = 0
    points = 0
    for word in range(TICKET_WORDS):
        rest = int(x.tickets[kind, word])
        while rest != 0:
            count += 1
            points += int(board.ticket_points[word * TICKET_BITS + lowest(rest)])
            rest &= rest - 1
    x.numbers[OWN_TICKETS + 2 * kind] = count / tickets_unit
    x.numbers[OWN_TICKETS + 2 * kind + 1] = points / points_unit


@kernel
def read_plan(board: BoardStruct, v: ViewStruct, plan: Plan, moves: Moves, n: Float32s) -> None:
    """Write what the planned routes ask for and bring, and which of them the seat could claim now."""
    count = 0
    trains = 0
    points = 0
    tunnels = 0
    lack = 0
    payable = 0
    payable_trains = 0
    payable_most = 0
    contested = 0
    contested_trains = 0
    largest = largest_set(v)
    for word in range(board.words):
        rest = int(plan.routes[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            bit = rest & -rest
            rest &= rest - 1
            length = int(board.route_length[route])
            count += 1
            trains += length
            points += int(board.route_points[route])
            if board.route_tunnel[route]:
                tunnels += 1
            if board.route_colour[route] == GRAY:
                lack += max(0, length - largest)
            if int(moves.claims[word]) & bit != 0:
                payable += 1
                payable_trains += length
                payable_most = max(payable_most, int(board.route_points[route]))
            if is_contested(board, plan, route):
                contested += 1
                contested_trains += length
    n[OWN_PLAN] = count / 5.0
    n[OWN_PLAN + 1] = trains / 20.0
    n[OWN_PLAN + 2] = points / 30.0
    n[OWN_PLAN + 3] = tunnels / 3.0
    n[OWN_PLAN + 4] = lack / 5.0
    n[OWN_PLAN + 5] = payable / 2.0
    n[OWN_PLAN + 6] = payable_trains / 5.0
    n[OWN_PLAN + 7] = payable_most / 10.0
    n[OWN_PLAN + 8] = contested / 3.0
    n[OWN_PLAN + 9] = contested_trains / 10.0
    trains = 0
    points = 0
    for word in range(board.words):
        rest = int(plan.extra[word])
        while rest != 0:
            route = word * ROUTE_BITS + lowest(rest)
            rest &= rest - 1
            trains += int(board.route_length[route])
            points += int(board.route_points[route])
    n[OWN_PLAN + 10] = trains / 10.0
    n[OWN_PLAN + 11] = points / 20.0


@kernel
def read_cards(board: BoardStruct, v: ViewStruct, plan: Plan, n: Float32s) -> None:
    """Write the hand, what the plan lacks, what the row offers and what is unseen, by colour and together."""
    me = int(v.me)
    missing = 0.0
    useful = 0.0
    for colour in range(CARDS):
        short = max(0.0, float(plan.want[colour] - v.hand[me, colour]))
        missing += short
        useful += min(short, float(v.face_up[colour]))
        n[HAND + colour] = v.hand[me, colour] / 4.0
        n[HAND + CARDS + colour] = short / 4.0
        n[HAND + 2 * CARDS + colour] = v.face_up[colour] / 2.0
        n[UNSEEN + colour] = unseen_of(board, v, colour) / 6.0
    n[OWN_CARDS] = missing / 10.0
    n[OWN_CARDS + 1] = useful / 3.0
    n[OWN_CARDS + 2] = max(0, int(plan.gray) - largest_set(v)) / 4.0


@kernel
def read_rivals(board: BoardStruct, v: ViewStruct, w: Weights, n: Float32s) -> None:
    """Write how far each other seat is, in turn order."""
    for turn in range(1, int(v.seats)):
        seat = (int(v.me) + turn) % int(v.seats)
        at = RIVALS + (turn - 1) * RIVAL
        routes = 0
        for word in range(board.words):
            routes += popcount(v.owned[seat, word])
        n[at] = v.points[seat] / 50.0
        n[at + 1] = v.trains[seat] / 20.0
        n[at + 2] = v.hand_size[seat] / 10.0
        n[at + 3] = v.ticket_count[seat] / 5.0
        n[at + 4] = routes / 8.0
        n[at + 5] = min(30.0, turns_to_end(board, v, w, seat)) / 10.0
        n[at + 6] = v.known[seat, LOCOMOTIVE] / 3.0
        n[at + 7] = 1.0
        for colour in range(CARDS):
            n[KNOWN + (turn - 1) * CARDS + colour] = v.known[seat, colour] / 3.0


@kernel
def read_bonuses(board: BoardStruct, v: ViewStruct, n: Float32s) -> None:
    """Write which bonus cards are in play, and who leads where routes count."""
    cards = int(v.bonus_cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        n[BONUS + card] = 1.0
        if board.bonus_counts[card] == COUNT_ROUTES:
            mine = 0
            most = 0
            for seat in range(v.seats):
                routes = 0
                for word in range(board.words):
                    routes += popcount(v.owned[seat, word] & board.bonus_routes[card, word])
                if seat == v.me:
                    mine = routes
                else:
                    most = max(most, routes)
            n[BONUS + BONUSES + card] = (mine - most) / 3.0


# --- judging --------------------------------------------------------------------------------------------------------


@kernel
def predict(board: BoardStruct, net: Net, x: Inputs, scratch: NetScratch) -> None:
    """Write the log-odds of winning and the expected margin into `scratch.ends`.

    Most inputs are zero, so we add up rows of weights and skip the rest.
    """
    for unit in range(FIRST):
        scratch.first[unit] = net.first[unit]
    for at in range(NUMBERS):
        if x.numbers[at] != 0.0:
            for unit in range(FIRST):
                scratch.first[unit] += x.numbers[at] * net.numbers[at, unit]
    for kind in range(SETS):
        for word in range(board.words):
            rest = int(x.routes[kind, word])
            while rest != 0:
                route = word * ROUTE_BITS + lowest(rest)
                rest &= rest - 1
                for unit in range(FIRST):
                    scratch.first[unit] += net.routes[kind, route, unit]
    for kind in range(TICKET_SETS):
        for word in range(TICKET_WORDS):
            rest = int(x.tickets[kind, word])
            while rest != 0:
                ticket = word * TICKET_BITS + lowest(rest)
                rest &= rest - 1
                for unit in range(FIRST):
                    scratch.first[unit] += net.tickets[kind, ticket, unit]
    for unit in range(SECOND):
        scratch.second[unit] = net.second[unit]
    for at in range(FIRST):
        if scratch.first[at] > 0.0:
            for unit in range(SECOND):
                scratch.second[unit] += scratch.first[at] * net.between[at, unit]
    for end in range(ENDS):
        scratch.ends[end] = net.ends[end]
    for at in range(SECOND):
        if scratch.second[at] > 0.0:
            for end in range(ENDS):
                scratch.ends[end] += scratch.second[at] * net.last[at, end]


@entry
def judge(
    board: BoardStruct, v: ViewStruct, w: Weights, net: Net, planning: PlanScratch, moves: Moves, scratch: NetScratch
) -> None:
    """Judge a view whose seat begins its turn; the answer is in `scratch.ends`."""
    read(board, v, w, planning, scratch.plan, moves, scratch.inputs)
    predict(board, net, scratch.inputs, scratch)


# --- files ----------------------------------------------------------------------------------------------------------


@cache
def net_of(digest: str) -> Net | None:
    """Return our network for the board with this digest; None if there is none.

    >>> import northrail
    >>> net_of(northrail.load_board("nordic-countries").digest) is not None, net_of("my own board")
    (True, None)
    """
    for file in resources.files("northrail").joinpath("players").iterdir():
        if file.name.endswith(".npz"):
            with file.open("rb") as opened, np.load(opened) as content:
                if str(content["board"]) == digest:
                    return _net_in(content)
    return None


def load_net(path: str, board: Board) -> Net:
    """Return the network in a file that `make train` wrote for this board."""
    try:
        with np.load(path) as content:
            if str(content["board"]) == board.digest:
                return _net_in(content)
    except (OSError, ValueError, KeyError) as fault:
        raise NorthrailError(f"{path}: expected a network that `make train` wrote, got {fault}") from fault
    raise NorthrailError(f"{path}: expected a network for {board.name} as it is now; train it again")


def _net_in(content: Any) -> Net:
    """Return the network in a file, which leaves out what a board does not have."""
    net = Net()
    for name in Net.fields:
        weights = content[name]
        getattr(net, name)[tuple(slice(size) for size in weights.shape)] = weights
    return net


def save_net(path: Path, board: Board, weights: dict[str, Any], made_by: str) -> None:
    """Write a network for a board, with how it was made. Half precision is enough, and halves the file."""
    np.savez_compressed(
        path, board=board.digest, made_by=made_by, **{name: weights[name].astype(np.float16) for name in Net.fields}
    )
