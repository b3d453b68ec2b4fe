"""What the tests share: boards, tables, how much to play, and how Hypothesis searches."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import northrail
from databases import Cluster, cluster, has_postgresql, sqlite_file
from tables import BOARDS, TABLES, Size

# Without JIT an example takes seconds: no deadline. A test that passes must pass again: the same examples every time.
settings.register_profile(
    "northrail",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("northrail")


@pytest.fixture(scope="session")
def size() -> Size:
    """How much to play: small without JIT, usual in the gate, long in `make test-long`."""
    name = os.environ.get("NORTHRAIL_TEST_SIZE") or "usual"
    if name not in ("small", "usual", "long"):
        raise pytest.UsageError(f"NORTHRAIL_TEST_SIZE: expected small, usual or long, got {name!r}")
    return Size(name)


@pytest.fixture(scope="session")
def nordic() -> northrail.Board:
    return BOARDS["nordic-countries"]


@pytest.fixture(scope="session")
def lights() -> northrail.Board:
    return BOARDS["northern-lights"]


@pytest.fixture(scope="session", params=BOARDS.values(), ids=lambda board: board.id)
def board(request: pytest.FixtureRequest) -> northrail.Board:
    """Each built-in board in turn."""
    found: northrail.Board = request.param
    return found


@pytest.fixture(scope="session", params=TABLES, ids=lambda table: f"{table[0]}-{table[1]}")
def table(request: pytest.FixtureRequest) -> tuple[northrail.Board, int]:
    """Each built-in board with each number of seats."""
    name, seats = request.param
    return BOARDS[name], seats


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL cluster of the run's own."""
    if not has_postgresql():
        pytest.skip("pg_virtualenv is not installed; on Debian: apt-get install postgresql postgresql-common")
    with cluster() as found:
        yield found


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a new database, of each kind in turn."""
    if request.param == "sqlite":
        yield sqlite_file(tmp_path)
    else:
        found: Cluster = request.getfixturevalue("postgresql")
        with found.database() as url:
            yield url
