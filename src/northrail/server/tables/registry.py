"""The tables in use, who watches them, what bots and clocks do there."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from northrail.boards.board import Board
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import Game
from northrail.errors import BadBoard, NorthrailError
from northrail.server.match import Command, Json, Match, Sitting, all_payments, refusal
from northrail.server.settings import Settings
from northrail.server.store.database import Keys, Stale, Store
from northrail.server.tables.bots import Bots
from northrail.server.tables.keys import hash_of
from northrail.server.tables.session import Caller, Refused, TableSession, Watcher, is_present
from northrail.server.wire import messages
from northrail.server.wire.catalogue import USUAL_LEVEL, board_bytes

log = logging.getLogger("northrail.tables")

SEEN_EVERY = 20.0  # seconds between notes of who is connected, for other processes
SEEN_FOR = 45.0  # seconds such a note is believed
TELL_EVERY = 1.0  # seconds in which comings and goings are gathered
IDLE_AFTER = 600.0  # seconds after which a table nobody watches is put away
TRY_AGAIN = 2.0  # seconds after something failed
ASK_AGAIN = 5.0  # seconds after which a bot asks again whether it may think
MOST_PAYMENTS = 300


def _overtaken(table: Match) -> Refused:
    """Why a change comes too late, at a table as it is now."""
    return Refused(409, "the table is closed" if table.status == "closed" else "somebody else was first")


def _was_played(table: Match, seat: int, choice: Json, key: str) -> bool:
    """Whether a seat's move was played already. A sealed one is kept without its key, but no ticket is kept twice."""
    mine = [step.command for step in table.steps if step.command.seat == seat]
    return any(each.key == key or (choice["kind"] == "keep" and each.choice == choice) for each in mine)


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
        self._loading: dict[str, asyncio.Future[TableSession]] = {}
        self._comings: dict[tuple[str, int], float] = {}  # (table, seat) -> connected until then
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ends = asyncio.Event()

    # --- opening and closing

    async def open(self) -> None:
        """Open the store and begin to listen, unless that is done; raises BadStore if it cannot be used."""
        if self._tasks:
            return
        try:
            await self.store.open()
            if not self.store.is_sqlite:
                await self.store.listen(self._heard)
        except BaseException:
            await self.store.close()
            raise
        for work in (self._draw_boards(), self._notice_others(), self._note_presence(), self._put_away()):
            self._spawn(work)

    async def _draw_boards(self) -> None:
        """Lay the boards out before somebody asks; it takes a second."""
        for board in self.boards.values():
            await asyncio.to_thread(board_bytes, board)

    async def close(self) -> None:
        """Tell everybody that the server ends, and let go of everything; all moves are in the store already."""
        self._ends.set()
        for session in self.tables.values():
            session.stop_timers()
            if session.bot is not None:
                session.bot.cancel()
            for watcher in session.watchers:
                self.dismiss(watcher, 1012, "the server is restarting")
        while self._tasks:  # what is under way is in the store when it ends
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self.bots.close()
        await self.store.close()

    def dismiss(self, watcher: Watcher, code: int, why: str) -> None:
        """Ask a connection to end."""
        watcher.code, watcher.ends = code, why
        watcher.wake.set()

    async def _goes_on_after(self, seconds: float) -> bool:
        """Wait; gives whether the server still runs."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ends.wait(), seconds)
        return not self._ends.is_set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task failed", exc_info=task.exception())
            # The database may be back in a moment, and then bots and clocks go on.
            asyncio.get_running_loop().call_later(TRY_AGAIN, self._stir_all)

    def _stir_all(self) -> None:
        for session in self.tables.values():
            self._stir(session)

    # --- finding a table

    def board(self, name: str) -> Board:
        """A board by its id."""
        if name not in self.boards:
            raise Refused(404, f"expected a board, one of {', '.join(self.boards)}, got {name!r}")
        return self.boards[name]

    async def session(self, table: str) -> TableSession:
        """A table, from memory or from the store."""
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
            raise Refused(404, "there is no such table")
        if len(self.tables) >= self.settings.limits.loaded and not self._forget_oldest():
            raise Refused(503, "too many tables are in use; try again in a minute", retry=60)
        facts, seats, revision = found
        board = self.boards.get(facts.board)
        if board is None or board.digest != facts.digest:
            raise Refused(409, f"the table was set up on a version of {facts.board} that this server does not have")
        session = TableSession(Match(board, facts, seats), revision, used=self.now())
        await self._catch_up(session)
        if session.match.deadline is not None and session.match.deadline < self.now():
            session.match.turn_began = self.now()  # nobody could move while the server was down
        self.tables[table] = session
        async with session.lock:
            await self.begin(session)  # if nobody else does: the process that set it up may have died
            self._stir(session)
        return session

    def _forget_oldest(self) -> bool:
        """Put the table away that was not used for the longest time, if there is an idle one."""
        idle = [session for session in self.tables.values() if not session.watchers and session.bot is None]
        if not idle:
            return False
        self._forget(min(idle, key=lambda session: session.used))
        return True

    def _forget(self, session: TableSession) -> None:
        session.stop_timers()
        self.tables.pop(session.match.facts.id, None)

    async def caller(self, session: TableSession, keys: Iterable[str]) -> Caller:
        """Whoever brings these keys."""
        return await self._held(session, frozenset(hash_of(key) for key in keys))

    async def _held(self, session: TableSession, hashes: frozenset[str]) -> Caller:
        known = session.keys
        new = hashes - known.keys()
        if new:
            known |= await self.store.held(session.match.facts.id, new, self.now())
        if known is not session.keys:
            return await self._held(session, hashes)
        return Caller.of(known, hashes)

    async def _hold_again(self, session: TableSession) -> None:
        """Ask the store what everybody holds, before a game begins: another process may have given a seat away."""
        hashes = {each for watcher in session.watchers for each in watcher.caller.hashes}
        session.hold(await self.store.held(session.match.facts.id, hashes, self.now()))

    # --- hearing of other processes

    def _heard(self, table: str, revision: int) -> None:
        session = self.tables.get(table)
        if session is not None and revision > session.revision and not self._ends.is_set():
            self._spawn(self._renew(session))

    async def _notice_others(self) -> None:
        """Look for what other processes did; on PostgreSQL only in case a message was lost."""
        looked: tuple[int, int] | None = None
        while await self._goes_on_after(self.settings.poll if self.store.is_sqlite else 2.0):
            try:
                if not self.store.is_sqlite and not self.store.is_listening:
                    await self.store.listen(self._heard)
                others = await self.store.others() if self.store.is_sqlite else None
                if self.tables and (others is None or others != looked):
                    revisions = await self.store.revisions(list(self.tables))
                    for session in list(self.tables.values()):
                        if revisions.get(session.match.facts.id, 0) > session.revision:
                            await self._renew(session)
                looked = others
            except Exception as fault:
                log.warning("the database does not answer", extra={"fault": f"{type(fault).__name__}: {fault}"})
                await self._goes_on_after(1.0)

    async def _renew(self, session: TableSession) -> None:
        async with session.lock:
            await self.refresh(session)

    async def refresh(self, session: TableSession) -> None:
        """Bring a table up to date with the store."""
        found = await self.store.find(session.match.facts.id)
        if found is None:
            return
        if session.match.game is None:
            await self._hold_again(session)
        session.match.facts, session.match.seats, session.revision = found
        await self._catch_up(session)
        self.changed(session)

    async def _catch_up(self, session: TableSession) -> None:
        table, facts = session.match, session.match.facts
        if table.game is None and facts.began is not None:
            table.begin()
        if table.game is not None:
            for command in await self.store.commands(facts.id, table.version):
                table.add(command)
        table.sealed = await self.store.sealed(facts.id) if table.first_tickets else {}
        session.chat += await self.store.chat(facts.id, len(session.chat))

    def _note_revision(self, session: TableSession, revision: int) -> None:
        """Note a change of our own; if others changed the table meanwhile, look what they did."""
        if revision == session.revision + 1:
            session.revision = revision
        elif revision > session.revision:
            self._spawn(self._renew(session))

    # --- what a change leads to

    def changed(self, session: TableSession, revision: int | None = None) -> None:
        """Tell everybody at the table, and see what comes next; ``revision`` is that of a change of our own."""
        if revision is not None:
            self._note_revision(session, revision)
        self._tell(session)
        self._stir(session)

    def _tell(self, session: TableSession) -> None:
        session.told.clear()
        for watcher in session.watchers:
            watcher.wake.set()

    def _stir(self, session: TableSession) -> None:
        """Let a bot, a clock or a sealed choice move, whichever is next."""
        if self._ends.is_set():
            return
        session.stop_timers()
        table = session.match
        wanted = (table.version, level) if (level := table.bot) is not None else None
        if session.bot is not None and (session.bot.done() or session.bot_for != wanted):
            session.bot.cancel()
            session.bot = None
        if table.turn is not None and table.turn in table.sealed and table.first_tickets:
            self._spawn(self._play_sealed(session, table.version))
        elif wanted is not None and session.bot is None:
            if self.bots.thinking < self.settings.limits.thinking:
                session.bot_for = wanted
                session.bot = self._spawn(self._play_bot(session, *wanted))
            else:
                session.queue = asyncio.get_running_loop().call_later(ASK_AGAIN, self._stir, session)
        if table.deadline is not None:
            left = max(0.0, table.deadline - self.now())
            session.clock = asyncio.get_running_loop().call_later(
                left, lambda: self._spawn(self._time_is_up(session, table.version))
            )

    async def _play_sealed(self, session: TableSession, version: int) -> None:
        async with session.lock:
            table = session.match
            if table.version == version and table.turn in table.sealed:
                assert table.turn is not None
                choice = {"kind": "keep", "tickets": table.sealed[table.turn]}
                with suppress(Refused):
                    await self._command(session, table.turn, choice, "person")

    async def _play_bot(self, session: TableSession, version: int, level: str) -> None:
        table = session.match
        assert table.game is not None
        choice = await self.bots.choose(table.game, level, table.facts.secret, version, table.facts.faster)
        async with session.lock:
            session.bot = None
            if table.version == version and table.bot is not None and table.turn is not None:
                with suppress(Refused):  # another process was faster
                    await self._command(session, table.turn, choice, "bot")

    async def _time_is_up(self, session: TableSession, version: int) -> None:
        async with session.lock:
            table = session.match
            if table.version == version and table.deadline is not None and table.turn is not None:
                sitting = replace(table.seats[table.turn], stand_in=USUAL_LEVEL)
                with suppress(Refused):
                    await self.change_seat(session, sitting, "person")

    # --- commands

    async def command(
        self, session: TableSession, caller: Caller, seat: int, version: int, choice: Json, key: str | None = None
    ) -> None:
        """Play a whole choice of a seat; it is in the store when this returns."""
        caller.must_hold(seat)
        async with session.lock:
            table = session.match
            if version > table.version:
                await self.refresh(session)
                (await self._held(session, caller.hashes)).must_hold(seat)
            if key is not None and _was_played(table, seat, choice, key):
                return
            self._must_play_itself(table, seat)
            if choice["kind"] == "keep" and table.first_tickets and version <= table.version:
                if table.sealed.get(seat) == choice["tickets"]:
                    return  # said twice
                if (table.chosen or [])[seat]:
                    raise Refused(409, "your first tickets are chosen already")
                if seat != table.turn:
                    await self._seal(session, seat, choice["tickets"])
                    return
            elif version != table.version:
                raise Refused(409, f"the table is at version {table.version}, got a move for version {version}")
            await self._command(session, seat, choice, "person", key)

    def _must_play_itself(self, table: Match, seat: int) -> None:
        if seat < len(table.seats) and table.status == "running" and table.seats[seat].stand_in is not None:
            if table.seats[seat].resigned:
                raise Refused(403, "this seat has resigned")
            raise Refused(409, "a bot plays for this seat; take the seat back first")

    async def _command(self, session: TableSession, seat: int, choice: Json, by: str, key: str | None = None) -> None:
        table = session.match
        tried = self._legal(table, lambda: table.trial(seat, choice))
        after: Game = tried[0]
        command = Command(table.version + 1, seat, by, self.now(), choice, key)
        over = after.over
        try:
            revision = await self.store.add_command(
                table.facts.id,
                command,
                seat in table.sealed,
                "over" if over else "running",
                None if over else after.seat,
                after.winners() if over else None,
            )
        except Stale as fault:
            await self.refresh(session)
            raise _overtaken(table) from fault
        table.add(command, tried)
        self.changed(session, revision)

    async def _seal(self, session: TableSession, seat: int, tickets: list[int]) -> None:
        table = session.match
        self._legal(table, lambda: table.sealing(seat, tickets))
        try:
            revision = await self.store.seal(table.facts.id, seat, tickets, self.now())
        except Stale as fault:
            await self.refresh(session)
            raise Refused(409, "your first tickets are chosen already") from fault
        table.sealed[seat] = tickets
        self.changed(session, revision)

    def _legal(self, table: Match, attempt: Callable[[], Any]) -> Any:
        try:
            return attempt()
        except NorthrailError as fault:
            raise Refused(422, refusal(fault, table.names)) from fault

    async def payments(self, session: TableSession, seat: int, route: int) -> Json:
        """The payments for a route, the usual ones first."""
        table = session.match
        version = table.version
        options = table.view(seat).options if table.status == "running" else None
        usual = (options or {"claim": {}})["claim"].get(str(route))
        if usual is None:
            raise Refused(422, "this route cannot be claimed now")
        first = messages.by_cards(usual["payments"])
        found, complete = await asyncio.to_thread(all_payments, table.view(seat), route, MOST_PAYMENTS)
        rest = [cards for cards in found if cards not in first]
        return {"route": route, "version": version, "payments": [*first, *rest], "complete": complete}

    # --- other changes; whoever calls has the table's lock

    async def begin(self, session: TableSession) -> None:
        """Begin the game if no seat is open."""
        table, facts = session.match, session.match.facts
        if table.game is not None or facts.closed or any(sitting.who == "open" for sitting in table.seats):
            return
        dealt = Match(table.board, replace(facts, began=self.now()), table.seats)
        assert dealt.turn is not None
        try:
            revision = await self.store.begin(facts.id, dealt.turn, self.now())
        except Stale:
            await self.refresh(session)
            return
        await self._hold_again(session)
        table.facts = dealt.facts
        table.begin()
        self.changed(session, revision)

    async def change_seat(
        self, session: TableSession, sitting: Sitting, was: str, keys: Keys | None = None, given_away: bool = False
    ) -> None:
        """Change who has a seat; refuses if it is no longer one's that ``was``. Keys of one given away open nothing."""
        try:
            revision = await self.store.change_seat(session.match.facts.id, sitting, was, self.now(), keys, given_away)
        except Stale as fault:
            await self.refresh(session)
            raise _overtaken(session.match) from fault
        session.match.seats[sitting.seat] = sitting
        if given_away:
            session.hold({hash_: seat for hash_, seat in session.keys.items() if seat != sitting.seat})
        self.changed(session, revision)

    async def change_table(self, session: TableSession, **changes: Any) -> None:
        """Change the table's facts."""
        try:
            revision = await self.store.change_table(session.match.facts.id, self.now(), **changes)
        except Stale as fault:
            raise Refused(409, "the table is closed") from fault
        session.match.facts = replace(session.match.facts, **changes)
        self.changed(session, revision)

    async def close_table(self, session: TableSession) -> None:
        """Close the table before its game is over."""
        try:
            revision = await self.store.shut(session.match.facts.id, self.now())
        except Stale:
            await self.refresh(session)
            return
        session.match.facts = replace(session.match.facts, closed=True)
        self.changed(session, revision)

    async def say(self, session: TableSession, seat: int, text: str) -> None:
        """Keep something said."""
        table = session.match
        try:
            revision = await self.store.add_chat(table.facts.id, seat, table.names[seat], text, self.now())
        except Stale as fault:
            raise Refused(409, "the table is closed") from fault
        session.chat += await self.store.chat(table.facts.id, len(session.chat))
        self.changed(session, revision)

    # --- telling

    def table_json(self, session: TableSession) -> Json:
        """A table, as everybody may know it."""
        table = session.match
        present = session.present(self.now())
        seats = [messages.seat_json(sitting, present[sitting.seat]) for sitting in table.seats]
        return messages.table_json(
            table.board, table.facts, seats, table.status, table.version, table.turn, table.winners, table.ended
        )

    async def summaries(self, ids: list[str]) -> list[Json]:
        """Tables for a list; unknown ones are left out."""
        now = self.now()
        out = []
        for facts, sittings, more in await self.store.find_many(ids):
            session, board = self.tables.get(facts.id), self.boards.get(facts.board)
            if session is not None:
                out.append(self.table_json(session))
            elif board is not None:
                seats = [messages.seat_json(each, is_present(each, now)) for each in sittings]
                ended = more["touched"] if more["status"] == "over" else None
                out.append(
                    messages.table_json(
                        board, facts, seats, more["status"], more["version"], more["turn"], more["winners"], ended
                    )
                )
        return out

    def news(self, session: TableSession, caller: Caller, seat: int | None, since: int, chat: int) -> Json:
        """The whole of a table as a seat may know it, and what happened since."""
        table, now = session.match, self.now()
        told = session.told
        if "table" not in told:
            told["table"] = self.table_json(session)
            told["final"] = messages.final_json(table)
        if ("view", seat) not in told:
            told["view", seat] = None if table.game is None else messages.view_json(table, seat)
        since, chat = min(since, table.version), min(chat, len(session.chat))
        steps = told.get(("steps", seat, since))
        if steps is None:
            steps = messages.steps_json(table, table.steps[since:], seat)
            if table.version - since <= 1:  # as everybody asks who listens; others may ask anything
                told["steps", seat, since] = steps
        clock = None
        if table.deadline is not None:
            left = round(max(0.0, table.deadline - now), 1)
            clock = {"seat": table.turn, "until": table.deadline, "left": left}
        return {
            "table": told["table"],
            "you": seat,
            "yours": sorted(caller.seats),
            "host": caller.host,
            "watchers": sum(not watcher.caller.seats for watcher in session.watchers),
            "version": table.version,
            "since": since,
            "steps": steps,
            "view": told["view", seat],
            "sealed": table.sealed.get(seat) if seat is not None else None,
            "clock": clock,
            "chat": session.chat[chat:],
            "chat_since": chat,
            "final": told["final"],
            "now": round(now, 3),
        }

    def eyes(self, session: TableSession, caller: Caller, wish: int | None, watch: bool) -> int | None:
        """With whose eyes to look: as wished; else of one's seats the one that is asked, or the first."""
        if watch or (wish is None and not caller.seats):
            return None
        if wish is not None:
            caller.must_hold(wish)
            return wish
        return session.match.turn if session.match.turn in caller.seats else min(caller.seats)

    # --- connections

    def connect(self, session: TableSession, watcher: Watcher) -> None:
        """A connection begins to be told news."""
        session.watchers.add(watcher)
        self._came_or_went(session, watcher)

    def disconnect(self, session: TableSession, watcher: Watcher) -> None:
        """A connection is gone."""
        session.watchers.discard(watcher)
        session.used = self.now()
        self._came_or_went(session, watcher)

    def _came_or_went(self, session: TableSession, watcher: Watcher) -> None:
        now = self.now()
        here = {seat for other in session.watchers for seat in other.caller.seats}
        for seat in watcher.caller.seats:
            until = now + SEEN_FOR if seat in here else now
            session.match.seats[seat].here_until = until
            self._comings[session.match.facts.id, seat] = until
        if session.present(now) != session.told_present or not watcher.caller.seats:
            session.told_present = session.present(now)
            self._tell(session)

    async def _note_presence(self) -> None:
        """Note comings and goings, for other processes; and tell when somebody is gone who said nothing."""
        noted = 0.0
        while await self._goes_on_after(TELL_EVERY):
            now = self.now()
            comings, self._comings = self._comings, {}
            for session in self.tables.values():
                if session.watchers and session.present(now) != session.told_present:
                    session.told_present = session.present(now)
                    self._tell(session)
            try:
                if comings:
                    for table, revision in (await self.store.see(comings, now, notify=True)).items():
                        if table in self.tables:
                            self._note_revision(self.tables[table], revision)
                if now - noted >= SEEN_EVERY:
                    since, noted = noted, now
                    await self.store.see(self._here(since, now + SEEN_FOR), now, notify=False)
                    await self._look_who_is_elsewhere()
            except Exception as fault:
                log.warning("presence was not noted", extra={"fault": f"{type(fault).__name__}: {fault}"})

    async def _look_who_is_elsewhere(self) -> None:
        """Hear of who is still connected to other processes, which is no change that they would tell."""
        watched = [table for table, session in self.tables.items() if session.watchers]
        for (table, seat), until in (await self.store.seen(watched)).items():
            if table in self.tables and (table, seat) not in self._comings:
                self.tables[table].match.seats[seat].here_until = until

    def _here(self, since: float, until: float) -> dict[tuple[str, int], float]:
        """The seats whose persons are connected here until then, or asked something since."""
        here: dict[tuple[str, int], float] = {}
        for session in self.tables.values():
            here |= {(session.match.facts.id, seat): at for seat, at in session.asked.items() if at >= since}
            for watcher in session.watchers:
                for seat in watcher.caller.seats:
                    session.match.seats[seat].here_until = until
                    here[session.match.facts.id, seat] = until
        return here

    async def _put_away(self) -> None:
        """Forget tables nobody uses; they are in the store."""
        while await self._goes_on_after(30.0):
            now = self.now()
            for session in list(self.tables.values()):
                works = session.bot or session.clock or session.queue
                if not session.watchers and works is None and now - session.used > IDLE_AFTER:
                    self._forget(session)
