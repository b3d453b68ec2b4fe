"""Tables to play at, ways of choosing moves that lead into corners, and positions that begin in one."""

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
        """The number for this size."""
        return {"small": small, "usual": usual, "long": usual if long is None else long}[self.name]


SIZE = Size(os.environ.get("NORTHRAIL_TEST_SIZE") or "usual")  # tests take the fixture; decorators can only read this
if SIZE.name not in ("small", "usual", "long"):
    raise ValueError(f"NORTHRAIL_TEST_SIZE: expected small, usual or long, got {SIZE.name!r}")


# --- ways of choosing -------------------------------------------------------------------------------------------------

# A way gives each kind of move a weight; what it does not name weighs 1. Kinds are those of northrail.Move.
Weigh = Callable[[northrail.Board, northrail.Move], float]


def weights(**by_kind: float) -> Weigh:
    """A way that looks at the kind of a move alone; what it does not name weighs 1."""
    return lambda _, move: by_kind.get(move.kind, 1.0)


def substitutes(board: northrail.Board, move: northrail.Move) -> float:
    """Collects cards, then claims what can be paid by substitutes, with as few locomotives as it gets away with."""
    if move.kind == "claim":
        return 3.0 if board.routes[move.route or 0].substitute else 0.02
    if move.kind == "card":
        return 0.1 if move.colour == "locomotive" else 1.0
    return 0.1 if move.kind == "draw_tickets" else 1.0


def tunnels(board: northrail.Board, move: northrail.Move) -> float:
    """Tries tunnels, with locomotives where it can, and gives half of them up."""
    if move.kind == "claim":
        return 5.0 if board.routes[move.route or 0].tunnel else 0.1
    if move.kind == "take":
        return 4.0 if move.colour == "locomotive" else 1.0
    if move.kind == "card":
        return 4.0 if move.colour == "locomotive" else 1.0
    return 0.1 if move.kind == "draw_tickets" else 2.0


def keeps_few(_: northrail.Board, move: northrail.Move) -> float:
    """Draws tickets all the time and returns what it can, so that returned batches come up again."""
    if move.kind == "keep":
        return 20.0 ** -len(move.tickets)
    return {"draw_tickets": 40.0, "claim": 3.0}.get(move.kind, 1.0)


def hoards_locomotives(_: northrail.Board, move: northrail.Move) -> float:
    """Takes locomotives before anything else and lays them last."""
    if move.colour == "locomotive":
        return 30.0 if move.kind == "take" else 0.05
    return {"claim": 0.5, "draw_tickets": 0.1}.get(move.kind, 1.0)


@functools.cache
def is_parallel(board: northrail.Board, route: int) -> bool:
    """Whether another route joins the same two cities."""
    return sum(set(board.routes[route].cities) == set(other.cities) for other in board.routes) > 1


def parallels(board: northrail.Board, move: northrail.Move) -> float:
    """Fills double and triple routes."""
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
    """A move of the list, by the weights of a way."""
    if way == "any":
        return moves[chance.randrange(len(moves))]
    weigh = WAYS[way]
    return chance.choices(moves, [weigh(board, move) for move in moves])[0]


def play_on(game: northrail.Game, way: str, chance: random.Random, most: int = 100_000) -> northrail.Game:
    """The game itself, played on to its end or for ``most`` moves."""
    while most > 0 and not game.over:
        game.play(choose(way, game.board, game.moves(), chance))
        most -= 1
    return game


def situation(board: northrail.Board, seats: int, seed: int, way: str = "any", most: int = 100_000) -> northrail.Game:
    """A game of that seed, played for a random part of ``most`` moves."""
    chance = random.Random(seed)
    game = northrail.Game(board, seats, seed)
    return play_on(game, way, chance, chance.randrange(min(most, 60 * seats)))


# --- positions in a corner --------------------------------------------------------------------------------------------


def squeezed(position: Position, chance: random.Random, leave: int = 0) -> Position:
    """The position of a turn with nearly all cards in hands and all tickets but ``leave`` taken.

    A game would have to be long and strange to come here; but here decks run out, rows stay empty, tunnels turn few
    cards over and seats must pass.
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
    """A game that begins late, with next to nothing left on the table."""
    chance = random.Random(seed)
    while True:
        game = northrail.Game(board, seats, chance.randrange(1 << 40))
        play_on(game, "claims", chance, chance.randrange(20 * seats, 60 * seats))
        if game.phase == "turn":
            return northrail.Game.from_position(board, squeezed(game.position(), chance, chance.randrange(12)))
