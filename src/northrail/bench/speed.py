"""Measure speed: random games, single kernels, Python calls, players, and the first move of a new process.

Every figure is the best of several short runs, to leave out the noise of a busy machine. Things we compare take turns,
so noise affects both.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from northrail.bench.timing import COPY, DEAL, IMAGINE, LEGAL, LOOK, SCORING, repeat
from northrail.boards.board import NOBODY, ROUTE_BITS, Board, numbers_in
from northrail.boards.load import load_board
from northrail.drawing.themes import TERMINAL
from northrail.engine.batches import random_games
from northrail.engine.game import Game
from northrail.engine.knowledge import look
from northrail.engine.rules import Log, apply, deal, legal
from northrail.engine.scratch import GameScratch
from northrail.engine.state import OVER, TURN, Moves, State, ViewStruct
from northrail.kernels.structs import Structs, copy_struct
from northrail.players.fast_games import fast_games, planner_contender
from northrail.players.planner import QUICK, Planner
from northrail.players.search import Search

REPEATS = 5  # runs per figure; the best one counts
GAMES = 4000  # random games per run, about 0.1 s
SAMPLE = 256  # states to time kernels on
ROUNDS = 80  # passes over these states per run
DEALS = 20  # games between planners per run
ITERATIONS = 400  # of the search per run
FIRST_MOVE = """
import northrail
game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=1)
game.play(game.moves()[0])
"""


PLAIN_GAMES = """
import time, northrail
board = northrail.load_board("{board}")
start = time.perf_counter()
northrail.random_games(board, {seats}, {games})
print({games} / (time.perf_counter() - start))
"""


@dataclass(frozen=True)
class Figure:
    """A measured number: its name for programs, its table and description for people, and its target if it has one."""

    name: str
    where: str
    what: str
    value: float
    unit: str
    target: str = ""  # such as "<= 40" or ">= 100"

    @property
    def text(self) -> str:
        """The formatted value."""
        digits = 0 if self.value >= 100 or self.value == int(self.value) else 1 if self.value >= 10 else 2
        return f"{self.value:,.{digits}f}"

    @property
    def reached(self) -> bool | None:
        """Whether the value is on target; None if it has none."""
        if not self.target:
            return None
        sign, bound = self.target.split()
        limit = float(bound.replace(",", ""))
        return self.value <= limit if sign == "<=" else self.value >= limit


# --- kernels ----------------------------------------------------------------------------------------------------------

KERNELS = (
    (COPY, "copy", "copy a state", "<= 40"),
    (LEGAL, "legal", "legal moves at a turn", "<= 60"),
    (LOOK, "look", "look: what a seat may know", "<= 200"),
    (IMAGINE, "imagine", "imagine: a world that fits a view", "<= 1,000"),
    (SCORING, "score", "score a game", ""),
    (DEAL, "deal", "deal a game", ""),
)


def sample_turns(board: Board, seats: int, count: int) -> Structs[State]:
    """Return states at the start of a turn, spread over random games."""
    chance = random.Random(seats)
    states, s, moves, log = State.many(count), State(), Moves(), Log()
    found = seed = 0
    while found < count:
        deal(board.struct, s, seats, NOBODY, seed, log)
        seed += 1
        while s.phase != OVER and found < count:
            if s.phase == TURN and chance.random() < 0.1:
                copy_struct(states[found], s)
                found += 1
            legal(board.struct, s, moves)
            others = (len(board.routes) + place for place in numbers_in([moves.other], 63))
            claims = numbers_in(moves.claims.tolist(), ROUTE_BITS)
            apply(board.struct, s, chance.choice([*claims, *others]), log)
    return states


def time_kernels(board: Board, seats: int, count: int, rounds: int) -> Iterator[Figure]:
    """Measure the kernels, in nanoseconds."""
    states, views = sample_turns(board, seats, count), ViewStruct.many(count)
    for at in range(count):
        look(board.struct, states[at], states[at].seat, views[at])
    scratch, rng = GameScratch(), np.array([1], np.int64)
    for number, name, what, target in KERNELS:

        def run(number: int = number) -> int:
            repeat(board.struct, number, rounds, states, views, count, scratch, rng)
            return rounds * count

        (rate,) = best_rates(run)
        yield Figure(f"{_key(board, seats)}_{name}_ns", _table(board, seats), what, 1e9 / rate, "ns", target)


# --- Python -----------------------------------------------------------------------------------------------------------


def time_python(board: Board, seats: int) -> Iterator[Figure]:
    """Measure what bot writers call: playing a random legal move, listing the legal moves, and viewing."""
    chance = random.Random(seats)
    game = Game(board, seats, 1)
    games: list[tuple[Game, int]] = []
    while not game.over:
        number = chance.choice(game.moves()).number
        games.append((game.copy(), number))
        game.play(number)

    def play() -> int:
        start = Game(board, seats, 1)
        for _, number in games:
            start.play(number)
        return len(games)

    def moves() -> int:
        for game, _ in games:
            game.moves()
        return len(games)

    def view() -> int:
        for game, _ in games:
            game.view(game.seat)
        return len(games)

    key, where = _key(board, seats), _table(board, seats)
    rates = best_rates(play, moves, view)
    yield Figure(f"{key}_play_us", where, "game.play, a random legal move", 1e6 / rates[0], "µs")
    yield Figure(f"{key}_moves_us", where, "game.moves", 1e6 / rates[1], "µs")
    yield Figure(f"{key}_view_us", where, "game.view of the seat to move", 1e6 / rates[2], "µs")


# --- players ----------------------------------------------------------------------------------------------------------


def planned_game(board: Board, seats: int, seed: int) -> tuple[list[list[Any]], Any]:
    """Let planners play a game; return each seat's views, and the view at the middle turn."""
    game = Game(board, seats, seed)
    seen: list[list[Any]] = [[] for _ in range(seats)]
    turns = []
    planners = [Planner() for _ in range(seats)]
    while not game.over:
        view = game.view(game.seat).struct
        seen[game.seat].append(view)
        if game.phase == "turn":
            turns.append(view)
        game.play(planners[game.seat].choose_struct(board, view))
    return seen, turns[len(turns) // 2]


def time_players(board: Board, seats: int) -> Iterator[Figure]:
    """Measure how long our players take to decide."""
    games = [planned_game(board, seats, seed) for seed in range(min(DEALS, 4))]
    planner, search = Planner(), Search(iterations=ITERATIONS)
    quick = [planner_contender(board, QUICK)] * seats

    def plan() -> int:
        for seen, _ in games:
            for seat, views in enumerate(seen):
                planner.start(board, seat, seats, 0)
                for view in views:
                    planner.choose_struct(board, view)
        return sum(len(views) for seen, _ in games for views in seen)

    def look_ahead() -> int:
        for seat, (_, turn) in enumerate(games):
            search.start(board, seat, seats, 0)
            search.choose_struct(board, turn)
        return ITERATIONS * len(games)

    plan_rate, quick_rate, search_rate = best_rates(
        plan, lambda: int(fast_games(board, seats, quick, DEALS)["decisions"].sum()), look_ahead
    )
    key, where = _key(board, seats), _table(board, seats)
    yield Figure(f"{key}_planner_us", where, "a decision of the planner", 1e6 / plan_rate, "µs", "<= 100")
    yield Figure(f"{key}_rollout_us", where, "a decision of the quick planner, played", 1e6 / quick_rate, "µs", "<= 3")
    yield Figure(f"{key}_search_per_second", where, "worlds searched from mid-game", search_rate, "/s", ">= 2,000")


# --- all figures ------------------------------------------------------------------------------------------------------


def best_rates(*runs: Callable[[], int], times: int | None = None) -> list[float]:
    """Return each run's best rate, in things per second; a run returns how many things it did. The runs take turns."""
    best = [0.0] * len(runs)
    for _ in range(times or REPEATS):
        for at, run in enumerate(runs):
            start = time.perf_counter()
            count = run()
            best[at] = max(best[at], count / (time.perf_counter() - start))
    return best


def measure() -> Iterator[Figure]:
    """Measure all figures and yield each one."""
    nordic, lights = load_board("nordic-countries"), load_board("northern-lights")
    yield from time_games(nordic, 2, ">= 50,000")
    yield from time_against_plain(nordic, 2)
    yield from time_threads(nordic, 2)
    yield from time_kernels(nordic, 2, SAMPLE, ROUNDS)
    yield from time_python(nordic, 2)
    yield from time_players(nordic, 2)
    yield from time_games(nordic, 3)
    yield from time_games(lights, 2)
    yield from time_players(lights, 2)
    yield from time_games(lights, 5)
    yield from time_kernels(lights, 5, SAMPLE, ROUNDS)
    yield from time_python(lights, 5)
    yield Figure("state_bytes", "Both boards", "size of a state", State.dtype.itemsize, "bytes", "<= 896")
    yield from time_first_move()


def time_games(board: Board, seats: int, target: str = "") -> Iterator[Figure]:
    """Measure random games on one core, from the deal to the scores."""
    decisions = int(random_games(board, seats, GAMES)["decisions"].sum())
    (rate,) = best_rates(lambda: len(random_games(board, seats, GAMES)))
    key, where = _key(board, seats), _table(board, seats)
    yield Figure(f"{key}_games_per_second", where, "random games", rate, "/s", target)
    yield Figure(f"{key}_decisions_per_second", where, "decisions in them", rate * decisions / GAMES, "/s")


def time_against_plain(board: Board, seats: int) -> Iterator[Figure]:
    """Measure random games in plain Python, and how many times as fast the compiled kernels are."""
    script = PLAIN_GAMES.format(board=board.id, seats=seats, games=max(2, GAMES // 400))

    def plain_rate() -> float:
        plain = {**os.environ, "NORTHRAIL_PLAIN": "1"}
        return float(subprocess.run([sys.executable, "-c", script], env=plain, check=True, capture_output=True).stdout)

    slow = max(plain_rate() for _ in range(min(REPEATS, 2)))
    (fast,) = best_rates(lambda: len(random_games(board, seats, GAMES)))
    key, where = _key(board, seats), _table(board, seats)
    yield Figure(f"{key}_plain_games_per_second", where, "random games in plain Python", slow, "/s")
    yield Figure(f"{key}_plain_ratio", where, "compiled against plain Python", fast / slow, "×", ">= 500")


def time_threads(board: Board, seats: int) -> Iterator[Figure]:
    """Measure the speed-up from a second thread."""

    def on(threads: int) -> Callable[[], int]:
        return lambda: len(random_games(board, seats, 2 * GAMES, threads=threads))

    one, two = best_rates(on(1), on(2))
    name = f"{_key(board, seats)}_two_threads_ratio"
    yield Figure(name, _table(board, seats), "two threads against one", two / one, "×", ">= 1.8")


def time_first_move() -> Iterator[Figure]:
    """Measure a new process that imports northrail, loads a board and plays a move."""

    def run() -> int:
        subprocess.run([sys.executable, "-c", FIRST_MOVE], check=True)
        return 1

    run()
    (rate,) = best_rates(run)
    yield Figure("first_move_seconds", "Both boards", "new process to its first move", 1 / rate, "s", "<= 1.5")


def _key(board: Board, seats: int) -> str:
    return f"{board.id.replace('-', '_')}_{seats}"


def _table(board: Board, seats: int) -> str:
    return f"{board.name}, {seats} seats"


def table_of(figures: list[Figure]) -> Table:
    """Return the figures as a table, in the order measured, grouped by board and seats."""
    table = Table(box=box.ROUNDED, border_style="dim")
    table.add_column("figure")
    table.add_column("best", justify="right")
    table.add_column("unit")
    table.add_column("target")
    where = ""
    for figure in figures:
        if figure.where != where:
            where = figure.where
            table.add_section()
            table.add_row(Text(where, "bold"))
        mark, style = {None: ("", ""), True: (" ✓", TERMINAL.good), False: (" ✗", TERMINAL.bad)}[figure.reached]
        table.add_row(f"  {figure.what}", figure.text, figure.unit, Text(figure.target + mark, style))
    return table
