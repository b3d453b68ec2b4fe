"""Two servers on one database are killed with -9 again and again while clients play: no acknowledged move is lost."""

import asyncio
import json
import secrets
import sys
from pathlib import Path

import pytest
from chaos import Chaos
from databases import cluster, has_postgresql, sqlite_file
from tables import SIZE

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses SIGKILL and prlimit")

CACHE = Path(__file__).parents[2] / ".cache"
SEED = secrets.randbits(32) if SIZE.name == "long" else 5
KILLS = [4, pytest.param(500, marks=pytest.mark.long)]


def survive(chaos: Chaos, kills: int) -> None:
    """Run the chaos, and write down what happened."""
    try:
        played = asyncio.run(chaos.run(kills, clients=4 if kills > 10 else 2))
    finally:
        told = {
            "seed": chaos.seed,
            "kills": chaos.kills,
            "faults": chaos.faults,
            "tables": len(chaos.ledger.tables),
            "acknowledged": len(chaos.ledger.played),
            "sealed": len(chaos.ledger.sealed),
            "answers": chaos.ledger.statuses,
        }
        kind = "postgresql" if chaos.cluster else "sqlite"
        CACHE.mkdir(exist_ok=True)
        (CACHE / f"chaos-{kind}-{kills}.json").write_text(json.dumps(told, indent=1) + "\n")
    assert chaos.kills >= kills
    assert played > kills


@pytest.mark.parametrize("kills", KILLS)
def test_no_acknowledged_move_is_lost_or_doubled_on_sqlite(tmp_path: Path, kills: int) -> None:
    survive(Chaos(sqlite_file(tmp_path), tmp_path, SEED), kills)


@pytest.mark.parametrize("kills", [pytest.param(500, marks=pytest.mark.long)])
def test_no_acknowledged_move_is_lost_or_doubled_on_postgresql(tmp_path: Path, kills: int) -> None:
    if not has_postgresql():
        pytest.skip("pg_virtualenv is not installed; on Debian: apt-get install postgresql postgresql-common")
    with cluster() as found, found.database() as url:  # a cluster of its own, because it restarts
        survive(Chaos(url, tmp_path, SEED, found), kills)
