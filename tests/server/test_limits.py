"""Rate limits, body sizes, origins, security headers, and secrets in logs."""

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from databases import sqlite_file
from serving import ROOMY, Json, browser, dialogue, here, quick, serving

from northrail.server.http.app import make_app
from northrail.server.http.limits import RateLimiter, client_of
from northrail.server.run import JsonLines, addresses
from northrail.server.tables.registry import TableRegistry

NEW: Json = {"board": "nordic-countries", "seats": here("Anna", "Bo"), "first": 0}
LOW = (2, 0.01)


@dialogue
async def test_a_large_body_is_refused_even_without_a_content_length(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _registry), browser(app) as client:
        large = json.dumps(NEW | {"seats": here("x" * 20_000, "y")})
        assert (await client.post("/api/tables", content=large)).status_code == 413

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(large), 1000):
                yield large[start : start + 1000].encode()

        headers = {"content-type": "application/json"}
        answer = await client.post("/api/tables", content=pieces(), headers=headers)
        assert (answer.status_code, answer.json()) == (413, {"code": "too_large", "facts": {"most": 16384}})
        nested = "[" * 9000
        assert (await client.post("/api/tables", content=nested, headers=headers)).status_code == 422


@dialogue
async def test_rate_limited_clients_learn_when_to_try_again(tmp_path: Path) -> None:
    strict = quick(sqlite_file(tmp_path), limits=replace(ROOMY, table_rate=LOW, chat_rate=LOW, wrong_key_rate=LOW))
    async with serving(strict) as (app, _registry), browser(app) as anna, browser(app) as eve:
        table = (await anna.post("/api/tables", json=NEW)).json()["id"]
        assert (await anna.post("/api/tables", json=NEW)).status_code == 201
        refused = await anna.post("/api/tables", json=NEW)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 50
        path = f"/api/tables/{table}"
        for _ in range(4):  # strangers cannot use up a seat's limit
            assert (await eve.post(f"{path}/chat", json={"seat": 0, "text": "hi"})).status_code == 403
        said = [(await anna.post(f"{path}/chat", json={"seat": 0, "text": "hi"})).status_code for _ in range(3)]
        assert said == [200, 200, 429]
        assert (await anna.post(f"{path}/chat", json={"seat": 1, "text": "hi"})).status_code == 200
        guesses = [(await eve.post(f"{path}/enter", json={"key": "A" * 22})).status_code for _ in range(3)]
        assert guesses == [403, 403, 429]
        key = (await anna.post(f"{path}/seats/1/link")).json()["key"]
        assert (await eve.post(f"{path}/enter", json={"key": key})).status_code == 200, "a right link always works"


@dialogue
async def test_requests_are_limited_for_each_address(tmp_path: Path) -> None:
    strict = quick(sqlite_file(tmp_path), limits=replace(ROOMY, request_rate=(5, 0.1)))
    async with serving(strict) as (app, _registry), browser(app) as client:
        statuses = [(await client.get("/api/boards")).status_code for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2
        other = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app, client=("10.0.0.7", 1)), base_url="http://localhost"
        )
        async with other:
            assert (await other.get("/api/boards")).status_code == 200


@dialogue
async def test_someone_who_sends_too_much_does_not_stop_players_at_the_same_address(tmp_path: Path) -> None:
    limits = replace(ROOMY, request_rate=(8, 0.001), player_rate=(3, 0.001), table_rate=LOW)
    async with serving(quick(sqlite_file(tmp_path), limits=limits)) as (app, _), browser(app) as anna:
        made = (await anna.post("/api/tables?keys=true", json=NEW)).json()
        path, keys = f"/api/tables/{made['id']}", made["keys"]
        players = [{"authorization": f"Bearer {keys[seat]}"} for seat in ("0", "1")]
        for headers in players:
            assert (await anna.get(path, headers=headers)).status_code == 200
        wrong = {"authorization": f"Bearer {'A' * 22}"}
        assert (await anna.get(path, headers=wrong)).status_code == 200  # as a spectator
        statuses = [(await anna.get("/api/boards")).status_code for _ in range(6)]
        assert statuses == [200] * 4 + [429] * 2
        assert [(await anna.get(path, headers=wrong)).status_code for _ in range(2)] == [429] * 2
        assert [(await anna.get(path, headers=players[0])).status_code for _ in range(4)] == [200] * 3 + [429]
        assert (await anna.get(path, headers=players[1])).status_code == 200


@dialogue
async def test_a_full_store_deletes_abandoned_tables(tmp_path: Path) -> None:
    days = 0.0
    strict = quick(sqlite_file(tmp_path), limits=replace(ROOMY, tables=2, loaded=1))
    async with serving(strict, now=lambda: 1e9 + days * 86_400) as (app, registry), browser(app) as client:
        waiting = NEW | {"seats": [*here("Anna"), {"who": "open"}]}
        first = (await client.post("/api/tables", json=waiting)).json()["id"]
        second = (await client.post("/api/tables", json=NEW)).json()["id"]
        assert list(registry.tables) == [second], "an idle table leaves memory"
        full = await client.post("/api/tables", json=NEW)
        assert (full.status_code, full.headers["retry-after"]) == (503, "3601")
        days = 8.0
        assert (await client.post("/api/tables", json=NEW)).status_code == 201
        registry.tables.clear()
        assert (await client.get(f"/api/tables/{first}")).status_code == 404
        assert (await client.get(f"/api/tables/{second}")).status_code == 200
        days = 80.0
        assert (await client.post("/api/tables", json=NEW)).status_code == 503, "a game may pause for months"
        days = 91.0
        assert (await client.post("/api/tables", json=NEW)).status_code == 201
        registry.tables.clear()
        assert (await client.get(f"/api/tables/{second}")).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"origin": "http://northrail.localhost"}, 201),
        ({"origin": "http://northrail.localhost", "sec-fetch-site": "same-origin"}, 201),
        ({"origin": "http://northrail.localhost:80"}, 201),
        ({"origin": "http://northrail.localhost:8080"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://northrail.localhost.evil.example"}, 403),
        ({"origin": "http://[oops"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site", "origin": "http://other.northrail.localhost"}, 403),
        ({"origin": "https://play.example", "x-forwarded-host": "play.example", "x-forwarded-proto": "https"}, 201),
        ({"origin": "http://play.example", "x-forwarded-host": "play.example", "x-forwarded-proto": "https"}, 403),
        ({"origin": "https://named.example"}, 201),
        ({"origin": "https://named.example", "sec-fetch-site": "cross-site"}, 201),
    ],
)
@dialogue
async def test_other_sites_cannot_send_requests_through_a_browser(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    settings = quick(sqlite_file(tmp_path), origins=("https://named.example/",))
    async with serving(settings) as (app, _registry), browser(app) as client:
        assert (await client.post("/api/tables", json=NEW, headers=headers)).status_code == status
        assert (await client.get("/api/boards", headers=headers)).status_code == 200


@dialogue
async def test_cookies_and_headers_protect_the_page(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _registry), browser(app) as plain:
        made = await plain.post("/api/tables", json=NEW)
        cookie = made.headers["set-cookie"]
        table = made.json()["id"]
        for part in ("HttpOnly", "SameSite=strict", f"Path=/api/tables/{table}", "Max-Age="):
            assert part in cookie
        assert "Secure" not in cookie
        async with browser(app, "https://northrail.localhost") as safe:
            assert "Secure" in (await safe.post("/api/tables", json=NEW)).headers["set-cookie"]
        for path in ("/", f"/api/tables/{table}", "/docs", "/api/nothing"):
            headers = (await plain.get(path)).headers
            assert "script-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
        assert (await plain.get(f"/api/tables/{table}")).headers["cache-control"] == "no-store"


@dialogue
async def test_logs_and_errors_contain_no_secrets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        made = (await anna.post("/api/tables?keys=true", json=NEW)).json()
        key, table = made["keys"]["0"], made["id"]
        headers = {"authorization": f"Bearer {key}"}
        await anna.get(f"/api/tables/{table}", headers=headers)
        refused = await anna.post(f"/api/tables/{table}/enter", headers=headers, json={"key": f"{key}!"})
        assert refused.status_code == 422
        assert key not in refused.text
        facts = registry.tables[table].match.info
        news = (await anna.get(f"/api/tables/{table}", headers=headers)).text
        assert str(facts.seed) not in news
        assert facts.secret not in news
        lines = [JsonLines().format(record) for record in caplog.records if record.name.startswith("northrail")]
        assert any(json.loads(line)["route"] == "/api/tables/{table}/enter" for line in lines)
        for secret in (key, table, str(facts.seed), facts.secret, made["host_key"]):
            assert not any(secret in line for line in lines)


@dialogue
async def test_server_errors_reveal_no_details(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("the seed is 42")

    registry = TableRegistry(quick(sqlite_file(tmp_path)))
    app = make_app(registry)
    async with app.router.lifespan_context(app):
        monkeypatch.setattr(registry.store, "find_many", broken)
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.get("/api/tables?ids=aaaaaaaaaa")
            assert (answer.status_code, answer.json()) == (
                500,
                {"code": "server_error", "facts": {}},
            )
            monkeypatch.setattr(registry.store, "fault", lambda: asyncio.sleep(0, result="full"))
            health = await client.get("/health")
            assert (health.status_code, health.json()["status"], health.json()["database"]) == (503, "failing", "full")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1:8000", 200),
        ("192.168.0.7", 200),
        ("[::1]:8000", 200),
        ("play.example.org", 200),
        (socket.gethostname().upper(), 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
        ("[", 421),
    ],
)
@dialogue
async def test_only_requests_that_name_this_server_are_answered(tmp_path: Path, host: str, status: int) -> None:
    settings = quick(sqlite_file(tmp_path), origins=("https://play.example.org",))
    async with serving(settings) as (app, _), browser(app) as anna:
        answer = await anna.get("/api/boards", headers={"host": host})
        assert answer.status_code == status
        if status == 421:
            assert answer.json() == {"code": "wrong_host", "facts": {}}


def test_a_bucket_refills_and_the_oldest_is_forgotten() -> None:
    now = 0.0
    limiter = RateLimiter(2, 0.5, clients=2, clock=lambda: now)
    assert [limiter.take("a"), limiter.take("a"), limiter.take("a")] == [0, 0, 2]
    now = 2.0
    assert [limiter.take("a"), limiter.take("a")] == [0, 2]
    assert [limiter.take("b"), limiter.take("c"), limiter.take("d")] == [0, 0, 0]
    assert limiter.tokens("a") == 2


def test_a_household_is_one_client() -> None:
    assert client_of("2001:db8:1:2:3:4:5:6") == client_of("2001:db8:1:2::1") == "2001:db8:1:2::/64"
    assert client_of("::ffff:10.0.0.1") == client_of("10.0.0.1") == "10.0.0.1"
    assert client_of(None) == "?"
    assert client_of("testclient") == "testclient"


def test_addresses_can_be_opened_in_a_browser() -> None:
    assert addresses("127.0.0.1", 8000) == ["http://127.0.0.1:8000/"]
    assert addresses("::1", 8000) == ["http://[::1]:8000/"]
    assert addresses("0.0.0.0", 8000)[0] == "http://localhost:8000/"


@dialogue
async def test_only_the_machine_itself_learns_its_addresses_on_the_network(tmp_path: Path) -> None:
    house = "http://192.168.1.5:8000/"
    async with serving(quick(sqlite_file(tmp_path), addresses=(house,))) as (app, _registry), browser(app) as client:
        assert (await client.get("/api/addresses")).json() == {"addresses": [house]}
        for address, told in (("::1", [house]), ("10.0.0.7", [])):
            transport = httpx.ASGITransport(app=app, client=(address, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as other:
                assert (await other.get("/api/addresses")).json() == {"addresses": told}
