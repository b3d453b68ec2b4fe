"""Two processes change the same table at once, without deadlocks."""

import asyncio
from dataclasses import replace

import sqlalchemy as sql

from northrail.server.match import SeatInfo, TableInfo
from northrail.server.store.database import Stale, Store

ROUNDS = 40


def test_changing_seats_presence_and_sweeping_at_once_do_not_deadlock(database: str) -> None:
    one, other = Store(database), Store(database)
    anna, bo = SeatInfo(0, "person", "Anna"), SeatInfo(1, "open")

    async def go() -> None:
        for store in (one, other):
            await store.open()
        try:
            for at in range(ROUNDS):
                await change(f"table{at}", swept=at % 2 == 1)
        finally:
            for store in (one, other):
                await store.close()

    async def change(table: str, swept: bool) -> None:
        facts = TableInfo(table, "nordic-countries", "0" * 12, 1, "secret", made=1.0)
        await one.make(facts, [anna, bo], {f"hash of {table}": 0})
        changes = (
            one.change_seat(table, replace(bo, who="person", name="Bo"), was="open", now=3.0),
            other.set_presence({(table, 0): 9.0, (table, 1): 9.0}, 3.0, notify=True),
            one.change_seat(table, replace(anna, name="Ann"), was="person", now=3.0),
            other.set_presence({(table, 0): 8.0, (table, 1): 8.0}, 3.0, notify=False),
            *((other.sweep(2.0, 2.0), one.sweep(2.0, 2.0)) if swept else ()),
        )
        for outcome in await asyncio.gather(*changes, return_exceptions=True):
            if not (swept and isinstance(outcome, Stale)):  # a table that was swept away cannot be changed
                assert not isinstance(outcome, BaseException), outcome
        if not swept:
            found = await one.load(table)
            assert found is not None
            assert [(each.name, each.here_until) for each in found.seats] == [("Ann", 9.0), ("Bo", 9.0)]

    asyncio.run(go())


# What version 2 changed, backwards.
TO_VERSION_1 = (
    "ALTER TABLE tables ADD COLUMN faster BOOLEAN NOT NULL DEFAULT TRUE",
    *(f"ALTER TABLE tables DROP COLUMN {name}" for name in ("speed", "hints", "lesson", "rules", "host_name")),
    *(f"ALTER TABLE seats DROP COLUMN {name}" for name in ("colour", "timed_out")),
    "UPDATE northrail_schema SET version = 1",
)


def test_a_database_of_version_1_is_migrated_and_loses_nothing(database: str) -> None:
    info = TableInfo("table", "nordic-countries", "0" * 12, 1, "secret", made=1.0, speed="fast")

    async def go() -> None:
        store = Store(database)
        await store.open()
        await store.make(info, [SeatInfo(0, "person", "Anna"), SeatInfo(1, "bot", "Hare", "easy")], {"hash": 0})
        await store._write(lambda db: [db.execute(sql.text(statement)) for statement in TO_VERSION_1])
        await store.close()
        for _ in range(2):  # the second time there is nothing left to do
            store = Store(database)
            await store.open()
            found = await store.load("table")
            await store.close()
            assert found is not None
            assert found.info == info
            assert [(each.name, each.level, each.colour) for each in found.seats] == [
                ("Anna", None, None),
                ("Hare", "easy", None),
            ]

    asyncio.run(go())
