"""Positions for tests: a test says what matters, and we place all other cards and tickets."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import northrail
from northrail import Board, Event, Game

Cards = dict[str, int]

NORDIC = northrail.load_board("nordic-countries")
LIGHTS = northrail.load_board("northern-lights")
TABLES = [(NORDIC, 2), (NORDIC, 3), *((LIGHTS, seats) for seats in range(2, 6))]
COLOURS = ("purple", "blue", "orange", "white", "green", "yellow", "black", "red")
LOCOMOTIVE = "locomotive"
QUIET_BONUSES = ["Call of the wild", "Capital investment", "Cost efficiency", "Small steps strategist"]


def all_cards(board: Board) -> Counter[str]:
    """Return every train card of the game."""
    rules = board.rules
    return Counter(dict.fromkeys(COLOURS, rules.each_colour) | {LOCOMOTIVE: rules.locomotives})


def situation(
    board: Board,
    hand: Cards | None = None,
    *,
    seats: int = 2,
    seat: int = 0,
    others: Mapping[int, Cards] | None = None,
    face_up: Cards | None = None,
    deck: Cards | None = None,
    discard: Cards | None = None,
    owners: Mapping[int, int] | None = None,
    tickets: Mapping[int, list[str]] | None = None,
    ticket_deck: list[str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return a position in which ``seat`` begins a turn and holds ``hand``.

    Without ``deck`` the remaining cards are the deck. With it, the last of the other seats holds the remaining cards.
    Without ``face_up`` the row is five different colours. Tickets are written "Oslo–Helsinki". With ``ticket_deck``,
    tickets that are not named are out of the game.
    """
    hands: list[Cards] = [dict((others or {}).get(at, {})) for at in range(seats)]
    hands[seat] = dict(hand or {})
    rest = all_cards(board)
    for pile in (*hands, deck or {}, discard or {}, face_up or {}, fields.get("laid", {}), fields.get("revealed", {})):
        rest.subtract(pile)
    if face_up is None:
        face_up = dict.fromkeys(sorted(COLOURS, key=lambda colour: -rest[colour])[: board.rules.face_up], 1)
        rest.subtract(face_up)
    hoarder = max(at for at in range(seats) if at != seat)
    if deck is not None:
        hands[hoarder] = {colour: hands[hoarder].get(colour, 0) + rest[colour] for colour in rest}
    if ticket_deck is not None:
        fields["ticket_deck"] = [name.split("–") for name in ticket_deck]
    if board.rules.bonus_cards_in_play == len(QUIET_BONUSES):
        fields.setdefault("bonus_cards", QUIET_BONUSES)
    position = {
        "seats": seats,
        "seat": seat,
        "phase": "turn",
        "hands": hands,
        "face_up": face_up,
        "discard": discard or {},
        "owners": {str(route): owner for route, owner in (owners or {}).items()},
        "tickets": [[name.split("–") for name in (tickets or {}).get(at, [])] for at in range(seats)],
    }
    if deck is not None:
        position["deck"] = deck
    return position | fields


def at(board: Board, hand: Cards | None = None, **rest: Any) -> Game:
    """Return the game at a `situation`."""
    return Game.from_position(board, situation(board, hand, **rest))


def named(board: Board, name: str) -> int:
    """Return the first route whose name starts with this text: "Bergen–Oslo red" or "Bergen–Oslo"."""
    return next(number for number, route in enumerate(board.routes) if str(route).startswith(name))


def using(board: Board, trains: int, seat: int = 0, clear: Iterable[int] = ()) -> dict[int, int]:
    """Return routes for one seat that use exactly this many trains, none of them parallel to a route in ``clear``."""
    taken = {frozenset(board.routes[route].cities) for route in clear}
    owners: dict[int, int] = {}
    for number, route in sorted(enumerate(board.routes), key=lambda pair: -pair[1].length):
        if route.length <= trains and frozenset(route.cities) not in taken:
            owners[number] = seat
            taken.add(frozenset(route.cities))
            trains -= route.length
    assert trains == 0
    return owners


def texts(game: Game) -> list[str]:
    """Return the legal moves as texts."""
    return [str(move) for move in game.moves()]


def kinds(game: Game) -> set[str]:
    """Return the kinds of the legal moves."""
    return {move.kind for move in game.moves()}


def claims(game: Game) -> set[int]:
    """Return the routes that can be claimed now."""
    return {move.route for move in game.moves() if move.route is not None}


def event_codes(events: Iterable[Event]) -> list[str]:
    """Return the codes of events, in order."""
    return [event.code for event in events]


def hand_of(game: Game, seat: int = 0) -> Cards:
    """Return the cards of a seat."""
    hand: Cards = game.position()["hands"][seat]
    return hand


def put_aside(game: Game) -> None:
    """Draw two cards from the deck: a turn that changes nothing on the board."""
    game.play("take blind")
    game.play("take blind")


SMALL = """
id = "small"
name = "Small"
cities = [
  { name = "A", country = "X", longitude = 0, latitude = 0 },
  { name = "B", country = "X", longitude = 1.5, latitude = 0, also = ["Bee"] },
  { name = "C", country = "Y", longitude = 0, latitude = 1, arctic = true },
  { name = "D", country = "Y", longitude = 1, latitude = 1 },
]
routes = [
  { cities = ["A", "B"], length = 2, colour = "red" },
  { cities = ["B", "C"], length = 1, colour = "gray", locomotives = 1, draw_bonus = 4 },
  { cities = ["A", "C"], length = 2, colour = "blue", tunnel = true },
  { cities = ["C", "D"], length = 2, colour = "gray" },
]
tickets = [
  { cities = ["A", "B"], points = 2 },
  { cities = ["B", "C"], points = 1 },
  { cities = ["A", "C"], points = 3 },
  { cities = ["A", "D"], points = 4 },
]
bonus_cards = [{ name = "Walker", points = 3, most = "longest path" }]

[rules]
seats = { least = 2, most = 2 }
trains = 6
cards = { each_colour = 2, locomotives = 2, hand = 1, face_up = 2 }
first_tickets = { deal = 2, keep = 1 }
drawn_tickets = { deal = 1, keep = 1 }
ferry_substitute = { cards = 2, alike = true, any_space = false }
route_points = { 1 = 1, 2 = 2 }
double_routes = { 2 = 1 }
triple_routes = { 2 = 1 }
bonus_cards_in_play = 1
tie_break = ["completed tickets"]
"""


def small_board(folder: Path, text: str = SMALL) -> Board:
    """Write a small board to a file, and load it."""
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    return northrail.load_board(path)
