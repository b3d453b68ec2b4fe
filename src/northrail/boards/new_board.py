"""A board file to begin with: `northrail new-board`."""

import json
import re
from importlib import resources
from pathlib import Path

from northrail.boards.board import plain
from northrail.boards.fields import LETTERS
from northrail.boards.load import BUILT_IN
from northrail.errors import BadBoard


def write_new_board(name: str) -> Path:
    """Write a small playable board called ``name``, with every key explained; gives the path of its file.

    ``name`` may also be the path of the file, ending in .toml.
    """
    path = Path(name)
    if path.suffix == ".toml":
        name = path.stem
    board_id = slug(name)
    if not board_id or not name.isprintable() or len(name) > LETTERS:
        raise BadBoard(f"expected a name of 1 to {LETTERS} letters or digits on one line, got {name!r}")
    if board_id in BUILT_IN:
        raise BadBoard(f"expected a name of your own, got {name!r}, which is a built-in board")
    if path.suffix != ".toml":
        path = Path(f"{board_id}.toml")
    text = resources.files("northrail").joinpath("boards", "new_board.toml").read_text(encoding="utf-8")
    text = text.replace('"new-board" ', json.dumps(board_id, ensure_ascii=False) + " ")
    text = text.replace('"New board" ', json.dumps(name.strip(), ensure_ascii=False) + " ")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text.replace("THIS-FILE", str(path)))
    except FileExistsError as error:
        raise BadBoard(f"{path} is already there; choose another name, or move that file away first") from error
    except OSError as error:
        raise BadBoard(f"{path}: expected a file that can be written, got {error.strerror}") from error
    return path


def slug(name: str) -> str:
    """``name`` in small letters, digits and dashes.

    >>> slug("Ísland: the Ring"), slug("...")
    ('island-the-ring', '')
    """
    return re.sub(r"[\W_]+", "-", plain(name)).strip("-")
