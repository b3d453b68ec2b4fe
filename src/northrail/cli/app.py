"""The `northrail` command, with one subcommand per module of this folder."""

from importlib import metadata
from typing import Annotated

import typer

from northrail.cli.arena import WithBareOptions, arena
from northrail.cli.backup import backup
from northrail.cli.bench import bench
from northrail.cli.check_board import check_board
from northrail.cli.games import games
from northrail.cli.new_board import new_board
from northrail.cli.perft import perft
from northrail.cli.positions import positions
from northrail.cli.review import review
from northrail.cli.serve import serve
from northrail.cli.show import show
from northrail.cli.study import study
from northrail.cli.watch import watch

app = typer.Typer(
    name="northrail",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        try:
            version = metadata.version("northrail")
        except metadata.PackageNotFoundError:
            version = "(running from source, not installed)"
        typer.echo(f"northrail {version}")
        raise typer.Exit


@app.callback()
def northrail(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Play, study and build bots for the two Nordic Ticket to Ride games.

    To start: northrail serve --open (play in your browser), or northrail watch (follow a game here)
    """


app.command()(watch)
app.command()(review)
app.command()(show)
app.command()(perft)
app.command(cls=WithBareOptions)(arena)
app.command()(positions)
app.command()(serve)
app.command()(backup)
app.command()(new_board)
app.command()(check_board)
app.command()(games)
app.command()(study)
app.command()(bench)
