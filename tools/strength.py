"""Measure how strong the players are: play a list of contests, and write docs/strength.md with its picture.

Run by `make strength`; `--list` says how long each contest takes. Every finished game is kept in your cache folder, so
you can stop at any time and continue later, in another clone too. A contest is played
again if its code or board has changed, but not if only a docstring, comment, remark or reason has. tools/strength.json
keeps the figures of each contest, so that `--write` works in a fresh clone too.

Other tools add sections to the page. Each writes a file docs/strength/NAME.json, and we include them in the order of
their names:

    {"title": "Test positions", "text": "Markdown, with the command that reproduces the figures.",
     "table": {"head": ["level", "solved"], "rows": [["expert", "91 %"]]}}

The table may be missing.
"""

import itertools
import json
import math
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

import yardstick
from northrail import load_board, load_player
from northrail.arena import Contest, Result, Run, read_run
from northrail.arena.ratings import SURE, Rating, plackett_luce
from northrail.arena.standings import COLUMNS, Standing, cells_of, elo_of, faults_of, standings, zero_of
from northrail.arena.workers import cores
from northrail.cli.arena import play_missing
from northrail.cli.common import plain_errors
from northrail.drawing.themes import CHART
from northrail.errors import NorthrailError
from northrail.extras import import_extra
from northrail.players.levels import PLAYERS

ROOT = Path(__file__).parent.parent
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "northrail" / "strength"
PAGE = ROOT / "docs" / "strength.md"
PICTURE = ROOT / "docs" / "pictures" / "strength.svg"
SECTIONS = ROOT / "docs" / "strength"
FIGURES = ROOT / "tools" / "strength.json"

SEED = 1_000_000  # far from the seeds that players are tuned with
MOST_HOURS = 6.0  # for everything, on two cores
NORDIC, LIGHTS = "nordic-countries", "northern-lights"
TABLES = ((NORDIC, 2), (NORDIC, 3), (LIGHTS, 2), (LIGHTS, 3), (LIGHTS, 4), (LIGHTS, 5))
LEVELS = ("beginner", "easy", "medium", "hard", "expert")
# The points that people of each level make on Nordic Countries with two seats.
BANDS = {"beginner": (55, 75), "easy": (80, 95), "medium": (100, 115), "hard": (125, math.inf)}

REMARKS = {
    "beginner": "it makes a point more than we wanted. Overlooking more routes (0.65 or 0.7 instead of 0.6), paying "
    "more wastefully and dawdling more (0.9) changed this by a point at most: it takes its time, and so does its rival."
}

LIMITS = ("effort", "iterations", "seconds")  # to the thinking of a search


def limited(level: str, **limits: float) -> str:
    """Return a level with these limits to its thinking instead of its own.

    >>> limited("expert", seconds=0.05)
    'expert:effort=None,seconds=0.05'
    """
    own = {name: None for name in LIMITS if PLAYERS[level][2].get(name) is not None}
    return f"{level}:{','.join(f'{name}={value}' for name, value in (own | limits).items())}"


def scaled(level: str, factor: float) -> str:
    """Return a level that thinks this many times as long as usual.

    >>> scaled("expert", 0.1)
    'expert:effort=200'
    """
    own = {name: PLAYERS[level][2].get(name) for name in LIMITS}
    times = {name: round(limit * factor, 3 if name == "seconds" else None) for name, limit in own.items() if limit}
    return f"{level}:{','.join(f'{name}={value}' for name, value in times.items())}"


CLOCK = 0.05  # seconds a move for both versions; a thousand games at 0.2.0's own 0.2 s would take 8 hours
CLOCKED, OLD = limited("expert", seconds=CLOCK), f"tools/yardstick.py:Old:seconds={CLOCK}"
FIFTH, TWICE = scaled("expert", 0.2), scaled("expert", 2)
MASTER = "master" in PLAYERS
TENTHS = (scaled("master", 0.1), scaled("expert", 0.1)) if MASTER else ()
# Core seconds that a player thinks in a game, for the estimate of a contest that has not been played. Others take 0.01.
# Of those that use all cores, seconds.
SECONDS = {
    "expert": 11.0,
    FIFTH: 2.2,
    TWICE: 22.0,
    CLOCKED: 3.8,
    OLD: 4.4,
    **dict(zip(TENTHS, (22.0, 1.1), strict=False)),
}

board_of = cache(load_board)  # loading takes a tenth of a second, and happens often


# --- contests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """What the first players of a contest should achieve."""

    kind: str  # wins, points, first, legal
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
    alone: bool = False  # whether a player uses all cores, so that games cannot be played side by side

    def contest(self) -> Contest:
        """Return the contest; raises BadPlayer if there is no such player."""
        return Contest(board_of(self.board), tuple(map(load_player, self.players)), self.seats, SEED)

    @property
    def names(self) -> tuple[str, ...]:
        """The players as results call them: those in files without the folder."""
        return tuple(player.rpartition("/")[2] for player in self.players)

    @property
    def title(self) -> str:
        """Who plays whom."""
        if self.goal.kind == "legal":
            return "every kind of player"
        first, *others = map(short, self.names)
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
        games = 100 if above == "expert" else 1000
        yield Match(f"{name}-{above}-{below}", board, 2, (above, below), games, Goal("wins", 0.70))


def legality(board: str, seats: int) -> Match:
    """Return a match in which each kind of player sits 1,700 times at this table; 10,000 times at all tables."""
    quick: dict[str, str] = {name: limited(name, iterations=2) for name in ("expert", "master") if name in PLAYERS}
    players = tuple(
        quick.get(name, name) for name in PLAYERS if name not in ("hard", "search")
    )  # others by another name
    deal = math.comb(len(players), seats) * seats
    games = math.ceil(1700 * len(players) / seats / deal) * deal
    return Match(f"legal-{board}-{seats}", board, seats, players, games, Goal("legal"))


GREEDY = "hard:tickets=5,busy=0"  # draws tickets from the first turn, and wins four of five games against `hard`
FIELD = ("hard", "expert", "hungry", "one-step", "path", "random")
BOARDS = {NORDIC: "nordic", LIGHTS: "lights"}
MATCHES = (
    *(
        Match(f"old-{name}", board, 2, (CLOCKED, OLD), 1000, Goal("wins", 0.65))  # the yardstick
        for board, name in BOARDS.items()
    ),
    Match("old-nordic-3", NORDIC, 3, (CLOCKED, OLD, "hard"), 240, Goal("first")),
    Match("old-lights-3", LIGHTS, 3, (CLOCKED, OLD, "hard"), 240, Goal("first")),
    Match("old-lights-5", LIGHTS, 5, (CLOCKED, OLD, "hard", "hungry", "one-step"), 120, Goal("first")),
    Match("expert-hungry", NORDIC, 2, ("expert", "hungry"), 400, Goal("wins", 0.985)),
    Match("expert-longer", NORDIC, 2, (TWICE, FIFTH), 120, Goal("wins", 0.60)),
    *([Match("master-expert", NORDIC, 2, TENTHS, 120, Goal("wins", 0.60), alone=True)] if MASTER else []),
    Match("expert-self", NORDIC, 2, ("expert",), 50, Goal("points", 120)),
    *(
        Match(f"planner-{other}", NORDIC, 2, ("planner", other), 2000, Goal("wins", 0.85))
        for other in ("path", "one-step", "long-route", "hungry")
    ),
    # No other wins more than 55 % against the planner.
    Match("planner-lights-one-step", LIGHTS, 2, ("planner", "one-step"), 2000, Goal("wins", 0.45)),
    *(
        Match(f"planner-{name}-greedy", board, 2, ("planner", GREEDY), 4000, Goal("wins", 0.45))
        for board, name in BOARDS.items()
    ),
    *(
        Match(f"band-{level}", NORDIC, 2, (level,), 1000, Goal("points", least, most=most), REMARKS.get(level, ""))
        for level, (least, most) in BANDS.items()
    ),
    *levels(NORDIC, "nordic"),
    *levels(LIGHTS, "lights"),
    Match("field-nordic-3", NORDIC, 3, FIELD, 120, Goal("first", of=2)),
    Match("field-lights-2", LIGHTS, 2, FIELD, 150, Goal("first", of=2)),
    Match("field-lights-3", LIGHTS, 3, FIELD, 120, Goal("first", of=2)),
    Match("field-lights-5", LIGHTS, 5, FIELD, 90, Goal("first", of=2)),
    *itertools.starmap(legality, TABLES),
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
    if OLD in match.players:
        yardstick.prepare()
    run = run_of(match, kept)
    if results_of(match, kept) is None:
        kept.mkdir(parents=True, exist_ok=True)
        if run.path.exists():
            run.path.replace(run.path.with_suffix(".old"))
        run.begin()
    play_missing(run, run.contest(), processes=1 if match.alone else processes)


@dataclass(frozen=True)
class Summary:
    """What the page says about the games of a match."""

    played: dict[str, Any]  # which players, in which versions
    games: int
    standings: Sequence[Standing]
    lead: tuple[float, float, float]  # see `lead_of`; zeros if the goal is not to be first
    faults: Sequence[str]
    machine: str

    @property
    def seconds(self) -> float:
        """The seconds that all players of a game think."""
        return sum(one.seconds * one.decisions * one.games for one in self.standings) / self.games


def identity(run: Run) -> dict[str, Any]:
    """Return what must be the same for results to count: players, code, board and seeds."""
    facts = {name: value for name, value in asdict(run).items() if name not in ("path", "games")}
    return json.loads(json.dumps(facts))  # type: ignore[no-any-return]  # lists, as they are when read


def summary_of(match: Match, kept: Path, figures: dict[str, Summary]) -> Summary | None:
    """Return the summary of a match: from its games, or the one that was kept if it has more of them."""
    results = results_of(match, kept) or []
    with suppress(NorthrailError):  # no such player yet
        played = identity(run_of(match, kept))
        known = figures.get(match.name)
        if known and known.played == played and known.games >= len(results):
            return known
        if results:
            everyone = {*match.names} == {name for result in results for name in result.players}
            lead = lead_of(match, results) if everyone and match.goal.kind == "first" else (0.0, 0.0, 0.0)
            return Summary(played, len(results), standings(results), lead, faults_of(results), machine())
    return None


def read_figures(path: Path) -> dict[str, Summary]:
    """Read the summaries of all matches; none if there is no such file."""
    if not path.exists():
        return {}
    return {name: _summary(**facts) for name, facts in json.loads(path.read_text(encoding="utf-8")).items()}


def _summary(standings: list[dict[str, Any]], lead: list[float], **others: Any) -> Summary:
    found = []
    for facts in standings:
        pairs = {name: tuple(facts[name]) for name in ("wins", "points", "margin")}
        found.append(Standing(**facts | pairs | {"rating": Rating(**facts["rating"])}))
    first, low, high = lead
    return Summary(standings=found, lead=(first, low, high), **others)


def write_figures(path: Path, summaries: dict[str, Summary]) -> None:
    """Write the summaries of all matches, a line for each."""
    lines = [f"{json.dumps(name)}: {json.dumps(asdict(each))}" for name, each in summaries.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def estimate(match: Match, summary: Summary | None = None) -> float:
    """Return the seconds that a whole match takes on two cores, from its own games or from those of its players."""
    if summary is not None:
        one = summary.seconds
    else:
        one = match.seats * sum(SECONDS.get(player, 0.01) for player in match.players) / len(match.players)
    return match.games * one / (1 if match.alone else 2)


# --- findings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """The result of a match, compared with its goal."""

    match: Match
    wanted: str
    summary: Summary | None = None
    value: tuple[float, float, float] | None = None  # measured, and its 95 % interval
    text: str = "not played yet"
    met: bool | None = None

    @property
    def played(self) -> int:
        """The number of games played."""
        return self.summary.games if self.summary else 0

    @property
    def standings(self) -> Sequence[Standing]:
        """The players' figures."""
        return self.summary.standings if self.summary else ()

    @property
    def games(self) -> str:
        """The number of games it is based on."""
        wanted = self.match.games
        return f"{self.played:,}" if self.played >= wanted else f"{self.played:,} of {wanted:,}"

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        if self.met is None:
            return "–"
        return ("yes" if self.met else "**no**") + ", so far" * (self.played < self.match.games)


def finding(match: Match, kept: Path, figures: dict[str, Summary]) -> Finding:
    """Return the findings so far about a match."""
    goal, summary = match.goal, summary_of(match, kept, figures)
    leaders = " and ".join(map(short, match.names[: goal.of]))
    wanted = {
        "wins": f"≥ {100 * goal.least:g} % wins",
        "points": f"≥ {goal.least:.0f} points" if goal.most == math.inf else f"{goal.least:.0f}–{goal.most:.0f} points",
        "first": f"{leaders} first, by a clear interval",
        "legal": "no illegal move",
    }[goal.kind]
    if summary is None:
        return Finding(match, wanted)
    if {*match.names} != {one.player for one in summary.standings}:
        return Finding(match, wanted, summary, text="too few games yet")
    one = next(one for one in summary.standings if one.player == match.names[0])
    value: tuple[float, float, float] | None = None
    if goal.kind == "first":
        lead, low, high = value = summary.lead
        text, met = f"{lead:+.0f} Elo ({low:+.0f} to {high:+.0f}) over the next", low > 0
    elif goal.kind == "points":
        mean, error = one.points
        value = mean, mean - SURE * error, mean + SURE * error
        text, met = f"{mean:.1f} ±{error:.1f}", goal.least <= mean <= goal.most
    elif goal.kind == "legal":
        faults = sum(each.faults for each in summary.standings)
        seated = min(each.games for each in summary.standings)
        text, met = f"{faults:,} faults; each player sat {seated:,} times", faults == 0
    else:
        share, low, high = value = one.wins
        text = f"{100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f})"
        met = share >= goal.least
    return Finding(match, wanted, summary, value, text, met)


def lead_of(match: Match, results: Sequence[Result]) -> tuple[float, float, float]:
    """Return by how much Elo the weaker of the expected leaders is ahead of the best other, and the 95 % interval."""
    games = [(result.seed, result.players, result.places) for result in results]
    ratings = plackett_luce(games)
    best = max(match.names[match.goal.of :], key=lambda name: ratings[name].elo)
    against = plackett_luce(games, anchor=best)
    worst = min((against[name] for name in match.names[: match.goal.of]), key=lambda rating: rating.elo)
    return worst.elo, worst.elo - worst.half, worst.elo + worst.half


# --- the page ---------------------------------------------------------------------------------------------------------


INTRODUCTION = """\
# How strong the players are

`make strength` plays these contests and writes this page; it continues where it was stopped, and takes about
{hours:.1f} hours on two cores. `make strength ARGS=--list` lists the contests with their times. Every seed is played
with each player in each seat, so that good cards help everyone equally. A search depends only on its seed, the view and
its iterations: the same command gives the same games on any machine. Times are those of whole answers with all cores
busy, on {machine}; `northrail bench` measures the kernels alone.

0.2.0's expert is the old version itself, which [tools/yardstick.py](../tools/yardstick.py) runs in an environment of
its own. It and the new expert think about a move for {clock:.0f} ms, on one core. The old version's time for a move
below also has some milliseconds for the way there and back. These games depend on the clock, so they differ a little
from run to run.

![Shares of wins and ratings, each with its interval](pictures/strength.svg)

## Goals and results

{figures}

Brackets hold 95 % intervals, and ± stands before standard errors. Games with the same seed do not count as
independent. More games make an interval narrower: at 65 % wins it is about {widths}.
"""
DETAILS = """\
## Each contest

Wins with their 95 % interval (Wilson), points and margin over the best other ± standard error, tickets completed/held,
time per move, and Elo with its 95 % interval (Bradley–Terry; Plackett–Luce with more than two seats).
"""


def page_of(findings: Sequence[Finding], sections: Sequence[str] = ()) -> str:
    """Return the page as Markdown."""
    rows = [
        (f"{each.match.title} · {each.match.place}", each.wanted, each.text, each.games, each.verdict)
        for each in findings
    ]
    introduction = INTRODUCTION.format(
        hours=sum(estimate(each.match, each.summary) for each in findings) / 3600,
        machine=" and ".join(sorted({each.summary.machine for each in findings if each.summary})),
        clock=1000 * CLOCK,
        figures=markdown(("contest", "goal", "measured", "games", "met"), rows),
        widths=", ".join(f"±{100 * half_width(0.65, games):.0f} points with {games:,}" for games in (1000, 400, 100)),
    )
    remarks = [
        f"**{each.match.title} · {each.match.place}**:\n{each.match.remark}\n"
        for each in findings
        if each.met is False and each.match.remark
    ]
    parts = [introduction, *remarks, *sections, DETAILS]
    for each in findings:
        if each.summary and each.match.goal.kind != "legal":
            parts.append(f"### {each.match.title} · {each.match.place} · {each.games} games\n\n{table_of(each)}\n")
        if each.summary:
            parts += [f"```\n{fault}\n```\n" for fault in each.summary.faults]
    return "\n".join(parts)


def half_width(share: float, games: int) -> float:
    """Return half the width of a 95 % interval around a share of wins, if all games are independent."""
    return SURE * math.sqrt(share * (1 - share) / games)


def read_sections(folder: Path) -> list[str]:
    """Return the sections that other tools have written, as Markdown; the top of this file says what they look like."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            section = json.loads(path.read_text(encoding="utf-8"))
            text = f"## {section['title']}\n\n{section['text'].strip()}\n"
            if section.get("table"):
                text += f"\n{markdown(section['table']['head'], section['table']['rows'])}\n"
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise NorthrailError(
                f"{path}: expected a section with title, text and perhaps a table, got {type(error).__name__}: {error}"
            ) from error
        found.append(text)
    return found


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


SHORT = {
    CLOCKED: "expert",
    OLD.rpartition("/")[2]: "0.2.0's expert",
    FIFTH: "expert, a fifth of its time",
    TWICE: "expert, twice its time",
    GREEDY: "hard that draws tickets early",
    **{player: f"{player.partition(':')[0]}, a tenth of its time" for player in TENTHS},
}


def short(name: str) -> str:
    """Return a player's name for people."""
    return SHORT.get(name, name)


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
    duels = [each for each in findings if each.value and each.match.goal.kind == "wins"]
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
        colour, shape = (MET, "o") if one.player in field.match.names[: field.match.goal.of] else (INK, "s")
        axes.plot([one.rating.elo - one.rating.half, one.rating.elo + one.rating.half], [at, at], color=colour)
        axes.plot(one.rating.elo, at, shape, color=colour, markersize=5)
    axes.set(yticks=range(len(found)), yticklabels=[short(one.player) for one in found], ylim=(-0.7, len(found) - 0.3))
    axes.set_xlabel("Elo above random, with 95 % interval" if "random" in field.match.players else "Elo")
    axes.set_title(f"{field.match.place} · {field.played:,} games", fontsize=9, loc="left")
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
    with plain_errors(), chdir(ROOT):  # the yardstick's path counts from there
        figures = read_figures(FIGURES)
        todo = chosen(MATCHES, only or [])
        if matches:
            show(todo, figures)
            return
        import_extra("matplotlib", "plots")
        sections = read_sections(SECTIONS)
        try:
            for match in () if write else todo:
                play_one(match, processes, figures)
        finally:  # also after an interruption
            findings = [finding(match, KEPT, figures) for match in MATCHES]
            known = {each.match.name: each.summary for each in findings if each.summary is not None}
            if known:
                draw(findings, PICTURE)
                PAGE.write_text(page_of(findings, sections), encoding="utf-8")
                write_figures(FIGURES, known)
            typer.echo(f"{PAGE}: {len(known)} of {len(findings)} contests" if known else "nothing has been played yet")


def show(todo: Sequence[Match], figures: dict[str, Summary]) -> None:
    """Print the progress of matches, and how long they take."""
    whole = left = 0.0
    for each in (finding(match, KEPT, figures) for match in todo):
        takes = estimate(each.match, each.summary)
        whole += takes
        left += takes * (1 - min(1.0, each.played / each.match.games))
        typer.echo(f"{each.match.name:26} {takes / 60:5.0f} min {each.games:>15}  {each.text}")
    typer.echo(f"about {whole / 3600:.1f} hours on two cores, of which {left / 3600:.1f} remain")


def play_one(match: Match, processes: int | None, figures: dict[str, Summary]) -> None:
    """Play a match, unless its figures are known, and print its result in a line."""
    typer.echo(f"{match.name}: {match.title} · {match.place}", err=True)
    found = finding(match, KEPT, figures)
    if found.played < match.games:
        try:
            play(match, KEPT, processes)
        except NorthrailError as error:
            typer.echo(f"  not played: {error}", err=True)
            return
        found = finding(match, KEPT, figures)
    met = "met" if found.met else "not met"
    typer.echo(f"  {found.text} after {found.games} games; goal: {found.wanted}, {met}", err=True)


if __name__ == "__main__":
    sys.argv[0] = "make strength"
    typer.run(strength)
