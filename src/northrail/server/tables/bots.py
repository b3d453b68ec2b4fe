"""Bots at tables: they think in worker threads and move at a human pace."""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from northrail.arena.contest import seed_for
from northrail.engine.game import Game
from northrail.players import Player, load_player
from northrail.players.decide import whole_choice
from northrail.players.levels import PLAYERS
from northrail.server.match import Json

log = logging.getLogger("northrail.bots")

# Seconds a bot waits. They do not depend on its cards: the speed of a move must not reveal them.
PAUSES = {"tickets": 1.6, "turn": 1.8, "second_card": 1.1, "tunnel": 2.4}
SPEEDS = {"normal": 1.0, "fast": 0.5, "instant": 0.0}  # what the pauses are multiplied by
UNHURRIED = 1.6  # bots that move at the full pause; more bots share its time, so that people need not wait longer
# How long a bot thinks must not reveal what it thinks about, for example that a search saw only one good move. So a
# pause is at least as long as bots usually think, and it grows in steps if one thinks longer.
LEAST, LEAST_SEARCH, STEP = 0.1, 0.5, 0.25
SEARCHES = {name for name, (_, made_of, _) in PLAYERS.items() if made_of == "Search"}


def pause_of(phase: str, level: str, speed: str, bots: int) -> float:
    """Return how many seconds a bot waits before it moves, at a table where so many bots play.

    >>> pause_of("turn", "expert", "normal", 1), pause_of("turn", "expert", "instant", 4)
    (1.8, 0.5)
    """
    least = LEAST_SEARCH if level in SEARCHES else LEAST
    return max(least, PAUSES[phase] * SPEEDS[speed] * min(1.0, UNHURRIED / bots))


class Bots:
    """The worker threads in which bots think."""

    def __init__(self, workers: int, pace: float, think_most: float) -> None:
        self._pool = ThreadPoolExecutor(workers, "bot")
        self._local = threading.local()
        self._pace = pace
        self._think_most = think_most
        self.thinking = 0

    @property
    def waiting(self) -> int:
        """How many bots wait for a worker."""
        return self._pool._work_queue.qsize()

    async def choose(self, game: Game, level: str, secret: str, speed: str, bots: int) -> Json:
        """Return a bot's choice for the seat to move, after a pause that does not depend on what it knows.

        ``bots`` is how many seats of the table bots play.
        """
        pause, step = self._pace * pause_of(game.phase, level, speed, bots), self._pace * STEP
        self.thinking += 1
        try:
            thought = asyncio.ensure_future(self._think(game, level, secret))
            await asyncio.sleep(pause)
            done: set[Any] = set()
            while not done:
                done, _ = await asyncio.wait({thought}, timeout=0 if step else None)
                if not done:
                    await asyncio.sleep(step)
            return thought.result()
        finally:
            self.thinking -= 1

    async def _think(self, game: Game, level: str, secret: str) -> Json:
        loop = asyncio.get_running_loop()
        try:
            thought = loop.run_in_executor(self._pool, self._choose, game.copy(), level, secret)
            return await asyncio.wait_for(thought, self._think_most)
        except Exception as fault:  # an error or a timeout of a bot must not stop the game
            log.error("bot failed", extra={"level": level, "fault": f"{type(fault).__name__}: {fault}"})
            return await asyncio.to_thread(choose, game.copy(), load_player("simple")(), "simple", secret)

    def _choose(self, game: Game, level: str, secret: str) -> Json:
        players = self._local.__dict__.setdefault("players", {})
        name = level if level in PLAYERS else "simple"
        if name not in players:
            players[name] = load_player(name)()
        return choose(game, players[name], name, secret)

    def close(self) -> None:
        """Stop the workers, without waiting for bots that are thinking."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def choose(game: Game, player: Player, name: str, secret: str) -> Json:
    """Return a player's choice for the seat to move. It may change ``game``, so pass a copy.

    The player gets the same seed for every choice, so that it plays the same in the arena, after a restart and in every
    process.
    """
    start = getattr(player, "start", None)
    if start is not None:
        start(game.board, game.seat, game.seats, seed_for(secret, game.seat, name))
    return whole_choice(game, player).json()
