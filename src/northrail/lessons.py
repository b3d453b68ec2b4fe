"""Lessons: a position, and the moves that you and your rivals make from there, with what to say about each.

A lesson is a TOML file in the folder beside the board file: `nordic-countries.lessons` beside `nordic-countries.toml`.
You always sit in seat 0. A lesson is linear, so the number of moves made tells which step comes next. Loading a lesson
plays it through, so one that loads can be played to its end, and the numbers in its texts are those of the game.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from northrail.boards.board import COLOURS, Board
from northrail.boards.checks import nearest, shown
from northrail.boards.load import BUILT_IN
from northrail.engine.choices import Choice, Claim, choice_from
from northrail.engine.game import Game
from northrail.errors import BadLesson, NorthrailError

Json = dict[str, Any]

YOU = 0  # your seat
MOST_TEXT = 260  # characters that fit above your cards on a phone
PARTS = ("deck", "ticket deck", "hand", "tickets", "players")
FIELDS = ("title", "teaches", "rivals", "start", "steps")
STEP_FIELDS = ("say", "do", "rival", "otherwise", "show")
FIELD_OF = {"you": "do", "rival": "rival", "nobody": "say"}  # the field with the move
SHOW_FIELDS = ("routes", "cities", "cards", "parts")


@dataclass(frozen=True)
class Show:
    """What to point at, besides what the step asks for."""

    routes: tuple[int, ...] = ()
    cities: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()  # colours of face-up cards
    tickets: tuple[int, ...] = ()  # among those on offer
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A move of yours, a move of a rival, or something to read."""

    version: int  # moves made before it
    who: str  # you, rival, nobody
    say: str
    otherwise: str = ""  # the answer to any other move
    choices: tuple[Json, ...] = ()  # those it accepts; a claim without cards takes any payment
    show: Show = field(default_factory=Show)

    def accepts(self, choice: Mapping[str, Any]) -> bool:
        """Return whether a choice is one that this step asks for."""
        given = _comparable(choice)
        return any(all(given.get(name) == value for name, value in _comparable(each).items()) for each in self.choices)


@dataclass(frozen=True)
class Lesson:
    """A lesson that can be played to its end."""

    id: str  # the board's id, a slash and the name of the file
    board: str
    title: str
    teaches: str
    rivals: tuple[str, ...]
    start: Json
    steps: tuple[Step, ...]

    @property
    def moves(self) -> tuple[Step, ...]:
        """[version] -> the step that comes after this many moves."""
        return tuple(step for step in self.steps if step.who != "nobody")

    def next_move(self, version: int) -> Step | None:
        """Return the next move after ``version`` moves; None at the end of the lesson."""
        return self.moves[version] if version < len(self.moves) else None

    def led_to(self, start: Json | None, choices: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether these choices from this position follow the lesson, which may have been edited since."""
        played = list(choices)
        return (
            start == self.start
            and len(played) <= len(self.moves)
            and all(step.accepts(choice) for step, choice in zip(self.moves, played, strict=False))
        )


def _comparable(choice: Mapping[str, Any]) -> Json:
    """Return the parts of a choice that matter: not the card's place in the row, nor colours with no card."""
    out = {name: value for name, value in choice.items() if name != "place"}
    if "cards" in out:
        out["cards"] = {colour: count for colour, count in out["cards"].items() if count}
    if "tickets" in out:
        out["tickets"] = sorted(out["tickets"])
    return out


# --- loading ----------------------------------------------------------------------------------------------------------


def load_lessons(board: Board, source: str | Path) -> tuple[Lesson, ...]:
    """Return the lessons of a board that was loaded from ``source``, in the order of their files.

    >>> import northrail
    >>> lessons = load_lessons(northrail.load_board("nordic-countries"), "nordic-countries")
    >>> lessons[0].id
    'nordic-countries/1-first-route'
    """
    folder: Traversable
    if source in BUILT_IN:
        folder = resources.files("northrail").joinpath("boards", f"{source}.lessons")
    else:
        folder = Path(source).with_suffix(".lessons")
    if not folder.is_dir():
        return ()
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return tuple(read_lesson(board, file.name.removesuffix(".toml"), file.read_bytes()) for file in files)


def read_lesson(board: Board, name: str, content: bytes) -> Lesson:
    """Return the lesson in a file; raise BadLesson, which names the file and the field."""
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:  # of both the decoding and the parsing
        raise BadLesson(f"{name}.toml: not TOML: {error}") from error
    return _Reader(board, name, data).lesson


class _Reader:
    """Reads a lesson and plays it through."""

    def __init__(self, board: Board, name: str, data: Json) -> None:
        self.board, self.name = board, name
        self.known(data, FIELDS, "")
        self.title = self.text(data, "title", "")
        teaches = self.text(data, "teaches", "")
        start = self.start(data.get("start"))
        try:
            game = Game.from_position(board, start)
        except NorthrailError as error:
            raise self.bad("start", str(error)) from error
        rivals = data.get("rivals", [])
        if not _is_list(rivals, str) or len(rivals) != game.seats - 1:
            raise self.bad("rivals", f"expected {game.seats - 1} names, one for each seat but yours, got {rivals!r}")
        if not _is_list(data.get("steps"), dict) or not data["steps"]:
            raise self.bad("steps", f"expected a list of steps, got {shown(data.get('steps'))}")
        steps = list(self.steps(data["steps"]))
        told = _Walk(self, steps).tell(game)
        self.lesson = Lesson(f"{board.id}/{name}", board.id, self.title, teaches, tuple(rivals), start, told)

    def bad(self, where: str, sentence: str) -> BadLesson:
        """Return the error about a field."""
        return BadLesson(f"{self.name}.toml: {where}: {sentence}")

    def known(self, table: Json, fields: tuple[str, ...], where: str) -> None:
        """Refuse unknown fields."""
        for name in table:
            if name not in fields:
                hint = nearest(name, fields, f"; expected {', '.join(fields)}")
                raise self.bad(f"{where}{name}", f"unknown field{hint}")

    def text(self, table: Json, name: str, where: str, default: str | None = None) -> str:
        """Read a text that fits above the cards on a phone."""
        value = table.get(name, default)
        if not isinstance(value, str) or (default is None and not value) or len(value) > MOST_TEXT:
            raise self.bad(f"{where}{name}", f"expected a text of at most {MOST_TEXT} characters, got {shown(value)}")
        return value

    def start(self, table: Any) -> Json:
        """Read the position: as in `Game.position`, but owners are lists of routes, one list for each seat."""
        if not isinstance(table, dict):
            raise self.bad("start", f"expected a position, got {shown(table)}")
        owners = table.get("owners", [])
        if not _is_list(owners, list):
            raise self.bad("start.owners", f"expected a list of routes for each seat, got {shown(owners)}")
        numbers = [(self.route(route, "start.owners"), seat) for seat, mine in enumerate(owners) for route in mine]
        return {**table, "owners": {str(route): seat for route, seat in numbers}}

    def route(self, value: Any, where: str) -> int:
        """Read a route: its two cities, and its colour if there are several."""
        if not _is_list(value, str) or len(value) not in (2, 3):
            raise self.bad(where, f'expected a route such as ["Oslo", "Bergen", "red"], got {shown(value)}')
        return int(self.named(where, self.board.route, value))

    def named(self, where: str, find: Any, value: Any) -> Any:
        """Return what ``find`` finds on the board."""
        try:
            return find(*value)
        except NorthrailError as error:
            raise self.bad(where, str(error)) from error

    def steps(self, tables: list[Json]) -> Iterator[Step]:
        """Read the steps, with their texts as written."""
        version = 0
        for number, table in enumerate(tables, 1):
            where = f"step {number}: "
            self.known(table, STEP_FIELDS, where)
            asked, rival = table.get("do"), table.get("rival")
            if asked is not None and rival is not None:
                raise self.bad(f"{where}do", "expected either do or rival, got both")
            who = "you" if asked is not None else "nobody" if rival is None else "rival"
            given = asked if isinstance(asked, list) else [asked if rival is None else rival]
            move, is_rival = where + FIELD_OF[who], who == "rival"
            choices = () if who == "nobody" else tuple(self.choice(each, move, is_rival) for each in given)
            if who == "you":
                choices = tuple(twin for choice in choices for twin in self.twins(choice))
            say = self.text(table, "say", where, "" if who == "rival" else None)
            otherwise = self.text(table, "otherwise", where, "")
            show = self.show(table.get("show", {}), choices if who == "you" else (), where)
            yield Step(version, who, say, otherwise, choices, show)
            version += who != "nobody"

    def choice(self, table: Any, where: str, is_rival: bool) -> Json:
        """Read a choice: as in the server's API, but routes and tickets are named by their cities."""
        if not isinstance(table, dict):
            raise self.bad(where, f'expected a choice such as {{ kind = "take", colour = "red" }}, got {shown(table)}')
        out = dict(table)
        if "route" in out:
            out["route"] = self.route(out["route"], where)
        if "tickets" in out:
            tickets = out["tickets"]
            if not _is_list(tickets, list):
                raise self.bad(where, f'expected tickets such as [["Oslo", "Bergen"]], got {shown(tickets)}')
            out["tickets"] = [self.named(where, self.board.ticket, ends) for ends in tickets]
        any_payment = out.get("kind") == "claim" and "cards" not in out
        if any_payment and is_rival:
            raise self.bad(where, "expected the cards that the rival pays with, such as cards = { red = 2 }")
        self.named(where, choice_from, [{**out, "cards": {}} if any_payment else out])
        return out

    def twins(self, choice: Json) -> Iterator[Json]:
        """Return a choice; if it claims a route with identical twins, once for each of them."""
        if "route" not in choice:
            yield choice
            return
        same = self.board.routes[choice["route"]]
        for number, route in enumerate(self.board.routes):
            if set(route.cities) == set(same.cities) and (route.colour, route.length) == (same.colour, same.length):
                yield {**choice, "route": number}

    def show(self, table: Any, choices: tuple[Json, ...], where: str) -> Show:
        """Read what to point at, and add what the choices are about."""
        where += "show"
        if not isinstance(table, dict) or not all(isinstance(each, list) for each in table.values()):
            raise self.bad(where, f'expected lists such as {{ cities = ["Oslo"] }}, got {shown(table)}')
        self.known(table, SHOW_FIELDS, f"{where}.")
        routes = [self.route(each, where) for each in table.get("routes", [])]
        cities = [self.named(where, self.board.city, [each]) for each in table.get("cities", [])]
        cards, parts, tickets = list(table.get("cards", [])), list(table.get("parts", [])), []
        for choice in choices:
            routes += [choice["route"]] if "route" in choice else []
            cards += [choice["colour"]] if "colour" in choice else []
            tickets += choice.get("tickets", [])
            parts += {"blind": ["deck"], "draw_tickets": ["ticket deck"]}.get(choice["kind"], [])
        for value, among in ((cards, COLOURS), (parts, PARTS)):
            for each in value:
                if each not in among:
                    raise self.bad(where, f"expected {', '.join(among)}, got {shown(each)}")
        once = (tuple(dict.fromkeys(each)) for each in (routes, cities, cards, tickets, parts))
        return Show(*once)


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


# --- playing it through -----------------------------------------------------------------------------------------------


class _Walk:
    """Plays a lesson in every way it accepts, and fills in the numbers of its texts."""

    def __init__(self, reader: _Reader, steps: list[Step]) -> None:
        self.reader, self.steps = reader, steps
        self.seen: dict[tuple[int, bytes], tuple[Step, ...]] = {}

    def tell(self, game: Game, at: int = 0) -> tuple[Step, ...]:
        """Return the steps from ``at`` on, with their numbers; raise BadLesson if a way does not lead to the end."""
        if at == len(self.steps):
            return ()
        key = (at, bytes(game.state))
        if key not in self.seen:
            self.seen[key] = self._tell(game, at)
        return self.seen[key]

    def _tell(self, game: Game, at: int) -> tuple[Step, ...]:
        step, where = self.steps[at], f"step {at + 1}: "
        move = where + FIELD_OF[step.who]
        if step.who != "nobody" and (step.who == "you") != (game.seat == YOU or game.over):
            turn = "yours" if game.seat == YOU else "a rival's"
            raise self.reader.bad(move, f"expected a move of the seat to move, which is {turn}")
        rest: tuple[Step, ...] | None = None
        for choice in self._ways(game, step, move):
            after = game.copy()
            if choice is not None:
                try:
                    after.apply(choice)
                except NorthrailError as error:
                    raise self.reader.bad(move, str(error)) from error
            told = self.tell(after, at + 1)
            if rest is not None and told != rest:
                raise self.reader.bad(move, "expected texts that are true after every choice it accepts")
            rest = told
        facts = _Facts(game, step)
        texts = {name: self._filled(getattr(step, name), facts, f"{where}{name}") for name in ("say", "otherwise")}
        filled = Step(step.version, step.who, texts["say"], texts["otherwise"], step.choices, step.show)
        return (filled, *(rest or ()))

    def _ways(self, game: Game, step: Step, where: str) -> list[Choice | None]:
        """Return every choice the step accepts; None for one without a move."""
        ways: list[Choice | None] = []
        for choice in step.choices:
            if choice["kind"] == "claim" and "cards" not in choice:
                claims = [each for each in game.view(game.seat).choices if isinstance(each, Claim)]
                payments = [each for each in claims if each.route == choice["route"]]
                if not payments:
                    route = self.reader.board.routes[choice["route"]]
                    raise self.reader.bad(where, f"expected a route that can be claimed now, got {route}")
                ways += payments
            else:
                ways.append(choice_from(choice))
        return ways or [None]

    def _filled(self, text: str, facts: "_Facts", where: str) -> str:
        try:
            return text.format_map(facts)
        except (NorthrailError, KeyError, ValueError, AttributeError, IndexError) as error:
            known = ", ".join(f"{{{name}}}" for name in (*facts, "ticket A–B", "red"))
            raise self.reader.bad(where, f"expected numbers such as {known}, got {text!r} ({error})") from error


class _Facts(dict[str, Any]):
    """The numbers that texts may use, as they are when a step begins."""

    def __init__(self, game: Game, step: Step) -> None:
        view, scores = game.view(YOU), game.scores()
        self.game, self.hand = game, view.hand
        best = max(scores[1:], key=lambda score: score.total)
        super().__init__(
            trains=view.trains[YOU],
            cards=view.hand_sizes[YOU],
            score=view.points[YOU],
            turns=view.turns_left,
            owed=view.options["tunnel"]["owed"] if view.options and view.options["tunnel"] else 0,
            total=scores[YOU].total,
            tickets=scores[YOU].tickets,
            completed=scores[YOU].completed,
            rival_total=best.total,
            rival_trains=min(view.trains[1:]),
            bonus=sum(scores[YOU].bonuses.values()),
        )
        claimed = next((choice["route"] for choice in step.choices if "route" in choice), None)
        if claimed is not None:
            route = game.board.routes[claimed]
            self.update(points=route.points, spaces=route.length)

    def __missing__(self, name: str) -> int:
        """Return the cards of a colour in your hand, or the points of a "ticket Oslo–Bergen"."""
        if name in COLOURS:
            return int(self.hand.get(name, 0))
        kind, _, ends = name.partition(" ")
        if kind == "ticket" and "–" in ends:
            return int(self.game.board.tickets[self.game.board.ticket(*ends.split("–"))].points)
        raise KeyError(name)
