"""Rate limits: a token bucket for each client."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache

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

    def knows(self, client: Hashable) -> bool:
        """Return whether a client has come before and is not forgotten."""
        return client in self._buckets

    def tokens(self, client: Hashable) -> float:
        """Return how many tokens a client has."""
        now = self._clock()
        tokens, then = self._buckets.get(client, (self.burst, now))
        return min(self.burst, tokens + (now - then) * self.rate)


class RequestLimiter:
    """Limits the requests of each client. Others at the same address cannot use up what is left for players.

    Once the limit of a client is reached, its players still get as much again. Each needs a key that was right before,
    and has a limit for itself.
    """

    def __init__(self, limits: Limits) -> None:
        self._clients = RateLimiter(*limits.request_rate)
        self._reserves = RateLimiter(*limits.request_rate)
        self._players = RateLimiter(*limits.player_rate)

    def know(self, hashes: Iterable[str]) -> None:
        """Remember the hashes of right keys."""
        for each in hashes:
            self._players.take(each, 0.0)

    def take(self, client: str, hashes: Callable[[], Iterable[str]]) -> float:
        """Let a request pass and return 0, or return the seconds until it may. ``hashes`` returns those of its keys."""
        wait = self._clients.take(client)
        if wait:
            known = next((each for each in hashes() if self._players.knows(each)), None)
            if known is not None:
                return self._players.take(known) or self._reserves.take(client)
        return wait


class RateLimits:
    """The rate limiters of one app."""

    def __init__(self, limits: Limits) -> None:
        self.requests = RequestLimiter(limits)
        self.tables = RateLimiter(*limits.table_rate)
        self.rematches = RateLimiter(*limits.table_rate)
        self.wrong_keys = RateLimiter(*limits.wrong_key_rate)
        self.moves = RateLimiter(*limits.move_rate)
        self.chat = RateLimiter(*limits.chat_rate)


@lru_cache(maxsize=4096)
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
