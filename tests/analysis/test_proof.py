"""The proof that reviews are right, over many games: luck is fair, and stronger players lose less.

The long run takes about three hours of one core. Every game goes to .cache/review-proof.jsonl as soon as it is judged,
and the figures that docs/review.md quotes to .cache/review-figures.json.
"""

import json
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reviewed import played
from tables import BOARDS, SIZE, Size

from northrail.analysis import Review, reviewing
from northrail.analysis.judge import script_of
from northrail.analysis.steps import Depth, Moment, Walk, trial_of, worlds_for
from northrail.players import load_player

CACHE = Path(__file__).parents[2] / ".cache"
FAIR = Depth("luck", 0, 0, 32, 0, 8)  # luck is fair with any number of worlds; few add to its spread
TWO_ERRORS = {1: 4.0, 5: 11.31}  # parts -> chi-square that chance exceeds as often as two standard errors: 4.55 %
LEVELS = ("random", "beginner", "easy", "medium", "hard", "expert")
CLOSE = ("easy", "medium", "hard")  # lose almost the same, so they are compared in more positions
SCREEN, JUDGE = 16, 48  # worlds that find the best choice, and fresh ones that judge it
SKILL = Depth("skill", 12, 24, 48, 0, 0)


def note_figures(name: str, **figures: Any) -> None:
    """Add figures to the file that docs/review.md quotes; only the long run does."""
    if SIZE.name == "long":
        path = CACHE / "review-figures.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(before | {name: figures}, indent=1))


def on_all_cores(name: str, work: Callable[[int], Any], seeds: Iterable[int]) -> Any:
    """Return an array of what some work gives for each seed."""
    rows = []
    CACHE.mkdir(exist_ok=True)
    with (
        ProcessPoolExecutor(mp_context=get_context("spawn")) as pool,
        (CACHE / "review-proof.jsonl").open("a", encoding="utf-8") as file,
    ):
        for seed, row in zip(seeds, pool.map(work, seeds), strict=True):
            rows.append(row)
            file.write(json.dumps({"name": name, "seed": seed, "row": row}) + "\n")
            file.flush()
    return np.array(rows)


def mean_and_error(values: Any) -> tuple[float, float]:
    """Return the mean of some values and its standard error."""
    return float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5


# --- luck -----------------------------------------------------------------------------------------------------------


def fortunes(name: str, names: tuple[str, ...], seed: int) -> list[float]:
    """Return the margin and the luck of seat 0 in a game, the error of the split, and the parts of luck.

    The parts are the deal of seat 0, the draws of each seat, and how each seat's choices met what it could not see. The
    last four count by the margin of the seat that draws or chooses.
    """
    board = BOARDS[name]
    record = played(board, names, seed)
    found = Review(record, board, "luck", list(reviewing(record, board, FAIR)))
    for seat in range(2):
        parts = found.parts(seat)
        assert parts.decisions + parts.luck + parts.others == pytest.approx(found.result[seat], abs=1e-6)
    draws = [found.luck(seat).own for seat in range(2)]
    hidden = [sum(step.hidden[seat] for step in found.steps if step.seat == seat) for seat in range(2)]
    luck = found.luck(0)
    return [found.result[0], luck.total, luck.error, luck.deal, *draws, *hidden]


def surprise(parts: Any) -> float:
    """Return how far the means of some columns are from 0, together: a chi-square with one degree for each column."""
    mean, covariance = parts.mean(axis=0), np.atleast_2d(np.cov(parts.T)) / len(parts)
    return float(mean @ np.linalg.solve(covariance, mean))


def test_luck_is_fair_in_a_few_games(size: Size) -> None:
    """Also between unequal players: only decisions may favour the better one."""
    games = range(size.pick(3, 6, 100))
    table = np.array([fortunes("nordic-countries", ("hard", "beginner"), seed) for seed in games])
    margins, luck = table[:, 0], table[:, 1]
    mean, error = mean_and_error(luck)
    assert abs(mean) <= 4 * error  # few games tell their own spread badly
    assert (margins - luck).mean() > 20


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_luck_is_fair_in_1000_planner_games(name: str) -> None:
    """Two checks, each of which chance alone fails once in 22 times.

    Between equal players the mean luck of a seat is 0 by symmetry, even if we misjudge what a draw is worth to whoever
    draws. So the parts are checked too: for the seat that draws or chooses they have the mean 0 only if values are
    right. One chi-square stands for five checks at two standard errors, one of which would fail in one run of five.
    """
    table = on_all_cores(f"luck on {name}", partial(fortunes, name, ("planner", "planner")), range(1000))
    margins, luck, errors, parts = table[:, 0], table[:, 1], table[:, 2], table[:, 3:]
    adjusted = margins - luck
    note_figures(
        f"luck on {name}",
        luck=mean_and_error(luck),
        margin=mean_and_error(margins),
        parts=[mean_and_error(part) for part in parts.T],
        chi_square=surprise(parts),
        deviation=[margins.std(ddof=1), adjusted.std(ddof=1), (errors**2).mean() ** 0.5],
    )
    assert surprise(luck[:, None]) <= TWO_ERRORS[1], mean_and_error(luck)
    assert surprise(parts) <= TWO_ERRORS[5], [mean_and_error(part) for part in parts.T]
    assert adjusted.var() < margins.var()


# --- skill ----------------------------------------------------------------------------------------------------------


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


def losses_of_levels(name: str, levels: tuple[str, ...], positions: int, seed: int) -> list[float]:
    """Return what each level loses for each decision, if all choose in the same positions of one game.

    Two levels other than the expert play the game. All choices meet the same worlds, and so does the best alternative,
    which other worlds have found.
    """
    chance = random.Random(seed)
    board = BOARDS[name]
    record = played(board, chance.choices(LEVELS[:-1], k=2), seed)
    free = [moment.number for moment in Walk(record, board) if len(moment.view.moves) > 1]
    numbers = chance.sample(free, positions)
    walk = Walk(record, board)
    table = np.array([_losses_at(walk, moment, levels, seed) for moment in walk if moment.number in numbers])
    return [float(loss) for loss in table.mean(axis=0)]


def _losses_at(walk: Walk, moment: Moment, levels: tuple[str, ...], seed: int) -> list[float]:
    """Return what each level's choice loses in a position."""
    view, plan, judge = moment.view, walk.plans[moment.seat], walk.judge
    choices = []
    for level in levels:
        player: Any = load_player(level)()
        player.start(walk.board, moment.seat, view.seats, seed)
        choices.append(script_of(judge, view, plan, player.choose(view)))
    options = list(dict.fromkeys([*trial_of(walk, moment, SKILL).options(), *choices]))
    screen, fresh = (worlds_for(walk.board, view.struct, worlds) for worlds in (SCREEN, JUDGE))
    found = judge.imagined(view.struct, plan, moment.turn, options, 0, screen).margins[:, :, moment.seat]
    best = options[int(found.mean(axis=0).argmax())]
    judged = list(dict.fromkeys([best, *choices]))
    margins = judge.imagined(view.struct, plan, moment.turn, judged, screen, fresh).margins[:, :, moment.seat]
    lost = (margins[:, :1] - margins).mean(axis=0)
    return [float(lost[judged.index(choice)]) for choice in choices]


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_stronger_players_lose_less(name: str) -> None:
    for levels, positions, seeds in ((LEVELS, 4, range(500)), (CLOSE, 8, range(500, 4100))):
        work = partial(losses_of_levels, name, levels, positions)
        table = on_all_cores(f"losses of {', '.join(levels)} on {name}", work, seeds)
        note_figures(
            f"losses on {name}, {positions} positions", **dict(zip(levels, map(mean_and_error, table.T), strict=True))
        )
        for at, (weaker, stronger) in enumerate(pairwise(levels)):
            if levels is CLOSE or not {weaker, stronger} <= {*CLOSE}:
                mean, error = mean_and_error(table[:, at] - table[:, at + 1])
                note_figures(f"{weaker} loses more than {stronger} on {name}", points=[mean, error])
                assert mean > 2 * error, f"{weaker} and {stronger}: {mean:.2f} ± {error:.2f}"
