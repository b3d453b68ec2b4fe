"""The same seed and moves give the same bytes with JIT, without it, and with bounds checks; and a planner the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAY = """
import hashlib, random, sys
from northrail._jit import JIT
from tables import BOARDS, TABLES, choose, corner
from northrail.players.planner import Planner
import northrail
content = hashlib.sha256()
for name, seats in TABLES:
    for late in (False, True)[: 1 + (seats == 3)]:
        game = corner(BOARDS[name], seats, 40) if late else northrail.Game(BOARDS[name], seats, 40)
        chance = random.Random(40)
        for _ in range(60):
            if game.over:
                break
            events = game.play(choose("any", game.board, game.moves(), chance))
            content.update(game._states.tobytes() + repr([str(event) for event in events]).encode())
            content.update(game.view(game.seat).record.tobytes())
        content.update(repr((game.position(), game.scores(), game.winners())).encode())
for name, seats in TABLES[::3]:
    game, players = northrail.Game(BOARDS[name], seats, 41), [Planner() for _ in range(seats)]
    for _ in range(10):
        game.play(players[game.seat].choose(game.view(game.seat)))
    content.update(game._states.tobytes() + players[0]._mind.tobytes())
sys.stdout.write(f"{JIT} {content.hexdigest()}")
"""


def played_with(**switches: str) -> list[str]:
    """Whether the kernels were compiled, and the digest of some games, in a process of its own."""
    usual = {
        name: value for name, value in os.environ.items() if name not in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
    }
    usual["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=usual | switches, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_same_bytes_compiled_and_as_plain_python() -> None:
    jit = played_with()
    assert jit[0] == "True"
    assert played_with(NUMBA_DISABLE_JIT="1") == ["False", jit[1]]


@pytest.mark.long
def test_the_same_bytes_with_bounds_checks() -> None:
    # Where `make test-checked` keeps its kernels: compiling them takes a minute.
    cache = Path(__file__).parents[1] / ".cache" / "checked"
    assert played_with(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(cache)) == played_with()
