"""Set up tables, take and leave seats, hand them to bots or other devices, and start rematches."""

import secrets
from dataclasses import replace

from northrail.boards.board import Board
from northrail.engine.game import MOST_SEED, Game
from northrail.errors import BadPosition
from northrail.lessons import YOU, Lesson
from northrail.players.levels import PLAYERS
from northrail.server.match import Json, Match, SeatInfo, TableInfo
from northrail.server.store.database import Keys, Stale
from northrail.server.tables.keys import hash_of, new_id, new_key, rematch_key
from northrail.server.tables.registry import TableRegistry
from northrail.server.tables.session import Caller, TableSession
from northrail.server.wire.catalogue import ANIMALS, USUAL_LEVEL
from northrail.server.wire.refusals import Refused

A_DAY = 86_400.0  # seconds
RIVALS_LEVEL = "beginner"  # shown beside the names of rivals in lessons, who do not think


class Seating:
    """What people do at a table besides playing: each method is one request."""

    def __init__(self, registry: TableRegistry, client: str = "") -> None:
        self.registry, self.client = registry, client
        self.store = registry.store
        self.now = registry.now

    # --- setting up

    async def make(
        self,
        board: Board,
        new_seats: list[Json],
        first: int | None = None,
        clock: int | None = None,
        speed: str = "normal",
        start: Json | None = None,
        hints: bool | None = None,
    ) -> tuple[TableSession, dict[int, str], str]:
        """Set up a table; return it, the keys of the local seats, and the host's key.

        Hints are allowed if the caller says so, and otherwise at tables for one person.
        """
        least, most = board.rules.seats
        if not least <= len(new_seats) <= most:
            raise Refused(422, "wrong_seat_count", least=least, most=most, got=len(new_seats))
        if first is not None and first >= len(new_seats):
            raise Refused(422, "no_such_seat", seat=first)
        if start is not None:
            self._must_be_playable(board, start, len(new_seats))
        seats: list[SeatInfo] = []
        for seat, new_seat in enumerate(new_seats):
            seats.append(self._seat_info(seat, new_seat, seats))
        await self._must_have_room()
        if hints is None:
            hints = sum(seat_info.who != "bot" for seat_info in seats) == 1
        info = self._new_table_info(board, clock, speed, hints)
        info.first, info.start = first, start
        info.host_name = _first_person(seats)
        keys = {seat_info.seat: new_key() for seat_info in seats if seat_info.who == "person"}
        host = new_key()
        await self.store.make(info, seats, _hashed(keys, host))
        return await self.registry.session(info.id, self.client), keys, host

    async def make_lesson(
        self, lesson: Lesson, name: str, colour: int | None = None
    ) -> tuple[TableSession, dict[int, str], str]:
        """Set up a table for a lesson; return the same as `make`."""
        await self._must_have_room()
        info = self._new_table_info(self.registry.board(lesson.board), clock=None, speed="normal", hints=False)
        info.start, info.lesson = lesson.start, lesson.id
        rivals = [SeatInfo(seat, "bot", rival, RIVALS_LEVEL) for seat, rival in enumerate(lesson.rivals, YOU + 1)]
        seats = [SeatInfo(YOU, "person", unique_name(name, rivals), colour=colour), *rivals]
        keys, host = {YOU: new_key()}, new_key()
        await self.store.make(info, seats, _hashed(keys, host))
        return await self.registry.session(info.id, self.client), keys, host

    def _must_be_playable(self, board: Board, start: Json, seats: int) -> None:
        """Refuse a position from which no game with this many seats can start."""
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

    def _new_table_info(self, board: Board, clock: int | None, speed: str, hints: bool) -> TableInfo:
        return TableInfo(
            id=new_id(),
            board=board.id,
            digest=board.digest,
            seed=secrets.randbelow(MOST_SEED + 1),
            secret=secrets.token_hex(16),
            clock=clock,
            speed=speed,
            hints=hints,
            made=self.now(),
        )

    def _seat_info(self, seat: int, new_seat: Json, others: list[SeatInfo]) -> SeatInfo:
        if new_seat["who"] == "here":
            colour = _free_colour(new_seat.get("colour"), others)
            return SeatInfo(seat, "person", unique_name(new_seat["name"], others), colour=colour)
        if new_seat["who"] == "open":
            return SeatInfo(seat, "open")
        level = self._level(new_seat.get("level"))
        return SeatInfo(seat, "bot", _bot_name(level, others), level)

    def _level(self, level: str | None) -> str:
        if level is not None and level not in PLAYERS:
            raise Refused(422, "no_such_level", level=level, levels=list(PLAYERS))
        return level or USUAL_LEVEL

    # --- taking and leaving seats before the game

    async def join(
        self, session: TableSession, name: str, seat: int | None, colour: int | None = None
    ) -> tuple[int, str]:
        """Take an open seat; return it and its key."""
        async with session.lock:
            match = session.match
            _must_wait(match)
            open_seats = [each.seat for each in match.seats if each.who == "open" and not each.reserved]
            if seat is not None and seat not in open_seats:
                raise Refused(409, "seat_not_open", seat=seat)
            if not open_seats:
                raise Refused(409, "no_open_seat")
            taken = open_seats[0] if seat is None else seat
            key = new_key()
            colour = _free_colour(colour, match.seats)
            seat_info = SeatInfo(taken, "person", unique_name(name, match.seats), colour=colour)
            await session.change_seat(seat_info, "open", {hash_of(key): taken})
            await session.begin()
            return taken, key

    async def fill(self, session: TableSession, caller: Caller, seat: int, new_seat: Json) -> None:
        """Give a seat to a bot, or open it again, before the game starts. Only the host can."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            if not caller.host:
                raise Refused(403, "host_only")
            if was.who == "person" and seat not in caller.seats:
                raise Refused(409, "seat_occupied", seat=seat)
            others = [each for each in session.match.seats if each.seat != seat]
            await session.change_seat(self._seat_info(seat, new_seat, others), was.who, given_away=True)
            await session.begin()

    async def leave(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Leave a seat before the game starts."""
        async with session.lock:
            _must_wait(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            await session.change_seat(SeatInfo(seat, "open"), was.who, given_away=True)

    # --- during the game

    async def resign(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Resign: a bot takes over the seat for good. The table closes if no person is left."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "seat_resigned", seat=seat)
            stand_in = was.stand_in or USUAL_LEVEL
            await session.change_seat(replace(was, resigned=True, stand_in=stand_in), "person")
            if all(seat_info.who == "bot" or seat_info.resigned for seat_info in session.match.seats):
                await session.close_table()

    async def hand_over(self, session: TableSession, caller: Caller, seat: int, level: str | None) -> None:
        """Let a bot play for the caller's seat, or for a person who is gone."""
        async with session.lock:
            match = session.match
            if seat not in caller.seats:
                await session.refresh()  # they may have contacted another process
            _must_run(match)
            was = _seat(match, seat)
            if not caller.seats and not caller.host:
                raise Refused(403, "players_only")
            if match.info.lesson is not None:
                raise Refused(409, "not_in_lesson")
            if was.who != "person" or was.stand_in is not None:
                raise Refused(409, "bot_plays", seat=seat)
            if seat not in caller.seats and not self._is_gone(session, was):
                raise Refused(403, "person_present", seat=seat)
            await session.change_seat(replace(was, stand_in=self._level(level)), "person")

    def _is_gone(self, session: TableSession, seat_info: SeatInfo) -> bool:
        """Return whether a person has neither been connected nor sent a request for a while."""
        connected = seat_info.here_until or session.match.info.began or 0.0
        since = max(connected, session.last_request.get(seat_info.seat, 0.0))
        is_late = self.now() - since >= self.registry.settings.absent_after
        return is_late and not session.present()[seat_info.seat]

    async def take_back(self, session: TableSession, caller: Caller, seat: int) -> None:
        """Take back control of a seat from a bot. The clock of the turn restarts."""
        async with session.lock:
            _must_run(session.match)
            was = _seat(session.match, seat)
            caller.must_hold(seat)
            if was.resigned:
                raise Refused(409, "seat_resigned", seat=seat)
            if was.stand_in is None:
                raise Refused(409, "no_bot_plays", seat=seat)
            await session.change_table(clock_from=self.now())
            await session.change_seat(replace(was, stand_in=None, timed_out=False), "person")

    async def change_speed(self, session: TableSession, caller: Caller, speed: str) -> None:
        """Change how fast bots move."""
        if not caller.seats and not caller.host:
            raise Refused(403, "players_only")
        async with session.lock:
            await session.change_table(speed=speed)

    async def close_table(self, session: TableSession, caller: Caller) -> None:
        """Close a table at which nobody else plays. Only the host can."""
        async with session.lock:
            if not caller.host:
                raise Refused(403, "host_only")
            if session.match.status in ("over", "closed"):
                raise Refused(409, "game_over" if session.match.status == "over" else "table_closed")
            others = [
                seat_info.seat
                for seat_info in session.match.seats
                if seat_info.who == "person" and not seat_info.resigned and seat_info.seat not in caller.seats
            ]
            if others and session.match.status == "running":
                raise Refused(403, "others_play", seats=others)
            await session.close_table()

    async def add_chat(self, session: TableSession, caller: Caller, seat: int, text: str) -> None:
        """Add a line of chat."""
        caller.must_hold(seat)
        async with session.lock:
            if len(session.chat) >= self.registry.settings.limits.chat:
                raise Refused(409, "chat_full")
            await session.add_chat(seat, text)

    # --- other devices

    async def link(self, session: TableSession, caller: Caller, seat: int) -> Json:
        """Return a personal link that opens a seat on another device, for a day."""
        _seat(session.match, seat)
        caller.must_hold(seat)
        key, until = new_key(), self.now() + A_DAY
        try:
            await self.store.add_key(session.id, hash_of(key), seat, caller.hashes, self.now(), until)
        except Stale as fault:
            raise Refused(403, "not_your_seat", seat=seat) from fault
        return {"key": key, "path": f"/t/{session.id}#seat={key}", "until": until}

    async def enter(self, session: TableSession, link: str) -> tuple[int, str]:
        """Return the seat that a personal link opens, and a new key for it."""
        found = await self.store.find_keys(session.id, [hash_of(link)], self.now(), links=True)
        seat = found.get(hash_of(link))
        expired = Refused(403, "link_expired")
        if seat is None:
            raise expired
        key = new_key()
        try:
            await self.store.add_key(session.id, hash_of(key), seat, [hash_of(link)], self.now())
        except Stale as fault:
            raise expired from fault
        return seat, key

    # --- rematches

    async def rematch(
        self, session: TableSession, caller: Caller, keys: list[str]
    ) -> tuple[TableSession, dict[int, str], str | None]:
        """Join the rematch, and set it up if the caller is the first; return its table and the caller's keys there.

        The keys are those of the caller's seats and, for the first caller, the host's. The seats of other people are
        reserved until they join too. A repeated request returns the same keys, as long as they are valid.
        """
        if not caller.seats:
            raise Refused(403, "players_only")
        if session.match.status not in ("over", "closed") or session.match.game is None:
            raise Refused(409, "game_not_over")
        if session.match.info.rematch is None:
            await self._make_rematch(session, caller, keys)
        next_id = session.match.info.rematch
        assert next_id is not None, "the rematch has been set up"
        following = await self.registry.session(next_id, self.client)
        mine = _rematch_keys(session, keys, next_id)
        async with following.lock:
            for seat in sorted(caller.seats):
                seat_info = following.match.seats[seat]
                if seat_info.who == "open" and seat_info.reserved:
                    taken = replace(seat_info, who="person", reserved=False)
                    opening: Keys = {hash_of(key): seat for key, opens in mine.items() if opens == seat}
                    await following.change_seat(taken, "open", opening)
            await following.begin()
        good = await self.store.find_keys(next_id, [hash_of(key) for key in mine], self.now())
        host = next((key for key, seat in mine.items() if seat is None and hash_of(key) in good), None)
        held = {seat: key for key, seat in mine.items() if seat is not None and hash_of(key) in good}
        return following, held, host

    async def _make_rematch(self, session: TableSession, caller: Caller, keys: list[str]) -> None:
        """Set up the rematch, unless another player just did."""
        await self._must_have_room()
        match = session.match
        hints = match.info.hints or match.info.lesson is not None  # after a lesson you still play alone
        info = self._new_table_info(match.board, match.info.clock, match.info.speed, hints)
        seats = []
        for seat_info in match.seats:
            if seat_info.who == "bot" or seat_info.seat in caller.seats:
                seats.append(SeatInfo(seat_info.seat, seat_info.who, seat_info.name, seat_info.level, seat_info.colour))
            else:
                reserved = seat_info.who == "person"
                seats.append(
                    SeatInfo(seat_info.seat, "open", seat_info.name, colour=seat_info.colour, reserved=reserved)
                )
        info.host_name = _first_person(seats)
        held: Keys = {hash_of(key): seat for key, seat in _rematch_keys(session, keys, info.id).items()}
        async with session.lock:
            try:
                revision = await self.store.make_rematch(match.info.id, info, seats, held)
            except Stale:
                await session.refresh()
                return
            match.info = replace(match.info, rematch=info.id)
            session.changed(revision)


def _rematch_keys(session: TableSession, keys: list[str], following: str) -> dict[str, int | None]:
    """Return the keys of the caller's seats in the rematch, and the host's if they set it up: key -> seat."""
    found: dict[str, int | None] = {}
    for key in keys:
        seat = session.keys.get(hash_of(key))
        if seat is not None:
            found |= {rematch_key(key, following): seat, rematch_key(key, f"{following} host"): None}
    return found


def _first_person(seats: list[SeatInfo]) -> str | None:
    """Return the name of the first person at a table."""
    return next((seat_info.name for seat_info in seats if seat_info.who == "person"), None)


def _free_colour(wanted: int | None, others: list[SeatInfo]) -> int | None:
    """Return the colour a person wants, unless someone else chose it first."""
    return None if any(wanted == other.colour for other in others) else wanted


def unique_name(name: str, others: list[SeatInfo]) -> str:
    """Return a name, with a number added if another player at the table has it.

    >>> unique_name("Anna", [SeatInfo(0, "person", "Anna"), SeatInfo(1, "person", "anna 2")])
    'Anna 3'
    """
    taken = {other.name.casefold() for other in others}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(others) + 2))
    return next(each for each in names if each.casefold() not in taken)


def _bot_name(level: str, others: list[SeatInfo]) -> str:
    """Return a name for a bot: an animal of its level that is not at the table yet, or else one with a number.

    >>> _bot_name("hard", [SeatInfo(0, "bot", "Lynx"), SeatInfo(1, "bot", "Fox")])
    'Lynx 2'
    """
    animals = ANIMALS.get(level, (level.capitalize(),))
    return min((unique_name(animal, others) for animal in animals), key=lambda name: name.partition(" ")[2])


def _must_wait(match: Match) -> None:
    if match.status != "waiting":
        raise Refused(409, "game_begun" if match.status == "running" else "table_closed")


def _must_run(match: Match) -> None:
    if match.status != "running":
        raise Refused(409, "game_not_begun" if match.status == "waiting" else "game_over")


def _seat(match: Match, seat: int) -> SeatInfo:
    if not 0 <= seat < len(match.seats):
        raise Refused(404, "no_such_seat", seat=seat)
    return match.seats[seat]


def _hashed(keys: dict[int, str], host: str) -> dict[str, int | None]:
    """Return the hash of each key -> its seat, or None for the host's."""
    hashes: dict[str, int | None] = {hash_of(key): seat for seat, key in keys.items()}
    return hashes | {hash_of(host): None}
