"""Colours are named in one module; everything else asks it."""

import re
from collections.abc import Iterator
from pathlib import Path

from northrail.drawing.themes import THEMES, variables

ROOT = Path(__file__).parents[2]
THEME_FILES = {"src/northrail/drawing/themes.py", "src/northrail/server/http/static.py"}
GENERATED = ("page/node_modules", "page/from-server", "page/src/protocol.d.ts", "src/northrail/server/static/")
SOURCES = {".py", ".ts", ".svelte", ".css", ".html"}
COLOUR = re.compile(
    r"(?<!&)#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w-])|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(",
    re.IGNORECASE,
)


def sources() -> Iterator[Path]:
    """The files of the package, the tools and the page that people write."""
    for folder in ("src/northrail", "tools", "page"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SOURCES and not name.startswith(GENERATED) and name not in THEME_FILES:
                yield path


def colours_in(text: str) -> Iterator[tuple[int, str]]:
    """Colour literals in a text, each with its line."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in COLOUR.finditer(line):
            yield number, found[0]


def test_no_colour_is_named_outside_the_themes() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {colour}"
        for path in sources()
        for line, colour in colours_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "name these colours in src/northrail/drawing/themes.py:\n" + "\n".join(found)


def test_colours_are_found() -> None:
    text = "a: #abc;\nb: #A1B2C3; c: rgb(1 2 3) hsla(\nd: #dad-about &#380; issue #12 var(--rgb) color-mix(in oklab, x)"
    assert list(colours_in(text)) == [(1, "#abc"), (2, "#A1B2C3"), (2, "rgb("), (2, "hsla(")]
    assert list(colours_in((ROOT / "src/northrail/drawing/themes.py").read_text(encoding="utf-8")))
    assert {path.suffix for path in sources()} == SOURCES


def test_icon_and_manifest_use_colours_of_the_themes() -> None:
    """Browsers read them without a style sheet, so they cannot use variables."""
    known = {colour for theme in THEMES.values() for colour in variables(theme).values()}
    for name in ("favicon.svg", "manifest.webmanifest"):
        text = (ROOT / "page" / "public" / name).read_text(encoding="utf-8")
        used = {colour for _, colour in colours_in(text)}
        assert used and used <= known, f"{name}: {used - known}"
