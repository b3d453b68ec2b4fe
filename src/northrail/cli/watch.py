"""`northrail watch`: a whole game, told in words."""

import json
import re
import secrets
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from northrail.arena.contest import seed_for
from northrail.boards.load import load_board
from northrail.cli import narrator
from northrail.cli.common import Name, Seats, new_game, plain_console, plain_errors, read_json
from northrail.engine.game import Game
from northrail.errors import BadRecord
from northrail.players import BadPlayer, Player, load_player

PAUSE = 0.7  # seconds after a turn at speed 1: a game for two takes about a minute
LONGEST_PAUSE = 600
WATCHED = "hard,medium"


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
            loaded = load_board(board) if board else None
            Game.replay(moves, loaded)  # all of it: nothing is told of a record that cannot be played
            game = Game.replay(moves, loaded, upto=0)
            happenings, origin = narrator.replay(game, moves["moves"]), f"record {source.name}"
        else:
            seed = secrets.randbelow(1_000_000) if seed is None else seed
            game = new_game(board, seats, seed)
            names, seated = zip(*seat_players(game, players or WATCHED, seed), strict=True)
            happenings, origin = narrator.play(game, seated), f"seed {seed} · {', '.join(names)}"
        if record is not None:
            write_record(record, game)  # what cannot be written is better known before the game
        if speed is None:
            speed = 1 if console.is_terminal else 0
        pause = min(PAUSE / speed, LONGEST_PAUSE) if speed else 0
        teller = narrator.Teller(console, game, seated if reasons else ())
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


def write_record(path: Path, game: Game) -> None:
    """Write the game's record."""
    try:
        path.write_text(json.dumps(game.record(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as fault:
        raise BadRecord(f"{path}: expected a file to write the record to, got {fault.strerror}") from fault
