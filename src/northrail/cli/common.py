"""What the commands share: options, errors as sentences, reading files, dealing a game."""

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
    int | None, typer.Option("--seats", help="How many play.", show_default="the fewest the board allows")
]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say in one sentence what is wrong with what came from outside; end quietly when interrupted."""
    try:
        yield
    except BrokenPipeError:  # whoever read has read enough
        raise
    except (NorthrailError, OSError) as error:
        typer.echo(f"northrail: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("", err=True)  # the terminal has shown ^C on this line
        raise typer.Exit(130) from None


def plain_console() -> Console:
    """A console that takes names as they are: a board's own may hold brackets, which Rich would take for styles."""
    return Console(highlight=False, markup=False, emoji=False)


def read_json(path: Path, error: type[NorthrailError], what: str) -> Any:
    """What a JSON file holds; raises ``error`` if there is none to be had."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise error(f"{path}: expected {what}, got {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:  # not UTF-8, not JSON, or nested without end
        raise error(f"{path}: expected {what} as JSON, got {fault}") from fault


def new_game(board: str | None, seats: int | None, seed: int) -> Game:
    """A game as it is dealt."""
    printed = load_board(board or BUILT_IN[0])
    return Game(printed, printed.rules.seats[0] if seats is None else seats, seed)


def game_at(position: Any, board: str | None) -> Game:
    """The game that begins at a position, on the board it names unless another is given."""
    named = position.get("board") if isinstance(position, dict) else None
    if board is None and isinstance(named, str) and named not in BUILT_IN:
        raise BadPosition(f"board: expected {' or '.join(BUILT_IN)}, or another's file by --board, got {named!r}")
    return Game.from_position(load_board(board or (named if named in BUILT_IN else BUILT_IN[0])), position)
