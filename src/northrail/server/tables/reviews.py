"""Reviews of finished games: one at a time in each process, on the searches' workers when no bot needs them.

Every step is stored soon after it is done, so a review goes on where it stopped: in this process after a restart, or in
another one. A process holds a review for a short time and extends it with every step it stores.
"""

import logging
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict

from northrail.analysis.review import Review, reviewing, step_from
from northrail.analysis.steps import USUAL, Step
from northrail.boards.board import Board
from northrail.engine.game import Record
from northrail.server.match import Json
from northrail.server.store.database import Stale, Store
from northrail.server.tables.bots import Bots
from northrail.server.tables.session import TableSession
from northrail.server.tables.tasks import Tasks
from northrail.server.wire.refusals import Refused

log = logging.getLogger("northrail.reviews")

HELD = 20.0  # seconds for which a process holds a review; a step takes a second at most
STORE_AFTER = 1.0  # seconds for which steps are collected
LONGEST_LINE = 200  # reviews that wait in a process


class Reviews:
    """The reviews that wait in this process, in order; the first one is being made."""

    def __init__(self, store: Store, bots: Bots, tasks: Tasks, now: Callable[[], float]) -> None:
        self._store, self._bots, self._tasks, self._now = store, bots, tasks, now
        self._holder = secrets.token_hex(8)
        self._line: dict[str, tuple[Record, Board]] = {}  # table -> its game
        self._failed: set[str] = set()  # tables whose review raised an error; the log says which

    @property
    def waiting(self) -> int:
        """How many reviews wait or are being made."""
        return len(self._line)

    async def ask(self, session: TableSession) -> None:
        """Ask for the review of a finished game, once or again."""
        if len(self._line) >= LONGEST_LINE and session.id not in self._line:
            raise Refused(503, "server_busy", retry=60)
        await self._store.ask_review(session.id, self._now())

    async def look(self, session: TableSession, since: int) -> Json:
        """Return how far the review of a game is, with its steps from a number on; it goes on if it had stopped."""
        found = await self._store.review(session.id, since)
        total = session.match.version
        if found is None:
            return {"status": "none", "ahead": 0, "total": total, "steps": [], "summary": None}
        until, summary, steps = found
        is_free = until < self._now() and session.id not in self._line
        if summary is None and session.id in self._failed:
            return {"status": "failed", "ahead": 0, "total": total, "steps": steps, "summary": None}
        if summary is None and is_free:
            self._enqueue(session)
        ahead = list(self._line).index(session.id) if session.id in self._line else 0
        status = "done" if summary is not None else "waiting" if ahead else "running"
        return {"status": status, "ahead": ahead, "total": total, "steps": steps, "summary": summary}

    def _enqueue(self, session: TableSession) -> None:
        game = session.match.game
        assert game is not None, "a finished game has begun"
        if self._tasks.is_closing:
            return
        self._line[session.id] = game.record(), game.board
        if len(self._line) == 1:
            self._tasks.spawn(self._work())

    async def _work(self) -> None:
        """Make the reviews in the line, one after the other."""
        while self._line and not self._tasks.is_closing:
            table = next(iter(self._line))
            try:
                await self._make(table, *self._line[table])
            except Stale:
                pass  # another process has taken over
            except Exception:
                log.exception("review failed", extra={"table": table})
                self._failed.add(table)
            finally:
                del self._line[table]

    async def _make(self, table: str, record: Record, board: Board) -> None:
        if not await self._store.hold_review(table, self._holder, self._now(), self._now() + HELD):
            return
        found = await self._store.review(table, 0)
        assert found is not None, "it was asked for"
        done = [step_from(step) for step in found[2]]
        steps, fresh, stored_at = reviewing(record, board, USUAL, tuple(done)), list[Step](), self._now()
        while not self._tasks.is_closing:
            step = await self._bots.search(lambda: _next(steps), is_spare=True)
            if step is not None:
                fresh.append(step)
                done.append(step)
            if fresh and (step is None or self._now() - stored_at >= STORE_AFTER):
                rows = [asdict(each) for each in fresh]
                await self._store.add_review_steps(table, rows, self._holder, self._now() + HELD)
                fresh, stored_at = [], self._now()
            if step is None:
                summary = await self._bots.search(
                    lambda: Review(record, board, USUAL.name, done).summary(), is_spare=True
                )
                await self._store.finish_review(table, summary)
                return


def _next(steps: Iterator[Step]) -> Step | None:
    return next(steps, None)
