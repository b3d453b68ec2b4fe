"""One game between players. A player that answers badly, or not at all, loses it."""

import json
import math
import operator
import re
import time
import traceback
from collections.abc import Callable, Generator, MutableSequence, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from northrail.arena.contest import Contest, seed_for
from northrail.boards.board import TICKET_BITS, numbers_in
from northrail.engine.game import Game
from northrail.engine.knowledge import look
from northrail.engine.moves import OTHER_MOVES, move_of
from northrail.engine.refusals import why_not
from northrail.engine.rules import Log, apply, is_legal, legal
from northrail.engine.state import OVER, Moves, ViewStruct
from northrail.errors import NorthrailError
from northrail.players import Player
from northrail.players.decide import play_answer

GRACE = 1.0  # extra seconds before we kill the process of a player that does not answer

# What a worker process is doing, in memory it shares with the process that watches it.
# ALLOWED: seconds for the current answer. UNTIL: its deadline, by time.monotonic.
GAME, SEAT, MOVE, ALLOWED, UNTIL = range(5)
IDLE = (-1.0, 0.0, 0.0, 0.0, math.inf)


@dataclass(frozen=True)
class Fault:
    """Why a player lost before the end of the game."""

    player: str
    seat: int
    move: int  # 1-based move number; 0 before the first
    kind: str  # raised, illegal, cheated, slow, gone
    text: str


@dataclass(frozen=True)
class Result:
    """The result of a game, by seat. A game that ended by a fault has no points."""

    game: int
    seed: int
    players: tuple[str, ...]
    places: tuple[int, ...]  # 1 for the winner; tied seats share the better place
    points: tuple[int, ...] | None
    completed: tuple[int, ...] | None
    tickets: tuple[int, ...] | None
    decisions: tuple[int, ...]
    fault: Fault | None = None
    seconds: tuple[float, ...] = field(default=(), compare=False)  # thinking time; differs from run to run

    def line(self) -> str:
        """Return the result as a line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Read a result from a line of JSON; raise LookupError, TypeError or ValueError if it is not one."""
        facts = json.loads(line)
        for name in ("players", "places", "points", "completed", "tickets", "decisions", "seconds"):
            facts[name] = None if facts[name] is None else tuple(facts[name])
        return cls(**facts | {"fault": facts["fault"] and Fault(**facts["fault"])})


Results = Generator[Result, None, None]


class Lost(Exception):
    """The player to move has lost; holds the kind of fault, and why."""


class Table:
    """A game between players."""

    def __init__(self, contest: Contest, number: int, doing: MutableSequence[float]) -> None:
        doing[GAME], doing[SEAT], doing[MOVE] = number, 0, 0
        self.doing = doing
        self.contest = contest
        self.number = number
        self.seed, line_up = contest.game(number)
        self.recipes = [contest.players[player] for player in line_up]
        self.game = Game(contest.board, contest.seats, self.seed)
        self.memory, self.original = contest.board.struct.memory, bytes(contest.board.struct)
        self.players: list[Player] = []
        self.decisions = [0] * contest.seats
        self.seconds = [0.0] * contest.seats

    def play(self) -> Result:
        """Play the game to its end, or to the first fault."""
        try:
            self.sit_down()
            self.play_moves()
            for seat, player in enumerate(self.players):
                if hasattr(player, "finish"):
                    self.ask(seat, False, player.finish, self.game.view(seat))
        except Lost as lost:
            kind, text = lost.args
            return forfeit(self.contest, self.doing, kind, text, self.decisions, self.seconds)
        finally:
            self.doing[UNTIL] = math.inf
        game = self.game
        scores, winners, view = game.scores(), game.winners(), game.view(None)
        worth = [(seat in winners, score.total) for seat, score in enumerate(scores)]
        return Result(
            self.number,
            self.seed,
            self.contest.names(self.number),
            places=tuple(1 + sum(other > mine for other in worth) for mine in worth),
            points=tuple(score.total for score in scores),
            completed=tuple(score.completed for score in scores),
            tickets=tuple(view.ticket_counts),
            decisions=tuple(self.decisions),
            seconds=_rounded(self.seconds),
        )

    def sit_down(self) -> None:
        """Create the players and call their `start`."""
        for seat, recipe in enumerate(self.recipes):
            player = self.ask(seat, False, recipe)
            self.players.append(player)
            if hasattr(player, "start"):
                own = seed_for(self.seed, seat, recipe.name)
                self.ask(seat, False, player.start, self.contest.board, seat, self.contest.seats, own)

    def play_moves(self, most: float = math.inf) -> None:
        """Ask for moves until the game is over, or at most ``most`` times."""
        s = self.game.state
        movers = [
            self.struct_mover(seat, player) if hasattr(player, "choose_struct") else self.view_mover(seat, player)
            for seat, player in enumerate(self.players)
        ]
        doing = self.doing
        while s.phase != OVER and doing[MOVE] < most:
            doing[MOVE] += 1
            movers[s.seat]()

    def view_mover(self, seat: int, player: Player) -> Callable[[], None]:
        """Return a function that makes one move for a player that takes a View."""
        game = self.game

        def move() -> None:
            choice = self.ask(seat, True, player.choose, game.view(seat))
            self.decisions[seat] += 1
            try:
                play_answer(game, (_plain(choice[0]), *choice[1:]) if isinstance(choice, tuple) else _plain(choice))
            except Exception as error:
                # The fault has the move number. The game's own count leaves out moves of kernel players.
                raise Lost("illegal", re.sub(r" \(move \d+\)$", "", str(error))) from error

        return move

    def struct_mover(self, seat: int, player: Any) -> Callable[[], None]:
        """Return a function that makes one move for a player that takes a ViewStruct."""
        board, s = self.contest.board, self.game.state
        # One view per seat: a player could keep a shared one and read what other seats know.
        view, moves, log = ViewStruct(), Moves(), Log()
        count = len(board.routes) + OTHER_MOVES

        def move() -> None:
            look(board.struct, s, seat, view)
            number = _plain(self.ask(seat, True, player.choose_struct, board, view))
            self.decisions[seat] += 1
            legal(board.struct, s, moves)
            if type(number) is not int or not 0 <= number < count:
                raise Lost("illegal", f"expected a move number from 0 to {count - 1}, got {number!r}")
            if not is_legal(board.struct, moves, number):
                raise Lost("illegal", self.why_not(number))
            apply(board.struct, s, number, log)

        return move

    def why_not(self, number: int) -> str:
        """Return why a move is illegal now."""
        try:
            offered = tuple(numbers_in(self.game.state.offered.tolist(), TICKET_BITS))
            return str(why_not(self.contest.board, self.game.state, move_of(self.contest.board, number, offered)))
        except NorthrailError as error:
            return str(error)

    def ask(self, seat: int, to_move: bool, question: Callable[..., Any], *about: Any) -> Any:
        """Ask a player a question and return the answer; raise Lost if the player fails."""
        allowed = self.contest.limit if to_move else self.contest.patience
        # The deadline holds until the next question: an answer can hang too, in its own `__index__`.
        self.doing[SEAT], self.doing[ALLOWED], self.doing[UNTIL] = seat, allowed, time.monotonic() + allowed + GRACE
        start = time.perf_counter()
        try:
            answer = question(*about)
        except KeyboardInterrupt:  # from the person who runs the contest
            raise
        except BaseException as error:  # the player loses for anything else, even sys.exit()
            raise Lost("raised", _last_lines(error)) from error
        finally:
            taken = time.perf_counter() - start
            if to_move:
                self.seconds[seat] += taken
            cheated = self.recipes[seat].source is not None and self.restore_board()
        if cheated:
            raise Lost("cheated", "expected an unchanged board, but the player modified it")
        if taken > allowed:
            raise Lost("slow", f"expected an answer within {allowed:g} s, got one after {taken:.3g} s")
        return answer

    def restore_board(self) -> bool:
        """Return whether a player modified the shared board; restore it if so."""
        struct = self.contest.board.struct
        # Compare the bytearray itself: a memoryview compares byte by byte.
        if struct.memory is self.memory and self.memory.obj == self.original:
            return False
        struct.memory = self.memory
        self.memory[:] = self.original
        return True


def forfeit(
    contest: Contest,
    doing: Sequence[float],
    kind: str,
    text: str,
    decisions: Sequence[int] = (),
    seconds: Sequence[float] = (),
) -> Result:
    """Return the result when the last player asked has lost: the others tie for first place."""
    number, seat, move = (int(doing[at]) for at in (GAME, SEAT, MOVE))
    names = contest.names(number)
    return Result(
        number,
        contest.game(number)[0],
        names,
        places=tuple(contest.seats if at == seat else 1 for at in range(contest.seats)),
        points=None,
        completed=None,
        tickets=None,
        decisions=tuple(decisions or [0] * contest.seats),
        fault=Fault(names[seat], seat, move, kind, text.encode("utf-8", "backslashreplace").decode()),
        seconds=_rounded(seconds or [0.0] * contest.seats),
    )


def play_game(contest: Contest, number: int) -> Result:
    """Play one game of a contest in this process, and return its result. A player that hangs blocks it."""
    return Table(contest, number, list(IDLE)).play()


def _rounded(seconds: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(taken, 6) for taken in seconds)


def _plain(number: Any) -> Any:
    """Convert any kind of integer to a Python int; return anything else unchanged."""
    try:
        return number if isinstance(number, bool) else operator.index(number)
    except Exception:  # a player's answer may be any object
        return number


def _last_lines(error: BaseException) -> str:
    """Return where an exception was raised, and its message."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    last = max((at for at, line in enumerate(lines) if line.startswith('  File "')), default=0)
    return "\n".join(lines[last:])[-2000:].strip()
