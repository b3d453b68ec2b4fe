"""Find which special rules a record shows, from its events, positions and scores."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from lockstep import BOARD_FILES
from tables import Position

import northrail
from reference.bill import TYPES
from reference.board import ReferenceBoard

Record = dict[str, Any]


def required(board: northrail.Board, seats: int) -> set[str]:
    """Return what the records of a board with this many seats must show, according to the switches of its rules."""
    rules = board.rules
    wanted = {
        "a whole game from the deal",
        "the discards become the deck",
        "empty deck",
        "empty place in the row",
        "empty places in the row are filled again",
        "one card ends the draw, there is no second",
        "fewer tickets than usual on offer",
        "pass",
        "ends: all pass",
        "ends: last round",
        "tie broken by completed tickets",
        "shared victory",
        *(f"won: {card.name}" for card in board.bonus_cards),
        *(f"tie broken by {name}" for name in rules.tie_break),
    }
    if any(route.tunnel for route in board.routes):
        wanted |= {
            "tunnel: nothing owed",
            "tunnel: paid",
            "tunnel: refused",
            "tunnel: could not pay",
            "tunnel: only locomotives",
            "tunnel: fewer cards turned over",
            "tunnel: the discards become the deck",
        }
    if any(route.ferry and route.substitute for route in board.routes):
        wanted.add("ferry with substitutes")
    if any(route.substitute and not route.ferry for route in board.routes):
        wanted |= {"route of its own rule with substitutes", "route of its own rule with the set alone"}
    if any(route.draw_bonus for route in board.routes):
        # There are always enough cards for X: the payment is discarded first, and X is at most the route's length.
        wanted |= {"+X", "+X with a reshuffle during it"}
    if rules.face_up_locomotive_alone:
        wanted |= {
            "a face-up locomotive ends the draw",
            "no face-up locomotive as second card",
            "only face-up locomotives left for a second card",
        }
    else:
        wanted.add("two face-up locomotives in one turn")
    if rules.returned_go_under:
        wanted |= {"a returned batch is drawn by another", "a returned batch comes back to its seat"}
    lanes = Counter(len(lanes_beside(board, number)) for number in range(len(board.routes)))
    for count, usable in ((2, rules.double_routes[seats]), (3, rules.triple_routes[seats])):
        if lanes[count]:
            wanted.add(f"{usable} of {count} lanes in use")
            if usable < count:
                wanted.add(f"lane {usable + 1} of {count} closed")
            if usable > 1:
                wanted.add("nobody owns two lanes")
    return wanted


def lanes_beside(board: northrail.Board, number: int) -> list[int]:
    """Return all routes between the same two cities, including this one."""
    ends = set(board.routes[number].cities)
    return [other for other, route in enumerate(board.routes) if set(route.cities) == ends]


def shown_by(record: Record) -> tuple[northrail.Game, set[str]]:
    """Replay a record; return its game after the last move, and what it shows."""
    game = northrail.Game.replay(record, upto=0)
    shown: set[str] = set()
    first_card: str | None = None  # colour of the face-up card taken first in this turn
    board = ReferenceBoard(BOARD_FILES[game.board.id], game.seats)
    before = game.position()
    for text in record["moves"]:
        moves = game.moves()
        move = next(move for move in moves if str(move) == text)
        events = [event.seen_by(event.seat) for event in game.play(text)]
        after = game.position()
        shown |= set(from_events(game.board, events))
        shown |= set(from_positions(game.board, before, move, events, after))
        if before["phase"] == "tunnel" and move.kind == "give_up":
            shown.add("tunnel: refused" if len(moves) > 1 else "tunnel: could not pay")
        if before["phase"] == "second_card" and move.colour == first_card == "locomotive" and move.kind == "take":
            shown.add("two face-up locomotives in one turn")
        if before["phase"] == "second_card" and "locomotive" in before["face_up"]:
            if not any(other.kind == "take" and other.colour == "locomotive" for other in moves):
                shown.add("no face-up locomotive as second card")
        if before["phase"] == "turn":
            first_card = move.colour if move.kind == "take" else None
            shown |= set(from_lanes(board, before, {other.route for other in moves}))
        before = after
    if game.over:
        shown |= set(from_the_end(game, before))
        if "start" not in record:
            shown.add("a whole game from the deal")
    return game, shown


def from_events(board: northrail.Board, events: list[dict[str, Any]]) -> Iterator[str]:
    """What is told by the events of a move."""
    codes = [event["code"] for event in events]
    if "reshuffled" in codes:
        yield "the discards become the deck"
    if "passed" in codes:
        yield "pass"
    for event in events:
        if event["code"] == "tunnel_tried":
            laid = board.routes[event["route"]].length
            if event["cards"] == {"locomotive": laid}:
                yield "tunnel: only locomotives"
            if len(event["revealed"]) < board.rules.tunnel_cards:
                yield "tunnel: fewer cards turned over"
            if not event["owed"]:
                yield "tunnel: nothing owed"
            if "reshuffled" in codes and "claimed" not in codes:
                yield "tunnel: the discards become the deck"
        if event["code"] == "claimed":
            route = board.routes[event["route"]]
            more = sum(event["cards"].values()) > route.length
            if route.tunnel and more:
                yield "tunnel: paid"
            if route.ferry and more:
                yield "ferry with substitutes"
            if route.substitute and not route.ferry:
                yield f"route of its own rule with {'substitutes' if more else 'the set alone'}"
            if route.draw_bonus:
                yield "+X"
                drawn = [at for at, code in enumerate(codes) if code == "drew"]
                if drawn and "reshuffled" in codes[codes.index("claimed") : drawn[-1]]:
                    yield "+X with a reshuffle during it"


def from_positions(
    board: northrail.Board, before: Position, move: northrail.Move, events: list[dict[str, Any]], after: Position
) -> Iterator[str]:
    """Find what a comparison of the positions before and after a move shows."""
    under_way = after["phase"] != "over"
    row, row_before = sum(after["face_up"].values()), sum(before["face_up"].values())
    if under_way and not after["deck"]:
        yield "empty deck"
    if under_way and row < board.rules.face_up:
        yield "empty place in the row"
    if row > row_before and any(event["code"] == "claimed" for event in events):
        yield "empty places in the row are filled again"
    if before["phase"] == "turn" and move.kind in ("take", "blind") and after["seat"] != before["seat"]:
        if move.kind == "take" and move.colour == "locomotive" and board.rules.face_up_locomotive_alone:
            if after["deck"]:
                yield "a face-up locomotive ends the draw"
        elif not after["deck"] and not after["face_up"]:
            yield "one card ends the draw, there is no second"
        elif not after["deck"] and set(after["face_up"]) == {"locomotive"}:
            yield "only face-up locomotives left for a second card"
    if move.kind == "draw_tickets":
        if len(after["offered"]) < board.rules.drawn_tickets[0]:
            yield "fewer tickets than usual on offer"
        if any(batch["opened"] for batch in after["batches"]):
            yield "a returned batch is drawn by another"
        if board.rules.returned_go_under and any(t in before["returned"][before["seat"]] for t in after["offered"]):
            yield "a returned batch comes back to its seat"


def from_lanes(board: ReferenceBoard, position: Position, claimable: set[int | None]) -> Iterator[str]:
    """Find how many parallel routes are in use, and which ones the seat may not claim although it could pay."""
    seat = position["seat"]
    owners = {int(route): owner for route, owner in position["owners"].items()}
    hand = {card: position["hands"][seat].get(card, 0) for card in TYPES}
    affordable = [bill.is_affordable(hand) for bill in board.bills]
    for number, route in enumerate(board.routes):
        owned = [owners[lane] for lane in route.parallels if lane in owners]
        lanes = len(route.parallels)
        if lanes == 1 or not owned:
            continue
        yield f"{len(owned)} of {lanes} lanes in use"
        able = affordable[route.bill] and route.length <= position["trains"][seat]
        if number in owners or number in claimable or not able:
            continue
        if seat not in owned:
            yield f"lane {len(owned) + 1} of {lanes} closed"
        elif len(owned) < board.in_use[lanes]:
            yield "nobody owns two lanes"


def from_the_end(game: northrail.Game, last: Position) -> Iterator[str]:
    """Find how the game ended, who won the bonus cards, and what broke ties."""
    if last["passes"] == game.seats:
        yield "ends: all pass"
    elif last["turns_left"] == 0:
        yield "ends: last round"
    table = [asdict(score) for score in game.scores()]
    for card in game.board.bonus_cards:
        if sum(card.name in row["bonuses"] for row in table) == 1:
            yield f"won: {card.name}"
    values = {
        "completed tickets": [row["completed"] for row in table],
        "longest path": [row["longest"] for row in table],
        "bonus cards": [len(row["bonuses"]) for row in table],
    }
    best = max(row["total"] for row in table)
    tied = [seat for seat, row in enumerate(table) if row["total"] == best]
    for name in game.board.rules.tie_break:
        if len(tied) > 1:
            best = max(values[name][seat] for seat in tied)
            tied = [seat for seat in tied if values[name][seat] == best]
            if len(tied) == 1:
                yield f"tie broken by {name}"
    if len(tied) > 1:
        yield "shared victory"
