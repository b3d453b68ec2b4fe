"""The kernels against tests/reference, move by move: positions, legal moves, scores and winners."""

import concurrent.futures
import itertools
import multiprocessing
import sys
import time

import pytest
from lockstep import BOARD_FILES, Apart, Lockstep, compare, compare_many
from tables import BOARDS, SIZE, TABLES, WAYS, Size

import northrail
from reference import ReferenceGame

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_random_games(name: str, seats: int, size: Size) -> None:
    for seed in range(size.pick(1, 15)):
        compare(name, seats, seed)


# Each way of choosing plays at every table; in plain Python, which is slow, at one table each.
CORNERS = [
    (*table, way)
    for at, way in enumerate(way for way in WAYS if way != "any")
    for table in ([TABLES[at % len(TABLES)]] if SIZE.name == "small" else TABLES)
]


@pytest.mark.parametrize(("name", "seats", "way"), CORNERS)
def test_games_that_look_for_corners(name: str, seats: int, way: str, size: Size) -> None:
    for seed in range(size.pick(1, 2)):
        compare(name, seats, 1000 + seed, way)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_games_that_begin_with_next_to_nothing_on_the_table(name: str, seats: int, size: Size) -> None:
    ways = itertools.cycle(WAYS)
    for seed in range(size.pick(2, 12)):
        compare(name, seats, 2000 + seed, next(ways), late=True)


def test_a_difference_is_reported_with_the_moves_that_lead_to_it() -> None:
    game = northrail.Game(BOARDS["nordic-countries"], 2, seed=5)
    twin = ReferenceGame(BOARD_FILES["nordic-countries"], 2, seed=5)
    pair = Lockstep(game, twin, "a game of seed 5", face=True)
    twin.trains[1] -= 1
    with pytest.raises(Apart, match=r"(?s)a game of seed 5, after move 0: positions differ.*trains.*40.*39.*moves"):
        pair.check()


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_long(name: str, size: Size, capsys: pytest.CaptureFixture[str]) -> None:
    """Play 20,000 games per board in two processes, and print the progress."""
    games = size.pick(40, 400, 20_000)
    tables = [seats for board, seats in TABLES if board == name]
    step = min(200, games // len(tables))
    # Half of the games have two seats, because they are the quickest. The other tables take turns.
    turn = itertools.cycle(seats for more in tables[1:] for seats in (tables[0], more))
    parts = [(next(turn), range(10_000_000 + start, 10_000_000 + start + step)) for start in range(0, games, step)]
    done = moves = 0
    began = time.monotonic()
    # Processes, because the reference holds the GIL most of the time. Spawned, because a fork could copy held locks.
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        futures = [pool.submit(compare_many, name, seats, seeds) for seats, seeds in parts]
        try:
            for at, future in enumerate(concurrent.futures.as_completed(futures), 1):
                played, made = future.result()
                done, moves = done + played, moves + made
                if at % 8 == 0 or at == len(parts):
                    rate = done / (time.monotonic() - began)
                    with capsys.disabled():
                        sys.stdout.write(f"\r{name}: {done:,} of {games:,} games, {rate:.1f} a second ")
                        sys.stdout.flush()
        finally:
            for future in futures:
                future.cancel()
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {done:,} games in lockstep, {moves:,} moves, no difference\n")
    assert done >= games
