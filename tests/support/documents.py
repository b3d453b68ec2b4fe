"""What the guides in `docs` hold, for the tests that try it."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def blocks(text: str, language: str = "") -> list[str]:
    """The blocks of code in a guide that are marked as being in that language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def own_board() -> str:
    """The board file that the guide to boards of one's own puts together."""
    return "\n".join(blocks((DOCS / "own-board.md").read_text(encoding="utf-8"), "toml"))
