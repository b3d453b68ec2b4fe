"""SVG to PNG, by whichever converter is installed."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from northrail.errors import NorthrailError

SCALE = 2  # pixels per unit of the picture
TIMEOUT = 120  # seconds
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def write_png(svg: str, path: Path) -> None:
    """Write a picture as PNG; raise NorthrailError, which says what to install, if there is no converter."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        drawn, made = Path(folder, "picture.svg"), Path(folder, "picture.png")
        drawn.write_text(svg, encoding="utf-8")
        for command in _commands(svg, drawn, made):
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
            except (OSError, subprocess.SubprocessError):
                failures.append(Path(command[0]).name)
            else:
                if made.is_file():
                    path.write_bytes(made.read_bytes())
                    return
                failures.append(Path(command[0]).name)
    if importlib.util.find_spec("cairosvg") is not None:
        importlib.import_module("cairosvg").svg2png(bytestring=svg.encode(), write_to=str(path), scale=SCALE)
        return
    found = f"; {' and '.join(failures)} failed" if failures else ""
    raise NorthrailError(
        f"{path}: expected rsvg-convert, inkscape, chromium or the Python package cairosvg to make a PNG, got none"
        f"{found}: install one of them (on Debian: apt-get install librsvg2-bin), or write an .svg"
    )


def _commands(svg: str, drawn: Path, made: Path) -> Iterator[list[str]]:
    """Yield the command line of each installed converter."""
    if found := shutil.which("rsvg-convert"):
        yield [found, f"--zoom={SCALE}", f"--output={made}", str(drawn)]
    if found := shutil.which("inkscape"):
        yield [found, f"--export-dpi={96 * SCALE}", "--export-type=png", f"--export-filename={made}", str(drawn)]
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    wide, high = (round(float(number)) for number in size.groups()) if size else (1200, 1200)
    for browser in filter(None, map(shutil.which, BROWSERS)):
        # Run as root, a browser refuses to start in its sandbox.
        rights = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        yield [
            *(browser, "--headless", *rights, "--hide-scrollbars", f"--force-device-scale-factor={SCALE}"),
            *(f"--window-size={wide},{high}", f"--screenshot={made}", drawn.as_uri()),
        ]
