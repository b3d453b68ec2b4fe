"""The database: older ones are migrated, faults are noticed and named, and only what is stored is acknowledged."""

import random
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from databases import sqlite_file
from serving import Json, browser, choice_of, dialogue, here, quick, serving
from typer.testing import CliRunner

from northrail.cli.app import app as cli
from northrail.engine.game import RULES
from northrail.server.store import database as store_module
from northrail.server.store import schema
from northrail.server.store.database import BadStore, Store
from northrail.server.store.sqlite import copy
from northrail.server.tables import registry as registry_module

OLD = Path(__file__).parent / "databases" / "0.4.0.sql"
OLD_TABLE, OLD_HAND = "evm65y26nq", {"red": 1}  # at version 19, it is Anna's turn
OLD_KEYS = "J7XGNPIzYn3b0kYfW_-f4w.xF8vxQ5alwJJsnlawAiTaA.lnkexHM0wVWmkbhE8JQF8A"


def old_database(folder: Path) -> str:
    """Return a database as 0.2.0 to 0.4.0 wrote it."""
    path = folder / "tables.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.read_text())
    return str(path)


async def table_of(client: httpx.AsyncClient) -> tuple[str, Json]:
    """Set up a game for two people on this device; return its path and Anna's choice of tickets."""
    wish = {"board": "nordic-countries", "seats": here("Anna", "Bo"), "first": 0}
    made = (await client.post("/api/tables", json=wish)).json()
    tickets = [ticket["number"] for ticket in made["news"]["view"]["offered"]]
    move = {"seat": 0, "version": 0, "choice": {"kind": "keep", "tickets": tickets}}
    return f"/api/tables/{made['id']}", move


async def health(client: httpx.AsyncClient) -> tuple[int, str]:
    answer = await client.get("/health")
    return answer.status_code, answer.json()["database"]


@pytest.fixture(autouse=True)
def always_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "CHECK_AGAIN", -1.0)


@dialogue
async def test_a_game_of_0_4_0_continues_and_the_file_is_copied_first(tmp_path: Path) -> None:
    database = old_database(tmp_path)
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        anna.cookies.set("seats", OLD_KEYS, path=f"/api/tables/{OLD_TABLE}")
        news = (await anna.get(f"/api/tables/{OLD_TABLE}?seat=0")).json()
        assert (news["version"], news["view"]["hand"], news["chat"][0]["text"]) == (19, OLD_HAND, "Hello")
        assert (news["table"]["speed"], news["table"]["hints"]) == ("fast", False)
        choice = choice_of(news["view"]["options"], random.Random(1))
        move = {"seat": 0, "version": 19, "choice": choice}
        answer = await anna.post(f"/api/tables/{OLD_TABLE}/moves", json=move)
        assert (answer.status_code, answer.json()["version"]) == (200, 20)
    with closing(sqlite3.connect(f"{database}.version-1")) as db:
        assert db.execute("SELECT faster FROM tables ORDER BY faster").fetchall() == [(0,), (1,)]


@dialogue
async def test_another_process_may_copy_the_file_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def beaten(source: Path, target: Path) -> None:
        copy(source, target)
        copy(source, target)

    monkeypatch.setattr(store_module, "copy", beaten)
    store = Store(old_database(tmp_path))
    await store.open()
    await store.close()
    assert [path.name for path in tmp_path.glob("*.version-1*")] == ["tables.db.version-1"]


def test_a_failed_copy_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with pytest.raises(sqlite3.Error):
        copy(tmp_path / "none.db", target)
    assert list(tmp_path.iterdir()) == []


@dialogue
async def test_a_migration_looks_before_it_writes(tmp_path: Path) -> None:
    database = old_database(tmp_path)
    with closing(sqlite3.connect(database)) as db:
        db.execute("ALTER TABLE tables DROP COLUMN faster")
    store = Store(database)
    with pytest.raises(BadStore, match=r"version 1 has tables\.faster, this file does not"):
        await store.open()
    await store.close()
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT version FROM northrail_schema").fetchall() == [(1,)]
        assert "speed" not in {row[1] for row in db.execute("PRAGMA table_info(tables)")}


def test_every_older_version_can_be_migrated() -> None:
    assert sorted(schema.MIGRATIONS) == list(range(1, schema.VERSION))


@dialogue
async def test_a_game_of_other_rules_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        path, _ = await table_of(anna)
        registry.tables.clear()
        monkeypatch.setattr(registry_module, "RULES", RULES + 1)
        answer = await anna.get(path)
        assert (answer.status_code, answer.json()["code"]) == (409, "rules_changed")


@dialogue
async def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        assert await health(anna) == (200, "ok")
        for path in tmp_path.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


@dialogue
async def test_health_says_when_something_was_stored_last_and_does_not_count_itself(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        opened = registry.store.last_write
        assert (await anna.get("/health")).json()["last_write"] == opened > 1e9
        await table_of(anna)
        assert (await anna.get("/health")).json()["last_write"] > opened


@dialogue
async def test_no_move_is_acknowledged_into_a_file_that_is_gone(tmp_path: Path) -> None:
    database = Path(sqlite_file(tmp_path))
    async with serving(quick(str(database), poll=3600.0)) as (app, registry), browser(app) as anna:
        path, move = await table_of(anna)
        database.rename(tmp_path / "elsewhere.db")
        answer = await anna.post(f"{path}/moves", json=move)
        assert (answer.status_code, answer.json()) == (503, {"code": "database_failing", "facts": {}})
        assert int(answer.headers["retry-after"]) >= 1
        assert registry.tables[path.rsplit("/", 1)[1]].match.version == 0
        assert await health(anna) == (503, "gone")
        assert not database.exists()  # SQLite would create an empty one
        shutil.copy(tmp_path / "elsewhere.db", database)
        assert await health(anna) == (503, "gone")  # a copy is another file
        database.unlink()
        (tmp_path / "elsewhere.db").rename(database)
        assert (await anna.post(f"{path}/moves", json=move)).status_code == 200
        assert await health(anna) == (200, "ok")


@dialogue
async def test_health_notices_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "CHECK_TIMEOUT", 0.3)
    database = sqlite_file(tmp_path)
    async with serving(quick(database, poll=3600.0)) as (app, _), browser(app) as anna:
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await health(anna) == (503, "locked")
            other.execute("ROLLBACK")
        monkeypatch.setattr(store_module, "CHECK_TIMEOUT", 60.0)
        assert await health(anna) == (200, "ok")


@dialogue
async def test_health_notices_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path), poll=3600.0)) as (app, registry), browser(app) as anna:
        await registry.store._write(lambda db: db.exec_driver_sql("PRAGMA query_only = ON").rowcount)
        assert await health(anna) == (503, "read_only")
        assert await health(anna) == (200, "ok")  # on a new connection


@dialogue
async def test_what_a_full_disk_refuses_gets_503(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path), poll=3600.0)) as (app, registry), browser(app) as anna:
        path, _ = await table_of(anna)
        await registry.store._write(lambda db: db.exec_driver_sql("PRAGMA max_page_count = 1").rowcount)
        for _ in range(40):  # until the pages that there are cannot hold more
            answer = await anna.post(f"{path}/chat", json={"seat": 0, "text": "x" * 300})
            if answer.status_code != 200:
                break
        assert (answer.status_code, answer.json()["code"]) == (503, "database_failing")


@dialogue
async def test_health_notices_a_corrupt_file(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    async with serving(quick(database, poll=3600.0)) as (app, _), browser(app) as anna:
        with closing(sqlite3.connect(database)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with Path(database).open("r+b") as file:
            file.write(b"\xff" * 4096)
        assert await health(anna) == (503, "corrupt")


@dialogue
async def test_a_backup_of_a_running_server_can_be_served(tmp_path: Path) -> None:
    database, copied = sqlite_file(tmp_path), tmp_path / "copy.db"
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        path, move = await table_of(anna)
        await anna.post(f"{path}/moves", json=move)
        said = CliRunner().invoke(cli, ["backup", str(copied), "--database", database])
        assert said.exit_code == 0, said.output
        before = (await anna.get(f"{path}?seat=0")).json()
        async with serving(quick(str(copied))) as (other, _), browser(other) as again:
            again.cookies = anna.cookies
            after = (await again.get(f"{path}?seat=0")).json()
        assert (after["version"], after["view"]) == (before["version"], before["view"])
        await anna.post(f"{path}/chat", json={"seat": 0, "text": "after the backup"})
    assert stat.S_IMODE(copied.stat().st_mode) == 0o600
    for end in ("-wal", "-shm"):
        Path(f"{database}{end}").unlink(missing_ok=True)
    copied.rename(database)
    async with serving(quick(database)) as (app, _), browser(app) as again:
        again.cookies = anna.cookies
        after = (await again.get(f"{path}?seat=0")).json()
        assert (after["version"], after["view"], after["chat"]) == (before["version"], before["view"], [])


def test_a_backup_says_what_is_wrong(tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.touch()
    for wish, sentence in (
        ([str(tmp_path / "new.db"), "--database", str(tmp_path / "none.db")], "expected the server's database"),
        ([str(there), "--database", str(there)], "expected a new file, but it exists"),
        ([str(tmp_path / "new.db"), "--database", "postgresql://localhost/x"], "for PostgreSQL use pg_dump"),
    ):
        said = CliRunner().invoke(cli, ["backup", *wish])
        assert said.exit_code == 2
        assert sentence in " ".join(said.output.split())


@dialogue
async def test_names_that_are_no_tables_are_not_asked_for(database: str) -> None:
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        assert (await anna.get("/api/tables?ids=%00,aaaaaaaaaa")).json() == {"tables": []}
        for name in ("%00", "aaaaaaaaa%00", "x" * 400):
            assert (await anna.get(f"/api/tables/{name}")).status_code == 422
