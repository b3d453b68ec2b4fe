"""Hints and reasons why not, over HTTP; and a hint depends on nothing that its seat can't see."""

import json
import random
import typing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from databases import sqlite_file
from positions import LIGHTS, NORDIC, named
from positions import situation as situation_of
from serving import Json, browser, dialogue, here, quick, serving
from tables import BOARDS, Size, situation
from worlds import altered

import northrail
from northrail.engine.choices import choice_from
from northrail.players.reasons import SENTENCES
from northrail.server.tables.hints import careful_hint_for, cost_of, hint_for
from northrail.server.wire.reasons import ReasonCode
from northrail.server.wire.responses import Cost, Hint, WhyNot

RED = named(NORDIC, "Bergen–Oslo red")
BOT = [{"who": "bot", "level": "random"}]


def test_the_protocol_has_every_code() -> None:
    assert set(typing.get_args(ReasonCode)) == set(SENTENCES)


@pytest.mark.parametrize(("name", "seats"), [("nordic-countries", 3), ("northern-lights", 4)])
def test_a_hint_is_legal_and_depends_on_nothing_hidden(name: str, seats: int, size: Size) -> None:
    board, phases, changed = BOARDS[name], set[str](), 0
    for seed in range(size.pick(8, 24)):
        game, chance = situation(board, seats, seed, most=200 if seed else 1), random.Random(seed)
        if game.over:
            continue
        while game.phase == "pay":
            game.play(game.moves()[0])
        seat, phases = game.seat, phases | {game.phase}
        hint = hint_for(game.view(seat))
        other = northrail.Game.from_position(board, altered(game.position(), board, seat, chance))
        assert hint_for(other.view(seat)) == hint
        changed += other.position() | {"rng": 0} != game.position() | {"rng": 0}
        game.copy().apply(choice_from(hint["choice"]))
        Hint.model_validate({"version": 0, **hint})
    assert changed and {"tickets", "turn"} <= phases


def test_first_tickets_can_be_hinted_ahead_of_the_turn() -> None:
    game = northrail.Game(LIGHTS, 4, 5, first=0)
    for seat in range(4):
        choice = hint_for(game.view(seat))["choice"]
        offered = [ticket["number"] for ticket in game.view(seat).offered]
        assert choice["kind"] == "keep" and set(choice["tickets"]) <= set(offered)
        assert hint_for(northrail.Game.imagine(game.view(seat), seed=9).view(seat))["choice"] == choice


async def new_table(client: httpx.AsyncClient, seats: list[Json], **more: Any) -> str:
    """Set up a table; return its path."""
    answer = await client.post("/api/tables", json={"board": NORDIC.id, "seats": seats, "first": 0, **more})
    assert answer.status_code == 201, answer.text
    return f"/api/tables/{answer.json()['id']}"


@dialogue
async def test_a_hint_is_for_those_whose_table_allows_it(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna, browser(app) as eve:

        async def refused(client: httpx.AsyncClient, asked: str) -> tuple[int, str]:
            answer = await client.get(asked)
            return answer.status_code, answer.json()["code"]

        alone = await new_table(anna, [*here("Anna"), *BOT])
        answer = (await anna.get(f"{alone}/hint?seat=0&version=0")).json()
        assert Hint.model_validate(answer).choice.kind == "keep" and answer["reasons"]
        assert await refused(anna, f"{alone}/hint?seat=0&version=7") == (409, "stale")
        assert await refused(anna, f"{alone}/hint?seat=1&version=0") == (403, "not_your_seat")
        assert await refused(eve, f"{alone}/hint?seat=0&version=0") == (403, "not_your_seat")
        together = await new_table(anna, here("Anna", "Bo"))
        assert await refused(anna, f"{together}/hint?seat=0&version=0") == (403, "hints_off")
        friendly = await new_table(anna, here("Anna", "Bo"), hints=True)
        for seat in (0, 1):
            assert (await anna.get(f"{friendly}/hint?seat={seat}&version=0")).status_code == 200
        strict = await new_table(anna, [*here("Anna"), *BOT], hints=False)
        assert await refused(anna, f"{strict}/hint?seat=0&version=0") == (403, "hints_off")
        lesson = await registry.session(alone.rsplit("/", 1)[1])
        lesson.match.info = replace(lesson.match.info, lesson="first")
        assert await refused(anna, f"{alone}/hint?seat=0&version=0") == (403, "hints_off")


@dialogue
async def test_the_reason_why_not_is_a_code_with_facts(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _), browser(app) as anna, browser(app) as eve:

        async def why(table: str, asked: str) -> Json | None:
            answer = await anna.get(f"{table}/why?{asked}")
            assert answer.status_code == 200, answer.text
            WhyNot.model_validate(answer.json())
            found: Json | None = answer.json()["why"]
            return found

        start = situation_of(NORDIC, {"red": 1}, owners={RED: 1}, face_up={"red": 5})
        table = await new_table(anna, [*here("Anna", "Bo")], start=start)
        assert await why(table, "seat=0&kind=take&colour=red") is None
        owned = {"code": "route_owned", "facts": {"route": RED, "owner": 1, "seat": 0}}
        assert await why(table, f"seat=0&kind=claim&route={RED}") == owned
        for asked, code in {
            "seat=0&kind=claim&route=251": "no_such_route",
            "seat=0&kind=claim": "no_such_route",
            "seat=0&kind=take": "no_such_colour",
            "seat=1&kind=blind": "not_your_turn",
        }.items():
            assert (await why(table, asked) or {})["code"] == code
        assert (await eve.get(f"{table}/why?seat=0&kind=blind")).json()["code"] == "not_your_seat"
        await anna.post(f"{table}/seats/1/hand-over", json={})
        assert (await why(table, "seat=1&kind=blind") or {})["code"] == "bot_plays"
        dealt = await new_table(anna, here("Anna", "Bo"))
        assert await why(dealt, "seat=1&kind=blind") == {"code": "wrong_phase", "facts": {"phase": "tickets"}}
        offered = (await anna.get(f"{dealt}?seat=1")).json()["view"]["offered"]
        keep = {"kind": "keep", "tickets": [ticket["number"] for ticket in offered]}
        await anna.post(f"{dealt}/moves", json={"seat": 1, "version": 0, "choice": keep})
        assert await why(dealt, "seat=1&kind=blind") == {"code": "others_choose", "facts": {"seats": [0]}}


def test_careful_advice_depends_on_nothing_hidden() -> None:
    for seed, board in enumerate(BOARDS.values()):
        game = situation(board, 3, seed + 3, most=150)
        while game.phase in ("pay", "tickets"):
            game.play(game.moves()[0])
        view = game.view(game.seat)
        twin = northrail.Game.from_position(board, altered(game.position(), board, game.seat, random.Random(seed)))
        assert careful_hint_for(twin.view(game.seat)) == careful_hint_for(view)
        assert cost_of(twin.view(game.seat), view.choices[-1].json()) == cost_of(view, view.choices[-1].json())


@dialogue
async def test_a_blunder_costs_much_and_a_careful_hint_avoids_it(tmp_path: Path) -> None:
    blunders = json.loads((Path(__file__).parents[1] / "analysis" / "blunders.json").read_text("utf-8"))
    blunder = next(each for each in blunders if each["kind"] == "ticket" and each["loss"] > 15)
    seat = blunder["position"]["seat"]
    async with serving(quick(sqlite_file(tmp_path))) as (app, _), browser(app) as anna:
        table = await new_table(anna, here("Anna", "Bo"), start=blunder["position"], first=None, hints=True)

        async def ask(choice: Json) -> httpx.Response:
            return await anna.post(f"{table}/cost", json={"seat": seat, "version": 0, "choice": choice})

        bad, good = (await ask(blunder["worse"])).json(), (await ask(blunder["best"])).json()
        assert (Cost.model_validate(bad).costly, good["costly"]) == (True, False)
        assert bad["loss"] == pytest.approx(blunder["loss"], abs=10)
        hint = (await anna.get(f"{table}/hint?seat={seat}&version=0&careful=true")).json()
        assert Hint.model_validate(hint).choice.model_dump()["route"] == blunder["best"]["route"]
        assert all(each["loss"] >= 0 for each in hint["alternatives"])
        illegal = await ask({"kind": "keep", "tickets": [0]})
        assert (illegal.status_code, illegal.json()["code"]) == (422, "wrong_phase")
        strict = await new_table(anna, here("Anna", "Bo"), start=blunder["position"], first=None)
        answer = await anna.post(f"{strict}/cost", json={"seat": seat, "version": 0, "choice": blunder["worse"]})
        assert (answer.status_code, answer.json()["code"]) == (403, "hints_off")
