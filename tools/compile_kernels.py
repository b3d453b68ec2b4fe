"""Compile the kernels into src/northrail/compiled: only the modules that changed, and none that does not fit.

    python tools/compile_kernels.py

Respects CC, CFLAGS and LDFLAGS. Concurrent builds wait for each other. Each compiled module carries the digest of all
it was made of. The manifest, written last, says which digests belong to which sources; decorators.py compares them.
"""

import contextlib
import hashlib
import json
import os
import platform
import shlex
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")

# Each module's digest, as C: Cython compresses Python's strings, and then `_fits` would not find it in the file.
BUILD = '''
cdef extern from *:
    """
    static const char *nr_build = "{}";
    """
    const char* nr_build

BUILD = nr_build.decode("ascii")
'''

os.environ["NORTHRAIL_PLAIN"] = "1"  # nothing compiled is needed to read the kernels
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]


class BuildFailed(Exception):
    """Why the kernels could not be compiled, and what to do about it."""


def compile_kernels(folder: Path, work: Path, tell: Callable[[str], None]) -> None:
    """Compile what has changed into ``folder``; ``work`` keeps what is needed on the way there."""
    for place in (folder, work):
        try:
            place.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
        except OSError as fault:
            raise BuildFailed(
                f"the kernels are compiled into {place}, which cannot be written to ({fault.strerror}); "
                "copy northrail's sources to a folder of your own"
            ) from fault
    with _alone(work, tell):
        _compile(folder, work, tell)


def _compile(folder: Path, work: Path, tell: Callable[[str], None]) -> None:
    # Read before they are imported: what is edited meanwhile will not fit the manifest, and is compiled next time.
    package = ROOT / "src" / "northrail"
    written = {path.relative_to(package).as_posix(): path.read_bytes() for path in package.rglob("*.py")}
    parts = [ROOT / "tools" / name for name in ("translate.py", "compile_kernels.py", "kernels.h")]
    tools = _digest(b"\0".join([repr(_tools()).encode(), *map(Path.read_bytes, parts)]))
    if _is_fresh(folder, written, tools):
        return

    from northrail.kernels.decorators import code_of, digest_of
    from translate import HEADER, MODULES, Refused, translate

    began = time.perf_counter()
    try:
        texts, sources = translate()
    except Refused as fault:
        raise BuildFailed(f"a kernel cannot be compiled: {fault}") from fault
    common = repr((HEADER.read_text("utf-8"), _tools())).encode()
    pyx = work / "northrail" / "compiled"
    pyx.mkdir(parents=True, exist_ok=True)
    for place in (work / "northrail", pyx):
        (place / "__init__.pxd").touch()
    shutil.copy(HEADER, work)
    builds = {}
    for module in (name.rpartition(".")[2] for name in MODULES):
        used = "\0".join(texts[name] for name in _files_of(module, texts))
        builds[module] = digest_of(used.encode() + common)
    for name, text in texts.items():
        _write(pyx / name, text + BUILD.format(builds[name[:-4]]) if name.endswith(".pyx") else text)
    stale = [module for module, build in builds.items() if not _fits(folder / f"{module}{SUFFIX}", build)]
    if stale:
        tell("compiling the kernels\n")
        _check_compiler()
        _check_python()
        with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
            # The largest first: then no core waits long for the last.
            order = sorted(stale, key=lambda module: -len(texts[f"{module}.pyx"]))
            futures = {pool.submit(_compile_module, module, work, folder): module for module in order}
            for done, future in enumerate(as_completed(futures), 1):
                failed = future.result()
                if failed is not None:
                    pool.shutdown(cancel_futures=True)
                    raise BuildFailed(failed)
                tell(f"compiling kernels: {done} of {len(stale)} ({futures[future]})")
    manifest = {
        "sources": {name: (digest_of(written[name]), digest_of(code_of(written[name]))) for name in sources},
        "modules": builds,
        "tools": tools,
    }
    _write(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
    for left in folder.glob(f"*{SUFFIX}"):
        if left.name.removesuffix(SUFFIX) not in builds:
            left.unlink()
    if stale:
        tell(f"compiled {len(stale)} of {len(builds)} kernel modules in {time.perf_counter() - began:.1f} s\n")


def _files_of(module: str, texts: dict[str, str]) -> list[str]:
    """The Cython files that a module is compiled from: its own, and all that it imports."""
    found = [f"{module}.pyx", f"{module}.pxd"]
    for name in found:  # which grows
        imported = [line.split()[1] for line in texts[name].splitlines() if line.startswith("from northrail.compiled.")]
        found += {f"{other.rpartition('.')[2]}.pxd" for other in imported}.difference(found)
    return sorted(found)


def _is_fresh(folder: Path, written: dict[str, bytes], tools: str) -> bool:
    """Whether all is compiled from these very sources with these tools: then nothing need be translated to know it."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        return bool(
            manifest["tools"] == tools
            and all(_digest(written[name]) == exact for name, (exact, _) in manifest["sources"].items())
            and all(_fits(folder / f"{module}{SUFFIX}", build) for module, build in manifest["modules"].items())
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]  # as `digest_of`, which is not imported yet


def _tools() -> tuple[Any, ...]:
    """All that decides what a compiler makes of a source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("cython"), version("setuptools")
    except PackageNotFoundError as fault:
        raise BuildFailed(
            "compiling northrail's kernels needs Cython and setuptools; run make kernels, which installs them"
        ) from fault
    return *found, SUFFIX, platform.machine(), *(os.environ.get(name) for name in ("CC", "CFLAGS", "LDFLAGS"))


def _fits(compiled: Path, build: str) -> bool:
    """Whether a compiled module is the one of a build: it carries its digest."""
    return compiled.is_file() and build.encode() in compiled.read_bytes()


def _write(path: Path, text: str) -> None:
    """Write a file if it is to change, at once: nobody finds half of it."""
    if not path.is_file() or path.read_text("utf-8") != text:
        new = path.with_suffix(f"{path.suffix}.new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)


# --- one module -------------------------------------------------------------------------------------------------------


def _compile_module(module: str, work: Path, folder: Path) -> str | None:
    """Compile one module; gives a sentence if that fails."""
    from Cython.Build import cythonize
    from Cython.Compiler.Errors import CompileError
    from setuptools import Distribution, Extension

    source = work / "northrail" / "compiled" / f"{module}.pyx"
    with tempfile.TemporaryDirectory(dir=work) as made, tempfile.TemporaryFile("w+") as said:
        with _said_into(said):
            try:
                extension = Extension(
                    f"northrail.compiled.{module}",
                    [str(source)],
                    include_dirs=[str(work)],
                    extra_compile_args=_flags(),
                )
                translated = cythonize(extension, include_path=[str(work)], force=True, quiet=True)
                command: Any = Distribution({"ext_modules": translated}).get_command_obj("build_ext")
                command.build_lib = command.build_temp = made
                command.ensure_finalized()
                command.run()
                built = next(Path(made).glob(f"northrail/compiled/{module}*"))
                shutil.move(built, folder / f"{built.name}.new")
                (folder / f"{built.name}.new").replace(folder / f"{module}{SUFFIX}")
                return None
            except Exception as fault:  # of many kinds, by compiler and version; whatever it is becomes a sentence
                reason = fault
        said.seek(0)
        words = [line.strip() for line in said if "error:" in line.lower()] or [str(reason)]
    if isinstance(reason, CompileError):
        return f"Cython could not compile the kernels of {module}: {words[0]}; this is a fault of tools/translate.py"
    return (
        f"the C compiler ({_compiler()}) could not compile northrail's kernels: {words[0]}; "
        "try another one, such as CC=gcc, or without CFLAGS"
    )


def _flags() -> list[str]:
    """What compilers are told. Floats must be computed as Python computes them, so that no move differs anywhere."""
    if os.name == "nt":
        return ["/O2", "/fp:precise", "/w"]
    flags = ["-O3", "-g0", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fvisibility=hidden"]
    if sys.platform == "linux" and platform.machine() == "x86_64":
        flags.append("-march=x86-64-v2")  # every processor since about 2009; counts bits in one instruction
    return flags + shlex.split(os.environ.get("CFLAGS", ""))


@contextlib.contextmanager
def _said_into(said: Any) -> Iterator[None]:
    """Let what this process and its compilers say go into a file."""
    kept = os.dup(1), os.dup(2)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


def _compiler() -> str:
    """The C compiler's command."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return str(command).split()[0]


def _check_compiler() -> None:
    if os.name != "nt" and shutil.which(_compiler()) is None:
        raise BuildFailed(
            f"compiling northrail's kernels needs a C compiler, and {_compiler()} was not found; "
            "on Debian: sudo apt-get install gcc libc6-dev, on macOS: xcode-select --install, or set CC to yours"
        )


def _check_python() -> None:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.is_file():
        raise BuildFailed(
            f"compiling northrail's kernels needs Python's headers, and {header} was not found; "
            "on Debian: sudo apt-get install python3-dev"
        )


@contextlib.contextmanager
def _alone(work: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Wait until no other build works in the same folder."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; builds there must not overlap
        yield
        return
    with (work / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("waiting for another build of the kernels")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def tell(line: str) -> None:
    """Say how far it is; on a terminal in one line."""
    is_last = line.endswith("\n")
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[K{line}")
    elif is_last or line.startswith("waiting"):
        sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def main() -> None:
    """Compile the kernels of this checkout."""
    try:
        compile_kernels(ROOT / "src" / "northrail" / "compiled", ROOT / ".cache" / "kernels", tell)
    except BuildFailed as fault:
        sys.exit(f"\n{fault}" if sys.stdout.isatty() else str(fault))
    except KeyboardInterrupt:
        sys.exit("\nthe kernels are not compiled; make kernels goes on where this stopped")


if __name__ == "__main__":
    main()
