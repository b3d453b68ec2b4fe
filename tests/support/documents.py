"""Samples from the guides in `docs`, for the tests that run them."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def blocks(text: str, language: str = "") -> list[str]:
    """Return a guide's code blocks in one language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def own_board() -> str:
    """Return the board file that docs/own-board.md builds."""
    return "\n".join(blocks((DOCS / "own-board.md").read_text(encoding="utf-8"), "toml"))
