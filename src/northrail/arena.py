"""Many games between players: who sits where, one game, the processes that play them, and the file they are kept in.

A *deal* is a seed, and all the games that are played with it: every line-up of the players, turned round the table so
that each sits in each seat. Luck with the cards is thus dealt out evenly. What happens in a game depends on the contest
and the game's number alone, and so not on how many processes play, in which order, or on which machine.
"""

import hashlib
import importlib
import itertools
import json
import math
import multiprocessing
import operator
import os
import pickle
import re
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from multiprocessing import connection
from pathlib import Path
from typing import Any, Self

import numpy as np

from northrail import explain
from northrail._jit import records
from northrail.board import TICKET_BITS, Board, numbers_in
from northrail.board_file import load_board
from northrail.errors import NorthrailError
from northrail.game import MOST_SEED, Game
from northrail.knowledge import VIEW, look_at
from northrail.moves import OTHER_MOVES, move_of
from northrail.players import Player, Recipe, load_player
from northrail.rules import LOG, MOVES, is_legal_at, legal_at, play_at
from northrail.state import OVER

LIMIT = 60.0  # seconds for a move, unless a contest says otherwise
PATIENCE = 300.0  # seconds for what is not a move: making a player, its start and finish; kernels may be compiled there
GRACE = 1.0  # seconds more before a player that does not answer is ended with its process
CHUNK = 0.25  # seconds of games that are sent to a process at once
MOST_IN_CHUNK = 64
BLINK = 0.1  # seconds between two looks at players that do not answer
MOST_DEALS = 1 << 40
RUN_FORMAT = 1


class BadRun(NorthrailError):
    """A contest that cannot be played, or a file of results that does not belong to it."""


# --- who sits where ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contest:
    """Everything that results depend on."""

    board: Board
    players: tuple[Recipe, ...]
    seats: int
    seed: int = 0
    limit: float = LIMIT  # seconds for a move
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        least, most = self.board.rules.seats
        names = [player.name for player in self.players]
        if type(self.seats) is not int or not least <= self.seats <= most:
            raise BadRun(f"seats: expected {least} to {most} on {self.board.name}, got {self.seats!r}")
        if not names or len(set(names)) < len(names):
            raise BadRun(
                f"expected different players, got {', '.join(names) or 'none'}; a player alone plays against itself"
            )
        if type(self.seed) is not int or not 0 <= self.seed <= MOST_SEED - MOST_DEALS:
            raise BadRun(f"seed: expected a number from 0 to {MOST_SEED - MOST_DEALS}, got {self.seed!r}")
        if not 0 < self.limit < math.inf:
            raise BadRun(f"limit: expected seconds above 0, got {self.limit!r}")

    @cached_property
    def line_ups(self) -> list[list[tuple[int, ...]]]:
        """The line-ups of a deal, each as its orders round the table, of which deals take the next in turn."""
        return [round_orders(line_up) for line_up in line_ups(len(self.players), self.seats)]

    @cached_property
    def deal_games(self) -> int:
        """How many games one deal has."""
        return len(self.line_ups) * (self.seats if len(self.players) > 1 else 1)

    def whole(self, games: int) -> int:
        """So many games, or as many more as make the last deal whole."""
        return -(-games // self.deal_games) * self.deal_games

    def game(self, number: int) -> tuple[int, tuple[int, ...]]:
        """A game's seed, and its players by seat."""
        deal, at = divmod(number, self.deal_games)
        orders = self.line_ups[at % len(self.line_ups)]
        order, turn = orders[deal % len(orders)], at // len(self.line_ups)
        return self.seed + deal, order[turn:] + order[:turn]


def line_ups(players: int, seats: int) -> list[tuple[int, ...]]:
    """Who may sit together, each of the players as often as the others.

    More players than seats: every choice of them. Fewer: all of them as often as that goes, and every choice of those
    who sit there once more.

    >>> line_ups(3, 2), line_ups(2, 3)
    ([(0, 1), (0, 2), (1, 2)], [(0, 0, 1), (0, 1, 1)])
    """
    often, more = divmod(seats, players)
    chosen = itertools.combinations(range(players), more)
    return [tuple(sorted((*range(players),) * often + extra)) for extra in chosen]


def round_orders(line_up: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The orders round the table in which a line-up can sit, such that every turn of the table is another game.

    >>> round_orders((0, 1, 2)), round_orders((0, 0, 1, 1))
    ([(0, 1, 2), (0, 2, 1)], [(0, 0, 1, 1)])
    """
    first, rest = line_up[0], line_up[1:]
    orders: list[tuple[int, ...]] = []
    for order in dict.fromkeys((first, *others) for others in itertools.permutations(rest)):
        turns = {order[at:] + order[:at] for at in range(len(order))}
        if order == min(turns) and len(turns) == len(order):
            orders.append(order)
    return orders or [line_up]  # one player alone in all seats


def seed_for(seed: int, seat: int, name: str) -> int:
    """A player's own seed in a game, which tells nothing about the deal."""
    digest = hashlib.blake2b(f"{seed} {seat} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 2


# --- one game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """Why a player lost before the end."""

    player: str
    seat: int
    move: int  # the game's how manieth choice; 0 before the first
    kind: str  # raised, illegal, slow, gone
    text: str


@dataclass(frozen=True)
class Result:
    """How a game went, by seat. Nobody has points in a game that ended by a fault."""

    game: int
    seed: int
    players: tuple[str, ...]
    places: tuple[int, ...]  # 1 for who wins; seats that are equal share the better place
    points: tuple[int, ...] | None
    completed: tuple[int, ...] | None
    tickets: tuple[int, ...] | None
    decisions: tuple[int, ...]
    fault: Fault | None = None
    seconds: tuple[float, ...] = field(default=(), compare=False)  # thought by each seat: never twice the same

    def line(self) -> str:
        """The result as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Self:
        """The result of a line; raises ValueError or TypeError if it is none."""
        facts = json.loads(line)
        for name in ("players", "places", "points", "completed", "tickets", "decisions", "seconds"):
            facts[name] = None if facts[name] is None else tuple(facts[name])
        return cls(**facts | {"fault": facts["fault"] and Fault(**facts["fault"])})


Results = Generator[Result, None, None]


class Lost(Exception):
    """The player that is asked has lost; its kind of fault, and why."""


# What a process is doing, where the one that watches it can see it.
GAME, SEAT, MOVE, UNTIL = range(4)  # UNTIL: when the player must have answered, by time.monotonic
IDLE = (-1.0, 0.0, 0.0, math.inf)


class Table:
    """A game between players."""

    def __init__(self, contest: Contest, number: int, doing: MutableSequence[float]) -> None:
        self.contest = contest
        self.number = number
        self.seed, self.line_up = contest.game(number)
        self.names = tuple(contest.players[player].name for player in self.line_up)
        self.game = Game(contest.board, contest.seats, self.seed)
        self.players: list[Player] = []
        self.limit = contest.limit
        self.decisions = [0] * contest.seats
        self.seconds = [0.0] * contest.seats
        self.doing = doing
        doing[GAME], doing[MOVE] = number, 0

    def play(self) -> Result:
        """Play the game to its end, or to the first fault."""
        try:
            self.sit_down()
            self.play_moves()
            for seat, player in enumerate(self.players):
                if hasattr(player, "finish"):
                    self.ask(seat, False, player.finish, self.game.view(seat))
        except Lost as lost:
            return self.forfeit(*lost.args)
        game = self.game
        scores, winners, view = game.scores(), game.winners(), game.view(None)
        worth = [(seat in winners, score.total) for seat, score in enumerate(scores)]
        return self.result(
            places=tuple(1 + sum(other > mine for other in worth) for mine in worth),
            points=tuple(score.total for score in scores),
            completed=tuple(score.completed for score in scores),
            tickets=tuple(view.ticket_counts),
        )

    def sit_down(self) -> None:
        """Make the players and tell them of the game."""
        for seat, which in enumerate(self.line_up):
            recipe = self.contest.players[which]
            player = self.ask(seat, False, recipe)
            self.players.append(player)
            if hasattr(player, "start"):
                own = seed_for(self.seed, seat, recipe.name)
                self.ask(seat, False, player.start, self.contest.board, seat, self.contest.seats, own)

    def play_moves(self, most: float = math.inf) -> None:
        """Ask for moves until the game is over, or ``most`` times."""
        # Plain arrays: a call of a kernel with them costs an eighth of one with record arrays.
        states = self.game._states.view(np.ndarray)
        seat_of, phase_of = states["seat"], states["phase"]
        ways = [
            self.kernel_way(states, seat, player) if hasattr(player, "choose_record") else self.view_way(seat, player)
            for seat, player in enumerate(self.players)
        ]
        doing = self.doing
        while phase_of[0] != OVER and doing[MOVE] < most:
            doing[MOVE] += 1
            ways[seat_of[0]]()

    def view_way(self, seat: int, player: Player) -> Callable[[], None]:
        """How a seat moves whose player is shown a View."""
        game = self.game

        def move() -> None:
            choice = self.ask(seat, True, player.choose, game.view(seat))
            self.decisions[seat] += 1
            try:
                if isinstance(choice, tuple) and len(choice) == 2:
                    game.claim(_plain(choice[0]), choice[1])
                else:
                    game.play(_plain(choice))
            except Exception as error:
                # The number of a move is told by the fault; the game has not counted the moves of kernels.
                raise Lost("illegal", re.sub(r" \(move \d+\)$", "", str(error))) from error

        return move

    def kernel_way(self, states: Any, seat: int, player: Any) -> Callable[[], None]:
        """How a seat moves whose player takes a VIEW record."""
        board = self.contest.board
        printed = board.record.view(np.ndarray)
        # Its own record: one that all shared would show it what others know.
        record, legal, log = (records(kind, 1).view(np.ndarray) for kind in (VIEW, MOVES, LOG))
        count = len(board.routes) + OTHER_MOVES

        def move() -> None:
            look_at(printed, states, 0, seat, record)
            number = _plain(self.ask(seat, True, player.choose_record, board, record))
            self.decisions[seat] += 1
            legal_at(printed, states, 0, legal)
            if type(number) is not int or not 0 <= number < count:
                raise Lost("illegal", f"expected a move number from 0 to {count - 1}, got {number!r}")
            if not is_legal_at(printed, legal, number):
                raise Lost("illegal", self.why_not(number))
            play_at(printed, states, 0, number, log)

        return move

    def why_not(self, number: int) -> str:
        """Why a move may not be made now."""
        try:
            offered = tuple(numbers_in(self.game._states[0].offered, TICKET_BITS))
            return explain.why_not(self.game, move_of(self.contest.board, number, offered))
        except NorthrailError as error:
            return str(error)

    def ask(self, seat: int, to_move: bool, question: Callable[..., Any], *about: Any) -> Any:
        """What a player answers; raises Lost if it fails to."""
        doing = self.doing
        allowed = self.limit if to_move else self.contest.patience
        doing[SEAT], doing[UNTIL] = seat, time.monotonic() + allowed + GRACE
        start = time.perf_counter()
        try:
            answer = question(*about)
        except BaseException as error:  # whatever a player does, sys.exit() too, is its own loss
            raise Lost("raised", _last_lines(error)) from error
        finally:
            taken = time.perf_counter() - start
            doing[UNTIL] = math.inf
            if to_move:
                self.seconds[seat] += taken
        if taken > allowed:
            raise Lost("slow", f"expected an answer within {allowed:g} s, got one after {taken:.3g} s")
        return answer

    def forfeit(self, kind: str, text: str) -> Result:
        """The result when the player that was asked last has lost: the others are equal, and ahead of it."""
        seat = int(self.doing[SEAT])
        return forfeit(self.contest, self.number, seat, int(self.doing[MOVE]), kind, text, self.decisions, self.seconds)

    def result(self, **facts: Any) -> Result:
        """The result with what the table knows."""
        seconds = tuple(round(seconds, 6) for seconds in self.seconds)
        return Result(self.number, self.seed, self.names, decisions=tuple(self.decisions), seconds=seconds, **facts)


def forfeit(
    contest: Contest,
    number: int,
    seat: int,
    move: int,
    kind: str,
    text: str,
    decisions: Sequence[int] | None = None,
    seconds: Sequence[float] | None = None,
) -> Result:
    """The result of a game that a seat lost by a fault."""
    seed, line_up = contest.game(number)
    names = tuple(contest.players[player].name for player in line_up)
    places = tuple(contest.seats if at == seat else 1 for at in range(contest.seats))
    return Result(
        number,
        seed,
        names,
        places,
        points=None,
        completed=None,
        tickets=None,
        decisions=tuple(decisions or [0] * contest.seats),
        fault=Fault(names[seat], seat, move, kind, text),
        seconds=tuple(round(taken, 6) for taken in seconds or [0.0] * contest.seats),
    )


def play_game(contest: Contest, number: int) -> Result:
    """One game of a contest, played here and now; what a player does not answer to is waited for."""
    return Table(contest, number, list(IDLE)).play()


def _plain(number: Any) -> Any:
    """A number as Python's own, whatever kind it is; anything else as it is."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        return number
    return operator.index(number)


def _last_lines(error: BaseException) -> str:
    """Where an exception was raised and what it says."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    last = max((at for at, line in enumerate(lines) if line.startswith('  File "')), default=0)
    return "\n".join(lines[last:])[-2000:].strip()


# --- the processes that play ------------------------------------------------------------------------------------------


def work(parcel: bytes, pipe: Any, doing: MutableSequence[float]) -> None:
    """The life of a process that plays: take numbers of games, send results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits for the results
    os.dup2(2, 1)  # what players print must not get between our own words
    contest: Contest = pickle.loads(parcel)
    board = replace(contest.board, record=contest.board.record.view(np.ndarray))  # cheaper calls, also for players
    contest = replace(contest, board=board)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # until nobody waits for results any more
        while True:
            for number in pipe.recv():
                pipe.send(Table(contest, number, doing).play())


class Worker:
    """A process that plays, and what it has been given to play."""

    def __init__(self, contest: Contest, parcel: bytes) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy other threads half alive
        self.contest = contest
        self.doing: Any = context.RawArray("d", IDLE)
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(parcel, theirs, self.doing), daemon=True)
        with _without_ctrl_c():
            self.process.start()
        theirs.close()
        self.todo: list[int] = []
        self.size = 1  # games to give at once
        self.given = 0.0
        self.played = 0  # since then

    def is_hungry(self) -> bool:
        """Whether it could do with more games: it should not wait for them."""
        return len(self.todo) <= self.size // 2

    def give(self, numbers: list[int]) -> None:
        """Let it play these games."""
        now = time.monotonic()
        if self.played:
            self.size = max(1, min(int(CHUNK * self.played / (now - self.given)), MOST_IN_CHUNK))
        self.given, self.played = now, 0
        self.todo += numbers
        with suppress(OSError):  # if it has ended: `take` will notice
            self.pipe.send(numbers)

    def take(self) -> Result | None:
        """The result it has sent; None if it has ended."""
        try:
            result: Result = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.todo.remove(result.game)
        self.played += 1
        return result

    def is_stuck(self) -> bool:
        """Whether the player it has asked does not answer."""
        return bool(self.doing[UNTIL] < time.monotonic()) and not self.pipe.poll()

    def end(self) -> None:
        """End it, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def last_game(self, kind: str) -> Result | None:
        """The game it is lost in, slow or gone, by the player that was asked; None if none was asked."""
        number, seat, move = map(int, self.doing[:UNTIL])
        if number == IDLE[GAME]:
            raise BadRun(f"expected a process that plays games, got one that ended with {self.process.exitcode}")
        if number not in self.todo or (kind == "slow" and self.doing[UNTIL] > time.monotonic()):
            return None  # it had just answered
        self.todo.remove(number)
        allowed = self.contest.limit if move else self.contest.patience
        text = {
            "slow": f"expected an answer within {allowed:g} s, got none",
            "gone": f"expected an answer, got the end of its process with {self.process.exitcode}",
        }[kind]
        return forfeit(self.contest, number, seat, move, kind, text)


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let a process that is started here never see Ctrl-C, not even while it imports."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may ask for it
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Crew:
    """Processes that play, each watched: one that hangs or dies is replaced, and its player has lost."""

    def __init__(self, parcel: bytes, processes: int) -> None:
        self.parcel = parcel  # a pickled Contest
        self.contest: Contest = pickle.loads(parcel)
        self.workers = [Worker(self.contest, parcel) for _ in range(processes)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()

    def play(self, numbers: Iterable[int]) -> Iterator[Result]:
        """The results of these games, as they come."""
        queue = iter(numbers)
        while True:
            for worker in self.workers:
                if worker.is_hungry() and (some := list(itertools.islice(queue, worker.size))):
                    worker.give(some)
            busy: dict[Any, Worker] = {worker.pipe: worker for worker in self.workers if worker.todo}
            if not busy:
                return
            lost = {worker: "slow" for worker in busy.values() if worker.is_stuck()}
            for pipe in connection.wait(list(busy), timeout=BLINK):
                result = busy[pipe].take()
                if result is None:
                    lost[busy[pipe]] = "gone"
                else:
                    yield result
            for worker, kind in lost.items():
                if kind == "slow":
                    worker.process.kill()
                worker.process.join()
                while worker.pipe.poll() and (result := worker.take()) is not None:
                    yield result  # sent in its last moment
                if (result := worker.last_game(kind)) is not None:
                    yield result
                queue = itertools.chain(worker.todo, queue)
                worker.end()
                self.workers[self.workers.index(worker)] = Worker(self.contest, self.parcel)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results_here(contest: Contest, numbers: Iterable[int], processes: int | None = None) -> Results:
    """The results of these games as they come, played by so many processes; None: one for each core.

    A script of one's own calls this under ``if __name__ == "__main__":``, for the processes import the script.
    """
    with Crew(pickle.dumps(contest), processes or cores()) as crew:
        yield from crew.play(numbers)


# --- many machines ----------------------------------------------------------------------------------------------------


def optional(module: str, extra: str) -> Any:
    """A module that only an extra brings along."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise BadRun(
            f"this needs {module}, which is not installed; expected: pip install 'northrail[{extra}]'"
        ) from fault


class CrewOfOne:
    """A crew of one process that lives on a cluster, so that also there a player that hangs is ended and has lost."""

    def __init__(self, parcel: bytes) -> None:
        self.crew = Crew(parcel, 1)

    def play(self, numbers: list[int]) -> list[Result]:
        """The results of these games."""
        return list(self.crew.play(numbers))


def results_on_ray(contest: Contest, numbers: Iterable[int], address: str = "") -> Results:
    """The results of these games as they come, played by every core of a Ray cluster.

    Without an address it is the one that RAY_ADDRESS names, or a new one on this machine. Northrail must be installed
    on its machines; boards and players in files of one's own are sent there.
    """
    ray = optional("ray", "cluster")
    try:
        ray.init(address=address or None, log_to_driver=False, logging_level="ERROR")
    except Exception as fault:  # of any kind, as many as there are ways for a cluster not to start
        raise BadRun(f"expected a Ray cluster{' at ' * bool(address)}{address}, got {fault}") from fault
    try:
        crew_of_one = ray.remote(num_cpus=1)(CrewOfOne)
        parcel = pickle.dumps(contest)
        free = int(ray.cluster_resources().get("CPU", 1))
        queue = iter(numbers)
        idle: list[Any] = []
        waiting: dict[Any, Any] = {}  # what is being played -> by whom
        while True:
            while (idle or free) and (some := list(itertools.islice(queue, contest.deal_games))):
                if not idle:
                    free -= 1
                    idle.append(crew_of_one.remote(parcel))
                crew = idle.pop()
                waiting[crew.play.remote(some)] = crew
            if not waiting:
                return
            for task in ray.wait(list(waiting))[0]:
                yield from ray.get(task)
                idle.append(waiting.pop(task))
    except ray.exceptions.RayError as fault:
        raise BadRun(f"expected a cluster that plays, got {str(fault).strip().splitlines()[-1]}") from fault
    finally:
        ray.shutdown()


# --- the file results are kept in -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A file of results: a line that says what is played, then a line for each game as it ends."""

    path: Path
    board: str  # as it was named
    players: tuple[str, ...]  # as they were named
    seats: int
    seed: int
    limit: float
    games: int  # how many are wanted; more may be asked for later
    digests: tuple[str, ...]  # of the board, and of the players in files of one's own

    @classmethod
    def of(cls, path: Path, contest: Contest, board: str, players: Sequence[str], games: int) -> Self:
        """The run of a contest, to be written to ``path``."""
        digests = (contest.board.digest, *(player.digest for player in contest.players))
        return cls(path, board, tuple(players), contest.seats, contest.seed, contest.limit, games, digests)

    def contest(self) -> Contest:
        """What is played; raises BadRun if a board or player is no longer what it was."""
        contest = Contest(
            load_board(self.board), tuple(map(load_player, self.players)), self.seats, self.seed, self.limit
        )
        names = (self.board, *self.players)
        now = Run.of(self.path, contest, self.board, self.players, self.games).digests
        for name, was, is_now in zip(names, self.digests, now, strict=True):
            if was != is_now:
                raise BadRun(f"{self.path}: expected {name} as it was ({was}), got another version ({is_now})")
        return contest

    def asking_for(self, games: int) -> Self:
        """The same run with another number of games."""
        return replace(self, games=games)

    def begin(self) -> None:
        """Write the file's first line; there must be no such file."""
        facts = {"northrail_arena": RUN_FORMAT, **asdict(self)}
        del facts["path"]
        try:
            with self.path.open("x", encoding="utf-8") as file:
                file.write(json.dumps(facts, ensure_ascii=False) + "\n")
        except FileExistsError as fault:
            raise BadRun(
                f"{self.path}: expected a new file, got one that is there; go on with it by --resume"
            ) from fault
        except OSError as fault:
            raise BadRun(f"{self.path}: expected a file to write results to, got {fault.strerror}") from fault

    def add(self, results: Iterable[Result]) -> Results:
        """The results themselves, each once it is written."""
        with self.path.open("a", encoding="utf-8") as file:
            for result in results:
                file.write(result.line() + "\n")
                file.flush()
                yield result


def read_run(path: Path) -> tuple[Run, list[Result]]:
    """A run and its results so far, by number; a last line that was torn is cut off the file."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise BadRun(f"{path}: expected results of an arena, got {fault.strerror}") from fault
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.decode("utf-8", "replace").splitlines()
    try:
        facts = json.loads(lines[0])
        if facts.pop("northrail_arena") != RUN_FORMAT:
            raise ValueError
        run = Run(path, **facts | {name: tuple(facts[name]) for name in ("players", "digests")})
    except (LookupError, TypeError, ValueError, AttributeError) as fault:
        raise BadRun(f"{path}: expected results of an arena, got {lines[0][:60] if lines else 'nothing'!r}") from fault
    results: dict[int, Result] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            result = Result.from_line(line)
        except (LookupError, TypeError, ValueError, AttributeError) as fault:
            raise BadRun(f"{path}: expected a result in line {number}, got {line[:60]!r}") from fault
        results[result.game] = result
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    return run, [results[game] for game in sorted(results)]
