"""The processes that play: each is watched, and one that hangs or dies costs its player that game and nothing more."""

import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import connection
from typing import Any, Self

import numpy as np

from northrail.arena.contest import BadRun, Contest
from northrail.arena.table import ALLOWED, GAME, IDLE, UNTIL, Result, Results, Table, forfeit, warm_up

CHUNK = 0.25  # seconds of games that are sent to a process at once
MOST_IN_CHUNK = 64
BLINK = 0.1  # seconds between two looks at players that do not answer


def work(parcel: bytes, pipe: Any, doing: MutableSequence[float]) -> None:
    """The life of a process that plays: take numbers of games, send results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits for the results
    os.dup2(2, 1)  # what players print must not get between our own words
    threading.Thread(target=_end_with_parent, daemon=True).start()
    contest: Contest = pickle.loads(parcel)
    board = replace(contest.board, record=contest.board.record.view(np.ndarray))  # cheaper calls, also for players
    contest = replace(contest, board=board)
    warm_up(contest)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # until nobody waits for results any more
        while True:
            for number in pipe.recv():
                pipe.send(Table(contest, number, doing).play())


def _end_with_parent() -> None:
    """Wait until nobody is left who could end this process, then end it: its player may think for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only processes that were started here work"
    parent.join()
    os._exit(1)


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
        number = int(self.doing[GAME])
        if number == IDLE[GAME]:
            raise BadRun(f"expected a process that plays games, got one that ended with {self.process.exitcode}")
        if number not in self.todo or (kind == "slow" and self.doing[UNTIL] > time.monotonic()):
            return None  # it had just answered
        self.todo.remove(number)
        text = {
            "slow": f"expected an answer within {self.doing[ALLOWED]:g} s, got none",
            "gone": f"expected an answer, got the end of its process with {self.process.exitcode}",
        }[kind]
        return forfeit(self.contest, self.doing, kind, text)


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
