"""Measure what hidden information costs: the search with all cards open against the usual search, with two seats.

The open search sees both hands and all tickets; which cards come next stays unknown, because cards are drawn at random
at the moment they are drawn. Every deal is played twice, with the seats swapped. Finished games are kept in
.cache/open-cards, so you can stop at any time. The result goes to docs/strength/open-cards.json, a section of
docs/strength.md.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from northrail import Board, Game, load_board, load_player
from northrail.analysis.open_search import grow_open
from northrail.arena.contest import seed_for
from northrail.arena.ratings import mean_of, share_of
from northrail.boards.load import BUILT_IN
from northrail.cli.common import plain_errors
from northrail.engine.state import State, ViewStruct
from northrail.players.search import Search

ROOT = Path(__file__).parent.parent
KEPT = ROOT / ".cache" / "open-cards"
RESULT = ROOT / "docs" / "strength" / "open-cards.json"
SEED = 7_000_000  # far from the seeds that players are tuned and measured with


class OpenSearch(Search):
    """The search in the true position of a game. It is told the game, not a view, so no table can seat it."""

    def __init__(self, game: Game, iterations: int) -> None:
        super().__init__(iterations=iterations, network=False)
        self._game = game

    def _grow(self, board: Board, view: ViewStruct, seed: int, lane: int, _end: float | None) -> None:
        state: State = self._game.state
        iterations = self._iterations_for(view.seats)
        grow_open(board.struct, state, self._quick, self._settings, self._trees[lane], seed, iterations)


def usual(iterations: int) -> Search:
    """Return the usual search. Both play every world to the end: the network knows only what a seat may know."""
    return Search(iterations=iterations, network=False)


def play(board: Board, number: int, iterations: int) -> dict[str, Any]:
    """Play a game; each deal has two, one with the open search in each seat."""
    start, seed, seat = time.process_time(), SEED + number // 2, number % 2
    game = Game(board, 2, seed)
    players = [OpenSearch(game, iterations) if each == seat else usual(iterations) for each in range(2)]
    for each, player in enumerate(players):
        player.start(board, each, 2, seed_for(seed, each, "open" if each == seat else "usual"))
    while not game.over:
        game.play(players[game.seat].choose(game.view(game.seat)))
    winners, points = game.winners(), [score.total for score in game.scores()]
    return {
        "seed": seed,
        "seat": seat,
        "win": (seat in winners) / len(winners),
        "margin": points[seat] - points[1 - seat],
        "seconds": round(time.process_time() - start, 2),
    }


class Games:
    """The games played so far on a board, with these players."""

    def __init__(self, board: Board, iterations: int, kept: Path = KEPT) -> None:
        self.board, self.iterations = board, iterations
        self.path = kept / f"{board.id}-{iterations}.jsonl"
        self.run = {
            "digest": load_player(f"search:iterations={iterations},network=False").digest,
            "board": board.digest,
        }
        self.games: list[dict[str, Any]] = []
        if self.path.exists():
            head, *lines = self.path.read_text("utf-8").splitlines() or ["{}"]
            if json.loads(head) == self.run:
                self.games = [json.loads(line) for line in lines]
            else:
                self.path.replace(self.path.with_suffix(".old"))

    def play_on(self, games: int, minutes: float) -> bool:
        """Play one more game; return False if there are enough, or if their processor time is used up."""
        if len(self.games) >= games or (len(self.games) % 2 == 0 and self.seconds >= 60 * minutes):
            return False
        game = play(self.board, len(self.games), self.iterations)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a" if self.games else "w", encoding="utf-8") as file:
            if not self.games:
                file.write(json.dumps(self.run) + "\n")
            file.write(json.dumps(game) + "\n")
        self.games.append(game)
        return True

    @property
    def seconds(self) -> float:
        """The processor time of all games."""
        return float(sum(game["seconds"] for game in self.games))

    def row(self) -> list[str]:
        """Return the board, the games, the share of wins with its interval, and the margin."""
        deals = [game["seed"] for game in self.games]
        share, low, high = share_of([game["win"] for game in self.games], deals)
        margin, error = mean_of([float(game["margin"]) for game in self.games], deals)
        return [
            self.board.name,
            f"{len(self.games):,}",
            f"{100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f})",
            f"{margin:+.1f} ±{error:.1f}",
        ]


def section(found: Sequence[Games]) -> dict[str, Any]:
    """Return the section for docs/strength.md."""
    iterations = found[0].iterations
    return {
        "title": "What hidden information costs",
        "text": "The search with all cards open against the usual search, two seats, both with "
        f"`search:iterations={iterations},network=False`. The open search sees both hands and all tickets, but not "
        "which cards come next. `make open-cards` plays these games.",
        "table": {
            "head": ["board", "games", "wins of the open search", "margin"],
            "rows": [each.row() for each in found],
        },
    }


def open_cards(
    games: Annotated[int, typer.Option(min=2, help="Games on each board.")] = 400,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations per move, of both searches.")] = 100,
    minutes: Annotated[float, typer.Option(help="The most processor time on each board, in all runs.")] = 60,
    write: Annotated[bool, typer.Option("--write", help="Play nothing; only write the result.")] = False,
) -> None:
    """Play the search with open cards against the usual one, on both boards. Ctrl-C keeps everything."""
    with plain_errors():
        found = [Games(load_board(name), iterations) for name in BUILT_IN]
        try:
            # All boards in turn, so that a stopped run has games on each.
            todo = [] if write else found
            while todo:
                todo = [each for each in todo if each.play_on(games, minutes)]
        finally:
            known = [each for each in found if each.games]
            if known:
                RESULT.parent.mkdir(exist_ok=True)
                RESULT.write_text(json.dumps(section(known), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            for each in known:
                typer.echo(" · ".join(each.row()))


if __name__ == "__main__":
    sys.argv[0] = "tools/open_cards.py"
    typer.run(open_cards)
