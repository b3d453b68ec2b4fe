"""Make other worlds that look the same to one seat, from positions instead of views."""

import copy
import itertools
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tables import Position

import northrail

Ticket = tuple[str, str]


def hidden_cards(position: Position, seat: int) -> Counter[str]:
    """Return the cards of a hand that others do not know; they know the cards being laid."""
    laid: Counter[str] = Counter(position["laid"]) if seat == position["seat"] else Counter()
    return Counter(position["hands"][seat]) - (Counter(position["known"][seat]) - laid)


def undone(position: Position, board: northrail.Board) -> Position:
    """Return the position as others see it: an unfinished payment, or one of extra tunnel cards, is taken back."""
    new = copy.deepcopy(position)
    hand = Counter(new["hands"][new["seat"]])
    laid: Counter[str] = Counter(new["laid"])
    if new["phase"] == "pay":
        new["hands"][new["seat"]] = dict(hand + laid)
        new.update(phase="turn", laid={}, route=None, set=None)
    elif new["phase"] == "tunnel":
        added = Counter(locomotive=sum(laid.values()) - board.routes[new["route"]].length)
        new["hands"][new["seat"]] = dict(hand + added)
        new["laid"] = dict(laid - added)
    return new


def altered(position: Position, board: northrail.Board, me: int | None, chance: random.Random) -> Position:
    """Return the position with everything changed that seat ``me`` (None: a spectator) cannot know."""
    new = copy.deepcopy(position) if me == position["seat"] else undone(position, board)
    new["rng"] = chance.randrange(1, 1 << 62)
    others = [seat for seat in range(new["seats"]) if seat != me]
    if new["phase"] != "over":
        _deal_cards(new, others, chance)
    if new["dealt"] is not None:
        _deal_first_tickets(new, board, others, me, chance)
    elif board.rules.returned_go_under:
        _deal_tickets_under(new, others, me, chance)
    else:
        _deal_tickets_out(new, others, me, chance)
    return new


def _deal_cards(new: Position, others: list[int], chance: random.Random) -> None:
    hidden = {seat: hidden_cards(new, seat) for seat in others}
    pool = sorted(sum(hidden.values(), Counter(new["deck"])).elements())
    chance.shuffle(pool)
    for seat in others:
        fresh = Counter(pool.pop() for _ in range(hidden[seat].total()))
        new["hands"][seat] = dict(Counter(new["hands"][seat]) - hidden[seat] + fresh)
    new["deck"] = dict(Counter(pool))


def tuples(tickets: Iterable[Any]) -> list[Ticket]:
    """Return tickets as tuples, which can be compared and counted."""
    return [(one, other) for one, other in tickets]


def _deal_first_tickets(
    new: Position, board: northrail.Board, others: list[int], me: int | None, chance: random.Random
) -> None:
    """Deal first tickets anew; even how many a seat kept is hidden until all have chosen."""
    deal, keep = board.rules.first_tickets
    deck = tuples(new["ticket_deck"])
    top = deck[: len(deck) - sum(batch["count"] for batch in new["batches"])]
    chosen = [(new["first"] + at) % new["seats"] for at in range((new["seat"] - new["first"]) % new["seats"])]
    pool = top + (tuples(new["offered"]) if new["seat"] != me else [])
    for seat in others:
        pool += tuples(new["tickets"][seat] + new["returned"][seat] + new["dealt"][seat])
    chance.shuffle(pool)
    for seat in others:
        if seat in chosen:
            mine = [pool.pop() for _ in range(deal)]
            kept = chance.randint(keep, deal)
            new["tickets"][seat], new["returned"][seat] = mine[:kept], mine[kept:]
        elif seat == new["seat"]:
            new["offered"] = [pool.pop() for _ in range(deal)]
        else:
            new["dealt"][seat] = [pool.pop() for _ in range(deal)]
    new["ticket_deck"] = pool
    new["batches"] = []
    if board.rules.returned_go_under:
        for seat in chosen:
            batch = chance.sample(tuples(new["returned"][seat]), len(new["returned"][seat]))
            if batch:
                new["ticket_deck"] = new["ticket_deck"] + batch
                new["batches"].append({"seat": seat, "count": len(batch), "opened": False})


def _deal_tickets_out(new: Position, others: list[int], me: int | None, chance: random.Random) -> None:
    """Deal tickets anew where returned ones leave the game: others know them no better than those in the deck."""
    places = [(new, "ticket_deck"), *((new["returned"], seat) for seat in others)]
    if new["phase"] != "over":
        places += [(new["tickets"], seat) for seat in others]
    if new["seat"] != me:
        places.append((new, "offered"))
    _shuffle_places(places, chance)


def _shuffle_places(places: list[Any], chance: random.Random) -> None:
    pool = tuples(ticket for owner, key in places for ticket in owner[key])
    chance.shuffle(pool)
    for owner, key in places:
        owner[key] = [pool.pop() for _ in owner[key]]


def _deal_tickets_under(new: Position, others: list[int], me: int | None, chance: random.Random) -> None:
    """Deal tickets anew where returned ones go under the deck: a seat knows its own batch, but not the order."""
    deck = tuples(new["ticket_deck"])
    at = len(deck) - sum(batch["count"] for batch in new["batches"])
    top, parts = deck[:at], []
    for batch in new["batches"]:
        parts.append(deck[at : at + batch["count"]])
        at += batch["count"]
    stacks: dict[str, list[Ticket]] = {"top": top}
    remembered = [] if me is None else tuples(new["returned"][me])
    opened: list[Ticket] = []  # the tickets of an own batch that another seat has drawn from
    for number, batch in enumerate(new["batches"]):
        if batch["seat"] == me and batch["opened"]:
            later = zip(parts[1:], new["batches"][1:], strict=True)
            still = [ticket for part, other in later if other["seat"] == me for ticket in part]
            opened = [ticket for ticket in remembered if ticket not in still]
        elif batch["seat"] == me:
            chance.shuffle(parts[number])
        else:
            stacks[str(number)] = parts[number]
    places: list[Any] = [(stacks, key) for key in stacks]
    if new["phase"] != "over":
        places += [(new["tickets"], seat) for seat in others]
    if new["seat"] != me:
        places.append((new, "offered"))
    if opened:
        # Which of them remain is hidden too: replace them with a random choice of the same size.
        stay = chance.sample(opened, len(parts[0]))
        leave = [ticket for ticket in parts[0] if ticket not in stay]
        come = [ticket for ticket in stay if ticket not in parts[0]]
        swap = dict(zip(come, leave, strict=True))
        for owner, key in places:
            owner[key] = [swap.get((one, other), (one, other)) for one, other in owner[key]]
        parts[0] = stay
    _shuffle_places(places, chance)
    for number in range(len(parts)):
        parts[number] = stacks.get(str(number), parts[number])
    new["ticket_deck"] = stacks["top"] + [ticket for part in parts for ticket in part]
    for seat in others:
        _remember(new, parts, seat, chance)


def _remember(new: Position, parts: list[list[Ticket]], seat: int, chance: random.Random) -> None:
    """Set what another seat knows of its batches; an opened batch may include tickets that are gone."""
    known = [t for part, batch in zip(parts, new["batches"], strict=True) if batch["seat"] == seat for t in part]
    lacking = len(new["returned"][seat]) - len(known)
    own = known + tuples(new["tickets"][seat]) + (tuples(new["offered"]) if seat == new["seat"] else [])
    anything = [t for t in tuples(new["ticket_deck"]) + tuples([*itertools.chain(*new["tickets"])]) if t not in own]
    new["returned"][seat] = known + chance.sample(anything, lacking)
