"""Endpoints for playing: moves, legal choices, payments, why something is not possible, hints, chat."""

import asyncio
import re
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from northrail.server.http.requests import REFUSALS, Reply, ViewAs, Visiting, client_address, visit_to
from northrail.server.match import Json
from northrail.server.tables.hints import careful_hint_for, cost_of, hint_for
from northrail.server.wire import messages, requests, responses
from northrail.server.wire.refusals import Refused
from northrail.server.wire.types import MOST_VERSION, Seat, Version

router = APIRouter(prefix="/api/tables/{table}", responses=REFUSALS, tags=["playing"])


MOST_KEY = 64  # letters of an idempotency key
AT_MOVES = re.compile(r"/api/tables/([a-z0-9]{10})/moves")
WithNews = Annotated[
    bool, Query(description="Return news. If you have a socket, it brings them: then you need only the version.")
]


class MovesFirst:
    """Middleware that answers moves without news itself: the way through FastAPI takes longer than the move."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a move; pass everything else on to the app."""
        is_post = scope["type"] == "http" and scope["method"] == "POST" and scope["query_string"] == b"news=false"
        found = AT_MOVES.fullmatch(scope["path"]) if is_post else None
        if found is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = MOVES  # for the metrics
        request = Request(scope, receive)
        try:
            response = await _read_move(request, found[1])
        except Exception as fault:
            handlers = scope["app"].exception_handlers
            kind = next(kind for kind in type(fault).__mro__ if kind in handlers)
            if kind is Exception:
                raise  # Starlette logs it and answers
            response = handlers[kind](request, fault)
        await response(scope, receive, send)


async def _read_move(request: Request, table: str) -> Response:
    visit = await visit_to(request, table)
    key = request.headers.get("idempotency-key")
    if key is not None and len(key) > MOST_KEY:
        raise Refused(422, "invalid", field="header.idempotency-key", problem="string_too_long")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(422, "invalid", field="header.content-type", problem="json_type")
    try:
        command = requests.Command.model_validate_json(await request.body())
    except ValidationError as fault:
        wrong = [{**error, "loc": ("body", *error["loc"])} for error in fault.errors(include_context=False)]
        raise RequestValidationError(wrong) from fault
    except ClientDisconnect as fault:
        raise HTTPException(400) from fault
    return await move(visit, command, key, news=False)


async def move(
    visit: Visiting,
    command: requests.Command,
    idempotency_key: Annotated[
        str | None, Header(max_length=MOST_KEY, description="Sending the same key again returns the first answer.")
    ] = None,
    news: WithNews = True,
) -> Response:
    """Make one whole choice for a seat. It is saved before this answers."""
    visit.limit_seat(visit.rates.moves, command.seat)
    choice = _plain(command)
    await visit.session.play(visit.caller, command.seat, command.version, choice, idempotency_key)
    session = visit.session
    if not news:
        return Reply({"version": session.match.version, "revision": session.revision})
    return Reply(visit.seat_news(command.seat, command.version))


# `MovesFirst` answers moves without news.
router.add_api_route("/moves", move, methods=["POST"], response_model=responses.News | responses.Played)
MOVES = router.routes[-1]


@router.get("/choices", response_model=responses.Choices)
async def choices(visit: Visiting, seat: ViewAs = None) -> Response:
    """List the choices a seat has now, ready to be sent as moves: for programs that just want to play."""
    session = visit.session
    viewer = session.viewpoint(visit.caller, seat, False)
    listed = messages.choices_json(session.match, viewer)
    return Reply({"seat": viewer, "version": session.match.version, "choices": listed})


@router.post("/payments", response_model=responses.Payment)
async def payment(visit: Visiting, body: requests.AskPayment) -> Response:
    """Check whether exactly these cards would pay for a route now."""
    visit.limit_seat(visit.rates.moves, body.seat)
    session, claim = visit.session, {"kind": "claim", "route": body.route, "cards": body.model_dump()["cards"]}
    try:
        session.allowed(lambda: session.match.trial(body.seat, claim))
    except Refused as refused:
        return Reply({"pays": False, "why": refused.json()})
    return Reply({"pays": True, "why": None})


@router.get("/why", response_model=responses.WhyNot)
async def why(visit: Visiting, asked: Annotated[requests.AskWhy, Query()]) -> Response:
    """Say why a seat can't claim a route, take a card, or draw cards or tickets now."""
    visit.limit_seat(visit.rates.moves, asked.seat)
    refused = visit.session.why_not(asked.seat, asked.kind, asked.route, asked.colour)
    return Reply({"why": refused and refused.json()})


@router.get("/hint", response_model=responses.Hint)
async def hint(
    visit: Visiting,
    seat: Seat,
    version: Version,
    careful: Annotated[
        bool, Query(description="Compare choices in many imagined worlds. This takes a second or so.")
    ] = False,
) -> Response:
    """Say what the planner would do in a seat now, and why. Only tables that allow hints give them."""
    visit.limit_seat(visit.rates.moves, seat)
    view = visit.session.view_for_hint(seat, version)
    if careful:
        found = await visit.registry.bots.search(lambda: careful_hint_for(view), client_address(visit.request))
    else:
        found = await asyncio.to_thread(hint_for, view)
    return Reply({"version": version, **found})


@router.post("/cost", response_model=responses.Cost)
async def cost(visit: Visiting, command: requests.Command) -> Response:
    """Say what a choice would lose against the best one, without making it. Only tables that allow hints tell."""
    visit.limit_seat(visit.rates.moves, command.seat)
    view = visit.session.view_for_hint(command.seat, command.version)
    session, choice = visit.session, _plain(command)
    session.allowed(lambda: session.match.trial(command.seat, choice))
    found = await visit.registry.bots.search(lambda: cost_of(view, choice), client_address(visit.request))
    return Reply({"version": command.version, **found})


@router.post("/chat", response_model=responses.News)
async def say(visit: Visiting, what: requests.NewChatLine) -> Response:
    """Send a line of chat."""
    visit.limit_seat(visit.rates.chat, what.seat)
    before = len(visit.session.chat)
    await visit.seating.add_chat(visit.session, visit.caller, what.seat, what.text)
    return Reply(visit.news(what.seat, MOST_VERSION, before))


def _plain(command: requests.Command) -> Json:
    """Return the choice of a command, without cards that it has none of."""
    choice = command.choice.model_dump()
    if "cards" in choice:
        choice["cards"] = {colour: count for colour, count in choice["cards"].items() if count}
    return choice
