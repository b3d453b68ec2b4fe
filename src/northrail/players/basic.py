"""Two plain players: one moves at random, the other follows the shortest paths of its tickets."""

from collections.abc import Iterable, Iterator
from typing import Any

from northrail.boards.board import COLOURS, ROUTE_BITS, Board, numbers_in
from northrail.engine.choices import Cards
from northrail.engine.moves import Move
from northrail.engine.paths import shortest_path
from northrail.engine.rules import legal
from northrail.engine.state import Moves, ViewStruct, scaled, seeded
from northrail.engine.view import View, ticket_json
from northrail.players import Answer
from northrail.players.chance import seed_for_choice


class Random:
    """Plays any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._seed = 0
        self._moves = Moves()

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed

    def choose(self, view: View) -> int:
        """Return the number of any legal move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of any legal move."""
        legal(board.struct, view, self._moves)
        moves = numbers_in(self._moves.claims.tolist(), ROUTE_BITS)
        moves += [len(board.routes) + place for place in numbers_in([self._moves.other], 63)]
        return moves[scaled(seeded(seed_for_choice(self._seed, view)), len(moves))]


class Simple:
    """Completes its tickets along the shortest open paths; the default of `northrail watch`."""

    def choose(self, view: View) -> Answer:
        """Return a move, or a claim with all its cards."""
        move, cards = choose(view.board, view)
        return move if move.route is None else (move.route, cards)


def choose(board: Board, view: View) -> tuple[Move, Cards]:
    """Return a simple player's move and, for a claim, the cards it pays with.

    It wants the shortest open paths for its tickets, collects the colours they need and claims as soon as it can pay.
    It uses the board and its view, nothing else. It names whole payments, so it is never asked for single cards.
    """
    options = view.options or {}
    if view.phase == "tickets":
        return max(view.moves, key=lambda move: _worth(board, view, move)), {}
    if view.phase == "tunnel":
        choices, colour = options["tunnel"]["payments"], options["tunnel"]["colour"]
        text = f"card {'locomotive' if 'locomotive' in choices[0] else colour}" if choices else "give up"
        return next(move for move in view.moves if move.text == text), {}
    routes, trains = board.routes, view.trains[view.me or 0]
    wanted, _ = _plan(board, view, [ticket for ticket in view.tickets if not ticket["joined"]])
    if not wanted:
        if trains > 14 and view.turns_left is None and options["draw_tickets"]:
            return next(move for move in view.moves if move.kind == "draw_tickets"), {}
        wanted = {route for route in _open_routes(board, view) if routes[route].points >= min(trains, 4)}
    payments = {int(route): _cheapest(price["payments"]) for route, price in options["claim"].items()}
    hurry = view.turns_left is not None or sum(view.hand.values()) > 20

    def rating(move: Move) -> tuple[int, int]:
        """Rate a move: claims first, if the price is fair; then the cards it needs."""
        if move.route is not None:
            good = hurry or (move.route in wanted and _is_fair(board, view, move.route, payments[move.route]))
            return (3 + (move.route in wanted) if good else 0), routes[move.route].points
        if move.kind == "take":
            return (2, -colours.index(move.colour)) if move.colour in colours else (0, 99)
        return (1 if move.kind == "blind" else 0), 0

    colours = list(_colours(board, view, wanted))
    best = max(view.moves, key=rating)
    return best, payments[best.route] if best.route is not None else {}


def _open_routes(board: Board, view: View) -> set[int]:
    """Return the routes this seat could still claim."""
    me = view.me or 0
    routes = numbers_in(view.struct.open[me].tolist(), ROUTE_BITS)
    return {route for route in routes if board.routes[route].length <= view.trains[me]}


def _cheapest(payments: list[Cards]) -> Cards:
    """Return the payment with the fewest cards; a locomotive counts as two."""
    return min(payments, key=lambda cards: sum(cards.values()) + cards.get("locomotive", 0))


def _is_fair(board: Board, view: View, number: int, cards: Cards) -> bool:
    """Return whether a payment wastes little and, on a tunnel, leaves a card for the extra cost."""
    route = board.routes[number]
    left = sum(view.hand.get(colour, 0) - cards.get(colour, 0) for colour in {*cards, "locomotive"})
    return sum(cards.values()) <= route.length + 1 and (left > 0 or not route.tunnel)


def _worth(board: Board, view: View, keep: Move) -> int:
    """Rate a set of tickets to keep: its points, less those out of reach, less the trains it needs."""
    kept = [ticket_json(board, number) for number in keep.tickets]
    routes, points = _plan(board, view, [*kept, *(ticket for ticket in view.tickets if not ticket["joined"])])
    return 5 * points - 6 * sum(board.routes[route].length for route in routes)


def _plan(board: Board, view: View, tickets: Iterable[dict[str, Any]]) -> tuple[set[int], int]:
    """Return the routes that complete the tickets, cheap ones first, as far as the trains go; and their points."""
    own = {int(route) for route, seat in view.owners.items() if seat == view.me}
    wanted: set[int] = set()
    trains = view.trains[view.me or 0]
    points = 0
    for ticket in sorted(tickets, key=lambda ticket: int(ticket["points"])):
        path = path_to_claim(board, view, own | wanted, *ticket["cities"])
        length = sum(board.routes[route].length for route in path or ())
        if path is not None and length <= trains:
            points += ticket["points"]
            wanted |= path
            trains -= length
        else:
            points -= ticket["points"]
    return wanted, points


def path_to_claim(board: Board, view: View, free: set[int], start: str, end: str) -> set[int] | None:
    """Return the routes to add to the ``free`` ones for the shortest path between two cities; None if there is none."""
    open_routes = _open_routes(board, view)

    def cost(route: int) -> int | None:
        """Count trains first, then claims, because each claim takes a turn."""
        if route in free:
            return 0
        return 100 * board.routes[route].length + 1 if route in open_routes else None

    path = shortest_path(board, cost, start, end)
    return {route for route in path.routes if route not in free} if path is not None else None


def _colours(board: Board, view: View, wanted: set[int]) -> Iterator[str]:
    """Yield the colours to collect for the wanted routes, starting with the route that lacks the fewest cards."""
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
