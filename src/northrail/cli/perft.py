"""`northrail perft`: count the game tree."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from northrail.cli.common import Name, Seats, game_at, new_game, plain_console, plain_errors, read_json
from northrail.engine import perft as counting
from northrail.errors import BadPosition

MOST_DEPTH = 30


def perft(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="POSITION", help="Start from a position (JSON), not a new game.", show_default=False),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(help="The seed of a new game.")] = 0,
    depth: Annotated[int, typer.Option(min=0, max=MOST_DEPTH, help="How many decisions deep to count.")] = 3,
    divided: Annotated[bool, typer.Option("--divide/--total", help="Count per first move, or only the total.")] = True,
) -> None:
    """Count the game tree: how many ways the next decisions can go.

    A change in any rule changes the counts, so they guard the rules. As in chess, a finished game counts only at its
    own depth. Chance does not branch: each draw follows from the position's random numbers.
    """
    console = plain_console()
    with plain_errors():
        if source is not None:
            if seats is not None:
                raise BadPosition(f"{source} already says how many seats there are; remove --seats")
            game = game_at(read_json(source, BadPosition, "a position"), board)
        else:
            game = new_game(board, seats, seed)
        counting.perft(game, min(depth, 1))  # warm up before the clock starts
        with killed_by_ctrl_c():
            start = time.perf_counter()
            lines = list(counting.divide(game, depth)) if divided and depth else []
            total = sum(count for _, count in lines) if lines else counting.perft(game, depth)
            elapsed = time.perf_counter() - start
    if lines:
        table = Table(box=box.ROUNDED, border_style="dim")
        table.add_column("first move")
        table.add_column("count", justify="right")
        for move, count in lines:
            table.add_row(str(move), f"{count:,}")
        console.print(table)
    console.print(
        f"depth {depth}: {total:,} in {elapsed:.3f} s, {total / max(elapsed, 1e-9):,.0f} nodes/s", soft_wrap=True
    )


@contextmanager
def killed_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process at once: Python would wait for the kernel to return, perhaps for hours."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
