"""`northrail perft`: how many ways the next decisions can go."""

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
        typer.Argument(metavar="POSITION", help="A position (JSON), instead of a new game.", show_default=False),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(help="The seed a new game is dealt from.")] = 0,
    depth: Annotated[int, typer.Option(min=0, max=MOST_DEPTH, help="How many decisions deep.")] = 3,
    divided: Annotated[
        bool, typer.Option("--divide/--total", help="Count for each first move, or only in all.")
    ] = True,
) -> None:
    """Count how many ways the next decisions can go.

    Counts guard the rules: any change of a rule changes them. As in chess, a game that is over counts at its own depth
    only. Chance does not branch: what a move draws is what the position's random numbers give.
    """
    console = plain_console()
    with plain_errors():
        if source is not None:
            if seats is not None:
                raise BadPosition(f"{source} brings its own seats: expected no --seats beside it")
            game = game_at(read_json(source, BadPosition, "a position"), board)
        else:
            game = new_game(board, seats, seed)
        counting.perft(game, min(depth, 1))  # compiled or loaded before the clock starts
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
    """Let Ctrl-C end the process at once: Python's own way waits for a kernel to return, here perhaps for hours."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
