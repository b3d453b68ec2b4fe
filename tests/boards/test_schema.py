"""The JSON Schema that editors read: made from the table that the checks read, and never stricter than they are."""

import copy
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from documents import own_board
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import SIZE

import northrail
from northrail.boards.fields import FIELDS, REQUIRED, Field, limit
from northrail.boards.load import BUILT_IN, build_board
from northrail.boards.schema import schema_file, schema_text

pytestmark = pytest.mark.engine
FOLDER = Path(northrail.__file__).parent / "boards"
SCHEMA = jsonschema_rs.Draft4Validator(json.loads(schema_text()))


def is_good(data: Any) -> bool:
    """Return whether the checks accept a board."""
    try:
        build_board(data)
    except northrail.BadBoard:
        return False
    return True


def test_the_file_is_made_from_the_table() -> None:
    """If not: `python -m northrail.boards.schema` writes it."""
    assert schema_file().read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("name", [*BUILT_IN, "new_board"])
def test_our_boards_fit_the_schema(name: str) -> None:
    SCHEMA.validate(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


def test_the_board_of_the_guide_fits_the_schema() -> None:
    SCHEMA.validate(tomllib.loads(own_board()))


# --- each field -------------------------------------------------------------------------------------------------------

# A good board that gives every field at least once.
FULL: dict[str, Any] = tomllib.loads((FOLDER / "new_board.toml").read_text(encoding="utf-8"))
FULL["cities"][0] |= {"country": "Up", "also": ["Nord"], "arctic": True, "printed": False, "label": "above"}
FULL["cities"][0]["nudge"] = [0, -5.5]
FULL["routes"][0] |= {
    "locomotives": 0,
    "tunnel": False,
    "draw_bonus": 2,
    "bend": 3.5,
    "substitute": {"cards": 4, "alike": False, "any_space": True},
}
FULL["bonus_cards"].append(
    {"name": "Up", "points": 2, "most": "routes", "ends": "Up", "length": 3, "ferry": False, "worth_at_most": 9}
)
EXAMPLES = {
    "board": (),
    "city": ("cities", 0),
    "route": ("routes", 0),
    "substitute": ("routes", 0, "substitute"),
    "ticket": ("tickets", 0),
    "bonus card": ("bonus_cards", 1),
    "rules": ("rules",),
    "seats": ("rules", "seats"),
    "cards": ("rules", "cards"),
    "deal of tickets": ("rules", "first_tickets"),
}
PLACED = ("longitude", "latitude")  # the board above gives x and y instead


def wrong_values(fields: dict[str, Field], field: Field) -> Iterator[Any]:
    """What a field must not hold."""
    yield from ({}, []) if field.type in (str, int, float, bool) else (7, "some text")
    if field.type in (int, float, list):
        least, most = (limit(fields, field, side) for side in ("least", "most"))
        if field.type is list:
            yield from ([], [7]) if least else ([7],)
            yield from ([["A"] * (int(most) + 1)] if most else [])
        else:
            yield from (least - 1 for least in [least] if least is not None)
            yield from (most + 1 for most in [most] if most is not None)
    if field.choices:
        yield "none of these"
    if field.keys:
        yield from ({"0": 1}, {str(field.keys[1] + 1): 1}, {"2": "one"}, {"2": 101})


FIELD_NAMES = [(kind, name) for kind, fields in FIELDS.items() for name in fields if name not in PLACED]


@pytest.mark.parametrize(("kind", "name"), FIELD_NAMES)
def test_checks_and_schema_refuse_the_same_values(kind: str, name: str) -> None:
    assert is_good(FULL) and SCHEMA.is_valid(FULL)
    field = FIELDS[kind][name]
    for wrong in wrong_values(FIELDS[kind], field):
        if field.type is object and isinstance(wrong, str):
            continue  # it may be a country, as far as a schema can tell
        data = copy.deepcopy(FULL)
        at(data, EXAMPLES[kind])[name] = wrong
        assert not is_good(data), wrong
        assert not SCHEMA.is_valid(data), wrong
    data = copy.deepcopy(FULL)
    del at(data, EXAMPLES[kind])[name]
    assert SCHEMA.is_valid(data) == (field.default is not REQUIRED)
    assert not is_good(data) or SCHEMA.is_valid(data)
    at(data, EXAMPLES[kind])[f"{name}s"] = 1
    assert not is_good(data) and not SCHEMA.is_valid(data)


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    """Return what a board holds at a path."""
    for part in path:
        data = data[part]
    return data


# --- anything at all --------------------------------------------------------------------------------------------------


def paths_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all things in a parsed file."""
    if path:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_in(inner, (*path, key))


WORDS = sorted({value for path in paths_in(FULL) if isinstance(value := at(FULL, path), str)})
SIMPLE = st.booleans() | st.integers(-3, 130) | st.floats(-200, 200) | st.sampled_from(["", "x", "above left", *WORDS])
VALUES = SIMPLE | st.lists(SIMPLE, max_size=3) | st.dictionaries(st.sampled_from(["1", "2", "13", "x"]), SIMPLE)
CHANGES = st.lists(st.tuples(st.sampled_from(list(paths_in(FULL))), VALUES), min_size=1, max_size=3)


@settings(max_examples=SIZE.pick(50, 500, 10_000))
@given(changes=CHANGES)
def test_a_board_that_can_be_played_fits_the_schema(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    data = copy.deepcopy(FULL)
    for path, value in changes:
        try:
            at(data, path[:-1])[path[-1]] = value
        except (TypeError, KeyError, IndexError):
            continue  # a change before took it away
    if is_good(data):
        SCHEMA.validate(data)
