"""Copies of the sources to build kernels in: what is broken there is nobody's loss."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILED = Path("src/northrail/compiled")


class Checkout:
    """A copy of the sources, with the compiled kernels of this one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("src", "tools"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
        shutil.copy(ROOT / "Makefile", root)

    @property
    def environment(self) -> dict[str, str]:
        """What processes are told: where northrail is, and nothing of how this one was built."""
        unwanted = ("CC", "CFLAGS", "LDFLAGS", "NORTHRAIL_PLAIN")
        clean = {name: value for name, value in os.environ.items() if name not in unwanted}
        return clean | {"PYTHONPATH": str(self.root / "src")}

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Let Python run something in which northrail is the copy's."""
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.root,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def build(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Compile what has changed."""
        return self.run("tools/compile_kernels.py", **environment)

    def built(self, **environment: str) -> str:
        """The same, which must succeed; gives what it says."""
        done = self.build(**environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def edit(self, file: str, before: str, after: str) -> None:
        """Change a file, which must hold what is to be changed."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert before in text, f"{file} no longer holds {before!r}"
        path.write_text(text.replace(before, after, 1), encoding="utf-8")

    def counted(self) -> subprocess.CompletedProcess[str]:
        """Count the lines of a game's first two choices: 676, unless the kernel that counts was changed."""
        return self.run(
            "-c",
            "import northrail; from northrail.engine.perft import perft;"
            "print(perft(northrail.Game(northrail.load_board('nordic-countries'), 2, 7), 2))",
        )

    def count(self) -> str:
        """The same number, where nothing is amiss."""
        done = self.counted()
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def module(self, name: str) -> Path:
        """A compiled module."""
        return next((self.root / COMPILED).glob(f"{name}.*.so"))
