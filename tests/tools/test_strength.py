"""The contests behind docs/strength.md: played once, saved, and reported."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from tables import TABLES
from typer.testing import CliRunner, Result

import strength
from northrail import load_player
from northrail.arena import match as matches
from northrail.arena import read_run
from northrail.players import plans
from northrail.players.digests import content_of
from northrail.players.levels import PLAYERS
from strength import FIELD, MATCHES, Goal, Match

DUEL = Match("duel", "nordic-countries", 2, ("simple", "random"), 2, Goal("wins", 0.9))
ALONE = Match("alone", "northern-lights", 2, ("random",), 3, Goal("points", 500), remark="It does not try.")
TABLE = Match("table", "nordic-countries", 3, ("simple", "random", "random:"), 3, Goal("first"))
MISSING = Match("missing", "nordic-countries", 2, ("nobody", "random"), 4, Goal("wins", 0.985))
RULES = Match("rules", "northern-lights", 2, ("random", "simple"), 2, Goal("legal"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a temporary folder instead of the repository, and a short list of contests."""
    monkeypatch.setattr(strength, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(strength, "PAGE", tmp_path / "strength.md")
    monkeypatch.setattr(strength, "PICTURE", tmp_path / "pictures" / "strength.svg")
    monkeypatch.setattr(strength, "FIGURES", tmp_path / "strength.json")
    monkeypatch.setattr(strength, "SECTIONS", tmp_path / "sections")
    monkeypatch.setattr(strength, "MATCHES", (DUEL, ALONE, TABLE, MISSING, RULES))
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
    assert told.stdout.endswith("strength.md: 4 of 5 contests\n")
    page = (folder / "strength.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+ against \w+|[^|]* and [^|]*?) · [^|]*\| (.*) \|$", page, re.M))
    assert re.fullmatch(r"≥ 90 % wins \| 100\.0 % \(\d\d–100\) \| 2 \| yes", rows["simple against random"])
    assert re.fullmatch(r"≥ 500 points \| -?\d+\.\d ±\d+\.\d \| 3 \| \*\*no\*\*", rows["random against itself"])
    assert rows["simple, random and random:"].startswith("simple first, by a clear interval | +")
    assert rows["nobody against random"] == "≥ 98.5 % wins | not played yet | 0 of 4 | –"
    assert "| every kind of player · Northern Lights, 2 seats | no illegal move | 0 faults; each player sat 2" in page
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
    assert re.search(r"^alone +0 min +3 +-?\d", run("--list").stdout, re.M)
    assert "expected the beginning of one of duel, alone" in run("--only", "alonee").stderr


def test_a_field_in_which_some_have_not_played_has_no_verdict(folder: Path) -> None:
    strength.KEPT.mkdir()
    match = replace(TABLE, seats=2)
    begun = strength.run_of(match, folder / "kept")
    begun.begin()
    assert [result.players for result in begun.add(iter([matches.play_game(match.contest(), 0)]))] == [
        ("simple", "random")
    ]
    found = strength.finding(match, folder / "kept", {})
    assert (found.text, found.met, found.value, found.verdict) == ("too few games yet", None, None, "–")
    assert "| simple |" in strength.page_of([found])


def test_results_of_other_versions_are_put_aside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "draw", lambda *_: None)
    run("--only", "alone")
    path = folder / "kept" / "alone.jsonl"
    digest = load_player("random").digest
    stale = path.read_text(encoding="utf-8").replace(digest, "0" * 12)
    path.write_text(stale, encoding="utf-8")
    strength.FIGURES.unlink()
    assert "alone" in (told := run("--list").stdout) and "not played yet" in told
    assert run("--write").stdout == "nothing has been played yet\n"
    run("--only", "alone")
    assert (folder / "kept" / "alone.old").read_text(encoding="utf-8") == stale
    assert len(read_run(path)[1]) == 3 and digest in path.read_text(encoding="utf-8")


def test_the_page_can_be_written_without_the_games(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "draw", lambda *_: None)
    run()
    paths = [folder / "strength.md", folder / "strength.json"]
    before = [path.read_bytes() for path in paths]
    shutil.rmtree(folder / "kept")
    (folder / "strength.md").unlink()
    assert "4 of 5 contests" in run("--write").stdout
    assert [path.read_bytes() for path in paths] == before
    run()
    assert not (folder / "kept").exists(), "a contest whose figures are known is not played again"
    figures = (folder / "strength.json").read_text(encoding="utf-8")
    (folder / "strength.json").write_text(figures.replace(load_player("random").digest, "0" * 12), encoding="utf-8")
    assert run("--write").stdout == "nothing has been played yet\n", "figures of other versions do not count"


def test_prose_voids_nothing_and_code_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a results file must agree with depends on no docstring, comment, provenance, remark or goal."""
    mine, original = folder / "mine.py", Path.read_bytes

    def identity(match: Match) -> Any:
        content_of.cache_clear()
        return strength.identity(strength.run_of(match, folder))

    def edit(old: str, new: str) -> None:
        """Read our files as if some words had been replaced."""
        monkeypatch.setattr(Path, "read_bytes", lambda path: original(path).replace(old.encode(), new.encode()))

    source = '"""A player."""\nfrom northrail.players.basic import Random\n\n\nclass Mine(Random):\n    pass\n'
    mine.write_text(source, encoding="utf-8")
    duel = Match("prose", "nordic-countries", 2, ("planner", f"{mine}:Mine"), 2, Goal("wins", 0.5))
    before = identity(duel)
    assert identity(replace(duel, games=8, goal=Goal("points", 9), remark="Another remark.")) == before
    mine.write_text(source.replace("A player.", "Mine.") + "# the end\n", encoding="utf-8")
    assert identity(duel) == before
    mine.write_text(source.replace("pass", "number = 1"), encoding="utf-8")
    assert identity(duel) != before
    mine.write_text(source, encoding="utf-8")
    for words, path in (
        ("CMA-ES by self-play", Path(plans.__file__).with_name("planner.json")),
        (str(plans.__doc__), Path(plans.__file__)),
    ):
        assert words in path.read_text(encoding="utf-8")
        edit(words, "Other words.")
        assert identity(duel) == before
    edit('"turn": 1', '"turn": 2')
    assert identity(duel) != before
    monkeypatch.undo()
    content_of.cache_clear()


def test_sections_of_other_tools_are_included_by_name(folder: Path) -> None:
    strength.SECTIONS.mkdir()
    table = {"head": ["level", "solved"], "rows": [["expert", "91 %"]]}
    for name, section in {
        "b": {"title": "Later", "text": "Words.", "table": table},
        "a": {"title": "First", "text": "A."},
    }.items():
        (strength.SECTIONS / f"{name}.json").write_text(json.dumps(section), encoding="utf-8")
    run("--only", "alone")
    page = (folder / "strength.md").read_text(encoding="utf-8")
    rows = "| level | solved |\n| --- | --: |\n| expert | 91 % |\n"
    assert f"## First\n\nA.\n\n## Later\n\nWords.\n\n{rows}\n## Each contest" in page
    (strength.SECTIONS / "c.json").write_text('{"title": "Bad"}', encoding="utf-8")
    assert re.search(
        r"c\.json: expected a section with title, text and perhaps a table, got KeyError", run("--write").stderr
    )


def test_a_contest_of_a_player_that_uses_all_cores_is_played_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int | None] = []
    monkeypatch.setattr(strength, "play_missing", lambda *_, processes: asked.append(processes))
    strength.play(DUEL, folder / "kept", None)
    strength.play(replace(DUEL, alone=True), folder / "kept", 2)
    assert asked == [None, 1]
    assert strength.estimate(replace(DUEL, alone=True)) == 2 * strength.estimate(DUEL)


def test_everything_takes_at_most_six_hours_on_two_cores(folder: Path) -> None:
    figures = strength.read_figures(strength.ROOT / "tools" / "strength.json")
    times = [strength.estimate(match, strength.summary_of(match, folder, figures)) for match in MATCHES]
    assert sum(times) / 3600 < strength.MOST_HOURS
    told = run("--list").stdout
    assert re.search(r"^alone +\d+ min +0 of 3  not played yet$", told, re.M)
    assert re.search(r"^about \d+\.\d hours on two cores, of which \d+\.\d remain$", told, re.M)


def test_every_contest_in_the_list_can_be_played() -> None:
    assert len({match.name for match in MATCHES}) == len(MATCHES)
    for match in MATCHES:
        assert match.contest().whole(match.games) == match.games, f"{match.name}: no deal is left half played"
        assert match.goal.of < len(match.players) or match.goal.kind in ("points", "legal")
        assert not match.name.startswith("field") or match.players == FIELD


def test_each_player_plays_ten_thousand_games_by_the_rules() -> None:
    legal = [match for match in MATCHES if match.goal.kind == "legal"]
    assert [(match.board, match.seats) for match in legal] == TABLES
    assert sum(match.games * match.seats // len(match.players) for match in legal) >= 10_000
    kinds = {PLAYERS[player.partition(":")[0]][:2] for player in legal[0].players}
    assert kinds == {kind[:2] for kind in PLAYERS.values()}
