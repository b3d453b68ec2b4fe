"""What can be wrong with a database, in a word."""

import sqlite3

import sqlalchemy as sql

FAILING = "failing"
# The start of SQLite's name for an error -> the fault
_SQLITE = {
    "SQLITE_BUSY": "locked",
    "SQLITE_LOCKED": "locked",
    "SQLITE_READONLY": "read_only",
    "SQLITE_PERM": "read_only",
    "SQLITE_FULL": "full",
    "SQLITE_CORRUPT": "corrupt",
    "SQLITE_NOTADB": "corrupt",
    "SQLITE_CANTOPEN": "gone",
}


class DatabaseFault(Exception):
    """The database cannot be used now: nothing was stored. ``fault`` says why in a word."""

    def __init__(self, fault: str, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault


def fault_of(error: BaseException) -> DatabaseFault:
    """Return the fault behind an error of a database driver."""
    if isinstance(error, DatabaseFault):
        return error
    cause = getattr(error, "orig", None) or error if isinstance(error, sql.exc.SQLAlchemyError) else error
    name = getattr(cause, "sqlite_errorname", "") if isinstance(cause, sqlite3.Error) else ""
    word = next((word for start, word in _SQLITE.items() if name.startswith(start)), FAILING)
    lines = str(cause).splitlines() or [type(cause).__name__]
    return DatabaseFault(word, lines[0])
