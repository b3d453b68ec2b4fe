"""Background tasks: kept referenced while they run, and awaited before the server stops."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

log = logging.getLogger("northrail.tables")

TRY_AGAIN = 2.0  # seconds from the failure of a task until recovery


class Tasks:
    """The running tasks. ``recover`` is called shortly after one fails, when the database may be back."""

    def __init__(self, recover: Callable[[], None]) -> None:
        self._recover = recover
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = asyncio.Event()

    def __bool__(self) -> bool:
        return bool(self._running)

    @property
    def is_closing(self) -> bool:
        """Whether the server is about to stop."""
        return self._closing.is_set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task failed", exc_info=task.exception())
            asyncio.get_running_loop().call_later(TRY_AGAIN, self._recover)

    async def sleep(self, seconds: float) -> bool:
        """Wait, but no longer than the server runs; return whether it is still running."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)
        return not self.is_closing

    def announce_closing(self) -> None:
        """Wake every sleeping task, because the server is about to stop."""
        self._closing.set()

    async def finish(self) -> None:
        """Wait until all tasks have ended."""
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
