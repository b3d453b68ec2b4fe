"""A table in use: who is connected to it, with whose eyes, and what it waits for."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Self

from northrail.server.match import Json, Match, Sitting
from northrail.server.store.database import Keys


class Refused(Exception):
    """What was asked cannot be: an HTTP status and a sentence."""

    def __init__(self, status: int, why: str, retry: float = 0.0) -> None:
        super().__init__(why)
        self.status, self.why, self.retry = status, why, retry


@dataclass(frozen=True)
class Caller:
    """Whoever asks: the seats whose keys they brought, and whether they are the table's host."""

    seats: frozenset[int] = frozenset()
    host: bool = False
    hashes: frozenset[str] = frozenset()  # of their keys

    @classmethod
    def of(cls, keys: Keys, hashes: frozenset[str]) -> Self:
        """Whoever brings keys with these hashes, when ``keys`` open the table's seats."""
        held = {keys[each] for each in hashes if each in keys}
        return cls(frozenset(seat for seat in held if seat is not None), None in held, hashes)

    def must_hold(self, seat: int) -> None:
        """Raise unless the seat is theirs."""
        if seat not in self.seats:
            raise Refused(403, f"seat {seat + 1} is not yours")


@dataclass(eq=False)
class Watcher:
    """A connection that is told news: with whose eyes it looks, and what it has heard."""

    caller: Caller
    seat: int | None
    since: int
    chat: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    ends: str = ""  # why the connection is to be closed, and with which code
    code: int = 1000


@dataclass(eq=False)
class TableSession:
    """A table in memory."""

    match: Match
    revision: int
    chat: list[Json] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    bot: asyncio.Task[None] | None = None
    bot_for: tuple[int, str] | None = None  # the version it moves at, and its level
    clock: asyncio.TimerHandle | None = None
    queue: asyncio.TimerHandle | None = None  # a bot that waits until fewer think
    used: float = 0.0
    keys: Keys = field(default_factory=dict)  # those that were shown; another dict once a seat was given away
    asked: dict[int, float] = field(default_factory=dict)  # seat -> when its person, or program, asked something last
    told: dict[Any, Any] = field(default_factory=dict)  # what news have in common, until something changes
    told_present: list[bool] = field(default_factory=list)

    def stop_timers(self) -> None:
        """Let neither the clock run out nor a bot be called."""
        for timer in (self.clock, self.queue):
            if timer is not None:
                timer.cancel()
        self.clock = self.queue = None

    def present(self, now: float) -> list[bool]:
        """[seat] -> whether its person is connected, here or to another process."""
        here = {seat for watcher in self.watchers for seat in watcher.caller.seats}
        return [sitting.seat in here or is_present(sitting, now) for sitting in self.match.seats]

    def hold(self, keys: Keys) -> None:
        """Note which seats keys open now that one was given away, also for who is connected."""
        self.keys = keys
        for watcher in self.watchers:
            watcher.caller = Caller.of(keys, watcher.caller.hashes)
            if watcher.seat not in watcher.caller.seats:
                watcher.seat = None


def is_present(sitting: Sitting, now: float) -> bool:
    """Whether a seat's person is noted as connected."""
    return sitting.here_until is not None and now < sitting.here_until
