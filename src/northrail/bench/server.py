"""Measure the server's capacity: many tables with scripted clients that move at a given rate, while bots think.

The server runs in its own process on a new SQLite file. The clients run in this process, over loopback. We time a move
from sending its request until the last client of the table has the news. Then a program plays whole games against a
bot. Last, another server starts on a file with many games, and all their players come back at once.
"""

import asyncio
import json
import math
import multiprocessing
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

import sqlalchemy as sql
from uvicorn.loops.auto import auto_loop_factory
from websockets.asyncio.client import ClientConnection, connect

from northrail.bench.speed import Figure
from northrail.errors import NorthrailError
from northrail.server.http.app import make_app
from northrail.server.match import Command, Json
from northrail.server.run import Server, bound, collect_young, config_of, yield_often
from northrail.server.settings import Limits, Settings
from northrail.server.store.schema import commands, tables
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.wire import messages
from northrail.server.wire.catalogue import USUAL_LEVEL

BOARDS = ("nordic-countries", "northern-lights")
CLIENTS = 3
MOVE_INTERVAL = 4.0  # seconds between the moves of a table
BOT_TABLES = 16  # tables where only bots play
WHOLE_GAMES = 3  # that a program plays
REOPENED, COMMANDS = 200, 110  # tables that are opened at once after a restart, and the commands of each
LAG_INTERVAL = 0.025  # seconds between measurements of the event loop's lag
WARM_UP = 3.0  # seconds
FIRST_TABLES = 20  # tables that fill the caches before we measure memory
MOST_P99 = 0.1  # seconds; a rate counts as sustained up to this 99th percentile
FASTER = (1.5, 2.0, 2.5, 3.0, 4.0)  # multiples of the usual rate, to find the highest sustained one
# Clients read no more of the news than this, because parsing takes time. The options are the last fact of a view.
TURN = re.compile(rb'"turn":(\d+|null)')
VERSION = re.compile(rb'"version":(\d+)')
OPTIONS = re.compile(rb'"options":(\{.*\})\}\}$')
NO_LIMITS = Limits(
    request_rate=(1e9, 1e9),
    table_rate=(1e9, 1e9),
    move_rate=(1e9, 1e9),
    sockets=100_000,
    sockets_per_address=100_000,
)


@dataclass(frozen=True)
class Load:
    """What a server has used so far, and the event loop's lags since it was last asked."""

    lags: list[float]
    cpu: float  # seconds of processor time, including bots
    loop_cpu: float  # of which in the event loop
    memory: int  # bytes


def memory() -> int:
    """Return how much memory this process has, in bytes; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


# --- the server's process ---------------------------------------------------------------------------------------------


def serve_for(settings: Settings, pipe: Connection) -> None:
    """Serve until the pipe says stop; report the load on request."""
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:  # as in `serve`
        runner.run(_serve_for(settings, pipe))


async def _serve_for(settings: Settings, pipe: Connection) -> None:
    lags: list[float] = []
    with bound("127.0.0.1", 0) as listening:
        registry = TableRegistry(settings)
        await registry.open()
        collect_young()
        yield_often()
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        server = Server(config_of(make_app(registry)), lambda: ready.set_result(listening.getsockname()[1]))
        serving = asyncio.ensure_future(server.serve([listening]))
        await asyncio.wait({ready, serving}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving  # raises why it could not start
            return
        pipe.send(await ready)  # only now do we measure lags: before, there are no clients

        def receive() -> None:
            nonlocal lags
            with suppress(EOFError):  # when the clients have ended
                if pipe.recv() == "load":
                    pipe.send(Load(lags, time.process_time(), time.thread_time(), memory()))
                    lags = []
                    return
            loop.remove_reader(pipe.fileno())
            server.should_exit = True

        loop.add_reader(pipe.fileno(), receive)
        while not server.should_exit and not serving.done():
            due = time.perf_counter() + LAG_INTERVAL
            await asyncio.sleep(LAG_INTERVAL)
            lags.append(time.perf_counter() - due)
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
    """A table and its clients: what each has been told, and when."""

    id: str
    keys: dict[str, str]
    latest: dict[int, bytes] = field(default_factory=dict)  # [seat] -> its last message
    turn: int | None = None  # the seat to move
    options: dict[int, bytes] = field(default_factory=dict)  # [seat] -> what it may do, as JSON
    versions: dict[int, int] = field(default_factory=dict)
    received: dict[int, float] = field(default_factory=dict)  # [seat] -> time of the last news
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def listen(self, port: int, seat: int, query: str = "changes=true") -> None:
        """Receive a seat's news for ever, by default only what changes."""
        headers = {"authorization": f"Bearer {self.keys.get(str(seat), '')}"}
        url = f"ws://127.0.0.1:{port}/api/tables/{self.id}/socket?{query}"
        # Like a browser, it answers the server's pings and sends none.
        quiet: Json = {"max_size": None, "compression": None, "ping_interval": None}
        async with connect(url, additional_headers=headers, **quiet) as socket:
            await self._receive(socket, seat)

    async def _receive(self, socket: ClientConnection, seat: int) -> None:
        while True:
            message = await socket.recv(decode=False)
            self.received[seat] = time.perf_counter()
            found = VERSION.search(message)
            assert found is not None
            self.latest[seat], self.versions[seat] = message, int(found[1])
            if (turn := TURN.search(message)) is not None:
                self.turn = int(turn[1]) if turn[1] != b"null" else None
            if (options := OPTIONS.search(message)) is not None:
                self.options[seat] = options[1]
            self.arrived.set()

    async def until(self, version: int, seats: int = CLIENTS) -> float:
        """Wait until the clients in the first seats have a version; return when the last one received it."""
        while not all(self.versions.get(seat, -1) >= version for seat in range(seats)):
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
    memory: int = 0  # the server's, after the run

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

    def __init__(self, port: int, pipe: Connection) -> None:
        self.port, self.pipe = port, pipe
        self.tables: list[ClientTable] = []
        self.connections = [HttpClient(port) for _ in range(16)]
        self.chance = random.Random(1)
        self.listeners: list[asyncio.Task[None]] = []

    async def set_up(self, count: int) -> int:
        """Create tables and connect their clients; return the server's memory before they connected."""
        persons = [{"who": "here", "name": f"Client {seat + 1}"} for seat in range(CLIENTS)]
        new = [await self._make(at, persons) for at in range(count)]
        self.tables += new
        opened = (await self.load()).memory
        for table in new:
            self.listeners += [asyncio.ensure_future(table.listen(self.port, seat)) for seat in range(CLIENTS)]
            if len(self.listeners) % 60 == 0:
                await table.until(0)
        for table in new:
            await table.until(0)
        return opened

    async def add_bots(self) -> None:
        """Create tables where only bots play, and watch them: bots play only while someone is there."""
        bots = [{"who": "bot", "level": USUAL_LEVEL}] * CLIENTS
        for at in range(BOT_TABLES):
            table = await self._make(at, bots)
            self.listeners.append(asyncio.ensure_future(table.listen(self.port, 0)))

    async def _make(self, number: int, seats: list[Json]) -> ClientTable:
        body = {"board": BOARDS[number % 2], "seats": seats, "speed": "instant"}
        status, answer = await self.connections[0].post("/api/tables?keys=true", body)
        assert status == 201, answer
        made = json.loads(answer)
        return ClientTable(made["id"], made["keys"])

    async def run(self, rate: float, seconds: float) -> Run:
        """Play moves round-robin across tables at a fixed rate."""
        run = Run(rate)
        before = await self.load()
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
        after = await self.load()
        run.lags, run.cpu, run.loop_cpu = after.lags, after.cpu - before.cpu, after.loop_cpu - before.loop_cpu
        run.memory = after.memory
        return run

    async def _move(self, table: ClientTable, connection: HttpClient, run: Run) -> None:
        """Make a move at a table and wait until every client has the news."""
        async with table.moving:
            await self._move_now(table, connection, run)

    async def _move_now(self, table: ClientTable, connection: HttpClient, run: Run) -> None:
        turn = table.turn
        if turn is None:
            return  # this game is over
        version = table.versions[turn]
        run.sent += 1
        choice = choose(json.loads(table.options[turn]), self.chance)
        command = {"seat": turn, "version": version, "choice": choice}
        start = time.perf_counter()
        path = f"/api/tables/{table.id}/moves?news=false"  # as the page asks
        status, _answer = await connection.post(path, command, table.keys[str(turn)])
        if status == 200:
            run.times.append(await table.until(version + 1) - start)
            run.answered += 1

    async def play_whole(self, number: int) -> float:
        """Play a whole game against a quick bot that never pauses; return how long it took."""
        seats = [{"who": "here", "name": "Program"}, {"who": "bot", "level": "simple"}]
        began = time.perf_counter()
        table = await self._make(number, seats)
        self.listeners.append(asyncio.ensure_future(table.listen(self.port, 0)))
        await table.until(0, seats=1)
        while table.turn is not None:
            if table.turn == 0:
                version = table.versions[0]
                choice = choose(json.loads(table.options[0]), self.chance)
                command = {"seat": 0, "version": version, "choice": choice}
                path = f"/api/tables/{table.id}/moves?news=false"
                status, answer = await self.connections[0].post(path, command, table.keys["0"])
                assert status == 200, answer
                await table.until(version + 1, seats=1)
            else:
                table.arrived.clear()
                await table.arrived.wait()
        return time.perf_counter() - began

    async def load(self) -> Load:
        """Return what the server has used."""
        self.pipe.send("load")
        while not self.pipe.poll():
            await asyncio.sleep(0.01)
        load: Load = self.pipe.recv()
        return load

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
    collect_young()  # garbage collection in the clients would delay what we measure
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=str(Path(folder) / "bench.db"), limits=NO_LIMITS, workers=1)
        with _server(settings) as (port, pipe, _started):
            runs = asyncio.run(_measure(port, pipe, tables, seconds))
        yield from _figures(tables, runs)
        settings = replace(settings, database=str(Path(folder) / "restart.db"))
        games = asyncio.run(_fill(settings))
        with _server(settings) as (port, pipe, started):
            yield from asyncio.run(_reopen(port, pipe, started, games))


@contextmanager
def _server(settings: Settings) -> Iterator[tuple[int, Connection, float]]:
    """Run a server in its own process. Gives its port, the pipe to it, and the seconds until it listened."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve_for, args=(settings, there))
    began = time.perf_counter()
    process.start()
    there.close()  # so that `recv` raises EOFError when the server has ended
    try:
        port = here.recv()
        yield port, here, time.perf_counter() - began
    except EOFError as error:
        raise NorthrailError("the server ended before the benchmark; see its error above") from error
    finally:
        with suppress(OSError):
            here.send("end")
        process.join(15)
        if process.is_alive():
            process.kill()


# --- many moves -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Runs:
    """All runs: without bots, with bots, and faster and faster; the memory of a table, and seconds for whole games.

    The memory is in bytes, before its clients connected and after the first run.
    """

    calm: Run
    usual: Run
    faster: list[Run]
    memory: list[float]
    whole: list[float]


async def _measure(port: int, pipe: Connection, tables: int, seconds: float) -> Runs:
    bench = Bench(port, pipe)
    try:
        first = min(FIRST_TABLES, tables // 2)
        await bench.set_up(first)
        rate = tables / MOVE_INTERVAL
        await bench.run(first / MOVE_INTERVAL, WARM_UP)
        before = (await bench.load()).memory
        opened = await bench.set_up(tables - first)
        await bench.run(rate, WARM_UP)
        calm = await bench.run(rate, seconds / 2)
        await bench.add_bots()
        await bench.run(rate, WARM_UP)
        usual = last = await bench.run(rate, seconds)
        faster: list[Run] = []
        for times in FASTER:
            if last.is_sustained:
                last = await bench.run(rate * times, seconds / 4)
                faster.append(last)
        memory = [(each - before) / (tables - first) for each in (opened, calm.memory)]
        whole = [await bench.play_whole(number) for number in range(WHOLE_GAMES)]
        return Runs(calm, usual, faster, memory, whole)
    finally:
        await bench.close()


def _figures(tables: int, runs: Runs) -> Iterator[Figure]:
    calm, usual = runs.calm, runs.usual
    where = f"{tables} tables, {CLIENTS} clients each, {calm.rate:g} moves/s"
    loop = 1000 * calm.loop_cpu / max(1, calm.answered)
    yield Figure("server_loop_per_move_ms", where, "event loop's time for a move", loop, "ms", "<= 1.5")
    if calm.memory:
        opened, played = runs.memory
        yield Figure("server_table_kb", where, "memory of an open table", opened / 1000, "kB", "<= 60")
        yield Figure("server_played_table_kb", where, "with its clients and moves", played / 1000, "kB")
    where = f"and bots at {BOT_TABLES} more tables"
    answered = 100 * usual.answered / max(1, usual.sent)
    yield Figure("server_moves_answered_percent", where, "moves answered", answered, "%", ">= 100")
    for part in (50, 99):
        value = 1000 * quantile(usual.times, part / 100)
        target = "<= 100" if part == 99 else ""
        yield Figure(f"server_move_p{part}_ms", where, f"a move to all clients, p{part}", value, "ms", target)
    lag = 1000 * quantile(usual.lags, 0.99)
    yield Figure("server_lag_p99_ms", where, "lag of the event loop, p99", lag, "ms", "<= 50")
    best = max((run.rate for run in (usual, *runs.faster) if run.is_sustained), default=0.0)
    yield Figure("server_moves_per_second", where, "highest sustained rate", best, "/s", f">= {2 * usual.rate:g}")
    where = "a program against a bot"
    yield Figure("server_whole_game_s", where, "a whole game", max(runs.whole), "s", "<= 1.5")


# --- a restart --------------------------------------------------------------------------------------------------------


async def _fill(settings: Settings) -> list[ClientTable]:
    """Store games in a database, as a server leaves them that is killed."""
    registry = TableRegistry(settings)
    await registry.open()
    games, rows, turns = list[ClientTable](), list[Json](), list[Json]()
    persons = [{"who": "here", "name": f"Client {seat + 1}"} for seat in range(CLIENTS)]
    try:
        for number in range(REOPENED):
            chance, board = random.Random(number), registry.boards[BOARDS[number % 2]]
            session, keys, _host = await Seating(registry).make(board, persons)
            match = session.match
            while match.version < COMMANDS and match.turn is not None:
                choice = choose(messages.options_json(match, match.turn) or {}, chance)
                match.add(Command(match.version + 1, match.turn, "person", registry.now(), choice))
            rows += [{"table_id": session.id, **step.command.row()} for step in match.steps]
            turns.append({"at": session.id, "last": match.version, "next": match.turn, "how": match.status})
            games.append(ClientTable(session.id, {str(seat): key for seat, key in keys.items()}))
    finally:
        await registry.close()
    engine = sql.create_engine(f"sqlite:///{settings.database}")
    changes: Json = {"version": sql.bindparam("last"), "turn": sql.bindparam("next"), "status": sql.bindparam("how")}
    with engine.begin() as db:
        db.execute(commands.insert(), rows)
        db.execute(tables.update().where(tables.c.id == sql.bindparam("at")).values(changes), turns)
    engine.dispose()
    return games


async def _reopen(port: int, pipe: Connection, started: float, games: list[ClientTable]) -> Iterator[Figure]:
    bench = Bench(port, pipe)
    await bench.load()
    begin = time.perf_counter()
    listeners = [asyncio.ensure_future(game.listen(port, 0)) for game in games]
    try:
        for game in games:
            await game.until(1, seats=1)
        took = time.perf_counter() - begin
        lag = max((await bench.load()).lags, default=0.0)
    finally:
        for listener in listeners:
            listener.cancel()
        await asyncio.gather(*listeners, return_exceptions=True)
    where = f"a restart with {REOPENED} games of {COMMANDS} commands"
    return iter(
        [
            Figure("server_start_s", where, "until the server listens", started, "s", "<= 2"),
            Figure("server_reopen_s", where, "until all games are open again", took, "s", "<= 3"),
            Figure("server_reopen_lag_ms", where, "longest lag of the event loop", 1000 * lag, "ms", "<= 50"),
        ]
    )
