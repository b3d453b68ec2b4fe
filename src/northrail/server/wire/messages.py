"""What clients are told, as plain JSON in the form of `protocol`. What a seat is told comes out of its `View`."""

from dataclasses import asdict
from functools import lru_cache, reduce
from heapq import heappop, heappush
from itertools import combinations
from operator import or_

from northrail.boards.board import ROUTE_BITS, Board, numbers_in
from northrail.engine.game import Game
from northrail.engine.view import Cards, View
from northrail.server.match import Facts, Json, Match, Sitting, Step, numbered

# --- what a seat knows -----------------------------------------------------------------------------------------------


def view_json(table: Match, seat: int | None) -> Json:
    """The view of a seat (None: a spectator)."""
    view, board = table.view(seat), table.board
    return {
        "board": view.board.id,
        "me": view.me,
        "seats": view.seats,
        "first": view.first,
        "seat": view.seat,
        "phase": view.phase,
        "hand": view.hand,
        "tickets": _with_needs(view, view.tickets),
        "offered": _with_needs(view, view.offered),
        "keep_least": view.keep_least,
        "returned": [numbered(board, ticket) for ticket in view.returned],
        "known": view.known,
        "hand_sizes": view.hand_sizes,
        "ticket_counts": view.ticket_counts,
        "trains": view.trains,
        "points": view.points,
        "owners": view.owners,
        "closed": _closed(view),
        "row": list(table.row),
        "deck": view.deck,
        "discard": view.discard,
        "ticket_deck": view.ticket_deck,
        "batches": [
            {
                "seat": batch["seat"],
                "count": batch["count"],
                "tickets": [numbered(board, ticket) for ticket in batch["tickets"]] if "tickets" in batch else None,
            }
            for batch in view.batches
        ],
        "bonus_cards": view.bonus_cards,
        "route": view.route,
        "laid": view.laid,
        "revealed": view.revealed,
        "turns_left": view.turns_left,
        "chosen": table.chosen,
        "options": _options(table, view) if table.status == "running" else None,
    }


def _closed(view: View) -> list[int]:
    """Routes that nobody owns and nobody can claim any more."""
    rows = (view.struct.array["open"][0, : view.seats] | view.struct.array["owned"][0, : view.seats]).tolist()
    alive = set(numbers_in((reduce(or_, words) for words in zip(*rows, strict=True)), ROUTE_BITS))
    return [route for route in range(len(view.board.routes)) if route not in alive]


def _options(table: Match, view: View) -> Json | None:
    """What a seat may do; first tickets may be chosen before one is asked."""
    if view.me is None or view.me in table.sealed or table.seats[view.me].stand_in is not None:
        return None
    if table.chosen is not None and view.offered:
        return _no_options() | {"keep": _keep(view)}
    if view.options is None:
        return None
    options = view.options
    routes = view.board.routes
    return {
        "claim": {
            route: {
                "payments": by_cards(claim["payments"]),
                "complete": routes[int(route)].substitute is None,
                "text": claim["needs"]["text"],
            }
            for route, claim in options["claim"].items()
        },
        "take": options["take"],
        "blind": options["blind"],
        "draw_tickets": options["draw_tickets"],
        "keep": _keep(view) if options["keep"] else None,
        "tunnel": options["tunnel"] and _tunnel(view, options["tunnel"]),
        "passing": options["pass"],
    }


def by_cards(payments: list[Cards]) -> list[Cards]:
    """Payments with the fewest cards first; the engine has put the fewest locomotives first."""
    return sorted(payments, key=lambda cards: sum(cards.values()))


def _tunnel(view: View, tunnel: Json) -> Json:
    """What a tunnel asks, with the cards for which it does."""
    asking = (tunnel["colour"], "locomotive")
    return tunnel | {"asks": {colour: count for colour, count in view.revealed.items() if colour in asking}}


def _no_options() -> Json:
    return {
        "claim": {},
        "take": [],
        "blind": False,
        "draw_tickets": 0,
        "keep": None,
        "tunnel": None,
        "passing": False,
    }


def _keep(view: View) -> Json:
    return {"offered": _with_needs(view, view.offered), "least": view.keep_least}


def _with_needs(view: View, tickets: list[Json]) -> list[Json]:
    """Tickets, each with the shortest way to join its cities for which one has the trains."""
    if not tickets:
        return []
    eyes, left = _Eyes(view), view.trains[view.me or 0]
    ways = [_needs(eyes, *ticket["cities"]) for ticket in tickets]
    return [
        numbered(view.board, ticket) | {"needs": way if way is not None and way["trains"] <= left else None}
        for ticket, way in zip(tickets, ways, strict=True)
    ]


class _Eyes:
    """A view that is equal to others in which the same ways are the shortest."""

    def __init__(self, view: View) -> None:
        self.view = view
        me = view.me or 0
        routes = view.struct.array["owned"][0, me].tobytes() + view.struct.array["open"][0, me].tobytes()
        self.key = (view.board.digest, routes)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Eyes) and self.key == other.key


@lru_cache(maxsize=4096)
def _needs(eyes: _Eyes, start: str, end: str) -> Json | None:
    """The way that takes the fewest trains, and of several such the one of the fewest routes; None if none is left."""
    view, roads = eyes.view, _roads(eyes.view.board)
    me = view.me or 0
    own = set(numbers_in(view.struct.owned[me].tolist(), ROUTE_BITS))
    usable = own.union(numbers_in(view.struct.open[me].tolist(), ROUTE_BITS))
    came: dict[str, tuple[str, int]] = {}
    reached: set[str] = set()
    ahead: list[tuple[int, int, str, str, int]] = [(0, 0, start, "", 0)]
    while ahead:
        trains, count, city, before, by = heappop(ahead)
        if city in reached:
            continue
        reached.add(city)
        came[city] = before, by
        if city == end:
            return _way(came, own, start, end, trains)
        for there, route, length in roads[city]:
            if there not in reached and route in usable:
                more = 0 if route in own else length
                heappush(ahead, (trains + more, count + 1, there, city, route))
    return None


def _way(came: dict[str, tuple[str, int]], own: set[int], start: str, end: str, trains: int) -> Json:
    path: list[int] = []
    city = end
    while city != start:
        city, route = came[city]
        path.append(route)
    path.reverse()
    return {"trains": trains, "routes": sorted(set(path) - own), "path": path}


@lru_cache(maxsize=64)
def _roads(board: Board) -> dict[str, list[tuple[str, int, int]]]:
    """The routes from each city: where they lead, their number and length."""
    roads: dict[str, list[tuple[str, int, int]]] = {city.name: [] for city in board.cities}
    for number, route in enumerate(board.routes):
        one, other = route.cities
        roads[one].append((other, number, route.length))
        roads[other].append((one, number, route.length))
    return roads


def choices_of(options: Json | None) -> list[Json]:
    """The choices that options leave, each as a move carries it."""
    if options is None:
        return []
    choices: list[Json] = []
    if options["keep"]:
        offered = [ticket["number"] for ticket in options["keep"]["offered"]]
        sizes = range(options["keep"]["least"], len(offered) + 1)
        choices += [{"kind": "keep", "tickets": list(kept)} for size in sizes for kept in combinations(offered, size)]
    if options["tunnel"]:
        choices += [{"kind": "tunnel", "cards": cards} for cards in options["tunnel"]["payments"]]
        choices += [{"kind": "give_up"}] * options["tunnel"]["give_up"]
    for route, claim in options["claim"].items():
        choices += [{"kind": "claim", "route": int(route), "cards": cards} for cards in claim["payments"]]
    choices += [{"kind": "take", "colour": colour} for colour in options["take"]]
    for kind, can in (("blind", "blind"), ("draw_tickets", "draw_tickets"), ("pass", "passing")):
        choices += [{"kind": kind}] if options[can] else []
    return choices


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


def steps_json(table: Match, steps: list[Step], seat: int | None) -> list[Json]:
    """Steps as a seat is told them."""
    return [step.seen_by(table.board, seat, table.names) for step in steps]


def final_json(table: Match) -> Json | None:
    """The final table, when the game is over."""
    if table.game is None or not table.game.over:
        return None
    game, scores, winners = table.game, table.game.scores(), table.game.winners()
    finals = table.view(None).final or []
    beaten = [score.total for seat, score in enumerate(scores) if seat not in winners]
    seats = [
        asdict(score)
        | {
            "seat": seat,
            "hand": final["hand"],
            "ticket_list": sorted(
                (numbered(table.board, ticket) for ticket in final["tickets"]),
                key=lambda ticket: (not ticket["joined"], ticket["points"]),
            ),
            "place": 1 if seat in winners else 1 + len(winners) + sum(other > score.total for other in beaten),
        }
        for seat, (score, final) in enumerate(zip(scores, finals, strict=True))
    ]
    worth = {card.name: card.points for card in table.board.bonus_cards}
    bonuses = [
        {
            "name": name,
            "points": worth[name],
            "winners": [seat for seat, score in enumerate(scores) if name in score.bonuses],
        }
        for name in table.view(None).bonus_cards
    ]
    return {"seats": seats, "bonuses": bonuses, "winners": winners, "text": _verdict(table, game)}


def _verdict(table: Match, game: Game) -> str:
    """Who wins, in a sentence."""
    totals, winners = [score.total for score in game.scores()], game.winners()
    names = " and ".join(table.names[seat] for seat in winners)
    if len(winners) > 1:
        return f"{names} share the victory with {totals[winners[0]]} points each"
    tie = ", by the tie-break" if totals.count(max(totals)) > 1 else ""
    return f"{names} wins with {totals[winners[0]]} points{tie}"


def replay_json(table: Match, facts: Json) -> Json:
    """A finished game moment by moment, all hands open."""
    shadow = Match(table.board, table.facts, table.seats)
    frames = [_frame(shadow, None)]
    for step in table.steps:
        shadow.add(step.command)
        frames.append(_frame(shadow, step))
    return {"table": facts, "frames": frames, "final": final_json(table)}


def _frame(table: Match, step: Step | None) -> Json:
    assert table.game is not None
    view = view_json(table, None) | {"options": None}
    hands = [table.game.view(seat) for seat in range(table.game.seats)]
    return {
        "version": table.version,
        "step": step.seen_by(table.board, step.command.seat, table.names) if step is not None else None,
        "view": view,
        "hands": [each.hand for each in hands],
        "tickets": [[numbered(table.board, ticket) for ticket in each.tickets] for each in hands],
        "offered": [numbered(table.board, ticket) for ticket in table.view(table.game.seat).offered],
    }
