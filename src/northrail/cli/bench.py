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
            metavar="server|neighbour|research",
            help="Measure the server instead, or how long others wait beside a noisy client, or the environments.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names and numbers for programs.")] = False,
    tables: Annotated[int, typer.Option(min=1, max=5000, help="With `server`: how many tables.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long to play, with an argument.")] = 30,
) -> None:
    """Measure speed in less than a minute, the server in two, or the research environments in one.

    Each figure is the best of several short runs on one core. Things we compare take turns in the same run. Kernels are
    timed in a compiled loop over 256 positions from random games. Run this on an idle machine.
    """
    figures = []
    with plain_errors(), Console(stderr=True).status("measuring") as status:
        if what not in (None, "server", "neighbour", "research"):
            raise NorthrailError(
                f"expected `northrail bench`, or `server`, `neighbour` or `research` after it, got {what!r}"
            )
        for figure in figures_of(what, tables, seconds):
            status.update(f"measuring; {figure.where}, {figure.what}: {figure.text} {figure.unit}")
            figures.append(figure)
    if as_json:
        typer.echo(json.dumps({figure.name: figure.value for figure in figures}, indent=1))
    else:
        plain_console().print(speed.table_of(figures))


def figures_of(what: str | None, tables: int, seconds: float) -> Iterator[speed.Figure]:
    """Measure speed, the server's capacity, what a noisy client does to others, or the research environments."""
    if what is None:
        return speed.measure()
    if what == "research":
        from northrail.bench import research  # noqa: PLC0415  # imports Gymnasium, if it is installed

        return research.measure()
    from northrail.bench import neighbour, server  # noqa: PLC0415  # as in `serve`

    return server.measure(tables, seconds) if what == "server" else neighbour.measure(seconds)
