"""Data sets of whole games, as Parquet (with the extra `data`) or as JSON lines. One row is one game.

Columns: ``seed`` and ``first``; ``players`` by seat; ``moves`` as numbers, which `Game.play` takes; ``scores`` and
``winners`` by seat; ``tickets`` and ``completed``, the numbers of each seat's tickets at the end.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

from northrail.boards.board import TICKET_BITS, Board, numbers_in
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import Game
from northrail.errors import BadRecord, NorthrailError
from northrail.extras import import_extra
from northrail.players import load_players
from northrail.players.bots import OPPONENTS
from northrail.players.decide import play_answer
from northrail.research.collecting import MOST_SEED, whole_games

FORMAT = 1
SUFFIXES = (".parquet", ".jsonl")
GROUP = 4096  # rows of a Parquet row group

Row = dict[str, Any]


@dataclass(frozen=True)
class Games:
    """A data set: what all games have in common, and the columns."""

    header: dict[str, Any]  # format, version of northrail, board, its digest, seats
    columns: dict[str, list[Any]]
    board: Board

    def __len__(self) -> int:
        return len(self.columns["seed"])

    def game(self, number: int, upto: int | None = None) -> Game:
        """Return a game after all its moves, or after the first ``upto``."""
        game = Game(self.board, self.header["seats"], self.columns["seed"][number])
        for move in self.columns["moves"][number][:upto]:
            game.play(int(move))
        return game


def write_games(
    path: Path, board: Board, players: Sequence[str], games: int, seed: int = 0, threads: int | None = None
) -> Iterator[int]:
    """Play games and write them to a file; yield how many are written so far. The file appears when it is complete."""
    if path.suffix not in SUFFIXES:
        raise NorthrailError(f"{path}: expected a file name ending in {' or '.join(SUFFIXES)}")
    header = {
        "northrail_games": FORMAT,
        "version": metadata.version("northrail"),
        "board": board.id,
        "digest": board.digest,
        "seats": len(players),
    }
    batches = played_batches(board, players, games, seed, threads)
    partial = path.with_name(path.name + ".part")
    writing = _write_parquet if path.suffix == ".parquet" else _write_lines
    try:
        yield from writing(partial, header, batches)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load_games(path: Path | str, board: Board | None = None) -> Games:
    """Return the games of a file that `northrail games` wrote. Pass ``board`` if it is your own."""
    path = Path(path)
    read = _read_parquet if path.suffix == ".parquet" else _read_lines
    try:
        header, columns = read(path)
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, NorthrailError):
            raise
        raise BadRecord(f"{path}: expected a file that `northrail games` wrote: {error}") from error
    if not isinstance(header, dict) or header.get("northrail_games") != FORMAT:
        raise BadRecord(f"{path}: expected games of format {FORMAT}, got {str(header)[:60]}")
    if board is None:
        if header["board"] not in BUILT_IN:
            raise BadRecord(f"{path}: expected a built-in board or your own as `board`, got {header['board']!r}")
        board = load_board(header["board"])
    if header["digest"] != board.digest:
        raise BadRecord(
            f"{path}: expected games on {board.id} {board.digest}, got {header['board']} {header['digest']}"
        )
    return Games(header, columns, board)


# --- playing ----------------------------------------------------------------------------------------------------------


def played_batches(
    board: Board, players: Sequence[str], games: int, seed: int, threads: int | None
) -> Iterator[list[Row]]:
    """Yield finished games as rows. Bots that play inside kernels use all threads; others play one after the other."""
    if all(player in OPPONENTS for player in players):
        for table in whole_games(board, players, games, seed, threads):
            yield [_row(game, players) for game in table]
        return
    recipes = load_players(players)
    if not 0 <= seed <= MOST_SEED - games:
        raise NorthrailError(f"seed: expected a number from 0 to 2^61-1, got {seed}")
    for number in range(games):
        turn = number % len(players)
        yield [_slow_row(board, [*recipes[turn:], *recipes[:turn]], seed + number)]


def _row(game: Any, players: Sequence[str]) -> Row:
    seats, turn = len(players), int(game["line_up"])
    return {
        "seed": int(game["seed"]),
        "first": int(game["first"]),
        "players": [*players[turn:], *players[:turn]],
        "moves": game["move"][: game["count"]].tolist(),
        "scores": game["total"][:seats].tolist(),
        "winners": [bool(won) for won in game["winner"][:seats]],
        "tickets": [numbers_in(words, TICKET_BITS) for words in game["held"][:seats].tolist()],
        "completed": [numbers_in(words, TICKET_BITS) for words in game["done"][:seats].tolist()],
    }


def _slow_row(board: Board, recipes: Sequence[Any], seed: int) -> Row:
    """Let players of any kind play a game."""
    game, seats = Game(board, len(recipes), seed), [recipe() for recipe in recipes]
    for seat, player in enumerate(seats):
        if hasattr(player, "start"):
            own = int.from_bytes(blake2b(f"{seed} {seat}".encode(), digest_size=7).digest())
            player.start(board, seat, len(seats), own)
    while not game.over:
        play_answer(game, seats[game.seat].choose(game.view(game.seat)))
    again, moves = Game(board, len(recipes), seed), []
    for text in game.record()["moves"]:
        moves.append(again.find_move(text).number)
        again.play(moves[-1])
    held = [view["tickets"] for view in game.view(None).final or []]
    return {
        "seed": seed,
        "first": game.view(None).first,
        "players": [recipe.name for recipe in recipes],
        "moves": moves,
        "scores": [score.total for score in game.scores()],
        "winners": [seat in game.winners() for seat in range(game.seats)],
        "tickets": [[ticket["number"] for ticket in tickets] for tickets in held],
        "completed": [[ticket["number"] for ticket in tickets if ticket["joined"]] for tickets in held],
    }


# --- files ------------------------------------------------------------------------------------------------------------


def _write_lines(path: Path, header: dict[str, Any], batches: Iterable[list[Row]]) -> Iterator[int]:
    written = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(header) + "\n")
        for rows in batches:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            written += len(rows)
            yield written


def _read_lines(path: Path) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    with path.open(encoding="utf-8") as file:
        header = json.loads(file.readline())
        rows = [json.loads(line) for line in file]
    names = rows[0] if rows else ("seed",)
    return header, {name: [row[name] for row in rows] for name in names}


def _write_parquet(path: Path, header: dict[str, Any], batches: Iterable[list[Row]]) -> Iterator[int]:
    arrow, parquet = import_extra("pyarrow", "data"), import_extra("pyarrow.parquet", "data")
    schema = arrow.schema(
        [
            ("seed", arrow.int64()),
            ("first", arrow.int8()),
            ("players", arrow.list_(arrow.dictionary(arrow.int8(), arrow.string()))),
            ("moves", arrow.list_(arrow.int16())),
            ("scores", arrow.list_(arrow.int16())),
            ("winners", arrow.list_(arrow.bool_())),
            ("tickets", arrow.list_(arrow.list_(arrow.int8()))),
            ("completed", arrow.list_(arrow.list_(arrow.int8()))),
        ],
        metadata={"northrail": json.dumps(header)},
    )
    written, waiting = 0, list[Row]()
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in batches:
            waiting += rows
            if len(waiting) >= GROUP:
                writer.write_table(arrow.Table.from_pylist(waiting, schema))
                waiting = []
            written += len(rows)
            yield written
        writer.write_table(arrow.Table.from_pylist(waiting, schema))


def _read_parquet(path: Path) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    parquet = import_extra("pyarrow.parquet", "data")
    table = parquet.read_table(path)
    return json.loads((table.schema.metadata or {})[b"northrail"]), table.to_pydict()
