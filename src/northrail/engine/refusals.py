"""Refusals: why a seat may not make a move now, as a code with facts. `str(refusal)` is the sentence."""

from dataclasses import dataclass
from typing import Any, NoReturn

from northrail.boards.board import LENGTH, LOCOMOTIVE, ROUTE_BITS, Board, numbers_in
from northrail.engine.english import refusal_sentence
from northrail.engine.moves import Move
from northrail.engine.rules import is_legal, legal
from northrail.engine.state import OVER, PHASES, TURN, Moves, StateOrView
from northrail.engine.view import View, cards_of, keep_least, legal_moves
from northrail.errors import IllegalMove

PHASES_OF = {  # kind of move -> the phases in which it can be legal
    "claim": ("turn",),
    "take": ("turn", "second_card"),
    "blind": ("turn", "second_card"),
    "draw_tickets": ("turn",),
    "card": ("pay", "tunnel"),
    "give_up": ("tunnel",),
    "keep": ("tickets",),
    "pass": ("turn",),
}


@dataclass(frozen=True)
class Refusal:
    """Why a seat may not do something. ``doing`` is what it tried, as the text of a move."""

    board: Board
    seat: int
    code: str
    facts: dict[str, Any]
    doing: str

    def __str__(self) -> str:
        return refusal_sentence(self.board, self.seat, self.code, self.facts | {"doing": self.doing})

    def throw(self, ends: str = "") -> NoReturn:
        """Raise IllegalMove with this refusal; ``ends`` is added to its sentence."""
        raise IllegalMove(f"{self}{ends}", self.code, self.facts | {"seat": self.seat})


def why_not(board: Board, s: StateOrView, move: Move) -> Refusal:
    """Return why the seat to move cannot make ``move``, which must be illegal in ``s``."""
    doing = f"lay {move.colour}" if move.kind == "card" else str(move)
    return Refusal(board, int(s.seat), *_why_not(board, s, move), doing=doing)


def wrong_phase(board: Board, s: StateOrView, doing: str) -> Refusal:
    """Return why the seat to move cannot do something that belongs to another phase."""
    return Refusal(board, int(s.seat), *_phase(s), doing=doing)


def why_not_now(view: View, move: Move) -> Refusal | None:
    """Return why the seat of a view can't make a move now, or None if it can.

    What stays true longest comes first: a route that someone owns, then the trains and cards, then whose turn it is.
    In the middle of its own turn a seat has to finish what it began before its cards matter.
    """
    assert view.me is not None, "a spectator makes no moves"
    board, is_my_turn = view.board, view.me == view.seat
    if view.phase == "over":
        return Refusal(board, view.me, "game_over", {}, str(move))
    is_phase = is_my_turn and view.phase in PHASES_OF[move.kind]
    turn, moves = view.struct.copy(), Moves()  # as if it were this seat's turn
    turn.seat = view.me
    if not is_phase:
        turn.phase = TURN
    legal(board.struct, turn, moves)
    if not is_legal(board.struct, moves, move.number):
        refusal = why_not(board, turn, move)
        if is_phase or not is_my_turn or refusal.code != "too_few_cards":
            return refusal
    if is_my_turn:
        return None if is_phase else wrong_phase(board, view.struct, str(move))
    return Refusal(board, view.me, "not_your_turn", {"turn": view.seat}, str(move))


def _phase(s: StateOrView) -> tuple[str, dict[str, Any]]:
    return ("game_over", {}) if s.phase == OVER else ("wrong_phase", {"phase": PHASES[s.phase]})


def _why_not(board: Board, s: StateOrView, move: Move) -> tuple[str, dict[str, Any]]:
    if PHASES[s.phase] not in PHASES_OF[move.kind]:
        return _phase(s)
    match move.kind:
        case "claim":
            return _why_no_claim(board, s, move.route or 0)
        case "take" if s.face_up[LOCOMOTIVE] and move.colour == "locomotive":
            return "locomotive_second", {}
        case "take":
            return "not_face_up", {"colour": move.colour, "face_up": cards_of(s.face_up)}
        case "blind":
            return "deck_empty", {}
        case "draw_tickets":
            return "no_tickets_left", {}
        case "keep":
            return "keep_more", {"least": keep_least(board, s), "count": len(move.tickets)}
        case "card":
            moves = [other.number for other in legal_moves(board, s)]
            return "card_not_wanted", {"colour": move.colour, "moves": moves}
        case "give_up":
            return "tunnel_begun", {}
        case _:
            return "must_move", {"move": legal_moves(board, s)[0].number}


def _why_no_claim(board: Board, s: StateOrView, number: int) -> tuple[str, dict[str, Any]]:
    route, seat = board.routes[number], int(s.seat)
    owned = {route: owner for owner in range(s.seats) for route in numbers_in(s.owned[owner], ROUTE_BITS)}
    if number in owned:
        return "route_owned", {"route": number, "owner": owned[number]}
    if not s.open[seat, number // ROUTE_BITS] >> (number % ROUTE_BITS) & 1:
        parallel = [other for other in owned if set(board.routes[other].cities) == set(route.cities)]
        if any(owned[other] == seat for other in parallel):
            return "owns_parallel", {"route": number}
        return "route_closed", {"route": number, "seats": int(s.seats), "by": parallel[0]}
    trains = int(s.trains[seat])
    if trains < min(route.length, LENGTH):
        return "too_few_trains", {"route": number, "length": route.length, "trains": trains}
    return "too_few_cards", {"route": number, "hand": cards_of(s.hand[seat])}
