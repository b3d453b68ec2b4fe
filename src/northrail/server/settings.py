"""How a server is set up: where it keeps things, whom it believes, how much it takes."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """How much the server takes. Rates are a burst and how many more a second."""

    body: int = 16_384  # bytes of a request
    frame: int = 1_024  # bytes of what a client may send on a socket
    tables: int = 100_000  # in the store, of games that are not over
    waiting_days: float = 7  # a table that nobody joins is swept away when room is needed
    running_days: float = 90  # and a game at which nothing happens
    loaded: int = 5_000  # tables in memory
    sockets: int = 4_000
    sockets_per_table: int = 60
    sockets_per_address: int = 700  # a household, a school or a proxy may look like one
    chat: int = 2_000  # lines of a table
    thinking: int = 1_000  # bots that think or wait for a worker
    ask: tuple[float, float] = (400, 100)  # requests from an address
    make: tuple[float, float] = (30, 0.2)  # tables from an address
    guess: tuple[float, float] = (20, 0.2)  # wrong keys from an address
    move: tuple[float, float] = (30, 10)  # commands of a seat
    talk: tuple[float, float] = (8, 0.5)  # lines of a seat


@dataclass(frozen=True)
class Settings:
    """How a server is set up."""

    database: str = "northrail.db"
    boards: tuple[str, ...] = ()  # files, beside the built-in boards
    origins: tuple[str, ...] = ()  # addresses the page may come from, beside the one it was asked for
    workers: int = 2  # threads in which bots think
    pace: float = 1.0  # bots' pauses are multiplied by it; 0 for none
    think_most: float = 60.0  # seconds after which a simple player moves instead of a bot
    absent_after: float = 30.0  # seconds after which the seat of a person who is gone may be handed to a bot
    poll: float = 0.2  # seconds between looks for what other processes did, on SQLite
    static: Path = field(default=Path(__file__).parent / "static")
    limits: Limits = field(default_factory=Limits)
