"""Tune the planner's steady weights with CMA-ES, by games against several bots.

Run by `make tune`; it takes an hour or two per board. Half of the score of weights is their result against the bot that
does best against them, so that no way of playing clearly beats them. Weights that score higher than the present ones go
into players/planner.json, with the command that found them. `make exploit` looks for more rivals.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from evolve import Weights, evolve, rating
from northrail import Board, load_board
from northrail.cli.common import plain_errors
from northrail.errors import NorthrailError
from northrail.players.bots import Bot, bot_of
from northrail.players.fast_games import fast_games, planner_contender
from northrail.players.planner import CAREFUL, STEADY, tuned_weights

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "src" / "northrail" / "players" / "planner.json"

SEEDS = 2_000_000  # the first deal for tuning; `make strength` plays others
FRESH = 3_000_000  # the first deal for the last comparison
RIVALS = ("planner", "hard", "hard:tickets=5,busy=0", "medium", "hungry", "one-step")
QUICK_ONLY = ("tickets_trains", "tickets_turns", "tickets_busy")  # weights that only the quick planner reads


@dataclass(frozen=True)
class Tuning:
    """What to tune for, and how long."""

    board: Board
    seats: int
    rivals: tuple[str, ...]
    generations: int
    population: int
    deals: int
    seed: int

    @property
    def name(self) -> str:
        """Its key in planner.json."""
        return self.board.id

    @property
    def command(self) -> str:
        """The command that finds the same weights again."""
        words = f"--board {self.board.id} --seats {self.seats} --generations {self.generations}"
        words += f" --population {self.population} --deals {self.deals} --seed {self.seed}"
        others = "".join(f" --rival {rival}" for rival in self.rivals if rival not in RIVALS)
        return f'make tune ARGS="{words}{others}"'

    def bots(self) -> list[Bot]:
        """Return its rivals as they are now."""
        return [bot_of(self.board, rival) for rival in self.rivals]


def worths(tuning: Tuning, weights: Weights, bots: list[Bot], deals: int, seed: int) -> list[tuple[float, float]]:
    """Return the share of games that a planner with these weights wins against each bot, and its rating there."""
    planner = planner_contender(tuning.board, CAREFUL, **weights)
    found = []
    for bot in bots:
        games = fast_games(tuning.board, tuning.seats, [planner, *[bot] * (tuning.seats - 1)], deals, seed)
        share, points = games["share"][:, 0], games["points"]
        found.append((float(share.mean()), rating(share, points[:, 0], points[:, 1:].max(axis=1))))
    return found


def worth(tuning: Tuning, weights: Weights, bots: list[Bot], deals: int, seed: int) -> float:
    """Rate weights: half by the mean over all bots, and half by the bot against which they do worst."""
    ratings = [rated for _share, rated in worths(tuning, weights, bots, deals, seed)]
    return 0.5 * sum(ratings) / len(ratings) + 0.5 * min(ratings)


def generations(tuning: Tuning, start: Weights) -> Iterator[tuple[int, Weights]]:
    """Yield the favourite weights after each generation."""
    bots = tuning.bots()
    others = {name: start[name] for name in QUICK_ONLY}

    def rate(generation: int, weights: Weights) -> float:
        seed = SEEDS + generation * tuning.deals  # the same deals for all of a generation, others for the next
        return worth(tuning, weights | others, bots, tuning.deals, seed)

    evolved = {name: weight for name, weight in start.items() if name not in others}
    for generation, favourite in evolve(evolved, rate, tuning.generations, tuning.population, tuning.seed):
        yield generation, {name: favourite.get(name, start[name]) for name in start}


def write(page: Path, tuning: Tuning, weights: Weights) -> None:
    """Write the weights and the command that found them."""
    content = json.loads(page.read_text(encoding="utf-8"))
    content["made by"][STEADY][tuning.name] = tuning.command
    content[STEADY][tuning.name] = {name: float(f"{weight:.4g}") for name, weight in weights.items()}
    page.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def tune(
    board: Annotated[str, typer.Option(metavar="NAME|FILE", help="The board to tune for.")] = "nordic-countries",
    seats: Annotated[int | None, typer.Option(help="How many seats.", show_default="the fewest")] = None,
    generation_count: Annotated[int, typer.Option("--generations", min=1, help="How many generations.")] = 60,
    population: Annotated[int, typer.Option(min=4, help="Weights in a generation.")] = 14,
    deals: Annotated[int, typer.Option(min=1, help="Deals that each of them plays against each rival.")] = 60,
    seed: Annotated[int, typer.Option(min=1, help="The same seed finds the same weights.")] = 1,
    rival: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A rival besides the usual ones; may come several times.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write them.")] = PAGE,
) -> None:
    """Tune the planner's weights for a board, and write them if they are better. Ctrl-C ends it early."""
    with plain_errors():
        printed = load_board(board)
        least, most = printed.rules.seats
        seats = least if seats is None else seats
        if not least <= seats <= most:
            raise NorthrailError(f"seats: expected {least} to {most} on {printed.name}, got {seats}")
        rivals = (*RIVALS, *(rival or ()))
        tuning = Tuning(printed, seats, rivals, generation_count, population, deals, seed)
        start = tuned_weights(printed.id, STEADY)
        bots, best = tuning.bots(), start
        try:
            for number, best in generations(tuning, start):
                now = worth(tuning, best, bots, deals, FRESH)
                typer.echo(f"generation {number + 1} of {generation_count}: worth {now:.1f}")
        except KeyboardInterrupt:
            typer.echo("stopped; comparing the best weights so far", err=True)
        now, before = (worth(tuning, weights, bots, 4 * deals, FRESH + deals) for weights in (best, start))
        shares = [share for share, _rating in worths(tuning, best, bots, 4 * deals, FRESH + deals)]
        wins = ", ".join(f"{share:.1%} against {name}" for share, name in zip(shares, rivals, strict=True))
        if now <= before:
            typer.echo(f"{tuning.name}: worth {now:.1f}; the present weights are worth {before:.1f}, so we keep those")
            return
        write(out, tuning, best)
        typer.echo(f"{out}: {tuning.name}, worth {now:.1f} instead of {before:.1f}: wins {wins}")


if __name__ == "__main__":
    sys.argv[0] = "make tune"
    typer.run(tune)
