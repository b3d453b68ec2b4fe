"""What the endpoints share: parameters, the table and caller of a request, keys in cookies, JSON replies."""

import re
from collections.abc import Hashable
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request, Response, WebSocket
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.requests import cookie_parser

from northrail.server.http.limits import RateLimiter, RateLimits, client_of
from northrail.server.match import Json
from northrail.server.tables.keys import A_YEAR, COOKIE, MOST_KEYS, keys_in
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import Caller, TableSession
from northrail.server.wire import responses
from northrail.server.wire.refusals import Code, Refused
from northrail.server.wire.types import MOST_VERSION, Packed, packed

TABLE_ID = r"^[a-z0-9]{10}$"
TableId = Annotated[str, Path(pattern=TABLE_ID, description="The table's name, from its link.")]
SeatNumber = Annotated[int, Path(ge=0, le=4)]
ViewAs = Annotated[
    int | None, Query(ge=0, le=4, description="View the table as this seat of yours; by default the one to move.")
]
AsWatcher = Annotated[bool, Query(description="View the table as a spectator.")]
Since = Annotated[int, Query(ge=0, le=MOST_VERSION, description="Only steps after this version.")]
ChatSince = Annotated[int, Query(ge=0, le=MOST_VERSION, description="Only chat after this line.")]
OnlyChanges = Annotated[bool, Query(description="After the first news, send only what has changed.")]
WithKeys = Annotated[bool, Query(description="For programs: return the keys instead of setting a cookie.")]

REFUSALS: dict[int | str, dict[str, Any]] = {
    403: {"model": responses.Refusal, "description": "Not your seat or table, or not allowed now."},
    404: {"model": responses.Refusal, "description": "Not found."},
    409: {"model": responses.Refusal, "description": "The table has moved on, or is in another state."},
    413: {"model": responses.Refusal, "description": "Too large."},
    422: {"model": responses.Refusal, "description": "Invalid, or against the rules; the code says why."},
    429: {"model": responses.Refusal, "description": "Rate limit exceeded; Retry-After says when to try again."},
    503: {"model": responses.Refusal, "description": "The server is full."},
}


class Reply(Response):
    """A JSON response with a message built by `messages`."""

    media_type = "application/json"

    def __init__(self, message: Json | Packed, status: int = 200) -> None:
        super().__init__(packed(message), status)


# Dependencies are coroutines: FastAPI runs plain functions in a thread.
async def registry_of(request: Request) -> TableRegistry:
    """Return the registry of this app."""
    registry: TableRegistry = request.app.state.registry
    return registry


Registry = Annotated[TableRegistry, Depends(registry_of)]


class Visit:
    """A request at a table: the table, and who is calling."""

    def __init__(self, request: Request, registry: TableRegistry, session: TableSession, caller: Caller) -> None:
        self.request, self.registry, self.session, self.caller = request, registry, session, caller
        client = client_address(request)
        self.seating = Seating(registry, client)
        if caller.seats:
            session.visited(client, plays=True)

    @property
    def table(self) -> str:
        """The table's id."""
        return self.session.id

    @property
    def rates(self) -> RateLimits:
        """The rate limiters of this app."""
        return rates_of(self.request)

    def news(self, seat: int | None = None, since: int = 0, chat: int = 0, watch: bool = False) -> Packed:
        """Return what the caller may know."""
        return self.session.news(self.caller, self.session.viewpoint(self.caller, seat, watch), since, chat)

    def seat_news(self, seat: int, since: int = 0) -> Packed:
        """Return what the caller may know, viewed as this seat if it is theirs."""
        return self.news(seat if seat in self.caller.seats else None, since, len(self.session.chat))

    def must_be_over(self) -> None:
        """Refuse the request unless the game is over."""
        if self.session.match.status != "over":
            raise Refused(409, "game_not_over")

    def limit_seat(self, limiter: RateLimiter, seat: int) -> None:
        """Apply a rate limit to a seat. Only its player gets this far, so nobody else can use the limit up."""
        self.caller.must_hold(seat)
        limit(limiter, (self.table, seat), "rate_limited")


async def visit_of(
    request: Request,
    table: TableId,
    _cookie: Annotated[
        Any, Depends(APIKeyCookie(name=COOKIE, auto_error=False, description="Keys of seats, set by the server."))
    ],
    _bearer: Annotated[Any, Depends(HTTPBearer(auto_error=False, description="The key of a seat, for programs."))],
) -> Visit:
    """Return the table of a request and its caller. The two schemes are there for OpenAPI."""
    return await visit_to(request, table)


async def visit_to(request: Request, table: str) -> Visit:
    """Return the table of a request and its caller."""
    if not re.search(TABLE_ID, table):
        raise Refused(422, "invalid", field="path.table", problem="string_pattern_mismatch")
    registry: TableRegistry = request.app.state.registry
    keys, client = request_keys(request), client_address(request)
    session, caller = await arrive(registry, rates_of(request), table, keys, client)
    return Visit(request, registry, session, caller)


async def arrive(
    registry: TableRegistry, rates: RateLimits, table: str, keys: list[str], client: str
) -> tuple[TableSession, Caller]:
    """Return a table and who is calling, and note that their players are here."""
    session = await registry.session(table, client)
    caller = await session.caller(keys)
    rates.requests.know(caller.hashes & session.keys.keys())
    session.last_request |= dict.fromkeys(caller.seats, session.last_used)
    return session, caller


Visiting = Annotated[Visit, Depends(visit_of)]


def rates_of(request: Request) -> RateLimits:
    """Return the rate limiters of this app."""
    rates: RateLimits = request.app.state.rates
    return rates


def limit(limiter: RateLimiter, client: Hashable, code: Code) -> None:
    """Apply a rate limit."""
    wait = limiter.take(client)
    if wait:
        raise Refused(429, code, retry=wait)


def client_address(request: Request | WebSocket) -> str:
    """Return the client that a request comes from."""
    return client_of(request.client.host if request.client else None)


def request_keys(request: Request | WebSocket) -> list[str]:
    """Return the keys that a request carries."""
    return keys_in(request.cookies.get(COOKIE), request.headers.get("authorization"))


def keys_from(headers: dict[bytes, bytes]) -> list[str]:
    """Return the same for the headers of a request."""
    cookies = cookie_parser(headers[b"cookie"].decode("latin-1")) if b"cookie" in headers else {}
    return keys_in(cookies.get(COOKIE), headers.get(b"authorization", b"").decode("latin-1"))


def set_keys(reply: Response, request: Request, table: str, keys: list[str]) -> None:
    """Set the cookie with the keys of a table: these, and those the browser already has."""
    held = keys_in(request.cookies.get(COOKIE), None) if f"/tables/{table}" in request.url.path else []
    reply.set_cookie(
        COOKIE,
        ".".join(list(dict.fromkeys([*keys, *held]))[:MOST_KEYS]),
        max_age=A_YEAR,
        path=f"/api/tables/{table}",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
