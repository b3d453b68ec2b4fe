"""Measure the server's capacity: many tables with scripted clients that move at a given rate, while bots think.

The server runs in its own process on a new SQLite file. The clients run in this process, over loopback. We time a move
from sending its request until the last client of the table has the news.
"""

import asyncio
import json
import math
import multiprocessing
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from northrail.bench.speed import Figure
from northrail.errors import NorthrailError
from northrail.server.http.app import make_app
from northrail.server.match import Json
from northrail.server.run import Server, bound, collect_seldom, config_of
from northrail.server.settings import Limits, Settings
from northrail.server.tables.registry import TableRegistry
from northrail.server.wire.catalogue import USUAL_LEVEL

CLIENTS = 3
MOVE_INTERVAL = 4.0  # seconds between the moves of a table
BOT_TABLES = 8  # tables where only bots play
LAG_INTERVAL = 0.01  # seconds between measurements of the event loop's lag
WARM_UP = 3.0  # seconds
MOST_P99 = 0.1  # seconds; a rate counts as sustained up to this 99th percentile
FASTER = (1.5, 2.0, 3.0, 4.0, 6.0)  # multiples of the usual rate, to find the highest sustained one
TURN = re.compile(rb'"turn":(\d+)')
VERSION = re.compile(rb'"version":(\d+)')  # of the table; clients read no more of most news, because parsing takes time
NO_LIMITS = Limits(
    request_rate=(1e9, 1e9),
    table_rate=(1e9, 1e9),
    move_rate=(1e9, 1e9),
    sockets=100_000,
    sockets_per_address=100_000,
)


# --- the server's process ---------------------------------------------------------------------------------------------


def serve_for(settings: Settings, pipe: Connection) -> None:
    """Serve until the pipe says stop; report the event loop's lag on request."""
    asyncio.run(_serve_for(settings, pipe))


async def _serve_for(settings: Settings, pipe: Connection) -> None:
    lags: list[float] = []
    with bound("127.0.0.1", 0) as listening:
        registry = TableRegistry(settings)
        await registry.open()
        collect_seldom()
        server = Server(config_of(make_app(registry)), lambda: pipe.send(listening.getsockname()[1]))
        serving = asyncio.ensure_future(server.serve([listening]))
        while not server.should_exit and not serving.done():
            due = time.perf_counter() + LAG_INTERVAL
            await asyncio.sleep(LAG_INTERVAL)
            lags.append(time.perf_counter() - due)
            if pipe.poll():
                if pipe.recv() == "lags":
                    pipe.send((lags, time.process_time(), time.thread_time()))
                    lags = []
                else:
                    server.should_exit = True
        await serving


# --- clients ----------------------------------------------------------------------------------------------------------


class HttpClient:
    """A minimal HTTP client with one open connection. A proxy would forward its ``address``."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self._port, self._address = port, address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._lock = asyncio.Lock()

    async def post(self, path: str, body: Json, key: str = "") -> tuple[int, bytes]:
        """Send a POST; return the status and the body. Reconnect if the server has closed an idle connection."""
        async with self._lock:
            try:
                return await self._post(path, body, key)
            except (ConnectionError, asyncio.IncompleteReadError):
                self._streams = None
                return await self._post(path, body, key)

    async def _post(self, path: str, body: Json, key: str) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        reader, writer = self._streams
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        head += f"content-length: {len(content)}\r\nx-forwarded-for: {self._address}\r\n"
        head += f"authorization: Bearer {key}\r\n" if key else ""
        writer.write(head.encode() + b"\r\n" + content)
        status, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        size = next(int(line.split(":")[1]) for line in headers if line.lower().startswith("content-length:"))
        return int(status.split()[1]), await reader.readexactly(size)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()


@dataclass
class ClientTable:
    """A table and its clients: the last news each has received, and when."""

    id: str
    keys: dict[str, str]
    news: dict[int, bytes] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    received: dict[int, float] = field(default_factory=dict)  # [seat] -> time of the last news
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def turn(self) -> int | None:
        """The seat to move."""
        found = TURN.search(next(iter(self.news.values())))
        return int(found[1]) if found is not None else None

    async def listen(self, port: int, seat: int) -> None:
        """Receive a seat's news for ever."""
        headers = {"authorization": f"Bearer {self.keys.get(str(seat), '')}"}
        url = f"ws://127.0.0.1:{port}/api/tables/{self.id}/socket"
        async with connect(url, additional_headers=headers, max_size=None, compression=None) as socket:
            await self._receive(socket, seat)

    async def _receive(self, socket: ClientConnection, seat: int) -> None:
        while True:
            message = await socket.recv(decode=False)
            self.received[seat] = time.perf_counter()
            found = VERSION.search(message)
            assert found is not None
            self.news[seat], self.versions[seat] = message, int(found[1])
            self.arrived.set()

    async def until(self, version: int) -> float:
        """Wait until every client has a version; return when the last one received it."""
        while not all(self.versions.get(seat, -1) >= version for seat in range(CLIENTS)):
            self.arrived.clear()
            await self.arrived.wait()
        return max(self.received.values())


def choose(options: Json, chance: random.Random) -> Json:
    """Return a choice, mostly a draw, so that games last."""
    if options["keep"]:
        return {"kind": "keep", "tickets": [ticket["number"] for ticket in options["keep"]["offered"]]}
    if options["tunnel"]:
        payments = options["tunnel"]["payments"]
        return {"kind": "tunnel", "cards": payments[0]} if payments else {"kind": "give_up"}
    draws = options["blind"] or options["take"] or options["draw_tickets"]
    if options["claim"] and (chance.random() < 0.25 or not draws):
        route = chance.choice(list(options["claim"]))
        return {"kind": "claim", "route": int(route), "cards": options["claim"][route]["payments"][0]}
    if options["blind"]:
        return {"kind": "blind"}
    if options["take"]:
        return {"kind": "take", "colour": options["take"][0]}
    return {"kind": "draw_tickets"} if options["draw_tickets"] else {"kind": "pass"}


@dataclass
class Run:
    """Measurements at one rate."""

    rate: float
    sent: int = 0
    answered: int = 0
    times: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    cpu: float = 0.0  # the server's processor time, including bots
    loop_cpu: float = 0.0  # its event loop's processor time

    @property
    def is_sustained(self) -> bool:
        """Whether the server answered every move in time."""
        return self.answered == self.sent > 0 and quantile(self.times, 0.99) < MOST_P99


def quantile(values: list[float], part: float) -> float:
    """Return the smallest value that this part of the values does not exceed; infinity if there are none.

    >>> quantile([3.0, 1.0, 2.0, 4.0], 0.5)
    2.0
    """
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)] if values else math.inf


class Bench:
    """The clients of many tables."""

    def __init__(self, port: int, pipe: Connection, tables: int) -> None:
        self.port, self.pipe = port, pipe
        self.tables: list[ClientTable] = []
        self.connections = [HttpClient(port) for _ in range(16)]
        self.count = tables
        self.chance = random.Random(1)
        self.listeners: list[asyncio.Task[None]] = []

    async def set_up(self) -> None:
        """Create the tables and connect the clients; on some tables only bots play."""
        persons = [{"who": "here", "name": f"Client {seat + 1}"} for seat in range(CLIENTS)]
        bots = [{"who": "bot", "level": USUAL_LEVEL}] * CLIENTS
        watched: list[ClientTable] = []
        for at in range(self.count + BOT_TABLES):
            seats = persons if at < self.count else bots
            board = ("nordic-countries", "northern-lights")[at % 2]
            body = {"board": board, "seats": seats, "speed": "instant"}
            status, answer = await self.connections[0].post("/api/tables?keys=true", body)
            assert status == 201, answer
            made = json.loads(answer)
            if at < self.count:
                self.tables.append(ClientTable(made["id"], made["keys"]))
            else:
                watched.append(ClientTable(made["id"], {}))
        for table in self.tables:
            self.listeners += [asyncio.ensure_future(table.listen(self.port, seat)) for seat in range(CLIENTS)]
            if len(self.listeners) % 60 == 0:
                await table.until(0)
        for table in self.tables:
            await table.until(0)
        # Bots play only while someone is there.
        self.listeners += [asyncio.ensure_future(table.listen(self.port, 0)) for table in watched]

    async def run(self, rate: float, seconds: float) -> Run:
        """Play moves round-robin across tables at a fixed rate."""
        run = Run(rate)
        _lags, *before = await self._server_load()
        moves: list[asyncio.Task[None]] = []
        begin = time.perf_counter()
        for number in range(max(1, int(rate * seconds))):
            await asyncio.sleep(max(0.0, begin + number / rate - time.perf_counter()))
            table = self.tables[number % len(self.tables)]
            connection = self.connections[number % len(self.connections)]
            moves.append(asyncio.ensure_future(self._move(table, connection, run)))
        await asyncio.wait(moves, timeout=20)
        for move in moves:
            move.cancel()
        run.lags, *after = await self._server_load()
        run.cpu, run.loop_cpu = after[0] - before[0], after[1] - before[1]
        return run

    async def _move(self, table: ClientTable, connection: HttpClient, run: Run) -> None:
        """Make a move at a table and wait until every client has the news."""
        async with table.moving:
            await self._move_now(table, connection, run)

    async def _move_now(self, table: ClientTable, connection: HttpClient, run: Run) -> None:
        turn = table.turn
        if turn is None:
            return  # this game is over
        news = json.loads(table.news[turn])
        run.sent += 1
        command = {
            "seat": turn,
            "version": news["version"],
            "choice": choose(news["view"]["options"], self.chance),
        }
        start = time.perf_counter()
        status, _answer = await connection.post(f"/api/tables/{table.id}/moves", command, table.keys[str(turn)])
        if status == 200:
            run.times.append(await table.until(news["version"] + 1) - start)
            run.answered += 1

    async def _server_load(self) -> tuple[list[float], float, float]:
        """Return the event loop's lags since the last call, and the processor time of the server and of its loop."""
        self.pipe.send("lags")
        while not self.pipe.poll():
            await asyncio.sleep(0.01)
        lags, cpu, loop_cpu = self.pipe.recv()
        return lags, cpu, loop_cpu

    async def close(self) -> None:
        """Close all connections."""
        for listener in self.listeners:
            listener.cancel()
        await asyncio.gather(*self.listeners, return_exceptions=True)
        for connection in self.connections:
            connection.close()


# --- figures ----------------------------------------------------------------------------------------------------------


def measure(tables: int, seconds: float) -> Iterator[Figure]:
    """Measure all figures and yield each one."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=str(Path(folder) / "bench.db"), limits=NO_LIMITS, workers=1)
        here, there = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=serve_for, args=(settings, there))
        process.start()
        there.close()  # so that `recv` raises EOFError when the server has ended
        try:
            collect_seldom()  # garbage collection in the clients would delay what we measure
            runs = asyncio.run(_measure(here.recv(), here, tables, seconds))
            yield from _figures(tables, runs)
        except EOFError as error:
            raise NorthrailError("the server ended before the benchmark; see its error above") from error
        finally:
            with suppress(OSError):
                here.send("end")
            process.join(15)
            if process.is_alive():
                process.kill()


async def _measure(port: int, pipe: Connection, tables: int, seconds: float) -> list[Run]:
    bench = Bench(port, pipe, tables)
    try:
        await bench.set_up()
        rate = tables / MOVE_INTERVAL
        await bench.run(rate, WARM_UP)
        runs = [await bench.run(rate, seconds)]
        for times in FASTER:
            if not runs[-1].is_sustained:
                break
            runs.append(await bench.run(rate * times, seconds / 4))
        return runs
    finally:
        await bench.close()


def _figures(tables: int, runs: list[Run]) -> Iterator[Figure]:
    usual = runs[0]
    where = f"{tables} tables, {CLIENTS} clients each, {usual.rate:g} moves/s"
    answered = 100 * usual.answered / max(1, usual.sent)
    yield Figure("server_moves_answered_percent", where, "moves answered", answered, "%", ">= 100")
    for part in (50, 99):
        value = 1000 * quantile(usual.times, part / 100)
        target = "<= 100" if part == 99 else ""
        yield Figure(f"server_move_p{part}_ms", where, f"a move to all clients, p{part}", value, "ms", target)
    lag = 1000 * quantile(usual.lags, 0.99)
    yield Figure("server_lag_p99_ms", where, "lag of the event loop, p99", lag, "ms", "<= 50")
    for name, what, cpu in (
        ("server_cpu_per_move_ms", "processor time per move, with bots", usual.cpu),
        ("server_loop_per_move_ms", "of which in the event loop", usual.loop_cpu),
    ):
        yield Figure(name, where, what, 1000 * cpu / max(1, usual.answered), "ms")
    best = max((run.rate for run in runs if run.is_sustained), default=0.0)
    target = f">= {tables / MOVE_INTERVAL:g}"
    yield Figure("server_moves_per_second", where, "highest sustained rate", best, "/s", target)
