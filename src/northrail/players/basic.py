"""Two plain players: one that does anything, and one that knows what it wants."""

import heapq
import random
from collections.abc import Iterable, Iterator
from typing import Any

from northrail.boards.board import COLOURS, ROUTE_BITS, Board, numbers_in
from northrail.engine.choices import Cards
from northrail.engine.moves import Move
from northrail.engine.rules import legal
from northrail.engine.state import Moves, ViewStruct
from northrail.engine.view import View, ticket_json
from northrail.players import Choice


class Random:
    """Plays any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._chance = random.Random(0)
        self._moves = Moves()

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._chance = random.Random(seed)

    def choose(self, view: View) -> int:
        """Any legal move."""
        return self.choose_record(view.board, view.struct)

    def choose_record(self, board: Board, record: ViewStruct) -> int:
        """Any legal move."""
        legal(board.struct, record, self._moves)
        moves = numbers_in(self._moves.claims.tolist(), ROUTE_BITS)
        moves += [len(board.routes) + place for place in numbers_in([self._moves.other], 63)]
        return moves[self._chance.randrange(len(moves))]


class Simple:
    """Joins its tickets by the shortest open paths; what `northrail watch` shows."""

    def choose(self, view: View) -> Choice:
        """A move, or a claim with all it is paid with."""
        move, cards = choose(view.board, view)
        return move if move.route is None else (move.route, cards)


def choose(board: Board, view: View) -> tuple[Move, Cards]:
    """What a simple player does: its move and, if that is a claim, the cards it pays with.

    It wants the shortest open paths that join its tickets, collects the colours these ask for and claims as soon as it
    can pay. It knows what is printed and its view, nothing else. It names whole payments, so nobody asks it for the
    cards of one.
    """
    options = view.options or {}
    if view.phase == "tickets":
        return max(view.moves, key=lambda move: _worth(board, view, move)), {}
    if view.phase == "tunnel":
        ways, colour = options["tunnel"]["payments"], options["tunnel"]["colour"]
        text = f"card {'locomotive' if 'locomotive' in ways[0] else colour}" if ways else "give up"
        return next(move for move in view.moves if move.text == text), {}
    routes, trains = board.routes, view.trains[view.me or 0]
    wanted, _ = _plan(board, view, [ticket for ticket in view.tickets if not ticket["joined"]])
    if not wanted:
        if trains > 14 and view.turns_left is None and options["draw_tickets"]:
            return next(move for move in view.moves if move.kind == "draw_tickets"), {}
        wanted = {route for route in _open_routes(board, view) if routes[route].points >= min(trains, 4)}
    payments = {int(route): _cheapest(price["payments"]) for route, price in options["claim"].items()}
    hurry = view.turns_left is not None or sum(view.hand.values()) > 20

    def taste(move: Move) -> tuple[int, int]:
        """How much it likes a move: to claim before all else, if the price is right; then to draw what it needs."""
        if move.route is not None:
            good = hurry or (move.route in wanted and _is_fair(board, view, move.route, payments[move.route]))
            return (3 + (move.route in wanted) if good else 0), routes[move.route].points
        if move.kind == "take":
            return (2, -colours.index(move.colour)) if move.colour in colours else (0, 99)
        return (1 if move.kind == "blind" else 0), 0

    colours = list(_colours(board, view, wanted))
    best = max(view.moves, key=taste)
    return best, payments[best.route] if best.route is not None else {}


def _open_routes(board: Board, view: View) -> set[int]:
    """The routes the seat that looks could still claim."""
    me = view.me or 0
    routes = numbers_in(view.struct.open[me].tolist(), ROUTE_BITS)
    return {route for route in routes if board.routes[route].length <= view.trains[me]}


def _cheapest(payments: list[Cards]) -> Cards:
    """The payment with the fewest cards, a locomotive counting as two."""
    return min(payments, key=lambda cards: sum(cards.values()) + cards.get("locomotive", 0))


def _is_fair(board: Board, view: View, number: int, cards: Cards) -> bool:
    """Whether a payment wastes little and, on a tunnel, leaves a card for what it may ask."""
    route = board.routes[number]
    left = sum(view.hand.get(colour, 0) - cards.get(colour, 0) for colour in {*cards, "locomotive"})
    return sum(cards.values()) <= route.length + 1 and (left > 0 or not route.tunnel)


def _worth(board: Board, view: View, keep: Move) -> int:
    """How good a set of tickets is to keep: its points, less those out of reach, less the trains it asks for."""
    kept = [ticket_json(board, number) for number in keep.tickets]
    routes, points = _plan(board, view, [*kept, *(ticket for ticket in view.tickets if not ticket["joined"])])
    return 5 * points - 6 * sum(board.routes[route].length for route in routes)


def _plan(board: Board, view: View, tickets: Iterable[dict[str, Any]]) -> tuple[set[int], int]:
    """Routes to claim to join the tickets, the cheap ones first, as far as the trains go; and what that is worth."""
    own = {int(route) for route, seat in view.owners.items() if seat == view.me}
    wanted: set[int] = set()
    trains = view.trains[view.me or 0]
    points = 0
    for ticket in sorted(tickets, key=lambda ticket: int(ticket["points"])):
        path = shortest(board, view, own | wanted, *ticket["cities"])
        length = sum(board.routes[route].length for route in path or ())
        if path is not None and length <= trains:
            points += ticket["points"]
            wanted |= path
            trains -= length
        else:
            points -= ticket["points"]
    return wanted, points


def shortest(board: Board, view: View, free: set[int], start: str, end: str) -> set[int] | None:
    """The routes to add to the ``free`` ones on the shortest way between two cities; None if there is no way."""
    roads: dict[str, list[tuple[str, int, int]]] = {}
    for number in sorted(free | _open_routes(board, view)):
        one, other = board.routes[number].cities
        length = 0 if number in free else board.routes[number].length
        roads.setdefault(one, []).append((other, length, number))
        roads.setdefault(other, []).append((one, length, number))
    ways: list[tuple[int, int, str, list[int]]] = [(0, 0, start, [])]
    seen: set[str] = set()
    while ways:
        length, claims, city, path = heapq.heappop(ways)
        if city == end:
            return set(path)
        if city not in seen:
            seen.add(city)
            for there, more, number in roads.get(city, []):
                new = [] if number in free else [number]
                heapq.heappush(ways, (length + more, claims + len(new), there, path + new))
    return None


def _colours(board: Board, view: View, wanted: set[int]) -> Iterator[str]:
    """Colours to collect for the wanted routes, the route with the fewest cards missing first."""
    hand = {colour: view.hand.get(colour, 0) for colour in COLOURS}
    most = max(COLOURS[:-1], key=lambda colour: hand[colour])
    missing = []
    for number in sorted(wanted):
        route = board.routes[number]
        colour = most if route.colour == "gray" else route.colour
        cards = max(0, route.length - route.locomotives - hand[colour])
        symbols = max(0, route.locomotives - hand["locomotive"])
        if symbols:
            missing.append((cards + symbols, number, "locomotive"))
        if cards:
            missing.append((cards + symbols, number, colour))
    yield from (colour for _, _, colour in sorted(missing))
    if not board.rules.face_up_locomotive_alone:
        yield "locomotive"
