"""`Vector`: many games in flat arrays, stepped inside one kernel call."""

import itertools
import struct
import threading
import weakref
from collections.abc import Sequence
from hashlib import blake2b
from queue import SimpleQueue
from typing import Any, Self

import numpy as np

from northrail.boards.board import NOBODY, Board
from northrail.boards.load import load_board
from northrail.engine.batches import CHOICES
from northrail.engine.game import RULES, Game
from northrail.engine.moves import OTHER_MOVES, move_of
from northrail.engine.position import position_of
from northrail.engine.state import State, seeded
from northrail.engine.view import legal_moves, offered_tickets
from northrail.errors import BadMove, BadPosition, IllegalMove, NorthrailError
from northrail.kernels.structs import Structs
from northrail.players import BadPlayer
from northrail.research.episodes import (
    ASKED,
    BEGIN,
    CHECK,
    DISABLED,
    DONE,
    MARGIN,
    NEXT_STEP,
    PICK,
    SAME_STEP,
    SCORE,
    SHOW,
    SIGNALS,
    STEP,
    STEPS,
    STOP,
    WIN,
    Episode,
    StepScratch,
    ask,
    observe,
    serve,
    wait_for_workers,
    work,
)
from northrail.research.layouts import LAYOUTS, Layout, layout_of
from northrail.research.seating import setup_of

REWARDS = {"margin": MARGIN, "win": WIN, "score": SCORE, "steps": STEPS}
AUTORESET = {"next-step": NEXT_STEP, "same-step": SAME_STEP, "disabled": DISABLED}
ILLEGAL = ("raise", "lose")
MOST_GAMES = 1 << 24
MOST_SEED = (1 << 61) - 1  # leaves room for the seeds of later games

STATE_VERSION = 1
HEAD = struct.Struct("<9sHHB16s16sIQ16s")  # magic, versions, seats, board, reward, size and number of games, checksum
MAGIC = b"northrail"

Actions = np.ndarray[Any, np.dtype[np.integer[Any]]]


class Vector:
    """Many games at once. Every step plays one action in each of them.

    ``players`` says who plays each seat: ``learner`` (you), or a bot that answers inside the kernel. The arrays are
    written in place at every step; copy what you keep. Row ``n`` belongs to game ``n``:

    - ``obs`` uint8: what the learner to move may know, as `layout` describes it
    - ``mask`` int8: 1 for each legal action; actions are the move numbers of `Game`
    - ``to_move`` int8: the seat that observes and acts
    - ``rewards`` float32: one for each seat, for what happened since the last step
    - ``terminated``, ``truncated`` bool: whether this step ended the game
    - ``scores`` int16: the final scores, where ``terminated``
    - ``final_obs`` uint8: the last observation of a game that ended, if ``autoreset`` is ``same-step``

    >>> vector = Vector("nordic-countries", games=4, players=("learner", "path"), seed=7)
    >>> obs, rewards, terminated, truncated = vector.step(vector.random_actions())
    >>> obs.shape, vector.mask.shape, vector.to_move.tolist()
    ((4, 563), (4, 134), [0, 0, 0, 0])
    """

    def __init__(
        self,
        board: Board | str = "nordic-countries",
        games: int = 1024,
        players: Sequence[str] = ("learner", "learner"),
        *,
        seed: int = 0,
        layout: str = "compact",
        reward: str = "margin",
        autoreset: str = "next-step",
        illegal: str = "raise",
        most_steps: int | None = None,
        threads: int = 1,
    ) -> None:
        self.board = load_board(board) if isinstance(board, str) else board
        self.players = tuple(players)
        least, most = self.board.rules.seats
        if not least <= len(self.players) <= most:
            raise BadPosition(
                f"players: expected one for each seat, {least} to {most} on {self.board.name}, got {len(self.players)}"
            )
        _check("games", games, 1, MOST_GAMES)
        _check("seed", seed, 0, MOST_SEED)
        _check("threads", threads, 1, 1024)
        if most_steps is not None:
            _check("most_steps", most_steps, 1, 1 << 31)
        for name, given, known in (
            ("layout", layout, LAYOUTS),
            ("reward", reward, REWARDS),
            ("autoreset", autoreset, AUTORESET),
            ("illegal", illegal, ILLEGAL),
        ):
            if given not in known:
                raise NorthrailError(f"{name}: expected {', '.join(known)}, got {given!r}")
        self.games, self.seats = games, len(self.players)
        self.autoreset, self.reward, self.illegal = autoreset, reward, illegal
        self.layout: Layout = layout_of(self.board, self.seats, layout)
        self.actions = len(self.board.routes) + OTHER_MOVES  # how many different actions there are
        if "learner" not in self.players:
            raise BadPlayer(f"players: expected a learner in at least one seat, got {', '.join(self.players)}")
        self._setup = setup_of(self.board, self.players)
        self._setup.stride, self._setup.most_steps, self._setup.width = games, most_steps or 0, self.layout.width
        self._setup.layout, self._setup.reward = LAYOUTS[layout], REWARDS[reward]
        self._setup.autoreset = AUTORESET[autoreset]

        self._episodes = Episode.many(games)
        self._rows = np.frombuffer(self._episodes.memory, np.uint8).reshape(games, -1)  # a game is a row of bytes
        self.obs = np.zeros((games, self.layout.width), np.uint8)
        self.mask = np.zeros((games, self.actions), np.int8)
        self.to_move = np.zeros(games, np.int8)
        self.rewards = np.zeros((games, self.seats), np.float32)
        self.terminated = np.zeros(games, np.bool_)
        self.truncated = np.zeros(games, np.bool_)
        self.scores = np.zeros((games, self.seats), np.int16)
        self.final_obs = np.zeros((games if autoreset == "same-step" else 0, self.layout.width), np.uint8)
        self._picked = np.zeros(games, np.int64)
        self._rng = np.zeros(games, np.int64)  # for random actions, one generator for each game
        self._wanted, self._seeds = np.zeros(games, np.int8), np.zeros(games, np.int64)  # what to deal
        self._actions = np.zeros(games, np.int64)

        bounds = np.linspace(0, games, min(threads, games) + 1).astype(int).tolist()
        self._shares = [_Share(self, start, stop) for start, stop in itertools.pairwise(bounds)]
        self._signals = np.zeros((len(self._shares) - 1) * SIGNALS, np.int64)
        lines = self._signals.reshape(-1, SIGNALS)
        self._workers = [_Worker(share, line) for share, line in zip(self._shares[1:], lines, strict=True)]
        self._stop = weakref.finalize(self, _stop, self._workers)
        self.closed = False
        self.reset(seed)

    # --- playing

    def reset(self, seed: int | Sequence[int] | None = None, games: Any = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Deal games anew and return ``obs``: all games, or those that ``games`` (a mask or numbers) selects.

        With a seed, game n starts like ``Game(board, seats, seed + n)``; you may also give each game its own. Without
        one, each game takes its next seed: the old one plus the number of games.
        """
        self._must_be_open()
        wanted = self._selected(games)
        seeds = self._episodes.array["seed"] + self.games
        if seed is not None:
            seeds = self._seeds_from(seed)
            self._rng[:] = [seeded(int(each) + CHOICES) for each in seeds]
        self._wanted[:], self._seeds[:] = wanted, seeds
        self._run(BEGIN)
        for array in (self.rewards, self.terminated, self.truncated, self.scores):
            array[wanted] = 0
        return self.obs

    def step(
        self, actions: Any
    ) -> tuple[
        np.ndarray[Any, np.dtype[np.uint8]],
        np.ndarray[Any, np.dtype[np.float32]],
        np.ndarray[Any, np.dtype[np.bool_]],
        np.ndarray[Any, np.dtype[np.bool_]],
    ]:
        """Play one action in each game; return ``obs``, ``rewards``, ``terminated`` and ``truncated``.

        A finished game ignores its action. With ``autoreset="next-step"`` this step deals it anew.
        """
        self._must_be_open()
        self._take(actions)
        if self.illegal == "raise":
            self._run(CHECK)
            for share in self._shares:
                if share.illegal[0] != NOBODY:
                    self._refuse(share.start + int(share.illegal[0]))
        self._run(STEP)
        return self.obs, self.rewards, self.terminated, self.truncated

    def random_actions(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return a random legal action for each game, in an array that the next call overwrites.

        The same seed gives the same actions: until its first end, game n is game n of `northrail.random_games`.
        """
        self._must_be_open()
        self._run(PICK)
        return self._picked

    def observe(self, game: int, seat: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return what any seat may know of a game, in a new array."""
        self._must_be_open()
        _check("game", game, 0, self.games - 1)
        _check("seat", seat, 0, self.seats - 1)
        obs = np.zeros(self.layout.width, np.uint8)
        observe(self.board.struct, self._setup, self._shares[0].scratch, self._episodes, game, seat, obs)
        return obs

    def game(self, number: int) -> Game:
        """Return a copy of one game as a `Game`, with every secret. Its record starts here."""
        self._must_be_open()
        _check("game", number, 0, self.games - 1)
        return Game.from_position(self.board, position_of(self.board, self._state(number)))

    def seeds(self) -> list[int]:
        """Return the seed of each game: it started like ``Game(board, seats, seed)``."""
        self._must_be_open()
        return [int(seed) for seed in self._episodes.array["seed"]]

    def close(self) -> None:
        """Free the threads; a closed vector refuses everything else."""
        self._stop()
        self.closed = True

    # --- saving and loading

    def get_state(self, games: Any = None) -> bytes:
        """Return all games, or those that ``games`` (a mask or numbers) selects, as bytes with a version."""
        self._must_be_open()
        content: bytes = self._rows[self._selected(games)].tobytes()
        return self._head(content) + content

    def set_state(self, state: bytes, games: Any = None) -> None:
        """Continue from what `get_state` returned, for as many games; raise BadPosition if it does not fit."""
        self._must_be_open()
        wanted = self._selected(games)
        content = self._content(state)
        count, expected = len(content) // Episode.dtype.itemsize, int(wanted.sum())
        if count != expected:
            raise BadPosition(f"state: expected {expected} games, got {count}")
        self._rows[wanted] = np.frombuffer(content, np.uint8).reshape(count, -1)
        for array in (self.rewards, self.terminated, self.truncated, self.scores):
            array[wanted] = 0
        self._run(SHOW)

    def _head(self, content: bytes) -> bytes:
        size, count = Episode.dtype.itemsize, len(content) // Episode.dtype.itemsize
        board, reward = self.board.digest.encode(), self.reward.encode()
        checksum = blake2b(content, digest_size=16).digest()
        return HEAD.pack(MAGIC, STATE_VERSION, RULES, self.seats, board, reward, size, count, checksum)

    def _content(self, state: bytes) -> bytes:
        """Return the games in a saved state; raise BadPosition unless it belongs to such a vector."""
        if not isinstance(state, bytes) or len(state) < HEAD.size or state[: len(MAGIC)] != MAGIC:
            raise BadPosition(f"state: expected bytes from get_state, got {state[:20]!r}")
        content = state[HEAD.size :]
        head = HEAD.unpack(state[: HEAD.size])
        ours = HEAD.unpack(self._head(content))
        fields = ("", "version", "version of the rules", "number of seats", "board", "reward", "size", "length")
        for field, theirs, mine in zip(fields, head, ours, strict=False):
            if theirs != mine:
                raise BadPosition(f"state: expected the {field} {_text(mine)}, got {_text(theirs)}")
        if head[-1] != ours[-1]:
            raise BadPosition("state: expected bytes from get_state, got damaged ones; save the state again")
        return content

    def __deepcopy__(self, _memo: Any) -> Self:
        return self._copy(self.__getstate__())

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs; threads and views of memory are made anew."""
        setup = {name: getattr(self, name) for name in ("board", "games", "players", "reward", "autoreset", "illegal")}
        setup |= {"layout": self.layout.name.rpartition("-")[0], "most_steps": self._setup.most_steps or None}
        arrays = {name: getattr(self, name).copy() for name in ARRAYS}
        return {"setup": setup | {"threads": len(self._shares)}, "arrays": arrays, "state": self.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["setup"])  # type: ignore[misc]  # a vector is what it was made with, and its games
        self.set_state(state["state"])
        for name, array in state["arrays"].items():
            getattr(self, name)[:] = array

    def _copy(self, state: dict[str, Any]) -> Self:
        new = type(self).__new__(type(self))
        new.__setstate__(state)
        return new

    # --- checks

    def _must_be_open(self) -> None:
        if getattr(self, "closed", False):
            raise NorthrailError("expected an open vector, got a closed one; make a new one")

    def _selected(self, games: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which games are selected, by a mask or by their numbers."""
        if games is None:
            return np.ones(self.games, np.bool_)
        given = np.asarray(games)
        if given.dtype == np.bool_ and given.shape == (self.games,):
            return given
        if given.ndim > 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise NorthrailError(f"games: expected {self.games} bools or a list of numbers, got {games!r}")
        if given.size and not (given.min() >= 0 and given.max() < self.games):
            raise NorthrailError(f"games: expected numbers from 0 to {self.games - 1}, got {games!r}")
        wanted = np.zeros(self.games, np.bool_)
        wanted[given.astype(np.int64)] = True
        return wanted

    def _seeds_from(self, seed: int | Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        if isinstance(seed, Sequence):
            if len(seed) != self.games:
                raise NorthrailError(f"seed: expected a number or {self.games} of them, got {len(seed)}")
            for each in seed:
                _check("seed", each, 0, MOST_SEED)
            return np.array(seed, np.int64)
        _check("seed", seed, 0, MOST_SEED)
        return np.arange(seed, seed + self.games)

    def _take(self, actions: Any) -> None:
        """Copy actions to where the kernels read them; raise BadMove unless they are one integer for each game."""
        given = np.asarray(actions)
        if given.shape != (self.games,) or not np.issubdtype(given.dtype, np.integer):
            raise BadMove(
                f"actions: expected {self.games} integers, one for each game, got {given.dtype} of shape {given.shape}"
            )
        self._actions[:] = given

    def _refuse(self, number: int) -> None:
        """Raise the error for an illegal action."""
        action = int(self._actions[number])
        if not 0 <= action < self.actions:
            raise BadMove(f"game {number}: expected an action from 0 to {self.actions - 1}, got {action}")
        s = self._state(number)
        offered = offered_tickets(s)
        legal = legal_moves(self.board, s)
        try:
            text = str(move_of(self.board, action, offered))
        except BadMove:
            text = "a set of tickets that are not on offer"
        raise IllegalMove(
            f"game {number}: expected one of {len(legal)} legal actions, such as {legal[0].number} ({legal[0]}), "
            f"got {action} ({text}); see mask[{number}]"
        )

    def _state(self, number: int) -> State:
        return self._episodes[number].state.copy()

    def _run(self, job: int) -> None:
        """Do a job for all games. The calling thread does the first share."""
        for worker in self._workers:
            worker.ask(job)
        work(job, *self._shares[0].arguments)
        wait_for_workers(self._signals, len(self._workers))


ARRAYS = ("obs", "mask", "to_move", "rewards", "terminated", "truncated", "scores", "final_obs", "_rng")


class _Share:
    """The games of one thread: their part of every array, flat, as kernels take it."""

    def __init__(self, vector: Vector, start: int, stop: int) -> None:
        size, rows, self.start = Episode.dtype.itemsize, slice(start, stop), start
        episodes = Structs(Episode, stop - start, vector._episodes.memory[start * size : stop * size])
        self.scratch, self.illegal = StepScratch(), np.full(1, NOBODY, np.int64)
        self.arguments = (
            *(vector.board.struct, vector._setup, self.scratch, episodes, stop - start),
            *(vector._wanted[rows], vector._seeds[rows], vector._rng[rows], vector._picked[rows]),
            *(vector._actions[rows], self.illegal),
            *(vector.obs[rows].reshape(-1), vector.mask[rows].reshape(-1).view(np.uint8), vector.to_move[rows]),
            *(vector.rewards[rows].reshape(-1), vector.terminated[rows].view(np.int8)),
            *(vector.truncated[rows].view(np.int8), vector.scores[rows].reshape(-1)),
            vector.final_obs[rows].reshape(-1),
        )


class _Worker:
    """A thread that waits inside a kernel for jobs. After a while without any it sleeps."""

    def __init__(self, share: _Share, signals: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        self._share, self._signals = share, signals
        self._start()

    def ask(self, job: int) -> None:
        """Give the thread a job."""
        if not self._thread.is_alive():  # a fork leaves only the thread that forks
            self._start()
        if ask(self._signals, job):
            self._wake.put(None)

    def stop(self) -> None:
        """End the thread."""
        if self._thread.is_alive():
            self.ask(STOP)
            self._thread.join()

    def _start(self) -> None:
        self._signals[DONE] = self._signals[ASKED]
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=_serve, args=(self._share, self._signals, self._wake), daemon=True)
        self._thread.start()


def _serve(share: _Share, signals: np.ndarray[Any, np.dtype[np.int64]], wake: "SimpleQueue[None]") -> None:
    while serve(signals, *share.arguments):
        wake.get()


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.stop()


def _check(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise NorthrailError(f"{name}: expected a number from {least} to {most}, got {value!r}")


def _text(value: Any) -> Any:
    return value.rstrip(b"\0").decode(errors="replace") if isinstance(value, bytes) else value
