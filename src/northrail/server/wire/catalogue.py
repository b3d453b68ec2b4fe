"""What is printed, for clients: boards and how they are drawn, colours and signs, the levels of bots."""

import hashlib
from dataclasses import asdict
from functools import lru_cache

from pydantic import Field

from northrail.boards.board import Board as Printed
from northrail.drawing.fragments import Drawing, drawing_of
from northrail.drawing.markup import symbols
from northrail.drawing.themes import THEMES, Theme
from northrail.engine.view import price_of
from northrail.server.match import Json
from northrail.server.wire.types import Message, packed
from northrail.server.wire.view import Ticket

USUAL_LEVEL = "medium"  # to propose, and of a bot that stands in

# --- messages ---------------------------------------------------------------------------------------------------------


class BoardSummary(Message):
    """A board one can play."""

    id: str
    name: str
    digest: str
    least_seats: int
    most_seats: int
    href: str = Field(description="Where the whole board is; the address changes with the board, so it can be kept.")


class City(Message):
    """A city on the board."""

    name: str
    country: str
    arctic: bool
    printed: bool


class Substitute(Message):
    """Cards that replace another."""

    cards: int = Field(description="How many cards replace one.")
    alike: bool = Field(description="Whether they must be of one colour.")
    any_space: bool = Field(description="Whether they replace any card, or only a locomotive symbol.")


class Price(Message):
    """What a payment for a route must satisfy."""

    spaces: int
    locomotives: int = Field(description="Locomotive symbols.")
    colour: str = Field(description="A card colour, or gray for any one colour.")
    locomotives_wild: bool = Field(description="Whether a locomotive can replace any card.")
    substitute: Substitute | None


class Route(Message):
    """A route; its number is its place in the board's list."""

    cities: tuple[str, str]
    twin: int = Field(description="1, 2, … among routes that are otherwise the same; 0 if there is no other.")
    length: int
    colour: str = Field(description="A card colour, or gray for any one colour.")
    locomotives: int = Field(description="Locomotive symbols; a ferry has some.")
    ferry: bool
    tunnel: bool
    draw_bonus: int = Field(description="The X of +X, 0 for none.")
    points: int
    price: Price


class BonusCard(Message):
    """A bonus card."""

    name: str
    points: int
    most: str = Field(description="What it counts: routes, completed tickets, longest path …")
    length: int | None = Field(description="Only routes of this length.")
    ferry: bool = Field(description="Only ferries.")
    worth_at_most: int | None = Field(description="Only tickets worth at most this.")
    ends: list[str] = Field(description="Only what ends in one of these cities; empty for all.")


class Rules(Message):
    """The numbers of the rules, for the page that explains them."""

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
    first_tickets: tuple[int, int] = Field(description="Dealt, and kept at least.")
    drawn_tickets: tuple[int, int] = Field(description="Drawn, and kept at least.")
    returned_go_under: bool
    tunnel_cards: int
    bonus_cards_in_play: int
    tie_break: list[str]
    points: dict[str, int] = Field(description="Length of a route -> points.")


class Board(Message):
    """A whole board: what is printed, and how it is drawn."""

    id: str
    name: str
    digest: str
    cities: list[City]
    routes: list[Route]
    tickets: list[Ticket]
    bonus_cards: list[BonusCard]
    rules: Rules
    drawing: Drawing


class Themes(Message):
    """The colours of both themes; and the signs of card colours and shapes of seats as SVG, for <defs>.

    Each symbol is about 8 units wide around 0, 0. Their ids are "sign-red" and the like, and "shape-0" to "shape-4".
    """

    themes: dict[str, Theme]
    symbols: str


class Bot(Message):
    """A level bots play at."""

    level: str
    usual: bool = Field(description="The level to propose.")


# --- making them ------------------------------------------------------------------------------------------------------


def board_json(board: Printed) -> Json:
    """A whole board."""
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
        "drawing": asdict(drawing_of(board)),
    }


def _rules_json(board: Printed) -> Json:
    rules = board.rules
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
        "tunnel_cards": rules.tunnel_cards,
        "bonus_cards_in_play": rules.bonus_cards_in_play,
        "tie_break": list(rules.tie_break),
        "points": {str(route.length): route.points for route in sorted(board.routes, key=lambda route: route.length)},
    }


@lru_cache(maxsize=64)
def board_bytes(board: Printed) -> tuple[bytes, str]:
    """A whole board as bytes, and a short name for exactly these: the drawing counts too."""
    body = packed(board_json(board))
    return body, hashlib.sha256(body).hexdigest()[:12]


def board_summary(board: Printed) -> Json:
    """A board in a list."""
    least, most = board.rules.seats
    return {
        "id": board.id,
        "name": board.name,
        "digest": board.digest,
        "least_seats": least,
        "most_seats": most,
        "href": f"/api/boards/{board.id}?v={board_bytes(board)[1]}",
    }


@lru_cache(maxsize=1)
def themes_bytes() -> tuple[bytes, str]:
    """Colours and symbols as bytes, and a short name for exactly these."""
    body = packed({"themes": {name: asdict(theme) for name, theme in THEMES.items()}, "symbols": symbols()})
    return body, hashlib.sha256(body).hexdigest()[:12]
