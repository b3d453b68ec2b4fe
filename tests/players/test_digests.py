"""Which files a player's digest covers. If one were missing, old results could pass for new ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from northrail.players.digests import PACKAGE, files_of
from northrail.players.levels import PLAYERS

LOADED = """
import sys, importlib
importlib.import_module(sys.argv[1])
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("northrail.")), sep="\\n")
"""


def needs(module: str) -> set[Path]:
    """Return the files of this package that Python reads to import a module, without those of `northrail` itself."""
    done = subprocess.run([sys.executable, "-c", LOADED, module], capture_output=True, text=True, check=True)
    return {Path(line) for line in done.stdout.split() if line.endswith(".py")}  # compiled ones are made from these


@pytest.mark.parametrize("module", sorted({module for module, _, _ in PLAYERS.values()}))
def test_a_player_is_made_of_all_it_imports(module: str) -> None:
    # `northrail/__init__.py` imports more than the player needs.
    assert needs(module) - needs("northrail") <= {*files_of(module)} <= {*PACKAGE.rglob("*")}
    names = {path.relative_to(PACKAGE).as_posix() for path in files_of(module)}
    assert {"engine/view.py", "engine/rules.py", "kernels/decorators.py", "boards/board.py"} <= names
    # A sentence changes no move, so editing one must not invalidate results.
    assert not names & {"players/reasons.py", "drawing/svg.py", "cli/bench.py", "__main__.py"}
    # Nor does a new network change the planner.
    assert ("players/nordic-countries.npz" in names) == (module == "northrail.players.search")


@pytest.mark.engine
def test_every_way_to_import_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "players").mkdir()
    for name, text in {
        "players/__init__.py": "from northrail.errors import Bad\n",
        "players/mine.py": (
            'from northrail.players import (\n    plans,\n    Other,\n)\nimport northrail.state\nread("weights.json")\n'
        ),
        "players/plans.py": 'def later():\n    from northrail import moves\n    return ".net"\n',
        "players/weights.json": "{}",
        "players/others.json": "{}",
        "players/nordic.net": "",
        "errors.py": "",
        "state.py": "",
        "moves.py": "",
        "draw.py": "",
        "map.json": "",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr("northrail.players.digests.PACKAGE", tmp_path)
    found = {path.relative_to(tmp_path).as_posix() for path in files_of("northrail.players.mine")}
    files_of.cache_clear()
    assert found == {
        "players/__init__.py",
        "players/mine.py",
        "players/plans.py",
        "players/weights.json",
        "players/nordic.net",
        "errors.py",
        "state.py",
        "moves.py",
    }
