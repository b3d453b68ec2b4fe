"""The English of reviews: a sentence for every code and its facts. The page has its own catalogue."""

from collections.abc import Mapping
from typing import Any

from northrail.analysis.review import Review
from northrail.analysis.steps import Chance, Verdict
from northrail.boards.board import Board
from northrail.engine.english import card_name, counted
from northrail.players.reasons import Reason

LABEL_NAMES = {"blunder": "blunder", "mistake": "mistake", "inaccuracy": "inaccuracy", "good_find": "good find"}


def points(number: float) -> str:
    """Return a number of points with its sign.

    >>> points(3.26), points(-0.02)
    ('+3.3', '0.0')
    """
    return "0.0" if abs(number) < 0.05 else f"{number:+.1f}"


def result_sentence(review: Review, seat: int) -> str:
    """Return how a seat fared and how lucky it was."""
    margin, luck = review.result[seat], review.luck(seat)
    won = review.wins[seat]
    ahead = "won" if won == 1 else "shared the win" if won else "lost"
    by = f" by {abs(margin):g}" if margin else ""
    kind = "good" if luck.total > 0 else "bad"
    how = f"with {abs(luck.total):.0f} (± {luck.error:.0f}) points of {kind} luck"
    return f"Seat {seat} {ahead}{by} {how}. Without luck: {points(review.adjusted(seat))}."


def chance_sentence(board: Board, chance: Chance, seat: int) -> str:
    """Return what chance decided after a choice of ``seat``."""
    facts = chance.facts
    match chance.kind:
        case "card":
            return f"seat {seat} draws {' and '.join(map(card_name, facts['drawn']))} from the deck"
        case "row":
            return f"{_listed(map(card_name, facts['row']))} turned up in the row"
        case "tunnel":
            turned = _listed(map(card_name, facts["revealed"])) or "nothing"
            extra = counted(facts["owed"], "extra card") if facts["owed"] else "no extra cards"
            return f"seat {seat} tries {board.routes[facts['route']]}: {turned}, {extra}"
        case "tickets":
            return f"seat {seat} is offered {_listed(str(board.tickets[each]) for each in facts['tickets'])}"
        case "bonus":
            came = _listed(map(card_name, [*facts["drawn"], *facts["row"]]))
            return f"seat {seat} claims a route, and {came} came from the deck"
    raise AssertionError(chance.kind)


def why_sentence(board: Board, verdict: Verdict) -> str:
    """Return what speaks for the best alternative."""
    reasons = [
        str(Reason(each["code"], {name: _whole(fact) for name, fact in each["facts"].items()}, board))
        for each in verdict.reasons
    ]
    return "; ".join(reasons)


def _whole(fact: Any) -> Any:
    """Return a fact as it was before it became JSON."""
    return tuple(fact) if isinstance(fact, list) else fact


def led_to_sentence(board: Board, code: str, facts: Mapping[str, Any]) -> str:
    """Return what followed from a choice."""
    route = board.routes[facts["route"]] if "route" in facts else ""
    tickets = _listed(str(board.tickets[each]) for each in facts.get("tickets", ()))
    match code:
        case "route_taken":
            return f"seat {facts['seat']} took {route} {_later(facts['turns'])}"
        case "claimed_later":
            return f"seat {facts['seat']} claimed {route} {_later(facts['turns'])}"
        case "never_claimed":
            return f"nobody claimed {route}"
        case "tickets_failed":
            return f"never completed {tickets}"
        case "tickets_completed":
            return f"completed {tickets}"
    raise AssertionError(code)


def _later(turns: int) -> str:
    return "before the next turn" if turns == 0 else f"{counted(turns, 'turn')} later"


def _listed(words: Any) -> str:
    return " and ".join(", ".join(words).rsplit(", ", 1))
