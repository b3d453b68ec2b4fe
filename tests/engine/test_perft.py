"""Check the counts in perft/*.perft with the kernels and, where they are small, with the reference.

If they differ, the test prints the counts for each first move. The move that differs leads to the bug.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tables import SIZE

from northrail import Game, load_board
from northrail.engine.perft import divide, perft
from reference import ReferenceGame, load

pytestmark = pytest.mark.engine

SMALL = SIZE.name == "small"
MOST = 30 if SMALL else 1_000_000  # positions that kernels play; plain Python plays some thousand a second
MOST_BY_REFERENCE = 10 if SMALL else 60


@dataclass(frozen=True)
class Block:
    """A position of a .perft file, and its counts by depth."""

    name: str
    position: dict[str, Any]
    counts: dict[int, int]

    def depth(self, most: int) -> int:
        """Return the greatest depth that plays at most ``most`` positions; the last moves are only counted."""
        return max(depth for depth in self.counts if self.counts.get(depth - 1, 1) <= most)


def read(path: Path) -> list[Block]:
    blocks: list[Block] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "id":
                blocks.append(Block(f"{path.stem}: {rest}", {}, {}))
            case "position":
                blocks[-1].position.update(json.loads(rest))
            case "perft":
                depth, count = rest.split()
                blocks[-1].counts[int(depth)] = int(count)
            case _:
                assert word in ("", "#"), f"{path.name}: {line}"
    return blocks


BLOCKS = [block for path in sorted((Path(__file__).parent / "perft").glob("*.perft")) for block in read(path)]
BOARDS = {name: (load_board(name), load(name)) for name in ("nordic-countries", "northern-lights")}
each_block = pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])


def count_by_reference(game: ReferenceGame, depth: int) -> int:
    if depth == 0:
        return 1
    moves = [] if game.over else game.legal()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = game.copy()
        after.play(move)
        total += count_by_reference(after, depth - 1)
    return total


def divide_by_reference(game: ReferenceGame, depth: int) -> dict[int, int]:
    counts = {}
    for move in game.legal():
        after = game.copy()
        after.play(move)
        counts[game.number(move)] = count_by_reference(after, depth - 1)
    return counts


@each_block
def test_the_kernels_count_what_the_file_says(block: Block) -> None:
    game = Game.from_position(BOARDS[block.position["board"]][0], block.position)
    for depth in range(1, block.depth(MOST) + 1):
        count = perft(game, depth)
        table = (
            "\n".join(f"{lines:>8} {move}" for move, lines in divide(game, depth))
            if count != block.counts[depth]
            else ""
        )
        assert count == block.counts[depth], f"depth {depth}\n{table}"


@each_block
def test_the_reference_counts_what_the_kernels_count(block: Block) -> None:
    board, file = BOARDS[block.position["board"]]
    game = Game.from_position(board, block.position)
    depth = block.depth(MOST_BY_REFERENCE)
    ours = {move.number: count for move, count in divide(game, depth)}
    theirs = divide_by_reference(ReferenceGame.from_position(file, block.position), depth)
    numbers = sorted(ours.keys() | theirs.keys())
    names = {move.number: str(move) for move in game.moves()}
    table = "\n".join(f"{ours.get(at)!s:>8} {theirs.get(at)!s:>8} {names.get(at, at)}" for at in numbers)
    assert ours == theirs, f"depth {depth}: kernels, reference, first move\n{table}"
    assert sum(theirs.values()) == block.counts[depth]


def test_every_table_and_phase_has_a_file() -> None:
    asked = {(block.position["board"], block.position["seats"], block.position["phase"]) for block in BLOCKS}
    phases = ("tickets", "turn", "second_card", "pay")
    wanted = {("nordic-countries", seats, phase) for seats in (2, 3) for phase in (*phases, "tunnel")}
    wanted |= {("northern-lights", seats, phase) for seats in (2, 3, 4, 5) for phase in phases}
    assert asked == wanted


def test_a_finished_game_counts_at_its_own_depth_only() -> None:
    board, _ = BOARDS["nordic-countries"]
    last = next(
        block for block in BLOCKS if block.position["turns_left"] is not None and block.position["board"] == board.id
    )
    game = Game.from_position(board, last.position)
    while not game.over:
        game.play(game.moves()[-1])
    assert [perft(game, depth) for depth in range(3)] == [1, 0, 0]
    assert list(divide(game, 1)) == []


def test_counting_does_not_change_the_game() -> None:
    game = Game(BOARDS["northern-lights"][0], seats=3, seed=5)
    before = game.position()
    assert perft(game, 2) == sum(count for _, count in divide(game, 2))
    assert game.position() == before
