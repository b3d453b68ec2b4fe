"""0.2.0's players in today's arena: whole games with them, and the sentences when they cannot be set up."""

import io
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tables import BOARDS

import yardstick
from northrail import Game, NorthrailError, load_player
from northrail.arena import Contest, play_game, results_here
from northrail.players.decide import play_answer

TOOL = Path(yardstick.__file__)
OLD = f"{TOOL}:Old"


def git(clone: Path, *words: str) -> None:
    names = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", clone, *words], check=True, capture_output=True, env=os.environ | names)


def test_without_the_history_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        NorthrailError, match=r"version 0\.2\.0, commit 94fcab1 .* is not a git clone; clone the project"
    ):
        yardstick.archive(tmp_path)
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "shallow")
    with pytest.raises(
        NorthrailError, match="which this clone lacks; if it is shallow, run git fetch --unshallow; git"
    ):
        yardstick.archive(tmp_path)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NorthrailError, match="of the project's history; install git to read it"):
        yardstick.archive(tmp_path)


def test_a_set_up_that_fails_says_where_and_is_started_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as files:
        files.addfile(tarfile.TarInfo("constraints.txt"))
    monkeypatch.setattr(yardstick, "HOME", tmp_path / "home")
    monkeypatch.setattr(yardstick, "archive", lambda _: packed.getvalue())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    leftover = tmp_path / "home" / "0.2.0" / "leftover"
    leftover.mkdir(parents=True)
    with pytest.raises(NorthrailError, match=r"cannot set up 0\.2\.0 in .*home: -m venv .* failed"):
        yardstick.prepare()
    assert not leftover.exists()
    assert not (tmp_path / "home" / "installed").exists()


def test_making_a_player_needs_no_old_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardstick, "prepare", lambda: pytest.fail("set up"))
    assert load_player(OLD).name == "yardstick.py:Old"
    assert load_player(f"{OLD}:seconds=0.1").digest != load_player(f"{OLD}:seconds=0.2").digest


def test_an_old_process_that_refuses_or_ends_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a process that is today's Python and answers as the script below says."""
    script = tmp_path / "old.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked.get('seed') == 13: sys.exit(3)\n"
        "    print(json.dumps({'fault': 'ValueError: no such player'}), flush=True)\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(yardstick, "__file__", str(script))
    monkeypatch.setattr(yardstick, "prepare", lambda: Path(sys.executable))
    yardstick.process.cache_clear()
    player = yardstick.Old("nobody")
    with pytest.raises(NorthrailError, match=r"^0\.2\.0 answered: ValueError: no such player$"):
        player.start(BOARDS["nordic-countries"], 0, 2, 1)
    with pytest.raises(NorthrailError, match=r"the process of 0\.2\.0 has ended with code 3"):
        player.start(BOARDS["nordic-countries"], 0, 2, 13)
    with pytest.raises(NorthrailError, match="no such player"):  # a new process
        player.start(BOARDS["nordic-countries"], 0, 2, 1)
    yardstick.process().end()
    yardstick.process.cache_clear()


# --- with the old version ---------------------------------------------------------------------------------------------


@pytest.fixture
def old() -> Iterator[yardstick.Process]:
    """A process of the old version; setting it up takes minutes the first time."""
    yardstick.process.cache_clear()
    yield yardstick.process()
    yardstick.process().end()
    yardstick.process.cache_clear()


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "seats"),
    [("nordic-countries", 2), ("nordic-countries", 3), ("northern-lights", 2), ("northern-lights", 5)],
)
def test_whole_games_without_an_illegal_move(board: str, seats: int) -> None:
    yardstick.prepare()
    names = (f"{OLD}:iterations=10", f'{OLD}:name="planner"', f'{OLD}:name="simple"', "planner", "random")
    contest = Contest(BOARDS[board], tuple(map(load_player, names)), seats, seed=31)
    results = list(results_here(contest, range(contest.deal_games)))
    assert len(results) == contest.deal_games
    assert [result.fault for result in results if result.fault] == []


@pytest.mark.long
@pytest.mark.usefixtures("old")
@pytest.mark.parametrize(("board", "seats"), [("nordic-countries", 2), ("northern-lights", 5)])
def test_the_old_search_answers_the_same_in_all_worlds_of_a_view(
    board: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two players of one seat get different worlds of each view, and answer the same through the whole game."""
    game, imagine = Game(BOARDS[board], seats, seed=5), Game.imagine
    pairs = [(yardstick.Old(iterations=20), yardstick.Old(iterations=20)) for _ in range(seats)]
    for seat, pair in enumerate(pairs):
        for player in pair:
            player.start(game.board, seat, seats, seed=seat)
    different = 0
    while not game.over:
        view, answers = game.view(game.seat), []
        worlds = [imagine(view, seed=seed) for seed in (1, 2)]
        different += worlds[0].position()["hands"] != worlds[1].position()["hands"]
        for player, world in zip(pairs[game.seat], worlds, strict=True):
            monkeypatch.setattr(Game, "imagine", lambda _, world=world: world)
            answers.append(player.choose(view))
        monkeypatch.undo()
        assert answers[0] == answers[1]
        play_answer(game, answers[0])
    assert different > 20, "the worlds differ in what the seat cannot know"


@pytest.mark.long
def test_the_same_games_again_with_iterations() -> None:
    players = load_player(f"{OLD}:iterations=10"), load_player("planner")
    contest = Contest(BOARDS["nordic-countries"], players, 2, seed=8)
    assert play_game(contest, 0) == play_game(contest, 0)


@pytest.mark.long
@pytest.mark.usefixtures("old")
def test_compiling_and_loading_happen_before_the_first_choice() -> None:
    """A new process has to load its kernels, which takes more than a second."""
    game, player = Game(BOARDS["northern-lights"], 2, seed=5), yardstick.Old(seconds=0.05)
    player.start(game.board, game.seat, 2, seed=0)
    begun = time.perf_counter()
    player.choose(game.view(game.seat))
    assert 0.05 < time.perf_counter() - begun < 0.5


@pytest.mark.long
def test_it_refuses_what_the_old_version_does_not_know(old: yardstick.Process) -> None:
    board = BOARDS["nordic-countries"]
    with pytest.raises(NorthrailError, match=r"0\.2\.0 answered: BadPlayer: expected a player, one of random, simple"):
        yardstick.Old("beginner").start(board, 0, 2, 1)
    with pytest.raises(NorthrailError, match="iterations: expected 1 to 10,000,000, got 0"):
        yardstick.Old(iterations=0).start(board, 0, 2, 1)
    facts = {"board": board.id, "seat": 0, "seats": 2, "seed": 1, "name": "expert", "arguments": {}}
    with pytest.raises(NorthrailError, match="board: expected nordic-countries with the digest"):
        old.ask({"start": 0, "digest": "0" * 12, **facts})
