"""Who meets whom in which seat, players that fail, results that are kept, and the command."""

import doctest
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from northrail import Game, load_board, load_player
from northrail.arena import BadRun, Contest, Run, play_game, read_run, results_here, standings
from northrail.arena.contest import line_ups, round_orders, seed_for
from northrail.arena.match import IDLE, Table, forfeit
from northrail.arena.ratings import Sprt
from northrail.arena.standings import Trial
from northrail.cli.app import app

NORDIC = load_board("nordic-countries")
LIGHTS = load_board("northern-lights")


def contest(*players: str, seats: int = 2, **rest: Any) -> Contest:
    return Contest(rest.pop("board", LIGHTS), tuple(load_player(player) for player in players), seats, **rest)


def run(*words: object) -> Result:
    """What the command prints and how it ends; anything but an orderly end is raised."""
    result = CliRunner().invoke(app, ["arena", *(str(word) for word in words)], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refusal(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    return result.stderr


def played(path: Path, *players: str, games: int, board: str = "northern-lights", seed: int = 0) -> Run:
    """The run of a contest that was played here, without processes; it is kept as the command keeps it."""
    of = contest(*players, board=load_board(board), seed=seed)
    done = Run.of(path, of, board, players, games)
    done.begin()
    for _ in done.add(play_game(of, number) for number in range(of.whole(games))):
        pass
    return done


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """Write a player's methods into a file; gives the words that name it."""

    def write(name: str, *body: str) -> str:
        methods = textwrap.indent("\n".join(textwrap.dedent(part) for part in body), "    ")
        (tmp_path / f"{name}.py").write_text(f"import os, sys, time\n\nclass {name}:\n{methods}\n", encoding="utf-8")
        return f"{tmp_path / name}.py:{name}"

    return write


# --- who sits where ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "seats"), [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (2, 3), (2, 4), (3, 4), (2, 5), (5, 5)]
)
def test_in_every_deal_each_player_sits_in_each_seat_as_often_as_the_others(players: int, seats: int) -> None:
    of = Contest(LIGHTS, tuple(replace(load_player("random"), name=str(at)) for at in range(players)), seats, seed=40)
    for deal in range(4):
        games = [of.game(deal * of.deal_games + at) for at in range(of.deal_games)]
        assert {seed for seed, _ in games} == {40 + deal}
        assert len(set(games)) == len(games), "no game is played twice"
        for seat in range(seats):
            counts = Counter(line_up[seat] for _, line_up in games)
            assert len(counts) == players and len(set(counts.values())) == 1
        met = Counter(tuple(sorted(line_up)) for _, line_up in games)
        assert len(set(met.values())) == 1 and set(met) == set(line_ups(players, seats))


def test_line_ups_are_all_choices_of_players() -> None:
    assert line_ups(4, 2) == list(itertools.combinations(range(4), 2))
    assert line_ups(1, 3) == [(0, 0, 0)]
    assert line_ups(2, 4) == [(0, 0, 1, 1)]
    assert line_ups(3, 5) == [(0, 0, 1, 1, 2), (0, 0, 1, 2, 2), (0, 1, 1, 2, 2)]


def test_who_follows_whom_changes_from_deal_to_deal() -> None:
    assert len(round_orders((0, 1, 2, 3))) == 6
    of = contest("random", "simple", "random:", seats=3)
    assert [of.game(number)[1] for number in range(6)] == [
        (0, 1, 2), (1, 2, 0), (2, 0, 1),
        (0, 2, 1), (2, 1, 0), (1, 0, 2),
    ]  # fmt: skip


def test_games_are_rounded_up_to_whole_deals() -> None:
    assert [contest("random", "simple").whole(games) for games in (1, 2, 3)] == [2, 2, 4]
    assert contest("random", "simple", seats=3).whole(100) == 102
    assert contest("random", seats=3).whole(5) == 5  # alone at the table, turning changes nothing


def test_seeds_of_players_differ_by_game_seat_and_name() -> None:
    seeds = {seed_for(seed, seat, name) for seed in range(20) for seat in range(5) for name in ("a", "b")}
    assert len(seeds) == 200 and max(seeds) < 2**62
    assert seed_for(1, 0, "random") == 1990887598841326378


def test_a_contest_that_cannot_be_played_is_refused() -> None:
    wrong: list[tuple[list[str], dict[str, Any], str]] = [
        ([], {}, "none"),
        (["random", "random"], {}, "different"),
        (["random"], {"seats": 6}, "2 to 5"),
        (["random"], {"seed": -1}, "seed"),
        (["random"], {"limit": 0}, "limit"),
        (["random"], {"limit": float("nan")}, "limit"),
    ]
    for players, facts, word in wrong:
        with pytest.raises(BadRun, match=word):
            contest(*players, **facts)


# --- one game ---------------------------------------------------------------------------------------------------------


def test_a_game_of_the_arena_is_the_game_of_its_seed() -> None:
    of = contest("random", "simple", board=NORDIC, seed=7)
    result = play_game(of, 1)
    game = Game(NORDIC, 2, 7)
    players: Any = [recipe() for recipe in reversed(of.players)]
    players[1].start(NORDIC, 1, 2, seed_for(7, 1, "random"))
    decisions = [0, 0]
    while not game.over:
        decisions[game.seat] += 1
        choice = players[game.seat].choose(game.view(game.seat))
        _ = game.claim(*choice) if isinstance(choice, tuple) else game.play(choice)
    assert result.players == ("simple", "random") and result.decisions == tuple(decisions)
    assert result.points == tuple(score.total for score in game.scores())
    assert result.completed == tuple(score.completed for score in game.scores())
    assert result.tickets == tuple(game.view(None).ticket_counts)
    assert result.places == ((1, 2) if game.winners() == [0] else (2, 1))
    assert play_game(of, 1) == result


def test_players_are_told_of_beginning_and_end_and_choose_in_any_form(own: Any) -> None:
    teller = own(
        "Teller",
        """
        reason = "because"
        def start(self, board, seat, seats, seed):
            self.told, self.turn = [board.id, seat, seats, type(seed)], 0
        def choose(self, view):
            assert view.me == view.seat == self.told[1] and view.phase != "over"
            self.turn += 1
            for route, price in (view.options["claim"] or {}).items():
                return int(route), price["payments"][0]
            move = view.moves[0]
            return (move, str(move), move.number)[self.turn % 3]
        def finish(self, view):
            assert view.phase == "over" and view.me == self.told[1] and len(view.final) == 3
            assert self.told == ["northern-lights", view.me, 3, int]
            raise RuntimeError(f"all is well after {self.turn}")
        """,
    )
    result = play_game(contest(teller, seats=3), 0)
    assert result.fault is not None and result.fault.kind == "raised"
    assert f"all is well after {result.decisions[0]}" in result.fault.text


COUNTS = """
turns = 0
def choose(self, view):
    import numpy
    self.turns += 1
    assert self.turns < 20, "enough"
    return numpy.int16(view.moves[-1].number)
"""
COUNTS_STRUCTS = """
def choose_struct(self, board, view):
    from northrail.engine.view import view_of
    self.kept = view
    return self.choose(view_of(board, view))
"""


def test_numbers_of_any_kind_are_moves_also_of_kernels(own: Any) -> None:
    slow, fast = (play_game(contest(own("Counts", *parts)), 0) for parts in ([COUNTS], [COUNTS, COUNTS_STRUCTS]))
    assert slow.fault is not None and "enough" in slow.fault.text and sum(slow.decisions) > 20
    assert slow.decisions == fast.decisions


def test_a_kernel_player_keeps_no_view_that_shows_what_others_know(own: Any) -> None:
    table = Table(contest(own("Counts", COUNTS, COUNTS_STRUCTS)), 0, list(IDLE))
    table.play()
    players: list[Any] = table.players
    assert [player.kept.me for player in players] == [0, 1]


# --- players that fail ------------------------------------------------------------------------------------------------

FAILURES = {
    "raises": ("return [][0]", "raised", "IndexError: list index out of range"),
    "leaves": ("sys.exit('enough')", "raised", "SystemExit: enough"),
    "illegal": ("return 'pass'", "illegal", "seat 0 cannot pass: it is asked which tickets to keep"),
    "nonsense": ("return 'win'", "illegal", "expected claim, take"),
    "nothing": ("return None", "illegal", "expected a Move, a text or a number, got None"),
    "too far": ("return 10**30", "illegal", "expected a move number from"),
    "truth": ("return True", "illegal", "got True"),
    "a claim out of turn": ("return 0, {'red': 1}", "illegal", "it is asked which tickets to keep"),
    "no cards": ("return 0, 5", "illegal", "expected cards such as"),
    "slow": ("time.sleep(0.06); return view.moves[0]", "slow", "expected an answer within 0.05 s, got one after 0."),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_player_that_fails_has_lost_and_is_told_why(name: str, own: Any) -> None:
    body, kind, text = FAILURES[name]
    limit = 0.05 if kind == "slow" else 60.0
    failing = own("Failing", f"def choose(self, view):\n    {body}")
    of = contest(failing, "random:", "random", seats=3, board=NORDIC, limit=limit, seed=6)
    number = next(at for at in range(9) if Game(NORDIC, 3, of.game(at)[0]).seat == of.game(at)[1].index(0) == 0)
    result = play_game(of, number)
    assert result.fault is not None
    assert (result.fault.player, result.fault.seat, result.fault.move) == ("Failing.py:Failing", 0, 1)
    assert result.fault.kind == kind and text in result.fault.text
    assert result.places == (3, 1, 1) and result.points is None


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("-1", "expected a move number from 0 to"),
        ("10**30", "expected a move number from 0 to"),
        ("'pass'", "got 'pass'"),
        ("None", "got None"),
        ("0", "seat 0 cannot claim"),
        ("len(board.routes) + 51", "set"),
    ],
)
def test_a_kernel_player_that_fails_has_lost_too(answer: str, text: str, own: Any) -> None:
    body = f"def choose_struct(self, board, view):\n    return {answer}"
    of = contest(own("Failing", "def choose(self, view): ...", body), board=NORDIC, seed=6)
    number = next(at for at in range(9) if Game(NORDIC, 2, of.game(at)[0]).seat == 0)
    fault = play_game(of, number).fault
    assert fault is not None and fault.kind == "illegal" and text in fault.text


def test_whatever_a_player_says_when_it_raises_can_be_kept_and_told(tmp_path: Path, own: Any) -> None:
    failing = own("Failing", "def choose(self, view):\n    raise ValueError('a\\u2028b \\ud800 c')")
    path = tmp_path / "run.jsonl"
    told = run(failing, "random", "--games", 2, "--save", path, "--processes", 1)
    assert told.exit_code == 0 and "\\ud800" in told.stdout
    assert [result.fault and result.fault.text.splitlines()[-1] for result in read_run(path)[1]] == ["b \\ud800 c"] * 2


def test_two_versions_of_a_player_meet_under_the_names_of_their_folders(tmp_path: Path) -> None:
    for folder, move in (("old", 0), ("new", -1)):
        (tmp_path / folder).mkdir()
        text = f"class Mine:\n    def choose(self, view):\n        return view.moves[{move}]\n"
        (tmp_path / folder / "mine.py").write_text(text, encoding="utf-8")
    both = [f"{tmp_path}/{folder}/mine.py:Mine" for folder in ("old", "new")]
    path = tmp_path / "run.jsonl"
    told = run(*both, "random", "--games", 6, "--save", path, "--processes", 1, "--json")
    assert {one["player"] for one in json.loads(told.stdout)["players"]} == {
        "old/mine.py:Mine",
        "new/mine.py:Mine",
        "random",
    }
    assert run("--resume", path).exit_code == 0
    assert "expected different players" in refusal(both[0], both[0])


def test_faults_tell_where_an_exception_was_raised(own: Any) -> None:
    failing = own("Failing", "def choose(self, view):\n    return view.no_such_thing")
    fault = play_game(contest(failing), 0).fault
    assert fault is not None
    assert "Failing.py" in fault.text and "line 5" in fault.text and "no_such_thing" in fault.text


def test_faults_that_are_alike_are_told_together(own: Any) -> None:
    failing = own("Failing", "def choose(self, view):\n    return view.no_such_thing")
    of = contest(failing, "random", seed=3)
    results = [play_game(of, number) for number in range(2)]
    (told,) = standings.faults_of(results)
    seat = results[0].players.index("Failing.py:Failing")
    assert re.match(rf"Failing.py:Failing raised, in 2 games; first at move \d, seat {seat}, seed 3:\n  File ", told)
    assert standings.faults_of(results[:1])[0].startswith("Failing.py:Failing raised, at move ")
    slow = [forfeit(of, [0, 0, 1], "slow", f"after {seconds} s") for seconds in (1, 2)]
    other = [forfeit(of, [0, 0, 1], "illegal", str(number)) for number in range(7)]
    many = standings.faults_of([*slow, *other])
    assert len(many) == 6 and "in 2 games" in many[0] and many[-1] == "and 3 more kinds of faults"


HANGING = {
    "Hangs": "def choose(self, view):\n    while True: pass",
    "Waits": "def start(self, *_):\n    time.sleep(1000)\ndef choose(self, view): ...",
    "Stalls": "def choose(self, view):\n    return self\ndef __index__(self):\n    time.sleep(1000)",
}


def test_players_that_hang_are_ended_with_their_process(own: Any) -> None:
    of = contest(*(own(name, body) for name, body in HANGING.items()), "random", limit=0.3, patience=2.0)
    # Those in which random is not asked for a move before the other: on a busy machine it, too, may take 0.3 s.
    games = [game for game in range(of.deal_games) if 3 in of.game(game)[1] and of.game(game)[1][starts(of, game)] != 3]
    results = sorted(results_here(of, games, processes=2), key=lambda result: result.game)
    assert [result.game for result in results] == games and len(games) == len(HANGING)
    for result in results:
        fault = result.fault
        assert fault is not None and fault.kind == "slow" and fault.player != "random"
        before = "Waits" in fault.player
        assert fault.move == (0 if before else 1)
        assert fault.text == f"expected an answer within {2 if before else 0.3} s, got none"
        assert result.places == ((2, 1) if fault.seat == 0 else (1, 2))


def starts(of: Contest, game: int) -> int:
    """The seat that is asked first in a game."""
    return Game(of.board, of.seats, of.game(game)[0]).seat


def test_a_player_that_ends_its_process_loses_that_game_and_the_others_are_played(own: Any) -> None:
    of = contest(own("Quits", "def choose(self, view):\n    print('bye'); os._exit(3)"), "random", "random:")
    quit_in, other = results_here(of, [1, 2], processes=1)
    assert quit_in.fault is not None and quit_in.fault.kind == "gone" and quit_in.fault.player == "Quits.py:Quits"
    assert quit_in.fault.text == "expected an answer, got the end of its process with 3"
    assert other == play_game(of, 2) and other.fault is None


CHEATS = {
    "by a view": "def choose(self, view):\n    move = view.moves[0]\n"
    "    view.board.struct.memory[0] ^= 1\n    return move",
    "by start": "def start(self, board, *_):\n    board.struct.memory[0] ^= 1\ndef choose(self, view): ...",
    "by other memory": "def choose(self, view):\n    move, printed = view.moves[0], view.board.struct\n"
    "    printed.memory = printed.memory[::-1]\n    return move",
    "and raises": "def choose(self, view):\n    view.board.struct.memory[0] ^= 1\n    return [][0]",
    "as a kernel": "def choose(self, view): ...\ndef choose_struct(self, board, view):\n"
    "    board.struct.memory[0] ^= 1",
}


@pytest.mark.parametrize("body", CHEATS.values(), ids=CHEATS)
def test_a_player_that_changes_the_board_has_lost_and_the_board_is_as_it_was(body: str, own: Any) -> None:
    board = load_board("nordic-countries")
    fault = play_game(contest(own("Cheats", body), board=board), 0).fault
    assert fault is not None and fault.kind == ("raised" if "[][0]" in body else "cheated")
    assert bytes(board.struct) == bytes(NORDIC.struct)


def test_ctrl_c_is_no_fault_of_a_player(own: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        play_game(contest(own("Waits", "def choose(self, view): raise KeyboardInterrupt")), 0)


def test_a_process_ends_with_the_one_that_started_it_also_when_its_player_hangs(own: Any, tmp_path: Path) -> None:
    note = tmp_path / "note"
    hangs = own("Hangs", f"def choose(self, view):\n    open({str(note)!r}, 'x')\n    while True: pass")
    command = [sys.executable, "-m", "northrail", "arena", hangs, "--processes", "1", "--save", str(tmp_path / "run")]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not note.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=30)  # which waits until nobody is left to write, and long before the 60 s it has


# --- processes and files ----------------------------------------------------------------------------------------------


def test_results_do_not_depend_on_the_number_of_processes_and_resuming_changes_nothing(tmp_path: Path) -> None:
    of = contest("random", "random:", seed=100)
    whole = [play_game(of, number) for number in range(12)]
    path = tmp_path / "run.jsonl"
    begun = Run.of(path, of, "northern-lights", ["random", "random:"], 12)
    begun.begin()
    first = list(itertools.islice(begun.add(results_here(of, range(12), processes=2)), 5))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"game": 11, "se')  # torn, as when a machine loses its power
    again, results = read_run(path)
    assert again == begun and again.contest() == of
    assert results == sorted(first, key=lambda result: result.game)
    done = {result.game for result in results}
    list(again.add(results_here(of, (game for game in range(12) if game not in done), processes=1)))
    assert read_run(path)[1] == whole
    lines = path.read_text(encoding="utf-8").splitlines()
    timeless = [
        re.sub(r', "seconds": .*', "", line) for line in sorted(lines[1:], key=lambda line: json.loads(line)["game"])
    ]
    assert timeless == [re.sub(r', "seconds": .*', "", result.line()) for result in whole]


def test_a_file_that_does_not_belong_is_refused(tmp_path: Path, own: Any) -> None:
    mine = own("Mine", "def choose(self, view): return view.moves[0]")
    path = tmp_path / "run.jsonl"
    played(path, mine, "random", games=2, board="nordic-countries")
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
        ("{}\n", "results of an arena"),
        ("\x00\n", "results of an arena"),
        (content.replace('"northrail_arena": 1', '"northrail_arena": 9'), "results of an arena"),
        (content.replace(facts["digests"][0], "0" * 12), "nordic-countries as it was"),
        (content.replace(facts["digests"][2], "0" * 12), "random as it was"),
        (content.replace('{"game": 0', '{"game" 0'), "a result in line"),
        (content.replace('"places"', '"plices"'), "a result in line 2"),
    ):
        path.write_text(damaged, encoding="utf-8")
        assert word in refusal("--resume", path)
    path.write_text(content, encoding="utf-8")
    own("Mine", "def choose(self, view): return view.moves[-1]")
    assert "another version" in refusal("--resume", path)
    assert "No such file" in refusal("--resume", tmp_path / "missing")
    assert "No such file" in refusal("random", "--save", tmp_path / "no" / "folder")


def test_ctrl_c_keeps_what_was_played_and_says_how_to_go_on(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "run.jsonl"
    # What a shell starts in the background ignores Ctrl-C, and so does all that it starts, unless it is told to listen.
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
        told, faults = process.communicate(timeout=60)
    assert process.returncode == 130
    _, results = read_run(path)
    assert len(results) >= 4
    assert f"{len(results):,} games with" in told and "Elo" in told
    assert f"{len(results):,} games are in {path}; to go on: northrail arena --resume {path}\n" in faults
    assert "Traceback" not in faults
    done = run("--resume", path, "--games", 2, "--json")
    wanted = {0, 1, *(result.game for result in results)}  # the second may have been under way
    assert done.exit_code == 0 and json.loads(done.stdout)["games"] == len(wanted)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_table_and_an_elo_list(tmp_path: Path, own: Any) -> None:
    failing = own("Failing", "def choose(self, view): return 'win'")
    path = tmp_path / "run.jsonl"
    played(path, "simple", "random", failing, games=12, seed=3)
    told = run("--resume", path)
    assert told.exit_code == 0
    lines = [line.rstrip() for line in told.stdout.splitlines()]
    assert lines[0] == "Northern Lights · 2 seats · 12 games with 2 seeds from 3"
    assert max(len(line) for line in lines if "win" not in line and "legal" not in line) <= 80
    number = r"[+-]?\d+\.\d"
    figures = rf"\(\d+–100\) +{number} ±{number} +{number} ±{number} +{number}/{number} +[\d.]+ .s$"
    assert re.search(rf"^ *simple +100\.0 {figures}", "\n".join(lines), re.M)
    assert re.search(r"^ *Failing.py:Failing +0\.0 \(0–\d+\) +– +– +– ", told.stdout, re.M)
    assert re.search(r"^ *simple +\+\d+ ±\d+ +8 +– *$", told.stdout, re.M)
    assert re.search(r"^ *random +0 +8 +– *$", told.stdout, re.M)
    assert re.search(r"^ *Failing.py:Failing +-\d+ ±\d+ +8 +8 *$", told.stdout, re.M)
    assert "Elo with its 95 % interval; random is 0" in lines
    assert lines[-2].startswith("Failing.py:Failing made no legal move, in 8 games; first at move ")
    assert lines[-1].startswith("  expected claim, take") and lines[-1].endswith("got 'win'")
    assert str(path) in told.stderr and len(read_run(path)[1]) == 12


def test_the_command_prints_json_for_programs(tmp_path: Path, own: Any) -> None:
    noisy = own("Noisy", "def choose(self, view):\n    print('hello'); return view.moves[0]")
    told = run(noisy, "--games", 1, "--json", "--save", tmp_path / "run.jsonl", "--processes", 1)
    found = json.loads(told.stdout)
    assert (found["board"], found["games"], found["deals"], found["faults"]) == ("nordic-countries", 1, 1, [])
    assert found["players"][0]["player"] == "Noisy.py:Noisy" and found["players"][0]["games"] == 2
    assert found["elo_zero"] is None
    assert found["players"][0]["points"][1] is None  # one deal says nothing about the error


def test_sprt_stops_when_it_is_decided_with_the_same_answer_however_results_come(tmp_path: Path, own: Any) -> None:
    failing = own("Failing", "def choose(self, view): return 'win'")
    told = run("random", failing, "--sprt", "0:200", "--json", "--save", tmp_path / "run.jsonl", "--processes", 1)
    found = json.loads(told.stdout)
    assert found["elo_zero"] == "random"
    assert found["sprt"]["stronger"] is True and found["sprt"]["elo1"] == 200
    assert found["sprt"]["pairs"] == {"1.0": found["deals"]} and found["games"] == 2 * found["deals"] < 60
    run_file, results = read_run(tmp_path / "run.jsonl")
    backwards, forwards = (Trial(run_file.contest(), Sprt(0, 200)) for _ in range(2))
    for one, other in zip(results, reversed(results), strict=True):
        forwards.add(one)
        backwards.add(other)
    assert forwards.results == backwards.results and len(forwards.results) == found["games"]
    assert "random is stronger than Failing.py:Failing: 200 Elo rather than 0" in str(forwards)
    again = run("--resume", tmp_path / "run.jsonl", "--sprt", "0:200")
    assert str(forwards) in again.stdout


def test_sprt_asks_for_two_players_and_two_numbers() -> None:
    for words in (
        ["random", "--sprt"],
        ["random", "simple", "--seats", "3", "--sprt"],
        ["random", "simple", "--sprt", "30:0"],
        ["random", "simple", "--sprt", "0:7000"],
        ["random", "simple", "--sprt", "-999999:0"],
    ):
        assert "expected two players, two seats" in refusal(*words)


def test_the_command_refuses_in_a_sentence(tmp_path: Path) -> None:
    assert "is it random?" in refusal("randon")
    assert "none" in refusal("--save", tmp_path / "x")
    assert "2 to 3" in refusal("random", "--seats", 9, "--save", tmp_path / "x")
    assert "atlantis" in refusal("random", "--board", "atlantis", "--save", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_extras_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'northrail[plots]'" in refusal("random", "--plot", "x.png")
    assert "pip install 'northrail[cluster]'" in refusal("random", "--ray")
    assert "pip install 'northrail[cluster]'" in refusal("random", "--ray", "ray://far.away:10001")


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed (extra plots)")
def test_plot_draws_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    played(path, "random", "random:", games=4)
    told = run("--resume", path, "--plot", tmp_path / "out.png")
    assert told.exit_code == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "expected a name that ends in .png" in refusal("--resume", path, "--plot", tmp_path / "out.xyz")
    assert "in a folder that is there" in refusal("--resume", path, "--plot", tmp_path / "no" / "out.png")


@pytest.mark.long  # Ray is 240 MB; `make test-long` installs it
def test_a_local_ray_of_two_workers_gives_the_same_results(tmp_path: Path, own: Any) -> None:
    body = "while view.me == 1 and len(view.owners) > 3: pass"  # in every second game
    hangs = own("Hangs", f"def choose(self, view):\n    {body}\n    return view.moves[0]")
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


# --- the player of docs/write-a-player.md ---------------------------------------------------------------------------


def test_the_players_of_the_docs_beat_each_other_and_random(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "write-a-player.md"
    samples = [each.source for each in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))]
    parts = [part for part in samples if part.startswith(("import heapq", "def ", "class "))]
    (tmp_path / "mine.py").write_text("\n".join(parts), encoding="utf-8")
    mine = f"{tmp_path}/mine.py"
    for board, seats in ((NORDIC, 2), (LIGHTS, 3)):
        of = contest(f"{mine}:Better", f"{mine}:Mine", "random", board=board, seats=seats)
        results = [play_game(of, number) for number in range(of.whole(6))]
        assert not standings.faults_of(results)
        assert [one.player for one in standings.standings(results)] == ["mine.py:Better", "mine.py:Mine", "random"]


# --- figures ----------------------------------------------------------------------------------------------------------


def test_standings_are_the_figures_of_the_results() -> None:
    of = contest("random", "simple", board=NORDIC)
    results = [play_game(of, number) for number in range(2)]
    lost = forfeit(of, [2, 0, 3], "raised", "oh")
    found = {one.player: one for one in standings.standings([*results, lost])}
    points = [result.points[result.players.index("simple")] for result in results if result.points]
    assert found["simple"].points[0] == pytest.approx(sum(points) / 2)
    assert found["simple"].margin[0] == -found["random"].margin[0]
    assert found["simple"].wins[0] == 1 and found["random"].faults == 1
    assert found["simple"].games == 3 and found["random"].rating.elo == 0


def test_without_random_the_mean_is_nought_and_the_table_says_so() -> None:
    of = contest("random:", "simple")
    found = standings.standings([play_game(of, number) for number in range(2)])
    assert sum(one.rating.elo for one in found) == pytest.approx(0)
    assert standings.zero_of(found).endswith("0 is the mean of these players, for random is not among them")


def test_a_shared_win_is_half_a_win() -> None:
    of = contest("random", "simple")
    shared = replace(play_game(of, 0), places=(1, 1))
    assert {one.wins[0] for one in standings.standings([shared])} == {0.5}
    assert standings.running([shared]) == "random 50 % · simple 50 %"
