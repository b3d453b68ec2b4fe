"""Play the players of Northrail 0.2.0 in today's arena, as a yardstick for new ones.

    northrail arena expert ./tools/yardstick.py:Old                                    # 0.2.0's expert
    northrail arena search:seconds=0.2 ./tools/yardstick.py:Old:seconds=0.2            # at equal time
    northrail arena planner './tools/yardstick.py:Old:name="planner"' --games 1000

On first use, we take 0.2.0 from the git history and install it in an environment of its own in .cache/yardstick, with
the dependencies it was released with. Compiling its kernels takes about two minutes; run this file to do it in advance.
Then each process that plays starts one process of the old version, which serves many games.

We send a view as the position of a world imagined from it, and get back the text of a move. So the old player knows
what its seat may know, and nothing else. Board digests show that both versions have the same board. Players of 0.2.0
keep their plans between turns, so each game has an old player of its own.

This file runs in both processes: the old version's Python runs `serve`. So it imports only names that both versions
have. With ``seconds``, only thinking counts: compiling, loading and sending do not.
"""

import atexit
import fcntl
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from northrail import Board, Game, NorthrailError, View, load_board, load_player

VERSION, COMMIT = "0.2.0", "94fcab105453de9db35ef0070d1bbf754b7fe667"
REQUIREMENTS = ("numpy", "numba")  # what its players need; the server's dependencies can stay away
ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".cache" / "yardstick"


board_of = cache(load_board)  # loading takes a tenth of a second, and each game starts with it


class NoYardstick(NorthrailError):
    """The old version cannot be set up, or has stopped."""


# --- today's side -----------------------------------------------------------------------------------------------------


class Old:
    """A player of 0.2.0, by its name there. ``iterations`` or ``seconds`` replace the limits of that player."""

    numbers = itertools.count()
    gone: ClassVar[list[int]] = []  # numbers of players that the old version can forget

    def __init__(
        self, name: str = "expert", iterations: int | None = None, seconds: float | None = None, **settings: float
    ) -> None:
        limits = {"iterations": iterations, "seconds": seconds}
        self._recipe = {"name": name, "arguments": settings | (limits if (iterations, seconds) != (None, None) else {})}
        self._number = next(self.numbers)
        self._board: str | None = None
        weakref.finalize(self, self.gone.append, self._number)

    def start(self, board: Board, seat: int, seats: int, seed: int) -> None:
        """Begin a game with a new player of the old version."""
        self._board = board.id
        facts = {"board": board.id, "digest": board.digest, "seat": seat, "seats": seats, "seed": seed}
        process().ask({"start": self._number, **self._recipe, **facts})

    def choose(self, view: View) -> str | tuple[int, dict[str, int]]:
        """Return the text of its move, or a claim with its cards if the old player answers so."""
        if self._board != view.board.id:
            self.start(view.board, view.seat or 0, view.seats, 0)
        answer = process().ask({"choose": self._number, "position": Game.imagine(view).position()})
        return answer["text"] if "text" in answer else (answer["route"], answer["cards"])


class Process:
    """A process of the old version. It ends with this one, because its input then ends."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-P", __file__, "serve"],
            env={**_environment(), "PYTHONPATH": str(HOME / VERSION / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        atexit.register(self.end)

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the old version's answer."""
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        try:
            gone, Old.gone[:] = list(Old.gone), []
            questions.write(json.dumps({"gone": gone, **question}) + "\n")
            questions.flush()
            line = answers.readline()
        except OSError:
            line = ""
        if not line:
            process.cache_clear()
            code = self._process.wait()
            self.end()
            raise NoYardstick(f"the process of {VERSION} has ended with code {code}; its messages are above")
        answer = json.loads(line)
        if "fault" in answer:
            raise NoYardstick(f"{VERSION} answered: {answer['fault']}")
        return answer

    def end(self) -> None:
        """End the process, whatever it is doing."""
        with suppress(BrokenPipeError), self._process:  # which closes the pipes and waits
            self._process.kill()


@cache
def process() -> Process:
    """Return the process of the old version that belongs to this one; start it on first use."""
    return Process(prepare())


def prepare() -> Path:
    """Return the old version's Python; on first use, install it and compile its kernels."""
    python = HOME / "venv" / "bin" / "python"
    with _alone():
        if not (HOME / "installed").exists():
            for leftover in (HOME / VERSION, HOME / "venv"):
                shutil.rmtree(leftover, ignore_errors=True)
            with tarfile.open(fileobj=io.BytesIO(archive(ROOT))) as files:
                files.extractall(HOME / VERSION, filter="data")
            _run([sys.executable, "-m", "venv", HOME / "venv"])
            constraints = HOME / VERSION / "constraints.txt"
            pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _run([*pip, "--constraint", constraints, *REQUIREMENTS])
            (HOME / "installed").touch()
        if not (HOME / "compiled").exists():
            first = Process(python)
            for at, name in enumerate(("planner", "expert")):
                board = board_of("nordic-countries")
                facts = {"board": board.id, "digest": board.digest, "seat": 0, "seats": 2, "seed": 0}
                first.ask({"start": at, "name": name, "arguments": {}, **facts})
            first.end()
            (HOME / "compiled").touch()
    return python


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock among all processes: many workers may start at once."""
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed, also by a process that is killed
        yield


def archive(clone: Path) -> bytes:
    """Return the old version's sources out of the history of a clone, as a tar file."""
    asked = f"the yardstick is version {VERSION}, commit {COMMIT[:7]} of the project's history"
    try:
        git = subprocess.run(
            ["git", "-C", clone, "archive", "--format=tar", COMMIT, "src", "constraints.txt"],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise NoYardstick(f"{asked}; install git to read it") from error
    if git.returncode == 0:
        return git.stdout
    if not (clone / ".git").exists():
        raise NoYardstick(f"{asked}, and {clone} is not a git clone; clone the project to use it")
    said = (git.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"])[-1]
    raise NoYardstick(f"{asked}, which this clone lacks; if it is shallow, run git fetch --unshallow; git said: {said}")


def _run(command: list[Any]) -> None:
    """Run a command of the set-up; raise NoYardstick with the end of its messages if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        env=_environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise NoYardstick(f"cannot set up {VERSION} in {HOME}: {' '.join(map(str, command[1:4]))} failed:\n{said}")


def _environment() -> dict[str, str]:
    """Return the environment without what is meant for today's version."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


# --- the old version's side -------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer questions, a line of JSON each, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks handles Ctrl-C
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing that is printed may mix with the answers
    tables = Tables()
    for line in sys.stdin:
        try:
            answer = tables.answer(json.loads(line))
        except Exception as error:  # tell it to the side that can do something about it
            answer = {"fault": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Tables:
    """The old players, by their numbers, each with the board it plays on and its seat."""

    def __init__(self) -> None:
        self.players: dict[int, tuple[Any, Board, int]] = {}
        self.warm: set[tuple[str, str]] = set()

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a question."""
        for number in question.pop("gone"):
            self.players.pop(number, None)
        if "start" in question:
            self.start(**question)
            return {}
        return self.choose(question["choose"], question["position"])

    def start(
        self,
        start: int,
        name: str,
        arguments: dict[str, Any],
        board: str,
        digest: str,
        seat: int,
        seats: int,
        seed: int,
    ) -> None:
        """Create a player and begin a game."""
        here = board_of(board)
        if here.digest != digest:
            raise ValueError(f"board: expected {board} with the digest {here.digest}, got {digest}")
        recipe = load_player(name)
        recipe = replace(recipe, arguments=recipe.arguments | arguments)
        self.warm_up(recipe, here)
        player: Any = recipe()
        if hasattr(player, "start"):
            player.start(here, seat, seats, seed)
        self.players[start] = player, here, seat

    def choose(self, number: int, position: dict[str, Any]) -> dict[str, Any]:
        """Return a player's move, or its claim with all cards."""
        player, board, seat = self.players[number]
        game = Game.from_position(board, position)
        answer = player.choose(game.view(seat))
        if isinstance(answer, tuple):
            return {"route": answer[0], "cards": answer[1]}
        if isinstance(answer, int):
            legal = {move.number: str(move) for move in game.moves()}
            if answer not in legal:
                raise ValueError(f"expected a legal move, got number {answer} from {type(player).__name__}")
            answer = legal[answer]
        return {"text": str(answer)}

    def warm_up(self, recipe: Any, board: Board) -> None:
        """Play a game quickly, once for each kind of player, so that no kernel is compiled or loaded on the clock."""
        kind = recipe.module, recipe.made_of
        if kind not in self.warm:
            quick = {"iterations": 1, "seconds": None} if recipe.made_of == "Search" else {}
            player = replace(recipe, arguments=recipe.arguments | quick)()
            game = Game(board, seats=2, seed=1)
            while not game.over:
                copy = Game.from_position(board, game.position())
                answer = player.choose(copy.view(game.seat))
                if isinstance(answer, tuple):
                    game.claim(*answer)
                else:
                    game.play(answer)
            self.warm.add(kind)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        prepare()
