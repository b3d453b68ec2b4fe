"""`northrail serve`: the web page where people and bots play."""

import re
import sys
from typing import Annotated

import typer

from northrail.cli.common import plain_errors
from northrail.errors import NorthrailError


def serve(
    host: Annotated[str, typer.Option(help="0.0.0.0 lets others on your network join.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free port.")] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            envvar="NORTHRAIL_DATABASE",
            help="An SQLite file, or postgresql://user@host/name.",
            show_default="a file in your data folder",
        ),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option("--board", metavar="FILE", help="Also offer this board file; repeat it for more."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Public URL of the page; needed if it has a name of its own."),
    ] = None,
    proxy: Annotated[
        str, typer.Option(metavar="ADDRESSES", help="Trusted proxies: their X-Forwarded-For is used.")
    ] = "127.0.0.1",
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many bots can search at the same time.")] = 2,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="How many such processes share the requests; divides the rate limits.")
    ] = 1,
    pace: Annotated[float, typer.Option(min=0, max=10, help="Multiply the bots' pauses by this; 0 for none.")] = 1.0,
    metrics: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve metrics for Prometheus at this port, to this machine only."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Log only warnings and errors.")] = False,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Serve the web page where people and bots play.

    All games are saved in the database: restart the server at any time and they continue.
    """
    from northrail.server import run as serving  # noqa: PLC0415  # saves other commands half a second
    from northrail.server.settings import Limits, Settings  # noqa: PLC0415

    def ready(where: str) -> None:
        typer.echo(where)
        sys.stdout.flush()

    with plain_errors():
        for url in origin or ():
            if not re.fullmatch(r"https?://[^/\s]+/?", url):
                raise NorthrailError(f"--origin: expected a URL such as https://play.example.org, got {url!r}")
        if metrics is not None and not re.fullmatch(r"(\[[0-9a-fA-F:]+\]:|[^\s:\[\]]+:)?\d{1,5}", metrics):
            raise NorthrailError(f"--metrics: expected a port such as 9464, or HOST:PORT, got {metrics!r}")
        settings = Settings(
            database=database or serving.default_database(),
            boards=tuple(board or ()),
            origins=tuple(origin or ()),
            workers=workers,
            pace=pace,
            metrics=metrics,
            limits=Limits().shared_by(processes),
        )
        serving.serve(settings, host, port, proxy, quiet, ready, browse)
