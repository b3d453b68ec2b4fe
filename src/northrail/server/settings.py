"""Settings of a server: where it keeps its data, which origins it trusts, how much it accepts."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Limits:
    """How much the server accepts. A rate is a burst and how many more a second."""

    body: int = 16_384  # bytes of a request
    frame: int = 1_024  # bytes of a message from a client on a socket
    tables: int = 100_000  # unfinished games in the store
    waiting_days: float = 7  # a table that nobody joins is deleted after this, when the store is full
    running_days: float = 90  # and a game in which nobody moves
    loaded: int = 5_000  # tables in memory
    sockets: int = 4_000  # of these and the next two, spectators leave half to players
    sockets_per_table: int = 120
    sockets_per_address: int = 700  # a household, a school or a proxy may share one address
    connections_per_client: int = 1_000
    request_seconds: float = 20.0  # a request that has not arrived by then is dropped, and an idle connection closed
    chat: int = 2_000  # lines at a table
    request_rate: tuple[float, float] = (400, 100)  # per client
    player_rate: tuple[float, float] = (40, 4)  # per key, once its client has reached the limit
    table_rate: tuple[float, float] = (30, 0.2)  # new tables per client, and as many rematches
    wrong_key_rate: tuple[float, float] = (20, 0.2)  # per client
    move_rate: tuple[float, float] = (200, 20)  # per seat; a program plays a whole game in less than two seconds
    chat_rate: tuple[float, float] = (8, 0.5)  # lines per seat

    def shared_by(self, processes: int) -> Self:
        """Return the limits of one of so many processes that share the clients: each counts for itself.

        >>> Limits().shared_by(4).request_rate
        (100.0, 25.0)
        """
        rates: dict[str, Any] = {
            name: (max(1.0, value[0] / processes), value[1] / processes)
            for name, value in vars(self).items()
            if name.endswith("_rate")
        }
        return replace(self, **rates)


@dataclass(frozen=True)
class Settings:
    """Settings of a server."""

    database: str = "northrail.db"
    boards: tuple[str, ...] = ()  # board files, besides the built-in boards
    origins: tuple[str, ...] = ()  # origins of the page, besides the host that was requested
    workers: int = 2  # threads in which bots think
    pace: float = 1.0  # multiplies the pauses of bots; 0 for none
    think_most: float = 60.0  # seconds after which a simple player moves instead of a bot
    absent_after: float = 30.0  # seconds after which others may hand an absent player's seat to a bot
    poll: float = 0.2  # seconds between checks for changes by other processes, on SQLite
    metrics: str | None = None  # where Prometheus finds metrics: a port, or HOST:PORT
    addresses: tuple[str, ...] = ()  # URLs of the page on the local network
    static: Path = field(default=Path(__file__).parent / "static")
    limits: Limits = field(default_factory=Limits)
