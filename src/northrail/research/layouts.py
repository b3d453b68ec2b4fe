"""What each byte of an observation means.

A layout is a list of parts, one after the other. Its version rises whenever a byte changes its place or its meaning.
So a network trained on ``compact-1`` can check that it still gets ``compact-1``. Seats are relative: seat 0 is the one
that observes, seat 1 sits after it, and so on.
"""

from dataclasses import dataclass

from northrail.boards.board import CARDS, COLOURS, Board
from northrail.engine.rules import (
    LOGGED_BLIND,
    LOGGED_CLAIM,
    LOGGED_GIVEN_UP,
    LOGGED_KEPT,
    LOGGED_LAST_ROUND,
    LOGGED_OFFERED,
    LOGGED_PASS,
    LOGGED_TAKE,
    LOGGED_TUNNEL,
)
from northrail.engine.state import PHASES
from northrail.errors import NorthrailError
from northrail.research.observing import COMPACT, EVENTS, HISTORY, PLANNER

EVENT_NAMES = {
    LOGGED_TAKE: "took a face-up card",
    LOGGED_BLIND: "drew a card",
    LOGGED_CLAIM: "claimed",
    LOGGED_TUNNEL: "tried a tunnel",
    LOGGED_GIVEN_UP: "gave up",
    LOGGED_OFFERED: "drew tickets",
    LOGGED_KEPT: "kept tickets",
    LOGGED_PASS: "passed",
    LOGGED_LAST_ROUND: "began the last round",
}
VERSION = 1
LAYOUTS = {"compact": COMPACT, "planner": PLANNER, "history": HISTORY}


@dataclass(frozen=True)
class Part:
    """Bytes that belong together: ``obs[start:stop]``."""

    name: str
    start: int
    stop: int
    meaning: str


@dataclass(frozen=True)
class Layout:
    """The parts of an observation on a board with a number of seats."""

    name: str  # with its version, such as compact-1
    parts: tuple[Part, ...]

    @property
    def width(self) -> int:
        """The number of bytes."""
        return self.parts[-1].stop

    def __getitem__(self, name: str) -> slice:
        """Return where a part is.

        >>> import northrail
        >>> layout_of(northrail.load_board("nordic-countries"), 2, "compact")["hand"]
        slice(17, 26, None)
        """
        for part in self.parts:
            if part.name == name:
                return slice(part.start, part.stop)
        raise KeyError(f"expected a part of {self.name}, one of {', '.join(p.name for p in self.parts)}, got {name!r}")


def layout_of(board: Board, seats: int, name: str = "compact") -> Layout:
    """Return a layout by its name: compact, planner or history.

    >>> import northrail
    >>> board = northrail.load_board("nordic-countries")
    >>> layout = layout_of(board, 2)
    >>> layout.name, layout.width
    ('compact-1', 563)
    """
    if name not in LAYOUTS:
        raise NorthrailError(f"layout: expected {', '.join(LAYOUTS)}, got {name!r}")
    sized = list(_compact(board, seats))
    if name == "planner":
        sized += _planner(board)
    elif name == "history":
        sized += _history()
    parts, at = [], 0
    for part, size, meaning in sized:
        parts.append(Part(part, at, at + size, meaning))
        at += size
    return Layout(f"{name}-{VERSION}", tuple(parts))


Sized = tuple[str, int, str]  # name, bytes, meaning


def _compact(board: Board, seats: int) -> list[Sized]:
    routes, tickets = len(board.routes), len(board.tickets)
    by_colour = f"a count for each of {', '.join(COLOURS)}"
    return [
        ("phase", len(PHASES), f"1 at the phase: {', '.join(PHASES)}; others see `pay` as `turn`"),
        ("to_move", seats, "1 at the seat to move"),
        ("first", seats, "1 at the seat that started"),
        ("choosing", 1, "seats that have yet to choose their first tickets"),
        ("turns_left", 1, "0 before the last round, then 1 more than the turns left"),
        ("passes", 1, "passes in a row"),
        ("deck", 1, "cards in the deck"),
        ("ticket_deck", 1, "tickets in the deck"),
        ("ticket_deck_untouched", 1, "those of them above the first returned ticket"),
        ("offered_count", 1, "tickets that the seat to move chooses from"),
        ("hand", CARDS, by_colour),
        ("face_up", CARDS, "the face-up cards, by colour"),
        ("discard", CARDS, "the discarded cards, by colour"),
        ("laid", CARDS, "the cards laid for the route being paid for, by colour"),
        ("revealed", CARDS, "the cards turned over for a tunnel, by colour"),
        ("set_colour", CARDS, "1 at the colour of the set being laid; locomotive means no set"),
        ("extra", 1, "locomotives laid for a tunnel's extra cost"),
        *(
            (
                f"seat_{turn}",
                5 + CARDS,
                "trains, points (at most 255), cards, tickets kept, tickets returned, then known cards by colour",
            )
            for turn in range(seats)
        ),
        ("bonus_cards", len(board.bonus_cards), "1 for each bonus card in play"),
        ("route", routes, "1 at the route being paid for"),
        *((f"owned_{turn}", routes, "1 for each route that the seat owns") for turn in range(seats)),
        ("open", routes, "1 for each route that you may still claim"),
        ("held", tickets, "1 for each ticket that you hold"),
        ("offered", tickets, "1 for each ticket that you choose from"),
        ("returned", tickets, "1 for each ticket that you returned and that may still be there"),
    ]


def _planner(board: Board) -> list[Sized]:
    return [
        ("completed", len(board.tickets), "1 for each ticket that you hold and have completed"),
        ("planned", len(board.routes), "1 for each route that the planner would claim for your tickets"),
        ("planned_extra", len(board.routes), "1 for each route that it would claim for points"),
        ("wanted", CARDS, "cards that these routes need, by colour; locomotive: symbols"),
        ("wanted_gray", 1, "the longest set that they need in any one colour"),
        ("plan_turns", 1, "turns that the plan needs, rounded up"),
        ("plan_spare", 1, "trains that the plan leaves"),
    ]


def _history() -> list[Sized]:
    meaning = "1 + a code of EVENT_NAMES, or 0; the seat; a colour, a route or a number of tickets; points"
    return [(f"event_{back}", 4, meaning) for back in range(EVENTS)]
