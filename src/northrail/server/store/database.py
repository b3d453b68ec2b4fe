"""Store tables in SQLite or PostgreSQL, through SQLAlchemy. The primary key (table, version) is the lock."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from northrail.errors import NorthrailError
from northrail.server.match import Command, Json, SeatInfo, TableInfo
from northrail.server.metrics import Metrics
from northrail.server.store import schema
from northrail.server.store.faults import DatabaseFault, fault_of
from northrail.server.store.schema import chat, commands, keys, review_steps, reviews, sealed, seats, tables
from northrail.server.store.sqlite import OpenFile, copy, driver_of, engine_for
from northrail.server.store.writer import Writer

CHANNEL = "northrail"
CHECK_AGAIN = 1.0  # seconds for which the last answer about faults holds
CHECK_TIMEOUT = 3.0  # seconds that reading and writing may take before the database counts as locked
Outcome = TypeVar("Outcome")
BROKEN = (IntegrityError, sqlite3.IntegrityError)  # raised when a change breaks a constraint
Keys = dict[str, int | None]  # hash of a key -> its seat; None for the host's key

# Frequent statements are built once: building one takes longer than running it.
_HERE: sql.BindParameter[str] = sql.bindparam("at_table")
_FIND = tables.select().where(tables.c.id == _HERE)
_FIND_SEATS = seats.select().where(seats.c.table_id == _HERE).order_by(seats.c.seat)
_FIND_SEALED = sealed.select().where(sealed.c.table_id == _HERE)
_FIND_COMMANDS = (
    sql.select(*(commands.c[name] for name in ("version", "seat", "by", "at", "choice", "key")))
    .where(commands.c.table_id == _HERE, commands.c.version > sql.bindparam("after"))
    .order_by(commands.c.version)
)
_FIND_CHAT = (
    sql.select(*(chat.c[name] for name in ("number", "seat", "name", "text", "at")))
    .where(chat.c.table_id == _HERE, chat.c.number > sql.bindparam("after"))
    .order_by(chat.c.number)
)
_FIND_KEYS = sql.select(keys.c.hash, keys.c.seat).where(
    keys.c.table_id == _HERE, keys.c.hash.in_(sql.bindparam("hashes", expanding=True))
)
_FIND_OWN_KEYS = _FIND_KEYS.where(keys.c.until.is_(None))
_FIND_LINKS = _FIND_KEYS.where(keys.c.until.is_not(None), keys.c.until > sql.bindparam("now"))
_ADD_COMMAND = commands.insert()
_UNSEAL = sealed.delete().where(sealed.c.table_id == _HERE, sealed.c.seat == sql.bindparam("at_seat"))
_SET_PRESENCE = (
    seats.update()
    .where(seats.c.table_id == _HERE, seats.c.seat == sql.bindparam("at_seat"))
    .values(here_until=sql.bindparam("until"))
)
_EXTEND_PRESENCE = _SET_PRESENCE.where(sql.func.coalesce(seats.c.here_until, 0.0) < sql.bindparam("until"))


@lru_cache(maxsize=64)
def _touching(changes: tuple[str, ...], even_closed: bool) -> sql.UpdateBase:
    """Return the statement that notes a change of a table and sets these columns to parameters ``new_…``."""
    where = [tables.c.id == _HERE, *([] if even_closed else [tables.c.closed.is_(False)])]
    values: dict[str, Any] = {name: sql.bindparam(f"new_{name}") for name in changes}
    values |= {"revision": tables.c.revision + sql.literal_column("1"), "touched": sql.bindparam("now")}
    return tables.update().where(*where).values(**values).returning(tables.c.revision)


@lru_cache(maxsize=64)
def _text_of(statement: sql.UpdateBase) -> str:
    """Return a statement as SQLite's driver takes it."""
    return str(statement.compile(dialect=sqlite.dialect(paramstyle="named")))


class Stale(Exception):
    """Another change came first: the state that this change was based on is out of date."""


class BadStore(NorthrailError):
    """A database that cannot be used."""


@dataclass(frozen=True)
class Stored:
    """A table as it is stored."""

    info: TableInfo
    seats: list[SeatInfo]
    revision: int
    sealed: dict[int, list[int]]  # seat -> the first tickets that it chose early and that are not played yet
    commands: list[Command]
    chat: list[Json]


class Store:
    """The database. Every change is one transaction and returns the table's new revision.

    A transaction is a plain function of a connection. On PostgreSQL it runs in the event loop. On SQLite the whole
    function runs in a thread, and every write in the thread of the `Writer`. An asyncio driver for SQLite would switch
    threads a dozen times per move.
    """

    def __init__(self, url: str, metrics: Metrics | None = None) -> None:
        parsed = _url(url)
        self._metrics = metrics or Metrics()
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        self._url = parsed
        self._asyncpg = None if self.is_sqlite else _asyncpg()
        self._errors = _errors(self._asyncpg)
        self._engine: AsyncEngine | None = None if self.is_sqlite else _postgresql(parsed, self._connect)
        self._sqlite: sql.Engine | None = engine_for(parsed) if self.is_sqlite else None
        self._file: OpenFile | None = OpenFile(Path(parsed.database or "")) if self.is_sqlite else None
        self._writer: Writer | None = None
        self._checked: tuple[float, str] = (-CHECK_AGAIN, "")  # when we last looked for faults, and the one we found
        self.last_write = 0.0  # when something was stored last
        self._readers = ThreadPoolExecutor(2, "store-read")
        self._listener: Any = None

    async def open(self) -> None:
        """Create missing tables and migrate older ones; raise BadStore if the database cannot be used."""
        if self._sqlite is not None and self._file is not None:
            self._file.create()
            self._writer = Writer(self._sqlite, self._file.must_be_there)
        try:
            found = await self._write(self._create)
            if found < schema.VERSION:
                await self._back_up(found)
                found = await self._write(self._migrate)
        except DatabaseFault as error:
            raise self._unusable(error) from error
        if found > schema.VERSION:
            expected = f"expected a database of version {schema.VERSION} or older, got {found}"
            raise BadStore(f"{expected}: it belongs to a newer version of Northrail")

    def _create(self, db: Connection) -> int:
        """Create missing tables; return the version of the schema."""
        self._lock(db)
        schema.metadata.create_all(db)
        found: int | None = db.execute(sql.select(schema.versions.c.version)).scalar()
        if found is None:
            found = schema.VERSION
            db.execute(schema.versions.insert().values(version=found))
        return found

    def _lock(self, db: Connection) -> None:
        """Let no other process create or migrate tables at the same time. On SQLite every write locks the file."""
        if not self.is_sqlite:
            db.execute(sql.text("SELECT pg_advisory_xact_lock(7204)"))

    async def _back_up(self, version: int) -> None:
        """Copy an SQLite file before its schema changes, beside it and once for each version."""
        if self._file is None:
            return
        path = self._file.path
        target = path.with_name(f"{path.name}.version-{version}")
        if target.exists():
            return
        try:
            await asyncio.to_thread(copy, path, target)
        except FileExistsError:
            return  # another process was first
        except (OSError, sqlite3.Error) as error:
            raise BadStore(f"{path}: expected to copy it to {target.name} before changing it, got {error}") from error

    def _migrate(self, db: Connection) -> int:
        """Bring the schema to the current version, all of it or nothing; return the version."""
        self._lock(db)
        found = int(db.execute(sql.select(schema.versions.c.version)).scalar_one())  # another process may be done
        for version in range(found, schema.VERSION):
            migration = schema.MIGRATIONS[version]
            for table, expected in migration.columns.items():
                missing = expected - {column["name"] for column in sql.inspect(db).get_columns(table)}
                if missing:
                    raise DatabaseFault("corrupt", f"version {version} has {table}.{min(missing)}, this file does not")
            for statement in migration.statements:
                db.execute(sql.text(statement))
        db.execute(schema.versions.update().values(version=schema.VERSION))
        return schema.VERSION

    def _unusable(self, error: Exception) -> BadStore:
        where = self._url.set(query={}).render_as_string(hide_password=True)
        reason = str(error) or type(error).__name__
        folder = Path(self._url.database or "").parent
        if self.is_sqlite and not folder.is_dir():
            reason = f"the folder {folder} does not exist; create it first"
        return BadStore(f"{where}: cannot use this database: {reason.splitlines()[0]}")

    def _connect(self) -> Any:
        """Connect to PostgreSQL. asyncpg parses the address, because it knows more options than SQLAlchemy."""
        assert self._asyncpg is not None
        return self._asyncpg.connect(self._url.set(drivername="postgresql").render_as_string(hide_password=False))

    async def close(self) -> None:
        """Close the database."""
        if self._listener is not None:
            with suppress(Exception):
                await self._listener.close()
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self._readers.shutdown)
        if self._engine is not None:
            await self._engine.dispose()
        if self._sqlite is not None:
            self._sqlite.dispose()

    async def fault(self) -> str:
        """Return what is wrong with the database, in a word; empty if it can be read and written.

        The answer is kept for a moment, so that asking often costs little.
        """
        if time.monotonic() - self._checked[0] > CHECK_AGAIN:
            self._checked = time.monotonic(), await self._find_fault()
        return self._checked[1]

    async def _find_fault(self) -> str:
        # This changes nothing, but only a database that can be written does it.
        touch = schema.versions.update().values(version=schema.versions.c.version)
        try:
            async with asyncio.timeout(CHECK_TIMEOUT):
                if self._file is not None:
                    await asyncio.to_thread(self._file.read)
                await self._write(lambda db: db.execute(touch).rowcount, is_check=True)
        except TimeoutError:
            return "locked"
        except DatabaseFault as error:
            return error.fault
        return ""

    async def _read(self, work: Callable[[Connection], Outcome]) -> Outcome:
        """Run a function that only reads, and return its result; raise DatabaseFault if the database fails."""

        def in_thread() -> Outcome:
            assert self._sqlite is not None
            with self._sqlite.connect() as db:
                return work(db)

        with self._faults_named(), self._metrics.transaction("read"):
            if self._engine is None:
                return await asyncio.get_running_loop().run_in_executor(self._readers, in_thread)
            async with self._engine.connect() as db:
                return await db.run_sync(work)

    async def _write(self, work: Callable[[Connection], Outcome], is_check: bool = False) -> Outcome:
        """Run a function in one transaction, and return its result; raise DatabaseFault if the database fails."""
        with self._faults_named(), self._metrics.transaction("check" if is_check else "write"):
            if self._writer is not None:
                result = await asyncio.wrap_future(self._writer.write(work))
            else:
                assert self._engine is not None
                async with self._engine.begin() as db:
                    result = await db.run_sync(work)
        if not is_check:
            self.last_write = time.time()
        return result

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """Turn a driver's errors into DatabaseFault. A broken constraint is no fault: another change came first."""
        try:
            yield
        except BROKEN:
            raise
        except self._errors as error:
            fault = fault_of(error)
            self._metrics.store_faults.labels(fault.fault).inc()
            raise fault from (None if fault is error else error)

    def _execute(self, db: Connection, statement: sql.UpdateBase, values: Json) -> list[Any]:
        """Run a frequent statement; return its rows. On SQLite its driver runs it: SQLAlchemy takes five times as long.

        The values must be of the types that SQLite knows.
        """
        if self.is_sqlite:
            rows: list[Any] = driver_of(db).execute(_text_of(statement), values).fetchall()
            return rows
        result = db.execute(statement, values)
        return list(result) if result.returns_rows else []

    def _touch(self, db: Connection, table: str, now: float, even_closed: bool = False, **changes: Any) -> int:
        """Note a change of a table and notify other processes. Return the new revision; raise Stale if it is closed."""
        values = {f"new_{name}": value for name, value in changes.items()} | {"at_table": table, "now": now}
        rows = self._execute(db, _touching(tuple(changes), even_closed), values)
        if not rows:
            raise Stale
        revision = rows[0][0]
        if not self.is_sqlite:
            notice = {"channel": CHANNEL, "change": f"{table} {revision}"}
            db.execute(sql.text("SELECT pg_notify(:channel, :change)"), notice)
        return int(revision)

    # --- changes by other processes

    async def listen(self, on_change: Callable[[str, int], None]) -> None:
        """Call ``on_change`` with a table's id and revision whenever any process changes it; PostgreSQL only."""

        def receive(_connection: Any, _pid: int, _channel: str, change: str) -> None:
            table, _, revision = change.partition(" ")
            on_change(table, int(revision))

        try:
            self._listener = await self._connect()
            await self._listener.add_listener(CHANNEL, receive)
        except self._errors as error:
            raise self._unusable(error) from error

    @property
    def is_listening(self) -> bool:
        """Whether the listening connection is open."""
        return self._listener is not None and not self._listener.is_closed()

    async def change_counter(self) -> tuple[int, int]:
        """Return two numbers, at least one of which changes when another process writes; SQLite only."""

        def work(db: Connection) -> tuple[int, int]:
            assert self._writer is not None
            # data_version is only comparable within a connection, so include which connection this is.
            return self._writer.connections, int(db.exec_driver_sql("PRAGMA data_version").scalar() or 0)

        return await self._write(work, is_check=True)

    async def revisions(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the revisions of tables, by id."""
        query = sql.select(tables.c.id, tables.c.revision).where(tables.c.id.in_(list(ids)))
        return await self._read(lambda db: {row.id: row.revision for row in db.execute(query)})

    # --- tables

    async def count_unfinished(self) -> int:
        """Return how many games are waiting or running."""
        query = sql.select(sql.func.count()).select_from(tables).where(tables.c.status.in_(("waiting", "running")))
        return await self._read(lambda db: int(db.execute(query).scalar() or 0))

    async def sweep(self, waiting: float, running: float) -> int:
        """Delete tables untouched since these times, waiting or running; return how many."""
        old = sql.or_(
            sql.and_(tables.c.status == "waiting", tables.c.touched < waiting),
            sql.and_(tables.c.status == "running", tables.c.touched < running),
        )

        # Skip tables that are locked by a change right now. Seats, keys and commands are deleted with their table.
        chosen = sql.select(tables.c.id).where(old).with_for_update(skip_locked=True)
        return await self._write(lambda db: int(db.execute(tables.delete().where(tables.c.id.in_(chosen))).rowcount))

    async def make(self, info: TableInfo, seat_infos: list[SeatInfo], held: Keys) -> None:
        """Store a new table, whose game has not begun; ``held`` maps the hash of each key to its seat."""
        await self._write(lambda db: self._make(db, info, seat_infos, held))

    def _make(self, db: Connection, info: TableInfo, seat_infos: list[SeatInfo], held: Keys) -> None:
        row = asdict(info) | {"start": None if info.start is None else json.dumps(info.start)}
        row |= {"status": "waiting", "version": 0, "turn": None, "winners": None, "touched": info.made, "revision": 1}
        db.execute(tables.insert().values(**row))
        db.execute(seats.insert(), [{"table_id": info.id, **asdict(seat_info)} for seat_info in seat_infos])
        db.execute(keys.insert(), [_key(info.id, hash_, seat) for hash_, seat in held.items()])

    async def make_rematch(self, table: str, info: TableInfo, seat_infos: list[SeatInfo], held: Keys) -> int:
        """Store the table of a rematch; raise Stale if there is one already."""
        fresh = tables.update().where(tables.c.id == table, tables.c.rematch.is_(None)).values(rematch=info.id)

        def work(db: Connection) -> int:
            if not db.execute(fresh).rowcount:
                raise Stale
            self._make(db, info, seat_infos, held)
            return self._touch(db, table, info.made, even_closed=True)

        return await self._write(work)

    async def load(self, table: str, version: int = 0, lines: int = 0) -> Stored | None:
        """Return a table with its commands after a version and its chat after a line; None if there is no such table.

        One thread reads all of it: to hand work to a thread takes longer than most reads.
        """

        def work(db: Connection) -> Stored | None:
            found = _find(db, table)
            if found is None:
                return None
            # Sealed choices first: if one is played between the reads, its command removes it again.
            return Stored(*found, _sealed(db, table), _commands(db, table, version), _chat(db, table, lines))

        return await self._read(work)

    async def find_many(self, ids: list[str]) -> list[tuple[TableInfo, list[SeatInfo], Json]]:
        """Return tables in the order of ``ids``: their info, seats, and status, version, turn, winners and touched."""

        def work(db: Connection) -> tuple[dict[str, Any], dict[str, list[SeatInfo]]]:
            rows = {row["id"]: row for row in db.execute(tables.select().where(tables.c.id.in_(ids))).mappings()}
            seats_of: dict[str, list[SeatInfo]] = {}
            query = seats.select().where(seats.c.table_id.in_(ids)).order_by(seats.c.table_id, seats.c.seat)
            for each in db.execute(query).mappings():
                seats_of.setdefault(each["table_id"], []).append(_seat_info(each))
            return rows, seats_of

        rows, seats_of = await self._read(work)
        names = ("status", "version", "turn", "touched")
        return [
            (
                _table_info(rows[table]),
                seats_of[table],
                {name: rows[table][name] for name in names} | {"winners": json.loads(rows[table]["winners"] or "null")},
            )
            for table in ids
            if table in rows
        ]

    async def commands(self, table: str, after: int = 0) -> list[Command]:
        """Return a table's commands after a version."""
        return await self._read(lambda db: _commands(db, table, after))

    async def chat(self, table: str, after: int) -> list[Json]:
        """Return the chat lines after a line number."""
        return await self._read(lambda db: _chat(db, table, after))

    # --- reviews

    async def review(self, table: str, after: int) -> tuple[float, Json | None, list[Json]] | None:
        """Return until when a process holds a review, its summary once it is done, and its steps from a number on."""
        steps = sql.select(review_steps.c.step).where(review_steps.c.table_id == table, review_steps.c.number >= after)

        def work(db: Connection) -> tuple[float, Json | None, list[Json]] | None:
            row = db.execute(reviews.select().where(reviews.c.table_id == table)).first()
            if row is None:
                return None
            found = [json.loads(each.step) for each in db.execute(steps.order_by(review_steps.c.number))]
            return row.until, None if row.summary is None else json.loads(row.summary), found

        return await self._read(work)

    async def ask_review(self, table: str, now: float) -> None:
        """Store that someone asked for a review, unless someone has before."""
        row = {"table_id": table, "asked": now, "holder": None, "until": 0.0, "summary": None}
        with suppress(IntegrityError):
            await self._write(lambda db: db.execute(reviews.insert().values(**row)).rowcount)

    async def hold_review(self, table: str, holder: str, now: float, until: float) -> bool:
        """Let a process work on a review, unless another one does or it is done; return whether it may."""
        free = sql.or_(reviews.c.until < now, reviews.c.holder == holder)
        mine = reviews.update().where(reviews.c.table_id == table, reviews.c.summary.is_(None), free)
        return await self._write(lambda db: db.execute(mine.values(holder=holder, until=until)).rowcount > 0)

    async def add_review_steps(self, table: str, steps: list[Json], holder: str, until: float) -> None:
        """Store steps of a review; raise Stale if another process has taken over."""
        mine = reviews.update().where(reviews.c.table_id == table, reviews.c.holder == holder).values(until=until)
        rows = [{"table_id": table, "number": step["number"], "step": json.dumps(step)} for step in steps]

        def work(db: Connection) -> None:
            if not db.execute(mine).rowcount:
                raise Stale
            db.execute(review_steps.insert(), rows)

        await self._write(work)

    async def finish_review(self, table: str, summary: Json) -> None:
        """Store the summary of a review, whose steps are all stored."""
        done = reviews.update().where(reviews.c.table_id == table).values(summary=json.dumps(summary), until=0.0)
        await self._write(lambda db: db.execute(done).rowcount)

    # --- changes

    async def add_command(
        self, table: str, command: Command, was_sealed: bool, status: str, turn: int | None, winners: list[int] | None
    ) -> int:
        """Store a command; raise Stale if its version is taken or the table is closed.

        ``was_sealed`` says whether it is the seat's sealed choice. One that another process sealed meanwhile wins.
        """
        row = {"table_id": table, **command.row()}
        listed: Json = {"status": status, "turn": turn, "winners": None if winners is None else json.dumps(winners)}
        seat = {"at_table": table, "at_seat": command.seat}

        def work(db: Connection) -> int:
            self._execute(db, _ADD_COMMAND, row)
            revision = self._touch(db, table, command.at, version=command.version, **listed)
            if command.choice["kind"] == "keep" and db.execute(_UNSEAL, seat).rowcount and not was_sealed:
                raise Stale
            return revision

        try:
            return await self._write(work)
        except BROKEN as error:
            raise Stale from error

    async def seal(self, table: str, seat: int, tickets: list[int], now: float) -> int:
        """Store first tickets that a seat chose early; raise Stale if it has already chosen."""
        chosen = sql.exists().where(commands.c.table_id == table, commands.c.seat == seat)

        def work(db: Connection) -> int:
            revision = self._touch(db, table, now)  # first: this locks the table, so the seat cannot choose meanwhile
            if db.execute(sql.select(chosen)).scalar():
                raise Stale
            db.execute(sealed.insert().values(table_id=table, seat=seat, tickets=json.dumps(tickets)))
            return revision

        try:
            return await self._write(work)
        except IntegrityError as error:
            raise Stale from error

    async def add_chat(self, table: str, seat: int, name: str, text: str, now: float) -> int:
        """Store a chat line."""

        def work(db: Connection) -> int:
            revision = self._touch(db, table, now)  # first: this locks the table, so no other line takes the number
            last = db.execute(sql.select(sql.func.max(chat.c.number)).where(chat.c.table_id == table)).scalar()
            row = {"number": (last or 0) + 1, "seat": seat, "name": name, "text": text, "at": now}
            db.execute(chat.insert().values(table_id=table, **row))
            return revision

        return await self._write(work)

    async def change_seat(
        self, table: str, seat_info: SeatInfo, was: str, now: float, held: Keys | None = None, given_away: bool = False
    ) -> int:
        """Store who plays in a seat; raise Stale if it is no longer of the kind ``was``: person, bot or open.

        A seat can be ``given_away`` only before the game begins; this deletes its keys.
        """
        values = asdict(seat_info)
        del values["seat"], values["here_until"]
        here = sql.and_(seats.c.table_id == table, seats.c.seat == seat_info.seat, seats.c.who == was)

        def work(db: Connection) -> int:
            revision = self._touch(db, table, now)  # first: this locks the table, so the game cannot begin meanwhile
            if not db.execute(seats.update().where(here).values(**values)).rowcount:
                raise Stale
            if given_away:
                if db.execute(sql.select(tables.c.began).where(tables.c.id == table)).scalar() is not None:
                    raise Stale
                db.execute(keys.delete().where(keys.c.table_id == table, keys.c.seat == seat_info.seat))
            for hash_, seat in (held or {}).items():
                db.execute(keys.insert().values(**_key(table, hash_, seat)))
            return revision

        return await self._write(work)

    async def change_table(self, table: str, now: float, **changes: Any) -> int:
        """Change some of the table's info."""
        return await self._write(lambda db: self._touch(db, table, now, **changes))

    async def close_table(self, table: str, now: float) -> int:
        """Close a table before its game is over."""
        return await self.change_table(table, now, closed=True, status="closed", turn=None)

    async def begin(self, table: str, turn: int, now: float) -> int:
        """Start the game, with this seat to move; raise Stale if it has begun or a seat is open."""
        fresh = sql.and_(tables.c.id == table, tables.c.began.is_(None))
        waits = sql.exists().where(seats.c.table_id == table, seats.c.who == "open")

        def work(db: Connection) -> int:
            # First: this locks the table, so no seat can be given away meanwhile.
            if not db.execute(tables.update().where(fresh).values(began=now)).rowcount:
                raise Stale
            if db.execute(sql.select(waits)).scalar():
                raise Stale
            return self._touch(db, table, now, status="running", turn=turn)

        return await self._write(work)

    async def set_presence(self, connected: dict[tuple[str, int], float], now: float, notify: bool) -> dict[str, int]:
        """Store until when the people at seats count as connected; with ``notify``, return the tables' new revisions.

        Without ``notify`` the time is never shortened, because another process may know better.
        """

        def work(db: Connection) -> dict[str, int]:
            # Always lock in the same order, tables before seats, so that two processes cannot deadlock.
            touched = sorted({table for table, _ in connected}) if notify else ()
            revisions = {table: self._touch(db, table, now, even_closed=True) for table in touched}
            rows = [{"at_table": at[0], "at_seat": at[1], "until": connected[at]} for at in sorted(connected)]
            db.execute(_SET_PRESENCE if notify else _EXTEND_PRESENCE, rows)
            return revisions

        return await self._write(work) if connected else {}

    async def presence(self, ids: Iterable[str]) -> dict[tuple[str, int], float]:
        """Return until when the people at these tables' seats count as connected."""
        wanted = sql.and_(seats.c.table_id.in_(list(ids)), seats.c.here_until.is_not(None))
        query = sql.select(seats.c.table_id, seats.c.seat, seats.c.here_until).where(wanted)
        return await self._read(lambda db: {(row.table_id, row.seat): row.here_until for row in db.execute(query)})

    # --- keys

    async def add_key(
        self, table: str, hash_: str, seat: int, by: Iterable[str], now: float, until: float | None = None
    ) -> None:
        """Store the hash of a seat's key or link, and delete expired links.

        Raise Stale if none of the keys in ``by`` opens the seat any more.
        """
        lock = sql.select(tables.c.id).where(tables.c.id == table).with_for_update()
        opening = sql.and_(keys.c.table_id == table, keys.c.seat == seat, keys.c.hash.in_(list(by)))

        def work(db: Connection) -> None:
            db.execute(lock)  # so that the seat cannot be given away meanwhile
            if not db.execute(sql.select(sql.exists().where(opening))).scalar():
                raise Stale
            db.execute(keys.delete().where(keys.c.table_id == table, keys.c.until < now))
            db.execute(keys.insert().values(**_key(table, hash_, seat, until)))

        await self._write(work)

    async def find_keys(self, table: str, hashes: Iterable[str], now: float, links: bool = False) -> Keys:
        """Return which of these keys open something at a table: hash -> seat, or None for the host.

        With ``links``, look up the keys of personal links instead.
        """
        query, more = (_FIND_LINKS, {"now": now}) if links else (_FIND_OWN_KEYS, {})
        wanted = {"at_table": table, "hashes": list(hashes), **more}
        return await self._read(lambda db: {row.hash: row.seat for row in db.execute(query, wanted)})


def _find(db: Connection, table: str) -> tuple[TableInfo, list[SeatInfo], int] | None:
    row = db.execute(_FIND, {"at_table": table}).mappings().first()
    if row is None:
        return None
    found = db.execute(_FIND_SEATS, {"at_table": table}).mappings()
    return _table_info(row), [_seat_info(each) for each in found], int(row["revision"])


def _sealed(db: Connection, table: str) -> dict[int, list[int]]:
    return {row.seat: json.loads(row.tickets) for row in db.execute(_FIND_SEALED, {"at_table": table})}


def _commands(db: Connection, table: str, after: int) -> list[Command]:
    rows = db.execute(_FIND_COMMANDS, {"at_table": table, "after": after})
    return [Command(version, seat, by, at, json.loads(choice), key) for version, seat, by, at, choice, key in rows]


def _chat(db: Connection, table: str, after: int) -> list[Json]:
    rows = db.execute(_FIND_CHAT, {"at_table": table, "after": after})
    return [dict(row) for row in rows.mappings()]


def _key(table: str, hash_: str, seat: int | None, until: float | None = None) -> Json:
    return {"hash": hash_, "table_id": table, "seat": seat, "until": until}


def _table_info(row: Any) -> TableInfo:
    names = TableInfo.__dataclass_fields__
    start = None if row["start"] is None else json.loads(row["start"])
    return TableInfo(**{name: row[name] for name in names} | {"start": start})


def _seat_info(row: Any) -> SeatInfo:
    return SeatInfo(**{name: row[name] for name in SeatInfo.__dataclass_fields__})


def _url(url: str) -> URL:
    """Return the address of a database, with the driver we use."""
    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
    except sql.exc.ArgumentError as error:
        raise BadStore(f"expected a file, or an address such as postgresql://user@host/name, got {url!r}") from error
    drivers = {"sqlite": "sqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
    backend = parsed.drivername.split("+")[0]
    if backend not in drivers:
        raise BadStore(f"expected an SQLite file or a PostgreSQL address, got {backend}")
    # SQLAlchemy's `ssl` is PostgreSQL's `sslmode`.
    query = {"sslmode" if name == "ssl" else name: value for name, value in parsed.query.items()}
    return parsed.set(drivername=drivers[backend], query=query)


def _asyncpg() -> ModuleType:
    """Import asyncpg, an extra that only PostgreSQL needs."""
    try:
        return import_module("asyncpg")
    except ModuleNotFoundError as error:
        raise BadStore("PostgreSQL needs asyncpg; run: pip install 'northrail[postgres]'") from error


def _errors(asyncpg: ModuleType | None) -> tuple[type[Exception], ...]:
    """Return the types of exceptions that an unusable database raises."""
    more = () if asyncpg is None else (asyncpg.PostgresError, asyncpg.InterfaceError)
    return DatabaseFault, OSError, sql.exc.SQLAlchemyError, sqlite3.Error, *more


def _postgresql(url: URL, connect: Callable[[], Any]) -> AsyncEngine:
    return create_async_engine(url, async_creator=connect, pool_size=10, max_overflow=10, pool_pre_ping=True)
