"""Endpoints for tables: set up, list, view, close, play again, replay."""

import asyncio
import gzip
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from northrail.server.http.requests import (
    REFUSALS,
    AsWatcher,
    ChatSince,
    Registry,
    Reply,
    Since,
    ViewAs,
    Visit,
    Visiting,
    WithKeys,
    client_address,
    limit,
    rates_of,
    request_keys,
    set_keys,
)
from northrail.server.tables.keys import is_id
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import Caller
from northrail.server.wire import messages, requests, responses
from northrail.server.wire.types import MOST_VERSION, Packed, packed

FAST = 1  # the level of compression for what is sent only once

router = APIRouter(prefix="/api/tables", responses=REFUSALS, tags=["tables"])


@router.post("", response_model=responses.Made, status_code=201)
async def make_table(request: Request, registry: Registry, body: requests.NewTable, keys: WithKeys = False) -> Response:
    """Set up a table. The game starts right away if no seat is open."""
    limit_tables(request)
    seats = [seat.model_dump() for seat in body.seats]
    session, held, host = await Seating(registry, client_address(request)).make(
        registry.board(body.board), seats, body.first, body.clock, body.speed, body.start, body.hints
    )
    visit = Visit(request, registry, session, Caller(frozenset(held), True))
    return made_reply(visit, held, host, keys, 201)


@router.get("", response_model=responses.Tables)
async def list_tables(
    registry: Registry,
    ids: Annotated[str, Query(max_length=1100, description="Up to 100 table names, separated by commas.")] = "",
) -> Response:
    """Return tables by their names, in this order. Unknown names are left out."""
    names = list(dict.fromkeys(name for name in ids.split(",") if is_id(name)))[:100]
    return Reply({"tables": await registry.summaries(names)})


@router.get("/{table}", response_model=responses.News)
async def table(visit: Visiting, seat: ViewAs = None, watch: AsWatcher = False) -> Response:
    """Return a table and its whole history, as one of your seats or a spectator may know it."""
    return Reply(visit.news(seat, watch=watch))


@router.patch("/{table}", response_model=responses.News)
async def change_table(visit: Visiting, change: requests.Change) -> Response:
    """Change how fast bots move."""
    await visit.seating.change_speed(visit.session, visit.caller, change.speed)
    return Reply(visit.news(since=MOST_VERSION, chat=MOST_VERSION))


@router.get("/{table}/news", response_model=responses.News)
async def news(
    visit: Visiting, seat: ViewAs = None, watch: AsWatcher = False, since: Since = 0, chat: ChatSince = 0
) -> Response:
    """Return a table with the steps after a version and the chat after a line. The socket pushes the same."""
    return Reply(visit.news(seat, since, chat, watch))


@router.post("/{table}/close", response_model=responses.News)
async def close_table(visit: Visiting) -> Response:
    """Close a table at which nobody else plays. Only the host can."""
    await visit.seating.close_table(visit.session, visit.caller)
    return Reply(visit.news())


@router.post("/{table}/rematch", response_model=responses.Rematch)
async def rematch(request: Request, visit: Visiting, keys: WithKeys = False) -> Response:
    """Play again with the same people. Everyone who wants to join sends this request."""
    if visit.session.match.info.rematch is None and visit.caller.seats:
        limit(visit.rates.rematches, client_address(request), "too_many_tables")
    session, held, host = await visit.seating.rematch(visit.session, visit.caller, request_keys(request))
    following = Visit(request, visit.registry, session, Caller(frozenset(held), host is not None))
    return made_reply(following, held, host, keys, 200)


@router.get("/{table}/record", response_model=dict[str, Any])
async def record(visit: Visiting) -> Response:
    """Return the record of a finished game, for `northrail watch`."""
    visit.must_be_over()
    assert visit.session.match.game is not None
    kept = json.dumps(visit.session.match.game.record(), ensure_ascii=False, indent=1) + "\n"
    headers = {"content-disposition": f'attachment; filename="northrail-{visit.table}.json"'}
    return Response(kept, headers=headers, media_type="application/json")


@router.get("/{table}/replay", response_model=responses.Replay)
async def replay(visit: Visiting) -> Response:
    """Return a finished game step by step, with all hands open."""
    visit.must_be_over()
    session = visit.session
    whole = {
        "table": session.table_json(),
        "frames": Packed(await visit.registry.replays.frames(session.match)),
        "final": messages.final_json(session.match),
    }
    if "gzip" not in visit.request.headers.get("accept-encoding", ""):
        return Reply(whole)
    body = await asyncio.to_thread(lambda: gzip.compress(packed(whole), FAST))
    return Response(body, headers={"content-encoding": "gzip", "vary": "accept-encoding"}, media_type=Reply.media_type)


def limit_tables(request: Request) -> None:
    """Refuse the request if its client sets up too many tables."""
    limit(rates_of(request).tables, client_address(request), "too_many_tables")


def made_reply(visit: Visit, held: dict[int, str], host: str | None, with_keys: bool, status: int) -> Reply:
    """Return a new table. Its keys go into a cookie, or ``with_keys`` into the reply."""
    table = visit.table
    reply = Reply(
        {
            "id": table,
            "path": f"/t/{table}",
            "keys": {str(seat): key for seat, key in held.items()} if with_keys else None,
            "host_key": host if with_keys else None,
            "news": visit.news(),
        },
        status,
    )
    if status == 201:
        reply.headers["location"] = f"/api/tables/{table}"
    keys = [*held.values(), *([host] if host else [])]
    if keys and not with_keys:
        set_keys(reply, visit.request, table, keys)
    return reply
