"""The file that results are kept in, a line for each game as it ends."""

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
    """A file of results: a line that says what is played, then a line for each game as it ends."""

    path: Path
    board: str  # as it was named
    players: tuple[str, ...]  # as they were named
    seats: int
    seed: int
    limit: float
    games: int  # how many are wanted; more may be asked for later
    digests: tuple[str, ...]  # of the board, and of the players

    @classmethod
    def of(cls, path: Path, contest: Contest, board: str, players: Sequence[str], games: int) -> Self:
        """The run of a contest, to be written to ``path``."""
        digests = (contest.board.digest, *(player.digest for player in contest.players))
        return cls(path, board, tuple(players), contest.seats, contest.seed, contest.limit, games, digests)

    def contest(self) -> Contest:
        """What is played; raises BadRun if a board or player is no longer what it was."""
        contest = Contest(load_board(self.board), load_players(self.players), self.seats, self.seed, self.limit)
        names = (self.board, *self.players)
        now = Run.of(self.path, contest, self.board, self.players, self.games).digests
        for name, was, is_now in zip(names, self.digests, now, strict=True):
            if was != is_now:
                raise BadRun(f"{self.path}: expected {name} as it was ({was}), got another version ({is_now})")
        return contest

    def begin(self) -> None:
        """Write the file's first line; there must be no such file."""
        facts = {"northrail_arena": RUN_FORMAT, **asdict(self)}
        del facts["path"]
        try:
            with self.path.open("x", encoding="utf-8") as file:
                file.write(json.dumps(facts) + "\n")
        except FileExistsError as fault:
            raise BadRun(
                f"{self.path}: expected a new file, got one that is there; go on with it by --resume"
            ) from fault
        except OSError as fault:
            raise BadRun(f"{self.path}: expected a file to write results to, got {fault.strerror}") from fault

    def add(self, results: Iterable[Result]) -> Results:
        """The results themselves, each once it is written; a last line that was torn is cut off before."""
        whole = self.path.read_bytes().rfind(b"\n") + 1
        os.truncate(self.path, whole)
        with self.path.open("a", encoding="utf-8") as file:
            for result in results:
                file.write(result.line() + "\n")
                file.flush()
                yield result


def read_run(path: Path) -> tuple[Run, list[Result]]:
    """A run and its results so far, by number. A last line that is torn, or just being written, is left out."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise BadRun(f"{path}: expected results of an arena, got {fault.strerror}") from fault
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.decode("utf-8", "replace").splitlines()
    try:
        facts = json.loads(lines[0])
        if facts.pop("northrail_arena") != RUN_FORMAT:
            raise ValueError
        run = Run(path, **facts | {name: tuple(facts[name]) for name in ("players", "digests")})
    except (LookupError, TypeError, ValueError, AttributeError) as fault:
        raise BadRun(f"{path}: expected results of an arena, got {lines[0][:60] if lines else 'nothing'!r}") from fault
    results: dict[int, Result] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            result = Result.from_line(line)
        except (LookupError, TypeError, ValueError, AttributeError) as fault:
            raise BadRun(f"{path}: expected a result in line {number}, got {line[:60]!r}") from fault
        results[result.game] = result
    return run, [results[game] for game in sorted(results)]
