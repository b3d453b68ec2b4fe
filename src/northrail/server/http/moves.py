"""Endpoints for playing: moves, legal choices, payments, why something is not possible, hints, chat."""

import asyncio
import re
import time
from typing import Annotated

from fastapi import APIRouter, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from northrail.server.http.guard import API_HEADERS, Guard
from northrail.server.http.limits import client_of
from northrail.server.http.requests import (
    REFUSALS,
    Reply,
    ViewAs,
    Visiting,
    arrive,
    client_address,
    keys_from,
    limit,
)
from northrail.server.match import Json
from northrail.server.tables.hints import careful_hint_for, cost_of, hint_for
from northrail.server.tables.registry import TableRegistry
from northrail.server.wire import messages, requests, responses
from northrail.server.wire.refusals import Refused
from northrail.server.wire.types import MOST_VERSION, Seat, Version, packed

router = APIRouter(prefix="/api/tables/{table}", responses=REFUSALS, tags=["playing"])


MOST_KEY = 64  # letters of an idempotency key
IDEMPOTENCY_KEY = b"idempotency-key"
AT_MOVES = re.compile(r"/api/tables/([a-z0-9]{10})/moves")
WithNews = Annotated[
    bool, Query(description="Return news. If you have a socket, it brings them: then you need only the version.")
]


class MovesFirst:
    """Answers moves without news before FastAPI, whose way takes longer than the move. The app gets all the rest."""

    def __init__(self, app: FastAPI, guard: Guard) -> None:
        self.app, self.guard = app, guard
        self.registry: TableRegistry = app.state.registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a move; pass everything else on."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["query_string"] == b"news=false":
            found, headers = AT_MOVES.fullmatch(scope["path"]), dict(scope["headers"])
            if found is not None and len(headers) == len(scope["headers"]):  # no header comes twice
                await self._answer(found[1], scope, headers, receive, send)
                return
        await self.guard(scope, receive, send)

    async def _answer(
        self, table: str, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        started, failure = time.perf_counter(), None
        try:
            status, body = 200, await self._play(table, scope, headers, receive)
            answer = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        except Exception as fault:
            handlers = self.app.exception_handlers
            kind = next(kind for kind in type(fault).__mro__ if kind in handlers)
            failure = fault if kind is Exception else None
            # Ours are plain functions, but handlers may be coroutines too.
            refusal: Response = handlers[kind](Request({**scope, "app": self.app}), fault)  # type: ignore[assignment]
            status, body, answer = refusal.status_code, bytes(refusal.body), refusal.raw_headers
        await send({"type": "http.response.start", "status": status, "headers": [*answer, *API_HEADERS]})
        await send({"type": "http.response.body", "body": body})
        self.guard.note(scope, f"{router.prefix}/moves", status, started)
        if failure is not None:
            raise failure  # uvicorn logs it

    async def _play(self, table: str, scope: Scope, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        refusal = self.guard.refusal(scope, headers)
        if refusal is not None:
            raise refusal
        client = client_of(scope["client"][0] if scope["client"] else None)
        session, caller = await arrive(self.registry, self.guard.rates, table, keys_from(headers), client)
        if caller.seats:
            session.visited(client, plays=True)
        key = headers[IDEMPOTENCY_KEY].decode("latin-1") if IDEMPOTENCY_KEY in headers else None
        if key is not None and len(key) > MOST_KEY:
            raise Refused(422, "invalid", field="header.idempotency-key", problem="string_too_long")
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise Refused(422, "invalid", field="header.content-type", problem="json_type")
        try:
            command = requests.Command.model_validate_json(await self._body(receive))
        except ValidationError as fault:
            wrong = [{**error, "loc": ("body", *error["loc"])} for error in fault.errors(include_context=False)]
            raise RequestValidationError(wrong) from fault
        caller.must_hold(command.seat)
        limit(self.guard.rates.moves, (table, command.seat), "rate_limited")
        await session.play(caller, command.seat, command.version, _plain(command), key)
        return packed({"version": session.match.version, "revision": session.revision})

    async def _body(self, receive: Receive) -> bytes:
        """Return the body of a request; refuse one that is larger than its content-length said."""
        body, most = bytearray(), self.registry.settings.limits.body
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise HTTPException(400)
            body += message.get("body", b"")
            if len(body) > most:
                raise Refused(413, "too_large", most=most)
            if not message.get("more_body"):
                return bytes(body)


# `MovesFirst` answers most moves without news.
@router.post("/moves", response_model=responses.News | responses.Played)
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
