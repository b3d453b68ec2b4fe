"""What a seat can expect, worked out from its view: what its tickets need, and how the bonus cards stand.

Only claims change most of this, so it is cached by what a seat owns and may still claim.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from northrail.boards.board import (
    CITIES,
    COUNT_LOCOMOTIVES,
    COUNT_PATH,
    COUNT_TICKETS,
    ROUTE_BITS,
    ROUTES,
    TICKET_WORDS,
    Board,
    numbers_in,
)
from northrail.engine.paths import FAR, find_path, shortest_path
from northrail.engine.scoring import bonus_count, completed_tickets, longest_path
from northrail.engine.view import View
from northrail.kernels.structs import Floats
from northrail.server.match import Json


class _Routes:
    """The routes a seat owns and can still claim, as a cache key: equal if the shortest connections are the same."""

    def __init__(self, view: View) -> None:
        self.view = view
        me = view.me or 0
        routes = view.struct.array["owned"][0, me].tobytes() + view.struct.array["open"][0, me].tobytes()
        self.key = (view.board.digest, routes)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Routes) and self.key == other.key

    @property
    def own(self) -> set[int]:
        """The routes the seat owns."""
        return set(numbers_in(self.view.struct.owned[self.view.me or 0].tolist(), ROUTE_BITS))

    @property
    def trains(self) -> dict[int, int]:
        """Each route that can be part of a connection -> the trains it still needs."""
        may = numbers_in(self.view.struct.open[self.view.me or 0].tolist(), ROUTE_BITS)
        return {route: self.view.board.routes[route].length for route in may} | dict.fromkeys(self.own, 0)


# --- one ticket -------------------------------------------------------------------------------------------------------


def with_needs(view: View, tickets: list[Json]) -> list[Json]:
    """Return tickets, each with the shortest connection of its cities if the seat has enough trains for it."""
    if not tickets:
        return []
    routes, left = _Routes(view), view.trains[view.me or 0]
    needs = [_needs(routes, *ticket["cities"]) for ticket in tickets]
    return [
        ticket | {"needs": need if need is not None and need["trains"] <= left else None}
        for ticket, need in zip(tickets, needs, strict=True)
    ]


@lru_cache(maxsize=4096)
def _needs(routes: _Routes, start: str, end: str) -> Json | None:
    """Return the connection that needs the fewest trains, and among those the fewest routes; None if there is none."""
    path = shortest_path(routes.view.board, routes.trains.get, start, end)
    if path is None:
        return None
    return {"trains": path.cost, "routes": sorted(set(path.routes) - routes.own), "path": list(path.routes)}


# --- several tickets --------------------------------------------------------------------------------------------------


ENOUGH = 1_000  # trains for every route of any board
MANY = 8  # tickets; with more of them, one plan has to do


@dataclass(frozen=True)
class _Plan:
    """Routes still to be claimed for tickets, the trains they need, and the tickets they complete."""

    routes: frozenset[int]
    trains: int
    tickets: frozenset[int]


def useful_routes(view: View) -> list[int]:
    """Return the routes still to be claimed on a short way to complete the seat's open tickets, while trains last."""
    tickets = _open_tickets(view)
    if not tickets or view.phase == "over":
        return []
    return _serving(_Routes(view), tickets, view.trains[view.me or 0])


@lru_cache(maxsize=4096)
def _serving(routes: _Routes, tickets: frozenset[int], trains: int) -> list[int]:
    """Return the routes of a plan, and those parallel to them, which serve as well."""
    every = routes.view.board.routes
    ends = {frozenset(every[route].cities) for route in _plan(routes, tickets, trains).routes}
    return sorted(route for route in routes.trains.keys() - routes.own if frozenset(every[route].cities) in ends)


def trains_together(view: View) -> list[int | None]:
    """Return [set of offered tickets, as bits] -> trains that they and the seat's open tickets need together.

    It is the shortest plan we find, not always the shortest there is. Open tickets that can't be completed any more do
    not count; None if an offered one can't be completed.
    """
    routes, offered = _Routes(view), [ticket["number"] for ticket in view.offered]
    base = _plan(routes, _open_tickets(view), ENOUGH)
    found: list[int | None] = []
    for chosen in range(1 << len(offered)):
        tickets = frozenset(ticket for at, ticket in enumerate(offered) if chosen >> at & 1)
        plan = _plan(routes, tickets, ENOUGH, base.routes)
        found.append(base.trains + plan.trains if plan.tickets == tickets else None)
    return found


def _open_tickets(view: View) -> frozenset[int]:
    return frozenset(ticket["number"] for ticket in view.tickets if not ticket["joined"])


@lru_cache(maxsize=4096)
def _plan(routes: _Routes, tickets: frozenset[int], trains: int, planned: frozenset[int] = frozenset()) -> _Plan:
    """Return the better of two plans: one joins the nearest cities first, the other the farthest.

    Routes that are ``planned`` already cost nothing more.
    """
    board = routes.view.board
    lengths = routes.trains | dict.fromkeys(planned, 0)
    cost = np.full(ROUTES, FAR)
    cost[list(lengths)] = [length * CITIES + 1 for length in lengths.values()]  # as in `shortest_path`
    nearest = _join_in_turn(board, cost.copy(), tickets, trains, min)
    if not 1 < len(tickets) <= MANY:
        return nearest
    farthest = _join_in_turn(board, cost, tickets, trains, max)
    return max(
        (nearest, farthest),
        key=lambda plan: (sum(board.tickets[ticket].points for ticket in plan.tickets), -plan.trains),
    )


def _join_in_turn(
    board: Board, cost: Floats, tickets: Iterable[int], trains: int, next_of: Callable[..., int]
) -> _Plan:
    """Join the cities of one ticket after the other. What is planned costs nothing more; overwrites ``cost``."""
    left, planned, done, spare = sorted(tickets), set[int](), set[int](), trains
    while True:
        lengths, paths = dict[int, int](), dict[int, list[int]]()
        for ticket in left:
            path = _path(board, cost, ticket)
            length = sum(board.routes[route].length for route in path or ())
            if path is not None and length <= spare:
                lengths[ticket], paths[ticket] = length, path
        if not lengths:
            return _Plan(frozenset(planned), trains - spare, frozenset(done))
        ticket = next_of(lengths, key=lengths.__getitem__)
        left.remove(ticket)
        done.add(ticket)
        planned.update(paths[ticket])
        spare -= lengths[ticket]
        cost[paths[ticket]] = 1


def _path(board: Board, cost: Floats, ticket: int) -> list[int] | None:
    """Return the routes still to be claimed on the cheapest path between a ticket's cities; None if there is none."""
    tickets, ends = _cities(board)
    far, via = np.empty(CITIES), np.empty(CITIES, np.int16)
    start, city = tickets[ticket]
    if find_path(board.struct, cost, start, city, FAR, far, via) == FAR:
        return None
    routes = []
    while city != start:
        route = int(via[city])
        if cost[route] > 1:
            routes.append(route)
        one, other = ends[route]
        city = one if city == other else other
    return routes


@lru_cache(maxsize=64)
def _cities(board: Board) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the numbers of the cities of each ticket, and of each route."""
    numbers = {city.name: number for number, city in enumerate(board.cities)}
    tickets = [(numbers[ticket.cities[0]], numbers[ticket.cities[1]]) for ticket in board.tickets]
    return tickets, [(numbers[route.cities[0]], numbers[route.cities[1]]) for route in board.routes]


# --- bonus cards ------------------------------------------------------------------------------------------------------

HIDDEN = (COUNT_TICKETS, COUNT_LOCOMOTIVES)  # what only the seat itself can count before the end


def standings(view: View) -> list[Json]:
    """Return how the seats stand in the race for each bonus card in play; None where only the seat itself can know."""
    board = view.board
    cards = [card for card in range(len(board.bonus_cards)) if int(view.struct.bonus_cards) >> card & 1]
    return [
        {"name": board.bonus_cards[card].name, "counts": [_count(view, seat, card) for seat in range(view.seats)]}
        for card in cards
    ]


def _count(view: View, seat: int, card: int) -> int | None:
    board, counts = view.board.struct, view.board.struct.bonus_counts[card]
    if counts in HIDDEN and seat != view.me and view.phase != "over":
        return None
    done = np.zeros(TICKET_WORDS, np.int64)
    if counts == COUNT_TICKETS:
        completed_tickets(board, view.struct, seat, np.zeros(CITIES, np.int8), done)
    path = _path_length(_Network(view, seat)) if counts == COUNT_PATH else 0
    return int(bonus_count(board, view.struct, seat, card, done, path))


class _Network:
    """The routes a seat owns, as a cache key."""

    def __init__(self, view: View, seat: int) -> None:
        self.view, self.seat = view, seat
        self.key = (view.board.digest, view.struct.array["owned"][0, seat].tobytes())

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Network) and self.key == other.key


@lru_cache(maxsize=4096)
def _path_length(network: _Network) -> int:
    """Return the length of a seat's longest path, in trains."""
    return int(longest_path(network.view.board.struct, network.view.struct, network.seat))
