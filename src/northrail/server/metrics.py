"""What the server counts and measures, for Prometheus. No label names a table, a person or an address."""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector

LAG_INTERVAL = 0.25  # seconds between two looks at the event loop
METHODS = {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STORE_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0)
LAG_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Metrics:
    """The metrics of one server.

    >>> metrics = Metrics()
    >>> metrics.moves.labels("bot").inc()
    >>> metrics.registry.get_sample_value("northrail_moves_total", {"by": "bot"})
    1.0
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, processor time, open files
        Info("northrail", "The version that runs.", registry=self.registry).info({"version": version("northrail")})
        self.moves = self._counter("moves", "Moves stored, by whom: person or bot.", "by")
        self.refused = self._counter("refused", "Requests and sockets refused, by the code of the answer.", "code")
        self.store_faults = self._counter("store_faults", "Reads and writes that failed, by the fault.", "fault")
        requests = self._histogram("request_seconds", "Time to answer a request.", REQUEST_SECONDS, "request")
        store = self._histogram("store_seconds", "Time of a transaction, waiting included.", STORE_SECONDS, "kind")
        self._lag = self._histogram("loop_lag_seconds", "How late the event loop is.", LAG_SECONDS)
        # Finding a metric by its labels takes longer than counting.
        self._transactions = {kind: store.labels(kind) for kind in ("read", "write", "check")}
        self._requests_of = cache(lambda method, route: requests.labels(f"{method} {route}"))

    def _counter(self, name: str, about: str, label: str) -> Counter:
        return Counter(f"northrail_{name}", about, [label], registry=self.registry)

    def _histogram(self, name: str, about: str, bounds: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"northrail_{name}", about, labels, buckets=bounds, registry=self.registry)

    def show(self, name: str, about: str, read: Callable[[], float]) -> None:
        """Add a gauge whose value is read when someone asks."""
        Gauge(f"northrail_{name}", about, registry=self.registry).set_function(read)

    def answered(self, method: str, route: str, seconds: float) -> None:
        """Count an answer. ``route`` is the pattern of its path, so it contains no names."""
        self._requests_of(method if method in METHODS else "OTHER", route).observe(seconds)

    @contextmanager
    def transaction(self, kind: str) -> Iterator[None]:
        """Measure a transaction of the store: a read, a write, or a check for faults and changes."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._transactions[kind].observe(time.perf_counter() - started)

    async def watch_loop(self, sleep: Callable[[float], Awaitable[bool]]) -> None:
        """Measure how late the event loop wakes this task, until ``sleep`` returns False."""
        due = time.perf_counter() + LAG_INTERVAL
        while await sleep(LAG_INTERVAL):
            now = time.perf_counter()
            self._lag.observe(max(0.0, now - due))
            due = now + LAG_INTERVAL
