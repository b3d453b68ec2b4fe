"""Data sets and studies: whole games between bots, written, read and counted."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import Size
from typer.testing import CliRunner, Result

import northrail
from northrail.cli.app import app
from northrail.research import study as room
from northrail.research.collecting import WholeGame, whole_games
from northrail.research.datasets import load_games, write_games

Table = tuple[northrail.Board, int]
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None
PARQUET = pytest.param(
    ".parquet", marks=[pytest.mark.long, pytest.mark.skipif(not HAS_ARROW, reason="pyarrow is not installed")]
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.engine
def test_whole_games_are_games(table: Table, size: Size) -> None:
    """Replay each of them, and count once more what the kernel counted."""
    board, seats = table
    players = ("random", "path", "easy", "hungry", "hard")[:seats]
    for row in next(whole_games(board, players, size.pick(1, 6), seed=4, threads=1)):
        game, turns = northrail.Game(board, seats, int(row["seed"])), 0
        claimed: dict[int, tuple[int, int]] = {}
        assert row["first"] == game.view(None).first
        for move in row["move"][: row["count"]].tolist():
            turns += game.phase == "turn"
            claimed |= {e.public["route"]: (e.seat or 0, turns) for e in game.play(move) if e.code == "claimed"}
        assert game.over and row["turns"] == turns
        assert row["total"][:seats].tolist() == [score.total for score in game.scores()]
        assert np.flatnonzero(row["winner"]).tolist() == game.winners()
        for route in range(len(board.routes)):
            assert (row["owner"][route], row["claimed"][route]) == claimed.get(route, (-1, 0))


@pytest.mark.parametrize("suffix", [".jsonl", PARQUET])
def test_what_is_written_can_be_read_and_replayed(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    assert (
        "7 games on Northern Lights are in"
        in run(
            *("games", "--players", "path,hungry", "--games", 7, "--board", "northern-lights", "--seats", 3, "-o", path)
        ).output
    )
    games = load_games(path)
    assert len(games) == 7 and games.header["seats"] == 3 and games.columns["seed"] == list(range(7))
    assert games.columns["players"][:2] == [["path", "hungry", "path"], ["hungry", "path", "path"]]
    for number in range(7):
        game = games.game(number)
        assert game.over and [score.total for score in game.scores()] == games.columns["scores"][number]
        assert [seat in game.winners() for seat in range(3)] == games.columns["winners"][number]
        final = game.view(None).final or []
        tickets = [[ticket["number"] for ticket in seat["tickets"]] for seat in final]
        assert games.columns["tickets"][number] == tickets
        done = [[ticket["number"] for ticket in seat["tickets"] if ticket["joined"]] for seat in final]
        assert games.columns["completed"][number] == done
        assert not games.game(number, upto=5).over
    assert list(tmp_path.iterdir()) == [path]


def test_players_that_do_not_play_inside_kernels_play_too(tmp_path: Path) -> None:
    """In the same columns; where a kernel can play the same players, it plays the same games."""
    board = northrail.load_board("nordic-countries")
    for name, players in (("slow", ("path", "hungry:agent='hungry'")), ("fast", ("path", "hungry"))):
        list(write_games(tmp_path / f"{name}.jsonl", board, players, 3, seed=2))
    slow, fast = (load_games(tmp_path / f"{name}.jsonl") for name in ("slow", "fast"))
    assert slow.columns["players"][1] == ["hungry:agent='hungry'", "path"]
    assert {k: v for k, v in slow.columns.items() if k != "players"} == {
        k: v for k, v in fast.columns.items() if k != "players"
    }


def test_bad_files_and_arguments(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for arguments, words in (
        (("-o", tmp_path / "games.csv"), "expected a file name ending in .parquet or .jsonl"),
        (("-o", path, "--players", "nobody"), "unknown player 'nobody'"),
        (("-o", path, "--players", "path,path,path"), "expected at most 2 players for 2 seats, got 3"),
        (("-o", path, "--seats", 5), "expected 2 to 3 on Nordic Countries, got 5"),
        (("-o", tmp_path / "nowhere" / "games.jsonl"), "No such file or directory"),
    ):
        told = run("games", "--games", 1, *arguments)
        assert told.exit_code == 2 and words in re.sub(r"\s+", " ", told.output), told.output
    assert not list(tmp_path.iterdir())
    run("games", "--games", 1, "--players", "path", "-o", path)
    header, row = path.read_text(encoding="utf-8").splitlines()
    facts = json.loads(header)
    for wrong, words in (
        ("", "expected a file that `northrail games` wrote"),
        ("[1]\n", "expected games of format 1"),
        (json.dumps(facts | {"northrail_games": 2}), "expected games of format 1"),
        (json.dumps(facts | {"board": "mine"}), "expected a built-in board or your own"),
        (json.dumps(facts | {"digest": "0"}), "expected games on nordic-countries .*, got nordic-countries 0"),
        (header + "\n{", "expected a file that `northrail games` wrote"),
    ):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(northrail.BadRecord, match=words):
            load_games(path)
    path.write_text(f"{header}\n", encoding="utf-8")
    assert len(load_games(path)) == 0 and row


# --- studies ----------------------------------------------------------------------------------------------------------


def test_a_study_finds_what_was_put_in(nordic: northrail.Board) -> None:
    """In made-up games ticket 3 brings 10 points, route 5 is claimed first, and starting brings 4 points."""
    chance = np.random.default_rng(1)
    games = 4000
    every: Any = np.zeros(games, WholeGame.dtype)
    every["turns"], every["first"] = 50, chance.integers(2, size=games)
    held = chance.random((games, 2, len(nordic.tickets))) < 0.2
    every["held"][:, :2, 0] = (held << np.arange(len(nordic.tickets))).sum(2)
    total = 100 + 10 * held[:, :, 3] + chance.normal(0, 5, (games, 2))
    total[np.arange(games), every["first"]] += 4
    every["total"][:, :2] = total.round()
    every["winner"][:, :2] = total == total.max(1, keepdims=True)
    every["owner"], every["claimed"][:, 5] = -1, 1
    every["owner"][:, 5] = every["winner"][:, 1]
    found = room.study_of(nordic, ("hard", "hard"), 0, every)
    best = found.tickets[0]
    assert best.ticket == 3 and abs(best.worth.value - 10) < 2 * best.worth.error < 2
    inside = [abs(fact.worth.value) < fact.worth.error for fact in found.tickets[1:]]
    assert sum(inside) > 0.8 * len(inside)
    assert found.routes[0].route == 5 and (found.routes[0].demand.value, found.routes[0].claimed) == (100, 1)
    assert found.routes[0].owner_wins.value == 100
    assert abs(found.first_points.value - 4) < 1 and found.first_wins.value > 55


def test_a_study_is_one_page_that_needs_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "study.html"
    told = run("study", "northern-lights", "--players", "path", "--games", 500, "-o", path)
    assert told.exit_code == 0 and "The study of Northern Lights is in" in told.output
    page = path.read_text(encoding="utf-8")
    board = northrail.load_board("northern-lights")
    assert page.count("<svg") == 1 and page.count("<table") == 6 and "500 games between 2 × path" in page
    assert all(str(ticket) in page for ticket in board.tickets)
    assert not re.search(r'(src|href)="(?!#)', page)
    few = run("study", "northern-lights", "--games", 499, "-o", path)
    assert few.exit_code == 2 and "games: expected at least 500, got 499" in few.output
