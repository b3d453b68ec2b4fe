"""Boards and numbers of seats to test, biased ways of choosing moves, and positions at extremes."""

import copy
import functools
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import northrail
from northrail.boards.load import BUILT_IN

Position = dict[str, Any]
Cards = dict[str, int]

BOARDS = {name: northrail.load_board(name) for name in BUILT_IN}
TABLES = [
    (name, seats) for name, board in BOARDS.items() for seats in range(board.rules.seats[0], board.rules.seats[1] + 1)
]


@dataclass(frozen=True)
class Size:
    """How much to play."""

    name: str

    def pick(self, small: int, usual: int, long: int | None = None) -> int:
        """Return the number for this size."""
        return {"small": small, "usual": usual, "long": usual if long is None else long}[self.name]


SIZE = Size(os.environ.get("NORTHRAIL_TEST_SIZE") or "usual")  # tests take the fixture; decorators can only read this
if SIZE.name not in ("small", "usual", "long"):
    raise ValueError(f"NORTHRAIL_TEST_SIZE: expected small, usual or long, got {SIZE.name!r}")


# --- ways of choosing -------------------------------------------------------------------------------------------------

# A way gives each move a weight; the default is 1. Kinds are those of northrail.Move.
Weigh = Callable[[northrail.Board, northrail.Move], float]


def weights(**by_kind: float) -> Weigh:
    """A way that looks at the kind of a move alone; what it does not name weighs 1."""
    return lambda _, move: by_kind.get(move.kind, 1.0)


def substitutes(board: northrail.Board, move: northrail.Move) -> float:
    """Collect cards, then claim routes that allow substitutes, with as few locomotives as possible."""
    if move.kind == "claim":
        return 3.0 if board.routes[move.route or 0].substitute else 0.02
    if move.kind == "card":
        return 0.1 if move.colour == "locomotive" else 1.0
    return 0.1 if move.kind == "draw_tickets" else 1.0


def tunnels(board: northrail.Board, move: northrail.Move) -> float:
    """Try tunnels, if possible with locomotives, and give up half of them."""
    if move.kind == "claim":
        return 5.0 if board.routes[move.route or 0].tunnel else 0.1
    if move.kind == "take":
        return 4.0 if move.colour == "locomotive" else 1.0
    if move.kind == "card":
        return 4.0 if move.colour == "locomotive" else 1.0
    return 0.1 if move.kind == "draw_tickets" else 2.0


def keeps_few(_: northrail.Board, move: northrail.Move) -> float:
    """Draw tickets often and return most of them, so that returned batches are drawn again."""
    if move.kind == "keep":
        return 20.0 ** -len(move.tickets)
    return {"draw_tickets": 40.0, "claim": 3.0}.get(move.kind, 1.0)


def hoards_locomotives(_: northrail.Board, move: northrail.Move) -> float:
    """Take locomotives first and lay them last."""
    if move.colour == "locomotive":
        return 30.0 if move.kind == "take" else 0.05
    return {"claim": 0.5, "draw_tickets": 0.1}.get(move.kind, 1.0)


@functools.cache
def is_parallel(board: northrail.Board, route: int) -> bool:
    """Return whether another route connects the same two cities."""
    return sum(set(board.routes[route].cities) == set(other.cities) for other in board.routes) > 1


def parallels(board: northrail.Board, move: northrail.Move) -> float:
    """Claim double and triple routes."""
    if move.kind == "claim":
        return 30.0 if is_parallel(board, move.route or 0) else 1.0
    return 0.2 if move.kind == "draw_tickets" else 1.0


WAYS: dict[str, Weigh] = {
    "any": weights(),
    "claims": weights(claim=20, draw_tickets=0.1),
    "draws": weights(take=30, blind=60, claim=0.05, draw_tickets=0.3),
    "keeps few": keeps_few,
    "substitutes": substitutes,
    "tunnels": tunnels,
    "gives up": weights(give_up=20, take=3, blind=3, draw_tickets=0.1),
    "locomotives": hoards_locomotives,
    "parallels": parallels,
}


def choose(way: str, board: northrail.Board, moves: Sequence[northrail.Move], chance: random.Random) -> northrail.Move:
    """Return one of the moves, drawn by the weights of a way."""
    if way == "any":
        return moves[chance.randrange(len(moves))]
    weigh = WAYS[way]
    return chance.choices(moves, [weigh(board, move) for move in moves])[0]


def play_on(game: northrail.Game, way: str, chance: random.Random, most: int = 100_000) -> northrail.Game:
    """Play a game to its end or for ``most`` moves; return the game."""
    while most > 0 and not game.over:
        game.play(choose(way, game.board, game.moves(), chance))
        most -= 1
    return game


def situation(board: northrail.Board, seats: int, seed: int, way: str = "any", most: int = 100_000) -> northrail.Game:
    """Return the game of a seed after a random number of moves, at most ``most``."""
    chance = random.Random(seed)
    game = northrail.Game(board, seats, seed)
    return play_on(game, way, chance, chance.randrange(min(most, 60 * seats)))


# --- positions at extremes --------------------------------------------------------------------------------------------


def squeezed(position: Position, chance: random.Random, leave: int = 0) -> Position:
    """Return the position with almost all cards in hands (all but ``leave``) and few tickets left.

    Normal games rarely get here. Decks run out, rows stay empty, tunnels turn over few cards and seats must pass.
    """
    new = copy.deepcopy(position)
    seats = new["seats"]
    loose: Counter[str] = Counter(new["deck"]) + Counter(new["discard"]) + Counter(new["face_up"])
    cards = sorted(loose.elements())
    chance.shuffle(cards)
    left = [cards.pop() for _ in range(min(len(cards), leave))]
    rich = [chance.random() ** 3 for _ in range(seats)]
    hands = [Counter(hand) for hand in new["hands"]]
    for card in cards:
        hands[chance.choices(range(seats), rich)[0]][card] += 1
    new["hands"] = [dict(hand) for hand in hands]
    new["face_up"] = dict(Counter(left[:5]))
    new["deck"] = dict(Counter(left[5:]))
    new["discard"] = {}
    tickets = new["ticket_deck"]
    keep = tickets[: chance.choice((0, 0, 1, 2, 4)) if leave else 0]
    for ticket in tickets[len(keep) :]:
        new["tickets"][chance.randrange(seats)].append(ticket)
    new["ticket_deck"] = keep
    if BOARDS[new["board"]].rules.returned_go_under:
        new["batches"], new["returned"] = [], [[] for _ in range(seats)]
    return new


def corner(board: northrail.Board, seats: int, seed: int) -> northrail.Game:
    """Return a game that begins late, with almost nothing left on the table."""
    chance = random.Random(seed)
    while True:
        game = northrail.Game(board, seats, chance.randrange(1 << 40))
        play_on(game, "claims", chance, chance.randrange(20 * seats, 60 * seats))
        if game.phase == "turn":
            return northrail.Game.from_position(board, squeezed(game.position(), chance, chance.randrange(12)))
