"""Build messages to clients as plain JSON, in the form of `responses`. What a seat is told comes from its `View`."""

from dataclasses import asdict
from functools import lru_cache, reduce
from operator import or_

from northrail.boards.board import ROUTE_BITS, Board, numbers_in
from northrail.engine.choices import Cards
from northrail.engine.paths import shortest_path
from northrail.engine.view import FACTS, View, choices_in
from northrail.server.match import Facts, Json, Match, Sitting, Step

# --- what a seat knows -----------------------------------------------------------------------------------------------

SAME = [
    name for name in FACTS if name not in ("face_up", "final", "tickets", "offered")
]  # as the engine's View has them
NO_OPTIONS: Json = {
    "claim": {},
    "take": [],
    "blind": False,
    "draw_tickets": 0,
    "keep": None,
    "tunnel": None,
    "passing": False,
}


def view_json(match: Match, seat: int | None) -> Json:
    """Return the view of a seat (None: a spectator)."""
    view = match.view(seat)
    return {
        "board": view.board.id,
        **{name: getattr(view, name) for name in SAME},
        "tickets": _with_needs(view, view.tickets),
        "offered": _with_needs(view, view.offered),
        "closed": _closed(view),
        "row": list(match.row),
        "chosen": match.chosen,
        "options": options_json(match, seat),
    }


def _closed(view: View) -> list[int]:
    """Routes that nobody owns and nobody can claim any more."""
    rows = (view.struct.array["open"][0, : view.seats] | view.struct.array["owned"][0, : view.seats]).tolist()
    alive = set(numbers_in((reduce(or_, words) for words in zip(*rows, strict=True)), ROUTE_BITS))
    return [route for route in range(len(view.board.routes)) if route not in alive]


def options_json(match: Match, seat: int | None) -> Json | None:
    """Return what a seat may do; first tickets may be chosen before its turn."""
    if match.status != "running" or seat is None or seat in match.sealed or match.seats[seat].stand_in is not None:
        return None
    view = match.view(seat)
    options: Json | None = NO_OPTIONS if match.chosen is not None and view.offered else view.options
    if options is None:
        return None
    return {
        **{name: options[name] for name in NO_OPTIONS},
        "claim": {
            route: {
                "payments": _fewest_first(claim["payments"]),
                "complete": claim["needs"]["substitute"] is None,
            }
            for route, claim in options["claim"].items()
        },
        "keep": {"offered": _with_needs(view, view.offered), "least": view.keep_least} if view.offered else None,
    }


def _fewest_first(payments: list[Cards]) -> list[Cards]:
    """Payments with the fewest cards first; the engine has put the fewest locomotives first."""
    return sorted(payments, key=lambda cards: sum(cards.values()))


def choices_json(match: Match, seat: int | None) -> list[Json]:
    """Return the choices a seat could make now, each as a move carries it."""
    return [choice.json() for choice in choices_in(options_json(match, seat))]


def _with_needs(view: View, tickets: list[Json]) -> list[Json]:
    """Tickets, each with the shortest way to join its cities for which the seat has the trains."""
    if not tickets:
        return []
    routes, left = _Routes(view), view.trains[view.me or 0]
    needs = [_needs(routes, *ticket["cities"]) for ticket in tickets]
    return [
        ticket | {"needs": way if way is not None and way["trains"] <= left else None}
        for ticket, way in zip(tickets, needs, strict=True)
    ]


class _Routes:
    """The routes a seat has and can still claim; equal where the same ways are the shortest."""

    def __init__(self, view: View) -> None:
        self.view = view
        me = view.me or 0
        routes = view.struct.array["owned"][0, me].tobytes() + view.struct.array["open"][0, me].tobytes()
        self.key = (view.board.digest, routes)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Routes) and self.key == other.key


@lru_cache(maxsize=4096)
def _needs(seen: _Routes, start: str, end: str) -> Json | None:
    """The way that takes the fewest trains, and of several such the one of the fewest routes; None if none is left."""
    view, me = seen.view, seen.view.me or 0
    own = set(numbers_in(view.struct.owned[me].tolist(), ROUTE_BITS))
    open_to_me = set(numbers_in(view.struct.open[me].tolist(), ROUTE_BITS))
    trains = dict.fromkeys(own, 0) | {route: view.board.routes[route].length for route in open_to_me - own}
    path = shortest_path(view.board, trains.get, start, end)
    if path is None:
        return None
    return {"trains": path.cost, "routes": sorted(set(path.routes) - own), "path": list(path.routes)}


# --- the table --------------------------------------------------------------------------------------------------------


def seat_json(sitting: Sitting, present: bool) -> Json:
    """Who sits in a seat."""
    return {
        "seat": sitting.seat,
        "who": sitting.who,
        "name": sitting.name,
        "level": sitting.level,
        "stand_in": sitting.stand_in,
        "resigned": sitting.resigned,
        "present": present or sitting.who == "bot",
        "reserved": sitting.reserved,
    }


def table_json(
    board: Board, facts: Facts, seats: list[Json], status: str, version: int, turn: int | None,
    winners: list[int] | None, ended: float | None,
) -> Json:  # fmt: skip
    """A table, as everybody may know it."""
    return {
        "id": facts.id,
        "board": facts.board,
        "board_name": board.name,
        "digest": facts.digest,
        "status": status,
        "seats": seats,
        "first": facts.first,
        "clock": facts.clock,
        "faster": facts.faster,
        "made": facts.made,
        "began": facts.began,
        "ended": ended,
        "version": version,
        "turn": turn,
        "winners": winners,
        "rematch": facts.rematch,
    }


def final_json(match: Match) -> Json | None:
    """The final table, when the game is over."""
    if match.game is None or not match.game.over:
        return None
    scores, winners = match.game.scores(), match.game.winners()
    finals = match.view(None).final or []
    is_tied = [score.total for score in scores].count(max(score.total for score in scores)) > 1
    beaten = [score.total for seat, score in enumerate(scores) if seat not in winners]
    seats = [
        asdict(score)
        | {
            "seat": seat,
            "hand": final["hand"],
            "ticket_list": sorted(final["tickets"], key=lambda ticket: (not ticket["joined"], ticket["points"])),
            "place": 1 if seat in winners else 1 + len(winners) + sum(other > score.total for other in beaten),
        }
        for seat, (score, final) in enumerate(zip(scores, finals, strict=True))
    ]
    worth = {card.name: card.points for card in match.board.bonus_cards}
    bonuses = [
        {
            "name": name,
            "points": worth[name],
            "winners": [seat for seat, score in enumerate(scores) if name in score.bonuses],
        }
        for name in match.view(None).bonus_cards
    ]
    return {"seats": seats, "bonuses": bonuses, "winners": winners, "by_tie_break": is_tied and len(winners) == 1}


def replay_json(match: Match, facts: Json) -> Json:
    """A finished game moment by moment, all hands open."""
    shadow = Match(match.board, match.facts, match.seats)
    frames = [_frame(shadow, None)]
    for step in match.steps:
        shadow.add(step.command)
        frames.append(_frame(shadow, step))
    return {"table": facts, "frames": frames, "final": final_json(match)}


def _frame(match: Match, step: Step | None) -> Json:
    assert match.game is not None
    view = view_json(match, None) | {"options": None}
    hands = [match.game.view(seat) for seat in range(match.game.seats)]
    return {
        "version": match.version,
        "step": step.seen_by(step.command.seat) if step is not None else None,
        "view": view,
        "hands": [each.hand for each in hands],
        "tickets": [each.tickets for each in hands],
        "offered": match.view(match.game.seat).offered,
    }
