"""Errors for bad input. Each message says what we expected, then what we got."""


class NorthrailError(ValueError):
    """Base class of this package's errors. When one is raised, nothing has changed."""


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
