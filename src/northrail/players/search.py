"""The search: imagines worlds that look like its view, and plays each move in them to the end."""

import time
from concurrent.futures import ThreadPoolExecutor

from northrail.boards.board import Board
from northrail.engine.state import ViewStruct, seeded
from northrail.engine.view import View
from northrail.players.last_move import LastMove
from northrail.players.planner import Weighted, forget
from northrail.players.plans import Weights
from northrail.players.tree import Room, Taste, begin, best_move, decide, grow

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
        self._taste = Taste()
        for name, value in (USUAL_TASTE | taste).items():
            setattr(self._taste, name, value)
        self._rooms = Room.many(threads)
        self._crew = ThreadPoolExecutor(threads) if threads > 1 else None
        self._seed = 0
        self._asked = 0
        self._last = LastMove()
        self._forget()

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed
        self._asked = 0
        self._last.forget()
        self._forget()

    def _forget(self) -> None:
        for room in self._rooms:
            forget(room.mind)

    @property
    def reason(self) -> str:
        """A sentence about its last move, and about the worlds that spoke for it against the planner's."""
        return self._last.reason_among(self.visits())

    def choose(self, view: View) -> int:
        """The number of its move."""
        return self.choose_record(view.board, view.struct)

    def choose_record(self, board: Board, record: ViewStruct) -> int:
        """The number of its move."""
        end = None if self._seconds is None else time.perf_counter() + self._seconds
        weights = self._weights.on(board)
        self._asked += 1
        considered = [begin(board.struct, record, weights, self._taste, room) for room in self._rooms]
        if considered[0] > 1:
            lanes = range(len(self._rooms))
            work = self._crew.map if self._crew is not None else map
            list(work(lambda lane: self._grow(board, record, weights, lane, end), lanes))
        move = best_move(self._rooms, len(self._rooms), self._taste)
        for room in self._rooms:
            decide(board.struct, record, weights, room, move)
        self._last.keep(board, record, self._rooms[0].mind, move)
        return move

    def _grow(self, board: Board, record: ViewStruct, weights: Weights, lane: int, end: float | None) -> None:
        """Let one tree grow until its share of the iterations is done or the time is up."""
        threads = len(self._rooms)
        room = self._rooms[lane]
        left = MOST_ITERATIONS if self._iterations is None else (self._iterations + threads - 1 - lane) // threads
        seed = seeded(self._seed + self._asked) % LANE + lane * LANE
        while left > 0 and (end is None or time.perf_counter() < end):
            now = min(CHUNK, left)
            grow(board.struct, record, weights, self._taste, room, seed, now)
            left -= now

    def visits(self) -> dict[int, tuple[int, float]]:
        """For each move it considered last: in how many worlds it was played, and how well that went, from 0 to 1."""
        found: dict[int, tuple[int, float]] = {}
        for room in self._rooms:
            at = room.nodes[0].child
            while at:
                node = room.nodes[at]
                before, mean = found.get(node.move, (0, 0.0))
                count = before + node.visits
                total = mean * before + node.value
                found[node.move] = count, total / count if count else 0.0
                at = node.sibling
        return found
