"""Find test positions with known best decisions, and check the ones we have.

Run by `make positions`. It plays games between players of different levels and stops where players disagree. There it
compares moves in the same imagined worlds, few at first, and goes on while one or a few seem clearly best. A position
is kept if

- fresh worlds show that all but a few moves lose at least CLEAR points, by SURE standard errors, and that none of
  those wins more often;
- long searches with different seeds all choose one of the best moves;
- or, in the last round with two seats, exhaustive play (`northrail.analysis.endings`) agrees with the worlds.

Every game goes to .cache/positions/mined.jsonl, so you can stop at any time. The same seed finds the same positions:
what happens in a game depends on the games before it and on nothing else.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from northrail import Board, Game, load_board, load_player
from northrail.analysis.endings import TooFar, solve
from northrail.analysis.judge import Ends, Estimate, Judge, Script, empty_plan
from northrail.arena.positions import (
    Problem,
    Share,
    answers_of,
    decision_of,
    load_problems,
    problem_from,
    shares_of,
)
from northrail.cli.common import plain_errors
from northrail.engine.view import View
from northrail.errors import NorthrailError
from northrail.players import Player

ROOT = Path(__file__).parent.parent
FILE = ROOT / "src" / "northrail" / "arena" / "positions.json"
KEPT = ROOT / ".cache" / "positions" / "mined.jsonl"
RESULT = ROOT / "docs" / "strength" / "positions.json"
LEVELS = ("expert", "hard", "medium", "easy", "beginner", "hungry", "one-step", "simple", "random")

SEED = 5_000_000  # far from the seeds that players are tuned and measured with
NORDIC, LIGHTS = "nordic-countries", "northern-lights"
# The tables of one round of games. Two seats come most often.
TABLES = (
    *((NORDIC, 2), (LIGHTS, 2)) * 6,
    *((NORDIC, 3), (LIGHTS, 3), (LIGHTS, 5)),
)
# Games of a round that are looked at from the start; of the others only the end is, which is judged quickly. After
# LATER games we have enough of the start.
WHOLE, LATER, WHOLE_LATER = (0, 1, 6, 7, 12, 13, 14), 105, (0, 1)
# Kind of decision -> positions wanted at each table with two seats, and with more.
WANTED = {
    "first tickets": (8, 1),
    "card": (10, 1),
    "second card": (5, 1),
    "claim": (14, 2),
    "ticket draw": (12, 1),
    "drawn tickets": (14, 2),
    "ending": (10, 1),
    "last round": (50, 1),
}
TURN_KINDS = ("card", "claim", "ticket draw", "ending")
# Kind of decision that we see before judging it -> how often we look at one.
LOOKS = {"first tickets": 1.0, "drawn tickets": 1.0, "second card": 0.04, "last round": 1.0, "turn": 0.08}
EARLY, OFTEN = 60, 4  # after 60 games we have enough tickets, and look at other decisions four times as often
PLAYERS = ("hard", "hard", "medium", "easy", "hungry", "one-step", "search:iterations=30")
ASKED = ("hard", "medium", "one-step", "search:effort=240")  # a position is a candidate if they disagree
MOST_TRIES = 12  # in one game with two seats, and fewer with more
MOST_KEPT = 4  # of one game

CLEAR, SURE = 2.5, 4.0  # points that a move loses at least if it is clearly worse, and standard errors
MOST_BEST = 5  # moves that we cannot tell apart
SCREEN = 24  # worlds for the moves that players chose, and for those that nobody likes
WIDTH = 10  # moves that the planner likes best
SIFT = ((60, 1.5), (200, 2.5))  # worlds for those, and standard errors by which someone must seem wrong
JUDGE = 800  # fresh worlds for the best ones at two seats
LONG, SEARCHES = 4000, 3  # effort of a long search: iterations times seats; and how many there are
LISTED = 4  # moves whose losses are kept, besides those that players chose


@dataclass(frozen=True)
class Settings:
    """How carefully to judge."""

    worlds: int = JUDGE
    effort: int = LONG
    searches: int = SEARCHES
    first_world: int = 0
    first_seed: int = 1


class Rejected(Exception):
    """A position that is not clear enough; holds the reason."""


# --- judging ----------------------------------------------------------------------------------------------------------


class Comparison:
    """The moves of a view, compared in the same imagined worlds."""

    def __init__(self, judge: Judge, view: View, first_world: int = 0) -> None:
        self.judge, self.view, self._next = judge, view, first_world
        plan = empty_plan()
        self.scripts: dict[str, Script] = {
            move.text: judge.script(view.struct, plan, move.number) for move in view.moves
        }
        self.ends: dict[str, Ends] = {}

    def play(self, moves: Sequence[str], worlds: int) -> None:
        """Play moves in fresh worlds and forget the worlds before."""
        found = self.judge.imagined(
            self.view.struct, empty_plan(), 0, [self.scripts[move] for move in moves], self._next, worlds
        )
        self._next += worlds
        self.ends = {move: found.of_option(at) for at, move in enumerate(moves)}

    def losses(self, shares: bool = False) -> dict[str, Estimate]:
        """Return what each move loses against the best, the best first: in points, or in shares of the win."""
        me = self.view.seat
        margins = {move: ends.margins[:, me] for move, ends in self.ends.items()}
        order = sorted(margins, key=lambda move: -float(margins[move].mean()))
        values = {move: ends.shares[:, me] for move, ends in self.ends.items()} if shares else margins
        return {move: Estimate.of(values[order[0]] - values[move]) for move in order}


def split(losses: Mapping[str, Estimate]) -> tuple[list[str], list[str]]:
    """Return the moves that we cannot tell from the best one, and those that are clearly worse."""
    best = [move for move, loss in losses.items() if loss.mean < max(CLEAR, SURE * loss.error)]
    return best, [move for move in losses if move not in best]


def seem_best(losses: Mapping[str, Estimate], chosen: Sequence[str], sure: float) -> list[str]:
    """Return the moves that seem best; raise Rejected if there are many, or if no player seems to be wrong."""
    best = [move for move, loss in losses.items() if loss.mean < CLEAR]
    if len(best) > MOST_BEST:
        raise Rejected("many seem equal")
    if not any(losses[move].mean >= max(CLEAR, sure * losses[move].error) for move in chosen):
        raise Rejected("nobody seems wrong")
    return best


def judged(judge: Judge, view: View, settings: Settings, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a problem that say what is best; raise Rejected."""
    compared = Comparison(judge, view, settings.first_world)
    chosen = [*dict.fromkeys(asked.values())]
    compared.play(chosen, SCREEN)
    seem_best(compared.losses(), chosen, 1.0)
    numbers = {move.number: move.text for move in view.moves}
    left = [numbers[number] for number in judge.moves(view.struct, WIDTH)]
    for worlds, sure in SIFT:
        compared.play([*dict.fromkeys([*left, *chosen])], worlds)
        best = seem_best(compared.losses(), chosen, sure)
        left = [*compared.losses()][: len(best) + LISTED]
    left = [*dict.fromkeys([*left, *chosen])]
    rest = losses_of_rest(compared, best[0], [move for move in compared.scripts if move not in left])
    close = [move for move, loss in rest.items() if loss < CLEAR]
    if len(best) + len(close) > 2 * MOST_BEST:
        raise Rejected("many seem equal")
    compared.play([*left, *close], settings.worlds * 2 // view.seats)
    losses = compared.losses()
    best, others = split(losses)
    if len(best) > MOST_BEST:
        raise Rejected("many are equal")
    if all(move in best for move in chosen):
        raise Rejected("nobody is clearly wrong")
    wins = compared.losses(shares=True)
    if any(wins[move].mean < -2 * wins[move].error for move in others):
        raise Rejected("another move wins more often")
    return {
        "best": best,
        "losses": {move: [round(loss.mean, 2), round(loss.error, 2)] for move, loss in losses.items() if loss.mean},
        "rest": [len(rest) - len(close), round(min([loss for loss in rest.values() if loss >= CLEAR], default=0.0), 1)],
        "worlds": settings.worlds * 2 // view.seats,
        "exact": exactly(view, best, others),
    }


def losses_of_rest(compared: Comparison, best: str, rest: Sequence[str]) -> dict[str, float]:
    """Return about how much the moves lose that the planner does not like. Those that come close get more worlds."""
    losses: dict[str, float] = {}
    for worlds in (SCREEN, SIFT[-1][0]):
        close = sorted(
            (move for move in rest if losses.get(move, 0.0) < 2 * CLEAR), key=lambda move: losses.get(move, 0.0)
        )
        if worlds > SCREEN:
            close = close[: 2 * MOST_BEST]
        if close:
            compared.play([best, *close], worlds)
            means = {move: float(ends.margins[:, compared.view.seat].mean()) for move, ends in compared.ends.items()}
            losses |= {move: means[best] - means[move] for move in close}
    return losses


def exactly(view: View, best: Sequence[str], others: Sequence[str]) -> dict[str, float]:
    """Return what the other moves lose by exhaustive play; empty if we cannot tell. Raise Rejected if it disagrees."""
    try:
        solved = solve(view)
    except TooFar:
        return {}
    most = max(each.margin for each in solved.values() if not each.at_most)
    losses = {move: round(most - each.margin, 2) for move, each in solved.items()}
    if any(losses[move] < CLEAR or move in best for move, each in solved.items() if each.at_most):
        return {}  # an upper bound is not enough
    if any((losses[move] < CLEAR) != (move in best) for move in losses):
        raise Rejected("exhaustive play disagrees")
    return {move: losses[move] for move in (*best, *others) if not solved[move].at_most}


def search_agrees(view: View, best: Sequence[str], settings: Settings, patient: bool) -> tuple[int, int, int]:
    """Return how many long searches chose one of the best moves, how many there were, and their iterations.

    Unless ``patient``, the first that disagrees is the last.
    """
    iterations = settings.effort // view.seats
    agreed = 0
    for seed in range(settings.first_seed, settings.first_seed + settings.searches):
        player: Any = load_player(f"search:iterations={iterations}")()
        player.start(view.board, view.seat, view.seats, seed)
        agreed += decision_of(view, player.choose(view)) in best
        if not patient and agreed <= seed - settings.first_seed:
            break
    return agreed, settings.searches, iterations


# --- kinds of decisions -----------------------------------------------------------------------------------------------


def kind_before(view: View) -> str:
    """Return what kind of decision this is, as far as we can tell before judging it."""
    if view.phase == "tickets":
        return "first tickets" if view.struct.choosing else "drawn tickets"
    if view.turns_left is not None:
        return "last round"
    return "second card" if view.phase == "second_card" else "turn"


def kind_after(view: View, best: Sequence[str], asked: Sequence[str]) -> str:
    """Return what kind of decision this is, from the best moves and those that players chose."""
    before = kind_before(view)
    if before != "turn":
        return before
    moves = {move.text: move for move in view.moves if move.text in {*best, *asked}}
    rules = view.board.rules
    left = view.trains[view.seat] - rules.last_round_at
    ends = {move.route is not None and view.board.routes[move.route].length >= left for move in moves.values()}
    if len(ends) == 2:
        return "ending"
    if any(move.kind == "draw_tickets" for move in moves.values()):
        return "ticket draw"
    return "claim" if moves[best[0]].kind == "claim" else "card"


# --- mining -----------------------------------------------------------------------------------------------------------


class Mine:
    """What has been found so far, game by game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games: list[dict[str, Any]] = []
        if path.exists():
            self.games = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        self.counts = Counter(
            (*table_of(at), each["kind"]) for at, game in enumerate(self.games) for each in game["found"]
        )

    def add(self, game: dict[str, Any]) -> None:
        """Keep a game."""
        for each in game["found"]:
            self.counts[(*table_of(len(self.games)), each["kind"])] += 1
        self.games.append(game)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(game, ensure_ascii=False) + "\n")

    def missing(self, table: tuple[str, int]) -> Counter[str]:
        """Return how many positions of each kind are still wanted at a table."""
        wanted = {kind: counts[table[1] > 2] for kind, counts in WANTED.items()}
        return Counter({kind: wanted[kind] - self.counts[(*table, kind)] for kind in wanted}) - Counter[str]()

    def seconds(self) -> float:
        """Return the processor time that all games took."""
        return float(sum(game["seconds"] for game in self.games))

    def problems(self) -> list[Problem]:
        """Return what was found, ordered by table and kind."""
        found = [problem_from(each) for game in self.games for each in game["found"]]
        tables, kinds = sorted({*TABLES}), list(WANTED)
        return sorted(found, key=lambda each: (tables.index((each.board.id, each.seats)), kinds.index(each.kind)))


def table_of(number: int) -> tuple[str, int]:
    """Return the table of a game, by its number."""
    return TABLES[number % len(TABLES)]


def compact(board: Board, position: dict[str, Any]) -> dict[str, Any]:
    """Return a position without the fields that its seat's view does not need, to keep the file small."""
    seat = position["seat"]

    def known(fields: dict[str, Any]) -> bytes:
        return bytes(Game.from_position(board, fields).view(seat).struct)

    left = dict(position)
    for name in [*position]:
        if name != "board":
            shorter = {field: value for field, value in left.items() if field != name}
            try:
                if known(shorter) == known(position):
                    left = shorter
            except NorthrailError:
                continue
    return left


def proposals(view: View, seed: int) -> dict[str, str]:
    """Return what different players would do."""
    found = {}
    for name in ASKED:
        player: Any = load_player(name)()
        if hasattr(player, "start"):
            player.start(view.board, view.seat, view.seats, seed)
        found[name] = decision_of(view, player.choose(view))
    return found


def mine_game(number: int, missing: Counter[str], judges: Mapping[str, Judge]) -> dict[str, Any]:
    """Play a game and return the positions found in it, with what they cost."""
    start, (name, seats), seed = time.process_time(), table_of(number), SEED + number
    judge = judges[name]
    board = judge.board
    chance, game = random.Random(seed), Game(board, seats, seed)
    players = [seated(board, chance.choice(PLAYERS), seat, seats, seed) for seat in range(seats)]
    found: list[dict[str, Any]] = []
    refused: Counter[str] = Counter()
    missing = Counter(missing)
    often = 1 if number < EARLY else OFTEN
    is_whole = number % len(TABLES) in (WHOLE if number < LATER else WHOLE_LATER)
    tries = MOST_TRIES * 2 // seats
    while not game.over:
        view = game.view(game.seat)
        tried = refused.total() + len(found)
        if (
            (is_whole or is_late(view))
            and wanted(view, missing, often, chance)
            and tried < tries
            and len(found) < MOST_KEPT
        ):
            try:
                fields = examined(judge, view, missing, seed)
                position = compact(board, game.position())
                found.append(
                    {"name": f"{name}-{seats}-{seed}-{len(game.record()['moves'])}", **fields, "position": position}
                )
                missing[fields["kind"]] -= 1
            except Rejected as reason:
                if str(reason) != "all agree":  # costs next to nothing
                    refused[str(reason)] += 1
        game.play(players[game.seat].choose(view))  # type: ignore[arg-type]  # ours answer with moves
    return {"seconds": round(time.process_time() - start, 2), "refused": refused, "found": found}


def seated(board: Board, name: str, seat: int, seats: int, seed: int) -> Player:
    """Return a player who has sat down."""
    player: Any = load_player(name)()
    if hasattr(player, "start"):
        player.start(board, seat, seats, seed)
    return player  # type: ignore[no-any-return]  # a class found by its name


def is_late(view: View) -> bool:
    """Return whether a game is near its end, when decisions are quickly judged."""
    return min(view.trains) <= view.board.rules.trains // 5


def wanted(view: View, missing: Counter[str], often: int, chance: random.Random) -> bool:
    """Return whether to look at a decision."""
    kind = kind_before(view)
    looks = chance.random() < LOOKS[kind] * often
    if view.phase not in ("tickets", "turn", "second_card") or len(view.moves) == 1:
        return False
    return looks and any(missing[each] > 0 for each in (TURN_KINDS if kind == "turn" else (kind,)))


def examined(judge: Judge, view: View, missing: Counter[str], seed: int) -> dict[str, Any]:
    """Return the fields of a new problem; raise Rejected."""
    asked = proposals(view, seed)
    if len({*asked.values()}) == 1:
        raise Rejected("all agree")
    settings = Settings()
    fields = judged(judge, view, settings, asked)
    kind = kind_after(view, fields["best"], list(asked.values()))
    if missing[kind] <= 0:
        raise Rejected("enough of this kind")
    searches = search_agrees(view, fields["best"], settings, bool(fields["exact"]))
    if searches[0] < searches[1] and not fields["exact"]:
        raise Rejected("a search disagrees")
    return {"kind": kind, **fields, "searches": list(searches)}


def write(problems: Sequence[Problem], minutes: float) -> None:
    """Write the list, one line for each position."""
    lines = ",\n".join(json.dumps(each.json(), ensure_ascii=False, separators=(",", ":")) for each in problems)
    head = json.dumps({"minutes": round(minutes, 1)})[1:-1]
    FILE.write_text(f'{{{head}, "positions": [\n{lines}\n]}}\n', encoding="utf-8")


def mine(minutes: float) -> Iterator[str]:
    """Mine until the list is complete or the processor time is used up; yield a line for each game."""
    found = Mine(KEPT)
    judges = {name: Judge(load_board(name)) for name in (NORDIC, LIGHTS)}
    try:
        while found.seconds() < 60 * minutes and any(found.missing(table) for table in TABLES):
            number = len(found.games)
            missing = found.missing(table_of(number))
            game: dict[str, Any] = {"seconds": 0.0, "refused": {}, "found": []}
            if missing:
                game = mine_game(number, missing, judges)
            found.add(game)
            kinds = ", ".join(each["kind"] for each in game["found"])
            yield f"{number} {table_of(number)} {game['seconds']} s: {kinds or '–'} {dict(game['refused'])}"
    finally:  # also after an interruption
        problems = found.problems()
        write(problems, found.seconds() / 60)
        typer.echo(f"{FILE}: {len(problems)} positions after {found.seconds() / 60:.1f} core-minutes")


# --- checking ---------------------------------------------------------------------------------------------------------


def fault_of(judge: Judge, problem: Problem, settings: Settings) -> str | None:
    """Return why a problem does not hold with fresh worlds and the present search; None if it does."""
    view = problem.view()
    compared = Comparison(judge, view, settings.first_world)
    moves = [*dict.fromkeys([*problem.best, *problem.losses])]
    compared.play(moves, settings.worlds * 2 // view.seats)
    losses = compared.losses()
    top = next(iter(losses))
    if top not in problem.best:
        return f"{top} was better than {problem.best[0]}"
    worse = [move for move in moves if move not in problem.best]
    for move in worse:
        if not losses[move].is_sure:
            return f"{move} lost only {losses[move].mean:.1f} ± {losses[move].error:.1f}"
    try:
        exact = exactly(view, problem.best, worse)
    except Rejected as reason:
        return str(reason)
    if exact:
        return None
    agreed, searches, _ = search_agrees(view, problem.best, settings, patient=False)
    return "a long search chose another move" if agreed < searches else None


# --- shares -----------------------------------------------------------------------------------------------------------


def section(shares: Mapping[str, Mapping[str, Share]]) -> dict[str, Any]:
    """Return the section for docs/strength.md, and the shares as numbers."""
    kinds = [kind for kind, share in next(iter(shares.values())).items() if share.of]
    counts = {kind: share.of for kind, share in next(iter(shares.values())).items()}
    return {
        "title": "Test positions",
        "text": f"How many of {counts['all']} [test positions](positions.md) each player solves, by kind of decision, "
        "with 95 % intervals. `make positions ARGS=--shares` asks the players.",
        "table": {
            "head": ["player", *(f"{kind} ({counts[kind]})" for kind in kinds)],
            "rows": [[name, *(str(found[kind]) for kind in kinds)] for name, found in shares.items()],
        },
        "players": {
            name: {kind: [share.solved, share.of] for kind, share in found.items()} for name, found in shares.items()
        },
    }


def ask_all() -> None:
    """Let our players solve the list, and write the section for docs/strength.md."""
    problems = load_problems()
    shares = {name: shares_of(problems, answers_of(load_player(name), problems)) for name in LEVELS}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(section(shares), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, found in shares.items():
        typer.echo(f"{name:10} {found['all']}")


def positions(
    minutes: Annotated[float, typer.Option(help="The most processor time to mine for, in all runs together.")] = 40,
    check: Annotated[bool, typer.Option("--check", help="Check the list with fresh worlds and searches.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="With --check: remove the positions that do not hold.")] = False,
    shares: Annotated[bool, typer.Option("--shares", help="Let our players solve the list.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Forget what was mined before.")] = False,
    worlds: Annotated[int, typer.Option(min=2, help="With --check: worlds to compare moves in.")] = JUDGE,
    effort: Annotated[int, typer.Option(min=10, help="With --check: iterations times seats of a search.")] = LONG,
) -> None:
    """Find test positions with known best decisions. Ctrl-C keeps everything."""
    with plain_errors():
        if shares:
            ask_all()
            return
        if not check:
            if restart and KEPT.exists():
                KEPT.replace(KEPT.with_suffix(".old"))
            for line in mine(minutes):
                typer.echo(line)
            return
        # Worlds and seeds that had no part in choosing the positions.
        settings = replace(Settings(), worlds=worlds, effort=effort, first_world=1_000_000, first_seed=101)
        problems, judges, good = load_problems(), dict[str, Judge](), []
        start = time.process_time()
        for problem in problems:
            judge = judges.setdefault(problem.board.id, Judge(problem.board))
            fault = fault_of(judge, problem, settings)
            if fault is None:
                good.append(problem)
            else:
                typer.echo(f"{problem.name} ({problem.kind}): {fault}")
        minutes = (time.process_time() - start) / 60
        typer.echo(f"{len(good)} of {len(problems)} positions hold, after {minutes:.1f} core-minutes")
        if drop:
            write(good, json.loads(FILE.read_text("utf-8"))["minutes"])
        if len(good) < len(problems) and not drop:
            raise typer.Exit(1)


if __name__ == "__main__":
    sys.argv[0] = "make positions"
    typer.run(positions)
