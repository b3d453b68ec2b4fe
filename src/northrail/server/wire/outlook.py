"""What a seat can expect, worked out from its view: what its tickets need, and how the bonus cards stand.

Only claims change most of this, so it is cached by what a seat owns and may still claim.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from northrail.boards.board import (
    CITIES,
    COUNT_LOCOMOTIVES,
    COUNT_PATH,
    COUNT_TICKETS,
    ROUTE_BITS,
    ROUTE_WORDS,
    ROUTES,
    TICKET_WORDS,
    Board,
)
from northrail.engine.paths import FAR, join_in_turn, path_between
from northrail.engine.scoring import bonus_count, completed_tickets, longest_path
from northrail.engine.view import View
from northrail.kernels.structs import Floats
from northrail.server.match import Json


class _Ways:
    """The routes that a seat owns and those it can still claim, with what we found out about them."""

    def __init__(self, board: Board, owned: bytes, open_: bytes) -> None:
        self.board = board
        own, new = _flags(owned), _flags(open_)
        self.own, self.open = (frozenset(np.flatnonzero(each).tolist()) for each in (own, new))
        self.cost = np.where(new, _prices(board), FAR)  # as in `shortest_path`
        self.cost[own] = 1
        self.needs = dict[int, Json | None]()
        self.plans = dict[Any, _Plan]()
        self.serving = dict[_Plan, list[int]]()

    def need(self, ticket: int) -> Json | None:
        """Return the connection that needs the fewest trains, then the fewest routes; None if no connection is open."""
        if ticket not in self.needs:
            path = _path(self.board, self.cost, ticket)
            self.needs[ticket] = None
            if path is not None:
                new = sorted(set(path) - self.own)
                trains = sum(self.board.routes[route].length for route in new)
                self.needs[ticket] = {"trains": trains, "routes": new, "path": path}
        return self.needs[ticket]

    def plan(self, tickets: frozenset[int], trains: int, planned: frozenset[int] = frozenset()) -> "_Plan":
        """Return the better of two plans: one joins the nearest cities first, the other the farthest.

        Routes that are ``planned`` already cost nothing more.
        """
        key = tickets, trains, planned
        if key not in self.plans:
            cost = self.cost.copy()
            cost[list(planned)] = 1
            plans = [_plan(self.board, cost.copy(), tickets, trains, False)]
            if 1 < len(tickets) <= MANY:
                plans.append(_plan(self.board, cost, tickets, trains, True))
            self.plans[key] = max(plans, key=lambda plan: (plan.points, -plan.trains))
        return self.plans[key]

    def useful(self, tickets: frozenset[int], trains: int) -> list[int]:
        """Return the routes of a plan, and those parallel to them, which serve as well."""
        plan, parallel = self.plan(tickets, trains), _parallel(self.board)
        if plan not in self.serving:
            found = {twin for route in plan.routes for twin in parallel[route]}
            self.serving[plan] = sorted(found & self.open - self.own)
        return self.serving[plan]


@lru_cache(maxsize=64)
def _prices(board: Board) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return [route] -> what it costs on a path: trains count first, then routes."""
    prices = np.full(ROUTES, FAR)
    prices[: len(board.routes)] = [route.length * CITIES + 1 for route in board.routes]
    return prices


@lru_cache(maxsize=64)
def _parallel(board: Board) -> list[list[int]]:
    """Return [route] -> all routes between the same cities."""
    between: dict[frozenset[str], list[int]] = {}
    for number, route in enumerate(board.routes):
        between.setdefault(frozenset(route.cities), []).append(number)
    return [between[frozenset(route.cities)] for route in board.routes]


def _flags(words: bytes) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return [route] -> whether it is in a set of routes."""
    bits = np.unpackbits(np.frombuffer(words, np.uint8), bitorder="little").reshape(ROUTE_WORDS, -1)
    return bits[:, :ROUTE_BITS].ravel().astype(np.bool_)


_ways = lru_cache(maxsize=2048)(_Ways)


def _ways_of(view: View) -> _Ways:
    """Return what is open to a seat. Equal views share it, and so do views between which nobody claims a route."""
    me = view.me or 0
    return _ways(view.board, bytes(view.struct.owned[me]), bytes(view.struct.open[me]))


# --- one ticket -------------------------------------------------------------------------------------------------------


def with_needs(view: View, tickets: list[Json]) -> list[Json]:
    """Return tickets, each with the shortest connection of its cities if the seat has enough trains for it."""
    if not tickets:
        return []
    ways, left = _ways_of(view), view.trains[view.me or 0]
    needs = [ways.need(ticket["number"]) for ticket in tickets]
    return [
        ticket | {"needs": need if need is not None and need["trains"] <= left else None}
        for ticket, need in zip(tickets, needs, strict=True)
    ]


# --- several tickets --------------------------------------------------------------------------------------------------


ENOUGH = 1_000  # trains for every route of any board
MANY = 8  # tickets; with more of them, one plan has to do


@dataclass(frozen=True)
class _Plan:
    """Routes still to be claimed for tickets, the trains they need, the tickets they complete, and their points."""

    routes: frozenset[int]
    trains: int
    tickets: frozenset[int]
    points: int


def useful_routes(view: View) -> list[int]:
    """Return the routes still to be claimed on a short way to complete the seat's open tickets, while trains last."""
    tickets = _open_tickets(view)
    if not tickets or view.phase == "over":
        return []
    return _ways_of(view).useful(tickets, view.trains[view.me or 0])


def trains_together(view: View) -> list[int | None]:
    """Return [set of offered tickets, as bits] -> trains that they and the seat's open tickets need together.

    It is the shortest plan we find, not always the shortest there is. Open tickets that can't be completed any more do
    not count; None if an offered one can't be completed.
    """
    ways, offered = _ways_of(view), [ticket["number"] for ticket in view.offered]
    base = ways.plan(_open_tickets(view), ENOUGH)
    found: list[int | None] = []
    for chosen in range(1 << len(offered)):
        tickets = frozenset(ticket for at, ticket in enumerate(offered) if chosen >> at & 1)
        plan = ways.plan(tickets, ENOUGH, base.routes)
        found.append(base.trains + plan.trains if plan.tickets == tickets else None)
    return found


def _open_tickets(view: View) -> frozenset[int]:
    return frozenset(ticket["number"] for ticket in view.tickets if not ticket["joined"])


def _plan(board: Board, cost: Floats, tickets: frozenset[int], trains: int, farthest: bool) -> _Plan:
    """Plan to join the cities of tickets, the nearest or the farthest first; overwrites ``cost``."""
    left, routes = np.array(sorted(tickets), np.int16), np.empty(ROUTES, np.int16)
    count = join_in_turn(board.struct, cost, left, len(left), trains, farthest, routes)
    planned = routes[:count].tolist()
    done = tickets.difference(left.tolist())
    return _Plan(
        frozenset(planned),
        sum(board.routes[route].length for route in planned),
        done,
        sum(board.tickets[ticket].points for ticket in done),
    )


def _path(board: Board, cost: Floats, ticket: int) -> list[int] | None:
    """Return the routes of the cheapest path between a ticket's cities, in order; None if there is none."""
    start, goal = board.struct.ticket_city[ticket].tolist()
    routes = np.empty(CITIES, np.int16)
    count = path_between(board.struct, cost, start, goal, routes)
    return None if count < 0 else routes[:count].tolist()


# --- bonus cards ------------------------------------------------------------------------------------------------------

NOT_DONE = np.zeros(TICKET_WORDS, np.int64)  # no tickets
HIDDEN = (COUNT_TICKETS, COUNT_LOCOMOTIVES)  # what only the seat itself can count before the end


def standings(view: View) -> list[Json]:
    """Return how the seats stand in the race for each bonus card in play; None where only the seat itself can know."""
    board = view.board
    cards = [card for card in range(len(board.bonus_cards)) if int(view.struct.bonus_cards) >> card & 1]
    shown = _Shown(view)
    return [
        {
            "name": board.bonus_cards[card].name,
            "counts": _counts(view, card) if board.struct.bonus_counts[card] in HIDDEN else _shown_counts(shown, card),
        }
        for card in cards
    ]


class _Shown:
    """The routes and trains of all seats, as a cache key: most bonus cards count nothing else."""

    def __init__(self, view: View) -> None:
        self.view = view
        owned = [bytes(view.struct.owned[seat]) for seat in range(view.seats)]
        self.key = view.board.digest, tuple(view.trains), *owned

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shown) and self.key == other.key


@lru_cache(maxsize=4096)
def _shown_counts(shown: _Shown, card: int) -> list[int | None]:
    return _counts(shown.view, card)


def _counts(view: View, card: int) -> list[int | None]:
    """Return [seat] -> its count for a bonus card; None where only the seat itself can know."""
    return [_count(view, seat, card) for seat in range(view.seats)]


def _count(view: View, seat: int, card: int) -> int | None:
    board, counts = view.board.struct, view.board.struct.bonus_counts[card]
    if counts in HIDDEN and seat != view.me and view.phase != "over":
        return None
    done = NOT_DONE
    if counts == COUNT_TICKETS:
        done = np.zeros(TICKET_WORDS, np.int64)
        completed_tickets(board, view.struct, seat, np.zeros(CITIES, np.int8), done)
    path = _path_length(_Network(view, seat)) if counts == COUNT_PATH else 0
    return int(bonus_count(board, view.struct, seat, card, done, path))


class _Network:
    """The routes a seat owns, as a cache key."""

    def __init__(self, view: View, seat: int) -> None:
        self.view, self.seat = view, seat
        self.key = (view.board.digest, bytes(view.struct.owned[seat]))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Network) and self.key == other.key


@lru_cache(maxsize=4096)
def _path_length(network: _Network) -> int:
    """Return the length of a seat's longest path, in trains."""
    return int(longest_path(network.view.board.struct, network.view.struct, network.seat))
