"""Turns to think: which bot gets a worker next, when more of them want to think than can."""

import asyncio
import math
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Line:
    """The bots that wait for one client. The client with the lowest rank is served next."""

    rank: float
    turns: deque[asyncio.Future[None]] = field(default_factory=deque)


class Turns:
    """A semaphore that is fair between clients first, then between the tables of each client.

    Clients take turns, however many bots each one keeps waiting. So a newcomer waits for at most one bot of every
    client ahead of it. A table has one bot to move, so the tables of a client take turns if its bots are served in the
    order they came.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._lines: dict[str, Line] = {}
        self._served = 0
        self._latest = ""  # the client that was served last

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return sum(not turn.cancelled() for line in self._lines.values() for turn in line.turns)

    async def take(self, client: str, is_spare: bool = False) -> None:
        """Wait for a turn; ``is_spare`` if everyone else goes first. Call `give_back` when it is over."""
        if self._free:
            self._free -= 1
            self._serve(client)
            return
        turn = asyncio.get_running_loop().create_future()
        # A client that comes to wait goes ahead of the one that was served last, and behind all others.
        rank = math.inf if is_spare else self._served - (client != self._latest) / 2
        line = self._lines.setdefault(client, Line(rank))
        line.turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was our turn at the same moment
                self.give_back()
            raise

    def give_back(self) -> None:
        """End a turn, and let the next bot think."""
        while self._lines:
            client = min(self._lines, key=lambda each: self._lines[each].rank)
            line = self._lines[client]
            turn = line.turns.popleft()
            if not line.turns:
                del self._lines[client]
            if not turn.cancelled():
                turn.set_result(None)
                self._serve(client)
                line.rank = max(line.rank, self._served)
                return
        self._free += 1

    def _serve(self, client: str) -> None:
        self._served += 1
        self._latest = client
