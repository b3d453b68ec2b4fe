"""The rules a second time: a slow, obvious implementation that shares no line with the fast engine.

It uses dictionaries, lists, the order of the rulebook, and only the standard library. Tests play both side by side; any
difference is a bug in one of them.
"""

from .board import load
from .game import ReferenceGame, random_game
from .payments import brute_force_payments
from .scoring import longest_path

__all__ = ["ReferenceGame", "brute_force_payments", "load", "longest_path", "random_game"]
