"""Programs that use the server: the remote player in examples/, and the benchmark."""

import asyncio
import functools
import importlib.util
import json
import random
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import pytest
from databases import sqlite_file
from serving import dialogue, here, listening, near_the_end, play_out, quick
from typer.testing import CliRunner

import northrail
from northrail.bench import bots
from northrail.bench import server as bench
from northrail.cli.app import app
from northrail.errors import NorthrailError
from northrail.server.settings import Settings
from northrail.server.tables.seating import Seating

EXAMPLE = Path(__file__).parents[2] / "examples" / "remote_player.py"


@dialogue
async def test_the_remote_player_joins_by_link_and_finishes_the_game(tmp_path: Path, nordic: northrail.Board) -> None:
    spec = importlib.util.spec_from_file_location("remote_player", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        seats = [*here("Anna"), {"who": "open"}]
        session, keys, _host = await Seating(registry).make(nordic, seats, start=near_the_end(nordic, 2))
        table = session.match.info.id
        playing = asyncio.create_task(asyncio.to_thread(example.play, f"http://{address}/t/{table}", "Robot"))
        headers = {"authorization": f"Bearer {keys[0]}"}
        async with httpx.AsyncClient(base_url=f"http://{address}", headers=headers) as anna:
            while session.match.status == "waiting":
                await asyncio.sleep(0.02)
            last = await play_out(anna, table, random.Random(1))
        assert await playing == last["final"]
        assert session.match.names == ["Anna", "Robot"]


@pytest.mark.long
def test_the_benchmark_measures_a_small_server() -> None:
    result = CliRunner().invoke(app, ["bench", "server", "--tables", "8", "--seconds", "1", "--json"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert set(figures) == {
        "server_moves_answered_percent",
        "server_move_p50_ms",
        "server_move_p99_ms",
        "server_lag_p99_ms",
        "server_loop_per_move_ms",
        "server_table_kb",
        "server_played_table_kb",
        "server_moves_per_second",
        "server_whole_game_s",
        "server_start_s",
        "server_reopen_s",
        "server_reopen_lag_ms",
    }
    assert figures["server_moves_answered_percent"] == 100


def test_the_benchmark_passes_only_if_it_must() -> None:
    nothing = {"claim": {}, "take": [], "blind": False, "draw_tickets": 0, "keep": None, "tunnel": None}
    claim = {"3": {"payments": [{"red": 2}], "complete": True}}
    for seed in range(20):
        assert bench.choose(nothing | {"claim": claim}, random.Random(seed))["kind"] == "claim"
        assert bench.choose(nothing, random.Random(seed)) == {"kind": "pass"}


@pytest.mark.long
def test_a_noisy_client_does_not_stall_the_others() -> None:
    result = CliRunner().invoke(app, ["bench", "neighbour", "--seconds", "20", "--json"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["neighbour_moves"] > 20
    assert figures["neighbour_move_p99_ms"] <= 200
    assert figures["neighbour_simple_wait_s"] <= 2
    assert figures["neighbour_expert_wait_s"] <= 2


def ends(_settings: Settings, _pipe: Connection) -> None:
    """A server that stops before it reports its address."""


def test_the_benchmark_reports_a_server_that_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "serve_for", ends)
    with pytest.raises(NorthrailError, match="the server ended"):
        list(bench.measure(1, 1.0))


def test_the_benchmark_of_bots_times_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "Settings", functools.partial(Settings, pace=0.0))
    monkeypatch.setattr(bots, "SEATS", [bots.SEATS[0], *[{"who": "bot", "level": "random"}] * 4])
    middle, longest = bots.measure(3)
    assert 0 < middle.value <= longest.value
    assert longest.reached
