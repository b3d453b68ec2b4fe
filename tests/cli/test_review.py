"""`northrail review`, as people type it."""

import json
from pathlib import Path

import pytest
from reviewed import late_record
from tables import BOARDS
from typer.testing import CliRunner, Result

from northrail import Game
from northrail.cli.app import app


def run(*words: object) -> Result:
    """Run the command; raise any exception but SystemExit."""
    result = CliRunner().invoke(app, ["review", *(str(word) for word in words)], env={"COLUMNS": "100"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "game.json"
    path.write_text(json.dumps(late_record(BOARDS["nordic-countries"], ("easy", "beginner"), 4, trains=4)), "utf-8")
    return path


def test_a_review_prints_what_the_result_is_made_of(record: Path) -> None:
    done = run(record, "--seat", 1)
    assert done.exit_code == 0
    for words in ("Seat 1 ", "points of", "decisions", "what the others did", "locomotives from the deck"):
        assert words in done.stdout
    assert "Seat 0 " not in done.stdout


def test_json_and_a_page_in_one_go(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    done = run(record, "--json", "--html", page)
    assert done.exit_code == 0
    facts = json.loads(done.stdout)
    for seat, result in enumerate(facts["result"]):
        parts = facts["by_seat"][seat]["parts"]
        total = sum(parts[name] for name in ("start", "decisions", "luck", "others"))
        assert total == pytest.approx(result, abs=1e-6)
    assert "<svg" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--depth", "shallow"), "northrail: depth: expected usual or deep, got 'shallow'"),
        (("--html", "/no/such/folder/game.html"), "No such file or directory"),
        (("--seat", "2"), "northrail: --seat: expected 0 to 1, got 2"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(record: Path, words: tuple[str, ...], sentence: str) -> None:
    done = run(record, *words)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unfinished_game_is_refused_and_a_page_stays_as_it_was(tmp_path: Path) -> None:
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    path.write_text(json.dumps(Game(BOARDS["nordic-countries"], 2, 1).record()), "utf-8")
    page.write_text("an older review", "utf-8")
    done = run(path, "--html", page)
    assert done.exit_code == 2
    assert "expected the record of a finished game" in done.stderr
    assert page.read_text("utf-8") == "an older review"
