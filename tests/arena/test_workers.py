"""Worker processes: players that hang or crash, and a Ray cluster."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from contests import contest, write_player

from northrail import Game
from northrail.arena import Contest, play_game, read_run, results_here

HANGING = {
    "Hangs": "def choose(self, view):\n    while True: pass",
    "Waits": "def start(self, *_):\n    time.sleep(1000)\ndef choose(self, view): ...",
    "Stalls": "def choose(self, view):\n    return self\ndef __index__(self):\n    time.sleep(1000)",
}


def test_a_player_that_hangs_loses_and_its_process_is_killed(tmp_path: Path) -> None:
    of = contest(
        *(write_player(tmp_path, name, body) for name, body in HANGING.items()), "random", limit=0.3, patience=2.0
    )
    # Leave out games that `random` starts: on a busy machine it, too, may take 0.3 s.
    line_ups = {game: of.game(game)[1] for game in range(of.deal_games)}
    games = [game for game, line_up in line_ups.items() if 3 in line_up and line_up[first_seat(of, game)] != 3]
    results = sorted(results_here(of, games, processes=2), key=lambda result: result.game)
    assert [result.game for result in results] == games and len(games) == len(HANGING)
    for result in results:
        fault = result.fault
        assert fault is not None and fault.kind == "slow" and fault.player != "random"
        before = "Waits" in fault.player
        assert fault.move == (0 if before else 1)
        assert fault.text == f"expected an answer within {2 if before else 0.3} s, got none"
        assert result.places == ((2, 1) if fault.seat == 0 else (1, 2))


def first_seat(of: Contest, game: int) -> int:
    """Return the seat that moves first in a game."""
    return Game(of.board, of.seats, of.game(game)[0]).seat


def test_a_player_that_crashes_its_process_loses_only_that_game(tmp_path: Path) -> None:
    of = contest(
        write_player(tmp_path, "Quits", "def choose(self, view):\n    print('bye'); os._exit(3)"), "random", "random:"
    )
    quit_in, other = results_here(of, [1, 2], processes=1)
    assert quit_in.fault is not None and quit_in.fault.kind == "gone" and quit_in.fault.player == "Quits.py:Quits"
    assert quit_in.fault.text == "expected an answer, but its process ended with exit code 3"
    assert other == play_game(of, 2) and other.fault is None


def test_a_worker_ends_with_its_parent_even_while_its_player_hangs(tmp_path: Path) -> None:
    note = tmp_path / "note"
    hangs = write_player(
        tmp_path, "Hangs", f"def choose(self, view):\n    open({str(note)!r}, 'x')\n    while True: pass"
    )
    command = [sys.executable, "-m", "northrail", "arena", hangs, "--processes", "1", "--save", str(tmp_path / "run")]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not note.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=30)  # waits until every writer has ended; the player itself would have 60 s


@pytest.mark.long  # Ray is 240 MB; `make test-long` installs it
def test_a_local_ray_cluster_of_two_workers_gives_the_same_results(tmp_path: Path) -> None:
    body = "while view.me == 1 and len(view.owners) > 3: pass"  # in every second game
    hangs = write_player(tmp_path, "Hangs", f"def choose(self, view):\n    {body}\n    return view.moves[0]")
    path = tmp_path / "run.jsonl"
    words = [
        hangs,
        "simple",
        "--games",
        "4",
        "--limit",
        "2",
        "--save",
        str(path),
        "--ray",
        "--processes",
        "2",
        "--json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "northrail", "arena", *words], capture_output=True, text=True, check=False,
        env=os.environ | {"RAY_ADDRESS": "local"}, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 4
    begun, results = read_run(path)
    assert results == sorted(results_here(begun.contest(), range(4), 2), key=lambda result: result.game)
    assert [result.fault and result.fault.kind for result in results] == [None, "slow"] * 2
