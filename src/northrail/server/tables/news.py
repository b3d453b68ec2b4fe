"""What clients are told of a table. Each part is packed as JSON once for all of them, and sent when it has changed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from northrail.engine.view import View
from northrail.server.match import Json, Match
from northrail.server.wire import messages
from northrail.server.wire.packing import packed_hand, packed_public
from northrail.server.wire.types import packed, packed_part


@dataclass(frozen=True)
class Facts:
    """What a client may know of a table, and of the game once it has begun: packed parts, each without braces."""

    seat: int | None  # viewed as this seat; None for a spectator
    table: list[bytes]
    view: list[bytes] | None

    def since(self, sent: Self | None) -> bytes:
        """Return what has changed since ``sent``, as a part of news; all facts if nothing was sent."""
        table = _changed(self.table, None if sent is None else sent.table)
        if self.view is None:
            return b",".join([*table, b'"view":null'])
        view = b",".join(_changed(self.view, None if sent is None else sent.view))
        return b",".join([*table, b'"view":{%b}' % view])


def _changed(parts: list[bytes], sent: list[bytes] | None) -> list[bytes]:
    """Return the parts that differ from those that were sent."""
    return parts if sent is None else [part for part, before in zip(parts, sent, strict=True) if part != before]


@lru_cache(maxsize=1024)
def _packed_client(seat: int | None, yours: frozenset[int], is_host: bool) -> bytes:
    return packed_part({"you": seat, "yours": sorted(yours), "host": is_host})


class FactsOfAll:
    """The facts of a table as everyone may know them, made when someone asks. Say `forget` whenever it changes."""

    def __init__(self) -> None:
        self._table: list[bytes] = []
        self._setting = b""
        self._public: list[bytes] = []
        self._views: dict[int | None, list[bytes]] = {}
        # (seat, part) -> what the part depends on, and the part; these outlast changes
        self._parts: dict[tuple[int | None, messages.Part], tuple[list[bytes], bytes]] = {}

    def forget(self) -> None:
        """Forget what may have changed."""
        self._table, self._public = [], []
        self._views.clear()

    def for_client(
        self, match: Match, table: Callable[[], Json], seat: int | None, yours: frozenset[int], is_host: bool
    ) -> Facts:
        """Return the facts for a client that has these seats, viewed as a seat (None: a spectator)."""
        if not self._table:
            final = {"final": messages.final_json(match)}
            self._table = [packed_part(each) for each in (*({name: fact} for name, fact in table().items()), final)]
        sealed = match.sealed.get(seat) if seat is not None else None
        mine = [_packed_client(seat, yours, is_host), b'"sealed":%b' % (packed(sealed) if sealed else b"null")]
        if match.game is not None and seat not in self._views:
            self._views[seat] = self._view(match, seat)
        return Facts(seat, self._table + mine, self._views.get(seat))

    def _view(self, match: Match, seat: int | None) -> list[bytes]:
        if match.status == "over":
            self._parts.clear()  # only while a game runs do parts depend on nothing but their fields
        if not self._setting:
            self._setting = packed_part(messages.setting_json(match.view(None)))
        if not self._public:
            self._public = [self._setting, *packed_public(match.view(None)), packed_part(messages.match_json(match))]
        view = match.view(seat)
        own = [*self._public, packed_hand(view)]
        if match.first_tickets and seat is not None and messages.is_asked(match, seat):
            return own + list(self._made(view, seat, (*messages.OWN, messages.FIRST_OPTIONS)))
        return [*own, *self._made(view, seat, messages.OWN), messages.options_packed(match, seat)]

    def _made(self, view: View, seat: int | None, parts: Iterable[messages.Part]) -> Iterator[bytes]:
        """Make and pack the parts that have changed, and return all of them."""
        struct = bytes(view.struct)
        for part in parts:
            key, known = part.key(struct), self._parts.get((seat, part))
            if known is None or known[0] != key:
                known = self._parts[seat, part] = key, packed_part(part.make(view))
            yield known[1]
