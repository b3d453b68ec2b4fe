"""The report of `northrail check-board`: errors, warnings and a summary of the board."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from northrail.boards.board import COLOURS, LOCOMOTIVE, Board, BonusCard, Route
from northrail.boards.build import parts_of
from northrail.boards.checks import Fault
from northrail.boards.load import BUILT_IN, BoardFile, load_board, read_board
from northrail.drawing import layout
from northrail.engine.paths import shortest_path
from northrail.errors import BadLesson
from northrail.lessons import load_lessons

# A ticket is worth about the spaces of its shortest path. We warn if it differs by more than both of these.
SLACK, SLACK_SHARE = 2, 0.2


@dataclass(frozen=True)
class Report:
    """What `check` found. A board with warnings can be played; one with faults cannot, and ``board`` is None."""

    source: str
    board: Board | None
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.faults:
            return f"{counted(len(self.faults), 'error')}: the board cannot be played yet"
        return f"no errors, {counted(len(self.warnings), 'warning')}: the board can be played"

    def json(self) -> dict[str, Any]:
        """Return the report as plain data for JSON."""
        return {
            "source": self.source,
            "playable": self.board is not None,
            "faults": [{"line": fault.line, "text": fault.sentence} for fault in self.faults],
            "warnings": [{"line": fault.line, "text": fault.sentence} for fault in self.warnings],
            "summary": summary(self.board) if self.board else None,
        }


def counted(count: int, word: str) -> str:
    """Return a count with its noun: "no errors", "1 error", "2 errors"."""
    return f"{count or 'no'} {word}{'s' * (count != 1)}"


def check(source: str | Path) -> Report:
    """Check the board named ``source`` or the file at that path; raise BadBoard only if there is no file.

    >>> check("nordic-countries").verdict
    'no errors, no warnings: the board can be played'
    """
    file = read_board(source)
    if file.board is None:
        return Report(file.source, None, file.faults, ())
    found = [Fault(sentence, file.line(*at)) for at, sentence in warnings(file)]
    try:
        load_lessons(file.board, source)
    except BadLesson as error:
        found.append(Fault(f"lesson {error}; no server starts with it"))
    return Report(file.source, file.board, file.faults, tuple(sorted(found, key=lambda fault: fault.line or 0)))


# --- warnings -------------------------------------------------------------------------------------------------------

Warned = Iterator[tuple[tuple[str | int, ...], str]]  # where in the file, and a sentence


def warnings(file: BoardFile) -> Warned:
    """Find everything worth a warning on a board that can be played."""
    assert file.board is not None
    if file.source not in BUILT_IN:
        yield from borrowed_id(file.board)
    for warn in WARNINGS:
        yield from warn(file.board)


def borrowed_id(board: Board) -> Warned:
    """Boards that are not built in but have a built-in id: their records would be mixed up."""
    if board.id in BUILT_IN and board != load_board(board.id):
        yield ("id",), f"id {board.id!r} belongs to a built-in board; choose another, so that game records stay apart"


def lonely_cities(board: Board) -> Warned:
    """Cities without a route."""
    joined = {end for route in board.routes for end in route.cities}
    for number, city in enumerate(board.cities):
        if city.name not in joined:
            yield ("cities", number), f"city {city.name} has no route; add one, or remove the city"


def separate_parts(board: Board) -> Warned:
    """Parts of the board that no route connects to the first."""
    numbers = {city.name: number for number, city in enumerate(board.cities)}
    parts = [part for part in parts_of(board.cities, board.routes) if len(part) > 1]
    for part in parts[1:]:
        names = sorted(part, key=numbers.__getitem__)
        listed = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        yield ("cities", numbers[names[0]]), f"no route connects {listed} to the other cities; add one"


def same_places(board: Board) -> Warned:
    """Cities in the same place."""
    seen: dict[tuple[float | None, ...], str] = {}
    for number, city in enumerate(board.cities):
        place = (city.longitude, city.latitude, city.x, city.y, *city.nudge)
        other = seen.setdefault(place, city.name)
        if other != city.name:
            yield ("cities", number), f"city {city.name} is in the same place as {other}; move one of them"


def covered_spaces(board: Board) -> Warned:
    """Routes that cover each other on the drawing."""
    covered: dict[int, list[Route]] = {}
    for one, other in layout.overlaps(layout.layout_of(board)):
        covered.setdefault(other, []).append(board.routes[one])
    for number, others in covered.items():
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        text = f"route {board.routes[number]} covers spaces of {others[0]}{more} on the drawing"
        yield ("routes", number), f"{text}; bend one of them, or nudge a city"


def crowded_names(board: Board) -> Warned:
    """Cities whose names cover something on the drawing."""
    crowded = layout.crowded_labels(layout.layout_of(board))
    for number, city in enumerate(board.cities):
        if city.name in crowded:
            yield (
                ("cities", number),
                f"the name of {city.name} covers something on the drawing; choose another side with label",
            )


def odd_tickets(board: Board) -> Warned:
    """Tickets worth far more or less than their shortest path, and tickets too long for the trains."""
    for number, ticket in enumerate(board.tickets):
        spaces = spaces_between(board, *ticket.cities)
        if spaces > board.rules.trains:
            text = f"ticket {ticket} needs {spaces} trains, but a seat has {board.rules.trains}"
            yield ("tickets", number), f"{text}; give more trains, or choose nearer cities"
        if abs(ticket.points - spaces) > max(SLACK, SLACK_SHARE * spaces):
            text = f"ticket {ticket} is worth {ticket.points}, but its shortest path has {spaces} spaces"
            yield ("tickets", number), f"{text}; most tickets are worth their spaces"


def unclaimable_routes(board: Board) -> Warned:
    """Routes that nobody can ever claim."""
    for number, route in enumerate(board.routes):
        if route.length > board.rules.trains:
            text = f"route {route} has {route.length} spaces, but a seat has {board.rules.trains} trains"
            yield ("routes", number), f"{text}; nobody can ever claim it"
        elif not is_payable(board, route):
            text = f"route {route} costs {route.price}, but there are only {board.rules.each_colour} of each colour"
            yield ("routes", number), f"{text} and {board.rules.locomotives} locomotives; nobody can ever pay for it"


def short_of_spaces(board: Board) -> Warned:
    """Too many trains: the routes may run out before the last round begins."""
    rules = board.rules
    for seats in range(rules.seats[1], rules.seats[0] - 1, -1):
        spaces = usable_spaces(board, seats)
        if spaces <= seats * (rules.trains - rules.last_round_at - 1):
            text = f"{seats} seats have {seats * rules.trains} trains but only {spaces} spaces to fill"
            advice = "give fewer trains, or add routes"
            yield ("rules", "trains"), f"{text}, so the last round may never begin; {advice}"
            break


def idle_bonus_cards(board: Board) -> Warned:
    """Bonus cards that are never in play, or that count what the board does not have."""
    if board.bonus_cards and not board.rules.bonus_cards_in_play:
        at = "bonus_cards_in_play"
        yield ("rules", at), f"{at} is 0, so no bonus card is ever used; set how many to draw for each game"
    for number, card in enumerate(board.bonus_cards):
        if not counts_something(board, number, card):
            yield (
                ("bonus_cards", number),
                f"bonus card {card.name} counts no {card.most} of this board; nobody can win it",
            )


WARNINGS = (
    lonely_cities,
    separate_parts,
    same_places,
    covered_spaces,
    crowded_names,
    odd_tickets,
    unclaimable_routes,
    short_of_spaces,
    idle_bonus_cards,
)


def spaces_between(board: Board, one: str, other: str) -> int:
    """Return the spaces on the shortest path between two cities, which routes must connect.

    >>> import northrail
    >>> spaces_between(northrail.load_board("nordic-countries"), "Oslo", "Stockholm")
    4
    """
    path = shortest_path(board, lambda route: board.routes[route].length, one, other)
    assert path is not None, f"{one} and {other} are not connected"
    return path.cost


def usable_spaces(board: Board, seats: int) -> int:
    """Return the most spaces that players can claim with this many seats."""
    between: dict[frozenset[str], list[int]] = {}
    for route in board.routes:
        between.setdefault(frozenset(route.cities), []).append(route.length)
    usable = (0, 1, board.rules.double_routes[seats], board.rules.triple_routes[seats])
    return sum(sum(sorted(lengths)[-usable[len(lengths)] :]) for lengths in between.values())


def is_payable(board: Board, route: Route) -> bool:
    """Return whether all the cards of the game together pay for a route."""
    rules, swap = board.rules, route.substitute
    locomotives = rules.locomotives if route.wild else 0
    missing = route.length - min(rules.each_colour, route.length - route.locomotives) - locomotives
    if missing <= 0:
        return True
    if swap is None or (not swap.any_space and missing > route.locomotives):
        return False
    others = 7 * (rules.each_colour // swap.cards) if swap.alike else 7 * rules.each_colour // swap.cards
    return missing <= others


def counts_something(board: Board, number: int, card: BonusCard) -> bool:
    """Return whether the board has any of the routes or tickets that a bonus card counts."""
    fields = {"routes": board.struct.bonus_routes, "completed tickets": board.struct.bonus_tickets}
    return card.most not in fields or any(fields[card.most][number])


# --- the summary ----------------------------------------------------------------------------------------------------


def summary(board: Board) -> dict[str, Any]:
    """Return the board in numbers."""
    rules, routes = board.rules, board.routes
    parallels = Counter(Counter(frozenset(route.cities) for route in routes).values())
    spaces: Counter[str] = Counter()
    for route in routes:
        spaces[route.colour] += route.length
    lengths = Counter(route.length for route in routes)
    points = [ticket.points for ticket in board.tickets]
    shortest = [spaces_between(board, *ticket.cities) for ticket in board.tickets]
    return {
        "id": board.id,
        "name": board.name,
        "cities": len(board.cities),
        "countries": len({city.country for city in board.cities if city.country}),
        "routes": len(routes),
        "doubles": parallels[2],
        "triples": parallels[3],
        "ferries": sum(route.ferry for route in routes),
        "tunnels": sum(route.tunnel for route in routes),
        "spaces": sum(spaces.values()),
        "spaces_by_colour": {colour: spaces[colour] for colour in (*COLOURS[:LOCOMOTIVE], "gray")},
        "routes_by_length": {str(length): lengths[length] for length in sorted(lengths)},
        "tickets": len(points),
        "ticket_points": {
            "least": min(points),
            "most": max(points),
            "average": round(sum(points) / len(points), 1),
        },
        "bonus_cards": len(board.bonus_cards),
        "bonus_cards_in_play": rules.bonus_cards_in_play,
        "cards": 8 * rules.each_colour + rules.locomotives,
        "each_colour": rules.each_colour,
        "locomotives": rules.locomotives,
        "seats": {"least": rules.seats[0], "most": rules.seats[1]},
        "trains": rules.trains,
        "trains_for_longest_ticket": max(shortest),
    }


def facts(board: Board) -> Iterator[tuple[str, str]]:
    """Yield the summary in words."""
    s = summary(board)
    points, seats = s["ticket_points"], s["seats"]
    kinds = {"doubles": "double", "triples": "triple", "ferries": "ferry", "tunnels": "tunnel"}
    special = ", ".join(f"{s[many]} {one if s[many] == 1 else many}" for many, one in kinds.items() if s[many])
    countries = f" in {s['countries']} countries" if s["countries"] > 1 else ""
    yield "cities", f"{s['cities']}{countries}"
    yield "routes", f"{s['routes']}, with {special}" if special else f"{s['routes']}"
    yield "spaces", f"{s['spaces']}"
    yield "tickets", f"{s['tickets']}, worth {points['least']} to {points['most']}, {points['average']} on average"
    if s["bonus_cards"]:
        yield "bonus cards", f"{s['bonus_cards']}, of which {s['bonus_cards_in_play']} in play"
    yield "cards", f"{s['cards']}: {s['each_colour']} of each colour, {s['locomotives']} locomotives"
    yield "seats", f"{seats['least']} to {seats['most']}" if seats["least"] < seats["most"] else f"{seats['least']}"
    longest = s["trains_for_longest_ticket"]
    yield "trains", f"{s['trains']} per seat; the longest ticket needs {longest}, all routes {s['spaces']}"


# --- on the terminal ------------------------------------------------------------------------------------------------


def show(console: Console, report: Report) -> None:
    """Print the errors and warnings, the summary and the verdict."""
    for title, found in (("error", report.faults), ("warning", report.warnings)):
        if found:
            console.print(_listed(title, found))
            console.print()
    if report.board is not None:
        console.print(Text(report.board.name, "bold"))
        console.print(_facts_table(report.board))
        console.print()
        console.print(_histograms(report.board))
        console.print()
    console.print(Text(f"{report.source}: {report.verdict}", "bold"), soft_wrap=True)


def _listed(title: str, found: tuple[Fault, ...]) -> Table:
    """Return a table of errors or warnings with their lines."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, border_style="dim", header_style="bold")
    table.add_column("line", justify="right")
    table.add_column(title)
    for fault in found:
        table.add_row(str(fault.line or "–"), fault.sentence)
    return table


def _facts_table(board: Board) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_header=False, show_edge=False, pad_edge=False)
    table.add_column(justify="right", style="dim")
    table.add_column()
    for name, fact in facts(board):
        table.add_row(name, fact)
    return table


def _histograms(board: Board) -> Table:
    """Spaces of each colour and routes of each length, side by side."""
    s = summary(board)
    grid = Table.grid(padding=(0, 3))
    grid.add_row(_bars("spaces by colour", s["spaces_by_colour"]), _bars("routes by length", s["routes_by_length"]))
    return grid


def _bars(title: str, counts: dict[str, int], width: int = 20) -> Table:
    table = Table(title=title, title_justify="left", title_style="dim", box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column()
    most = max(counts.values())
    for name, count in counts.items():
        table.add_row(name, str(count), "█" * round(width * count / most) or "▏" * bool(count))
    return table


def as_json(report: Report) -> str:
    """Return the report as JSON, for programs."""
    return json.dumps(report.json(), ensure_ascii=False, indent=1)
