"""The hall: the tables in use, who watches them, what bots and clocks do there."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from northrail.board import Board
from northrail.board_file import BUILT_IN, load_board
from northrail.errors import BadBoard, NorthrailError
from northrail.game import Game
from northrail.server import telling
from northrail.server.bots import Bots
from northrail.server.keys import hash_of
from northrail.server.live import Holder, Live, Refused, Watcher, is_present
from northrail.server.printed import USUAL_LEVEL, board_bytes
from northrail.server.settings import Settings
from northrail.server.store import Keys, Stale, Store
from northrail.server.table import Command, Json, Sitting, Table, all_payments, refusal

log = logging.getLogger("northrail.hall")

SEEN_EVERY = 20.0  # seconds between notes of who is connected, for other processes
SEEN_FOR = 45.0  # seconds such a note is believed
TELL_EVERY = 1.0  # seconds in which comings and goings are gathered
IDLE_AFTER = 600.0  # seconds after which a table nobody watches is put away
TRY_AGAIN = 2.0  # seconds after something failed
ASK_AGAIN = 5.0  # seconds after which a bot asks again whether it may think
MOST_PAYMENTS = 300


def _overtaken(table: Table) -> Refused:
    """Why a change comes too late, at a table as it is now."""
    return Refused(409, "the table is closed" if table.status == "closed" else "somebody else was first")


def _was_played(table: Table, seat: int, choice: Json, key: str) -> bool:
    """Whether a seat's move was played already. A sealed one is kept without its key, but no ticket is kept twice."""
    mine = [step.command for step in table.steps if step.command.seat == seat]
    return any(each.key == key or (choice["kind"] == "keep" and each.choice == choice) for each in mine)


class Hall:
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
        self.tables: dict[str, Live] = {}
        self.sockets = 0
        self.sockets_of: Counter[str] = Counter()
        self._loading: dict[str, asyncio.Future[Live]] = {}
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
        for live in self.tables.values():
            live.stop_timers()
            if live.bot is not None:
                live.bot.cancel()
            for watcher in live.watchers:
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
        for live in self.tables.values():
            self._stir(live)

    # --- finding a table

    def board(self, name: str) -> Board:
        """A board by its id."""
        if name not in self.boards:
            raise Refused(404, f"expected a board, one of {', '.join(self.boards)}, got {name!r}")
        return self.boards[name]

    async def live(self, table: str) -> Live:
        """A table, from memory or from the store."""
        live = self.tables.get(table)
        if live is None:
            if table not in self._loading:
                self._loading[table] = asyncio.ensure_future(self._load(table))
                self._loading[table].add_done_callback(lambda _: self._loading.pop(table))
            live = await asyncio.shield(self._loading[table])  # whoever asked first may hang up while others wait
        live.used = self.now()
        return live

    async def _load(self, table: str) -> Live:
        found = await self.store.find(table)
        if found is None:
            raise Refused(404, "there is no such table")
        if len(self.tables) >= self.settings.limits.loaded and not self._forget_oldest():
            raise Refused(503, "too many tables are in use; try again in a minute", retry=60)
        facts, seats, stamp = found
        board = self.boards.get(facts.board)
        if board is None or board.digest != facts.digest:
            raise Refused(409, f"the table was set up on a version of {facts.board} that this server does not have")
        live = Live(Table(board, facts, seats), stamp, used=self.now())
        await self._catch_up(live)
        if live.table.deadline is not None and live.table.deadline < self.now():
            live.table.turn_began = self.now()  # nobody could move while the server was down
        self.tables[table] = live
        async with live.lock:
            await self.begin(live)  # if nobody else does: the process that set it up may have died
            self._stir(live)
        return live

    def _forget_oldest(self) -> bool:
        """Put the table away that was not used for the longest time, if there is an idle one."""
        idle = [live for live in self.tables.values() if not live.watchers and live.bot is None]
        if not idle:
            return False
        self._forget(min(idle, key=lambda live: live.used))
        return True

    def _forget(self, live: Live) -> None:
        live.stop_timers()
        self.tables.pop(live.table.facts.id, None)

    async def holder(self, live: Live, keys: Iterable[str]) -> Holder:
        """Whoever brings these keys."""
        return await self._held(live, frozenset(hash_of(key) for key in keys))

    async def _held(self, live: Live, hashes: frozenset[str]) -> Holder:
        known = live.keys
        new = hashes - known.keys()
        if new:
            known |= await self.store.held(live.table.facts.id, new, self.now())
        if known is not live.keys:
            return await self._held(live, hashes)
        return Holder.of(known, hashes)

    async def _hold_again(self, live: Live) -> None:
        """Ask the store what everybody holds, before a game begins: another process may have given a seat away."""
        hashes = {each for watcher in live.watchers for each in watcher.holder.hashes}
        live.hold(await self.store.held(live.table.facts.id, hashes, self.now()))

    # --- hearing of other processes

    def _heard(self, table: str, stamp: int) -> None:
        live = self.tables.get(table)
        if live is not None and stamp > live.stamp and not self._ends.is_set():
            self._spawn(self._renew(live))

    async def _notice_others(self) -> None:
        """Look for what other processes did; on PostgreSQL only in case a message was lost."""
        looked: tuple[int, int] | None = None
        while await self._goes_on_after(self.settings.poll if self.store.is_sqlite else 2.0):
            try:
                if not self.store.is_sqlite and not self.store.is_listening:
                    await self.store.listen(self._heard)
                others = await self.store.others() if self.store.is_sqlite else None
                if self.tables and (others is None or others != looked):
                    stamps = await self.store.stamps(list(self.tables))
                    for live in list(self.tables.values()):
                        if stamps.get(live.table.facts.id, 0) > live.stamp:
                            await self._renew(live)
                looked = others
            except Exception as fault:
                log.warning("the database does not answer", extra={"fault": f"{type(fault).__name__}: {fault}"})
                await self._goes_on_after(1.0)

    async def _renew(self, live: Live) -> None:
        async with live.lock:
            await self.refresh(live)

    async def refresh(self, live: Live) -> None:
        """Bring a table up to date with the store."""
        found = await self.store.find(live.table.facts.id)
        if found is None:
            return
        if live.table.game is None:
            await self._hold_again(live)
        live.table.facts, live.table.seats, live.stamp = found
        await self._catch_up(live)
        self.changed(live)

    async def _catch_up(self, live: Live) -> None:
        table, facts = live.table, live.table.facts
        if table.game is None and facts.began is not None:
            table.begin()
        if table.game is not None:
            for command in await self.store.commands(facts.id, table.version):
                table.add(command)
        table.sealed = await self.store.sealed(facts.id) if table.first_tickets else {}
        live.chat += await self.store.chat(facts.id, len(live.chat))

    def _stamped(self, live: Live, stamp: int) -> None:
        """Note a change of our own; if others changed the table meanwhile, look what they did."""
        if stamp == live.stamp + 1:
            live.stamp = stamp
        elif stamp > live.stamp:
            self._spawn(self._renew(live))

    # --- what a change leads to

    def changed(self, live: Live, stamp: int | None = None) -> None:
        """Tell everybody at the table, and see what comes next; ``stamp`` is that of a change of our own."""
        if stamp is not None:
            self._stamped(live, stamp)
        self._tell(live)
        self._stir(live)

    def _tell(self, live: Live) -> None:
        live.told.clear()
        for watcher in live.watchers:
            watcher.wake.set()

    def _stir(self, live: Live) -> None:
        """Let a bot, a clock or a sealed choice move, whichever is next."""
        if self._ends.is_set():
            return
        live.stop_timers()
        table = live.table
        wanted = (table.version, level) if (level := table.bot) is not None else None
        if live.bot is not None and (live.bot.done() or live.bot_for != wanted):
            live.bot.cancel()
            live.bot = None
        if table.turn is not None and table.turn in table.sealed and table.first_tickets:
            self._spawn(self._play_sealed(live, table.version))
        elif wanted is not None and live.bot is None:
            if self.bots.thinking < self.settings.limits.thinking:
                live.bot_for = wanted
                live.bot = self._spawn(self._play_bot(live, *wanted))
            else:
                live.queue = asyncio.get_running_loop().call_later(ASK_AGAIN, self._stir, live)
        if table.deadline is not None:
            left = max(0.0, table.deadline - self.now())
            live.clock = asyncio.get_running_loop().call_later(
                left, lambda: self._spawn(self._time_is_up(live, table.version))
            )

    async def _play_sealed(self, live: Live, version: int) -> None:
        async with live.lock:
            table = live.table
            if table.version == version and table.turn in table.sealed:
                assert table.turn is not None
                choice = {"kind": "keep", "tickets": table.sealed[table.turn]}
                with suppress(Refused):
                    await self._command(live, table.turn, choice, "person")

    async def _play_bot(self, live: Live, version: int, level: str) -> None:
        table = live.table
        assert table.game is not None
        choice = await self.bots.choose(table.game, level, table.facts.secret, version, table.facts.faster)
        async with live.lock:
            live.bot = None
            if table.version == version and table.bot is not None and table.turn is not None:
                with suppress(Refused):  # another process was faster
                    await self._command(live, table.turn, choice, "bot")

    async def _time_is_up(self, live: Live, version: int) -> None:
        async with live.lock:
            table = live.table
            if table.version == version and table.deadline is not None and table.turn is not None:
                sitting = replace(table.seats[table.turn], stand_in=USUAL_LEVEL)
                with suppress(Refused):
                    await self.change_seat(live, sitting, "person")

    # --- commands

    async def command(
        self, live: Live, holder: Holder, seat: int, version: int, choice: Json, key: str | None = None
    ) -> None:
        """Play a whole choice of a seat; it is in the store when this returns."""
        holder.must_hold(seat)
        async with live.lock:
            table = live.table
            if version > table.version:
                await self.refresh(live)
                (await self._held(live, holder.hashes)).must_hold(seat)
            if key is not None and _was_played(table, seat, choice, key):
                return
            self._must_play_itself(table, seat)
            if choice["kind"] == "keep" and table.first_tickets and version <= table.version:
                if table.sealed.get(seat) == choice["tickets"]:
                    return  # said twice
                if (table.chosen or [])[seat]:
                    raise Refused(409, "your first tickets are chosen already")
                if seat != table.turn:
                    await self._seal(live, seat, choice["tickets"])
                    return
            elif version != table.version:
                raise Refused(409, f"the table is at version {table.version}, got a move for version {version}")
            await self._command(live, seat, choice, "person", key)

    def _must_play_itself(self, table: Table, seat: int) -> None:
        if seat < len(table.seats) and table.status == "running" and table.seats[seat].stand_in is not None:
            if table.seats[seat].resigned:
                raise Refused(403, "this seat has resigned")
            raise Refused(409, "a bot plays for this seat; take the seat back first")

    async def _command(self, live: Live, seat: int, choice: Json, by: str, key: str | None = None) -> None:
        table = live.table
        tried = self._legal(table, lambda: table.trial(seat, choice))
        after: Game = tried[0]
        command = Command(table.version + 1, seat, by, self.now(), choice, key)
        over = after.over
        try:
            stamp = await self.store.add_command(
                table.facts.id,
                command,
                seat in table.sealed,
                "over" if over else "running",
                None if over else after.seat,
                after.winners() if over else None,
            )
        except Stale as fault:
            await self.refresh(live)
            raise _overtaken(table) from fault
        table.add(command, tried)
        self.changed(live, stamp)

    async def _seal(self, live: Live, seat: int, tickets: list[int]) -> None:
        table = live.table
        self._legal(table, lambda: table.sealing(seat, tickets))
        try:
            stamp = await self.store.seal(table.facts.id, seat, tickets, self.now())
        except Stale as fault:
            await self.refresh(live)
            raise Refused(409, "your first tickets are chosen already") from fault
        table.sealed[seat] = tickets
        self.changed(live, stamp)

    def _legal(self, table: Table, attempt: Callable[[], Any]) -> Any:
        try:
            return attempt()
        except NorthrailError as fault:
            raise Refused(422, refusal(fault, table.names)) from fault

    async def payments(self, live: Live, seat: int, route: int) -> Json:
        """The payments for a route, the usual ones first."""
        table = live.table
        version = table.version
        options = table.view(seat).options if table.status == "running" else None
        usual = (options or {"claim": {}})["claim"].get(str(route))
        if usual is None:
            raise Refused(422, "this route cannot be claimed now")
        first = telling.by_cards(usual["payments"])
        found, complete = await asyncio.to_thread(all_payments, table.view(seat), route, MOST_PAYMENTS)
        rest = [cards for cards in found if cards not in first]
        return {"route": route, "version": version, "payments": [*first, *rest], "complete": complete}

    # --- other changes; whoever calls has the table's lock

    async def begin(self, live: Live) -> None:
        """Begin the game if no seat is open."""
        table, facts = live.table, live.table.facts
        if table.game is not None or facts.closed or any(sitting.who == "open" for sitting in table.seats):
            return
        dealt = Table(table.board, replace(facts, began=self.now()), table.seats)
        assert dealt.turn is not None
        try:
            stamp = await self.store.begin(facts.id, dealt.turn, self.now())
        except Stale:
            await self.refresh(live)
            return
        await self._hold_again(live)
        table.facts = dealt.facts
        table.begin()
        self.changed(live, stamp)

    async def change_seat(
        self, live: Live, sitting: Sitting, was: str, keys: Keys | None = None, given_away: bool = False
    ) -> None:
        """Change who has a seat; refuses if it is no longer one's that ``was``. Keys of one given away open nothing."""
        try:
            stamp = await self.store.change_seat(live.table.facts.id, sitting, was, self.now(), keys, given_away)
        except Stale as fault:
            await self.refresh(live)
            raise _overtaken(live.table) from fault
        live.table.seats[sitting.seat] = sitting
        if given_away:
            live.hold({hash_: seat for hash_, seat in live.keys.items() if seat != sitting.seat})
        self.changed(live, stamp)

    async def change_table(self, live: Live, **changes: Any) -> None:
        """Change the table's facts."""
        try:
            stamp = await self.store.change_table(live.table.facts.id, self.now(), **changes)
        except Stale as fault:
            raise Refused(409, "the table is closed") from fault
        live.table.facts = replace(live.table.facts, **changes)
        self.changed(live, stamp)

    async def close_table(self, live: Live) -> None:
        """Close the table before its game is over."""
        try:
            stamp = await self.store.shut(live.table.facts.id, self.now())
        except Stale:
            await self.refresh(live)
            return
        live.table.facts = replace(live.table.facts, closed=True)
        self.changed(live, stamp)

    async def say(self, live: Live, seat: int, text: str) -> None:
        """Keep something said."""
        table = live.table
        try:
            stamp = await self.store.say(table.facts.id, seat, table.names[seat], text, self.now())
        except Stale as fault:
            raise Refused(409, "the table is closed") from fault
        live.chat += await self.store.chat(table.facts.id, len(live.chat))
        self.changed(live, stamp)

    # --- telling

    def table_json(self, live: Live) -> Json:
        """A table, as everybody may know it."""
        table = live.table
        present = live.present(self.now())
        seats = [telling.seat_json(sitting, present[sitting.seat]) for sitting in table.seats]
        return telling.table_json(
            table.board, table.facts, seats, table.status, table.version, table.turn, table.winners, table.ended
        )

    async def summaries(self, ids: list[str]) -> list[Json]:
        """Tables for a list; unknown ones are left out."""
        now = self.now()
        out = []
        for facts, sittings, more in await self.store.find_many(ids):
            live, board = self.tables.get(facts.id), self.boards.get(facts.board)
            if live is not None:
                out.append(self.table_json(live))
            elif board is not None:
                seats = [telling.seat_json(each, is_present(each, now)) for each in sittings]
                ended = more["touched"] if more["status"] == "over" else None
                out.append(
                    telling.table_json(
                        board, facts, seats, more["status"], more["version"], more["turn"], more["winners"], ended
                    )
                )
        return out

    def news(self, live: Live, holder: Holder, seat: int | None, since: int, chat: int) -> Json:
        """The whole of a table as a seat may know it, and what happened since."""
        table, now = live.table, self.now()
        told = live.told
        if "table" not in told:
            told["table"] = self.table_json(live)
            told["final"] = telling.final_json(table)
        if ("view", seat) not in told:
            told["view", seat] = None if table.game is None else telling.view_json(table, seat)
        since, chat = min(since, table.version), min(chat, len(live.chat))
        steps = told.get(("steps", seat, since))
        if steps is None:
            steps = telling.steps_json(table, table.steps[since:], seat)
            if table.version - since <= 1:  # as everybody asks who listens; others may ask anything
                told["steps", seat, since] = steps
        clock = None
        if table.deadline is not None:
            left = round(max(0.0, table.deadline - now), 1)
            clock = {"seat": table.turn, "until": table.deadline, "left": left}
        return {
            "table": told["table"],
            "you": seat,
            "yours": sorted(holder.seats),
            "host": holder.host,
            "watchers": sum(not watcher.holder.seats for watcher in live.watchers),
            "version": table.version,
            "since": since,
            "steps": steps,
            "view": told["view", seat],
            "sealed": table.sealed.get(seat) if seat is not None else None,
            "clock": clock,
            "chat": live.chat[chat:],
            "chat_since": chat,
            "final": told["final"],
            "now": round(now, 3),
        }

    def eyes(self, live: Live, holder: Holder, wish: int | None, watch: bool) -> int | None:
        """With whose eyes to look: as wished; else of one's seats the one that is asked, or the first."""
        if watch or (wish is None and not holder.seats):
            return None
        if wish is not None:
            holder.must_hold(wish)
            return wish
        return live.table.turn if live.table.turn in holder.seats else min(holder.seats)

    # --- connections

    def connect(self, live: Live, watcher: Watcher) -> None:
        """A connection begins to be told news."""
        live.watchers.add(watcher)
        self._came_or_went(live, watcher)

    def disconnect(self, live: Live, watcher: Watcher) -> None:
        """A connection is gone."""
        live.watchers.discard(watcher)
        live.used = self.now()
        self._came_or_went(live, watcher)

    def _came_or_went(self, live: Live, watcher: Watcher) -> None:
        now = self.now()
        here = {seat for other in live.watchers for seat in other.holder.seats}
        for seat in watcher.holder.seats:
            until = now + SEEN_FOR if seat in here else now
            live.table.seats[seat].here_until = until
            self._comings[live.table.facts.id, seat] = until
        if live.present(now) != live.told_present or not watcher.holder.seats:
            live.told_present = live.present(now)
            self._tell(live)

    async def _note_presence(self) -> None:
        """Note comings and goings, for other processes; and tell when somebody is gone who said nothing."""
        noted = 0.0
        while await self._goes_on_after(TELL_EVERY):
            now = self.now()
            comings, self._comings = self._comings, {}
            for live in self.tables.values():
                if live.watchers and live.present(now) != live.told_present:
                    live.told_present = live.present(now)
                    self._tell(live)
            try:
                if comings:
                    for table, stamp in (await self.store.see(comings, now, tell=True)).items():
                        if table in self.tables:
                            self._stamped(self.tables[table], stamp)
                if now - noted >= SEEN_EVERY:
                    since, noted = noted, now
                    await self.store.see(self._here(since, now + SEEN_FOR), now, tell=False)
                    await self._look_who_is_elsewhere()
            except Exception as fault:
                log.warning("presence was not noted", extra={"fault": f"{type(fault).__name__}: {fault}"})

    async def _look_who_is_elsewhere(self) -> None:
        """Hear of who is still connected to other processes, which is no change that they would tell."""
        watched = [table for table, live in self.tables.items() if live.watchers]
        for (table, seat), until in (await self.store.seen(watched)).items():
            if table in self.tables and (table, seat) not in self._comings:
                self.tables[table].table.seats[seat].here_until = until

    def _here(self, since: float, until: float) -> dict[tuple[str, int], float]:
        """The seats whose persons are connected here until then, or asked something since."""
        here: dict[tuple[str, int], float] = {}
        for live in self.tables.values():
            here |= {(live.table.facts.id, seat): at for seat, at in live.asked.items() if at >= since}
            for watcher in live.watchers:
                for seat in watcher.holder.seats:
                    live.table.seats[seat].here_until = until
                    here[live.table.facts.id, seat] = until
        return here

    async def _put_away(self) -> None:
        """Forget tables nobody uses; they are in the store."""
        while await self._goes_on_after(30.0):
            now = self.now()
            for live in list(self.tables.values()):
                works = live.bot or live.clock or live.queue
                if not live.watchers and works is None and now - live.used > IDLE_AFTER:
                    self._forget(live)
