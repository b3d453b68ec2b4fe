"""Kernels: functions that the build compiles to machine code, and that stay ordinary Python.

`kernel` marks a function that other kernels call; `entry` marks one that Python calls too, and gives its compiled form.
With NORTHRAIL_PLAIN=1 nothing compiled is used: that is for coverage, for reading and for proof.

Compiled code is never used with sources it was not made from: the build writes a manifest with digests of both, and
the first entry compares them.
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
    """The compiled kernels are missing, or were made from other sources."""


def kernel(function: Function) -> Function:
    """Mark a function that the build compiles."""
    function.__dict__["kernel"] = "inner"
    return function


@overload
def entry(function: Function, /) -> Function: ...
@overload
def entry(*, threads: bool) -> Callable[[Function], Function]: ...
def entry(function: Any = None, /, *, threads: bool = False) -> Any:
    """Mark a kernel that Python calls; gives its compiled form.

    With ``threads`` it releases the GIL; for short kernels that costs more than it saves.
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
    """A compiled module, once it is known to be made from the sources that are here."""
    manifest = _manifest()
    try:
        module = import_module(f"northrail.compiled.{name}")
    except ImportError as fault:
        raise NotBuilt(_sentence(f"the compiled module {name} cannot be loaded ({fault})")) from fault
    if manifest["modules"].get(name) != module.BUILD:
        raise NotBuilt(_sentence(f"the compiled module {name} belongs to another build"))
    return module


@cache
def _manifest() -> dict[str, Any]:
    """What the build says about itself; raises NotBuilt where it does not fit the sources."""
    try:
        manifest: dict[str, Any] = json.loads(MANIFEST.read_text("utf-8"))
        if not manifest.keys() >= {"sources", "modules"}:
            raise ValueError
    except FileNotFoundError as fault:
        raise NotBuilt(_sentence("northrail's kernels are not compiled")) from fault
    except (ValueError, AttributeError) as fault:
        raise NotBuilt(_sentence(f"{MANIFEST} is damaged")) from fault
    for name, (exact, code) in manifest["sources"].items():
        path = PACKAGE / name
        text = path.read_bytes() if path.is_file() else b""
        # An edited comment changes the text and not the code; to find that out takes longer.
        if digest_of(text) != exact and digest_of(code_of(text)) != code:
            raise NotBuilt(_sentence(f"{name} has changed since northrail's kernels were compiled"))
    return manifest


def _sentence(what: str) -> str:
    is_checkout = (PACKAGE.parents[1] / "Makefile").is_file()
    way_out = f"run make kernels in {PACKAGE.parents[1]}" if is_checkout else "install northrail again with pip"
    return f"{what}; {way_out}"


# --- digests ----------------------------------------------------------------------------------------------------------


def digest_of(content: bytes) -> str:
    """A short name for some bytes."""
    return hashlib.sha256(content).hexdigest()[:16]


def code_of(source: bytes) -> bytes:
    r"""The code of a Python file without what decides nothing: comments, docstrings and formatting.

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
