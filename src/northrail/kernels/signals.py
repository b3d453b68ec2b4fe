"""Signals between threads inside kernels, in plain Python; `tools/kernels.h` has the same functions in C.

Waking a thread that sleeps takes tens of microseconds, as long as hundreds of kernel calls. So threads that share short
jobs wait awake for a while.
"""

import time

from northrail.kernels.structs import Int64s


def post(words: Int64s, at: int, value: int) -> None:
    """Write a word that another thread reads. It then also sees what this thread wrote before."""
    words[at] = value


def wait_while(words: Int64s, at: int, value: int, tries: int) -> int:
    """Read a word until it is no longer ``value``, for up to ``tries`` more times; return it."""
    while words[at] == value and tries > 0:
        time.sleep(0)
        tries -= 1
    return int(words[at])
