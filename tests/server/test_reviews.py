"""Reviews over HTTP: made once, kept, resumed, and in line behind bots."""

import asyncio
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_file
from reviewed import late_record
from serving import Json, browser, dialogue, here, quick, serving, until
from tables import BOARDS

from northrail.analysis import reviewing
from northrail.analysis.steps import Depth, Step
from northrail.server.store import schema
from northrail.server.tables import reviews as module
from northrail.server.tables.turns import Turns
from northrail.server.wire.review import ReviewNews

TINY = Depth("tiny", 2, 2, 4, 4, 4)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "USUAL", TINY)


def end_of_a_game(board: str = "nordic-countries", seed: int = 4) -> tuple[Json, list[Json]]:
    """Return a late position, and the whole choices that end the game."""
    record = late_record(BOARDS[board], ("easy", "beginner"), seed, trains=5)
    return record["start"], record["moves"]


async def finished(client: Any, board: str = "nordic-countries") -> str:
    """Play the end of a game; return the path of its table."""
    start, _ = end_of_a_game(board)
    wish = {"board": board, "seats": here("Anna", "Bo"), "start": start}
    made = (await client.post("/api/tables", json=wish)).json()
    path, news = f"/api/tables/{made['id']}", made["news"]
    chance = random.Random(1)
    while news["table"]["status"] == "running":
        seat = news["table"]["turn"]
        choices = (await client.get(f"{path}/choices?seat={seat}")).json()["choices"]
        move = {"seat": seat, "version": news["version"], "choice": chance.choice(choices)}
        news = (await client.post(f"{path}/moves", json=move)).json()
    return path


async def reviewed(client: Any, path: str) -> Json:
    """Ask for a review and wait for it."""
    assert (await client.post(f"{path}/review")).status_code == 200
    for _ in range(2000):
        news: Json = (await client.get(f"{path}/review")).json()
        if news["status"] == "done":
            return news
        await asyncio.sleep(0.02)
    raise AssertionError("it did not end in time")


@dialogue
async def test_a_review_is_made_once_and_kept(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(record: Any, *more: Any) -> Iterator[Step]:
        made.append("again")
        return reviewing(record, *more)

    monkeypatch.setattr(module, "reviewing", counted)
    async with serving(quick(database)) as (app, _), browser(app) as anna, browser(app) as stranger:
        path = await finished(anna)
        none = (await anna.get(f"{path}/review")).json()
        assert (none["status"], none["steps"]) == ("none", [])
        news = await reviewed(anna, path)
        ReviewNews.model_validate(news)
        assert [step["number"] for step in news["steps"]] == list(range(news["total"]))
        table = (await anna.get(path)).json()
        assert news["total"] == table["version"]
        for seat, part in enumerate(news["summary"]["by_seat"]):
            parts = part["parts"]
            total = parts["start"] + parts["decisions"] + parts["luck"] + parts["others"]
            assert total == pytest.approx(news["summary"]["result"][seat], abs=1e-6)
        assert await reviewed(stranger, path) == news
        later = (await stranger.get(f"{path}/review?since={news['total'] - 1}")).json()
        assert [step["number"] for step in later["steps"]] == [news["total"] - 1]
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        assert await reviewed(anna, path) == news
    assert made == ["again"]


@dialogue
async def test_an_interrupted_review_goes_on_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STORE_AFTER", 0.0)
    database = sqlite_file(tmp_path)
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        path = await finished(anna)
        whole = await reviewed(anna, path)
    # As after kill -9: some steps are stored, and the process that held the review is gone.
    with closing(sqlite3.connect(database)) as db:
        db.execute("UPDATE reviews SET summary = NULL, holder = 'gone', until = ?", (registry.now() - 1,))
        db.execute("DELETE FROM review_steps WHERE number >= 3")
        db.commit()
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        first = (await anna.get(f"{path}/review")).json()  # looking is enough
        assert first["status"] in ("running", "done") and len(first["steps"]) >= 3
        assert await reviewed(anna, path) == whole


@dialogue
async def test_another_process_may_hold_a_review(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        path = await finished(anna)
        table = path.rpartition("/")[2]
        await registry.store.ask_review(table, registry.now())
        assert await registry.store.hold_review(table, "other", registry.now(), registry.now() + 60)
        assert not await registry.store.hold_review(table, "mine", registry.now(), registry.now() + 60)
        news = (await anna.get(f"{path}/review")).json()
        assert (news["status"], registry.reviews.waiting) == ("running", 0)


@dialogue
async def test_a_review_that_fails_is_not_tried_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Iterator[Step]:
        raise ArithmeticError

    monkeypatch.setattr(module, "reviewing", broken)
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        path = await finished(anna)
        await anna.post(f"{path}/review")
        await until(lambda: registry.reviews.waiting == 0)
        assert (await anna.get(f"{path}/review")).json()["status"] == "failed"


@dialogue
async def test_reviews_wait_in_line_and_say_so(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    async with serving(quick(database, workers=1)) as (app, registry), browser(app) as anna:
        paths = [await finished(anna) for _ in range(3)]
        await registry.bots._search.turns.take("a bot that thinks")
        for path in paths:
            await anna.post(f"{path}/review")
        states = [(await anna.get(f"{path}/review")).json() for path in paths]
        assert [(state["status"], state["ahead"]) for state in states] == [
            ("running", 0),
            ("waiting", 1),
            ("waiting", 2),
        ]
        registry.bots._search.turns.give_back()
        await until(lambda: registry.reviews.waiting == 0)
        assert [(await anna.get(f"{path}/review")).json()["status"] for path in paths] == ["done"] * 3


@dialogue
async def test_bots_go_first() -> None:
    turns, order = Turns(1), list[str]()

    async def think(name: str, is_spare: bool) -> None:
        await turns.take(name, is_spare)
        order.append(name)
        turns.give_back()

    await turns.take("now")
    waiting = [asyncio.ensure_future(think("review", True))]
    for name in ("a", "b", "c"):
        await asyncio.sleep(0)
        waiting.append(asyncio.ensure_future(think(name, False)))
    await asyncio.sleep(0.01)
    turns.give_back()
    await asyncio.gather(*waiting)
    assert order == ["a", "b", "c", "review"]


@dialogue
async def test_a_game_in_progress_has_no_review(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    async with serving(quick(database)) as (app, _), browser(app) as anna:
        wish = {"board": "nordic-countries", "seats": here("Anna", "Bo")}
        path = f"/api/tables/{(await anna.post('/api/tables', json=wish)).json()['id']}"
        for answer in (await anna.get(f"{path}/review"), await anna.post(f"{path}/review")):
            assert (answer.status_code, answer.json()["code"]) == (409, "game_not_over")


@dialogue
async def test_a_database_of_0_5_0_gets_reviews(tmp_path: Path) -> None:
    database = tmp_path / "tables.db"
    async with serving(quick(str(database))) as (app, _), browser(app) as anna:
        path = await finished(anna)
    with closing(sqlite3.connect(database)) as db:
        db.executescript("DROP TABLE reviews; DROP TABLE review_steps; UPDATE northrail_schema SET version = 2")
    async with serving(quick(str(database))) as (app, _), browser(app) as anna:
        assert (await reviewed(anna, path))["status"] == "done"
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT version FROM northrail_schema").fetchall() == [(schema.VERSION,)]
    assert (tmp_path / "tables.db.version-2").exists()
