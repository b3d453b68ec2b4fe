"""What every choice of the last round is worth, exactly, as far as the seat to move can know.

This solves games of two seats from a seat's last turn on. It enumerates

- every hand that the other seat may hold, if that seat still has a turn and a route that it could claim;
- every set of tickets that it may hold. Tickets that one claim of its could complete are told apart. The others
  count by group: joined or not, and which bonus cards count them;
- every number of matching cards that a tunnel may turn over.

All hands and sets of tickets that fit the view are equally likely, as in `imagine`. We assume that

- the other seat, if it still has a turn, makes the claim that hurts most, as if it saw all cards. Its tunnels never
  cost extra. It draws no tickets;
- the seat pays for a tunnel if it can.

Drawing tickets has an upper bound instead of a value: the best tickets are kept, and all bonus cards for tickets come
with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np

from northrail.boards.board import (
    CARDS,
    CITIES,
    COLOURS,
    COUNT_LOCOMOTIVES,
    COUNT_TICKETS,
    LENGTH,
    LOCOMOTIVE,
    ROUTE_BITS,
    TICKET_BITS,
    TICKET_WORDS,
    bits,
    numbers_in,
)
from northrail.engine.choices import Choice, Claim, Keep
from northrail.engine.game import Game
from northrail.engine.rules import legal
from northrail.engine.scoring import ScoreTable, completed_tickets, score
from northrail.engine.state import TURN, Moves, State, batch_seat, batch_size
from northrail.engine.view import View, joined_tickets
from northrail.errors import NorthrailError

MOST_HANDS = 20_000
MOST_ENDS = 150_000  # final scores to compute, about 20 microseconds each
NOTHING = -1  # a reply that claims no route


class TooFar(NorthrailError):
    """A position that cannot be solved exactly."""


@dataclass(frozen=True)
class Solved:
    """What a move is worth."""

    margin: float  # points ahead of the other seat at the end, expected
    at_most: bool = False  # whether this is only an upper bound


@dataclass(frozen=True)
class Hands:
    """The hands that the other seat may hold."""

    drawn: Any  # [hand, colour] -> cards that we have not seen
    odds: Any  # [hand] -> how likely it is
    claims: list[frozenset[int]]  # [hand] -> routes it could claim now


@dataclass(frozen=True)
class Tickets:
    """One kind of ticket set that the other seat may hold."""

    odds: float
    held: list[int]  # tickets with the same effect on bonus cards
    points: float  # to add to the score of `held` for the points that such a set has on average


def solve(view: View) -> dict[str, Solved]:
    """Return what each legal move is worth to the seat to move; raise TooFar if we cannot solve the position exactly.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> solve(game.view(game.seat))
    Traceback (most recent call last):
    ...
    northrail.analysis.endings.TooFar: expected a turn in the last round of a game with two seats, got <View of ...>
    """
    return Ending(view).solved()


class Ending:
    """The last turn of a seat."""

    def __init__(self, view: View) -> None:
        if view.seats != 2 or view.turns_left is None or view.me != view.seat or view.phase not in ("turn", "tickets"):
            raise TooFar(f"expected a turn in the last round of a game with two seats, got {view!r}")
        self.view, self.board, self.struct = view, view.board, view.board.struct
        self.me, self.other = view.seat, 1 - view.seat
        in_play = [at for at in range(self.struct.bonuses) if view.struct.bonus_cards >> at & 1]
        if any(self.struct.bonus_counts[card] == COUNT_LOCOMOTIVES for card in in_play):
            raise TooFar("expected no bonus card for cards in hand, because hands differ with every draw")
        if view.struct.opened and batch_seat(view.struct.batch[0]) == self.me:
            raise TooFar(
                "expected to know which tickets this seat returned are still under the deck, got an open batch"
            )
        self.ticket_cards = [card for card in in_play if self.struct.bonus_counts[card] == COUNT_TICKETS]
        self.world = Game.imagine(view)
        self.hands = self._hands()
        self.replies = sorted(frozenset().union(*self.hands.claims))
        self.tickets = list(self._ticket_sets())
        self._margins: dict[bytes, Any] = {}
        self._scored = 0

    def solved(self) -> dict[str, Solved]:
        """Return what each legal move is worth; a claim is paid in the best way."""
        nothing = self._worth(self.world.state, None)
        found: dict[str, Solved] = {}
        for move in self.view.moves:
            match move.kind:
                case "claim":
                    paid = [choice for choice in self.view.choices if getattr(choice, "route", None) == move.route]
                    found[move.text] = Solved(max(self._worth(self._after(choice), choice) for choice in paid))
                case "keep":
                    kept = Keep(move.tickets)
                    found[move.text] = Solved(self._worth(self._after(kept), kept))
                case "draw_tickets":
                    found[move.text] = Solved(nothing + self._most_from_tickets(), at_most=True)
                case _:  # cards come too late to be of use
                    found[move.text] = Solved(nothing)
        return found

    def _after(self, choice: Choice) -> State:
        """Return the position after a choice that keeps tickets or claims a route; a tunnel costs nothing extra."""
        game = self.world.copy()
        game.state.deck[:] = 0
        game.state.deck_size = 0
        game.apply(choice)
        return game.state

    # --- what the other seat may hold

    def _unseen(self) -> list[int]:
        """Return [colour] -> cards in the deck, or unknown in the other hand."""
        v, s = self.view.struct, self.world.state
        unknown = [int(s.hand[self.other, colour]) - int(v.known[self.other, colour]) for colour in range(CARDS)]
        return [int(s.deck[colour]) + unknown[colour] for colour in range(CARDS)]

    def _hands(self) -> Hands:
        """Return every hand of the other seat and what it could claim; only one if that makes no difference."""
        v = self.view.struct
        unseen = self._unseen()
        count = int(v.hand_size[self.other]) - sum(int(known) for known in v.known[self.other])
        s = self.world.state.copy()
        s.seat, s.phase = self.other, TURN
        trains = min(int(v.trains[self.other]), LENGTH)
        words = range(self.struct.words)
        fits = any(int(s.open[self.other, word]) & int(self.struct.fits[trains, word]) for word in words)
        if v.turns_left == 1 or not fits:
            return Hands(np.zeros((1, CARDS), np.int64), np.ones(1), [frozenset()])
        if comb(count + CARDS - 1, count) > MOST_HANDS:
            raise TooFar(f"expected few unknown cards in the other hand, got {count}")
        drawn = list(_sets_of(count, unseen))
        odds = np.array([prod(map(comb, unseen, hand)) for hand in drawn], float)
        moves, claims = Moves(), []
        for hand in drawn:
            s.hand[self.other, :] = [int(known) + new for known, new in zip(v.known[self.other], hand, strict=True)]
            legal(self.struct, s, moves)
            claims.append(frozenset(numbers_in(moves.claims.tolist(), ROUTE_BITS)))
        return Hands(np.array(drawn), odds / odds.sum(), claims)

    def _ticket_sets(self) -> Iterator[Tickets]:
        """Yield every kind of ticket set that the other seat may hold."""
        v, s = self.view.struct, self.world.state.copy()
        seen = {*numbers_in(v.held[self.me], TICKET_BITS), *numbers_in(v.offered, TICKET_BITS)}
        seen |= {*numbers_in(v.returned, TICKET_BITS)}
        pool = [ticket for ticket in range(self.struct.tickets) if ticket not in seen]
        s.held[self.other] = bits(pool, TICKET_BITS, TICKET_WORDS)
        joined = set(joined_tickets(self.board, s, self.other))
        soon = {*joined}
        for route in self.replies:
            after = s.copy()
            self._reply(after, route)
            soon |= {*joined_tickets(self.board, after, self.other)}
        live = sorted(soon - joined)
        dead = [ticket for ticket in pool if ticket not in soon]
        groups: dict[tuple[bool, ...], list[int]] = {}
        for ticket in sorted(joined):
            groups.setdefault(self._signature(ticket), []).append(ticket)
        kept = int(v.ticket_count[self.other])
        total = comb(len(pool), kept)
        for size in range(min(len(live), kept) + 1):
            for some in combinations(live, size):
                for counts in product(*(range(len(group) + 1) for group in groups.values())):
                    rest = kept - size - sum(counts)
                    ways = comb(len(dead), rest) if rest >= 0 else 0
                    ways *= prod(comb(len(group), count) for group, count in zip(groups.values(), counts, strict=True))
                    if not ways:
                        continue
                    points = -rest * self._mean(dead)
                    held = list(some)
                    for group, count in zip(groups.values(), counts, strict=True):
                        held += group[:count]
                        points += count * (self._mean(group) - self._mean(group[:count]))
                    yield Tickets(ways / total, held, points)

    def _signature(self, ticket: int) -> tuple[bool, ...]:
        """Return which bonus cards in play count a ticket."""
        word, bit = ticket // TICKET_BITS, 1 << ticket % TICKET_BITS
        return tuple(bool(int(self.struct.bonus_tickets[card, word]) & bit) for card in self.ticket_cards)

    def _mean(self, tickets: list[int]) -> float:
        return sum(int(self.struct.ticket_points[ticket]) for ticket in tickets) / max(1, len(tickets))

    def _reply(self, s: State, route: int) -> None:
        """Give a route to the other seat."""
        s.owned[self.other, self.struct.route_word[route]] |= self.struct.route_bit[route]
        s.points[self.other] += self.struct.route_points[route]
        s.trains[self.other] -= self.struct.route_length[route]

    # --- what an end is worth

    def _worth(self, s: State, choice: Choice | None) -> float:
        """Return the expected margin after a choice; ``s`` is the position if it succeeds."""
        worth = self._by_hand(s)
        if not isinstance(choice, Claim) or not self.board.routes[choice.route].tunnel:
            return float(self.hands.odds @ worth)
        odds = self._tunnel_odds(choice)
        return float(self.hands.odds @ (odds * worth + (1 - odds) * self._by_hand(self.world.state)))

    def _by_hand(self, s: State) -> Any:
        """Return [hand of the other seat] -> the expected margin, after the reply that hurts most."""
        key = bytes(s)
        if key not in self._margins:
            margins = self._by_reply(s)
            odds = np.array([each.odds for each in self.tickets])
            is_open = {route for route in self.replies if self._is_open(s, route)}
            worth: dict[frozenset[int], float] = {}
            for claims in {*self.hands.claims}:
                columns = [0, *(1 + at for at, route in enumerate(self.replies) if route in claims & is_open)]
                worth[claims] = float(odds @ margins[:, columns].min(axis=1))
            self._margins[key] = np.array([worth[claims] for claims in self.hands.claims])
        return self._margins[key]

    def _is_open(self, s: State, route: int) -> bool:
        return bool(int(s.open[self.other, self.struct.route_word[route]]) & int(self.struct.route_bit[route]))

    def _by_reply(self, s: State) -> Any:
        """Return [ticket set, reply] -> the margin; the first reply claims nothing."""
        replies = [NOTHING, *self.replies]
        self._scored += len(replies) * len(self.tickets)
        if self._scored > MOST_ENDS:
            raise TooFar(f"expected at most {MOST_ENDS:,} ends, got {len(self.tickets):,} sets of tickets")
        margins, table = np.zeros((len(self.tickets), len(replies))), ScoreTable()
        for column, route in enumerate(replies):
            after = s.copy()
            if route != NOTHING:
                self._reply(after, route)
            for row, each in enumerate(self.tickets):
                after.held[self.other] = bits(each.held, TICKET_BITS, TICKET_WORDS)
                score(self.struct, after, table, False)
                margins[row, column] = int(table.total[self.me]) - int(table.total[self.other]) - each.points
        return margins

    def _tunnel_odds(self, claim: Claim) -> Any:
        """Return [hand of the other seat] -> how likely the seat can pay for a tunnel."""
        turned, deck = self.board.rules.tunnel_cards, int(self.view.struct.deck_size)
        if deck < turned:
            raise TooFar(f"expected at least {turned} cards in the deck, because there is a tunnel, got {deck}")
        colour = next((name for name in claim.cards if name != COLOURS[LOCOMOTIVE]), COLOURS[LOCOMOTIVE])
        matching = {LOCOMOTIVE, COLOURS.index(colour)}
        held = self.view.struct.hand[self.me]
        left = sum(int(held[at]) - claim.cards.get(COLOURS[at], 0) for at in matching)
        most, unseen = min(left, turned), self._unseen()
        size = sum(unseen)
        # Without a reply to think of, it makes no difference which of the unseen cards are in the deck.
        size -= int(self.hands.drawn[0].sum())
        wanted = sum(unseen[at] for at in matching) - self.hands.drawn[:, sorted(matching)].sum(axis=1)
        odds = {
            int(good): sum(comb(int(good), hits) * comb(size - int(good), turned - hits) for hits in range(most + 1))
            / comb(size, turned)
            for good in set(wanted.tolist())
        }
        return np.array([odds[int(good)] for good in wanted])

    def _most_from_tickets(self) -> float:
        """Return an upper bound for what drawing tickets adds to the margin."""
        v = self.view.struct
        s = self.world.state.copy()
        deal = min(int(self.struct.draw_deal), int(v.ticket_deck_size))
        untouched = int(v.ticket_deck_size) - sum(batch_size(v.batch[number]) for number in range(v.batches))
        seen = {*numbers_in(v.held[self.me], TICKET_BITS)}
        if untouched >= deal:
            seen |= {*numbers_in(v.returned, TICKET_BITS)}
        pool = [ticket for ticket in range(self.struct.tickets) if ticket not in seen]
        s.held[self.me] = bits(pool, TICKET_BITS, TICKET_WORDS)
        done = np.zeros(TICKET_WORDS, np.int64)
        completed_tickets(self.struct, s, self.me, np.zeros(CITIES, np.int8), done)
        joined = {*numbers_in(done.tolist(), TICKET_BITS)}
        points = [int(self.struct.ticket_points[ticket]) * (1 if ticket in joined else -1) for ticket in pool]
        bonus = sum(2 * int(self.struct.bonus_points[card]) for card in self.ticket_cards)
        if untouched < deal:
            return float(sum(max(0, more) for more in sorted(points)[-deal:]) + (bonus if joined else 0))
        draws = comb(len(points), deal)
        lucky = draws - comb(len(points) - len(joined), deal)  # draws with a ticket that is joined already
        return (sum(map(_best_of, combinations(points, deal))) + lucky * bonus) / draws


def _best_of(points: tuple[int, ...]) -> int:
    """Return what the best tickets of a draw are worth, at least one of them."""
    return sum(more for more in points if more > 0) or max(points)


def _sets_of(count: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way to draw ``count`` cards, by colour, with at most ``most`` of each."""
    if len(most) == 1:
        if count <= most[0]:
            yield (count,)
        return
    for here in range(min(count, most[0]) + 1):
        for rest in _sets_of(count - here, most[1:]):
            yield here, *rest
