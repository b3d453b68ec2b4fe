"""Randomness for players, without a running stream: a choice depends on the seed and the view alone."""

from hashlib import blake2b

from northrail.engine.state import ViewStruct


def seed_for_choice(seed: int, view: ViewStruct) -> int:
    """Return the seed for one choice, a hash of the player's seed and all that its seat knows."""
    return int.from_bytes(blake2b(view.memory, digest_size=7, key=str(seed).encode()).digest())
