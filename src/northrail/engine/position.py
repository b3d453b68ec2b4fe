"""Positions: convert a state to JSON with names for everything, and back with every field checked."""

from collections.abc import Callable, Mapping
from typing import Any

from northrail.boards.board import (
    CARDS,
    COLOURS,
    LENGTH,
    LOCOMOTIVE,
    MOST_CARDS,
    NOBODY,
    ROUTE_BITS,
    TICKET_BITS,
    TICKET_WORDS,
    Board,
    Route,
    bits,
    numbers_in,
)
from northrail.boards.checks import nearest
from northrail.engine.payment import layable, owed
from northrail.engine.rules import clear, own
from northrail.engine.scoring import has_chosen
from northrail.engine.state import (
    NOT_YET,
    OVER,
    PAY,
    PHASES,
    TICKETS_PHASE,
    TUNNEL,
    UNCHOSEN,
    State,
    batch_of,
    batch_seat,
    batch_size,
    seeded,
)
from northrail.engine.view import cards_of
from northrail.errors import BadMove, BadPosition


def position_of(board: Board, s: State) -> dict[str, Any]:
    """Return the position of a state."""
    seats = range(int(s.seats))

    def cities(tickets: Any) -> list[list[str]]:
        return [list(board.tickets[ticket].cities) for ticket in tickets]

    held = [cities(numbers_in(s.held[seat], TICKET_BITS)) for seat in seats]
    waits = [s.choosing > 0 and seat != s.seat and not has_chosen(s, seat) for seat in seats]
    owners = {route: seat for seat in seats for route in numbers_in(s.owned[seat], ROUTE_BITS)}
    return {
        "board": board.id,
        "seats": len(seats),
        "first": int(s.first),
        "seat": int(s.seat),
        "phase": PHASES[s.phase],
        "hands": [cards_of(s.hand[seat]) for seat in seats],
        "known": [cards_of(s.known[seat]) for seat in seats],
        "owners": {str(route): owners[route] for route in sorted(owners)},
        "face_up": cards_of(s.face_up),
        "deck": cards_of(s.deck),
        "discard": cards_of(s.discard),
        "laid": cards_of(s.laid),
        "revealed": cards_of(s.revealed),
        "route": None if s.route == NOBODY else int(s.route),
        "set": None if s.set_colour == UNCHOSEN else COLOURS[s.set_colour],
        "tickets": [[] if waits[seat] else held[seat] for seat in seats],
        "offered": cities(numbers_in(s.offered, TICKET_BITS)),
        "dealt": [held[seat] if waits[seat] else [] for seat in seats] if s.choosing > 0 else None,
        "returned": [cities(numbers_in(s.returned[seat], TICKET_BITS)) for seat in seats],
        "batches": [
            {
                "seat": int(batch_seat(s.batch[number])),
                "count": int(batch_size(s.batch[number])),
                "opened": bool(number == 0 and s.opened),
            }
            for number in range(s.batches)
        ],
        "ticket_deck": cities(int(ticket) for ticket in s.ticket_deck[: s.ticket_deck_size]),
        "trains": [int(s.trains[seat]) for seat in seats],
        "bonus_cards": [card.name for at, card in enumerate(board.bonus_cards) if int(s.bonus_cards) >> at & 1],
        "turns_left": None if s.turns_left == NOT_YET else int(s.turns_left),
        "passes": int(s.passes),
        "rng": int(s.rng),
    }


FIELDS = (
    *("board", "seats", "first", "seat", "phase", "hands", "known", "owners", "face_up", "deck", "discard", "laid"),
    *("revealed", "route", "set", "tickets", "offered", "dealt", "returned", "batches", "ticket_deck", "trains"),
    *("bonus_cards", "turns_left", "passes", "rng"),
)


def state_of(board: Board, position: Mapping[str, Any]) -> State:
    """Return the state of a position; raise BadPosition, which names the first wrong field."""
    if not isinstance(position, Mapping):
        raise BadPosition(f"expected a position with fields such as hands and owners, got {position!r}")
    return _Reader(board, position).s


class _Reader:
    """Reads a position field by field into a state."""

    def __init__(self, board: Board, position: Mapping[str, Any]) -> None:
        self.board = board
        self.position = position
        self.s = State()
        for name in position:
            if name not in FIELDS:
                hint = nearest(name, FIELDS, f"; expected {', '.join(FIELDS)}")
                raise BadPosition(f"unknown field {name!r}{hint}")
        if position.get("board", board.id) != board.id:
            raise self.bad("board", f"expected {board.id}", position["board"])
        clear(self.s)
        least, most = board.rules.seats
        self.seats = self.number("seats", least, most)
        self.s.seats = self.seats
        self.s.first = self.number("first", 0, self.seats - 1, 0)
        self.s.seat = self.number("seat", 0, self.seats - 1)
        if position.get("phase") not in PHASES:
            raise self.bad("phase", f"expected one of {', '.join(PHASES)}", position.get("phase"))
        self.s.phase = PHASES.index(position["phase"])
        self.read_routes()
        self.read_cards()
        self.read_tickets()
        self.read_ending()
        self.read_payment()
        self.s.rng = self.number("rng", 1, 2**63 - 1, seeded(0))

    # --- reading values

    def bad(self, field: str, expected: str, got: Any) -> BadPosition:
        """Return the error about a field."""
        return BadPosition(f"{field}: {expected}, got {got!r}")

    def number(self, field: str, least: int, most: int, default: int | None = None) -> int:
        """Read a whole number within limits."""
        value = self.position.get(field, default)
        if type(value) is not int or not least <= value <= most:
            raise self.bad(field, f"expected a number from {least} to {most}", value)
        return value

    def per_seat(self, field: str, default: Callable[[], Any] | None = None) -> list[Any]:
        """Read a list with an entry for each seat."""
        value = self.position.get(field)
        if value is None and default is not None:
            return [default() for _ in range(self.seats)]
        if not isinstance(value, list) or len(value) != self.seats:
            raise self.bad(field, f"expected a list of {self.seats}, one for each seat", value)
        return value

    def cards(self, field: str, value: Any) -> list[int]:
        """Read card counts by colour, from {"red": 2} or ["red", "red"]."""
        counts = [0] * CARDS
        if isinstance(value, list) and all(isinstance(colour, str) for colour in value):
            value = {colour: value.count(colour) for colour in value}
        if not isinstance(value, Mapping):
            raise self.bad(field, 'expected cards such as {"red": 2}', value)
        for colour, count in value.items():
            if colour not in COLOURS or type(count) is not int or not 0 <= count <= MOST_CARDS:
                raise self.bad(field, f"expected numbers of {', '.join(COLOURS)}", {colour: count})
            counts[COLOURS.index(colour)] = count
        return counts

    def tickets(self, field: str, value: Any) -> list[int]:
        """Read ticket numbers, from pairs of cities."""
        if not isinstance(value, list):
            raise self.bad(field, 'expected tickets such as [["Oslo", "Helsinki"]]', value)
        numbers = []
        for ends in value:
            if not isinstance(ends, (list, tuple)) or len(ends) != 2:
                raise self.bad(field, "expected two cities", ends)
            try:
                numbers.append(self.board.ticket(*ends))
            except BadMove as error:
                raise BadPosition(f"{field}: {error}") from error
        if len(set(numbers)) != len(numbers):
            raise self.bad(field, "expected each ticket once", value)
        return numbers

    # --- reading fields

    def read_routes(self) -> None:
        """Read the owners, and from them the trains, the points and the open routes."""
        s, board = self.s, self.board
        for seat in range(self.seats):
            s.trains[seat] = board.rules.trains
            s.open[seat] = board.struct.fits[LENGTH]
        owners = self.position.get("owners", {})
        if not isinstance(owners, Mapping):
            raise self.bad("owners", 'expected routes and seats such as {"12": 0}', owners)
        numbers = {str(number) for number in range(len(board.routes))}
        for key, seat in owners.items():
            good = str(key) in numbers and type(seat) is int and 0 <= seat < self.seats
            if not good:
                raise self.bad("owners", f"expected a route from 0 to {len(board.routes) - 1} and a seat", {key: seat})
            route = int(key)
            if not s.open[seat, route // ROUTE_BITS] >> (route % ROUTE_BITS) & 1:
                expected = f"expected a route open to seat {seat}, with no parallel route that closes it"
                raise self.bad("owners", expected, f"{key} ({board.routes[route]})")
            if s.trains[seat] < board.routes[route].length:
                raise self.bad(
                    "owners", f"expected routes for at most {board.rules.trains} trains of seat {seat}", dict(owners)
                )
            own(board.struct, s, seat, route)
            s.trains[seat] -= board.routes[route].length
            s.points[seat] += board.routes[route].points
        left = [int(s.trains[seat]) for seat in range(self.seats)]
        for seat, trains in enumerate(self.per_seat("trains", lambda: None)):
            if trains is None:
                continue
            if type(trains) is not int or not 0 <= trains <= left[seat]:
                raise self.bad("trains", f"expected at most {left}, the trains that `owners` leaves", trains)
            s.trains[seat] = trains

    def read_cards(self) -> None:
        """Read the hands, the row and the piles, which together hold every card of the board once."""
        s, rules = self.s, self.board.rules
        for seat, value in enumerate(self.per_seat("hands")):
            s.hand[seat] = self.cards("hands", value)
            if sum(s.hand[seat].tolist()) > MOST_CARDS:
                raise self.bad("hands", f"expected at most {MOST_CARDS} cards in a hand", value)
            s.hand_size[seat] = sum(s.hand[seat].tolist())
        for field in ("face_up", "discard", "laid", "revealed"):
            getattr(s, field)[:] = self.cards(field, self.position.get(field, {}))
        if sum(s.face_up.tolist()) > rules.face_up:
            raise self.bad("face_up", f"expected at most {rules.face_up} cards", cards_of(s.face_up))
        outside = [
            sum(int(getattr(s, field)[at]) for field in ("face_up", "discard", "laid", "revealed"))
            for at in range(CARDS)
        ]
        held = [sum(hand[at] for hand in s.hand.tolist()) for at in range(CARDS)]
        rest = [int(self.board.struct.card_count[at]) - outside[at] - held[at] for at in range(CARDS)]
        if min(rest) < 0:
            colour = rest.index(min(rest))
            total = int(self.board.struct.card_count[colour])
            raise self.bad(
                "hands", f"expected {total} {COLOURS[colour]} cards in all places together", total - rest[colour]
            )
        deck = self.cards("deck", self.position["deck"]) if "deck" in self.position else rest
        if deck != rest:
            raise self.bad("deck", f"expected {cards_of(rest)}, the cards that are nowhere else", cards_of(deck))
        s.deck[:] = deck
        s.deck_size = sum(deck)
        if s.deck_size == 0 and any(s.discard):
            raise self.bad("deck", "expected cards, because the discards replace an empty deck at once", {})
        for seat, value in enumerate(self.per_seat("known", dict)):
            s.known[seat] = self.cards("known", value)
            laid = s.laid.tolist() if seat == s.seat else [0] * CARDS
            mine = [hand + more for hand, more in zip(s.hand[seat].tolist(), laid, strict=True)]
            if any(known > most for known, most in zip(s.known[seat], mine, strict=True)):
                raise self.bad("known", f"expected cards that seat {seat} holds ({cards_of(mine)})", value)

    def read_tickets(self) -> None:
        """Read the tickets in hand, on offer, returned and in the deck; each must be in one place."""
        s, board = self.s, self.board
        places: list[int] = []
        for seat, value in enumerate(self.per_seat("tickets")):
            tickets = self.tickets("tickets", value)
            places += tickets
            s.held[seat] = bits(tickets, TICKET_BITS, TICKET_WORDS)
            s.ticket_count[seat] = len(tickets)
        offered = self.tickets("offered", self.position.get("offered", []))
        places += offered
        s.offered[:] = bits(offered, TICKET_BITS, TICKET_WORDS)
        s.offered_count = len(offered)
        places += self.read_dealt()
        if (s.phase == TICKETS_PHASE) != (s.offered_count > 0):
            raise self.bad("offered", "expected tickets in phase tickets, none in others", self.position.get("offered"))
        deal = board.rules.first_tickets[0] if s.choosing else board.rules.drawn_tickets[0]
        if s.offered_count > deal:
            raise self.bad("offered", f"expected at most {deal} tickets", self.position["offered"])
        returned = [self.tickets("returned", value) for value in self.per_seat("returned", list)]
        for seat in range(self.seats):
            s.returned[seat] = bits(returned[seat], TICKET_BITS, TICKET_WORDS)
            s.returned_count[seat] = len(returned[seat])
            if not board.rules.returned_go_under:
                places += returned[seat]
        missing = [ticket for ticket in range(len(board.tickets)) if ticket not in places]
        given = self.position.get("ticket_deck", [list(board.tickets[ticket].cities) for ticket in missing])
        deck = self.tickets("ticket_deck", given)
        twice = [str(ticket) for at, ticket in enumerate(board.tickets) if (places + deck).count(at) > 1]
        if twice:  # a ticket that is nowhere is out of the game
            raise BadPosition(f"ticket_deck: expected every ticket in one place, got {', '.join(twice)} in two")
        s.ticket_deck[: len(deck)] = deck
        s.ticket_deck_size = len(deck)
        self.read_batches(deck, returned)

    def read_dealt(self) -> list[int]:
        """Read the first tickets of the seats that have yet to choose."""
        s = self.s
        dealt = self.position.get("dealt")
        if dealt is None:
            return []
        lists = [self.tickets("dealt", value) for value in self.per_seat("dealt")]
        s.choosing = 1 + sum(bool(tickets) for tickets in lists)
        waiting = [(int(s.seat) + turn) % self.seats for turn in range(1, int(s.choosing))]
        ends_right = (int(s.seat) + int(s.choosing)) % self.seats == s.first
        if (
            sorted(waiting) != [seat for seat in range(self.seats) if lists[seat]]
            or not ends_right
            or s.phase != TICKETS_PHASE
        ):
            raise self.bad(
                "dealt", f"expected tickets for the seats that choose after seat {s.seat}, and no others", dealt
            )
        for seat in waiting:
            if len(lists[seat]) != self.board.rules.first_tickets[0] or any(s.held[seat]):
                raise self.bad(
                    "dealt", f"expected {self.board.rules.first_tickets[0]} tickets and none kept yet", lists[seat]
                )
            s.held[seat] = bits(lists[seat], TICKET_BITS, TICKET_WORDS)
        return [ticket for tickets in lists for ticket in tickets]

    def read_batches(self, deck: list[int], returned: list[list[int]]) -> None:
        """Read which seats returned which tickets under the deck."""
        s = self.s
        if not self.board.rules.returned_go_under:
            if self.position.get("batches"):
                raise self.bad("batches", "expected none: returned tickets leave the game", self.position["batches"])
            return
        whose = {ticket: seat for seat in range(self.seats) for ticket in returned[seat]}
        batches = self.position.get("batches")
        if batches is None:  # work them out: neighbours at the bottom of the deck that the same seat returned
            batches = []
            for ticket in reversed(deck):
                if ticket not in whose:
                    break
                if not batches or batches[0]["seat"] != whose[ticket]:
                    batches.insert(0, {"seat": whose[ticket], "count": 0})
                batches[0]["count"] += 1
        if not isinstance(batches, list):
            raise self.bad("batches", 'expected a list such as [{"seat": 0, "count": 2}]', batches)
        at = len(deck)
        for number, batch in reversed(list(enumerate(batches))):
            seat, count = (batch.get("seat"), batch.get("count")) if isinstance(batch, Mapping) else (None, None)
            if (
                type(seat) is not int
                or type(count) is not int
                or not (0 <= seat < self.seats and 0 < count <= min(at, 15))
            ):
                raise self.bad("batches", 'expected something like {"seat": 0, "count": 2}', batch)
            if not set(deck[at - count : at]) <= set(returned[seat]):
                raise self.bad("batches", "expected a seat and how many of its `returned` tickets are there", batch)
            s.batch[number] = batch_of(seat, count)
            at -= count
            if batch.get("opened") and number == 0:
                s.opened = 1
        s.batches = len(batches)
        for seat in range(self.seats):
            under_deck = sum(batch["count"] for batch in batches if batch["seat"] == seat)
            opened = s.opened and batches[0]["seat"] == seat
            if len(returned[seat]) < under_deck or (len(returned[seat]) > under_deck and not opened):
                raise self.bad(
                    "returned", f"expected the tickets of seat {seat} in `batches`", self.position.get("returned")
                )

    def read_ending(self) -> None:
        """Read the bonus cards in play, the last round and the passes."""
        s, board = self.s, self.board
        names = [card.name for card in board.bonus_cards]
        given = self.position.get("bonus_cards", names if board.rules.bonus_cards_in_play == len(names) else None)
        if not isinstance(given, list) or not all(name in names for name in given) or len(set(given)) != len(given):
            raise self.bad("bonus_cards", f"expected names of {', '.join(names)}, each once", given)
        s.bonus_cards = sum(1 << names.index(name) for name in given)
        over = s.phase == OVER
        if self.position.get("turns_left") is not None:
            s.turns_left = self.number("turns_left", 0 if over else 1, self.seats)
        s.passes = self.number("passes", 0, self.seats if over else self.seats - 1, 0)

    def read_payment(self) -> None:
        """Read the route that is being paid for, and the cards laid and revealed for it."""
        s, board = self.s, self.board
        if s.phase not in (PAY, TUNNEL):
            for field in ("route", "set", "laid", "revealed"):
                if self.position.get(field):
                    raise self.bad(field, f"expected nothing in phase {PHASES[s.phase]}", self.position[field])
            if self.position.get("route") == 0:
                raise self.bad("route", f"expected null in phase {PHASES[s.phase]}", 0)
            return
        s.route = number = self.number("route", 0, len(board.routes) - 1)
        route = board.routes[number]
        if not s.open[s.seat, number // ROUTE_BITS] >> (number % ROUTE_BITS) & 1 or s.trains[s.seat] < route.length:
            raise self.bad("route", f"expected a route open to seat {s.seat} and not longer than its trains", number)
        laid = [COLOURS[at] for at in range(LOCOMOTIVE) if s.laid[at]]
        if s.phase == TUNNEL:
            default: str | None = laid[0] if laid else "locomotive"
        else:
            default = None if route.colour == "gray" else route.colour
        chosen = self.position.get("set", default)
        s.set_colour = UNCHOSEN if chosen is None else COLOURS.index(chosen) if chosen in COLOURS else 99
        right = chosen == default if s.phase == TUNNEL else route.colour in ("gray", chosen)
        if s.set_colour == 99 or not right or (chosen is None and any(s.laid)):
            raise self.bad("set", f"expected the colour of the set for {route}", chosen)
        if s.phase == TUNNEL:
            self.read_tunnel(laid, route)
            return
        if any(s.revealed):
            raise self.bad("revealed", "expected nothing in phase pay", cards_of(s.revealed))
        s.choices = layable(board.struct, s)
        if s.choices == 0:
            raise self.bad("laid", "expected the beginning of a payment that the hand can finish", cards_of(s.laid))

    def read_tunnel(self, laid: list[str], route: Route) -> None:
        """Read the cards laid for a tunnel, and what it costs extra."""
        s = self.s
        extra = sum(s.laid.tolist()) - route.length
        right = len(laid) < 2 and route.colour in ("gray", *laid) if laid else True
        if not route.tunnel or not right or not 0 <= extra <= s.laid[LOCOMOTIVE]:
            raise self.bad("laid", f"expected {route.length} cards for the tunnel {route}", cards_of(s.laid))
        s.extra = extra
        if sum(s.revealed.tolist()) > self.board.rules.tunnel_cards or owed(s) < 1:
            raise self.bad(
                "revealed", "expected the cards turned over, with an extra cost to pay", cards_of(s.revealed)
            )
