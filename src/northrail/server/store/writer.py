"""The one thread that writes to an SQLite file. What waits while it commits shares the next commit."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Transaction

Given = TypeVar("Given")
Work = Callable[[Connection], Any]
MOST_TOGETHER = 100


class Writer:
    """A thread with a connection of its own. A disk takes milliseconds for a commit, however much is in it."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self.connections = 0  # it has had
        self._asked: SimpleQueue[tuple[Work, Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-write", daemon=True)
        self._thread.start()

    def write(self, work: Callable[[Connection], Given]) -> Future[Given]:
        """Do some work, or nothing of it; what it gives is known when it is on disk."""
        future: Future[Given] = Future()
        self._asked.put((work, future))
        return future

    def close(self) -> None:
        """Do what was asked, and end."""
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        goes_on = True
        while goes_on:
            asked = [self._asked.get()]
            with suppress(Empty):
                while len(asked) < MOST_TOGETHER and asked[-1] is not None:
                    asked.append(self._asked.get_nowait())
            goes_on = asked[-1] is not None
            wanted = [each for each in asked if each is not None and each[1].set_running_or_notify_cancel()]
            if wanted:
                self._write(wanted)
        if self._connection is not None:
            self._connection.close()

    def _write(self, asked: list[tuple[Work, Future[Any]]]) -> None:
        """Do several works in one transaction. One that fails is undone and leaves the others alone."""
        try:
            db = self._connected()
            with db.begin() as whole:
                works = [work for work, _ in asked]
                done = [_apart(db, work) for work in works] if len(works) > 1 else [_alone(db, whole, works[0])]
        except Exception as fault:  # it could not begin or commit: nothing of it is kept
            done = [(None, fault)] * len(asked)
            self._hang_up()
        for (_work, future), (given, why) in zip(asked, done, strict=True):
            if why is None:
                future.set_result(given)
            else:
                future.set_exception(why)

    def _hang_up(self) -> None:
        """Let the connection go: after a commit that failed it may still be in its transaction."""
        if self._connection is not None:
            with suppress(sql.exc.SQLAlchemyError):
                self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def _connected(self) -> Connection:
        """Always the same connection, so that it can tell others' changes from its own."""
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(northrail_write=True)
            self.connections += 1
        return self._connection


def _alone(db: Connection, whole: Transaction, work: Work) -> tuple[Any, Exception | None]:
    """What a work with a transaction to itself gives, or why it failed and was undone."""
    try:
        return work(db), None
    except Exception as fault:
        whole.rollback()
        return None, fault


def _apart(db: Connection, work: Work) -> tuple[Any, Exception | None]:
    """What a work within a transaction gives, or why it failed and was undone."""
    try:
        with db.begin_nested():
            return work(db), None
    except Exception as fault:
        return None, fault
