"""Checks of the fields of a board file, which collect everything that is wrong with it."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from northrail.boards import toml_lines
from northrail.boards.board import plain
from northrail.boards.fields import FIELDS, LETTERS, REQUIRED, Field, limit


@dataclass(frozen=True)
class Fault:
    """Something to correct: a sentence, and the line of the file it is about."""

    sentence: str
    line: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}" if self.line else self.sentence


_TYPE_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
_KINDS = {"cities": "city", "routes": "route", "tickets": "ticket", "bonus_cards": "bonus card"}


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and cut if it is long."""
    try:
        text = str(value).lower() if type(value) is bool else repr(value)
    except ValueError:  # Python prints up to 4,300 digits
        return "a number too large"
    return text if len(text) <= 70 else f"{text[:60]}…"


def either(choices: Iterable[str]) -> str:
    """Return the choices in words."""
    *first, last = map(repr, choices)
    return f"{', '.join(first)} or {last}"


def nearest(word: Any, known: Iterable[str] | Mapping[str, str], otherwise: str = "") -> str:
    """Return "did you mean …?" with the known word most like ``word``, or ``otherwise``."""
    meant = known if isinstance(known, Mapping) else {plain(name): name for name in known}
    close = get_close_matches(plain(word), meant, n=1, cutoff=0.72) if isinstance(word, str) else []
    return f"; did you mean {meant[close[0]]!r}?" if close else otherwise


class Faults(list[Fault]):
    """Everything that is wrong with a file.

    A wrong value becomes None, which passes every check, so that no mistake is reported twice.
    """

    def __init__(self, data: Mapping[str, Any], lines: toml_lines.Lines) -> None:
        super().__init__()
        self.data = data
        self.lines = lines

    def note(self, at: toml_lines.Path, sentence: str) -> None:
        """Note a fault of the thing at the path ``at``."""
        self.append(Fault(f"{self.name(at)}: {sentence}", toml_lines.line_of(self.lines, at)))

    def name(self, at: toml_lines.Path) -> str:
        """Return what people call the table at the path ``at``: its own name if it has one, else its number from 1."""
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
        """Return what people call the field at the path ``at`` within its table."""
        inner = at if len(at) == 1 else at[1:] if isinstance(at[1], str) else at[2:]
        return ".".join(part for part in inner if isinstance(part, str))

    def check(self, good: bool, at: toml_lines.Path, sentence: str) -> bool:
        """Note ``sentence`` unless ``good``."""
        if not good:
            self.note(at, sentence)
        return good

    def within(self, value: float | None, least: float | None, most: float | None, at: toml_lines.Path) -> bool:
        """Note a number outside its limits; nan is always outside."""
        if value is None or least is None or most is None or least <= value <= most:
            return True
        self.note(at, f"{self.field(at)} should be {least:g} to {most:g}, got {shown(value)}")
        return False

    def choice(self, value: Any, choices: tuple[str, ...], at: toml_lines.Path) -> bool:
        """Note a word that is not one of the choices."""
        if value not in choices:
            self.note(at, f"{self.field(at)} should be {either(choices)}, got {shown(value)}{nearest(value, choices)}")
        return value in choices

    def spelling(self, name: str | None, at: toml_lines.Path) -> None:
        """Note a name that does not print well on one line."""
        if name is not None and not (name.strip() == name and name.isprintable() and 1 <= len(name) <= LETTERS):
            expected = f"1 to {LETTERS} characters on one line, with no space at either end"
            self.note(at, f"{self.field(at)} should be {expected}, got {shown(name)}")

    def size(self, what: str, count: int, least: float | None, most: float | None) -> None:
        """Note a list that is too short or too long; the line is that of the first item too many."""
        if least is not None and most is not None and not least <= count <= most:
            sentence = f"the number of {what.replace('_', ' ')} should be {least} to {most}, got {count}"
            self.append(Fault(sentence, toml_lines.line_of(self.lines, (what, int(most)))))

    def read(self, table: Any, kind: str, at: toml_lines.Path) -> dict[str, Any]:
        """Return the fields of a table, with defaults; note unknown fields, missing ones and wrong values."""
        fields = FIELDS[kind]
        if not isinstance(table, Mapping):
            self.note(at, f"expected a table in braces, got {shown(table)}")
            return _no_fields(kind)
        for name in table:
            if name not in fields:
                hint = nearest(name, list(fields), f"; expected {', '.join(fields)}")
                self.note((*at, name), f"unknown field {shown(self.field((*at, name)))}{hint}")
        values: dict[str, Any] = {}
        for name, field in fields.items():
            value = self.value(table.get(name, field.default), field, (*at, name))
            if field.type in (int, float):
                least, most = (limit(fields, field, side, values) for side in ("least", "most"))
                value = value if self.within(value, least, most, (*at, name)) else None
            values[name] = value
        return values

    def value(self, value: Any, field: Field, at: toml_lines.Path) -> Any:
        """Return what a field holds, nested values included; None, or a table of None, if it is missing or wrong."""
        if value is REQUIRED:
            self.note(at, f"{self.field(at)} is missing; expected {_TYPE_NAMES[field.type]}")
            return _no_value(field)
        if field.type is float and type(value) is int:
            return float(value) if abs(value) < 2**63 else math.inf  # no float holds 400 digits
        if value is field.default or field.type is object:
            return value
        if type(value) is not field.type:
            hint = _hint_on_quotes(value, field)
            self.note(at, f"{self.field(at)} should be {_TYPE_NAMES[field.type]}, got {shown(value)}{hint}")
            return _no_value(field)
        if field.kind:
            return self.read(value, field.kind, at)
        if field.items and field.keys:
            return self.by_number(value, field.items, *field.keys, at)
        if field.items:
            return self.items(value, field, field.items, at)
        if field.choices:
            return value if self.choice(value, field.choices, at) else None
        return value

    def items(self, items: Any, field: Field, item: Field, at: toml_lines.Path) -> Any:
        """Return the items of a list, nested values included; None if they are not what its ``shape`` says."""
        if item.kind:
            return [self.read(table, item.kind, (*at, number)) for number, table in enumerate(items)]
        if item.choices:
            good = [self.choice(word, item.choices, (*at, number)) for number, word in enumerate(items)]
        else:
            types = (int, float) if item.type is float else (item.type,)
            good = [type(value) in types and item.allows(value) for value in items]
        if field.allows(len(items)) and (item.choices or all(good)):
            return items if all(good) else None
        self.note(at, f"{self.field(at)} should be {field.shape}, got {shown(items)}")
        return None

    def by_number(self, table: Any, item: Field, counted: str, most: int, at: toml_lines.Path) -> dict[int, Any]:
        """Return a table with its keys as numbers, which TOML writes as text."""
        expected = f"expected {counted} from 1 to {most} = {item.about} from {item.least} to {item.most}"
        numbers = {}
        for key, value in table.items():
            number = int(key) if key.isdecimal() and len(key) < 3 else 0
            good = 1 <= number <= most and type(value) is int and item.allows(value)
            self.check(good, (*at, key), f"{self.field(at)}: {expected}, got {key[:20]} = {shown(value)}")
            numbers[number] = value
        return numbers


def _hint_on_quotes(value: Any, field: Field) -> str:
    if isinstance(value, str) and re.fullmatch(r"true|false|-?\d+(\.\d+)?", value):
        return "; write it without quotes"
    return "; write it in quotes" if field.type is str and type(value) in (int, float, bool) else ""


def _no_fields(kind: str) -> dict[str, Any]:
    """Return a table in which every field is None."""
    return {name: _no_value(field) for name, field in FIELDS[kind].items()}


def _no_value(field: Field) -> Any:
    return _no_fields(field.kind) if field.kind and field.default is REQUIRED else None
