"""The contests behind docs/strength.md: played once, saved, and reported."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import strength
from northrail import load_player
from northrail.arena import match as matches
from northrail.arena import read_run
from strength import FIELD, MATCHES, Goal, Match

DUEL = Match("duel", "nordic-countries", 2, ("simple", "random"), 2, Goal("wins", 0.9))
ALONE = Match("alone", "northern-lights", 2, ("random",), 3, Goal("points", 500), remark="It does not try.")
TABLE = Match("table", "nordic-countries", 3, ("simple", "random", "random:"), 3, Goal("first"))
MISSING = Match("missing", "nordic-countries", 2, ("nobody", "random"), 4, Goal("more wins", 0.5))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a temporary folder instead of the repository, and a short list of contests."""
    monkeypatch.setattr(strength, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(strength, "PAGE", tmp_path / "strength.md")
    monkeypatch.setattr(strength, "PICTURE", tmp_path / "pictures" / "strength.svg")
    monkeypatch.setattr(strength, "MATCHES", (DUEL, ALONE, TABLE, MISSING))
    # Here and now, for processes take a second each to start.
    monkeypatch.setattr(
        "northrail.cli.arena.results_here",
        lambda contest, numbers, _: (matches.play_game(contest, number) for number in numbers),
    )
    return tmp_path


def run(*words: str) -> Result:
    app = typer.Typer()
    app.command()(strength.strength)
    result = CliRunner().invoke(app, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "kept").iterdir()}


def test_each_contest_is_played_once_and_reported_with_its_goal(folder: Path) -> None:
    told = run()
    assert told.exit_code == 0
    assert re.search(r"^  not played: unknown player '", told.stderr, re.M)
    assert told.stdout.endswith("strength.md: 3 of 4 contests\n")
    page = (folder / "strength.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+ against \w+|[^|]* and [^|]*?) · [^|]*\| (.*) \|$", page, re.M))
    assert re.fullmatch(r"≥ 90 % wins \| 100\.0 % \(\d\d–100\) \| 2 \| yes", rows["simple against random"])
    assert re.fullmatch(r"≥ 500 points \| -?\d+\.\d ±\d+\.\d \| 3 \| \*\*no\*\*", rows["random against itself"])
    assert rows["simple, random and random:"].startswith("simple first, by a clear interval | +")
    assert rows["nobody against random"] == "more wins | not played yet | 0 of 4 | –"
    assert "**random against itself · Northern Lights, 2 seats**:\nIt does not try." in page
    assert "### simple against random · Nordic Countries, 2 seats · 2 games" in page
    assert re.search(r"^\| simple \| 100\.0 \(.*\| \+\d+ ±\d+ \|$", page, re.M), "the table of three has its Elo"
    assert (folder / "pictures" / "strength.svg").read_text(encoding="utf-8").startswith("<?xml")
    before = contents(folder), page, (folder / "pictures" / "strength.svg").read_bytes()
    run()
    page = (folder / "strength.md").read_text(encoding="utf-8")
    assert (contents(folder), page, (folder / "pictures" / "strength.svg").read_bytes()) == before


def test_a_part_can_be_played_and_an_interrupted_contest_continues(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength, "draw", lambda *_: None)
    play_game = matches.play_game

    def interrupted(contest: Any, number: int) -> Any:
        if number == 2:
            raise KeyboardInterrupt
        return play_game(contest, number)

    monkeypatch.setattr(matches, "play_game", interrupted)
    assert run("--only", "al").exit_code == 130
    assert list(contents(folder)) == ["alone.jsonl"]
    assert "| 2 of 3 | **no**, so far |" in (folder / "strength.md").read_text(encoding="utf-8")
    monkeypatch.setattr(matches, "play_game", play_game)
    first = contents(folder)["alone.jsonl"]
    assert run("--only", "alone").exit_code == 0
    assert contents(folder)["alone.jsonl"].startswith(first)
    assert [result.game for result in read_run(folder / "kept" / "alone.jsonl")[1]] == [0, 1, 2]
    assert re.search(r"^alone +3 +-?\d", run("--list").stdout, re.M)
    assert "expected the beginning of one of duel, alone" in run("--only", "alonee").stderr


def test_a_field_in_which_some_have_not_played_has_no_verdict(folder: Path) -> None:
    strength.KEPT.mkdir()
    match = replace(TABLE, seats=2)
    begun = strength.run_of(match, folder / "kept")
    begun.begin()
    assert [result.players for result in begun.add(iter([matches.play_game(match.contest(), 0)]))] == [
        ("simple", "random")
    ]
    found = strength.finding(match, folder / "kept")
    assert (found.text, found.met, found.value, found.verdict) == ("too few games yet", None, None, "–")
    assert "| simple |" in strength.page_of([found])


def test_results_of_other_versions_are_put_aside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "draw", lambda *_: None)
    run("--only", "alone")
    path = folder / "kept" / "alone.jsonl"
    digest = load_player("random").digest
    stale = path.read_text(encoding="utf-8").replace(digest, "0" * 12)
    path.write_text(stale, encoding="utf-8")
    assert "alone" in (told := run("--list").stdout) and "not played yet" in told
    assert run("--write").stdout == "nothing has been played yet\n"
    run("--only", "alone")
    assert (folder / "kept" / "alone.old").read_text(encoding="utf-8") == stale
    assert len(read_run(path)[1]) == 3 and digest in path.read_text(encoding="utf-8")


def test_every_contest_in_the_list_can_be_played() -> None:
    assert len({match.name for match in MATCHES}) == len(MATCHES)
    for match in MATCHES:
        assert match.contest().whole(match.games) == match.games, f"{match.name}: no deal is left half played"
        assert match.goal.of < len(match.players) or match.goal.kind == "points"
    assert {match.players for match in MATCHES if match.goal.kind == "first"} == {FIELD}
