"""The search: imagines worlds that look like its view, and plays each move in them to the end."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from northrail._jit import for_kernels, records
from northrail.board import Board
from northrail.players.last_move import LastMove
from northrail.players.planner import Weighted
from northrail.players.tree import ROOM, TASTE, begin_at, best_at, decide_at, forget_at, grow_at
from northrail.state import seeded
from northrail.view import View

USUAL_SECONDS = 0.1
CHUNK = 50  # iterations between two looks at the clock
MOST_ITERATIONS = 10_000_000
USUAL_TASTE = {"explore": 0.35, "margin": 60.0, "win": 0.1, "calm": 10.0, "doubt": 1.75, "suit": 6.0}
LANE = 1 << 56  # between the worlds of two threads


class Search:
    """Looks ahead in worlds that may be the true one, for so many ``iterations`` or so many ``seconds`` a move.

    With iterations, the same seed gives the same moves. ``threads`` grow a tree each in worlds of their own, and share
    the iterations.
    """

    def __init__(
        self, iterations: int | None = None, seconds: float | None = None, threads: int = 1, **taste: float
    ) -> None:
        if iterations is None and seconds is None:
            seconds = USUAL_SECONDS
        if iterations is not None and not 1 <= iterations <= MOST_ITERATIONS:
            raise ValueError(f"iterations: expected 1 to {MOST_ITERATIONS:,}, got {iterations}")
        if seconds is not None and not 0 < seconds <= 3600:
            raise ValueError(f"seconds: expected more than 0 and at most 3600, got {seconds}")
        if not 1 <= threads <= 64:
            raise ValueError(f"threads: expected 1 to 64, got {threads}")
        unknown = set(taste) - set(USUAL_TASTE)
        if unknown:
            raise ValueError(f"expected a taste among {', '.join(USUAL_TASTE)}, got {', '.join(sorted(unknown))}")
        self._iterations = iterations
        self._seconds = seconds
        self._weights = Weighted()
        self._taste = for_kernels(records(TASTE, 1))
        for name, value in (USUAL_TASTE | taste).items():
            self._taste[name] = value
        self._rooms = for_kernels(records(ROOM, threads))
        self._crew = ThreadPoolExecutor(threads) if threads > 1 else None
        self._seed = 0
        self._asked = 0
        self._last = LastMove()
        forget_at(self._rooms)

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed
        self._asked = 0
        self._last.forget()
        forget_at(self._rooms)

    @property
    def reason(self) -> str:
        """A sentence about its last move, and about the worlds that spoke for it against the planner's."""
        return self._last.reason_among(self.visits())

    def choose(self, view: View) -> int:
        """The number of its move."""
        return self.choose_record(view.printed, for_kernels(view.record))

    def choose_record(self, board: Board, record: Any) -> int:
        """The number of its move."""
        end = None if self._seconds is None else time.perf_counter() + self._seconds
        given = board.record, record, self._weights.on(board), self._taste, self._rooms
        self._asked += 1
        rooms = range(len(self._rooms))
        considered = [begin_at(*given, at) for at in rooms]
        if considered[0] > 1:
            if self._crew is None:
                self._grow(given, 0, end)
            else:
                list(self._crew.map(lambda at: self._grow(given, at, end), rooms))
        move = int(best_at(self._rooms, self._taste))
        for at in rooms:
            decide_at(*given, at, move)
        self._last.keep(board, record, self._rooms["mind"][0], move)
        return move

    def _grow(self, given: tuple[Any, Any, Any, Any, Any], at: int, end: float | None) -> None:
        """Let one tree grow until its share of the iterations is done or the time is up."""
        threads = len(self._rooms)
        left = MOST_ITERATIONS if self._iterations is None else (self._iterations + threads - 1 - at) // threads
        seed = seeded(self._seed + self._asked) % LANE + at * LANE
        while left > 0 and (end is None or time.perf_counter() < end):
            now = min(CHUNK, left)
            grow_at(*given, at, seed, now)
            left -= now

    def visits(self) -> dict[int, tuple[int, float]]:
        """For each move it considered last: in how many worlds it was played, and how well that went, from 0 to 1."""
        found: dict[int, tuple[int, float]] = {}
        for room in self._rooms:
            at = int(room["nodes"]["child"][0])
            while at:
                node = room["nodes"][at]
                before, mean = found.get(int(node["move"]), (0, 0.0))
                count = before + int(node["visits"])
                total = mean * before + float(node["value"])
                found[int(node["move"])] = count, total / count if count else 0.0
                at = int(node["sibling"])
        return found
