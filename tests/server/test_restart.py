"""A server as people run it: it survives being killed, stops when asked, and explains what is wrong at startup."""

import asyncio
import json
import os
import random
import re
import signal
import socket
import sqlite3
import sys
import time
from pathlib import Path

import httpx
import pytest
from databases import Cluster, sqlite_file
from reviewed import late_record
from serving import Json, choice_of, here, quick, server
from typer.testing import CliRunner

import northrail
from northrail.cli.app import app
from northrail.errors import BadBoard
from northrail.server.run import BadAddress, bound
from northrail.server.store import schema
from northrail.server.store.database import BadStore, Store
from northrail.server.tables.registry import TableRegistry


def play_some(client: httpx.Client, table: str, moves: int, chance: random.Random) -> Json:
    """Make this many moves with the client's seats, while bots move in between; return the last news."""
    while True:
        news: Json = client.get(f"/api/tables/{table}/news?since=1000").json()
        if news["you"] == news["table"]["turn"] and news["view"]["options"]:
            if not moves:
                return news
            moves -= 1
            choice = choice_of(news["view"]["options"], chance)
            answer = client.post(
                f"/api/tables/{table}/moves",
                json={"seat": news["you"], "version": news["version"], "choice": choice},
            )
            assert answer.status_code == 200, answer.text
        else:
            time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_server_continues_its_games_after_a_restart_and_stops_when_asked(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    chance = random.Random(1)
    with httpx.Client(timeout=60) as client:
        with server(database) as (process, address):
            client.base_url = httpx.URL(address)
            wish = {
                "board": "northern-lights",
                "seats": [*here("Anna", "Bo"), {"who": "bot"}],
                "first": 0,
                "clock": 900,
            }
            begun, table = (client.post("/api/tables", json=wish).json()["id"] for _ in range(2))
            early = client.get(f"/api/tables/{begun}?seat=1").json()
            sealed = [ticket["number"] for ticket in early["view"]["offered"]]
            choice = {"kind": "keep", "tickets": sealed}
            client.post(f"/api/tables/{begun}/moves", json={"seat": 1, "version": 0, "choice": choice})
            before = play_some(client, table, 12, chance)
            os.kill(process.pid, signal.SIGKILL)
        with server(database) as (process, address):
            client.base_url = httpx.URL(address)
            assert client.get(f"/api/tables/{begun}?seat=1").json()["sealed"] == sealed
            after = client.get(f"/api/tables/{table}?seat={before['you']}").json()
            same = ("version", "view", "sealed", "yours")
            assert {name: after[name] for name in same} == {name: before[name] for name in same}
            assert [step["version"] for step in after["steps"]] == list(range(1, after["version"] + 1))
            last = play_some(client, table, 4, chance)
            assert last["version"] > after["version"]
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(60) == 0
    log = Path(f"{database}.log").read_text()
    assert all(json.loads(line)["level"] == "info" for line in log.splitlines()), log
    keys = [key for cookie in client.cookies.jar for key in (cookie.value or "").split(".")]
    assert len(keys) == 6
    assert not any(key in log or key in Path(database).read_bytes().decode("latin-1") for key in keys)
    assert table not in log


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_server_goes_on_with_its_review(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    # Its review takes so long that the server is killed before the end.
    start = late_record(northrail.load_board("nordic-countries"), ("easy", "beginner"), 4, trains=9)["start"]
    with httpx.Client(timeout=60) as client:
        with server(database) as (process, address):
            client.base_url = httpx.URL(address)
            bots = [{"who": "bot", "level": "easy"}] * 2
            wish = {"board": "nordic-countries", "seats": bots, "start": start, "speed": "instant"}
            table = f"/api/tables/{client.post('/api/tables', json=wish).json()['id']}"
            while client.get(table).json()["table"]["status"] != "over":
                time.sleep(0.1)
            client.post(f"{table}/review")
            while not (stored := (before := client.get(f"{table}/review").json())["steps"]):
                time.sleep(0.05)
            assert before["status"] != "done"
            os.kill(process.pid, signal.SIGKILL)
        with server(database) as (_, address):
            client.base_url = httpx.URL(address)
            news = client.get(f"{table}/review").json()
            assert news["steps"][: len(stored)] == stored
            while news["status"] != "done":
                time.sleep(0.2)
                news = client.get(f"{table}/review").json()
            assert [step["number"] for step in news["steps"]] == list(range(news["total"]))


def test_an_unusable_database_is_explained(tmp_path: Path) -> None:
    newer = sqlite_file(tmp_path)
    with sqlite3.connect(newer) as db:
        db.execute("CREATE TABLE northrail_schema (version INTEGER PRIMARY KEY)")
        db.execute(f"INSERT INTO northrail_schema VALUES ({schema.VERSION + 1})")
    db.close()
    for database, why in (
        (newer, f"expected a database of version {schema.VERSION} or older, got {schema.VERSION + 1}"),
        (str(tmp_path / "none" / "tables.db"), "none does not exist; create it first"),
        (str(Path(__file__)), "cannot use this database: file is not a database"),
        ("oracle://x", "expected an SQLite file or a PostgreSQL address, got oracle"),
    ):
        result = CliRunner().invoke(app, ["serve", "--port", "0", "--database", database])
        assert result.exit_code == 2, result.output
        assert why in result.output


def test_another_port_is_suggested_only_if_it_would_help() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BadAddress, match=f"in use; try --port {port + 1}" if port < 65_535 else "in use$"):
            bound("127.0.0.1", port)
    for host, port in (("203.0.113.1", 8000), ("127.0.0.1", 70_000)):
        with pytest.raises(BadAddress, match=f"cannot listen at {host} port {port}") as refused:
            bound(host, port)
        assert "--port" not in str(refused.value)


def test_a_taken_port_is_explained(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--port", port, "--database", sqlite_file(tmp_path)])
    assert result.exit_code == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in result.output


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize("word", ["sslmode", "ssl"])
def test_ssl_and_sslmode_both_set_the_encryption_of_postgresql(postgresql: Cluster, word: str) -> None:
    async def open_with(url: str) -> None:
        store = Store(url)
        try:
            await store.open()
            await store.listen(lambda _table, _revision: None)
            assert await store.fault() == ""
        finally:
            await store.close()

    with postgresql.database() as url:
        asyncio.run(open_with(f"{url}?{word}=prefer"))
        for wrong, why in (
            (f"{url}?{word}=perhaps", "must be one of: disable"),
            (f"{url}?colour=red", 'unrecognized configuration parameter "colour"'),
            (url.replace(postgresql.password, "wrong"), "password authentication failed"),
        ):
            with pytest.raises(BadStore, match="cannot use this database: ") as refused:
                asyncio.run(open_with(wrong))
            assert why in str(refused.value)
            assert postgresql.password not in str(refused.value)


def test_a_board_with_the_id_of_another_board_is_refused(tmp_path: Path) -> None:
    built_in = (Path(northrail.__file__).parent / "boards" / "nordic-countries.toml").read_text(encoding="utf-8")
    same, other = tmp_path / "same.toml", tmp_path / "other.toml"
    same.write_text(built_in, encoding="utf-8")
    other.write_text(re.sub(r"(?m)^trains = \d+", "trains = 30", built_in), encoding="utf-8")
    assert list(TableRegistry(quick("unused.db", boards=(str(same),))).boards) == [
        "nordic-countries",
        "northern-lights",
    ]
    with pytest.raises(BadBoard, match="expected an id that no other board has, got 'nordic-countries'") as refused:
        TableRegistry(quick("unused.db", boards=(str(same), str(other))))
    assert str(refused.value).startswith(str(other))
