"""Run the engine's tests with kernels compiled by clang and with sanitizers, in copies of the sources."""

import subprocess
import sys
from pathlib import Path

import pytest
from checkouts import COMPILED, ROOT, Checkout

pytestmark = pytest.mark.long

# An error must end the process: otherwise it is only a line in the log.
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all -O1 -fno-omit-frame-pointer"
ENGINE = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "engine and not long", str(ROOT / "tests"), "-x"]


def compiled_with(folder: Path, **environment: str) -> Checkout:
    """Return a copy of the sources with all its kernels recompiled."""
    checkout = Checkout(folder)
    for path in (checkout.root / COMPILED).glob("*.so"):
        path.unlink()
    assert "compiled 13 of 13" in checkout.built(**environment)
    return checkout


def sanitized(folder: Path) -> tuple[Checkout, dict[str, str]]:
    """Return a copy compiled with gcc's sanitizers, and the environment to run it in."""
    checkout = compiled_with(folder, CC="gcc", CFLAGS=SANITIZE, LDFLAGS=SANITIZE)
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    return checkout, {
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONMALLOC": "malloc",  # so that the sanitizer guards every struct's memory
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself does not free all memory at exit
        "NORTHRAIL_TEST_SIZE": "usual",
    }


def test_the_engine_passes_under_sanitizers_which_catch_a_broken_kernel(tmp_path: Path) -> None:
    checkout, environment = sanitized(tmp_path)
    done = checkout.run(*ENGINE, **environment)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert " passed" in done.stdout
    # An index past the end of the log's lines but inside the struct: only the sanitizer notices.
    checkout.edit("src/northrail/engine/rules.py", "    at = int(log.lines)\n", "    at = int(log.lines) + 96\n")
    checkout.built(CC="gcc", CFLAGS=SANITIZE, LDFLAGS=SANITIZE)
    broken = checkout.run(
        "-c", "import northrail; northrail.Game(northrail.load_board('nordic-countries'))", **environment
    )
    assert broken.returncode != 0 and "index 96 out of bounds" in broken.stderr


def test_the_engine_passes_when_compiled_by_clang(tmp_path: Path) -> None:
    checkout = compiled_with(tmp_path, CC="clang")
    done = checkout.run(*ENGINE, NORTHRAIL_TEST_SIZE="usual")
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_a_copy_runs_its_own_kernels(tmp_path: Path) -> None:
    where = Checkout(tmp_path).run("-c", "import northrail.compiled.rules as rules; print(rules.__file__)").stdout
    assert where.startswith(str(tmp_path)) and sys.prefix not in where
