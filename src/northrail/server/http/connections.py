"""Connections: how many there may be, and how long a request may take to arrive. Silent ones cannot keep others out."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from northrail.server.http.limits import client_of
from northrail.server.settings import Limits

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]  # a module elsewhere

log = logging.getLogger("northrail.connections")

SPARE_FILES = 64  # descriptors for the database, workers and files of the page
WARN_AGAIN = 60.0  # seconds
NEW_AT_ONCE = 2  # connections whose first request is read in one turn of the event loop


class Connections:
    """The open connections, by client. Trusted proxies may open any number, because they speak for many people.

    If there are too many, the one that has waited longest for a request gives way. So someone who opens many cannot
    keep out the others at the same address: their requests arrive at once.
    """

    def __init__(
        self,
        limits: Limits,
        proxies: str = "",
        files: int | None = None,
        on_refusal: Callable[[], None] = lambda: None,
    ) -> None:
        files = raise_file_limit() if files is None else files
        self.most = max(1, files - SPARE_FILES)
        self.most_per_client = max(1, min(limits.connections_per_client, self.most // 2))
        self.request_seconds = limits.request_seconds
        self._trusted = {proxy.strip() for proxy in proxies.split(",")}
        self._counts: Counter[str] = Counter()
        self._silent: dict[str, dict[asyncio.Transport, None]] = {}  # client -> those without a request, oldest first
        self._new: deque[Callable[[], None]] = deque()
        self._on_refusal = on_refusal
        self._warned = -WARN_AGAIN

    def admit(self, address: str | None, open_now: int) -> str | None:
        """Count a new connection; return its client, or None if there are too many."""
        client = client_of(address)
        is_trusted = address in self._trusted or "*" in self._trusted
        full = None  # the client that has too many
        if open_now > self.most:
            full = max(self._counts, key=self._counts.__getitem__, default=client)
        elif self._counts[client] >= self.most_per_client and not is_trusted:
            full = client
        if full is not None:
            self._on_refusal()
            self._warn(open_now)
            if not self._silent.get(full):
                return None
            oldest = next(iter(self._silent[full]))
            self.stop_waiting(full, oldest)
            oldest.abort()
        self._counts[client] += 1
        return client

    def read_soon(self, read: Callable[[], None]) -> None:
        """Read the first request of a connection soon, and those of only a few in one turn of the event loop.

        After a restart everyone comes back at once. Without this, nobody else is served until all of them are in.
        """
        self._new.append(read)
        if len(self._new) == 1:
            asyncio.get_running_loop().call_soon(self._read_new)

    def _read_new(self) -> None:
        try:
            for _ in range(min(NEW_AT_ONCE, len(self._new))):
                self._new.popleft()()
        finally:  # also after a request that fails: the others still wait
            if self._new:
                asyncio.get_running_loop().call_soon(self._read_new)

    def wait(self, client: str, transport: asyncio.Transport) -> None:
        """Note that a connection waits for a request."""
        self._silent.setdefault(client, {})[transport] = None

    def stop_waiting(self, client: str, transport: asyncio.Transport) -> None:
        """Note that a request has arrived, or that the connection is closed."""
        silent = self._silent.get(client, {})
        silent.pop(transport, None)
        if not silent:
            self._silent.pop(client, None)

    def release(self, client: str) -> None:
        """Forget a connection."""
        self._counts[client] -= 1
        if not self._counts[client]:
            del self._counts[client]

    def _warn(self, open_now: int) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._warned >= WARN_AGAIN:
            self._warned = now
            log.warning("too many connections", extra={"open": open_now, "most": self.most})


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows it; return how many."""
    if resource is None:
        return 8192
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    except (OSError, ValueError):
        pass  # some systems do not allow what they promise
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


def protocol_for(connections: Connections) -> type[HttpToolsProtocol]:
    """Return uvicorn's protocol, bounded by ``connections``."""

    class BoundedProtocol(HttpToolsProtocol):
        """Closes a connection that is one too many, or whose request does not arrive in time."""

        bound_client: str | None = None
        request_timer: asyncio.TimerHandle | None = None
        early: bytes | None = b""  # what has come before we read; None once we do

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            address = self.client[0] if self.client else None
            self.bound_client = connections.admit(address, len(self.connections))
            if self.bound_client is None:
                transport.abort()
            else:
                self._await_request()

        def data_received(self, data: bytes) -> None:
            if self.early is None:
                super().data_received(data)
                return
            if not self.early:
                self.transport.pause_reading()
                connections.read_soon(self.read_early)
            self.early += data

        def read_early(self) -> None:
            data, self.early = self.early or b"", None
            if not self.transport.is_closing():
                self.transport.resume_reading()
                try:
                    super().data_received(data)
                except Exception:
                    self.transport.abort()
                    raise

        def on_message_complete(self) -> None:
            self._stop_timer()
            super().on_message_complete()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing() and not self.pipeline:
                self._await_request()

        def handle_websocket_upgrade(self) -> None:
            self._end()  # from here on the connection is a socket, which has limits of its own
            super().handle_websocket_upgrade()
            if not self.transport.get_protocol().handshake_initiated:  # type: ignore[attr-defined]  # it is a socket's
                self.transport.close()  # uvicorn would neither answer nor close what it cannot read

        def connection_lost(self, exc: Exception | None) -> None:
            self._end()
            super().connection_lost(exc)

        def _await_request(self) -> None:
            self._stop_timer()
            self.request_timer = self.loop.call_later(connections.request_seconds, self.transport.abort)
            if self.bound_client is not None:
                connections.wait(self.bound_client, self.transport)

        def _stop_timer(self) -> None:
            if self.request_timer is not None:
                self.request_timer.cancel()
                self.request_timer = None
            if self.bound_client is not None:
                connections.stop_waiting(self.bound_client, self.transport)

        def _end(self) -> None:
            self._stop_timer()
            if self.bound_client is not None:
                connections.release(self.bound_client)
                self.bound_client = None

    return BoundedProtocol


def say_seldom(loop: asyncio.AbstractEventLoop) -> None:
    """Log the same complaint of the event loop, such as a failing accept, at most once a minute."""
    last: dict[str, float] = {}

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        complaint = str(context.get("message"))
        if loop.time() - last.get(complaint, -WARN_AGAIN) >= WARN_AGAIN:
            last[complaint] = loop.time()
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
