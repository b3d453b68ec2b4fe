"""Rewrite the .perft files in this folder: `python tests/engine/perft/write.py`, from the project's root.

Do this only after changing the rules, the boards or the random numbers on purpose. The reference must agree with the
new counts (`tests/engine/test_perft.py`).
"""

import json
import random
from collections.abc import Callable
from pathlib import Path

from northrail import Game, load_board
from northrail.engine.perft import perft

MOST = 200_000  # lines of play in the deepest count
DEEPEST = 6

HEADER = """\
# Positions and the number of lines of play from each. A block has
#   id        the situation that the position shows
#   position  the output of `Game.position`, on one line
#   perft     the depth in moves, and the number of lines
# A finished game has no moves. Draws follow the position's `rng`.
"""
SITUATIONS: dict[str, Callable[[Game], bool]] = {
    "first tickets": lambda game: game.phase == "tickets" and not game.view(game.seat).owners,
    "drawn tickets": lambda game: game.phase == "tickets" and len(game.view(game.seat).owners) > 5,
    "turn": lambda game: game.phase == "turn" and len(game.view(game.seat).owners) > 8,
    "second card": lambda game: game.phase == "second_card" and len(game.view(game.seat).owners) > 4,
    "colour of the set": lambda game: game.phase == "pay" and game.position()["set"] is None,
    "cards of a payment": lambda game: game.phase == "pay" and game.position()["set"] is not None,
    "tunnel": lambda game: game.phase == "tunnel" and len(game.moves()) > 1,
    "last round": lambda game: game.phase == "turn" and game.view(None).turns_left == 2,
}


def find(game: Game, chance: random.Random, found: dict[str, Game]) -> None:
    """Play at random, and keep the first game that reaches each situation."""
    while not game.over:
        for name, is_it in SITUATIONS.items():
            if name not in found and is_it(game):
                found[name] = Game.from_position(game.board, game.position())
        game.play(chance.choice(game.moves()))


def block(name: str, game: Game) -> str:
    """Return the lines of one position."""
    lines = [f"id {name}", f"position {json.dumps(game.position(), ensure_ascii=False)}"]
    for depth in range(1, DEEPEST + 1):
        count = perft(game, depth)
        if count > MOST:
            break
        lines.append(f"perft {depth} {count}")
        if count == 0:
            break
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write a file for each board and number of seats."""
    for name in ("nordic-countries", "northern-lights"):
        board = load_board(name)
        wanted = [
            situation
            for situation in SITUATIONS
            if situation != "tunnel" or any(route.tunnel for route in board.routes)
        ]
        for seats in range(board.rules.seats[0], board.rules.seats[1] + 1):
            chance = random.Random(seats)
            found: dict[str, Game] = {}
            seed = 100 * seats
            while len(found) < len(wanted):
                find(Game(board, seats, seed), chance, found)
                seed += 1
            text = "\n".join([HEADER, *(block(situation, found[situation]) for situation in wanted)])
            (Path(__file__).parent / f"{name}-{seats}.perft").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
