"""The WebSocket that pushes news of a table."""

import asyncio
import re
from contextlib import suppress

from pydantic import BaseModel, ValidationError
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

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
from northrail.server.wire.types import packed


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
    await socket.accept()  # before any refusal: a browser learns the reason only from an open socket
    try:
        session = await registry.session(table, address)
        async with session.lock:  # so that no seat changes hands in between
            caller = await session.caller(request_keys(socket))
            subscriber = Subscriber(
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
        subscriber.wake.set()
        await _push(socket, session, subscriber)
    except (WebSocketDisconnect, RuntimeError):
        pass  # disconnected while we were sending
    finally:
        registry.disconnect(session, subscriber)
        registry.sockets -= 1
        registry.sockets_of[address] -= 1
        if not registry.sockets_of[address]:
            del registry.sockets_of[address]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


# Not one of FastAPI's routes, which take a millisecond to read the parameters.
route = WebSocketRoute("/api/tables/{table}/socket", socket)


async def _push(socket: WebSocket, session: TableSession, subscriber: Subscriber) -> None:
    """Send news whenever there is some. A slow client gets everything it missed in one message."""
    while True:
        await subscriber.wake.wait()
        subscriber.wake.clear()
        if subscriber.close_reason:
            with suppress(RuntimeError):
                await socket.close(subscriber.close_code, subscriber.close_reason)
            return
        if socket.client_state == WebSocketState.DISCONNECTED:
            return
        await socket.send_text(packed(session.next_news(subscriber)).decode())


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
            subscriber.wake.set()
    except (ValidationError, Refused, KeyError):
        why = "invalid"
    except (WebSocketDisconnect, RuntimeError):
        pass
    subscriber.close(1008, why)
