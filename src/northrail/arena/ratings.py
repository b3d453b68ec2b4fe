"""Statistics of results: intervals for win rates and means, ratings from places, and a sequential test.

Games with the same seed are not independent: a good deal is good for every player who gets it. They count as one
*cluster*.
"""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

SURE = 1.959964  # 95 % of a normal distribution lie within this many standard deviations
ELO = 400 / math.log(10)  # Elo points for each unit of log odds
MOST_STEPS = 100  # of Newton's method, which needs about ten


# --- shares and means -------------------------------------------------------------------------------------------------


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for the share of games won.

    >>> low, high = wilson(81, 263)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    """
    if games <= 0:
        return 0.0, 1.0
    share = wins / games
    middle = share + SURE**2 / (2 * games)
    half = SURE * math.sqrt(share * (1 - share) / games + (SURE / (2 * games)) ** 2)
    scale = 1 + SURE**2 / games
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def mean_of(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, float]:
    """Return the mean and its standard error, when values within a cluster may be correlated.

    With fewer than two clusters the error is unknown, and infinity is returned.

    >>> mean_of([1, 3, 2, 2], ["a", "a", "b", "b"])
    (2.0, 0.0)
    """
    if not values:
        return math.nan, math.inf
    mean = sum(values) / len(values)
    away: Counter[Hashable] = Counter()
    for value, cluster in zip(values, clusters, strict=True):
        away[cluster] += value - mean  # type: ignore[assignment]  # a Counter also counts in fractions
    count = len(away)
    if count < 2:
        return mean, math.inf
    return mean, math.sqrt(count / (count - 1) * sum(sums**2 for sums in away.values())) / len(values)


def share_of(wins: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, float, float]:
    """Return the share of wins and its interval: Wilson's, widened if games within a cluster are correlated."""
    share, error = mean_of(wins, clusters)
    games: float = len(wins)
    if 0 < share < 1 and 0 < error < math.inf:
        games = min(games, share * (1 - share) / error**2)
    return (share, *wilson(share * games, games))


# --- ratings ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """A player's Elo, and half the width of its 95 % interval against the anchor."""

    elo: float
    half: float


Stage = tuple[tuple[str, ...], str]  # the players still without a place, and the one who takes the next place


@cache
def stages(players: tuple[str, ...], places: tuple[int, ...]) -> dict[Stage, float]:
    """Return a game as a sequence of stages, in each of which one player takes the next place.

    A shared place counts as the mean of all its orders.

    >>> stages(("a", "b"), (1, 1))
    {(('a', 'b'), 'a'): 0.5, (('a', 'b'), 'b'): 0.5}
    """
    groups = [[at for at in range(len(places)) if places[at] == place] for place in sorted(set(places))]
    orders = [
        list(itertools.chain(*parts))
        for parts in itertools.product(*(itertools.permutations(group) for group in groups))
    ]
    found: dict[Stage, float] = {}
    for order in orders:
        for at in range(len(order) - 1):
            stage = tuple(sorted(players[seat] for seat in order[at:])), players[order[at]]
            found[stage] = found.get(stage, 0.0) + 1 / len(orders)
    return found


def plackett_luce(
    games: Iterable[tuple[Hashable, tuple[str, ...], tuple[int, ...]]], anchor: str | None = None, drawn: float = 1.0
) -> dict[str, Rating]:
    """Return ratings from games given as (cluster, players, places): the strengths that make the places most likely.

    This is the Plackett–Luce model: the next place goes to each remaining player with a chance proportional to their
    strength. With two players it is the Bradley–Terry model. Every two players get ``drawn`` imaginary draws, so that
    a player who always wins has a finite rating. The ``anchor`` has Elo 0; without an anchor, the mean is 0. Of two
    intervals we report the wider one: for independent games, and for clusters.

    >>> games = [(n, ("strong", "weak"), (1, 2) if n % 4 else (2, 1)) for n in range(400)]
    >>> ratings = plackett_luce(games, anchor="weak", drawn=0)
    >>> round(ratings["strong"].elo), round(ratings["strong"].half)
    (191, 39)
    """
    clusters: dict[Hashable, Counter[Stage]] = {}
    for cluster, players, places in games:
        clusters.setdefault(cluster, Counter()).update(stages(players, places))
    kinds = list(dict.fromkeys(stage for counted in clusters.values() for stage in counted))
    names = list(dict.fromkeys(name for left, _ in kinds for name in left))
    if len(names) < 2:
        return {name: Rating(0.0, 0.0) for name in names}
    weights = np.array([[counted[kind] for kind in kinds] for counted in clusters.values()], float)
    prior = [((one, other), who) for one, other in itertools.combinations(names, 2) for who in (one, other)]
    left = np.array([[kind[0].count(name) for name in names] for kind in kinds + prior], float)
    chosen = np.array([[kind[1] == name for name in names] for kind in kinds + prior], float)
    total = np.concatenate([weights.sum(0), np.full(len(prior), drawn / 2)])
    strength, chances, bend = _most_likely(left, chosen, total)

    spread = np.linalg.pinv(bend)  # for independent games; pinv because strengths have an arbitrary common offset
    slopes = weights @ (chosen - chances)[: len(kinds)]
    rows = len(slopes)
    clustered = spread @ (slopes.T @ slopes) @ spread * rows / max(rows - 1, 1)
    base = np.full(len(names), 1 / len(names)) if anchor not in names else np.array([name == anchor for name in names])
    ratings = {}
    for at, name in enumerate(names):
        against = np.eye(len(names))[at] - base
        variance = max(float(against @ matrix @ against) for matrix in (spread, clustered))
        ratings[name] = Rating(ELO * float(against @ strength), ELO * SURE * math.sqrt(max(variance, 0.0)))
    return ratings


def _most_likely(left: Any, chosen: Any, total: Any) -> tuple[Any, Any, Any]:
    """Return the log strengths by Newton's method, each player's chance at each stage, and the curvature."""
    strength = np.zeros(left.shape[1])
    for _ in range(MOST_STEPS):
        chances = left * np.exp(strength)
        chances /= chances.sum(1, keepdims=True)
        slope = total @ (chosen - chances)
        bend = np.diag(total @ chances) - (chances * total[:, None]).T @ chances
        # Limit the step: far from the maximum the likelihood is flat, and a full Newton step would overshoot.
        step = np.clip(np.linalg.pinv(bend) @ slope, -2, 2)
        strength += step
        if np.abs(step).max() < 1e-9:
            break
    return strength - strength.mean(), chances, bend


# --- sequential test --------------------------------------------------------------------------------------------------


def expected(elo: float) -> float:
    """Return the expected share of points for a lead of this many Elo."""
    return 1 / (1 + math.exp(-elo / ELO))


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test: is a player ``elo1`` stronger than another, or no more than ``elo0``?

    Each pair of games, one seed with the seats exchanged, is one observation, as in the generalized pentanomial test of
    chess engines. The ratio compares how likely the observed pairs are under ``elo1`` and under ``elo0``, each with its
    best-fitting distribution. A share ``error`` of all tests gives the wrong answer.
    """

    elo0: float = 0.0
    elo1: float = 30.0
    error: float = 0.05

    @property
    def bound(self) -> float:
        """The ratio that decides the test, positive or negative."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, scores: Mapping[float, float]) -> float:
        """Return the logarithm of the likelihood ratio; ``scores`` counts pairs of games by their share of points.

        >>> round(Sprt(0, 10).ratio({0.0: 10, 0.25: 20, 0.5: 30, 0.75: 25, 1.0: 15}), 3)
        0.482
        """
        # Count a thousandth of a pair for each score not seen yet: it is not impossible.
        counted = {row: scores.get(row, 0) or 1e-3 for row in {0.0, 0.25, 0.5, 0.75, 1.0, *scores}}
        values, counts = np.array(list(counted)), np.array(list(counted.values()))
        likely = [_with_mean(values, counts / counts.sum(), expected(elo)) for elo in (self.elo0, self.elo1)]
        return float(counts @ np.log(likely[1] / likely[0]))

    def verdict(self, ratio: float) -> bool | None:
        """Return whether the player is stronger by ``elo1``; None while undecided."""
        return None if abs(ratio) < self.bound else ratio > 0


def _with_mean(values: Any, shares: Any, mean: float) -> Any:
    """Return the distribution over ``values`` with this mean that makes the observed ``shares`` most likely."""
    away = values - mean
    low, high = -1 / away.max(), -1 / away.min()
    for _ in range(60):  # bisection: the sum falls from +inf to -inf between the bounds
        middle = (low + high) / 2
        if (shares * away / (1 + middle * away)).sum() > 0:
            low = middle
        else:
            high = middle
    return shares / (1 + middle * away)
