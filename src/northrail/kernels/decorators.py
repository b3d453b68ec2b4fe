"""Kernels: ordinary Python functions that the build also compiles to machine code.

`kernel` marks a function that other kernels call. `entry` marks one that Python calls too, and replaces it with its
compiled form. With NORTHRAIL_PLAIN=1 everything runs as plain Python, for coverage, debugging and comparison.

Compiled code only runs with the sources it was compiled from. The build writes a manifest with digests of both, and
the first `entry` compares them.
"""

import ast
import hashlib
import json
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "compiled"
MANIFEST = FOLDER / "manifest.json"
COMPILED = os.environ.get("NORTHRAIL_PLAIN", "") in ("", "0")


class NotBuilt(ImportError):
    """The compiled kernels are missing, or were compiled from different sources."""


def kernel(function: Function) -> Function:
    """Mark a function that the build compiles."""
    function.__dict__["kernel"] = "inner"
    return function


@overload
def entry(function: Function, /) -> Function: ...
@overload
def entry(*, threads: bool) -> Callable[[Function], Function]: ...
def entry(function: Any = None, /, *, threads: bool = False) -> Any:
    """Mark a kernel that Python calls, and return its compiled form.

    With ``threads`` it releases the GIL. For short kernels that costs more than it saves.
    """
    if function is None:
        return lambda function: _entry(function, threads)
    return _entry(function, threads)


def _entry(function: Any, threads: bool) -> Any:
    function.kernel = "threads" if threads else "entry"
    if not COMPILED:
        return function
    return getattr(_compiled(function.__module__.rpartition(".")[2]), function.__name__)


@cache
def _compiled(name: str) -> ModuleType:
    """Return a compiled module; raise NotBuilt unless it was compiled from these sources."""
    manifest = _manifest()
    try:
        module = import_module(f"northrail.compiled.{name}")
    except ImportError as error:
        raise NotBuilt(_with_advice(f"the compiled module {name} cannot be loaded ({error})")) from error
    if manifest["modules"].get(name) != module.BUILD:
        raise NotBuilt(_with_advice(f"the compiled module {name} belongs to a different build"))
    return module


@cache
def _manifest() -> dict[str, Any]:
    """Return the build's manifest; raise NotBuilt if it does not match the sources."""
    try:
        manifest: dict[str, Any] = json.loads(MANIFEST.read_text("utf-8"))
        if not manifest.keys() >= {"sources", "modules"}:
            raise ValueError
    except FileNotFoundError as error:
        raise NotBuilt(_with_advice("northrail's kernels are not compiled")) from error
    except (ValueError, AttributeError) as error:
        raise NotBuilt(_with_advice(f"{MANIFEST} is damaged")) from error
    for name, (exact, code) in manifest["sources"].items():
        path = PACKAGE / name
        text = path.read_bytes() if path.is_file() else b""
        # An edited comment changes the text but not the code. Parsing the code takes longer, so compare it second.
        if digest_of(text) != exact and digest_of(code_of(text)) != code:
            raise NotBuilt(_with_advice(f"{name} has changed since northrail's kernels were compiled"))
    return manifest


def _with_advice(problem: str) -> str:
    """Add what to do about a problem."""
    is_checkout = (PACKAGE.parents[1] / "Makefile").is_file()
    advice = f"run make kernels in {PACKAGE.parents[1]}" if is_checkout else "reinstall northrail with pip"
    return f"{problem}; {advice}"


# --- digests ----------------------------------------------------------------------------------------------------------


def digest_of(content: bytes) -> str:
    """Return a short digest of some bytes."""
    return hashlib.sha256(content).hexdigest()[:16]


def code_of(source: bytes) -> bytes:
    r"""Return the code of a Python file without comments, docstrings and formatting.

    >>> code_of(b'def double(x):\n    "Twice as much."\n    return (x  # here\n        * 2)')
    b'def double(x):\n    return x * 2'
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                if isinstance(first.value.value, str):
                    node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree).encode()
