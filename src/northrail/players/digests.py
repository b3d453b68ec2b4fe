"""Find the files of this package that a module depends on."""

import json
import re
from functools import cache
from pathlib import Path

from northrail.kernels.decorators import code_of

PACKAGE = Path(__file__).parents[1]
PROVENANCE = "made by"  # how we found the weights; prose
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+northrail(?:\.(?P<module>[\w.]+))?[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+northrail\.(?P<whole>[\w.]+))",
    re.MULTILINE,
)

QUOTED = re.compile(r'"([\w-]*\.\w+)"')


@cache
def files_of(module: str) -> tuple[Path, ...]:
    """Return the files of a module such as ``northrail.players.basic``: its own, our modules it imports, their data.

    Data are the files beside the module whose name or ending stands between quotes in one of these.

    >>> [path.name for path in files_of("northrail.errors")]
    ['errors.py']
    """
    start = PACKAGE.joinpath(*module.split(".")[1:])
    found: dict[Path, str] = {}
    new = _modules(start)
    while new:
        path = new.pop()
        if path not in found:
            found[path] = path.read_text("utf-8")
            for imported in IMPORT.finditer(found[path]):
                named = PACKAGE.joinpath(*(imported["whole"] or imported["module"] or "").split("."))
                new += _modules(named)
                for name in re.findall(r"\w+", imported["names"] or ""):
                    new += _modules(named / name)
    quoted = {name for text in found.values() for name in QUOTED.findall(text)}
    beside = start.parent.iterdir() if start.parent != PACKAGE else ()
    data = (path for path in beside if path.suffix != ".py" and quoted & {path.name, path.suffix})
    return tuple(sorted([*found, *data]))


@cache
def content_of(path: Path) -> bytes:
    """Return the content that matters: a file without prose and formatting, if it is Python or JSON."""
    text = path.read_bytes()
    match path.suffix:
        case ".py":
            return code_of(text)
        case ".json":
            facts = json.loads(text)
            facts.pop(PROVENANCE, None)
            return json.dumps(facts, sort_keys=True).encode()
    return text


def _modules(path: Path) -> list[Path]:
    """Return the module or package at a path without its extension; an empty list if there is none."""
    return [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file() and path != PACKAGE]
