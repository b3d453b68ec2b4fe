"""The server sends a seat exactly the same bytes when other seats hold different cards and tickets.

Three seats play a whole game over HTTP and sockets. Then we change what the first seat cannot see: we swap a card that
the second seat never spends with one that the third never spends, and shuffle the tickets the first seat never sees.
We play the same game again, which works because everything public is the same.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from databases import sqlite_file
from serving import Json, choice_of, dialogue, here, listening, quick
from tables import Size
from websockets.asyncio.client import connect

import northrail
from northrail.server.tables import registry as registries
from northrail.server.tables import seating as seatings
from northrail.server.tables.seating import Seating
from northrail.server.wire.messages import view_json

SEATS = 3
Choose = Callable[[int, Json], Json]


class Played:
    """A finished game: what the first seat and a spectator were sent, and what every seat chose and held."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.choices: list[tuple[int, Json]] = []
        self.hands: list[list[dict[str, int]]] = []  # [version][seat]
        self.seen: set[tuple[str, str]] = set()  # tickets shown to the first seat
        self.end: northrail.Game | None = None


async def play(folder: Path, start: Json, choose: Choose) -> Played:
    """Play a game from a position to its end; ``choose`` gets the version and the view of the seat to move."""
    played = Played()
    settings = quick(sqlite_file(folder))
    async with listening(settings, now=lambda: 1e9) as (address, registry):
        board = registry.boards[start["board"]]
        session, keys, _host = await Seating(registry).make(board, here("Anna", "Bo", "Cleo"), start=start, hints=True)
        table, path = session.match, f"http://{address}/api/tables/{session.match.info.id}"
        bearers = [{"authorization": f"Bearer {keys[seat]}"} for seat in range(SEATS)]
        async with (
            httpx.AsyncClient() as client,
            connect(f"ws{path[4:]}/socket", additional_headers=bearers[0]) as anna,
            connect(f"ws{path[4:]}/socket") as watcher,
        ):
            await anna.recv()  # perhaps from before the spectator connected
            while table.status == "running":
                played.seen |= {tuple(ticket["cities"]) for ticket in shown(table.view(0).json())}
                played.hands.append([table.view(seat).hand for seat in range(SEATS)])
                seat = table.turn or 0
                choice = choose(table.version, view_json(table, seat))
                played.choices.append((seat, choice))
                for method, asked, body in attempts(table.version) if table.version % 3 == 0 else ():
                    answer = await client.request(method, path + asked, headers=bearers[0], json=body)
                    played.sent.append(f"{answer.status_code} ".encode() + answer.content)
                version = table.version
                command = {"seat": seat, "version": version, "choice": choice}
                answer = await client.post(f"{path}/moves", headers=bearers[seat], json=command)
                assert answer.status_code == 200, answer.text
                if table.status != "running":
                    break  # all hands are open
                if seat == 0:
                    played.sent.append(answer.content)
                for socket in (anna, watcher):
                    while True:
                        message = await socket.recv(decode=False)
                        if json.loads(message)["version"] > version:
                            played.sent.append(bytes(message))
                            break
        played.end = table.game
    return played


def shown(view: Json) -> list[Json]:
    """Return the tickets in a view."""
    return [*view["tickets"], *view["offered"], *view["returned"]]


def attempts(version: int) -> list[tuple[str, str, Json | None]]:
    """Return requests with which the first seat tries to learn what it can."""
    nonsense = {"seat": 0, "version": version, "choice": {"kind": "tunnel", "cards": {"red": 99}}}
    return [
        ("GET", f"/news?since={max(0, version - 2)}", None),
        ("POST", "/moves", nonsense),
        ("POST", "/payments", {"seat": 0, "route": version % 80, "cards": {"red": 2}}),
        ("GET", "/replay", None),
        ("GET", f"/why?seat=0&kind=claim&route={version % 80}", None),
        ("GET", "/why?seat=0&kind=blind", None),
        ("GET", f"/hint?seat=0&version={version}", None),
    ]


def sparing(view: Json, kept: list[str | None]) -> Json:
    """Return the options that leave the seat a card of the colour it keeps."""
    colour, options = kept[view["me"]], dict(view["options"])

    def spared(payments: list[dict[str, int]]) -> list[dict[str, int]]:
        return [each for each in payments if colour is None or each.get(colour, 0) < view["hand"][colour]]

    claims = {route: claim | {"payments": spared(claim["payments"])} for route, claim in options["claim"].items()}
    options["claim"] = {route: claim for route, claim in claims.items() if claim["payments"]}
    if options["tunnel"]:
        options["tunnel"] = options["tunnel"] | {"payments": spared(options["tunnel"]["payments"])}
    return options


def swapped(
    start: Json, first: Played, kept: list[str | None], chance: random.Random
) -> tuple[Json, dict[tuple[str, str], tuple[str, str]]]:
    """Return the position with hidden cards and tickets exchanged, and which ticket replaces which."""
    assert all(hands[seat].get(str(kept[seat]), 0) > 0 for hands in first.hands for seat in (1, 2))
    mine, theirs = kept[1:]
    new: Json = json.loads(json.dumps(start))
    for seat, gives, takes in ((1, mine, theirs), (2, theirs, mine)):
        hand = new["hands"][seat]
        hand[gives] -= 1
        hand[takes] = hand.get(takes, 0) + 1
    hidden = [tuple(t) for t in new["ticket_deck"] + new["dealt"][1] + new["dealt"][2] if tuple(t) not in first.seen]
    others = hidden[:]
    while any(one == other for one, other in zip(hidden, others, strict=True)):
        chance.shuffle(others)
    exchange = dict(zip(hidden, others, strict=True))
    for tickets in (new["ticket_deck"], *new["dealt"]):
        tickets[:] = [list(exchange.get(tuple(ticket), tuple(ticket))) for ticket in tickets]
    return new, exchange


def begun(board: northrail.Board, seed: int, trains: int) -> Json:
    """Return a deal with this many trains for each seat; the first seat starts."""
    position = northrail.Game(board, SEATS, seed, first=0).position()
    position["trains"] = [trains] * SEATS
    return northrail.Game.from_position(board, position).position()


@dialogue
async def test_no_byte_depends_on_what_a_seat_cannot_know(
    board: northrail.Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: Size
) -> None:
    monkeypatch.setattr(seatings, "new_id", lambda: "abcdefghjk")
    monkeypatch.setattr(registries, "PRESENCE_INTERVAL", 1e9)  # presence is not what we test
    chance = random.Random(3)
    start = begun(board, seed=11, trains=size.pick(9, 9, 40))
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    kept = [None, *next((x, y) for x in start["hands"][1] for y in start["hands"][2] if x != y)]
    first = await play(tmp_path / "one", start, lambda _version, view: choice_of(sparing(view, kept), chance))
    new, exchange = swapped(start, first, kept, chance)

    def same(version: int, view: Json) -> Json:
        seat, choice = first.choices[version]
        assert seat == view["me"]
        if choice["kind"] != "keep":
            return choice
        cities: list[Any] = [board.tickets[number].cities for number in choice["tickets"]]
        return choice | {"tickets": [board.ticket(*exchange.get(each, each)) for each in cities]}

    second = await play(tmp_path / "other", new, same)
    assert len(first.sent) > 120
    for one, other in zip(first.sent, second.sent, strict=True):
        assert one == other
    assert first.end is not None
    assert second.end is not None
    for seat in (1, 2):
        assert first.end.view(seat).hand != second.end.view(seat).hand
        assert first.end.view(seat).tickets != second.end.view(seat).tickets
    assert first.end.view(0).hand == second.end.view(0).hand
