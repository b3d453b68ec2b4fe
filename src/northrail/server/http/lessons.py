"""Endpoints for lessons: list them, and start one at a table of its own."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from northrail.server.http.caching import cacheable
from northrail.server.http.requests import REFUSALS, Registry, Visit, WithKeys, client_address
from northrail.server.http.tables import limit_tables, made_reply
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import Caller
from northrail.server.wire import catalogue, requests, responses
from northrail.server.wire.types import packed

router = APIRouter(prefix="/api/lessons", responses=REFUSALS, tags=["lessons"])
Part = Annotated[str, Path(max_length=60)]


@router.get("", response_model=list[catalogue.Lesson])
async def lessons(request: Request, registry: Registry) -> Response:
    """List the lessons of all boards, with everything a page needs to teach them."""
    body = packed([catalogue.lesson_json(lesson) for lesson in registry.lessons.values()])
    return cacheable(body, "application/json", request.headers, is_immutable=False)


@router.post("/{board}/{lesson}", response_model=responses.Made, status_code=201)
async def start_lesson(
    request: Request, registry: Registry, board: Part, lesson: Part, body: requests.NewLesson, keys: WithKeys = False
) -> Response:
    """Start a lesson at a new table. You sit in seat 0, and only the moves of the lesson are accepted."""
    limit_tables(request)
    found = registry.lesson(f"{board}/{lesson}")
    session, held, host = await Seating(registry, client_address(request)).make_lesson(found, body.name, body.colour)
    return made_reply(Visit(request, registry, session, Caller(frozenset(held), True)), held, host, keys, 201)
