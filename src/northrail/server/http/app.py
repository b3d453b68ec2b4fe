"""The app: its endpoints, errors and middleware. The page and all programs use this API."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

from northrail.server.http import boards, lessons, moves, reviews, seats, sockets, tables
from northrail.server.http.guard import Guard
from northrail.server.http.limits import RateLimits, client_of
from northrail.server.http.requests import REFUSALS, Registry, Reply, client_address
from northrail.server.http.static import Page
from northrail.server.settings import Settings
from northrail.server.store.faults import DatabaseFault
from northrail.server.tables.registry import TableRegistry
from northrail.server.wire import responses
from northrail.server.wire.refusals import Code, Refused

ABOUT = (
    "Tables at which people and programs play. The version of a table counts its commands. A move names the version "
    "it answers, and gets 409 if the table has moved on. Each seat has a key: browsers keep it in a cookie, programs "
    "send it as `Authorization: Bearer KEY`. Every error is a code with facts, such as "
    '`{"code": "not_your_seat", "facts": {"seat": 1}}`. Most requests return news. '
    "The WebSocket at `/api/tables/{table}/socket` pushes the same news and takes the same parameters as "
    "`GET /api/tables/{table}/news`. Send `{look: seat}` there to view the table as another of your seats."
)

log = logging.getLogger("northrail.database")
NEAR = {client_of("127.0.0.1"), client_of("::1")}  # clients on this machine
RETRY_DATABASE = 4.0  # seconds after which clients try again
CODES: dict[int, Code] = {404: "no_such_address", 405: "wrong_method", 413: "too_large"}

server = APIRouter(responses={422: REFUSALS[422]}, tags=["server"])


@server.get("/health", response_model=responses.Health)
async def health(registry: Registry) -> Response:
    """Return how the server is doing; 503 if its database cannot be read and written."""
    fault = await registry.store.fault()
    return Reply(
        {
            "status": "failing" if fault else "ok",
            "database": fault or "ok",
            "last_write": registry.store.last_write or None,
            "tables": len(registry.tables),
            "sockets": registry.sockets,
            "thinking": registry.bots.thinking,
        },
        503 if fault else 200,
    )


@server.get("/api/addresses", response_model=responses.Addresses)
async def addresses(request: Request, registry: Registry) -> Response:
    """Return where others on the local network find the page. Only clients on the server's machine are told."""
    is_near = client_address(request) in NEAR
    return Reply({"addresses": list(registry.settings.addresses) if is_near else []})


class App(FastAPI):
    """FastAPI behind the guard, with a shorter way for moves."""

    def stand_behind(self, guard: Guard) -> None:
        """Let no request past the guard."""
        guard.app = super().__call__
        self._first = moves.MovesFirst(self, guard)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._first(scope, receive, send)


def make_app(registry: TableRegistry | None = None) -> FastAPI:
    """Return the app that serves a registry; by default one with the default settings."""
    registry = registry or TableRegistry(Settings())
    settings = registry.settings

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await registry.open()
        try:
            yield
        finally:
            await registry.close()

    app = App(
        title="Northrail",
        version="1",
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,  # the page has its own, which needs no other site
        redoc_url=None,
    )
    app.state.registry = registry
    rates = app.state.rates = RateLimits(settings.limits)
    for router in (moves.router, boards.router, lessons.router, tables.router, reviews.router, seats.router, server):
        app.router.routes += router.routes  # FastAPI would build each of them once more, during the first request
    app.router.routes.insert(0, sockets.route)  # everyone comes back to it after a restart
    for route in app.routes:
        if isinstance(route, APIRoute):  # the API's documentation lists endpoints by this line
            route.summary = route.description.partition("\n")[0].partition(". ")[0].rstrip(".")
    page = Page(settings.static)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def static(request: Request, path: str) -> Response:
        if path.startswith("api/"):
            raise Refused(404, "no_such_address")
        return await page.get_response(page.get_path(request.scope), request.scope)

    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(DatabaseFault, _not_stored)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(GZipMiddleware, minimum_size=1500, compresslevel=5)
    app.stand_behind(Guard(settings, registry.metrics, rates))
    return app


def _refused(request: Request, fault: Exception) -> Reply:
    assert isinstance(fault, Refused)
    request.app.state.registry.metrics.refused.labels(fault.code).inc()
    reply = Reply(fault.json(), fault.status)
    if fault.retry:
        reply.headers["retry-after"] = str(int(fault.retry) + 1)
    return reply


def _not_stored(request: Request, fault: Exception) -> Reply:
    assert isinstance(fault, DatabaseFault)
    log.error("database fault", extra={"fault": fault.fault, "reason": str(fault)})
    return _refused(request, Refused(503, "database_failing", retry=RETRY_DATABASE))


def _invalid(request: Request, fault: Exception) -> Reply:
    """Say which field is wrong, without repeating its value: it may be a secret."""
    assert isinstance(fault, RequestValidationError)
    first = fault.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _refused(request, Refused(422, "invalid", field=where, problem=first["type"]))


def _http_error(request: Request, fault: Exception) -> Reply:
    assert isinstance(fault, HTTPException)
    # FastAPI answers 400 to JSON that is nested too deeply to parse; every other invalid body gets 422.
    status = 422 if fault.status_code == 400 else fault.status_code
    facts: dict[str, Any] = fault.detail if isinstance(fault.detail, dict) else {}
    reply = _refused(request, Refused(status, CODES.get(status, "invalid"), **facts))
    for name, value in (fault.headers or {}).items():
        reply.headers[name] = value
    return reply


def _failed(request: Request, _fault: Exception) -> Reply:
    return _refused(request, Refused(500, "server_error"))
