"""The thread that writes: works that wait share a commit, and none of them spoils another's."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from northrail.server.store.database import Store, _sqlite
from northrail.server.store.writer import Writer


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sql.Engine]:
    made = _sqlite(sql.engine.make_url(f"sqlite:///{tmp_path / 'tables.db'}"))
    with made.connect() as db:
        db.exec_driver_sql("CREATE TABLE things (name TEXT PRIMARY KEY)")
    yield made
    made.dispose()


def add(*names: str, fault: Exception | None = None) -> Callable[[Connection], int]:
    """A work that adds things, and fails if it is to."""

    def work(db: Connection) -> int:
        for name in names:
            db.exec_driver_sql("INSERT INTO things VALUES (?)", (name,))
        if fault is not None:
            raise fault
        return len(names)

    return work


def busy(writer: Writer) -> tuple[Future[bool], threading.Event]:
    """A work that is under way until the event is set."""
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
    """Grows with each commit."""
    counted: list[int] = []
    sql.event.listen(engine, "commit", lambda _connection: counted.append(1))
    return counted


def test_works_that_wait_share_a_commit_and_one_that_fails_is_undone_alone(engine: sql.Engine) -> None:
    writer, counted = Writer(engine), commits(engine)
    first, gate = busy(writer)
    works = [add("a"), add("b", "c", fault=KeyError("no")), add("a"), add("d")]
    asked = [writer.write(work) for work in works]
    assert not any(each.done() for each in asked)
    gate.set()
    assert first.result(20)
    assert asked[0].result(20) == asked[3].result(20) == 1
    assert isinstance(asked[1].exception(20), KeyError)
    assert isinstance(asked[2].exception(20), sql.exc.IntegrityError)
    writer.close()
    assert things(engine) == ["a", "d"]
    assert len(counted) == 2


def test_a_work_alone_that_fails_leaves_nothing_and_the_next_goes_on(engine: sql.Engine) -> None:
    writer = Writer(engine)
    assert isinstance(writer.write(add("a", fault=KeyError("no"))).exception(20), KeyError)
    assert writer.write(add("b")).result(20) == 1
    assert things(engine) == ["b"], "what was answered is kept"
    writer.close()


def test_nobody_is_told_of_what_could_not_be_committed(engine: sql.Engine) -> None:
    writer = Writer(engine)

    def refuse(_connection: Connection) -> None:
        raise OSError("the disk is full")

    first, gate = busy(writer)
    asked = [writer.write(add(name)) for name in "ab"]
    sql.event.listen(engine, "commit", refuse)
    gate.set()
    assert isinstance(first.exception(20), OSError)
    assert all(isinstance(each.exception(20), OSError) for each in asked)
    sql.event.remove(engine, "commit", refuse)
    assert things(engine) == []
    assert writer.write(add("c")).result(20) == 1
    writer.close()
    assert things(engine) == ["c"]


@pytest.mark.parametrize("works", [0, 1, 2])
def test_what_another_process_writes_is_noticed_also_after_works_that_failed_or_a_lost_connection(
    tmp_path: Path, engine: sql.Engine, works: int
) -> None:
    """A connection counts others' changes from its own beginning; a new one begins anew."""

    async def look() -> None:
        store = Store(str(tmp_path / "tables.db"))
        await store.open()
        looked = await store.others()
        assert await store.others() == looked
        failing = [store._write(add("a", fault=KeyError("no"))) for _ in range(works)]
        assert all(isinstance(each, KeyError) for each in await asyncio.gather(*failing, return_exceptions=True))
        assert store._writer is not None
        assert store._writer.connections == 1
        if not works:
            store._writer._hang_up()
        with engine.connect() as other:
            other.exec_driver_sql("INSERT INTO things VALUES ('theirs')")
        assert await store.others() != looked
        await store.close()

    asyncio.run(look())


def test_what_was_asked_is_done_before_the_end_unless_it_was_cancelled(engine: sql.Engine) -> None:
    writer = Writer(engine)
    _first, gate = busy(writer)
    asked = [writer.write(add(name)) for name in "abc"]
    assert asked[1].cancel()
    gate.set()
    writer.close()
    assert things(engine) == ["a", "c"]
