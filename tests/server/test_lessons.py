"""Lessons at tables: the server plays the rivals by the script, and accepts only the moves of the lesson."""

from dataclasses import replace
from pathlib import Path

import httpx
from databases import sqlite_file
from serving import Json, browser, dialogue, quick, serving, until

import northrail
from northrail.server.tables.registry import TableRegistry


async def start(client: httpx.AsyncClient, lesson: str) -> Json:
    made = await client.post(f"/api/lessons/{lesson}", json={"name": "Anna"})
    assert made.status_code == 201, made.text
    news: Json = made.json()["news"]
    return news


async def move(client: httpx.AsyncClient, table: str, version: int, choice: Json) -> httpx.Response:
    return await client.post(f"/api/tables/{table}/moves", json={"seat": 0, "version": version, "choice": choice})


async def your_turn(client: httpx.AsyncClient, registry: TableRegistry, table: str) -> Json:
    session = registry.tables[table]
    lesson = session.lesson
    assert lesson is not None

    def is_yours() -> bool:
        step = lesson.next_move(session.match.version)
        return step is None or step.who == "you"

    await until(is_yours)
    news: Json = (await client.get(f"/api/tables/{table}/news")).json()
    return news


@dialogue
async def test_every_lesson_is_played_to_its_end(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as client:
        listed = (await client.get("/api/lessons")).json()
        assert len(listed) == 7
        for lesson in listed:
            news = await start(client, lesson["id"])
            assert news["table"]["lesson"] == lesson["id"] and not news["table"]["hints"]
            table, moves = news["table"]["id"], [step for step in lesson["steps"] if step["who"] != "nobody"]
            for step in moves:
                if step["who"] == "rival":
                    assert step["choices"] == [], "the page does not know what rivals will do"
                    continue
                news = await your_turn(client, registry, table)
                assert news["version"] == step["version"]
                choice = dict(step["choices"][0])
                if choice["kind"] == "claim" and "cards" not in choice:
                    choice["cards"] = news["view"]["options"]["claim"][str(choice["route"])]["payments"][0]
                answer = await move(client, table, news["version"], choice)
                assert answer.status_code == 200, answer.text
            news = await your_turn(client, registry, table)
            assert news["version"] == len(moves)
            assert (news["table"]["status"] == "over") == lesson["id"].endswith("last-round")


@dialogue
async def test_a_move_outside_the_lesson_is_refused_and_so_is_one_after_its_end(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as client:
        news = await start(client, "nordic-countries/5-locomotives")
        table = news["table"]["id"]
        refused = await move(client, table, 0, {"kind": "blind"})
        assert (refused.status_code, refused.json()["code"]) == (409, "not_in_lesson")
        handed = await client.post(f"/api/tables/{table}/seats/0/hand-over", json={})
        assert (handed.status_code, handed.json()["code"]) == (409, "not_in_lesson")
        assert (await move(client, table, 0, {"kind": "take", "colour": "locomotive", "place": 1})).status_code == 200
        lesson = registry.tables[table].lesson
        assert lesson is not None
        for step in lesson.moves[1:]:
            if step.who == "you":
                news = await your_turn(client, registry, table)
                assert (await move(client, table, news["version"], step.choices[0])).status_code == 200
        news = await your_turn(client, registry, table)
        after = await move(client, table, news["version"], {"kind": "blind"})
        assert after.status_code in (409, 422)


@dialogue
async def test_a_lesson_goes_on_after_a_restart_but_not_after_an_edit(tmp_path: Path) -> None:
    settings = quick(sqlite_file(tmp_path))
    async with serving(settings) as (app, _), browser(app) as client:
        news = await start(client, "nordic-countries/1-first-route")
        table = news["table"]["id"]
        await move(client, table, 0, {"kind": "take", "colour": "orange"})
        cookies = client.cookies
    async with serving(settings) as (app, _), browser(app) as client:
        client.cookies = cookies
        assert (await move(client, table, 1, {"kind": "blind"})).status_code == 200
    async with serving(settings) as (app, registry), browser(app) as client:
        client.cookies = cookies
        name = "nordic-countries/1-first-route"
        registry.lessons[name] = replace(registry.lessons[name], start={"seats": 2})
        refused = await client.get(f"/api/tables/{table}")
        assert (refused.status_code, refused.json()["code"]) == (409, "lesson_changed")


@dialogue
async def test_a_finished_lesson_can_be_replayed_after_an_edit_and_its_rematch_allows_hints(tmp_path: Path) -> None:
    settings, name = quick(sqlite_file(tmp_path)), "nordic-countries/6-last-round"
    async with serving(settings) as (app, registry), browser(app) as client:
        table = (await start(client, name))["table"]["id"]
        for step in registry.lessons[name].moves:
            if step.who == "you":
                news = await your_turn(client, registry, table)
                assert (await move(client, table, news["version"], step.choices[0])).status_code == 200
        await your_turn(client, registry, table)
        cookies = client.cookies
    async with serving(settings) as (app, registry), browser(app) as client:
        client.cookies = cookies
        registry.lessons[name] = replace(registry.lessons[name], start={"seats": 2})
        assert (await client.get(f"/api/tables/{table}/replay")).status_code == 200
        again = await client.post(f"/api/tables/{table}/rematch", json={})
        assert again.status_code == 200, again.text
        assert again.json()["news"]["table"]["hints"]


@dialogue
async def test_first_tickets_of_a_lesson_cannot_be_chosen_before_their_step(
    tmp_path: Path, nordic: northrail.Board
) -> None:
    settings, name = quick(sqlite_file(tmp_path), pace=60.0), "nordic-countries/1-first-route"
    async with serving(settings) as (app, registry), browser(app) as client:
        game = northrail.Game(nordic, 2, 3, first=1)
        lesson = registry.lessons[name]
        rival = replace(lesson.moves[0], who="rival", choices=({"kind": "keep", "tickets": [0, 1]},))
        registry.lessons[name] = replace(lesson, start=game.position(), steps=(rival, *lesson.steps))
        news = await start(client, name)
        offered = [ticket["number"] for ticket in news["view"]["options"]["keep"]["offered"]]
        refused = await move(client, news["table"]["id"], 0, {"kind": "keep", "tickets": offered[:2]})
        assert (refused.status_code, refused.json()["code"]) == (409, "not_in_lesson")


@dialogue
async def test_unknown_lessons_and_cached_lists(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _), browser(app) as client:
        unknown = await client.post("/api/lessons/nordic-countries/9-nothing", json={"name": "Anna"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "no_such_lesson")
        first = await client.get("/api/lessons")
        again = await client.get("/api/lessons", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
        assert "rng" not in first.text and "hands" not in first.text
