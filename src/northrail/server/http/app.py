"""The tables, opened to HTTP and sockets. Everything the page does goes through here, and so does every program."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, Path, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.websockets import WebSocketDisconnect, WebSocketState

from northrail.players import PLAYERS
from northrail.server.http import static as pages
from northrail.server.http.guard import Guard
from northrail.server.http.limits import Buckets, client_of
from northrail.server.match import Json
from northrail.server.settings import Settings
from northrail.server.tables.keys import A_YEAR, COOKIE, MOST_KEYS, keys_in
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import Caller, Refused, TableSession, Watcher
from northrail.server.wire import catalogue, messages, protocol
from northrail.server.wire.protocol import packed

ABOUT = (
    "Tables at which people and programs play. A table is at a version, the number of its commands; a move names the "
    "version it answers and is refused with 409 if the table has gone on. A seat is opened by its key, which a browser "
    "keeps in a cookie and a program sends as `Authorization: Bearer KEY`. Every refusal is {detail: a sentence}. "
    "News, the answer of most requests, are also pushed by WebSocket at /api/tables/{table}/socket, with the same "
    "parameters as GET /api/tables/{table}/news; a client may send {look: seat} there to look with other eyes."
)

TableId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$", description="A table's name, from its link.")]
SeatNumber = Annotated[int, Path(ge=0, le=4)]
Eyes = Annotated[
    int | None, Query(ge=0, le=4, description="With the eyes of which of one's seats; else the one asked.")
]
AsWatcher = Annotated[bool, Query(description="With the eyes of a spectator.")]
Since = Annotated[int, Query(ge=0, le=protocol.MOST_VERSION, description="Steps after this version.")]
ChatSince = Annotated[int, Query(ge=0, le=protocol.MOST_VERSION, description="Chat after this line.")]
WithKeys = Annotated[bool, Query(description="For programs: answer with the keys instead of setting a cookie.")]

REFUSALS: dict[int | str, dict[str, Any]] = {
    403: {"model": protocol.Refusal, "description": "Not yours, or not allowed now."},
    404: {"model": protocol.Refusal, "description": "There is no such thing."},
    409: {"model": protocol.Refusal, "description": "The table has gone on, or does not stand like that."},
    413: {"model": protocol.Refusal, "description": "Too large."},
    422: {"model": protocol.Refusal, "description": "Not understood, or against the rules; the sentence says why."},
    429: {"model": protocol.Refusal, "description": "Too often; Retry-After says when to try again."},
    503: {"model": protocol.Refusal, "description": "Too much is going on."},
}

cookie_scheme = APIKeyCookie(name=COOKIE, auto_error=False, description="Keys of seats, set by the server.")
bearer_scheme = HTTPBearer(auto_error=False, description="The key of a seat, for programs.")
api = APIRouter(prefix="/api", responses=REFUSALS)
opened = APIRouter(prefix="/api", responses=REFUSALS, dependencies=[Depends(cookie_scheme), Depends(bearer_scheme)])


class Reply(Response):
    """JSON built by `messages`."""

    media_type = "application/json"

    def __init__(self, message: Json, status: int = 200) -> None:
        super().__init__(packed(message), status)


async def registry_of(request: Request) -> TableRegistry:
    """The registry this app opens; a coroutine, for FastAPI would run a function in a thread."""
    registry: TableRegistry = request.app.state.registry
    return registry


Registry = Annotated[TableRegistry, Depends(registry_of)]


class Visit:
    """A request at a table: the table, and who asks."""

    def __init__(self, request: Request, registry: TableRegistry, session: TableSession, caller: Caller) -> None:
        self.request, self.registry, self.session, self.caller = request, registry, session, caller
        self.seating = Seating(registry)

    @property
    def table(self) -> str:
        """The table's id."""
        return self.session.match.facts.id

    def news(self, seat: int | None = None, since: int = 0, chat: int = 0, watch: bool = False) -> Json:
        """What whoever asks may know."""
        eyes = self.registry.eyes(self.session, self.caller, seat, watch)
        return self.registry.news(self.session, self.caller, eyes, since, chat)

    def seat_news(self, seat: int, since: int = 0) -> Json:
        """What whoever asks may know, with the eyes of a seat if it is theirs."""
        return self.news(seat if seat in self.caller.seats else None, since, len(self.session.chat))

    def limit(self, name: str, seat: int) -> None:
        """Refuse a seat that asks too often; only who holds it can use it up."""
        self.caller.must_hold(seat)
        buckets: Buckets = getattr(self.request.app.state, name)
        wait = buckets.take((self.table, seat))
        if wait:
            raise Refused(429, "not so fast", retry=wait)


async def visit_of(request: Request, registry: Registry, table: TableId) -> Visit:
    """The table that is asked for, and who asks."""
    session = await registry.session(table)
    caller = await registry.caller(session, _keys(request))
    session.asked |= dict.fromkeys(caller.seats, registry.now())
    return Visit(request, registry, session, caller)


Visiting = Annotated[Visit, Depends(visit_of)]


def _keys(request: Request | WebSocket) -> list[str]:
    return keys_in(request.cookies.get(COOKIE), request.headers.get("authorization"))


def _address(request: Request | WebSocket) -> str:
    return client_of(request.client.host if request.client else None)


def _keep_keys(reply: Response, request: Request, table: str, keys: list[str]) -> None:
    """Let the browser keep the keys of a table, with those it has."""
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


# --- what is printed --------------------------------------------------------------------------------------------------


def _kept(request: Request, body: bytes, tag: str, is_named: bool) -> Response:
    """Something that changes only with the server; under an address that names it, it can be kept for ever."""
    headers = {"etag": f'"{tag}"', "cache-control": pages.FOR_EVER if is_named else "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


@api.get("/boards", response_model=list[catalogue.BoardSummary], tags=["boards"])
async def boards(registry: Registry) -> Response:
    """The boards one can play."""
    found = [await asyncio.to_thread(catalogue.board_summary, board) for board in registry.boards.values()]
    return Response(packed(found), media_type="application/json")


@api.get("/boards/{board}", response_model=catalogue.Board, tags=["boards"])
async def board(
    request: Request,
    registry: Registry,
    board: Annotated[str, Path(max_length=60)],
    v: Annotated[str | None, Query(max_length=40, description="The version, as in a summary's `href`.")] = None,
) -> Response:
    """A whole board: what is printed and how it is drawn."""
    body, tag = await asyncio.to_thread(catalogue.board_bytes, registry.board(board))
    return _kept(request, body, tag, v == tag)


@api.get("/themes", response_model=catalogue.Themes, tags=["boards"])
async def themes(request: Request) -> Response:
    """Colours, signs and shapes."""
    body, tag = catalogue.themes_bytes()
    return _kept(request, body, tag, False)


@api.get("/bots", response_model=list[catalogue.Bot], tags=["boards"])
async def bots() -> Response:
    """The levels bots play at."""
    listed = [{"level": level, "usual": level == catalogue.USUAL_LEVEL} for level in PLAYERS]
    return Response(packed(listed), media_type="application/json")


# --- tables -----------------------------------------------------------------------------------------------------------


@api.post("/tables", response_model=protocol.Made, status_code=201, tags=["tables"])
async def make_table(request: Request, registry: Registry, wish: protocol.NewTable, keys: WithKeys = False) -> Response:
    """Set a table up. The game begins at once if no seat is open."""
    wait = request.app.state.making.take(_address(request))
    if wait:
        raise Refused(429, "too many tables from here; try again later", retry=wait)
    sitters = [sitter.model_dump() for sitter in wish.seats]
    session, held, host = await Seating(registry).make(
        registry.board(wish.board), sitters, wish.first, wish.clock, wish.faster
    )
    visit = Visit(request, registry, session, Caller(frozenset(held), True))
    table = visit.table
    reply = Reply(
        {
            "id": table,
            "path": f"/t/{table}",
            "keys": {str(seat): key for seat, key in held.items()} if keys else None,
            "host_key": host if keys else None,
            "news": visit.news(),
        },
        201,
    )
    reply.headers["location"] = f"/api/tables/{table}"
    if not keys:
        _keep_keys(reply, request, table, [*held.values(), host])
    return reply


@api.get("/tables", response_model=protocol.Tables, tags=["tables"])
async def list_tables(
    registry: Registry,
    ids: Annotated[str, Query(max_length=1100, description="Up to 100 tables' names, with commas between.")] = "",
) -> Response:
    """Tables by their names, such as a page remembers; unknown ones are left out."""
    names = list(dict.fromkeys(name for name in ids.split(",") if name))[:100]
    return Reply({"tables": await registry.summaries(names)})


@opened.get("/tables/{table}", response_model=protocol.News, tags=["tables"])
async def table(visit: Visiting, seat: Eyes = None, watch: AsWatcher = False) -> Response:
    """A table and all that happened, as one of one's seats or a spectator may know it."""
    return Reply(visit.news(seat, watch=watch))


@opened.patch("/tables/{table}", response_model=protocol.News, tags=["tables"])
async def change_table(visit: Visiting, change: protocol.Change) -> Response:
    """Let bots move faster, or not."""
    await visit.seating.change_pace(visit.session, visit.caller, change.faster)
    return Reply(visit.news(since=protocol.MOST_VERSION, chat=protocol.MOST_VERSION))


@opened.get("/tables/{table}/news", response_model=protocol.News, tags=["tables"])
async def news(
    visit: Visiting, seat: Eyes = None, watch: AsWatcher = False, since: Since = 0, chat: ChatSince = 0
) -> Response:
    """The same with only what happened after a version and what was said after a line; the socket pushes it."""
    return Reply(visit.news(seat, since, chat, watch))


@opened.post("/tables/{table}/close", response_model=protocol.News, tags=["tables"])
async def close_table(visit: Visiting) -> Response:
    """End a table at which nobody else plays; for who set it up."""
    await visit.seating.close_table(visit.session, visit.caller)
    return Reply(visit.news())


@opened.post("/tables/{table}/rematch", response_model=protocol.Rematch, tags=["tables"])
async def rematch(request: Request, visit: Visiting, keys: WithKeys = False) -> Response:
    """The next game with the same people; everybody who wants it asks for it."""
    if visit.session.match.facts.rematch is None and visit.caller.seats:
        wait = request.app.state.making.take(_address(request))
        if wait:
            raise Refused(429, "too many tables from here; try again later", retry=wait)
    session, held, host = await visit.seating.rematch(visit.session, visit.caller, _keys(request))
    following = Visit(request, visit.registry, session, Caller(frozenset(held), host is not None))
    table = following.table
    reply = Reply(
        {
            "id": table,
            "path": f"/t/{table}",
            "keys": {str(seat): key for seat, key in held.items()} if keys else None,
            "host_key": host if keys else None,
            "news": following.news(),
        }
    )
    if not keys and held:
        _keep_keys(reply, request, table, [*held.values(), *([host] if host else [])])
    return reply


@opened.get("/tables/{table}/record", response_model=dict[str, Any], tags=["tables"])
async def record(visit: Visiting) -> Response:
    """The record of a finished game, for `northrail watch`."""
    _must_be_over(visit)
    assert visit.session.match.game is not None
    kept = json.dumps(visit.session.match.game.record(), ensure_ascii=False, indent=1) + "\n"
    headers = {"content-disposition": f'attachment; filename="northrail-{visit.table}.json"'}
    return Response(kept, headers=headers, media_type="application/json")


@opened.get("/tables/{table}/replay", response_model=protocol.Replay, tags=["tables"])
async def replay(visit: Visiting) -> Response:
    """A finished game moment by moment, with all hands open."""
    _must_be_over(visit)
    facts = visit.registry.table_json(visit.session)
    body = await asyncio.to_thread(lambda: packed(messages.replay_json(visit.session.match, facts)))
    return Response(body, media_type="application/json")


def _must_be_over(visit: Visit) -> None:
    if visit.session.match.status != "over":
        raise Refused(409, "the game is not over")


# --- playing ----------------------------------------------------------------------------------------------------------


@opened.post("/tables/{table}/moves", response_model=protocol.News, tags=["playing"])
async def move(
    visit: Visiting,
    command: protocol.Command,
    idempotency_key: Annotated[
        str | None, Header(max_length=64, description="The same key again is answered as if it were the first time.")
    ] = None,
) -> Response:
    """Make one whole choice for a seat. It is kept when this answers."""
    visit.limit("moving", command.seat)
    choice = command.choice.model_dump()
    if "cards" in choice:
        choice["cards"] = {colour: count for colour, count in choice["cards"].items() if count}
    await visit.registry.command(visit.session, visit.caller, command.seat, command.version, choice, idempotency_key)
    return Reply(visit.seat_news(command.seat, command.version))


@opened.get("/tables/{table}/choices", response_model=protocol.Choices, tags=["playing"])
async def choices(visit: Visiting, seat: Eyes = None) -> Response:
    """The choices a seat could make now, each as a move carries it: for programs that just want to play."""
    eyes = visit.registry.eyes(visit.session, visit.caller, seat, False)
    news = visit.registry.news(visit.session, visit.caller, eyes, protocol.MOST_VERSION, protocol.MOST_VERSION)
    listed = messages.choices_of(news["view"] and news["view"]["options"])
    return Reply({"seat": eyes, "version": news["version"], "choices": listed})


@opened.get("/tables/{table}/payments", response_model=protocol.Payments, tags=["playing"])
async def payments(
    visit: Visiting,
    seat: Annotated[int, Query(ge=0, le=4)],
    route: Annotated[int, Query(ge=0, le=251)],
) -> Response:
    """All payments for a route that a seat could make now, the usual ones first."""
    visit.limit("moving", seat)
    return Reply(await visit.registry.payments(visit.session, seat, route))


@opened.post("/tables/{table}/payments", response_model=protocol.Payment, tags=["playing"])
async def payment(visit: Visiting, wish: protocol.AskPayment) -> Response:
    """Whether exactly these cards would pay for a route now."""
    visit.limit("moving", wish.seat)
    why = visit.session.match.payment_fault(wish.seat, wish.route, wish.model_dump()["cards"])
    return Reply({"pays": why is None, "why": why})


@opened.post("/tables/{table}/chat", response_model=protocol.News, tags=["playing"])
async def say(visit: Visiting, what: protocol.Say) -> Response:
    """Say something at the table."""
    visit.limit("talking", what.seat)
    before = len(visit.session.chat)
    await visit.seating.say(visit.session, visit.caller, what.seat, what.text)
    return Reply(visit.news(what.seat, protocol.MOST_VERSION, before))


# --- seats ------------------------------------------------------------------------------------------------------------


def _seated(visit: Visit, request: Request, seat: int, key: str, keys: bool, status: int) -> Response:
    visit.caller = Caller(visit.caller.seats | {seat}, visit.caller.host)
    reply = Reply({"seat": seat, "key": key if keys else None, "news": visit.news(seat)}, status)
    if not keys:
        _keep_keys(reply, request, visit.table, [key])
    return reply


@opened.post("/tables/{table}/seats", response_model=protocol.Joined, status_code=201, tags=["seats"])
async def join(request: Request, visit: Visiting, wish: protocol.Join, keys: WithKeys = False) -> Response:
    """Sit down in an open seat."""
    seat, key = await visit.seating.join(visit.session, wish.name, wish.seat)
    return _seated(visit, request, seat, key, keys, 201)


@opened.post("/tables/{table}/enter", response_model=protocol.Joined, tags=["seats"])
async def enter(request: Request, visit: Visiting, wish: protocol.Enter, keys: WithKeys = False) -> Response:
    """Take one's seat on this device, by a personal link."""
    guesses: Buckets = request.app.state.guessing
    if guesses.left(_address(request)) < 1:
        raise Refused(429, "too many wrong links; try again later", retry=1 / guesses.rate)
    try:
        seat, key = await visit.seating.enter(visit.session, wish.key)
    except Refused:
        guesses.take(_address(request))
        raise
    return _seated(visit, request, seat, key, keys, 200)


@opened.put("/tables/{table}/seats/{seat}", response_model=protocol.News, tags=["seats"])
async def fill(visit: Visiting, seat: SeatNumber, wish: protocol.Fill) -> Response:
    """Give a seat to a bot, or open it, while the table waits; for who set it up."""
    await visit.seating.fill(visit.session, visit.caller, seat, wish.sitter.model_dump())
    visit.caller = await visit.registry.caller(visit.session, _keys(visit.request))
    return Reply(visit.news())


@opened.post("/tables/{table}/seats/{seat}/leave", response_model=protocol.News, tags=["seats"])
async def leave(visit: Visiting, seat: SeatNumber) -> Response:
    """Stand up before the game begins."""
    await visit.seating.leave(visit.session, visit.caller, seat)
    visit.caller = Caller(visit.caller.seats - {seat}, visit.caller.host)
    return Reply(visit.news())


@opened.post("/tables/{table}/seats/{seat}/resign", response_model=protocol.News, tags=["seats"])
async def resign(visit: Visiting, seat: SeatNumber) -> Response:
    """Give the game up: a bot plays on for the seat; the table closes when no person is left."""
    await visit.seating.resign(visit.session, visit.caller, seat)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/hand-over", response_model=protocol.News, tags=["seats"])
async def hand_over(visit: Visiting, seat: SeatNumber, wish: protocol.HandOver) -> Response:
    """Let a bot play for a seat: one's own, or that of a person who is gone."""
    await visit.seating.hand_over(visit.session, visit.caller, seat, wish.level)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/take-back", response_model=protocol.News, tags=["seats"])
async def take_back(visit: Visiting, seat: SeatNumber) -> Response:
    """Play oneself again."""
    await visit.seating.take_back(visit.session, visit.caller, seat)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/link", response_model=protocol.SeatLink, tags=["seats"])
async def link(visit: Visiting, seat: SeatNumber) -> Response:
    """A personal link that carries the seat to another device."""
    visit.limit("talking", seat)
    return Reply(await visit.seating.link(visit.session, visit.caller, seat))


# --- news as they come ------------------------------------------------------------------------------------------------


@opened.websocket("/tables/{table}/socket")
async def socket(
    socket: WebSocket,
    table: TableId,
    seat: Eyes = None,
    watch: AsWatcher = False,
    since: Since = 0,
    chat: ChatSince = 0,
) -> None:
    """Push news of a table; the first at once."""
    registry: TableRegistry = socket.app.state.registry
    address, limits = _address(socket), registry.settings.limits
    await socket.accept()  # also who is refused: else a browser is not told why
    try:
        session = await registry.session(table)
        async with session.lock:  # no seat is given away meanwhile
            caller = await registry.caller(session, _keys(socket))
            watcher = Watcher(caller, registry.eyes(session, caller, seat, watch), since, chat)
            if registry.sockets >= limits.sockets or registry.sockets_of[address] >= limits.sockets_per_address:
                raise Refused(503, "too many connections")
            if len(session.watchers) >= limits.sockets_per_table:
                raise Refused(503, "too many people watch this table")
            registry.connect(session, watcher)
    except Refused as refusal:
        await socket.close(4000 + refusal.status, refusal.why[:120])
        return
    registry.sockets += 1
    registry.sockets_of[address] += 1
    listening = asyncio.ensure_future(_listen(socket, registry, session, watcher))
    try:
        watcher.wake.set()
        await _push(socket, registry, session, watcher)
    except (WebSocketDisconnect, RuntimeError):
        pass  # gone while it was being told
    finally:
        registry.disconnect(session, watcher)
        registry.sockets -= 1
        registry.sockets_of[address] -= 1
        if not registry.sockets_of[address]:
            del registry.sockets_of[address]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def _push(socket: WebSocket, registry: TableRegistry, session: TableSession, watcher: Watcher) -> None:
    """Send news whenever there are some; a slow client gets what it missed in one piece."""
    while True:
        await watcher.wake.wait()
        watcher.wake.clear()
        if watcher.ends:
            with suppress(RuntimeError):
                await socket.close(watcher.code, watcher.ends)
            return
        if socket.client_state == WebSocketState.DISCONNECTED:
            return
        message = registry.news(session, watcher.caller, watcher.seat, watcher.since, watcher.chat)
        watcher.since, watcher.chat = session.match.version, len(session.chat)
        await socket.send_text(packed(message).decode())


async def _listen(socket: WebSocket, registry: TableRegistry, session: TableSession, watcher: Watcher) -> None:
    """Hear whose eyes the client wants to look with; end the connection when it does."""
    why = "gone"
    asking = Buckets(20, 4)
    try:
        while True:
            text = await socket.receive_text()
            if asking.take(0):
                why = "not so fast"
                break
            look = protocol.Look.model_validate_json(text).look
            watcher.seat = registry.eyes(session, watcher.caller, look, look is None)
            watcher.wake.set()
    except (ValidationError, Refused, KeyError):
        why = "expected {look: one of your seats}"
    except (WebSocketDisconnect, RuntimeError):
        pass
    registry.dismiss(watcher, 1008, why)


# --- the app ----------------------------------------------------------------------------------------------------------

around = APIRouter()


@around.get("/health", response_model=protocol.Health, tags=["server"])
async def health(registry: Registry) -> Response:
    """How the server is; 503 when its database does not answer."""
    is_well = await registry.store.is_well()
    word = "ok" if is_well else "failing"
    return Reply(
        {
            "status": word,
            "database": word,
            "tables": len(registry.tables),
            "sockets": registry.sockets,
            "thinking": registry.bots.thinking,
        },
        200 if is_well else 503,
    )


@around.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """The API for people."""
    return HTMLResponse(pages.docs(request.app.openapi()))


def make_app(registry: TableRegistry | None = None) -> FastAPI:
    """The app that opens a registry, by default one as the settings are by default."""
    registry = registry or TableRegistry(Settings())
    settings = registry.settings

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await registry.open()
        try:
            yield
        finally:
            await registry.close()

    app = FastAPI(
        title="Northrail",
        version="1",
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses={422: REFUSALS[422]},
    )
    limits = settings.limits
    app.state.registry = registry
    app.state.making = Buckets(*limits.make)
    app.state.guessing = Buckets(*limits.guess)
    app.state.moving = Buckets(*limits.move)
    app.state.talking = Buckets(*limits.talk)
    for router in (api, opened, around):
        app.include_router(router)
    page = pages.Page(settings.static)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def static(request: Request, path: str) -> Response:
        if path.startswith("api/"):
            raise Refused(404, "there is no such address")
        return page.answer(request)

    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _http_refused)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(GZipMiddleware, minimum_size=1500, compresslevel=5)
    app.add_middleware(Guard, settings=settings)
    return app


def _refused(_request: Request, fault: Exception) -> Response:
    assert isinstance(fault, Refused)
    reply = Reply({"detail": fault.why}, fault.status)
    if fault.retry:
        reply.headers["retry-after"] = str(int(fault.retry) + 1)
    return reply


def _misunderstood(_request: Request, fault: Exception) -> Response:
    """Say in a sentence which field is wrong; what was sent is not repeated, for it may be a secret."""
    assert isinstance(fault, RequestValidationError)
    first = fault.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return Reply({"detail": f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}"}, 422)


def _http_refused(_request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    # 400 is said of a body nested so deeply that it cannot be read: not understood, as any other.
    reply = Reply({"detail": str(fault.detail)}, 422 if fault.status_code == 400 else fault.status_code)
    for name, value in (fault.headers or {}).items():
        reply.headers[name] = value
    return reply


def _failed(_request: Request, _fault: Exception) -> Response:
    return Reply({"detail": "the server made a mistake; it is in its log"}, 500)
