"""`northrail study`: what many games between bots say about a board, as one page."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from northrail.boards.load import BUILT_IN, load_board
from northrail.cli.common import Seats, plain_errors, seat_names
from northrail.cli.games import Players, Threads


def study(
    board: Annotated[str, typer.Argument(metavar="BOARD", help=f"{' or '.join(BUILT_IN)}, or your own board file.")],
    players: Players = "hard",
    count: Annotated[int, typer.Option("--games", min=1, max=1 << 24, help="How many games.")] = 20_000,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the first game.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The page to write.", show_default="study-BOARD.html"),
    ] = None,
    threads: Threads = None,
) -> None:
    """Play thousands of games on a board, and write a page with plots.

    It shows which routes are fought over, what each ticket is worth, and what starting first is worth. 20,000 games
    between `hard` bots take a minute or two.
    """
    from northrail.research import study as room  # noqa: PLC0415  # the other commands start sooner without it

    with plain_errors(), Progress(transient=True) as progress:
        where = load_board(board)
        path = output or Path(f"study-{where.id}.html")
        task = progress.add_task("playing", total=count)
        found = room.study(
            where,
            seat_names(players, seats or where.rules.seats[0]),
            count,
            seed,
            threads,
            lambda played: progress.update(task, completed=played),
        )
        path.write_text(room.page(found), encoding="utf-8")
    typer.echo(f"The study of {where.name} is in {path}")
