"""Endpoints for what never changes while the server runs: boards, themes, bot levels."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from northrail.players.levels import PLAYERS
from northrail.server.http.caching import cacheable
from northrail.server.http.requests import REFUSALS, Registry
from northrail.server.wire import catalogue
from northrail.server.wire.types import packed

router = APIRouter(prefix="/api", responses=REFUSALS, tags=["boards"])
JSON = "application/json"
SVG = "image/svg+xml"


@router.get("/boards", response_model=list[catalogue.BoardSummary])
async def boards(registry: Registry) -> Response:
    """List the boards."""
    found = [await asyncio.to_thread(catalogue.board_summary, board) for board in registry.boards.values()]
    return Response(packed(found), media_type=JSON)


@router.get("/boards/{board}", response_model=catalogue.Board)
async def board(
    request: Request,
    registry: Registry,
    board: Annotated[str, Path(max_length=60)],
    v: Annotated[str | None, Query(max_length=40, description="The version, as in a summary's `href`.")] = None,
) -> Response:
    """Return a whole board: its cities, routes and tickets, and how to draw them."""
    body, version = await asyncio.to_thread(catalogue.board_bytes, registry.board(board))
    return cacheable(body, JSON, request.headers, is_immutable=v == version)


@router.get(
    "/boards/{board}/picture",
    response_class=Response,  # errors are JSON
    responses={200: {"content": {SVG: {"schema": {"type": "string"}}}}},
)
async def picture(
    request: Request,
    registry: Registry,
    board: Annotated[str, Path(max_length=60)],
    theme: Literal["light", "dark"] = "light",
    v: Annotated[str | None, Query(max_length=40, description="The version, as in a summary's `pictures`.")] = None,
) -> Response:
    """Return a small picture of a board, as SVG."""
    body, version = await asyncio.to_thread(catalogue.picture_bytes, registry.board(board), theme)
    return cacheable(body, SVG, request.headers, is_immutable=v == version)


@router.get("/themes", response_model=catalogue.Themes)
async def themes(request: Request) -> Response:
    """Return the colours, signs and shapes."""
    body, _version = catalogue.themes_bytes()
    return cacheable(body, JSON, request.headers, is_immutable=False)


@router.get("/bots", response_model=list[catalogue.Bot])
async def bots() -> Response:
    """List the bot levels."""
    return Response(packed([catalogue.bot_json(level) for level in PLAYERS]), media_type=JSON)
