"""Moves: convert between numbers, `Move` objects and texts.

Each board numbers its moves: first a claim for each route, then the moves below. Records hold texts.
"""

from dataclasses import dataclass

from northrail.boards.board import CARDS, COLOURS, LOCOMOTIVE, MOST_OFFERED, Board, plain
from northrail.errors import BadMove

# Offsets after the claims, and the bits of `Moves.other`.
TAKE = 0  # + colour
BLIND = TAKE + CARDS
DRAW_TICKETS = BLIND + 1
CARD = DRAW_TICKETS + 1  # + card type: the set's colour, or the next card of a payment
GIVE_UP = CARD + CARDS
KEEP = GIVE_UP  # + set of offered tickets as bits, 1 to 31, so the two never collide
PASS = KEEP + 2**MOST_OFFERED
OTHER_MOVES = PASS + 1


@dataclass(frozen=True)
class Move:
    """One step of play. ``str(move)`` is its text; kernels and programs use ``number``."""

    number: int
    text: str
    kind: str  # claim, take, blind, draw_tickets, card, give_up, keep, pass
    route: int | None = None
    colour: str | None = None
    tickets: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.text


def move_of(board: Board, number: int, offered: tuple[int, ...] = ()) -> Move:
    """Return the move with this number; ``offered`` are the tickets a keep move chooses from.

    >>> import northrail
    >>> board = northrail.load_board("nordic-countries")
    >>> print(move_of(board, 9), "|", move_of(board, 88))
    claim Bergen–Oslo red | take red
    """
    made = board.__dict__.get("_moves") or board.__dict__.setdefault("_moves", _fixed_moves(board))
    if not 0 <= number < len(made):
        raise BadMove(f"expected a move number from 0 to {len(made) - 1}, got {number}")
    move: Move | None = made[number]
    if move is not None:
        return move
    chosen = number - len(board.routes) - KEEP
    kept = tuple(ticket for at, ticket in enumerate(offered) if chosen >> at & 1)
    if len(kept) != chosen.bit_count():
        raise BadMove(f"expected a set of the {len(offered)} offered tickets, got set {chosen}")
    return Move(number, "keep " + ", ".join(str(board.tickets[ticket]) for ticket in kept), "keep", tickets=kept)


def _fixed_moves(board: Board) -> tuple[Move | None, ...]:
    """Return every move of a board by its number; None for moves that keep tickets, which depend on the offer."""
    routes = len(board.routes)
    moves: list[Move | None] = [None] * (routes + OTHER_MOVES)
    for at, route in enumerate(board.routes):
        moves[at] = Move(at, f"claim {route}", "claim", route=at)
    for at, colour in enumerate(COLOURS):
        take, card = routes + TAKE + at, routes + CARD + at
        moves[take] = Move(take, f"take {colour}", "take", colour=colour)
        moves[card] = Move(card, f"card {colour}", "card", colour=colour)
    for place, text, kind in (
        (BLIND, "take blind", "blind"),
        (DRAW_TICKETS, "draw tickets", "draw_tickets"),
        (GIVE_UP, "give up", "give_up"),
        (PASS, "pass", "pass"),
    ):
        moves[routes + place] = Move(routes + place, text, kind)
    return tuple(moves)


def number_of(board: Board, text: str, offered: tuple[int, ...] = ()) -> int:
    """Return the number of the move that ``text`` names; case, accents and the kind of dash do not matter.

    >>> import northrail
    >>> number_of(northrail.load_board("nordic-countries"), "claim bergen-oslo RED")
    9
    """
    routes = len(board.routes)
    words = plain(text).replace("–", "-").split(" ", 1)
    verb, rest = words[0], words[1] if len(words) > 1 else ""
    whole: dict[str, int] = {"take blind": BLIND, "draw tickets": DRAW_TICKETS, "give up": GIVE_UP, "pass": PASS}
    if " ".join(words) in whole:
        return routes + whole[" ".join(words)]
    if verb in ("take", "card") and rest in COLOURS:
        return routes + (TAKE if verb == "take" else CARD) + COLOURS.index(rest)
    if verb == "claim":
        return _claim(board, text, rest)
    if verb == "keep":
        return routes + KEEP + _keep(board, text, rest, offered)
    raise BadMove(
        "expected claim, take, draw tickets, card, give up, keep or pass and what belongs to it, "
        f"such as 'take blind' or 'take {COLOURS[LOCOMOTIVE]}', got {text!r}"
    )


def _claim(board: Board, text: str, rest: str) -> int:
    number = board.spelled_routes.get(rest)
    if number is not None:
        return number
    close = [str(board.routes[at]) for name, at in board.spelled_routes.items() if name.startswith(rest) and rest]
    hint = f"; is it {' or '.join(close[:4])}?" if close else ""
    raise BadMove(f"expected a route of {board.name} such as 'claim {board.routes[0]}', got {text!r}{hint}")


def _keep(board: Board, text: str, rest: str, offered: tuple[int, ...]) -> int:
    kept = 0
    names = {plain(str(board.tickets[ticket])).replace("–", "-"): 1 << at for at, ticket in enumerate(offered)}
    for part in rest.split(","):
        bit = names.get(part.strip(), 0)
        if not bit or kept & bit:
            on_offer = ", ".join(str(board.tickets[ticket]) for ticket in offered) or "none"
            raise BadMove(f"expected tickets on offer ({on_offer}), each once, with commas between, got {text!r}")
        kept |= bit
    return kept
