"""The random numbers of a game: one integer below 2**63, a multiply-with-carry generator."""

from typing import TypeVar

Item = TypeVar("Item")

MULTIPLIER = 2147483085
LOW = 0xFFFFFFFF  # the low 32 bits; the carry lies above them


def _mix(value: int) -> int:
    """Scramble a 32-bit word, so that neighbouring seeds start far apart."""
    value &= LOW
    value ^= value >> 16
    value = value * 0x7FEB352D & LOW
    value ^= value >> 15
    value = value * 0x31848BAB & LOW
    return value ^ (value >> 16)


def seeded(seed: int) -> int:
    """Return the generator's first number for ``seed``."""
    if not 0 <= seed < 2**62:
        raise ValueError(f"a seed is at least 0 and below 2**62, not {seed}")
    low, high = seed & LOW, seed >> 32
    for turn in range(4):
        low, high = high, low ^ _mix(high + (turn + 1) * 0x1E3779B9)
    # A generator at 0 would stay there.
    return ((high % (MULTIPLIER - 1)) << 32 | low) or 1


class Dice:
    """A generator whose whole state is one number, which a position shows as ``rng``."""

    def __init__(self, rng: int) -> None:
        self.rng = rng

    def below(self, limit: int) -> int:
        """Return an integer from 0 to ``limit`` - 1; this always takes one step, even if there is no choice."""
        self.rng = MULTIPLIER * (self.rng & LOW) + (self.rng >> 32)
        return (((self.rng & LOW) ^ (self.rng >> 32)) * limit) >> 32

    def shuffle(self, items: list[Item]) -> None:
        """Put ``items`` in a random order."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
