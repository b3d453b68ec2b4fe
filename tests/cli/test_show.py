"""`northrail show`: pictures of boards, records and positions, as people ask for them."""

import json
import shutil
import stat
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import northrail
from northrail import Board, Game, load_board
from northrail.cli.app import app
from northrail.cli.narrator import play
from northrail.drawing.layout import layout_of
from northrail.drawing.svg import draw

BOARDS = Path(northrail.__file__).parent / "boards"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def game() -> Game:
    """Play a whole game."""
    played = Game(load_board("nordic-countries"), seats=3, seed=4)
    for _ in play(played):
        pass
    return played


def run(*words: object) -> Result:
    """Run the command; raise any exception but SystemExit."""
    result = CliRunner().invoke(app, ["show", *(str(word) for word in words)], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def said(*words: object) -> str:
    """Run the command, which must succeed; return its output."""
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refusal(*words: object) -> str:
    """Run the command, which must fail; return its one-line error."""
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("northrail: ") and result.stderr.count("\n") == 1
    return result.stderr


def write(name: str, content: Any) -> Path:
    path = Path(name)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def own_board() -> tuple[Path, Board]:
    """Write a board file; return its path and the board."""
    text = (BOARDS / "nordic-countries.toml").read_text(encoding="utf-8")
    path = Path("mine.toml")
    path.write_text(
        text.replace('id = "nordic-countries"', 'id = "mine"').replace("Nordic Countries", "Mine & <yours>"), "utf-8"
    )
    return path, load_board(path)


def test_a_board_is_written_under_its_name(here: Path) -> None:
    assert said() == said("nordic-countries") == "nordic-countries.svg: Nordic Countries, midnight sun\n"
    assert said("--board", "northern-lights", "--theme", "dark") == (
        "northern-lights.svg: Northern Lights, polar night\n"
    )
    assert (here / "northern-lights.svg").read_text("utf-8") == draw(load_board("northern-lights"), "dark")
    assert sorted(path.name for path in here.iterdir()) == ["nordic-countries.svg", "northern-lights.svg"]


def test_your_own_board_is_drawn_from_its_file(here: Path) -> None:
    path, board = own_board()
    assert said(path) == said("--board", path) == "mine.svg: Mine & <yours>, midnight sun\n"
    assert ET.fromstring((here / "mine.svg").read_text("utf-8")).findtext("{*}title") == board.name
    assert said(path, "-o", "other.svg") == "other.svg: Mine & <yours>, midnight sun\n"


def test_a_record_is_drawn_at_its_end_or_after_some_moves(here: Path, game: Game) -> None:
    path, moves = write("game.json", game.record()), len(game.record()["moves"])
    assert said(path) == f"game.svg: Nordic Countries after {moves} moves, midnight sun\n"
    assert (here / "game.svg").read_text("utf-8") == draw(game)
    assert said(path, "--upto", 60, "-o", "early.svg") == ("early.svg: Nordic Countries after 60 moves, midnight sun\n")
    assert (here / "early.svg").read_text("utf-8") == draw(Game.replay(game.record(), upto=60))
    assert f"upto: expected a number from 0 to {moves}, got {moves + 1}" in refusal(path, "--upto", moves + 1)


def test_a_position_is_drawn(here: Path, game: Game) -> None:
    path = write("position.json", game.position())
    assert said(path) == "position.svg: Nordic Countries, midnight sun\n"
    assert (here / "position.svg").read_text("utf-8") == draw(game)
    assert "has no moves; remove --upto" in refusal(path, "--upto", 3)


def test_a_game_on_your_own_board_needs_the_board_file(here: Path) -> None:
    path, board = own_board()
    game = Game(board, seats=2, seed=1)
    for name, content in (("record.json", game.record()), ("position.json", game.position())):
        write(name, content)
        assert "mine" in refusal(name)
        assert "Mine & <yours>" in said(name, "--board", path)
        assert (here / name).with_suffix(".svg").read_text("utf-8") == draw(game)


def test_a_dash_prints_only_the_picture() -> None:
    assert said("-o", "-") == draw(load_board("nordic-countries"))


def test_programs_get_the_layout(here: Path) -> None:
    layout = json.loads(json.dumps(layout_of(load_board("nordic-countries")).json()))
    assert json.loads(said("--json")) == json.loads(said("--json", "-o", "-")) == layout
    assert said("--json", "-o", "layout.json") == "layout.json: Nordic Countries, as JSON\n"
    assert json.loads((here / "layout.json").read_text("utf-8")) == layout


def test_bad_arguments_are_refused_in_one_sentence(here: Path) -> None:
    assert "expected nordic-countries, northern-lights or a path to a .toml file" in refusal("atlantis")
    assert "got 'none.toml'" in refusal("none.toml")
    assert "none.json: cannot read a record or a position: No such file" in refusal("none.json")
    Path("bad.json").write_text("{", "utf-8")
    assert "bad.json: expected a record or a position as JSON" in refusal("bad.json")
    odd: list[Any] = [{}, [], 7, {"moves": []}, {"northrail": 1, "moves": 3}]
    for content in odd:
        refusal(write("odd.json", content))
    assert "theme: expected light or dark, got 'sepia'" in refusal("--theme", "sepia")
    assert "expected one board" in refusal("nordic-countries", "--board", "northern-lights")
    assert "--upto needs a record" in refusal("--upto", 3)
    assert "x.gif: expected a file name ending in .svg or .png" in refusal("-o", "x.gif")
    assert "nowhere/x.svg: cannot write this file: No such file" in refusal("-o", "nowhere/x.svg")
    assert "x.svg: expected a file name ending in .json" in refusal("--json", "-o", "x.svg")
    assert "no/such/x.svg" in refusal("-o", "no/such/x.svg")
    assert sorted(path.name for path in here.iterdir()) == ["bad.json", "odd.json"]


# --- PNG --------------------------------------------------------------------------------------------------------------


def install(folder: Path, name: str, script: str) -> None:
    """Install a shell script as a converter."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all converters but those in the folder."""
    which = shutil.which
    monkeypatch.setattr("northrail.drawing.png.shutil.which", lambda name: which(name, path=str(folder)))
    monkeypatch.setattr("northrail.drawing.png.importlib.util.find_spec", lambda _: None)


def test_png_is_made_by_the_first_converter_that_works(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = here / "tools"
    only(tools, monkeypatch)
    install(tools, "google-chrome", 'for a in "$@"; do case $a in --screenshot=*) echo chrome > "${a#*=}";; esac; done')
    assert said("-o", "a.png") == "a.png: Nordic Countries, midnight sun\n"
    assert Path("a.png").read_text("utf-8") == "chrome\n"
    install(tools, "inkscape", "exit 0")  # reports success and writes nothing
    install(tools, "rsvg-convert", "exit 1")
    said("-o", "b.png")
    assert Path("b.png").read_text("utf-8") == "chrome\n"
    install(tools, "rsvg-convert", 'for a in "$@"; do case $a in --output=*) echo rsvg > "${a#*=}";; esac; done')
    said("-o", "c.png")
    assert Path("c.png").read_text("utf-8") == "rsvg\n"


def test_png_without_a_converter_says_what_to_install(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(here / "tools", monkeypatch)
    assert "install one of them" in refusal("-o", "a.png")
    install(here / "tools", "inkscape", "exit 1")
    assert "inkscape failed" in refusal("-o", "a.png")
    assert not Path("a.png").exists()


def test_png_falls_back_on_cairosvg(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(here / "tools", monkeypatch)
    monkeypatch.setattr("northrail.drawing.png.importlib.util.find_spec", lambda _: object())
    (here / "cairosvg.py").write_text(
        "from pathlib import Path\n\n"
        "def svg2png(bytestring, write_to, scale):\n    Path(write_to).write_bytes(b'cairo')\n"
    )
    monkeypatch.syspath_prepend(here)
    said("-o", "a.png")
    assert Path("a.png").read_bytes() == b"cairo"


def test_png_is_twice_as_large_as_the_picture(here: Path) -> None:
    said("-o", "a.png")
    content = (here / "a.png").read_bytes()
    root = ET.fromstring(draw(load_board("nordic-countries")))
    size = [int.from_bytes(content[at : at + 4]) for at in (16, 20)]
    assert content.startswith(PNG) and len(content) > 100_000
    assert size == [2 * int(root.attrib["width"]), 2 * int(root.attrib["height"])]


PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.mark.parametrize(
    ("name", "seats", "seed", "theme"), [("nordic-countries", 3, 2, "light"), ("northern-lights", 4, 1, "dark")]
)
def test_the_pictures_in_the_readme_are_up_to_date(name: str, seats: int, seed: int, theme: str) -> None:
    """If this fails, run `make pictures` and look at them."""
    board = load_board(name)
    assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == draw(board, theme)
    game = Game(board, seats, seed)
    for _ in play(game):
        pass
    assert (PICTURES / f"{name}-end.svg").read_text(encoding="utf-8") == draw(game, theme)
