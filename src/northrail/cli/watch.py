"""`northrail watch`: follow a whole game in words."""

import json
import secrets
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from northrail.arena.contest import seed_for
from northrail.boards.load import load_board
from northrail.cli import narrator
from northrail.cli.common import Name, Seats, new_game, plain_console, plain_errors, read_json, seat_names
from northrail.engine.game import Game
from northrail.errors import BadRecord
from northrail.players import Player, load_player

PAUSE = 0.7  # seconds after a turn at speed 1: a game for two takes about a minute
LONGEST_PAUSE = 600
DEFAULT_PLAYERS = "hard,medium"


def watch(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="RECORD", help="A record to replay, instead of a new game.", show_default=False),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same game.", show_default="random")] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="1 is easy to follow, 2 is twice as fast, 0 has no pauses.",
            show_default="1; 0 if the output is a file",
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Save the game here, as a record you can replay."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME…",
            help="Who plays: names or files, as for the arena. If there are more seats, the players repeat in order.",
            show_default=DEFAULT_PLAYERS,
        ),
    ] = None,
    reasons: Annotated[bool, typer.Option("--reasons", help="Print the players' reasons, if they give any.")] = False,
) -> None:
    """Watch a whole game between players, described in words.

    You see all cards and tickets. Players *take* face-up cards and *draw* from the deck.
    """
    console = plain_console()
    with plain_errors():
        seated: tuple[Player, ...] = ()
        if source is not None:
            if (seats, seed, record, players, reasons) != (None, None, None, None, False):
                raise BadRecord(
                    f"{source} already has seats, a seed and moves; "
                    "remove --seats, --seed, --record, --players and --reasons"
                )
            moves = read_json(source, BadRecord, "a record")
            loaded = load_board(board) if board else None
            Game.replay(moves, loaded)  # find a bad move before printing anything
            game = Game.replay(moves, loaded, upto=0)
            happenings, origin = narrator.replay(game, moves["moves"]), f"record {source.name}"
        else:
            seed = secrets.randbelow(1_000_000) if seed is None else seed
            game = new_game(board, seats, seed)
            names, seated = zip(*seat_players(game, players or DEFAULT_PLAYERS, seed), strict=True)
            happenings, origin = narrator.play(game, seated), f"seed {seed} · {', '.join(names)}"
        if record is not None:
            write_record(record, game)  # find an unwritable file before the game
        if speed is None:
            speed = 1 if console.is_terminal else 0
        pause = min(PAUSE / speed, LONGEST_PAUSE) if speed else 0
        voice = narrator.Narrator(console, game, seated if reasons else ())
        try:
            voice.begin(origin)
            for _ in voice.narrate(happenings):
                time.sleep(pause)
            voice.end()
        finally:  # also save an interrupted game
            if record is not None:
                write_record(record, game)


def seat_players(game: Game, names: str, seed: int) -> list[tuple[str, Player]]:
    """Return a player and its name for each seat; the comma-separated ``names`` repeat in order."""
    seated = []
    for seat, name in enumerate(seat_names(names, game.seats)):
        recipe = load_player(name)
        player: Any = recipe()
        if hasattr(player, "start"):
            player.start(game.board, seat, game.seats, seed_for(seed, seat, recipe.name))
        seated.append((recipe.name, player))
    return seated


def write_record(path: Path, game: Game) -> None:
    """Write the game's record."""
    try:
        path.write_text(json.dumps(game.record(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadRecord(f"{path}: cannot write the record: {error.strerror}") from error
