"""Where tables are set up, seats are taken and left, and the next game is asked for."""

import secrets
from dataclasses import replace

from northrail.boards.board import Board
from northrail.engine.game import MOST_SEED, Game
from northrail.errors import BadPosition
from northrail.players import PLAYERS
from northrail.server.match import Facts, Json, Match, Sitting
from northrail.server.store.database import Keys, Stale
from northrail.server.tables.keys import hash_of, new_id, new_key, rematch_key
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.session import Caller, TableSession
from northrail.server.wire.catalogue import USUAL_LEVEL
from northrail.server.wire.refusals import Refused

A_DAY = 86_400.0  # seconds


ANIMALS = ("Reindeer", "Lynx", "Puffin", "Otter", "Moose", "Fox", "Seal", "Owl", "Hare", "Wolf")  # names of bots


class Seating:
    """What people do around a game."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self.store = registry.store
        self.now = registry.now

    # --- setting up

    async def make(
        self,
        board: Board,
        sitters: list[Json],
        first: int | None = None,
        clock: int | None = None,
        faster: bool = False,
        start: Json | None = None,
    ) -> tuple[TableSession, dict[int, str], str]:
        """A new table; gives it, the keys of the seats here, and the host's key."""
        least, most = board.rules.seats
        if not least <= len(sitters) <= most:
            raise Refused(422, "wrong_seat_count", least=least, most=most, got=len(sitters))
        if first is not None and first >= len(sitters):
            raise Refused(422, "no_such_seat", seat=first)
        if start is not None:
            self._must_be_playable(board, start, len(sitters))
        seats: list[Sitting] = []
        for seat, sitter in enumerate(sitters):
            seats.append(self._sitting(seat, sitter, seats))
        await self._must_have_room()
        facts = self._new_facts(board, clock, faster)
        facts.first, facts.start = first, start
        keys = {sitting.seat: new_key() for sitting in seats if sitting.who == "person"}
        host = new_key()
        await self.store.make(facts, seats, _hashed(keys, host))
        return await self.registry.session(facts.id), keys, host

    def _must_be_playable(self, board: Board, start: Json, seats: int) -> None:
        """Raise unless a game for so many seats can begin at a position."""
        try:
            game = Game.from_position(board, start)
        except BadPosition as fault:
            raise Refused(422, "bad_position", field=str(fault).partition(":")[0]) from fault
        if game.seats != seats:
            raise Refused(422, "wrong_seat_count", least=game.seats, most=game.seats, got=seats)

    async def _must_have_room(self) -> None:
        limits = self.registry.settings.limits
        if await self.store.count_unfinished() >= limits.tables:
            await self.store.sweep(self.now() - limits.waiting_days * A_DAY, self.now() - limits.running_days * A_DAY)
            if await self.store.count_unfinished() >= limits.tables:
                raise Refused(503, "server_busy", retry=3600)

    def _new_facts(self, board: Board, clock: int | None, faster: bool) -> Facts:
        return Facts(
            id=new_id(),
            board=board.id,
            digest=board.digest,
            seed=secrets.randbelow(MOST_SEED + 1),
            secret=secrets.token_hex(16),
            clock=clock,
            faster=faster,
            made=self.now(),
        )

    def _sitting(self, seat: int, sitter: Json, others: list[Sitting]) -> Sitting:
        if sitter["who"] == "here":
            return Sitting(seat, "person", own_name(sitter["name"], others))
        if sitter["who"] == "open":
            return Sitting(seat, "open")
        level = self._level(sitter.get("level"))
        return Sitting(seat, "bot", _animal(others), level)

    def _level(self, level: str | None) -> str:
        if level is not None and level not in PLAYERS:
            raise Refused(422, "no_such_level", level=level, levels=list(PLAYERS))
        return level or USUAL_LEVEL

    # --- taking and leaving seats before the game

    async def join(self, session: TableSession, name: str, seat: int | None) -> tuple[int, str]:
        """Sit down in an open seat; gives it and its key."""
        async with session.lock:
            table = session.match
            _must_wait(table)
            open_seats = [each.seat for each in table.seats if each.who == "open" and not each.reserved]
            if seat is not None and seat not in open_seats:
                raise Refused(409, "seat_not_open", seat=seat)
            if not open_seats:
                raise Refused(409, "no_open_seat")
            taken = open_seats[0] if seat is None else seat
            key = new_key()
            sitting = Sitting(taken, "person", own_name(name, table.seats))
            await session.change_seat(sitting, "open", {hash_of(key): taken})
            await session.begin()
            return taken, key

    async def fill(self, session: TableSession, caller: Caller, seat: int, sitter: Json) -> None:
        """The host gives an open seat to a bot, or opens a seat again, while the table waits."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            if not caller.host:
                raise Refused(403, "host_only")
            if was.who == "person" and seat not in caller.seats:
                raise Refused(409, "seat_occupied", seat=seat)
            others = [each for each in session.match.seats if each.seat != seat]
            await session.change_seat(self._sitting(seat, sitter, others), was.who, given_away=True)
            await session.begin()

    async def leave(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Stand up before the game begins."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            await session.change_seat(Sitting(seat, "open"), was.who, given_away=True)

    # --- during the game

    async def resign(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Give a seat up for good: a bot plays on for it, or the table closes if no person is left."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "seat_resigned", seat=seat)
            stand_in = was.stand_in or USUAL_LEVEL
            await session.change_seat(replace(was, resigned=True, stand_in=stand_in), "person")
            if all(sitting.who == "bot" or sitting.resigned for sitting in session.match.seats):
                await session.close_table()

    async def hand_over(self, session: TableSession, caller: Caller, seat: int, level: str | None) -> None:
        """Let a bot play for a seat: one's own, or that of a person who is gone."""
        async with session.lock:
            table = session.match
            if seat not in caller.seats:
                await session.refresh()  # another process may have heard of them
            _must_run(table)
            was = _seat(table, seat)
            if not caller.seats and not caller.host:
                raise Refused(403, "players_only")
            if was.who != "person" or was.stand_in is not None:
                raise Refused(409, "bot_plays", seat=seat)
            if seat not in caller.seats and not self._is_gone(session, was):
                raise Refused(403, "person_present", seat=seat)
            await session.change_seat(replace(was, stand_in=self._level(level)), "person")

    def _is_gone(self, session: TableSession, sitting: Sitting) -> bool:
        """Whether a person has neither been connected nor asked anything for a while."""
        since = max(sitting.here_until or session.match.facts.began or 0.0, session.asked.get(sitting.seat, 0.0))
        absent = self.now() - since >= self.registry.settings.absent_after
        return absent and not session.present()[sitting.seat]

    async def take_back(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Play oneself again; the clock of the turn begins anew."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "seat_resigned", seat=seat)
            if was.stand_in is None:
                raise Refused(409, "no_bot_plays", seat=seat)
            await session.change_table(clock_from=self.now())
            await session.change_seat(replace(was, stand_in=None), "person")

    async def change_pace(self, session: TableSession, caller: Caller, faster: bool) -> None:
        """Let bots move faster, or not."""
        if not caller.seats and not caller.host:
            raise Refused(403, "players_only")
        async with session.lock:
            await session.change_table(faster=faster)

    async def close_table(self, session: TableSession, caller: Caller) -> None:
        """End a table at which nobody else plays."""
        async with session.lock:
            if not caller.host:
                raise Refused(403, "host_only")
            if session.match.status in ("over", "closed"):
                raise Refused(409, "game_over" if session.match.status == "over" else "table_closed")
            others = [
                sitting.seat
                for sitting in session.match.seats
                if sitting.who == "person" and not sitting.resigned and sitting.seat not in caller.seats
            ]
            if others and session.match.status == "running":
                raise Refused(403, "others_play", seats=others)
            await session.close_table()

    async def say(self, session: TableSession, caller: Caller, seat: int, text: str) -> None:
        """Say something at the table."""
        caller.must_hold(seat)
        async with session.lock:
            if len(session.chat) >= self.registry.settings.limits.chat:
                raise Refused(409, "chat_full")
            await session.add_chat(seat, text)

    # --- other devices

    async def link(self, session: TableSession, caller: Caller, seat: int) -> Json:
        """A key that carries a seat to another device, for a day."""
        _seat(session.match, seat)
        caller.must_hold(seat)
        key, until = new_key(), self.now() + A_DAY
        try:
            await self.store.add_key(session.id, hash_of(key), seat, caller.hashes, self.now(), until)
        except Stale as fault:
            raise Refused(403, "not_your_seat", seat=seat) from fault
        return {"key": key, "path": f"/t/{session.id}#seat={key}", "until": until}

    async def enter(self, session: TableSession, link: str) -> tuple[int, str]:
        """The seat a link carries, and a new key for it."""
        found = await self.store.held(session.id, [hash_of(link)], self.now(), links=True)
        seat = found.get(hash_of(link))
        over = Refused(403, "link_expired")
        if seat is None:
            raise over
        key = new_key()
        try:
            await self.store.add_key(session.id, hash_of(key), seat, [hash_of(link)], self.now())
        except Stale as fault:
            raise over from fault
        return seat, key

    # --- the next game

    async def rematch(
        self, session: TableSession, caller: Caller, keys: list[str]
    ) -> tuple[TableSession, dict[int, str], str | None]:
        """The next game with the same people: its table, the keys of one's seats there, the host's for the first.

        Other people's seats are kept for them until they ask too. Who asks again gets the same keys, if they are good.
        """
        if not caller.seats:
            raise Refused(403, "players_only")
        if session.match.status not in ("over", "closed") or session.match.game is None:
            raise Refused(409, "game_not_over")
        if session.match.facts.rematch is None:
            await self._make_rematch(session, caller, keys)
        next_id = session.match.facts.rematch
        assert next_id is not None, "who was first has set it up"
        following = await self.registry.session(next_id)
        mine = _rematch_keys(session, keys, next_id)
        async with following.lock:
            for seat in sorted(caller.seats):
                sitting = following.match.seats[seat]
                if sitting.who == "open" and sitting.reserved:
                    taken = replace(sitting, who="person", reserved=False)
                    opening: Keys = {hash_of(key): seat for key, opens in mine.items() if opens == seat}
                    await following.change_seat(taken, "open", opening)
            await following.begin()
        good = await self.store.held(next_id, [hash_of(key) for key in mine], self.now())
        host = next((key for key, seat in mine.items() if seat is None and hash_of(key) in good), None)
        held = {seat: key for key, seat in mine.items() if seat is not None and hash_of(key) in good}
        return following, held, host

    async def _make_rematch(self, session: TableSession, caller: Caller, keys: list[str]) -> None:
        """Set the next table up, unless somebody else did just now."""
        await self._must_have_room()
        table = session.match
        facts = self._new_facts(table.board, table.facts.clock, table.facts.faster)
        seats = []
        for sitting in table.seats:
            if sitting.who == "bot" or sitting.seat in caller.seats:
                seats.append(Sitting(sitting.seat, sitting.who, sitting.name, sitting.level))
            else:
                seats.append(Sitting(sitting.seat, "open", sitting.name, reserved=sitting.who == "person"))
        held: Keys = {hash_of(key): seat for key, seat in _rematch_keys(session, keys, facts.id).items()}
        async with session.lock:
            try:
                revision = await self.store.make_rematch(table.facts.id, facts, seats, held)
            except Stale:
                await session.refresh()
                return
            table.facts = replace(table.facts, rematch=facts.id)
            session.changed(revision)


def _rematch_keys(session: TableSession, keys: list[str], following: str) -> dict[str, int | None]:
    """What opens the same seats at the table that follows, and for whoever is first the host's key: key -> seat."""
    found: dict[str, int | None] = {}
    for key in keys:
        seat = session.keys.get(hash_of(key))
        if seat is not None:
            found |= {rematch_key(key, following): seat, rematch_key(key, f"{following} host"): None}
    return found


def own_name(name: str, others: list[Sitting]) -> str:
    """The name, with a number if another at the table has it.

    >>> own_name("Anna", [Sitting(0, "person", "Anna"), Sitting(1, "person", "anna 2")])
    'Anna 3'
    """
    taken = {other.name.casefold() for other in others}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(others) + 2))
    return next(each for each in names if each.casefold() not in taken)


def _animal(others: list[Sitting]) -> str:
    """A name for a bot that nobody at the table has."""
    taken = {other.name for other in others}
    return next((animal for animal in ANIMALS if animal not in taken), own_name(ANIMALS[0], others))


def _must_wait(match: Match) -> None:
    if match.status != "waiting":
        raise Refused(409, "game_begun" if match.status == "running" else "table_closed")


def _must_run(match: Match) -> None:
    if match.status != "running":
        raise Refused(409, "game_not_begun" if match.status == "waiting" else "game_over")


def _seat(match: Match, seat: int) -> Sitting:
    if not 0 <= seat < len(match.seats):
        raise Refused(404, "no_such_seat", seat=seat)
    return match.seats[seat]


def _hashed(keys: dict[int, str], host: str) -> dict[str, int | None]:
    """The hash of each key -> its seat, None for the host's."""
    hashes: dict[str, int | None] = {hash_of(key): seat for seat, key in keys.items()}
    return hashes | {hash_of(host): None}
