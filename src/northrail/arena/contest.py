"""Who plays whom, and who sits where."""

import hashlib
import itertools
import math
from dataclasses import dataclass
from functools import cached_property

from northrail.boards.board import Board
from northrail.engine.game import MOST_SEED
from northrail.errors import NorthrailError
from northrail.players import Recipe

LIMIT = 60.0  # seconds for a move, unless a contest says otherwise
PATIENCE = 300.0  # seconds to create a player, and for its `start` and `finish`, which may compile code
MOST_DEALS = 1 << 40


class BadRun(NorthrailError):
    """A contest that cannot be played, or a file of results that does not belong to it."""


@dataclass(frozen=True)
class Contest:
    """Everything that the results depend on."""

    board: Board
    players: tuple[Recipe, ...]
    seats: int
    seed: int = 0
    limit: float = LIMIT  # seconds for a move
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        least, most = self.board.rules.seats
        names = [player.name for player in self.players]
        if type(self.seats) is not int or not least <= self.seats <= most:
            raise BadRun(f"seats: expected {least} to {most} on {self.board.name}, got {self.seats!r}")
        if not names:
            raise BadRun("expected one or more players, such as `northrail arena medium random`, got none")
        if len(set(names)) < len(names):
            raise BadRun(
                f"expected different players, got {', '.join(names)}; to let one play against itself, name it once"
            )
        if type(self.seed) is not int or not 0 <= self.seed <= MOST_SEED - MOST_DEALS:
            raise BadRun(f"seed: expected a number from 0 to {MOST_SEED - MOST_DEALS}, got {self.seed!r}")
        if not 0 < self.limit < math.inf:
            raise BadRun(f"limit: expected a number of seconds above 0, got {self.limit!r}")

    @cached_property
    def line_ups(self) -> list[list[tuple[int, ...]]]:
        """The line-ups of a deal. Each lists its orders around the table; successive deals use the next order."""
        return [round_orders(line_up) for line_up in line_ups(len(self.players), self.seats)]

    @cached_property
    def deal_games(self) -> int:
        """The number of games in a deal."""
        return len(self.line_ups) * (self.seats if len(self.players) > 1 else 1)

    def whole(self, games: int) -> int:
        """Return this number of games, rounded up to whole deals."""
        return -(-games // self.deal_games) * self.deal_games

    def game(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return a game's seed, and its players by seat."""
        deal, at = divmod(number, self.deal_games)
        orders = self.line_ups[at % len(self.line_ups)]
        order, turn = orders[deal % len(orders)], at // len(self.line_ups)
        return self.seed + deal, order[turn:] + order[:turn]

    def names(self, number: int) -> tuple[str, ...]:
        """Return the names of a game's players, by seat."""
        return tuple(self.players[player].name for player in self.game(number)[1])


def line_ups(players: int, seats: int) -> list[tuple[int, ...]]:
    """Return the groups of players that sit together; every player appears equally often.

    With more players than seats, these are all combinations. With fewer, every player fills the same number of seats,
    and all combinations of players share the seats that remain.

    >>> line_ups(3, 2), line_ups(2, 3)
    ([(0, 1), (0, 2), (1, 2)], [(0, 0, 1), (0, 1, 1)])
    """
    times, remaining = divmod(seats, players)
    chosen = itertools.combinations(range(players), remaining)
    return [tuple(sorted((*range(players),) * times + extra)) for extra in chosen]


def round_orders(line_up: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the orders around the table in which a line-up can sit, such that every rotation is a different game.

    >>> round_orders((0, 1, 2)), round_orders((0, 0, 1, 1))
    ([(0, 1, 2), (0, 2, 1)], [(0, 0, 1, 1)])
    """
    first, rest = line_up[0], line_up[1:]
    orders: list[tuple[int, ...]] = []
    for order in dict.fromkeys((first, *others) for others in itertools.permutations(rest)):
        turns = {order[at:] + order[:at] for at in range(len(order))}
        if order == min(turns) and len(turns) == len(order):
            orders.append(order)
    return orders or [line_up]  # the same player in every seat


def seed_for(seed: int | str, seat: int, name: str) -> int:
    """Return a player's own seed in a game, which reveals nothing about the deal."""
    digest = hashlib.blake2b(f"{seed} {seat} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 2
