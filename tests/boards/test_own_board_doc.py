"""docs/own-board.md: its board can be played, its samples are what the commands print, and it explains every key."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from documents import DOCS, blocks, own_board
from lockstep import compare_on
from tables import Size
from typer.testing import CliRunner, Result

import northrail
from northrail.boards import board as limits
from northrail.boards.fields import FIELDS, REQUIRED
from northrail.cli import board_report
from northrail.cli.app import app
from northrail.drawing.svg import draw
from northrail.lessons import read_lesson

GUIDE = (DOCS / "own-board.md").read_text(encoding="utf-8")


def run(*words: object) -> Result:
    """What a command prints and how it ends; anything but an orderly end is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def shown(text: str) -> str:
    """A printed text without the blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the guide's board in it, in which the commands are run."""
    (tmp_path / "estonia.toml").write_text(own_board(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- the board --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_the_board_is_good() -> None:
    report = board_report.check("estonia.toml")
    assert (report.faults, report.warnings) == ((), ())
    assert report.board is not None and len(report.board.cities) == 10
    for ticket in report.board.tickets:
        assert board_report.spaces_between(report.board, *ticket.cities) == ticket.points, ticket


@pytest.mark.engine
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_board_plays_in_lockstep_with_the_reference(folder: Path, seats: int, size: Size) -> None:
    board, data = northrail.load_board(folder / "estonia.toml"), tomllib.loads(own_board())
    assert board.rules.seats == (2, 4)
    data["rules"] = {"last_round_at": 2, "tunnel_cards": 3} | data["rules"]  # the reference knows no defaults
    for seed in range(size.pick(1, 3)):
        game = compare_on(board, data, seats, seed, size.pick(60, 100_000))
        assert northrail.Game.replay(game.record(), board) == game


def test_the_board_can_be_drawn(folder: Path) -> None:
    picture = draw(northrail.load_board("estonia.toml"))
    texts = "".join(ElementTree.fromstring(picture).itertext())
    for city in tomllib.loads(own_board())["cities"]:
        assert city["name"] in texts
    assert run("show", "estonia.toml").exit_code == 0
    assert (folder / "estonia.svg").read_text(encoding="utf-8").startswith("<svg")


# --- the guide --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_check_board_prints_what_the_guide_shows() -> None:
    assert shown(run("check-board", "estonia.toml").stdout) + "\n" in blocks(GUIDE)
    text = own_board().replace('["Narva", "Tartu"], length', '["Narva", "Tatru"], length')
    text = text.replace('"orange"', '"ornge"', 1)
    Path("estonia.toml").write_text(text, encoding="utf-8")
    assert shown(run("check-board", "estonia.toml").stdout) + "\n" in blocks(GUIDE)


@pytest.mark.usefixtures("folder")
def test_the_commands_of_the_guide_work() -> None:
    lines = [line for block in blocks(GUIDE) for line in block.splitlines() if line.startswith("northrail ")]
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    assert {words[0] for words in commands} == {"new-board", "check-board", "show", "watch", "serve", "perft"}
    for words in commands:
        if words[0] == "new-board":
            assert run(*words).stderr.startswith("northrail: estonia.toml already exists")
        elif words[0] not in ("show", "serve"):  # tried above, and in test_new_board.py
            assert run(*words).exit_code == 0, words


@pytest.mark.usefixtures("folder")
def test_positions_on_the_board_need_it_beside_them() -> None:
    game = northrail.Game(northrail.load_board("estonia.toml"), seed=1)
    Path("position.json").write_text(json.dumps(game.position()), encoding="utf-8")
    assert run("perft", "position.json", "--board", "estonia.toml", "--depth", 1).exit_code == 0
    told = "got 'estonia'; pass your own board file with --board\n"
    assert run("perft", "position.json", "--depth", 1).stderr.endswith(told)
    Path("position.json").write_text(json.dumps(game.position() | {"board": 7}), encoding="utf-8")
    assert run("perft", "position.json", "--depth", 1).stderr.endswith("expected nordic-countries, got 7\n")


def test_the_guide_explains_every_key() -> None:
    sections = dict(re.findall(r"^### (.*?)\n(.*?)(?=^###|\Z)", GUIDE, re.MULTILINE | re.DOTALL))
    titles = {"board": "The file", "city": "A city", "route": "A route", "ticket": "A ticket", "rules": "Rules"}
    for kind, title in (titles | {"bonus card": "A bonus card"}).items():
        rows = re.findall(r"^\| (`.*?) \| (.*?) ?\|", sections[title], re.MULTILINE)
        told = {key: default for keys, default in rows for key in re.findall(r"`(\w+)`", keys)}
        assert told.keys() == FIELDS[kind].keys()
        for name, field in FIELDS[kind].items():
            default = field.default
            given = told[name].strip("`\"'")
            assert (given == "") == (default is REQUIRED or name in ("longitude", "latitude", "x", "y")), name
            if told[name].startswith("`"):
                expected = str(default).lower().replace(".0", "") if not isinstance(default, str) else default
                assert given == expected, name


def test_the_limits_of_the_guide_are_those_of_the_engine() -> None:
    rows = dict(re.findall(r"^\| ([\w ]+?) \| [^|]*\| (\d+) \|$", GUIDE, re.MULTILINE))
    assert {name: int(most) for name, most in rows.items()} == {
        "cities": limits.CITIES,
        "routes": limits.ROUTES,
        "routes between two cities": 3,
        "spaces of a route": limits.LENGTH,
        "tickets": limits.TICKETS,
        "bonus cards": limits.BONUSES,
        "seats": limits.SEATS,
        "trains of a seat": limits.MOST_TRAINS,
        "cards in all": limits.MOST_CARDS,
    }


def test_its_lesson_can_be_played(folder: Path) -> None:
    (sample,) = (block for block in blocks(GUIDE) if block.startswith("title = "))
    lesson = read_lesson(northrail.load_board(folder / "estonia.toml"), "1-first-route", sample.encode())
    assert lesson.steps[1].say == "Claim Tallinn–Rakvere for 4 points. It completes a ticket worth 7."
