"""Events: what a move caused, with facts for everyone and facts for the seat that moved."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from northrail.boards.board import COLOURS, Board
from northrail.engine.english import event_sentence
from northrail.engine.rules import (
    LOGGED_BLIND,
    LOGGED_CLAIM,
    LOGGED_FACE_UP,
    LOGGED_FLUSH,
    LOGGED_GIVEN_UP,
    LOGGED_KEPT,
    LOGGED_LAST_ROUND,
    LOGGED_OFFERED,
    LOGGED_OVER,
    LOGGED_PASS,
    LOGGED_RESHUFFLE,
    LOGGED_REVEALED,
    LOGGED_TAKE,
    LOGGED_TUNNEL,
    Log,
)
from northrail.engine.view import cards_of

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as a code with facts. ``str(event)`` includes everything; `seen_by` hides secrets."""

    board: Board = field(repr=False)
    code: str
    seat: int | None  # the seat that did it; None if no seat did
    public: dict[str, Any] = field(default_factory=dict)
    private: dict[str, Any] = field(default_factory=dict)  # for `seat` alone

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """Return the code and the facts that seat ``seat`` (None: a spectator) may know."""
        return {"code": self.code, "seat": self.seat, **self._facts_for(seat)}

    def text_for(self, seat: int | None) -> str:
        """Return what seat ``seat`` (None: a spectator) may know, as a sentence."""
        return event_sentence(self.board, self.code, self.seat, self._facts_for(seat))

    def __str__(self) -> str:
        return self.text_for(self.seat)

    def _facts_for(self, seat: int | None) -> dict[str, Any]:
        return self.public | (self.private if seat is not None and seat == self.seat else {})


def events_of(
    board: Board, log: Log, seat: int, offered: list[int], owed: int, kept: list[int] | None
) -> Iterator[Event]:
    """Yield the events in the log of a move by ``seat``.

    ``offered`` are the tickets it chose from or drew. ``owed`` is the extra cost of a tunnel. ``kept`` is None unless
    the move chose first tickets. Then it is empty until the last choice, when it holds how many each seat kept.
    """

    def event(code: str, by: int | None, public: Facts | None = None, private: Facts | None = None) -> Event:
        return Event(board, code, by, public or {}, private or {})

    tunnel: Event | None = None
    cards = cards_of(log.cards)
    for what, which, count in log.line[: log.lines].tolist():
        if tunnel is not None and what not in (LOGGED_REVEALED, LOGGED_RESHUFFLE):
            yield tunnel
            tunnel = None
        match what:
            case _ if what == LOGGED_TAKE:
                yield event("took", seat, {"colour": COLOURS[which]})
            case _ if what == LOGGED_BLIND:
                yield event("drew", seat, {}, {"colour": COLOURS[which]})
            case _ if what == LOGGED_FACE_UP:
                yield event("turned_up", None, {"colour": COLOURS[which]})
            case _ if what == LOGGED_FLUSH:
                yield event("row_cleared", None, {"locomotives": count})
            case _ if what == LOGGED_RESHUFFLE:
                yield event("reshuffled", None, {"count": count})
            case _ if what == LOGGED_TUNNEL:
                tunnel = event("tunnel_tried", seat, {"route": which, "cards": cards, "revealed": [], "owed": owed})
            case _ if what == LOGGED_REVEALED and tunnel is not None:
                tunnel.public["revealed"].append(COLOURS[which])
            case _ if what == LOGGED_CLAIM:
                yield event("claimed", seat, {"route": which, "cards": cards, "points": count})
            case _ if what == LOGGED_GIVEN_UP:
                yield event("gave_up", seat, {"route": which})
            case _ if what == LOGGED_OFFERED:
                yield event("drew_tickets", seat, {"count": which}, {"tickets": offered})
            case _ if what == LOGGED_KEPT:
                tickets = [ticket for at, ticket in enumerate(offered) if which >> at & 1]
                counts = {"count": len(tickets), "of": len(offered)}
                if kept is None:
                    yield event("kept_tickets", seat, counts, {"tickets": tickets})
                else:  # seats choose first tickets at the same time, so the counts stay private until `all_kept`
                    yield event("kept_tickets", seat, {}, counts | {"tickets": tickets})
                if kept:
                    yield event("all_kept", None, {"counts": kept})
            case _ if what == LOGGED_PASS:
                yield event("passed", seat)
            case _ if what == LOGGED_LAST_ROUND:
                yield event("last_round", seat, {"trains": count})
            case _ if what == LOGGED_OVER:
                yield event("game_over", None)
    if tunnel is not None:
        yield tunnel
