"""The WebSocket that pushes news of a table."""

import asyncio
import re
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from northrail.server.http.limits import RateLimiter
from northrail.server.http.requests import (
    TABLE_ID,
    AsWatcher,
    ChatSince,
    OnlyChanges,
    Since,
    ViewAs,
    client_address,
    request_keys,
)
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.session import Subscriber, TableSession
from northrail.server.wire import requests
from northrail.server.wire.refusals import Refused

LINE = "northrail.line"  # the key of the PushProtocol in a socket's scope
CLOSING = 5.0  # seconds that a client has to read what it was sent last
MOST_WAITING = 1 << 20  # bytes that may wait for a client until pings count as an attack


class PushProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol for sockets, which can also send at once: the way through ASGI takes longer than the write."""

    on_drained: Callable[[], None] | None = None  # what to do when the client has read what it was sent

    def handle_connect(self, event: Any) -> None:
        """Start the app, which finds us in its scope."""
        super().handle_connect(event)
        if not self.close_sent:
            cast("dict[str, Any]", self.scope)[LINE] = self

    def resume_writing(self) -> None:
        """Go on: the client has read most of what it was sent."""
        super().resume_writing()
        if self.on_drained is not None:
            self.on_drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take ourselves out of the scope: else only garbage collection, once an hour, would free us."""
        super().connection_lost(exc)
        cast("dict[str, Any]", getattr(self, "scope", {})).pop(LINE, None)

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read: the answers would pile up."""
        if self.transport.get_write_buffer_size() > MOST_WAITING:
            self.transport.abort()
        else:
            super().handle_ping()

    def keepalive_timeout(self) -> None:
        """Close the connection, even if the client never reads what it was sent."""
        super().keepalive_timeout()
        self.loop.call_later(CLOSING, self.transport.abort)

    @property
    def is_clear(self) -> bool:
        """Whether the client has read most of what it was sent."""
        return self.writable.is_set()

    def send_now(self, message: bytes) -> None:
        """Send a text message, unless the connection is closing."""
        if not self.close_sent and not self.transport.is_closing():
            self.transport.write(_frame_header(len(message)) + message)


def _frame_header(size: int) -> bytes:
    """Return what precedes a text message of a server, in one frame: see RFC 6455, section 5.2."""
    if size < 126:
        return b"\x81%c" % size
    return struct.pack("!BBH", 0x81, 126, size) if size < 1 << 16 else struct.pack("!BBQ", 0x81, 127, size)


class Wanted(BaseModel):
    """The parameters of a socket."""

    seat: ViewAs = None
    watch: AsWatcher = False
    since: Since = 0
    chat: ChatSince = 0
    changes: OnlyChanges = False


async def socket(socket: WebSocket) -> None:
    """Push news of a table, the first right away."""
    table = socket.path_params["table"]
    try:
        wanted = Wanted.model_validate(dict(socket.query_params))
    except ValidationError:
        wanted = None
    if wanted is None or not re.search(TABLE_ID, table):
        await socket.close(1008)
        return
    registry: TableRegistry = socket.app.state.registry
    address, limits = client_address(socket), registry.settings.limits
    line: PushProtocol = socket.scope[LINE]
    await socket.accept()  # before any refusal: a browser learns the reason only from an open socket
    try:
        session = await registry.session(table, address)
        async with session.lock:  # so that no seat changes hands in between
            caller = await session.caller(request_keys(socket))
            subscriber = Subscriber(
                line,
                caller,
                session.viewpoint(caller, wanted.seat, wanted.watch),
                wanted.since,
                wanted.chat,
                wanted.changes,
            )
            share = 1 if caller.seats else 2  # spectators leave half to players
            in_all, from_here = registry.sockets * share, registry.sockets_of[address] * share
            if in_all >= limits.sockets or from_here >= limits.sockets_per_address:
                raise Refused(503, "too_many_connections")
            if len(session.subscribers) * share >= limits.sockets_per_table:
                raise Refused(503, "too_many_watchers")
            registry.connect(session, subscriber)
            session.visited(address, plays=bool(caller.seats))
    except Refused as refusal:
        registry.metrics.refused.labels(refusal.code).inc()
        await socket.close(4000 + refusal.status, refusal.code)
        return
    registry.sockets += 1
    registry.sockets_of[address] += 1
    listening = asyncio.ensure_future(_listen(socket, session, subscriber))
    try:
        line.on_drained = lambda: session.drained(subscriber)
        session.push(subscriber)
        await subscriber.closing.wait()
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):  # the client may have gone, or does not read
            async with asyncio.timeout(CLOSING):
                await socket.close(subscriber.close_code, subscriber.close_reason)
    finally:
        if not line.disconnected:
            line.loop.call_later(CLOSING, line.transport.abort)  # a client that does not read would never let it close
        line.on_drained = None
        registry.disconnect(session, subscriber)
        registry.sockets -= 1
        registry.sockets_of[address] -= 1
        if not registry.sockets_of[address]:
            del registry.sockets_of[address]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


# Not one of FastAPI's routes, which take a millisecond to read the parameters.
route = WebSocketRoute("/api/tables/{table}/socket", socket)


async def _listen(socket: WebSocket, session: TableSession, subscriber: Subscriber) -> None:
    """Change the seat the client views as, when it asks; close the connection when the client does."""
    why = "gone"
    limiter = RateLimiter(20, 4)
    try:
        while True:
            text = await socket.receive_text()
            if limiter.take(socket):
                why = "rate_limited"
                break
            look = requests.Look.model_validate_json(text).look
            subscriber.seat = session.viewpoint(subscriber.caller, look, look is None)
            session.push(subscriber)
    except (ValidationError, Refused, KeyError):
        why = "invalid"
    except (WebSocketDisconnect, RuntimeError):
        pass
    subscriber.close(1008, why)
