"""Worker processes that play games. If one hangs or dies, its player loses that game and the run continues."""

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

CHUNK = 0.25  # send a worker about this many seconds of games at once
MOST_IN_CHUNK = 64
POLL = 0.1  # seconds between checks for players that do not answer


def work(pickled: bytes, pipe: Any, doing: MutableSequence[float]) -> None:
    """Run a worker process: receive numbers of games, send results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    os.dup2(2, 1)  # what players print must not mix with our own output
    threading.Thread(target=_end_with_parent, daemon=True).start()
    contest: Contest = pickle.loads(pickled)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # until the parent closes the pipe
        while True:
            for number in pipe.recv():
                pipe.send(Table(contest, number, doing).play())


def _end_with_parent() -> None:
    """End this process when its parent has ended: its player may never return."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent process"
    parent.join()
    os._exit(1)


class Worker:
    """A worker process, and the games it has yet to play."""

    def __init__(self, contest: Contest, pickled: bytes) -> None:
        context = multiprocessing.get_context("spawn")  # a fork could copy locks that other threads hold
        self.contest = contest
        self.doing: Any = context.RawArray("d", IDLE)
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(pickled, theirs, self.doing), daemon=True)
        with _without_ctrl_c():
            self.process.start()
        theirs.close()
        self.todo: list[int] = []
        self.size = 1  # games to send at once
        self.sent = 0.0  # when games were last sent
        self.played = 0  # games since then

    def needs_games(self) -> bool:
        """Return whether to send more games now, so that the worker never waits for them."""
        return len(self.todo) <= self.size // 2

    def send(self, numbers: list[int]) -> None:
        """Send the worker these games to play."""
        now = time.monotonic()
        if self.played:
            self.size = max(1, min(int(CHUNK * self.played / (now - self.sent)), MOST_IN_CHUNK))
        self.sent, self.played = now, 0
        self.todo += numbers
        with suppress(OSError):  # the worker has ended; `receive` will notice
            self.pipe.send(numbers)

    def receive(self) -> Result | None:
        """Return the next result, or None if the worker has ended."""
        try:
            result: Result = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.todo.remove(result.game)
        self.played += 1
        return result

    def is_stuck(self) -> bool:
        """Return whether the player's time is up and no result has arrived."""
        return bool(self.doing[UNTIL] < time.monotonic()) and not self.pipe.poll()

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def last_results(self, kind: str) -> Iterator[Result]:
        """End a worker that is slow or gone. Yield the results still in its pipe, then the game its player lost."""
        if kind == "slow":
            self.process.kill()
        self.process.join()
        while self.pipe.poll() and (result := self.receive()) is not None:
            yield result
        number = int(self.doing[GAME])
        if number == IDLE[GAME]:
            raise BadRun(f"a worker process ended with exit code {self.process.exitcode} before its first game")
        # Otherwise the player answered just in time, and another worker plays its remaining games.
        if number in self.todo and (kind == "gone" or self.doing[UNTIL] < time.monotonic()):
            self.todo.remove(number)
            text = {
                "slow": f"expected an answer within {self.doing[ALLOWED]:g} s, got none",
                "gone": f"expected an answer, but its process ended with exit code {self.process.exitcode}",
            }[kind]
            yield forfeit(self.contest, self.doing, kind, text)
        self.pipe.close()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Make processes started inside this block ignore Ctrl-C from their first instruction."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may change signal handlers
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class WorkerPool:
    """Several workers. A worker that hangs or dies is replaced, and its player loses the game."""

    def __init__(self, pickled: bytes, processes: int) -> None:
        self.pickled = pickled  # a Contest
        self.contest: Contest = pickle.loads(pickled)
        self.processes = processes  # at most
        self.workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()

    def play(self, numbers: Iterable[int]) -> Iterator[Result]:
        """Yield the results of these games as they arrive."""
        queue = deque(numbers)
        while True:
            self.send_games(queue)
            busy: dict[Any, Worker] = {worker.pipe: worker for worker in self.workers if worker.todo}
            if not busy:
                return
            lost = {worker: "slow" for worker in busy.values() if worker.is_stuck()}
            for pipe in connection.wait(list(busy), timeout=POLL):
                result = busy[pipe].receive()
                if result is None:
                    lost[busy[pipe]] = "gone"
                else:
                    yield result
            for worker, kind in lost.items():
                yield from worker.last_results(kind)
                queue.extendleft(reversed(worker.todo))
                self.workers.remove(worker)

    def send_games(self, queue: deque[int]) -> None:
        """Start workers while there are games for them, and send games to those that need more."""
        idle = sum(not worker.todo for worker in self.workers)
        for _ in range(min(len(queue) - idle, self.processes - len(self.workers))):
            self.workers.append(Worker(self.contest, self.pickled))
        for worker in self.workers:
            if queue and worker.needs_games():
                worker.send([queue.popleft() for _ in range(min(worker.size, len(queue)))])


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results_here(contest: Contest, numbers: Iterable[int], processes: int | None = None) -> Results:
    """Play these games on this machine and yield the results as they arrive; by default on every core.

    In your own script, call this under ``if __name__ == "__main__":``, because the worker processes import the script.
    """
    with WorkerPool(pickle.dumps(contest), processes or cores()) as pool:
        yield from pool.play(numbers)
