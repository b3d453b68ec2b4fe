"""Reading and checking a board file: all that is wrong with it is found in one run, each with its line."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from northrail.boards import toml_lines
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
from northrail.boards.checks import CHOICES, Fault, Faults, nearest, shown
from northrail.errors import BadBoard

BUILT_IN = ("nordic-countries", "northern-lights")
FAR = 1e5  # no place is farther out, and nothing is drawn farther from its place


@dataclass(frozen=True)
class BoardFile:
    """A board file as it was read: its board, if it can be played, else everything that is wrong with it."""

    source: str
    board: Board | None
    faults: tuple[Fault, ...]
    lines: toml_lines.Lines

    def line(self, *path: str | int) -> int | None:
        """The line of the thing at ``path``, such as ("routes", 3)."""
        return toml_lines.line_of(self.lines, path)


def load_board(source: str | Path) -> Board:
    """The board named ``source``, or the one in the TOML file at that path.

    >>> board = load_board("northern-lights")
    >>> len(board.cities), len(board.routes), len(board.tickets)
    (50, 161, 55)
    """
    return _playable(read_board(source))


def build_board(data: Mapping[str, Any], source: str = "board") -> Board:
    """The board described by ``data`` (a parsed board file); raises BadBoard with everything that is wrong."""
    return _playable(_examine(data, source, {}))


def read_board(source: str | Path) -> BoardFile:
    """The board file named ``source`` or at that path, with its faults; raises BadBoard only if there is no file."""
    content = _content(source)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        sentence = f"expected text in UTF-8, got the byte 0x{content[error.start]:02x}; save the file as UTF-8"
        return _unreadable(source, sentence, content[: error.start].count(b"\n") + 1)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unreadable(source, *_syntax_fault(str(error), text))
    except RecursionError:
        return _unreadable(source, "not TOML: brackets within brackets without end")
    except ValueError:  # from int(), which takes 4,300 digits
        return _unreadable(source, "not TOML: a number without end")
    return _examine(data, str(source), toml_lines.lines_of(text))


def _content(source: str | Path) -> bytes:
    if source in BUILT_IN:
        return resources.files("northrail").joinpath("boards", f"{source}.toml").read_bytes()
    path = Path(source)
    if path.suffix != ".toml" or not path.is_file():
        why = "" if path.is_file() else "that is a folder" if path.is_dir() else "there is no such file"
        hint = f"; {why}" if why else "; the name of a board file ends in .toml"
        raise BadBoard(f"expected {', '.join(BUILT_IN)} or a path to a .toml file, got {str(source)!r}{hint}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadBoard(f"{source}: expected a file that can be read, got {error.strerror}") from error


def _playable(file: BoardFile) -> Board:
    if file.board is not None:
        return file.board
    if len(file.faults) == 1:
        raise BadBoard(f"{file.source}{', ' if file.faults[0].line else ': '}{file.faults[0]}")
    told = "".join(f"\n  {fault}" for fault in file.faults)
    raise BadBoard(f"{file.source}: {len(file.faults)} things are wrong{told}")


def _unreadable(source: str | Path, sentence: str, line: int | None = None) -> BoardFile:
    return BoardFile(str(source), None, (Fault(sentence, line),), {})


# What tomllib says, and what most likely happened.
_SLIPS = {
    "Cannot overwrite a value": "this key stands twice",
    "Duplicate inline table key": "this key stands twice",
    "Cannot declare": "this table stands twice",
    "Expected '='": "a line is key = value, and a comment begins with #",
    "Illegal character '\\n'": "a closing quote is missing",
    "Invalid statement": "a line is key = value, and a comment begins with #",
    "Invalid value": "texts stand in quotes, true and false in small letters",
    "Unclosed array": "a comma or a closing ] is missing",
    "Unclosed inline table": "a comma or a closing } is missing",
    "Unterminated string": "a closing quote is missing",
}


def _syntax_fault(told: str, text: str) -> tuple[str, int]:
    """What tomllib complains of as a sentence, and its line."""
    reason = told.split(" (at ", maxsplit=1)[0]
    place = re.search(r"\(at line (\d+), column (\d+)\)$", told)
    slip = next((f"; {slip}" for start, slip in _SLIPS.items() if reason.startswith(start)), "")
    where = f"in column {place[2]}" if place else "at the end of the file"
    return f"not TOML {where}: {reason}{slip}", int(place[1]) if place else text.rstrip().count("\n") + 1


# --- reading --------------------------------------------------------------------------------------------------------


def _examine(data: Mapping[str, Any], source: str, lines: toml_lines.Lines) -> BoardFile:
    """Build the board that ``data`` describes, or find everything that is wrong with it."""
    faults = Faults(data, lines)
    top = faults.read(data, "board", ())
    if top["id"] is not None:
        good = top["id"].replace("-", "").isalnum()
        faults.check(good, ("id",), f"id should be letters, digits and dashes, got {shown(top['id'])}")
    faults.spelling(top["name"], ("name",))
    cities = _read_cities(faults, top["cities"] or [])
    rules, points, ferry_substitute = _read_rules(faults, top["rules"], top["bonus_cards"])
    wild = isinstance(top["rules"], dict) and top["rules"].get("locomotives_pay_for") == "every route"
    routes = _read_routes(faults, top["routes"] or [], cities, points, ferry_substitute, wild)
    tickets = _read_tickets(faults, top["tickets"] or [], cities)
    _find_unreachable(faults, cities, routes, tickets)
    bonus_cards = _read_bonus_cards(faults, top["bonus_cards"] or [], cities)
    seats, deal = rules.seats[1], rules.first_tickets[0]
    dealt = seats * deal if seats and deal else None
    for name, count, least, most in (
        ("cities", len(cities), 2, CITIES),
        ("routes", len(routes), 1, ROUTES),
        ("tickets", len(tickets), dealt, TICKETS),
        ("bonus_cards", len(bonus_cards), 0, BONUSES),
    ):
        if top[name] is not None:
            faults.size(name, count, least, most)
    if faults:
        return BoardFile(source, None, tuple(sorted(faults, key=lambda fault: fault.line or 0)), lines)
    record = compile_board(cities, routes, tickets, bonus_cards, rules)
    board = Board(top["id"], top["name"], cities, routes, tickets, bonus_cards, rules, record)
    return BoardFile(source, board, (), lines)


def _read_cities(faults: Faults, tables: list[Any]) -> tuple[City, ...]:
    cities: list[City] = []
    seen: dict[str, int] = {}
    ways: dict[int, str] = {}
    for number, table in enumerate(tables):
        at = ("cities", number)
        values = faults.read(table, "city", at)
        faults.spelling(values["name"], (*at, "name"))
        if "," in (values["name"] or ""):
            faults.note((*at, "name"), "name should have no comma, as moves list tickets with commas between")
        also = values["also"] or []
        if not all(isinstance(name, str) for name in also):
            faults.note((*at, "also"), f"also should be a list of names, got {shown(also)}")
            also = []
        if isinstance(table, dict):
            ways |= _read_place(faults, table, number)
        values["nudge"] = _read_drawing(faults, values, at)
        city = City(**{**values, "name": values["name"] or "", "also": tuple(also)})
        for name in (city.name, *city.also):
            other = seen.setdefault(plain(name), number) if name else number
            if other != number:
                faults.note(at, f"the name {name!r} is taken by city {other + 1} ({cities[other].name})")
        cities.append(city)
    odd = [number for number, way in ways.items() if way != next(iter(ways.values()))]
    if odd:
        faults.note(("cities", odd[0]), "expected all cities by longitude and latitude or all by x and y, got both")
    return tuple(cities)


def _read_place(faults: Faults, table: dict[str, Any], number: int) -> dict[int, str]:
    """The way in which a city says where it lies, by its number; nothing if it does not say."""
    given = [name for name in ("longitude", "latitude", "x", "y") if name in table]
    good = given in (["longitude", "latitude"], ["x", "y"])
    told = " and ".join(given) or "neither"
    faults.check(good, ("cities", number), f"expected longitude and latitude, or x and y, got {told}")
    return {number: told} if good else {}


def _read_drawing(faults: Faults, values: dict[str, Any], at: toml_lines.Path) -> tuple[float, float]:
    """Check how a city is drawn; gives its nudge."""
    for name, most in (("longitude", 180.0), ("latitude", 85.0), ("x", FAR), ("y", FAR)):
        faults.within(values[name], -most, most, (*at, name))
    faults.choice(values["label"] or None, SIDES, (*at, "label"))
    nudge = [0, 0] if values["nudge"] is None else values["nudge"]
    good = len(nudge) == 2 and all(type(by) in (int, float) and abs(by) <= FAR for by in nudge)
    if not faults.check(good, (*at, "nudge"), f"nudge should be two numbers, right and down, got {shown(nudge)}"):
        return (0.0, 0.0)
    return (float(nudge[0]), float(nudge[1]))


def _spellings(cities: Iterable[City]) -> dict[str, str]:
    return {plain(name): city.name for city in cities for name in (city.name, *city.also) if name}


def _read_ends(faults: Faults, ends: Any, cities: tuple[City, ...], at: toml_lines.Path) -> tuple[str, str]:
    """The two cities a route or a ticket names; empty texts where it names none."""
    if ends is None:
        return ("", "")
    good = len(ends) == 2 and all(isinstance(end, str) for end in ends)
    if not faults.check(good, (*at, "cities"), f"cities should be two names, got {shown(ends)}"):
        return ("", "")
    names = {city.name for city in cities}
    for place, end in enumerate(ends):
        if cities and end not in names:
            hint = nearest(end, _spellings(cities), "; add it to the cities, or name one of them")
            faults.note((*at, "cities", place), f"unknown city {shown(end)}{hint}")
    faults.check(ends[0] != ends[1], (*at, "cities"), f"leads from {ends[0]} to itself; name two cities")
    return (ends[0], ends[1])


def _read_substitute(faults: Faults, table: Any, at: toml_lines.Path) -> Substitute | None:
    if table is None:
        return None
    substitute = Substitute(**faults.read(table, "substitute", at))
    faults.within(substitute.cards, 2, 4, (*at, "cards"))
    return substitute


def _by_number(
    faults: Faults, table: dict[str, Any], keys: tuple[str, int], values: tuple[str, int, int], at: toml_lines.Path
) -> dict[int, int]:
    """A table from small numbers to small numbers; TOML keys are text."""
    numbers = {}
    (key_name, most_key), (value_name, least, most) = keys, values
    expected = f"expected {key_name} from 1 to {most_key} = {value_name} from {least} to {most}"
    for key, value in table.items():
        number = int(key) if key.isdecimal() and len(key) < 3 else 0
        good = 1 <= number <= most_key and type(value) is int and least <= value <= most
        faults.check(good, (*at, key), f"{faults.field(at)}: {expected}, got {key[:20]} = {shown(value)}")
        numbers[number] = value
    return numbers


def _read_usable(
    faults: Faults, values: dict[str, Any], seats: dict[str, Any], name: str, most: int
) -> tuple[int, ...]:
    """[seats] -> how many of some parallel routes may be claimed."""
    at = ("rules", name)
    table = values[name] or {}
    numbers = _by_number(faults, table, ("seats", SEATS), ("routes", 1, most), at)
    if values[name] is not None and seats["least"] is not None and seats["most"] is not None:
        for count in range(max(2, seats["least"]), min(seats["most"], SEATS) + 1):
            faults.check(
                str(count) in table,
                at,
                f"{name} says nothing of {count} seats; add {count} = how many of {most} parallel routes are in use",
            )
    return tuple(numbers.get(count, 0) for count in range(SEATS + 1))


def _read_cards(faults: Faults, cards: dict[str, Any], seats: int | None) -> None:
    """Check that there are cards for all, and not more than can be counted."""
    at = ("rules", "cards")
    if not faults.within(cards["face_up"], 0, 10, (*at, "face_up")):
        cards["face_up"] = None
    hand = faults.within(cards["hand"], 0, 12, (*at, "hand"))
    kinds = [faults.within(cards[name], 0, MOST_CARDS, (*at, name)) for name in ("each_colour", "locomotives")]
    if None not in cards.values() and all((hand, *kinds)):
        total = 8 * cards["each_colour"] + cards["locomotives"]
        least = (seats or 2) * cards["hand"] + cards["face_up"] + 1
        faults.check(
            least <= total <= MOST_CARDS,
            at,
            f"cards should be {least} to {MOST_CARDS} in all, got 8 × {cards['each_colour']} + {cards['locomotives']}",
        )


def _read_rules(
    faults: Faults, table: Any, bonus_cards: list[Any] | None
) -> tuple[Rules, dict[int, int] | None, Substitute | None]:
    """The rules, the points of routes by length, and what may stand in for a locomotive on ferries."""
    values = faults.read(table, "rules", ("rules",))
    seats, cards, first, drawn = (
        faults.read(values[name], f"rules.{name}", ("rules", name))
        for name in ("seats", "cards", "first_tickets", "drawn_tickets")
    )
    for name, choices in CHOICES.items():
        faults.choice(values[name], choices, ("rules", name))
    faults.within(seats["least"], 2, SEATS, ("rules", "seats", "least"))
    if not faults.within(seats["most"], max(2, min(seats["least"] or 2, SEATS)), SEATS, ("rules", "seats", "most")):
        seats["most"] = None
    if faults.within(values["trains"], 1, MOST_TRAINS, ("rules", "trains")):
        faults.within(values["last_round_at"], 0, values["trains"], ("rules", "last_round_at"))
    faults.within(values["tunnel_cards"], 1, 6, ("rules", "tunnel_cards"))
    _read_cards(faults, cards, seats["most"])
    faults.within(values["flush_row_at"], 0, cards["face_up"], ("rules", "flush_row_at"))
    for name, pair in (("first_tickets", first), ("drawn_tickets", drawn)):
        if not faults.within(pair["deal"], 1, MOST_OFFERED, ("rules", name, "deal")):
            pair["deal"] = None
        faults.within(pair["keep"], 1, pair["deal"], ("rules", name, "keep"))
    most = None if bonus_cards is None else len(bonus_cards)
    faults.within(values["bonus_cards_in_play"], 0, most, ("rules", "bonus_cards_in_play"))
    ties = values["tie_break"] or []
    for place, name in enumerate(ties):
        faults.choice("" if name is None else name, TIE_BREAKS, ("rules", "tie_break", place))
    faults.check(len(ties) <= 2, ("rules", "tie_break"), f"tie_break should list at most 2, got {len(ties)}")
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
        double_routes=_read_usable(faults, values, seats, "double_routes", 2),
        triple_routes=_read_usable(faults, values, seats, "triple_routes", 3),
        bonus_cards_in_play=values["bonus_cards_in_play"],
        tie_break=tuple(ties),
        flush_row_at=values["flush_row_at"],
    )
    points = values["route_points"]
    if points is not None:
        points = _by_number(faults, points, ("lengths", LENGTH), ("points", 0, 100), ("rules", "route_points"))
    return rules, points, _read_substitute(faults, values["ferry_substitute"], ("rules", "ferry_substitute"))


def _read_routes(
    faults: Faults,
    tables: list[Any],
    cities: tuple[City, ...],
    points: dict[int, int] | None,
    ferry_substitute: Substitute | None,
    wild_everywhere: bool,
) -> tuple[Route, ...]:
    routes: list[Route] = []
    for number, table in enumerate(tables):
        at = ("routes", number)
        values = faults.read(table, "route", at)
        ends = _read_ends(faults, values["cities"], cities, at)
        faults.choice(values["colour"], ("gray", *COLOURS[:LOCOMOTIVE]), (*at, "colour"))
        if faults.within(values["length"], 1, LENGTH, (*at, "length")):
            faults.within(values["locomotives"], 0, values["length"], (*at, "locomotives"))
        else:
            values["length"] = None
        faults.within(values["draw_bonus"], 0, 12, (*at, "draw_bonus"))
        faults.within(values["bend"], -FAR, FAR, (*at, "bend"))
        ferry = (values["locomotives"] or 0) > 0
        substitute = _read_substitute(faults, values["substitute"], (*at, "substitute"))
        faults.check(
            not (values["tunnel"] and (ferry or substitute)),
            (*at, "tunnel"),
            "a tunnel is no ferry and takes no substitute; take out tunnel, or locomotives and substitute",
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
                points=(points or {}).get(values["length"], 0),
                wild=wild_everywhere or ferry or bool(values["tunnel"]),
                bend=values["bend"],
            )
        )
    if points is not None:
        for length in sorted({route.length for route in routes if route.length is not None} - points.keys()):
            example = next(number for number, route in enumerate(routes) if route.length == length)
            sentence = f"route_points says nothing of length {length} ({faults.name(('routes', example))})"
            faults.note(("rules", "route_points"), f"{sentence}; add {length} = its points")
    return _with_twins(faults, routes)


def _with_twins(faults: Faults, routes: list[Route]) -> tuple[Route, ...]:
    """The routes, with those that are otherwise the same numbered."""
    between: dict[frozenset[str], list[int]] = {}
    for number, route in enumerate(routes):
        if all(route.cities):
            between.setdefault(frozenset(route.cities), []).append(number)
    for parallel in between.values():
        faults.check(
            len(parallel) <= 3,
            ("routes", parallel[min(3, len(parallel) - 1)]),
            f"expected at most 3 parallel routes, got {len(parallel)}",
        )
        for number in parallel:
            same = [other for other in parallel if routes[other].colour == routes[number].colour]
            if len(same) > 1:
                routes[number] = replace(routes[number], twin=same.index(number) + 1)
    return tuple(routes)


def _read_tickets(faults: Faults, tables: list[Any], cities: tuple[City, ...]) -> tuple[Ticket, ...]:
    tickets = []
    seen: set[frozenset[str]] = set()
    for number, table in enumerate(tables):
        at = ("tickets", number)
        values = faults.read(table, "ticket", at)
        ends = _read_ends(faults, values["cities"], cities, at)
        faults.within(values["points"], 0, 100, (*at, "points"))
        faults.check(not all(ends) or frozenset(ends) not in seen, at, "stands twice; take one of them out")
        seen.add(frozenset(ends))
        tickets.append(Ticket(ends, values["points"]))
    return tuple(tickets)


def parts_of(cities: Iterable[City], routes: Iterable[Route]) -> list[set[str]]:
    """The cities in as many sets as the board has parts that no route joins."""
    neighbours: dict[str, list[str]] = {city.name: [] for city in cities}
    for route in routes:
        for one, other in (route.cities, route.cities[::-1]):
            neighbours[one].append(other)
    parts: list[set[str]] = []
    seen: set[str] = set()
    for name in neighbours:
        if name not in seen:
            new, part = [name], {name}
            while new:
                ahead = [other for other in neighbours[new.pop()] if other not in part]
                part.update(ahead)
                new += ahead
            seen |= part
            parts.append(part)
    return parts


def _find_unreachable(
    faults: Faults, cities: tuple[City, ...], routes: tuple[Route, ...], tickets: tuple[Ticket, ...]
) -> None:
    """Note tickets that no chain of routes joins, unless a route is wrong itself and may yet join them."""
    names = {city.name for city in cities}
    if not routes or not all(names.issuperset(route.cities) for route in routes):
        return
    part = {name: at for at, part in enumerate(parts_of(cities, routes)) for name in part}
    for number, ticket in enumerate(tickets):
        one, other = ticket.cities
        faults.check(
            not names.issuperset(ticket.cities) or part[one] == part[other],
            ("tickets", number),
            f"no chain of routes joins {one} and {other}; add a route, or take the ticket out",
        )


def _read_bonus_cards(faults: Faults, tables: list[Any], cities: tuple[City, ...]) -> tuple[BonusCard, ...]:
    cards = []
    seen: set[str] = set()
    for number, table in enumerate(tables):
        at = ("bonus_cards", number)
        values = faults.read(table, "bonus card", at)
        faults.spelling(values["name"], (*at, "name"))
        faults.check(values["name"] not in seen, at, "two bonus cards have this name; give one another")
        seen |= {values["name"]} - {None}
        faults.choice(values["most"], COUNTED, (*at, "most"))
        faults.within(values["points"], 0, 100, (*at, "points"))
        faults.within(values["length"], 0, LENGTH, (*at, "length"))
        faults.within(values["worth_at_most"], 0, 100, (*at, "worth_at_most"))
        ends = _read_bonus_ends(faults, values["ends"], cities, (*at, "ends"))
        cards.append(BonusCard(**{**values, "ends": ends}))
    return tuple(cards)


def _read_bonus_ends(faults: Faults, ends: Any, cities: tuple[City, ...], at: toml_lines.Path) -> tuple[str, ...]:
    """The cities a bonus card looks at: those with a mark, those of a country, or the ones it lists."""
    if ends is None:
        return ()
    if isinstance(ends, str):
        marked = tuple(city.name for city in cities if city.country == ends or (ends == "arctic" and city.arctic))
        hint = nearest(ends, ["arctic", *(city.country for city in cities)])
        faults.check(bool(marked), at, f"no city has the mark or country {shown(ends)}{hint}")
        return marked
    names = [city.name for city in cities]
    unknown = [end for end in ends if end not in names] if isinstance(ends, list) else [ends]
    if unknown:
        hint = nearest(unknown[0], _spellings(cities))
        faults.note(at, f"ends should be 'arctic', a country or a list of cities, got {shown(ends)}{hint}")
        return ()
    return tuple(ends)
