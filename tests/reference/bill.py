"""What a route asks for, and which cards are a legal payment for it.

A payment first names its set: the route's own colour, or on a gray route any colour or none (spelled
"locomotive"). Then every space is paid for in one of three ways: by one card of the set (never a space with a
locomotive symbol), by one locomotive where they are wild, or by a substitute, a group of several cards.
So with ``s`` set cards, ``l`` wild locomotives and ``g`` groups, s + l + g is the number of spaces.
"""

from collections.abc import Iterable
from dataclasses import dataclass

Cards = dict[str, int]

LOCOMOTIVE = "locomotive"
NO_SET = LOCOMOTIVE
COLOURS = ("purple", "blue", "orange", "white", "green", "yellow", "black", "red")
TYPES = (*COLOURS, LOCOMOTIVE)


def no_cards() -> Cards:
    """Return a count of 0 for every type of card."""
    return dict.fromkeys(TYPES, 0)


@dataclass(frozen=True)
class Substitute:
    """A group of ``cards`` that pays for one space. ``alike``: all of one colour; ``any_space``: not only symbols."""

    cards: int
    alike: bool
    any_space: bool


@dataclass(frozen=True)
class Bill:
    """The spaces to pay for, and which cards can pay for them."""

    spaces: int
    symbols: int  # spaces that show a locomotive
    colour: str | None  # of the set; None on a gray route
    wild: bool  # a locomotive pays for any space, and is then never part of a group
    substitute: Substitute | None

    def choices(self) -> tuple[str, ...]:
        """Return the sets that may be named, whatever the hand."""
        return TYPES if self.colour is None else (self.colour,)

    def laying_order(self, choice: str) -> list[str]:
        """Return the types of card in the order they are laid: wild locomotives, the set, then groups."""
        order = [LOCOMOTIVE] if self.wild else []
        if choice != NO_SET:
            order.append(choice)
        if self.substitute is not None:
            order += [card for card in TYPES if card not in order]
        return order

    def is_affordable(self, hand: Cards) -> bool:
        """Return whether these cards, or some of them, can pay for the route.

        A set card or a locomotive pays alone for what would cost a group, so as many as fit are used that way.
        A set of which no card is held is the same as none.
        """
        rule = self.substitute
        room = self.spaces - self.symbols
        wild = hand[LOCOMOTIVE] if self.wild else 0
        for colour in COLOURS if self.colour is None else (self.colour,):
            as_set = min(hand[colour], room)
            unpaid = self.spaces - as_set - wild
            if unpaid <= 0:
                return True
            if rule is None or (unpaid > self.symbols and not rule.any_space):
                continue
            if rule.alike:
                left = hand | {colour: hand[colour] - as_set}
                groups = sum(left[card] // rule.cards for card in (COLOURS if self.wild else TYPES))
            else:
                groups = (sum(hand.values()) - wild - as_set) // rule.cards
            if groups >= unpaid:
                return True
        return False

    def is_payment(self, choice: str, cards: Cards) -> bool:
        """Return whether exactly these cards are a legal payment with this set."""
        return self.has_payment(choice, cards, cards)

    def has_payment(self, choice: str, least: Cards, most: Cards) -> bool:
        """Return whether there is a legal payment with this set and with counts of each type within these limits.

        A payment is legal if it pays and no part of it would. A part that pays has fewer groups, and so more set
        cards. Such a part exists exactly when a group has a card of the set's colour and a space still has room for
        it as a set card: move it there, and the group is superfluous. So groups may contain the set's colour only if
        the set fills every space without a symbol.
        """
        room = self.spaces - self.symbols
        if choice == NO_SET:
            as_sets: Iterable[int] = (0,)
        elif self.colour is None:
            as_sets = range(1, room + 1)  # a colour named on a gray route must be used
        else:
            as_sets = range(room + 1)
        locomotives = range(least[LOCOMOTIVE], most[LOCOMOTIVE] + 1) if self.wild else (0,)
        rest = [card for card in TYPES if not (card == choice != NO_SET or (card == LOCOMOTIVE and self.wild))]

        for wild in locomotives:
            for as_set in as_sets:
                groups = self.spaces - wild - as_set
                if groups < 0 or not self._allows(groups):
                    continue
                size = self.substitute.cards if self.substitute else 0
                for grouped in range(groups * size + 1 if as_set == room and choice != NO_SET else 1):
                    if choice != NO_SET and not least[choice] <= as_set + grouped <= most[choice]:
                        continue
                    if self._has_groups(groups * size - grouped, grouped, rest, least, most):
                        return True
        return False

    def _allows(self, groups: int) -> bool:
        """Return whether groups may pay for this many spaces."""
        if groups == 0:
            return True
        rule = self.substitute
        return rule is not None and (rule.any_space or groups <= self.symbols)

    def _has_groups(self, wanted: int, of_set_colour: int, rest: list[str], least: Cards, most: Cards) -> bool:
        """Return whether ``wanted`` cards from the rest, and those of the set's colour, make complete groups."""
        if self.substitute is None or not self.substitute.alike:
            return sum(least[card] for card in rest) <= wanted <= sum(most[card] for card in rest)
        size = self.substitute.cards
        if of_set_colour % size:
            return False
        fewest = [-(-least[card] // size) for card in rest]  # rounded up: a group must be complete
        largest = [most[card] // size for card in rest]
        if any(low > high for low, high in zip(fewest, largest, strict=True)):
            return False
        return sum(fewest) <= wanted // size <= sum(largest)

    def offered(self, choice: str, laid: Cards, hand: Cards) -> list[str]:
        """Return the types of card that may be laid next, never going back in the laying order."""
        order = self.laying_order(choice)
        reached = max((place for place, card in enumerate(order) if laid[card]), default=0)
        offered = []
        for place in range(reached, len(order)):
            card = order[place]
            if hand[card]:
                least, most = dict(laid), dict(laid)
                least[card] += 1
                for later in order[place:]:
                    most[later] += hand[later]
                if self.has_payment(choice, least, most):
                    offered.append(card)
        return offered
