"""`northrail check-board`: what is wrong with a board, what is odd about it, and what is on it."""

from typing import Annotated

import typer

from northrail.cli import board_report as checking
from northrail.cli.common import plain_console, plain_errors


def check_board(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A board file (.toml), or a built-in board's name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print it for programs.")] = False,
) -> None:
    """Tell everything that is wrong or odd about a board file, with lines, and what is on the board.

    Ends with 0 if the board can be played, warnings or not, with 1 if something is wrong, with 2 if there is no file.
    """
    with plain_errors():
        report = checking.check(source)
    if as_json:
        typer.echo(checking.as_json(report))
    else:
        checking.show(plain_console(), report)
    if report.faults:
        raise typer.Exit(1)
