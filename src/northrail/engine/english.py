"""The engine's English: a sentence for every event, refusal and set of cards, made from a code and its facts.

The command line and `str()` use it. The page has its own catalogue, so that it can be translated.
"""

from collections.abc import Mapping
from typing import Any

from northrail.boards.board import Board
from northrail.engine.moves import move_of

Facts = Mapping[str, Any]

DUTIES = {  # phase -> what the seat to move must do
    "tickets": "choose which tickets to keep",
    "turn": "draw cards, claim a route or draw tickets",
    "second_card": "draw a second card",
    "pay": "finish its payment",
    "tunnel": "add cards for the tunnel or give it up",
}


def cards_in_words(cards: Mapping[str, int]) -> str:
    """Return cards in words.

    >>> cards_in_words({"red": 2, "locomotive": 1})
    '2 red and 1 locomotive'
    """
    parts = [f"{count} {colour}{'s' * (colour == 'locomotive' and count > 1)}" for colour, count in cards.items()]
    return " and ".join(", ".join(parts).rsplit(", ", 1)) or "nothing"


def card_name(colour: str) -> str:
    """Return one card in words.

    >>> card_name("red"), card_name("locomotive")
    ('red', 'a locomotive')
    """
    return "a locomotive" if colour == "locomotive" else colour


def counted(count: int, thing: str) -> str:
    """Return a count with its noun, in the plural where it belongs.

    >>> counted(1, "card"), counted(3, "card")
    ('1 card', '3 cards')
    """
    return f"{count} {thing}{'s' * (count != 1)}"


def event_sentence(board: Board, code: str, seat: int | None, facts: Facts) -> str:
    """Return the sentence for an event. It leaves out the facts that are missing."""
    who = f"seat {seat}"
    route = str(board.routes[facts["route"]]) if "route" in facts else ""
    tickets = ", ".join(f"{board.tickets[at]} ({board.tickets[at].points})" for at in facts.get("tickets", ()))
    match code:
        case "took":
            return f"{who} takes {card_name(facts['colour'])}"
        case "drew":
            return f"{who} draws {card_name(facts['colour']) if 'colour' in facts else 'a card'} from the deck"
        case "turned_up":
            return f"{card_name(facts['colour'])} is turned face up"
        case "row_cleared":
            return f"{facts['locomotives']} locomotives are face up: the row is cleared"
        case "reshuffled":
            return f"the discards become a new deck of {counted(facts['count'], 'card')}"
        case "claimed":
            return f"{who} claims {route} with {cards_in_words(facts['cards'])} for {counted(facts['points'], 'point')}"
        case "tunnel_tried":
            turned = ", ".join(facts["revealed"]) or "nothing"
            extra = counted(facts["owed"], "extra card") if facts["owed"] else "no extra cards"
            tries = f"{who} tries the tunnel {route} with {cards_in_words(facts['cards'])}"
            return f"{tries}: {turned} turned over, {extra} needed"
        case "gave_up":
            return f"{who} gives up {route} and takes the cards back"
        case "drew_tickets":
            return f"{who} draws {counted(facts['count'], 'ticket')}" + (f": {tickets}" if tickets else "")
        case "kept_tickets" if "tickets" in facts:
            return f"{who} keeps {tickets}"
        case "kept_tickets" if "count" in facts:
            return f"{who} keeps {facts['count']} of {counted(facts['of'], 'ticket')}"
        case "kept_tickets":
            return f"{who} has chosen"
        case "all_kept":
            kept = ", ".join(f"seat {at} keeps {count}" for at, count in enumerate(facts["counts"]))
            return f"all players have chosen their tickets: {kept}"
        case "completed_tickets":
            return f"{who} completes {tickets}"
        case "passed":
            return f"{who} has no legal move and passes"
        case "last_round":
            return f"{who} has {counted(facts['trains'], 'train')} left: the last round begins"
        case "game_over":
            return "the game is over"
    raise AssertionError(code)


def refusal_sentence(board: Board, seat: int, code: str, facts: Facts) -> str:
    """Return why a seat may not make a move."""
    if code == "cards_not_held":
        return f"seat {seat} holds {cards_in_words(facts['hand'])}, got {cards_in_words(facts['cards'])}"
    if code == "wrong_payment":
        route = board.routes[facts["route"]]
        return f"{route} costs exactly {route.price}; got {cards_in_words(facts['cards'])}"
    return f"seat {seat} cannot {facts['doing']}: {_why_not(board, code, facts)}"


def _why_not(board: Board, code: str, facts: Facts) -> str:
    match code:
        case "game_over":
            return "the game is over"
        case "not_your_turn":
            return f"it is seat {facts['turn']}'s turn"
        case "already_chosen":
            return "it has already chosen its first tickets"
        case "wrong_phase":
            return f"it must {DUTIES[facts['phase']]}"
        case "route_owned":
            return f"seat {facts['owner']} owns it"
        case "owns_parallel":
            return "it owns a parallel route"
        case "route_closed":
            return f"with {facts['seats']} seats it closed when {board.routes[facts['by']]} was claimed"
        case "too_few_trains":
            return f"it is {facts['length']} spaces long and the seat has {counted(facts['trains'], 'train')} left"
        case "too_few_cards":
            return f"it costs {board.routes[facts['route']].price}; the seat holds {cards_in_words(facts['hand'])}"
        case "locomotive_second":
            return "a face-up locomotive can't be the second card"
        case "not_face_up" if not facts["face_up"]:
            return "no cards are face up"
        case "not_face_up":
            return f"the face-up cards are {cards_in_words(facts['face_up'])}"
        case "deck_empty":
            return "the deck is empty"
        case "no_tickets_left":
            return "there are no tickets left"
        case "keep_more":
            return f"it must keep at least {facts['least']}, got {facts['count']}"
        case "card_not_wanted":
            return f"expected {' or '.join(str(move_of(board, number)) for number in facts['moves'])}"
        case "tunnel_begun":
            return "it has already added cards"
        case "wrong_extra":
            return f"expected {' or '.join(map(cards_in_words, facts['payments'])) or 'to give up'}"
        case "must_move":
            return f"it can still {move_of(board, facts['move'])}"
    raise AssertionError(code)
