"""CMA-ES over the planner's weights: what tuning and exploiting have in common."""

import math
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from northrail.arena.workers import cores
from northrail.extras import import_extra

FAR = 2.5  # a weight stays within e^-2.5 to e^2.5 times its old value
MOST_MARGIN = 60.0  # larger margins count as this one

Weights = dict[str, float]


def rating(shares: Any, points: Any, others: Any) -> float:
    """Rate games: wins first, then the margin over the best other, then points."""
    margin = np.clip(points - others, -MOST_MARGIN, MOST_MARGIN)
    return float(60.0 * shares.mean() + 0.5 * margin.mean() + 0.1 * points.mean())


def evolve(
    start: Weights,
    worth: Callable[[int, Weights], float],
    generations: int,
    population: int,
    seed: int,
    step: float = 0.2,
    kept: Path | None = None,
) -> Iterator[tuple[int, Weights]]:
    """Yield the favourite weights after each generation; ``worth`` rates weights in a generation.

    The first step changes each weight by about ``step`` of it. With a file ``kept``, an interrupted run goes on after
    its last whole generation.
    """
    cma = import_extra("cma", "tune")
    names = list(start)

    def decoded(place: Any) -> Weights:
        return {name: start[name] * math.exp(min(FAR, max(-FAR, by))) for name, by in zip(names, place, strict=True)}

    if kept is not None and kept.exists():
        first, strategy = pickle.loads(kept.read_bytes())
        yield first - 1, decoded(strategy.result.xfavorite)
    else:
        options = {"popsize": population, "seed": seed, "verbose": -9}
        first, strategy = 0, cma.CMAEvolutionStrategy(np.zeros(len(names)), step, options)
    with ThreadPoolExecutor(cores()) as crew:
        for generation in range(first, generations):
            places = strategy.ask()
            worths = crew.map(lambda place: worth(generation, decoded(place)), places)  # noqa: B023  # all are awaited here
            strategy.tell(places, [-each for each in worths])
            if kept is not None:
                new = kept.with_suffix(".new")
                new.write_bytes(pickle.dumps((generation + 1, strategy)))
                new.replace(kept)
            yield generation, decoded(strategy.result.xfavorite)
