"""Replay whole records. Every table needs one for each special rule and each way a game can end.

`find_records.py` finds the files in tests/engine/records. Each holds a record, as `Game.record` returns it, the
expected scores and winners, and what the record shows.
"""

import functools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from features import required, shown_by
from lockstep import BOARD_FILES, Lockstep
from tables import BOARDS, TABLES

import northrail
from reference import ReferenceGame

FILES = sorted((Path(__file__).parent / "records").glob("*.json"))


@functools.cache
def read(path: Path) -> tuple[dict[str, Any], northrail.Game, set[str]]:
    """Read a file; return its content, its game at the end, and what the game shows when replayed."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content, *shown_by(content["record"])


@pytest.mark.engine
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_record_replays_to_its_scores_and_shows_what_it_should(path: Path) -> None:
    content, game, shows = read(path)
    assert game.over
    assert [asdict(score) for score in game.scores()] == content["scores"]
    assert game.winners() == content["winners"]
    assert set(content["shows"]) <= shows
    assert game.record() == content["record"]


@pytest.mark.engine
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_every_special_rule_and_ending_has_its_record(name: str, seats: int) -> None:
    shown = set().union(*(shows for _, game, shows in map(read, FILES) if (game.board.id, game.seats) == (name, seats)))
    missing = required(BOARDS[name], seats) - shown
    assert not missing, f"no record on {name} with {seats} seats for: {', '.join(sorted(missing))}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_reference_plays_the_same_record(path: Path) -> None:
    record = read(path)[0]["record"]
    game = northrail.Game.replay(record, upto=0)
    file = BOARD_FILES[game.board.id]
    if "start" in record:
        twin = ReferenceGame.from_position(file, game.position())
    else:
        twin = ReferenceGame(file, record["seats"], record["seed"], record["first"])
    pair = Lockstep(game, twin, path.name, face=True)
    for text in record["moves"]:
        pair.play(next(move.number for move in game.moves() if str(move) == text))
    pair.compare_ends()
