"""How strong the players of a contest are: tables for people, JSON for programs, and a plot."""

import itertools
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from northrail.arena.contest import Contest
from northrail.arena.match import Result
from northrail.arena.ratings import Rating, Sprt, mean_of, plackett_luce, share_of
from northrail.drawing.themes import CHART
from northrail.extras import import_extra

ANCHOR = "random"  # the player with Elo 0, if it takes part
MOST_FAULTS = 5  # kinds of faults to print


@dataclass(frozen=True)
class Standing:
    """A player's figures. Points and tickets leave out games that ended by a fault."""

    player: str
    games: int  # seats played, over all games
    wins: tuple[float, float, float]  # share with its 95 % interval; a shared win counts as a fraction
    points: tuple[float, float]  # mean and standard error
    margin: tuple[float, float]  # over the best other seat; mean and standard error
    completed: float  # tickets per game
    tickets: float  # held per game
    seconds: float  # per decision
    decisions: float  # per game
    faults: int
    rating: Rating


def standings(results: Sequence[Result]) -> list[Standing]:
    """Return every player's figures, the best player first."""
    games = [(result.seed, result.players, result.places) for result in results]
    ratings = plackett_luce(games, ANCHOR)
    names = dict.fromkeys(name for result in results for name in result.players)
    found = [_standing(name, results, ratings.get(name, Rating(0.0, 0.0))) for name in names]
    return sorted(found, key=lambda standing: (-standing.rating.elo, standing.player))


def _standing(name: str, results: Sequence[Result], rating: Rating) -> Standing:
    seats = [(result, seat) for result in results for seat, who in enumerate(result.players) if who == name]
    wins = [_won(result, seat) for result, seat in seats]
    played = [(result, seat) for result, seat in seats if result.points is not None]
    seeds = [result.seed for result, _ in played]
    points = [_at(result.points, seat) for result, seat in played]
    best_others = [
        max(_at(result.points, at) for at in range(len(result.players)) if at != seat) for result, seat in played
    ]
    margins = [own - other for own, other in zip(points, best_others, strict=True)]
    decisions = sum(result.decisions[seat] for result, seat in seats)
    return Standing(
        player=name,
        games=len(seats),
        wins=share_of(wins, [result.seed for result, _ in seats]),
        points=mean_of(points, seeds),
        margin=mean_of(margins, seeds),
        completed=_mean(_at(result.completed, seat) for result, seat in played),
        tickets=_mean(_at(result.tickets, seat) for result, seat in played),
        seconds=sum(result.seconds[seat] for result, seat in seats) / max(decisions, 1),
        decisions=decisions / len(seats),
        faults=sum(result.fault is not None and result.fault.seat == seat for result, seat in seats),
        rating=rating,
    )


def _won(result: Result, seat: int) -> float:
    return (result.places[seat] == 1) / result.places.count(1)


def _at(values: tuple[int, ...] | None, seat: int) -> int:
    return values[seat] if values is not None else 0


def _mean(values: Iterable[int]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else math.nan


# --- stopping early ---------------------------------------------------------------------------------------------------


class Trial:
    """A sequential test of the first of two players against the second.

    Deals count in the order of their seeds, not in the order they finish, so the answer does not depend on the number
    of processes. Results after the deciding deal are left out.
    """

    def __init__(self, contest: Contest, test: Sprt) -> None:
        self.contest = contest
        self.test = test
        self.waiting: dict[int, list[Result]] = {}
        self.deals: list[list[Result]] = []  # counted, by number
        self.scores: Counter[float] = Counter()
        self.ratio = 0.0
        self.verdict: bool | None = None

    def add(self, result: Result) -> None:
        """Add a result. A deal counts once it and all earlier deals are complete."""
        deal = result.game // self.contest.deal_games
        self.waiting.setdefault(deal, []).append(result)
        while self.verdict is None and len(self.waiting.get(len(self.deals), ())) == self.contest.deal_games:
            games = self.waiting.pop(len(self.deals))
            first = self.contest.players[0].name
            self.deals.append(games)
            self.scores[sum(_won(game, game.players.index(first)) for game in games) / len(games)] += 1
            self.ratio = self.test.ratio(self.scores)
            self.verdict = self.test.verdict(self.ratio)

    @property
    def results(self) -> list[Result]:
        """The results that count, by number."""
        return sorted(itertools.chain(*self.deals), key=lambda result: result.game)

    def __str__(self) -> str:
        one, other = (player.name for player in self.contest.players)
        test = self.test
        verdict = {
            None: f"undecided whether {one} is {test.elo1:g} or {test.elo0:g} Elo stronger than {other}",
            True: f"{one} is stronger than {other}: by {test.elo1:g} Elo rather than {test.elo0:g}",
            False: f"{one} is not {test.elo1:g} Elo stronger than {other}: {test.elo0:g} is more likely",
        }[self.verdict]
        return f"SPRT after {len(self.deals):,} pairs: {verdict} (ratio {self.ratio:+.2f} of ±{test.bound:.2f})"


# --- for people -------------------------------------------------------------------------------------------------------


COLUMNS = ("player", "wins %", "points", "margin", "tickets", "a move")
LEGEND = "wins with their 95 % interval; points and margin over the best other ± standard error; tickets made/held"


def cells_of(one: Standing) -> tuple[str, ...]:
    """Format a player's figures, one cell for each of COLUMNS."""
    share, low, high = (100 * part for part in one.wins)
    return (
        one.player,
        f"{share:.1f} ({low:.0f}–{high:.0f})",
        _plus_minus(*one.points),
        _plus_minus(*one.margin, sign="+"),
        "–" if math.isnan(one.tickets) else f"{one.completed:.1f}/{one.tickets:.1f}",
        _time(one.seconds),
    )


def elo_of(one: Standing) -> str:
    """Format a player's rating."""
    return "0" if one.player == ANCHOR else f"{one.rating.elo:+.0f} ±{one.rating.half:.0f}"


def tables_of(found: Sequence[Standing]) -> Group:
    """Return the table of figures and, for several players, the Elo list."""
    table = _table(*COLUMNS)
    for one in found:
        table.add_row(*map(Text, cells_of(one)))
    if len(found) < 2:
        return Group(table, Text(LEGEND, style="dim"))
    elo = _table("player", "Elo", "played", "faults")
    for one in found:
        elo.add_row(Text(one.player), elo_of(one), f"{one.games:,}", str(one.faults or "–"))
    return Group(table, Text(LEGEND, style="dim"), "", elo, Text(zero_of(found), style="dim"))


def zero_of(found: Sequence[Standing]) -> str:
    """Say what Elo 0 means."""
    if any(one.player == ANCHOR for one in found):
        return f"Elo with its 95 % interval; {ANCHOR} is 0"
    return f"Elo with its 95 % interval; 0 is the mean of these players, because {ANCHOR} did not play"


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, border_style="dim", padding=(0, 1, 0, 0), show_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _plus_minus(mean: float, error: float, sign: str = "") -> str:
    return "–" if math.isnan(mean) else f"{mean:{sign}.1f}" + (f" ±{error:.1f}" if error < math.inf else "")


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"


HOW = {
    "raised": "raised",
    "illegal": "made an illegal move",
    "cheated": "cheated",
    "slow": "was too slow",
    "gone": "crashed its process",
}


def faults_of(results: Sequence[Result]) -> list[str]:
    """Describe the faults, grouping similar ones; say how many more kinds there are."""
    similar: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        if result.fault is not None:
            fault = result.fault
            text = "" if fault.kind == "slow" else fault.text  # the time taken differs in every game
            similar.setdefault((fault.player, fault.kind, text), []).append(result)
    lines = [_describe(games) for games in similar.values()]
    more = len(lines) - MOST_FAULTS
    return lines[:MOST_FAULTS] + ([f"and {more} more kinds of faults"] if more > 0 else [])


def _describe(games: Sequence[Result]) -> str:
    fault = games[0].fault
    assert fault is not None, "these games ended by a fault"
    where = f"move {fault.move}, seat {fault.seat}, seed {games[0].seed}"
    often = f"in {len(games):,} games; first at {where}" if len(games) > 1 else f"at {where}"
    return f"{fault.player} {HOW[fault.kind]}, {often}:\n{textwrap.indent(textwrap.dedent(fault.text), '  ')}"


def running(results: Sequence[Result]) -> str:
    """Return each player's share of wins so far, on one line."""
    wins: Counter[str] = Counter()
    seats: Counter[str] = Counter()
    for result in results:
        for seat, name in enumerate(result.players):
            wins[name] += _won(result, seat)  # type: ignore[assignment]  # a Counter also counts in fractions
            seats[name] += 1
    return " · ".join(
        f"{name} {100 * wins[name] / seats[name]:.0f} %" for name in sorted(seats, key=lambda n: -wins[n])
    )


# --- for programs -----------------------------------------------------------------------------------------------------


def json_of(contest: Contest, results: Sequence[Result], trial: Trial | None = None) -> dict[str, Any]:
    """Return all figures for programs. Values not known yet are null."""
    found = standings(results)
    facts = {
        "board": contest.board.id,
        "digest": contest.board.digest,
        "seats": contest.seats,
        "seed": contest.seed,
        "games": len(results),
        "deals": len({result.seed for result in results}),
        "players": [asdict(one) for one in found],
        "elo_zero": ANCHOR if any(one.player == ANCHOR for one in found) else None,  # None: the mean is 0
        "faults": [asdict(result.fault) | {"seed": result.seed} for result in results if result.fault is not None],
        "sprt": None,
    }
    if trial is not None:
        facts["sprt"] = asdict(trial.test) | {
            "ratio": trial.ratio,
            "bound": trial.test.bound,
            "stronger": trial.verdict,
            "pairs": {str(score): count for score, count in sorted(trial.scores.items())},
        }
    finite: dict[str, Any] = _finite(facts)
    return finite


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plot(path: Path, contest: Contest, results: Sequence[Result]) -> None:
    """Draw the ratings with their intervals, and the distribution of points."""
    import_extra("matplotlib", "plots").use("agg")
    pyplot = import_extra("matplotlib.pyplot", "plots")
    found = standings(results)[::-1]
    names = [one.player for one in found]
    points = [
        [_at(result.points, seat) for result in results if result.points for seat in _seats(result, name)]
        for name in names
    ]
    height = 1.6 + 0.45 * len(names)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, height), sharey=True, layout="constrained")
    rows = range(len(names))
    left.errorbar(
        [one.rating.elo for one in found],
        rows,
        xerr=[one.rating.half for one in found],
        fmt="o",
        color=CHART.line,
        capsize=3,
    )
    left.set(
        xlabel=zero_of(found).replace("; ", "\n", 1),
        yticks=list(rows),
        yticklabels=names,
        ylim=(-0.6, len(names) - 0.4),
    )
    boxes = right.boxplot(
        points, positions=list(rows), orientation="horizontal", widths=0.5, showfliers=False, patch_artist=True
    )
    for part in boxes["boxes"]:
        part.set(facecolor=CHART.box, edgecolor=CHART.line)
    for part in (*boxes["medians"], *boxes["whiskers"], *boxes["caps"]):
        part.set(color=CHART.line)
    right.set(xlabel="points\nquartiles; whiskers at 1.5 times their distance", yticks=list(rows), yticklabels=names)
    for axes in (left, right):
        axes.grid(axis="x", color=CHART.grid)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{contest.board.name}, {contest.seats} seats, {len(results):,} games")
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _seats(result: Result, name: str) -> list[int]:
    return [seat for seat, who in enumerate(result.players) if who == name]
