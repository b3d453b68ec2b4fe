"""The hall: the tables in use, who watches them, what bots and clocks do there."""

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from northrail.board import Board
from northrail.board_file import BUILT_IN, load_board
from northrail.errors import NorthrailError
from northrail.game import Game
from northrail.players import PLAYERS
from northrail.server import telling
from northrail.server.bots import Bots
from northrail.server.keys import hash_of, new_id, new_key
from northrail.server.settings import Settings
from northrail.server.store import Stale, Store
from northrail.server.table import Command, Facts, Json, Sitting, Table, all_payments, named

log = logging.getLogger("northrail.hall")

SEEN_EVERY = 20.0  # seconds between notes of who is connected, for other processes
SEEN_FOR = 45.0  # seconds such a note is believed
TELL_EVERY = 1.0  # seconds in which comings and goings are gathered
IDLE_AFTER = 600.0  # seconds after which a table nobody watches is put away
LINK_LASTS = 86_400.0
MOST_PAYMENTS = 300
MOST_SEED = 2**62


class Refused(Exception):
    """What was asked cannot be: an HTTP status and a sentence."""

    def __init__(self, status: int, why: str, retry: float = 0.0) -> None:
        super().__init__(why)
        self.status, self.why, self.retry = status, why, retry


@dataclass(frozen=True)
class Holder:
    """Whoever asks: the seats whose keys they brought, and whether they are the table's host."""

    seats: frozenset[int] = frozenset()
    host: bool = False

    def must_hold(self, seat: int) -> None:
        """Raise unless the seat is theirs."""
        if seat not in self.seats:
            raise Refused(403, f"seat {seat + 1} is not yours")


@dataclass(eq=False)
class Watcher:
    """A connection that is told news: with whose eyes it looks, and what it has heard."""

    holder: Holder
    seat: int | None
    since: int
    chat: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    ends: str = ""  # why the connection is to be closed


@dataclass(eq=False)
class Live:
    """A table in memory."""

    table: Table
    stamp: int
    chat: list[Json] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    bot: asyncio.Task[None] | None = None
    bot_for: tuple[int, str] | None = None  # the version it moves at, and its level
    clock: asyncio.TimerHandle | None = None
    used: float = 0.0
    told: dict[Any, Json] = field(default_factory=dict)  # what news have in common, until something changes

    def present(self, now: float) -> list[bool]:
        """[seat] -> whether its person is connected, here or to another process."""
        here = {seat for watcher in self.watchers for seat in watcher.holder.seats}
        return [
            sitting.seat in here or (sitting.seen is not None and now - sitting.seen < SEEN_FOR)
            for sitting in self.table.seats
        ]


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
            self.boards[board.id] = board
        self.tables: dict[str, Live] = {}
        self.sockets = 0
        self.sockets_of: Counter[str] = Counter()
        self._loading: dict[str, asyncio.Lock] = {}
        self._comings: dict[tuple[str, int], float | None] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    # --- opening and closing

    async def open(self) -> None:
        """Open the store and begin to listen."""
        await self.store.open()
        if not self.store.is_sqlite:
            await self.store.listen(self._heard)
        for work in (self._notice_others(), self._note_presence(), self._put_away()):
            self._spawn(work)

    async def close(self) -> None:
        """Tell everybody that the server ends, and let go of everything; all moves are in the store already."""
        self._closing = True
        for live in self.tables.values():
            if live.clock is not None:
                live.clock.cancel()
            for watcher in live.watchers:
                self.dismiss(watcher, "the server is restarting")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.bots.close()
        await self.store.close()

    def dismiss(self, watcher: Watcher, why: str) -> None:
        """Ask a connection to end."""
        watcher.ends = why
        watcher.wake.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task failed", exc_info=task.exception())

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
            lock = self._loading.setdefault(table, asyncio.Lock())
            try:
                async with lock:
                    live = self.tables.get(table) or await self._load(table)
            finally:
                if not lock.locked():
                    self._loading.pop(table, None)
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
        if live.clock is not None:
            live.clock.cancel()
        self.tables.pop(live.table.facts.id, None)

    async def holder(self, live: Live, keys: Iterable[str]) -> Holder:
        """Whoever brings these keys."""
        hashes = [hash_of(key) for key in keys]
        if not hashes:
            return Holder()
        held = await self.store.held(live.table.facts.id, hashes, self.now())
        return Holder(frozenset(seat for seat in held if seat is not None), None in held)

    # --- hearing of other processes

    def _heard(self, table: str, stamp: int) -> None:
        live = self.tables.get(table)
        if live is not None and stamp > live.stamp and not self._closing:
            self._spawn(self._renew(live))

    async def _notice_others(self) -> None:
        """Look for what other processes did; on PostgreSQL only in case a message was lost."""
        while True:
            await asyncio.sleep(self.settings.poll if self.store.is_sqlite else 2.0)
            try:
                if not self.store.is_sqlite and not self.store.is_listening:
                    await self.store.listen(self._heard)
                if self.tables:
                    stamps = await self.store.stamps(list(self.tables))
                    for live in [each for each in self.tables.values()]:
                        if stamps.get(live.table.facts.id, 0) > live.stamp:
                            await self._renew(live)
            except Exception as fault:
                log.warning("the database does not answer", extra={"fault": f"{type(fault).__name__}: {fault}"})
                await asyncio.sleep(1.0)

    async def _renew(self, live: Live) -> None:
        async with live.lock:
            await self._refresh(live)

    async def _refresh(self, live: Live) -> None:
        """Bring a table up to date with the store."""
        found = await self.store.find(live.table.facts.id)
        if found is None:
            return
        live.table.facts, live.table.seats, live.stamp = found
        await self._catch_up(live)
        self._changed(live)

    async def _catch_up(self, live: Live) -> None:
        table, facts = live.table, live.table.facts
        if table.game is None and facts.began is not None:
            table.begin()
        for command in await self.store.commands(facts.id, table.version):
            table.add(command)
        table.sealed = await self.store.sealed(facts.id) if table.first_tickets else {}
        live.chat += await self.store.chat(facts.id, len(live.chat))

    def _stamped(self, live: Live, stamp: int) -> None:
        """Note a change of our own; if others changed the table meanwhile, look what they did."""
        if stamp == live.stamp + 1:
            live.stamp = stamp
        else:
            self._spawn(self._renew(live))

    # --- what a change leads to

    def _changed(self, live: Live) -> None:
        """Tell everybody at the table, and see what comes next."""
        live.told.clear()
        for watcher in live.watchers:
            watcher.wake.set()
        self._stir(live)

    def _stir(self, live: Live) -> None:
        """Let a bot, a clock or a sealed choice move, whichever is next."""
        if self._closing:
            return
        table = live.table
        wanted = (table.version, level) if (level := table.bot) is not None else None
        if live.bot is not None and live.bot_for != wanted:
            live.bot.cancel()
            live.bot = None
        if table.turn is not None and table.turn in table.sealed and table.first_tickets:
            self._spawn(self._play_sealed(live, table.version))
        elif wanted is not None and live.bot is None:
            if self.bots.thinking < self.settings.limits.thinking:
                live.bot_for = wanted
                live.bot = self._spawn(self._play_bot(live, *wanted))
            else:
                asyncio.get_running_loop().call_later(5.0, self._stir, live)
        if live.clock is not None:
            live.clock.cancel()
            live.clock = None
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
                sitting = replace(table.seats[table.turn], stand_in=telling.usual_level())
                await self._change_seat(live, sitting, "person")

    # --- commands

    async def command(
        self, live: Live, holder: Holder, seat: int, version: int, choice: Json, key: str | None = None
    ) -> None:
        """Play a whole choice of a seat; it is in the store when this returns."""
        holder.must_hold(seat)
        async with live.lock:
            table = live.table
            if version > table.version:
                await self._refresh(live)
            if key is not None and any(
                step.command.key == key and step.command.seat == seat for step in reversed(table.steps)
            ):
                return
            self._must_play_itself(table, seat)
            if choice["kind"] == "keep" and table.first_tickets and version <= table.version:
                chosen = table.chosen or []
                if chosen[seat]:
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
        after = self._legal(table, lambda: table.trial(seat, choice))
        command = Command(table.version + 1, seat, by, self.now(), choice, key)
        over = after.over
        try:
            stamp = await self.store.add_command(
                table.facts.id,
                command,
                "over" if over else "running",
                None if over else after.seat,
                after.winners() if over else None,
            )
        except Stale as fault:
            await self._refresh(live)
            raise Refused(409, f"somebody else was first: the table is at version {table.version}") from fault
        table.add(command)
        self._stamped(live, stamp)
        self._changed(live)

    async def _seal(self, live: Live, seat: int, tickets: list[int]) -> None:
        table = live.table
        self._legal(table, lambda: table.sealing(seat, tickets))
        try:
            stamp = await self.store.seal(table.facts.id, seat, tickets, self.now())
        except Stale as fault:
            await self._refresh(live)
            raise Refused(409, "your first tickets are chosen already") from fault
        table.sealed[seat] = tickets
        self._stamped(live, stamp)
        self._changed(live)

    def _legal(self, table: Table, attempt: Callable[[], Any]) -> Any:
        try:
            return attempt()
        except NorthrailError as fault:
            raise Refused(422, named(str(fault), table.names)) from fault

    def payment(self, live: Live, holder: Holder, seat: int, route: int, cards: dict[str, int]) -> Json:
        """Whether a seat could claim a route with these cards now."""
        holder.must_hold(seat)
        why = live.table.payment_fault(seat, route, cards)
        return {"pays": why is None, "why": why}

    async def payments(self, live: Live, holder: Holder, seat: int, route: int) -> Json:
        """The payments for a route, the usual ones first."""
        holder.must_hold(seat)
        table = live.table
        version = table.version
        options = table.view(seat).options if table.status == "running" else None
        usual = (options or {"claim": {}})["claim"].get(str(route))
        if usual is None:
            raise Refused(422, "this route cannot be claimed now")
        first = usual["payments"]
        found, complete = await asyncio.to_thread(all_payments, table.view(seat), route, MOST_PAYMENTS)
        rest = [cards for cards in found if cards not in first]
        return {"route": route, "version": version, "payments": [*first, *rest], "complete": complete}

    # --- setting up

    async def make(
        self, board: Board, sitters: list[Json], first: int | None, clock: int | None, faster: bool,
        start: Json | None = None,
    ) -> tuple[Live, dict[int, str], str]:  # fmt: skip
        """A new table; gives it, the keys of the seats here, and the host's key."""
        least, most = board.rules.seats
        if not least <= len(sitters) <= most:
            raise Refused(422, f"expected {least} to {most} seats on {board.name}, got {len(sitters)}")
        if first is not None and first >= len(sitters):
            raise Refused(422, f"first: expected a seat from 0 to {len(sitters) - 1}, got {first}")
        await self._must_have_room()
        facts = self._new_facts(board, first, clock, faster, start)
        seats = [self._sitting(seat, sitter) for seat, sitter in enumerate(sitters)]
        keys = {sitting.seat: new_key() for sitting in seats if sitting.who == "person"}
        host = new_key()
        await self.store.make(facts, seats, _hashed(keys, host))
        live = await self.live(facts.id)
        async with live.lock:
            await self._begin(live)
        return live, keys, host

    async def _must_have_room(self) -> None:
        limits = self.settings.limits
        if await self.store.count_unfinished() >= limits.tables:
            await self.store.sweep(self.now() - limits.waiting_days * 86_400)
            if await self.store.count_unfinished() >= limits.tables:
                raise Refused(503, "there are too many tables; try again later", retry=3600)

    def _new_facts(self, board: Board, first: int | None, clock: int | None, faster: bool, start: Json | None) -> Facts:
        return Facts(
            id=new_id(),
            board=board.id,
            digest=board.digest,
            seed=secrets.randbelow(MOST_SEED),
            secret=secrets.token_hex(16),
            first=first,
            start=start,
            clock=clock,
            faster=faster,
            made=self.now(),
        )

    def _sitting(self, seat: int, sitter: Json) -> Sitting:
        if sitter["who"] == "here":
            return Sitting(seat, "person", sitter["name"])
        if sitter["who"] == "open":
            return Sitting(seat, "open")
        level = self._level(sitter.get("level"))
        return Sitting(seat, "bot", f"{level.capitalize()} bot", level)

    def _level(self, level: str | None) -> str:
        if level is not None and level not in PLAYERS:
            raise Refused(422, f"expected a level, one of {', '.join(PLAYERS)}, got {level!r}")
        return level or telling.usual_level()

    async def _begin(self, live: Live) -> None:
        """Begin the game if no seat is open."""
        table = live.table
        if table.game is not None or any(sitting.who == "open" for sitting in table.seats):
            return
        facts = table.facts
        game = (
            Game.from_position(table.board, facts.start)
            if facts.start is not None
            else Game(table.board, len(table.seats), facts.seed, facts.first)
        )
        now = self.now()
        try:
            stamp = await self.store.begin(facts.id, game.seat, now)
        except Stale:
            await self._refresh(live)
            return
        facts.began = now
        table.begin()
        self._stamped(live, stamp)
        self._changed(live)

    # --- seats

    async def _change_seat(
        self, live: Live, sitting: Sitting, was: str, keys: dict[str, int | None] | None = None, drop_keys: bool = False
    ) -> None:
        try:
            stamp = await self.store.change_seat(live.table.facts.id, sitting, was, self.now(), keys, drop_keys)
        except Stale as fault:
            await self._refresh(live)
            raise Refused(409, "somebody else was first") from fault
        live.table.seats[sitting.seat] = sitting
        self._stamped(live, stamp)
        self._changed(live)

    async def join(self, live: Live, name: str, seat: int | None) -> tuple[int, str]:
        """Sit down in an open seat; gives it and its key."""
        async with live.lock:
            table = live.table
            self._must_wait(table)
            open_seats = [each.seat for each in table.seats if each.who == "open" and not each.reserved]
            if seat is not None and seat not in open_seats:
                raise Refused(409, f"seat {seat + 1} is not open")
            if not open_seats:
                raise Refused(409, "no seat is open")
            taken = open_seats[0] if seat is None else seat
            key = new_key()
            await self._change_seat(live, Sitting(taken, "person", name), "open", {hash_of(key): taken})
            await self._begin(live)
            return taken, key

    def _must_wait(self, table: Table) -> None:
        if table.status != "waiting":
            raise Refused(409, "the game has begun" if table.status == "running" else "the table is closed")

    def _must_run(self, table: Table) -> None:
        if table.status != "running":
            raise Refused(409, "the game has not begun" if table.status == "waiting" else "the game is over")

    def _seat(self, table: Table, seat: int) -> Sitting:
        if not 0 <= seat < len(table.seats):
            raise Refused(404, f"there is no seat {seat + 1}")
        return table.seats[seat]

    async def fill(self, live: Live, holder: Holder, seat: int, sitter: Json) -> None:
        """The host gives an open seat to a bot, or opens a seat again, while the table waits."""
        async with live.lock:
            self._must_wait(live.table)
            was = self._seat(live.table, seat)
            if not holder.host:
                raise Refused(403, "only who set the table up may do that")
            if was.who == "person" and seat not in holder.seats:
                raise Refused(409, f"{was.name} sits there")
            await self._change_seat(live, self._sitting(seat, sitter), was.who, drop_keys=True)
            self._rename_holders(live, seat)
            await self._begin(live)

    async def leave(self, live: Live, holder: Holder, seat: int) -> None:
        """Stand up before the game begins."""
        async with live.lock:
            self._must_wait(live.table)
            self._seat(live.table, seat)
            holder.must_hold(seat)
            await self._change_seat(live, Sitting(seat, "open"), "person", drop_keys=True)
            self._rename_holders(live, seat)

    def _rename_holders(self, live: Live, seat: int) -> None:
        """Connections no longer hold a seat whose keys are gone."""
        for watcher in live.watchers:
            if seat in watcher.holder.seats:
                watcher.holder = Holder(watcher.holder.seats - {seat}, watcher.holder.host)
                if watcher.seat == seat:
                    watcher.seat = None

    async def resign(self, live: Live, holder: Holder, seat: int) -> None:
        """Give a seat up for good: a bot plays on for it, or the table closes if no person is left."""
        async with live.lock:
            self._must_run(live.table)
            was = self._seat(live.table, seat)
            holder.must_hold(seat)
            if was.resigned:
                raise Refused(409, "this seat has resigned already")
            stand_in = was.stand_in or telling.usual_level()
            await self._change_seat(live, replace(was, resigned=True, stand_in=stand_in), "person")
            if all(sitting.who == "bot" or sitting.resigned for sitting in live.table.seats):
                await self._close(live)

    async def hand_over(self, live: Live, holder: Holder, seat: int, level: str | None) -> None:
        """Let a bot play for a seat: one's own, or that of a person who is gone."""
        async with live.lock:
            table = live.table
            self._must_run(table)
            was = self._seat(table, seat)
            if not holder.seats and not holder.host:
                raise Refused(403, "only who sits at the table may do that")
            if was.who != "person" or was.stand_in is not None:
                raise Refused(409, f"a bot plays for {was.name} already")
            if seat not in holder.seats and not self._is_gone(live, seat):
                raise Refused(403, f"{was.name} is here, or was a moment ago")
            await self._change_seat(live, replace(was, stand_in=self._level(level)), "person")

    def _is_gone(self, live: Live, seat: int) -> bool:
        """Whether a person is not connected and has not been for a while."""
        now = self.now()
        seen = live.table.seats[seat].seen or 0.0
        last = max(seen, live.table.turn_began if live.table.turn == seat else 0.0)
        return not live.present(now)[seat] and now - last >= self.settings.absent_after

    async def take_back(self, live: Live, holder: Holder, seat: int) -> None:
        """Play oneself again."""
        async with live.lock:
            self._must_run(live.table)
            was = self._seat(live.table, seat)
            holder.must_hold(seat)
            if was.resigned:
                raise Refused(409, "this seat has resigned")
            if was.stand_in is None:
                raise Refused(409, "no bot plays for this seat")
            await self._change_table(live, clock_from=self.now())
            await self._change_seat(live, replace(was, stand_in=None), "person")

    async def link(self, live: Live, holder: Holder, seat: int) -> Json:
        """A key that carries a seat to another device, for a day."""
        self._seat(live.table, seat)
        holder.must_hold(seat)
        key, until = new_key(), self.now() + LINK_LASTS
        await self.store.add_key(live.table.facts.id, hash_of(key), seat, until)
        return {"key": key, "path": f"/t/{live.table.facts.id}#seat={key}", "until": until}

    async def enter(self, live: Live, link: str) -> tuple[int, str]:
        """The seat a link carries, and a new key for it."""
        found = await self.store.held(live.table.facts.id, [hash_of(link)], self.now(), links=True)
        if not found or found[0] is None:
            raise Refused(403, "this link is not good any more")
        key = new_key()
        await self.store.add_key(live.table.facts.id, hash_of(key), found[0])
        return found[0], key

    # --- the table

    async def change_pace(self, live: Live, holder: Holder, faster: bool) -> None:
        """Let bots move faster, or not."""
        if not holder.seats and not holder.host:
            raise Refused(403, "only who sits at the table may do that")
        async with live.lock:
            await self._change_table(live, faster=faster)

    async def _change_table(self, live: Live, **changes: Any) -> None:
        try:
            stamp = await self.store.change_table(live.table.facts.id, self.now(), **changes)
        except Stale as fault:
            raise Refused(409, "the table is closed") from fault
        live.table.facts = replace(live.table.facts, **changes)
        self._stamped(live, stamp)
        self._changed(live)

    async def close_table(self, live: Live, holder: Holder) -> None:
        """End a table at which nobody else plays."""
        async with live.lock:
            if not holder.host:
                raise Refused(403, "only who set the table up may close it")
            if live.table.status in ("over", "closed"):
                raise Refused(409, "the game is over" if live.table.status == "over" else "the table is closed")
            others = [
                sitting.name
                for sitting in live.table.seats
                if sitting.who == "person" and not sitting.resigned and sitting.seat not in holder.seats
            ]
            if others and live.table.status == "running":
                raise Refused(403, f"{' and '.join(others)} still play; resign instead")
            await self._close(live)

    async def _close(self, live: Live) -> None:
        try:
            stamp = await self.store.shut(live.table.facts.id, self.now())
        except Stale:
            await self._refresh(live)
            return
        live.table.facts = replace(live.table.facts, closed=True)
        self._stamped(live, stamp)
        self._changed(live)

    async def say(self, live: Live, holder: Holder, seat: int, text: str) -> None:
        """Say something at the table."""
        holder.must_hold(seat)
        async with live.lock:
            if len(live.chat) >= self.settings.limits.chat:
                raise Refused(409, "enough has been said at this table")
            facts = live.table.facts
            try:
                stamp = await self.store.say(facts.id, seat, live.table.names[seat], text, self.now())
            except Stale as fault:
                raise Refused(409, "the table is closed") from fault
            live.chat += await self.store.chat(facts.id, len(live.chat))
            self._stamped(live, stamp)
            self._changed(live)

    async def rematch(self, live: Live, holder: Holder) -> tuple[Live, dict[int, str], str | None]:
        """The next game with the same people: its table, the keys of one's seats there, the host's for the first.

        Other people's seats are kept for them until they ask too.
        """
        if not holder.seats:
            raise Refused(403, "only who sat at the table may do that")
        if live.table.status not in ("over", "closed"):
            raise Refused(409, "the game is not over")
        if live.table.facts.rematch is None:
            made = await self._make_rematch(live, holder)
            if made is not None:
                return made
        next_id = live.table.facts.rematch
        assert next_id is not None
        following = await self.live(next_id)
        keys = {}
        async with following.lock:
            for seat in sorted(holder.seats):
                sitting = following.table.seats[seat]
                if sitting.who == "open" and sitting.reserved:
                    keys[seat] = new_key()
                    taken = replace(sitting, who="person", reserved=False)
                    await self._change_seat(following, taken, "open", {hash_of(keys[seat]): seat})
            await self._begin(following)
        return following, keys, None

    async def _make_rematch(self, live: Live, holder: Holder) -> tuple[Live, dict[int, str], str] | None:
        """Set the next table up; None if somebody else did just now."""
        await self._must_have_room()
        table = live.table
        old = table.facts
        facts = self._new_facts(table.board, None, old.clock, old.faster, None)
        seats = []
        for sitting in table.seats:
            if sitting.who == "bot" or sitting.seat in holder.seats:
                seats.append(Sitting(sitting.seat, sitting.who, sitting.name, sitting.level))
            else:
                seats.append(Sitting(sitting.seat, "open", sitting.name, reserved=True))
        keys = {seat: new_key() for seat in sorted(holder.seats)}
        host = new_key()
        async with live.lock:
            try:
                stamp = await self.store.make_rematch(old.id, facts, seats, _hashed(keys, host))
            except Stale:
                await self._refresh(live)
                return None
            live.table.facts = replace(live.table.facts, rematch=facts.id)
            self._stamped(live, stamp)
            self._changed(live)
        following = await self.live(facts.id)
        async with following.lock:
            await self._begin(following)
        return following, keys, host

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
                seats = [
                    telling.seat_json(each, each.seen is not None and now - each.seen < SEEN_FOR) for each in sittings
                ]
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
        if ("steps", seat, since) not in told:
            told["steps", seat, since] = telling.steps_json(table, table.steps[since:], seat)
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
            "steps": told["steps", seat, since],
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
        before = live.present(self.now())
        live.watchers.add(watcher)
        self._came_or_went(live, watcher, before)

    def disconnect(self, live: Live, watcher: Watcher) -> None:
        """A connection is gone."""
        before = live.present(self.now())
        live.watchers.discard(watcher)
        live.used = self.now()
        for seat in watcher.holder.seats:
            if not any(seat in other.holder.seats for other in live.watchers):
                live.table.seats[seat].seen = None
        self._came_or_went(live, watcher, before)

    def _came_or_went(self, live: Live, watcher: Watcher, before: list[bool]) -> None:
        now = self.now()
        here = {seat for other in live.watchers for seat in other.holder.seats}
        for seat in watcher.holder.seats:
            self._comings[live.table.facts.id, seat] = now if seat in here else None
        if live.present(now) != before or not watcher.holder.seats:
            live.told.clear()
            for other in live.watchers:
                other.wake.set()

    async def _note_presence(self) -> None:
        """Note comings and goings, for other processes."""
        noted = 0.0
        while True:
            await asyncio.sleep(TELL_EVERY)
            now = self.now()
            comings, self._comings = self._comings, {}
            try:
                if comings:
                    for table, stamp in (await self.store.see(comings, now, tell=True)).items():
                        if table in self.tables:
                            self._stamped(self.tables[table], stamp)
                if now - noted >= SEEN_EVERY:
                    noted = now
                    here: dict[tuple[str, int], float | None] = {
                        (live.table.facts.id, seat): now
                        for live in self.tables.values()
                        for watcher in live.watchers
                        for seat in watcher.holder.seats
                    }
                    if here:
                        await self.store.see(here, now, tell=False)
            except Exception as fault:
                log.warning("presence was not noted", extra={"fault": f"{type(fault).__name__}: {fault}"})

    async def _put_away(self) -> None:
        """Forget tables nobody uses; they are in the store."""
        while True:
            await asyncio.sleep(30.0)
            now = self.now()
            for live in list(self.tables.values()):
                if not live.watchers and live.bot is None and live.clock is None and now - live.used > IDLE_AFTER:
                    self._forget(live)


def _hashed(keys: dict[int, str], host: str) -> dict[str, int | None]:
    """The hash of each key -> its seat, None for the host's."""
    hashes: dict[str, int | None] = {hash_of(key): seat for seat, key in keys.items()}
    return hashes | {hash_of(host): None}
