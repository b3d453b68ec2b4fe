"""Run the server: listen, log, shut down."""

import asyncio
import errno
import gc
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from prometheus_client import start_http_server
from uvicorn.loops.auto import auto_loop_factory

from northrail.errors import NorthrailError
from northrail.server.http.app import make_app
from northrail.server.http.connections import Connections, protocol_for, say_seldom
from northrail.server.http.sockets import PushProtocol
from northrail.server.metrics import Metrics
from northrail.server.settings import Settings
from northrail.server.tables.registry import TableRegistry

GRACE = 5  # seconds for open requests to finish at shutdown
COLLECT_EVERY = 3600.0  # seconds
YOUNG = 2_000  # new objects that we look at together; it takes a few milliseconds
NEVER = 1 << 30  # collections of new objects before one of older objects
MOST_PORT = 65_535
_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class BadAddress(NorthrailError):
    """An address the server cannot listen on."""


def default_database() -> str:
    """Return the default database: a file in the user's data folder, which is created."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(home) / "northrail"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return str(folder / "tables.db")


class JsonLines(logging.Formatter):
    """Formats each log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "from": record.name,
            "what": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


@contextmanager
def logging_to(stream: Any, is_quiet: bool) -> Iterator[None]:
    """Log to a stream, as JSON; if ``is_quiet``, only warnings and errors."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root, ours = logging.getLogger(), logging.getLogger("uvicorn.error")
    before = root.handlers[:], root.level, ours.level
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING if is_quiet else logging.INFO)
    ours.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.handlers[:], root.level, ours.level = before


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs of the page: on this machine, and on the local network if the server listens there."""
    if host not in ("0.0.0.0", "::", ""):
        return [f"http://{f'[{host}]' if ':' in host else host}:{port}/"]
    found = [f"http://localhost:{port}/"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, but finds the address that others see
            found.append(f"http://{probe.getsockname()[0]}:{port}/")
        except OSError:
            pass  # no network
    return found


def bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is named; without it every response waits 40 ms for an ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as fault:
        listening.close()
        reason = getattr(fault, "strerror", None) or str(fault)
        is_taken = getattr(fault, "errno", None) == errno.EADDRINUSE and port < MOST_PORT
        way_out = f"; try --port {port + 1}" if is_taken else ""
        raise BadAddress(f"cannot listen at {host} port {port}: {reason}{way_out}") from fault
    return listening


@contextmanager
def metrics_at(address: str, metrics: Metrics) -> Iterator[str]:
    """Serve metrics at an address, a port or HOST:PORT; yield their URL.

    A thread does it, so that Prometheus gets an answer even when the event loop is late.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    try:
        server, thread = start_http_server(int(port), host, metrics.registry)
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise BadAddress(f"--metrics: cannot listen at {address}: {reason}; try another port") from fault
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def collect_young() -> None:
    """Exempt all current objects from garbage collection, and from now on look only at new ones, a few at a time.

    Games keep nearly all they make, so looking at older objects again finds nothing. With 1,000 tables it takes up to a
    second, during which nobody is served. `collect_all` does it once an hour.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, NEVER)


def yield_often() -> None:
    """Let other threads hold the interpreter for half a millisecond at most while the event loop waits for it.

    The event loop gives it up several times in a move, and each time a busy thread, such as one that draws boards,
    would keep it for 5 ms.
    """
    sys.setswitchinterval(0.0005)


async def collect_all(sleep: Callable[[float], Awaitable[bool]]) -> None:
    """Collect all garbage from time to time, until ``sleep`` returns False."""
    while await sleep(COLLECT_EVERY):
        gc.collect()


class Server(uvicorn.Server):
    """A uvicorn server that calls ``ready`` once it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGTERM and Ctrl-C, and exit normally: uvicorn would raise the signal again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then call ``ready``."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def config_of(app: FastAPI, proxies: str = "127.0.0.1") -> uvicorn.Config:
    """Return the uvicorn settings for an app."""
    registry: TableRegistry = app.state.registry
    too_many = registry.metrics.refused.labels("too_many_connections").inc
    return uvicorn.Config(
        app,
        ws=PushProtocol,
        ws_max_size=registry.settings.limits.frame,
        ws_per_message_deflate=False,  # takes more time than it saves on a local network
        http=protocol_for(Connections(registry.settings.limits, proxies, on_refusal=too_many)),
        proxy_headers=True,
        forwarded_allow_ips=proxies,
        server_header=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )


def serve(
    settings: Settings, host: str, port: int, proxies: str, is_quiet: bool, tell: Callable[[str], None], browse: bool
) -> None:
    """Serve until SIGTERM or Ctrl-C. ``tell`` gets the URLs; ``browse`` opens the page in a browser."""
    with logging_to(sys.stderr, is_quiet), bound(host, port) as listening:
        found = addresses(host, listening.getsockname()[1])

        measured = ""

        def ready() -> None:
            tell(f"Northrail is at {found[0]}")
            for other in found[1:]:
                tell(f"and for others on your network at {other}")
            if measured:
                tell(f"Metrics are at {measured}")
            if browse and has_screen():
                webbrowser.open(found[0])

        async def run() -> None:
            nonlocal measured
            say_seldom(asyncio.get_running_loop())
            registry = TableRegistry(replace(settings, addresses=tuple(found[1:])))
            with ExitStack() as more:
                if settings.metrics is not None:
                    measured = more.enter_context(metrics_at(settings.metrics, registry.metrics))
                await registry.open()  # here, so that errors end in a sentence; uvicorn would log a traceback
                collect_young()
                yield_often()
                registry.tasks.spawn(collect_all(registry.tasks.sleep))
                await Server(config_of(make_app(registry), proxies), ready).serve([listening])

        with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:  # uvloop, where it exists
            runner.run(run())


def has_screen() -> bool:
    """Return whether this machine has a screen for a browser."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
