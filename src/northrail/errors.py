"""What can be wrong with what came from outside. Each message says what was expected, then what came."""

from collections.abc import Mapping
from typing import Any


class NorthrailError(ValueError):
    """Any refusal of this package; nothing has changed.

    Its message is a sentence. Where programs need to tell refusals apart, ``code`` and ``facts`` say the same.
    """

    def __init__(self, message: str, code: str = "", facts: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.facts = code, dict(facts or {})


class BadBoard(NorthrailError):
    """A board file that cannot be played; the message lists everything found wrong."""


class BadMove(NorthrailError):
    """Something that does not name a move, a route, a city or cards of this board."""


class IllegalMove(NorthrailError):
    """A move of this board that may not be made now."""


class BadPosition(NorthrailError):
    """A position that cannot stand on this board; the message names the field."""


class BadRecord(NorthrailError):
    """A record that cannot be replayed: damaged, or of another board."""
