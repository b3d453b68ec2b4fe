"""Reasons are true: we check every sentence of whole games against the game, with the slow reference rules."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import pytest
from lockstep import BOARD_FILES
from positions import NORDIC, at, named
from tables import BOARDS, Size

import northrail
from northrail import Game, View
from northrail.players import load_player
from northrail.players.reasons import SENTENCES, Thought, number, reasons_for
from reference.bill import TYPES, no_cards
from reference.board import ReferenceBoard, Route
from reference.scoring import bonus_count, is_joined

WORDS = {number(count): count for count in range(13)} | {"a": 1}


@cache
def reference_board(name: str, seats: int) -> ReferenceBoard:
    return ReferenceBoard(BOARD_FILES[name], seats)


@dataclass
class Witness:
    """What one seat sees before a move, and what the slow rules make of it."""

    game: Game
    move: northrail.Move
    turn: "Turn"

    @cached_property
    def view(self) -> View:
        return self.game.view(self.game.seat)

    @property
    def board(self) -> ReferenceBoard:
        return reference_board(self.game.board.id, self.game.seats)

    def routes(self, seat: int) -> list[Route]:
        return [self.board.routes[int(route)] for route, owner in self.view.owners.items() if owner == seat]

    @property
    def mine(self) -> list[Route]:
        return self.routes(self.game.seat)

    @property
    def route(self) -> Route:
        """The route that is being claimed or paid for."""
        number = self.move.route if self.move.route is not None else self.view.route
        assert number is not None
        return self.board.routes[number]

    def is_joined(self, name: str) -> bool:
        one, other = name.split("–")
        return is_joined(one, other, self.mine)

    def holds(self, name: str) -> bool:
        return name in ["–".join(ticket["cities"]) for ticket in self.view.tickets]

    def is_open(self, route: Route) -> bool:
        """Return whether the seat may claim the route, apart from its cards."""
        owners = [self.view.owners.get(str(number)) for number in route.parallels]
        taken = sum(owner is not None for owner in owners)
        free = str(route.number) not in self.view.owners and self.game.seat not in owners
        fits = route.length <= self.view.trains[self.game.seat]
        return free and fits and taken < self.board.in_use[len(route.parallels)]

    def between(self, name: str) -> list[Route]:
        """Return the open routes between two cities."""
        return [route for route in self.board.routes if "–".join(route.cities) == name and self.is_open(route)]

    def pays(self, route: Route, more: Counter[str]) -> bool:
        hand = no_cards() | self.view.hand
        return self.board.bills[route.bill].is_affordable({card: hand[card] + more[card] for card in TYPES})

    def lacks(self, route: Route, more: Counter[str]) -> int:
        """Return how few cards, of any colours, pay for a route together with the hand and ``more``."""
        return next(
            count
            for count in itertools.count()
            if any(self.pays(route, more + Counter(cards)) for cards in few_kinds(count))
        )

    def distance(self, one: str, other: str) -> float:
        """Return the trains that the shortest path between two cities takes, over the seat's own and open routes."""
        ways = [(route.cities, 0) for route in self.mine]
        ways += [(route.cities, route.length) for route in self.board.routes if self.is_open(route)]
        far = {one: 0.0}
        for _ in self.board.cities:
            for (here, there), length in [*ways, *(((b, a), length) for (a, b), length in ways)]:
                if here in far:
                    far[there] = min(far.get(there, 999.0), far[here] + length)
        return far.get(other, 999.0)

    # --- sentences, by their pattern

    def completes(self, would: str, names: str) -> None:
        assert bool(would) <= self.route.tunnel
        said = set(listed(names))
        for name in said:
            assert self.holds(name) and not self.is_joined(name)
            one, other = name.split("–")
            assert is_joined(one, other, [*self.mine, self.route])
        self.turn.promised |= said

    def on_the_way(self, ways: str, _more: str, others: str) -> None:
        for one, other in re.findall(r"from (.+?) to (.+?)(?: and from|$)", ways):
            assert self.holds(f"{one}–{other}") and not self.is_joined(f"{one}–{other}")
        assert not is_joined(*self.route.cities, self.mine)
        for seat in re.findall(r"\d", others or ""):
            assert int(seat) != self.game.seat
            assert any(set(route.cities) & set(self.route.cities) for route in self.routes(int(seat)))

    def points(self, points: str, ends: str) -> None:
        assert self.route.points == int(points or 1)
        assert bool(ends) == (self.view.turns_left is not None)

    def counts(self, card: str) -> None:
        (facts,) = [one for one in self.board.bonus_cards if one["name"] == card]
        assert card in self.view.bonus_cards
        hand = no_cards() | self.view.hand
        if self.move.kind == "take":
            assert facts["most"] == "locomotives in hand" and self.move.colour == "locomotive"
            return
        before, after = (
            bonus_count(
                facts,
                self.board,
                routes,
                [t for t in self.board.tickets if self.holds("–".join(t.cities)) and is_joined(*t.cities, routes)],
                hand,
                0,
                0,
            )
            for routes in (self.mine, [*self.mine, self.route])
        )
        assert after > before

    def reaches(self, countries: str, card: str) -> None:
        assert card in self.view.bonus_cards
        known = {self.board.cities[city]["country"] for route in self.mine for city in route.cities}
        new = {self.board.cities[city]["country"] for city in self.route.cities} - known
        assert set(listed(countries)) == new != set()

    def begins(self, would: str) -> None:
        assert bool(would) <= self.route.tunnel
        assert self.view.turns_left is None
        assert self.view.trains[self.game.seat] - self.route.length <= self.game.board.rules.last_round_at
        self.turn.last_round = True

    def tunnel(self, asks: str, verdict: str) -> None:
        options = (self.view.options or {})["tunnel"]
        assert options["owed"] == WORDS[asks]
        assert (self.move.kind == "give_up") == (verdict != " and is worth it")
        assert bool(options["payments"]) == (verdict != ", which it cannot pay")

    def short(self, name: str, cards: str) -> None:
        more = Counter[str]()
        for part in listed(cards):
            count, kind = part.split(" ")
            more[kind.removesuffix("s") if kind != "locomotives" else "locomotive"] += WORDS[count]
        assert not self.move.colour or more[self.move.colour] > 0
        routes = [route for route in self.between(name) if self.pays(route, more)]
        assert any(self.lacks(route, Counter()) == more.total() for route in routes)

    def row(self, what: str, name: str, _end: str) -> None:
        assert self.move.kind == "blind"
        takes = {move.colour for move in self.view.moves if move.kind == "take"}
        if what == "no colour":
            assert takes < set(self.view.face_up)
        elif what == "nothing":
            assert takes == set(self.view.face_up)
        helpless = takes - {"locomotive"} if what == "only a locomotive" else takes

        def is_true(route: Route) -> bool:
            lacks = self.lacks(route, Counter())
            return lacks > 0 and all(self.lacks(route, Counter([str(card)])) >= lacks for card in helpless)

        assert any(is_true(route) for route in self.between(name))

    def can_pay(self, name: str, when: str) -> None:
        assert any(self.pays(route, Counter()) for route in self.between(name))
        assert (when == "next turn") == (self.view.phase == "second_card")

    def could_claim(self, name: str) -> None:
        claims = [self.board.routes[move.route] for move in self.view.moves if move.route is not None]
        assert name in ["–".join(route.cities) for route in claims]

    def cheaper(self, name: str) -> None:
        assert any(
            self.board.bills[route.bill].colour == self.move.colour or self.move.colour == "locomotive"
            for route in self.between(name)
        )

    def asks(self, name: str) -> None:
        colours = [self.board.bills[route.bill].colour for route in self.between(name) if route.tunnel]
        assert self.move.colour == "locomotive" or self.move.colour in colours

    def collects(self, colour: str) -> None:
        assert self.move.colour == colour.replace("locomotives", "locomotive")

    def trains_left(self, which: str, names: str, trains: str) -> None:
        assert self.view.trains[self.game.seat] == int(trains)
        left = {"–".join(ticket["cities"]) for ticket in self.view.tickets if not ticket["joined"]}
        assert set(listed(names or "")) == left
        assert (which == "it holds no tickets and") == (self.view.tickets == [])

    def plan_leaves(self, spare: str, trains: str) -> None:
        assert self.view.trains[self.game.seat] == int(trains) >= int(spare)

    def joined_already(self, names: str) -> None:
        assert all(self.is_joined(name) for name in listed(names))

    def worth(self, points: str, trains: str, more: str) -> None:
        kept = [self.board.tickets[ticket] for ticket in self.move.tickets]
        said = sorted(int(each) for each in listed(points))
        assert bool(more) == bool(self.view.tickets)
        count = int(trains.replace("no", "0"))
        assert count <= self.view.trains[self.game.seat]
        fresh = [ticket for ticket in kept if not is_joined(*ticket.cities, self.mine)]
        far = {ticket.cities: self.distance(*ticket.cities) for ticket in fresh}
        assert any(
            sorted(ticket.points for ticket in some) == said
            and (more or max(far[ticket.cities] for ticket in some) <= count)
            and sum(far[ticket.cities] for ticket in some) >= count
            for some in itertools.combinations(fresh, len(said))
        )

    def out_of_reach(self, names: str, must: str) -> None:
        kept = {"–".join(self.board.tickets[ticket].cities) for ticket in self.move.tickets}
        assert set(listed(names)) <= kept
        assert not any(self.is_joined(name) for name in listed(names))
        assert not must or len(kept) == self.view.keep_least == WORDS[must]

    def better(self, text: str, worlds: str) -> None:
        assert text in [move.text for move in self.view.moves] and text != self.move.text and int(worlds) > 0

    def nothing_to_check(self) -> None:
        """Accept what a player says about its own intentions."""

    def nothing_else(self) -> None:
        assert self.move.kind == "pass" and len(self.view.moves) == 1


PATTERNS: list[tuple[str, Callable[..., None]]] = [
    (r"(would )?completes? (.+)", Witness.completes),
    (
        r"on the way (from .+?)( and for \d+ more tickets?)?(?:, where (seat \d(?:(?:, | and )seat \d)*) builds? too)?",
        Witness.on_the_way,
    ),
    (r"for its (?:point|(\d+) points)( before the game ends)?", Witness.points),
    (r"(?:would count|counts) for (.+)", Witness.counts),
    (r"(?:would reach|reaches) (.+) for (.+)", Witness.reaches),
    (r"(would )?begins? the last round", Witness.begins),
    (r"the tunnel costs (\w+) more cards?(.*)", Witness.tunnel),
    (r"pays with the cards it needs least", Witness.nothing_to_check),
    (r"(.+) still needs (.+?)(?:, and the deck may bring more than the row)?", Witness.short),
    (
        r"(nothing|no colour|only a locomotive)(?: in the row)? helps ([^,]+)(, but it would be the only card .+)?",
        Witness.row,
    ),
    (r"can pay for (.+?)(?:, but waits for a cheaper payment| (next turn))", Witness.can_pay),
    (r"could claim (.+), but collects more cards first", Witness.could_claim),
    (r"makes (.+) cheaper", Witness.cheaper),
    (r"the tunnel (.+) may need it", Witness.asks),
    (r"collects (.+)", Witness.collects),
    (r"has no route in mind and collects cards", Witness.nothing_to_check),
    (
        r"(it holds no tickets and|all tickets are complete and|gives up (.+), and) (\d+) trains? (?:is|are) left",
        Witness.trains_left,
    ),
    (r"the plan leaves (\d+) of (\d+) trains? for new tickets", Witness.plan_leaves),
    (r"(.+) (?:is|are) already complete", Witness.joined_already),
    (r"(.+) points? for (\d+|no) (more )?trains?", Witness.worth),
    (r"(.+) (?:is|are) out of reach(?:, but it must keep (\w+))?", Witness.out_of_reach),
    (r'better than "(.+)" in (\d+) imagined worlds?', Witness.better),
    (r"no other move is legal", Witness.nothing_else),
]


@dataclass
class Turn:
    """What the reasons of one turn have promised."""

    promised: set[str] = field(default_factory=set)
    last_round: bool = False


def few_kinds(count: int) -> Iterator[dict[str, int]]:
    """Yield hands of ``count`` cards: locomotives, one colour, and at most one card of another; more would be slow."""
    for one, other in itertools.permutations(TYPES[:-1], 2):
        for wild in range(count + 1):
            for few in range(1 + min(1, count - wild)):
                yield {"locomotive": wild, one: count - wild - few, other: few}


def listed(names: str) -> list[str]:
    return [name for part in names.split(", ") for name in part.split(" and ") if name]


def check(witness: Witness, reason: str) -> set[str]:
    """Check every part of a reason against the game; return the patterns it matches."""
    used = set()
    for part in reason.split("; "):
        pattern, test, found = next(
            (pattern, test, match) for pattern, test in PATTERNS if (match := re.fullmatch(pattern, part)) is not None
        )
        used.add(pattern)
        try:
            test(witness, *found.groups())
        except AssertionError as error:
            raise AssertionError(f"{part!r} is not true of {witness.move} at {witness.view.json()}") from error
    return used


def sentence_of(player: object) -> str:
    return "; ".join(map(str, reasons_for(player)))


def joined(game: Game, seat: int) -> set[str]:
    return {"–".join(ticket["cities"]) for ticket in game.view(seat).tickets if ticket["joined"]}


def hold(board: northrail.Board, seats: int, seed: int, names: list[str]) -> set[str]:
    """Play a game and check every reason in it; return the patterns of all sentences."""
    game = Game(board, seats, seed)
    players: list[Any] = [load_player(names[seat % len(names)])() for seat in range(seats)]
    for seat, player in enumerate(players):
        player.start(board, seat, seats, seed)
        assert reasons_for(player) == ()
    used: set[str] = set()
    turn, before = Turn(), set[str]()
    while not game.over:
        seat, phase = game.seat, game.phase
        if phase == "turn":
            turn, before = Turn(), joined(game, seat)
        view = game.view(seat)
        number = players[seat].choose(view)
        (move,) = [move for move in view.moves if move.number == number]
        used |= check(Witness(game, move, turn), sentence_of(players[seat]))
        events = [event.code for event in game.play(number)]
        if "claimed" in events:
            assert joined(game, seat) - before == turn.promised, "it completes what it said"
            assert turn.last_round == ("last_round" in events)
    return used


@pytest.mark.parametrize(
    ("seats", "names"), [(2, ["planner"]), (3, ["beginner", "easy", "medium"]), (2, ["search:iterations=12", "hard"])]
)
def test_every_reason_of_a_game_is_true(board: northrail.Board, seats: int, names: list[str], size: Size) -> None:
    used = set[str]()
    for seed in range(size.pick(1, 1, 50)):
        used |= hold(board, seats, seed, names)
    assert len(used) > 8


def is_plain(fact: Any) -> bool:
    """Return whether a fact is a number or a name, or a list of them."""
    if isinstance(fact, tuple):
        return all(map(is_plain, fact))
    if isinstance(fact, dict):
        return all(colour in TYPES and is_plain(count) for colour, count in fact.items())
    return isinstance(fact, int) or fact in TYPES or fact in COUNTRIES


COUNTRIES = {city.country for board in BOARDS.values() for city in board.cities}


def test_reasons_are_codes_with_facts(board: northrail.Board) -> None:
    game = Game(board, 2, seed=5)
    player: Any = load_player("easy")()
    while not game.over:
        view = game.view(game.seat)
        number = player.choose(view)
        for reason in reasons_for(player):
            assert reason.code in SENTENCES and str(reason)
            texts = [move.text for move in view.moves]
            assert all(is_plain(fact) or (name == "move" and fact in texts) for name, fact in reason.facts.items())
            assert json.loads(json.dumps(reason.facts)) is not None
        game.play(number)


def test_a_false_reason_would_be_noticed() -> None:
    game = at(NORDIC, {"purple": 3, "white": 1}, tickets={0: ["Oslo–Helsinki"]})
    (move,) = [move for move in game.moves() if move.text == "take blind"]
    for reason in (
        "all tickets are complete and 40 trains are left",
        "gives up Oslo–Helsinki, and 39 trains are left",
        "Bergen–Oslo still needs one red",
        "can pay for Murmansk–Lieksa, but waits for a cheaper payment",
        "could claim Murmansk–Lieksa, but collects more cards first",
    ):
        with pytest.raises(AssertionError, match="is not true of"):
            check(Witness(game, move, Turn()), reason)


def test_reasons_cost_nothing_when_nobody_asks(monkeypatch: pytest.MonkeyPatch, nordic: northrail.Board) -> None:
    monkeypatch.setattr(Thought, "__init__", lambda *_: pytest.fail("nobody has asked"))
    player: Any = load_player("planner")()
    game = Game(nordic, 2, seed=1)
    for _ in range(20):
        game.play(player.choose(game.view(game.seat)))


def test_a_new_game_has_no_reason_yet(nordic: northrail.Board) -> None:
    for name in ("planner", "search:iterations=2"):
        player: Any = load_player(name)()
        game = Game(nordic, 2, seed=1)
        player.choose(game.view(game.seat))
        assert reasons_for(player)
        player.start(nordic, 0, 2, 1)
        assert reasons_for(player) == ()


def test_the_reason_for_giving_up_a_tunnel_that_cannot_be_paid() -> None:
    route = named(NORDIC, "Bergen–Oslo blue")
    game = at(NORDIC, {"blue": 4}, tickets={0: ["Stockholm–Bergen"]}, deck={"blue": 3, "red": 8})
    player: Any = load_player("planner")()
    while game.seat == 0 and game.phase != "tunnel":
        game.play(f"claim {NORDIC.routes[route]}" if game.phase == "turn" else game.moves()[0])
    game.play(player.choose(game.view(0)))
    assert re.fullmatch(r"the tunnel costs \w+ more cards?, which it cannot pay", sentence_of(player))
