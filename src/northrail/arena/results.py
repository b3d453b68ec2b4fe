"""The file that holds a run's results."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from northrail.arena.contest import BadRun, Contest
from northrail.arena.match import Result, Results
from northrail.boards.load import load_board
from northrail.players import load_players

RUN_FORMAT = 1


@dataclass(frozen=True)
class Run:
    """A file of results: one line describes the contest, then each finished game adds a line."""

    path: Path
    board: str  # as given on the command line
    players: tuple[str, ...]  # as given on the command line
    seats: int
    seed: int
    limit: float
    games: int  # how many to play; you can ask for more when you resume
    digests: tuple[str, ...]  # of the board, then of each player

    @classmethod
    def of(cls, path: Path, contest: Contest, board: str, players: Sequence[str], games: int) -> Self:
        """Return the run of a contest, with its results in ``path``."""
        digests = (contest.board.digest, *(player.digest for player in contest.players))
        return cls(path, board, tuple(players), contest.seats, contest.seed, contest.limit, games, digests)

    def contest(self) -> Contest:
        """Return the contest; raise BadRun if the board or a player has changed since the run began."""
        contest = Contest(load_board(self.board), load_players(self.players), self.seats, self.seed, self.limit)
        names = (self.board, *self.players)
        now = Run.of(self.path, contest, self.board, self.players, self.games).digests
        for name, was, is_now in zip(names, self.digests, now, strict=True):
            if was != is_now:
                raise BadRun(f"{self.path}: {name} has changed since this run began (was {was}, is {is_now})")
        return contest

    def begin(self) -> None:
        """Create the file and write its first line; raise BadRun if the file exists."""
        facts = {"northrail_arena": RUN_FORMAT, **asdict(self)}
        del facts["path"]
        try:
            with self.path.open("x", encoding="utf-8") as file:
                file.write(json.dumps(facts) + "\n")
        except FileExistsError as error:
            raise BadRun(f"{self.path} exists; use --resume to continue it, or choose another file") from error
        except OSError as error:
            raise BadRun(f"{self.path}: cannot write results: {error.strerror}") from error

    def add(self, results: Iterable[Result]) -> Results:
        """Write each result to the file, then yield it. Remove an incomplete last line first."""
        whole = self.path.read_bytes().rfind(b"\n") + 1
        os.truncate(self.path, whole)
        with self.path.open("a", encoding="utf-8") as file:
            for result in results:
                file.write(result.line() + "\n")
                file.flush()
                yield result


def read_run(path: Path) -> tuple[Run, list[Result]]:
    """Read a run and its results so far, in order of game number. Ignore an incomplete last line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadRun(f"{path}: cannot read arena results: {error.strerror}") from error
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.decode("utf-8", "replace").splitlines()
    try:
        facts = json.loads(lines[0])
        if facts.pop("northrail_arena") != RUN_FORMAT:
            raise ValueError
        run = Run(path, **facts | {name: tuple(facts[name]) for name in ("players", "digests")})
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadRun(f"{path}: expected arena results, got {lines[0][:60] if lines else 'nothing'!r}") from error
    results: dict[int, Result] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            result = Result.from_line(line)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise BadRun(f"{path}: expected a result in line {number}, got {line[:60]!r}") from error
        results[result.game] = result
    return run, [results[game] for game in sorted(results)]
