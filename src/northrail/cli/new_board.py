"""`northrail new-board`: a board file to start from."""

from typing import Annotated

import typer

from northrail.boards.new_board import write_new_board
from northrail.cli.common import plain_errors


def new_board(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of your board, or the file to write.")],
) -> None:
    """Start your own board: write a small playable file that explains every key.

    `new-board "My Islands"` writes my-islands.toml. It never overwrites a file.
    """
    with plain_errors():
        path = write_new_board(name)
    typer.echo(f"wrote {path}, a small board to change as you like: open it in an editor, and then")
    typer.echo(f"  northrail check-board {path}      lists its errors, warnings and contents")
    typer.echo(f"  northrail watch --board {path}    lets bots play on it")
    typer.echo(f"  northrail serve --board {path}    lets you play on it, in the browser")
