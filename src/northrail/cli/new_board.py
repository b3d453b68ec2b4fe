"""`northrail new-board`: a board file to start from."""

from typing import Annotated

import typer

from northrail.boards.new_board import write_new_board
from northrail.cli.common import plain_errors


def new_board(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What your board is called, or the file to write.")],
) -> None:
    """Begin a board of your own: a small playable file with every key explained.

    `new-board "My Islands"` writes my-islands.toml. Nothing is ever overwritten.
    """
    with plain_errors():
        path = write_new_board(name)
    typer.echo(f"wrote {path}, a small board to make yours: open it in an editor, and then")
    typer.echo(f"  northrail check-board {path}      says what is wrong, odd and on it")
    typer.echo(f"  northrail watch --board {path}    lets bots play it")
    typer.echo(f"  northrail serve --board {path}    plays it with you, on the page")
