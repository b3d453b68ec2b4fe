"""Events: what a move made happen, each with a face for everybody and one for the seat it concerns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from northrail.boards.board import COLOURS, Board
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
from northrail.engine.view import cards_of, ticket_json


@dataclass(frozen=True)
class Event:
    """Something that happened. ``str(event)`` tells all of it; `seen_by` tells what a seat may know."""

    kind: str
    seat: int | None  # who did it; None for the table
    public: dict[str, Any] = field(default_factory=dict)
    private: dict[str, Any] = field(default_factory=dict)  # for `seat` alone

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """The event as seat ``seat`` (None: a spectator) sees it, with the sentence that says it."""
        facts = self.public | (self.private if seat is not None and seat == self.seat else {})
        return {"event": self.kind, "seat": self.seat, **facts, "text": _sentence(self.kind, self.seat, facts)}

    def __str__(self) -> str:
        return _sentence(self.kind, self.seat, self.public | self.private)


def words_of(cards: dict[str, int]) -> str:
    """Cards in words: "2 red and 1 locomotive"."""
    parts = [f"{count} {colour}{'s' * (colour == 'locomotive' and count > 1)}" for colour, count in cards.items()]
    return " and ".join(", ".join(parts).rsplit(", ", 1)) or "nothing"


def _tickets(tickets: list[dict[str, Any]]) -> str:
    return ", ".join(f"{'–'.join(ticket['cities'])} ({ticket['points']})" for ticket in tickets)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _sentence(kind: str, seat: int | None, facts: dict[str, Any]) -> str:
    """The sentence that tells ``facts``; fewer facts, a shorter sentence."""
    who = f"seat {seat}"
    match kind:
        case "take":
            return f"{who} takes {facts['colour']}"
        case "blind":
            return f"{who} draws {facts.get('colour', 'a card')} from the deck"
        case "face_up":
            return f"{facts['colour']} is turned face up"
        case "flush":
            return f"{facts['locomotives']} locomotives lie face up: the row is swept away"
        case "reshuffle":
            return f"the discards become a new deck of {_counted(facts['cards'], 'card')}"
        case "claim":
            return (
                f"{who} claims {facts['name']} with {words_of(facts['paid'])} for {_counted(facts['points'], 'point')}"
            )
        case "tunnel":
            turned = ", ".join(facts["revealed"]) or "nothing"
            asks = f"{_counted(facts['owed'], 'more card')} asked" if facts["owed"] else "nothing more asked"
            return (
                f"{who} tries the tunnel {facts['name']} with {words_of(facts['laid'])}: {turned} turned over, {asks}"
            )
        case "give_up":
            return f"{who} gives {facts['name']} up and takes the cards back"
        case "offered":
            on_offer = f": {_tickets(facts['tickets'])}" if "tickets" in facts else ""
            return f"{who} draws {_counted(facts['count'], 'ticket')}{on_offer}"
        case "kept":
            if "tickets" in facts:
                return f"{who} keeps {_tickets(facts['tickets'])}"
            return (
                f"{who} keeps {facts['kept']} of {_counted(facts['of'], 'ticket')}"
                if "kept" in facts
                else f"{who} has chosen"
            )
        case "all_chosen":
            kept = ", ".join(f"seat {at} keeps {count}" for at, count in enumerate(facts["kept"]))
            return f"all have chosen their tickets: {kept}"
        case "pass":
            return f"{who} can do nothing and passes"
        case "last_round":
            return f"{who} has {_counted(facts['trains'], 'train')} left: the last round begins"
        case _:
            return "the game is over"


def events_of(
    board: Board, log: Log, seat: int, offered: list[int], owed: int, chosen: list[int] | None
) -> Iterator[Event]:
    """The events in the log of a move by ``seat``.

    ``offered`` are the tickets it chose from or was offered, ``owed`` is what a tunnel asks for. ``chosen`` is None
    once the game is under way; before, it is empty, and with the last choice it says how many first tickets each kept.
    """
    tunnel: Event | None = None
    cards = cards_of(log.cards)
    for what, which, count in log.line[: log.lines].tolist():
        if tunnel is not None and what not in (LOGGED_REVEALED, LOGGED_RESHUFFLE):
            yield tunnel
            tunnel = None
        match what:
            case _ if what == LOGGED_TAKE:
                yield Event("take", seat, {"colour": COLOURS[which]})
            case _ if what == LOGGED_BLIND:
                yield Event("blind", seat, {}, {"colour": COLOURS[which]})
            case _ if what == LOGGED_FACE_UP:
                yield Event("face_up", None, {"colour": COLOURS[which]})
            case _ if what == LOGGED_FLUSH:
                yield Event("flush", None, {"locomotives": count})
            case _ if what == LOGGED_RESHUFFLE:
                yield Event("reshuffle", None, {"cards": count})
            case _ if what == LOGGED_TUNNEL:
                facts = {"route": which, "name": str(board.routes[which]), "laid": cards, "revealed": [], "owed": owed}
                tunnel = Event("tunnel", seat, facts)
            case _ if what == LOGGED_REVEALED and tunnel is not None:
                tunnel.public["revealed"].append(COLOURS[which])
            case _ if what == LOGGED_CLAIM:
                yield Event(
                    "claim", seat, {"route": which, "name": str(board.routes[which]), "paid": cards, "points": count}
                )
            case _ if what == LOGGED_GIVEN_UP:
                yield Event("give_up", seat, {"route": which, "name": str(board.routes[which])})
            case _ if what == LOGGED_OFFERED:
                tickets = [ticket_json(board, ticket) for ticket in offered]
                yield Event("offered", seat, {"count": which}, {"tickets": tickets})
            case _ if what == LOGGED_KEPT:
                yield from _kept(board, seat, which, offered, chosen)
            case _ if what == LOGGED_PASS:
                yield Event("pass", seat)
            case _ if what == LOGGED_LAST_ROUND:
                yield Event("last_round", seat, {"trains": count})
            case _ if what == LOGGED_OVER:
                yield Event("over", None)
    if tunnel is not None:
        yield tunnel


def _kept(board: Board, seat: int, kept: int, offered: list[int], chosen: list[int] | None) -> Iterator[Event]:
    tickets = [ticket for at, ticket in enumerate(offered) if kept >> at & 1]
    counts = {"kept": len(tickets), "of": len(offered)}
    private = {"tickets": [ticket_json(board, ticket) for ticket in tickets]}
    if chosen is None:
        yield Event("kept", seat, counts, private)
        return
    # First tickets are chosen at the same time: how many a seat kept is told when all have chosen.
    yield Event("kept", seat, {}, counts | private)
    if chosen:
        yield Event("all_chosen", None, {"kept": chosen})
