"""What clients are told of a table. Each fact is packed as JSON once for all of them, and sent when it has changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from northrail.server.match import Json, Match
from northrail.server.wire import messages
from northrail.server.wire.types import Packed, packed

PackedFacts = dict[str, bytes]


@dataclass(frozen=True)
class Facts:
    """What a client may know of a table: facts of the table, and of the game once it has begun."""

    table: PackedFacts
    view: PackedFacts | None

    def since(self, sent: Self | None) -> Json:
        """Return the facts that have changed since ``sent``, as a part of news; all of them if nothing was sent."""
        table = {} if sent is None else sent.table
        view = {} if sent is None or sent.view is None else sent.view
        changed: Json = _changed(table, self.table)
        if self.view is None:
            return changed | {"view": None}
        return changed | {"view": _changed(view, self.view)}


def _changed(before: PackedFacts, now: PackedFacts) -> dict[str, Packed]:
    return {name: Packed(value) for name, value in now.items() if before.get(name) != value}


def _packed_each(facts: Mapping[str, Any]) -> PackedFacts:
    # Copies, because what the serialiser returns occupies a whole page of memory, however short it is.
    return {name: bytes(memoryview(packed(value))) for name, value in facts.items()}


class FactsOfAll:
    """The facts of a table as everyone may know them, made when someone asks. Say `forget` whenever it changes."""

    def __init__(self) -> None:
        self._table: PackedFacts | None = None
        self._public: PackedFacts | None = None
        self._views: dict[int | None, PackedFacts] = {}
        self._parts: dict[tuple[int | None, int], tuple[bytes, PackedFacts]] = {}  # with keys; these outlast changes

    def forget(self) -> None:
        """Forget what may have changed."""
        self._table = self._public = None
        self._views.clear()

    def for_client(self, match: Match, table: Callable[[], Json], seat: int | None, **more: Any) -> Facts:
        """Return the facts for a client, viewed as a seat (None: a spectator). ``more`` is about this client alone."""
        if self._table is None:
            self._table = _packed_each({"table": table(), "final": messages.final_json(match)})
        if match.game is not None and seat not in self._views:
            self._views[seat] = self._view(match, seat)
        return Facts(self._table | _packed_each(more), self._views.get(seat))

    def _view(self, match: Match, seat: int | None) -> PackedFacts:
        if self._public is None:
            self._public = _packed_each(messages.public_json(match))
        found, view = self._public, match.view(seat)
        for number, part in enumerate(messages.PARTS):
            key, known = part.key(view), self._parts.get((seat, number))
            if known is None or known[0] != key:
                known = self._parts[seat, number] = key, _packed_each(part.make(view))
            found = found | known[1]
        return found | _packed_each({"options": messages.options_json(match, seat)})
