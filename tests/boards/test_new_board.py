"""`northrail new-board`: a file to start from, which can be played as it is and explains every key."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import northrail
from northrail.boards.fields import FIELDS, REQUIRED
from northrail.cli import board_report, narrator
from northrail.cli.app import app
from northrail.server import run as serve

pytestmark = pytest.mark.engine
TEMPLATE = Path(northrail.__file__).parent / "boards" / "new_board.toml"


def run(*words: object) -> Result:
    """What a command prints and how it ends; anything but an orderly end is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the commands are run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_new_board_is_good_and_says_what_to_do_next(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[tuple[str, ...]] = []
    monkeypatch.setattr(serve, "serve", lambda settings, *_: served.append(settings.boards))  # it would go on for ever
    told = run("new-board", "Åland, the [islands]")
    assert told.exit_code == 0
    assert told.stdout.startswith("wrote aland-the-islands.toml, a small board to change as you like")
    text = Path("aland-the-islands.toml").read_text(encoding="utf-8")
    assert "new-board" not in text and "-FILE" not in text
    directive, uri = text.splitlines()[0].split()
    assert directive == "#:schema" and uri == (TEMPLATE.parent / "board.schema.json").as_uri()
    report = board_report.check("aland-the-islands.toml")
    assert (report.faults, report.warnings) == ((), ())
    assert report.board is not None
    assert (report.board.id, report.board.name) == ("aland-the-islands", "Åland, the [islands]")
    for line in told.stdout.splitlines()[1:]:
        words = line.strip().split("  ")[0].split()
        assert words[0] == "northrail" and run(*words[1:]).exit_code == 0
    assert served == [("aland-the-islands.toml",)]


def test_a_new_board_plays(folder: Path) -> None:
    run("new-board", "mine")
    board = northrail.load_board(folder / "mine.toml")
    for seats in range(board.rules.seats[0], board.rules.seats[1] + 1):
        game = northrail.Game(board, seats, seed=seats)
        rounds = [event for events in narrator.play(game) for event in events if event.code == "last_round"]
        assert game.over and len(rounds) == 1
        assert northrail.Game.replay(game.record(), board) == game


def test_nothing_is_overwritten(folder: Path) -> None:
    (folder / "mine.toml").write_text("precious", encoding="utf-8")
    told = run("new-board", "Mine")
    assert told.exit_code == 2 and told.stdout == ""
    assert told.stderr == "northrail: mine.toml already exists; choose another name, or move that file first\n"
    assert (folder / "mine.toml").read_text(encoding="utf-8") == "precious"


def test_a_path_names_the_file(folder: Path) -> None:
    (folder / "maps").mkdir()
    assert run("new-board", "maps/The Ring.toml").exit_code == 0
    board = northrail.load_board("maps/The Ring.toml")
    assert (board.id, board.name) == ("the-ring", "The Ring")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "a name needs 1 to 60 characters on one line, with a letter or digit; got ''"),
        ("– !", "a name needs 1 to 60 characters on one line, with a letter or digit; got '– !'"),
        ("a\nb", "a name needs 1 to 60 characters on one line, with a letter or digit; got 'a\\nb'"),
        ("a" * 61, f"a name needs 1 to 60 characters on one line, with a letter or digit; got '{'a' * 61}'"),
        ("Nordic Countries", "'Nordic Countries' is a built-in board; choose another name"),
        ("nowhere/mine.toml", "nowhere/mine.toml: cannot write this file: No such file or directory"),
    ],
)
def test_names_that_cannot_be(name: str, sentence: str) -> None:
    told = run("new-board", name)
    assert told.exit_code == 2 and told.stderr == f"northrail: {sentence}\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ['quo"tes', "back\\slash", "'single'", "  around  ", "日本", "é" * 60])
def test_any_other_name_is_fine(name: str) -> None:
    assert run("new-board", name).exit_code == 0
    (path,) = Path().glob("*.toml")
    assert northrail.load_board(path).name == name.strip()


def test_every_key_and_choice_is_explained() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    unwrapped = re.sub(r"\n#\s*", " ", text)
    for fields in FIELDS.values():
        for name, field in fields.items():
            assert f"{name} =" in text or f"[{name}]" in text, name
            for word in field.items.choices if field.items else field.choices:
                assert word in unwrapped, word
    assert max(map(len, text.splitlines())) <= 120


def test_defaults_are_told_where_there_is_one() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    rules = text[text.index("[rules]") :].splitlines()[1:]
    given = tomllib.loads(text)["rules"]
    for line in rules:
        name, comment = line.split(" = ")[0], line.split("#", 1)[1]
        default = FIELDS["rules"][name].default
        assert ("default" in comment) == (default is not REQUIRED), line
        if isinstance(default, str):
            assert given[name] == default, line
        elif isinstance(default, int):
            assert f"default {default}" in comment, line
