"""Whole dialogues over HTTP, on SQLite and PostgreSQL: set up a table, play, leave, finish, play again."""

import asyncio
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from databases import sqlite_file
from serving import Json, browser, choice_of, dialogue, here, near_the_end, play_out, quick, serving, until

import northrail
from northrail.server.settings import Settings
from northrail.server.tables import tasks
from northrail.server.tables.keys import COOKIE
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import TableSession
from northrail.server.wire import catalogue, responses
from northrail.server.wire.types import packed

BOTS = [{"who": "bot", "level": "random"}] * 2
OPEN = {"who": "open"}


async def new_table(client: httpx.AsyncClient, seats: list[Json], board: str = "nordic-countries", **more: Any) -> Json:
    """Set up a table; return its first news."""
    answer = await client.post("/api/tables", json={"board": board, "seats": seats, "first": 0, **more})
    assert answer.status_code == 201, answer.text
    responses.Made.model_validate(answer.json())
    news: Json = answer.json()["news"]
    return news


async def request(client: httpx.AsyncClient, method: str, path: str, status: int = 200, **more: Any) -> Json:
    """Send a request; check the status and return the response."""
    answer = await client.request(method, path, **more)
    assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
    found: Json = answer.json()
    return found


async def move(client: httpx.AsyncClient, news: Json, status: int = 200, **changes: Any) -> Json:
    """Make a random move for the seat in the news. ``changes`` override fields of the command."""
    options = news["view"]["options"]
    choice = choice_of(options, random.Random(news["version"])) if options else {"kind": "blind"}
    command = {"seat": news["you"], "version": news["version"], "choice": choice} | changes
    return await request(client, "POST", f"/api/tables/{news['table']['id']}/moves", status, json=command)


@pytest.mark.parametrize("board", ["nordic-countries", "northern-lights"])
@dialogue
async def test_a_whole_game_against_bots_ends_with_the_scores_of_the_engine(tmp_path: Path, board: str) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        news = await new_table(anna, [*here("Anna"), *BOTS[:1]], board)
        assert (news["table"]["status"], news["yours"], news["you"], news["host"]) == ("running", [0], 0, True)
        table = news["table"]["id"]
        last = await play_out(anna, table, random.Random(1))
        await assert_scores_match_the_record(anna, last)
        whole = await request(anna, "GET", f"/api/tables/{table}")
        assert [step["version"] for step in whole["steps"]] == list(range(1, whole["version"] + 1))
        assert {step["by"] for step in whole["steps"]} == {"person", "bot"}
        plain = {"accept-encoding": "identity"}
        replays = [await request(anna, "GET", f"/api/tables/{table}/replay", headers=each) for each in ({}, {}, plain)]
        replay = replays[0]
        assert replays == [replay] * 3
        assert len(registry.replays._frames) == 1
        responses.Replay.model_validate(replay)
        assert [frame["version"] for frame in replay["frames"]] == list(range(whole["version"] + 1))
        assert replay["frames"][-1]["view"]["owners"] == last["view"]["owners"]
        assert len({str(frame["view"]["row"]) for frame in replay["frames"]}) > 10
        assert all(sum(hand.values()) == 4 for hand in replay["frames"][0]["hands"])
        assert registry.tables[table].match.version == whole["version"]


async def assert_scores_match_the_record(client: httpx.AsyncClient, last: Json) -> None:
    """Replay the game's record in the engine, and compare scores and winners."""
    responses.News.model_validate(last)
    record = await request(client, "GET", f"/api/tables/{last['table']['id']}/record")
    game = northrail.Game.replay(record)
    assert last["final"]["winners"] == game.winners() == last["table"]["winners"]
    for seat, score in zip(last["final"]["seats"], game.scores(), strict=True):
        assert {name: seat[name] for name in asdict(score)} == asdict(score)


async def table_from_position(
    registry: TableRegistry, client: httpx.AsyncClient, seats: list[Json], **more: Any
) -> str:
    """Set up a table that starts at a position, and give the client the keys of its local seats; return its id."""
    board = registry.boards[more["start"]["board"]]
    session, keys, host = await Seating(registry).make(board, seats, **more)
    table = session.id
    client.cookies.set(COOKIE, ".".join([*keys.values(), host]), path=f"/api/tables/{table}")
    return table


@dialogue
async def test_two_browsers_join_by_link_play_and_start_a_rematch(database: str, lights: northrail.Board) -> None:
    async with (
        serving(quick(database)) as (app, registry),
        browser(app) as anna,
        browser(app) as bo,
        browser(app) as eve,
    ):
        table = await table_from_position(registry, anna, [*here("Anna"), OPEN], start=near_the_end(lights, 2))
        news = await request(anna, "GET", f"/api/tables/{table}")
        assert (news["table"]["status"], news["view"], news["yours"]) == ("waiting", None, [0])
        assert news["table"]["host_name"] == "Anna"
        await request(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0))
        joined = await request(bo, "POST", f"/api/tables/{table}/seats", 201, json={"name": "Anna"})
        responses.Joined.model_validate(joined)
        assert (joined["seat"], joined["key"]) == (1, None)
        assert joined["news"]["table"]["status"] == "running"
        assert [seat["name"] for seat in joined["news"]["table"]["seats"]] == ["Anna", "Anna 2"]
        await request(eve, "POST", f"/api/tables/{table}/seats", 409, json={"name": "Eve"})
        await asyncio.gather(play_out(anna, table, random.Random(1)), play_out(bo, table, random.Random(2)))
        last = await request(bo, "GET", f"/api/tables/{table}/news")
        assert last["table"]["status"] == "over"
        await assert_scores_match_the_record(bo, last)
        await request(eve, "POST", f"/api/tables/{table}/rematch", 403)
        second = await request(bo, "POST", f"/api/tables/{table}/rematch")
        responses.Rematch.model_validate(second)
        seats = second["news"]["table"]["seats"]
        assert [(seat["who"], seat["name"], seat["reserved"]) for seat in seats] == [
            ("open", "Anna", True),
            ("person", "Anna 2", False),
        ]
        await request(eve, "POST", f"/api/tables/{second['id']}/seats", 409, json={"name": "Eve"})
        seen = await request(anna, "GET", f"/api/tables/{table}/news")
        assert seen["table"]["rematch"] == second["id"]
        same = await request(anna, "POST", f"/api/tables/{table}/rematch")
        assert (same["id"], same["news"]["yours"], same["news"]["table"]["status"]) == (second["id"], [0], "running")
        assert (await request(bo, "GET", f"/api/tables/{second['id']}"))["yours"] == [1]


@dialogue
async def test_a_repeated_rematch_request_returns_the_same_keys_until_the_seat_is_left(
    database: str, nordic: northrail.Board
) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as bo:
        session, held, host = await Seating(registry).make(nordic, [*here("Anna", "Bo"), {"who": "bot"}])
        async with session.lock:
            await session.close_table()
        path = f"/api/tables/{session.id}/rematch?keys=true"
        for client, key in ((anna, f"{host}.{held[0]}"), (bo, held[1])):
            client.headers["authorization"] = f"Bearer {key}"
        first, again = [await request(anna, "POST", path) for _ in range(2)]
        responses.Rematch.model_validate(first)
        assert (again["id"], again["keys"], again["host_key"]) == (first["id"], first["keys"], first["host_key"])
        assert (again["news"]["yours"], again["news"]["host"]) == ([0], True)
        following = f"/api/tables/{first['id']}"
        headers = {"authorization": f"Bearer {first['host_key']}.{first['keys']['0']}"}
        told = await request(anna, "GET", following, headers=headers)
        assert (told["yours"], told["host"]) == ([0], True)
        await request(anna, "POST", f"{following}/seats/0/leave", headers=headers)
        left = await request(anna, "POST", path)
        assert (left["keys"], left["host_key"]) == ({}, first["host_key"])
        assert (await request(anna, "POST", f"{following}/seats", 201, json={"name": "Anna"}))["seat"] == 0
        assert (await request(anna, "POST", path))["keys"] == {}, "a different Anna has the seat now"
        theirs = [await request(bo, "POST", path) for _ in range(2)]
        assert [list(each["keys"]) for each in theirs] == [["1"], ["1"]]
        assert (theirs[0]["keys"], theirs[0]["host_key"]) == (theirs[1]["keys"], None)


def _blind(seat: int, version: int) -> Json:
    return {"seat": seat, "version": version, "choice": {"kind": "blind"}}


@dialogue
async def test_stale_and_repeated_moves_are_refused_or_played_once(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        news = await new_table(anna, here("Anna", "Bo"))
        table = news["table"]["id"]
        while news["view"]["phase"] == "tickets":
            news = await move(anna, news)
            news = await request(anna, "GET", f"/api/tables/{table}/news")
        blind: Json = {"json": _blind(news["you"], news["version"])}
        path = f"/api/tables/{table}/moves"
        answers = await asyncio.gather(*(anna.post(path, **blind) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
        assert registry.tables[table].match.version == news["version"] + 1
        await request(anna, "POST", path, 409, **blind)
        await request(anna, "POST", path, 409, json=_blind(news["you"], news["version"] + 2))
        keyed: Json = {"json": _blind(news["you"], news["version"] + 1), "headers": {"idempotency-key": "a tap"}}
        answers = await asyncio.gather(*(anna.post(path, **keyed) for _ in range(4)))
        assert {answer.status_code for answer in answers} == {200}
        assert registry.tables[table].match.version == news["version"] + 2


@dialogue
async def test_a_move_without_news_answers_with_the_version_alone(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        news = await new_table(anna, here("Anna", "Bo"))
        table = news["table"]["id"]
        path = f"/api/tables/{table}/moves"
        choice = choice_of(news["view"]["options"], random.Random(0))
        tickets = {"seat": news["you"], "version": news["version"], "choice": choice}
        await request(anna, "POST", f"{path}?news=maybe", 422, json=tickets)
        assert registry.tables[table].match.version == news["version"]
        played = await request(anna, "POST", f"{path}?news=false", json=tickets)
        assert played.keys() == {"version", "revision"}
        assert played["version"] == registry.tables[table].match.version == news["version"] + 1
        whole = await request(anna, "GET", f"/api/tables/{table}/news")
        assert (whole["version"], whole["revision"]) == (played["version"], played["revision"])


@dialogue
async def test_the_short_way_of_a_move_answers_like_the_usual_one(tmp_path: Path) -> None:
    """A header that comes twice takes the usual way, through FastAPI."""
    usual, json_type = [("x-twice", "1"), ("x-twice", "2")], ("content-type", "application/json")
    async with serving(quick(sqlite_file(tmp_path))) as (app, _registry), browser(app) as anna, browser(app) as eve:
        news = await new_table(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}/moves"
        choice = choice_of(news["view"]["options"], random.Random(0))
        good = {"seat": news["you"], "version": news["version"], "choice": choice}
        cases: list[tuple[httpx.AsyncClient, str, bytes, list[tuple[str, str]]]] = [
            (eve, path, packed(good), [json_type]),
            (anna, path.replace("/moves", "x/moves"), packed(good), [json_type]),
            (anna, "/api/tables/aaaaaaaaaa/moves", packed(good), [json_type]),
            (anna, path, b"{", [json_type]),
            (anna, path, b"{}", [json_type]),
            (anna, path, packed(good | {"seat": 7}), [json_type]),
            (anna, path, packed(good | {"version": 5}), [json_type]),
            (anna, path, packed(good | {"choice": {"kind": "blind"}}), [json_type]),
            (anna, path, packed(good), [json_type, ("idempotency-key", "k" * 65)]),
            (anna, path, packed(good), [json_type, ("origin", "http://elsewhere.example")]),
            (anna, path, packed(good), [json_type, ("host", "elsewhere.example")]),
            (anna, path, b" " * 100_000, [json_type]),
            (anna, path, packed(good), [json_type]),
        ]
        for client, where, body, headers in cases:
            given = headers if "idempotency-key" in dict(headers) else [*headers, ("idempotency-key", "a tap")]
            short, long = [
                await client.post(f"{where}?news=false", content=body, headers=each)
                for each in (given, [*given, *usual])
            ]
            # The two name a field of an invalid body in different ways.
            assert (short.status_code, short.json().get("code")) == (long.status_code, long.json().get("code")), body
            assert short.headers.keys() == long.headers.keys()
        assert short.status_code == 200  # the last move is good, and its key makes it the same when it comes again


@dialogue
async def test_a_table_is_loaded_once_even_after_loading_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        table = (await new_table(anna, here("Anna", "Bo")))["table"]["id"]
        registry.tables.clear()
        load, fails = registry.store.load, [OSError("the disk is slow")]

        async def failing(wanted: str) -> Any:
            await asyncio.sleep(0.01)
            if fails:
                raise fails.pop()
            return await load(wanted)

        monkeypatch.setattr(registry.store, "load", failing)
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
async def test_refusals_have_a_status_and_a_code(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as eve:
        news = await new_table(anna, here("Anna", "Bo"))
        table = news["table"]["id"]
        assert (await request(anna, "GET", "/api/tables/aaaaaaaaaa", 404))["code"] == "no_such_table"
        await request(anna, "GET", "/api/tables/NO", 422)
        refused = await request(eve, "POST", f"/api/tables/{table}/moves", 403, json=_blind(0, 0))
        assert refused == {"code": "not_your_seat", "facts": {"seat": 0}}
        await request(eve, "GET", f"/api/tables/{table}?seat=0", 403)
        illegal = await request(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0))
        assert illegal == {"code": "wrong_phase", "facts": {"phase": "tickets", "seat": 0}}
        for wrong in ({}, {"seat": 0, "version": 0, "choice": {"kind": "steal"}}, {**_blind(0, 0), "more": 1}):
            refused = await request(anna, "POST", f"/api/tables/{table}/moves", 422, json=wrong)
            assert refused["code"] == "invalid" and refused["facts"]["field"].startswith("body")
        claim = {"kind": "claim", "route": 0, "cards": {"pink": 1}}
        await request(anna, "POST", f"/api/tables/{table}/moves", 422, json=_blind(0, 0) | {"choice": claim})
        for wrong in (
            {"board": "nordic-countries", "seats": here("A", "B", "C", "D")},
            {"board": "nordic-countries", "seats": here("A", "B"), "first": 3},
            {"board": "nordic-countries", "seats": [*here("A"), {"who": "bot", "level": "divine"}]},
            {"board": "nordic-countries", "seats": here("A", "B" * 25)},
            {"board": "nordic-countries", "seats": here("A", "B\u202e")},
            {"board": "nordic-countries", "seats": here("A", "\u3164")},
            {"board": "nordic-countries", "seats": here("A", "\u2800 \u2800")},
            {"board": "nordic-countries", "seats": here("A", "B"), "clock": 1},
        ):
            await request(anna, "POST", "/api/tables", 422, json=wrong)
        persian, family = "می\u200cروم", "👩\u200d👧"
        names = {"board": "nordic-countries", "seats": here(persian, family)}
        made = await request(anna, "POST", "/api/tables", 201, json=names)
        assert [seat["name"] for seat in made["news"]["table"]["seats"]] == [persian, family]
        await request(anna, "POST", "/api/tables", 404, json={"board": "mars", "seats": here("A", "B")})
        await request(anna, "GET", f"/api/tables/{table}/record", 409)
        await request(anna, "GET", f"/api/tables/{table}/replay", 409)
        await request(anna, "POST", f"/api/tables/{table}/rematch", 409)
        await request(anna, "GET", "/api/nothing", 404)
        await request(anna, "DELETE", f"/api/tables/{table}", 405)


@dialogue
async def test_first_tickets_chosen_early_are_sealed_and_played_in_order(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as bo:
        news = await new_table(anna, [*here("Anna"), OPEN])
        table = news["table"]["id"]
        mine = (await request(bo, "POST", f"/api/tables/{table}/seats", 201, json={"name": "Bo"}))["news"]
        numbers = [ticket["number"] for ticket in mine["view"]["options"]["keep"]["offered"]][:3]
        early = {"seat": 1, "version": 0, "choice": {"kind": "keep", "tickets": numbers}}
        sealed = await request(bo, "POST", f"/api/tables/{table}/moves", json=early)
        assert (sealed["version"], sealed["sealed"], sealed["view"]["options"]) == (0, numbers, None)
        await request(bo, "POST", f"/api/tables/{table}/moves", json=early)  # sent twice
        other = early | {"choice": {"kind": "keep", "tickets": numbers[:2]}}
        await request(bo, "POST", f"/api/tables/{table}/moves", 409, json=other)
        seen = await request(anna, "GET", f"/api/tables/{table}")
        assert (seen["view"]["chosen"], seen["sealed"]) == ([False, True], None)
        assert str(numbers) not in str(seen)
        await move(anna, seen)
        await until(lambda: registry.tables[table].match.version == 2)
        after = await request(bo, "GET", f"/api/tables/{table}")
        assert [ticket["number"] for ticket in after["view"]["tickets"]] == numbers
        assert (after["view"]["phase"], after["view"]["chosen"]) == ("turn", None)
        await request(bo, "POST", f"/api/tables/{table}/moves", 409, json=early)
        again = await request(
            bo, "POST", f"/api/tables/{table}/moves", json=early, headers={"idempotency-key": "a tap"}
        )
        assert again["version"] == 2, "it has been played, although it was stored without its key"


@dialogue
async def test_seats_can_be_filled_left_and_opened_before_the_game_starts(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as bo:
        news = await new_table(anna, [*here("Anna"), OPEN, OPEN], "northern-lights")
        path = f"/api/tables/{news['table']['id']}"
        await request(bo, "POST", f"{path}/seats", 409, json={"name": "Bo", "seat": 0})
        await request(bo, "POST", f"{path}/seats", 201, json={"name": "Bo", "seat": 2})
        await request(bo, "PUT", f"{path}/seats/1", 403, json={"sitter": {"who": "bot"}})
        await request(anna, "PUT", f"{path}/seats/2", 409, json={"sitter": {"who": "bot"}})
        await request(anna, "PUT", f"{path}/seats/4", 404, json={"sitter": {"who": "bot"}})
        left = await request(bo, "POST", f"{path}/seats/2/leave")
        assert (left["yours"], left["table"]["seats"][2]["who"]) == ([], "open")
        await request(bo, "POST", f"{path}/seats/2/leave", 403)
        filled = await request(anna, "PUT", f"{path}/seats/2", json={"sitter": {"who": "bot", "level": "random"}})
        assert filled["table"]["seats"][2]["level"] == "random"
        filled = await request(anna, "PUT", f"{path}/seats/2", json={"sitter": OPEN})
        assert filled["table"]["status"] == "waiting"
        await request(anna, "PUT", f"{path}/seats/2", json={"sitter": {"who": "bot"}})
        begun = await request(anna, "PUT", f"{path}/seats/1", json={"sitter": {"who": "bot"}})
        assert begun["table"]["status"] == "running"
        assert len({seat["name"] for seat in begun["table"]["seats"]}) == 3
        await request(anna, "PUT", f"{path}/seats/1", 409, json={"sitter": OPEN})
        await request(anna, "POST", f"{path}/seats/0/leave", 409)


@dialogue
async def test_a_personal_link_opens_a_seat_on_another_device(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna, browser(app) as phone:
        news = await new_table(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}"
        await request(phone, "POST", f"{path}/seats/0/link", 403)
        link = await request(anna, "POST", f"{path}/seats/0/link")
        assert link["path"] == f"/t/{news['table']['id']}#seat={link['key']}"
        await request(phone, "GET", path, headers={"authorization": f"Bearer {link['key']}"})
        assert (await request(phone, "GET", path))["yours"] == [], "a link does not work as a key"
        entered = await request(phone, "POST", f"{path}/enter", json={"key": link["key"]})
        assert (entered["seat"], entered["news"]["yours"]) == (0, [0])
        await move(phone, entered["news"])
        assert (await request(anna, "GET", path))["version"] == 1
        await request(phone, "POST", f"{path}/enter", 403, json={"key": "A" * 22})
        now = registry.now
        registry.now = lambda: now() + 90_000
        await request(phone, "POST", f"{path}/enter", 403, json={"key": link["key"]})


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
            news = await request(program, "GET", f"/api/tables/{table}", headers=headers)
            assert (news["you"], news["yours"]) == (seat, [seat])
            command = {"seat": seat, "version": 0, "choice": choice_of(news["view"]["options"], random.Random(0))}
            await request(program, "POST", f"/api/tables/{table}/moves", headers=headers, json=command)
        await request(program, "POST", f"/api/tables/{table}/moves", 403, json=command)


@dialogue
async def test_a_bot_takes_over_a_seat_and_its_person_takes_it_back(database: str) -> None:
    async with serving(quick(database, absent_after=0.0)) as (app, registry), browser(app) as anna, browser(app) as bo:
        news = await new_table(anna, [*here("Anna"), OPEN])
        table = news["table"]["id"]
        path = f"/api/tables/{table}"
        await request(bo, "POST", f"{path}/seats", 201, json={"name": "Bo"})
        await request(anna, "POST", f"{path}/seats/0/take-back", 409)
        given = await request(anna, "POST", f"{path}/seats/0/hand-over", json={"level": "random"})
        assert given["table"]["seats"][0]["stand_in"] == "random"
        await until(lambda: registry.tables[table].match.turn == 1)
        await request(anna, "POST", f"{path}/seats/0/hand-over", 409, json={})
        await request(anna, "POST", f"{path}/moves", 409, json=_blind(0, registry.tables[table].match.version))
        await request(bo, "POST", f"{path}/seats/0/take-back", 403)
        back = await request(anna, "POST", f"{path}/seats/0/take-back")
        assert back["table"]["seats"][0]["stand_in"] is None
        await request(anna, "POST", f"{path}/seats/1/hand-over", json={"level": "random"})
        await until(lambda: registry.tables[table].match.turn == 0)
        assert registry.tables[table].match.steps[-1].command.by == "bot"
        resigned = await request(bo, "POST", f"{path}/seats/1/resign")
        assert resigned["table"]["seats"][1]["resigned"]
        await request(bo, "POST", f"{path}/seats/1/take-back", 409)
        await request(bo, "POST", f"{path}/seats/1/resign", 409)
        await request(bo, "POST", f"{path}/close", 403)
        closed = await request(anna, "POST", f"{path}/seats/0/resign")
        assert closed["table"]["status"] == "closed"
        await request(anna, "POST", f"{path}/moves", 422, json=_blind(0, closed["version"]))
        await request(anna, "POST", f"{path}/close", 409)
        registry.tables.clear()
        assert (await request(anna, "GET", path))["version"] == closed["version"] > 0
        again = await request(anna, "POST", f"{path}/rematch")
        assert again["news"]["table"]["status"] == "waiting"
        assert (await request(bo, "POST", f"{path}/rematch"))["news"]["table"]["status"] == "running"


@dialogue
async def test_a_bot_continues_when_the_database_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TRY_AGAIN", 0.05)
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        keep, failed = registry.store.add_command, list[Any]()

        async def failing(*arguments: Any) -> int:
            if len(failed) < 2:
                failed.append(arguments)
                raise OSError("the disk is full")
            return await keep(*arguments)

        monkeypatch.setattr(registry.store, "add_command", failing)
        news = await new_table(anna, [*BOTS[:1], *here("Anna")])
        await until(lambda: registry.tables[news["table"]["id"]].match.turn == 1)
        assert len(failed) == 2
        assert registry.tables[news["table"]["id"]].match.version == 1


@dialogue
async def test_present_people_are_not_replaced_and_a_table_with_others_is_not_closed(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as bo:
        news = await new_table(anna, [*here("Anna"), OPEN])
        path = f"/api/tables/{news['table']['id']}"
        await request(bo, "POST", f"{path}/seats", 201, json={"name": "Bo"})
        refused = await request(anna, "POST", f"{path}/seats/1/hand-over", 403, json={})
        assert refused == {"code": "person_present", "facts": {"seat": 1}}
        refused = await request(anna, "POST", f"{path}/close", 403)
        assert refused == {"code": "others_play", "facts": {"seats": [1]}}
        alone = await new_table(anna, [*here("Anna", "Also Anna"), *BOTS[:1]])
        shut = await request(anna, "POST", f"/api/tables/{alone['table']['id']}/close")
        assert shut["table"]["status"] == "closed"
        waiting = await new_table(anna, [*here("Anna"), OPEN])
        assert (await request(anna, "POST", f"/api/tables/{waiting['table']['id']}/close"))["table"][
            "status"
        ] == "closed"
        await request(bo, "POST", f"/api/tables/{waiting['table']['id']}/seats", 409, json={"name": "Bo"})
        await request(anna, "POST", f"/api/tables/{waiting['table']['id']}/rematch", 409)


@dialogue
async def test_a_bot_takes_over_when_time_runs_out(database: str) -> None:
    skipped = 0.0

    async with serving(quick(database), now=lambda: 1e9 + skipped) as (app, registry), browser(app) as anna:
        news = await new_table(anna, here("Anna", "Bo"), clock=10)
        table = news["table"]["id"]
        assert news["clock"] is None, "first tickets are chosen without a clock"
        skipped = 5.0
        for _ in range(2):
            news = await move(anna, news, choice=choice_of(news["view"]["options"], random.Random(1)))
            news = await request(anna, "GET", f"/api/tables/{table}/news")
        assert (news["clock"]["seat"], news["clock"]["left"]) == (0, 10)
        watched = await request(anna, "GET", f"/api/tables/{table}/news?watch=true")
        assert watched["clock"] == news["clock"], "spectators see the clock too"
        skipped = 14.95
        await request(anna, "POST", f"/api/tables/{table}/chat", json={"seat": 1, "text": "your turn"})
        await until(lambda: registry.tables[table].match.seats[0].stand_in)
        after = await request(anna, "GET", f"/api/tables/{table}?watch=true")
        assert after["table"]["seats"][0]["stand_in"] == catalogue.USUAL_LEVEL
        assert [seat["timed_out"] for seat in after["table"]["seats"]] == [True, False]
        await until(lambda: registry.tables[table].match.turn == 1)
        skipped = 15.0
        back = await request(anna, "POST", f"/api/tables/{table}/seats/0/take-back")
        assert (back["table"]["seats"][0]["stand_in"], back["table"]["seats"][0]["timed_out"]) == (None, False)
        left = await request(anna, "POST", f"/api/tables/{table}/seats/0/hand-over", json={})
        assert left["table"]["seats"][0]["timed_out"] is False, "who leaves on purpose did not run out of time"


@dialogue
async def test_players_chat_and_spectators_read_it(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna, browser(app) as eve:
        news = await new_table(anna, here("Anna", "Bo"))
        path = f"/api/tables/{news['table']['id']}"
        for number, text in enumerate(("hello", "<b>hei</b> 🚂"), 1):
            said = await request(anna, "POST", f"{path}/chat", json={"seat": number - 1, "text": f" {text} "})
            assert [(line["number"], line["text"]) for line in said["chat"]] == [(number, text)]
        heard = await request(eve, "GET", f"{path}/news", params={"chat": 1})
        assert [(line["name"], line["text"]) for line in heard["chat"]] == [("Bo", "<b>hei</b> 🚂")]
        assert heard["version"] == 0, "chat does not make a move stale"
        await request(eve, "POST", f"{path}/chat", 403, json={"seat": 0, "text": "hi"})
        for wrong in ("", "   ", "x" * 301, "a\nb"):
            await request(anna, "POST", f"{path}/chat", 422, json={"seat": 0, "text": wrong})


@dialogue
async def test_a_payment_can_be_checked_before_it_is_made(database: str) -> None:
    async with serving(quick(database)) as (app, _registry), browser(app) as anna:
        news = await new_table(anna, here("Anna", "Bo"), "northern-lights")
        table = news["table"]["id"]
        chance = random.Random(3)
        tried = 0
        while tried < 6:
            news = await request(anna, "GET", f"/api/tables/{table}/news", params={"since": 10**6})
            for route, claim in list(news["view"]["options"]["claim"].items())[:1]:
                about = {"seat": news["you"], "route": int(route)}
                path = f"/api/tables/{table}/payments"
                for cards in claim["payments"][:3]:
                    good = await request(anna, "POST", path, json=about | {"cards": cards})
                    assert good == {"pays": True, "why": None}
                bad = await request(anna, "POST", path, json=about | {"cards": {"red": 30}})
                assert not bad["pays"]
                assert bad["why"]["code"] == "cards_not_held"
                assert bad["why"]["facts"]["cards"] == {"red": 30}
                tried += 1
            await move(anna, news, choice=choice_of(news["view"]["options"] | {"claim": {}}, chance))


@dialogue
async def test_tables_are_listed_in_the_requested_order(database: str) -> None:
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        ids = [(await new_table(anna, [*here("Anna"), OPEN]))["table"]["id"] for _ in range(3)]
        registry.tables.pop(ids[1])
        wanted = [ids[2], "aaaaaaaaaa", ids[1], ids[0]]
        found = await request(anna, "GET", "/api/tables", params={"ids": ",".join(wanted)})
        responses.Tables.model_validate(found)
        assert [table["id"] for table in found["tables"]] == [ids[2], ids[1], ids[0]]
        assert (await request(anna, "GET", "/api/tables"))["tables"] == []


@dialogue
async def test_boards_themes_and_bots_are_served_and_can_be_cached(tmp_path: Any) -> None:
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
            assert summary["special"] == [["ferries", "tunnels"], ["ferries", "draw_bonuses", "bonus_cards"]][at]
            for href in summary["pictures"].values():
                picture = await client.get(href)
                assert picture.headers["content-type"] == "image/svg+xml"
                assert "immutable" in picture.headers["cache-control"]
                assert picture.text.startswith("<svg")
        catalogue.Themes.model_validate((await client.get("/api/themes")).json())
        bots = (await client.get("/api/bots")).json()
        assert sum(bot["usual"] for bot in bots) == 1
        responses.Health.model_validate((await client.get("/health")).json())
        assert (await client.get("/api/boards/mars")).status_code == 404


@dialogue
async def test_a_game_can_start_from_a_position(database: str, lights: northrail.Board) -> None:
    start = near_the_end(lights, 2)
    new = {"board": "northern-lights", "seats": here("Anna", "Bo"), "start": start}
    async with serving(quick(database)) as (app, registry), browser(app) as anna:
        news = (await request(anna, "POST", "/api/tables", 201, json=new))["news"]
        assert news["view"]["points"] == northrail.Game.from_position(lights, start).view(None).points
        registry.tables.clear()  # it is in the store
        table = await request(anna, "GET", f"/api/tables/{news['table']['id']}")
        assert (table["view"]["owners"], table["view"]["hand"]) == (news["view"]["owners"], news["view"]["hand"])
        wrong = await request(anna, "POST", "/api/tables", 422, json=new | {"start": start | {"trains": [99, 1]}})
        assert wrong == {"code": "bad_position", "facts": {"field": "trains"}}
        three = {"seats": here("Anna", "Bo", "Cleo")}
        wrong = await request(anna, "POST", "/api/tables", 422, json=new | three)
        assert (wrong["code"], wrong["facts"]["got"]) == ("wrong_seat_count", 3)
