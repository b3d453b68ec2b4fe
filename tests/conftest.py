"""What the tests share: boards, tables, how much to play, and how Hypothesis searches."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis.core
import pytest
from databases import Cluster, cluster, has_postgresql, sqlite_file
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.vendor.pretty import RepresentationPrinter
from tables import BOARDS, SIZE, TABLES, Size

import northrail

if TYPE_CHECKING:
    from browsers import Device, Hands, Person, Site, Theme, Visit, Windows
    from playwright.sync_api import Browser

# The gate tries the same examples every time, so that a test that passes once passes again.
settings.register_profile(
    "gate",
    deadline=None,  # in plain Python an example takes seconds
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
# `make test-long` looks for new examples. A failure prints the arguments to paste into an `@example` of the test.
settings.register_profile(
    "explore",
    settings.get_profile("gate"),
    derandomize=False,
    database=DirectoryBasedExampleDatabase(Path(__file__).parents[1] / ".cache" / "hypothesis"),
    print_blob=True,
)
# Schemathesis, a pytest plugin, makes Hypothesis print failing examples without their values. We want to see them.
setattr(hypothesis.core, "RepresentationPrinter", RepresentationPrinter)  # noqa: B010  # mypy knows no such name
settings.load_profile("explore" if SIZE.name == "long" else "gate")


# Servers, browsers, builds, and many processes or games. `make check` leaves them out.
SLOW_FOLDERS = {"analysis", "arena", "cli", "page", "server"}
SLOW_MODULES = {
    "test_build",
    "test_digests",
    "test_fragments",
    "test_our_players",
    "test_plans",
    "test_reasons",
    "test_reference",
    "test_same_bytes",
    "test_strength",
    "test_svg",
    "test_tune",
    "test_wheel",
}
QUICK_MODULES = {"test_match", "test_wire"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        is_slow = item.path.parent.name in SLOW_FOLDERS or item.path.stem in SLOW_MODULES
        is_test = item.path.name.startswith("test_")
        if is_slow and is_test and item.path.stem not in QUICK_MODULES:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def size() -> Size:
    """How much to play: small in plain Python, usual in the gate, long in `make test-long`."""
    return SIZE


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


# --- browsers: imported inside the fixtures, so that other tests start without them -----------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Site]":
    """A server with the built page."""
    from browsers import open_site  # noqa: PLC0415

    with open_site(sqlite_file(tmp_path_factory.mktemp("site"))) as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """A browser; while it runs there is no other event loop in this thread, so it ends with the module."""
    from browsers import open_chromium  # noqa: PLC0415

    with open_chromium() as found:
        yield found


@pytest.fixture(scope="module")
def windows(chromium: "Browser", site: "Site") -> "Windows":
    """The windows of the browser, which tests use one after the other."""
    from browsers import Windows  # noqa: PLC0415

    return Windows(chromium, site.address)


@pytest.fixture
def visit(windows: "Windows") -> "Iterator[Visit]":
    """Open a window for each person; in the end, check that none of them logged an error."""
    people: list[tuple[Person, Device]] = []

    def come(
        device: "Device" = "laptop",
        theme: "Theme" = "light",
        hands: "Hands | None" = None,
        has_motion: bool = False,
        is_new: bool = False,
    ) -> "Person":
        person = windows.open(device, theme, hands, has_motion, is_new)
        people.append((person, device))
        return person

    yield come
    for person, device in people:
        windows.give_back(person, device)
    assert [complaint for person, _ in people for complaint in person.complaints] == []
