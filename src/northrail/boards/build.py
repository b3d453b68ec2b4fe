"""Build a board from the fields of its file, and check how the fields fit together."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from northrail.boards import toml_lines
from northrail.boards.board import (
    MOST_CARDS,
    SEATS,
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
from northrail.boards.checks import Fault, Faults, nearest, shown
from northrail.boards.fields import FIELDS, limit

Values = dict[str, Any]  # the fields of a table; None for what is missing or wrong


def build(data: Mapping[str, Any], lines: toml_lines.Lines) -> tuple[Board | None, tuple[Fault, ...]]:
    """Return the board that ``data`` describes, or None with everything that is wrong with it."""
    faults = Faults(data, lines)
    top = faults.read(data, "board", ())
    if top["id"] is not None:
        good = top["id"].replace("-", "").isalnum()
        faults.check(good, ("id",), f"id should be letters, digits and dashes, got {shown(top['id'])}")
    faults.spelling(top["name"], ("name",))
    cities = _read_cities(faults, top["cities"] or [])
    rules = _read_rules(faults, top["rules"], top["bonus_cards"])
    routes = _read_routes(faults, top["routes"] or [], cities, top["rules"])
    tickets = _read_tickets(faults, top["tickets"] or [], cities)
    _find_unreachable(faults, cities, routes, tickets)
    bonus_cards = _read_bonus_cards(faults, top["bonus_cards"] or [], cities)
    _check_sizes(faults, top)
    if faults:
        return None, tuple(sorted(faults, key=lambda fault: fault.line or 0))
    struct = compile_board(cities, routes, tickets, bonus_cards, rules)
    return Board(top["id"], top["name"], cities, routes, tickets, bonus_cards, rules, struct), ()


def _check_sizes(faults: Faults, top: Values) -> None:
    """Check how many cities, routes, tickets and bonus cards there are."""
    seats, deal = top["rules"]["seats"]["most"], top["rules"]["first_tickets"]["deal"]
    for name, field in FIELDS["board"].items():
        if field.type is list and top[name] is not None:
            least, most = (limit(FIELDS["board"], field, side) for side in ("least", "most"))
            if name == "tickets":
                least = seats * deal if seats and deal else None
            faults.size(name, len(top[name]), least, most)


def _read_cities(faults: Faults, tables: list[Values]) -> tuple[City, ...]:
    cities: list[City] = []
    seen: dict[str, int] = {}
    for number, values in enumerate(tables):
        at = ("cities", number)
        faults.spelling(values["name"], (*at, "name"))
        if "," in (values["name"] or ""):
            faults.note((*at, "name"), "name should have no comma, because moves list tickets with commas between")
        right, down = values["nudge"] or (0, 0)
        values |= {"nudge": (float(right), float(down)), "also": tuple(values["also"] or ())}
        values |= {name: values[name] or "" for name in ("name", "country")}
        city = City(**values)
        for name in (city.name, *city.also):
            other = seen.setdefault(plain(name), number) if name else number
            if other != number:
                faults.note(at, f"the name {name!r} is taken by city {other + 1} ({cities[other].name})")
        cities.append(city)
    _check_places(faults, len(cities))
    return tuple(cities)


def _check_places(faults: Faults, cities: int) -> None:
    """Check that all cities say where they are, and in the same way."""
    systems: dict[int, str] = {}
    for number in range(cities):
        table = faults.data["cities"][number]
        if not isinstance(table, dict):
            continue
        names = [name for name in ("longitude", "latitude", "x", "y") if name in table]
        found = " and ".join(names) or "neither"
        good = names in (["longitude", "latitude"], ["x", "y"])
        if faults.check(good, ("cities", number), f"expected longitude and latitude, or x and y, got {found}"):
            systems[number] = found
    odd = [number for number, system in systems.items() if system != next(iter(systems.values()))]
    if odd:
        faults.note(("cities", odd[0]), "expected all cities by longitude and latitude or all by x and y, got both")


def _spellings(cities: Iterable[City]) -> dict[str, str]:
    return {plain(name): city.name for city in cities for name in (city.name, *city.also) if name}


def _read_ends(
    faults: Faults, ends: list[str] | None, cities: tuple[City, ...], at: toml_lines.Path
) -> tuple[str, str]:
    """Return the two cities that a route or a ticket names; empty strings if it names none."""
    if ends is None:
        return ("", "")
    names = {city.name for city in cities}
    for place, end in enumerate(ends):
        if cities and end not in names:
            hint = nearest(end, _spellings(cities), "; add it to the cities, or name one of them")
            faults.note((*at, "cities", place), f"unknown city {shown(end)}{hint}")
    faults.check(ends[0] != ends[1], (*at, "cities"), f"goes from {ends[0]} to itself; name two cities")
    return (ends[0], ends[1])


def _read_usable(faults: Faults, rules: Values, name: str, of: int) -> tuple[int, ...]:
    """[seats] -> how many of some parallel routes may be claimed."""
    least, most = rules["seats"]["least"], rules["seats"]["most"]
    numbers: dict[int, int] = rules[name] or {}
    if rules[name] is not None and least is not None and most is not None:
        for seats in range(least, most + 1):
            advice = f"add {seats} = how many of {of} parallel routes players may claim"
            faults.check(seats in numbers, ("rules", name), f"{name} has no entry for {seats} seats; {advice}")
    return tuple(numbers.get(seats, 0) for seats in range(SEATS + 1))


def _check_cards(faults: Faults, cards: Values, seats: int | None) -> None:
    """Check that there are enough cards to deal, and no more than the engine can count."""
    if None not in cards.values():
        total = 8 * cards["each_colour"] + cards["locomotives"]
        least = (seats or 2) * cards["hand"] + cards["face_up"] + 1
        faults.check(
            least <= total <= MOST_CARDS,
            ("rules", "cards"),
            f"cards should be {least} to {MOST_CARDS} in all, got 8 × {cards['each_colour']} + {cards['locomotives']}",
        )


def _read_rules(faults: Faults, values: Values, bonus_cards: list[Values] | None) -> Rules:
    seats, cards, first, drawn = (values[name] for name in ("seats", "cards", "first_tickets", "drawn_tickets"))
    _check_cards(faults, cards, seats["most"])
    faults.within(values["flush_row_at"], 0, cards["face_up"], ("rules", "flush_row_at"))
    most = None if bonus_cards is None else len(bonus_cards)
    faults.within(values["bonus_cards_in_play"], 0, most, ("rules", "bonus_cards_in_play"))
    return Rules(
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
        double_routes=_read_usable(faults, values, "double_routes", 2),
        triple_routes=_read_usable(faults, values, "triple_routes", 3),
        bonus_cards_in_play=values["bonus_cards_in_play"],
        tie_break=tuple(values["tie_break"] or ()),
        flush_row_at=values["flush_row_at"],
    )


def _read_routes(faults: Faults, tables: list[Values], cities: tuple[City, ...], rules: Values) -> tuple[Route, ...]:
    points: dict[int, int] | None = rules["route_points"]
    ferry_substitute = _read_substitute(rules["ferry_substitute"])
    wild_everywhere = rules["locomotives_pay_for"] == "every route"
    routes: list[Route] = []
    for number, values in enumerate(tables):
        at = ("routes", number)
        ferry = (values["locomotives"] or 0) > 0
        substitute = _read_substitute(values["substitute"])
        faults.check(
            not (values["tunnel"] and (ferry or substitute)),
            (*at, "tunnel"),
            "a tunnel cannot be a ferry or have a substitute; remove tunnel, or locomotives and substitute",
        )
        routes.append(
            Route(
                cities=_read_ends(faults, values["cities"], cities, at),
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
            sentence = f"route_points has no entry for length {length} ({faults.name(('routes', example))})"
            faults.note(("rules", "route_points"), f"{sentence}; add {length} = its points")
    return _with_twins(faults, routes)


def _read_substitute(values: Values | None) -> Substitute | None:
    return Substitute(**values) if values is not None else None


def _with_twins(faults: Faults, routes: list[Route]) -> tuple[Route, ...]:
    """Return the routes; those that are otherwise the same get a number."""
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


def _read_tickets(faults: Faults, tables: list[Values], cities: tuple[City, ...]) -> tuple[Ticket, ...]:
    tickets = []
    seen: set[frozenset[str]] = set()
    for number, values in enumerate(tables):
        at = ("tickets", number)
        ends = _read_ends(faults, values["cities"], cities, at)
        faults.check(not all(ends) or frozenset(ends) not in seen, at, "duplicate ticket; remove one")
        seen.add(frozenset(ends))
        tickets.append(Ticket(ends, values["points"]))
    return tuple(tickets)


def parts_of(cities: Iterable[City], routes: Iterable[Route]) -> list[set[str]]:
    """Return the connected parts of the board, as sets of cities."""
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
    """Note tickets that no routes connect, unless a faulty route may connect them once it is corrected."""
    names = {city.name for city in cities}
    if not routes or not all(names.issuperset(route.cities) for route in routes):
        return
    part = {name: at for at, part in enumerate(parts_of(cities, routes)) for name in part}
    for number, ticket in enumerate(tickets):
        one, other = ticket.cities
        faults.check(
            not names.issuperset(ticket.cities) or part[one] == part[other],
            ("tickets", number),
            f"no routes connect {one} and {other}; add a route, or remove the ticket",
        )


def _read_bonus_cards(faults: Faults, tables: list[Values], cities: tuple[City, ...]) -> tuple[BonusCard, ...]:
    cards = []
    seen: set[str] = set()
    for number, values in enumerate(tables):
        at = ("bonus_cards", number)
        faults.spelling(values["name"], (*at, "name"))
        faults.check(values["name"] not in seen, at, "duplicate name; rename one of the two bonus cards")
        seen |= {values["name"]} - {None}
        cards.append(BonusCard(**values | {"ends": _read_bonus_ends(faults, values["ends"], cities, (*at, "ends"))}))
    return tuple(cards)


def _read_bonus_ends(faults: Faults, ends: Any, cities: tuple[City, ...], at: toml_lines.Path) -> tuple[str, ...]:
    """Return the cities a bonus card counts: arctic ones, those of a country, or the ones it lists."""
    spellings = _spellings(cities)
    if isinstance(ends, str):
        found = [city.name for city in cities if city.country == ends or (ends == "arctic" and city.arctic)]
        known = {plain(word): word for word in ("arctic", *(city.country for city in cities))}
        good, hint = bool(found), nearest(ends, known)
    else:
        found = ends if isinstance(ends, list) else [ends]
        unknown = [end for end in found if end not in spellings.values()]
        good, hint = not unknown, nearest(unknown[0], spellings) if unknown else ""
    faults.check(good, at, f"ends should be 'arctic', a country or a list of cities, got {shown(ends)}{hint}")
    return tuple(found) if good else ()
