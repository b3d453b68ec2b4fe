"""A board, read from its file without any checks."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bill import Bill, Substitute

BOARDS = Path(__file__).parents[2] / "src" / "northrail" / "boards"


def load(name_or_path: str | Path) -> dict[str, Any]:
    """Read the board file of this name or path into a dictionary."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = BOARDS / f"{name_or_path}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Route:
    """A route; ``parallels`` are the numbers of all routes between its cities, its own included."""

    number: int
    cities: tuple[str, str]
    length: int
    symbols: int  # locomotive symbols on its spaces
    tunnel: bool
    draw_bonus: int
    points: int
    bill: int  # index into ReferenceBoard.bills
    parallels: tuple[int, ...]


@dataclass(frozen=True)
class Ticket:
    """A ticket."""

    cities: tuple[str, str]
    points: int


class ReferenceBoard:
    """A board for a number of seats: routes, tickets and cards, and the rules that differ between boards."""

    def __init__(self, board: dict[str, Any], seats: int) -> None:
        self.id: str = board["id"]
        self.rules: dict[str, Any] = board["rules"]
        self.bonus_cards: list[dict[str, Any]] = board["bonus_cards"]
        self.cities: dict[str, dict[str, Any]] = {city["name"]: city for city in board["cities"]}
        self.tickets = [Ticket((t["cities"][0], t["cities"][1]), t["points"]) for t in board["tickets"]]
        self.ticket_numbers = {ticket.cities: number for number, ticket in enumerate(self.tickets)}

        between: dict[frozenset[str], list[int]] = {}
        for number, row in enumerate(board["routes"]):
            between.setdefault(frozenset(row["cities"]), []).append(number)
        # Many routes need the same cards, so we check the hand once for all of them.
        self.bills: list[Bill] = []
        known_bills: dict[Bill, int] = {}
        self.routes: list[Route] = []
        for number, row in enumerate(board["routes"]):
            bill = self._bill(row)
            if bill not in known_bills:
                known_bills[bill] = len(self.bills)
                self.bills.append(bill)
            self.routes.append(
                Route(
                    number=number,
                    cities=(row["cities"][0], row["cities"][1]),
                    length=row["length"],
                    symbols=row.get("locomotives", 0),
                    tunnel=row.get("tunnel", False),
                    draw_bonus=row.get("draw_bonus", 0),
                    points=self.rules["route_points"][str(row["length"])],
                    bill=known_bills[bill],
                    parallels=tuple(between[frozenset(row["cities"])]),
                )
            )
        # How many of one, two or three parallel routes may be claimed with this many at the table.
        doubles, triples = self.rules["double_routes"], self.rules["triple_routes"]
        self.in_use = {1: 1, 2: doubles[str(seats)], 3: triples[str(seats)]}

    def _bill(self, row: dict[str, Any]) -> Bill:
        """Return the bill of the route in this row."""
        tunnel, symbols = row.get("tunnel", False), row.get("locomotives", 0)
        if tunnel:
            rule = None
        elif "substitute" in row:
            rule = row["substitute"]
        elif symbols:
            rule = self.rules.get("ferry_substitute")
        else:
            rule = None
        return Bill(
            spaces=row["length"],
            symbols=symbols,
            colour=None if row["colour"] == "gray" else row["colour"],
            wild=self.rules["locomotives_pay_for"] == "every route" or tunnel or symbols > 0,
            substitute=None if rule is None else Substitute(rule["cards"], rule["alike"], rule["any_space"]),
        )

    def is_end(self, city: str, ends: str | list[str]) -> bool:
        """Return whether a bonus card's ``ends`` includes this city: by its mark, its country or a list of cities."""
        if isinstance(ends, list):
            return city in ends
        facts = self.cities[city]
        return facts.get(ends) is True or facts["country"] == ends
