"""Why a move may not be made now, in a sentence."""

from typing import Any

from northrail.boards.board import LENGTH, LOCOMOTIVE, ROUTE_BITS, numbers_in
from northrail.engine.events import words_of
from northrail.engine.moves import Move
from northrail.engine.view import cards_of

_ASKED = {
    "tickets": "which tickets to keep",
    "turn": "for a turn: cards, a route or tickets",
    "second_card": "for a second card",
    "pay": "how to pay",
    "tunnel": "what to add for the tunnel, or to give it up",
}
_PHASES = {
    "claim": ("turn",),
    "take": ("turn", "second_card"),
    "blind": ("turn", "second_card"),
    "tickets": ("turn",),
    "card": ("pay", "tunnel"),
    "give up": ("tunnel",),
    "keep": ("tickets",),
    "pass": ("turn",),
}


def why_not(game: Any, move: Move) -> str:
    """Why the seat that is asked cannot make the move, which is not legal in ``game``."""
    s = game.state
    who = f"seat {game.seat}"
    if game.over:
        return f"{move}: the game is over"
    if game.phase not in _PHASES[move.kind]:
        return f"{who} cannot {move}: it is asked {_ASKED[game.phase]}"
    match move.kind:
        case "claim":
            return f"{who} cannot {move}: {_why_no_claim(game, s, move.route or 0)}"
        case "take":
            if s.face_up[LOCOMOTIVE] and move.colour == "locomotive":
                return f"{who} cannot {move}: a face-up locomotive may only be the first card"
            return f"{who} cannot {move}: face up are {words_of(cards_of(s.face_up))}"
        case "blind":
            return f"{who} cannot {move}: the deck is empty"
        case "tickets":
            return f"{who} cannot {move}: there are no tickets left"
        case "keep":
            return (
                f"{who} cannot {move}: it must keep at least {game.view(game.seat).keep_least}, got {len(move.tickets)}"
            )
        case "card":
            allowed = " or ".join(str(other) for other in game.moves())
            return f"{who} cannot lay {move.colour}: expected {allowed}"
        case "give up":
            return f"{who} cannot give up any more: it has begun to add cards"
        case _:
            return f"{who} cannot pass: it can still {game.moves()[0]}"


def _why_no_claim(game: Any, s: Any, number: int) -> str:
    route = game.board.routes[number]
    owned = {route: seat for seat in range(game.seats) for route in numbers_in(s.owned[seat], ROUTE_BITS)}
    if number in owned:
        return f"seat {owned[number]} owns it"
    if not s.open[game.seat, number // ROUTE_BITS] >> (number % ROUTE_BITS) & 1:
        beside = [other for other in owned if set(game.board.routes[other].cities) == set(route.cities)]
        if any(owned[other] == game.seat for other in beside):
            return "it owns a route beside it"
        return f"with {game.seats} seats it closed when {game.board.routes[beside[0]]} was claimed"
    trains = int(s.trains[game.seat])
    if trains < min(route.length, LENGTH):
        return f"it is {route.length} spaces long and the seat has {trains} trains left"
    return f"needs {route.price}; holds {words_of(cards_of(s.hand[game.seat]))}"
