"""Bit operations in plain Python; `tools/kernels.h` has the same functions in C."""

from northrail.kernels.structs import Bytes, Int8s


def popcount(word: int) -> int:
    """Return the number of set bits."""
    return int(word).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit; the word must not be zero."""
    return (int(word) & -int(word)).bit_length() - 1


def nth_bit(word: int, n: int) -> int:
    """Return the index of the n-th set bit, counting from 0; the word must have that many."""
    rest = int(word)
    for _ in range(n):
        rest &= rest - 1
    return lowest(rest)


def colour_at(counts: Int8s, place: int) -> int:
    """Return the colour of the card at a place, with all cards in order of colour; 8 after the first eight colours."""
    colour = 0
    while colour < 8 and place >= counts[colour]:
        place -= int(counts[colour])
        colour += 1
    return colour


def colours_in(counts: Int8s) -> int:
    """Return a bit set of those of the first eight colours that have a card."""
    return sum(int(counts[colour] > 0) << colour for colour in range(8))


def spread_bits(out: Bytes, start: int, word: int, count: int) -> None:
    """Write the lowest ``count`` bits of a word as bytes that are 0 or 1, from ``out[start]`` on."""
    for at in range(count):
        out[start + at] = int(word) >> at & 1
