"""Compile the kernels that changed into src/northrail/compiled.

    python tools/compile_kernels.py

Respects CC, CFLAGS and LDFLAGS. Concurrent builds wait for each other. Each compiled module contains a digest of
everything it was compiled from. The manifest, written last, lists the digests of modules and sources; decorators.py
compares them.
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

# Each module's digest, in C: Cython compresses Python strings, and `_fits` could not find it in the file.
BUILD = '''
cdef extern from *:
    """
    static const char *nr_build = "{}";
    """
    const char* nr_build

BUILD = nr_build.decode("ascii")
'''

os.environ["NORTHRAIL_PLAIN"] = "1"  # import the kernels without their compiled form
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]


class BuildFailed(Exception):
    """Says why the kernels could not be compiled, and what to do."""


def compile_kernels(folder: Path, work: Path, progress: Callable[[str], None]) -> None:
    """Compile the modules that changed into ``folder``; ``work`` keeps intermediate files."""
    for place in (folder, work):
        try:
            place.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
        except OSError as error:
            raise BuildFailed(
                f"cannot write to {place}, where the kernels are compiled ({error.strerror}); "
                "copy northrail's sources to a folder you can write to"
            ) from error
    with _locked(work, progress):
        _compile(folder, work, progress)


def _compile(folder: Path, work: Path, progress: Callable[[str], None]) -> None:
    # Read the sources before importing them. An edit in between will not match the manifest and is compiled next time.
    package = ROOT / "src" / "northrail"
    written = {path.relative_to(package).as_posix(): path.read_bytes() for path in package.rglob("*.py")}
    parts = [ROOT / "tools" / name for name in ("translate.py", "compile_kernels.py", "kernels.h")]
    tools = _digest(b"\0".join([repr(_tools()).encode(), *map(Path.read_bytes, parts)]))
    if _is_fresh(folder, written, tools):
        return

    from northrail.kernels.decorators import code_of, digest_of
    from translate import HEADER, MODULES, CannotTranslate, translate

    began = time.perf_counter()
    try:
        texts, sources = translate()
    except CannotTranslate as error:
        raise BuildFailed(f"a kernel cannot be compiled: {error}") from error
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
        progress("compiling the kernels\n")
        _check_compiler()
        _check_python()
        with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
            # Largest first, so that no core waits long for the last module.
            order = sorted(stale, key=lambda module: -len(texts[f"{module}.pyx"]))
            futures = {pool.submit(_compile_module, module, work, folder): module for module in order}
            for done, future in enumerate(as_completed(futures), 1):
                failed = future.result()
                if failed is not None:
                    pool.shutdown(cancel_futures=True)
                    raise BuildFailed(failed)
                progress(f"compiling kernels: {done} of {len(stale)} ({futures[future]})")
    manifest = {
        "sources": {name: (digest_of(written[name]), digest_of(code_of(written[name]))) for name in sources},
        "modules": builds,
        "tools": tools,
    }
    _write(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
    for leftover in folder.glob(f"*{SUFFIX}"):
        if leftover.name.removesuffix(SUFFIX) not in builds:
            leftover.unlink()
    if stale:
        progress(f"compiled {len(stale)} of {len(builds)} kernel modules in {time.perf_counter() - began:.1f} s\n")


def _files_of(module: str, texts: dict[str, str]) -> list[str]:
    """Return the Cython files that a module is compiled from: its own, and all that it imports."""
    found = [f"{module}.pyx", f"{module}.pxd"]
    for name in found:  # the list grows while we iterate
        imported = [line.split()[1] for line in texts[name].splitlines() if line.startswith("from northrail.compiled.")]
        found += {f"{other.rpartition('.')[2]}.pxd" for other in imported}.difference(found)
    return sorted(found)


def _is_fresh(folder: Path, written: dict[str, bytes], tools: str) -> bool:
    """Return whether everything was compiled from these sources with these tools, without translating anything."""
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
    return hashlib.sha256(content).hexdigest()[:16]  # the same as `digest_of`, which is not imported yet


def _tools() -> tuple[Any, ...]:
    """Return everything but the sources that affects the compiled code."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("cython"), version("setuptools")
    except PackageNotFoundError as error:
        raise BuildFailed(
            "compiling northrail's kernels needs Cython and setuptools; run make kernels, which installs them"
        ) from error
    return *found, SUFFIX, platform.machine(), *(os.environ.get(name) for name in ("CC", "CFLAGS", "LDFLAGS"))


def _fits(compiled: Path, build: str) -> bool:
    """Return whether a compiled module belongs to a build: it contains the build's digest."""
    return compiled.is_file() and build.encode() in compiled.read_bytes()


def _write(path: Path, text: str) -> None:
    """Write a file atomically, if its content changes."""
    if not path.is_file() or path.read_text("utf-8") != text:
        new = path.with_suffix(f"{path.suffix}.new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)


# --- one module -------------------------------------------------------------------------------------------------------


def _compile_module(module: str, work: Path, folder: Path) -> str | None:
    """Compile one module; return an error message if that fails."""
    from Cython.Build import cythonize
    from Cython.Compiler.Errors import CompileError
    from setuptools import Distribution, Extension

    source = work / "northrail" / "compiled" / f"{module}.pyx"
    with tempfile.TemporaryDirectory(dir=work) as made, tempfile.TemporaryFile("w+") as output:
        with _redirected(output):
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
            except Exception as error:  # compilers and their versions raise many types
                reason = error
        output.seek(0)
        errors = [line.strip() for line in output if "error:" in line.lower()] or [str(reason)]
    if isinstance(reason, CompileError):
        return f"Cython could not compile the kernels of {module}: {errors[0]}; this is a bug in tools/translate.py"
    return (
        f"the C compiler ({_compiler()}) could not compile northrail's kernels: {errors[0]}; "
        "try a different compiler, such as CC=gcc, or unset CFLAGS"
    )


def _flags() -> list[str]:
    """Return the compiler flags. Floats must be computed as in Python, so that bots play the same everywhere."""
    if os.name == "nt":
        return ["/O2", "/fp:precise", "/w"]
    flags = ["-O3", "-g0", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fvisibility=hidden"]
    if sys.platform == "linux" and platform.machine() == "x86_64":
        flags.append("-march=x86-64-v2")  # any processor since about 2009; has an instruction that counts bits
    return flags + shlex.split(os.environ.get("CFLAGS", ""))


@contextlib.contextmanager
def _redirected(output: Any) -> Iterator[None]:
    """Redirect the output of this process and its compilers into a file."""
    kept = os.dup(1), os.dup(2)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


def _compiler() -> str:
    """Return the C compiler's command."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return str(command).split()[0]


def _check_compiler() -> None:
    if os.name != "nt" and shutil.which(_compiler()) is None:
        raise BuildFailed(
            f"compiling northrail's kernels needs a C compiler, and {_compiler()} was not found; "
            "on Debian: sudo apt-get install gcc libc6-dev, on macOS: xcode-select --install, or set CC"
        )


def _check_python() -> None:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.is_file():
        raise BuildFailed(
            f"compiling northrail's kernels needs Python's headers, and {header} was not found; "
            "on Debian: sudo apt-get install python3-dev"
        )


@contextlib.contextmanager
def _locked(work: Path, progress: Callable[[str], None]) -> Iterator[None]:
    """Wait until no other build uses the same folder, and lock it."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; do not run two builds at once there
        yield
        return
    with (work / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another build of the kernels")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def print_progress(line: str) -> None:
    """Print progress; on a terminal, all on one line."""
    is_last = line.endswith("\n")
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[K{line}")
    elif is_last or line.startswith("waiting"):
        sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def main() -> None:
    """Compile the kernels of this checkout."""
    try:
        compile_kernels(ROOT / "src" / "northrail" / "compiled", ROOT / ".cache" / "kernels", print_progress)
    except BuildFailed as error:
        sys.exit(f"\n{error}" if sys.stdout.isatty() else str(error))
    except KeyboardInterrupt:
        sys.exit("\nstopped before all kernels were compiled; make kernels continues from here")


if __name__ == "__main__":
    main()
