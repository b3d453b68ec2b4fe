"""Contests and players for tests of the arena."""

import textwrap
from pathlib import Path
from typing import Any

from northrail import load_board, load_player
from northrail.arena import Contest

NORDIC = load_board("nordic-countries")
LIGHTS = load_board("northern-lights")


def contest(*players: str, seats: int = 2, **rest: Any) -> Contest:
    """Return a contest, by default on Northern Lights with two seats."""
    return Contest(rest.pop("board", LIGHTS), tuple(load_player(player) for player in players), seats, **rest)


def write_player(folder: Path, name: str, *body: str) -> str:
    """Write a player with these methods to a file; return the text that names it on the command line."""
    methods = textwrap.indent("\n".join(textwrap.dedent(part) for part in body), "    ")
    (folder / f"{name}.py").write_text(f"import os, sys, time\n\nclass {name}:\n{methods}\n", encoding="utf-8")
    return f"{folder / name}.py:{name}"
