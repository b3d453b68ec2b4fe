"""News over sockets: viewing as several seats, presence, and two servers on one database."""

import asyncio
import gc
import json
import random
import socket
import weakref
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from databases import sqlite_file
from serving import Json, browser, choice_of, dialogue, here, listening, merged, quick, serving, until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from northrail.server.http import sockets
from northrail.server.run import bound
from northrail.server.tables import registry as registries
from northrail.server.tables.keys import hash_of
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.seating import Seating
from northrail.server.tables.session import Caller, Subscriber, TableSession
from northrail.server.wire import messages, responses
from northrail.server.wire.types import packed

OPEN = {"who": "open"}


class Client:
    """A person or program at a table, over the network."""

    def __init__(self, address: str, table: str = "", key: str = "") -> None:
        self.address, self.table = address, table
        self.headers = {"authorization": f"Bearer {key}"} if key else {}

    async def post(self, path: str, **body: Any) -> httpx.Response:
        async with httpx.AsyncClient(base_url=f"http://{self.address}", headers=self.headers) as client:
            return await client.post(f"/api/tables{path}", json=body)

    def socket(self, query: str = "", **headers: str) -> Any:
        url = f"ws://{self.address}/api/tables/{self.table}/socket?{query}"
        return connect(url, additional_headers=self.headers | headers)

    async def move(self, news: Json) -> httpx.Response:
        choice = choice_of(news["view"]["options"], random.Random(news["version"]))
        return await self.post(f"/{self.table}/moves", seat=news["you"], version=news["version"], choice=choice)


async def table_for(address: str, *seats: Json, **more: Any) -> list[Client]:
    """Set up a table; return a client for each local seat."""
    wish = {"board": "nordic-countries", "seats": seats, "first": 0, **more}
    made = (await Client(address).post("?keys=true", **wish)).json()
    return [Client(address, made["id"], key) for key in made["keys"].values()]


async def next_news(socket: ClientConnection) -> Json:
    """Return the next message, after checking that it is News."""
    found: Json = json.loads(await asyncio.wait_for(socket.recv(), 10))
    responses.News.model_validate(found)
    return found


async def heard(socket: ClientConnection, version: int) -> list[Json]:
    """Return all steps up to a version."""
    steps: list[Json] = []
    while True:
        news = await next_news(socket)
        steps += news["steps"]
        if news["version"] >= version:
            return steps


async def end_of(socket: ClientConnection) -> tuple[int, str]:
    """Return the code and reason with which the server closes a connection."""
    while True:
        try:
            await asyncio.wait_for(socket.recv(), 10)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd is not None else (0, "")


async def refusal(client: Client, query: str = "", **headers: str) -> tuple[int, str]:
    """Return the code and reason with which a connection is refused, at once or by closing it."""
    try:
        async with client.socket(query, **headers) as socket:
            return await end_of(socket)
    except InvalidStatus as refused:
        return refused.response.status_code, ""


@dialogue
async def test_every_move_is_pushed_to_players_and_spectators(tmp_path: Path) -> None:
    async with listening(quick(sqlite_file(tmp_path))) as (address, _registry), AsyncExitStack() as stack:
        anna, bo = await table_for(address, *here("Anna", "Bo"))
        eve = Client(address, anna.table)
        sockets = [await stack.enter_async_context(client.socket()) for client in (anna, bo, eve)]
        news = [await next_news(socket) for socket in sockets]
        for _ in range(12):
            turn = next(each for each in news if each["you"] == each["table"]["turn"])
            assert (await (anna, bo)[turn["you"]].move(turn)).status_code == 200
            version = turn["version"] + 1
            for at, socket in enumerate(sockets):
                while news[at]["version"] < version:
                    news[at] = await next_news(socket)
                    assert [step["version"] for step in news[at]["steps"]] in ([version], [])
            assert (news[2]["you"], news[2]["view"]["hand"], news[2]["view"]["options"]) == (None, {}, None)
            assert all("colour" not in event for event in news[2]["steps"][0]["events"] if event["code"] == "drew")
        late = await stack.enter_async_context(eve.socket("since=5"))
        assert [step["version"] for step in (await next_news(late))["steps"]] == list(range(6, 13))


@dialogue
async def test_responses_do_not_wait_for_acknowledgements() -> None:
    """Small packets on a socket without TCP_NODELAY take 40 ms each, however fast the server is."""
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def accept(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with bound("127.0.0.1", 0) as there:
        async with await asyncio.start_server(accept, sock=there):
            _reader, writer = await asyncio.open_connection(*there.getsockname())
            assert await accepted
            writer.close()


@dialogue
async def test_changes_add_up_to_the_whole_news(tmp_path: Path) -> None:
    async with listening(quick(sqlite_file(tmp_path))) as (address, _registry), AsyncExitStack() as stack:
        anna, bo = await table_for(address, *here("Anna", "Bo"), board="northern-lights")
        both = Client(address, anna.table, "")
        both.headers = {"cookie": f"seats={anna.headers['authorization'][7:]}.{bo.headers['authorization'][7:]}"}
        whole, changes = [await stack.enter_async_context(both.socket(query)) for query in ("", "changes=true")]
        news, known = await next_news(whole), merged({}, json.loads(await changes.recv()))
        fields = set[int]()
        for number in range(24):
            seat = news["table"]["turn"] if number % 3 == 0 else news["you"]
            for socket in (whole, changes) if seat != news["you"] else ():
                await socket.send(json.dumps({"look": seat}))
            version = news["version"]
            if news["view"]["options"]:
                player = (anna, bo)[news["you"]]
                version += (await player.move(news)).json()["version"] > version
            while news["version"] < version or news["you"] != seat:
                news = await next_news(whole)
            while known["version"] < version or known["you"] != seat:
                message = json.loads(await asyncio.wait_for(changes.recv(), 10))
                known = merged(known, message)
                fields.add(len(message["view"]))
            passing = ("changes", "now", "steps", "since", "revision", "watchers")
            assert {k: v for k, v in known.items() if k not in passing} == {
                k: v for k, v in news.items() if k not in passing
            }
        assert news["version"] > 6
        assert min(fields) < max(fields) == len(news["view"])


@dialogue
async def test_one_device_can_view_the_table_as_each_of_its_seats(tmp_path: Path) -> None:
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        anna, bo = await table_for(address, *here("Anna", "Bo"))
        both = Client(address, anna.table, "")
        both.headers = {"cookie": f"seats={anna.headers['authorization'][7:]}.{bo.headers['authorization'][7:]}"}
        async with both.socket() as socket:
            first = await next_news(socket)
            assert (first["you"], first["yours"]) == (0, [0, 1])
            for seat in (1, None, 0):
                await socket.send(json.dumps({"look": seat}))
                news = await next_news(socket)
                while news["you"] != seat:
                    news = await next_news(socket)
                assert news["view"]["me"] == seat
                assert bool(news["view"]["hand"]) == (seat is not None)
            assert all(registry.tables[anna.table].present())
            await socket.send('{"look": 2}')
            assert (await end_of(socket))[0] == 1008
        async with anna.socket("watch=true") as socket:
            assert (await next_news(socket))["you"] is None


@dialogue
async def test_a_connection_is_refused_with_a_reason(tmp_path: Path) -> None:
    limits = quick("x").limits
    settings = quick(sqlite_file(tmp_path), limits=type(limits)(**vars(limits) | {"sockets_per_table": 2}))
    async with listening(settings) as (address, registry):
        anna, _ = await table_for(address, *here("Anna", "Bo"))
        assert await refusal(Client(address, "aaaaaaaaaa")) == (4404, "no_such_table")
        assert await refusal(Client(address, anna.table), "seat=0") == (4403, "not_your_seat")
        assert (await refusal(anna, "since=-1"))[0] in (403, 1008)
        assert (await refusal(anna, origin="http://evil.example"))[0] == 403
        assert (await refusal(anna, origin="null"))[0] == 403
        async with anna.socket("", origin=f"http://{address}") as one, anna.socket() as two:
            await next_news(one)
            await next_news(two)
            assert await refusal(anna) == (4503, "too_many_watchers")
        async with Client(address, anna.table).socket() as watching:
            await next_news(watching)
            assert await refusal(Client(address, anna.table)) == (4503, "too_many_watchers")
            async with anna.socket() as socket:
                await next_news(socket)  # spectators leave half to players
        for wrong, code in (("hello", 1008), ('{"look": 0, "more": 1}', 1008), ("[]", 1008), ("x" * 5000, 1009)):
            async with anna.socket() as socket:
                await socket.send(wrong)
                assert (await end_of(socket))[0] == code
        await until(lambda: registry.sockets == 0)
        assert not registry.sockets_of


@dialogue
async def test_news_say_who_is_connected(tmp_path: Path) -> None:
    async with listening(quick(sqlite_file(tmp_path))) as (address, _registry):
        anna, bo = await table_for(address, *here("Anna", "Bo"))

        async def wait_for(socket: ClientConnection, present: list[bool], watchers: int) -> None:
            while True:
                news = await next_news(socket)
                told = [seat["present"] for seat in news["table"]["seats"]]
                if (told, news["watchers"]) == (present, watchers):
                    return

        async with anna.socket() as socket:
            await wait_for(socket, [True, False], 0)
            async with bo.socket(), bo.socket():
                await wait_for(socket, [True, True], 0)
            await wait_for(socket, [True, False], 0)
            async with Client(address, anna.table).socket():
                await wait_for(socket, [True, False], 1)
            await wait_for(socket, [True, False], 0)


@dialogue
async def test_a_server_that_stops_says_so(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        address, _registry = await stack.enter_async_context(listening(quick(sqlite_file(tmp_path))))
        anna, _ = await table_for(address, *here("Anna", "Bo"))
        async with anna.socket() as socket:
            await next_news(socket)
            await stack.aclose()
            assert (await end_of(socket))[0] == 1012


# --- two servers on one database -------------------------------------------------------------------------------------


@dialogue
async def test_two_servers_serve_one_table(database: str) -> None:
    async with listening(quick(database)) as (one, first), listening(quick(database)) as (other, second):
        anna, bo = await table_for(one, *here("Anna", "Bo"))
        bo.address = other
        async with anna.socket() as near, bo.socket() as far:
            sides = {0: await next_news(near), 1: await next_news(far)}
            for _ in range(8):
                seat = sides[0]["table"]["turn"]
                assert (await (anna, bo)[seat].move(sides[seat])).status_code == 200
                version = sides[seat]["version"] + 1
                for at, socket in ((0, near), (1, far)):
                    while sides[at]["version"] < version:
                        sides[at] = await next_news(socket)
            for at, socket in ((0, near), (1, far)):
                while not all(seat["present"] for seat in sides[at]["table"]["seats"]):
                    sides[at] = await next_news(socket)
            said = await bo.post(f"/{bo.table}/chat", seat=1, text="hello from afar")
            assert said.status_code == 200
            while not (news := await next_news(near))["chat"]:
                pass
            assert news["chat"][0]["text"] == "hello from afar"
        games = [registry.tables[anna.table].match.game for registry in (first, second)]
        assert games[0] == games[1]


@dialogue
async def test_only_one_of_two_moves_sent_to_two_servers_is_played(database: str) -> None:
    async with (
        serving(quick(database)) as (app_one, one),
        serving(quick(database)) as (app_other, other),
        browser(app_one) as near,
        browser(app_other) as far,
    ):
        session, keys, _host = await Seating(one).make(one.boards["nordic-countries"], here("Anna", "Bo"), first=0)
        table = session.match.info.id
        path = f"/api/tables/{table}"
        for client in (near, far):
            client.headers["authorization"] = "Bearer " + ".".join(keys.values())
            assert (await client.get(path)).status_code == 200
        chance = random.Random(5)
        for _ in range(15):
            news = (await near.get(f"{path}/news")).json()
            choice = choice_of(news["view"]["options"], chance)
            command = {"seat": news["you"], "version": news["version"], "choice": choice}
            answers = await asyncio.gather(*(client.post(f"{path}/moves", json=command) for client in (near, far) * 2))
            assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
        await until(lambda: other.tables[table].match.version == one.tables[table].match.version == 15)
        assert other.tables[table].match.game == one.tables[table].match.game


@dialogue
async def test_on_two_servers_a_bot_moves_once_and_a_seat_is_taken_once(database: str) -> None:
    async with (
        serving(quick(database)) as (app_one, one),
        serving(quick(database)) as (app_other, other),
        browser(app_one) as near,
        browser(app_other) as far,
    ):
        bots = [{"who": "bot", "level": "random"}]
        session, keys, _host = await Seating(one).make(
            one.boards["nordic-countries"], [*here("Anna"), OPEN, *bots], first=2
        )
        path = f"/api/tables/{session.match.info.id}"
        await far.get(path)
        joins = await asyncio.gather(*(client.post(f"{path}/seats", json={"name": "Bo"}) for client in (near, far)))
        assert sorted(answer.status_code for answer in joins) == [201, 409]
        both = [registry.tables[session.match.info.id].match for registry in (one, other)]
        await until(lambda: all(table.version == 1 for table in both))
        await asyncio.sleep(0.2)
        assert [table.version for table in both] == [1, 1]
        assert both[0].game == both[1].game
        assert both[0].steps[0].command == both[1].steps[0].command
        held = await other.store.find_keys(session.match.info.id, [hash_of(keys[0])], other.now())
        assert list(held.values()) == [0]


async def assert_sees_no_hand_when_the_game_begins(socket: ClientConnection) -> None:
    while (news := await next_news(socket))["table"]["status"] != "running":
        pass
    assert (news["you"], news["yours"], news["view"]["hand"], news["view"]["offered"]) == (None, [], {}, [])


@dialogue
async def test_a_player_who_left_a_seat_on_one_server_cannot_see_it_on_another(database: str) -> None:
    async with listening(quick(database)) as (one, _first), listening(quick(database)) as (other, _second):
        (anna,) = await table_for(one, *here("Anna"), OPEN, OPEN)
        joining = f"/{anna.table}/seats"
        key = (await anna.post(f"{joining}?keys=true", name="Eve", seat=1)).json()["key"]
        async with Client(other, anna.table, key).socket() as socket:
            assert (await next_news(socket))["yours"] == [1]
            assert (await Client(one, anna.table, key).post(f"{joining}/1/leave")).status_code == 200
            for name, seat in (("Bo", 1), ("Cleo", 2)):
                assert (await anna.post(joining, name=name, seat=seat)).status_code == 201
            await assert_sees_no_hand_when_the_game_begins(socket)


@dialogue
async def test_a_server_that_missed_that_a_player_left_does_not_show_them_the_seat(tmp_path: Path) -> None:
    database = sqlite_file(tmp_path)
    async with listening(quick(database)) as (one, _first), listening(quick(database, poll=1e6)) as (other, _deaf):
        (anna,) = await table_for(one, *here("Anna"), OPEN, OPEN)
        joining = f"/{anna.table}/seats"
        key = (await anna.post(f"{joining}?keys=true", name="Eve", seat=1)).json()["key"]
        eve = Client(other, anna.table, key)
        async with eve.socket() as socket:
            assert (await next_news(socket))["yours"] == [1]
            link = (await eve.post(f"{joining}/1/link")).json()["key"]
            assert (await Client(one, anna.table, key).post(f"{joining}/1/leave")).status_code == 200
            assert (await eve.post(f"{joining}/1/link")).status_code == 403
            assert (await eve.post(f"/{anna.table}/enter", key=link)).status_code == 403
            assert (await anna.post(joining, name="Bo", seat=1)).status_code == 201
            assert (await Client(other).post(joining, name="Cleo", seat=2)).status_code == 201
            await assert_sees_no_hand_when_the_game_begins(socket)


@asynccontextmanager
async def beside_a_deaf_server(
    tmp_path: Path,
) -> AsyncIterator[tuple[TableRegistry, httpx.AsyncClient, httpx.AsyncClient]]:
    """Run a server, and another on its database that notices no changes; yield the first and a client of each."""
    database = sqlite_file(tmp_path)
    async with (
        serving(quick(database)) as (app, one),
        serving(quick(database, poll=1e6)) as (deaf, _other),
        browser(app) as near,
        browser(deaf) as far,
    ):
        yield one, near, far


@dialogue
async def test_a_server_that_missed_the_start_of_the_game_does_not_give_a_seat_away(tmp_path: Path) -> None:
    async with beside_a_deaf_server(tmp_path) as (one, near, far):
        session, keys, _host = await Seating(one).make(one.boards["nordic-countries"], [*here("Anna"), OPEN], first=0)
        path = f"/api/tables/{session.match.info.id}"
        far.headers["authorization"] = f"Bearer {keys[0]}"
        assert (await far.get(path)).json()["table"]["status"] == "waiting"
        assert (await near.post(f"{path}/seats", json={"name": "Bo"})).status_code == 201
        assert (await far.post(f"{path}/seats/0/leave")).status_code == 409
        told = (await far.get(path)).json()
        assert (told["table"]["status"], told["yours"]) == ("running", [0])


@dialogue
async def test_the_game_starts_if_the_last_two_players_join_on_two_servers(tmp_path: Path) -> None:
    """Each server still sees the other player's seat as open when its own player joins."""
    async with beside_a_deaf_server(tmp_path) as (one, near, far):
        session, _keys, _host = await Seating(one).make(one.boards["nordic-countries"], [*here("Anna"), OPEN, OPEN])
        path = f"/api/tables/{session.id}"
        assert (await far.get(path)).json()["table"]["status"] == "waiting"
        for client, name, seat in ((near, "Bo", 1), (far, "Cleo", 2)):
            assert (await client.post(f"{path}/seats", json={"name": name, "seat": seat})).status_code == 201
        await until(lambda: session.match.status == "running", 10)


@dialogue
async def test_a_move_at_a_table_that_another_server_closed_is_refused(tmp_path: Path) -> None:
    async with beside_a_deaf_server(tmp_path) as (one, near, far):
        session, keys, host = await Seating(one).make(one.boards["nordic-countries"], here("Anna", "Bo"), first=0)
        path = f"/api/tables/{session.match.info.id}"
        for client in (near, far):
            client.headers["authorization"] = f"Bearer {'.'.join([*keys.values(), host])}"
        news = (await far.get(path)).json()
        assert (await near.post(f"{path}/close")).json()["table"]["status"] == "closed"
        choice = choice_of(news["view"]["options"], random.Random(0))
        late = await far.post(f"{path}/moves", json={"seat": 0, "version": 0, "choice": choice})
        assert (late.status_code, late.json()["code"]) == (409, "table_closed")


@dialogue
async def test_a_player_without_a_socket_is_not_replaced_while_they_send_requests(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registries, "PRESENCE_INTERVAL", 0.02)
    past = 0.0
    async with (
        serving(quick(database), now=lambda: 1e9 + past) as (app_one, one),
        serving(quick(database), now=lambda: 1e9 + past) as (app_other, _other),
        browser(app_one) as near,
        browser(app_other) as far,
    ):
        session, keys, _host = await Seating(one).make(one.boards["nordic-countries"], here("Anna", "Bo"), first=0)
        table = session.match.info.id
        far.headers["authorization"], near.headers["authorization"] = (f"Bearer {keys[seat]}" for seat in range(2))
        past = 100.0
        await near.get(f"/api/tables/{table}/news")
        past = 121.0
        async with asyncio.timeout(20):
            while (await one.store.presence([table])).get((table, 1), 0.0) < 1e9 + 100:
                await asyncio.sleep(0.01)
        assert (await far.post(f"/api/tables/{table}/seats/1/hand-over", json={})).status_code == 403
        past = 131.0
        assert (await far.post(f"/api/tables/{table}/seats/1/hand-over", json={})).status_code == 200


@dialogue
async def test_a_person_connected_to_another_server_stays_present(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registries, "PRESENCE_INTERVAL", 0.02)
    past = 0.0
    settings = quick(database)
    async with (
        listening(settings, now=lambda: 1e9 + past) as (one, first),
        listening(settings, now=lambda: 1e9 + past) as (other, second),
    ):
        anna, bo = await table_for(one, *here("Anna", "Bo"))
        bo.address = other
        async with anna.socket(), bo.socket() as far:
            while not all(seat["present"] for seat in (await next_news(far))["table"]["seats"]):
                pass
            there = second.tables[anna.table].match
            for past in (20.0, 40.0, 60.0):
                async with asyncio.timeout(20):
                    latest = 1e9 + past + registries.HEARTBEAT_LASTS
                    while (await first.store.presence([anna.table]))[anna.table, 0] < latest:
                        await asyncio.sleep(0.01)  # until the first server has stored its heartbeat
                    while (there.seats[0].here_until or 0.0) < latest - 20:
                        await asyncio.sleep(0.01)  # until the second server has read one


@dialogue
async def test_news_while_a_server_reads_what_another_did_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The options of one version beside the number of the next would offer moves that the rules refuse."""
    settings = quick(sqlite_file(tmp_path), poll=1e6)
    async with serving(settings) as (_, one), serving(settings) as (_, other):
        session, keys, _host = await Seating(one).make(one.boards["nordic-countries"], here("Anna", "Bo"), first=0)
        away = await other.session(session.id)
        caller = await session.caller(keys.values())
        read, seen = other.store._read, []

        def told(by: TableSession) -> Json:
            news = json.loads(packed(by.news(caller, None, 10**6, 10**6)))
            return {name: news[name] for name in ("version", "revision", "view")} | {"turn": news["table"]["turn"]}

        async def watched(work: Any) -> Any:
            found = await read(work)
            seen.append(told(away))
            return found

        monkeypatch.setattr(other.store, "_read", watched)
        chance = random.Random(2)
        history = [told(session)]
        for _ in range(12):
            assert session.match.turn is not None
            options = messages.options_json(session.match, session.match.turn)
            assert options is not None
            await session.play(caller, session.match.turn, session.match.version, choice_of(options, chance))
            history.append(told(session))
            await away.refresh_locked()
            assert told(away) == history[-1]
        assert len(seen) >= 12  # one read brings all that the other did
        assert [news for news in seen if news not in history] == []


@dialogue
async def test_tickets_chosen_early_on_two_servers_are_chosen_once(tmp_path: Path) -> None:
    """The second server has missed that Bo's sealed choice was played: it must not acknowledge another one."""
    async with beside_a_deaf_server(tmp_path) as (one, near, far):
        session, keys, _host = await Seating(one).make(
            one.boards["nordic-countries"], here("Anna", "Bo", "Cleo"), first=0
        )
        path = f"/api/tables/{session.id}"
        for client in (near, far):
            client.headers["authorization"] = f"Bearer {'.'.join(keys.values())}"
        offered = [
            [ticket["number"] for ticket in (await far.get(f"{path}?seat={seat}")).json()["view"]["offered"]]
            for seat in range(2)
        ]
        for seat in (1, 0):
            choice = {"kind": "keep", "tickets": offered[seat]}
            assert (
                await near.post(f"{path}/moves", json={"seat": seat, "version": 0, "choice": choice})
            ).status_code == 200
        await until(lambda: session.match.version == 2)
        other = {"kind": "keep", "tickets": offered[1][:-1]}
        late = await far.post(f"{path}/moves", json={"seat": 1, "version": 0, "choice": other})
        assert (late.status_code, late.json()["code"]) == (409, "already_chosen")
        stored = await one.store.load(session.id)
        assert stored is not None
        assert stored.sealed == {}


@dialogue
async def test_a_move_sent_again_to_another_server_gets_the_first_answer(tmp_path: Path) -> None:
    """The answer of the first server was lost, and the second has not heard of the move yet."""
    async with beside_a_deaf_server(tmp_path) as (one, near, far):
        session, keys, _host = await Seating(one).make(one.boards["nordic-countries"], here("Anna", "Bo"), first=0)
        path = f"/api/tables/{session.id}"
        for client in (near, far):
            client.headers["authorization"] = f"Bearer {'.'.join(keys.values())}"
        for seat in (1, 0):  # Bo's choice is sealed, Anna's is played
            news = (await far.get(f"{path}?seat={seat}")).json()
            offered = [ticket["number"] for ticket in news["view"]["offered"]]
            move = {"seat": seat, "version": 0, "choice": {"kind": "keep", "tickets": offered}}
            for client in (near, far):
                answer = await client.post(f"{path}/moves", json=move, headers={"idempotency-key": f"key {seat}"})
                assert (answer.status_code, answer.json().get("code")) == (200, None)
        await until(lambda: session.match.version == 2)
        assert [step.command.key for step in session.match.steps] == ["key 0", None]


class SlowLine:
    """A connection whose client does not read for a while."""

    def __init__(self) -> None:
        self.is_clear = True
        self.sent: list[Json] = []

    def send_now(self, message: bytes) -> None:
        self.sent.append(json.loads(message))


@dialogue
async def test_a_slow_client_gets_what_it_missed_in_one_message(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        wish = {"board": "nordic-countries", "seats": here("Anna", "Bo"), "first": 0}
        news = (await anna.post("/api/tables", json=wish)).json()["news"]
        session, line = registry.tables[news["table"]["id"]], SlowLine()
        watching = Subscriber(line, Caller(), None, 0, 0, changes=True)
        registry.connect(session, watching)
        session.push(watching)
        line.is_clear = False
        for _ in range(4):
            path = f"/api/tables/{session.id}"
            news = (await anna.get(path)).json()
            choice = choice_of(news["view"]["options"], random.Random(news["version"]))
            command = {"seat": news["you"], "version": news["version"], "choice": choice}
            assert (await anna.post(f"{path}/moves", json=command)).status_code == 200
        await asyncio.sleep(0.01)
        before, line.is_clear = len(line.sent), True
        session.drained(watching)
        session.drained(watching)
        assert len(line.sent) == before + 1
        assert [step["version"] for step in line.sent[-1]["steps"]] == [1, 2, 3, 4]
        whole = merged(line.sent[0], line.sent[-1])
        assert whole["view"] == (await anna.get(f"/api/tables/{session.id}?watch=true")).json()["view"]


@dialogue
async def test_news_that_fail_for_one_connection_reach_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, registry), browser(app) as anna:
        wish = {"board": "nordic-countries", "seats": here("Anna", "Bo"), "first": 0}
        news = (await anna.post("/api/tables", json=wish)).json()["news"]
        session, good, bad = registry.tables[news["table"]["id"]], SlowLine(), SlowLine()
        following = [Subscriber(line, Caller(), None, 0, 0) for line in (bad, good)]
        for subscriber in following:
            registry.connect(session, subscriber)
        await asyncio.sleep(0.01)
        before = len(good.sent)
        monkeypatch.setattr(bad, "send_now", lambda _message: 1 / 0)
        await anna.post(f"/api/tables/{session.id}/chat", json={"seat": 0, "text": "hello"})
        await asyncio.sleep(0.01)
        assert good.sent[-1]["chat"][-1]["text"] == "hello"
        assert len(good.sent) > before
        assert (following[0].close_code, following[0].close_reason) == (1011, "server_error")
        assert not following[1].closing.is_set()


async def upgraded(address: str, table: str) -> socket.socket:
    """Return a spectator's connection that reads nothing by itself."""
    host, port = address.split(":")
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, (host, int(port)))
    head = (
        f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    )
    head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    await asyncio.get_running_loop().sock_sendall(raw, head.encode())
    return raw


async def stuck(address: str, registry: TableRegistry) -> tuple[socket.socket, TableSession, Subscriber]:
    """Return a spectator who does not read, and whose connection holds all news that it can."""
    player, *_ = await table_for(address, *here("Anna", "Bo"))
    raw = await upgraded(address, player.table)
    session = registry.tables[player.table]
    await until(lambda: bool(session.subscribers))
    (subscriber,) = session.subscribers
    while subscriber.line.is_clear:
        subscriber.facts = None  # so that it gets the whole table again
        session.push(subscriber)
        await asyncio.sleep(0)
    return raw, session, subscriber


@dialogue
async def test_a_connection_that_does_not_read_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CLOSING", 0.1)
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        raw, session, subscriber = await stuck(address, registry)
        subscriber.close(1008, "gone")
        await until(lambda: not session.subscribers)
        assert registry.sockets == 0
        raw.close()
        raw, session, subscriber = await stuck(address, registry)
        line = cast("sockets.PushProtocol", subscriber.line)
        line.keepalive_timeout()  # as after a ping without an answer
        await until(lambda: not session.subscribers)
        raw.close()


@dialogue
async def test_answers_to_pings_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "MOST_WAITING", 200_000)
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        raw, session, subscriber = await stuck(address, registry)
        transport = cast("sockets.PushProtocol", subscriber.line).transport
        pings, most = 100 * (b"\x89\xfd\0\0\0\0" + b"x" * 125), 0
        for _ in range(400):
            with suppress(OSError):  # full, or dropped
                raw.send(pings)
            await asyncio.sleep(0.002)
            most = max(most, transport.get_write_buffer_size())
        assert most < 250_000
        await until(lambda: not session.subscribers)
        raw.close()


@dialogue
async def test_nothing_is_left_of_a_closed_connection(tmp_path: Path) -> None:
    """The server looks at older objects only once an hour, so nothing may wait for that."""
    async with listening(quick(sqlite_file(tmp_path))) as (address, registry):
        player, *_ = await table_for(address, *here("Anna", "Bo"))
        gc.collect()
        gc.disable()
        try:
            async with player.socket() as connection:
                await next_news(connection)
                (subscriber,) = registry.tables[player.table].subscribers
                left = weakref.ref(subscriber.line)
                del subscriber
            await until(lambda: left() is None)
        finally:
            gc.enable()
