"""Measure how strong the players are: play a list of contests, and write docs/strength.md with its picture.

Run by `make strength`; all contests take hours. Every finished game is kept in .cache/strength, so you can stop at any
time and continue later. Contests whose players or board have changed are played again.
"""

import itertools
import math
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from northrail import load_board, load_player
from northrail.arena import Contest, Result, Run, read_run
from northrail.arena.ratings import SURE, plackett_luce
from northrail.arena.standings import COLUMNS, Standing, cells_of, elo_of, faults_of, standings, zero_of
from northrail.arena.workers import cores
from northrail.cli.arena import play_missing
from northrail.cli.common import plain_errors
from northrail.drawing.themes import CHART
from northrail.errors import NorthrailError
from northrail.extras import import_extra

ROOT = Path(__file__).parent.parent
KEPT = ROOT / ".cache" / "strength"
PAGE = ROOT / "docs" / "strength.md"
PICTURE = ROOT / "docs" / "pictures" / "strength.svg"

SEED = 1_000_000  # far from the seeds that players are tuned with
BUDGET = 400  # iterations of a search that take about 100 ms on one core
NORDIC, LIGHTS = "nordic-countries", "northern-lights"
LEVELS = ("beginner", "easy", "medium", "hard", "expert")
# The points that people of each level make on Nordic Countries with two seats.
BANDS = {"beginner": (55, 75), "easy": (80, 95), "medium": (100, 115), "hard": (125, math.inf)}
SEARCH, SEARCH_LONGER = f"search:iterations={BUDGET}", f"search:iterations={10 * BUDGET}"

board_of = cache(load_board)  # loading takes a tenth of a second, and happens often


# --- contests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """What the first players of a contest should achieve."""

    kind: str  # wins, more wins, points, first
    least: float = 0.0  # share of wins, or mean points
    of: int = 1  # how many players should achieve it
    most: float = math.inf  # mean points


@dataclass(frozen=True)
class Match:
    """A contest to play, with a name for --only."""

    name: str
    board: str
    seats: int
    players: tuple[str, ...]
    games: int
    goal: Goal
    remark: str = ""  # why the goal is not met, and what to try next; written only if it is not met

    def contest(self) -> Contest:
        """Return the contest; raises BadPlayer if there is no such player."""
        return Contest(board_of(self.board), tuple(map(load_player, self.players)), self.seats, SEED)

    @property
    def title(self) -> str:
        """Who plays whom."""
        first, *others = map(short, self.players)
        if len(others) < 2:
            return f"{first} against {others[0] if others else 'itself'}"
        return f"{', '.join([first, *others[:-1]])} and {others[-1]}"

    @property
    def place(self) -> str:
        """The board and the number of seats."""
        return f"{board_of(self.board).name}, {self.seats} seats"


def levels(board: str, name: str) -> Iterator[Match]:
    """Yield a match of each level against the one below."""
    for below, above in itertools.pairwise(LEVELS):
        games = 100 if above == "expert" else 400
        yield Match(f"{name}-{above}-{below}", board, 2, (above, below), games, Goal("wins", 0.70))


HURRY = """\
two searchers hurry each other. Their games take 169 decisions, those of two planners 197. Each holds 7.8 tickets in the
end instead of 9.0, and winners make 134 points instead of 148. The search plays for the margin and for winning, not for
points. Next: add the player's own points to the value of a finished game."""
FIELD = ("planner", SEARCH, "hungry", "one-step", "path", "random")
MATCHES = (
    *(
        Match(f"planner-{other}", NORDIC, 2, ("planner", other), 2000, Goal("wins", 0.85))
        for other in ("path", "one-step", "long-route", "hungry")
    ),
    Match("planner-self", NORDIC, 2, ("planner",), 2000, Goal("points", 110)),
    Match("search-planner", NORDIC, 2, (SEARCH, "planner"), 400, Goal("wins", 0.65)),
    Match("search-hungry", NORDIC, 2, (SEARCH, "hungry"), 400, Goal("wins", 0.93)),
    Match("search-self", NORDIC, 2, (SEARCH,), 100, Goal("points", 120), HURRY),
    Match("search-longer", NORDIC, 2, (SEARCH_LONGER, SEARCH), 160, Goal("more wins", 0.5)),
    *(
        Match(f"band-{level}", NORDIC, 2, (level,), 1000, Goal("points", least, most=most))
        for level, (least, most) in BANDS.items()
    ),
    *levels(NORDIC, "nordic"),
    *levels(LIGHTS, "lights"),
    Match("field-nordic-3", NORDIC, 3, FIELD, 240, Goal("first", of=2)),
    Match("field-lights-2", LIGHTS, 2, FIELD, 300, Goal("first", of=2)),
    Match("field-lights-3", LIGHTS, 3, FIELD, 240, Goal("first", of=2)),
    Match("field-lights-5", LIGHTS, 5, FIELD, 120, Goal("first", of=2)),
)


def chosen(matches: Sequence[Match], only: Sequence[str]) -> list[Match]:
    """Return the matches whose names begin with one of ``only``; without any, all."""
    for start in only:
        if not any(match.name.startswith(start) for match in matches):
            raise NorthrailError(
                f"--only: expected the beginning of one of {', '.join(match.name for match in matches)}, got {start!r}"
            )
    return [match for match in matches if not only or match.name.startswith(tuple(only))]


# --- results ----------------------------------------------------------------------------------------------------------


def run_of(match: Match, kept: Path) -> Run:
    """Return the run of a match as it would start now."""
    return Run.of(kept / f"{match.name}.jsonl", match.contest(), match.board, match.players, match.games)


def results_of(match: Match, kept: Path) -> list[Result] | None:
    """Return the results so far; None if exactly these players have none."""
    with suppress(NorthrailError):  # no such file, or no such player yet
        run = run_of(match, kept)
        was, results = read_run(run.path)
        if replace(was, games=run.games) == run:
            return results
    return None


def play(match: Match, kept: Path, processes: int | None) -> None:
    """Play what is missing of a match; move results of other versions of its players aside."""
    run = run_of(match, kept)
    if results_of(match, kept) is None:
        kept.mkdir(parents=True, exist_ok=True)
        if run.path.exists():
            run.path.replace(run.path.with_suffix(".old"))
        run.begin()
    play_missing(run, run.contest(), processes=processes)


# --- findings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """The result of a match, compared with its goal."""

    match: Match
    wanted: str
    results: Sequence[Result] = ()
    standings: Sequence[Standing] = ()
    value: tuple[float, float, float] | None = None  # measured, and its 95 % interval
    text: str = "not played yet"
    met: bool | None = None

    @property
    def games(self) -> str:
        """The number of games it is based on."""
        played, wanted = len(self.results), self.match.games
        return f"{played:,}" if played >= wanted else f"{played:,} of {wanted:,}"

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        if self.met is None:
            return "–"
        return ("yes" if self.met else "**no**") + ", so far" * (len(self.results) < self.match.games)


def finding(match: Match, kept: Path) -> Finding:
    """Return the findings so far about a match."""
    goal, results = match.goal, results_of(match, kept)
    wanted = {
        "wins": f"≥ {100 * goal.least:.0f} % wins",
        "more wins": "more wins",
        "points": f"≥ {goal.least:.0f} points" if goal.most == math.inf else f"{goal.least:.0f}–{goal.most:.0f} points",
        "first": f"{' and '.join(map(short, match.players[: goal.of]))} first, by a clear interval",
    }[goal.kind]
    if not results:
        return Finding(match, wanted)
    found = standings(results)
    if {*match.players} != {one.player for one in found}:
        return Finding(match, wanted, results, found, text="too few games yet")
    one = next(one for one in found if one.player == match.players[0])
    if goal.kind == "first":
        lead, low, high = value = lead_of(match, results)
        text, met = f"{lead:+.0f} Elo ({low:+.0f} to {high:+.0f}) over the next", low > 0
    elif goal.kind == "points":
        mean, error = one.points
        value = mean, mean - SURE * error, mean + SURE * error
        text, met = f"{mean:.1f} ±{error:.1f}", goal.least <= mean <= goal.most
    else:
        share, low, high = value = one.wins
        text = f"{100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f})"
        text += f", {lead_of(match, results)[0]:+.0f} Elo" * (goal.kind == "more wins")
        met = low > goal.least if goal.kind == "more wins" else share >= goal.least
    return Finding(match, wanted, results, found, value, text, met)


def lead_of(match: Match, results: Sequence[Result]) -> tuple[float, float, float]:
    """Return by how much Elo the weaker of the expected leaders is ahead of the best other, and the 95 % interval."""
    games = [(result.seed, result.players, result.places) for result in results]
    ratings = plackett_luce(games)
    best = max(match.players[match.goal.of :], key=lambda name: ratings[name].elo)
    against = plackett_luce(games, anchor=best)
    worst = min((against[name] for name in match.players[: match.goal.of]), key=lambda rating: rating.elo)
    return worst.elo, worst.elo - worst.half, worst.elo + worst.half


# --- the page ---------------------------------------------------------------------------------------------------------


INTRODUCTION = """\
# How strong the players are

`make strength` plays these contests and writes this page; it continues where it was stopped. Every seed is played with
each player in each seat, so that good cards help everyone equally. A search depends only on its seed, the view and its
iterations: the same command gives the same games on any machine. Here `search` is `{search}`, about 100 ms
per move on one core. Times are those of whole answers with all cores busy, on
{machine}; `northrail bench` measures the kernels alone.

![Shares of wins and ratings, each with its interval](pictures/strength.svg)

## Goals and results

{figures}

Brackets hold 95 % intervals, and ± stands before standard errors. Games with the same seed do not count as
independent.
"""
DETAILS = """\
## Each contest

Wins with their 95 % interval (Wilson), points and margin over the best other ± standard error, tickets completed/held,
time per move, and Elo with its 95 % interval (Bradley–Terry; Plackett–Luce with more than two seats).
"""


def page_of(findings: Sequence[Finding]) -> str:
    """Return the page as Markdown."""
    rows = [
        (f"{each.match.title} · {each.match.place}", each.wanted, each.text, each.games, each.verdict)
        for each in findings
    ]
    figures = markdown(("contest", "goal", "measured", "games", "met"), rows)
    parts = [INTRODUCTION.format(search=SEARCH, machine=machine(), figures=figures)]
    parts += [
        f"**{each.match.title} · {each.match.place}**:\n{each.match.remark}\n"
        for each in findings
        if each.met is False and each.match.remark
    ]
    parts.append(DETAILS)
    for each in findings:
        if each.results:
            parts.append(f"### {each.match.title} · {each.match.place} · {each.games} games\n\n{table_of(each)}\n")
            parts += [f"```\n{fault}\n```\n" for fault in faults_of(each.results)]
    return "\n".join(parts)


def table_of(found: Finding) -> str:
    """Return a table of the figures of a contest's players."""
    several = len(found.standings) > 2  # between two, Elo only repeats the share of wins
    rows = [(short(one.player), *cells_of(one)[1:], *([elo_of(one)] if several else [])) for one in found.standings]
    text = markdown((*COLUMNS, *(["Elo"] if several else [])), rows)
    return f"{text}\n\n{zero_of(found.standings)}." if several else text


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with all columns but the first aligned to the right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def short(name: str) -> str:
    """Return a player's name without the usual budget."""
    return {SEARCH: "search", SEARCH_LONGER: "search, ten times as long"}.get(name, name)


def machine() -> str:
    """Describe the machine this runs on."""
    model = platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), model)
    return f"a machine with {cores()} cores ({model.strip()}, {platform.system()}, Python {platform.python_version()})"


# --- the picture ------------------------------------------------------------------------------------------------------

MET, MISSED, INK = CHART.line, CHART.missed, CHART.ink


def draw(findings: Sequence[Finding], path: Path) -> None:
    """Draw shares of wins against the goals, and below them the ratings of the fields."""
    import_extra("matplotlib", "plots").use("agg")
    pyplot = import_extra("matplotlib.pyplot", "plots")
    duels = [each for each in findings if each.value and each.match.goal.kind in ("wins", "more wins")]
    fields = [each for each in findings if each.value and each.match.goal.kind == "first"]
    rows = -(-len(fields) // 2)
    heights = [0.3 * len(duels) + 1.1, 2.2 * rows + 0.1]
    style = {"svg.hashsalt": "northrail", "font.size": 9, "axes.edgecolor": CHART.axes, "text.color": INK}
    with pyplot.rc_context(style | {"xtick.color": INK, "ytick.color": INK, "axes.labelcolor": INK}):
        figure = pyplot.figure(figsize=(8.6, sum(heights)), layout="constrained", facecolor="white")
        above, below = figure.subfigures(2, 1, height_ratios=heights)
        if duels:
            draw_duels(above.subplots(), duels)
        if fields:
            for axes, field in itertools.zip_longest(below.subplots(rows, 2, sharex=True, squeeze=False).flat, fields):
                if field is None:
                    axes.set_axis_off()
                else:
                    draw_field(axes, field)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def draw_duels(axes: Any, duels: Sequence[Finding]) -> None:
    """Plot shares of wins with their intervals, and a bar where the goal is."""
    for at, each in enumerate(reversed(duels)):
        share, low, high = (100 * part for part in each.value or ())
        colour, shape = (MET, "o") if each.met else (MISSED, "X")
        axes.plot([low, high], [at, at], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot(share, at, shape, color=colour, markersize=7)
        axes.plot(100 * each.match.goal.least, at, "|", color=INK, markersize=12, markeredgewidth=1.6)
        axes.text(101.5, at, f"{share:.1f} %", va="center", color=colour)
    lows = [100 * each.value[1] for each in duels if each.value]
    titles = [f"{each.match.title} · {board_of(each.match.board).name}" for each in reversed(duels)]
    axes.set(yticks=range(len(duels)), yticklabels=titles, ylim=(-0.7, len(duels) - 0.3))
    axes.set(xlim=(min([40.0, *lows]) // 10 * 10, 100), xlabel="wins in %, with 95 % interval")
    for shape, colour, label in (("|", INK, "goal"), ("o", MET, "met"), ("X", MISSED, "not met")):
        axes.plot([], [], shape, color=colour, label=label, markersize=8, markeredgewidth=1.6 if shape == "|" else 0)
    axes.legend(ncols=3, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    axes.set_title("Two seats", fontsize=9, loc="left")
    quiet(axes)


def draw_field(axes: Any, field: Finding) -> None:
    """Plot the ratings of all players at one kind of table."""
    found = list(reversed(field.standings))
    for at, one in enumerate(found):
        colour, shape = (MET, "o") if one.player in field.match.players[: field.match.goal.of] else (INK, "s")
        axes.plot([one.rating.elo - one.rating.half, one.rating.elo + one.rating.half], [at, at], color=colour)
        axes.plot(one.rating.elo, at, shape, color=colour, markersize=5)
    axes.set(yticks=range(len(found)), yticklabels=[short(one.player) for one in found], ylim=(-0.7, len(found) - 0.3))
    axes.set_xlabel("Elo above random, with 95 % interval" if "random" in field.match.players else "Elo")
    axes.set_title(f"{field.match.place} · {len(field.results):,} games", fontsize=9, loc="left")
    axes.tick_params(labelbottom=True)
    quiet(axes)


def quiet(axes: Any) -> None:
    """Remove the lines that do not help the reader."""
    axes.grid(axis="x", color=CHART.grid)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


# --- the command ------------------------------------------------------------------------------------------------------


def strength(
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Play only these; the beginning of a name is enough.", show_default="all"),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Games to play at once.", show_default="one for each core"),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Play nothing; only write the page.")] = False,
    matches: Annotated[bool, typer.Option("--list", help="List the contests and their progress.")] = False,
) -> None:
    """Play the contests that show how strong the players are, and write docs/strength.md. Ctrl-C keeps everything."""
    with plain_errors():
        todo = chosen(MATCHES, only or [])
        if matches:
            for each in (finding(match, KEPT) for match in todo):
                typer.echo(f"{each.match.name:22} {each.games:>14}  {each.text}")
            return
        import_extra("matplotlib", "plots")
        try:
            for match in () if write else todo:
                play_one(match, processes)
        finally:  # also after an interruption
            findings = [finding(match, KEPT) for match in MATCHES]
            known = sum(each.value is not None for each in findings)
            if known:
                draw(findings, PICTURE)
                PAGE.write_text(page_of(findings), encoding="utf-8")
            typer.echo(f"{PAGE}: {known} of {len(findings)} contests" if known else "nothing has been played yet")


def play_one(match: Match, processes: int | None) -> None:
    """Play a match and print its result in a line."""
    typer.echo(f"{match.name}: {match.title} · {match.place}", err=True)
    try:
        play(match, KEPT, processes)
    except NorthrailError as error:
        typer.echo(f"  not played: {error}", err=True)
        return
    found = finding(match, KEPT)
    met = "met" if found.met else "not met"
    typer.echo(f"  {found.text} after {found.games} games; goal: {found.wanted}, {met}", err=True)


if __name__ == "__main__":
    sys.argv[0] = "make strength"
    typer.run(strength)
