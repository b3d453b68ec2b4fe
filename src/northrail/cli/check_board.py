"""`northrail check-board`: the errors and warnings of a board file, and a summary of the board."""

from typing import Annotated

import typer

from northrail.cli import board_report
from northrail.cli.common import plain_console, plain_errors


def check_board(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A board file (.toml), or a built-in board's name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the errors and warnings in a board file by line, and summarise the board.

    The exit code is 0 if the board can be played, 1 if the file has errors, 2 if there is no such file.
    """
    with plain_errors():
        report = board_report.check(source)
    if as_json:
        typer.echo(board_report.as_json(report))
    else:
        board_report.show(plain_console(), report)
    if report.faults:
        raise typer.Exit(1)
