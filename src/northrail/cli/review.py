"""`northrail review`: what was decision and what was luck in a finished game."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from northrail.analysis import DEPTHS, Review
from northrail.analysis import review as review_game
from northrail.analysis.english import (
    LABEL_NAMES,
    chance_sentence,
    led_to_sentence,
    points,
    result_sentence,
    why_sentence,
)
from northrail.analysis.html import page_of
from northrail.analysis.judge import choice_text
from northrail.boards.load import load_board
from northrail.cli.common import Name, plain_console, plain_errors, read_json
from northrail.engine.game import Game
from northrail.errors import BadRecord


def review(
    source: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a finished game.")],
    board: Name = None,
    depth: Annotated[
        str, typer.Option(metavar="|".join(DEPTHS), help="How many worlds to imagine; deep takes ten times as long.")
    ] = "usual",
    seat: Annotated[int | None, typer.Option(metavar="N", help="Show only this seat.", show_default="all")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with graphs and maps to this file.")
    ] = None,
) -> None:
    """Review a finished game: decisions, luck and what the others did.

    Save a record with `northrail watch --record game.json`, or download one from a table on the page.
    """
    with plain_errors():
        record = read_json(source, BadRecord, "a record")
        loaded = load_board(board) if board else None
        seats = Game.replay(record, loaded).seats
        if seat is not None and not 0 <= seat < seats:
            raise BadRecord(f"--seat: expected 0 to {seats - 1}, got {seat}")
        if html is not None:
            html.open("a").close()  # find an unwritable file before the review
        console = Console(stderr=True)
        columns = (BarColumn(24), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            bar = progress.add_task("reviewing")
            found = review_game(
                record,
                loaded,
                depth,
                lambda done, total: progress.update(bar, completed=done, total=total),
            )
        if html is not None:
            html.write_text(page_of(found), encoding="utf-8")
            typer.echo(f"wrote {html}", err=True)
        if as_json:
            typer.echo(json.dumps(found.json(), ensure_ascii=False))
        elif html is None:
            for each in range(found.seats) if seat is None else (seat,):
                show_seat(plain_console(), found, each)


def show_seat(console: Console, found: Review, seat: int) -> None:
    """Print the review of one seat."""
    board, parts, luck = found.board, found.parts(seat), found.luck(seat)
    console.print(result_sentence(found, seat), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("points", justify="right")
    if "start" in found.record:
        table.add_row("where the game began", points(parts.start))
    table.add_row("decisions", points(parts.decisions))
    table.add_row("luck", points(parts.luck))
    for name, part in (
        ("the deal", luck.deal),
        ("own draws", luck.own),
        ("the others' draws", luck.others),
        ("hidden cards", luck.hidden),
    ):
        table.add_row(f"  {name}", points(part))
    table.add_row("what the others did", points(parts.others))
    table.add_row("result", points(found.result[seat]))
    console.print(table)
    for step in found.worst(seat):
        if step.verdict is None:
            continue
        verdict = step.verdict
        why = why_sentence(board, verdict)
        console.print(
            f"\nturn {step.turn + 1}, {LABEL_NAMES[verdict.label]} "
            f"({verdict.loss.mean:.1f} ± {verdict.loss.error:.1f}): {choice_text(board, step.choice)}\n"
            f"  better: {choice_text(board, verdict.best)}" + (f" ({why})" if why else ""),
            soft_wrap=True,
        )
        for each in found.led_to(step):
            console.print(f"  then: {led_to_sentence(board, each['code'], each['facts'])}", soft_wrap=True)
    for step in found.finds(seat):
        if step.verdict is not None:
            gain = f"{step.verdict.find.mean:.1f} points better than {choice_text(board, step.verdict.usual)}"
            console.print(
                f"\nturn {step.turn + 1}, good find: {choice_text(board, step.choice)}, {gain}", soft_wrap=True
            )
    tickets = Table(box=None, pad_edge=False)
    for name in ("ticket", "", "worth then", "brought", "trains", "turns"):
        tickets.add_column(name, justify="left" if name in ("ticket", "") else "right")
    for entry in found.tickets(seat):
        tickets.add_row(
            f"{board.tickets[entry.ticket]} ({entry.points})",
            "kept" if entry.kept else "returned",
            "" if entry.worth is None else points(entry.worth),
            f"{entry.brought:+d}" if entry.kept else "",
            "" if entry.trains is None else str(entry.trains),
            "" if entry.turns is None else str(entry.turns),
        )
    console.print("")
    console.print(tickets)
    got, expected = found.locomotives(seat)
    console.print(f"\n{got} locomotives from the deck; {expected:.1f} were to be expected", soft_wrap=True)
    for step in found.moments(seat):
        if step.chance is not None:
            what = chance_sentence(board, step.chance, step.seat)
            console.print(f"{points(step.luck[seat]):>6}  turn {step.turn + 1}: {what}", soft_wrap=True)
    console.print("")
