"""Middleware in front of the app: body size, rate limit, host and origin check, security headers and the access log."""

import ipaddress
import logging
import socket
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from northrail.server.http.headers import HEADERS
from northrail.server.http.limits import RateLimits, client_of
from northrail.server.metrics import Metrics
from northrail.server.settings import Settings
from northrail.server.tables.keys import COOKIE, hash_of, keys_in
from northrail.server.wire.refusals import Refused
from northrail.server.wire.types import packed

log = logging.getLogger("northrail.access")

SAFE = ("GET", "HEAD", "OPTIONS")
PAGE_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
API_HEADERS = [*PAGE_HEADERS, (b"cache-control", b"no-store")]
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class Guard:
    """Refuses requests that are too large, too frequent or from another site, before the app sees them."""

    app: ASGIApp  # behind it

    def __init__(self, settings: Settings, metrics: Metrics, rates: RateLimits) -> None:
        self.metrics = metrics
        self.settings = settings
        self.rates = rates
        self.origins = {origin.rstrip("/").lower() for origin in settings.origins}
        self.names = own_names() | {urlsplit(origin).hostname for origin in self.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            refusal = self.refusal(scope, dict(scope["headers"]))
            if refusal is None:
                await self.app(scope, receive, send)
            else:
                self.metrics.refused.labels(refusal.code).inc()
                await send({"type": "websocket.close", "code": 1008, "reason": refusal.code})
        else:
            await self._respond(scope, receive, send)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 500
        headers = dict(scope["headers"])

        async def send_protected(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                named = {name for name, _ in message["headers"]}
                more = API_HEADERS if scope["path"].startswith("/api") else PAGE_HEADERS
                message["headers"] = [*message["headers"], *(each for each in more if each[0] not in named)]
            await send(message)

        try:
            refusal = self.refusal(scope, headers)
            if refusal is None:
                await self.app(scope, self._bounded(receive), send_protected)
            else:
                self.metrics.refused.labels(refusal.code).inc()
                await _refuse(send_protected, refusal)
        finally:
            route = getattr(scope.get("route"), "path", None) or (
                "/api/…" if scope["path"].startswith("/api") else "/…"
            )
            self.note(scope, route, status, started)

    def note(self, scope: Scope, route: str, status: int, started: float) -> None:
        """Count and log a request that was answered. ``started`` is when it came, by `time.perf_counter`."""
        took = time.perf_counter() - started
        self.metrics.answered(scope["method"], route, took)
        if log.isEnabledFor(logging.INFO):
            extra = {"method": scope["method"], "route": route, "status": status, "ms": round(took * 1000, 1)}
            log.info("request", extra=extra)

    def refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> Refused | None:
        """Return why a request must be refused, if it must."""
        client = scope.get("client")
        wait = self.rates.requests.take(client_of(client[0] if client else None), lambda: _hashes(scope))
        if wait:
            return Refused(429, "rate_limited", retry=wait)
        if not self._is_own_name(_text(headers, b"host")):
            return Refused(421, "wrong_host")
        if (scope["type"] == "websocket" or scope["method"] not in SAFE) and not self._is_own(scope, headers):
            return Refused(403, "wrong_origin")
        most, size = self.settings.limits.body, headers.get(b"content-length", b"0")
        if not size.isdigit() or int(size) > most:
            return Refused(413, "too_large", most=most)
        return None

    def _is_own_name(self, host: str) -> bool:
        """Return whether a request names this server: by address, by a name of this machine, or by ``--origin``.

        A site can let its own name lead to our address. Its scripts would then be "the page itself" to a browser.
        """
        name = (_place(f"http://{host}") or ("", 0))[0]
        return name in self.names or name.endswith(".localhost") or _is_address(name)

    def _is_own(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        """Return whether a request comes from the page itself, or from a program, which sends no origin.

        Browsers do not let another site set X-Forwarded-Host, so we can trust it here.
        """
        origin = _text(headers, b"origin") if b"origin" in headers else None
        if headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
            return origin is not None and origin.lower() in self.origins
        if origin is None or origin.lower() in self.origins:
            return True
        theirs = _place(origin)
        if theirs is None:
            return False
        scheme = (_text(headers, b"x-forwarded-proto") or scope.get("scheme", "http")).split(",")[0].strip().lower()
        if scheme in ("https", "wss") and not origin.lower().startswith("https:"):
            return False
        hosts = [_text(headers, b"host"), _text(headers, b"x-forwarded-host").split(",")[0].strip()]
        known = origin.split("://")[0]
        return any(_place(f"{known}://{host}") == theirs for host in hosts if host)

    def _bounded(self, receive: Receive) -> Callable[[], Any]:
        """Wrap ``receive`` so that it stops at a body larger than its content-length said."""
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.settings.limits.body:
                # FastAPI would turn any other exception into 400.
                raise HTTPException(413, {"most": self.settings.limits.body})
            return message

        return bounded


def _text(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


def _hashes(scope: Scope) -> list[str]:
    """Return the hashes of the keys that a request carries."""
    request = HTTPConnection(scope)
    return [hash_of(key) for key in keys_in(request.cookies.get(COOKIE), request.headers.get("authorization"))]


@lru_cache(maxsize=1024)  # the same few places come with every request
def _place(origin: str) -> tuple[str, int] | None:
    """Return the host and port of an origin, or None if it is not valid."""
    try:
        parts = urlsplit(origin.lower())
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname else None


def own_names() -> set[str | None]:
    """Return the names of this machine."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {"localhost", name, short, f"{short}.local"}


@lru_cache(maxsize=1024)
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


async def _refuse(send: Send, refusal: Refused) -> None:
    body = packed(refusal.json())
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.retry:
        headers.append((b"retry-after", str(int(refusal.retry) + 1).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
