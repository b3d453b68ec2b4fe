"""The schema: the tables of the database and their columns."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql

VERSION = 3  # of the schema
metadata = sql.MetaData()


def _column(name: str, kind: Any, **more: Any) -> sql.Column[Any]:
    return sql.Column(name, kind, nullable=more.pop("nullable", False), **more)


def _table_id(**more: Any) -> sql.Column[Any]:
    return sql.Column(
        "table_id", sql.String(16), sql.ForeignKey("tables.id", ondelete="CASCADE"), nullable=False, **more
    )


versions = sql.Table("northrail_schema", metadata, _column("version", sql.Integer, primary_key=True))
tables = sql.Table(
    "tables",
    metadata,
    _column("id", sql.String(16), primary_key=True),
    _column("board", sql.String(80)),
    _column("digest", sql.String(12)),
    _column("seed", sql.BigInteger),
    _column("secret", sql.String(64)),
    _column("first", sql.Integer, nullable=True),
    _column("start", sql.Text, nullable=True),
    _column("clock", sql.Integer, nullable=True),
    _column("speed", sql.String(8)),
    _column("hints", sql.Boolean),
    _column("lesson", sql.String(80), nullable=True),
    _column("rules", sql.Integer),
    _column("host_name", sql.String(40), nullable=True),
    _column("made", sql.Float),
    _column("began", sql.Float, nullable=True),
    _column("clock_from", sql.Float),
    _column("closed", sql.Boolean),
    _column("rematch", sql.String(16), nullable=True),
    # What a list of tables shows, so that listing needs no replay.
    _column("status", sql.String(8), index=True),
    _column("version", sql.Integer),
    _column("turn", sql.Integer, nullable=True),
    _column("winners", sql.Text, nullable=True),
    _column("touched", sql.Float, index=True),
    # Every change increments the revision, so that other processes notice. Existing databases name the column "stamp".
    _column("stamp", sql.Integer, key="revision"),
)
seats = sql.Table(
    "seats",
    metadata,
    _table_id(primary_key=True),
    _column("seat", sql.Integer, primary_key=True, autoincrement=False),
    _column("who", sql.String(8)),
    _column("name", sql.String(40)),
    _column("level", sql.String(40), nullable=True),
    _column("colour", sql.Integer, nullable=True),
    _column("stand_in", sql.String(40), nullable=True),
    _column("timed_out", sql.Boolean),
    _column("resigned", sql.Boolean),
    _column("reserved", sql.Boolean),
    _column("here_until", sql.Float, nullable=True),
)
keys = sql.Table(
    "keys",
    metadata,
    _column("hash", sql.String(64), primary_key=True),
    _table_id(index=True),
    _column("seat", sql.Integer, nullable=True),  # None: the host
    _column("until", sql.Float, nullable=True),  # when a link expires; keys of seats do not expire
)
commands = sql.Table(
    "commands",
    metadata,
    _table_id(primary_key=True),
    _column("version", sql.Integer, primary_key=True, autoincrement=False),
    _column("seat", sql.Integer),
    _column("by", sql.String(8)),
    _column("at", sql.Float),
    _column("choice", sql.Text),
    _column("key", sql.String(64), nullable=True),
)
sealed = sql.Table(
    "sealed",
    metadata,
    _table_id(primary_key=True),
    _column("seat", sql.Integer, primary_key=True, autoincrement=False),
    _column("tickets", sql.Text),
)
chat = sql.Table(
    "chat",
    metadata,
    _table_id(primary_key=True),
    _column("number", sql.Integer, primary_key=True, autoincrement=False),
    _column("seat", sql.Integer),
    _column("name", sql.String(40)),
    _column("text", sql.Text),
    _column("at", sql.Float),
)
reviews = sql.Table(
    "reviews",
    metadata,
    _table_id(primary_key=True),
    _column("asked", sql.Float),
    _column("holder", sql.String(16), nullable=True),  # the process that works on it
    _column("until", sql.Float),  # when others may take over
    _column("summary", sql.Text, nullable=True),  # once it is done
)
review_steps = sql.Table(
    "review_steps",
    metadata,
    _table_id(primary_key=True),
    _column("number", sql.Integer, primary_key=True, autoincrement=False),
    _column("step", sql.Text),
)


@dataclass(frozen=True)
class Migration:
    """How a database gets from one version to the next: the columns it must have, and what to change."""

    columns: dict[str, set[str]]
    statements: tuple[str, ...]


MIGRATIONS = {
    1: Migration(
        {"tables": {"faster", "stamp", "touched"}, "seats": {"level", "here_until"}},
        (
            "ALTER TABLE tables ADD COLUMN speed VARCHAR(8) NOT NULL DEFAULT 'normal'",
            "UPDATE tables SET speed = 'fast' WHERE faster",
            "ALTER TABLE tables DROP COLUMN faster",
            "ALTER TABLE tables ADD COLUMN hints BOOLEAN NOT NULL DEFAULT FALSE",
            "ALTER TABLE tables ADD COLUMN lesson VARCHAR(80)",
            "ALTER TABLE tables ADD COLUMN rules INTEGER NOT NULL DEFAULT 1",
            "ALTER TABLE tables ADD COLUMN host_name VARCHAR(40)",
            "ALTER TABLE seats ADD COLUMN colour INTEGER",
            "ALTER TABLE seats ADD COLUMN timed_out BOOLEAN NOT NULL DEFAULT FALSE",
        ),
    ),
    2: Migration({"tables": {"speed", "hints", "lesson"}}, ()),  # new tables are created when the database is opened
}
