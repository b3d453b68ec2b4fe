"""Choices: what a person decides at once, such as a claim with its cards. `Game.apply` plays one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from northrail.errors import BadMove

Cards = dict[str, int]


@dataclass(frozen=True)
class Choice:
    """One whole choice. Its JSON holds ``kind`` and the fields."""

    kind: ClassVar[str]

    def json(self) -> dict[str, Any]:
        """Return the choice as JSON; `choice_from` reads it."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class Keep(Choice):
    """Keep these of the offered tickets, by their numbers."""

    kind = "keep"
    tickets: tuple[int, ...]

    def json(self) -> dict[str, Any]:
        """Return the choice as JSON."""
        return {"kind": self.kind, "tickets": list(self.tickets)}


@dataclass(frozen=True)
class Take(Choice):
    """Take a face-up card."""

    kind = "take"
    colour: str


@dataclass(frozen=True)
class TakeBlind(Choice):
    """Draw a card from the deck."""

    kind = "blind"


@dataclass(frozen=True)
class DrawTickets(Choice):
    """Draw tickets."""

    kind = "draw_tickets"


@dataclass(frozen=True)
class Claim(Choice):
    """Claim a route with exactly these cards."""

    kind = "claim"
    route: int
    cards: Cards = field(hash=False)


@dataclass(frozen=True)
class PayTunnel(Choice):
    """Add exactly these cards for the tunnel."""

    kind = "tunnel"
    cards: Cards = field(hash=False)


@dataclass(frozen=True)
class GiveUp(Choice):
    """Give up the tunnel and take the cards back."""

    kind = "give_up"


@dataclass(frozen=True)
class Pass(Choice):
    """Pass; only legal when nothing else is."""

    kind = "pass"


KINDS: dict[str, type[Choice]] = {
    each.kind: each for each in (Keep, Take, TakeBlind, DrawTickets, Claim, PayTunnel, GiveUp, Pass)
}


def choice_from(choice: Mapping[str, Any]) -> Choice:
    """Return the choice that some JSON describes; unknown fields are ignored.

    >>> choice_from({"kind": "claim", "route": 9, "cards": {"red": 2}})
    Claim(route=9, cards={'red': 2})
    >>> choice_from({"kind": "blind"}).json()
    {'kind': 'blind'}
    """
    kind = choice.get("kind")
    try:
        if kind == "keep":
            return Keep(tuple(choice["tickets"]))
        if kind in KINDS:
            return KINDS[kind](**{each.name: choice[each.name] for each in fields(KINDS[kind])})
    except (KeyError, TypeError):
        pass
    raise BadMove(f'expected a choice such as {{"kind": "take", "colour": "red"}}, got {dict(choice)!r}')
