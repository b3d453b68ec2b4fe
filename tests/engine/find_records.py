"""Find the records in tests/engine/records.

    PYTHONPATH=src:tests:tests/support python tests/engine/find_records.py

This plays games in many ways, from the deal and from late positions. It notes which rules each game shows
(`features.shown_by`) and keeps a few games that together show everything in `features.required`. Run it again after
changing a rule or a board on purpose; it takes a few minutes. Add `northern-lights 3` to search one table only.
"""

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from features import Record, lanes_beside, required, shown_by
from tables import BOARDS, TABLES, WAYS, Position, corner, play_on, squeezed

import northrail
from northrail.boards.board import COLOURS
from northrail.engine.batches import CHOICES
from northrail.engine.state import advance, scaled, seeded

FOLDER = Path(__file__).parent / "records"
TRIES = 400


# --- games that end in a tie ------------------------------------------------------------------------------------------


def replayed(board: northrail.Board, seats: int, seed: int) -> northrail.Game:
    """Return the game that `random_games` plays with a seed."""
    game = northrail.Game(board, seats, seed)
    rng = seeded(seed + CHOICES)
    while not game.over:
        rng = advance(rng)
        moves = game.moves()
        game.play(moves[scaled(rng, len(moves))])
    return game


def ties(board: northrail.Board, seats: int) -> Iterator[northrail.Game]:
    """Yield random games in which several seats have the highest total; the winners show which ties were broken."""
    table = northrail.random_games(board, seats, 60_000)
    best = table["scores"].max(axis=1)
    tied = (table["scores"] == best[:, None]).sum(axis=1) > 1
    shared = table["winners"].sum(axis=1) > 1
    for seeds in ((tied & shared).nonzero()[0][:4], (tied & ~shared).nonzero()[0][:60]):
        for seed in seeds.tolist():
            yield replayed(board, seats, seed)


# --- games in which nobody has a legal move ---------------------------------------------------------------------------


def barren(board: northrail.Board, seats: int) -> Iterator[northrail.Game]:
    """Yield games that end because all pass: seat 0 holds every card, and every open route needs too many trains.

    The others have no cards. Where the trains of all suffice to close every short route, seat 0 has more than two
    trains left, or is about to claim a one-space ferry that gives the locomotive back. With two seats they do not
    suffice, and the game begins within the last round, when neither has a train left.
    """
    chance = random.Random(1)
    extra = next((n for n, route in enumerate(board.routes) if route.draw_bonus == route.length == 1), None)
    spared = lanes_beside(board, extra) if extra is not None and seats > 2 else []
    for _ in range(100):
        owners, trains = closing(board, seats, spared, chance)
        position = northrail.Game(board, seats, 1, first=0).position()
        cards = dict.fromkeys(COLOURS[:-1], board.rules.each_colour) | {"locomotive": board.rules.locomotives}
        position.update(
            seat=0,
            phase="turn",
            owners=owners,
            trains=trains,
            hands=[cards, *({} for _ in range(seats - 1))],
            face_up={},
            deck={},
            offered=[],
            dealt=None,
            tickets=[[list(ticket.cities) for ticket in board.tickets], *([] for _ in range(seats - 1))],
            ticket_deck=[],
            turns_left=2 if seats == 2 else None,
        )
        game = northrail.Game.from_position(board, position)
        if spared and trains[0] == 3:
            game.claim(spared[0], {"locomotive": 1})
        play_on(game, "any", chance, seats)
        if game.over and game.position()["passes"] == seats:
            yield game
            return


def closing(
    board: northrail.Board, seats: int, spared: list[int], chance: random.Random
) -> tuple[dict[str, int], list[int]]:
    """Return owners that close the short routes to seat 0, and its trains: three, or none with two seats."""
    owners: dict[str, int] = {}
    trains = [board.rules.trains] * seats
    least = 0 if seats == 2 else 3
    short = 2 if spared else 3
    numbers = [number for number in range(len(board.routes)) if number not in spared]
    chance.shuffle(numbers)
    # Short routes before long ones, for those must be closed; among them the longest, so that the others fill the gaps.
    numbers.sort(key=lambda number: (board.routes[number].length > short, -board.routes[number].length))
    for number in numbers:
        length = board.routes[number].length
        lanes = lanes_beside(board, number)
        taken = [owners[str(lane)] for lane in lanes if str(lane) in owners]
        usable = {1: 1, 2: board.rules.double_routes[seats], 3: board.rules.triple_routes[seats]}[len(lanes)]
        able = [seat for seat in range(seats) if trains[seat] - length >= least and seat not in taken]
        if length > short and seats > 2:
            able = [seat for seat in able if seat == 0]
        if len(taken) < usable and 0 not in taken and able:
            # Seat 0 closes for itself what others would have to close twice.
            seat = 0 if 0 in able and len(lanes) > 1 else max(able, key=lambda seat: (seat > 0, trains[seat]))
            owners[str(number)] = seat
            trains[seat] -= length
    return owners, trains


# --- late positions ---------------------------------------------------------------------------------------------------


def with_locomotives_up(position: Position, chance: random.Random) -> Position:
    """Return the position with a row of locomotives and one other card, and an empty deck."""
    new = copy.deepcopy(position)
    hands = [Counter(hand) for hand in new["hands"]]
    loose: Counter[str] = Counter(new["face_up"]) + Counter(new["deck"])
    hands[chance.randrange(new["seats"])].update(loose)
    row = Counter[str]()
    for seat in sorted(range(new["seats"]), key=lambda seat: -hands[seat]["locomotive"]):
        while hands[seat]["locomotive"] and row["locomotive"] < 3:
            hands[seat]["locomotive"] -= 1
            row["locomotive"] += 1
    seat = max(range(new["seats"]), key=lambda seat: hands[seat].total())
    colour = next(card for card in sorted(hands[seat]) if card != "locomotive" and hands[seat][card])
    hands[seat][colour] -= 1
    row[colour] += 1
    new["hands"] = [dict(+hand) for hand in hands]
    new["known"] = [{} for _ in hands]
    new.update(face_up=dict(row), deck={}, discard={})
    return new


def long_sets(board: northrail.Board, seats: int) -> Iterator[northrail.Game]:
    """Yield games in which a route with its own substitute rule is paid with its set alone."""
    routes = [n for n, route in enumerate(board.routes) if route.substitute and not route.ferry]
    for seed in range(40 if routes else 0):
        chance = random.Random(seed)
        game = northrail.Game(board, seats, seed)
        while game.phase == "tickets":
            game.play(game.moves()[0])
        game = northrail.Game.from_position(board, squeezed(game.position(), chance))
        for colour in COLOURS[:-1]:
            if game.can_pay(routes[0], {colour: board.routes[routes[0]].length}):
                game.claim(routes[0], {colour: board.routes[routes[0]].length})
                yield play_on(game, "claims", chance)
                return


def games(board: northrail.Board, seats: int) -> Iterator[northrail.Game]:
    """Yield candidate games, the special ones first."""
    yield from barren(board, seats)
    yield from long_sets(board, seats)
    yield from ties(board, seats)
    ways = list(WAYS)
    for seed in range(TRIES):
        chance = random.Random(seed)
        way = ways[seed % len(ways)]
        if seed % 3 == 0:
            yield play_on(northrail.Game(board, seats, seed), way, chance)
        else:
            game = corner(board, seats, seed)
            if seed % 12 == 1:
                game = northrail.Game.from_position(board, with_locomotives_up(game.position(), chance))
            yield play_on(game, way, chance)


# --- choosing ---------------------------------------------------------------------------------------------------------


def written(record: Record, game: northrail.Game, shows: set[str]) -> str:
    """Return the text of a record file; ``scores`` and ``shows`` are next to the record, not inside it."""
    scores = [asdict(score) for score in game.scores()]
    content: dict[str, Any] = {
        "shows": sorted(shows),
        "winners": game.winners(),
        "scores": scores,
        "record": record,
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def look(board: northrail.Board, seats: int) -> set[str]:
    """Write the records of a table; return what no game showed."""
    wanted = required(board, seats)
    found: list[tuple[set[str], str]] = []
    missing = set(wanted)
    for game in games(board, seats):
        record = json.loads(json.dumps(game.record()))
        _, shows = shown_by(record)
        found.append((shows & wanted, written(record, game, shows & wanted)))
        missing -= shows
        if not missing and len(found) > 60:
            break
    for path in FOLDER.glob(f"{board.id}-{seats}-*.json"):
        path.unlink()
    left = wanted - missing
    number = 0
    while left:
        # The most for its size.
        shows, text = max(found, key=lambda pair: len(pair[0] & left) / (1500 + len(pair[1])))
        left -= shows
        number += 1
        (FOLDER / f"{board.id}-{seats}-{number:02}.json").write_text(text, encoding="utf-8")
    return missing


def main(arguments: list[str]) -> None:
    """Find the records of all tables, or of one table."""
    FOLDER.mkdir(exist_ok=True)
    for name, seats in TABLES:
        if arguments in ([], [name, str(seats)]):
            missing = look(BOARDS[name], seats)
            count = len(list(FOLDER.glob(f"{name}-{seats}-*.json")))
            sys.stdout.write(
                f"{name}, {seats} seats: {count} records, missing: {', '.join(sorted(missing)) or 'none'}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
