"""What the commands share: options, readable errors, reading files, starting games."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import Game
from northrail.errors import BadPosition, NorthrailError

Name = Annotated[
    str | None,
    typer.Option("--board", metavar="NAME|FILE", help=f"{' or '.join(BUILT_IN)}, or a board file of your own (.toml)."),
]
Seats = Annotated[
    int | None, typer.Option("--seats", help="The number of seats.", show_default="the fewest the board allows")
]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print an error in one sentence, without a traceback; exit quietly on Ctrl-C."""
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe
        raise
    except (NorthrailError, OSError) as error:
        typer.echo(f"northrail: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("", err=True)  # the terminal has printed ^C on this line
        raise typer.Exit(130) from None


def plain_console() -> Console:
    """Return a console without markup: board names may contain brackets, which Rich would read as styles."""
    return Console(highlight=False, markup=False, emoji=False)


def read_json(path: Path, error: type[NorthrailError], what: str) -> Any:
    """Read a JSON file; raise ``error`` if that fails."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise error(f"{path}: expected {what}, got {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:  # not UTF-8, not JSON, or nested without end
        raise error(f"{path}: expected {what} as JSON, got {fault}") from fault


def new_game(board: str | None, seats: int | None, seed: int) -> Game:
    """Deal a new game."""
    printed = load_board(board or BUILT_IN[0])
    return Game(printed, printed.rules.seats[0] if seats is None else seats, seed)


def game_at(position: Any, board: str | None) -> Game:
    """Return the game at a position, on the board it names unless you give another."""
    named = position.get("board") if isinstance(position, dict) else None
    if board is None and isinstance(named, str) and named not in BUILT_IN:
        raise BadPosition(f"board: expected {' or '.join(BUILT_IN)}, got {named!r}; add --board with its file")
    return Game.from_position(load_board(board or (named if named in BUILT_IN else BUILT_IN[0])), position)
