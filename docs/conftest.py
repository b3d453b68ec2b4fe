"""Run the samples in the guides in a folder with the board that own-board.md builds."""

from pathlib import Path

import pytest
from documents import own_board


@pytest.fixture(autouse=True)
def estonia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to a folder that contains estonia.toml."""
    (tmp_path / "estonia.toml").write_text(own_board(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
