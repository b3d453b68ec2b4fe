"""The wheel, installed into an empty environment outside the source tree."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import httpx
import pytest
from checkouts import COMPILED, ROOT

pytestmark = pytest.mark.xdist_group("wheel")  # one wheel serves all tests here, so one process runs them

FIRST_MOVE = """
import northrail
b = northrail.load_board('nordic-countries')
g = northrail.Game(b, seats=2, seed=1)
g.play(g.moves()[0])
"""

INSIDE = """
import importlib.resources, sys
import northrail
package = importlib.resources.files("northrail")
assert str(package).startswith(sys.prefix), f"expected the installed package, got {package}"
assert (package / "py.typed").is_file() and (package / "boards" / "board.schema.json").is_file()
for board in "nordic-countries", "northern-lights":
    assert (package / "boards" / f"{board}.toml").is_file(), f"no {board}"
    northrail.load_board(board)
assert northrail.kernels.decorators.COMPILED and (package / "compiled" / "manifest.json").is_file()
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command in an environment that does not know the source tree; return its output."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "NORTHRAIL", "COVERAGE", "VIRTUAL_ENV"))
    }
    done = subprocess.run(command, cwd=cwd, env=clean | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a virtual environment that has only the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    # Build the source archive, then the wheel from it, to check that both are complete.
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist")]
    run(*build, "--sdist", ROOT, cwd=folder)
    (archive,) = (folder / "dist").glob("*.tar.gz")
    shutil.unpack_archive(archive, folder, filter="data")
    (unpacked,) = (path for path in folder.glob("northrail-*") if path.is_dir())
    # The build reuses these compiled modules if they match the archive's sources.
    for path in (ROOT / COMPILED).glob("*.so"):
        shutil.copy(path, unpacked / COMPILED)
    run(*build, "--wheel", unpacked, cwd=folder)
    (wheel,) = (folder / "dist").glob("northrail-*-cp3*-linux_*.whl")
    venv.create(folder / "venv", symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder / "venv/bin/python")]
    run(*pip, "install", "--no-compile", "--constraint", ROOT / "constraints.txt", wheel, cwd=folder)
    return folder


def test_wheel_has_boards_and_types(empty: Path) -> None:
    run(empty / "venv/bin/python", "-c", INSIDE, cwd=empty)


def test_wheel_installs_the_command(empty: Path) -> None:
    assert "watch" in run(empty / "venv/bin/northrail", "--help", cwd=empty)


def test_wheel_starts_and_draws_boards(empty: Path) -> None:
    command = empty / "venv/bin/northrail"
    run(command, "new-board", "Mine", cwd=empty)
    assert "can be played" in run(command, "check-board", "mine.toml", cwd=empty)
    run(command, "show", cwd=empty)
    assert 'id="land"' in (empty / "nordic-countries.svg").read_text(encoding="utf-8")


def test_wheel_plays(empty: Path) -> None:
    run(empty / "venv/bin/python", "-c", FIRST_MOVE, cwd=empty)


def test_wheel_serves(empty: Path) -> None:
    command: list[str | Path] = [
        empty / "venv/bin/northrail",
        "serve",
        "--port",
        "0",
        "--database",
        empty / "tables.db",
    ]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NORTHRAIL"))}
    with subprocess.Popen(command, cwd=empty, env=clean, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()[-1]
            assert "Northrail" in httpx.get(address, timeout=60).text
            wish = {"board": "northern-lights", "seats": [{"who": "here", "name": "Anna"}, {"who": "bot"}]}
            made = httpx.post(f"{address}api/tables", json=wish, timeout=60)
            assert (made.status_code, made.json()["news"]["table"]["status"]) == (201, "running")
            process.terminate()
            assert process.wait(60) == 0
        finally:
            process.kill()
