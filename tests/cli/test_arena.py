"""`northrail arena`, as people type it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from contests import contest, write_player
from typer.testing import CliRunner, Result

from northrail import load_board
from northrail.arena import Run, play_game, read_run
from northrail.arena.ratings import Sprt
from northrail.arena.standings import Trial
from northrail.cli.app import app


def run(*words: object) -> Result:
    """Run the command; raise any exception but SystemExit."""
    result = CliRunner().invoke(app, ["arena", *(str(word) for word in words)], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refusal(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    return result.stderr


def play_run(path: Path, *players: str, games: int, board: str = "northern-lights", seed: int = 0) -> Run:
    """Play a contest in this process and save it as the command does; return its run."""
    of = contest(*players, board=load_board(board), seed=seed)
    done = Run.of(path, of, board, players, games)
    done.begin()
    for _ in done.add(play_game(of, number) for number in range(of.whole(games))):
        pass
    return done


def test_the_command_prints_a_table_and_an_elo_list(tmp_path: Path) -> None:
    failing = write_player(tmp_path, "Failing", "def choose(self, view): return 'win'")
    path = tmp_path / "run.jsonl"
    play_run(path, "simple", "random", failing, games=12, seed=3)
    done = run("--resume", path)
    assert done.exit_code == 0
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines[0] == "Northern Lights · 2 seats · 12 games with 2 seeds from 3"
    assert max(len(line) for line in lines if "win" not in line and "legal" not in line) <= 80
    number = r"[+-]?\d+\.\d"
    figures = rf"\(\d+–100\) +{number} ±{number} +{number} ±{number} +{number}/{number} +[\d.]+ .s$"
    assert re.search(rf"^ *simple +100\.0 {figures}", "\n".join(lines), re.M)
    assert re.search(r"^ *Failing.py:Failing +0\.0 \(0–\d+\) +– +– +– ", done.stdout, re.M)
    assert re.search(r"^ *simple +\+\d+ ±\d+ +8 +– *$", done.stdout, re.M)
    assert re.search(r"^ *random +0 +8 +– *$", done.stdout, re.M)
    assert re.search(r"^ *Failing.py:Failing +-\d+ ±\d+ +8 +8 *$", done.stdout, re.M)
    assert "Elo with its 95 % interval; random is 0" in lines
    assert lines[-2].startswith("Failing.py:Failing made an illegal move, in 8 games; first at move ")
    assert lines[-1].startswith("  expected claim, take") and lines[-1].endswith("got 'win'")
    assert str(path) in done.stderr and len(read_run(path)[1]) == 12


def test_the_command_prints_json_for_programs(tmp_path: Path) -> None:
    noisy = write_player(tmp_path, "Noisy", "def choose(self, view):\n    print('hello'); return view.moves[0]")
    done = run(noisy, "--games", 1, "--json", "--save", tmp_path / "run.jsonl", "--processes", 1)
    found = json.loads(done.stdout)
    assert (found["board"], found["games"], found["deals"], found["faults"]) == ("nordic-countries", 1, 1, [])
    assert found["players"][0]["player"] == "Noisy.py:Noisy" and found["players"][0]["games"] == 2
    assert found["elo_zero"] is None
    assert found["players"][0]["points"][1] is None  # one deal says nothing about the error


def test_bad_arguments_are_refused_in_one_sentence(tmp_path: Path) -> None:
    assert "did you mean random?" in refusal("randon")
    assert "none" in refusal("--save", tmp_path / "x")
    assert "2 to 3" in refusal("random", "--seats", 9, "--save", tmp_path / "x")
    assert "atlantis" in refusal("random", "--board", "atlantis", "--save", tmp_path / "x")
    assert not (tmp_path / "x").exists()


# --- saved runs -------------------------------------------------------------------------------------------------------


def test_a_results_file_that_does_not_match_is_refused(tmp_path: Path) -> None:
    mine = write_player(tmp_path, "Mine", "def choose(self, view): return view.moves[0]")
    path = tmp_path / "run.jsonl"
    play_run(path, mine, "random", games=2, board="nordic-countries")
    content = path.read_text(encoding="utf-8")
    assert "--resume" in refusal(mine, "random", "--save", path)
    assert "--save" in refusal("--resume", path, "--save", path)
    assert "players" in refusal(mine, "simple", "--resume", path)
    assert "board" in refusal("--resume", path, "--board", "northern-lights")
    assert "seed 0 as before, got 5" in refusal("--resume", path, "--seed", 5)
    assert "seats" in refusal("--resume", path, "--seats", 3)
    assert run("--resume", path, mine, "random", "--seats", 2, "--board", "nordic-countries").exit_code == 0
    assert path.read_text(encoding="utf-8") == content
    facts = json.loads(content.splitlines()[0])
    for damaged, word in (
        ("", "nothing"),
        ("{}\n", "arena results"),
        ("\x00\n", "arena results"),
        (content.replace('"northrail_arena": 1', '"northrail_arena": 9'), "arena results"),
        (content.replace(facts["digests"][0], "0" * 12), "nordic-countries has changed"),
        (content.replace(facts["digests"][2], "0" * 12), "random has changed"),
        (content.replace('{"game": 0', '{"game" 0'), "a result in line"),
        (content.replace('"places"', '"plices"'), "a result in line 2"),
    ):
        path.write_text(damaged, encoding="utf-8")
        assert word in refusal("--resume", path)
    path.write_text(content, encoding="utf-8")
    write_player(tmp_path, "Mine", "def choose(self, view): return view.moves[-1]")
    assert "Mine has changed" in refusal("--resume", path)
    assert "No such file" in refusal("--resume", tmp_path / "missing")
    assert "No such file" in refusal("random", "--save", tmp_path / "no" / "folder")


def test_ctrl_c_keeps_the_games_played_and_says_how_to_continue(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "run.jsonl"
    # A shell starts background processes with Ctrl-C ignored, and their children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    words = ["random", "random:", "--games", "100000", "--save", str(path), "--processes", "1"]
    command = [sys.executable, "-m", "northrail", "arena", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"COLUMNS": "80"},
    ) as process:  # fmt: skip
        while not path.exists() or path.read_bytes().count(b"\n") < 5:
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all of them
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    _, results = read_run(path)
    assert len(results) >= 4
    assert f"{len(results):,} games with" in output and "Elo" in output
    assert f"saved {len(results):,} games; to continue: northrail arena --resume {path}\n" in errors
    assert "Traceback" not in errors
    done = run("--resume", path, "--games", 2, "--json")
    wanted = {0, 1, *(result.game for result in results)}  # the second may have been under way
    assert done.exit_code == 0 and json.loads(done.stdout)["games"] == len(wanted)


def test_two_versions_of_a_player_are_named_by_their_folders(tmp_path: Path) -> None:
    for folder, move in (("old", 0), ("new", -1)):
        (tmp_path / folder).mkdir()
        text = f"class Mine:\n    def choose(self, view):\n        return view.moves[{move}]\n"
        (tmp_path / folder / "mine.py").write_text(text, encoding="utf-8")
    both = [f"{tmp_path}/{folder}/mine.py:Mine" for folder in ("old", "new")]
    path = tmp_path / "run.jsonl"
    done = run(*both, "random", "--games", 6, "--save", path, "--processes", 1, "--json")
    assert {one["player"] for one in json.loads(done.stdout)["players"]} == {
        "old/mine.py:Mine",
        "new/mine.py:Mine",
        "random",
    }
    assert run("--resume", path).exit_code == 0
    assert "expected different players" in refusal(both[0], both[0])


def test_any_error_message_of_a_player_can_be_saved_and_printed(tmp_path: Path) -> None:
    failing = write_player(tmp_path, "Failing", "def choose(self, view):\n    raise ValueError('a\\u2028b \\ud800 c')")
    path = tmp_path / "run.jsonl"
    done = run(failing, "random", "--games", 2, "--save", path, "--processes", 1)
    assert done.exit_code == 0 and "\\ud800" in done.stdout
    assert [result.fault and result.fault.text.splitlines()[-1] for result in read_run(path)[1]] == ["b \\ud800 c"] * 2


# --- sequential test --------------------------------------------------------------------------------------------------


def test_sprt_stops_once_decided_whatever_the_order_of_the_results(tmp_path: Path) -> None:
    failing = write_player(tmp_path, "Failing", "def choose(self, view): return 'win'")
    done = run("random", failing, "--sprt", "0:200", "--json", "--save", tmp_path / "run.jsonl", "--processes", 1)
    found = json.loads(done.stdout)
    assert found["elo_zero"] == "random"
    assert found["sprt"]["stronger"] is True and found["sprt"]["elo1"] == 200
    assert found["sprt"]["pairs"] == {"1.0": found["deals"]} and found["games"] == 2 * found["deals"] < 60
    run_file, results = read_run(tmp_path / "run.jsonl")
    backwards, forwards = (Trial(run_file.contest(), Sprt(0, 200)) for _ in range(2))
    for one, other in zip(results, reversed(results), strict=True):
        forwards.add(one)
        backwards.add(other)
    assert forwards.results == backwards.results and len(forwards.results) == found["games"]
    assert "random is stronger than Failing.py:Failing: by 200 Elo rather than 0" in str(forwards)
    again = run("--resume", tmp_path / "run.jsonl", "--sprt", "0:200")
    assert str(forwards) in again.stdout


def test_a_call_without_players_says_what_is_missing() -> None:
    assert "expected one or more players, such as `northrail arena medium random`" in refusal()


def test_sprt_needs_two_players_and_two_numbers() -> None:
    for words in (
        ["random", "--sprt"],
        ["random", "simple", "--seats", "3", "--sprt"],
        ["random", "simple", "--sprt", "30:0"],
        ["random", "simple", "--sprt", "0:7000"],
        ["random", "simple", "--sprt", "-999999:0"],
    ):
        assert "expected two players, two seats" in refusal(*words)


# --- extras -----------------------------------------------------------------------------------------------------------


def test_a_missing_extra_is_named_with_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'northrail[plots]'" in refusal("random", "--plot", "x.png")
    assert "pip install 'northrail[cluster]'" in refusal("random", "--ray")
    assert "pip install 'northrail[cluster]'" in refusal("random", "--ray", "ray://far.away:10001")


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed (extra plots)")
def test_plot_writes_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    play_run(path, "random", "random:", games=4)
    done = run("--resume", path, "--plot", tmp_path / "out.png")
    assert done.exit_code == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "expected a file name ending in .png" in refusal("--resume", path, "--plot", tmp_path / "out.xyz")
    assert "in an existing folder" in refusal("--resume", path, "--plot", tmp_path / "no" / "out.png")
