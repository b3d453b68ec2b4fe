"""Statistics against known answers: published examples, exact likelihoods, and simulations."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from northrail.arena.ratings import ELO, Sprt, expected, mean_of, plackett_luce, share_of, stages, wilson

Games = list[tuple[int, tuple[str, ...], tuple[int, ...]]]


# --- shares and means -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_the_published_ones(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_a_wilson_interval_stays_between_0_and_1() -> None:
    assert wilson(0, 0) == (0, 1)
    for games in (1, 7, 1000):
        assert wilson(0, games)[0] == 0 and wilson(games, games)[1] == pytest.approx(1)
        low, high = wilson(games, games)
        assert (1 - high, 1 - low) == pytest.approx(wilson(0, games))


def test_a_mean_of_independent_values_has_the_usual_error() -> None:
    values = [3.0, 5.0, 8.0, 12.0, 1.0]
    mean, error = mean_of(values, range(5))
    assert mean == pytest.approx(np.mean(values))
    assert error == pytest.approx(np.std(values, ddof=1) / math.sqrt(5))


def test_a_cluster_counts_once() -> None:
    # Repeating a value four times adds no information.
    values, clusters = [3.0, 5.0, 8.0], [0, 1, 2]
    assert mean_of(values * 4, clusters * 4) == pytest.approx(mean_of(values, clusters))
    # If the two games of every pair cancel out, the mean is known exactly.
    assert mean_of([7.0, -7.0, 2.0, -2.0], [0, 0, 1, 1]) == (0, 0)
    assert mean_of([1.0, 2.0], [0, 0]) == (1.5, math.inf)
    assert math.isnan(mean_of([], [])[0])


def test_an_interval_widens_when_games_repeat_each_other_and_never_narrows() -> None:
    wins = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 10
    alone = share_of(wins, range(60))
    assert alone[0] == pytest.approx(2 / 3) and alone[2] - alone[1] == pytest.approx(
        np.diff(wilson(40, 60))[0], rel=0.02
    )
    doubled = share_of([*wins, *wins], [*range(60), *range(60)])
    assert doubled[1:] == pytest.approx(alone[1:], rel=0.02)
    split = share_of([1.0, 0.0] * 30, [at // 2 for at in range(60)])
    assert split[1:] == pytest.approx(wilson(30, 60))


# --- ratings ----------------------------------------------------------------------------------------------------------


def test_two_players_are_as_far_apart_as_their_odds() -> None:
    games: Games = [(n, ("a", "b"), (1, 2) if n < 75 else (2, 1)) for n in range(100)]
    found = plackett_luce(games, drawn=0)
    assert found["a"].elo - found["b"].elo == pytest.approx(400 * math.log10(3))
    assert found["a"].elo == pytest.approx(-found["b"].elo)
    anchored = plackett_luce(games, "b", drawn=0)["a"]
    # Against another player the variance is 1 / (n p (1 - p)), on the scale of log odds.
    assert anchored.half == pytest.approx(1.96 * ELO / math.sqrt(100 * 0.75 * 0.25), rel=0.01)
    assert plackett_luce(games, "b", drawn=0)["b"].half == 0


def test_bradley_terry_finds_the_known_strengths_of_a_table() -> None:
    # Wins in exact proportion to strengths 4 : 2 : 1, so these strengths are the most likely.
    wins = {("a", "b"): (40, 20), ("a", "c"): (48, 12), ("b", "c"): (40, 20)}
    games: Games = []
    for pair, (won, lost) in wins.items():
        games += [(len(games) + n, pair, (1, 2) if n < won else (2, 1)) for n in range(won + lost)]
    found = plackett_luce(games, "c", drawn=0)
    assert found["a"].elo == pytest.approx(400 * math.log10(4))
    assert found["b"].elo == pytest.approx(400 * math.log10(2))


def test_bradley_terry_agrees_with_a_published_fit() -> None:
    # Agresti, Categorical Data Analysis: the 1987 baseball season of the American League East, wins of row over column.
    teams = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
    wins = [
        (0, 7, 9, 7, 7, 9, 11),
        (6, 0, 7, 5, 11, 9, 9),
        (4, 6, 0, 7, 7, 8, 12),
        (6, 8, 6, 0, 6, 7, 10),
        (6, 2, 6, 7, 0, 7, 12),
        (4, 4, 5, 6, 6, 0, 6),
        (2, 4, 1, 3, 1, 7, 0),
    ]
    games: Games = []
    for one, other in itertools.permutations(range(7), 2):
        games += [(len(games) + n, (teams[one], teams[other]), (1, 2)) for n in range(wins[one][other])]
    found = plackett_luce(games, "Baltimore", drawn=0)
    logs = [round(found[team].elo / ELO, 3) for team in teams]
    assert logs == pytest.approx([1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0], abs=0.002)


def test_a_shared_place_is_half_a_win_for_each() -> None:
    assert stages(("a", "b", "c"), (1, 2, 2)) == {
        (("a", "b", "c"), "a"): 1.0,
        (("b", "c"), "b"): 0.5,
        (("b", "c"), "c"): 0.5,
    }
    shared = plackett_luce([(0, ("a", "b"), (1, 1)), (1, ("a", "b"), (1, 2))], drawn=0)
    split: Games = [(n, ("a", "b"), (1, 2) if n else (2, 1)) for n in range(4)]
    assert shared["a"].elo == pytest.approx(plackett_luce(split, drawn=0)["a"].elo)


def test_plackett_luce_recovers_the_strengths_that_made_the_places() -> None:
    chance = random.Random(7)
    strengths = {"a": 1.0, "b": 0.4, "c": 0.0, "d": -0.8}
    games: Games = []
    for number in range(6000):
        players = tuple(chance.sample(sorted(strengths), 3))
        # Exponential times whose rates are the strengths: their order follows the Plackett–Luce model.
        times = [chance.expovariate(math.exp(strengths[name])) for name in players]
        games.append((number, players, tuple(1 + sum(other < mine for other in times) for mine in times)))
    found = plackett_luce(games, "c")
    for name, strength in strengths.items():
        assert found[name].elo == pytest.approx(ELO * strength, abs=max(found[name].half * 1.3, 1e-6))
        assert found[name].half < 25


def test_intervals_contain_the_true_value_as_often_as_they_claim() -> None:
    chance = random.Random(11)
    inside = 0
    for _ in range(200):
        # Both games of a pair end the same way, so they hold half the information of independent games.
        games: Games = []
        for pair in range(60):
            places = (1, 2) if chance.random() < expected(100) else (2, 1)
            games += [(pair, ("a", "b"), places)] * 2
        rating = plackett_luce(games, "b", drawn=0)["a"]
        inside += abs(rating.elo - 100) < rating.half
    assert 180 <= inside <= 199


def test_a_player_that_always_wins_has_a_finite_rating() -> None:
    games: Games = [(n, ("a", "b"), (1, 2)) for n in range(100)]
    found = plackett_luce(games, "b")["a"]
    assert found.elo == pytest.approx(400 * math.log10(100.5 / 0.5), rel=1e-6)
    assert found.half > 300  # how much stronger it is, these games cannot show


def test_a_single_player_has_rating_0() -> None:
    assert plackett_luce([(0, ("a", "a"), (1, 2))])["a"].elo == 0
    assert plackett_luce([]) == {}


def test_a_player_may_sit_in_two_seats() -> None:
    # Among equal players, two seats win two thirds of the games.
    games: Games = [(n, ("a", "a", "b"), places) for n, places in enumerate([(1, 2, 3), (3, 1, 2), (2, 3, 1)])]
    assert plackett_luce(games, drawn=0)["a"].elo == pytest.approx(0, abs=1e-6)


# --- sequential test --------------------------------------------------------------------------------------------------


def test_with_many_games_the_ratio_is_that_of_a_normal_distribution() -> None:
    scores = {0.0: 1000, 0.25: 2000, 0.5: 3000, 0.75: 2500, 1.0: 1500}
    count = sum(scores.values())
    mean = sum(score * number for score, number in scores.items()) / count
    variance = sum((score - mean) ** 2 * number for score, number in scores.items()) / count
    test = Sprt(20, 30)
    low, high = expected(test.elo0), expected(test.elo1)
    assert test.ratio(scores) == pytest.approx(
        count * (high - low) * (2 * mean - low - high) / (2 * variance), rel=0.02
    )


def test_the_ratio_agrees_with_brute_force() -> None:
    # With three outcomes and a given mean, one number is free: try all its values.
    counts = {0.0: 20, 0.5: 50, 1.0: 30}

    def best(mean: float) -> float:
        middle = np.linspace(1e-6, 1, 200_001)
        high = mean - middle / 2
        low = 1 - middle - high
        fits = (low > 1e-9) & (high > 1e-9)
        return float((20 * np.log(low[fits]) + 50 * np.log(middle[fits]) + 30 * np.log(high[fits])).max())

    assert Sprt(0, 40).ratio(counts) == pytest.approx(best(expected(40)) - best(0.5), abs=0.02)


def test_the_bounds_give_five_percent_errors() -> None:
    test = Sprt()
    assert test.bound == pytest.approx(2.944, abs=0.001)
    assert [test.verdict(ratio) for ratio in (-3.0, -2.9, 0.0, 2.9, 3.0)] == [False, None, None, None, True]


@pytest.mark.parametrize(("elo", "right"), [(0.0, False), (60.0, True)])
def test_the_sequential_test_errs_about_as_often_as_it_claims(elo: float, right: bool) -> None:
    test = Sprt(0, 60)
    chance = random.Random(5)
    wrong = 0
    for _ in range(100):
        scores: Counter[float] = Counter()
        verdict = None
        while verdict is None:
            for _ in range(4):
                scores[sum(chance.random() < expected(elo) for _ in range(2)) / 2] += 1
            verdict = test.verdict(test.ratio(scores))
        wrong += verdict != right
    assert wrong <= 12  # five are expected; more than twelve happen once in 500 runs
