"""`northrail games`: write many games between bots to a file, for research."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from northrail.boards.load import BUILT_IN, load_board
from northrail.cli.common import Name, Seats, plain_errors, seat_names

Players = Annotated[
    str,
    typer.Option(
        metavar="NAME,NAME…",
        help="Who plays: names or files, as for the arena. If there are more seats, the players repeat in order.",
    ),
]
Threads = Annotated[int | None, typer.Option(min=1, max=1024, help="Threads.", show_default="one for each core")]


def games(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A file ending in .parquet or .jsonl.")
    ],
    players: Players = "hard",
    count: Annotated[int, typer.Option("--games", min=1, max=1 << 32, help="How many games.")] = 1000,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the first game; the next has the next number.")] = 0,
    threads: Threads = None,
) -> None:
    """Play games between bots and write them to a file, one row for each game.

    The players rotate through the seats. In Python, `northrail.research.datasets.load_games` reads the file.
    """
    from northrail.research.datasets import write_games  # noqa: PLC0415  # the other commands start sooner without it

    with plain_errors(), Progress(transient=True) as progress:
        where = load_board(board or BUILT_IN[0])
        names = seat_names(players, seats or where.rules.seats[0])
        task = progress.add_task("playing", total=count)
        for written in write_games(output, where, names, count, seed, threads):
            progress.update(task, completed=written)
    typer.echo(f"{count} games on {where.name} are in {output}")
