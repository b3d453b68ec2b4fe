"""The commands, as people type them."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from northrail import Game, load_board
from northrail.bench import research, speed
from northrail.bench.speed import Figure
from northrail.cli.app import app
from northrail.cli.narrator import play
from northrail.cli.watch import PAUSE
from northrail.players.basic import choose

BOARDS = {name: load_board(name) for name in ("nordic-countries", "northern-lights")}
TABLES = [("nordic-countries", 2), ("nordic-countries", 3), *(("northern-lights", seats) for seats in range(2, 6))]
ROOT = Path(__file__).parents[2]


def run(*words: object) -> Result:
    """Run a command; raise any exception but SystemExit."""
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refusal(*words: object) -> str:
    """Run a command that must fail; return its one-line error."""
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("northrail: ") and result.stderr.count("\n") == 1
    return result.stderr


def written(tmp_path: Path, *words: object) -> tuple[Path, dict[str, Any], str]:
    """Run `watch`; return the record's path and content, and the output."""
    path = tmp_path / "game.json"
    told = run("watch", "--record", path, *words)
    assert told.exit_code == 0
    return path, json.loads(path.read_text(encoding="utf-8")), told.stdout


# --- watch ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_watch_describes_a_game_and_replays_its_record_in_the_same_words(name: str, seats: int, tmp_path: Path) -> None:
    path, record, told = written(tmp_path, "--board", name, "--seats", seats, "--seed", 3)
    game = Game.replay(record)
    assert game.over
    names = ", ".join(["hard", "medium", "hard", "medium", "hard"][:seats])
    assert told.splitlines()[0].rstrip() == f"{game.board.name} · {seats} seats · seed 3 · {names}"
    assert max(len(line) for line in told.splitlines()) <= 80
    assert told.count("claims") == len(game.view(None).owners)
    assert told.count("the last round begins") == 1
    rows = [[cell.strip(" ★") for cell in line.split("│")[1:-1]] for line in told.splitlines() if line.startswith("│")]
    table = {name: cells for name, *cells in rows}
    scores = game.scores()
    assert table["routes"] == [str(score.routes) for score in scores]
    assert table["tickets"] == [str(score.tickets) for score in scores]
    for card in game.view(None).bonus_cards:
        assert table[card] == [str(score.bonuses.get(card, "–")) for score in scores]
    assert table["total"] == [str(score.total) for score in scores]
    assert [cell.split()[0] for cell in table["completed tickets"]] == [str(score.completed) for score in scores]
    assert table["longest path"] == [str(score.longest) for score in scores]
    assert told.rstrip().splitlines()[-1].startswith(" and ".join(f"seat {seat}" for seat in game.winners()))

    again = run("watch", path)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[0].rstrip() == f"{game.board.name} · {seats} seats · record game.json"
    assert again.stdout.splitlines()[1:] == told.splitlines()[1:]


def test_watch_without_a_seed_prints_the_seed_it_chose() -> None:
    first = run("watch").stdout
    seed = re.search(r"seed (\d+)", first)
    assert seed is not None
    assert run("watch", "--seed", seed[1]).stdout == first


def test_watch_pauses_according_to_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: set[float] = set()
    monkeypatch.setattr(time, "sleep", pauses.add)
    for option, pause in ((["--speed", "2"], PAUSE / 2), (["--speed", "0"], 0), ([], 0)):
        pauses.clear()
        assert run("watch", "--seed", 1, *option).exit_code == 0
        assert pauses == {pause}


def test_watch_pauses_by_itself_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: set[float] = set()
    monkeypatch.setattr(time, "sleep", pauses.add)
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes anything for a terminal
    assert "\x1b[" in run("watch", "--seed", 1).stdout
    assert pauses == {PAUSE}


def test_watch_replays_an_unfinished_record(tmp_path: Path) -> None:
    path, record, _ = written(tmp_path, "--seed", 3)
    path.write_text(json.dumps(record | {"moves": record["moves"][:20]}), encoding="utf-8")
    assert "the record ends here" in run("watch", path).stdout


def test_watch_plays_on_your_own_board(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    text = (ROOT / "src/northrail/boards/nordic-countries.toml").read_text(encoding="utf-8")
    own.write_text(
        text.replace('id = "nordic-countries"', 'id = "mine"').replace("Nordic Countries", "Mine [red]"),
        encoding="utf-8",
    )
    path, record, told = written(tmp_path, "--board", own, "--seed", 3)
    assert record["board"] == "mine" and told.startswith("Mine [red] · ")
    assert run("watch", path, "--board", own).stdout.splitlines()[1:] == told.splitlines()[1:]
    assert "mine" in refusal("watch", path)


def test_watch_gives_no_player_the_seed_of_the_deal(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from northrail.players.basic import Random\n"
        "class Mine(Random):\n"
        "    def start(self, board, seat, seats, seed):\n"
        "        super().start(board, seat, seats, seed)\n"
        "        self.reason = f'knows {seed}'\n",
        encoding="utf-8",
    )
    told = run("watch", "--seed", 3, "--players", f"{mine}:Mine", "--reasons").stdout
    known = set(map(int, re.findall(r"knows (\d+)", told)))
    assert len(known) == 2 and min(known) > 1000


def test_watch_takes_players_by_name_and_prints_their_reasons(tmp_path: Path) -> None:
    path, record, told = written(
        tmp_path, "--seed", 3, "--players", "search:iterations=4,threads=2, simple", "--reasons"
    )
    assert told.startswith("Nordic Countries · 2 seats · seed 3 · search:iterations=4,threads=2, simple\n")
    seats = [line[5:11] for line in told.splitlines() if re.match(r" {12}– | *\d+ seat | {5}seat ", line)]
    reasons = [before for before, here in itertools.pairwise(seats) if here == " " * 6]
    assert len(reasons) > 20 and "seat 1" not in reasons, "the simple player has none"
    assert "points for" in told and " still needs " in told
    assert told.count("✓ completes") and "– completes" not in told, "the table has seen it"
    run("watch", "--seed", 3, "--players", "search:iterations=4,threads=2,simple", "--record", tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == record
    assert "did you mean planner?" in refusal("watch", "--players", "planer")
    assert "got 3" in refusal("watch", "--players", "easy,medium,hard")
    assert "--players" in refusal("watch", path, "--players", "easy")
    assert "--reasons" in refusal("watch", path, "--reasons")


def test_watch_refuses_bad_arguments_in_one_sentence(tmp_path: Path) -> None:
    path, record, _ = written(tmp_path, "--seed", 3)
    assert "northern-lights" in refusal("watch", "--board", "atlantis")
    assert "2 to 3" in refusal("watch", "--seats", 5)
    assert "seed" in refusal("watch", "--seed", -1)
    assert "No such file" in refusal("watch", tmp_path / "missing.json")
    assert "directory" in refusal("watch", tmp_path)
    assert "directory" in refusal("watch", "--record", tmp_path)
    assert "--seats" in refusal("watch", path, "--seats", 3)
    assert "digest" in refusal("watch", path, "--board", "northern-lights")
    for damage in (
        {"digest": "0123456789ab"},
        {"moves": [*record["moves"][:30], "take a nap"]},
        {"moves": [*record["moves"], "take blind"]},
        {"northrail": 99},
    ):
        path.write_text(json.dumps(record | damage), encoding="utf-8")
        assert next(iter(damage)) in refusal("watch", path)
    for text in ("", "{", "[]", "null", "\x00", '"record"', "[" * 100_000):
        path.write_text(text, encoding="utf-8")
        refusal("watch", path)
    path.write_bytes(b"\xff\xfe")
    refusal("watch", path)


def test_watch_ends_quietly_when_interrupted_and_keeps_the_record(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "game.json"
    command = [sys.executable, "-m", "northrail", "watch", "--seed", "3", "--speed", "0.01", "--record", str(path)]
    # A shell starts background processes with Ctrl-C ignored, and their children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "80"}
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        while "keeps" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read().strip() == ""
    assert len(Game.replay(json.loads(path.read_text(encoding="utf-8"))).record()["moves"]) == 1


def test_the_simple_player_completes_most_of_its_tickets() -> None:
    tickets = []
    for name, seats in TABLES:
        game = Game(BOARDS[name], seats, seed=11)
        for _ in play(game):
            pass
        tickets += [ticket["joined"] for final in game.view(None).final or [] for ticket in final["tickets"]]
    assert sum(tickets) > len(tickets) / 2


def test_the_simple_player_decides_by_its_view_alone() -> None:
    game = Game(BOARDS["northern-lights"], seats=3, seed=3)
    for _ in range(60):
        view = game.view(game.seat)
        position = game.position()
        others = [seat for seat in range(3) if seat != game.seat]
        # Deal anew what the seat cannot see; the view, and so the choice, must stay the same.
        position["ticket_deck"] = position["ticket_deck"][:10][::-1] + position["ticket_deck"][10:]
        position["rng"] = 12345
        if not any(position["known"][seat] for seat in others):
            position["hands"][others[0]], position["deck"] = swapped(position["hands"][others[0]], position["deck"])
        assert choose(game.board, Game.from_position(game.board, position).view(game.seat)) == choose(game.board, view)
        move, cards = choose(game.board, view)
        _ = game.claim(move.route, cards) if move.route is not None else game.play(move)


def swapped(hand: dict[str, int], deck: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Exchange as many cards as possible between a hand and the deck, keeping their sizes."""
    hand, deck = dict(hand), dict(deck)
    for colour in list(hand):
        for other in [other for other in deck if other != colour]:
            count = min(hand[colour], deck[other])
            hand[colour] -= count
            deck[colour] = deck.get(colour, 0) + count
            deck[other] -= count
            hand[other] = hand.get(other, 0) + count
            break
    return {c: n for c, n in hand.items() if n}, {c: n for c, n in deck.items() if n}


# --- perft ------------------------------------------------------------------------------------------------------------


def test_perft_counts_each_first_move_of_a_deal() -> None:
    told = run("perft", "--board", "northern-lights", "--seats", 3, "--seed", 5, "--depth", 2)
    assert told.exit_code == 0
    counts = [
        int(line.split("│")[2].replace(",", "")) for line in told.stdout.splitlines() if re.search(r"│ +\d", line)
    ]
    assert counts == [11] * 11
    assert "depth 2: 121 in" in told.stdout
    total = run("perft", "--board", "northern-lights", "--seats", 3, "--seed", 5, "--depth", 2, "--total")
    assert total.stdout.startswith("depth 2: 121 in") and "nodes/s" in total.stdout
    assert run("perft", "--depth", 0).stdout.startswith("depth 0: 1 in")


def test_perft_reads_a_position(tmp_path: Path) -> None:
    path = tmp_path / "position.json"
    game = Game(BOARDS["northern-lights"], seats=4, seed=5)
    game.play(game.moves()[0])
    path.write_text(json.dumps(game.position()), encoding="utf-8")
    assert "depth 2: 121 in" in run("perft", path, "--depth", 2).stdout
    assert "--seats" in refusal("perft", path, "--seats", 4)
    assert "board" in refusal("perft", path, "--board", "nordic-countries")
    path.write_text(json.dumps(game.position() | {"seat": 9}), encoding="utf-8")
    assert "seat" in refusal("perft", path)
    path.write_text("[1]", encoding="utf-8")
    assert "position" in refusal("perft", path)
    assert "No such file" in refusal("perft", tmp_path / "missing.json")


# --- bench, help and version ------------------------------------------------------------------------------------------


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make measurements as short as possible."""
    for name, count in (("REPEATS", 1), ("GAMES", 2), ("SAMPLE", 1), ("ROUNDS", 1), ("DEALS", 1), ("ITERATIONS", 2)):
        monkeypatch.setattr(speed, name, count)
    for name, count in (("STEPS", 90), ("GAMES", 2)):
        monkeypatch.setattr(research, name, count)


@pytest.mark.usefixtures("short")
def test_bench_prints_json_for_programs() -> None:
    told = run("bench", "--json")
    assert told.exit_code == 0
    figures = json.loads(told.stdout)
    assert all(isinstance(value, int | float) and value > 0 for value in figures.values())
    assert {
        "nordic_countries_2_games_per_second",
        "northern_lights_5_imagine_ns",
        "nordic_countries_2_planner_us",
        "northern_lights_2_rollout_us",
        "northern_lights_2_search_per_second",
        "state_bytes",
        "first_move_seconds",
    } <= figures.keys()


@pytest.mark.usefixtures("short")
def test_bench_prints_a_table_with_targets() -> None:
    told = run("bench")
    assert told.exit_code == 0
    assert re.search(r"compiled against plain Python +│", told.stdout) and "<= 896 ✓" in told.stdout


@pytest.mark.usefixtures("short")
def test_bench_measures_the_research_environments() -> None:
    told = run("bench", "research", "--json")
    assert told.exit_code == 0
    figures = json.loads(told.stdout)
    assert all(value > 0 for value in figures.values())
    assert {"research_steps_per_second", "research_hard_per_second", "research_cartpole_per_second"} <= figures.keys()
    assert "`bots` or `research` after it, got 'page'" in refusal("bench", "page")


def test_a_figure_says_whether_it_is_on_target() -> None:
    assert [Figure("", "", "", value, "", "<= 1,000").reached for value in (999.0, 1001.0)] == [True, False]
    assert [Figure("", "", "", value, "", ">= 1.8").reached for value in (1.7, 1.9)] == [False, True]
    assert [Figure("", "", "", value, "").text for value in (12345.6, 12.34, 0.123, 872)] == [
        "12,346",
        "12.3",
        "0.12",
        "872",
    ]


def test_serve_refuses_an_origin_that_no_browser_sends() -> None:
    for wrong in ("play.example.org", "https://play.example.org/table"):
        assert f"--origin: expected a URL such as https://play.example.org, got {wrong!r}" in refusal(
            "serve", "--origin", wrong
        )


def test_the_command_prints_its_help_and_version() -> None:
    help_text = run("--help").stdout
    for name in ("watch", "perft", "bench"):
        assert name in help_text
        assert "Usage" in run(name, "--help").stdout
    assert run("--version").stdout.startswith("northrail ")
    assert run("no-such-command").exit_code == 2
    module = subprocess.run(
        [sys.executable, "-m", "northrail", "--version"], capture_output=True, text=True, check=True
    )
    assert module.stdout == run("--version").stdout
