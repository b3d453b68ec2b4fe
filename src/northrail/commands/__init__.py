"""The larger commands, each in a module of its own, and what all commands share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from northrail.board_file import BUILT_IN
from northrail.errors import NorthrailError

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
