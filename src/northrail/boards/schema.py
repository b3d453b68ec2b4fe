"""The JSON Schema of board files, `board.schema.json`: editors use it to complete and check them.

It covers single fields. `northrail check-board` also checks how the fields fit together.
"""

import json
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from northrail.boards.fields import FIELDS, REQUIRED, Field, limit

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def schema_file() -> Traversable:
    """Return the schema's file. A test checks that it holds `schema_text()`."""
    return resources.files("northrail").joinpath("boards", "board.schema.json")


def schema_text() -> str:
    """Return the schema as JSON, in Draft 4, the newest that common TOML editors support."""
    board, *others = FIELDS
    whole = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "A Northrail board",
        **_table(board),
        "definitions": {_key(kind): _table(kind) for kind in others},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _key(kind: str) -> str:
    return kind.replace(" ", "_")  # a reference cannot contain spaces


def _table(kind: str) -> dict[str, Any]:
    fields = FIELDS[kind]
    return {
        "type": "object",
        "properties": {name: {"description": field.about, **_field(fields, field)} for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.default is REQUIRED],
        "additionalProperties": False,
    }


def _field(fields: dict[str, Field], field: Field) -> dict[str, Any]:
    """Return what a field may hold."""
    if field.kind:
        return {
            "allOf": [{"$ref": f"#/definitions/{_key(field.kind)}"}]
        }  # next to a bare $ref, a description would be ignored
    if field.type is object:  # the ends of a bonus card
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    found: dict[str, Any] = {"type": _TYPES[field.type]}
    if field.choices:
        found["enum"] = [*field.choices, *([""] if field.default == "" else [])]
    for side, word in (("least", "minItems"), ("most", "maxItems")):
        bound = limit(fields, field, side)
        if bound is not None:
            found[word if field.type is list else word.replace("Items", "imum")] = bound
    if field.keys:
        assert field.items is not None
        numbers = "|".join(str(number) for number in range(1, field.keys[1] + 1))
        found |= {"patternProperties": {f"^({numbers})$": _field(fields, field.items)}, "additionalProperties": False}
    elif field.items:
        found["items"] = _field(fields, field.items)
    return found if field.default in (REQUIRED, None) else found | {"default": field.default}


if __name__ == "__main__":
    with resources.as_file(schema_file()) as path:
        path.write_text(schema_text(), encoding="utf-8")
