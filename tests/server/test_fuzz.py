"""Requests generated from the OpenAPI schema: the server never fails, and every response is documented."""

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from databases import sqlite_file
from hypothesis import settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from serving import Json, choice_of, here, listening, near_the_end, quick
from tables import SIZE

from northrail.server.http.app import make_app
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.wire.types import packed

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = SIZE.pick(4, 4, 200)
schema = schemathesis.openapi.from_dict(make_app(TableRegistry(quick("unused.db"))).openapi())


class FuzzedServer:
    """A server with a table in each state, and the keys to these tables."""

    def __init__(self, address: str, tables: list[tuple[str, str]]) -> None:
        self.address = f"http://{address}"
        self.tables = tables  # id, keys
        self.requests = 0


async def new_tables(registry: TableRegistry) -> list[tuple[str, str]]:
    """Make four tables: waiting, choosing first tickets, in a turn, and over. Return ids and keys."""
    board = registry.boards["northern-lights"]
    begun = near_the_end(board, 2)
    both, one = here("A", "B"), [*here("A"), {"who": "open"}]
    found = []
    for seats, start in ((one, None), (both, None), (both, begun), (both, begun)):
        session, keys, host = await Seating(registry).make(board, seats, start=start)
        found.append((session.id, ".".join([*keys.values(), host])))
    chance, table = random.Random(1), session.match
    while table.status == "running":
        view = json.loads(packed(session.news(await session.caller(keys.values()), table.turn, 0, 0)))["view"]
        seat = table.turn or 0
        caller = await session.caller([keys[seat]])
        await session.play(caller, seat, table.version, choice_of(view["options"], chance))
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FuzzedServer]:
    """A server in its own thread."""
    servers: list[FuzzedServer] = []
    ready, done = threading.Event(), threading.Event()

    async def serve() -> None:
        database = sqlite_file(tmp_path_factory.mktemp("fuzz"))
        async with listening(quick(database, pace=1e6)) as (address, registry):
            servers.append(FuzzedServer(address, await new_tables(registry)))
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(120)
    yield servers[0]
    done.set()
    thread.join()


@schema.parametrize()
@settings(max_examples=EXAMPLES)
def test_every_response_is_documented(case: Any, server: FuzzedServer) -> None:
    server.requests += 1
    headers: dict[str, str] = {}
    if "table" in case.path_parameters and server.requests % 4:
        # A generated name is never that of a table. Use a real one, mostly with the keys of its seats.
        table, keys = server.tables[server.requests // 4 % len(server.tables)]
        case.path_parameters["table"] = table
        if server.requests % 8 > 1:
            headers["authorization"] = f"Bearer {keys}"
    response = case.call(base_url=server.address, headers=headers)
    case.validate_response(response, checks=CHECKS)


def test_all_tables_still_answer(server: FuzzedServer) -> None:
    for table, _keys in server.tables:
        news: Json = httpx.get(f"{server.address}/api/tables/{table}").json()
        assert news["table"]["id"] == table
