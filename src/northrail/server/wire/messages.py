"""Build messages to clients as plain JSON, in the form of `responses`. What a seat learns comes from its `View`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache

import numpy as np

from northrail.boards.board import ROUTE_BITS, SEATS, Board, numbers_in
from northrail.engine.choices import Cards
from northrail.engine.game import Score
from northrail.engine.paths import shortest_path
from northrail.engine.state import ViewStruct
from northrail.engine.view import View, choices_in, payments_in
from northrail.server.match import Json, Match, SeatInfo, Step, TableInfo
from northrail.server.wire.outlook import standings, trains_together, useful_routes, with_needs
from northrail.server.wire.packing import packed_options
from northrail.server.wire.types import packed_part

# --- what a seat knows -----------------------------------------------------------------------------------------------

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
    public, own, found = match.view(None), match.view(seat), match_json(match)
    for make in PUBLIC:
        found |= make(public)
    for part in OWN:
        found |= part.make(own)
    return found | _hand_json(own) | {"options": options_json(match, seat)}


@dataclass(frozen=True, eq=False)
class Part:
    """Some facts of a view. While a game runs, they depend on some fields of its struct alone.

    Most moves leave most parts as they are.
    """

    make: Callable[[View], Json]
    fields: tuple[str, ...]

    def key(self, struct: bytes) -> list[bytes]:
        """Return all that the facts depend on, from the view's struct."""
        return [struct[place] for place in self._places]

    @cached_property
    def _places(self) -> list[slice]:
        """Where the fields are in memory; neighbours together."""
        starts: dict[int, int] = {}  # [end] -> start
        for field in sorted((ViewStruct.fields[name] for name in self.fields), key=lambda field: field.offset):
            size = field.kind.dtype.itemsize * math.prod(field.shape)
            starts[field.offset + size] = starts.pop(field.offset, field.offset)
        return [slice(start, end) for end, start in starts.items()]


def _named(*names: str) -> Callable[[View], Json]:
    """Return what makes these facts of the engine's View."""
    return lambda view: {name: getattr(view, name) for name in names}


def setting_json(view: View) -> Json:
    """Return the facts of a view that stay the same all game."""
    return {"board": view.board.id, "seats": view.seats, "first": view.first, "bonus_cards": view.bonus_cards}


def _map_json(view: View) -> Json:
    return {"owners": view.owners, "closed": _closed(view), "trains": view.trains, "points": view.points}


def _tickets_json(view: View) -> Json:
    return {
        "returned": view.returned,
        "tickets": with_needs(view, view.tickets),
        "offered": with_needs(view, view.offered),
        "useful": useful_routes(view),
    }


_hand_json = _named("me", "hand")
PUBLIC = (  # the same for everyone; `packing` packs all but the first, in this order
    setting_json,
    _map_json,
    _named("known", "hand_sizes"),
    _named("deck", "discard", "ticket_deck"),
    _named("seat", "phase", "route", "laid", "revealed", "turns_left"),
)
PLACES = ("seats", "owned", "open", "trains")
HELD = ("me", "held", "offered")
OWN = (
    Part(lambda view: {"standings": standings(view)}, (*PLACES, "me", "hand", "held", "bonus_cards", "points")),
    Part(_tickets_json, (*PLACES, *HELD, "returned")),
    Part(
        _named("keep_least", "ticket_counts", "batches"),
        (*HELD, "seats", "choosing", "ticket_count", "returned", "placed", "ticket_deck_size", "batches", "batch"),
    ),
)
FIRST_OPTIONS = Part(lambda view: {"options": _first_options(view)}, (*PLACES, *HELD))  # while first tickets are chosen


def match_json(match: Match) -> Json:
    """Return the facts of a view that only the match knows: where face-up cards lie, and who has chosen tickets."""
    return {"row": list(match.row), "chosen": match.chosen}


def _closed(view: View) -> list[int]:
    """Return the routes that no seat owns and no seat can claim any more."""
    array = view.struct.array
    words = np.bitwise_or.reduce(array["open"][0, : view.seats] | array["owned"][0, : view.seats])
    alive = set(numbers_in(words.tolist(), ROUTE_BITS))
    return [route for route in range(len(view.board.routes)) if route not in alive]


def options_json(match: Match, seat: int | None) -> Json | None:
    """Return what a seat may do now. First tickets may be chosen ahead of the turn."""
    if seat is None or not is_asked(match, seat):
        return None
    view = match.view(seat)
    if match.first_tickets:
        return _first_options(view)
    keep = _keep(view) if view.offered else None
    others = {name: view.other_options[name] for name in NO_OPTIONS if name != "claim"}
    complete = _complete(view.board)
    claims = {
        str(route): {"payments": _fewest_first(payments), "complete": complete[route]}
        for route, payments in view.payments.items()
    }
    return {"claim": claims, **others, "keep": keep}


def _first_options(view: View) -> Json | None:
    return NO_OPTIONS | {"keep": _keep(view)} if view.offered else None


def options_packed(match: Match, seat: int | None) -> bytes:
    """Return the same, packed as a part of the view."""
    if seat is not None and match.game is not None and match.game.phase in ("turn", "second_card"):
        options = packed_options(match.view(seat)) if is_asked(match, seat) else b'"options":null'
        if options is not None:
            return options
    return packed_part({"options": options_json(match, seat)})


def is_asked(match: Match, seat: int) -> bool:
    """Return whether a seat can decide something now, and no bot does it."""
    is_asked = seat == match.turn or (match.status == "running" and match.first_tickets)
    return is_asked and seat not in match.sealed and match.seats[seat].stand_in is None


@lru_cache(maxsize=64)
def _complete(board: Board) -> list[bool]:
    """Return for each route whether its usual payments are all there are."""
    return [route.substitute is None for route in board.routes]


def _keep(view: View) -> Json:
    """Return the tickets a seat chooses from, and what they need."""
    return {
        "offered": with_needs(view, view.offered),
        "least": view.keep_least,
        "together": trains_together(view),
    }


@lru_cache(maxsize=4096)
def _fewest_first(packed_payments: bytes) -> list[Cards]:
    """Return payments sorted by number of cards. The engine has already sorted them by number of locomotives."""
    return sorted(payments_in(packed_payments), key=lambda cards: sum(cards.values()))


def choices_json(match: Match, seat: int | None) -> list[Json]:
    """Return the choices a seat has now, ready to be sent as moves."""
    return [choice.json() for choice in choices_in(options_json(match, seat))]


# --- the table --------------------------------------------------------------------------------------------------------


def seats_json(seats: Sequence[SeatInfo], present: Sequence[bool]) -> list[Json]:
    """Return the seats and who plays there."""
    trains = zip(seats, present, colours_of(seats), strict=True)
    return [_seat_json(seat_info, is_present, colour) for seat_info, is_present, colour in trains]


def colours_of(seats: Sequence[SeatInfo]) -> list[int]:
    """Return the colour of each seat's trains: the one its person chose, else the seat's own, else one that is free.

    >>> colours_of([SeatInfo(0, "bot"), SeatInfo(1, "bot"), SeatInfo(2, "person", colour=0)])
    [2, 1, 0]
    """
    colours = {seat_info.seat: seat_info.colour for seat_info in seats if seat_info.colour is not None}
    others = [seat_info.seat for seat_info in seats if seat_info.colour is None]
    colours |= {seat: seat for seat in others if seat not in colours.values()}
    free = [colour for colour in range(SEATS) if colour not in colours.values()]
    colours |= dict(zip((seat for seat in others if seat not in colours), free, strict=False))
    return [colours[seat_info.seat] for seat_info in seats]


def _seat_json(seat_info: SeatInfo, present: bool, colour: int) -> Json:
    return {
        "seat": seat_info.seat,
        "who": seat_info.who,
        "name": seat_info.name,
        "colour": colour,
        "level": seat_info.level,
        "stand_in": seat_info.stand_in,
        "timed_out": seat_info.timed_out,
        "resigned": seat_info.resigned,
        "present": present or seat_info.who == "bot",
        "reserved": seat_info.reserved,
    }


def table_json(
    board: Board, info: TableInfo, seats: list[Json], status: str, version: int, turn: int | None,
    winners: list[int] | None, ended: float | None,
) -> Json:  # fmt: skip
    """Return what everyone may know of a table."""
    return {
        "id": info.id,
        "board": info.board,
        "board_name": board.name,
        "digest": info.digest,
        "status": status,
        "seats": seats,
        "first": info.first,
        "clock": info.clock,
        "speed": info.speed,
        "hints": info.hints,
        "lesson": info.lesson,
        "host_name": info.host_name,
        "made": info.made,
        "began": info.began,
        "ended": ended,
        "version": version,
        "turn": turn,
        "winners": winners,
        "rematch": info.rematch,
    }


def final_json(match: Match) -> Json | None:
    """Return the final scores, or None while the game is not over."""
    if match.game is None or not match.game.over:
        return None
    scores, winners = match.game.scores(), match.game.winners()
    finals = match.view(None).final or []
    beaten = [score.total for seat, score in enumerate(scores) if seat not in winners]
    seats = [
        asdict(score)
        | {
            "seat": seat,
            "hand": final["hand"],
            "ticket_list": sorted(
                _with_paths(match, seat, final["tickets"]), key=lambda ticket: (not ticket["joined"], ticket["points"])
            ),
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
    return {"seats": seats, "bonuses": bonuses, "winners": winners, "tie_break": tie_break(match.board, scores)}


def _with_paths(match: Match, seat: int, tickets: list[Json]) -> list[Json]:
    """Return tickets, each with the seat's routes that join its cities."""
    own = frozenset(int(route) for route, owner in match.view(None).owners.items() if owner == seat)
    return [
        ticket | {"path": _path(match.board, own, *ticket["cities"]) if ticket["joined"] else []} for ticket in tickets
    ]


@lru_cache(maxsize=4096)  # a replay asks for the same path in most of its frames
def _path(board: Board, own: frozenset[int], start: str, end: str) -> list[int]:
    """Return the shortest path between two cities that a seat has joined."""
    path = shortest_path(board, {route: board.routes[route].length for route in own}.get, start, end)
    assert path is not None, f"{start} and {end} are not joined"
    return list(path.routes)


def tie_break(board: Board, scores: list[Score]) -> str | None:
    """Return the last criterion that parted players with the same total, if any did."""
    tied = [score for score in scores if score.total == max(each.total for each in scores)]
    decided = None
    for name in board.rules.tie_break:
        values = [_TIE_VALUES[name](score) for score in tied]
        if len(set(values)) > 1:
            tied = [score for score, value in zip(tied, values, strict=True) if value == max(values)]
            decided = name
    return decided


_TIE_VALUES: dict[str, Callable[[Score], int]] = {
    "completed tickets": lambda score: score.completed,
    "longest path": lambda score: score.longest,
    "bonus cards": lambda score: len(score.bonuses),
}


def replay_frames(match: Match) -> list[Json]:
    """Return a finished game step by step, with all hands open."""
    replayed = Match(match.board, match.info, match.seats)
    frames = [_frame(replayed, None)]
    for step in match.steps:
        replayed.add(step.command)
        frames.append(_frame(replayed, step))
    return frames


def _frame(match: Match, step: Step | None) -> Json:
    assert match.game is not None
    view = view_json(match, None) | {"options": None}
    hands = [match.game.view(seat) for seat in range(match.game.seats)]
    return {
        "version": match.version,
        "step": step.seen_by(step.command.seat) if step is not None else None,
        "view": view,
        "hands": [each.hand for each in hands],
        "tickets": [_with_paths(match, seat, each.tickets) for seat, each in enumerate(hands)],
        "offered": match.view(match.game.seat).offered,
    }
