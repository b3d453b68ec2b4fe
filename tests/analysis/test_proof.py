"""The proof that reviews are right, over many games: luck is fair, and stronger players lose less.

The long run takes about an hour on two cores. It writes its figures to .cache/review-figures.json, and docs/review.md
quotes them.
"""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reviewed import played
from tables import BOARDS, SIZE, Size

from northrail.analysis import Review, reviewing
from northrail.analysis.steps import Depth, Walk, trial_of

FIGURES = Path(__file__).parents[2] / ".cache" / "review-figures.json"
FAIR = Depth("luck", 0, 0, 64, 0, 16) if SIZE.name == "long" else Depth("luck", 0, 0, 16, 0, 4)
LEVELS = ("random", "easy", "medium", "hard", "search:iterations=400")  # the last stands for the expert
SKILL = Depth("skill", 12, 24, 48, 0, 0)


def note_figures(name: str, **figures: Any) -> None:
    """Add figures to the file that docs/review.md quotes; only the long run does."""
    if SIZE.name == "long":
        before = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(before | {name: figures}, indent=1))


def on_all_cores(work: Callable[[int], Any], seeds: Iterable[int]) -> list[Any]:
    """Return what some work gives for each seed."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, seeds))


def fortunes(name: str, names: tuple[str, ...], seed: int) -> list[tuple[float, float, float]]:
    """Return the margin, the luck, and the luck of its own draws, of each seat in a game."""
    record = played(BOARDS[name], names, seed)
    found = Review(record, None, "luck", list(reviewing(record, None, FAIR)))
    rows = []
    for seat in range(found.seats):
        parts, luck = found.parts(seat), found.luck(seat)
        assert parts.decisions + parts.luck + parts.others == pytest.approx(found.result[seat], abs=1e-6)
        rows.append((found.result[seat], luck.total, luck.own))
    return rows


def assert_fair(luck: Any, errors: float) -> None:
    """Check that the mean of some luck is within some standard errors of 0."""
    error = luck.std(ddof=1) / len(luck) ** 0.5
    assert abs(luck.mean()) <= errors * error, f"{luck.mean():.2f} ± {error:.2f}"


def test_luck_is_fair_in_a_few_games(size: Size) -> None:
    """Also between unequal players: only decisions may favour the better one."""
    games = range(size.pick(3, 6, 100))
    table = np.array([fortunes("nordic-countries", ("hard", "beginner"), seed) for seed in games])
    margins, luck = table[:, 0, 0], table[:, 0, 1]
    assert_fair(luck, 4)
    assert (margins - luck).mean() > 20


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_luck_is_fair_in_1000_planner_games(name: str) -> None:
    table = np.array(on_all_cores(partial(fortunes, name, ("planner", "planner")), range(1000)))
    margins, luck = table[:, 0, 0], table[:, 0, 1]
    adjusted = margins - luck
    note_figures(
        f"luck on {name}",
        luck=[luck.mean(), luck.std() / 1000**0.5],
        own=[[table[:, seat, 2].mean(), table[:, seat, 2].std() / 1000**0.5] for seat in range(2)],
        deviation=[margins.std(), adjusted.std()],
    )
    # Six such checks with two standard errors would fail by chance on one seed in four.
    assert_fair(luck, 3)
    for seat in range(2):
        assert_fair(table[:, seat, 2], 3)
    assert adjusted.var() < margins.var()


def losses(name: str, level: str, every: int, seed: int) -> float:
    """Return the mean loss of some decisions, every so many, that a level makes in a game against the planner."""
    seat = seed % 2
    record = played(BOARDS[name], (level, "planner") if seat == 0 else ("planner", level), seed)
    walk = Walk(record, None)
    found = [
        trial_of(walk, moment, SKILL).verdict().loss.mean
        for moment in walk
        if moment.seat == seat and moment.number % every == 0 and len(moment.view.moves) > 1
    ]
    return float(np.mean(found))


def test_a_random_player_loses_more_than_the_planner() -> None:
    poor, good = ([losses("nordic-countries", level, 9, seed) for seed in range(3)] for level in ("random", "hard"))
    assert np.mean(poor) > np.mean(good) + 1


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_stronger_players_lose_less(name: str) -> None:
    means, errors = [], []
    for level in LEVELS:
        table = np.array(on_all_cores(partial(losses, name, level, 3), range(120)))
        means.append(table.mean())
        errors.append(table.std(ddof=1) / len(table) ** 0.5)
    note_figures(f"losses on {name}", **dict(zip(LEVELS, zip(means, errors, strict=True), strict=True)))
    for at in range(len(LEVELS) - 1):
        apart = means[at] - means[at + 1]
        assert apart > 2 * float(np.hypot(errors[at], errors[at + 1])), f"{LEVELS[at]}, {LEVELS[at + 1]}: {means}"
