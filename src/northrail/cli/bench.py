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
            metavar="server|neighbour",
            help="Measure the server instead, or how long others wait beside a noisy client.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names and numbers for programs.")] = False,
    tables: Annotated[int, typer.Option(min=1, max=5000, help="With `server`: how many tables.")] = 1000,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long to play, with an argument.")] = 30,
) -> None:
    """Measure speed in less than a minute, or the server in two.

    Each figure is the best of several short runs on one core. Things we compare take turns in the same run. Kernels are
    timed in a compiled loop over 256 positions from random games. Run this on an idle machine.
    """
    figures = []
    with plain_errors(), Console(stderr=True).status("measuring") as status:
        if what not in (None, "server", "neighbour"):
            raise NorthrailError(f"expected `northrail bench`, or `server` or `neighbour` after it, got {what!r}")
        for figure in speed.measure() if what is None else server_figures(what, tables, seconds):
            status.update(f"measuring; {figure.where}, {figure.what}: {figure.text} {figure.unit}")
            figures.append(figure)
    if as_json:
        typer.echo(json.dumps({figure.name: figure.value for figure in figures}, indent=1))
    else:
        plain_console().print(speed.table_of(figures))


def server_figures(what: str, tables: int, seconds: float) -> Iterator[speed.Figure]:
    """Measure the server's capacity, or what a noisy client does to others."""
    from northrail.bench import neighbour, server  # noqa: PLC0415  # as in `serve`

    return server.measure(tables, seconds) if what == "server" else neighbour.measure(seconds)
