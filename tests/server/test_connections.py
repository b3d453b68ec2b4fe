"""Connections: silent and excess ones are closed, and everyone else is served."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_file
from serving import ROOMY, dialogue, listening, quick

from northrail.server.http import connections as connections_module
from northrail.server.http.connections import NEW_AT_ONCE, Connections, raise_file_limit, say_seldom
from northrail.server.settings import Limits, Settings

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]
ASK = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


def strict(folder: Path, **limits: float) -> Settings:
    """Return settings with these limits."""
    return quick(sqlite_file(folder), limits=replace(ROOMY, **limits))  # type: ignore[arg-type]  # fields differ in type


@asynccontextmanager
async def connecting(address: str) -> AsyncIterator[Callable[[], Coroutine[Any, Any, Client]]]:
    """Yield a function that connects to the server; close all connections at the end."""
    host, port = address.split(":")
    writers = []

    async def connect() -> Client:
        reader, writer = await asyncio.open_connection(host, int(port))
        writers.append(writer)
        return reader, writer

    try:
        yield connect
    finally:
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)


async def answer(reader: asyncio.StreamReader) -> bytes:
    """Return the first line of an answer; empty if the connection is closed."""
    try:
        return await reader.readline()
    except ConnectionResetError:
        return b""


@dialogue
async def test_a_request_that_does_not_arrive_is_dropped(tmp_path: Path) -> None:
    async with listening(strict(tmp_path, request_seconds=0.4)) as (address, _), connecting(address) as connect:
        silent, _ = await connect()
        halting, writer = await connect()
        writer.write(ASK)  # without the empty line that ends it
        body, sender = await connect()
        sender.write(b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{")
        assert [await answer(each) for each in (silent, halting, body)] == [b"", b"", b""]
        whole, writer = await connect()
        for _ in range(2):  # the connection is kept
            writer.write(ASK + b"\r\n")
            assert await answer(whole) == b"HTTP/1.1 200 OK\r\n"
            await whole.readuntil(b"}")


@dialogue
async def test_one_client_cannot_take_all_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    untrusting = Connections(replace(Limits(), connections_per_client=5), files=1000)
    monkeypatch.setattr("northrail.server.run.Connections", lambda *_given, **_named: untrusting)
    async with listening(strict(tmp_path)) as (address, _), connecting(address) as connect:
        with caplog.at_level(logging.WARNING, "northrail.connections"):
            many = [await connect() for _ in range(12)]
            for _, writer in many:
                writer.write(ASK + b"\r\n")
            said = [await answer(reader) for reader, _ in many]
        assert said == [b""] * 7 + [b"HTTP/1.1 200 OK\r\n"] * 5, "the oldest silent ones give way"
        assert [record.message for record in caplog.records] == ["too many connections"]  # once, not seven times
        many[-1][1].close()
        while untrusting._counts.total() >= 5:
            await asyncio.sleep(0.01)
        reader, writer = await connect()
        writer.write(ASK + b"\r\n")
        assert await answer(reader) == b"HTTP/1.1 200 OK\r\n"


def test_a_full_server_drops_a_silent_connection_of_whoever_has_most() -> None:
    class Transport(asyncio.Transport):
        is_aborted = False

        def abort(self) -> None:
            self.is_aborted = True

    async def go() -> None:
        connections = Connections(Limits(), files=connections_module.SPARE_FILES + 20)
        many, one, late = [Transport() for _ in range(3)], Transport(), Transport()
        for transport in many:
            assert connections.admit("10.0.0.1", 1)
            connections.wait("10.0.0.1", transport)
        assert connections.admit("10.0.0.2", 1)
        connections.wait("10.0.0.2", one)
        connections.stop_waiting("10.0.0.1", many[0])  # its request has arrived
        for _ in range(2):
            assert connections.admit("10.0.0.3", 21) == "10.0.0.3"
        assert [each.is_aborted for each in (*many, one, late)] == [False, True, True, False, False]
        assert connections.admit("10.0.0.3", 21) is None, "the others are being answered"

    asyncio.run(go())


def test_clients_share_the_descriptors_and_proxies_are_not_counted() -> None:
    async def go() -> None:
        few = Connections(Limits(), "10.0.0.5", files=connections_module.SPARE_FILES + 20)
        assert (few.most, few.most_per_client) == (20, 10)
        assert all(few.admit("10.0.0.5", at) for at in range(15))
        assert [few.admit("10.0.0.7", 1) is not None for _ in range(11)] == [True] * 10 + [False]
        assert few.admit("10.0.0.8", 1) == "10.0.0.8"
        assert few.admit("10.0.0.9", 21) is None
        few.release("10.0.0.7")
        assert few.admit("10.0.0.7", 1) == "10.0.0.7"

    asyncio.run(go())


def test_the_limit_of_open_files_is_raised() -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        most = raise_file_limit()
        assert most > 256
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_event_loop_complains_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    async def go() -> None:
        loop = asyncio.get_running_loop()
        say_seldom(loop)
        for _ in range(50):
            loop.call_exception_handler({"message": "socket.accept() out of system resource"})
        loop.call_exception_handler({"message": "something else"})

    asyncio.run(go())
    assert [record.message.splitlines()[0] for record in caplog.records] == [
        "socket.accept() out of system resource",
        "something else",
    ]


@dialogue
async def test_a_crowd_is_let_in_a_few_at_a_time() -> None:
    connections = Connections(Limits(), files=1000)
    read: list[int] = []
    for number in range(7):
        connections.read_soon(lambda number=number: read.append(number))  # type: ignore[misc]  # mypy cannot infer it
    so_far = [0]
    while so_far[-1] < 7:
        await asyncio.sleep(0)
        so_far.append(len(read))
    assert read == list(range(7))
    assert all(after - before <= NEW_AT_ONCE for before, after in pairwise(so_far))


@dialogue
async def test_a_request_in_pieces_is_read_as_a_whole(tmp_path: Path) -> None:
    async with listening(quick(sqlite_file(tmp_path))) as (address, _), connecting(address) as connect:
        reader, writer = await connect()
        for piece in (ASK[:5], ASK[5:20], ASK[20:], b"\r\n"):
            writer.write(piece)
            await asyncio.sleep(0.02)
        assert (await asyncio.wait_for(reader.readline(), 10)).startswith(b"HTTP/1.1 200")


UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"


@dialogue
async def test_an_upgrade_that_cannot_be_read_is_closed(tmp_path: Path) -> None:
    many = b"".join(b"a%d: b\r\n" % number for number in range(140))
    async with listening(quick(sqlite_file(tmp_path))) as (address, _), connecting(address) as connect:
        for more in (many, b"a: " + 9000 * b"z" + b"\r\n"):
            reader, writer = await connect()
            writer.write(ASK + UPGRADE + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + more + b"\r\n")
            assert await asyncio.wait_for(reader.read(), 10) is not None


@dialogue
async def test_a_request_that_fails_does_not_stop_the_next_ones() -> None:
    connections = Connections(Limits(), files=1000)
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context["exception"]))
    read: list[int] = []
    for number in range(7):
        connections.read_soon(lambda number=number: read.append(1 // number))  # type: ignore[misc]  # mypy cannot infer it
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(read) == 6
    assert [type(each) for each in complaints] == [ZeroDivisionError]
