"""Where the samples in the guides run: in a folder with the board that own-board.md makes."""

from pathlib import Path

import pytest
from documents import own_board


@pytest.fixture(autouse=True)
def estonia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with estonia.toml in it."""
    (tmp_path / "estonia.toml").write_text(own_board(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
