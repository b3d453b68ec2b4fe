"""Bots share their workers fairly, and nobody's bots wait for all of somebody else's. No test here looks at a clock."""

import asyncio
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from databases import sqlite_file
from fastapi import FastAPI
from serving import ADDRESS, Json, browser, dialogue, here, quick, serving, until

from northrail.players import load_player
from northrail.server.match import Json as Choice
from northrail.server.tables import bots, session
from northrail.server.tables.turns import Turns

BOARD = "nordic-countries"


class Queue:
    """Turns that are taken, in the order in which they begin; each ends when the test says so."""

    def __init__(self, workers: int) -> None:
        self.turns = Turns(workers)
        self.begun: list[str] = []
        self.waiting: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Let bots come, such as "a1": the first of client a."""
        for name in names:
            self.waiting[name] = asyncio.ensure_future(self._take(name))
            await asyncio.sleep(0)

    async def _take(self, name: str) -> None:
        await self.turns.take(name[0])
        self.begun.append(name)

    async def end(self, times: int = 1) -> None:
        """End a turn, as many times."""
        for _ in range(times):
            self.turns.give_back()
            await asyncio.sleep(0)


@dialogue
async def test_clients_take_turns_however_many_bots_one_has() -> None:
    queue = Queue(1)
    await queue.come(*(f"a{number}" for number in range(6)), "b1", "b2", "c1")
    await queue.end(8)
    assert queue.begun == ["a0", "b1", "c1", "a1", "b2", "a2", "a3", "a4", "a5"]
    await queue.end()
    await queue.come("c2")
    assert queue.begun[-1] == "c2", "a free worker is taken at once"


@dialogue
async def test_a_newcomer_waits_only_for_a_worker_if_one_client_has_them_all() -> None:
    queue = Queue(2)
    await queue.come(*(f"a{number}" for number in range(30)))
    await queue.end(3)
    await queue.come("b1")
    await queue.end()
    assert queue.begun[-1] == "b1"
    await queue.come("b2", "c1")
    await queue.end(2)
    assert set(queue.begun[-2:]) == {"c1", "a5"}, "b was served last"
    await queue.end()
    assert queue.begun[-1] == "b2"


@dialogue
async def test_newcomers_cannot_keep_out_those_who_wait() -> None:
    queue = Queue(1)
    await queue.come("a0", "a1", "b1")
    for number in range(20):
        await queue.come(f"{chr(ord('c') + number)}1")
        await queue.end()
    assert {"a1", "b1"} <= set(queue.begun[:4])


@dialogue
async def test_every_client_gets_the_same_share() -> None:
    queue = Queue(3)
    await queue.come(*(f"{client}{number}" for client in "abcde" for number in range(8 if client == "a" else 4)))
    await queue.end(15)
    counts = Counter(name[0] for name in queue.begun[3:])
    assert set(counts.values()) == {3}


@dialogue
async def test_a_bot_that_gives_up_leaves_its_turn_to_the_next() -> None:
    queue = Queue(1)
    await queue.come("a0", "a1", "b1", "c1")
    queue.waiting["b1"].cancel()
    await queue.end()
    assert queue.begun == ["a0", "c1"] or queue.begun == ["a0", "a1"]
    queue.turns.give_back()
    given = next(name for name in ("a1", "c1") if name not in queue.begun)
    queue.waiting[given].cancel()  # at the very moment it gets its turn
    await asyncio.sleep(0.0)
    await asyncio.sleep(0.0)
    assert queue.turns.waiting == 0
    await queue.come("d1")
    assert queue.begun[-1] == "d1", "the turn was not lost"


# --- at tables --------------------------------------------------------------------------------------------------------


class Thinking:
    """Replaces how bots think: searches wait until they may go on, and we see at which tables they begin."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go_on = threading.Semaphore(0)
        self.begun: list[str] = []
        think = bots.choose

        def choose(game: Any, _player: Any, name: str, secret: str) -> Choice:
            if name in bots.SEARCHES:
                self.begun.append(secret)
                assert self.go_on.acquire(timeout=60)
            return think(game, load_player("simple")(), name, secret)

        monkeypatch.setattr(bots, "choose", choose)


def client_at(app: FastAPI, address: str) -> httpx.AsyncClient:
    """Return a client at another address."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app, client=(address, 1)), base_url=ADDRESS)


async def new_table(client: httpx.AsyncClient, *levels: str, person: bool = False) -> str:
    """Set up a table of bots; return its name."""
    seats: list[Json] = [{"who": "bot", "level": level} for level in levels] + (here("Anna") if person else [])
    made = await client.post("/api/tables", json={"board": BOARD, "seats": seats, "first": 0})
    assert made.status_code == 201, made.text
    name: str = made.json()["id"]
    return name


@dialogue
async def test_a_crowd_of_experts_delays_neither_a_simple_bot_nor_an_expert_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking = Thinking(monkeypatch)
    settings = quick(sqlite_file(tmp_path), workers=1)
    async with (
        serving(settings) as (app, registry),
        client_at(app, "10.0.0.1") as noisy,
        client_at(app, "10.0.0.2") as calm,
    ):
        for _ in range(12):
            await new_table(noisy, "expert", "expert", "expert")
        await until(lambda: registry.bots.waiting == 11)
        table = await new_table(calm, "simple", "simple", person=True)
        simple = registry.tables[table]
        await until(lambda: simple.match.bot_to_move is None)
        expert = registry.tables[await new_table(calm, "expert", "expert", person=True)]
        await until(lambda: registry.bots.waiting == 12)
        thinking.go_on.release(2)  # for the search that has begun, and the one after it
        await until(lambda: expert.match.version)
        assert thinking.begun[1] == expert.match.info.secret
        thinking.go_on.release(1000)


@dialogue
async def test_bots_rest_between_their_moves_as_long_as_a_move_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, rests = asyncio.get_running_loop(), list[tuple[float, Any]]()
    now = 0.0
    monkeypatch.setattr(loop, "time", lambda: now)
    monkeypatch.setattr(loop, "call_later", lambda seconds, then: rests.append((seconds, then)))
    playing = bots.Bots(1, 0.0, 60.0)
    for taking in (0.25, 0.125, 0.0, 60.0):
        async with playing.turn_to_move("10.0.0.1"):
            now += taking
    late = asyncio.ensure_future(playing.turn_to_move("10.0.0.2").__aenter__())
    await asyncio.sleep(0)
    assert (late.done(), [seconds for seconds, _ in rests]) == (False, [0.25, 0.125, 0.0, bots.MOST_REST])
    rests[0][1]()
    await late
    playing.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows priorities of threads")
def test_searches_yield_to_the_event_loop() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    lane = bots.Lane(1, "search", bots.lower_priority)
    assert lane.pool.submit(niceness).result() == min(19, niceness() + bots.LESS_URGENT)
    lane.pool.shutdown()


@dialogue
async def test_bots_stop_when_nobody_is_there_and_play_on_when_someone_comes_back(tmp_path: Path) -> None:
    now = 1e9
    settings = quick(sqlite_file(tmp_path))
    async with serving(settings, now=lambda: now) as (app, registry), browser(app) as anna:
        table = await new_table(anna, "simple", "simple", "simple")
        playing = registry.tables[table]
        await until(lambda: playing.match.version > 3)
        now += session.ALONE_AFTER + 1
        await until(lambda: playing.bot_task is None and not playing.lock.locked())
        stopped = playing.match.version
        assert playing.match.status == "running"
        assert playing.is_idle
        await asyncio.sleep(0.05)
        assert playing.match.version == stopped
        await anna.get(f"/api/tables/{table}/news")
        await until(lambda: playing.match.version > stopped)
        await until(lambda: playing.match.status == "over")


@dialogue
async def test_a_connection_keeps_bots_playing(tmp_path: Path) -> None:
    now = 1e9
    async with serving(quick(sqlite_file(tmp_path)), now=lambda: now) as (app, registry), browser(app) as anna:
        playing = registry.tables[await new_table(anna, "simple", "simple", "simple")]
        registry.connect(playing, session.Subscriber(Mock(), session.Caller(), None, 0, 0))
        now += 10 * session.ALONE_AFTER
        await until(lambda: playing.match.status == "over")


@dialogue
async def test_bots_think_for_the_players_not_for_those_who_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[str] = []
    think = bots.Bots.choose

    async def choose(self: bots.Bots, *arguments: Any) -> Choice:
        clients.append(arguments[-1])
        return await think(self, *arguments)

    monkeypatch.setattr(bots.Bots, "choose", choose)
    async with (
        serving(quick(sqlite_file(tmp_path))) as (app, registry),
        client_at(app, "10.0.0.1") as anna,
        client_at(app, "10.0.0.2") as eve,
    ):
        table = await new_table(anna, "simple", person=True)
        playing = registry.tables[table]
        await until(lambda: playing.match.turn == 1)
        await eve.get(f"/api/tables/{table}")
        mine = (await anna.get(f"/api/tables/{table}")).json()
        kept = [ticket["number"] for ticket in mine["view"]["options"]["keep"]["offered"]]
        choice = {"kind": "keep", "tickets": kept}
        await anna.post(f"/api/tables/{table}/moves", json={"seat": 1, "version": mine["version"], "choice": choice})
        await eve.get(f"/api/tables/{table}")
        await until(lambda: len(clients) >= 2)
        assert set(clients) == {"10.0.0.1"}
