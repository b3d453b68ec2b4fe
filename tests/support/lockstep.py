"""The kernels and the slow reference side by side: the same moves, and whatever then differs is told."""

import functools
import random
import struct
from dataclasses import asdict
from typing import Any

from tables import BOARDS, WAYS, choose, corner

import northrail
from northrail.boards.board import CARDS, ROUTE_BITS, ROUTE_WORDS, SEATS, TICKET_BITS, TICKET_WORDS, TICKETS
from northrail.engine.moves import move_of
from northrail.engine.rules import Log, apply, legal
from northrail.engine.state import BATCHES, NOT_YET, PHASES, UNCHOSEN, Moves, State
from reference import ReferenceGame, load
from reference.bill import TYPES
from reference.moves import move_of as reference_move

BOARD_FILES = {name: load(name) for name in BOARDS}
WHOLE = 7  # whole positions, as people see them, are compared every so many moves; the bytes behind them after each
SPARSE = 8  # by kernels alone also the bytes only every so many: chance is part of them, so what once differs stays so


class Apart(AssertionError):
    """The two did not agree."""


def padded(cards: list[dict[str, int]]) -> bytes:
    """[seat, colour] -> count; the reference keeps its cards in the order of colours."""
    return b"".join(bytes(hand.values()) for hand in cards).ljust(SEATS * CARDS, b"\0")


def words(number_sets: list[Any], size: int, count: int) -> bytes:
    """[set, word] -> bits."""
    out = []
    for numbers in number_sets:
        bits = 0
        for number in numbers:
            bits |= 1 << number
        out += [bits >> size * at & (1 << size) - 1 for at in range(count)]
    return struct.pack(f"<{len(out)}q", *out)


def small(number: int) -> bytes:
    """An int8."""
    return number.to_bytes(1, "little", signed=True)


def expected_state(twin: ReferenceGame) -> dict[str, bytes]:
    """The fields of a state as they must be for the reference's situation."""
    seats = twin.seats
    rest = SEATS - seats
    nothing: list[Any] = [()] * rest
    routes: list[list[int]] = [[] for _ in range(SEATS)]
    for route, owner in twin.owners.items():
        routes[owner].append(route)
    waiting = [] if twin.dealt is None else [seat for seat in range(seats) if twin.dealt[seat]]
    held = [twin.dealt[seat] if twin.dealt and seat in waiting else twin.tickets[seat] for seat in range(seats)]
    colour = UNCHOSEN if twin.set is None else TYPES.index(twin.set)
    in_tunnel = twin.phase == "tunnel"
    return {
        "owned": words(routes, ROUTE_BITS, ROUTE_WORDS),
        "route": (-1 if twin.route is None else twin.route).to_bytes(2, "little", signed=True),
        "bonus_cards": sum(1 << card for card in twin.bonus_cards).to_bytes(2, "little"),
        "known": padded(twin.known),
        "face_up": bytes(twin.face_up.values()),
        "discard": bytes(twin.discard.values()),
        "laid": bytes(twin.laid.values()),
        "revealed": bytes(twin.revealed.values()),
        "hand_size": bytes(sum(hand.values()) for hand in twin.hands) + bytes(rest),
        "trains": bytes(twin.trains) + bytes(rest),
        "ticket_count": bytes(map(len, twin.tickets)) + bytes(rest),
        "returned_count": bytes(map(len, twin.returned)) + bytes(rest),
        "batch": bytes(batch["count"] * 8 + batch["seat"] for batch in twin.batches).ljust(BATCHES, b"\0"),
        "batches": small(len(twin.batches)),
        "opened": small(int(bool(twin.batches) and twin.batches[0]["opened"])),
        "ticket_deck_size": small(len(twin.ticket_deck)),
        "deck_size": small(sum(twin.deck.values())),
        "offered_count": small(len(twin.offered)),
        "choosing": small(0 if twin.dealt is None else 1 + len(waiting)),
        "seats": small(seats),
        "first": small(twin.first),
        "seat": small(twin.seat),
        "phase": small(PHASES.index(twin.phase)),
        "set_colour": small(colour),
        "extra": small(sum(twin.laid.values()) - twin.board.routes[twin.route or 0].length if in_tunnel else 0),
        "turns_left": small(NOT_YET if twin.turns_left is None else twin.turns_left),
        "passes": small(twin.passes),
        "rng": twin.dice.rng.to_bytes(8, "little"),
        "held": words(held + nothing, TICKET_BITS, TICKET_WORDS),
        "returned": words(twin.returned + nothing, TICKET_BITS, TICKET_WORDS),
        "offered": words([twin.offered], TICKET_BITS, TICKET_WORDS),
        "hand": padded(twin.hands),
        "deck": bytes(twin.deck.values()),
        "ticket_deck": bytes(twin.ticket_deck).ljust(TICKETS, b"\0"),
    }


# What follows from other fields and shows in the legal moves and the scores.
DERIVED = {"open", "points", "choices"}
PLACES = {
    name: slice(field.offset, field.offset + State.dtype[name].itemsize)
    for name, field in State.fields.items()
    if name not in DERIVED
}


class Lockstep:
    """A game and its slow twin. ``face``: through all that people use; otherwise kernels alone, five times as fast."""

    def __init__(self, game: northrail.Game, twin: ReferenceGame, name: str, face: bool) -> None:
        self.game, self.twin, self.name, self.face = game, twin, name, face
        self.board = game.board
        self.struct, self.routes = game.board.struct, len(game.board.routes)
        self.state, self.legal, self.log = game.state, Moves(), Log()
        self.played: list[str] = []
        self.tuples, self.numbered, self.moves = _moves_of(self.board.id)
        self.check()

    def apart(self, what: str, ours: Any, theirs: Any) -> Apart:
        """The error that tells what differs, and how to come here again."""
        if isinstance(ours, dict) and isinstance(theirs, dict):
            names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
            ours, theirs = {name: ours.get(name) for name in names}, {name: theirs.get(name) for name in names}
        moves = ", ".join(self.played) or "none"
        return Apart(
            f"{self.name}, after move {len(self.played)}: {what} differ\n"
            f"  engine    {ours}\n  reference {theirs}\n  moves     {moves}"
        )

    def numbers(self) -> list[int]:
        """The legal moves of both, which must be the same."""
        tuples = self.tuples
        theirs = [tuples[move] for move in self.twin.legal()]
        legal(self.struct, self.state, self.legal)
        words = self.legal.claims.tolist()
        ours = self.legal.other << self.routes
        for at in range(ROUTE_WORDS):
            ours |= words[at] << ROUTE_BITS * at
        wanted = 0
        for number in theirs:
            wanted |= 1 << number
        if ours != wanted:
            raise self.apart(
                "legal moves", [number for number in range(ours.bit_length()) if ours >> number & 1], theirs
            )
        return theirs

    def check(self, whole: bool = False) -> None:
        """Compare the situations: the bytes of every field, or also the positions that people see."""
        raw = bytes(self.state)
        wanted = expected_state(self.twin)
        ours = {name: raw[place] for name, place in PLACES.items()}
        if ours != wanted:
            raise self.apart("positions", self.game.position(), self.twin.position()) from self.apart(
                "state fields", ours, wanted
            )
        if whole or (self.face and len(self.played) % WHOLE == 0):
            if self.game.position() != self.twin.position():
                raise self.apart("positions", self.game.position(), self.twin.position())
            if [move.number for move in self.game.moves()] != [self.tuples[move] for move in self.twin.legal()]:
                raise self.apart("lists of moves", self.game.moves(), self.twin.legal())

    def step(self, way: str, chance: random.Random) -> None:
        """Choose a move and play it in both."""
        numbers = self.numbers()
        if way == "any":
            number = numbers[chance.randrange(len(numbers))]
        elif self.twin.phase == "tickets":
            number = choose(way, self.board, self.game.moves(), chance).number
        else:
            number = choose(way, self.board, [self.moves[number] for number in numbers], chance).number
        self.play(number)

    def play(self, number: int) -> None:
        """Play the move of that number in both."""
        self.played.append(str(number))
        if self.face:
            self.game.play(number)
        else:
            apply(self.struct, self.state, number, self.log)
        self.twin.play(self.numbered[number])
        if self.face or len(self.played) % SPARSE == 0:
            self.check()

    def finish(self, way: str, chance: random.Random) -> int:
        """Play to the end and compare the final tables; gives the number of moves."""
        while not self.twin.over:
            self.step(way, chance)
        self.compare_ends()
        return len(self.played)

    def compare_ends(self) -> None:
        """Compare the final tables."""
        self.check(whole=True)
        ours, theirs = [asdict(score) for score in self.game.scores()], self.twin.scores()
        if ours != theirs:
            raise self.apart("scores", ours, theirs)
        if self.game.winners() != self.twin.winners():
            raise self.apart("winners", self.game.winners(), self.twin.winners())


@functools.cache
def _moves_of(name: str) -> tuple[dict[Any, int], dict[int, Any], dict[int, northrail.Move]]:
    """Numbers of the reference's moves, and back, and the engine's moves but keep, which depends on the offer."""
    routes = len(BOARDS[name].routes)
    numbered = {number: reference_move(number, routes) for number in range(routes + 53)}
    moves = {number: move_of(BOARDS[name], number) for number in numbered if numbered[number][0] != "keep"}
    return {move: number for number, move in numbered.items()}, numbered, moves


def compare(name: str, seats: int, seed: int, way: str = "any", late: bool = False, face: bool = True) -> int:
    """Play a game in lockstep; gives the number of moves. ``late``: it begins with next to nothing on the table."""
    board = BOARDS[name]
    if late:
        game = corner(board, seats, seed)
        twin = ReferenceGame.from_position(BOARD_FILES[name], game.position())
    else:
        game = northrail.Game(board, seats, seed)
        twin = ReferenceGame(BOARD_FILES[name], seats, seed)
    title = f"compare({name!r}, {seats}, {seed}, {way!r}, late={late})"
    return Lockstep(game, twin, title, face).finish(way, random.Random(seed))


def compare_on(board: northrail.Board, data: dict[str, Any], seats: int, seed: int, most: int) -> northrail.Game:
    """A random game of at most so many moves on a board of one's own, read from ``data``, played in lockstep."""
    game, twin, chance = northrail.Game(board, seats, seed), ReferenceGame(data, seats, seed), random.Random(seed)
    for move in range(most):
        assert game.position() == twin.position(), (seed, move)
        if game.over:
            break
        numbers = [choice.number for choice in game.moves()]
        assert numbers == [twin.number(choice) for choice in twin.legal()], (seed, move)
        number = chance.choice(numbers)
        game.play(number)
        twin.play(twin.tuple_of(number))
    assert [asdict(score) for score in game.scores()] == twin.scores()
    assert game.winners() == twin.winners()
    return game


def compare_many(name: str, seats: int, seeds: range) -> tuple[int, int]:
    """Games and moves of a stretch of seeds; half of them random, the others choose in some way or begin late."""
    ways = list(WAYS)
    moves = 0
    for seed in seeds:
        way = ways[seed // 2 % len(ways)] if seed % 2 else "any"
        moves += compare(name, seats, seed, way, late=seed % 10 == 3, face=seed % 50 == 0)
    return len(seeds), moves
