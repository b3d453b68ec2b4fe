"""The search: imagines worlds that fit its view, tries its moves in them, and judges or plays out what follows."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from northrail.boards.board import Board
from northrail.engine.state import ViewStruct
from northrail.engine.view import View
from northrail.kernels.structs import copy_struct
from northrail.players.chance import seed_for_choice
from northrail.players.last_move import LastMove
from northrail.players.plan_structs import Weights
from northrail.players.planner import PATIENT, PLAYOUTS, BoardWeights, fill_weights
from northrail.players.plans import clear_plan
from northrail.players.tree import SearchSettings, TreeScratch, begin, best_move, decide, grow
from northrail.players.value import load_net, net_of

USUAL_SECONDS = 0.1
CHUNK = 50  # iterations between two checks of the clock
MOST_ITERATIONS = 10_000_000
USUAL_SETTINGS = {"explore": 0.35, "margin": 60.0, "win": 0.1, "calm": 10.0, "doubt": 1.75, "suit": 6.0, "ahead": 3}
JUDGED = 6  # worlds with a network that count as much as one game to the end, which takes four times as long
LANE = 1 << 56  # the distance between the seeds of two threads


class Search:
    """Looks ahead in random worlds that fit its view, for a number of ``iterations`` or ``seconds`` per move.

    An iteration is a world. It costs more the more seats there are, and much more on boards without a network, where
    every seat plays to the end. ``effort`` evens that out: with it, a move takes about as long at every table. If you
    give more than one limit, the search stops at the first that it reaches. Without seconds, the same seed and view
    give the same move. ``network=False`` plays every world to the end, and ``network="mine.npz"`` names a file.

    Each of the ``threads`` grows its own tree in its own worlds, and they share the iterations.
    """

    def __init__(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        effort: int | None = None,
        network: bool | str = True,
        **settings: float,
    ) -> None:
        if iterations is None and effort is None and seconds is None:
            seconds = USUAL_SECONDS
        for name, limit in (("iterations", iterations), ("effort", effort)):
            if limit is not None and not 1 <= limit <= MOST_ITERATIONS:
                raise ValueError(f"{name}: expected 1 to {MOST_ITERATIONS:,}, got {limit}")
        if seconds is not None and not 0 < seconds <= 3600:
            raise ValueError(f"seconds: expected more than 0 and at most 3600, got {seconds}")
        if not 1 <= threads <= 64:
            raise ValueError(f"threads: expected 1 to 64, got {threads}")
        unknown = set(settings) - set(USUAL_SETTINGS)
        if unknown:
            raise ValueError(f"expected settings among {', '.join(USUAL_SETTINGS)}, got {', '.join(sorted(unknown))}")
        self._iterations = MOST_ITERATIONS if iterations is None else iterations
        self._effort = effort
        self._seconds = seconds
        self._network = network
        self._board = ""  # the digest of the board that everything is set up for
        self._weights = BoardWeights()
        self._quick = Weights()  # of the quick planner that plays in imagined worlds
        self._settings = SearchSettings()
        for name, value in (USUAL_SETTINGS | settings).items():
            setattr(self._settings, name, value)
        self._trees = TreeScratch.many(threads)
        self._crew = ThreadPoolExecutor(threads) if threads > 1 else None
        self._seed = 0
        self.last_move: LastMove | None = None
        self._clear_plans()

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed
        self.last_move = None
        self._clear_plans()

    def _clear_plans(self) -> None:
        for tree in self._trees:
            clear_plan(tree.plan)

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        end = None if self._seconds is None else time.perf_counter() + self._seconds
        self._set_up(board)
        weights = self._weights.on(board)
        seed = seed_for_choice(self._seed, view)
        considered = [begin(board.struct, view, weights, self._settings, tree) for tree in self._trees]
        if considered[0] > 1:
            lanes = range(len(self._trees))
            work = self._crew.map if self._crew is not None else map
            list(work(lambda lane: self._grow(board, view, seed, lane, end), lanes))
        move = best_move(self._trees, len(self._trees), self._settings)
        for tree in self._trees:
            decide(board.struct, view, weights, tree, move)
        self.last_move = LastMove(board, bytes(view), bytes(self._trees[0].plan), move, self._visits())
        return move

    def _set_up(self, board: Board) -> None:
        """Take the network of a board, and the weights that go with it."""
        if self._board == board.digest:
            return
        self._board = board.digest
        net = load_net(self._network, board) if isinstance(self._network, str) else None
        if self._network is True:
            net = net_of(board.digest)
        self._settings.network = net is not None
        fill_weights(self._quick, board, {}, PLAYOUTS if net is not None else PATIENT)
        for tree in self._trees:
            if net is not None:
                copy_struct(tree.net, net)

    def _grow(self, board: Board, view: ViewStruct, seed: int, lane: int, end: float | None) -> None:
        """Grow one tree until its share of the iterations is done or the time is up."""
        threads = len(self._trees)
        tree = self._trees[lane]
        left = (self._iterations_for(view.seats) + threads - 1 - lane) // threads
        while left > 0 and (end is None or time.perf_counter() < end):
            now = min(CHUNK, left)
            grow(board.struct, view, self._quick, self._settings, tree, seed + lane * LANE, now)
            left -= now

    def _iterations_for(self, seats: int) -> int:
        """Return the most iterations that it may use for a move, with this many seats."""
        if self._effort is None:
            return self._iterations
        return min(self._iterations, max(1, self._effort * (JUDGED if self._settings.network else 1) // seats))

    def visits(self) -> Mapping[int, tuple[int, float]]:
        """Return, for each move of the last search, how many worlds it was played in and its mean value from 0 to 1."""
        return self.last_move.visits if self.last_move is not None else {}

    def _visits(self) -> dict[int, tuple[int, float]]:
        found: dict[int, tuple[int, float]] = {}
        for tree in self._trees:
            at = tree.nodes[0].child
            while at:
                node = tree.nodes[at]
                before, mean = found.get(node.move, (0, 0.0))
                count = before + node.visits
                total = mean * before + node.value
                found[node.move] = count, total / count if count else 0.0
                at = node.sibling
        return found
