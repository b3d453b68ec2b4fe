"""An SQLite file: open it, notice when it is gone, and copy it while it is in use."""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import URL, Connection

from northrail.server.store.faults import DatabaseFault, fault_of

LOCK_TIMEOUT = 10  # seconds to wait for another process's write


def engine_for(url: URL) -> sql.Engine:
    """Return the engine for a file."""
    engine = sql.create_engine(url, pool_size=4, connect_args={"timeout": LOCK_TIMEOUT})

    @sql.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we send BEGIN ourselves
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")  # a move is on disk before we send it to anyone
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @sql.event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # Take the write lock at once: otherwise another process could write between our first read and our write.
        # Transactions that only read need no lock.
        if connection.get_execution_options().get("northrail_write"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def driver_of(db: Connection) -> sqlite3.Connection:
    """Return the driver's connection behind one of SQLAlchemy's."""
    found = db.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found


class OpenFile:
    """The file we opened. If someone deletes or replaces it, SQLite goes on writing to one that nobody will find."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: tuple[int, int] | None = None

    def create(self) -> None:
        """Create the file if it is missing. Only its owner can read it, because it holds hidden cards."""
        if str(self.path) != ":memory:":
            with suppress(OSError):  # SQLite says what is wrong when it opens the file
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))

    def must_be_there(self) -> None:
        """Raise DatabaseFault if the path no longer names the file that we opened first."""
        try:
            found = self.path.stat()
        except OSError as error:
            if self._opened is None:
                return  # SQLite creates it
            raise DatabaseFault("gone", f"{self.path} was deleted") from error
        if self._opened is None:
            self._opened = found.st_dev, found.st_ino
        elif self._opened != (found.st_dev, found.st_ino):
            raise DatabaseFault("gone", f"{self.path} was replaced by another file; restart the server to use it")

    def read(self) -> None:
        """Read from the disk with a new connection, whose cache is empty; raise DatabaseFault if that fails."""
        self.must_be_there()
        try:
            with closing(sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=rw", uri=True, timeout=2)) as db:
                db.execute("SELECT version FROM northrail_schema").fetchall()
                db.execute("SELECT id FROM tables ORDER BY touched DESC LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raise fault_of(error) from error


def copy(source: Path, target: Path) -> None:
    """Copy a database into a new file, consistently, even while others write; raise sqlite3.Error or OSError.

    The new file gets its name when it is complete, so that nobody takes half a copy for a whole one.
    """
    handle, name = tempfile.mkstemp(prefix=f"{target.name}.", dir=target.parent)  # only its owner can read it
    os.close(handle)
    unfinished = Path(name)
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=rw", uri=True, timeout=LOCK_TIMEOUT)) as old,
            closing(sqlite3.connect(unfinished)) as new,
        ):
            old.backup(new)
        if target.exists():
            raise FileExistsError(f"{target} exists")
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink()
        raise
