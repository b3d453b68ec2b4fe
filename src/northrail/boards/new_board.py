"""Start a new board file: `northrail new-board`."""

import json
import re
from importlib import resources
from pathlib import Path

from northrail.boards.board import plain
from northrail.boards.fields import LETTERS
from northrail.boards.load import BUILT_IN
from northrail.boards.schema import schema_file
from northrail.errors import BadBoard


def write_new_board(name: str) -> Path:
    """Write a small playable board called ``name``, which explains every key, and return the path of its file.

    ``name`` can also be the path of the file, ending in .toml.
    """
    path = Path(name)
    if path.suffix == ".toml":
        name = path.stem
    board_id = slug(name)
    if not board_id or not name.isprintable() or len(name) > LETTERS:
        raise BadBoard(f"a name needs 1 to {LETTERS} characters on one line, with a letter or digit; got {name!r}")
    if board_id in BUILT_IN:
        raise BadBoard(f"{name!r} is a built-in board; choose another name")
    if path.suffix != ".toml":
        path = Path(f"{board_id}.toml")
    text = resources.files("northrail").joinpath("boards", "new_board.toml").read_text(encoding="utf-8")
    text = text.replace('"new-board" ', json.dumps(board_id, ensure_ascii=False) + " ")
    text = text.replace('"New board" ', json.dumps(name.strip(), ensure_ascii=False) + " ")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text.replace("THIS-FILE", str(path)).replace("SCHEMA-FILE", Path(str(schema_file())).as_uri()))
    except FileExistsError as error:
        raise BadBoard(f"{path} already exists; choose another name, or move that file first") from error
    except OSError as error:
        raise BadBoard(f"{path}: cannot write this file: {error.strerror}") from error
    return path


def slug(name: str) -> str:
    """Return ``name`` in lower-case letters, digits and dashes.

    >>> slug("Ísland: the Ring"), slug("...")
    ('island-the-ring', '')
    """
    return re.sub(r"[\W_]+", "-", plain(name)).strip("-")
