"""Keys: 128-bit secrets that open seats. Only their hashes are stored, and a browser keeps them in a cookie."""

import base64
import hashlib
import re
import secrets

COOKIE = "seats"
MOST_KEYS = 16  # in a cookie: five seats, the host's, and some to spare
A_YEAR = 31_536_000
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # none that look alike
SHAPE = re.compile(r"[A-Za-z0-9_-]{22}")


def new_key() -> str:
    """A new key, 22 letters long."""
    return secrets.token_urlsafe(16)


def new_id() -> str:
    """A name for a table that nobody guesses: it is what lets people join and watch."""
    return "".join(secrets.choice(LETTERS) for _ in range(10))


def rematch_key(key: str, what: str) -> str:
    """The key that takes a key's place in the next game: the same whenever one asks, for an answer may be lost."""
    digest = hashlib.sha256(f"{key} {what}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def hash_of(key: str) -> str:
    """What is stored of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def keys_in(cookie: str | None, authorization: str | None) -> list[str]:
    """The keys a request brings, in a cookie or as `Authorization: Bearer KEY`.

    >>> keys_in("a" * 22 + "." + "b" * 22, None)
    ['aaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbb']
    """
    words = (cookie or "").split(".")[:MOST_KEYS]
    kind, _, rest = (authorization or "").partition(" ")
    if kind.lower() == "bearer":
        words += rest.strip().split(".")[:MOST_KEYS]
    return [word for word in dict.fromkeys(words) if SHAPE.fullmatch(word)]
