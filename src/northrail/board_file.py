"""Reading and checking a board file: all that is wrong with it is found in one run."""

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from northrail.board import (
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
    Board,
    BonusCard,
    City,
    Route,
    Rules,
    Substitute,
    Ticket,
    compile_board,
    plain,
)
from northrail.errors import BadBoard

BUILT_IN = ("nordic-countries", "northern-lights")


def load_board(source: str | Path) -> Board:
    """The board named ``source``, or the one in the TOML file at that path.

    >>> board = load_board("northern-lights")
    >>> len(board.cities), len(board.routes), len(board.tickets)
    (50, 161, 55)
    """
    if source in BUILT_IN:
        content = resources.files("northrail").joinpath("boards", f"{source}.toml").read_bytes()
    else:
        path = Path(source)
        if path.suffix != ".toml" or not path.is_file():
            raise BadBoard(f"expected {', '.join(BUILT_IN)} or a path to a .toml file, got {str(source)!r}")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadBoard(f"{source}: expected a file that can be read, got {error.strerror}") from error
    try:
        data = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise BadBoard(f"{source}: expected text in UTF-8, got {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadBoard(f"{source}: not TOML: {error}") from error
    return build_board(data, str(source))


# --- reading --------------------------------------------------------------------------------------------------------

REQUIRED = object()
_PAIR: dict[str, tuple[type, Any]] = {"deal": (int, REQUIRED), "keep": (int, REQUIRED)}
_FIELDS: dict[str, dict[str, tuple[type, Any]]] = {
    "board": {
        "id": (str, REQUIRED),
        "name": (str, REQUIRED),
        "cities": (list, REQUIRED),
        "routes": (list, REQUIRED),
        "tickets": (list, REQUIRED),
        "bonus_cards": (list, []),
        "rules": (dict, REQUIRED),
    },
    "city": {
        "name": (str, REQUIRED),
        "country": (str, ""),
        "longitude": (float, None),
        "latitude": (float, None),
        "x": (float, None),
        "y": (float, None),
        "also": (list, []),
        "arctic": (bool, False),
        "printed": (bool, True),
        "nudge": (list, [0.0, 0.0]),
        "label": (str, ""),
    },
    "route": {
        "cities": (list, REQUIRED),
        "length": (int, REQUIRED),
        "colour": (str, REQUIRED),
        "locomotives": (int, 0),
        "tunnel": (bool, False),
        "draw_bonus": (int, 0),
        "substitute": (dict, None),
        "bend": (float, 0.0),
    },
    "substitute": {"cards": (int, REQUIRED), "alike": (bool, REQUIRED), "any_space": (bool, REQUIRED)},
    "ticket": {"cities": (list, REQUIRED), "points": (int, REQUIRED)},
    "bonus card": {
        "name": (str, REQUIRED),
        "points": (int, REQUIRED),
        "most": (str, REQUIRED),
        "ends": (object, []),
        "length": (int, 0),
        "ferry": (bool, False),
        "worth_at_most": (int, 0),
    },
    "rules": {
        "seats": (dict, REQUIRED),
        "trains": (int, REQUIRED),
        "last_round_at": (int, 2),
        "cards": (dict, REQUIRED),
        "face_up_locomotive": (str, "an ordinary card"),
        "first_tickets": (dict, REQUIRED),
        "drawn_tickets": (dict, REQUIRED),
        "returned_tickets": (str, "leave the game"),
        "locomotives_pay_for": (str, "ferries and tunnels"),
        "ferry_substitute": (dict, None),
        "tunnel_cards": (int, 3),
        "route_points": (dict, REQUIRED),
        "double_routes": (dict, REQUIRED),
        "triple_routes": (dict, REQUIRED),
        "bonus_cards_in_play": (int, 0),
        "tie_break": (list, []),
        "flush_row_at": (int, 0),
    },
    "rules.seats": {"least": (int, REQUIRED), "most": (int, REQUIRED)},
    "rules.cards": {
        "each_colour": (int, REQUIRED),
        "locomotives": (int, REQUIRED),
        "hand": (int, REQUIRED),
        "face_up": (int, REQUIRED),
    },
    "rules.first_tickets": _PAIR,
    "rules.drawn_tickets": _PAIR,
}
_CHOICES = {
    "face_up_locomotive": ("an ordinary card", "first card only"),
    "returned_tickets": ("leave the game", "go under the deck"),
    "locomotives_pay_for": ("ferries and tunnels", "every route"),
}


class _Faults(list[str]):
    """Everything found wrong; a reader goes on with a stand-in so that one run finds all."""

    def check(self, good: bool, sentence: str) -> bool:
        """Note ``sentence`` unless ``good``."""
        if not good:
            self.append(sentence)
        return good

    def read(self, table: Any, kind: str, where: str) -> dict[str, Any]:
        """The fields of one table, with defaults; notes what is missing, of a wrong type or unknown."""
        fields = _FIELDS[kind]
        if not self.check(isinstance(table, dict), f"{where}: expected a table, got {table!r}"):
            table = {}
        for name in table:
            self.check(name in fields, f"{where}: unknown field {name!r}; expected {', '.join(fields)}")
        values = {}
        for name, (type_, default) in fields.items():
            value = table.get(name, default)
            if type_ is float and type(value) is int:
                value = float(value)
            if value is REQUIRED:
                self.append(f"{where}: {name} is missing")
            elif value is not default and type_ is not object and type(value) is not type_:
                self.append(f"{where}: {name} should be {_TYPE_NAMES[type_]}, got {value!r}")
                value = REQUIRED
            values[name] = _STAND_INS[type_]() if value is REQUIRED else value
        return values

    def within(self, value: int, least: int, most: int, where: str) -> None:
        """Note a number out of its range."""
        self.check(least <= value <= most, f"{where} should be {least} to {most}, got {value}")


_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
_STAND_INS: dict[type, Any] = {str: str, int: int, float: float, bool: bool, list: list, dict: dict, object: list}


def build_board(data: Mapping[str, Any], source: str = "board") -> Board:
    """The board described by ``data`` (a parsed board file); raises BadBoard with everything that is wrong."""
    faults = _Faults()
    top = faults.read(data, "board", "the file")
    faults.check(
        not top["id"] or top["id"].replace("-", "").isalnum(),
        f"id should be letters, digits and dashes, got {top['id']!r}",
    )
    cities = _read_cities(faults, top["cities"])
    rules, routes = _read_rules_and_routes(faults, top["rules"], top["routes"], cities, len(top["bonus_cards"]))
    tickets = _read_tickets(faults, top["tickets"], cities)
    bonus_cards = _read_bonus_cards(faults, top["bonus_cards"], cities)
    faults.within(len(tickets), rules.seats[1] * rules.first_tickets[0], TICKETS, "the number of tickets")
    if faults:
        raise BadBoard(f"{source}: " + "; ".join(faults))
    record = compile_board(cities, routes, tickets, bonus_cards, rules)
    return Board(top["id"], top["name"], cities, routes, tickets, bonus_cards, rules, record)


def _read_cities(faults: _Faults, tables: list[Any]) -> tuple[City, ...]:
    cities = []
    seen: dict[str, str] = {}
    for at, table in enumerate(tables, 1):
        values = faults.read(table, "city", f"city {at}")
        values["also"] = tuple(str(name) for name in values["also"])
        _read_place(faults, values, f"city {at} ({values['name']})")
        city = City(**values)
        for name in (city.name, *city.also):
            other = seen.setdefault(plain(name), city.name)
            faults.check(
                other == city.name and bool(name), f"city {at}: {name!r} is already the name of {other or 'a city'}"
            )
        cities.append(city)
    faults.within(len(cities), 2, CITIES, "the number of cities")
    faults.check(len({city.name for city in cities}) == len(cities), "two cities have one name")
    faults.check(
        len({city.x is None for city in cities}) <= 1,
        "the cities should all have longitude and latitude, or all x and y, got some of each",
    )
    return tuple(cities)


def _read_place(faults: _Faults, values: dict[str, Any], where: str) -> None:
    """Check where a city lies and how it is drawn."""
    given = [name for name in ("longitude", "latitude", "x", "y") if values[name] is not None]
    faults.check(
        given in (["longitude", "latitude"], ["x", "y"]),
        f"{where}: expected longitude and latitude, or x and y, got {' and '.join(given) or 'neither'}",
    )
    for name, most in (("longitude", 180.0), ("latitude", 85.0), ("x", 1e5), ("y", 1e5)):
        if values[name] is not None:  # nan is no number of degrees either
            faults.check(
                abs(values[name]) <= most, f"{where}: {name} should be {-most:g} to {most:g}, got {values[name]}"
            )
    nudge = values["nudge"]
    good = len(nudge) == 2 and all(type(by) in (int, float) and abs(by) <= 1e5 for by in nudge)
    if not faults.check(good, f"{where}: nudge should be two numbers, right and down, got {nudge!r}"):
        nudge = [0, 0]
    values["nudge"] = (float(nudge[0]), float(nudge[1]))
    faults.check(
        values["label"] in ("", *SIDES), f"{where}: label should be one of {', '.join(SIDES)}, got {values['label']!r}"
    )


def _read_ends(faults: _Faults, ends: list[Any], names: Iterable[str], where: str) -> tuple[str, str]:
    good = len(ends) == 2 and all(isinstance(end, str) for end in ends)
    if not faults.check(good, f"{where}: cities should be two names, got {ends!r}"):
        return ("", "")
    for end in ends:
        faults.check(end in names, f"{where}: unknown city {end!r}")
    faults.check(ends[0] != ends[1], f"{where}: leads from {ends[0]} to itself")
    return (ends[0], ends[1])


def _read_substitute(faults: _Faults, table: Any, where: str) -> Substitute | None:
    if table is None:
        return None
    substitute = Substitute(**faults.read(table, "substitute", where))
    faults.within(substitute.cards, 2, 4, f"{where}: cards")
    return substitute


def _by_number(faults: _Faults, table: dict[str, Any], most: int, where: str) -> dict[int, int]:
    """A table from small numbers to small numbers; TOML keys are text."""
    numbers = {}
    for key, value in table.items():
        good = key.isdecimal() and 1 <= int(key) <= most and type(value) is int and 0 <= value <= 100
        if faults.check(good, f"{where}: expected a number from 1 to {most} = 0 to 100, got {key} = {value!r}"):
            numbers[int(key)] = value
    return numbers


def _read_rules_and_routes(
    faults: _Faults, table: dict[str, Any], tables: list[Any], cities: tuple[City, ...], bonus_cards: int
) -> tuple[Rules, tuple[Route, ...]]:
    values = faults.read(table, "rules", "rules")
    seats, cards, first, drawn = (
        faults.read(values[name], f"rules.{name}", f"rules.{name}")
        for name in ("seats", "cards", "first_tickets", "drawn_tickets")
    )
    for name, choices in _CHOICES.items():
        faults.check(
            values[name] in choices, f"rules: {name} should be {' or '.join(map(repr, choices))}, got {values[name]!r}"
        )
    faults.within(seats["least"], 2, SEATS, "rules: seats.least")
    faults.within(seats["most"], max(2, seats["least"]), SEATS, "rules: seats.most")
    faults.within(values["trains"], 1, MOST_TRAINS, "rules: trains")
    faults.within(values["last_round_at"], 0, values["trains"], "rules: last_round_at")
    faults.within(values["tunnel_cards"], 1, 6, "rules: tunnel_cards")
    faults.within(cards["face_up"], 0, 10, "rules: cards.face_up")
    faults.within(cards["hand"], 0, 12, "rules: cards.hand")
    faults.within(values["flush_row_at"], 0, cards["face_up"], "rules: flush_row_at")
    total = 8 * cards["each_colour"] + cards["locomotives"]
    dealt = seats["most"] * cards["hand"] + cards["face_up"] + 1
    faults.within(min(cards["each_colour"], cards["locomotives"]), 0, MOST_CARDS, "rules: cards of a kind")
    faults.within(total, dealt, MOST_CARDS, "rules: the number of cards")
    for name, pair in (("first_tickets", first), ("drawn_tickets", drawn)):
        faults.within(pair["deal"], 1, MOST_OFFERED, f"rules: {name}.deal")
        faults.within(pair["keep"], 1, pair["deal"], f"rules: {name}.keep")
    faults.within(values["bonus_cards_in_play"], 0, bonus_cards, "rules: bonus_cards_in_play")
    for name in values["tie_break"]:
        faults.check(
            name in TIE_BREAKS, f"rules: tie_break should be of {', '.join(map(repr, TIE_BREAKS))}, got {name!r}"
        )
    faults.within(len(values["tie_break"]), 0, 2, "rules: the number of tie_breaks")
    usable = []
    for name, most in (("double_routes", 2), ("triple_routes", 3)):
        numbers = _by_number(faults, values[name], SEATS, f"rules: {name}")
        for count in range(seats["least"], seats["most"] + 1):
            faults.within(numbers.get(count, 0), 1, most, f"rules: {name}: routes in use with {count} seats")
        usable.append(tuple(numbers.get(count, 0) for count in range(SEATS + 1)))
    rules = Rules(
        seats=(seats["least"], seats["most"]),
        trains=values["trains"],
        last_round_at=values["last_round_at"],
        each_colour=cards["each_colour"],
        locomotives=cards["locomotives"],
        hand=cards["hand"],
        face_up=cards["face_up"],
        face_up_locomotive_alone=values["face_up_locomotive"] == "first card only",
        first_tickets=(first["deal"], first["keep"]),
        drawn_tickets=(drawn["deal"], drawn["keep"]),
        returned_go_under=values["returned_tickets"] == "go under the deck",
        tunnel_cards=values["tunnel_cards"],
        double_routes=usable[0],
        triple_routes=usable[1],
        bonus_cards_in_play=values["bonus_cards_in_play"],
        tie_break=tuple(values["tie_break"]),
        flush_row_at=values["flush_row_at"],
    )
    points = _by_number(faults, values["route_points"], LENGTH, "rules: route_points")
    ferry_substitute = _read_substitute(faults, values["ferry_substitute"], "rules: ferry_substitute")
    wild = values["locomotives_pay_for"] == "every route"
    return rules, _read_routes(faults, tables, {city.name for city in cities}, points, ferry_substitute, wild)


def _read_routes(
    faults: _Faults,
    tables: list[Any],
    names: set[str],
    points: dict[int, int],
    ferry_substitute: Substitute | None,
    wild_everywhere: bool,
) -> tuple[Route, ...]:
    routes: list[Route] = []
    for at, table in enumerate(tables):
        values = faults.read(table, "route", f"route {at}")
        ends = _read_ends(faults, values["cities"], names, f"route {at}")
        where = f"route {at} ({ends[0]}–{ends[1]})"
        faults.check(
            values["colour"] in (*COLOURS[:LOCOMOTIVE], "gray"),
            f"{where}: colour should be gray or one of {', '.join(COLOURS[:LOCOMOTIVE])}, got {values['colour']!r}",
        )
        faults.within(values["length"], 1, LENGTH, f"{where}: length")
        faults.check(
            values["length"] in points, f"rules: route_points says nothing of length {values['length']} ({where})"
        )
        faults.within(values["locomotives"], 0, values["length"], f"{where}: locomotives")
        faults.within(values["draw_bonus"], 0, 12, f"{where}: draw_bonus")
        faults.check(abs(values["bend"]) <= 1e5, f"{where}: bend should be -100000 to 100000, got {values['bend']}")
        ferry = values["locomotives"] > 0
        substitute = _read_substitute(faults, values["substitute"], f"{where}: substitute")
        faults.check(
            not (values["tunnel"] and (ferry or substitute)), f"{where}: a tunnel is no ferry and takes no substitute"
        )
        routes.append(
            Route(
                cities=ends,
                length=values["length"],
                colour=values["colour"],
                locomotives=values["locomotives"],
                tunnel=values["tunnel"],
                draw_bonus=values["draw_bonus"],
                substitute=substitute or (ferry_substitute if ferry else None),
                points=points.get(values["length"], 0),
                wild=wild_everywhere or ferry or values["tunnel"],
                bend=values["bend"],
            )
        )
    faults.within(len(routes), 1, ROUTES, "the number of routes")
    for pair in {frozenset(route.cities) for route in routes}:
        parallel = [at for at, route in enumerate(routes) if frozenset(route.cities) == pair]
        faults.check(
            len(parallel) <= 3, f"{'–'.join(sorted(pair))}: expected at most 3 parallel routes, got {len(parallel)}"
        )
        for at in parallel:
            same = [other for other in parallel if routes[other].colour == routes[at].colour]
            if len(same) > 1:
                routes[at] = Route(**{**routes[at].__dict__, "twin": same.index(at) + 1})
    return tuple(routes)


def _read_tickets(faults: _Faults, tables: list[Any], cities: tuple[City, ...]) -> tuple[Ticket, ...]:
    names = {city.name for city in cities}
    tickets = []
    seen = set()
    for at, table in enumerate(tables):
        values = faults.read(table, "ticket", f"ticket {at}")
        ends = _read_ends(faults, values["cities"], names, f"ticket {at}")
        faults.within(values["points"], 0, 100, f"ticket {at} ({ends[0]}–{ends[1]}): points")
        faults.check(frozenset(ends) not in seen, f"ticket {at}: {ends[0]}–{ends[1]} stands twice")
        seen.add(frozenset(ends))
        tickets.append(Ticket(ends, values["points"]))
    return tuple(tickets)


def _read_bonus_cards(faults: _Faults, tables: list[Any], cities: tuple[City, ...]) -> tuple[BonusCard, ...]:
    cards = []
    for at, table in enumerate(tables):
        values = faults.read(table, "bonus card", f"bonus card {at}")
        where = f"bonus card {values['name'] or at}"
        faults.check(
            values["most"] in COUNTED,
            f"{where}: most should be one of {', '.join(map(repr, COUNTED))}, got {values['most']!r}",
        )
        faults.within(values["points"], 0, 100, f"{where}: points")
        ends = values["ends"]
        if isinstance(ends, str):  # a mark or a country
            ends = [city.name for city in cities if city.country == ends or (ends == "arctic" and city.arctic)]
            faults.check(bool(ends), f"{where}: no city has the mark or country {values['ends']!r}")
        known = isinstance(ends, list) and all(any(city.name == end for city in cities) for end in ends)
        if not faults.check(
            known, f"{where}: ends should be 'arctic', a country or a list of cities, got {values['ends']!r}"
        ):
            ends = []
        cards.append(BonusCard(**{**values, "ends": tuple(ends)}))
    faults.within(len(cards), 0, BONUSES, "the number of bonus cards")
    faults.check(len({card.name for card in cards}) == len(cards), "two bonus cards have one name")
    return tuple(cards)
