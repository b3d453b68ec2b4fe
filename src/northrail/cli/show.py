"""`northrail show`: a board, or a game on it, as a picture."""

import json
from pathlib import Path
from typing import Annotated

import typer

from northrail.boards.board import Board
from northrail.boards.load import BUILT_IN, load_board
from northrail.cli.common import Name, game_at, plain_errors, read_json
from northrail.drawing.layout import layout_of
from northrail.drawing.png import write_png
from northrail.drawing.svg import draw
from northrail.drawing.themes import THEMES
from northrail.engine.game import Game
from northrail.errors import BadBoard, BadPosition, BadRecord, NorthrailError


def show(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="A board by its name or file (.toml), or a game as a record or a position (.json).",
            show_default=BUILT_IN[0],
        ),
    ] = None,
    board: Name = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write it: .svg, .png, or - for the terminal.",
            show_default="the source's name with .svg, in this folder",
        ),
    ] = None,
    theme: Annotated[
        str, typer.Option(help=", ".join(f"{name} ({theme.title})" for name, theme in THEMES.items()) + ".")
    ] = "light",
    upto: Annotated[
        int | None, typer.Option(metavar="N", help="Of a record, only the first N moves.", show_default="all")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Where everything lies, for programs, instead of a picture.")
    ] = False,
) -> None:
    """Draw a board, or a game on it, as a picture.

    A board of one's own is given by its file, and beside a record or position of it with --board.
    """
    with plain_errors():
        if out is not None and str(out) != "-" and out.suffix not in ((".json",) if as_json else (".svg", ".png")):
            raise NorthrailError(f"{out}: expected a name that ends in {'.json' if as_json else '.svg or .png'}")
        what = shown(source, board, upto)
        drawn = what.board if isinstance(what, Game) else what
        if as_json:
            out, text = out or Path("-"), json.dumps(layout_of(drawn).json(), ensure_ascii=False)
        else:
            text = draw(what, theme).rstrip("\n")
            out = out or Path(f"{Path(source or board or BUILT_IN[0]).stem}.svg")
        if str(out) == "-":
            typer.echo(text)
            return
        if out.suffix == ".png":
            write_png(text, out)
        else:
            out.write_text(text + "\n", encoding="utf-8")
    moves = (
        f" after {len(what.record()['moves'])} moves" if isinstance(what, Game) and "start" not in what.record() else ""
    )
    typer.echo(f"{out}: {drawn.name}{moves}, {'as JSON' if as_json else THEMES[theme].title}")


def shown(source: str | None, board: str | None, upto: int | None) -> Board | Game:
    """The board or the game that ``show`` is asked for."""
    if source is not None and source.endswith(".json"):
        content = read_json(Path(source), BadRecord, "a record or a position")
        if isinstance(content, dict) and "moves" in content:
            return Game.replay(content, load_board(board) if board else None, upto=upto)
        if upto is not None:
            raise BadPosition(f"{source} is a position and has no moves: expected no --upto beside it")
        return game_at(content, board)
    if source is not None and board is not None:
        raise BadBoard(f"expected one board, got {source!r} and --board {board}")
    if upto is not None:
        raise BadBoard("expected a record beside --upto, got a board")
    return load_board(source or board or BUILT_IN[0])
