"""The thread that writes to an SQLite file. Jobs that wait during a commit share the next one."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Transaction

from northrail.server.store.sqlite import driver_of

Outcome = TypeVar("Outcome")
Work = Callable[[Connection], Any]
Job = tuple[Work, Future[Any]]
MOST_TOGETHER = 100  # jobs in one commit


class Writer:
    """A thread with its own connection. A commit takes the disk milliseconds, however many changes it holds."""

    def __init__(self, engine: sql.Engine, must_be_there: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._must_be_there = must_be_there  # raises if the file was deleted or replaced
        self._connection: Connection | None = None
        self.connections = 0  # how many connections it has opened so far
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-write", daemon=True)
        self._thread.start()

    def write(self, work: Callable[[Connection], Outcome]) -> Future[Outcome]:
        """Queue some work to be done completely or not at all; its future is done once the result is on disk."""
        future: Future[Outcome] = Future()
        self._queue.put((work, future))
        return future

    def close(self) -> None:
        """Finish the queued work, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._queue.get()]
            with suppress(Empty):
                while len(batch) < MOST_TOGETHER and batch[-1] is not None:
                    batch.append(self._queue.get_nowait())
            is_open = batch[-1] is not None
            jobs = [job for job in batch if job is not None and job[1].set_running_or_notify_cancel()]
            if jobs:
                self._write(jobs)
        if self._connection is not None:
            self._connection.close()

    def _write(self, jobs: list[Job]) -> None:
        """Do several jobs in one transaction. One that fails is rolled back without affecting the others."""
        try:
            self._must_be_there()  # otherwise connecting would create an empty file
            db = self._connected()
            with db.begin() as transaction:
                works = [work for work, _ in jobs]
                done = [_nested(db, work) for work in works] if len(works) > 1 else [_alone(db, transaction, works[0])]
            self._must_be_there()
        except Exception as error:  # nothing is stored, or in a file that nobody will find
            done = [(None, error)] * len(jobs)
            self._disconnect()
        for (_work, future), (result, failure) in zip(jobs, done, strict=True):
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

    def _disconnect(self) -> None:
        """Drop the connection: after a failed commit it may still be inside its transaction."""
        if self._connection is not None:
            with suppress(sql.exc.SQLAlchemyError):
                self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def _connected(self) -> Connection:
        """Return the thread's connection. It stays the same, so that SQLite can tell others' changes from ours."""
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(northrail_write=True)
            self.connections += 1
        return self._connection


def _alone(db: Connection, transaction: Transaction, work: Work) -> tuple[Any, Exception | None]:
    """Do the only work of a transaction; return its result, or the error after which it was rolled back."""
    try:
        return work(db), None
    except Exception as error:
        transaction.rollback()
        return None, error


def _nested(db: Connection, work: Work) -> tuple[Any, Exception | None]:
    """Do one of several jobs in a transaction; return its result, or the error after which it was rolled back.

    SQLAlchemy's own savepoints take longer than the job.
    """
    driver = driver_of(db)
    driver.execute("SAVEPOINT job")
    try:
        result, failure = work(db), None
    except Exception as error:
        driver.execute("ROLLBACK TO job")
        result, failure = None, error
    driver.execute("RELEASE job")
    return result, failure
