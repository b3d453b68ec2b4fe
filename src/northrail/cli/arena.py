"""`northrail arena`: pit players against each other."""

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

from northrail.arena import BadRun, Contest, Result, Run, read_run, results_here, results_on_ray
from northrail.arena import standings as ranking
from northrail.arena.contest import LIMIT
from northrail.arena.extras import optional
from northrail.arena.ratings import Sprt
from northrail.boards.load import BUILT_IN, load_board
from northrail.cli.common import Name, Seats, plain_console, plain_errors
from northrail.players import PLAYERS, load_players

GAMES, MOST_TRIAL_GAMES = 100, 20_000
MOST_ELO = 2_000  # to test for: so much stronger a player loses one game of 100,000
PICTURES = (".png", ".svg", ".pdf")
KEEPING, MACHINES = "What becomes of the results", "Who works"

# Options that may stand without a value: what a value looks like, and what stands for none.
BARE = {"--sprt": (r"-?\d+(?:\.\d+)?:-?\d+(?:\.\d+)?", "0:30"), "--ray": (r"\w+://.+|[\w.-]+:\d+|auto|local", "here")}


class WithBareOptions(TyperCommand):
    """A command with options that may stand without a value, which Typer has no word for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, with a value put after each bare option."""
        words = []
        for word, following in zip(args, [*args[1:], ""], strict=True):
            words.append(word)
            if word in BARE and not re.fullmatch(BARE[word][0], following):
                words.append(BARE[word][1])
        return super().parse_args(ctx, words)


def arena(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER",
            help=f"{', '.join(PLAYERS)}; with arguments as in search:iterations=200; your own as in ./mine.py:Mine.",
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
            help="How many games, or a few more so that each player sits in each seat with each seed.",
            show_default=f"{GAMES}; with --sprt up to {MOST_TRIAL_GAMES:,}",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed.", show_default="0")] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="A player that takes longer for a move loses the game.", show_default=f"{LIMIT:g}"
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="[ELO0:ELO1]",
            help="Stop as soon as it is decided whether the first of two players is ELO1 (30) stronger than the other, "
            "or no more than ELO0 (0), with 5 % errors.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Keep the results here.",
            show_default="arena-(time).jsonl",
            rich_help_panel=KEEPING,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Go on with results that were kept.", rich_help_panel=KEEPING),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result for programs.", rich_help_panel=KEEPING)
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="PICTURE", help="Draw ratings and points.", rich_help_panel=KEEPING),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many play at the same time.",
            show_default="one for each core",
            rich_help_panel=MACHINES,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="[ADDRESS]",
            help="Play on a Ray cluster, or on a new one here.",
            rich_help_panel=MACHINES,
        ),
    ] = None,
) -> None:
    """Pit players against each other, and say how strong they are.

    Every seed is played with each player in each seat; a player alone plays against itself. Ctrl-C keeps what was
    played. For example: `northrail arena ./mine.py:Mine random --games 200`
    """
    with plain_errors():
        for wanted, module, extra in ((plot, "matplotlib", "plots"), (ray, "ray", "cluster")):
            if wanted is not None:
                optional(module, extra)
        if plot is not None and (plot.suffix not in PICTURES or not plot.parent.is_dir()):
            raise BadRun(f"{plot}: expected a name that ends in {', '.join(PICTURES)}, in a folder that is there")
        given = {"players": tuple(players or ()) or None, "board": board, "seats": seats, "seed": seed, "limit": limit}
        if resume is None:
            run = begun(save, sprt, games, **given)
        elif save is None:
            run = resumed(resume, games, **given)
        else:
            raise BadRun(f"{resume} is where its results are kept: expected no --save beside it")
        contest = run.contest()
        trial = trial_of(contest, sprt)
        interrupted = False
        try:
            play_missing(run, contest, trial, processes, ray)
        except KeyboardInterrupt:
            interrupted = True
            typer.echo("", err=True)  # the terminal has shown ^C on this line
        _, results = read_run(run.path)
        kept = len(results)
        if trial is not None and trial.verdict is not None:
            results = trial.results
        report(contest, results, trial, as_json)
        if plot is not None and results:
            ranking.plot(plot, contest, results)
        if interrupted:
            typer.echo(f"{kept:,} games are in {run.path}; to go on: northrail arena --resume {run.path}", err=True)
            raise typer.Exit(130)
        typer.echo(f"the results are in {run.path}", err=True)


def begun(save: Path | None, sprt: str | None, games: int | None, **given: Any) -> Run:
    """A new run, with its file; what is not given is as usual."""
    source = given["board"] or BUILT_IN[0]
    board = load_board(source)
    contest = Contest(
        board,
        load_players(given["players"] or ()),
        board.rules.seats[0] if given["seats"] is None else given["seats"],
        given["seed"] or 0,
        LIMIT if given["limit"] is None else given["limit"],
    )
    trial_of(contest, sprt)  # what is wrong with it is better known before there is a file
    path = save or Path(time.strftime("arena-%Y%m%d-%H%M%S.jsonl"))
    run = Run.of(path, contest, source, given["players"], games or (MOST_TRIAL_GAMES if sprt else GAMES))
    run.begin()
    return run


def resumed(path: Path, games: int | None, **given: Any) -> Run:
    """The run of a file, perhaps with another number of games; what is given beside it must be as before."""
    run, _ = read_run(path)
    was, now = vars(run) | {"board": run.digests[0]}, dict(given)
    if now["board"] is not None:
        now["board"] = load_board(now["board"]).digest  # it may be named otherwise
    for name, value in now.items():
        if value is not None and value != was[name]:
            raise BadRun(f"{path}: expected {name} {getattr(run, name)!r} as before, got {given[name]!r}")
    return run if games is None else replace(run, games=games)


def trial_of(contest: Contest, sprt: str | None) -> ranking.Trial | None:
    """The test that is asked for."""
    if sprt is None:
        return None
    low, high = (float(elo) for elo in sprt.split(":")) if re.fullmatch(BARE["--sprt"][0], sprt) else (0.0, 0.0)
    if not -MOST_ELO <= low < high <= MOST_ELO or len(contest.players) != 2 or contest.seats != 2:
        got = f"{len(contest.players)} players, {contest.seats} seats and {sprt}"
        raise BadRun(
            f"--sprt: expected two players, two seats, and two numbers such as 0:30 up to {MOST_ELO}, got {got}"
        )
    return ranking.Trial(contest, Sprt(low, high))


def play_missing(
    run: Run,
    contest: Contest,
    trial: ranking.Trial | None = None,
    processes: int | None = None,
    ray: str | None = None,
) -> None:
    """Play what the run's file lacks, add it there, and show how it goes; a trial that is decided ends it."""
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
        bar = progress.add_task("the first games", total=games, completed=games - len(missing))
        shown = 0.0
        for result in written:
            results.append(result)
            progress.advance(bar)
            if time.monotonic() > shown + 0.5:
                shown = time.monotonic()
                progress.update(bar, description=ranking.running(results))
            if trial is not None:
                trial.add(result)
                if trial.verdict is not None:
                    return


def report(contest: Contest, results: list[Result], trial: ranking.Trial | None, as_json: bool) -> None:
    """Print what was found."""
    if as_json:
        typer.echo(json.dumps(ranking.json_of(contest, results, trial), ensure_ascii=False, indent=1))
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
