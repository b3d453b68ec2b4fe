"""What clients are told of a table. Each part is packed as JSON once for all of them, and sent when it has changed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from northrail.server.match import Json, Match
from northrail.server.wire import messages
from northrail.server.wire.types import Packed, packed


@dataclass(frozen=True)
class Facts:
    """What a client may know of a table: facts of the table and of this client, and the game once it has begun."""

    table: dict[str, bytes]
    client: Json
    view: list[bytes] | None  # its parts, each without braces

    def since(self, sent: Self | None) -> Json:
        """Return what has changed since ``sent``, as a part of news; all facts if nothing was sent."""
        if sent is None:
            changed = {name: Packed(value) for name, value in self.table.items()} | self.client
        else:
            changed = {name: Packed(value) for name, value in self.table.items() if sent.table[name] != value}
            changed |= {name: value for name, value in self.client.items() if sent.client[name] != value}
        return changed | {"view": None if self.view is None else Packed(self._view_since(self.view, sent))}

    def _view_since(self, view: list[bytes], sent: Self | None) -> bytes:
        if sent is not None and sent.view is not None:
            view = [part for part, before in zip(view, sent.view, strict=True) if part != before]
        return b"{%b}" % b",".join(view)


# Both return copies, because what the serialiser returns occupies a whole page of memory, however short it is.


def _packed_fact(fact: Any) -> bytes:
    return bytes(memoryview(packed(fact)))


def _packed_part(facts: Json) -> bytes:
    return packed(facts)[1:-1]


class FactsOfAll:
    """The facts of a table as everyone may know them, made when someone asks. Say `forget` whenever it changes."""

    def __init__(self) -> None:
        self._table: dict[str, bytes] = {}
        self._public: list[bytes] = []
        self._views: dict[int | None, list[bytes]] = {}
        # (seat, part) -> what the part depends on, and the part; these outlast changes
        self._parts: dict[tuple[int | None, messages.Part], tuple[list[bytes], bytes]] = {}

    def forget(self) -> None:
        """Forget what may have changed."""
        self._table, self._public = {}, []
        self._views.clear()

    def for_client(self, match: Match, table: Callable[[], Json], seat: int | None, **client: Any) -> Facts:
        """Return the facts for a client, viewed as a seat (None: a spectator)."""
        if not self._table:
            self._table = {"table": _packed_fact(table()), "final": _packed_fact(messages.final_json(match))}
        if match.game is not None and seat not in self._views:
            self._views[seat] = self._view(match, seat)
        return Facts(self._table, client, self._views.get(seat))

    def _view(self, match: Match, seat: int | None) -> list[bytes]:
        if match.status == "over":
            self._parts.clear()  # only while a game runs do parts depend on nothing but their fields
        if not self._public:
            self._public = [*self._made(match, None, messages.PUBLIC), _packed_part(messages.match_json(match))]
        options = _packed_part({"options": messages.options_packed(match, seat)})
        return [*self._public, *self._made(match, seat, messages.OWN), options]

    def _made(self, match: Match, seat: int | None, parts: Iterable[messages.Part]) -> Iterator[bytes]:
        """Make and pack the parts that have changed, and return all of them."""
        view = match.view(seat)
        struct = bytes(view.struct)
        for part in parts:
            key, known = part.key(struct), self._parts.get((seat, part))
            if known is None or known[0] != key:
                known = self._parts[seat, part] = key, _packed_part(part.make(view))
            yield known[1]
