"""Rate limits: a token bucket for each client."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from northrail.server.settings import Limits


class RateLimiter:
    """A token bucket for each client: ``burst`` requests at once, then ``rate`` a second."""

    def __init__(
        self, burst: float, rate: float, clients: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.burst, self.rate, self.clients = burst, rate, clients
        self._clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # client -> tokens, and when

    def take(self, client: Hashable, cost: float = 1.0) -> float:
        """Take tokens from a client's bucket; return 0, or the seconds until there are enough.

        >>> limiter = RateLimiter(2, 1, clock=lambda: 0.0)
        >>> limiter.take("a"), limiter.take("a"), limiter.take("a"), limiter.take("b")
        (0.0, 0.0, 1.0, 0.0)
        """
        tokens = self.tokens(client)
        if tokens < cost:
            return (cost - tokens) / self.rate
        self._buckets[client] = tokens - cost, self._clock()
        self._buckets.move_to_end(client)
        if len(self._buckets) > self.clients:
            self._buckets.popitem(last=False)
        return 0.0

    def tokens(self, client: Hashable) -> float:
        """Return how many tokens a client has."""
        now = self._clock()
        tokens, then = self._buckets.get(client, (self.burst, now))
        return min(self.burst, tokens + (now - then) * self.rate)


class RateLimits:
    """The rate limiters of one app."""

    def __init__(self, limits: Limits) -> None:
        self.tables = RateLimiter(*limits.table_rate)
        self.wrong_keys = RateLimiter(*limits.wrong_key_rate)
        self.moves = RateLimiter(*limits.move_rate)
        self.chat = RateLimiter(*limits.chat_rate)


def client_of(address: str | None) -> str:
    """Return the client behind an address. A household has a whole IPv6 network, which counts as one client."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "?"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
