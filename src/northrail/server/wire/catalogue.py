"""What never changes while the server runs: boards and how to draw them, themes, bot levels."""

import hashlib
from dataclasses import asdict
from functools import lru_cache
from typing import Literal

from pydantic import Field

from northrail.boards.board import Board as EngineBoard
from northrail.drawing.fragments import Drawing, drawing_of
from northrail.drawing.markup import symbols
from northrail.drawing.themes import THEMES, Theme
from northrail.drawing.thumbnail import thumbnail
from northrail.engine.paths import shortest_path
from northrail.engine.view import price_of
from northrail.lessons import Lesson as EngineLesson
from northrail.server.match import Json
from northrail.server.wire.types import Cards, Colour, Message, packed
from northrail.server.wire.view import Ticket

USUAL_LEVEL = "medium"  # the default level of bots, also of those that play for a person
# Bots at the levels for people are animals. The page has a face and a sentence for each.
ANIMALS = {
    "beginner": ("Puffin", "Seal"),
    "easy": ("Hare", "Squirrel"),
    "medium": ("Reindeer", "Otter"),
    "hard": ("Lynx", "Fox"),
    "expert": ("Owl", "Bear"),
}

# --- messages ---------------------------------------------------------------------------------------------------------


Special = Literal["ferries", "tunnels", "draw_bonuses", "bonus_cards"]


class BoardSummary(Message):
    """A board in the list of boards."""

    id: str
    name: str
    digest: str
    least_seats: int
    most_seats: int
    special: list[Special] = Field(description="What a route or a card can be on this board, besides the usual.")
    href: str = Field(
        description="URL of the whole board. It changes with the board, so clients can cache it for good."
    )
    pictures: dict[str, str] = Field(description="URLs of a small picture, by theme. They change like `href`.")


class City(Message):
    """A city on the board."""

    name: str
    country: str
    arctic: bool
    printed: bool


class Substitute(Message):
    """Cards that can replace another card."""

    cards: int = Field(description="How many cards replace one card.")
    alike: bool = Field(description="Whether they must have the same colour.")
    any_space: bool = Field(description="Whether they can replace any card, or only a locomotive on its symbol.")


class Price(Message):
    """What a route costs."""

    spaces: int
    locomotives: int = Field(description="Spaces with a locomotive symbol.")
    colour: str = Field(description="A card colour, or gray for any single colour.")
    locomotives_wild: bool = Field(description="Whether a locomotive can replace any card.")
    substitute: Substitute | None


class Route(Message):
    """A route. Its number is its index in the board's list."""

    cities: tuple[str, str]
    twin: int = Field(description="1, 2, … for routes that are otherwise the same; 0 for all others.")
    length: int
    colour: str = Field(description="A card colour, or gray for any single colour.")
    locomotives: int = Field(description="Spaces with a locomotive symbol; only ferries have them.")
    ferry: bool
    tunnel: bool
    draw_bonus: int = Field(description="Extra cards to draw after claiming: X on a route marked +X, else 0.")
    points: int
    price: Price


class BonusCard(Message):
    """A bonus card: points for the seat with the most of something."""

    name: str
    points: int
    most: str = Field(description="What it counts: routes, completed tickets, the longest path and so on.")
    length: int | None = Field(description="Count only routes of this length.")
    ferry: bool = Field(description="Count only ferries.")
    worth_at_most: int | None = Field(description="Count only tickets worth at most this many points.")
    ends: list[str] = Field(description="Count only what ends in one of these cities; empty for no restriction.")


class Rules(Message):
    """The numbers in the rules, for a page that explains them."""

    least_seats: int
    most_seats: int
    trains: int
    last_round_at: int
    cards_of_each_colour: int
    locomotives: int
    hand: int
    face_up: int
    face_up_locomotive_alone: bool
    flush_row_at: int
    first_tickets: tuple[int, int] = Field(description="How many are dealt, and how many must be kept.")
    drawn_tickets: tuple[int, int] = Field(description="How many are drawn, and how many must be kept.")
    returned_go_under: bool
    double_routes: dict[str, int] = Field(description="Players -> how many of two parallel routes can be claimed.")
    triple_routes: dict[str, int] = Field(description="Players -> how many of three parallel routes can be claimed.")
    tunnel_cards: int
    bonus_cards_in_play: int
    tie_break: list[str]
    points: dict[str, int] = Field(description="Length of a route -> points.")


class Example(Message):
    """An example for a page that explains the rules: a ticket with a short path, and a plain route on it."""

    ticket: int
    path: list[int]
    route: int


class Board(Message):
    """A whole board: its content, and how to draw it."""

    id: str
    name: str
    digest: str
    cities: list[City]
    routes: list[Route]
    tickets: list[Ticket]
    bonus_cards: list[BonusCard]
    rules: Rules
    example: Example | None
    drawing: Drawing


class Themes(Message):
    """The colours of both themes, and an SVG symbol for each card colour and each seat, to be put into <defs>.

    Each symbol is about 8 units wide and centred on 0, 0. Its id is "sign-" and the colour, or "shape-" and the seat.
    """

    themes: dict[str, Theme]
    symbols: str


class LessonShow(Message):
    """What a step of a lesson points at."""

    routes: list[int]
    cities: list[str]
    cards: list[Colour] = Field(description="Colours of face-up cards.")
    tickets: list[int] = Field(description="Numbers of tickets on offer.")
    parts: list[Literal["deck", "ticket deck", "hand", "tickets", "players"]]


class LessonChoice(Message):
    """A choice that a step accepts. Only the fields of its kind are there."""

    kind: str
    colour: Colour | None = None
    route: int | None = None
    cards: Cards | None = Field(None, description="Exactly these cards; null for any payment.")
    tickets: list[int] | None = None


class LessonStep(Message):
    """A step of a lesson."""

    version: int = Field(description="The version of the table at which it comes.")
    who: Literal["you", "rival", "nobody"] = Field(description="Who moves; at nobody, there is just something to read.")
    say: str
    otherwise: str = Field(description="The answer to any other move; empty for none in particular.")
    choices: list[LessonChoice] = Field(description="The choices of yours that it accepts; empty for a rival's.")
    show: LessonShow


class Lesson(Message):
    """A lesson: short texts for a linear series of moves at a table of its own."""

    id: str = Field(description="Start it with `POST /api/lessons/{id}`. Its table has the same `lesson`.")
    board: str
    title: str
    teaches: str
    steps: list[LessonStep]


class Bot(Message):
    """A level at which bots can play."""

    level: str
    usual: bool = Field(description="Whether this is the default level.")
    animals: list[str] = Field(description="Names of bots at this level; empty for bots for study.")


# --- building them ----------------------------------------------------------------------------------------------------


def bot_json(level: str) -> Json:
    """Return a level at which bots can play."""
    return {"level": level, "usual": level == USUAL_LEVEL, "animals": list(ANIMALS.get(level, ()))}


def board_json(board: EngineBoard) -> Json:
    """Return a whole board."""
    return {
        "id": board.id,
        "name": board.name,
        "digest": board.digest,
        "cities": [
            {"name": city.name, "country": city.country, "arctic": city.arctic, "printed": city.printed}
            for city in board.cities
        ],
        "routes": [
            {
                "cities": list(route.cities),
                "twin": route.twin,
                "length": route.length,
                "colour": route.colour,
                "locomotives": route.locomotives,
                "ferry": route.ferry,
                "tunnel": route.tunnel,
                "draw_bonus": route.draw_bonus,
                "points": route.points,
                "price": price_of(route),
            }
            for route in board.routes
        ],
        "tickets": [
            {"number": number, "cities": list(ticket.cities), "points": ticket.points}
            for number, ticket in enumerate(board.tickets)
        ],
        "bonus_cards": [
            {
                "name": card.name,
                "points": card.points,
                "most": card.most,
                "length": card.length or None,
                "ferry": card.ferry,
                "worth_at_most": card.worth_at_most or None,
                "ends": list(card.ends),
            }
            for card in board.bonus_cards
        ],
        "rules": _rules_json(board),
        "example": _example(board),
        "drawing": asdict(drawing_of(board)),
    }


def _example(board: EngineBoard) -> Json | None:
    """Return the ticket with the plainest short path; None if no ticket has a path with a plain route to show."""

    def is_plain(number: int) -> bool:
        route = board.routes[number]
        return not (route.ferry or route.tunnel or route.draw_bonus or route.colour == "gray")

    found: list[tuple[int, int, int, Json]] = []
    for number, ticket in enumerate(board.tickets):
        path = shortest_path(board, lambda route: board.routes[route].length, *ticket.cities)
        routes = path.routes if path is not None else ()
        shown = next((route for route in routes if is_plain(route) and board.routes[route].length > 1), None)
        if shown is not None and len(routes) > 1:
            odd = sum(not is_plain(route) for route in routes)
            found.append((odd, len(routes), number, {"ticket": number, "path": list(routes), "route": shown}))
    return min(found)[3] if found else None


def _rules_json(board: EngineBoard) -> Json:
    rules = board.rules
    players = range(rules.seats[0], rules.seats[1] + 1)
    return {
        "least_seats": rules.seats[0],
        "most_seats": rules.seats[1],
        "trains": rules.trains,
        "last_round_at": rules.last_round_at,
        "cards_of_each_colour": rules.each_colour,
        "locomotives": rules.locomotives,
        "hand": rules.hand,
        "face_up": rules.face_up,
        "face_up_locomotive_alone": rules.face_up_locomotive_alone,
        "flush_row_at": rules.flush_row_at,
        "first_tickets": list(rules.first_tickets),
        "drawn_tickets": list(rules.drawn_tickets),
        "returned_go_under": rules.returned_go_under,
        "double_routes": {str(seats): rules.double_routes[seats] for seats in players},
        "triple_routes": {str(seats): rules.triple_routes[seats] for seats in players},
        "tunnel_cards": rules.tunnel_cards,
        "bonus_cards_in_play": rules.bonus_cards_in_play,
        "tie_break": list(rules.tie_break),
        "points": {str(route.length): route.points for route in sorted(board.routes, key=lambda route: route.length)},
    }


@lru_cache(maxsize=64)
def board_bytes(board: EngineBoard) -> tuple[bytes, str]:
    """Return a whole board as bytes, and a short digest of them. It covers the drawing, unlike the board's digest."""
    body = packed(board_json(board))
    return body, hashlib.sha256(body).hexdigest()[:12]


def board_summary(board: EngineBoard) -> Json:
    """Return a board for the list of boards."""
    least, most = board.rules.seats
    return {
        "id": board.id,
        "name": board.name,
        "digest": board.digest,
        "least_seats": least,
        "most_seats": most,
        "special": _special(board),
        "href": f"/api/boards/{board.id}?v={board_bytes(board)[1]}",
        "pictures": {
            theme: f"/api/boards/{board.id}/picture?theme={theme}&v={picture_bytes(board, theme)[1]}"
            for theme in THEMES
        },
    }


def lesson_json(lesson: EngineLesson) -> Json:
    """Return a lesson as its player may know it: without the position and the rivals' moves."""
    return {
        "id": lesson.id,
        "board": lesson.board,
        "title": lesson.title,
        "teaches": lesson.teaches,
        "steps": [
            {**asdict(step), "choices": list(step.choices) if step.who == "you" else []} for step in lesson.steps
        ],
    }


def _special(board: EngineBoard) -> list[Special]:
    """Return what is special about a board. Every board has a bonus, so only a choice of several is special."""
    found: dict[Special, bool] = {
        "ferries": any(route.ferry for route in board.routes),
        "tunnels": any(route.tunnel for route in board.routes),
        "draw_bonuses": any(route.draw_bonus for route in board.routes),
        "bonus_cards": board.rules.bonus_cards_in_play > 1,
    }
    return [name for name, is_so in found.items() if is_so]


@lru_cache(maxsize=128)
def picture_bytes(board: EngineBoard, theme: str) -> tuple[bytes, str]:
    """Return a small picture of a board as bytes, and a short digest of them."""
    body = thumbnail(board, theme).encode()
    return body, hashlib.sha256(body).hexdigest()[:12]


@lru_cache(maxsize=1)
def themes_bytes() -> tuple[bytes, str]:
    """Return colours and symbols as bytes, and a short digest of them."""
    body = packed({"themes": {name: asdict(theme) for name, theme in THEMES.items()}, "symbols": symbols()})
    return body, hashlib.sha256(body).hexdigest()[:12]
