"""What may stand in a board file, and a list that everything found wrong with one is noted in."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from northrail.boards import toml_lines
from northrail.boards.board import plain

LETTERS = 60  # of a name


@dataclass(frozen=True)
class Fault:
    """Something to put right: a sentence, and the line of the file it is about."""

    sentence: str
    line: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}" if self.line else self.sentence


REQUIRED = object()
_PAIR: dict[str, tuple[type, Any]] = {"deal": (int, REQUIRED), "keep": (int, REQUIRED)}
FIELDS: dict[str, dict[str, tuple[type, Any]]] = {
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
CHOICES = {
    "face_up_locomotive": ("an ordinary card", "first card only"),
    "returned_tickets": ("leave the game", "go under the deck"),
    "locomotives_pay_for": ("ferries and tunnels", "every route"),
}


_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
_KINDS = {"cities": "city", "routes": "route", "tickets": "ticket", "bonus_cards": "bonus card"}


def shown(value: Any) -> str:
    """A value as a message shows it: on one line, and not all of it if it is long."""
    try:
        text = str(value).lower() if type(value) is bool else repr(value)
    except ValueError:  # Python prints up to 4,300 digits
        return "a number too large"
    return text if len(text) <= 70 else f"{text[:60]}…"


def either(choices: Iterable[str]) -> str:
    """The choices in words."""
    *first, last = map(repr, choices)
    return f"{', '.join(first)} or {last}"


def nearest(word: Any, known: Iterable[str] | Mapping[str, str], otherwise: str = "") -> str:
    """A question for the known word that ``word`` may have been meant to be."""
    meant = known if isinstance(known, Mapping) else {plain(name): name for name in known}
    close = get_close_matches(plain(word), meant, n=1, cutoff=0.72) if isinstance(word, str) else []
    return f"; did you mean {meant[close[0]]!r}?" if close else otherwise


class Faults(list[Fault]):
    """Everything found wrong.

    A value that was found wrong goes on as None, which passes every check, so that nothing is told twice.
    """

    def __init__(self, data: Mapping[str, Any], lines: toml_lines.Lines) -> None:
        super().__init__()
        self.data = data
        self.lines = lines

    def note(self, at: toml_lines.Path, sentence: str) -> None:
        """Note a fault of the thing at the path ``at``."""
        self.append(Fault(f"{self.name(at)}: {sentence}", toml_lines.line_of(self.lines, at)))

    def name(self, at: toml_lines.Path) -> str:
        """What people call the table in which ``at`` lies: its own name if it has one, else its number from 1."""
        if len(at) < 2:
            return "the file"
        if not isinstance(at[1], int):
            return str(at[0])
        table = self.data[str(at[0])][at[1]]
        name = (table.get("name") or table.get("cities")) if isinstance(table, dict) else None
        if isinstance(name, list) and len(name) == 2 and all(isinstance(end, str) for end in name):
            name = "–".join(name)
        readable = isinstance(name, str) and name.isprintable() and len(name) < 80
        return f"{_KINDS[str(at[0])]} {name if readable else at[1] + 1}"

    def field(self, at: toml_lines.Path) -> str:
        """What people call the field at the path ``at`` within its table."""
        inner = at if len(at) == 1 else at[1:] if isinstance(at[1], str) else at[2:]
        return ".".join(part for part in inner if isinstance(part, str))

    def check(self, good: bool, at: toml_lines.Path, sentence: str) -> bool:
        """Note ``sentence`` unless ``good``."""
        if not good:
            self.note(at, sentence)
        return good

    def within(self, value: float | None, least: float | None, most: float | None, at: toml_lines.Path) -> bool:
        """Note a number out of its range; nan is in none."""
        if value is None or least is None or most is None or least <= value <= most:
            return True
        self.note(at, f"{self.field(at)} should be {least:g} to {most:g}, got {shown(value)}")
        return False

    def choice(self, value: Any, choices: tuple[str, ...], at: toml_lines.Path) -> None:
        """Note a word that is none of the choices."""
        if value is not None and value not in choices:
            sentence = f"{self.field(at)} should be {either(choices)}, got {shown(value)}"
            self.note(at, sentence + nearest(value, choices))

    def spelling(self, name: str | None, at: toml_lines.Path) -> None:
        """Note a name that does not print on one line, or hardly."""
        if name is not None and not (name.strip() == name and name.isprintable() and 1 <= len(name) <= LETTERS):
            expected = f"a line of 1 to {LETTERS} letters without blanks around it"
            self.note(at, f"{self.field(at)} should be {expected}, got {shown(name)}")

    def size(self, what: str, count: int, least: int | None, most: int) -> None:
        """Note a list that is too short or too long; the line is that of the first item too many."""
        if least is not None and not least <= count <= most:
            sentence = f"the number of {what.replace('_', ' ')} should be {least} to {most}, got {count}"
            self.append(Fault(sentence, toml_lines.line_of(self.lines, (what, most))))

    def read(self, table: Any, kind: str, at: toml_lines.Path) -> dict[str, Any]:
        """The fields of one table, with defaults; notes what is missing, of a wrong type or unknown."""
        fields = FIELDS[kind]
        if not isinstance(table, Mapping):
            if table is not None or not at or isinstance(at[-1], int):  # else it was told of already
                self.note(at, f"expected a table in braces, got {shown(table)}")
            return dict.fromkeys(fields)
        for name in table:
            if name not in fields:
                field = self.field((*at, name))
                self.note((*at, name), f"unknown field {shown(field)}{nearest(name, list(fields), _expected(fields))}")
        return {name: self.value(table, (*at, name), *fields[name]) for name in fields}

    def value(self, table: Mapping[str, Any], at: toml_lines.Path, type_: type, default: Any) -> Any:
        """The field of a table that ``at`` ends with; None after noting that it is missing or of a wrong type."""
        value = table.get(str(at[-1]), default)
        if value is REQUIRED:
            self.note(at, f"{self.field(at)} is missing; expected {_TYPE_NAMES[type_]}")
            return None
        if type_ is float and type(value) is int:
            return float(value) if abs(value) < 2**63 else math.inf  # no float holds 400 digits
        if value is default or type_ is object or type(value) is type_:
            return value
        quotes = ""
        if isinstance(value, str) and re.fullmatch(r"true|false|-?\d+(\.\d+)?", value):
            quotes = "; write it without quotes"
        elif type_ is str and type(value) in (int, float, bool):
            quotes = "; write it in quotes"
        self.note(at, f"{self.field(at)} should be {_TYPE_NAMES[type_]}, got {shown(value)}{quotes}")
        return None


def _expected(fields: Iterable[str]) -> str:
    return f"; expected {', '.join(fields)}"
