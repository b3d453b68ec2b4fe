"""Building the kernels: only what changed, never half, and machine code that does not fit its sources is not run."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checkouts import COMPILED, Checkout
from northrail.kernel import code_of

pytestmark = pytest.mark.xdist_group("build")  # one copy serves many tests

RULES = "src/northrail/rules.py"
HAND = ("        s.hand_size[seat] = board.hand\n", "        s.hand_size[seat] = board.hand + 1\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_what_has_not_changed_is_not_compiled(checkout: Checkout) -> None:
    before = {path: path.stat().st_mtime_ns for path in (checkout.root / COMPILED).glob("*.so")}
    assert len(before) > 10 and checkout.built() == ""
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_edited_comment_or_docstring_needs_no_build(checkout: Checkout) -> None:
    checkout.edit(
        RULES, '"""Make a state in which nothing has happened yet."""', '"""Something else."""  # and a comment'
    )
    assert checkout.deal().stdout == "4\n"
    assert checkout.built() == ""


def test_edited_code_is_refused_until_it_is_compiled_and_then_only_its_module(checkout: Checkout) -> None:
    checkout.edit(RULES, *HAND)
    refused = checkout.deal()
    assert refused.returncode == 1
    assert f"kernels were compiled from another rules.py; run make kernels in {checkout.root}" in refused.stderr
    assert "compiled 1 of 13 kernel modules" in checkout.built()
    assert checkout.deal().stdout == "5\n"
    # A module of this build beside those of the one before, in either direction.
    newer = checkout.module("rules").read_bytes()
    checkout.edit(RULES, HAND[1], HAND[0])
    checkout.built()
    checkout.module("rules").write_bytes(newer)
    refused = checkout.deal()
    assert "the compiled module rules is of another build; run make kernels" in refused.stderr
    assert "compiled 1 of 13" in checkout.built() and checkout.deal().stdout == "4\n"


def test_a_changed_struct_compiles_all_that_use_it(checkout: Checkout) -> None:
    checkout.edit("src/northrail/players/tree.py", "    path = int32(DEPTH)", "    path = int64(DEPTH)")
    assert "compiled 1 of 13" in checkout.built()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "northrail's kernels are not compiled"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json is damaged"),
        (lambda folder: next(folder.glob("rules.*.so")).unlink(), "the compiled module rules cannot be loaded"),
        (lambda folder: next(folder.glob("state.*.so")).write_bytes(b"MZ"), "module state cannot be loaded"),
    ],
    ids=["no manifest", "half a manifest", "a module is missing", "a foreign module"],
)
def test_what_is_missing_or_foreign_is_told_and_mended(checkout: Checkout, damage: object, told: str) -> None:
    assert callable(damage)
    damage(checkout.root / COMPILED)
    refused = checkout.deal()
    assert refused.returncode == 1 and told in refused.stderr
    assert refused.stderr.strip().endswith(f"run make kernels in {checkout.root}")
    checkout.built()
    assert checkout.deal().stdout == "4\n"


def test_plain_python_needs_nothing_compiled(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / COMPILED)
    done = checkout.run("-c", "import northrail; print(northrail.kernel.COMPILED)", NORTHRAIL_PLAIN="1")
    assert done.stdout == "False\n"


# --- compilers --------------------------------------------------------------------------------------------------------


def test_no_compiler(checkout: Checkout) -> None:
    checkout.edit(RULES, *HAND)
    done = checkout.build(CC="no-such-compiler")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "needs a C compiler, and no-such-compiler was not found; on Debian: sudo apt-get install gcc" in done.stderr


def test_a_broken_compiler_changes_nothing(checkout: Checkout, tmp_path: Path) -> None:
    checkout.edit(RULES, *HAND)
    before = {path.name: path.read_bytes() for path in (checkout.root / COMPILED).iterdir() if path.is_file()}
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'error: no space left in my head' >&2\nexit 1\n")
    broken.chmod(0o755)
    done = checkout.build(CC=str(broken))
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f"the C compiler ({broken}) could not compile northrail's kernels: error: no space left" in done.stderr
    after = {path.name: path.read_bytes() for path in (checkout.root / COMPILED).iterdir() if path.is_file()}
    assert after == before
    assert "compiled from another rules.py" in checkout.deal().stderr


def test_a_folder_that_cannot_be_written_to(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / COMPILED)
    (checkout.root / COMPILED).write_text("a file in its place; root may write to read-only folders")
    done = checkout.build()
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f"compiled into {checkout.root / COMPILED}, which cannot be written to" in done.stderr


# --- several, and stopped ones ----------------------------------------------------------------------------------------


def start(checkout: Checkout) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "tools/compile_kernels.py"],
        cwd=checkout.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_two_builds_at_once_wait_for_each_other(checkout: Checkout) -> None:
    checkout.edit(RULES, *HAND)
    builds = [start(checkout), start(checkout)]
    said = [build.communicate(timeout=120)[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0], said
    assert sum("compiled 1 of 13" in words for words in said) == 1
    assert checkout.deal().stdout == "5\n"


def test_a_killed_build_is_taken_up_again(checkout: Checkout) -> None:
    for name in ("rules", "scoring", "state"):
        checkout.module(name).unlink()
    (checkout.root / COMPILED / "manifest.json").unlink()
    build = start(checkout)
    deadline = time.monotonic() + 60
    while not list((checkout.root / COMPILED).glob("state.*.so")):  # the smallest is there first, or is the last
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    assert checkout.deal().returncode == 1 or build.returncode == 0
    checkout.built()
    assert checkout.deal().stdout == "4\n"


# --- what C would compute differently ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("float(seat / 2) > 9.0", "C would drop the remainder"),
        ("seat ** 2 > 99", "C rounds powers differently"),
        ("abs(seat) > 9", "expected a kernel"),
        ("seats_left > 9", "not known here"),
        ("board.cards > 9", "expected a field of a struct"),
        ("board.need > 9 if s.seat else 0", "expected values of one type"),
    ],
)
def test_a_kernel_that_c_would_not_understand_is_refused_with_its_line(
    checkout: Checkout, code: str, told: str
) -> None:
    checkout.edit(RULES, HAND[0], f"{HAND[0]}        odd = {code}\n        s.passes += int(odd)\n")
    done = checkout.build()
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert told in done.stderr and "northrail.rules" in done.stderr


# --- digests of players -----------------------------------------------------------------------------------------------


def test_code_is_what_decides() -> None:
    plain = b"def f(x):\n    return [x, 1]\n"
    prose = b'"""A module."""\n# A comment\ndef f(x):\n    """A docstring."""\n    return [\n        x,\n   1,]\n'
    assert code_of(plain) == code_of(prose)
    assert code_of(plain) != code_of(plain.replace(b"1", b"2"))
