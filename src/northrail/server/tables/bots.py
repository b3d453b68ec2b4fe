"""Bots at tables: they think in worker threads, share them fairly, and move at a human pace.

Kernels that search release the GIL. All else that a search does holds it for less than a millisecond, so the event loop
is never late because of one.
"""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from northrail.arena.contest import seed_for
from northrail.engine.game import Game
from northrail.players import Player, load_player
from northrail.players.decide import whole_choice
from northrail.players.levels import PLAYERS
from northrail.server.match import Json
from northrail.server.tables.turns import Turns

log = logging.getLogger("northrail.bots")
Outcome = TypeVar("Outcome")

# Seconds a bot waits. They do not depend on its cards: the speed of a move must not reveal them.
PAUSES = {"tickets": 1.6, "turn": 1.8, "second_card": 1.1, "tunnel": 2.1}
SPEEDS = {"normal": 1.0, "fast": 0.5, "instant": 0.0}  # what the pauses are multiplied by
UNHURRIED = 1.4  # bots that move at the full pause; more bots share its time, so that people need not wait longer
# How long a bot thinks must not reveal what it thinks about, for example that a search saw only one good move. So a
# pause is at least as long as bots usually think, and it grows in steps if one thinks longer. A search thinks for 0.1
# to 0.5 s. All other bots take 0.1 to 2 ms, and `simple` 10 ms for its first tickets.
LEAST, STEP = 0.005, 0.02
LEAST_ALONE = 0.1  # where only bots play, nobody waits for them, and nobody could follow a faster game
LEAST_SEARCH, STEP_SEARCH = 0.5, 0.25
LESS_URGENT = 5  # added to the niceness of searches: they get a third of the event loop's share of a processor
MOVING = 4  # bots that move at the same time
MOST_REST = 0.25  # seconds between their moves, also when the database is slow
SEARCHES = {name for name, (_, made_of, _) in PLAYERS.items() if made_of == "Search"}


def pause_of(phase: str, level: str, speed: str, bots: int, people: int = 1) -> float:
    """Return how many seconds a bot waits before it moves, at a table where so many bots and people play.

    >>> pause_of("turn", "expert", "normal", 1), pause_of("turn", "expert", "instant", 4)
    (1.8, 0.5)
    """
    least = LEAST_SEARCH if level in SEARCHES else LEAST if people else LEAST_ALONE
    return max(least, PAUSES[phase] * SPEEDS[speed] * min(1.0, UNHURRIED / bots))


def lower_priority() -> None:
    """Let the event loop go before this thread if they compete for a processor. Only Linux knows this for threads."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + LESS_URGENT)


class Lane:
    """Worker threads of their own, and the turns to use them."""

    def __init__(self, workers: int, name: str, begin: Callable[[], None] | None = None) -> None:
        self.turns = Turns(workers)
        self.pool = ThreadPoolExecutor(workers, name, begin)

    def end(self, thought: asyncio.Future[Any]) -> None:
        """End a turn: its thread is free again, even if nobody waits for the result any more."""
        self.turns.give_back()
        if not thought.cancelled():
            thought.exception()  # it was logged, or came too late


class Bots:
    """The worker threads in which bots think. Only searches take long, so the others need not wait for them."""

    def __init__(self, workers: int, pace: float, think_most: float) -> None:
        self._quick, self._search = Lane(1, "bot"), Lane(workers, "search", lower_priority)
        self._moving = Turns(MOVING)
        self._local = threading.local()
        self._pace = pace
        self._think_most = think_most
        self.thinking = 0

    @property
    def waiting(self) -> int:
        """How many bots wait for a worker."""
        return self._quick.turns.waiting + self._search.turns.waiting

    async def choose(self, game: Game, level: str, secret: str, speed: str, bots: int, client: str) -> Json:
        """Return a bot's choice for the seat to move, after a pause that does not depend on what it knows.

        ``bots`` is how many seats of the table bots play, and ``client`` is the client that this bot thinks for.
        """
        pause = self._pace * pause_of(game.phase, level, speed, bots, game.seats - bots)
        step = self._pace * (STEP_SEARCH if level in SEARCHES else STEP)
        self.thinking += 1
        thought = asyncio.ensure_future(self._think(game, level, secret, client))
        try:
            await asyncio.sleep(pause)
            done: set[Any] = set()
            while not done:
                done, _ = await asyncio.wait({thought}, timeout=0 if step else None)
                if not done:
                    await asyncio.sleep(step)
            return thought.result()
        finally:
            thought.cancel()
            self.thinking -= 1

    @asynccontextmanager
    async def turn_to_move(self, client: str) -> AsyncIterator[None]:
        """Wait for a turn to move; the next bot's turn begins after this one's, and a rest that is as long.

        Without a rest, bots that need no time to think could keep the event loop busy. The busier it is, the longer
        a move takes, and the longer bots rest.
        """
        loop = asyncio.get_running_loop()
        await self._moving.take(client)
        began = loop.time()
        try:
            yield
        finally:
            loop.call_later(min(loop.time() - began, MOST_REST), self._moving.give_back)

    async def _think(self, game: Game, level: str, secret: str, client: str) -> Json:
        lane = self._search if level in SEARCHES else self._quick
        await lane.turns.take(client)
        thought = asyncio.get_running_loop().run_in_executor(lane.pool, self._choose, game.copy(), level, secret)
        thought.add_done_callback(lane.end)
        try:
            return await asyncio.wait_for(asyncio.shield(thought), self._think_most)
        except Exception as fault:  # an error or a timeout of a bot must not stop the game
            log.error("bot failed", extra={"level": level, "fault": f"{type(fault).__name__}: {fault}"})
            return await asyncio.to_thread(choose, game.copy(), load_player("simple")(), "simple", secret)

    async def search(self, work: Callable[[], Outcome], client: str = "", is_spare: bool = False) -> Outcome:
        """Run something for a client on a worker of the searches; ``is_spare`` if all of them go first."""
        await self._search.turns.take(client, is_spare)
        thought = asyncio.get_running_loop().run_in_executor(self._search.pool, work)
        thought.add_done_callback(self._search.end)
        return await asyncio.shield(thought)

    def _choose(self, game: Game, level: str, secret: str) -> Json:
        players = self._local.__dict__.setdefault("players", {})
        name = level if level in PLAYERS else "simple"
        if name not in players:
            players[name] = load_player(name)()
        return choose(game, players[name], name, secret)

    def close(self) -> None:
        """Stop the workers, without waiting for bots that are thinking."""
        for lane in (self._quick, self._search):
            lane.pool.shutdown(wait=False, cancel_futures=True)


def choose(game: Game, player: Player, name: str, secret: str) -> Json:
    """Return a player's choice for the seat to move. It may change ``game``, so pass a copy.

    The player gets the same seed for every choice, so that it plays the same in the arena, after a restart and in every
    process.
    """
    start = getattr(player, "start", None)
    if start is not None:
        start(game.board, game.seat, game.seats, seed_for(secret, game.seat, name))
    return whole_choice(game, player).json()
