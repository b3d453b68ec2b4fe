"""The writer thread: jobs that wait share a commit, and a job that fails does not affect the others."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from northrail.server.store.database import Store
from northrail.server.store.sqlite import engine_for
from northrail.server.store.writer import Writer


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sql.Engine]:
    made = engine_for(sql.engine.make_url(f"sqlite:///{tmp_path / 'tables.db'}"))
    with made.connect() as db:
        db.exec_driver_sql("CREATE TABLE things (name TEXT PRIMARY KEY)")
    yield made
    made.dispose()


def add(*names: str, fault: Exception | None = None) -> Callable[[Connection], int]:
    """Return a function that inserts things, and then raises ``fault`` if there is one."""

    def work(db: Connection) -> int:
        for name in names:
            db.exec_driver_sql("INSERT INTO things VALUES (?)", (name,))
        if fault is not None:
            raise fault
        return len(names)

    return work


def busy(writer: Writer) -> tuple[Future[bool], threading.Event]:
    """Start a job that keeps the writer busy until the event is set."""
    began, gate = threading.Event(), threading.Event()

    def work(_db: Connection) -> bool:
        began.set()
        return gate.wait(20)

    future = writer.write(work)
    assert began.wait(20)
    return future, gate


def things(engine: sql.Engine) -> list[str]:
    with engine.connect() as db:
        return sorted(db.exec_driver_sql("SELECT name FROM things").scalars())


def commits(engine: sql.Engine) -> list[int]:
    """Return a list that grows with each commit."""
    counted: list[int] = []
    sql.event.listen(engine, "commit", lambda _connection: counted.append(1))
    return counted


def test_jobs_that_wait_share_a_commit_and_only_a_failing_one_is_rolled_back(engine: sql.Engine) -> None:
    writer, counted = Writer(engine), commits(engine)
    first, gate = busy(writer)
    works = [add("a"), add("b", "c", fault=KeyError("no")), add("a"), add("d")]
    futures = [writer.write(work) for work in works]
    assert not any(future.done() for future in futures)
    gate.set()
    assert first.result(20)
    assert futures[0].result(20) == futures[3].result(20) == 1
    assert isinstance(futures[1].exception(20), KeyError)
    assert isinstance(futures[2].exception(20), sql.exc.IntegrityError)
    writer.close()
    assert things(engine) == ["a", "d"]
    assert len(counted) == 2


def test_a_single_job_that_fails_is_rolled_back_and_the_next_one_succeeds(engine: sql.Engine) -> None:
    writer = Writer(engine)
    assert isinstance(writer.write(add("a", fault=KeyError("no"))).exception(20), KeyError)
    assert writer.write(add("b")).result(20) == 1
    assert things(engine) == ["b"]
    writer.close()


def test_when_a_commit_fails_every_job_in_it_fails(engine: sql.Engine) -> None:
    writer = Writer(engine)

    def refuse(_connection: Connection) -> None:
        raise OSError("the disk is full")

    first, gate = busy(writer)
    futures = [writer.write(add(name)) for name in "ab"]
    sql.event.listen(engine, "commit", refuse)
    gate.set()
    assert isinstance(first.exception(20), OSError)
    assert all(isinstance(future.exception(20), OSError) for future in futures)
    sql.event.remove(engine, "commit", refuse)
    assert things(engine) == []
    assert writer.write(add("c")).result(20) == 1
    writer.close()
    assert things(engine) == ["c"]


@pytest.mark.parametrize("works", [0, 1, 2])
def test_a_write_by_another_process_is_noticed_even_after_failed_jobs_or_a_lost_connection(
    tmp_path: Path, engine: sql.Engine, works: int
) -> None:
    """A connection counts the changes of others since it was opened, so a new one starts again."""

    async def look() -> None:
        store = Store(str(tmp_path / "tables.db"))
        await store.open()
        looked = await store.change_counter()
        assert await store.change_counter() == looked
        failing = [store._write(add("a", fault=KeyError("no"))) for _ in range(works)]
        assert all(isinstance(each, KeyError) for each in await asyncio.gather(*failing, return_exceptions=True))
        assert store._writer is not None
        assert store._writer.connections == 1
        if not works:
            store._writer._disconnect()
        with engine.connect() as other:
            other.exec_driver_sql("INSERT INTO things VALUES ('theirs')")
        assert await store.change_counter() != looked
        await store.close()

    asyncio.run(look())


def test_closing_finishes_the_queued_jobs_that_were_not_cancelled(engine: sql.Engine) -> None:
    writer = Writer(engine)
    _first, gate = busy(writer)
    futures = [writer.write(add(name)) for name in "abc"]
    assert futures[1].cancel()
    gate.set()
    writer.close()
    assert things(engine) == ["a", "c"]
