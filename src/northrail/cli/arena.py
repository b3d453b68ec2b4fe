"""`northrail arena`: compare players."""

import json
import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from typer.core import TyperCommand

from northrail.arena import BadRun, Contest, Result, Run, costs, read_run, results_here, results_on_ray
from northrail.arena import standings as ranking
from northrail.arena.contest import LIMIT
from northrail.arena.ratings import Sprt
from northrail.boards.load import BUILT_IN, load_board
from northrail.cli.common import Name, Seats, plain_console, plain_errors
from northrail.extras import import_extra
from northrail.players import load_players
from northrail.players.levels import PLAYERS

GAMES, MOST_TRIAL_GAMES = 100, 20_000
MOST_ELO = 2_000  # the largest difference to test for; a player this much stronger loses one game in 100,000
PICTURES = (".png", ".svg", ".pdf")
REVIEWED = "4"  # games that --review looks at
RESULTS, MACHINES = "Results", "Where to play"

# Options whose value is optional: the pattern of a value, and the default.
BARE = {"--sprt": (r"-?\d+(?:\.\d+)?:-?\d+(?:\.\d+)?", "0:30"), "--ray": (r"\w+://.+|[\w.-]+:\d+|auto|local", "here")}
BARE["--review"] = (r"\d+", REVIEWED)


class WithBareOptions(TyperCommand):
    """A command with options whose value is optional, which Typer does not support."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, with the default inserted after each bare option."""
        words = []
        for word, following in zip(args, [*args, ""][1:], strict=True):
            words.append(word)
            if word in BARE and not re.fullmatch(BARE[word][0], following):
                words.append(BARE[word][1])
        return super().parse_args(ctx, words)


def arena(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER",
            help=f"{', '.join(PLAYERS)}; with settings, such as search:iterations=200; or your own: ./mine.py:Mine.",
            show_default=False,
        ),
    ] = None,
    board: Name = None,
    seats: Seats = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many games, rounded up so that each player sits in each seat with each seed.",
            show_default=f"{GAMES}; with --sprt up to {MOST_TRIAL_GAMES:,}",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed.", show_default="0")] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Time limit per move; exceeding it loses the game.", show_default=f"{LIMIT:g}"
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="[ELO0:ELO1]",
            help="Stop as soon as it is clear whether the first of two players is stronger by ELO1 (30) or only by "
            "ELO0 (0), with a 5 % chance of error.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Save the results here.",
            show_default="arena-(time).jsonl",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Continue a saved run.", rich_help_panel=RESULTS),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=RESULTS)] = False,
    review: Annotated[
        str | None,
        typer.Option(
            "--review",
            metavar="[GAMES]",
            help=f"Review some of the games ({REVIEWED}): which kinds of decisions cost each player most.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw ratings and points into this file (.png, .svg or .pdf).",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many games to play at the same time.",
            show_default="one per core",
            rich_help_panel=MACHINES,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="[ADDRESS]",
            help="Play on a Ray cluster; without an address, start one on this machine.",
            rich_help_panel=MACHINES,
        ),
    ] = None,
) -> None:
    """Let players compete, and report how strong they are.

    Each seed is played with every player in every seat. A single player plays against itself. Ctrl-C keeps the games
    played so far. Example: `northrail arena ./mine.py:Mine random --games 200`
    """
    with plain_errors():
        for wanted, module, extra in ((plot, "matplotlib", "plots"), (ray, "ray", "cluster")):
            if wanted is not None:
                import_extra(module, extra)
        if plot is not None and (plot.suffix not in PICTURES or not plot.parent.is_dir()):
            raise BadRun(f"{plot}: expected a file name ending in .png, .svg or .pdf, in an existing folder")
        options: dict[str, Any] = {
            "players": tuple(players or ()) or None,
            "board": board,
            "seats": seats,
            "seed": seed,
            "limit": limit,
        }
        if resume is None:
            run = start_run(save, sprt, games, **options)
        elif save is None:
            run = resume_run(resume, games, **options)
        else:
            raise BadRun(f"--resume adds its results to {resume}; remove --save")
        contest = run.contest()
        trial = make_trial(contest, sprt)
        interrupted = False
        try:
            play_missing(run, contest, trial, processes, ray)
        except KeyboardInterrupt:
            interrupted = True
            typer.echo("", err=True)  # the terminal has printed ^C on this line
        _, results = read_run(run.path)
        saved = len(results)
        if trial is not None and trial.verdict is not None:
            results = trial.results
        found = [] if review is None or interrupted else reviewed(contest, results, review)
        report(contest, results, trial, found, as_json)
        if plot is not None and results:
            ranking.plot(plot, contest, results)
        if interrupted:
            typer.echo(f"saved {saved:,} games; to continue: northrail arena --resume {run.path}", err=True)
            raise typer.Exit(130)
        typer.echo(f"saved the results to {run.path}", err=True)


def start_run(save: Path | None, sprt: str | None, games: int | None, **options: Any) -> Run:
    """Start a new run and create its file; options that are None get their defaults."""
    name = options["board"] or BUILT_IN[0]
    board = load_board(name)
    contest = Contest(
        board,
        load_players(options["players"] or ()),
        board.rules.seats[0] if options["seats"] is None else options["seats"],
        options["seed"] or 0,
        LIMIT if options["limit"] is None else options["limit"],
    )
    make_trial(contest, sprt)  # report a bad --sprt before there is a file
    path = save or Path(time.strftime("arena-%Y%m%d-%H%M%S.jsonl"))
    run = Run.of(path, contest, name, options["players"], games or (MOST_TRIAL_GAMES if sprt else GAMES))
    run.begin()
    return run


def resume_run(path: Path, games: int | None, **options: Any) -> Run:
    """Read a run from its file. The number of games may differ; other options, if given, must be the same."""
    run, _ = read_run(path)
    was, now = vars(run) | {"board": run.digests[0]}, dict(options)
    if now["board"] is not None:
        now["board"] = load_board(now["board"]).digest  # a different name or path for the same board is fine
    for name, value in now.items():
        if value is not None and value != was[name]:
            raise BadRun(f"{path}: expected {name} {getattr(run, name)!r} as before, got {options[name]!r}")
    return run if games is None else replace(run, games=games)


def make_trial(contest: Contest, sprt: str | None) -> ranking.Trial | None:
    """Return the sequential test that --sprt asks for, if any."""
    if sprt is None:
        return None
    low, high = (float(elo) for elo in sprt.split(":")) if re.fullmatch(BARE["--sprt"][0], sprt) else (0.0, 0.0)
    if not -MOST_ELO <= low < high <= MOST_ELO or len(contest.players) != 2 or contest.seats != 2:
        got = f"{len(contest.players)} players, {contest.seats} seats and {sprt}"
        raise BadRun(
            f"--sprt: expected two players, two seats, and two numbers up to {MOST_ELO}, the smaller first, "
            f"such as 0:30; got {got}"
        )
    return ranking.Trial(contest, Sprt(low, high))


def play_missing(
    run: Run,
    contest: Contest,
    trial: ranking.Trial | None = None,
    processes: int | None = None,
    ray: str | None = None,
) -> None:
    """Play the run's missing games, save them and show progress. Stop when a trial is decided."""
    _, results = read_run(run.path)
    if trial is not None:
        for result in results:
            trial.add(result)
    games = contest.whole(run.games)
    done = {result.game for result in results}
    missing = [game for game in range(games) if game not in done]
    if not missing or (trial is not None and trial.verdict is not None):
        return
    new = (
        results_here(contest, missing, processes)
        if ray is None
        else results_on_ray(contest, missing, "" if ray == "here" else ray, processes)
    )
    columns = (
        BarColumn(24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(stderr=True)
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
        closing(new),
        closing(run.add(new)) as written,
    ):
        bar = progress.add_task("starting", total=games, completed=games - len(missing))
        updated = 0.0
        for result in written:
            results.append(result)
            progress.advance(bar)
            if time.monotonic() > updated + 0.5:
                updated = time.monotonic()
                progress.update(bar, description=ranking.running(results))
            if trial is not None:
                trial.add(result)
                if trial.verdict is not None:
                    return


def reviewed(contest: Contest, results: list[Result], review: str) -> list[costs.Cost]:
    """Review some games and show progress; return what kinds of decisions cost."""
    games = int(review) if review.isdecimal() else 0
    if not games:
        raise BadRun(f"--review: expected a number of games from 1 up, got {review!r}")
    found: list[costs.Cost] = []
    console = Console(stderr=True)
    columns = (BarColumn(24), MofNCompleteColumn(), TextColumn("reviewed"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=min(games, len(results)))
        for count, found in costs.costs_of(contest, results, games):  # noqa: B007  # the last one counts
            progress.update(bar, completed=count)
    return found


def report(
    contest: Contest, results: list[Result], trial: ranking.Trial | None, found: list[costs.Cost], as_json: bool
) -> None:
    """Print the standings, the trial, the faults and the costs."""
    if as_json:
        facts = ranking.json_of(contest, results, trial) | ({"costs": costs.json_of(found)} if found else {})
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
        return
    console = plain_console()
    seeds = len({result.seed for result in results})
    what = f"{len(results):,} games with {seeds:,} seeds from {contest.seed}"
    console.print(f"{contest.board.name} · {contest.seats} seats · {what}", soft_wrap=True)
    if results:
        console.print(ranking.tables_of(ranking.standings(results)))
    if trial is not None:
        console.print(str(trial), soft_wrap=True)
    for fault in ranking.faults_of(results):
        console.print(f"\n{fault}", soft_wrap=True)
    if found:
        console.print("")
        console.print(costs.table_of(found))
