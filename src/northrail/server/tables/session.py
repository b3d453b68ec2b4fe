"""A table in memory: its match, its connections, and what happens next: a bot's move, a timeout, a sealed choice."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from northrail.engine.view import View
from northrail.errors import NorthrailError
from northrail.lessons import Lesson
from northrail.server.match import Command, Json, Match, SeatInfo
from northrail.server.metrics import Metrics
from northrail.server.settings import Settings
from northrail.server.store.database import Keys, Stale, Store, Stored
from northrail.server.tables.bots import Bots
from northrail.server.tables.keys import hash_of
from northrail.server.tables.news import Facts, FactsOfAll
from northrail.server.tables.tasks import Tasks
from northrail.server.wire import messages
from northrail.server.wire.catalogue import USUAL_LEVEL
from northrail.server.wire.refusals import Refused
from northrail.server.wire.types import Packed, packed_part

log = logging.getLogger("northrail.tables")

LESSON_PAUSE = 1.5  # seconds before a rival's move in a lesson
ALONE_AFTER = 60.0  # seconds after the last request or connection, until bots stop playing


@dataclass(frozen=True)
class Caller:
    """The client behind a request: the seats it has keys for, and whether it is the table's host."""

    seats: frozenset[int] = frozenset()
    host: bool = False
    hashes: frozenset[str] = frozenset()  # of its keys

    @classmethod
    def of(cls, keys: Keys, hashes: frozenset[str]) -> Self:
        """Return the client whose keys have these hashes; ``keys`` are the keys of the table."""
        held = {keys[each] for each in hashes if each in keys}
        return cls(frozenset(seat for seat in held if seat is not None), None in held, hashes)

    def must_hold(self, seat: int) -> None:
        """Raise Refused unless the client has a key for the seat."""
        if seat not in self.seats:
            raise Refused(403, "not_your_seat", seat=seat)


class Line(Protocol):
    """Where the messages to a client go."""

    @property
    def is_clear(self) -> bool:
        """Whether the client has read enough of what it was sent."""
        ...

    def send_now(self, message: bytes) -> None:
        """Send a message, without waiting until the client has read it."""
        ...


@dataclass(eq=False)
class Subscriber:
    """A connection that gets news: the seat it views the table as, and what it has been sent."""

    line: Line
    caller: Caller
    seat: int | None
    since: int
    chat: int
    changes: bool = False  # whether it gets only what has changed
    facts: Facts | None = None  # what it has been sent, if it gets only changes
    is_behind: bool = False  # whether there is news that it was too slow for
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    close_reason: str = ""
    close_code: int = 1000

    def close(self, code: int, reason: str) -> None:
        """Ask the connection to close."""
        self.close_code, self.close_reason = code, reason
        self.closing.set()


@dataclass
class Shared:
    """What connections share when news are sent to all of them."""

    now: float
    latest: dict[tuple[int | None, int, int], bytes] = field(default_factory=dict)  # (seat, since, chat) -> packed


@dataclass(frozen=True)
class Services:
    """What all sessions share."""

    settings: Settings
    store: Store
    bots: Bots
    tasks: Tasks
    now: Callable[[], float]
    metrics: Metrics


class TableSession:
    """A table in memory. Hold its lock to call a method that changes it."""

    def __init__(self, services: Services, match: Match, revision: int, lesson: Lesson | None = None) -> None:
        self.services, self.match, self.revision = services, match, revision
        self.lesson = lesson
        self.lock = asyncio.Lock()
        self.chat: list[Json] = []
        self.subscribers: set[Subscriber] = set()
        self.last_used = services.now()
        self.keys: Keys = {}  # those that clients have used; a new dict once a seat is given away
        self.last_request: dict[int, float] = {}  # seat -> when its player last sent a request
        self.announced_presence: list[bool] = []  # [seat] -> present, as last sent to subscribers
        self.bot_task: asyncio.Task[None] | None = None
        self.bot_for: tuple[int, str] | None = None  # the version at which it moves, and its level
        self._clock: asyncio.TimerHandle | None = None
        self._client = ""  # the client that bots here think for
        self._is_player = False  # whether that client plays here
        self._sleeps = False  # whether a bot stopped playing because nobody was here
        self._facts = FactsOfAll()
        self._will_push = False

    @property
    def id(self) -> str:
        """The table's id."""
        return self.match.info.id

    @property
    def is_idle(self) -> bool:
        """Whether nobody is connected and nothing is about to happen."""
        return not self.subscribers and not (self.bot_task or self._clock)

    # --- keys

    async def caller(self, keys: Iterable[str]) -> Caller:
        """Return the client that sent these keys."""
        return await self._caller_with(frozenset(hash_of(key) for key in keys))

    async def _caller_with(self, hashes: frozenset[str]) -> Caller:
        known = self.keys
        new = hashes - known.keys()
        if new:
            known |= await self.services.store.find_keys(self.id, new, self.services.now())
        if known is not self.keys:  # a seat was given away while we were reading
            return await self._caller_with(hashes)
        return Caller.of(known, hashes)

    async def _read_keys_again(self) -> None:
        """Read the keys of all connections again before a game begins: another process may have given a seat away."""
        hashes = {each for subscriber in self.subscribers for each in subscriber.caller.hashes}
        self._set_keys(await self.services.store.find_keys(self.id, hashes, self.services.now()))

    def _set_keys(self, keys: Keys) -> None:
        """Set which seats the keys open now, for all connections too."""
        self.keys = keys
        for subscriber in self.subscribers:
            subscriber.caller = Caller.of(keys, subscriber.caller.hashes)
            if subscriber.seat not in subscriber.caller.seats:
                subscriber.seat = None

    # --- visits

    def visited(self, client: str, plays: bool = False) -> None:
        """Note that a client is here, and let bots play on if they had stopped.

        Bots think for the player who was here last, usually the one whose move they answer. They think for a spectator
        only while no player has come: otherwise a stranger who watches many tables could slow them down.
        """
        self.last_used = self.services.now()
        if plays or not self._is_player:
            self._client, self._is_player = client, plays
        if self._sleeps:
            self._sleeps = False
            self.schedule()

    # --- following the store

    async def refresh(self) -> None:
        """Bring the table up to date with the store."""
        stored = await self.services.store.load(self.id, self.match.version, len(self.chat))
        if stored is None:
            return
        if self.match.game is None:
            await self._read_keys_again()
        self.catch_up(stored)
        self.changed()
        await self.begin()  # two processes may each have filled one of the last seats, unaware of the other

    async def refresh_locked(self) -> None:
        """Take the lock, and bring the table up to date with the store."""
        async with self.lock:
            await self.refresh()

    def catch_up(self, stored: Stored) -> None:
        """Apply what the store had besides what is here, all at once: news in between would mix two versions."""
        match = self.match
        match.info, match.seats, self.revision = stored.info, stored.seats, stored.revision
        if match.game is None and match.info.began is not None:
            match.begin()
        if match.game is not None:
            match.sealed = stored.sealed
            for command in stored.commands:
                match.add(command)
        self.chat += stored.chat
        self._facts.forget()

    def note_revision(self, revision: int) -> None:
        """Record the revision of our own change; if other processes changed the table meanwhile, read their changes."""
        if revision == self.revision + 1:
            self.revision = revision
        elif revision > self.revision:
            self.services.tasks.spawn(self.refresh_locked())

    # --- after a change

    def changed(self, revision: int | None = None) -> None:
        """Send news and schedule what happens next. ``revision`` is that of our own change, if it was ours."""
        if revision is not None:
            self.note_revision(revision)
        self.wake_subscribers()
        self.schedule()

    def wake_subscribers(self) -> None:
        """Send news to every connection soon, once for all changes until then."""
        self._facts.forget()
        if self.subscribers and not self._will_push:
            self._will_push = True
            asyncio.get_running_loop().call_soon(self._push_all)

    def _push_all(self) -> None:
        self._will_push = False
        shared = Shared(self.services.now())
        for subscriber in self.subscribers:
            self.push(subscriber, shared)

    def push(self, subscriber: Subscriber, shared: Shared | None = None) -> None:
        """Send news to a connection. A slow client gets everything it missed in one message, once it can read."""
        subscriber.is_behind = not subscriber.line.is_clear
        if subscriber.is_behind:
            return
        try:
            subscriber.line.send_now(self.next_news(subscriber, shared or Shared(self.services.now())))
        except Exception:  # the other connections must get their news all the same
            log.exception("news failed")
            subscriber.close(1011, "server_error")

    def drained(self, subscriber: Subscriber) -> None:
        """Send a connection what it was too slow for."""
        if subscriber.is_behind:
            self.push(subscriber)

    def stop_timers(self) -> None:
        """Cancel the clock."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def schedule(self) -> None:
        """Start what happens next: a bot's move, a sealed choice or the clock."""
        services, match = self.services, self.match
        if services.tasks.is_closing:
            return
        self.stop_timers()
        wanted = (match.version, level) if (level := match.bot_to_move) is not None else None
        if self.lesson is not None and self.lesson.next_move(match.version) is None:
            wanted = None  # nobody moves after the end of a lesson
        if self.bot_task is not None and (self.bot_task.done() or self.bot_for != wanted):
            self.bot_task.cancel()
            self.bot_task = None
        if match.turn is not None and match.turn in match.sealed and match.first_tickets:
            services.tasks.spawn(self._play_sealed(match.version))
        elif wanted is not None and self.bot_task is None:
            self._sleeps = not self.subscribers and services.now() - self.last_used > ALONE_AFTER
            if not self._sleeps:
                self.bot_for = wanted
                self.bot_task = services.tasks.spawn(self._play_bot(*wanted))
        if match.deadline is not None:
            left = max(0.0, match.deadline - services.now())
            self._clock = asyncio.get_running_loop().call_later(
                left, lambda: services.tasks.spawn(self._hand_over_late(match.version))
            )

    async def _play_sealed(self, version: int) -> None:
        async with self.lock:
            match = self.match
            if match.version == version and match.turn is not None and match.turn in match.sealed:
                with suppress(Refused):
                    await self._play(match.turn, {"kind": "keep", "tickets": match.sealed[match.turn]}, "person")

    async def _play_bot(self, version: int, level: str) -> None:
        match = self.match
        assert match.game is not None
        taught = self.lesson.next_move(version) if self.lesson is not None else None
        if taught is not None:
            await asyncio.sleep(LESSON_PAUSE * self.services.settings.pace)
            choice = taught.choices[0]
        else:
            choice = await self.services.bots.choose(
                match.game, level, match.info.secret, match.info.speed, match.bots, self._client
            )
        async with self.services.bots.turn_to_move(self._client), self.lock:
            self.bot_task = None
            if match.version == version and match.bot_to_move is not None and match.turn is not None:
                with suppress(Refused):  # another process played first
                    await self._play(match.turn, choice, "bot")

    async def _hand_over_late(self, version: int) -> None:
        """Let a bot play for the person who has run out of time."""
        async with self.lock:
            match = self.match
            if match.version == version and match.deadline is not None and match.turn is not None:
                late = replace(match.seats[match.turn], stand_in=USUAL_LEVEL, timed_out=True)
                with suppress(Refused):
                    await self.change_seat(late, "person")

    # --- playing

    async def play(self, caller: Caller, seat: int, version: int, choice: Json, key: str | None = None) -> None:
        """Play a whole choice of a seat. It is in the store when this returns."""
        caller.must_hold(seat)
        async with self.lock:
            match = self.match
            if version > match.version:
                await self.refresh()
                (await self._caller_with(caller.hashes)).must_hold(seat)
            if self._was_played(seat, choice, key):
                return
            self._must_play_itself(seat)
            if choice["kind"] == "keep" and match.first_tickets and version <= match.version:
                if match.sealed.get(seat) == choice["tickets"]:
                    return  # sent twice
                if (match.chosen or [])[seat]:
                    raise Refused(409, "already_chosen")
                if seat != match.turn:
                    self._must_be_taught(choice)
                    await self._seal(seat, choice, key)
                    return
            elif version != match.version:
                raise Refused(409, "stale", version=match.version, got=version)
            self._must_be_taught(choice)
            await self._play(seat, choice, "person", key)

    def _must_be_taught(self, choice: Json) -> None:
        """Refuse a move that the lesson here does not ask for: its later steps rely on the others."""
        if self.lesson is not None and self.match.status == "running":
            step = self.lesson.next_move(self.match.version)
            if step is None or not step.accepts(choice):
                raise Refused(409, "not_in_lesson")

    def _was_played(self, seat: int, choice: Json, key: str | None) -> bool:
        """Return whether a move with a key has been played or sealed already.

        A sealed choice is stored without its key. It is recognised by its tickets, because nobody keeps a ticket twice.
        """
        if key is None:
            return False
        if choice["kind"] == "keep" and self.match.sealed.get(seat) == choice["tickets"]:
            return True
        mine = [step.command for step in self.match.steps if step.command.seat == seat]
        return any(each.key == key or (choice["kind"] == "keep" and each.choice == choice) for each in mine)

    def _must_play_itself(self, seat: int) -> None:
        seats = self.match.seats
        if seat < len(seats) and self.match.status == "running" and seats[seat].stand_in is not None:
            if seats[seat].resigned:
                raise Refused(403, "seat_resigned", seat=seat)
            raise Refused(409, "bot_plays", seat=seat)

    async def _play(self, seat: int, choice: Json, by: str, key: str | None = None) -> None:
        match, services = self.match, self.services
        after, events = self.allowed(lambda: match.trial(seat, choice))
        command = Command(match.version + 1, seat, by, services.now(), choice, key)
        try:
            revision = await services.store.add_command(
                self.id,
                command,
                seat in match.sealed,
                "over" if after.over else "running",
                None if after.over else after.seat,
                after.winners() if after.over else None,
            )
        except Stale as fault:
            await self.refresh()
            if self._was_played(seat, choice, key):  # by another process, whose answer was lost
                return
            raise self._overtaken() from fault
        match.add(command, (after, events))
        services.metrics.moves.labels(by).inc()
        self.changed(revision)

    async def _seal(self, seat: int, choice: Json, key: str | None) -> None:
        """Store the first tickets that a seat chose ahead of its turn."""
        tickets = choice["tickets"]
        self.allowed(lambda: self.match.seal(seat, tickets))
        try:
            revision = await self.services.store.seal(self.id, seat, tickets, self.services.now())
        except Stale as fault:
            await self.refresh()
            if self._was_played(seat, choice, key):
                return
            raise Refused(409, "already_chosen") from fault
        self.match.sealed[seat] = tickets
        self.changed(revision)

    def allowed(self, attempt: Callable[[], Any]) -> Any:
        """Return the result of an attempt; raise Refused if the rules refuse it."""
        try:
            return attempt()
        except NorthrailError as fault:
            raise Refused.by_rules(fault) from fault

    def why_not(self, seat: int, kind: str, route: int | None = None, colour: str | None = None) -> Refused | None:
        """Return why a seat can't claim a route, take a card or draw now; None if it can."""
        try:
            self._must_play_itself(seat)
            self.allowed(lambda: self.match.check(seat, kind, route, colour))
        except Refused as refused:
            return refused
        return None

    def view_for_hint(self, seat: int, version: int) -> View:
        """Return the view for a hint; raise Refused if the table allows none, or the seat has nothing to decide."""
        match = self.match
        if not match.info.hints or match.info.lesson is not None:
            raise Refused(403, "hints_off")
        if version != match.version:
            raise Refused(409, "stale", version=match.version, got=version)
        if messages.options_json(match, seat) is None:
            raise self.why_not(seat, "blind") or Refused(409, "not_your_turn", turn=match.turn)
        return match.view(seat)

    def _overtaken(self) -> Refused:
        """Return why a change came too late."""
        return Refused(409, "table_closed" if self.match.status == "closed" else "overtaken")

    # --- other changes

    async def begin(self) -> None:
        """Begin the game if no seat is open."""
        match, info, services = self.match, self.match.info, self.services
        if match.game is not None or info.closed or any(seat_info.who == "open" for seat_info in match.seats):
            return
        dealt = Match(match.board, replace(info, began=services.now()), match.seats)
        assert dealt.turn is not None
        try:
            revision = await services.store.begin(self.id, dealt.turn, services.now())
        except Stale:
            await self.refresh()
            return
        await self._read_keys_again()
        match.info = dealt.info
        match.begin()
        self.changed(revision)

    async def change_seat(
        self, seat_info: SeatInfo, was: str, keys: Keys | None = None, given_away: bool = False
    ) -> None:
        """Change who plays in a seat. ``was`` is the kind of player it had: person, bot or open.

        A seat that is ``given_away`` loses its keys.
        """
        store, now = self.services.store, self.services.now()
        try:
            revision = await store.change_seat(self.id, seat_info, was, now, keys, given_away)
        except Stale as fault:
            await self.refresh()
            raise self._overtaken() from fault
        self.match.seats[seat_info.seat] = seat_info
        if given_away:
            self._set_keys({hash_: seat for hash_, seat in self.keys.items() if seat != seat_info.seat})
        self.changed(revision)

    async def change_table(self, **changes: Any) -> None:
        """Change some of the table's info."""
        try:
            revision = await self.services.store.change_table(self.id, self.services.now(), **changes)
        except Stale as fault:
            raise Refused(409, "table_closed") from fault
        self.match.info = replace(self.match.info, **changes)
        self.changed(revision)

    async def close_table(self) -> None:
        """Close the table before its game is over."""
        try:
            revision = await self.services.store.close_table(self.id, self.services.now())
        except Stale:
            await self.refresh()
            return
        self.match.info = replace(self.match.info, closed=True)
        self.changed(revision)

    async def add_chat(self, seat: int, text: str) -> None:
        """Store a line of chat."""
        store = self.services.store
        try:
            revision = await store.add_chat(self.id, seat, self.match.names[seat], text, self.services.now())
        except Stale as fault:
            raise Refused(409, "table_closed") from fault
        self.chat += await store.chat(self.id, len(self.chat))
        self.changed(revision)

    # --- news

    def present(self) -> list[bool]:
        """Return [seat] -> whether its person is connected, to this or another process."""
        here = {seat for subscriber in self.subscribers for seat in subscriber.caller.seats}
        now = self.services.now()
        return [seat_info.seat in here or is_present(seat_info, now) for seat_info in self.match.seats]

    def table_json(self) -> Json:
        """Return what everyone may know of the table."""
        match, present = self.match, self.present()
        seats = messages.seats_json(match.seats, [present[seat_info.seat] for seat_info in match.seats])
        return messages.table_json(
            match.board, match.info, seats, match.status, match.version, match.turn, match.winners, match.ended
        )

    def facts(self, caller: Caller, seat: int | None) -> Facts:
        """Return what a client may know of the table now, viewed as a seat."""
        return self._facts.for_client(self.match, self._shared_json, seat, caller.seats, caller.host)

    def _shared_json(self) -> Json:
        watchers = sum(not subscriber.caller.seats for subscriber in self.subscribers)
        return {"table": self.table_json(), "watchers": watchers}

    def news(self, caller: Caller, seat: int | None, since: int, chat: int) -> Packed:
        """Return the whole table as a seat may know it, with the steps after a version and the chat after a line."""
        latest = self._latest(seat, since, chat, self.services.now())
        return Packed(b"{%b,%b}" % (latest, self.facts(caller, seat).since(None)))

    def next_news(self, subscriber: Subscriber, shared: Shared) -> bytes:
        """Return the news for a connection. If it asked for changes, it gets the whole table only once."""
        latest = self._shared_latest(subscriber.seat, subscriber.since, subscriber.chat, shared)
        sent = subscriber.facts
        subscriber.since, subscriber.chat = self.match.version, len(self.chat)
        facts = self.facts(subscriber.caller, subscriber.seat)
        if not subscriber.changes:
            return b"{%b,%b}" % (latest, facts.since(None))
        subscriber.facts = facts
        if sent is None or sent.seat != facts.seat:
            return b'{%b,"changes":false,%b}' % (latest, facts.since(None))
        return b'{%b,"changes":true,%b}' % (latest, facts.since(sent))

    def _shared_latest(self, seat: int | None, since: int, chat: int, shared: Shared) -> bytes:
        """Return the part of news that is different each time, made once for all whom it tells the same."""
        match = self.match
        # Only the seat that moved sees more of a step than spectators, and most clients have seen all other steps.
        if since >= match.version - 1 and match.steps and seat != match.steps[-1].command.seat:
            seat = None
        key = seat, since, chat
        if key not in shared.latest:
            shared.latest[key] = self._latest(seat, since, chat, shared.now)
        return shared.latest[key]

    def _latest(self, seat: int | None, since: int, chat: int, now: float) -> bytes:
        """Return the part of news that is different each time."""
        match = self.match
        since, chat = min(since, match.version), min(chat, len(self.chat))
        clock = None
        if match.deadline is not None:
            left = round(max(0.0, match.deadline - now), 1)
            clock = {"seat": match.turn, "until": match.deadline, "left": left}
        return packed_part(
            {
                "version": match.version,
                "revision": self.revision,
                "since": since,
                "steps": [step.seen_by(seat) for step in match.steps[since:]],
                "clock": clock,
                "chat": self.chat[chat:],
                "chat_since": chat,
                "now": round(now, 3),
            }
        )

    def viewpoint(self, caller: Caller, requested: int | None, watch: bool) -> int | None:
        """Return the seat to view as: the one requested, else the caller's seat to move, else their first."""
        if watch or (requested is None and not caller.seats):
            return None
        if requested is not None:
            caller.must_hold(requested)
            return requested
        return self.match.turn if self.match.turn in caller.seats else min(caller.seats)


def is_present(seat_info: SeatInfo, now: float) -> bool:
    """Return whether a seat's person counts as connected, according to the store."""
    return seat_info.here_until is not None and now < seat_info.here_until
