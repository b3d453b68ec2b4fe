"""What the commands share: options, errors in one sentence, reading files, starting a game."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import Game
from northrail.errors import BadPosition, NorthrailError
from northrail.players import BadPlayer

Name = Annotated[
    str | None,
    typer.Option("--board", metavar="NAME|FILE", help=f"{' or '.join(BUILT_IN)}, or your own board file (.toml)."),
]
Seats = Annotated[
    int | None, typer.Option("--seats", help="How many players.", show_default="the fewest the board allows")
]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print an error of ours in one sentence instead of a traceback; exit quietly when interrupted."""
    try:
        yield
    except BrokenPipeError:  # the reader has read enough
        raise
    except (NorthrailError, OSError) as error:
        typer.echo(f"northrail: {in_words(error)}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("", err=True)  # the terminal has printed ^C on this line
        raise typer.Exit(130) from None


def in_words(error: Exception) -> str:
    """Return an error as a sentence; Python puts "[Errno 2]" in front of errors of files."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def plain_console() -> Console:
    """Return a console that prints names as they are: Rich would take brackets in a board's name for styles."""
    return Console(highlight=False, markup=False, emoji=False)


def read_json(path: Path, error: type[NorthrailError], what: str) -> Any:
    """Return what a JSON file holds; raise ``error`` if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise error(f"{path}: cannot read {what}: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:  # not UTF-8, not JSON, or nested too deeply
        raise error(f"{path}: expected {what} as JSON, but this is not valid JSON: {fault}") from fault


def new_game(source: str | None, seats: int | None, seed: int) -> Game:
    """Deal a game on the board that ``source`` names; by default on the first built-in board."""
    board = load_board(source or BUILT_IN[0])
    return Game(board, board.rules.seats[0] if seats is None else seats, seed)


def seat_names(names: str, seats: int) -> list[str]:
    """Return a player's name for each seat; the comma-separated ``names`` repeat in order."""
    # A comma before name= belongs to a player's arguments: search:iterations=200,threads=2
    each = [name.strip() for name in re.split(r",(?!\s*\w+\s*=)", names)]
    if len(each) > seats:
        raise BadPlayer(f"expected at most {seats} players for {seats} seats, got {len(each)}: {names}; add --seats")
    return [each[seat % len(each)] for seat in range(seats)]


def game_at(position: Any, source: str | None) -> Game:
    """Return the game at a position, on the board that ``source`` names; by default on the one the position names."""
    named = position.get("board") if isinstance(position, dict) else None
    if source is None and isinstance(named, str) and named not in BUILT_IN:
        raise BadPosition(
            f"board: expected {' or '.join(BUILT_IN)}, got {named!r}; pass your own board file with --board"
        )
    return Game.from_position(load_board(source or (named if named in BUILT_IN else BUILT_IN[0])), position)
