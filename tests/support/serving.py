"""A server in this process, and clients that play like the page: only from what the server sends."""

import asyncio
import functools
import random
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec

import httpx
from fastapi import FastAPI

import northrail
from northrail.server.http.app import make_app
from northrail.server.run import Server, bound, config_of
from northrail.server.settings import Limits, Settings
from northrail.server.tables.registry import TableRegistry

Json = dict[str, Any]
ADDRESS = "http://northrail.localhost"
FREE = (1e6, 1e6)
ROOMY = Limits(request_rate=FREE, table_rate=FREE, wrong_key_rate=FREE, move_rate=FREE, chat_rate=FREE)


Given = ParamSpec("Given")
PATIENCE = 240.0  # seconds a dialogue may take on a busy machine


def dialogue(test: Callable[Given, Coroutine[Any, Any, None]]) -> Callable[Given, None]:
    """Run a test in its own event loop."""

    @functools.wraps(test)
    def run(*arguments: Given.args, **named: Given.kwargs) -> None:
        async def in_time() -> None:
            await asyncio.wait_for(test(*arguments, **named), PATIENCE)

        asyncio.run(in_time())

    return run


async def until(is_so: Callable[[], Any], seconds: float = 60.0) -> None:
    """Wait until a condition is true."""
    for _ in range(int(seconds / 0.01)):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen in time")


@asynccontextmanager
async def serving(settings: Settings, **more: Any) -> AsyncIterator[tuple[FastAPI, TableRegistry]]:
    """Run an app in this event loop."""
    registry = TableRegistry(settings, **more)
    app = make_app(registry)
    async with app.router.lifespan_context(app):
        yield app, registry


def quick(database: str, **more: Any) -> Settings:
    """Return settings for tests: bots do not pause, and rate limits are generous."""
    return replace(Settings(database=database, pace=0.0, poll=0.05, limits=ROOMY), **more)


def browser(app: FastAPI, address: str = ADDRESS) -> httpx.AsyncClient:
    """Return a client with its own cookies."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=address)


def here(*names: str) -> list[Json]:
    """Return seats for people on this device."""
    return [{"who": "here", "name": name} for name in names]


def choice_of(options: Json, chance: random.Random) -> Json:
    """Return a random choice from the options, mostly claims, so that games end."""
    if options["keep"]:
        offered = [ticket["number"] for ticket in options["keep"]["offered"]]
        return {
            "kind": "keep",
            "tickets": sorted(chance.sample(offered, chance.randint(options["keep"]["least"], len(offered)))),
        }
    if options["tunnel"]:
        ways = [{"kind": "tunnel", "cards": cards} for cards in options["tunnel"]["payments"]]
        return chance.choice([*ways, {"kind": "give_up"}] if chance.random() < 0.3 or not ways else ways)
    if options["claim"] and chance.random() < 0.8:
        route = chance.choice(sorted(options["claim"]))
        return {
            "kind": "claim",
            "route": int(route),
            "cards": chance.choice(options["claim"][route]["payments"]),
        }
    if options["draw_tickets"] and chance.random() < 0.08:
        return {"kind": "draw_tickets"}
    if options["take"] and (chance.random() < 0.5 or not options["blind"]):
        return {"kind": "take", "colour": chance.choice(options["take"])}
    if options["blind"]:
        return {"kind": "blind"}
    if options["passing"]:
        return {"kind": "pass"}
    return next(iter(_rest(options)))


def _rest(options: Json) -> Iterator[Json]:
    for route, claim in options["claim"].items():
        yield {"kind": "claim", "route": int(route), "cards": claim["payments"][0]}
    if options["draw_tickets"]:
        yield {"kind": "draw_tickets"}


async def play_out(client: httpx.AsyncClient, table: str, chance: random.Random) -> Json:
    """Play all seats of this client to the end of the game; return the last news."""
    news: Json = {}
    while True:
        if not news or news["you"] != news["table"]["turn"] or not news["view"]["options"]:
            answer = await client.get(f"/api/tables/{table}/news", params={"since": 10**6, "chat": 10**6})
            news = answer.json()
        if news["table"]["status"] != "running":
            return news
        if news["you"] == news["table"]["turn"] and news["view"]["options"]:
            choice = choice_of(news["view"]["options"], chance)
            command = {"seat": news["you"], "version": news["version"], "choice": choice}
            moved = await client.post(f"/api/tables/{table}/moves", json=command)
            assert moved.status_code == 200, moved.text
            news = moved.json()
        else:
            await asyncio.sleep(0.01)


def near_the_end(board: northrail.Board, seats: int, seed: int = 1) -> Json:
    """Return a position in which first tickets are chosen and the trains are about to run out."""
    game = northrail.Game(board, seats, seed, first=0)
    chance = random.Random(seed)
    while game.phase == "tickets":
        game.play(chance.choice(game.moves()))
    position = game.position()
    position["trains"] = [board.rules.last_round_at + 3] * seats
    return northrail.Game.from_position(board, position).position()


@asynccontextmanager
async def listening(settings: Settings, **more: Any) -> AsyncIterator[tuple[str, TableRegistry]]:
    """Run a server on a local port, in this event loop; yield its address without http://."""
    registry = TableRegistry(settings, **more)
    with bound("127.0.0.1", 0) as socket:
        ready = asyncio.Event()
        server = Server(config_of(make_app(registry)), ready.set)
        running = asyncio.ensure_future(server.serve([socket]))
        await ready.wait()
        try:
            yield f"127.0.0.1:{socket.getsockname()[1]}", registry
        finally:
            server.should_exit = True
            await running


@contextmanager
def server(database: str, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `northrail serve` in a new process; yield it and its address. Its log is next to the database."""
    usual = ["--port", "0", "--database", database, "--pace", "0.05"]
    with (
        Path(f"{database}.log").open("a") as log,
        subprocess.Popen(
            [sys.executable, "-m", "northrail", "serve", *usual, *more], stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+:\d+", line)
        try:
            assert found, f"expected the server's address, got {line!r} and {Path(f'{database}.log').read_text()}"
            yield process, found[0]
        finally:
            process.kill()


def merged(known: Json, more: Json) -> Json:
    """Return the whole news once a message with changes has arrived, as a client would."""
    if not more.get("changes"):
        return more
    view = None if more["view"] is None else (known["view"] or {}) | more["view"]
    return known | more | {"view": view}
