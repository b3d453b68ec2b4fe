"""`northrail show`: draw a board or a game."""

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
            help="A board, by name or file (.toml), or a game: a record or a position (.json).",
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
            help="The file to write, .svg or .png; - prints the SVG.",
            show_default="the source's name with .svg, in this folder",
        ),
    ] = None,
    theme: Annotated[
        str, typer.Option(help=" or ".join(f"{name} ({theme.title})" for name, theme in THEMES.items()) + ".")
    ] = "light",
    upto: Annotated[
        int | None, typer.Option(metavar="N", help="Play only the first N moves of a record.", show_default="all")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the layout as JSON for programs, not a picture.")
    ] = False,
) -> None:
    """Draw a board or a game as a picture.

    To draw your own board, give its file. For a record or a position on your own board, add --board FILE.
    """
    with plain_errors():
        if out is not None and str(out) != "-" and out.suffix not in ((".json",) if as_json else (".svg", ".png")):
            raise NorthrailError(f"{out}: expected a file name ending in {'.json' if as_json else '.svg or .png'}")
        what = read_source(source, board, upto)
        drawn = what.board if isinstance(what, Game) else what
        if as_json:
            out, text = out or Path("-"), json.dumps(layout_of(drawn).json(), ensure_ascii=False)
        else:
            text = draw(what, theme).rstrip("\n")
            out = out or Path(f"{Path(source or board or BUILT_IN[0]).stem}.svg")
        if str(out) == "-":
            typer.echo(text)
            return
        try:
            if out.suffix == ".png":
                write_png(text, out)
            else:
                out.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise NorthrailError(f"{out}: cannot write this file: {error.strerror}") from error
    moves = (
        f" after {len(what.record()['moves'])} moves" if isinstance(what, Game) and "start" not in what.record() else ""
    )
    typer.echo(f"{out}: {drawn.name}{moves}, {'as JSON' if as_json else THEMES[theme].title}")


def read_source(source: str | None, board: str | None, upto: int | None) -> Board | Game:
    """Read the board or game to draw."""
    if source is not None and source.endswith(".json"):
        content = read_json(Path(source), BadRecord, "a record or a position")
        if isinstance(content, dict) and "moves" in content:
            return Game.replay(content, load_board(board) if board else None, upto=upto)
        if upto is not None:
            raise BadPosition(f"{source} is a position and has no moves; remove --upto")
        return game_at(content, board)
    if source is not None and board is not None:
        raise BadBoard(f"expected one board, got {source!r} and --board {board}; remove one of them")
    if upto is not None:
        raise BadBoard("--upto needs a record (.json), got a board")
    return load_board(source or board or BUILT_IN[0])
