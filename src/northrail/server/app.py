"""The hall, opened to HTTP and sockets. Everything the page does goes through here, and so does every program."""

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
from northrail.server import page as pages
from northrail.server import printed, protocol, telling
from northrail.server.desk import Desk
from northrail.server.guard import Guard
from northrail.server.hall import Hall
from northrail.server.keys import A_YEAR, COOKIE, MOST_KEYS, keys_in
from northrail.server.limits import Buckets, caller
from northrail.server.live import Holder, Live, Refused, Watcher
from northrail.server.protocol import packed
from northrail.server.settings import Settings
from northrail.server.table import Json

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
    """JSON built by `telling`."""

    media_type = "application/json"

    def __init__(self, message: Json, status: int = 200) -> None:
        super().__init__(packed(message), status)


async def hall_of(request: Request) -> Hall:
    """The hall this app opens; a coroutine, for FastAPI would run a function in a thread."""
    hall: Hall = request.app.state.hall
    return hall


TheHall = Annotated[Hall, Depends(hall_of)]


class Visit:
    """A request at a table: the table, and who asks."""

    def __init__(self, request: Request, hall: Hall, live: Live, holder: Holder) -> None:
        self.request, self.hall, self.live, self.holder = request, hall, live, holder
        self.desk = Desk(hall)

    @property
    def table(self) -> str:
        """The table's id."""
        return self.live.table.facts.id

    def news(self, seat: int | None = None, since: int = 0, chat: int = 0, watch: bool = False) -> Json:
        """What whoever asks may know."""
        eyes = self.hall.eyes(self.live, self.holder, seat, watch)
        return self.hall.news(self.live, self.holder, eyes, since, chat)

    def seat_news(self, seat: int, since: int = 0) -> Json:
        """What whoever asks may know, with the eyes of a seat if it is theirs."""
        return self.news(seat if seat in self.holder.seats else None, since, len(self.live.chat))

    def limit(self, name: str, seat: int) -> None:
        """Refuse a seat that asks too often; only who holds it can use it up."""
        self.holder.must_hold(seat)
        buckets: Buckets = getattr(self.request.app.state, name)
        wait = buckets.take((self.table, seat))
        if wait:
            raise Refused(429, "not so fast", retry=wait)


async def visit_of(request: Request, hall: TheHall, table: TableId) -> Visit:
    """The table that is asked for, and who asks."""
    live = await hall.live(table)
    holder = await hall.holder(live, _keys(request))
    live.asked |= dict.fromkeys(holder.seats, hall.now())
    return Visit(request, hall, live, holder)


Visiting = Annotated[Visit, Depends(visit_of)]


def _keys(request: Request | WebSocket) -> list[str]:
    return keys_in(request.cookies.get(COOKIE), request.headers.get("authorization"))


def _address(request: Request | WebSocket) -> str:
    return caller(request.client.host if request.client else None)


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


@api.get("/boards", response_model=list[printed.BoardSummary], tags=["boards"])
async def boards(hall: TheHall) -> Response:
    """The boards one can play."""
    found = [await asyncio.to_thread(printed.board_summary, board) for board in hall.boards.values()]
    return Response(packed(found), media_type="application/json")


@api.get("/boards/{board}", response_model=printed.Board, tags=["boards"])
async def board(
    request: Request,
    hall: TheHall,
    board: Annotated[str, Path(max_length=60)],
    v: Annotated[str | None, Query(max_length=40, description="The version, as in a summary's `href`.")] = None,
) -> Response:
    """A whole board: what is printed and how it is drawn."""
    body, tag = await asyncio.to_thread(printed.board_bytes, hall.board(board))
    return _kept(request, body, tag, v == tag)


@api.get("/themes", response_model=printed.Themes, tags=["boards"])
async def themes(request: Request) -> Response:
    """Colours, signs and shapes."""
    body, tag = printed.themes_bytes()
    return _kept(request, body, tag, False)


@api.get("/bots", response_model=list[printed.Bot], tags=["boards"])
async def bots() -> Response:
    """The levels bots play at."""
    listed = [{"level": level, "usual": level == printed.USUAL_LEVEL} for level in PLAYERS]
    return Response(packed(listed), media_type="application/json")


# --- tables -----------------------------------------------------------------------------------------------------------


@api.post("/tables", response_model=protocol.Made, status_code=201, tags=["tables"])
async def make_table(request: Request, hall: TheHall, wish: protocol.NewTable, keys: WithKeys = False) -> Response:
    """Set a table up. The game begins at once if no seat is open."""
    wait = request.app.state.making.take(_address(request))
    if wait:
        raise Refused(429, "too many tables from here; try again later", retry=wait)
    sitters = [sitter.model_dump() for sitter in wish.seats]
    live, held, host = await Desk(hall).make(hall.board(wish.board), sitters, wish.first, wish.clock, wish.faster)
    visit = Visit(request, hall, live, Holder(frozenset(held), True))
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
    hall: TheHall,
    ids: Annotated[str, Query(max_length=1100, description="Up to 100 tables' names, with commas between.")] = "",
) -> Response:
    """Tables by their names, such as a page remembers; unknown ones are left out."""
    names = list(dict.fromkeys(name for name in ids.split(",") if name))[:100]
    return Reply({"tables": await hall.summaries(names)})


@opened.get("/tables/{table}", response_model=protocol.News, tags=["tables"])
async def table(visit: Visiting, seat: Eyes = None, watch: AsWatcher = False) -> Response:
    """A table and all that happened, as one of one's seats or a spectator may know it."""
    return Reply(visit.news(seat, watch=watch))


@opened.patch("/tables/{table}", response_model=protocol.News, tags=["tables"])
async def change_table(visit: Visiting, change: protocol.Change) -> Response:
    """Let bots move faster, or not."""
    await visit.desk.change_pace(visit.live, visit.holder, change.faster)
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
    await visit.desk.close_table(visit.live, visit.holder)
    return Reply(visit.news())


@opened.post("/tables/{table}/rematch", response_model=protocol.Rematch, tags=["tables"])
async def rematch(request: Request, visit: Visiting, keys: WithKeys = False) -> Response:
    """The next game with the same people; everybody who wants it asks for it."""
    if visit.live.table.facts.rematch is None and visit.holder.seats:
        wait = request.app.state.making.take(_address(request))
        if wait:
            raise Refused(429, "too many tables from here; try again later", retry=wait)
    live, held, host = await visit.desk.rematch(visit.live, visit.holder, _keys(request))
    following = Visit(request, visit.hall, live, Holder(frozenset(held), host is not None))
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
    assert visit.live.table.game is not None
    kept = json.dumps(visit.live.table.game.record(), ensure_ascii=False, indent=1) + "\n"
    headers = {"content-disposition": f'attachment; filename="northrail-{visit.table}.json"'}
    return Response(kept, headers=headers, media_type="application/json")


@opened.get("/tables/{table}/replay", response_model=protocol.Replay, tags=["tables"])
async def replay(visit: Visiting) -> Response:
    """A finished game moment by moment, with all hands open."""
    _must_be_over(visit)
    facts = visit.hall.table_json(visit.live)
    body = await asyncio.to_thread(lambda: packed(telling.replay_json(visit.live.table, facts)))
    return Response(body, media_type="application/json")


def _must_be_over(visit: Visit) -> None:
    if visit.live.table.status != "over":
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
    await visit.hall.command(visit.live, visit.holder, command.seat, command.version, choice, idempotency_key)
    return Reply(visit.seat_news(command.seat, command.version))


@opened.get("/tables/{table}/choices", response_model=protocol.Choices, tags=["playing"])
async def choices(visit: Visiting, seat: Eyes = None) -> Response:
    """The choices a seat could make now, each as a move carries it: for programs that just want to play."""
    eyes = visit.hall.eyes(visit.live, visit.holder, seat, False)
    news = visit.hall.news(visit.live, visit.holder, eyes, protocol.MOST_VERSION, protocol.MOST_VERSION)
    listed = telling.choices_of(news["view"] and news["view"]["options"])
    return Reply({"seat": eyes, "version": news["version"], "choices": listed})


@opened.get("/tables/{table}/payments", response_model=protocol.Payments, tags=["playing"])
async def payments(
    visit: Visiting,
    seat: Annotated[int, Query(ge=0, le=4)],
    route: Annotated[int, Query(ge=0, le=251)],
) -> Response:
    """All payments for a route that a seat could make now, the usual ones first."""
    visit.limit("moving", seat)
    return Reply(await visit.hall.payments(visit.live, seat, route))


@opened.post("/tables/{table}/payments", response_model=protocol.Payment, tags=["playing"])
async def payment(visit: Visiting, wish: protocol.AskPayment) -> Response:
    """Whether exactly these cards would pay for a route now."""
    visit.limit("moving", wish.seat)
    why = visit.live.table.payment_fault(wish.seat, wish.route, wish.model_dump()["cards"])
    return Reply({"pays": why is None, "why": why})


@opened.post("/tables/{table}/chat", response_model=protocol.News, tags=["playing"])
async def say(visit: Visiting, what: protocol.Say) -> Response:
    """Say something at the table."""
    visit.limit("talking", what.seat)
    before = len(visit.live.chat)
    await visit.desk.say(visit.live, visit.holder, what.seat, what.text)
    return Reply(visit.news(what.seat, protocol.MOST_VERSION, before))


# --- seats ------------------------------------------------------------------------------------------------------------


def _seated(visit: Visit, request: Request, seat: int, key: str, keys: bool, status: int) -> Response:
    visit.holder = Holder(visit.holder.seats | {seat}, visit.holder.host)
    reply = Reply({"seat": seat, "key": key if keys else None, "news": visit.news(seat)}, status)
    if not keys:
        _keep_keys(reply, request, visit.table, [key])
    return reply


@opened.post("/tables/{table}/seats", response_model=protocol.Joined, status_code=201, tags=["seats"])
async def join(request: Request, visit: Visiting, wish: protocol.Join, keys: WithKeys = False) -> Response:
    """Sit down in an open seat."""
    seat, key = await visit.desk.join(visit.live, wish.name, wish.seat)
    return _seated(visit, request, seat, key, keys, 201)


@opened.post("/tables/{table}/enter", response_model=protocol.Joined, tags=["seats"])
async def enter(request: Request, visit: Visiting, wish: protocol.Enter, keys: WithKeys = False) -> Response:
    """Take one's seat on this device, by a personal link."""
    guesses: Buckets = request.app.state.guessing
    if guesses.left(_address(request)) < 1:
        raise Refused(429, "too many wrong links; try again later", retry=1 / guesses.rate)
    try:
        seat, key = await visit.desk.enter(visit.live, wish.key)
    except Refused:
        guesses.take(_address(request))
        raise
    return _seated(visit, request, seat, key, keys, 200)


@opened.put("/tables/{table}/seats/{seat}", response_model=protocol.News, tags=["seats"])
async def fill(visit: Visiting, seat: SeatNumber, wish: protocol.Fill) -> Response:
    """Give a seat to a bot, or open it, while the table waits; for who set it up."""
    await visit.desk.fill(visit.live, visit.holder, seat, wish.sitter.model_dump())
    visit.holder = await visit.hall.holder(visit.live, _keys(visit.request))
    return Reply(visit.news())


@opened.post("/tables/{table}/seats/{seat}/leave", response_model=protocol.News, tags=["seats"])
async def leave(visit: Visiting, seat: SeatNumber) -> Response:
    """Stand up before the game begins."""
    await visit.desk.leave(visit.live, visit.holder, seat)
    visit.holder = Holder(visit.holder.seats - {seat}, visit.holder.host)
    return Reply(visit.news())


@opened.post("/tables/{table}/seats/{seat}/resign", response_model=protocol.News, tags=["seats"])
async def resign(visit: Visiting, seat: SeatNumber) -> Response:
    """Give the game up: a bot plays on for the seat; the table closes when no person is left."""
    await visit.desk.resign(visit.live, visit.holder, seat)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/hand-over", response_model=protocol.News, tags=["seats"])
async def hand_over(visit: Visiting, seat: SeatNumber, wish: protocol.HandOver) -> Response:
    """Let a bot play for a seat: one's own, or that of a person who is gone."""
    await visit.desk.hand_over(visit.live, visit.holder, seat, wish.level)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/take-back", response_model=protocol.News, tags=["seats"])
async def take_back(visit: Visiting, seat: SeatNumber) -> Response:
    """Play oneself again."""
    await visit.desk.take_back(visit.live, visit.holder, seat)
    return Reply(visit.seat_news(seat, protocol.MOST_VERSION))


@opened.post("/tables/{table}/seats/{seat}/link", response_model=protocol.SeatLink, tags=["seats"])
async def link(visit: Visiting, seat: SeatNumber) -> Response:
    """A personal link that carries the seat to another device."""
    visit.limit("talking", seat)
    return Reply(await visit.desk.link(visit.live, visit.holder, seat))


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
    hall: Hall = socket.app.state.hall
    address, limits = _address(socket), hall.settings.limits
    await socket.accept()  # also who is refused: else a browser is not told why
    try:
        live = await hall.live(table)
        async with live.lock:  # no seat is given away meanwhile
            holder = await hall.holder(live, _keys(socket))
            watcher = Watcher(holder, hall.eyes(live, holder, seat, watch), since, chat)
            if hall.sockets >= limits.sockets or hall.sockets_of[address] >= limits.sockets_per_address:
                raise Refused(503, "too many connections")
            if len(live.watchers) >= limits.sockets_per_table:
                raise Refused(503, "too many people watch this table")
            hall.connect(live, watcher)
    except Refused as refusal:
        await socket.close(4000 + refusal.status, refusal.why[:120])
        return
    hall.sockets += 1
    hall.sockets_of[address] += 1
    listening = asyncio.ensure_future(_listen(socket, hall, live, watcher))
    try:
        watcher.wake.set()
        await _push(socket, hall, live, watcher)
    except (WebSocketDisconnect, RuntimeError):
        pass  # gone while it was being told
    finally:
        hall.disconnect(live, watcher)
        hall.sockets -= 1
        hall.sockets_of[address] -= 1
        if not hall.sockets_of[address]:
            del hall.sockets_of[address]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def _push(socket: WebSocket, hall: Hall, live: Live, watcher: Watcher) -> None:
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
        message = hall.news(live, watcher.holder, watcher.seat, watcher.since, watcher.chat)
        watcher.since, watcher.chat = live.table.version, len(live.chat)
        await socket.send_text(packed(message).decode())


async def _listen(socket: WebSocket, hall: Hall, live: Live, watcher: Watcher) -> None:
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
            watcher.seat = hall.eyes(live, watcher.holder, look, look is None)
            watcher.wake.set()
    except (ValidationError, Refused, KeyError):
        why = "expected {look: one of your seats}"
    except (WebSocketDisconnect, RuntimeError):
        pass
    hall.dismiss(watcher, 1008, why)


# --- the app ----------------------------------------------------------------------------------------------------------

around = APIRouter()


@around.get("/health", response_model=protocol.Health, tags=["server"])
async def health(hall: TheHall) -> Response:
    """How the server is; 503 when its database does not answer."""
    is_well = await hall.store.is_well()
    word = "ok" if is_well else "failing"
    return Reply(
        {
            "status": word,
            "database": word,
            "tables": len(hall.tables),
            "sockets": hall.sockets,
            "thinking": hall.bots.thinking,
        },
        200 if is_well else 503,
    )


@around.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """The API for people."""
    return HTMLResponse(pages.docs(request.app.openapi()))


def make_app(hall: Hall | None = None) -> FastAPI:
    """The app that opens a hall, by default one as the settings are by default."""
    hall = hall or Hall(Settings())
    settings = hall.settings

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await hall.open()
        try:
            yield
        finally:
            await hall.close()

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
    app.state.hall = hall
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
