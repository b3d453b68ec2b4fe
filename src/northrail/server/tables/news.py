"""What clients are told of a table. Each fact is packed as JSON once for all of them, and sent when it has changed."""

from collections.abc import Mapping
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
    return {name: packed(value) for name, value in facts.items()}


class FactsOfAll:
    """The facts of a table as everyone may know them, made when someone asks. It describes one moment of the table."""

    def __init__(self, match: Match, table: Json) -> None:
        self.match = match
        self._table = _packed_each({"table": table, "final": messages.final_json(match)})
        self._public: PackedFacts | None = None
        self._views: dict[int | None, PackedFacts | None] = {}

    def for_client(self, seat: int | None, **more: Any) -> Facts:
        """Return the facts for a client, viewed as a seat (None: a spectator). ``more`` is about this client alone."""
        if seat not in self._views:
            self._views[seat] = self._view(seat)
        return Facts(self._table | _packed_each(more), self._views[seat])

    def _view(self, seat: int | None) -> PackedFacts | None:
        if self.match.game is None:
            return None
        if self._public is None:
            self._public = _packed_each(messages.public_json(self.match))
        return self._public | _packed_each(messages.private_json(self.match, seat))
