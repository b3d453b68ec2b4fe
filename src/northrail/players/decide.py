"""A player's whole choice: a claim with its cards rather than move by move."""

from typing import Any

from northrail.engine.choices import Cards, Choice, Claim, DrawTickets, GiveUp, Keep, Pass, PayTunnel, Take, TakeBlind
from northrail.engine.events import Event
from northrail.engine.game import Game
from northrail.engine.moves import Move
from northrail.players import Player

MOST_MOVES = 64  # that a whole choice may take


def whole_choice(game: Game, player: Player) -> Choice:
    """Return the choice a player makes for the seat to move; ``game`` is a copy to try it on."""
    seat, laid = game.seat, game.view(game.seat).laid
    first: Move | None = None
    for _ in range(MOST_MOVES):
        answer: Any = player.choose(game.view(seat))
        if isinstance(answer, tuple):
            answer = Claim(int(answer[0]), {colour: int(count) for colour, count in answer[1].items() if count})
        if isinstance(answer, Choice):
            game.apply(answer)
            return answer
        move = game.find_move(answer)
        first = first or move
        events = game.play(move)
        if events or game.seat != seat or game.phase not in ("pay", "tunnel"):
            return _choice(first, laid, events)
    raise RuntimeError(f"expected a whole choice within {MOST_MOVES} moves")


def _choice(first: Move, laid: dict[str, int], events: list[Event]) -> Choice:
    """Return the choice that starts with a move, from its events; ``laid`` are the cards that were laid before."""
    cards: Cards = next((event.public["cards"] for event in events if event.code in ("claimed", "tunnel_tried")), {})
    match first.kind:
        case "claim":
            return Claim(first.route or 0, dict(cards))
        case "card":
            added = {colour: count - laid.get(colour, 0) for colour, count in cards.items()}
            return PayTunnel({colour: count for colour, count in added.items() if count})
        case "keep":
            return Keep(first.tickets)
        case "take":
            return Take(first.colour or "")
        case "blind":
            return TakeBlind()
        case "draw_tickets":
            return DrawTickets()
        case "give_up":
            return GiveUp()
        case _:
            return Pass()
