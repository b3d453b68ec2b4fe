"""Building the kernels: only what changed is compiled, and compiled code never runs with other sources."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkouts import COMPILED, Checkout

from northrail.kernels.decorators import code_of
from translate import MODULES

pytestmark = pytest.mark.xdist_group("build")  # one process runs these: builds take both cores

# The smallest module with kernels compiles in seconds.
PERFT = "src/northrail/engine/perft.py"
ONE_MORE = ("    lines = 0\n", "    lines = 1\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_unchanged_modules_are_not_compiled(checkout: Checkout) -> None:
    before = {path: path.stat().st_mtime_ns for path in (checkout.root / COMPILED).glob("*.so")}
    assert len(before) > 10 and checkout.built() == ""
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_edited_code_is_refused_until_its_module_is_compiled(checkout: Checkout) -> None:
    checkout.edit(
        PERFT, "Return the number of lines of ``depth`` moves from a state; ``depth`` is at least 1.", "Count lines."
    )  # prose needs no build
    assert checkout.count() == "676"
    checkout.edit(PERFT, *ONE_MORE)
    refused = checkout.counted()
    assert refused.returncode == 1
    assert (
        f"perft.py has changed since northrail's kernels were compiled; run make kernels in {checkout.root}"
        in refused.stderr
    )
    older = checkout.module("perft").read_bytes()
    assert f"compiled 1 of {len(MODULES)} kernel modules" in checkout.built()
    assert checkout.count() == "677"
    # A module from a different build, compiled from different sources.
    checkout.module("perft").write_bytes(older)
    assert "the compiled module perft belongs to a different build; run make kernels" in checkout.counted().stderr


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "northrail's kernels are not compiled"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json is damaged"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "manifest.json is damaged"),
        (lambda folder: next(folder.glob("perft.*.so")).unlink(), "the compiled module perft cannot be loaded"),
        (lambda folder: next(folder.glob("perft.*.so")).write_bytes(b"MZ"), "module perft cannot be loaded"),
    ],
    ids=["no manifest", "half a manifest", "a wrong manifest", "a missing module", "a damaged module"],
)
def test_a_missing_or_damaged_build_is_reported(checkout: Checkout, damage: object, message: str) -> None:
    assert callable(damage)
    damage(checkout.root / COMPILED)
    refused = checkout.counted()
    assert refused.returncode == 1 and message in refused.stderr
    assert refused.stderr.strip().endswith(f"run make kernels in {checkout.root}")


def test_a_damaged_module_is_compiled_again(checkout: Checkout) -> None:
    checkout.module("perft").write_bytes(b"MZ")
    (checkout.root / COMPILED / "manifest.json").write_text("{")
    assert f"compiled 1 of {len(MODULES)}" in checkout.built()
    assert checkout.count() == "676"


def test_plain_python_needs_nothing_compiled(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / COMPILED)
    done = checkout.run("-c", "import northrail; print(northrail.kernels.decorators.COMPILED)", NORTHRAIL_PLAIN="1")
    assert done.stdout == "False\n"


# --- compilers --------------------------------------------------------------------------------------------------------


def test_a_missing_compiler_is_reported(checkout: Checkout) -> None:
    checkout.edit(PERFT, *ONE_MORE)
    done = checkout.build(CC="no-such-compiler")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "needs a C compiler, and no-such-compiler was not found; on Debian: sudo apt-get install gcc" in done.stderr


def test_a_broken_compiler_changes_nothing(checkout: Checkout, tmp_path: Path) -> None:
    checkout.edit(PERFT, *ONE_MORE)
    before = {path.name: path.read_bytes() for path in (checkout.root / COMPILED).iterdir() if path.is_file()}
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'error: no space left in my head' >&2\nexit 1\n")
    broken.chmod(0o755)
    done = checkout.build(CC=str(broken))
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f"the C compiler ({broken}) could not compile northrail's kernels: error: no space left" in done.stderr
    after = {path.name: path.read_bytes() for path in (checkout.root / COMPILED).iterdir() if path.is_file()}
    assert after == before


def test_a_folder_that_cannot_be_written_to_is_reported(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / COMPILED)
    (checkout.root / COMPILED).write_text("a file in its place; root may write to read-only folders")
    done = checkout.build()
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f"cannot write to {checkout.root / COMPILED}, where the kernels are compiled" in done.stderr


# --- interrupted and concurrent builds --------------------------------------------------------------------------------


def start(checkout: Checkout) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "tools/compile_kernels.py"],
        cwd=checkout.root,
        env=checkout.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_after_a_killed_build_two_concurrent_builds_finish_it(checkout: Checkout) -> None:
    checkout.edit(PERFT, *ONE_MORE)
    build = start(checkout)
    deadline = time.monotonic() + 60
    while not (checkout.root / ".cache/kernels/northrail/compiled/perft.c").is_file():  # Cython is done, C is not
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    assert "perft.py has changed since" in checkout.counted().stderr
    builds = [start(checkout), start(checkout)]
    assert [build.wait(120) for build in builds] == [0, 0]
    assert checkout.count() == "677"


# --- code that C would compute differently ----------------------------------------------------------------------------

REFUSED = {
    "float(s.seat / 2) > 9.0": "C would drop the remainder",
    "s.seat**2 > 99": "C rounds powers differently",
    "abs(s.seat) > 9": "expected a kernel",
    "seats_left > 9": "not known here",
    "s.cards > 9": "expected a field of a struct",
    "s.hand > 9": "expected numbers",
    "s.hand if s.seat else 0": "expected values of one type",
    "[s.seat][0]": "kernels cannot use this part of Python",
    "int(0.5) > 0": "expected an integer",
    "s.seat\n    odd <<= 2": "write the operation out",
    "s.seat\n    s.passes /= 2": "write the operation out",
    "twice(s, 1)": "expected 1 arguments",
    "twice(s=s)": "no keyword arguments",
    "later + 1\n    later = odd": "used before it has a type",
}
TRANSLATE = """
import sys
sys.path.insert(0, "tools")
import translate
translate.MODULES += ("northrail.odd",)
modules = translate.read_modules()
for kernel in list(modules["northrail.odd"].kernels.values())[1:]:
    try:
        print(translate.Body(kernel, *kernel.forms()[0], modules).text())
    except translate.CannotTranslate as error:
        print(error)
"""


def test_a_kernel_that_cannot_be_translated_is_refused_with_its_line(checkout: Checkout) -> None:
    kernels = "".join(
        f"@kernel\ndef odd{at}(s: State) -> int:\n    odd = {code}\n    return int(odd)\n\n"
        for at, code in enumerate(REFUSED)
    )
    imports = "from northrail.kernels.decorators import kernel\nfrom northrail.engine.state import State\n\n"
    imports += "@kernel\ndef twice(s: State) -> int:\n    return 2 * int(s.seat)\n\n"
    (checkout.root / "src/northrail/odd.py").write_text(imports + kernels, encoding="utf-8")
    done = checkout.run("-c", TRANSLATE, NORTHRAIL_PLAIN="1")
    assert done.stderr == ""
    for at, (line, expected) in enumerate(zip(done.stdout.splitlines(), REFUSED.values(), strict=True)):
        assert f"northrail.odd.odd{at}, line " in line and expected in line


# --- digests of players -----------------------------------------------------------------------------------------------


def test_code_leaves_out_comments_docstrings_and_formatting() -> None:
    plain = b"def f(x):\n    return [x, 1]\n"
    prose = b'"""A module."""\n# A comment\ndef f(x):\n    """A docstring."""\n    return [\n        x,\n   1,]\n'
    assert code_of(plain) == code_of(prose)
    assert code_of(plain) != code_of(plain.replace(b"1", b"2"))
