"""Copies of the sources, in which tests can build and break kernels."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILED = Path("src/northrail/compiled")


class Checkout:
    """A copy of the sources and their compiled kernels."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("src", "tools"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
        shutil.copy(ROOT / "Makefile", root)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes: where northrail is, without this process's build settings."""
        unwanted = ("CC", "CFLAGS", "LDFLAGS", "NORTHRAIL_PLAIN")
        clean = {name: value for name, value in os.environ.items() if name not in unwanted}
        return clean | {"PYTHONPATH": str(self.root / "src")}

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run Python with the copy's northrail."""
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.root,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def build(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Compile the modules that changed."""
        return self.run("tools/compile_kernels.py", **environment)

    def built(self, **environment: str) -> str:
        """Compile the modules that changed, which must succeed; return the output."""
        done = self.build(**environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def edit(self, file: str, before: str, after: str) -> None:
        """Replace some text in a file, which must contain it."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert before in text, f"{file} no longer contains {before!r}"
        path.write_text(text.replace(before, after, 1), encoding="utf-8")

    def counted(self) -> subprocess.CompletedProcess[str]:
        """Count a game's first two choices: 676, unless a test has edited the counting kernel."""
        return self.run(
            "-c",
            "import northrail; from northrail.engine.perft import perft;"
            "print(perft(northrail.Game(northrail.load_board('nordic-countries'), 2, 7), 2))",
        )

    def count(self) -> str:
        """Return that count, which must succeed."""
        done = self.counted()
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def module(self, name: str) -> Path:
        """Return the path of a compiled module."""
        return next((self.root / COMPILED).glob(f"{name}.*.so"))
