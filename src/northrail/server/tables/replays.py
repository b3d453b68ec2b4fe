"""Replays of finished games: each is built once, in a thread, and the last few are kept."""

import asyncio
from collections import OrderedDict

from northrail.server.match import Match
from northrail.server.wire.messages import replay_frames
from northrail.server.wire.types import packed

KEPT = 16  # replays; each takes about a megabyte


class Replays:
    """The frames of replays, packed as JSON."""

    def __init__(self) -> None:
        self._frames: OrderedDict[str, asyncio.Future[bytes]] = OrderedDict()

    async def frames(self, match: Match) -> bytes:
        """Return the frames of a finished game."""
        table, kept = match.info.id, self._frames
        if table not in kept:
            kept[table] = asyncio.ensure_future(asyncio.to_thread(lambda: packed(replay_frames(match))))
            if len(kept) > KEPT:
                kept.popitem(last=False)
        kept.move_to_end(table)
        try:
            return await asyncio.shield(kept[table])  # the first request may be cancelled while others wait
        except Exception:
            kept.pop(table, None)
            raise
