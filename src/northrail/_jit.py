"""The one place that knows Numba.

`kernel` compiles a function to machine code and keeps the result in a cache. Numba's own cache notices an edit only in
the file a kernel is written in, not in the kernels it calls; so the cache folder is named by a digest of every module
that kernels are written in or take names from, and an edit in any of them starts a new one.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
JIT = not numba.config.DISABLE_JIT


def _kernel_modules() -> list[Path]:
    """The modules with kernels, and those that they import."""
    sources = {path: path.read_text("utf-8") for path in _PACKAGE.rglob("*.py")}
    found = {Path(__file__)}
    new = [path for path, source in sources.items() if re.search(r"^\s*@kernel$", source, re.MULTILINE)]
    while new:
        path = new.pop()
        if path in sources and path not in found:
            found.add(path)
            imported = re.findall(r"^\s*(?:from|import) northrail\.([\w.]+)", sources[path], re.MULTILINE)
            new += [_PACKAGE / f"{name.replace('.', '/')}.py" for name in imported]
    return sorted(found)


def _digest() -> str:
    """A name for the exact source of all kernels."""
    content = hashlib.sha256()
    for path in _kernel_modules():
        content.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return content.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: NUMBA_CACHE_DIR, else beside the package, else the user's cache."""
    # Bounds checks change the code but not Numba's cache key.
    name = _digest() + ("-checked" if numba.config.BOUNDSCHECK else "")
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]) / name
    beside = _PACKAGE / "__pycache__" / "kernels"
    if os.access(beside.parent if beside.parent.exists() else _PACKAGE, os.W_OK):
        return beside / name
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "northrail" / name


_CACHE = str(cache_folder())


def kernel(function: Function) -> Function:
    """``function``, compiled on first use; releases the GIL, so that threads run side by side."""
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, _CACHE
    try:
        # Numba looks the folder up while decorating; other packages' kernels keep theirs.
        compiled: Function = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # nowhere to keep it: typed at a prompt, or no folder can be written
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def records(kind: np.dtype[Any], count: int) -> Any:
    """``count`` zeroed records; fields are attributes, in kernels and in plain Python."""
    return np.zeros(count, kind).view(np.recarray)


def for_kernels(array: Any) -> Any:
    """The same records in the form kernels take best: when compiled, a plain array spares seven eighths of a call."""
    return array.view(np.ndarray) if JIT else array


if JIT:

    @intrinsic
    def popcount(typing_context, word):  # type: ignore[no-untyped-def]  # the signature Numba asks for
        """The number of set bits."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), generate

    @intrinsic
    def lowest(typing_context, word):  # type: ignore[no-untyped-def]  # the signature Numba asks for
        """The place of the lowest set bit; the word must not be zero."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), generate

else:

    def popcount(word: int) -> int:
        """The number of set bits."""
        return int(word).bit_count()

    def lowest(word: int) -> int:
        """The place of the lowest set bit; the word must not be zero."""
        return (int(word) & -int(word)).bit_length() - 1
