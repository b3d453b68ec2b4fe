"""`northrail positions`: how many test positions players solve."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from northrail.arena.positions import KINDS, Problem, Share, answers_of, load_problems, shares_of
from northrail.boards.load import BUILT_IN
from northrail.cli.common import plain_console, plain_errors
from northrail.errors import NorthrailError
from northrail.players import load_players
from northrail.players.levels import PLAYERS


def positions(
    players: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER...", help=f"{', '.join(PLAYERS)}; or your own: ./mine.py:Mine."),
    ],
    board: Annotated[
        str | None, typer.Option(metavar="|".join(BUILT_IN), help="Only this board.", show_default="both")
    ] = None,
    seats: Annotated[int | None, typer.Option(help="Only this number of seats.", show_default="all")] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help=f"Only one kind of decision: {', '.join(KINDS)}.", show_default="all"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the players.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs, with every answer.")] = False,
) -> None:
    """Let players decide in test positions with known best decisions.

    Shows the share that each player solves, with 95 % intervals. docs/positions.md says how we found the positions.
    """
    with plain_errors():
        problems = chosen(load_problems(), board, seats, kind)
        recipes = load_players(players)
        console = Console(stderr=True)
        answers: dict[str, list[str]] = {}
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("deciding", total=len(recipes) * len(problems))
            for recipe in recipes:
                answers[recipe.name] = []
                for problem in problems:
                    answers[recipe.name] += answers_of(recipe, [problem], seed)
                    progress.advance(task)
    shares = {name: shares_of(problems, found) for name, found in answers.items()}
    if as_json:
        typer.echo(json.dumps(json_of(problems, answers, shares), ensure_ascii=False))
    else:
        plain_console().print(table_of(shares))


def chosen(problems: list[Problem], board: str | None, seats: int | None, kind: str | None) -> list[Problem]:
    """Return the problems on a board, at a number of seats, of a kind; raise an error if there are none."""
    if kind is not None and kind not in KINDS:
        raise NorthrailError(f"--kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    found = [
        each
        for each in problems
        if board in (None, each.board.id) and seats in (None, each.seats) and kind in (None, each.kind)
    ]
    if not found:
        tables = sorted({(each.board.id, each.seats) for each in problems})
        raise NorthrailError(
            "expected a table with test positions: "
            + ", ".join(f"{name} with {count} seats" for name, count in tables)
            + f"; got {board or 'any board'} with {seats or 'any number of'} seats"
        )
    return found


def table_of(shares: dict[str, dict[str, Share]]) -> Table:
    """Return the shares as a table, a row for each kind of decision."""
    table = Table(box=None, pad_edge=False)
    table.add_column("decision", no_wrap=True)
    table.add_column("of", justify="right")
    for name in shares:
        table.add_column(name, justify="right")
    one = next(iter(shares.values()))
    for kind, share in one.items():
        if share.of:
            table.add_row(kind, str(share.of), *(str(each[kind]) for each in shares.values()))
    return table


def json_of(
    problems: list[Problem], answers: dict[str, list[str]], shares: dict[str, dict[str, Share]]
) -> dict[str, Any]:
    """Return the shares by kind, and every answer by position."""
    return {
        "players": {
            name: {
                "shares": {
                    kind: {"solved": share.solved, "of": share.of, "interval": list(share.interval)}
                    for kind, share in shares[name].items()
                    if share.of
                },
                "answers": dict(zip((each.name for each in problems), found, strict=True)),
            }
            for name, found in answers.items()
        },
        "best": {each.name: list(each.best) for each in problems},
    }
