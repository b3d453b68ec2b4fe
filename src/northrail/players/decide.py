"""Play what a player answers: a move, or a whole choice such as a claim with all its cards."""

from northrail.engine.choices import Cards, Choice, Claim, DrawTickets, GiveUp, Keep, Pass, PayTunnel, Take, TakeBlind
from northrail.engine.events import Event
from northrail.engine.game import Game
from northrail.engine.moves import Move
from northrail.players import Answer, Player

MOST_MOVES = 64  # in a whole choice


def play_answer(game: Game, answer: Answer) -> list[Event]:
    """Play what a player answered; return what happened."""
    if isinstance(answer, Choice):
        return game.apply(answer)
    if isinstance(answer, tuple):
        return game.claim(*answer)
    return game.play(answer)


def whole_choice(game: Game, player: Player) -> Choice:
    """Return the choice a player makes for the seat to move; ``game`` is a copy to try it on."""
    seat, laid = game.seat, game.view(game.seat).laid
    first: Move | None = None
    for _ in range(MOST_MOVES):
        answer = player.choose(game.view(seat))
        if isinstance(answer, tuple):
            answer = Claim(int(answer[0]), {colour: int(count) for colour, count in answer[1].items() if count})
        if isinstance(answer, Choice):
            game.apply(answer)  # raises if it is illegal
            return answer
        first = first or game.find_move(answer)
        events = game.play(answer)
        if events or game.seat != seat or game.phase not in ("pay", "tunnel"):
            return _choice(first, laid, events)
    raise RuntimeError(f"expected a whole choice within {MOST_MOVES} moves")


def _choice(first: Move, laid: Cards, events: list[Event]) -> Choice:
    """Return the choice that begins with the move ``first``.

    ``laid`` are the cards laid before it, ``events`` are those of the whole choice.
    """
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
    return {"blind": TakeBlind, "draw_tickets": DrawTickets, "give_up": GiveUp, "pass": Pass}[first.kind]()
