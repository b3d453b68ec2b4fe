"""Measure how long a person waits for bots at a table at 1× speed: their pauses, their thinking and the news of it."""

import asyncio
import json
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

from northrail.bench.server import ClientTable, HttpClient, choose
from northrail.bench.speed import Figure
from northrail.server.http.app import make_app
from northrail.server.match import Json
from northrail.server.run import Server, bound, config_of
from northrail.server.settings import Settings
from northrail.server.tables.registry import TableRegistry

BOARD, LEVEL, BOTS = "northern-lights", "expert", 4
SEATS = [{"who": "here", "name": "Client"}, *[{"who": "bot", "level": LEVEL}] * BOTS]
MOST = 6  # seconds


def measure(rounds: int) -> Iterator[Figure]:
    """Measure all figures and yield each one."""
    waits = asyncio.run(_waits(rounds))
    where = f"{BOTS} {LEVEL} bots, {BOARD}, 1×, {rounds} rounds"
    yield Figure("bots_wait_median_s", where, "from the end of your turn to the next, median", median(waits), "s")
    yield Figure("bots_wait_longest_s", where, "the longest", max(waits), "s", f"<= {MOST}")


async def _waits(rounds: int) -> list[float]:
    """Return how long each round of the bots took, over as many games as it needs."""
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as folder, bound("127.0.0.1", 0) as listening:
        registry, ready = TableRegistry(Settings(database=str(Path(folder) / "bench.db"))), asyncio.Event()
        server = Server(config_of(make_app(registry)), ready.set)
        serving = asyncio.ensure_future(server.serve([listening]))
        await ready.wait()
        try:
            while len(waits) < rounds:
                waits += await _play(listening.getsockname()[1], rounds - len(waits))
        finally:
            server.should_exit = True
            await serving
    return waits


async def _play(port: int, rounds: int) -> list[float]:
    """Return how long each round took at a new table, until there are enough or the game is over."""
    waits: list[float] = []
    client, chance = HttpClient(port), random.Random(1)
    status, answer = await client.post("/api/tables?keys=true", {"board": BOARD, "first": 0, "seats": SEATS})
    assert status == 201, answer
    made = json.loads(answer)
    table = ClientTable(made["id"], made["keys"])
    listener = asyncio.ensure_future(table.listen(port, 0, query=""))
    try:
        news, is_first = await _turn(table, 0), True
        while news is not None and len(waits) < rounds:
            is_first = is_first and news["view"]["phase"] == "tickets"
            options = news["view"]["options"]
            choice = {"kind": "blind"} if options["blind"] else choose(options, chance)
            command = {"seat": 0, "version": news["version"], "choice": choice}
            status, answer = await client.post(f"/api/tables/{table.id}/moves", command, table.keys["0"])
            assert status == 200, answer
            start = time.perf_counter()
            told = json.loads(answer)
            news = await _turn(table, told["version"])
            if not told["view"]["options"] and news is not None and not is_first:
                waits.append(table.received[0] - start)
    finally:
        listener.cancel()
        with suppress(asyncio.CancelledError):
            await listener
        client.close()
    return waits


async def _turn(table: ClientTable, version: int) -> Json | None:
    """Wait until seat 0 has to move at this version or later; return the news, or None if the game is over."""
    while True:
        table.arrived.clear()
        if table.versions.get(0, -1) >= version:
            news: Json = json.loads(table.latest[0])
            if news["table"]["status"] != "running":
                return None
            if news["view"]["options"]:
                return news
        await table.arrived.wait()
