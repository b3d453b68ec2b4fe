"""Why a planning player made its last move: codes with facts, and the English sentences for them.

A reason comes from what the player saw and planned, and from nothing else. Every sentence can be checked against the
view. "completes" names tickets that the claim connects. "still needs" names cards that would be enough to pay for the
route. "for 17 trains" means a path that takes 17 trains or fewer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from northrail.boards.board import (
    COLOURS,
    COUNT_COUNTRIES,
    COUNT_LOCOMOTIVES,
    COUNT_ROUTES,
    COUNT_TICKETS,
    LOCOMOTIVE,
    NOBODY,
    ROUTE_BITS,
    TICKET_BITS,
    Board,
    numbers_in,
)
from northrail.engine.moves import Move, move_of
from northrail.engine.rules import legal
from northrail.engine.state import TURN, Moves, ViewStruct
from northrail.engine.view import View
from northrail.players.basic import path_to_claim
from northrail.players.last_move import LastMove
from northrail.players.plan_structs import Plan

# Numbers (of routes, tickets, bonus cards, seats; counts), names (of colours, countries, moves), and rows of them.
Fact = int | str | tuple[int, ...] | tuple[str, ...] | Mapping[str, int]


@dataclass(frozen=True)
class Reason:
    """One reason for a move: a code and its facts. ``str()`` returns the English sentence."""

    code: str
    facts: dict[str, Fact]
    board: Board = field(repr=False)

    def __str__(self) -> str:
        return SENTENCES[self.code](_Words(self.board, self.facts))


def reasons_for(player: object) -> tuple[Reason, ...]:
    """Return why a player made its last move, the most important reason first; none if it does not remember it."""
    last = getattr(player, "last_move", None)
    if not isinstance(last, LastMove):
        return ()
    thought = Thought(last)
    return (*thought.reasons(thought.move(last.move)), *thought.comparison(last))


# --- sentences --------------------------------------------------------------------------------------------------------

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class _Words:
    """The facts of a reason, in words."""

    def __init__(self, board: Board, facts: dict[str, Any]) -> None:
        self.board = board
        self.facts = facts

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    @property
    def route(self) -> str:
        """The route by its cities."""
        return "–".join(self.board.routes[self["route"]].cities)

    @property
    def tickets(self) -> str:
        """The tickets by their cities."""
        return _listed(str(self.board.tickets[ticket]) for ticket in self["tickets"])

    @property
    def are(self) -> str:
        """The verb for the tickets."""
        return "is" if len(self["tickets"]) == 1 else "are"

    @property
    def card(self) -> str:
        """The bonus card by its name."""
        name: str = self.board.bonus_cards[self["card"]].name
        return name

    @property
    def cards(self) -> str:
        """Train cards, such as "two blue and a locomotive"."""
        words = (
            f"{number(count)} {colour}{'s' * (colour == 'locomotive' and count > 1)}"
            for colour, count in self["cards"].items()
        )
        return _listed(words).replace("one locomotive", "a locomotive")

    @property
    def trains_left(self) -> str:
        """The trains, with their verb."""
        return f"{_counted(self['trains'], 'train')} {'is' if self['trains'] == 1 else 'are'} left"

    @property
    def tunnel(self) -> str:
        """What a tunnel costs."""
        return f"the tunnel costs {number(self['extra'])} more card{'s' * (self['extra'] != 1)}"

    def verb(self, verb: str) -> str:
        """Return what a claim does, or would do if a tunnel allows it."""
        return f"{verb}{'es' if verb == 'reach' else 's'}" if self["sure"] else f"would {verb}"

    def on_the_way(self) -> str:
        """Return the tickets a route serves, and who else builds there."""
        tickets = [f"from {' to '.join(self.board.tickets[ticket].cities)}" for ticket in self["tickets"]]
        more = f" and for {_counted(len(tickets) - 2, 'more ticket')}" if len(tickets) > 2 else ""
        seats = self["seats"]
        builds = "builds" if len(seats) == 1 else "build"
        rivals = f", where {_listed(f'seat {seat}' for seat in seats)} {builds} too" if seats else ""
        return f"on the way {_listed(tickets[:2])}{more}{rivals}"

    def points_for_trains(self) -> str:
        """Return what tickets bring and cost."""
        points, trains = self["points"], self["trains"]
        cost = f"{trains or 'no'} {'more ' * self['more']}train{'s' * (trains != 1)}"
        return f"{_listed(map(str, points))} point{'s' * (points != (1,))} for {cost}"


SENTENCES: dict[str, Callable[[_Words], str]] = {
    # claims
    "completes": lambda words: f"{words.verb('complete')} {words.tickets}",
    "on_the_way": _Words.on_the_way,
    "for_points": lambda words: f"for its {'point' if words['points'] == 1 else _counted(words['points'], 'point')}",
    "for_last_points": lambda words: f"{SENTENCES['for_points'](words)} before the game ends",
    "counts_for": lambda words: f"{words.verb('count')} for {words.card}",
    "reaches": lambda words: f"{words.verb('reach')} {_listed(words['countries'])} for {words.card}",
    "last_round": lambda words: f"{words.verb('begin')} the last round",
    "least_needed": lambda _: "pays with the cards it needs least",
    "tunnel_worth_it": lambda words: f"{words.tunnel} and is worth it",
    "tunnel_not_worth_it": lambda words: f"{words.tunnel} and is not worth it",
    "tunnel_too_dear": lambda words: f"{words.tunnel}, which it cannot pay",
    # tickets
    "already_complete": lambda words: f"{words.tickets} {words.are} already complete",
    "points_for_trains": _Words.points_for_trains,
    "out_of_reach": lambda words: f"{words.tickets} {words.are} out of reach",
    "must_keep": lambda words: f"{SENTENCES['out_of_reach'](words)}, but it must keep {number(words['least'])}",
    "no_tickets": lambda words: f"it holds no tickets and {words.trains_left}",
    "all_complete": lambda words: f"all tickets are complete and {words.trains_left}",
    "gives_up": lambda words: f"gives up {words.tickets}, and {words.trains_left}",
    "plan_leaves": lambda words: (
        f"the plan leaves {words['spare']} of {_counted(words['trains'], 'train')} for new tickets"
    ),
    # cards
    "short_of": lambda words: f"{words.route} still needs {words.cards}",
    "tunnel_may_need": lambda words: f"the tunnel {words.route} may need it",
    "cheaper": lambda words: f"makes {words.route} cheaper",
    "collects": lambda words: f"collects {words['colour']}{'s' * (words['colour'] == 'locomotive')}",
    "row_is_no_help": lambda words: f"nothing in the row helps {words.route}",
    "colours_are_no_help": lambda words: f"no colour in the row helps {words.route}",
    "only_a_locomotive": lambda words: (
        f"only a locomotive in the row helps {words.route}, but it would be the only card this turn"
    ),
    "deck_may_help": lambda words: f"{SENTENCES['short_of'](words)}, and the deck may bring more than the row",
    "pays_next_turn": lambda words: f"can pay for {words.route} next turn",
    "waits": lambda words: f"can pay for {words.route}, but waits for a cheaper payment",
    "collects_first": lambda words: f"could claim {words.route}, but collects more cards first",
    "no_route": lambda _: "has no route in mind and collects cards",
    # the rest
    "only_move": lambda _: "no other move is legal",
    "better_in_worlds": lambda words: f'better than "{words["move"]}" in {_counted(words["worlds"], "imagined world")}',
}


def number(count: int) -> str:
    """Return a small count in words."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _listed(words: Iterable[str]) -> str:
    return " and ".join(", ".join(words).rsplit(", ", 1))


# --- facts ------------------------------------------------------------------------------------------------------------


class Thought:
    """What a player saw, and the routes it planned."""

    def __init__(self, last: LastMove) -> None:
        plan = Plan.of(last.plan)
        self.board = last.board
        self.struct = ViewStruct.of(last.view)
        self.view: View = View(last.board, self.struct)
        self.me = self.view.me or 0
        self.own = {int(route) for route, seat in self.view.owners.items() if seat == self.me}
        self.plan = set(numbers_in(plan.routes.tolist(), ROUTE_BITS)) - self.own
        self.extra = set(numbers_in(plan.extra.tolist(), ROUTE_BITS)) - self.own
        self.paid_route = plan.route  # also of a claim that it puts off

    def say(self, code: str, **facts: Fact) -> Reason:
        """Return a reason about this board."""
        return Reason(code, facts, self.board)

    def move(self, number: int) -> Move:
        """Return the move with that number."""
        return move_of(self.board, number, tuple(numbers_in(self.struct.offered, TICKET_BITS)))

    def comparison(self, last: LastMove) -> Iterator[Reason]:
        """Compare a search's move with the planner's, the first it visited; nothing if they are the same."""
        usual = next(iter(last.visits), last.move)
        if usual != last.move and last.move in last.visits:
            (others, worth), (worlds, better) = last.visits[usual], last.visits[last.move]
            if min(others, worlds) > 0 and better > worth:
                yield self.say("better_in_worlds", move=self.move(usual).text, worlds=min(others, worlds))

    def reasons(self, move: Move) -> Iterator[Reason]:
        """Yield the reasons for a move, the most important first."""
        match move.kind:
            case "claim":
                yield from self.claiming(move.route or 0, sure=not self.board.routes[move.route or 0].tunnel)
            case "keep":
                yield from self.keeping(move.tickets)
            case "draw_tickets":
                yield self.drawing_tickets()
            case "take" | "blind" if self.paid_route != NOBODY and self.view.phase == "turn":
                yield self.say("collects_first", route=self.paid_route)
            case "take":
                yield self.taking(move.colour or "")
            case "blind":
                yield self.drawing_blind()
            case "card" if self.view.phase == "tunnel":
                yield from self.paying_tunnel(move.colour or "")
            case "card":
                route = self.view.route or 0
                yield from self.claiming(route, sure=not self.board.routes[route].tunnel)
                if route == self.paid_route:
                    yield self.say("least_needed")
            case "give_up":
                yield self.giving_up()
            case _:
                yield self.say("only_move")

    # --- claims

    def claiming(self, number: int, sure: bool) -> Iterator[Reason]:
        """Say why it claims a route; ``sure`` unless a tunnel may still stop it."""
        route = self.board.routes[number]
        completed = self.completed_by(number)
        on_the_way = [] if completed else self.on_the_way(number)
        if completed:
            yield self.say("completes", tickets=tuple(completed), sure=sure)
        elif on_the_way:
            yield self.say("on_the_way", tickets=tuple(on_the_way), seats=tuple(self.neighbours(number)))
        else:
            yield self.say("for_points" if self.view.turns_left is None else "for_last_points", points=route.points)
        yield from self.counting(number, completed, sure)
        left = self.view.trains[self.me] - route.length
        if self.view.turns_left is None and left <= self.board.rules.last_round_at:
            yield self.say("last_round", sure=sure)

    def completed_by(self, route: int) -> list[int]:
        """Return the tickets that are complete once it owns a route."""
        before, after = self.groups(self.own), self.groups(self.own | {route})
        return [ticket for ticket in self.held if not self.joins(before, ticket) and self.joins(after, ticket)]

    def on_the_way(self, route: int) -> list[int]:
        """Return the tickets that its plan completes, but not without this route, the most valuable first."""
        if route not in self.plan:
            return []
        planned, without = self.groups(self.own | self.plan), self.groups(self.own | self.plan - {route})
        found = [ticket for ticket in self.held if self.joins(planned, ticket) and not self.joins(without, ticket)]
        return sorted(found, key=lambda ticket: -self.board.tickets[ticket].points)

    def neighbours(self, route: int) -> list[int]:
        """Return the other seats that own a route at either end of this one."""
        ends = set(self.board.routes[route].cities)
        owners = self.view.owners.items()
        return sorted({seat for other, seat in owners if ends & set(self.board.routes[int(other)].cities)} - {self.me})

    def counting(self, route: int, completed: list[int], sure: bool) -> Iterator[Reason]:
        """Say which bonus cards a claim counts for."""
        board = self.board.struct
        for card in numbers_in([int(self.struct.bonus_cards)], 15):
            counts = board.bonus_counts[card]
            routes = numbers_in(board.bonus_routes[card], ROUTE_BITS)
            tickets = set(numbers_in(board.bonus_tickets[card], TICKET_BITS))
            if len(tickets) == len(self.board.tickets):
                tickets = set()  # if every ticket counts, it is not worth saying
            if (counts == COUNT_ROUTES and route in routes) or (counts == COUNT_TICKETS and tickets & set(completed)):
                yield self.say("counts_for", card=card, sure=sure)
            elif counts == COUNT_COUNTRIES:
                new = self.countries({route}) - self.countries(self.own)
                if new:
                    yield self.say("reaches", countries=tuple(sorted(new)), card=card, sure=sure)

    def countries(self, routes: Iterable[int]) -> set[str]:
        """Return the countries that routes touch."""
        where = {city.name: city.country for city in self.board.cities}
        return {where[city] for route in routes for city in self.board.routes[route].cities}

    def paying_tunnel(self, colour: str) -> Iterator[Reason]:
        """Say why it pays what a tunnel costs."""
        extra = (self.view.options or {})["tunnel"]["owed"]
        yield from self.claiming(self.view.route or 0, sure=colour != "locomotive" or extra == 1)
        yield self.say("tunnel_worth_it", extra=extra)

    def giving_up(self) -> Reason:
        """Say why it gives up a tunnel."""
        tunnel = (self.view.options or {})["tunnel"]
        return self.say("tunnel_not_worth_it" if tunnel["payments"] else "tunnel_too_dear", extra=tunnel["owed"])

    # --- tickets

    @cached_property
    def held(self) -> list[int]:
        """The tickets in its hand."""
        return numbers_in(self.struct.held[self.me], TICKET_BITS)

    def groups(self, routes: Iterable[int]) -> dict[str, str]:
        """Return a representative of each city; cities connected by these routes have the same one."""
        root = {city.name: city.name for city in self.board.cities}
        for route in routes:
            one, other = (root[city] for city in self.board.routes[route].cities)
            root = {city: other if now == one else now for city, now in root.items()}
        return root

    def joins(self, groups: dict[str, str], ticket: int) -> bool:
        """Return whether the cities of a ticket are connected."""
        one, other = self.board.tickets[ticket].cities
        return groups[one] == groups[other]

    def keeping(self, kept: tuple[int, ...]) -> Iterator[Reason]:
        """Say why it keeps these tickets: what they bring and cost."""
        own = self.groups(self.own)
        complete = tuple(ticket for ticket in kept if self.joins(own, ticket))
        if complete:
            yield self.say("already_complete", tickets=complete)
        _, routes, spare = self.add_paths(self.held, set(), self.view.trains[self.me])
        reached, routes, left = self.add_paths([ticket for ticket in kept if ticket not in complete], routes, spare)
        if reached:
            points = tuple(sorted((self.board.tickets[ticket].points for ticket in reached), reverse=True))
            yield self.say("points_for_trains", points=points, trains=spare - left, more=bool(self.held))
        missed = tuple(ticket for ticket in kept if ticket not in complete and ticket not in reached)
        if missed and len(kept) == self.view.keep_least:
            yield self.say("must_keep", tickets=missed, least=len(kept))
        elif missed:
            yield self.say("out_of_reach", tickets=missed)

    def add_paths(self, tickets: Iterable[int], routes: set[int], trains: int) -> tuple[list[int], set[int], int]:
        """Complete tickets by the shortest paths from own routes and ``routes``, short paths first, while trains last.

        Return the tickets that can be completed, the routes for them with ``routes``, and the trains left.
        """
        reached: list[int] = []
        left = set(tickets)
        while True:
            free = self.own | routes
            paths = {}
            for ticket in sorted(left):
                path = path_to_claim(self.board, self.view, free, *self.board.tickets[ticket].cities)
                length = sum(self.board.routes[route].length for route in path or ())
                if path is not None and length <= trains:
                    paths[ticket] = length, path
            if not paths:
                return reached, routes, trains
            ticket, (length, path) = min(paths.items(), key=lambda item: (item[1][0], item[0]))
            reached.append(ticket)
            left.remove(ticket)
            routes, trains = routes | path, trains - length

    def drawing_tickets(self) -> Reason:
        """Say why it draws tickets."""
        own = self.groups(self.own)
        trains = self.view.trains[self.me]
        missing = tuple(ticket for ticket in self.held if not self.joins(own, ticket))
        if not self.held:
            return self.say("no_tickets", trains=trains)
        if not missing:
            return self.say("all_complete", trains=trains)
        if not self.plan:
            return self.say("gives_up", tickets=missing, trains=trains)
        spare = trains - sum(self.board.routes[route].length for route in self.plan)
        return self.say("plan_leaves", spare=max(0, spare), trains=trains)

    # --- cards

    def taking(self, colour: str) -> Reason:
        """Say why it takes a face-up card."""
        helped = [route for route in self.wanted if self.helps(colour, route)]
        if helped:
            nearest = self.nearest(helped)
            with_it = next(self.fewest_with(colour, nearest))
            return self.say("short_of", cards=dict(with_it), route=nearest)
        for route in self.wanted:
            if self.board.routes[route].tunnel and colour in (self.board.routes[route].colour, "locomotive"):
                return self.say("tunnel_may_need", route=route)
            if self.cheapens(colour, route):
                return self.say("cheaper", route=route)
        card = next(self.cards_that_count(COUNT_LOCOMOTIVES), None) if colour == "locomotive" else None
        return self.say("collects", colour=colour) if card is None else self.say("counts_for", card=card, sure=True)

    def cheapens(self, colour: str, number: int) -> bool:
        """Return whether a card would replace substitutes in the payment for a route."""
        route = self.board.routes[number]
        held = self.view.hand.get(colour, 0)
        if colour == "locomotive":
            return held < route.locomotives
        return colour == route.colour and held < route.length - route.locomotives

    def cards_that_count(self, counts: int) -> Iterator[int]:
        """Yield the bonus cards in play that count something."""
        for card in numbers_in([int(self.struct.bonus_cards)], 15):
            if self.board.struct.bonus_counts[card] == counts:
                yield card

    def drawing_blind(self) -> Reason:
        """Say why it draws from the deck."""
        missing = [route for route in self.wanted if self.lack[route]]
        if missing:
            nearest = self.nearest(missing)
            takes = (self.view.options or {})["take"]
            helpful = [colour for colour in takes if self.helps(colour, nearest)]
            if not helpful:
                has_all = len(takes) == len(self.view.face_up)
                return self.say("row_is_no_help" if has_all else "colours_are_no_help", route=nearest)
            if helpful == ["locomotive"] and self.view.phase == "turn" and self.board.rules.face_up_locomotive_alone:
                return self.say("only_a_locomotive", route=nearest)
            return self.say("deck_may_help", cards=dict(self.lack[nearest]), route=nearest)
        if self.wanted:
            wait = min(self.wanted, key=lambda route: (route not in self.plan, route))
            return self.say("pays_next_turn" if self.view.phase == "second_card" else "waits", route=wait)
        return self.say("no_route")

    def nearest(self, routes: Iterable[int]) -> int:
        """Return the route that lacks the fewest cards, those for tickets first."""
        return min(routes, key=lambda route: (route not in self.plan, self.lack[route].total(), route))

    @cached_property
    def wanted(self) -> list[int]:
        """The routes it planned and may still claim."""
        may = set(numbers_in(self.struct.open[self.me], ROUTE_BITS))
        trains = self.view.trains[self.me]
        return sorted(route for route in (self.plan | self.extra) & may if self.board.routes[route].length <= trains)

    @cached_property
    def lack(self) -> dict[int, Counter[str]]:
        """[wanted route] -> the fewest cards that the hand lacks to pay for it."""
        return {route: next(self.fewest(route)) for route in self.wanted}

    def fewest(self, route: int) -> Iterator[Counter[str]]:
        """Yield the smallest sets of cards that the hand lacks for a route, those with few locomotives first."""
        for count in range(self.board.routes[route].length + 1):
            found = [cards for cards in self.additions(count) if self.pays(route, cards)]
            if found:
                yield from found
                return
        raise AssertionError(f"{self.board.routes[route]}: expected its own price to pay for it")

    def fewest_with(self, colour: str, route: int) -> Iterator[Counter[str]]:
        """Yield the smallest sets with a card that helps, those of one colour and locomotives first."""
        yield from (cards for cards in self.fewest(route) if cards[colour])
        for cards in self.additions(self.lack[route].total() - 1):
            if self.pays(route, cards + Counter([colour])):
                yield cards + Counter([colour])

    def additions(self, count: int) -> Iterator[Counter[str]]:
        """Yield sets of ``count`` cards: some of one colour, the rest locomotives."""
        for wild in range(count + 1):
            for colour in COLOURS[:LOCOMOTIVE] if wild < count else ("locomotive",):
                yield +Counter({colour: count - wild, "locomotive": wild} if wild < count else {"locomotive": wild})

    def helps(self, colour: str, route: int) -> bool:
        """Return whether a card brings the seat nearer to paying for a route."""
        count = self.lack[route].total()
        return count > 0 and any(self.pays(route, cards + Counter([colour])) for cards in self.additions(count - 1))

    def pays(self, route: int, cards: Counter[str]) -> bool:
        """Return whether the hand would pay for a route with these cards added."""
        tried, moves, hand = self._trial
        tried.hand[self.me] = [held + cards[colour] for colour, held in hand.items()]
        tried.hand_size[self.me] = sum(hand.values()) + cards.total()
        legal(self.board.struct, tried, moves)
        return bool(int(moves.claims[route // ROUTE_BITS]) >> (route % ROUTE_BITS) & 1)

    @cached_property
    def _trial(self) -> tuple[ViewStruct, Moves, dict[str, int]]:
        """A view in which to try other hands, a set of moves, and the true hand."""
        tried = self.struct.copy()
        tried.phase = TURN
        return tried, Moves(), {colour: self.view.hand.get(colour, 0) for colour in COLOURS}
