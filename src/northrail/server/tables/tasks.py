"""Background tasks: they are kept until they end, and end with the server."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

log = logging.getLogger("northrail.tables")

TRY_AGAIN = 2.0  # seconds after a task failed


class Tasks:
    """The tasks under way. ``recover`` is called a moment after one failed, when the database may be back."""

    def __init__(self, recover: Callable[[], None]) -> None:
        self._recover = recover
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = asyncio.Event()

    def __bool__(self) -> bool:
        return bool(self._running)

    @property
    def is_closing(self) -> bool:
        """Whether the server is about to end."""
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
        """Wait; return whether the server still runs."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)
        return not self.is_closing

    def announce_closing(self) -> None:
        """Let every task that waits know that the server is about to end."""
        self._closing.set()

    async def finish(self) -> None:
        """Wait until all tasks have ended."""
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
