"""Chaos: servers are killed and faults injected while clients play, and a ledger holds what was acknowledged."""

import asyncio
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import httpx
from databases import Cluster, free_port
from serving import Json, choice_of, here

from northrail.server.settings import Settings
from northrail.server.store.database import Store
from northrail.server.tables.registry import TableRegistry

PATIENCE = 20.0  # seconds a client waits for an answer
Fault = Callable[[], Awaitable[None]]


def run_server(database: str, port: int, log: str) -> None:
    """Serve until killed. A new process runs this."""
    import chaos_server  # noqa: PLC0415  # it changes the server: only for that process

    chaos_server.serve(database, port, log)


# Its processes are forks of one that has everything loaded, so that a restart takes a tenth of a second.
FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["chaos_server"])


def prepare() -> None:
    """Start the process to fork. Before Python 3.13 it finds only what is on PYTHONPATH."""
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), before])
    try:
        forkserver.ensure_running()
    finally:
        os.environ["PYTHONPATH"] = before


class Victim:
    """A server that is killed and started again."""

    def __init__(self, database: str, log: str) -> None:
        self.port = free_port()
        self._given = (database, self.port, log)
        self.process = self._start()

    @property
    def address(self) -> str:
        """Its address; it stays the same."""
        return f"http://127.0.0.1:{self.port}"

    def _start(self) -> Any:
        process = FORKING.Process(target=run_server, args=self._given, daemon=True)
        process.start()
        return process

    def kill(self) -> None:
        """Kill the server with -9."""
        self.process.kill()
        self.process.join()

    def start(self) -> None:
        """Start the server if it does not run."""
        if not self.process.is_alive():
            self.process = self._start()

    def is_up(self) -> bool:
        """Return whether the process runs."""
        alive: bool = self.process.is_alive()
        return alive


@dataclass
class Ledger:
    """What clients tried, and what the servers acknowledged."""

    # (table, version) -> the move's key and choice
    played: dict[tuple[str, int], tuple[str, Json]] = field(default_factory=dict)
    sealed: dict[str, list[int]] = field(default_factory=dict)  # table -> the early choice of seat 1
    keys: set[str] = field(default_factory=set)  # of all moves that were tried
    refused: set[str] = field(default_factory=set)  # of moves that came too late
    tables: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)


class Player:
    """A client that plays all seats of people at one table after another, whatever happens to the servers."""

    def __init__(self, client: httpx.AsyncClient, victims: list[Victim], ledger: Ledger, seed: int) -> None:
        self.client, self.victims, self.ledger = client, victims, ledger
        self.chance = random.Random(seed)
        self.moves = 0

    async def ask(self, method: str, path: str, is_flaky: bool = True, **more: Any) -> httpx.Response:
        """Send a request to any server, again and again, until one gives an answer that is not 503."""
        while True:
            address = self.chance.choice(self.victims).address
            # Now and then the network fails: we stop listening, and never learn what happened.
            patience = self.chance.uniform(0.001, 0.03) if is_flaky and self.chance.random() < 0.1 else PATIENCE
            try:
                answer = await self.client.request(method, f"{address}{path}", timeout=patience, **more)
            except httpx.TransportError as error:
                self.ledger.statuses[type(error).__name__] += 1
            else:
                self.ledger.statuses[str(answer.status_code)] += 1
                if answer.status_code != 503:
                    return answer
            await asyncio.sleep(self.chance.uniform(0.01, 0.1))

    async def play(self, is_over: Callable[[], bool]) -> None:
        """Play table after table."""
        while not is_over():
            await self._table(is_over)

    async def _table(self, is_over: Callable[[], bool]) -> None:
        seats = [*here("Anna", "Bo"), {"who": "bot", "level": "random"}]
        wish = {"board": "nordic-countries", "seats": seats, "first": 0, "speed": "instant"}
        made = (await self.ask("POST", "/api/tables?keys=true", is_flaky=False, json=wish)).json()
        path, keys = f"/api/tables/{made['id']}", ".".join(made["keys"].values())
        self.ledger.tables.append(made["id"])
        headers = {"authorization": f"Bearer {keys}"}
        await self._seal(made["id"], path, headers)
        while not is_over():
            asked = await self.ask("GET", f"{path}/news?since=2000000000&chat=2000000000", headers=headers)
            news = asked.json()
            if news["table"]["status"] != "running":
                return
            options = news["view"]["options"]
            if not options or news["you"] != news["table"]["turn"]:
                await asyncio.sleep(0.02)
                continue
            rivals = 2 if self.chance.random() < 0.3 else 1
            choices = [choice_of(options, self.chance) for _ in range(rivals)]
            if choices[0]["kind"] == "keep":  # the same tickets twice would count as one choice, sent again
                choices = choices[:1]
            await self._move(made["id"], path, headers, news, choices)

    async def _seal(self, table: str, path: str, headers: dict[str, str]) -> None:
        """Let Bo choose his first tickets early, twice at once and differently; only one choice may be accepted."""
        news = (await self.ask("GET", f"{path}?seat=1", headers=headers)).json()
        offered = [ticket["number"] for ticket in news["view"]["offered"]]
        sets = [offered, offered[:-1]]
        commands = [{"seat": 1, "version": 0, "choice": {"kind": "keep", "tickets": tickets}} for tickets in sets]
        sent = (
            self.ask("POST", f"{path}/moves", json=command, headers=headers | {"idempotency-key": f"sealed {at}"})
            for at, command in enumerate(commands)
        )
        answers = await asyncio.gather(*sent)
        if sorted(answer.status_code for answer in answers) != [200, 409]:
            self.ledger.surprises.append(f"sealed: {[answer.text[:100] for answer in answers]}")
        for tickets, answer in zip(sets, answers, strict=True):
            if answer.status_code == 200:
                self.ledger.sealed[table] = tickets

    async def _move(self, table: str, path: str, headers: dict[str, str], news: Json, choices: list[Json]) -> None:
        """Send moves for one version; at most one may be accepted."""
        version = news["version"]
        keys = [f"{self.chance.getrandbits(64):x}" for _ in choices]
        self.ledger.keys |= set(keys)
        sent = (
            self.ask(
                "POST",
                f"{path}/moves",
                json={"seat": news["you"], "version": version, "choice": choice},
                headers=headers | {"idempotency-key": key},
            )
            for choice, key in zip(choices, keys, strict=True)
        )
        for key, choice, answer in zip(keys, choices, await asyncio.gather(*sent), strict=True):
            if answer.status_code == 200:
                before = self.ledger.played.setdefault((table, version + 1), (key, choice))
                # A server that lags may offer tickets once more: the same tickets count as the same choice, sent again.
                if before[0] != key and not (choice["kind"] == "keep" and choice == before[1]):
                    self.ledger.surprises.append(f"version {version}: {before} and {key, choice} accepted")
                self.moves += 1
            elif answer.status_code == 409:
                self.ledger.refused.add(key)
            else:
                self.ledger.surprises.append(f"{answer.status_code} {answer.text[:200]} {choices}")


async def check(ledger: Ledger, database: str) -> int:
    """Compare the ledger with the database, and replay every table; return how many moves were acknowledged."""
    store = Store(database)
    await store.open()
    stored = {table: await store.commands(table) for table in ledger.tables}
    await store.close()
    for table, commands in stored.items():
        assert [command.version for command in commands] == list(range(1, len(commands) + 1))
        first = next((command.choice for command in commands if command.seat == 1), None)
        if table in ledger.sealed and first is not None:
            assert first == {"kind": "keep", "tickets": ledger.sealed[table]}, "another choice than the sealed one"
    kept = Counter(command.key for commands in stored.values() for command in commands if command.key in ledger.keys)
    assert [key for key, times in kept.items() if times > 1] == [], "doubled"
    assert ledger.refused & kept.keys() == set(), "refused, but played"
    by_version = {(table, each.version): each.key for table, commands in stored.items() for each in commands}
    assert [at for at, (key, _) in ledger.played.items() if by_version.get(at) != key] == [], "lost"
    registry = TableRegistry(Settings(database=database))
    await registry.open()
    try:
        for table, commands in stored.items():
            assert (await registry.session(table)).match.version >= len(commands)
            registry.tables.clear()
    finally:
        await registry.close()
    return len(ledger.played)


# --- faults -----------------------------------------------------------------------------------------------------------


async def pause(victim: Victim, seconds: float) -> None:
    """Stop a server for a while; what it had begun, it finishes late."""
    with suppress(ProcessLookupError):
        os.kill(victim.process.pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)
        os.kill(victim.process.pid, signal.SIGCONT)


async def fill_disk(victim: Victim, seconds: float) -> None:
    """Let a server's files grow no further for a while, as on a full disk; Linux only."""
    with suppress(ProcessLookupError):
        before = resource.prlimit(victim.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        await asyncio.sleep(seconds)
        resource.prlimit(victim.process.pid, resource.RLIMIT_FSIZE, before)


async def lock_file(database: str, seconds: float) -> None:
    """Hold the lock of an SQLite file for a while."""
    with (
        suppress(sqlite3.OperationalError),  # a server is writing
        closing(sqlite3.connect(database, isolation_level=None, timeout=0.0)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(seconds)
        other.execute("ROLLBACK")


async def lock_rows(url: str, seconds: float) -> None:
    """Hold a lock of PostgreSQL's commands for a while."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE commands IN EXCLUSIVE MODE")
            await asyncio.sleep(seconds)
    finally:
        await connection.close()


async def cut_connections(url: str) -> None:
    """Cut all connections to a PostgreSQL database."""
    connection = await asyncpg.connect(url)
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    await connection.execute(f"{others} AND pid <> pg_backend_pid()")
    await connection.close()


@dataclass
class Chaos:
    """Two servers on a database, clients that play, and what goes wrong."""

    database: str
    folder: Path
    seed: int
    cluster: Cluster | None = None  # of PostgreSQL
    ledger: Ledger = field(default_factory=Ledger)
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    async def run(self, kills: int, clients: int) -> int:
        """Kill servers so many times while clients play; return how many moves were acknowledged, all of them kept."""
        chance = random.Random(self.seed)
        async with self._servers() as victims, httpx.AsyncClient(limits=httpx.Limits(max_connections=100)) as client:
            players = [Player(client, victims, self.ledger, self.seed * 1000 + at) for at in range(clients)]
            is_over = asyncio.Event()
            playing = [asyncio.ensure_future(player.play(is_over.is_set)) for player in players]
            await self._until_all_moved(players)
            while self.kills < kills:
                await asyncio.sleep(chance.uniform(0.0, 0.3))
                if chance.random() < 0.3:
                    await self._fault(victims, chance)
                for victim in victims if chance.random() < 0.1 else [chance.choice(victims)]:
                    self.kills += victim.is_up()
                    victim.kill()
                for victim in victims:
                    victim.start()
                if chance.random() < 0.7:  # else the next kill may come while one starts
                    await self._until_moved(players, chance.randint(1, 20))
                assert self.ledger.surprises == []
                assert not any(each.done() for each in playing), [each.exception() for each in playing if each.done()]
            await self._until_all_moved(players, victims)
            is_over.set()
            await asyncio.gather(*playing)
        assert self.ledger.surprises == []
        return await check(self.ledger, self.database)

    @asynccontextmanager
    async def _servers(self) -> AsyncIterator[list[Victim]]:
        prepare()
        victims = [Victim(self.database, str(self.folder / f"server-{at}.log")) for at in range(2)]
        try:
            yield victims
        finally:
            for victim in victims:
                victim.kill()

    async def _until_moved(self, players: list[Player], moves: int) -> None:
        """Wait for so many more moves, but not for long."""
        wanted = sum(player.moves for player in players) + moves
        with suppress(TimeoutError):
            async with asyncio.timeout(3.0):
                while sum(player.moves for player in players) < wanted:
                    await asyncio.sleep(0.01)

    async def _until_all_moved(self, players: list[Player], victims: list[Victim] | None = None) -> None:
        """Wait until every client has made another move: nothing hangs for ever."""
        before = [player.moves for player in players]
        async with asyncio.timeout(120.0):
            while any(player.moves == moves for player, moves in zip(players, before, strict=True)):
                for victim in victims or ():
                    victim.start()
                await asyncio.sleep(0.05)

    async def _fault(self, victims: list[Victim], chance: random.Random) -> None:
        victim, seconds = chance.choice(victims), chance.uniform(0.05, 0.5)
        kinds: dict[str, Fault] = {"pause": lambda: pause(victim, seconds)}
        if self.cluster is None:
            kinds |= {"disk": lambda: fill_disk(victim, seconds), "lock": lambda: lock_file(self.database, seconds)}
        else:
            kinds |= {"lock": lambda: lock_rows(self.database, seconds), "cut": lambda: cut_connections(self.database)}
            if chance.random() < 0.15:
                kinds = {"restart": self._restart}
        kind = chance.choice(sorted(kinds))
        self.faults[kind] += 1
        await kinds[kind]()

    async def _restart(self) -> None:
        assert self.cluster is not None
        await asyncio.to_thread(self.cluster.restart)
