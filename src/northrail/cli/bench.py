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
        typer.Argument(metavar="[server|bots]", help="Measure the server, or how long bots take.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names and numbers for programs.")] = False,
    tables: Annotated[int, typer.Option(min=1, max=5000, help="With `server`: how many tables.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="With `server`: how long to play.")] = 30,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="With `bots`: how many rounds.")] = 20,
) -> None:
    """Measure speed in less than a minute, or the server's capacity, or how long you wait for four expert bots, in two.

    Each figure is the best of several short runs on one core. Things we compare take turns in the same run. Kernels are
    timed in a compiled loop over 256 positions from random games. Run this on an idle machine.
    """
    figures = []
    with plain_errors(), Console(stderr=True).status("measuring") as status:
        if what is None:
            measured = speed.measure()
        elif what == "server":
            measured = server_figures(tables, seconds)
        elif what == "bots":
            measured = bots_figures(rounds)
        else:
            raise NorthrailError(f"expected `northrail bench`, alone or with `server` or `bots`, got {what!r}")
        for figure in measured:
            status.update(f"measuring; {figure.where}, {figure.what}: {figure.text} {figure.unit}")
            figures.append(figure)
    if as_json:
        typer.echo(json.dumps({figure.name: figure.value for figure in figures}, indent=1))
    else:
        plain_console().print(speed.table_of(figures))


def server_figures(tables: int, seconds: float) -> Iterator[speed.Figure]:
    """Measure the server's capacity."""
    from northrail.bench.server import measure  # noqa: PLC0415  # as in `serve`

    return measure(tables, seconds)


def bots_figures(rounds: int) -> Iterator[speed.Figure]:
    """Measure how long bots take between your turns."""
    from northrail.bench.bots import measure  # noqa: PLC0415  # as in `serve`

    return measure(rounds)
