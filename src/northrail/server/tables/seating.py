"""Where tables are set up, seats are taken and left, and the next game is asked for."""

import secrets
from dataclasses import replace

from northrail.boards.board import Board
from northrail.engine.game import MOST_SEED
from northrail.players import PLAYERS
from northrail.server.match import Facts, Json, Match, Sitting
from northrail.server.store.database import Keys, Stale
from northrail.server.tables.keys import hash_of, new_id, new_key, rematch_key
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.session import Caller, Refused, TableSession
from northrail.server.wire.catalogue import USUAL_LEVEL

A_DAY = 86_400.0  # seconds


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
            raise Refused(422, f"expected {least} to {most} seats on {board.name}, got {len(sitters)}")
        if first is not None and first >= len(sitters):
            raise Refused(422, f"first: expected a seat from 0 to {len(sitters) - 1}, got {first}")
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

    async def _must_have_room(self) -> None:
        limits = self.registry.settings.limits
        if await self.store.count_unfinished() >= limits.tables:
            await self.store.sweep(self.now() - limits.waiting_days * A_DAY, self.now() - limits.running_days * A_DAY)
            if await self.store.count_unfinished() >= limits.tables:
                raise Refused(503, "there are too many tables; try again later", retry=3600)

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
        return Sitting(seat, "bot", own_name(f"{level.capitalize()} bot", others), level)

    def _level(self, level: str | None) -> str:
        if level is not None and level not in PLAYERS:
            raise Refused(422, f"expected a level, one of {', '.join(PLAYERS)}, got {level!r}")
        return level or USUAL_LEVEL

    # --- taking and leaving seats before the game

    async def join(self, session: TableSession, name: str, seat: int | None) -> tuple[int, str]:
        """Sit down in an open seat; gives it and its key."""
        async with session.lock:
            table = session.match
            _must_wait(table)
            open_seats = [each.seat for each in table.seats if each.who == "open" and not each.reserved]
            if seat is not None and seat not in open_seats:
                raise Refused(409, f"seat {seat + 1} is not open")
            if not open_seats:
                raise Refused(409, "no seat is open")
            taken = open_seats[0] if seat is None else seat
            key = new_key()
            sitting = Sitting(taken, "person", own_name(name, table.seats))
            await self.registry.change_seat(session, sitting, "open", {hash_of(key): taken})
            await self.registry.begin(session)
            return taken, key

    async def fill(self, session: TableSession, caller: Caller, seat: int, sitter: Json) -> None:
        """The host gives an open seat to a bot, or opens a seat again, while the table waits."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            if not caller.host:
                raise Refused(403, "only who set the table up may do that")
            if was.who == "person" and seat not in caller.seats:
                raise Refused(409, f"{was.name} sits there")
            others = [each for each in session.match.seats if each.seat != seat]
            await self.registry.change_seat(session, self._sitting(seat, sitter, others), was.who, given_away=True)
            await self.registry.begin(session)

    async def leave(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Stand up before the game begins."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            await self.registry.change_seat(session, Sitting(seat, "open"), was.who, given_away=True)

    # --- during the game

    async def resign(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Give a seat up for good: a bot plays on for it, or the table closes if no person is left."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "this seat has resigned already")
            stand_in = was.stand_in or USUAL_LEVEL
            await self.registry.change_seat(session, replace(was, resigned=True, stand_in=stand_in), "person")
            if all(sitting.who == "bot" or sitting.resigned for sitting in session.match.seats):
                await self.registry.close_table(session)

    async def hand_over(self, session: TableSession, caller: Caller, seat: int, level: str | None) -> None:
        """Let a bot play for a seat: one's own, or that of a person who is gone."""
        async with session.lock:
            table = session.match
            if seat not in caller.seats:
                await self.registry.refresh(session)  # another process may have heard of them
            _must_run(table)
            was = _seat(table, seat)
            if not caller.seats and not caller.host:
                raise Refused(403, "only who sits at the table may do that")
            if was.who != "person" or was.stand_in is not None:
                raise Refused(409, f"a bot plays for {was.name} already")
            if seat not in caller.seats and not self._is_gone(session, was):
                raise Refused(403, f"{was.name} is here, or was a moment ago")
            await self.registry.change_seat(session, replace(was, stand_in=self._level(level)), "person")

    def _is_gone(self, session: TableSession, sitting: Sitting) -> bool:
        """Whether a person has neither been connected nor asked anything for a while."""
        since = max(sitting.here_until or session.match.facts.began or 0.0, session.asked.get(sitting.seat, 0.0))
        absent = self.now() - since >= self.registry.settings.absent_after
        return absent and not session.present(self.now())[sitting.seat]

    async def take_back(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Play oneself again; the clock of the turn begins anew."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "this seat has resigned")
            if was.stand_in is None:
                raise Refused(409, "no bot plays for this seat")
            await self.registry.change_table(session, clock_from=self.now())
            await self.registry.change_seat(session, replace(was, stand_in=None), "person")

    async def change_pace(self, session: TableSession, caller: Caller, faster: bool) -> None:
        """Let bots move faster, or not."""
        if not caller.seats and not caller.host:
            raise Refused(403, "only who sits at the table may do that")
        async with session.lock:
            await self.registry.change_table(session, faster=faster)

    async def close_table(self, session: TableSession, caller: Caller) -> None:
        """End a table at which nobody else plays."""
        async with session.lock:
            if not caller.host:
                raise Refused(403, "only who set the table up may close it")
            if session.match.status in ("over", "closed"):
                raise Refused(409, "the game is over" if session.match.status == "over" else "the table is closed")
            others = [
                sitting.name
                for sitting in session.match.seats
                if sitting.who == "person" and not sitting.resigned and sitting.seat not in caller.seats
            ]
            if others and session.match.status == "running":
                raise Refused(403, f"{' and '.join(others)} still play; resign instead")
            await self.registry.close_table(session)

    async def say(self, session: TableSession, caller: Caller, seat: int, text: str) -> None:
        """Say something at the table."""
        caller.must_hold(seat)
        async with session.lock:
            if len(session.chat) >= self.registry.settings.limits.chat:
                raise Refused(409, "enough has been said at this table")
            await self.registry.say(session, seat, text)

    # --- other devices

    async def link(self, session: TableSession, caller: Caller, seat: int) -> Json:
        """A key that carries a seat to another device, for a day."""
        _seat(session.match, seat)
        caller.must_hold(seat)
        key, until = new_key(), self.now() + A_DAY
        try:
            await self.store.add_key(session.match.facts.id, hash_of(key), seat, caller.hashes, self.now(), until)
        except Stale as fault:
            raise Refused(403, f"seat {seat + 1} is not yours any more") from fault
        return {"key": key, "path": f"/t/{session.match.facts.id}#seat={key}", "until": until}

    async def enter(self, session: TableSession, link: str) -> tuple[int, str]:
        """The seat a link carries, and a new key for it."""
        found = await self.store.held(session.match.facts.id, [hash_of(link)], self.now(), links=True)
        seat = found.get(hash_of(link))
        over = Refused(403, "this link is not good any more")
        if seat is None:
            raise over
        key = new_key()
        try:
            await self.store.add_key(session.match.facts.id, hash_of(key), seat, [hash_of(link)], self.now())
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
            raise Refused(403, "only who sat at the table may do that")
        if session.match.status not in ("over", "closed") or session.match.game is None:
            raise Refused(409, "the game is not over")
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
                    await self.registry.change_seat(following, taken, "open", opening)
            await self.registry.begin(following)
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
                await self.registry.refresh(session)
                return
            table.facts = replace(table.facts, rematch=facts.id)
            self.registry.changed(session, revision)


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


def _must_wait(table: Match) -> None:
    if table.status != "waiting":
        raise Refused(409, "the game has begun" if table.status == "running" else "the table is closed")


def _must_run(table: Match) -> None:
    if table.status != "running":
        raise Refused(409, "the game has not begun" if table.status == "waiting" else "the game is over")


def _seat(table: Match, seat: int) -> Sitting:
    if not 0 <= seat < len(table.seats):
        raise Refused(404, f"there is no seat {seat + 1}")
    return table.seats[seat]


def _hashed(keys: dict[int, str], host: str) -> dict[str, int | None]:
    """The hash of each key -> its seat, None for the host's."""
    hashes: dict[str, int | None] = {hash_of(key): seat for seat, key in keys.items()}
    return hashes | {hash_of(host): None}
