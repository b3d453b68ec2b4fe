"""Tune the planner's weights with CMA-ES, by games against itself and against published agents.

Run by `make tune`; it takes an hour or two per board. Weights that are better than the present ones go into
players/planner.json, with the command that found them.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evolve import Weights, evolve, rating
from northrail import Board, load_board
from northrail.cli.common import plain_errors
from northrail.errors import NorthrailError
from northrail.players.fast_games import fast_games, planner_contender, published_contender
from northrail.players.planner import CAREFUL, tuned_weights

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "src" / "northrail" / "players" / "planner.json"

SEEDS = 2_000_000  # the first deal for tuning; `make strength` plays others
FRESH = 3_000_000  # the first deal for the last comparison


@dataclass(frozen=True)
class Tuning:
    """What to tune for, and how long."""

    board: Board
    seats: int
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
        return f'make tune ARGS="{words} --population {self.population} --deals {self.deals} --seed {self.seed}"'


def share_of(tuning: Tuning, weights: Weights, others: Weights, deals: int, seed: int) -> float:
    """Return the share of games that a planner with these weights wins against planners with others."""
    contenders = contenders_of(tuning, weights, [planner_contender(tuning.board, CAREFUL, **others)])
    return float(fast_games(tuning.board, tuning.seats, contenders, deals, seed)["share"][:, 0].mean())


def contenders_of(tuning: Tuning, weights: Weights, others: list[Any]) -> list[Any]:
    """Return one planner with these weights, and others in all other seats."""
    return [planner_contender(tuning.board, CAREFUL, **weights), *others * (tuning.seats - 1)]


def worth(tuning: Tuning, weights: Weights, present: Weights, seed: int) -> float:
    """Rate weights: wins first, then margin and points, against itself and published agents."""
    total = 0.0
    rivals = (
        (1.5, planner_contender(tuning.board, CAREFUL, **present), tuning.deals),
        (0.4, published_contender("hungry"), max(1, tuning.deals // 2)),
        (0.4, published_contender("one-step"), max(1, tuning.deals // 2)),
    )
    for times, rival, deals in rivals:
        games = fast_games(tuning.board, tuning.seats, contenders_of(tuning, weights, [rival]), deals, seed)
        points = games["points"]
        total += times * rating(games["share"][:, 0], points[:, 0], points[:, 1:].max(axis=1))
    return total


def generations(tuning: Tuning, start: Weights) -> Iterator[tuple[int, Weights]]:
    """Yield the favourite weights after each generation."""
    present = start

    def rate(generation: int, weights: Weights) -> float:
        seed = SEEDS + generation * tuning.deals  # the same deals for all of a generation, others for the next
        return worth(tuning, weights, present, seed)

    for generation, favourite in evolve(start, rate, tuning.generations, tuning.population, tuning.seed):
        if share_of(tuning, favourite, present, tuning.deals, FRESH - tuning.deals) > 1 / tuning.seats + 0.1:
            present = favourite  # a rival that always loses tells us nothing
        yield generation, favourite


def write(page: Path, tuning: Tuning, weights: Weights) -> None:
    """Write the weights and the command that found them."""
    content = json.loads(page.read_text(encoding="utf-8"))
    content["made by"] = dict(content["made by"] or {}) | {tuning.name: tuning.command}
    content["weights"][tuning.name] = {name: float(f"{weight:.4g}") for name, weight in weights.items()}
    page.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def tune(
    board: Annotated[str, typer.Option(metavar="NAME|FILE", help="The board to tune for.")] = "nordic-countries",
    seats: Annotated[int | None, typer.Option(help="How many seats.", show_default="the fewest")] = None,
    generation_count: Annotated[int, typer.Option("--generations", min=1, help="How many generations.")] = 60,
    population: Annotated[int, typer.Option(min=4, help="Weights in a generation.")] = 14,
    deals: Annotated[int, typer.Option(min=1, help="Deals that each of them plays.")] = 150,
    seed: Annotated[int, typer.Option(min=1, help="The same seed finds the same weights.")] = 1,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write them.")] = PAGE,
) -> None:
    """Tune the planner's weights for a board, and write them if they are better. Ctrl-C ends it early."""
    with plain_errors():
        printed = load_board(board)
        least, most = printed.rules.seats
        seats = least if seats is None else seats
        if not least <= seats <= most:
            raise NorthrailError(f"seats: expected {least} to {most} on {printed.name}, got {seats}")
        tuning = Tuning(printed, seats, generation_count, population, deals, seed)
        start = tuned_weights(printed.id)
        best = start
        try:
            for number, best in generations(tuning, start):
                share = share_of(tuning, best, start, deals, FRESH)
                typer.echo(
                    f"generation {number + 1} of {generation_count}: wins {share:.1%} against the present weights"
                )
        except KeyboardInterrupt:
            typer.echo("stopped; comparing the best weights so far", err=True)
        share = share_of(tuning, best, start, 4 * deals, FRESH + deals)
        if share <= 1 / seats:
            typer.echo(f"{tuning.name}: wins {share:.1%} against the present weights, so we keep those")
            return
        write(out, tuning, best)
        typer.echo(f"{out}: {tuning.name}, which wins {share:.1%} against the previous weights")


if __name__ == "__main__":
    sys.argv[0] = "make tune"
    typer.run(tune)
