"""Keys: 128-bit secrets, each of which opens a seat. We store only hashes; a browser keeps its keys in a cookie."""

import base64
import hashlib
import re
import secrets

COOKIE = "seats"
MOST_KEYS = 16  # in a cookie: those of five seats, the host's, and some to spare
A_YEAR = 31_536_000
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # without letters that look alike
ID_LENGTH = 10
SHAPE = re.compile(r"[A-Za-z0-9_-]{22}")


def new_key() -> str:
    """Return a new key of 22 characters."""
    return secrets.token_urlsafe(16)


def new_id() -> str:
    """Return a new id for a table. It must be hard to guess: anyone who knows it can join and watch."""
    return "".join(secrets.choice(LETTERS) for _ in range(ID_LENGTH))


def is_id(text: str) -> bool:
    """Return whether a text could be a table's id. A database may choke on other texts."""
    return len(text) == ID_LENGTH and all(letter in LETTERS for letter in text)


def rematch_key(key: str, what: str) -> str:
    """Return the key that replaces a key in the rematch. It is always the same, in case a response gets lost."""
    digest = hashlib.sha256(f"{key} {what}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def hash_of(key: str) -> str:
    """Return the hash under which a key is stored."""
    return hashlib.sha256(key.encode()).hexdigest()


def keys_in(cookie: str | None, authorization: str | None) -> list[str]:
    """Return the keys a request carries, in a cookie or as `Authorization: Bearer KEY`.

    >>> keys_in("a" * 22 + "." + "b" * 22, None)
    ['aaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbb']
    """
    words = (cookie or "").split(".")[:MOST_KEYS]
    kind, _, rest = (authorization or "").partition(" ")
    if kind.lower() == "bearer":
        words += rest.strip().split(".")[:MOST_KEYS]
    return [word for word in dict.fromkeys(words) if SHAPE.fullmatch(word)]
