"""`northrail serve`: the page on which people and bots play."""

import sys
from typing import Annotated

import typer

from northrail.cli.common import plain_errors


def serve(
    host: Annotated[str, typer.Option(help="0.0.0.0 lets people in the house join.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            envvar="NORTHRAIL_DATABASE",
            help="A file (SQLite), or postgresql://user@host/name.",
            show_default="a file among your data",
        ),
    ] = None,
    board: Annotated[
        list[str] | None, typer.Option("--board", metavar="FILE", help="A board file of your own, to play on too.")
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="An address of the page, if a proxy does not pass on what was asked for."),
    ] = None,
    proxy: Annotated[
        str, typer.Option(metavar="ADDRESSES", help="Proxies whose word is taken for where requests come from.")
    ] = "127.0.0.1",
    workers: Annotated[int, typer.Option(min=1, max=64, help="Threads in which bots think.")] = 2,
    pace: Annotated[float, typer.Option(min=0, max=10, help="How long bots pause; 0 not at all.")] = 1.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Log only what somebody should look at.")] = False,
    browse: Annotated[bool, typer.Option("--open", help="Open the page, where there is a screen.")] = False,
) -> None:
    """Serve the page on which people and bots play.

    Everything is kept in the database: a server that is stopped or killed goes on where it was.
    """
    from northrail.server import run as serving  # noqa: PLC0415  # half a second that other commands need not wait
    from northrail.server.settings import Settings  # noqa: PLC0415

    def ready(where: str) -> None:
        typer.echo(where)
        sys.stdout.flush()

    with plain_errors():
        settings = Settings(
            database=database or serving.usual_database(),
            boards=tuple(board or ()),
            origins=tuple(origin or ()),
            workers=workers,
            pace=pace,
        )
        serving.serve(settings, host, port, proxy, quiet, ready, browse)
