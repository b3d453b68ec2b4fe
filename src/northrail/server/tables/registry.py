"""The tables in memory: finding and loading them, what other processes did, who is connected, what is put away."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from northrail.boards.board import Board
from northrail.boards.load import BUILT_IN, load_board
from northrail.errors import BadBoard
from northrail.server.match import Json, Match
from northrail.server.settings import Settings
from northrail.server.store.database import Store
from northrail.server.tables.bots import Bots
from northrail.server.tables.session import Services, TableSession, Watcher, is_present
from northrail.server.tables.tasks import Tasks
from northrail.server.wire import messages
from northrail.server.wire.catalogue import board_bytes
from northrail.server.wire.refusals import Refused

log = logging.getLogger("northrail.tables")

SEEN_EVERY = 20.0  # seconds between notes of who is connected, for other processes
SEEN_FOR = 45.0  # seconds such a note is believed
TELL_EVERY = 1.0  # seconds in which arrivals and departures are collected
IDLE_AFTER = 600.0  # seconds after which a table nobody uses is put away


class TableRegistry:
    """The tables in use."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.now = now
        self.store = Store(settings.database)
        self.bots = Bots(settings.workers, settings.pace, settings.think_most)
        self.boards: dict[str, Board] = {}
        for name in (*BUILT_IN, *settings.boards):
            board = load_board(name)
            if self.boards.setdefault(board.id, board).digest != board.digest:
                raise BadBoard(f"{name}: expected an id that no other board has, got {board.id!r}; change it")
        self.tables: dict[str, TableSession] = {}
        self.sockets = 0
        self.sockets_of: Counter[str] = Counter()
        self.tasks = Tasks(self._schedule_all)
        self.services = Services(settings, self.store, self.bots, self.tasks, now)
        self._loading: dict[str, asyncio.Future[TableSession]] = {}
        self._arrivals: dict[tuple[str, int], float] = {}  # (table, seat) -> connected until then

    # --- opening and closing

    async def open(self) -> None:
        """Open the store and start to listen, unless that is done; raise BadStore if it cannot be used."""
        if self.tasks:
            return
        try:
            await self.store.open()
            if not self.store.is_sqlite:
                await self.store.listen(self._heard)
        except BaseException:
            await self.store.close()
            raise
        for work in (self._draw_boards(), self._follow_others(), self._note_presence(), self._put_away_idle()):
            self.tasks.spawn(work)

    async def _draw_boards(self) -> None:
        """Lay out the boards before someone asks; it takes a second."""
        for board in self.boards.values():
            await asyncio.to_thread(board_bytes, board)

    async def close(self) -> None:
        """Tell everyone that the server ends, and let go of everything; all moves are in the store already."""
        self.tasks.announce_closing()
        for session in self.tables.values():
            session.stop_timers()
            if session.bot is not None:
                session.bot.cancel()
            for watcher in session.watchers:
                watcher.dismiss(1012, "restarting")
        await self.tasks.finish()  # what is under way is in the store when it ends
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

    async def session(self, table: str) -> TableSession:
        """Return a table, from memory or from the store."""
        session = self.tables.get(table)
        if session is None:
            if table not in self._loading:
                self._loading[table] = asyncio.ensure_future(self._load(table))
                self._loading[table].add_done_callback(lambda _: self._loading.pop(table))
            session = await asyncio.shield(self._loading[table])  # whoever asked first may hang up while others wait
        session.used = self.now()
        return session

    async def _load(self, table: str) -> TableSession:
        found = await self.store.find(table)
        if found is None:
            raise Refused(404, "no_such_table")
        if len(self.tables) >= self.settings.limits.loaded and not self._put_away_oldest():
            raise Refused(503, "server_busy", retry=60)
        facts, seats, revision = found
        board = self.boards.get(facts.board)
        if board is None or board.digest != facts.digest:
            raise Refused(409, "board_changed", board=facts.board)
        session = TableSession(self.services, Match(board, facts, seats), revision)
        await session.catch_up()
        if session.match.deadline is not None and session.match.deadline < self.now():
            session.match.turn_began = self.now()  # nobody could move while the server was down
        self.tables[table] = session
        async with session.lock:
            await session.begin()  # if nobody else does: the process that set it up may have died
            session.schedule()
        return session

    def _put_away_oldest(self) -> bool:
        """Put away the idle table that was used least recently; return whether there was one."""
        idle = [session for session in self.tables.values() if not session.watchers and session.bot is None]
        if not idle:
            return False
        self._put_away(min(idle, key=lambda session: session.used))
        return True

    def _put_away(self, session: TableSession) -> None:
        session.stop_timers()
        self.tables.pop(session.id, None)

    async def _put_away_idle(self) -> None:
        """Forget tables nobody uses; they are in the store."""
        while await self.tasks.sleep(30.0):
            for session in list(self.tables.values()):
                if session.is_idle and self.now() - session.used > IDLE_AFTER:
                    self._put_away(session)

    async def summaries(self, ids: list[str]) -> list[Json]:
        """Return tables for a list; unknown ones are left out."""
        now = self.now()
        out = []
        for facts, sittings, more in await self.store.find_many(ids):
            session, board = self.tables.get(facts.id), self.boards.get(facts.board)
            if session is not None:
                out.append(session.table_json())
            elif board is not None:
                seats = [messages.seat_json(each, is_present(each, now)) for each in sittings]
                ended = more["touched"] if more["status"] == "over" else None
                out.append(
                    messages.table_json(
                        board, facts, seats, more["status"], more["version"], more["turn"], more["winners"], ended
                    )
                )
        return out

    # --- other processes

    def _heard(self, table: str, revision: int) -> None:
        session = self.tables.get(table)
        if session is not None and revision > session.revision and not self.tasks.is_closing:
            self.tasks.spawn(session.refresh_locked())

    async def _follow_others(self) -> None:
        """Look for what other processes did; on PostgreSQL only in case a message was lost."""
        looked: tuple[int, int] | None = None
        while await self.tasks.sleep(self.settings.poll if self.store.is_sqlite else 2.0):
            try:
                if not self.store.is_sqlite and not self.store.is_listening:
                    await self.store.listen(self._heard)
                others = await self.store.others() if self.store.is_sqlite else None
                if self.tables and (others is None or others != looked):
                    revisions = await self.store.revisions(list(self.tables))
                    for session in list(self.tables.values()):
                        if revisions.get(session.id, 0) > session.revision:
                            await session.refresh_locked()
                looked = others
            except Exception as fault:
                log.warning("the database does not answer", extra={"fault": f"{type(fault).__name__}: {fault}"})
                await self.tasks.sleep(1.0)

    # --- who is connected

    def connect(self, session: TableSession, watcher: Watcher) -> None:
        """Let a connection get news."""
        session.watchers.add(watcher)
        self._came_or_went(session, watcher)

    def disconnect(self, session: TableSession, watcher: Watcher) -> None:
        """Forget a connection that is gone."""
        session.watchers.discard(watcher)
        session.used = self.now()
        self._came_or_went(session, watcher)

    def _came_or_went(self, session: TableSession, watcher: Watcher) -> None:
        now = self.now()
        here = {seat for other in session.watchers for seat in other.caller.seats}
        for seat in watcher.caller.seats:
            until = now + SEEN_FOR if seat in here else now
            session.match.seats[seat].here_until = until
            self._arrivals[session.id, seat] = until
        if session.present() != session.told_present or not watcher.caller.seats:
            session.told_present = session.present()
            session.wake_watchers()

    async def _note_presence(self) -> None:
        """Note arrivals and departures for other processes; tell when someone is gone who sent no word."""
        noted = 0.0
        while await self.tasks.sleep(TELL_EVERY):
            now = self.now()
            arrivals, self._arrivals = self._arrivals, {}
            for session in self.tables.values():
                if session.watchers and session.present() != session.told_present:
                    session.told_present = session.present()
                    session.wake_watchers()
            try:
                if arrivals:
                    for table, revision in (await self.store.see(arrivals, now, notify=True)).items():
                        if table in self.tables:
                            self.tables[table].note_revision(revision)
                if now - noted >= SEEN_EVERY:
                    since, noted = noted, now
                    await self.store.see(self._here(since, now + SEEN_FOR), now, notify=False)
                    await self._read_presence()
            except Exception as fault:
                log.warning("presence was not noted", extra={"fault": f"{type(fault).__name__}: {fault}"})

    async def _read_presence(self) -> None:
        """Read who is still connected to other processes; that is no change they would announce."""
        watched = [table for table, session in self.tables.items() if session.watchers]
        for (table, seat), until in (await self.store.seen(watched)).items():
            if table in self.tables and (table, seat) not in self._arrivals:
                self.tables[table].match.seats[seat].here_until = until

    def _here(self, since: float, until: float) -> dict[tuple[str, int], float]:
        """The seats whose persons are connected here until then, or asked something since."""
        here: dict[tuple[str, int], float] = {}
        for session in self.tables.values():
            here |= {(session.id, seat): at for seat, at in session.asked.items() if at >= since}
            for watcher in session.watchers:
                for seat in watcher.caller.seats:
                    session.match.seats[seat].here_until = until
                    here[session.id, seat] = until
        return here
