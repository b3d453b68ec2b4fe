"""A board: its cities, routes, tickets and rules for people, and its struct for kernels."""

import hashlib
import itertools
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from northrail.errors import BadMove
from northrail.kernels.structs import Struct, int8, int16, int64

COLOURS = ("purple", "blue", "orange", "white", "green", "yellow", "black", "red", "locomotive")
CARDS = len(COLOURS)
LOCOMOTIVE = 8
GRAY = 8  # the colour of a route that takes any one colour
NOBODY = -1

# How large a board may be. Bit sets use words of 63 and 60 bits, so that no bit is ever the sign.
SEATS, ROUTES, CITIES, TICKETS, BONUSES, LENGTH = 5, 252, 63, 120, 15, 12
ROUTE_BITS, ROUTE_WORDS = 63, 4
TICKET_BITS, TICKET_WORDS = 60, 2
MOST_TRAINS = 60  # a path is searched with a bit for each route of one seat
MOST_CARDS = 126  # card counts are int8
MOST_OFFERED = 5  # a keep move is a set of the offered tickets
HELD = 2 * LENGTH  # columns of `need`, by cards of a colour; see `payment.held_index_of`
IMPOSSIBLE = 127
SUPPLY = 64  # `pay_row` covers hands of fewer cards; a payment takes at most 48
PAIRS = 32  # `pair_row` covers hands of fewer pairs; a payment takes at most 19
PAY_ROWS = 2048  # routes without substitutes have at most 13 · 9 · 13 different ones

# What a bonus card counts.
COUNT_TICKETS, COUNT_ROUTES, COUNT_TRAINS, COUNT_LOCOMOTIVES, COUNT_PATH, COUNT_COUNTRIES = range(6)
COUNTED = ("completed tickets", "routes", "trains left", "locomotives in hand", "longest path", "countries")
# Where the drawing may put a city's name.
SIDES = ("right", "left", "above", "below", "above right", "above left", "below right", "below left")
# What breaks a tie.
TIE_TICKETS, TIE_PATH, TIE_BONUSES = range(3)
TIE_BREAKS = ("completed tickets", "longest path", "bonus cards")


class BoardStruct(Struct):
    """A board as kernels read it."""

    # bit sets of routes
    paid_by = int64(PAY_ROWS, ROUTE_WORDS)  # [row] -> routes that some hands pay for; `pay_row` says which hands
    fits = int64(LENGTH + 1, ROUTE_WORDS)  # [trains left] -> routes that are not longer
    group_routes = int64(ROUTES, ROUTE_WORDS)  # [group] -> routes of one shape, with substitutes
    route_bit = int64(ROUTES)  # [route] -> its bit, in word `route_word`
    bonus_routes = int64(BONUSES, ROUTE_WORDS)  # [bonus card] -> routes it counts
    bonus_tickets = int64(BONUSES, TICKET_WORDS)  # [bonus card] -> tickets it counts
    pay_row = int16(LENGTH + 1, CARDS, LENGTH + 1, SUPPLY)
    # [locomotives, colour or GRAY, cards of it, cards other than locomotives] -> row of `paid_by`
    pair_row = int16(LENGTH + 1, HELD, PAIRS)
    # [locomotives, cards of one colour, pairs of all colours] -> row of gray routes whose substitutes are pairs
    # routes
    route_parallel = int16(ROUTES, 2)  # [route] -> the other routes between its cities, or NOBODY
    route_word = int8(ROUTES)
    route_city = int8(ROUTES, 2)
    route_length = int8(ROUTES)
    route_colour = int8(ROUTES)  # a colour, or GRAY
    route_symbols = int8(ROUTES)  # locomotive symbols of a ferry
    route_wild = int8(ROUTES)  # 1 where a locomotive pays for any space
    route_swap = int8(ROUTES)  # cards that replace one card; 0: no substitutes
    route_alike = int8(ROUTES)  # 1 where those must be of one colour
    route_anywhere = int8(ROUTES)  # 1 where they pay for any space, 0 for symbols only
    route_tunnel = int8(ROUTES)
    route_draw = int8(ROUTES)  # the X of "+X"
    route_points = int8(ROUTES)
    city_road = int16(2 * ROUTES)  # the routes at each city, city by city
    city_there = int8(2 * ROUTES)  # the city each of them leads to
    city_roads = int16(CITIES + 1)  # [city] -> where its routes begin in these two lists
    # groups
    need = int8(ROUTES, LENGTH + 1, HELD)
    # [group, locomotives, cards of the set's colour] -> cards (or alike sets) in hand that suffice, or IMPOSSIBLE
    group_colour = int8(ROUTES)
    group_alike = int8(ROUTES)  # cards of an alike set; 0 where substitutes may be of any colours
    group_tame = int8(ROUTES)  # 1 where locomotives are not wild and count as ordinary cards
    # tickets, cities, bonus cards
    ticket_city = int8(TICKETS, 2)
    ticket_points = int8(TICKETS)
    city_country = int8(CITIES)
    bonus_counts = int8(BONUSES)  # COUNT_…
    bonus_points = int8(BONUSES)
    # sizes and switches
    routes = int16()
    words = int8()  # words in use in a set of routes
    has_pairs = int8()  # 1: `pair_row` holds routes
    groups = int16()  # groups outside both tables, with substitutes of any colours
    alike_groups = int16()  # groups after them, with alike substitutes
    cities = int8()
    tickets = int8()
    bonuses = int8()
    bonuses_in_play = int8()
    card_count = int8(CARDS)  # [colour] -> cards in the game
    hand = int8()
    row = int8()
    trains = int8()
    last_round_at = int8()
    first_deal = int8()
    first_keep = int8()
    draw_deal = int8()
    draw_keep = int8()
    returned_go_under = int8()  # 0: they leave the game
    row_locomotive_alone = int8()  # 1: a face-up locomotive may only be taken as first card and ends the draw
    flush_row_at = int8()  # this many locomotives sweep the row away; 0: never
    tunnel_cards = int8()
    usable = int8(SEATS + 1, 4)  # [seats, parallel routes] -> how many of them may be claimed
    tie_break = int8(2)  # TIE_…, or NOBODY


@dataclass(frozen=True)
class City:
    """A city: its local name, its country, and its place on the globe or at x and y."""

    name: str
    country: str
    longitude: float | None = None
    latitude: float | None = None
    x: float | None = None
    y: float | None = None
    also: tuple[str, ...] = ()
    arctic: bool = False
    printed: bool = True  # False: its name is not on the original board
    nudge: tuple[float, float] = (0.0, 0.0)  # how far right of its true place and below it we draw it
    label: str = ""  # the side of its name, one of SIDES; "" lets the drawing find one


@dataclass(frozen=True)
class Substitute:
    """Cards that replace one card: how many, whether of one colour, and whether for any space or only for symbols."""

    cards: int
    alike: bool
    any_space: bool


@dataclass(frozen=True)
class Route:
    """A route between two cities. ``str`` is its name; identical routes are numbered."""

    cities: tuple[str, str]
    length: int
    colour: str
    locomotives: int = 0
    tunnel: bool = False
    draw_bonus: int = 0
    substitute: Substitute | None = None
    points: int = 0
    wild: bool = False  # locomotives pay for any of its spaces
    twin: int = 0  # 1, 2, … among routes that are otherwise the same
    bend: float = 0.0  # how far left of the straight line we draw its middle, seen from its first city

    @property
    def ferry(self) -> bool:
        """Whether it shows locomotive symbols."""
        return self.locomotives > 0

    @cached_property
    def price(self) -> str:
        """What it costs, in words."""
        colour = "of one colour" if self.colour == "gray" else self.colour
        symbols = f"{self.locomotives} locomotive{'s' * (self.locomotives > 1)}" if self.ferry else ""
        cards = f"{self.length - self.locomotives} {colour}" if self.length > self.locomotives else ""
        text = " and ".join(part for part in (symbols, cards) if part)
        if self.wild and cards:
            text += "; a locomotive can replace any card"
        if self.substitute:
            what = (
                f"{self.substitute.cards} cards of one colour"
                if self.substitute.alike
                else f"any {self.substitute.cards} cards"
            )
            text += f"; {what} can replace {'any one card' if self.substitute.any_space else 'one locomotive'}"
        return text + ("; the tunnel may cost extra" if self.tunnel else "")

    def __str__(self) -> str:
        return f"{self.cities[0]}–{self.cities[1]} {self.colour}" + (f" #{self.twin}" if self.twin else "")


@dataclass(frozen=True)
class Ticket:
    """A ticket: two cities to connect, and its points."""

    cities: tuple[str, str]
    points: int

    def __str__(self) -> str:
        return f"{self.cities[0]}–{self.cities[1]}"


@dataclass(frozen=True)
class BonusCard:
    """A bonus card: its points go to the player with the most of what it counts."""

    name: str
    points: int
    most: str
    ends: tuple[str, ...] = ()  # cities; empty means all
    length: int = 0
    ferry: bool = False
    worth_at_most: int = 0


@dataclass(frozen=True)
class Rules:
    """The rules that differ between boards."""

    seats: tuple[int, int]
    trains: int
    last_round_at: int
    each_colour: int
    locomotives: int
    hand: int
    face_up: int
    face_up_locomotive_alone: bool
    first_tickets: tuple[int, int]  # dealt, kept at least
    drawn_tickets: tuple[int, int]
    returned_go_under: bool
    tunnel_cards: int
    double_routes: tuple[int, ...]  # [seats] -> how many of two may be claimed
    triple_routes: tuple[int, ...]
    bonus_cards_in_play: int
    tie_break: tuple[str, ...]
    flush_row_at: int = 0  # this many face-up locomotives sweep the row away; 0: never


def plain(name: str) -> str:
    """Return ``name`` in lower case without accents, as people type it: København and Kobenhavn are the same.

    >>> plain("Mo i Rana"), plain("Tromsø"), plain("Gdańsk")
    ('mo i rana', 'tromso', 'gdansk')
    """
    decomposed = unicodedata.normalize(
        "NFKD", name.casefold().translate({0xF8: "o", 0xE6: "ae", 0x142: "l", 0xF0: "d"})
    )
    return " ".join("".join(letter for letter in decomposed if not unicodedata.combining(letter)).split())


@dataclass(frozen=True, eq=False)
class Board:
    """A board and its rules. Two boards with the same digest play the same game."""

    id: str
    name: str
    cities: tuple[City, ...]
    routes: tuple[Route, ...]
    tickets: tuple[Ticket, ...]
    bonus_cards: tuple[BonusCard, ...]
    rules: Rules
    struct: BoardStruct = field(repr=False)  # the board as kernels read it

    @cached_property
    def digest(self) -> str:
        """A short hash of everything that affects the game; the drawing does not count."""
        cities = [(city.name, city.country, city.arctic) for city in self.cities]
        routes = [{name: value for name, value in asdict(route).items() if name != "bend"} for route in self.routes]
        rest = [[asdict(thing) for thing in things] for things in (self.tickets, self.bonus_cards)]
        rules = asdict(self.rules)
        if not self.rules.flush_row_at:
            del rules["flush_row_at"]  # so that records from before this rule existed stay valid
        facts = json.dumps([self.id, cities, routes, *rest, rules], sort_keys=True)
        return hashlib.sha256(facts.encode()).hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def _city_numbers(self) -> dict[str, int]:
        return {plain(name): at for at, city in enumerate(self.cities) for name in (city.name, *city.also)}

    @cached_property
    def _routes_between(self) -> dict[frozenset[str], list[int]]:
        between: dict[frozenset[str], list[int]] = {}
        for number, route in enumerate(self.routes):
            between.setdefault(frozenset(route.cities), []).append(number)
        return between

    @cached_property
    def spelled_routes(self) -> dict[str, int]:
        """Routes by their plain names, with a hyphen instead of the dash."""
        return {plain(str(route)).replace("–", "-"): number for number, route in enumerate(self.routes)}

    @cached_property
    def _ticket_numbers(self) -> dict[frozenset[str], int]:
        return {frozenset(ticket.cities): number for number, ticket in enumerate(self.tickets)}

    def city(self, name: str) -> str:
        """Return the board's spelling of a city, which may be given without accents or in English."""
        number = self._city_numbers.get(plain(name)) if isinstance(name, str) else None
        if number is None:
            raise BadMove(f"expected a city of {self.name}, got {name!r}")
        return self.cities[number].name

    def route(self, a: str, b: str, colour: str | None = None) -> int:
        """Return the number of the route between two cities; of identical routes, the first.

        >>> import northrail
        >>> board = northrail.load_board("nordic-countries")
        >>> board.routes[board.route("Goteborg", "Copenhagen")].colour
        'black'
        """
        ends = self.city(a), self.city(b)
        between = self._routes_between.get(frozenset(ends), [])
        if not between:
            raise BadMove(f"expected two cities joined by a route, got {ends[0]} and {ends[1]}")
        colours = list(dict.fromkeys(self.routes[number].colour for number in between))
        if colour is None and len(colours) > 1:
            raise BadMove(f"{ends[0]}–{ends[1]} has routes in {' and '.join(colours)}: say which colour")
        for number in between:
            if colour is None or self.routes[number].colour == colour:
                return number
        raise BadMove(f"{ends[0]}–{ends[1]} is {' or '.join(colours)}, got {colour!r}")

    def ticket(self, a: str, b: str) -> int:
        """Return the number of the ticket between two cities."""
        ends = self.city(a), self.city(b)
        number = self._ticket_numbers.get(frozenset(ends))
        if number is None:
            raise BadMove(f"expected a ticket of {self.name}, got {ends[0]}–{ends[1]}")
        return number


# --- the struct -----------------------------------------------------------------------------------------------------


def bits(numbers: Iterable[int], size: int, words: int) -> list[int]:
    """Return the words of a bit set that holds ``numbers``."""
    out = [0] * words
    for number in numbers:
        out[number // size] |= 1 << (number % size)
    return out


def numbers_in(words: Iterable[int], size: int) -> list[int]:
    """Return the numbers that a bit set holds, in ascending order."""
    found = []
    start = -1
    for word in words:
        rest = int(word)
        while rest:
            found.append(start + (rest & -rest).bit_length())
            rest &= rest - 1
        start += size
    return found


def _need(route: Route, locomotives: int, held: int) -> int:
    """Return how many cards (or alike sets) a hand needs besides these locomotives and set cards."""
    wild = min(locomotives, route.length) if route.wild else 0
    set_cards = min(held, route.length - route.locomotives, route.length - wild)
    spaces = route.length - wild - set_cards  # left for substitutes
    if spaces == 0:
        return 0
    swap = route.substitute
    if swap is None or (not swap.any_space and spaces > route.locomotives):
        return IMPOSSIBLE
    if not swap.alike:
        return set_cards + swap.cards * spaces
    return spaces + held // swap.cards - (held - set_cards) // swap.cards  # sets that the set's own cards break up


def compile_board(
    cities: tuple[City, ...],
    routes: tuple[Route, ...],
    tickets: tuple[Ticket, ...],
    bonus_cards: tuple[BonusCard, ...],
    rules: Rules,
) -> BoardStruct:
    """Return the board as kernels read it."""
    b = BoardStruct()
    number = {city.name: at for at, city in enumerate(cities)}
    countries = {name: at for at, name in enumerate(dict.fromkeys(city.country for city in cities))}
    for at, city in enumerate(cities):
        b.city_country[at] = countries[city.country]
    _compile_routes(b, routes, number)
    for at, ticket in enumerate(tickets):
        b.ticket_city[at] = [number[end] for end in ticket.cities]
        b.ticket_points[at] = ticket.points
    for at, card in enumerate(bonus_cards):
        b.bonus_counts[at] = COUNTED.index(card.most)
        b.bonus_points[at] = card.points
        ends = set(card.ends or number)
        counted_tickets = (
            i for i, t in enumerate(tickets) if ends & set(t.cities) and t.points <= (card.worth_at_most or t.points)
        )
        counted_routes = (
            i
            for i, r in enumerate(routes)
            if ends & set(r.cities) and r.length == (card.length or r.length) and (r.ferry or not card.ferry)
        )
        b.bonus_tickets[at] = bits(counted_tickets, TICKET_BITS, TICKET_WORDS)
        b.bonus_routes[at] = bits(counted_routes, ROUTE_BITS, ROUTE_WORDS)
    b.routes, b.cities, b.tickets, b.bonuses = len(routes), len(cities), len(tickets), len(bonus_cards)
    b.words = (len(routes) - 1) // ROUTE_BITS + 1
    b.card_count[:] = [rules.each_colour] * LOCOMOTIVE + [rules.locomotives]
    b.hand, b.row, b.trains, b.last_round_at = rules.hand, rules.face_up, rules.trains, rules.last_round_at
    b.first_deal, b.first_keep = rules.first_tickets
    b.draw_deal, b.draw_keep = rules.drawn_tickets
    b.returned_go_under, b.row_locomotive_alone = rules.returned_go_under, rules.face_up_locomotive_alone
    b.flush_row_at = rules.flush_row_at
    b.tunnel_cards, b.bonuses_in_play = rules.tunnel_cards, rules.bonus_cards_in_play
    for seats in range(SEATS + 1):
        b.usable[seats] = [1, 1, rules.double_routes[seats], rules.triple_routes[seats]]
    b.tie_break[:] = ([TIE_BREAKS.index(name) for name in rules.tie_break] + [NOBODY] * 2)[:2]
    return b


def _compile_routes(b: BoardStruct, routes: tuple[Route, ...], number: dict[str, int]) -> None:
    groups: dict[tuple[Any, ...], list[int]] = {}
    b.route_parallel[:] = NOBODY
    for at, route in enumerate(routes):
        colour = GRAY if route.colour == "gray" else COLOURS.index(route.colour)
        swap = route.substitute or Substitute(0, False, False)
        b.route_word[at], b.route_bit[at] = at // ROUTE_BITS, 1 << (at % ROUTE_BITS)
        b.route_city[at] = [number[end] for end in route.cities]
        b.route_length[at], b.route_colour[at], b.route_symbols[at] = route.length, colour, route.locomotives
        b.route_wild[at], b.route_tunnel[at], b.route_draw[at] = route.wild, route.tunnel, route.draw_bonus
        b.route_swap[at], b.route_alike[at], b.route_anywhere[at] = swap.cards, swap.alike, swap.any_space
        b.route_points[at] = route.points
        others = [i for i, r in enumerate(routes) if i != at and set(r.cities) == set(route.cities)]
        b.route_parallel[at, : len(others)] = others
        if swap.cards:
            shape = swap.alike, colour, route.length, route.locomotives, route.wild, swap.cards, swap.any_space
            groups.setdefault(shape, []).append(at)
    roads = [[at for at, route in enumerate(routes) if name in route.cities] for name in number]
    b.city_roads[1 : len(roads) + 1] = np.cumsum([len(at_city) for at_city in roads])
    b.city_road[: 2 * len(routes)] = [at for at_city in roads for at in at_city]
    ends = [sum(number[end] for end in route.cities) for route in routes]
    b.city_there[: 2 * len(routes)] = [ends[at] - here for here, at_city in enumerate(roads) for at in at_city]
    for most in range(LENGTH + 1):
        b.fits[most] = bits((i for i, r in enumerate(routes) if r.length <= most), ROUTE_BITS, ROUTE_WORDS)
    free = [(shape[1], members) for shape, members in groups.items() if shape[4] and not shape[0]]
    pairs = [members for shape, members in groups.items() if shape[:2] == (True, GRAY) and shape[4] and shape[5] == 2]
    looked_up = _fill_rows(b, routes, free, pairs)
    left = [(shape, members) for shape, members in sorted(groups.items()) if members not in looked_up]
    for at, (shape, members) in enumerate(left):
        route = routes[members[0]]
        b.need[at] = [[_need(route, wild, held) for held in range(HELD)] for wild in range(LENGTH + 1)]
        b.group_routes[at] = bits(members, ROUTE_BITS, ROUTE_WORDS)
        b.group_colour[at], b.group_tame[at] = shape[1], not route.wild
        b.group_alike[at] = shape[5] if shape[0] else 0
    b.alike_groups = sum(shape[0] for shape, _ in left)
    b.groups = len(left) - b.alike_groups


def _fill_rows(
    b: BoardStruct, routes: tuple[Route, ...], free: list[tuple[int, list[int]]], pairs: list[list[int]]
) -> list[list[int]]:
    """Write which routes each hand pays for, in tables that `payment.claimable` looks up.

    The tables cover routes without substitutes, the groups of ``free`` (each with its colour), which take any cards as
    substitutes, and the gray groups of ``pairs``. Return the groups that are covered: all, if there is room.
    """
    plain_routes = [
        [i for i, r in enumerate(routes) if not r.substitute and b.route_colour[i] == c] for c in range(CARDS)
    ]
    numbers: dict[tuple[int, ...], int] = {}  # a row -> its number

    def fill(row_of: Any, paid_from: dict[int, list[int]]) -> None:
        """Fill in the row for each number of cards; ``paid_from`` has the routes that need at least that many."""
        paid: list[int] = []
        for least in sorted(count for count in paid_from if count < len(row_of)):
            paid += paid_from[least]
            row = tuple(bits(paid, ROUTE_BITS, ROUTE_WORDS))
            row_of[least:] = numbers.setdefault(row, len(numbers))

    for wild, colour, held in itertools.product(range(LENGTH + 1), range(CARDS), range(LENGTH + 1)):
        paid_from = {0: [i for i in plain_routes[colour] if _need(routes[i], wild, held) == 0]}
        for of, members in free:
            if of == colour:
                paid_from.setdefault(_need(routes[members[0]], wild, held), []).extend(members)
        fill(b.pay_row[wild, colour, held], paid_from)
    for wild, held in itertools.product(range(LENGTH + 1), range(HELD)):
        paid_from = {0: []}
        for members in pairs:
            paid_from.setdefault(_need(routes[members[0]], wild, held), []).extend(members)
        fill(b.pair_row[wild, held], paid_from)
    if len(numbers) > PAY_ROWS:
        return _fill_rows(b, routes, free[:-1], []) if free or pairs else []
    b.paid_by[: len(numbers)] = list(numbers)
    b.has_pairs = bool(pairs)
    return [*(members for _, members in free), *pairs]
