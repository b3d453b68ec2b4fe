"""Find the positions in tests/analysis/blunders.json.

    PYTHONPATH=src:tests/support python tests/analysis/find_blunders.py

This plays games between a good and a poor player, and looks at positions before the last turn of a game. There it can
work out what every choice is worth (`exact_ends.worth_of`). It keeps positions with one clearly best choice and a worse
one: a claim that completes tickets, a tunnel, a claim for points instead of drawing cards. Run it again after changing
a rule or a board on purpose; it takes a few minutes.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from exact_ends import worth_of
from tables import BOARDS

import northrail
from northrail.players.decide import play_answer

FILE = Path(__file__).parent / "blunders.json"
LEAST = {"ticket": 6.0, "tunnel": 4.0, "points": 2.0}  # points that the worse choice loses
WANTED = 10  # positions of each kind on each board


def blunder_in(board: northrail.Board, worths: list[tuple[Any, float]]) -> dict[str, Any] | None:
    """Return the best choice, a worse one, and what that loses; None if nothing is clear."""
    (best, most), *rest = sorted(worths, key=lambda each: -each[1])
    # Other payments for the same route are not worse.
    others = [each for each in rest if getattr(each[0], "route", None) != getattr(best, "route", 0)]
    draws = [each for each in others if each[0].kind in ("take", "blind")]
    if best.kind != "claim" or not draws:
        return None
    route = board.routes[best.route]
    kind = "tunnel" if route.tunnel else "ticket" if most - draws[0][1] > route.points else "points"
    worse, less = draws[0] if kind == "points" else others[0]
    return {"kind": kind, "best": best.json(), "worse": worse.json(), "loss": most - less}


def positions(board: northrail.Board, seed: int) -> list[dict[str, Any]]:
    """Return the positions of one game that have a clear best choice."""
    game = northrail.Game(board, 2, seed)
    players = [northrail.load_player(name)() for name in ("planner", "easy")]
    for seat, player in enumerate(players):
        player.start(board, seat, 2, seed)  # type: ignore[attr-defined]
    found = []
    while not game.over:
        view = game.view(game.seat)
        if view.turns_left == 1 and view.phase == "turn":
            blunder = blunder_in(board, worth_of(game))
            if blunder is not None and blunder["loss"] >= LEAST[blunder["kind"]]:
                found.append(blunder | {"position": game.position() | {"rng": 1}})
        play_answer(game, players[game.seat].choose(view))
    return found


def main() -> None:
    """Search game after game until there are enough positions of each kind."""
    kept = []
    for board in BOARDS.values():
        counts: Counter[str] = Counter()
        for seed in range(500):
            if len(counts) == 3 and min(counts.values()) == WANTED:
                break
            for each in positions(board, seed):
                if counts[each["kind"]] < WANTED:
                    counts[each["kind"]] += 1
                    kept.append({"board": board.id, "seed": seed, **each})
        sys.stdout.write(f"{board.id} {dict(counts)}\n")
    FILE.write_text("[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in kept) + "\n]\n", "utf-8")


if __name__ == "__main__":
    main()
