"""Loading a board from its file. One run finds everything that is wrong with the file, each fault with its line."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from northrail.boards import toml_lines
from northrail.boards.board import Board
from northrail.boards.build import build
from northrail.boards.checks import Fault
from northrail.errors import BadBoard

BUILT_IN = ("nordic-countries", "northern-lights")


@dataclass(frozen=True)
class BoardFile:
    """A board file that was read: its board if it can be played, or else everything that is wrong with it."""

    source: str
    board: Board | None
    faults: tuple[Fault, ...]
    lines: toml_lines.Lines

    def line(self, *path: str | int) -> int | None:
        """Return the line of the thing at ``path``, such as ("routes", 3)."""
        return toml_lines.line_of(self.lines, path)


def load_board(source: str | Path) -> Board:
    """Return the board named ``source``, or the one in the TOML file at that path.

    >>> board = load_board("northern-lights")
    >>> len(board.cities), len(board.routes), len(board.tickets)
    (50, 161, 55)
    """
    return _playable(read_board(source))


def build_board(data: Mapping[str, Any], source: str = "board") -> Board:
    """Return the board that a parsed board file describes; raise BadBoard with everything that is wrong."""
    return _playable(_board_file(data, source, {}))


def read_board(source: str | Path) -> BoardFile:
    """Read the board file named ``source`` or at that path; raise BadBoard only if there is no file."""
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
        return _unreadable(source, "not TOML: brackets nested too deeply")
    except ValueError:  # from int(), which takes at most 4,300 digits
        return _unreadable(source, "not TOML: a number with too many digits")
    return _board_file(data, str(source), toml_lines.lines_of(text))


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
        raise BadBoard(f"{source}: cannot read this file: {error.strerror}") from error


def _board_file(data: Mapping[str, Any], source: str, lines: toml_lines.Lines) -> BoardFile:
    board, faults = build(data, lines)
    return BoardFile(source, board, faults, lines)


def _playable(file: BoardFile) -> Board:
    if file.board is not None:
        return file.board
    if len(file.faults) == 1:
        raise BadBoard(f"{file.source}{', ' if file.faults[0].line else ': '}{file.faults[0]}")
    listed = "".join(f"\n  {fault}" for fault in file.faults)
    raise BadBoard(f"{file.source}: {len(file.faults)} errors{listed}")


def _unreadable(source: str | Path, sentence: str, line: int | None = None) -> BoardFile:
    return BoardFile(str(source), None, (Fault(sentence, line),), {})


# What tomllib says, and what to do about it.
SLIPS = {
    "Cannot overwrite a value": "duplicate key; remove one",
    "Duplicate inline table key": "duplicate key; remove one",
    "Cannot declare": "duplicate table; remove one",
    "Expected '='": "write each line as key = value, and comments after #",
    "Illegal character '\\n'": "a closing quote is missing",
    "Invalid statement": "write each line as key = value, and comments after #",
    "Invalid value": "put text in quotes, and write true and false in lower case",
    "Unclosed array": "a comma or a closing ] is missing",
    "Unclosed inline table": "a comma or a closing } is missing",
    "Unterminated string": "a closing quote is missing",
}


def _syntax_fault(message: str, text: str) -> tuple[str, int]:
    """Return what tomllib complains about as a sentence, and its line."""
    reason = message.split(" (at ", maxsplit=1)[0]
    place = re.search(r"\(at line (\d+), column (\d+)\)$", message)
    slip = next((f"; {slip}" for start, slip in SLIPS.items() if reason.startswith(start)), "")
    where = f"in column {place[2]}" if place else "at the end of the file"
    return f"not TOML {where}: {reason}{slip}", int(place[1]) if place else text.rstrip().count("\n") + 1
