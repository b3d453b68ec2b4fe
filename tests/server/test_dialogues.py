"""Dialogues with the server over HTTP, on SQLite and on PostgreSQL: setting up, playing, leaving, the end."""

import asyncio
import random
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from databases import sqlite_file
from serving import ROOMY, Json, browser, choice_of, dialogue, here, near_the_end, play_out, quick, serving, until

import northrail
from northrail.server.settings import Settings
from northrail.server.tables import tasks
from northrail.server.tables.keys import COOKIE
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import TableSession
from northrail.server.wire import catalogue, responses

BOTS = [{"who": "bot", "level": "random"}] * 2
OPEN = {"who": "open"}


async def made(client: httpx.AsyncClient, seats: list[Json], board: str = "nordic-countries", **more: Any) -> Json:
    """A new table's first news."""
    answer = await client.post("/api/tables", json={"board": board, "seats": seats, "first": 0, **more})
    assert answer.status_code == 201, answer.text
    responses.Made.model_validate(answer.json())
    news: Json = answer.json()["news"]
    return news


async def asked(client: httpx.AsyncClient, method: str, path: str, status: int = 200, **more: Any) -> Json:
    """The answer to a request, which has that status."""
    answer = await client.request(method, path, **more)
    assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
    found: Json = answer.json()
    return found


async def move(client: httpx.AsyncClient, news: Json, status: int = 200, **changes: Any) -> Json:
    """Make any choice for the seat of these news; or another, where ``changes`` say so."""
    options = news["view"]["options"]
    choice = choice_of(options, random.Random(news["version"])) if options else {"kind": "blind"}
    command = {"seat": news["you"], "version": news["version"], "choice": choice} | changes
    return await asked(client, "POST", f"/api/tables/{news['table']['id']}/moves", status, json=command)


@pytest.mark.parametrize("board", ["nordic-countries", "northern-lights"])
@dialogue
async def test_a_whole_game_against_bots_ends_with_the_engine_s_table(tmp_path: Path, board: str) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        news = await made(anna, [*here("Anna"), *BOTS[:1]], board)
        assert (news["table"]["status"], news["yours"], news["you"], news["host"]) == ("running", [0], 0, True)
        table = news["table"]["id"]
        last = await play_out(anna, table, random.Random(1))
        await same_as_the_engine(anna, last)
        whole = await asked(anna, "GET", f"/api/tables/{table}")
        assert [step["version"] for step in whole["steps"]] == list(range(1, whole["version"] + 1))
        assert {step["by"] for step in whole["steps"]} == {"person", "bot"}
        replay = await asked(anna, "GET", f"/api/tables/{table}/replay")
        responses.Replay.model_validate(replay)
        assert [frame["version"] for frame in replay["frames"]] == list(range(whole["version"] + 1))
        assert replay["frames"][-1]["view"]["owners"] == last["view"]["owners"]
        assert len({str(frame["view"]["row"]) for frame in replay["frames"]}) > 10
        assert all(sum(hand.values()) == 4 for hand in replay["frames"][0]["hands"])
        assert registry.tables[table].match.version == whole["version"]


async def same_as_the_engine(client: httpx.AsyncClient, last: Json) -> None:
    """The final table is what the engine makes of the record."""
    responses.News.model_validate(last)
    record = await asked(client, "GET", f"/api/tables/{last['table']['id']}/record")
    game = northrail.Game.replay(record)
    assert last["final"]["winners"] == game.winners() == last["table"]["winners"]
    for seat, score in zip(last["final"]["seats"], game.scores(), strict=True):
        assert {name: seat[name] for name in asdict(score)} == asdict(score)


async def sat_down(registry: TableRegistry, client: httpx.AsyncClient, seats: list[Json], **more: Any) -> str:
    """A table that begins at a position, with its seats here for the client; gives its id."""
    board = registry.boards[more["start"]["board"]]
    session, keys, host = await Seating(registry).make(board, seats, **more)
    table = session.id
    client.cookies.set(COOKIE, ".".join([*keys.values(), host]), path=f"/api/tables/{table}")
    return table


@dialogue
async def test_two_browsers_join_by_the_link_play_and_meet_again(database: str, lights: northrail.Board) -> None:
    async with (
        serving(quick(database)) as (app, registry),
        browser(app) as anna,
        browser(app) as bo,
        browser(app) as eve,
    ):
        table = await sat_down(registry, anna, [*here("Anna"), OPEN], start=near_the_end(lights, 2))
        news = await asked(anna, "GET", f"/api/tables/{table}")
        assert (news["table"]["status"], news["view"], news["yours"]) == ("waiting", None, [0])
        await asked(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0))
        joined = await asked(bo, "POST", f"/api/tables/{table}/seats", 201, json={"name": "Anna"})
        responses.Joined.model_validate(joined)
        assert (joined["seat"], joined["key"]) == (1, None)
        assert joined["news"]["table"]["status"] == "running"
        assert [seat["name"] for seat in joined["news"]["table"]["seats"]] == ["Anna", "Anna 2"]
        await asked(eve, "POST", f"/api/tables/{table}/seats", 409, json={"name": "Eve"})
        await asyncio.gather(play_out(anna, table, random.Random(1)), play_out(bo, table, random.Random(2)))
        last = await asked(bo, "GET", f"/api/tables/{table}/news")
        assert last["table"]["status"] == "over"
        await same_as_the_engine(bo, last)
        await asked(eve, "POST", f"/api/tables/{table}/rematch", 403)
        second = await asked(bo, "POST", f"/api/tables/{table}/rematch")
        responses.Rematch.model_validate(second)
        seats = second["news"]["table"]["seats"]
        assert [(seat["who"], seat["name"], seat["reserved"]) for seat in seats] == [
            ("open", "Anna", True),
            ("person", "Anna 2", False),
        ]
        await asked(eve, "POST", f"/api/tables/{second['id']}/seats", 409, json={"name": "Eve"})
        seen = await asked(anna, "GET", f"/api/tables/{table}/news")
        assert seen["table"]["rematch"] == second["id"]
        same = await asked(anna, "POST", f"/api/tables/{table}/rematch")
        assert (same["id"], same["news"]["yours"], same["news"]["table"]["status"]) == (second["id"], [0], "running")
        assert (await asked(bo, "GET", f"/api/tables/{second['id']}"))["yours"] == [1]


@dialogue
async def test_a_rematch_asked_for_again_gives_the_same_keys_while_one_sits_there(
    database: str, nordic: northrail.Board
) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as bo:
        session, held, host = await Seating(registry).make(nordic, [*here("Anna", "Bo"), {"who": "bot"}])
        await session.close_table()
        path = f"/api/tables/{session.id}/rematch?keys=true"
        for client, key in ((anna, f"{host}.{held[0]}"), (bo, held[1])):
            client.headers["authorization"] = f"Bearer {key}"
        first, again = [await asked(anna, "POST", path) for _ in range(2)]
        responses.Rematch.model_validate(first)
        assert (again["id"], again["keys"], again["host_key"]) == (first["id"], first["keys"], first["host_key"])
        assert (again["news"]["yours"], again["news"]["host"]) == ([0], True)
        following = f"/api/tables/{first['id']}"
        headers = {"authorization": f"Bearer {first['host_key']}.{first['keys']['0']}"}
        told = await asked(anna, "GET", following, headers=headers)
        assert (told["yours"], told["host"]) == ([0], True)
        await asked(anna, "POST", f"{following}/seats/0/leave", headers=headers)
        left = await asked(anna, "POST", path)
        assert (left["keys"], left["host_key"]) == ({}, first["host_key"])
        assert (await asked(anna, "POST", f"{following}/seats", 201, json={"name": "Anna"}))["seat"] == 0
        assert (await asked(anna, "POST", path))["keys"] == {}, "another Anna sits there now"
        theirs = [await asked(bo, "POST", path) for _ in range(2)]
        assert [list(each["keys"]) for each in theirs] == [["1"], ["1"]]
        assert (theirs[0]["keys"], theirs[0]["host_key"]) == (theirs[1]["keys"], None)


def _blind(seat: int, version: int) -> Json:
    return {"seat": seat, "version": version, "choice": {"kind": "blind"}}


@dialogue
async def test_a_stale_or_doubled_move_is_refused_and_nothing_is_played_twice(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        news = await made(anna, here("Anna", "Bo"))
        table = news["table"]["id"]
        while news["view"]["phase"] == "tickets":
            news = await move(anna, news)
            news = await asked(anna, "GET", f"/api/tables/{table}/news")
        blind: Json = {"json": _blind(news["you"], news["version"])}
        path = f"/api/tables/{table}/moves"
        answers = await asyncio.gather(*(anna.post(path, **blind) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
        assert registry.tables[table].match.version == news["version"] + 1
        await asked(anna, "POST", path, 409, **blind)
        await asked(anna, "POST", path, 409, json=_blind(news["you"], news["version"] + 2))
        keyed: Json = {"json": _blind(news["you"], news["version"] + 1), "headers": {"idempotency-key": "a tap"}}
        answers = await asyncio.gather(*(anna.post(path, **keyed) for _ in range(4)))
        assert {answer.status_code for answer in answers} == {200}
        assert registry.tables[table].match.version == news["version"] + 2


@dialogue
async def test_what_is_kept_to_be_told_again_does_not_grow_with_what_is_asked(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        news = await made(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}/news?watch=true"
        while news["version"] < 5:
            await move(anna, news)
            news = await asked(anna, "GET", f"/api/tables/{news['table']['id']}")
        told = registry.tables[news["table"]["id"]]._shared
        assert len((await asked(anna, "GET", f"{path}&since=4"))["steps"]) == 1
        kept = len(told)
        for since in range(4):
            assert len((await asked(anna, "GET", f"{path}&since={since}"))["steps"]) == 5 - since
        assert len(told) == kept


@dialogue
async def test_a_table_is_loaded_once_also_if_loading_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        table = (await made(anna, here("Anna", "Bo")))["table"]["id"]
        registry.tables.clear()
        find, fails = registry.store.find, [OSError("the disk is slow")]

        async def failing(wanted: str) -> Any:
            await asyncio.sleep(0.01)
            if fails:
                raise fails.pop()
            return await find(wanted)

        monkeypatch.setattr(registry.store, "find", failing)
        first, second = (asyncio.ensure_future(registry.session(table)) for _ in range(2))
        with pytest.raises(OSError, match="slow"):
            await first
        third = await registry.session(table)
        others = [
            session
            for session in await asyncio.gather(second, return_exceptions=True)
            if isinstance(session, TableSession)
        ]
        assert all(session is third is registry.tables[table] for session in [*others, third])


@dialogue
async def test_a_bot_that_waits_for_others_to_think_is_called_once(tmp_path: Path) -> None:
    crowded = quick(sqlite_file(tmp_path), limits=replace(ROOMY, thinking=0))
    async with serving(crowded) as (app, registry), browser(app) as anna:
        loop, calls = asyncio.get_running_loop(), list[asyncio.TimerHandle]()
        news = await made(anna, [*BOTS[:1], *here("Anna")])
        path = f"/api/tables/{news['table']['id']}"
        later = loop.call_later

        def noted(*arguments: Any, **more: Any) -> asyncio.TimerHandle:
            handle = later(*arguments, **more)
            if arguments[1] == registry.tables[news["table"]["id"]].schedule:
                calls.append(handle)
            return handle

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_later", noted)
            for text in ("hello", "is anybody there?", "hello?"):
                await asked(anna, "POST", f"{path}/chat", json={"seat": 1, "text": text})
        assert len(calls) >= 3
        assert [handle for handle in calls if not handle.cancelled()] == calls[-1:]


@dialogue
async def test_refusals_have_their_status_and_a_code(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as eve:
        news = await made(anna, here("Anna", "Bo"))
        table = news["table"]["id"]
        assert (await asked(anna, "GET", "/api/tables/aaaaaaaaaa", 404))["code"] == "no_such_table"
        await asked(anna, "GET", "/api/tables/NO", 422)
        refused = await asked(eve, "POST", f"/api/tables/{table}/moves", 403, json=_blind(0, 0))
        assert refused == {"code": "not_your_seat", "facts": {"seat": 0}}
        await asked(eve, "GET", f"/api/tables/{table}?seat=0", 403)
        illegal = await asked(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0))
        assert illegal == {"code": "wrong_phase", "facts": {"phase": "tickets", "seat": 0}}
        for wrong in ({}, {"seat": 0, "version": 0, "choice": {"kind": "steal"}}, {**_blind(0, 0), "more": 1}):
            refused = await asked(anna, "POST", f"/api/tables/{table}/moves", 422, json=wrong)
            assert refused["code"] == "invalid" and refused["facts"]["field"].startswith("body")
        claim = {"kind": "claim", "route": 0, "cards": {"pink": 1}}
        await asked(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0) | {"choice": claim})
        for wrong in (
            {"board": "nordic-countries", "seats": here("A", "B", "C", "D")},
            {"board": "nordic-countries", "seats": here("A", "B"), "first": 3},
            {"board": "nordic-countries", "seats": [*here("A"), {"who": "bot", "level": "divine"}]},
            {"board": "nordic-countries", "seats": here("A", "B" * 25)},
            {"board": "nordic-countries", "seats": here("A", "B\u202e")},
            {"board": "nordic-countries", "seats": here("A", "B"), "clock": 1},
        ):
            await asked(anna, "POST", "/api/tables", 422, json=wrong)
        await asked(anna, "POST", "/api/tables", 404, json={"board": "mars", "seats": here("A", "B")})
        await asked(anna, "GET", f"/api/tables/{table}/record", 409)
        await asked(anna, "GET", f"/api/tables/{table}/replay", 409)
        await asked(anna, "POST", f"/api/tables/{table}/rematch", 409)
        await asked(anna, "GET", "/api/nothing", 404)
        await asked(anna, "DELETE", f"/api/tables/{table}", 405)


@dialogue
async def test_first_tickets_chosen_early_are_sealed_and_played_in_order(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as bo:
        news = await made(anna, [*here("Anna"), OPEN])
        table = news["table"]["id"]
        mine = (await asked(bo, "POST", f"/api/tables/{table}/seats", 201, json={"name": "Bo"}))["news"]
        numbers = [ticket["number"] for ticket in mine["view"]["options"]["keep"]["offered"]][:3]
        early = {"seat": 1, "version": 0, "choice": {"kind": "keep", "tickets": numbers}}
        sealed = await asked(bo, "POST", f"/api/tables/{table}/moves", json=early)
        assert (sealed["version"], sealed["sealed"], sealed["view"]["options"]) == (0, numbers, None)
        await asked(bo, "POST", f"/api/tables/{table}/moves", json=early)  # said twice
        other = early | {"choice": {"kind": "keep", "tickets": numbers[:2]}}
        await asked(bo, "POST", f"/api/tables/{table}/moves", 409, json=other)
        seen = await asked(anna, "GET", f"/api/tables/{table}")
        assert (seen["view"]["chosen"], seen["sealed"]) == ([False, True], None)
        assert str(numbers) not in str(seen)
        await move(anna, seen)
        await until(lambda: registry.tables[table].match.version == 2)
        after = await asked(bo, "GET", f"/api/tables/{table}")
        assert [ticket["number"] for ticket in after["view"]["tickets"]] == numbers
        assert (after["view"]["phase"], after["view"]["chosen"]) == ("turn", None)
        await asked(bo, "POST", f"/api/tables/{table}/moves", 409, json=early)
        again = await asked(bo, "POST", f"/api/tables/{table}/moves", json=early, headers={"idempotency-key": "a tap"})
        assert again["version"] == 2, "it was played, though without its key"


@dialogue
async def test_seats_are_filled_left_and_opened_while_the_table_waits(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as bo:
        news = await made(anna, [*here("Anna"), OPEN, OPEN], "northern-lights")
        path = f"/api/tables/{news['table']['id']}"
        await asked(bo, "POST", f"{path}/seats", 409, json={"name": "Bo", "seat": 0})
        await asked(bo, "POST", f"{path}/seats", 201, json={"name": "Bo", "seat": 2})
        await asked(bo, "PUT", f"{path}/seats/1", 403, json={"sitter": {"who": "bot"}})
        await asked(anna, "PUT", f"{path}/seats/2", 409, json={"sitter": {"who": "bot"}})
        await asked(anna, "PUT", f"{path}/seats/4", 404, json={"sitter": {"who": "bot"}})
        left = await asked(bo, "POST", f"{path}/seats/2/leave")
        assert (left["yours"], left["table"]["seats"][2]["who"]) == ([], "open")
        await asked(bo, "POST", f"{path}/seats/2/leave", 403)
        filled = await asked(anna, "PUT", f"{path}/seats/2", json={"sitter": {"who": "bot", "level": "random"}})
        assert filled["table"]["seats"][2]["level"] == "random"
        filled = await asked(anna, "PUT", f"{path}/seats/2", json={"sitter": OPEN})
        assert filled["table"]["status"] == "waiting"
        await asked(anna, "PUT", f"{path}/seats/2", json={"sitter": {"who": "bot"}})
        begun = await asked(anna, "PUT", f"{path}/seats/1", json={"sitter": {"who": "bot"}})
        assert begun["table"]["status"] == "running"
        assert len({seat["name"] for seat in begun["table"]["seats"]}) == 3
        await asked(anna, "PUT", f"{path}/seats/1", 409, json={"sitter": OPEN})
        await asked(anna, "POST", f"{path}/seats/0/leave", 409)


@dialogue
async def test_a_personal_link_carries_a_seat_to_another_device(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as phone:
        news = await made(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}"
        await asked(phone, "POST", f"{path}/seats/0/link", 403)
        link = await asked(anna, "POST", f"{path}/seats/0/link")
        assert link["path"] == f"/t/{news['table']['id']}#seat={link['key']}"
        await asked(phone, "GET", path, headers={"authorization": f"Bearer {link['key']}"})
        assert (await asked(phone, "GET", path))["yours"] == [], "a link is no key"
        entered = await asked(phone, "POST", f"{path}/enter", json={"key": link["key"]})
        assert (entered["seat"], entered["news"]["yours"]) == (0, [0])
        await move(phone, entered["news"])
        assert (await asked(anna, "GET", path))["version"] == 1
        await asked(phone, "POST", f"{path}/enter", 403, json={"key": "A" * 22})
        now = registry.now
        registry.now = lambda: now() + 90_000
        await asked(phone, "POST", f"{path}/enter", 403, json={"key": link["key"]})


@dialogue
async def test_a_program_plays_with_keys_instead_of_cookies(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as program:
        wish = {"board": "nordic-countries", "seats": [*here("Anna"), OPEN], "first": 0}
        answer = await program.post("/api/tables?keys=true", json=wish)
        assert "set-cookie" not in answer.headers
        table, key = answer.json()["id"], answer.json()["keys"]["0"]
        joined = await program.post(f"/api/tables/{table}/seats?keys=true", json={"name": "Robot"})
        assert "set-cookie" not in joined.headers
        second = joined.json()["key"]
        for held, seat in ((key, 0), (second, 1)):
            headers = {"authorization": f"Bearer {held}"}
            news = await asked(program, "GET", f"/api/tables/{table}", headers=headers)
            assert (news["you"], news["yours"]) == (seat, [seat])
            command = {"seat": seat, "version": 0, "choice": choice_of(news["view"]["options"], random.Random(0))}
            await asked(program, "POST", f"/api/tables/{table}/moves", headers=headers, json=command)
        await asked(program, "POST", f"/api/tables/{table}/moves", 403, json=command)


@dialogue
async def test_a_bot_stands_in_and_the_seat_is_taken_back(database: str) -> None:
    async with serving(quick(database, absent_after=0.0)) as (app, registry), browser(app) as anna, browser(app) as bo:
        news = await made(anna, [*here("Anna"), OPEN])
        table = news["table"]["id"]
        path = f"/api/tables/{table}"
        await asked(bo, "POST", f"{path}/seats", 201, json={"name": "Bo"})
        await asked(anna, "POST", f"{path}/seats/0/take-back", 409)
        given = await asked(anna, "POST", f"{path}/seats/0/hand-over", json={"level": "random"})
        assert given["table"]["seats"][0]["stand_in"] == "random"
        await until(lambda: registry.tables[table].match.turn == 1)
        await asked(anna, "POST", f"{path}/seats/0/hand-over", 409, json={})
        await asked(anna, "POST", f"{path}/moves", 409, json=_blind(0, registry.tables[table].match.version))
        await asked(bo, "POST", f"{path}/seats/0/take-back", 403)
        back = await asked(anna, "POST", f"{path}/seats/0/take-back")
        assert back["table"]["seats"][0]["stand_in"] is None
        await asked(anna, "POST", f"{path}/seats/1/hand-over", json={"level": "random"})
        await until(lambda: registry.tables[table].match.turn == 0)
        assert registry.tables[table].match.steps[-1].command.by == "bot"
        resigned = await asked(bo, "POST", f"{path}/seats/1/resign")
        assert resigned["table"]["seats"][1]["resigned"]
        await asked(bo, "POST", f"{path}/seats/1/take-back", 409)
        await asked(bo, "POST", f"{path}/seats/1/resign", 409)
        await asked(bo, "POST", f"{path}/close", 403)
        closed = await asked(anna, "POST", f"{path}/seats/0/resign")
        assert closed["table"]["status"] == "closed"
        await asked(anna, "POST", f"{path}/moves", 422, json=_blind(0, closed["version"]))
        await asked(anna, "POST", f"{path}/close", 409)
        registry.tables.clear()
        assert (await asked(anna, "GET", path))["version"] == closed["version"] > 0
        again = await asked(anna, "POST", f"{path}/rematch")
        assert again["news"]["table"]["status"] == "waiting"
        assert (await asked(bo, "POST", f"{path}/rematch"))["news"]["table"]["status"] == "running"


@dialogue
async def test_a_bot_goes_on_when_the_database_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TRY_AGAIN", 0.05)
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        keep, failed = registry.store.add_command, list[Any]()

        async def failing(*arguments: Any) -> int:
            if len(failed) < 2:
                failed.append(arguments)
                raise OSError("the disk is full")
            return await keep(*arguments)

        monkeypatch.setattr(registry.store, "add_command", failing)
        news = await made(anna, [*BOTS[:1], *here("Anna")])
        await until(lambda: registry.tables[news["table"]["id"]].match.turn == 1)
        assert len(failed) == 2
        assert registry.tables[news["table"]["id"]].match.version == 1


@dialogue
async def test_who_is_here_is_not_replaced_and_a_table_with_others_is_not_closed(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as bo:
        news = await made(anna, [*here("Anna"), OPEN])
        path = f"/api/tables/{news['table']['id']}"
        await asked(bo, "POST", f"{path}/seats", 201, json={"name": "Bo"})
        refused = await asked(anna, "POST", f"{path}/seats/1/hand-over", 403, json={})
        assert refused == {"code": "person_present", "facts": {"seat": 1}}
        refused = await asked(anna, "POST", f"{path}/close", 403)
        assert refused == {"code": "others_play", "facts": {"seats": [1]}}
        alone = await made(anna, [*here("Anna", "Also Anna"), *BOTS[:1]])
        shut = await asked(anna, "POST", f"/api/tables/{alone['table']['id']}/close")
        assert shut["table"]["status"] == "closed"
        waiting = await made(anna, [*here("Anna"), OPEN])
        assert (await asked(anna, "POST", f"/api/tables/{waiting['table']['id']}/close"))["table"]["status"] == "closed"
        await asked(bo, "POST", f"/api/tables/{waiting['table']['id']}/seats", 409, json={"name": "Bo"})
        await asked(anna, "POST", f"/api/tables/{waiting['table']['id']}/rematch", 409)


@dialogue
async def test_a_clock_that_runs_out_hands_the_seat_to_a_bot(database: str) -> None:
    skipped = 0.0

    async with serving(quick(database), now=lambda: 1e9 + skipped) as (app, registry), browser(app) as anna:
        news = await made(anna, here("Anna", "Bo"), clock=10)
        table = news["table"]["id"]
        assert (news["clock"]["seat"], news["clock"]["left"]) == (0, 10)
        skipped = 9.95
        await asked(anna, "POST", f"/api/tables/{table}/chat", json={"seat": 1, "text": "your turn"})
        await until(lambda: registry.tables[table].match.seats[0].stand_in)
        after = await asked(anna, "GET", f"/api/tables/{table}?watch=true")
        assert after["table"]["seats"][0]["stand_in"] == catalogue.USUAL_LEVEL
        await until(lambda: registry.tables[table].match.turn == 1)
        skipped = 30.0
        await asked(anna, "POST", f"/api/tables/{table}/seats/0/take-back")


@dialogue
async def test_people_talk_at_the_table(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as eve:
        news = await made(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}"
        for number, text in enumerate(("hello", "<b>hei</b> 🚂"), 1):
            said = await asked(anna, "POST", f"{path}/chat", json={"seat": number - 1, "text": f" {text} "})
            assert [(line["number"], line["text"]) for line in said["chat"]] == [(number, text)]
        heard = await asked(eve, "GET", f"{path}/news", params={"chat": 1})
        assert [(line["name"], line["text"]) for line in heard["chat"]] == [("Bo", "<b>hei</b> 🚂")]
        assert heard["version"] == 0, "talk makes no move stale"
        await asked(eve, "POST", f"{path}/chat", 403, json={"seat": 0, "text": "hi"})
        for wrong in ("", "   ", "x" * 301, "a\nb"):
            await asked(anna, "POST", f"{path}/chat", 422, json={"seat": 0, "text": wrong})


@dialogue
async def test_payments_can_be_checked(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna:
        news = await made(anna, here("Anna", "Bo"), "northern-lights")
        table = news["table"]["id"]
        chance = random.Random(3)
        tried = 0
        while tried < 6:
            news = await asked(anna, "GET", f"/api/tables/{table}/news", params={"since": 10**6})
            for route, claim in list(news["view"]["options"]["claim"].items())[:1]:
                about = {"seat": news["you"], "route": int(route)}
                path = f"/api/tables/{table}/payments"
                for cards in claim["payments"][:3]:
                    good = await asked(anna, "POST", path, json=about | {"cards": cards})
                    assert good == {"pays": True, "why": None}
                bad = await asked(anna, "POST", path, json=about | {"cards": {"red": 30}})
                assert not bad["pays"]
                assert bad["why"]["code"] == "cards_not_held"
                assert bad["why"]["facts"]["cards"] == {"red": 30}
                tried += 1
            await move(anna, news, choice=choice_of(news["view"]["options"] | {"claim": {}}, chance))


@dialogue
async def test_my_tables_are_listed_in_the_order_asked(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        ids = [(await made(anna, [*here("Anna"), OPEN]))["table"]["id"] for _ in range(3)]
        registry.tables.pop(ids[1])
        wanted = [ids[2], "aaaaaaaaaa", ids[1], ids[0]]
        found = await asked(anna, "GET", "/api/tables", params={"ids": ",".join(wanted)})
        responses.Tables.model_validate(found)
        assert [table["id"] for table in found["tables"]] == [ids[2], ids[1], ids[0]]
        assert (await asked(anna, "GET", "/api/tables"))["tables"] == []


@dialogue
async def test_boards_themes_and_bots_are_told_and_can_be_kept(tmp_path: Any) -> None:
    settings: Settings = quick(str(tmp_path / "tables.db"))
    async with serving(settings) as (app, _registry), browser(app) as client:
        boards = (await client.get("/api/boards")).json()
        assert [board["id"] for board in boards] == ["nordic-countries", "northern-lights"]
        for at, summary in enumerate(boards):
            catalogue.BoardSummary.model_validate(summary)
            answer = await client.get(summary["href"])
            assert "immutable" in answer.headers["cache-control"]
            board = catalogue.Board.model_validate(answer.json())
            substitutes = [route.price.substitute for route in board.routes if route.ferry]
            assert {each.cards for each in substitutes if each} == {{0: 3, 1: 2}[at]}
            assert [len(drawn.line) - 2 for drawn in board.drawing.routes] == [route.length for route in board.routes]
            again = await client.get(summary["href"], headers={"if-none-match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert (await client.get(f"/api/boards/{summary['id']}")).headers["cache-control"] == "no-cache"
        catalogue.Themes.model_validate((await client.get("/api/themes")).json())
        bots = (await client.get("/api/bots")).json()
        assert sum(bot["usual"] for bot in bots) == 1
        responses.Health.model_validate((await client.get("/health")).json())
        assert (await client.get("/api/boards/mars")).status_code == 404
