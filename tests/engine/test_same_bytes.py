"""Compiled and as plain Python, the same seed and moves give the same bytes, and a planner makes the same moves."""

import os
import subprocess
import sys

PLAY = """
import hashlib, random, sys
from northrail.kernels.decorators import COMPILED
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
            content.update(bytes(game.state) + repr([str(event) for event in events]).encode())
            content.update(bytes(game.view(game.seat).struct))
        content.update(repr((game.position(), game.scores(), game.winners())).encode())
for name, seats in TABLES[::3]:
    game, players = northrail.Game(BOARDS[name], seats, 41), [Planner() for _ in range(seats)]
    for _ in range(10):
        game.play(players[game.seat].choose(game.view(game.seat)))
    content.update(bytes(game.state) + bytes(players[0]._plan))
sys.stdout.write(f"{COMPILED} {content.hexdigest()}")
"""


def played_with(**switches: str) -> list[str]:
    """Play some games in a new process; return whether the kernels were compiled, and a digest."""
    usual = {name: value for name, value in os.environ.items() if name != "NORTHRAIL_PLAIN"}
    usual["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=usual | switches, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_same_bytes_compiled_and_as_plain_python() -> None:
    compiled = played_with()
    assert compiled[0] == "True"
    assert played_with(NORTHRAIL_PLAIN="1") == ["False", compiled[1]]
