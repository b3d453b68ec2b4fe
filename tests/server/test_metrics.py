"""Metrics: what happened is counted, nothing secret is named, and the dashboard and the alerts use what there is."""

import asyncio
import json
import random
import re
import socket
import sqlite3
import time
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sql
from databases import sqlite_file
from prometheus_client import generate_latest
from serving import browser, choice_of, dialogue, here, listening, quick, server, serving, until
from typer.testing import CliRunner
from websockets.asyncio.client import connect

from northrail.cli.app import app as cli
from northrail.server import metrics as metrics_module
from northrail.server.metrics import Metrics
from northrail.server.store.database import Store
from northrail.server.store.faults import DatabaseFault
from northrail.server.tables.registry import TableRegistry

DOCS = Path(__file__).parents[2] / "docs"
NAMED = re.compile(r"\b((?:northrail|process)_[a-z_]+)\b")


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(f"northrail_{name}", labels) or 0.0


def said(metrics: Metrics) -> str:
    return generate_latest(metrics.registry).decode()


@dialogue
async def test_what_happens_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_module, "LAG_INTERVAL", 0.01)
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        metrics = registry.metrics
        async with httpx.AsyncClient(base_url=f"http://{address}") as anna:
            wish = {
                "board": "nordic-countries",
                "seats": [*here("Anna"), {"who": "bot", "level": "simple"}],
                "first": 0,
            }
            made = (await anna.post("/api/tables", json=wish)).json()
            path = f"/api/tables/{made['id']}"
            tickets = [ticket["number"] for ticket in made["news"]["view"]["offered"]]
            move = {"seat": 0, "version": 0, "choice": {"kind": "keep", "tickets": tickets}}
            assert (await anna.post(f"{path}/moves", json=move)).status_code == 200
            assert (await anna.post(f"{path}/moves", json=move | {"seat": 1})).status_code == 403
            assert (await anna.post(f"{path}/moves", json={})).status_code == 422
            assert (await anna.get("/api/nowhere")).status_code == 404
            assert (await anna.get("/health", headers={"host": "evil.example"})).status_code == 421
            async with connect(f"ws://{address}{path}/socket") as near:
                await near.recv()
                assert value(metrics, "sockets") == 1
            async with connect(f"ws://{address}/api/tables/{'a' * 10}/socket") as nowhere:
                await nowhere.wait_closed()
        await until(lambda: value(metrics, "moves_total", by="bot") >= 1)
        assert value(metrics, "moves_total", by="person") == 1
        assert value(metrics, "tables") == 1
        request = "POST /api/tables/{table}/moves"
        assert value(metrics, "request_seconds_count", request=request) == 3
        codes = {"not_your_seat": 1, "invalid": 1, "no_such_address": 1, "wrong_host": 1, "no_such_table": 1}
        assert {code: value(metrics, "refused_total", code=code) for code in codes} == codes
        assert value(metrics, "store_seconds_count", kind="write") >= 3
        assert value(metrics, "store_last_write_seconds") == registry.store.last_write
        await until(lambda: value(metrics, "loop_lag_seconds_count") >= 3)


@dialogue
async def test_faults_of_the_database_are_counted(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path), poll=1e6)) as (_, registry):

        def fail(_db: object) -> None:
            raise sql.exc.OperationalError("", {}, sqlite3.OperationalError("broken"))

        with pytest.raises(DatabaseFault, match="broken"):
            await registry.store._write(fail)
        assert value(registry.metrics, "store_faults_total", fault="failing") == 1


@dialogue
async def test_looking_for_changes_of_others_is_no_write(tmp_path: Path) -> None:
    store = Store(sqlite_file(tmp_path))
    await store.open()
    before = store.last_write
    await asyncio.sleep(0.01)
    await store.change_counter()
    assert store.last_write == before
    await store.close()


@dialogue
async def test_the_event_loop_is_late_when_something_blocks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    metrics, waits = Metrics(), iter((0.25, 0.75, None))

    async def sleep(_seconds: float) -> bool:
        nonlocal now
        waited = next(waits)
        now += waited or 0.0
        return waited is not None

    await metrics.watch_loop(sleep)
    assert value(metrics, "loop_lag_seconds_sum") == 0.5
    assert value(metrics, "loop_lag_seconds_bucket", le="0.25") == 1


@dialogue
async def test_metrics_name_no_table_person_key_or_address(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        wish = {"board": "nordic-countries", "seats": here("Annabella", "Bo"), "first": 0}
        made = (await anna.post("/api/tables?keys=true", json=wish)).json()
        anna.headers["authorization"] = f"Bearer {made['keys']['0']}"
        path = f"/api/tables/{made['id']}"
        news = (await anna.get(f"{path}?seat=0")).json()
        choice = choice_of(news["view"]["options"], random.Random(1))
        await anna.post(f"{path}/moves", json={"seat": 0, "version": 0, "choice": choice})
        for method, where in (("GET", f"{path}/x"), ("PURGE", path), ("GET", f"/t/{made['id']}"), ("PURGE", "/secret")):
            await anna.request(method, where)
        text = said(registry.metrics)
        for secret in (
            made["id"],
            "Annabella",
            *made["keys"].values(),
            made["host_key"],
            "secret",
            "127.0.0.1",
            "PURGE",
        ):
            assert secret not in text, secret
        assert 'request="OTHER /' in text


def test_metrics_have_a_port_of_their_own_and_only_if_asked(tmp_path: Path) -> None:
    with server(sqlite_file(tmp_path), "--metrics", "0") as (process, address):
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        assert url.startswith("http://127.0.0.1:")
        assert "northrail_tables 0.0" in httpx.get(url, timeout=60).text
        assert "northrail_tables" not in httpx.get(f"{address}/metrics", timeout=60).text
    assert TableRegistry(quick("unused.db")).settings.metrics is None


def test_a_bad_place_for_metrics_is_explained(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        for place, why in (
            ("here", "expected a port such as 9464, or HOST:PORT, got 'here'"),
            (taken, f"--metrics: cannot listen at {taken}"),
            ("99999", "--metrics: cannot listen at 99999"),
        ):
            result = CliRunner().invoke(cli, ["serve", "--port", "0", "--database", database, "--metrics", place])
            assert result.exit_code == 2, result.output
            assert why in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["dashboard.json", "operations.md"])
def test_every_metric_that_the_documents_name_exists(name: str) -> None:
    registry = TableRegistry(quick("unused.db"))
    families = list(registry.metrics.registry.collect())
    kinds = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"], "info": ["_info"]}
    known = {f"{family.name}{end}" for family in families for end in kinds.get(family.type, [""])}
    named = set(NAMED.findall((DOCS / name).read_text(encoding="utf-8")))
    assert named, "expected metrics"
    assert named - known == set()


def test_the_dashboard_shows_every_metric_of_ours() -> None:
    dashboard = json.loads((DOCS / "dashboard.json").read_text(encoding="utf-8"))
    shown = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    families = TableRegistry(quick("unused.db")).metrics.registry.collect()
    ours = [family.name for family in families if family.name.startswith("northrail_")]
    assert [name for name in ours if name not in shown] == []
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
