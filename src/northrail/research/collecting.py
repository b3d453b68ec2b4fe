"""Whole games between bots at kernel speed, move by move: for data sets and studies."""

import itertools
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from northrail.boards.board import CITIES, NOBODY, ROUTES, SEATS, TICKET_WORDS, Board, BoardStruct
from northrail.engine.rules import LOGGED_CLAIM, deal, is_legal
from northrail.engine.scoring import completed_tickets, score
from northrail.engine.state import OVER, TURN, seeded
from northrail.errors import BadPosition, NorthrailError
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, Structs, clear_struct, copy_struct, int8, int16, int32, int64
from northrail.players.bots import BOTS
from northrail.research.episodes import Episode, Setup, StepScratch, answer, play
from northrail.research.seating import setup_of

MOST_MOVES = 4096  # about ten times as many as a random game takes
CHUNK = 64  # games that a thread plays at once
MOST_GAMES = 1 << 40
MOST_SEED = (1 << 61) - 1


class WholeGame(Struct):
    """A finished game: its moves and how it ended."""

    seed = int64()
    held = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of its tickets at the end
    done = int64(SEATS, TICKET_WORDS)  # [seat] -> bits of the completed ones
    count = int32()  # of moves; negative if the last one was illegal or one too many
    turns = int32()
    move = int16(MOST_MOVES)
    claimed = int16(ROUTES)  # [route] -> the 1-based turn in which it was claimed, or 0
    total = int16(SEATS)
    owner = int8(ROUTES)  # [route] -> seat, or NOBODY
    winner = int8(SEATS)
    first = int8()
    line_up = int8()  # which of the set-ups plays


@kernel
def play_out(board: BoardStruct, setup: Setup, scratch: StepScratch, episode: Episode, game: WholeGame) -> int:
    """Play a dealt game to its end and write its moves; return how many, negative if the last one was illegal."""
    s = episode.state
    count = 0
    while s.phase != OVER:
        game.turns += int(s.phase == TURN)
        seat = int(s.seat)
        move = answer(board, setup, scratch, episode)
        if count == MOST_MOVES or move < 0 or not is_legal(board, scratch.moves, move):
            return -1 - count
        game.move[count] = move
        count += 1
        play(board, episode, move, scratch.log)
        for at in range(scratch.log.lines):
            if scratch.log.line[at, 0] == LOGGED_CLAIM:
                route = int(scratch.log.line[at, 1])
                game.owner[route] = seat
                game.claimed[route] = game.turns
    return count


@entry(threads=True)
def play_whole(
    board: BoardStruct,
    setups: Structs[Setup],
    scratch: StepScratch,
    episode: Episode,
    games: Structs[WholeGame],
    count: int,
) -> None:
    """Play games from their seeds to their end."""
    roots = int8.empty(CITIES)
    for at in range(count):
        game = games[at]
        setup = setups[game.line_up]
        clear_struct(episode)
        episode.seed = game.seed
        episode.rng = seeded(game.seed + BOTS)
        deal(board, episode.state, setup.seats, NOBODY, game.seed, scratch.log)
        game.first = episode.state.first
        for route in range(board.routes):
            game.owner[route] = NOBODY
        game.count = play_out(board, setup, scratch, episode, game)
        if game.count < 0:
            return
        score(board, episode.state, scratch.table, False)
        for seat in range(setup.seats):
            game.total[seat] = scratch.table.total[seat]
            game.winner[seat] = scratch.table.winner[seat]
            completed_tickets(board, episode.state, seat, roots, game.done[seat])
            for word in range(TICKET_WORDS):
                game.held[seat, word] = episode.state.held[seat, word]


def whole_games(
    board: Board, players: Sequence[str], games: int, seed: int = 0, threads: int | None = None
) -> Iterator[Any]:
    """Yield structured arrays of finished games, in order; their fields are those of `WholeGame`.

    Game n has the seed ``seed`` + n, and the players rotate by n seats.

    >>> import northrail
    >>> table = next(whole_games(northrail.load_board("nordic-countries"), ("path", "hungry"), 10))
    >>> table.shape, bool((table["count"] > 50).all())
    ((10,), True)
    """
    least, most = board.rules.seats
    if not least <= len(players) <= most:
        raise BadPosition(f"players: expected {least} to {most} on {board.name}, got {len(players)}")
    if not 0 <= games <= MOST_GAMES or not 0 <= seed <= MOST_SEED - games:
        raise NorthrailError(f"expected up to 2^40 games and a seed from 0 to 2^61-1, got {games} and {seed}")
    setups = Setup.many(len(players))
    for turn in range(len(players)):
        copy_struct(setups[turn], setup_of(board, [*players[turn:], *players[:turn]]))

    def play(start: int) -> Any:
        table = WholeGame.many(min(CHUNK, games - start))
        array = table.array
        array["seed"] = np.arange(seed + start, seed + start + len(table))
        array["line_up"] = np.arange(start, start + len(table)) % len(players)
        play_whole(board.struct, setups, StepScratch(), Episode(), table, len(table))
        if array["count"].min() < 0:
            wrong = array[array["count"].argmin()]
            raise AssertionError(f"move {-wrong['count']} with seed {wrong['seed']} on {board.name} is not legal")
        return array

    threads = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        starts = iter(range(0, games, CHUNK))
        waiting = [pool.submit(play, start) for start in itertools.islice(starts, 2 * threads)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(play, start) for start in itertools.islice(starts, 1)]
