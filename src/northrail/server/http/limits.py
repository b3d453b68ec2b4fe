"""How often somebody may ask: buckets that fill again with time."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable


class Buckets:
    """A bucket for each caller: ``burst`` things at once, ``rate`` more a second."""

    def __init__(
        self, burst: float, rate: float, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.burst, self.rate, self.most = burst, rate, most
        self._clock = clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # caller -> how much, and when

    def take(self, who: Hashable, cost: float = 1.0) -> float:
        """Take from a caller's bucket; gives 0, or in how many seconds there will be enough.

        >>> buckets = Buckets(2, 1, clock=lambda: 0.0)
        >>> buckets.take("a"), buckets.take("a"), buckets.take("a"), buckets.take("b")
        (0.0, 0.0, 1.0, 0.0)
        """
        left = self.left(who)
        if left < cost:
            return (cost - left) / self.rate
        self._left[who] = left - cost, self._clock()
        self._left.move_to_end(who)
        if len(self._left) > self.most:
            self._left.popitem(last=False)
        return 0.0

    def left(self, who: Hashable) -> float:
        """How much is in a caller's bucket."""
        now = self._clock()
        left, then = self._left.get(who, (self.burst, now))
        return min(self.burst, left + (now - then) * self.rate)


def client_of(address: str | None) -> str:
    """Who an address is: with IPv6 a household has a whole network of them."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "?"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
