"""Measure a noisy neighbour: how long others wait while one client does its worst within the limits.

The server, the noisy client and the calm one run in three processes, over loopback. The server takes us for a proxy, so
each client has an address of its own. The noisy client sets up as many tables as it may. At half of them five experts
play; at the others it plays against bots that do not pause. It opens sockets that it never reads, and sends wrong seat
links and moves without end. The calm client plays at two tables, against simple bots and against experts.
"""

import asyncio
import json
import math
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from northrail.bench.server import HttpClient, choose, quantile, serve_for
from northrail.bench.speed import Figure
from northrail.server.match import Json
from northrail.server.settings import Limits, Settings

NOISY, CALM = "10.0.0.1", "10.0.0.2"
SENDERS = 8  # connections of the noisy client that send requests without a pause
WARM_UP = 3.0  # seconds
MOST_SET_UP = 60.0  # seconds for the noisy client to set up its tables and sockets
MOVE_INTERVAL = 0.1  # seconds until the calm client answers
BOARD, MOST_SEATS = "northern-lights", 5


async def make_table(client: HttpClient, levels: list[str], person: bool) -> Json | None:
    """Set up a table of bots, and a person if asked; return it, or None if the server refuses."""
    seats = [{"who": "here", "name": "Client"}] * person + [{"who": "bot", "level": level} for level in levels]
    status, answer = await client.post("/api/tables?keys=true", {"board": BOARD, "seats": seats, "speed": "instant"})
    return json.loads(answer) if status == 201 else None


def socket_to(port: int, table: str, address: str, key: str = "") -> connect:
    """Return a connection for news of a table."""
    headers = {"x-forwarded-for": address} | ({"authorization": f"Bearer {key}"} if key else {})
    url = f"ws://127.0.0.1:{port}/api/tables/{table}/socket"
    return connect(url, additional_headers=headers, max_size=None, max_queue=1, compression=None, ping_interval=None)


# --- the noisy client -------------------------------------------------------------------------------------------------


def make_noise(port: int, limits: Limits, ready: Event) -> None:
    """Be as noisy as the limits allow, until killed."""
    asyncio.run(_make_noise(port, limits, ready))


async def _make_noise(port: int, limits: Limits, ready: Event) -> None:
    client = HttpClient(port, NOISY)
    tables: list[Json] = []
    while (made := await make_table(client, _noisy_levels(len(tables)), len(tables) % 2 == 1)) is not None:
        tables.append(made)
    async with AsyncExitStack() as sockets:
        for at in range(limits.sockets_per_address // 2):
            with suppress(OSError, WebSocketException):
                await sockets.enter_async_context(socket_to(port, tables[at % len(tables)]["id"], NOISY))
        ready.set()
        await asyncio.gather(*(_send(HttpClient(port, NOISY), tables, at) for at in range(SENDERS)))


def _noisy_levels(table: int) -> list[str]:
    return ["simple"] * (MOST_SEATS - 1) if table % 2 else ["expert"] * MOST_SEATS


async def _send(client: HttpClient, tables: list[Json], number: int) -> None:
    """Send wrong links and moves for ever."""
    mine = tables[1 + 2 * number :: 2 * SENDERS] or tables[1::2]
    versions = {table["id"]: table["news"]["version"] for table in mine}
    while True:
        for table in mine:
            path, key = f"/api/tables/{table['id']}", table["keys"]["0"]
            await client.post(f"{path}/enter", {"key": "A" * 22})
            draw = {"seat": 0, "version": versions[table["id"]], "choice": {"kind": "blind"}}
            options = table["news"]["view"]["options"] if table["news"]["view"] else None
            if options:
                draw["choice"] = choose(options, random.Random(number))
            status, answer = await client.post(f"{path}/moves", draw, key)
            if status == 200:
                table["news"] = json.loads(answer)
                versions[table["id"]] = table["news"]["version"]
            else:  # a bot has moved since
                table["news"] = {"view": None}
                versions[table["id"]] = json.loads(answer)["facts"].get("version", versions[table["id"]])


# --- the calm client --------------------------------------------------------------------------------------------------


@dataclass
class Calm:
    """A table of the calm client: how long its moves take, and how long each bot lets it wait."""

    level: str
    moves: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def play(self, port: int) -> None:
        """Play until cancelled, at a new table when a game is over."""
        client, chance = HttpClient(port, CALM), random.Random(1)
        while True:
            made = await make_table(client, [self.level] * 2, person=True)
            assert made is not None, "the calm client is within the limits"
            async with socket_to(port, made["id"], CALM, made["keys"]["0"]) as socket:
                await self._play_game(client, socket, made, chance)

    async def _play_game(self, client: HttpClient, socket: ClientConnection, made: Json, chance: random.Random) -> None:
        last, answered = made["news"]["now"], -1
        while True:
            news = json.loads(await socket.recv())
            for step in news["steps"]:
                if step["by"] == "bot":
                    self.waits.append(step["at"] - last)
                last = step["at"]
            if news["table"]["status"] != "running":
                return
            if news["table"]["turn"] == 0 and news["version"] > answered:
                answered = news["version"]
                await asyncio.sleep(MOVE_INTERVAL)
                choice = choose(news["view"]["options"], chance)
                command = {"seat": 0, "version": news["version"], "choice": choice}
                began = time.perf_counter()
                status, answer = await client.post(f"/api/tables/{made['id']}/moves", command, made["keys"]["0"])
                self.moves.append(time.perf_counter() - began)
                assert status == 200, answer


async def play_for(port: int, seconds: float) -> list[Calm]:
    """Let the calm client play at its tables for a while."""
    tables = [Calm("simple"), Calm("expert")]
    playing = [asyncio.ensure_future(table.play(port)) for table in tables]
    await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    for each in playing:
        each.cancel()
    for result in await asyncio.gather(*playing, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return tables


# --- figures ----------------------------------------------------------------------------------------------------------


def measure(seconds: float) -> Iterator[Figure]:
    """Measure how long the calm client waits, alone and beside the noisy one, and yield each figure."""
    spawning = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=str(Path(folder) / "bench.db"))
        here, there = spawning.Pipe()
        ready = spawning.Event()
        server = spawning.Process(target=serve_for, args=(settings, there))
        server.start()
        port = here.recv()
        noisy = spawning.Process(target=make_noise, args=(port, settings.limits, ready))
        try:
            asyncio.run(play_for(port, WARM_UP))
            quiet = asyncio.run(play_for(port, seconds / 3))
            noisy.start()
            ready.wait(MOST_SET_UP)
            yield from _figures(quiet, asyncio.run(play_for(port, seconds)))
        finally:
            if noisy.pid is not None:
                noisy.kill()
            here.send("end")
            server.join(15)
            if server.is_alive():
                server.kill()


def _figures(quiet: list[Calm], loud: list[Calm]) -> Iterator[Figure]:
    for name, where, tables, target in (
        ("neighbour_quiet", "alone", quiet, ""),
        ("neighbour", "beside a noisy client", loud, "<= 200"),
    ):
        moves = [each for table in tables for each in table.moves]
        yield Figure(f"{name}_moves", where, "moves", len(moves), "")
        yield Figure(f"{name}_move_p99_ms", where, "a move, p99", 1000 * quantile(moves, 0.99), "ms", target)
        for table, alone in zip(tables, quiet, strict=True):
            usual = quantile(alone.waits, 0.5)
            if table is alone:
                yield Figure(f"{name}_{table.level}_s", where, f"a bot's move, {table.level}, p50", usual, "s")
            else:
                longer = max(table.waits, default=math.inf) - usual
                what = f"the most that a bot's move takes longer, {table.level}"
                yield Figure(f"{name}_{table.level}_wait_s", where, what, longer, "s", "<= 2")
