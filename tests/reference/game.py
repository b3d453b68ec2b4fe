"""A whole game, slow and obvious, in the order of the rulebook."""

import copy
import random
from collections.abc import Iterable
from typing import Any

from .bill import LOCOMOTIVE, TYPES, Cards, no_cards
from .board import ReferenceBoard, Route
from .dice import Dice, seeded
from .moves import Move, move_of, number_of
from .scoring import bonus_count, is_joined, longest_route_of


def shown(cards: Cards) -> Cards:
    """Return cards as a position shows them, without counts of 0."""
    return {card: count for card, count in cards.items() if count}


def counted(cards: dict[str, int]) -> Cards:
    """Return the cards of a position, with counts of 0 added."""
    return {card: cards.get(card, 0) for card in TYPES}


class ReferenceGame:
    """A game on a board read from its file: a dictionary."""

    # ------------------------------------------------------------------ setting up

    def _lay_out(self, board: dict[str, Any], seats: int, rng: int) -> None:
        """Set up an empty table."""
        self.board = ReferenceBoard(board, seats)
        self.seats = seats
        self.dice = Dice(rng)
        self.first = 0
        self.seat = 0
        self.phase = "tickets"
        self.hands = [no_cards() for _ in range(seats)]
        self.known = [no_cards() for _ in range(seats)]  # which of each seat's cards the others know
        self.owners: dict[int, int] = {}  # route -> seat
        self.face_up = no_cards()
        self.deck = no_cards()
        self.discard = no_cards()
        self.laid = no_cards()  # out of the hand, not yet discarded
        self.revealed = no_cards()  # turned over for a tunnel
        self.route: int | None = None  # being claimed
        self.set: str | None = None
        self.tickets: list[list[int]] = [[] for _ in range(seats)]
        self.offered: list[int] = []
        self.dealt: list[list[int]] | None = None  # first tickets of the seats that have yet to choose
        self.returned: list[list[int]] = [[] for _ in range(seats)]
        self.batches: list[dict[str, Any]] = []  # returned tickets at the bottom of the deck
        self.ticket_deck: list[int] = []  # the first is the top
        self.trains = [self.board.rules["trains"]] * seats
        self.bonus_cards: list[int] = []
        self.turns_left: int | None = None
        self.passes = 0
        self._options: list[Move] | None = None  # computed once per move

    def __init__(self, board: dict[str, Any], seats: int, seed: int, first: int | None = None) -> None:
        self._lay_out(board, seats, seeded(seed))
        rules = self.board.rules
        drawn_first = self.dice.below(seats)
        self.first = drawn_first if first is None else first
        self.seat = self.first

        for card in TYPES:
            self.deck[card] = rules["cards"]["locomotives" if card == LOCOMOTIVE else "each_colour"]
        for hand in self.hands:
            for _ in range(rules["cards"]["hand"]):
                hand[self._draw_card()] += 1
        self._fill_row()

        self.ticket_deck = list(range(len(self.board.tickets)))
        self.dice.shuffle(self.ticket_deck)
        self.dealt = []
        for _ in range(seats):
            self.dealt.append(self.ticket_deck[: rules["first_tickets"]["deal"]])
            del self.ticket_deck[: rules["first_tickets"]["deal"]]

        bonus = list(range(len(self.board.bonus_cards)))
        if rules["bonus_cards_in_play"] < len(bonus):
            for place in range(rules["bonus_cards_in_play"]):
                other = place + self.dice.below(len(bonus) - place)
                bonus[place], bonus[other] = bonus[other], bonus[place]
            bonus = bonus[: rules["bonus_cards_in_play"]]
        self.bonus_cards = sorted(bonus)
        self._offer_first_tickets()

    def copy(self) -> "ReferenceGame":
        """Return an independent copy of the game."""
        return copy.deepcopy(self, {id(self.board): self.board})  # the board never changes

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == "over"

    # ------------------------------------------------------------------ train cards

    def _draw_card(self) -> str:
        """Draw a random card from the deck, which has no order, only counts."""
        place = self.dice.below(sum(self.deck.values()))
        for card, count in self.deck.items():
            if place < count:
                self.deck[card] -= 1
                return card
            place -= count
        raise AssertionError("the dice named a card beyond the deck")

    def _restock(self) -> None:
        """Make the discards the new deck as soon as the old one is empty."""
        if any(self.deck.values()) or not any(self.discard.values()):
            return
        self.deck, self.discard = self.discard, no_cards()
        if self.seats == 2:
            # All other cards are visible now, so each seat can work out what the other holds.
            for seat, hand in enumerate(self.hands):
                for card in TYPES:
                    self.known[seat][card] = hand[card] + (self.laid[card] if seat == self.seat else 0)

    def _fill_row(self) -> None:
        """Fill the row with cards as long as there are any; on some boards, too many locomotives are discarded."""
        limit = self.board.rules.get("flush_row_at", 0)
        for attempt in range(4):
            missing = self.board.rules["cards"]["face_up"] - sum(self.face_up.values())
            while missing > 0 and any(self.deck.values()):
                self.face_up[self._draw_card()] += 1
                self._restock()
                missing -= 1
            if limit == 0 or self.face_up[LOCOMOTIVE] < limit:
                return
            if attempt < 3 and any(self.deck.values()):
                for card in TYPES:
                    self.discard[card] += self.face_up[card]
                self.face_up = no_cards()

    def _draw_to_hand(self) -> None:
        self.hands[self.seat][self._draw_card()] += 1
        self._restock()

    def _takeable(self) -> list[str]:
        """Return the face-up cards this seat may take now."""
        only_first = self.board.rules["face_up_locomotive"] == "first card only"
        no_locomotive = only_first and self.phase == "second_card"
        return [card for card, count in self.face_up.items() if count and not (card == LOCOMOTIVE and no_locomotive)]

    def _take(self, card: str) -> None:
        self.face_up[card] -= 1
        self.hands[self.seat][card] += 1
        self.known[self.seat][card] += 1
        self._fill_row()
        ends_draw = card == LOCOMOTIVE and self.board.rules["face_up_locomotive"] == "first card only"
        self._after_card(ends_draw)

    def _take_blind(self) -> None:
        self._draw_to_hand()
        self._after_card(False)

    def _after_card(self, ends_draw: bool) -> None:
        """Ask for the second card if one can be drawn."""
        was_first = self.phase == "turn"
        self.phase = "second_card"
        if not was_first or ends_draw or not (any(self.deck.values()) or self._takeable()):
            self._end_turn()

    # ------------------------------------------------------------------ claiming

    def _is_open(self, route: Route) -> bool:
        """Return whether this seat may still claim the route, whatever its cards."""
        if route.number in self.owners or route.length > self.trains[self.seat]:
            return False
        owners = [self.owners[other] for other in route.parallels if other in self.owners]
        return len(owners) < self.board.in_use[len(route.parallels)] and self.seat not in owners

    def _claimable(self) -> list[int]:
        hand = self.hands[self.seat]
        affordable = [bill.is_affordable(hand) for bill in self.board.bills]
        return [route.number for route in self.board.routes if affordable[route.bill] and self._is_open(route)]

    def can_pay(self, route: int, cards: dict[str, int]) -> bool:
        """Return whether the seat to move may claim the route now with exactly these cards."""
        if self.phase != "turn" or not 0 <= route < len(self.board.routes):
            return False
        if any(card not in TYPES for card in cards):
            return False
        payment = counted(cards)
        hand = self.hands[self.seat]
        if not all(0 <= payment[card] <= hand[card] for card in TYPES):
            return False
        asked = self.board.routes[route]
        bill = self.board.bills[asked.bill]
        return self._is_open(asked) and any(bill.is_payment(choice, payment) for choice in bill.choices())

    def _claim(self, route: int) -> None:
        self.phase = "pay"
        self.route = route
        self.set = self.board.bills[self.board.routes[route].bill].colour
        self._go_on_paying()

    def _payable(self) -> list[str]:
        """Return the cards that may be named next: first the set of a gray route, then the cards to lay."""
        assert self.route is not None
        bill = self.board.bills[self.board.routes[self.route].bill]
        hand = self.hands[self.seat]
        if self.set is None:
            return [choice for choice in bill.choices() if bill.has_payment(choice, no_cards(), hand)]
        return bill.offered(self.set, self.laid, hand)

    def _name(self, card: str) -> None:
        """Answer the question of the payment with a card."""
        if self.set is None:
            self.set = card
        else:
            self._lay(card)

    def _lay(self, card: str) -> None:
        self.hands[self.seat][card] -= 1
        self.laid[card] += 1

    def _go_on_paying(self) -> None:
        """Lay forced cards until a real choice remains or the payment is complete."""
        assert self.route is not None
        route = self.board.routes[self.route]
        bill = self.board.bills[route.bill]
        while self.set is None or not bill.is_payment(self.set, self.laid):
            cards = self._payable()
            if len(cards) > 1:
                return
            self._name(cards[0])
        if route.tunnel:
            self._reveal()
        else:
            self._settle()

    def _reveal(self) -> None:
        """Turn over cards for a tunnel, and ask for extra cards even if giving up is the only answer."""
        for _ in range(self.board.rules["tunnel_cards"]):
            if any(self.deck.values()):
                self.revealed[self._draw_card()] += 1
                self._restock()
        if self.laid[LOCOMOTIVE] == sum(self.laid.values()):
            self.set = LOCOMOTIVE
        if self._owed():
            self.phase = "tunnel"
        else:
            self._settle()

    def _owed(self) -> int:
        """Return how many extra cards the tunnel still costs."""
        assert self.set is not None
        asked = self.revealed[LOCOMOTIVE]
        if self.set != LOCOMOTIVE:
            asked += self.revealed[self.set]
        return asked - self._added()

    def _added(self) -> int:
        """Return how many extra cards were paid for the tunnel, beyond one per space."""
        assert self.route is not None
        return sum(self.laid.values()) - self.board.routes[self.route].length

    def _addable(self) -> list[str]:
        """Return the extra cards that may be laid for a tunnel: locomotives first, then the colour laid."""
        hand, owed, colour = self.hands[self.seat], self._owed(), self.set
        assert colour is not None
        coloured = 0 if colour == LOCOMOTIVE else hand[colour]
        cards = []
        if coloured and coloured >= owed:
            cards.append(colour)
        if hand[LOCOMOTIVE] and hand[LOCOMOTIVE] + coloured >= owed:
            cards.append(LOCOMOTIVE)
        return cards

    def _add(self, card: str) -> None:
        """Lay an extra card. Locomotives come first, so after a card of the colour the rest is of the colour too."""
        self._lay(card)
        while self._owed():
            cards = [card] if card != LOCOMOTIVE else self._addable()
            if len(cards) > 1:
                return
            card = cards[0]
            self._lay(card)
        self._settle()

    def _give_up(self) -> None:
        hand, known = self.hands[self.seat], self.known[self.seat]
        for card in TYPES:
            hand[card] += self.laid[card]
            known[card] = max(known[card], self.laid[card])
        self.laid = no_cards()
        self._discard_revealed()
        self._restock()
        self._fill_row()
        self._end_turn()

    def _discard_revealed(self) -> None:
        for card in TYPES:
            self.discard[card] += self.revealed[card]
        self.revealed = no_cards()

    def _settle(self) -> None:
        """Complete a paid claim: place the trains, discard the payment, and draw the route's extra cards."""
        assert self.route is not None
        route = self.board.routes[self.route]
        self.owners[self.route] = self.seat
        self.trains[self.seat] -= route.length
        known = self.known[self.seat]
        for card in TYPES:
            known[card] = max(0, known[card] - self.laid[card])
            self.discard[card] += self.laid[card]
        self.laid = no_cards()
        self._discard_revealed()
        self._restock()
        for _ in range(route.draw_bonus):
            if any(self.deck.values()):
                self._draw_to_hand()
        self._fill_row()
        self._end_turn()

    # ------------------------------------------------------------------ tickets

    def _offer_first_tickets(self) -> None:
        assert self.dealt is not None
        self.offered = sorted(self.dealt[self.seat])
        self.dealt[self.seat] = []

    def _draw_tickets(self) -> None:
        count = min(self.board.rules["drawn_tickets"]["deal"], len(self.ticket_deck))
        self.offered = sorted(self._top_ticket() for _ in range(count))
        self.phase = "tickets"

    def _top_ticket(self) -> int:
        """Draw the next ticket, and update what each seat knows about the returned ones."""
        only_returned_left = len(self.ticket_deck) == sum(batch["count"] for batch in self.batches)
        ticket = self.ticket_deck.pop(0)
        if ticket in self.returned[self.seat]:
            self.returned[self.seat].remove(ticket)
        if only_returned_left:
            batch = self.batches[0]
            batch["count"] -= 1
            if batch["seat"] != self.seat:
                batch["opened"] = True
            if batch["count"] == 0:
                # Everybody sees that a batch is used up, so the seat that returned it knows what remains.
                self.batches.pop(0)
                self.returned[batch["seat"]] = self._in_batches_of(batch["seat"])
        return ticket

    def _in_batches_of(self, seat: int) -> list[int]:
        """Return the tickets in the deck that this seat returned."""
        found: list[int] = []
        place = len(self.ticket_deck) - sum(batch["count"] for batch in self.batches)
        for batch in self.batches:
            if batch["seat"] == seat:
                found += self.ticket_deck[place : place + batch["count"]]
            place += batch["count"]
        return sorted(found)

    def _keeps(self) -> list[int]:
        """Return the sets of offered tickets that may be kept, as bits."""
        rule = self.board.rules["first_tickets" if self.dealt is not None else "drawn_tickets"]
        least = min(rule["keep"], len(self.offered))
        return [mask for mask in range(1, 1 << len(self.offered)) if mask.bit_count() >= least]

    def _keep(self, mask: int) -> None:
        kept = [ticket for place, ticket in enumerate(self.offered) if mask >> place & 1]
        self._return_tickets([ticket for ticket in self.offered if ticket not in kept])
        self.tickets[self.seat] = sorted(self.tickets[self.seat] + kept)
        self.offered = []
        if self.dealt is None:
            self._end_turn()
            return
        self.seat = (self.seat + 1) % self.seats
        if self.seat == self.first:
            self.dealt = None
            self.phase = "turn"
        else:
            self._offer_first_tickets()

    def _return_tickets(self, batch: list[int]) -> None:
        self.returned[self.seat] = sorted(self.returned[self.seat] + batch)
        if batch and self.board.rules["returned_tickets"] == "go under the deck":
            self.dice.shuffle(batch)
            self.ticket_deck += batch
            self.batches.append({"seat": self.seat, "count": len(batch), "opened": False})

    # ------------------------------------------------------------------ turns and moves

    def _end_turn(self, passed: bool = False) -> None:
        self.route = None
        self.set = None
        self.passes = self.passes + 1 if passed else 0
        if self.passes == self.seats:
            self.phase = "over"  # nobody had a legal move, and nothing would ever change
            return
        if self.turns_left is not None:
            self.turns_left -= 1
            if self.turns_left == 0:
                self.phase = "over"
                return
        elif self.trains[self.seat] <= self.board.rules["last_round_at"]:
            self.turns_left = self.seats
        self.seat = (self.seat + 1) % self.seats
        self.phase = "turn"

    def legal(self) -> list[Move]:
        """Return every legal move, in number order."""
        if self._options is None:
            self._options = self._work_out_moves()
        return list(self._options)

    def _work_out_moves(self) -> list[Move]:
        if self.phase == "tickets":
            return [("keep", mask) for mask in self._keeps()]
        if self.phase == "pay":
            return [("card", card) for card in sorted(self._payable(), key=TYPES.index)]
        if self.phase == "tunnel":
            return [("card", card) for card in self._addable()] + ([] if self._added() else [("give up",)])
        if self.phase == "over":
            return []
        moves: list[Move] = []
        if self.phase == "turn":
            moves += [("claim", route) for route in self._claimable()]
        moves += [("take", card) for card in self._takeable()]
        if any(self.deck.values()):
            moves.append(("blind",))
        if self.phase == "turn" and self.ticket_deck:
            moves.append(("tickets",))
        return moves or [("pass",)]

    def play(self, move: Move) -> None:
        """Make a move; raise ValueError and change nothing if it is illegal."""
        if move not in self.legal():
            raise ValueError(f"seat {self.seat} cannot play {move} in phase {self.phase}")
        self._options = None
        match move:
            case ("claim", route):
                self._claim(route)
            case ("take", card):
                self._take(card)
            case ("blind",):
                self._take_blind()
            case ("tickets",):
                self._draw_tickets()
            case ("card", card) if self.phase == "pay":
                self._name(card)
                self._go_on_paying()
            case ("card", card):
                self._add(card)
            case ("give up",):
                self._give_up()
            case ("keep", mask):
                self._keep(mask)
            case ("pass",):
                self._end_turn(passed=True)

    def number(self, move: Move) -> int:
        """Return the number of a move on this board."""
        return number_of(move, len(self.board.routes))

    def tuple_of(self, number: int) -> Move:
        """Return the move with a number on this board."""
        return move_of(number, len(self.board.routes))

    # ------------------------------------------------------------------ counting

    def scores(self) -> list[dict[str, Any]]:
        """Return the scores, as if the game ended now; tickets not chosen yet do not count."""
        table: list[dict[str, Any]] = []
        for seat in range(self.seats):
            routes = self._routes_of(seat)
            tickets = [self.board.tickets[number] for number in self.tickets[seat]]
            completed = [ticket for ticket in tickets if is_joined(*ticket.cities, routes)]
            table.append(
                {
                    "routes": sum(route.points for route in routes),
                    "tickets": sum(t.points if t in completed else -t.points for t in tickets),
                    "bonuses": {},
                    "completed": len(completed),
                    "longest": longest_route_of(routes),
                }
            )
        for number in self.bonus_cards:
            card = self.board.bonus_cards[number]
            counts = [self._count_for(card, seat, table[seat]["longest"]) for seat in range(self.seats)]
            for seat, count in enumerate(counts):
                if count == max(counts):
                    table[seat]["bonuses"][card["name"]] = card["points"]
        for row in table:
            row["total"] = row["routes"] + row["tickets"] + sum(row["bonuses"].values())
        return table

    def _routes_of(self, seat: int) -> list[Route]:
        return [self.board.routes[number] for number, owner in self.owners.items() if owner == seat]

    def _count_for(self, card: dict[str, Any], seat: int, longest: int) -> int:
        routes = self._routes_of(seat)
        tickets = [self.board.tickets[number] for number in self.tickets[seat]]
        completed = [ticket for ticket in tickets if is_joined(*ticket.cities, routes)]
        return bonus_count(card, self.board, routes, completed, self.hands[seat], self.trains[seat], longest)

    def winners(self) -> list[int]:
        """Return the winning seats: most points, then the board's tie-breaks; seats still tied share the win."""
        table = self.scores()
        ranks = []
        for row in table:
            values = {
                "completed tickets": row["completed"],
                "longest path": row["longest"],
                "bonus cards": len(row["bonuses"]),
            }
            ranks.append([row["total"], *(values[name] for name in self.board.rules["tie_break"])])
        return [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]

    # ------------------------------------------------------------------ positions

    def position(self) -> dict[str, Any]:
        """Return the whole situation by names, ready for JSON."""
        return {
            "board": self.board.id,
            "seats": self.seats,
            "first": self.first,
            "seat": self.seat,
            "phase": self.phase,
            "hands": [shown(hand) for hand in self.hands],
            "known": [shown(known) for known in self.known],
            "owners": {str(route): self.owners[route] for route in sorted(self.owners)},
            "face_up": shown(self.face_up),
            "deck": shown(self.deck),
            "discard": shown(self.discard),
            "laid": shown(self.laid),
            "revealed": shown(self.revealed),
            "route": self.route,
            "set": self.set,
            "tickets": [self._named(tickets) for tickets in self.tickets],
            "offered": self._named(self.offered),
            "dealt": None if self.dealt is None else [self._named(sorted(tickets)) for tickets in self.dealt],
            "returned": [self._named(tickets) for tickets in self.returned],
            "batches": [dict(batch) for batch in self.batches],
            "ticket_deck": self._named(self.ticket_deck),
            "trains": list(self.trains),
            "bonus_cards": [self.board.bonus_cards[number]["name"] for number in self.bonus_cards],
            "turns_left": self.turns_left,
            "passes": self.passes,
            "rng": self.dice.rng,
        }

    def _named(self, tickets: Iterable[int]) -> list[list[str]]:
        return [list(self.board.tickets[number].cities) for number in tickets]

    def _numbered(self, tickets: Iterable[list[str]]) -> list[int]:
        return [self.board.ticket_numbers[one, other] for one, other in tickets]

    @classmethod
    def from_position(cls, board: dict[str, Any], position: dict[str, Any]) -> "ReferenceGame":
        """Return the game at a complete position."""
        game = cls.__new__(cls)
        game._lay_out(board, position["seats"], position["rng"])
        for field in ("first", "seat", "phase", "route", "set", "turns_left", "passes"):
            setattr(game, field, position[field])
        for field in ("face_up", "deck", "discard", "laid", "revealed"):
            setattr(game, field, counted(position[field]))
        game.hands = [counted(hand) for hand in position["hands"]]
        game.known = [counted(known) for known in position["known"]]
        game.owners = {int(route): seat for route, seat in position["owners"].items()}
        game.tickets = [game._numbered(tickets) for tickets in position["tickets"]]
        game.offered = game._numbered(position["offered"])
        dealt = position["dealt"]
        game.dealt = None if dealt is None else [game._numbered(tickets) for tickets in dealt]
        game.returned = [game._numbered(tickets) for tickets in position["returned"]]
        game.batches = [dict(batch) for batch in position["batches"]]
        game.ticket_deck = game._numbered(position["ticket_deck"])
        game.trains = list(position["trains"])
        names = [card["name"] for card in game.board.bonus_cards]
        game.bonus_cards = [names.index(name) for name in position["bonus_cards"]]
        return game


def random_game(board: dict[str, Any], seats: int, seed: int) -> ReferenceGame:
    """Play a game to its end with random moves."""
    game = ReferenceGame(board, seats, seed)
    chooser = random.Random(seed)
    while not game.over:
        game.play(chooser.choice(game.legal()))
    return game
