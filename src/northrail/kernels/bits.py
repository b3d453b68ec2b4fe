"""Bits and bytes, as plain Python; `tools/kernels.h` has the same in C."""

from northrail.kernels.structs import Int8s


def popcount(word: int) -> int:
    """The number of set bits."""
    return int(word).bit_count()


def lowest(word: int) -> int:
    """The place of the lowest set bit; the word must not be zero."""
    return (int(word) & -int(word)).bit_length() - 1


def nth_bit(word: int, n: int) -> int:
    """The place of the n-th set bit, counted from 0; there must be one."""
    rest = int(word)
    for _ in range(n):
        rest &= rest - 1
    return lowest(rest)


def colour_at(counts: Int8s, place: int) -> int:
    """The colour of the card at a place, if all cards lay in order of their colours; 8 beyond the first eight."""
    colour = 0
    while colour < 8 and place >= counts[colour]:
        place -= int(counts[colour])
        colour += 1
    return colour


def colours_in(counts: Int8s) -> int:
    """Bits of the first eight colours of which there is a card."""
    return sum(int(counts[colour] > 0) << colour for colour in range(8))
