"""Bots at a table: players that think in worker threads and move at a human pace."""

import asyncio
import hashlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from northrail.engine.game import Game
from northrail.engine.moves import Move, number_of
from northrail.engine.view import View
from northrail.players import PLAYERS, Choice, Player, load_player
from northrail.server.match import Json, choice_of

log = logging.getLogger("northrail.bots")

# Seconds a bot lets pass, whatever it holds: how fast it moves must not tell what it has.
PAUSES = {"tickets": 1.6, "turn": 1.8, "second_card": 1.1, "tunnel": 2.4}
FASTER = 0.3
MOST_CARDS = 64  # moves a whole choice may take


class Bots:
    """Workers in which players think."""

    def __init__(self, workers: int, pace: float, think_most: float) -> None:
        self._pool = ThreadPoolExecutor(workers, "bot")
        self._local = threading.local()
        self._pace = pace
        self._think_most = think_most
        self.thinking = 0

    async def choose(self, game: Game, level: str, secret: str, version: int, faster: bool) -> Json:
        """The choice of the seat that is asked, after a pause that does not depend on what it knows.

        Longer thought is drawn out to a multiple of the pause, so that its length says little.
        """
        pause = PAUSES[game.phase] * self._pace * (FASTER if faster else 1.0)
        self.thinking += 1
        try:
            thought = asyncio.ensure_future(self._think(game, level, seed_of(secret, version)))
            done: set[Any] = set()
            while not done:
                await asyncio.sleep(pause)
                done, _ = await asyncio.wait({thought}, timeout=0 if pause else None)
            return thought.result()
        finally:
            self.thinking -= 1

    async def _think(self, game: Game, level: str, seed: int) -> Json:
        loop = asyncio.get_running_loop()
        try:
            thought = loop.run_in_executor(self._pool, self._choose, game.copy(), level, seed)
            return await asyncio.wait_for(thought, self._think_most)
        except Exception as fault:  # a player's own fault, or its slowness, must not stop the game
            log.error("bot failed", extra={"level": level, "fault": f"{type(fault).__name__}: {fault}"})
            return await asyncio.to_thread(whole_choice, game.copy(), load_player("simple")(), seed)

    def _choose(self, game: Game, level: str, seed: int) -> Json:
        players = self._local.__dict__.setdefault("players", {})
        if level not in players:
            players[level] = load_player(level if level in PLAYERS else "simple")()
        return whole_choice(game, players[level], seed)

    def close(self) -> None:
        """Let the workers go; a thought under way is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def seed_of(secret: str, version: int) -> int:
    """A bot's randomness for one choice."""
    return int.from_bytes(hashlib.sha256(f"{secret} {version}".encode()).digest()[:7])


def whole_choice(game: Game, player: Player, seed: int) -> Json:
    """The choice a player makes for the seat that is asked; ``game`` is a copy to try it on."""
    seat, before = game.seat, game.copy()
    start = getattr(player, "start", None)
    if start is not None:
        start(game.board, seat, game.seats, seed)
    first, events = None, []
    for _ in range(MOST_CARDS):
        view = game.view(seat)
        choice: Choice = player.choose(view)
        if isinstance(choice, tuple):
            route, cards = choice
            return {"kind": "claim", "route": int(route), "cards": _checked(game, int(route), cards)}
        move = _move(view, choice)
        first = first or move
        events += game.play(move)
        if events or game.seat != seat or game.phase not in ("pay", "tunnel"):
            break
    assert first is not None
    return choice_of(before, first, events)


def _move(view: View, choice: Move | str | int) -> Move:
    """The legal move a player means; raises if there is none."""
    offered = tuple(view.board.ticket(*ticket["cities"]) for ticket in view.offered)
    if isinstance(choice, Move):
        choice = choice.number
    number = number_of(view.board, choice, offered) if isinstance(choice, str) else int(choice)
    return next(move for move in view.moves if move.number == number)


def _checked(game: Game, route: int, cards: Any) -> dict[str, int]:
    """Cards that pay for the route; raises if they do not."""
    game.claim(route, cards)
    return {colour: int(count) for colour, count in cards.items() if count}
