"""The tables in memory: load them, follow changes by other processes, track who is connected, unload idle tables."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from northrail.boards.board import Board
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import RULES
from northrail.errors import BadBoard
from northrail.lessons import Lesson, load_lessons
from northrail.server.match import Json, Match
from northrail.server.metrics import Metrics
from northrail.server.settings import Settings
from northrail.server.store.database import Store
from northrail.server.tables.bots import Bots
from northrail.server.tables.replays import Replays
from northrail.server.tables.reviews import Reviews
from northrail.server.tables.session import Services, Subscriber, TableSession, is_present
from northrail.server.tables.tasks import Tasks
from northrail.server.wire import messages
from northrail.server.wire.catalogue import board_bytes
from northrail.server.wire.refusals import Refused

log = logging.getLogger("northrail.tables")

HEARTBEAT_INTERVAL = 20.0  # seconds after which we store again who is connected, for other processes
HEARTBEAT_LASTS = 45.0  # seconds for which a person then counts as connected
PRESENCE_INTERVAL = 1.0  # seconds for which arrivals and departures are collected
LOADING = 2  # tables that are loaded at the same time, so that others are served while everyone comes back
DRAW_AFTER = 0.5  # seconds without a table to load, before a board is drawn ahead of time
IDLE_AFTER = 600.0  # seconds after which an unused table is unloaded


class TableRegistry:
    """The tables in memory, and what they share: the store, the bots, the boards."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.now = now
        self.metrics = Metrics()
        self.store = Store(settings.database, self.metrics)
        self.bots = Bots(settings.workers, settings.pace, settings.think_most)
        self.boards: dict[str, Board] = {}
        self.lessons: dict[str, Lesson] = {}
        for name in (*BUILT_IN, *settings.boards):
            board = load_board(name)
            if self.boards.setdefault(board.id, board).digest != board.digest:
                raise BadBoard(f"{name}: expected an id that no other board has, got {board.id!r}; change it")
            self.lessons |= {lesson.id: lesson for lesson in load_lessons(board, name)}
        self.tables: dict[str, TableSession] = {}
        self.replays = Replays()
        self.sockets = 0
        self.sockets_of: Counter[str] = Counter()
        self.tasks = Tasks(self._schedule_all)
        self.services = Services(settings, self.store, self.bots, self.tasks, now, self.metrics)
        self.reviews = Reviews(self.store, self.bots, self.tasks, now)
        self.metrics.show("reviews", "Reviews that wait or are being made.", lambda: self.reviews.waiting)
        self.metrics.show("tables", "Tables in memory.", lambda: len(self.tables))
        self.metrics.show("sockets", "Open sockets.", lambda: self.sockets)
        self.metrics.show("bots_thinking", "Bots to move, those that wait included.", lambda: self.bots.thinking)
        self.metrics.show("bots_waiting", "Bots that wait for a worker.", lambda: self.bots.waiting)
        self.metrics.show("store_last_write_seconds", "When something was stored last.", lambda: self.store.last_write)
        self._loading: dict[str, asyncio.Future[TableSession]] = {}
        self._few_at_once = asyncio.Semaphore(LOADING)
        self._presence_changes: dict[tuple[str, int], float] = {}  # (table, seat) -> connected until then

    # --- opening and closing

    async def open(self) -> None:
        """Open the store and start the background tasks, once; raise BadStore if the database cannot be used."""
        if self.tasks:
            return
        try:
            await self.store.open()
            if not self.store.is_sqlite:
                await self.store.listen(self._on_change)
        except BaseException:
            await self.store.close()
            raise
        for work in (
            self._draw_boards(),
            self._poll_changes(),
            self._share_presence(),
            self._unload_idle(),
            self.metrics.watch_loop(self.tasks.sleep),
        ):
            self.tasks.spawn(work)

    async def _draw_boards(self) -> None:
        """Draw the boards before someone asks, because drawing takes a second; but first let everyone come back."""
        for board in self.boards.values():
            while await self.tasks.sleep(DRAW_AFTER) and self._loading:
                pass
            if not self.tasks.is_closing:
                await asyncio.to_thread(board_bytes, board)

    async def close(self) -> None:
        """Close all connections, and stop; every move is in the store already."""
        self.tasks.announce_closing()
        for session in self.tables.values():
            session.stop_timers()
            if session.bot_task is not None:
                session.bot_task.cancel()
            for subscriber in session.subscribers:
                subscriber.close(1012, "restarting")
        await self.tasks.finish()  # so that changes in progress reach the store
        self.bots.close()
        await self.store.close()

    def _schedule_all(self) -> None:
        for session in self.tables.values():
            session.schedule()

    # --- finding a table

    def board(self, name: str) -> Board:
        """Return a board by its id."""
        if name not in self.boards:
            raise Refused(404, "no_such_board", board=name, boards=list(self.boards))
        return self.boards[name]

    def lesson(self, name: str) -> Lesson:
        """Return a lesson by its id."""
        if name not in self.lessons:
            raise Refused(404, "no_such_lesson", lesson=name)
        return self.lessons[name]

    async def session(self, table: str, client: str = "") -> TableSession:
        """Return a table that a client visits, from memory or from the store."""
        session = self.tables.get(table)
        if session is None:
            if table not in self._loading:
                self._loading[table] = asyncio.ensure_future(self._load(table, client))
                self._loading[table].add_done_callback(lambda _: self._loading.pop(table))
            session = await asyncio.shield(self._loading[table])  # the first request may be cancelled while others wait
        session.visited(client)
        return session

    async def _load(self, table: str, client: str) -> TableSession:
        async with self._few_at_once:
            return await self._load_now(table, client)

    async def _load_now(self, table: str, client: str) -> TableSession:
        stored = await self.store.load(table)
        if stored is None:
            raise Refused(404, "no_such_table")
        if len(self.tables) >= self.settings.limits.loaded and not self._unload_oldest():
            raise Refused(503, "server_busy", retry=60)
        info = stored.info
        board = self.boards.get(info.board)
        if board is None or board.digest != info.digest:
            raise Refused(409, "board_changed", board=info.board)
        if info.rules != RULES:
            raise Refused(409, "rules_changed")
        lesson = self.lessons.get(info.lesson or "")
        session = TableSession(self.services, Match(board, info, stored.seats), stored.revision, lesson)
        session.catch_up(stored)
        if info.lesson is not None and session.match.status == "running":
            played = [step.command.choice for step in session.match.steps]
            if lesson is None or not lesson.led_to(info.start, played):
                raise Refused(409, "lesson_changed", lesson=info.lesson)
        if session.match.deadline is not None and session.match.deadline < self.now():
            session.match.turn_began = self.now()  # nobody could move while the server was down
        self.tables[table] = session
        session.visited(client)
        async with session.lock:
            await session.begin()  # the process that set it up may have died before
            session.schedule()
        return session

    def _unload_oldest(self) -> bool:
        """Unload the idle table that was used least recently; return whether there was one."""
        idle = [session for session in self.tables.values() if not session.subscribers and session.bot_task is None]
        if not idle:
            return False
        self._unload(min(idle, key=lambda session: session.last_used))
        return True

    def _unload(self, session: TableSession) -> None:
        session.stop_timers()
        self.tables.pop(session.id, None)

    async def _unload_idle(self) -> None:
        """Unload tables that have been idle for a while; they are in the store."""
        while await self.tasks.sleep(30.0):
            for session in list(self.tables.values()):
                if session.is_idle and self.now() - session.last_used > IDLE_AFTER:
                    self._unload(session)

    async def summaries(self, ids: list[str]) -> list[Json]:
        """Return what everyone may know of these tables; unknown ones are left out."""
        now = self.now()
        out = []
        for info, seat_infos, more in await self.store.find_many(ids):
            session, board = self.tables.get(info.id), self.boards.get(info.board)
            if session is not None:
                out.append(session.table_json())
            elif board is not None:
                seats = messages.seats_json(seat_infos, [is_present(each, now) for each in seat_infos])
                ended = more["touched"] if more["status"] == "over" else None
                out.append(
                    messages.table_json(
                        board, info, seats, more["status"], more["version"], more["turn"], more["winners"], ended
                    )
                )
        return out

    # --- other processes

    def _on_change(self, table: str, revision: int) -> None:
        session = self.tables.get(table)
        if session is not None and revision > session.revision and not self.tasks.is_closing:
            self.tasks.spawn(session.refresh_locked())

    async def _poll_changes(self) -> None:
        """Look for changes by other processes. On PostgreSQL this only makes up for lost notifications."""
        counter: tuple[int, int] | None = None
        while await self.tasks.sleep(self.settings.poll if self.store.is_sqlite else 2.0):
            try:
                if not self.store.is_sqlite and not self.store.is_listening:
                    await self.store.listen(self._on_change)
                latest = await self.store.change_counter() if self.store.is_sqlite else None
                if self.tables and (latest is None or latest != counter):
                    revisions = await self.store.revisions(list(self.tables))
                    for session in list(self.tables.values()):
                        if revisions.get(session.id, 0) > session.revision:
                            await session.refresh_locked()
                counter = latest
            except Exception as fault:
                log.warning("database not responding", extra={"fault": f"{type(fault).__name__}: {fault}"})
                await self.tasks.sleep(1.0)

    # --- who is connected

    def connect(self, session: TableSession, subscriber: Subscriber) -> None:
        """Add a connection, which gets news from now on."""
        session.subscribers.add(subscriber)
        self._update_presence(session, subscriber)

    def disconnect(self, session: TableSession, subscriber: Subscriber) -> None:
        """Remove a connection that is closed."""
        session.subscribers.discard(subscriber)
        session.last_used = self.now()
        self._update_presence(session, subscriber)

    def _update_presence(self, session: TableSession, subscriber: Subscriber) -> None:
        now = self.now()
        here = {seat for other in session.subscribers for seat in other.caller.seats}
        for seat in subscriber.caller.seats:
            until = now + HEARTBEAT_LASTS if seat in here else now
            session.match.seats[seat].here_until = until
            self._presence_changes[session.id, seat] = until
        if session.present() != session.announced_presence or not subscriber.caller.seats:
            session.announced_presence = session.present()
            session.wake_subscribers()

    async def _share_presence(self) -> None:
        """Store who is connected, for other processes, and send news when someone there has dropped out."""
        last_heartbeat = 0.0
        while await self.tasks.sleep(PRESENCE_INTERVAL):
            now = self.now()
            changes, self._presence_changes = self._presence_changes, {}
            for session in self.tables.values():
                if session.subscribers and session.present() != session.announced_presence:
                    session.announced_presence = session.present()
                    session.wake_subscribers()
            try:
                if changes:
                    for table, revision in (await self.store.set_presence(changes, now, notify=True)).items():
                        if table in self.tables:
                            self.tables[table].note_revision(revision)
                if now - last_heartbeat >= HEARTBEAT_INTERVAL:
                    since, last_heartbeat = last_heartbeat, now
                    await self.store.set_presence(self._connected(since, now + HEARTBEAT_LASTS), now, notify=False)
                    await self._read_presence()
            except Exception as fault:
                log.warning("could not store who is connected", extra={"fault": f"{type(fault).__name__}: {fault}"})

    async def _read_presence(self) -> None:
        """Read who is still connected to other processes. A heartbeat does not increment revisions."""
        followed = [table for table, session in self.tables.items() if session.subscribers]
        for (table, seat), until in (await self.store.presence(followed)).items():
            if table in self.tables and (table, seat) not in self._presence_changes:
                self.tables[table].match.seats[seat].here_until = until

    def _connected(self, since: float, until: float) -> dict[tuple[str, int], float]:
        """Return the seats whose people are connected to this process, or sent a request since a time.

        The values are the times until which they count as connected.
        """
        connected: dict[tuple[str, int], float] = {}
        for session in self.tables.values():
            connected |= {(session.id, seat): at for seat, at in session.last_request.items() if at >= since}
            for subscriber in session.subscribers:
                for seat in subscriber.caller.seats:
                    session.match.seats[seat].here_until = until
                    connected[session.id, seat] = until
        return connected
