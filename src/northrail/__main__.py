"""The command line: `northrail`, or `python -m northrail`."""

import json
import re
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from northrail import bench as benching
from northrail import check as checking
from northrail import perft as counting
from northrail import watch as watching
from northrail.arena.contest import seed_for
from northrail.board import Board
from northrail.board_file import BUILT_IN, load_board
from northrail.commands import Name, Seats, plain_console, plain_errors
from northrail.commands.arena import WithBareOptions, arena
from northrail.draw import draw
from northrail.errors import BadBoard, BadPosition, BadRecord, NorthrailError
from northrail.game import Game
from northrail.layout import layout_of
from northrail.new_board import write_new_board
from northrail.players import BadPlayer, Player, load_player
from northrail.png import write_png
from northrail.themes import THEMES

PAUSE = 0.7  # seconds after a turn at speed 1: a game for two takes about a minute
LONGEST_PAUSE = 600
WATCHED = "hard,medium"
MOST_DEPTH = 30

app = typer.Typer(
    name="northrail",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def read_json(path: Path, error: type[NorthrailError], what: str) -> Any:
    """What a JSON file holds; raises ``error`` if there is none to be had."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise error(f"{path}: expected {what}, got {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:  # not UTF-8, not JSON, or nested without end
        raise error(f"{path}: expected {what} as JSON, got {fault}") from fault


def write_record(path: Path, game: Game) -> None:
    """Write the game's record."""
    try:
        path.write_text(json.dumps(game.record(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as fault:
        raise BadRecord(f"{path}: expected a file to write the record to, got {fault.strerror}") from fault


def new_game(board: str | None, seats: int | None, seed: int) -> Game:
    """A game as it is dealt."""
    printed = load_board(board or BUILT_IN[0])
    return Game(printed, printed.rules.seats[0] if seats is None else seats, seed)


def game_at(position: Any, board: str | None) -> Game:
    """The game that begins at a position, on the board it names unless another is given."""
    named = position.get("board") if isinstance(position, dict) else None
    if board is None and isinstance(named, str) and named not in BUILT_IN:
        raise BadPosition(f"board: expected {' or '.join(BUILT_IN)}, or another's file by --board, got {named!r}")
    return Game.from_position(load_board(board or (named if named in BUILT_IN else BUILT_IN[0])), position)


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        try:
            version = metadata.version("northrail")
        except metadata.PackageNotFoundError:
            version = "(run from its sources, not installed)"
        typer.echo(f"northrail {version}")
        raise typer.Exit


@app.callback()
def northrail(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Play, study and build bots for the two Nordic Ticket to Ride games.

    Begin with: northrail serve --open (play on the page), or northrail watch (see a game told here)
    """


@app.command()
def watch(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="RECORD", help="A record to tell, instead of a new game.", show_default=False),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same game.", show_default="a new one")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0, help="1 is easy to follow, 2 twice as fast, 0 without pauses.", show_default="1, or 0 into a file"
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the game here, as a record that can be told again."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME…",
            help="Who plays: names or files, as for the arena. With fewer than seats they sit by turns.",
            show_default=WATCHED,
        ),
    ] = None,
    reasons: Annotated[bool, typer.Option("--reasons", help="Tell why, as far as the players say.")] = False,
) -> None:
    """Watch a whole game between players, told in words.

    You see all cards and tickets. "takes" is said of face-up cards, "draws" of the deck.
    """
    console = plain_console()
    with plain_errors():
        seated: tuple[Player, ...] = ()
        if source is not None:
            if (seats, seed, record, players, reasons) != (None, None, None, None, False):
                raise BadRecord(
                    f"{source} brings its own seats, seed and moves: "
                    "expected no --seats, --seed, --record, --players or --reasons beside it"
                )
            moves = read_json(source, BadRecord, "a record")
            printed = load_board(board) if board else None
            Game.replay(moves, printed)  # all of it: nothing is told of a record that cannot be played
            game = Game.replay(moves, printed, upto=0)
            happenings, origin = watching.replay(game, moves["moves"]), f"record {source.name}"
        else:
            seed = secrets.randbelow(1_000_000) if seed is None else seed
            game = new_game(board, seats, seed)
            names, seated = zip(*seat_players(game, players or WATCHED, seed), strict=True)
            happenings, origin = watching.play(game, seated), f"seed {seed} · {', '.join(names)}"
        if record is not None:
            write_record(record, game)  # what cannot be written is better known before the game
        if speed is None:
            speed = 1 if console.is_terminal else 0
        pause = min(PAUSE / speed, LONGEST_PAUSE) if speed else 0
        teller = watching.Teller(console, game, seated if reasons else ())
        try:
            teller.begin(origin)
            for _ in teller.tell(happenings):
                time.sleep(pause)
            teller.end()
        finally:  # also of a game that was interrupted
            if record is not None:
                write_record(record, game)


def seat_players(game: Game, names: str, seed: int) -> list[tuple[str, Player]]:
    """A player for each seat, with its name; ``names`` have commas between, and are taken by turns."""
    # A comma before name= belongs to a player's arguments: search:iterations=200,threads=2
    recipes = [load_player(name.strip()) for name in re.split(r",(?!\s*\w+\s*=)", names)]
    if len(recipes) > game.seats:
        raise BadPlayer(f"expected players for {game.seats} seats, got {len(recipes)}: {names}")
    seated = []
    for seat in range(game.seats):
        recipe = recipes[seat % len(recipes)]
        player: Any = recipe()
        if hasattr(player, "start"):
            player.start(game.board, seat, game.seats, seed_for(seed, seat, recipe.name))
        seated.append((recipe.name, player))
    return seated


@app.command()
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
        printed = what.board if isinstance(what, Game) else what
        if as_json:
            out, text = out or Path("-"), json.dumps(layout_of(printed).json(), ensure_ascii=False)
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
    typer.echo(f"{out}: {printed.name}{moves}, {'as JSON' if as_json else THEMES[theme].title}")


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


@app.command()
def perft(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="POSITION", help="A position (JSON), instead of a new game.", show_default=False),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(help="The seed a new game is dealt from.")] = 0,
    depth: Annotated[int, typer.Option(min=0, max=MOST_DEPTH, help="How many decisions deep.")] = 3,
    divided: Annotated[
        bool, typer.Option("--divide/--total", help="Count for each first move, or only in all.")
    ] = True,
) -> None:
    """Count how many ways the next decisions can go.

    Counts guard the rules: any change of a rule changes them. As in chess, a game that is over counts at its own depth
    only. Chance does not branch: what a move draws is what the position's random numbers give.
    """
    console = plain_console()
    with plain_errors():
        if source is not None:
            if seats is not None:
                raise BadPosition(f"{source} brings its own seats: expected no --seats beside it")
            game = game_at(read_json(source, BadPosition, "a position"), board)
        else:
            game = new_game(board, seats, seed)
        counting.perft(game, min(depth, 1))  # compiled or loaded before the clock starts
        with killed_by_ctrl_c():
            start = time.perf_counter()
            lines = list(counting.divide(game, depth)) if divided and depth else []
            total = sum(count for _, count in lines) if lines else counting.perft(game, depth)
            elapsed = time.perf_counter() - start
    if lines:
        table = Table(box=box.ROUNDED, border_style="dim")
        table.add_column("first move")
        table.add_column("count", justify="right")
        for move, count in lines:
            table.add_row(str(move), f"{count:,}")
        console.print(table)
    console.print(
        f"depth {depth}: {total:,} in {elapsed:.3f} s, {total / max(elapsed, 1e-9):,.0f} nodes/s", soft_wrap=True
    )


@contextmanager
def killed_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process at once: Python's own way waits for a kernel to return, here perhaps for hours."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


app.command(cls=WithBareOptions)(arena)


@app.command()
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
    from northrail.server import serve as serving  # noqa: PLC0415  # half a second that other commands need not wait
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


@app.command()
def new_board(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What your board is called, or the file to write.")],
) -> None:
    """Begin a board of your own: a small playable file with every key explained.

    `new-board "My Islands"` writes my-islands.toml. Nothing is ever overwritten.
    """
    with plain_errors():
        path = write_new_board(name)
    typer.echo(f"wrote {path}, a small board to make yours: open it in an editor, and then")
    typer.echo(f"  northrail check-board {path}      says what is wrong, odd and on it")
    typer.echo(f"  northrail watch --board {path}    lets bots play it")
    typer.echo(f"  northrail serve --board {path}    plays it with you, on the page")


@app.command()
def check_board(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A board file (.toml), or a built-in board's name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print it for programs.")] = False,
) -> None:
    """Tell everything that is wrong or odd about a board file, with lines, and what is on the board.

    Ends with 0 if the board can be played, warnings or not, with 1 if something is wrong, with 2 if there is no file.
    """
    with plain_errors():
        report = checking.check(source)
    if as_json:
        typer.echo(checking.as_json(report))
    else:
        checking.show(plain_console(), report)
    if report.faults:
        raise typer.Exit(1)


@app.command()
def bench(
    what: Annotated[
        str | None, typer.Argument(metavar="[server]", help="Measure the server instead.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names and numbers for programs.")] = False,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The plain-Python rules to compare with.", show_default="tests/reference"),
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=5000, help="With `server`: how many tables.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="With `server`: how long to play.")] = 30,
) -> None:
    """Measure how fast everything is, in less than a minute; or how much the server takes, in two.

    Each figure is the best of several short runs on one core; what is compared is measured by turns in the same run.
    Kernels are timed inside a loop in a kernel, on 256 positions of random games. Run it on an idle machine.
    """
    figures = []
    with plain_errors(), Console(stderr=True).status("measuring") as status:
        if what not in (None, "server"):
            raise NorthrailError(f"expected nothing or server, got {what!r}")
        for figure in benching.measure(reference) if what is None else server_figures(tables, seconds):
            status.update(f"measuring; {figure.where}, {figure.what}: {figure.text} {figure.unit}")
            figures.append(figure)
    if as_json:
        typer.echo(json.dumps({figure.name: figure.value for figure in figures}, indent=1))
    else:
        plain_console().print(benching.table_of(figures))


def server_figures(tables: int, seconds: float) -> Iterator[benching.Figure]:
    """How much the server takes."""
    from northrail.server.bench import measure  # noqa: PLC0415  # as in `serve`

    return measure(tables, seconds)


if __name__ == "__main__":
    app()
