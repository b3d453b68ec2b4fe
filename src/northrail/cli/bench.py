"""`northrail bench`: measure speed."""

import json
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console

from northrail.bench import speed
from northrail.cli.common import plain_console, plain_errors
from northrail.errors import NorthrailError


def bench(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="server|neighbour|bots|research",
            help="Measure the server, how long you wait beside a noisy client or for bots, or the environments.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names and numbers for programs.")] = False,
    tables: Annotated[int, typer.Option(min=1, max=5000, help="With `server`: how many tables.")] = 1000,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long to play, with an argument.")] = 30,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="With `bots`: how many rounds.")] = 20,
) -> None:
    """Measure speed in less than a minute, the server or waiting for bots in two, or the environments in one.

    Each figure is the best of several short runs on one core. Things we compare take turns in the same run. Kernels are
    timed in a compiled loop over 256 positions from random games. Run this on an idle machine.
    """
    figures = []
    with plain_errors(), Console(stderr=True).status("measuring") as status:
        for figure in figures_of(what, tables, seconds, rounds):
            status.update(f"measuring; {figure.where}, {figure.what}: {figure.text} {figure.unit}")
            figures.append(figure)
    if as_json:
        typer.echo(json.dumps({figure.name: figure.value for figure in figures}, indent=1))
    else:
        plain_console().print(speed.table_of(figures))


def figures_of(what: str | None, tables: int, seconds: float, rounds: int) -> Iterator[speed.Figure]:
    """Measure speed, or what the argument names."""
    # Imported where needed, as in `serve`: Gymnasium may be missing.
    match what:
        case None:
            return speed.measure()
        case "server":
            from northrail.bench import server  # noqa: PLC0415

            return server.measure(tables, seconds)
        case "neighbour":
            from northrail.bench import neighbour  # noqa: PLC0415

            return neighbour.measure(seconds)
        case "bots":
            from northrail.bench import bots  # noqa: PLC0415

            return bots.measure(rounds)
        case "research":
            from northrail.bench import research  # noqa: PLC0415

            return research.measure()
    raise NorthrailError(
        f"expected `northrail bench`, or `server`, `neighbour`, `bots` or `research` after it, got {what!r}"
    )
