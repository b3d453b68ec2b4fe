"""The fields of a board file: types, defaults, limits and meanings. The checks and the JSON Schema read this table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from northrail.boards.board import (
    BONUSES,
    CITIES,
    COLOURS,
    COUNTED,
    LENGTH,
    LOCOMOTIVE,
    MOST_CARDS,
    MOST_OFFERED,
    MOST_TRAINS,
    ROUTES,
    SEATS,
    SIDES,
    TICKETS,
    TIE_BREAKS,
)

REQUIRED: Any = object()  # the default of a field that a file must give
LETTERS = 60  # most letters in a name
FAR = 1e5  # limit of coordinates, and of how far anything is drawn from its place


@dataclass(frozen=True)
class Field:
    """A field of a table. As ``items``: an item of a list, or a value of a table with numbers as keys."""

    type: type
    about: str  # what editors show
    default: Any = REQUIRED
    least: float | str | None = None  # limit of a number, or of a list's length; or the field that holds the limit
    most: float | str | None = None
    choices: tuple[str, ...] = ()
    kind: str = ""  # of a table: its fields are FIELDS[kind]
    items: "Field | None" = None
    shape: str = ""  # of a list: what messages say it should be
    keys: tuple[str, int] | None = None  # of a table with numbers as keys: what they count, and the highest

    def allows(self, value: Any) -> bool:
        """Return whether a number is within the limits, if there are any."""
        least, most = self.least, self.most
        return (least is None or value >= least) and (most is None or value <= most)


def _tables(kind: str, least: int, most: int, about: str, default: Any = REQUIRED) -> Field:
    return Field(list, about, default, least, most, items=Field(dict, about, kind=kind))


def _two_cities(about: str) -> Field:
    return Field(list, about, least=2, most=2, items=Field(str, "a city"), shape="two names")


def _usable(most: int, word: str) -> Field:
    about = f"How many of {word} parallel routes players may claim, by number of seats"
    return Field(dict, about, keys=("seats", SEATS), items=Field(int, "routes", least=1, most=most))


_SUBSTITUTE = "Cards that may replace one card"
FIELDS: dict[str, dict[str, Field]] = {
    "board": {
        "id": Field(str, "Letters, digits and dashes. Game records name the board by it."),
        "name": Field(str, "The name people see"),
        "cities": _tables("city", 2, CITIES, "The cities"),
        "routes": _tables("route", 1, ROUTES, "The routes between cities"),
        "tickets": _tables("ticket", 1, TICKETS, "The tickets: at least as many as a full table is dealt"),
        "bonus_cards": _tables("bonus card", 0, BONUSES, "The bonus cards", []),
        "rules": Field(dict, "How the game is played", kind="rules"),
    },
    "city": {
        "name": Field(str, f"Up to {LETTERS} letters, no comma. Names must differ even without accents."),
        "country": Field(str, "A word that groups cities. Bonus cards can count by it.", ""),
        "longitude": Field(float, "Degrees east, with latitude; negative is west", None, -180.0, 180.0),
        "latitude": Field(float, "Degrees north, with longitude; negative is south", None, -85.0, 85.0),
        "x": Field(float, "To the right, with y, instead of longitude and latitude", None, -FAR, FAR),
        "y": Field(float, "Downwards, with x, instead of longitude and latitude", None, -FAR, FAR),
        "also": Field(list, "Other names people may type", [], items=Field(str, "a name"), shape="a list of names"),
        "arctic": Field(bool, "A mark that bonus cards can count by", False),
        "printed": Field(bool, "false: the name is not on the original board, and is drawn in italics", True),
        "nudge": Field(
            list,
            "How far to move the city on the drawing: right, then down",
            [0.0, 0.0],
            2,
            2,
            items=Field(float, "a distance", least=-FAR, most=FAR),
            shape="two numbers, right and down",
        ),
        "label": Field(str, "The side its name is drawn on; by default the drawing finds one", "", choices=SIDES),
    },
    "route": {
        "cities": _two_cities("The two cities it joins"),
        "length": Field(int, "Its spaces", least=1, most=LENGTH),
        "colour": Field(str, "gray means any one colour", choices=("gray", *COLOURS[:LOCOMOTIVE])),
        "locomotives": Field(int, "Spaces that need a locomotive; these make a ferry", 0, 0, "length"),
        "tunnel": Field(bool, "A tunnel; not with locomotives or substitute", False),
        "draw_bonus": Field(int, "Cards you draw when you claim it", 0, 0, 12),
        "substitute": Field(dict, f"{_SUBSTITUTE} here; ferries default to ferry_substitute", None, kind="substitute"),
        "bend": Field(float, "How far left of the straight line its middle is drawn", 0.0, -FAR, FAR),
    },
    "substitute": {
        "cards": Field(int, "How many cards replace one", least=2, most=4),
        "alike": Field(bool, "Whether these cards must be of one colour"),
        "any_space": Field(bool, "true: they replace any card; false: only locomotives"),
    },
    "ticket": {
        "cities": _two_cities("The two cities to connect"),
        "points": Field(int, "What it is worth; usually the spaces of the shortest path", least=0, most=100),
    },
    "bonus card": {
        "name": Field(str, "Its name; no two bonus cards share one"),
        "points": Field(int, "What it is worth", least=0, most=100),
        "most": Field(str, "The player with the most of these gets the points", choices=COUNTED),
        "ends": Field(
            object, "Count only tickets or routes that end in this country, in 'arctic' or in these cities", []
        ),
        "length": Field(int, "Count only routes of this length; 0 means any", 0, 0, LENGTH),
        "ferry": Field(bool, "Count only ferries", False),
        "worth_at_most": Field(int, "Count only tickets worth at most this; 0 means any", 0, 0, 100),
    },
    "rules": {
        "seats": Field(dict, "How many can play", kind="seats"),
        "trains": Field(int, "Trains of each seat", least=1, most=MOST_TRAINS),
        "last_round_at": Field(int, "The last round begins when a seat has this many trains or fewer", 2, 0, "trains"),
        "cards": Field(dict, "The train cards", kind="cards"),
        "face_up_locomotive": Field(
            str, "How to take one", "an ordinary card", choices=("an ordinary card", "first card only")
        ),
        "first_tickets": Field(dict, "Tickets dealt at the start", kind="deal of tickets"),
        "drawn_tickets": Field(dict, "Tickets drawn in a turn", kind="deal of tickets"),
        "returned_tickets": Field(
            str, "Where they go", "leave the game", choices=("leave the game", "go under the deck")
        ),
        "locomotives_pay_for": Field(
            str, "Where they replace any card", "ferries and tunnels", choices=("ferries and tunnels", "every route")
        ),
        "ferry_substitute": Field(dict, f"{_SUBSTITUTE} on all ferries", None, kind="substitute"),
        "tunnel_cards": Field(int, "Cards turned over for a tunnel", 3, 1, 6),
        "route_points": Field(
            dict, "Points by length", keys=("lengths", LENGTH), items=Field(int, "points", least=0, most=100)
        ),
        "double_routes": _usable(2, "two"),
        "triple_routes": _usable(3, "three"),
        "bonus_cards_in_play": Field(int, "How many bonus cards to draw for each game", 0, 0),
        "tie_break": Field(
            list,
            "What breaks a tie, in this order",
            [],
            0,
            2,
            items=Field(str, "what breaks a tie", choices=TIE_BREAKS),
            shape="a list of at most 2",
        ),
        "flush_row_at": Field(int, "This many face-up locomotives sweep the row away; 0 means never", 0, 0),
    },
    "seats": {
        "least": Field(int, "The fewest seats", least=2, most=SEATS),
        "most": Field(int, "The most seats", least="least", most=SEATS),
    },
    "cards": {
        "each_colour": Field(int, "Cards of each colour", least=0, most=MOST_CARDS),
        "locomotives": Field(int, "Locomotives", least=0, most=MOST_CARDS),
        "hand": Field(int, "Cards dealt to each seat", least=0, most=12),
        "face_up": Field(int, "Face-up cards", least=0, most=10),
    },
    "deal of tickets": {
        "deal": Field(int, "How many you get", least=1, most=MOST_OFFERED),
        "keep": Field(int, "How many you must keep at least", least=1, most="deal"),
    },
}


def limit(
    fields: Mapping[str, Field], field: Field, side: str, values: Mapping[str, Any] | None = None
) -> float | None:
    """Return the ``least`` or ``most`` of a field, given what the fields before it hold, if that is known."""
    bound: float | str | None = getattr(field, side)
    if not isinstance(bound, str):
        return bound
    given: float | None = (values or {}).get(bound)
    return limit(fields, fields[bound], side) if given is None else given
