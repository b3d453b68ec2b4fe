"""Errors for bad input. Each message says what we expected, then what we got."""

from collections.abc import Mapping
from typing import Any


class NorthrailError(ValueError):
    """Base class of this package's errors. When one is raised, nothing has changed.

    Its message is a sentence. Where programs need to tell refusals apart, ``code`` and ``facts`` say the same.
    """

    def __init__(self, message: str, code: str = "", facts: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.facts = code, dict(facts or {})


class BadBoard(NorthrailError):
    """A board file that cannot be played; the message lists every error in it."""


class BadMove(NorthrailError):
    """Input that does not name a move, a route, a city or cards of this board."""


class IllegalMove(NorthrailError):
    """A move that exists on this board but is not legal now."""


class BadPosition(NorthrailError):
    """A position that is impossible on this board; the message names the field."""


class BadRecord(NorthrailError):
    """A record that cannot be replayed: damaged, or from a different board."""


class BadLesson(NorthrailError):
    """A lesson that cannot be played to its end; the message names the file and the field."""
