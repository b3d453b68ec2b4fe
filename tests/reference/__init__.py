"""The rules once more, slow and obvious: a twin that shares no line with the fast engine.

Dictionaries, lists and rulebook order; nothing but the standard library. The two are played side by
side, and whatever differs is a mistake in one of them.
"""

from .board import load
from .game import ReferenceGame, random_game
from .payments import brute_force_payments
from .scoring import longest_path

__all__ = ["ReferenceGame", "brute_force_payments", "load", "longest_path", "random_game"]
