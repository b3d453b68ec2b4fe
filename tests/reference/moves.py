"""Moves as tuples, and their numbers on a board with a given number of routes."""

from typing import Any

from .bill import TYPES

Move = tuple[Any, ...]  # such as ("claim", 12), ("take", "red"), ("blind",), ("keep", 0b101)


def number_of(move: Move, routes: int) -> int:
    """Return the number of a move."""
    match move:
        case ("claim", route):
            return int(route)
        case ("take", card):
            return routes + TYPES.index(card)
        case ("blind",):
            return routes + 9
        case ("tickets",):
            return routes + 10
        case ("card", card):
            return routes + 11 + TYPES.index(card)
        case ("give up",):
            return routes + 20
        case ("keep", mask):
            return routes + 20 + int(mask)
        case ("pass",):
            return routes + 52
    raise ValueError(f"no such move: {move}")


def move_of(number: int, routes: int) -> Move:
    """Return the move with a number."""
    moves: list[Move] = [("claim", route) for route in range(routes)]
    moves += [("take", card) for card in TYPES]
    moves += [("blind",), ("tickets",)]
    moves += [("card", card) for card in TYPES]
    moves += [("give up",)]
    moves += [("keep", mask) for mask in range(1, 32)]
    moves += [("pass",)]
    if not 0 <= number < len(moves):
        raise ValueError(f"no move has the number {number}")
    return moves[number]
