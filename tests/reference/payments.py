"""Find payments for small hands by brute force, to check the arithmetic in ``bill``."""

from functools import cache
from itertools import product

from .bill import COLOURS, LOCOMOTIVE, NO_SET, TYPES

Payment = tuple[int, ...]  # how many of each type of card, in the order of TYPES


def parts(cards: Payment) -> list[Payment]:
    """Return every multiset of these cards, including none and all."""
    return list(product(*(range(count + 1) for count in cards)))


def groups(cards: Payment, size: int, alike: bool) -> list[Payment]:
    """Return every group of ``size`` of these cards."""
    return [part for part in parts(cards) if sum(part) == size and (not alike or max(part) == size)]


def without(cards: Payment, taken: Payment) -> Payment:
    """Return the cards that remain."""
    return tuple(have - gone for have, gone in zip(cards, taken, strict=True))


def is_part(part: Payment, cards: Payment) -> bool:
    """Return whether ``part`` is a proper part of ``cards``."""
    return part != cards and all(few <= many for few, many in zip(part, cards, strict=True))


def brute_force_payments(
    spaces: int,
    symbols: int,
    colour: str,
    wild: bool,
    substitute: tuple[int, bool, bool] | None,
    hand: dict[str, int],
) -> dict[str, set[Payment]]:
    """Return all legal payments from a small hand, by the set that was named first ("locomotive" for none).

    ``colour`` may be "gray"; ``substitute`` is how many cards, whether alike, whether for any space.
    """
    one = {card: tuple(int(card == other) for other in TYPES) for card in TYPES}

    @cache
    def pays(choice: str, symbols_left: int, plain_left: int, set_used: bool, cards: Payment) -> bool:
        """Return whether the cards can be divided among the spaces so that every space is paid and no card is left."""
        if symbols_left == plain_left == 0:
            # Naming a colour on a gray route without using it is the same as naming none.
            return sum(cards) == 0 and (set_used or choice == NO_SET or colour != "gray")
        is_symbol = symbols_left > 0
        ways: list[tuple[Payment, bool]] = []  # cards for the next space, and whether they are of the set
        if wild:
            ways.append((one[LOCOMOTIVE], False))
        if choice != NO_SET and not is_symbol:
            ways.append((one[choice], True))
        if substitute is not None and (is_symbol or substitute[2]):
            # A wild locomotive would pay for the space alone, so no group contains one.
            loose = (*cards[:-1], 0) if wild else cards
            ways += [(group, False) for group in groups(loose, substitute[0], substitute[1])]
        return any(
            pays(
                choice,
                symbols_left - is_symbol,
                plain_left - (not is_symbol),
                set_used or is_set,
                without(cards, way),
            )
            for way, is_set in ways
            if min(without(cards, way)) >= 0
        )

    found = {}
    for choice in (*COLOURS, NO_SET) if colour == "gray" else (colour,):
        paying = [
            cards
            for cards in parts(tuple(hand.get(card, 0) for card in TYPES))
            if pays(choice, symbols, spaces - symbols, False, cards)
        ]
        found[choice] = {cards for cards in paying if not any(is_part(part, cards) for part in paying)}
    return found
