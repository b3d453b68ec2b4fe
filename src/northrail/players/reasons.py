"""Why a planning player made a move, in a sentence. It is made of what the player saw and had in mind, of nothing else.

Every sentence can be held against the view: "completes" is said of tickets that the claim joins, "short of" of cards
that would pay for the route if they came, "for 17 trains" of a way that these trains can go.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from northrail.boards.board import (
    COLOURS,
    COUNT_COUNTRIES,
    COUNT_LOCOMOTIVES,
    COUNT_ROUTES,
    COUNT_TICKETS,
    LOCOMOTIVE,
    ROUTE_BITS,
    TICKET_BITS,
    Board,
    numbers_in,
)
from northrail.engine.moves import Move, move_of
from northrail.engine.rules import legal
from northrail.engine.state import TURN, Moves, ViewStruct
from northrail.engine.view import View
from northrail.players.basic import shortest
from northrail.players.plans import Mind

Parts = Iterator[str]
Visits = dict[int, tuple[int, float]]  # move -> worlds it was played in, and how well that went

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def reason_for(board: Board, view: bytes, mind: bytes, move: int, visits: Visits) -> str:
    """The sentence for a move; ``view`` and ``mind`` are the bytes of the view and the mind it was made of."""
    thought = Thought(board, ViewStruct.of(view), Mind.of(mind))
    return "; ".join([*thought.parts(thought.move(move)), *thought.comparison(move, visits)])


class Thought:
    """What a player saw, and the routes it had in mind."""

    def __init__(self, board: Board, struct: ViewStruct, mind: Mind) -> None:
        self.board = board
        self.struct = struct
        self.view: View = View(board, struct)
        self.me = self.view.me or 0
        self.own = {int(route) for route, seat in self.view.owners.items() if seat == self.me}
        self.plan = set(numbers_in(mind.plan.tolist(), ROUTE_BITS)) - self.own
        self.extra = set(numbers_in(mind.extra.tolist(), ROUTE_BITS)) - self.own
        self.intended = mind.route

    def move(self, number: int) -> Move:
        """The move with that number."""
        return move_of(self.board, number, tuple(numbers_in(self.struct.offered, TICKET_BITS)))

    def comparison(self, number: int, visits: Visits) -> Parts:
        """How a move fared in a search beside the planner's, the first it visited; nothing if it is the same."""
        usual = next(iter(visits), number)
        if usual != number and number in visits:
            worlds = min(visits[usual][0], visits[number][0])
            if worlds > 0 and visits[number][1] > visits[usual][1]:
                yield f"better than to {self.move(usual)} in {_counted(worlds, 'imagined world')}"

    def parts(self, move: Move) -> Parts:
        """What there is to say about a move, the most important first."""
        match move.kind:
            case "claim":
                yield from self.claiming(move.route or 0, sure=not self.board.routes[move.route or 0].tunnel)
            case "keep":
                yield from self.keeping(move.tickets)
            case "draw_tickets":
                yield self.drawing_tickets()
            case "take":
                yield self.taking(move.colour or "")
            case "blind":
                yield self.drawing_blind()
            case "card" if self.view.phase == "tunnel":
                yield from self.paying_tunnel(move.colour or "")
            case "card":
                route = self.view.route or 0
                yield from self.claiming(route, sure=not self.board.routes[route].tunnel)
                if route == self.intended:
                    yield "pays with the cards it needs least"
            case "give_up":
                yield self.giving_up()
            case _:
                yield "nothing else can be done"

    # --- claims

    def claiming(self, number: int, sure: bool) -> Parts:
        """Why it claims a route; ``sure`` unless a tunnel may still stop it."""
        route = self.board.routes[number]
        completed = self.completed_by(number)
        on_the_way = [] if completed else self.on_the_way(number)
        if completed:
            yield f"{_verb('complete', sure)} {_listed(self.named(ticket) for ticket in completed)}"
        elif on_the_way:
            ways = [f"from {' to '.join(self.board.tickets[ticket].cities)}" for ticket in on_the_way]
            more = f" and for {_counted(len(ways) - 2, 'more ticket')}" if len(ways) > 2 else ""
            others = self.neighbours(number)
            beside = f", where {_listed(f'seat {seat}' for seat in others)} {_builds(len(others))} too" * bool(others)
            yield f"on the way {_listed(ways[:2])}{more}{beside}"
        else:
            end = " before the game ends" if self.view.turns_left is not None else ""
            yield f"for {'its point' if route.points == 1 else f'its {route.points} points'}{end}"
        yield from self.counting(number, completed, sure)
        left = self.view.trains[self.me] - route.length
        if self.view.turns_left is None and left <= self.board.rules.last_round_at:
            yield f"{_verb('begin', sure)} the last round"

    def completed_by(self, route: int) -> list[int]:
        """The tickets that are joined once it owns a route."""
        before, after = self.groups(self.own), self.groups(self.own | {route})
        return [ticket for ticket in self.held if not self.joins(before, ticket) and self.joins(after, ticket)]

    def on_the_way(self, route: int) -> list[int]:
        """The tickets that its plan joins, but not without this route; those of most points first."""
        if route not in self.plan:
            return []
        planned, without = self.groups(self.own | self.plan), self.groups(self.own | self.plan - {route})
        found = [ticket for ticket in self.held if self.joins(planned, ticket) and not self.joins(without, ticket)]
        return sorted(found, key=lambda ticket: -self.board.tickets[ticket].points)

    def neighbours(self, route: int) -> list[int]:
        """The other seats that own a route at either end of this one."""
        ends = set(self.board.routes[route].cities)
        owners = self.view.owners.items()
        return sorted({seat for other, seat in owners if ends & set(self.board.routes[int(other)].cities)} - {self.me})

    def counting(self, route: int, completed: list[int], sure: bool) -> Parts:
        """The bonus cards for which a claim counts."""
        printed = self.board.struct
        for card in numbers_in([int(self.struct.bonus_cards)], 15):
            name, counts = self.board.bonus_cards[card].name, printed.bonus_counts[card]
            routes = numbers_in(printed.bonus_routes[card], ROUTE_BITS)
            tickets = set(numbers_in(printed.bonus_tickets[card], TICKET_BITS))
            if len(tickets) == len(self.board.tickets):
                tickets = set()  # that all count goes without saying
            if (counts == COUNT_ROUTES and route in routes) or (counts == COUNT_TICKETS and tickets & set(completed)):
                yield f"{_verb('count', sure)} for {name}"
            elif counts == COUNT_COUNTRIES:
                new = self.countries({route}) - self.countries(self.own)
                if new:
                    yield f"{_verb('reach', sure)} {_listed(sorted(new))} for {name}"

    def countries(self, routes: Iterable[int]) -> set[str]:
        """The countries that routes touch."""
        where = {city.name: city.country for city in self.board.cities}
        return {where[city] for route in routes for city in self.board.routes[route].cities}

    def paying_tunnel(self, colour: str) -> Parts:
        """Why it pays what a tunnel asks for."""
        asks = (self.view.options or {})["tunnel"]["owed"]
        yield from self.claiming(self.view.route or 0, sure=colour != "locomotive" or asks == 1)
        yield f"the tunnel asks for {_more(asks)} and that is worth it"

    def giving_up(self) -> str:
        """Why it gives a tunnel up."""
        tunnel = (self.view.options or {})["tunnel"]
        verdict = "and that is not worth it" if tunnel["payments"] else "which it cannot pay"
        return f"the tunnel asks for {_more(tunnel['owed'])}, {verdict}"

    # --- tickets

    @cached_property
    def held(self) -> list[int]:
        """The tickets in its hand."""
        return numbers_in(self.struct.held[self.me], TICKET_BITS)

    def named(self, ticket: int) -> str:
        """A ticket by its cities."""
        return str(self.board.tickets[ticket])

    def groups(self, routes: Iterable[int]) -> dict[str, str]:
        """For each city, one that stands for all cities which these routes join to it."""
        root = {city.name: city.name for city in self.board.cities}
        for route in routes:
            one, other = (root[city] for city in self.board.routes[route].cities)
            root = {city: other if stands == one else stands for city, stands in root.items()}
        return root

    def joins(self, groups: dict[str, str], ticket: int) -> bool:
        """Whether the cities of a ticket are joined."""
        one, other = self.board.tickets[ticket].cities
        return groups[one] == groups[other]

    def keeping(self, kept: tuple[int, ...]) -> Parts:
        """Why it keeps these tickets: what they bring and cost."""
        own = self.groups(self.own)
        joined = [ticket for ticket in kept if self.joins(own, ticket)]
        if joined:
            yield f"{_listed(map(self.named, joined))} {_are(len(joined))} joined already"
        _, routes, spare = self.add_ways(self.held, set(), self.view.trains[self.me])
        reached, routes, left = self.add_ways([ticket for ticket in kept if ticket not in joined], routes, spare)
        if reached:
            points = sorted(self.board.tickets[ticket].points for ticket in reached)
            more = "more " * bool(self.held)
            trains = f"{spare - left or 'no'} {more}train{'s' * (spare - left != 1)}"
            yield f"{_listed(map(str, reversed(points)))} point{'s' * (points != [1])} for {trains}"
        missed = [ticket for ticket in kept if ticket not in joined and ticket not in reached]
        if missed:
            must = f", but {_number(len(kept))} must be kept" if len(kept) == self.view.keep_least else ""
            yield f"{_listed(map(self.named, missed))} {_are(len(missed))} out of reach{must}"

    def add_ways(self, tickets: Iterable[int], routes: set[int], trains: int) -> tuple[list[int], set[int], int]:
        """Join tickets by the shortest ways from own routes and ``routes``, the short ways first, as far as trains go.

        Gives the tickets that can be joined, the routes for them and ``routes``, and the trains left.
        """
        reached: list[int] = []
        left = set(tickets)
        while True:
            free = self.own | routes
            ways = {}
            for ticket in sorted(left):
                way = shortest(self.board, self.view, free, *self.board.tickets[ticket].cities)
                length = sum(self.board.routes[route].length for route in way or ())
                if way is not None and length <= trains:
                    ways[ticket] = length, way
            if not ways:
                return reached, routes, trains
            ticket, (length, way) = min(ways.items(), key=lambda item: (item[1][0], item[0]))
            reached.append(ticket)
            left.remove(ticket)
            routes, trains = routes | way, trains - length

    def drawing_tickets(self) -> str:
        """Why it draws tickets."""
        own = self.groups(self.own)
        trains = self.view.trains[self.me]
        left = f"{_counted(trains, 'train')} {_are(trains)} left"
        missing = [ticket for ticket in self.held if not self.joins(own, ticket)]
        if not self.held:
            return f"it holds no tickets and {left}"
        if not missing:
            return f"all tickets are joined and {left}"
        if not self.plan:
            return f"gives {_listed(map(self.named, missing))} up and {left}"
        spare = trains - sum(self.board.routes[route].length for route in self.plan)
        return f"the plan leaves {max(0, spare)} of {_counted(trains, 'train')}"

    # --- cards

    def taking(self, colour: str) -> str:
        """Why it takes a card from the row."""
        helped = [route for route in self.wanted if self.helps(colour, route)]
        if helped:
            nearest = min(helped, key=lambda route: (route not in self.plan, self.lack[route].total(), route))
            with_it = next(cards for cards in self.fewest(nearest) if cards[colour])
            return f"{_cards(with_it)} short of {self.between(nearest)}"
        for route in self.wanted:
            if self.board.routes[route].tunnel and colour in (self.board.routes[route].colour, "locomotive"):
                return f"the tunnel {self.between(route)} may ask for it"
            if self.cheapens(colour, route):
                return f"makes {self.between(route)} cheaper"
        name = next(self.bonus_names(COUNT_LOCOMOTIVES), "") if colour == "locomotive" else ""
        return f"counts for {name}" if name else f"collects {colour}{'s' * (colour == 'locomotive')}"

    def cheapens(self, colour: str, number: int) -> bool:
        """Whether a card is asked for by a route itself that the hand pays for with others in its place."""
        route = self.board.routes[number]
        held = self.view.hand.get(colour, 0)
        if colour == "locomotive":
            return held < route.locomotives
        return colour == route.colour and held < route.length - route.locomotives

    def bonus_names(self, counts: int) -> Iterator[str]:
        """The bonus cards in play that count something."""
        for card in numbers_in([int(self.struct.bonus_cards)], 15):
            if self.board.struct.bonus_counts[card] == counts:
                yield self.board.bonus_cards[card].name

    def drawing_blind(self) -> str:
        """Why it takes a card from the deck."""
        missing = [route for route in self.wanted if self.lack[route]]
        if missing:
            nearest = min(missing, key=lambda route: (route not in self.plan, self.lack[route].total(), route))
            where = self.between(nearest)
            takes = (self.view.options or {})["take"]
            helpful = [colour for colour in takes if self.helps(colour, nearest)]
            if not helpful:
                row = "nothing in the row" if len(takes) == len(self.view.face_up) else "no colour in the row"
                return f"{row} helps {where}"
            if helpful == ["locomotive"] and self.view.phase == "turn" and self.board.rules.face_up_locomotive_alone:
                return f"only a locomotive in the row helps {where}, and that would be all it gets"
            return f"hopes for the deck: {_cards(self.lack[nearest])} short of {where}"
        if self.wanted:
            wait = min(self.wanted, key=lambda route: (route not in self.plan, route))
            if self.view.phase == "second_card":
                return f"can pay for {self.between(wait)} next turn"
            return f"can pay for {self.between(wait)} and waits until that costs it less"
        return "has no route in mind and collects cards"

    def between(self, route: int) -> str:
        """A route by its cities."""
        return "–".join(self.board.routes[route].cities)

    @cached_property
    def wanted(self) -> list[int]:
        """The routes it has in mind and may still claim."""
        may = set(numbers_in(self.struct.open[self.me], ROUTE_BITS))
        trains = self.view.trains[self.me]
        return sorted(route for route in (self.plan | self.extra) & may if self.board.routes[route].length <= trains)

    @cached_property
    def lack(self) -> dict[int, Counter[str]]:
        """For each of these, the fewest cards that would pay for it if they came to the hand."""
        return {route: next(self.fewest(route)) for route in self.wanted}

    def fewest(self, route: int) -> Iterator[Counter[str]]:
        """The ways to pay for a route with the fewest more cards, those with few locomotives first."""
        for count in range(self.board.routes[route].length + 1):
            found = [cards for cards in self.additions(count) if self.pays(route, cards)]
            if found:
                yield from found
                return
        raise AssertionError(f"{self.board.routes[route]} is paid for by its own price")

    def additions(self, count: int) -> Iterator[Counter[str]]:
        """So many cards: some of one colour, the rest locomotives."""
        for wild in range(count + 1):
            for colour in COLOURS[:LOCOMOTIVE] if wild < count else ("locomotive",):
                yield +Counter({colour: count - wild, "locomotive": wild} if wild < count else {"locomotive": wild})

    def helps(self, colour: str, route: int) -> bool:
        """Whether a card brings the seat nearer to paying for a route."""
        count = self.lack[route].total()
        return count > 0 and any(self.pays(route, cards + Counter([colour])) for cards in self.additions(count - 1))

    def pays(self, route: int, cards: Counter[str]) -> bool:
        """Whether the hand would pay for a route with these cards beside it."""
        asked, moves, hand = self._try
        asked.hand[self.me] = [held + cards[colour] for colour, held in hand.items()]
        asked.hand_size[self.me] = sum(hand.values()) + cards.total()
        legal(self.board.struct, asked, moves)
        return bool(int(moves.claims[route // ROUTE_BITS]) >> (route % ROUTE_BITS) & 1)

    @cached_property
    def _try(self) -> tuple[ViewStruct, Moves, dict[str, int]]:
        """A view to try hands in, at a turn, a set of moves, and the hand as it is."""
        asked = self.struct.copy()
        asked.phase = TURN
        return asked, Moves(), {colour: self.view.hand.get(colour, 0) for colour in COLOURS}


# --- words ------------------------------------------------------------------------------------------------------------


def _number(count: int) -> str:
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _cards(cards: Counter[str]) -> str:
    """Cards in words: "two blue and a locomotive"."""
    words = (
        f"{_number(count)} {colour}{'s' * (colour == 'locomotive' and count > 1)}" for colour, count in cards.items()
    )
    return _listed(words).replace("one locomotive", "a locomotive")


def _more(count: int) -> str:
    return f"{_number(count)} more card{'s' * (count != 1)}"


def _listed(words: Iterable[str]) -> str:
    return " and ".join(", ".join(words).rsplit(", ", 1))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _builds(count: int) -> str:
    return "builds" if count == 1 else "build"


def _verb(verb: str, sure: bool) -> str:
    """What a claim does, or would do if a tunnel lets it."""
    return f"{verb}{'es' if verb == 'reach' else 's'}" if sure else f"would {verb}"
