"""The processes that play: each is watched, and one that hangs or dies costs its player that game and nothing more."""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, Self

from northrail.arena.contest import BadRun, Contest
from northrail.arena.match import ALLOWED, GAME, IDLE, UNTIL, Result, Results, Table, forfeit

CHUNK = 0.25  # seconds of games that are sent to a process at once
MOST_IN_CHUNK = 64
BLINK = 0.1  # seconds between two looks at players that do not answer


def work(parcel: bytes, pipe: Any, doing: MutableSequence[float]) -> None:
    """The life of a process that plays: take numbers of games, send results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits for the results
    os.dup2(2, 1)  # what players print must not get between our own words
    threading.Thread(target=_end_with_parent, daemon=True).start()
    contest: Contest = pickle.loads(parcel)
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

    def last_results(self, kind: str) -> Iterator[Result]:
        """End it, slow or gone as it is: what it sent in its last moment, and the game that its player lost by that."""
        if kind == "slow":
            self.process.kill()
        self.process.join()
        while self.pipe.poll() and (result := self.take()) is not None:
            yield result
        number = int(self.doing[GAME])
        if number == IDLE[GAME]:
            raise BadRun(f"expected a process that plays games, got one that ended with {self.process.exitcode}")
        # Else the player had just answered, and its other games are played again.
        if number in self.todo and (kind == "gone" or self.doing[UNTIL] < time.monotonic()):
            self.todo.remove(number)
            text = {
                "slow": f"expected an answer within {self.doing[ALLOWED]:g} s, got none",
                "gone": f"expected an answer, got the end of its process with {self.process.exitcode}",
            }[kind]
            yield forfeit(self.contest, self.doing, kind, text)
        self.pipe.close()


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
        self.processes = processes  # at most
        self.workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()

    def play(self, numbers: Iterable[int]) -> Iterator[Result]:
        """The results of these games, as they come."""
        queue = deque(numbers)
        while True:
            self.give_out(queue)
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
                yield from worker.last_results(kind)
                queue.extendleft(reversed(worker.todo))
                self.workers.remove(worker)

    def give_out(self, queue: deque[int]) -> None:
        """Give games to who could do with more; whoever is needed and missing is hired."""
        idle = sum(not worker.todo for worker in self.workers)
        for _ in range(min(len(queue) - idle, self.processes - len(self.workers))):
            self.workers.append(Worker(self.contest, self.parcel))
        for worker in self.workers:
            if queue and worker.is_hungry():
                worker.give([queue.popleft() for _ in range(min(worker.size, len(queue)))])


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results_here(contest: Contest, numbers: Iterable[int], processes: int | None = None) -> Results:
    """The results of these games as they come, played by so many processes; None: one for each core.

    A script of one's own calls this under ``if __name__ == "__main__":``, for the processes import the script.
    """
    with Crew(pickle.dumps(contest), processes or cores()) as crew:
        yield from crew.play(numbers)
