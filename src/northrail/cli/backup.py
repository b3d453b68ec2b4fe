"""`northrail backup`: copy the server's database while the server runs."""

import sqlite3
from pathlib import Path
from typing import Annotated

import typer

from northrail.cli.common import plain_errors
from northrail.errors import NorthrailError


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The copy; it must not exist yet.")],
    database: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            envvar="NORTHRAIL_DATABASE",
            help="The SQLite file to copy.",
            show_default="the file in your data folder",
        ),
    ] = None,
) -> None:
    """Copy the server's SQLite database, also while the server runs.

    To restore it, stop the server and start it again with --database FILE.
    """
    from northrail.server.run import default_database  # noqa: PLC0415  # saves other commands half a second
    from northrail.server.store.sqlite import copy  # noqa: PLC0415  # the same

    with plain_errors():
        source = database or default_database()
        if "://" in source:
            raise NorthrailError("--database: expected an SQLite file; for PostgreSQL use pg_dump")
        if not Path(source).is_file():
            raise NorthrailError(f"{source}: expected the server's database, found no such file")
        if target.exists():
            raise NorthrailError(f"{target}: expected a new file, but it exists; choose another name or delete it")
        try:
            copy(Path(source), target)
        except (OSError, sqlite3.Error) as error:
            raise NorthrailError(f"{target}: could not copy {source}: {error}") from error
        typer.echo(f"copied {source} to {target}")
