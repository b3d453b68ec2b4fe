"""Check the reference against brute force, and its games against the laws of conservation."""

import copy
import math
import random
from collections import Counter
from typing import Any

import pytest

from reference import ReferenceGame, brute_force_payments, load, longest_path, random_game
from reference.bill import COLOURS, LOCOMOTIVE, TYPES, Cards, no_cards

Board = dict[str, Any]
Rule = dict[str, Any]

BOARDS = {name: load(name) for name in ("nordic-countries", "northern-lights")}
TABLES = [("nordic-countries", 2), ("nordic-countries", 3), *(("northern-lights", seats) for seats in range(2, 6))]


def numbered(board: Board, *cities: str, colour: str | None = None) -> int:
    """Return the first route between two cities."""
    return next(
        number
        for number, row in enumerate(board["routes"])
        if set(row["cities"]) == set(cities) and colour in (None, row["colour"])
    )


def at_turn(board: Board, hand: dict[str, int], seats: int = 2) -> ReferenceGame:
    """Return a game at the first turn of seat 0, who holds exactly this hand."""
    game = ReferenceGame(board, seats, seed=1, first=0)
    while game.phase == "tickets":
        game.play(game.legal()[-1])
    game.hands[0] = no_cards() | hand
    return game


def substitute_for(board: Board, row: Rule) -> tuple[int, bool, bool] | None:
    """Return how many cards replace one, whether they must be alike, and whether on any space."""
    rule = row.get("substitute") or (board["rules"]["ferry_substitute"] if row.get("locomotives") else None)
    return None if rule is None or row.get("tunnel") else (rule["cards"], rule["alike"], rule["any_space"])


def tried(board: Board, row: Rule, hand: dict[str, int]) -> dict[str, set[tuple[int, ...]]]:
    """Return all payments that brute force finds."""
    symbols = row.get("locomotives", 0)
    everywhere = board["rules"]["locomotives_pay_for"] == "every route"
    wild = everywhere or symbols > 0 or row.get("tunnel", False)
    return brute_force_payments(row["length"], symbols, row["colour"], wild, substitute_for(board, row), hand)


def laid_card_by_card(board: Board, route: int, hand: dict[str, int]) -> Counter[tuple[int, ...]]:
    """Count how often each payment is reached, over all ways of laying cards."""
    reached: Counter[tuple[int, ...]] = Counter()
    start = at_turn(board, hand)
    unfinished = []
    if ("claim", route) in start.legal():
        start.play(("claim", route))
        unfinished.append(start)
    while unfinished:
        game = unfinished.pop()
        if game.phase == "pay":
            moves = game.legal()
            assert len(moves) > 1, "a single choice is made by itself"
            for move in moves:
                unfinished.append(game.copy())
                unfinished[-1].play(move)
        else:
            assert game.owners == {route: 0}
            reached[tuple(hand.get(card, 0) - game.hands[0][card] for card in TYPES)] += 1
    return reached


def quiet(board: Board, row: Rule) -> Board:
    """Return a board whose first route is this one, and where a claim moves only the cards that pay for it."""
    board = copy.deepcopy(board)
    board["routes"][0] = {**row, "cities": ["Somewhere", "Elsewhere"], "draw_bonus": 0}
    board["cities"] += [{"name": name, "country": "Nowhere"} for name in ("Somewhere", "Elsewhere")]
    board["rules"]["tunnel_cards"] = 0
    board["rules"]["route_points"] = {str(length): length for length in range(1, 13)}
    return board


def check_against_trying(board: Board, row: Rule, hand: dict[str, int]) -> int:
    """Compare all ways of finding the payments from this hand; return how many payments there are."""
    board = quiet(board, row)
    found = tried(board, row, hand)
    legal = set().union(*found.values())
    times = Counter(payment for payments in found.values() for payment in payments)
    assert laid_card_by_card(board, 0, hand) == times
    game = at_turn(board, hand)
    chooser = random.Random(str(hand))
    for _ in range(40):
        cards = {card: chooser.randint(0, count) for card, count in hand.items()}
        assert game.can_pay(0, cards) == (tuple(cards.get(card, 0) for card in TYPES) in legal)
    for payment in legal:
        cards = dict(zip(TYPES, payment, strict=True))
        assert game.can_pay(0, cards)
        for card in TYPES:
            more, fewer = cards | {card: cards[card] + 1}, cards | {card: cards[card] - 1}
            assert game.can_pay(0, more) == (tuple(more.values()) in legal)
            assert game.can_pay(0, fewer) == (tuple(fewer.values()) in legal)
    return len(legal)


def kinds(board: Board) -> list[Rule]:
    """Return the routes that need different payments; red and green count as the same."""
    seen: dict[tuple[Any, ...], Rule] = {}
    for row in board["routes"]:
        kind = (row["length"], row.get("locomotives", 0), row["colour"] == "gray", row.get("tunnel", False))
        seen.setdefault((*kind, str(row.get("substitute"))), row)
    return list(seen.values())


def some_hand(chooser: random.Random, row: Rule) -> dict[str, int]:
    """Return a hand that can often just about pay, and is small enough for brute force."""
    while True:
        colour = chooser.choice(COLOURS) if row["colour"] == "gray" else row["colour"]
        hand = {LOCOMOTIVE: chooser.randint(0, 4), colour: chooser.randint(0, row["length"] + 3)}
        for other in chooser.sample(COLOURS, chooser.randint(0, 4)):
            hand[other] = max(hand.get(other, 0), chooser.randint(1, 6))
        if math.prod(count + 1 for count in hand.values()) <= 200:
            return hand


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param(name, row, id=f"{name}: {'–'.join(row['cities'])}")
        for name in BOARDS
        for row in kinds(BOARDS[name])
    ],
)
def test_payments_on_every_kind_of_route(name: str, row: Rule) -> None:
    chooser = random.Random(str(row))
    found = [check_against_trying(BOARDS[name], row, some_hand(chooser, row)) for _ in range(6)]
    assert any(found)


@pytest.mark.parametrize("locomotives_pay_for", ["ferries and tunnels", "every route"])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("any_space", [True, False])
def test_payments_under_the_rules_of_other_boards(
    locomotives_pay_for: str, cards: int, alike: bool, any_space: bool
) -> None:
    chooser = random.Random(f"{locomotives_pay_for} {cards} {alike} {any_space}")
    board = copy.deepcopy(BOARDS["nordic-countries"])
    board["rules"]["locomotives_pay_for"] = locomotives_pay_for
    rule = board["rules"]["ferry_substitute"] = {"cards": cards, "alike": alike, "any_space": any_space}
    for length, symbols in [(1, 1), (2, 0), (2, 1), (2, 2), (3, 1), (3, 2)]:
        for colour in ("gray", "red"):
            row: Rule = {"length": length, "colour": colour, "locomotives": symbols}
            # A route without symbols is no ferry; it has a substitute only of its own.
            row |= {} if symbols else {"substitute": rule}
            check_against_trying(board, row, some_hand(chooser, row))


def payable(name: str, cities: tuple[str, str], hand: dict[str, int], colour: str | None = None) -> bool:
    """Return whether seat 0 can claim this route with exactly this hand."""
    game = at_turn(BOARDS[name], hand)
    return game.can_pay(numbered(BOARDS[name], *cities, colour=colour), hand)


@pytest.mark.parametrize(
    ("hand", "legal"),
    [
        ({"green": 9}, True),
        ({"green": 7, "red": 8}, True),
        ({"green": 7, "red": 3, "white": 2, "black": 1, "locomotive": 2}, True),
        ({"green": 7, "locomotive": 8}, True),
        ({"green": 5, "red": 8, "blue": 8}, True),
        ({"red": 12, "blue": 12, "white": 12}, True),  # no set at all
        ({"red": 9, "blue": 9, "white": 9, "locomotive": 9}, True),
        ({"green": 8, "locomotive": 1}, False),
        ({"green": 7, "red": 7}, False),
        ({"green": 7, "red": 9}, False),
        ({"green": 9, "red": 4}, False),
        ({"green": 12, "red": 3}, False),  # nine of the green pay
        ({"red": 12, "blue": 12, "white": 11}, False),
    ],
)
def test_four_cards_replace_one_between_murmansk_and_lieksa(hand: dict[str, int], legal: bool) -> None:
    assert payable("nordic-countries", ("Murmansk", "Lieksa"), hand) is legal


@pytest.mark.parametrize(
    ("cities", "hand", "legal"),
    [
        (("Århus", "København"), {"locomotive": 1}, True),
        (("Århus", "København"), {"red": 3}, True),
        (("Århus", "København"), {"red": 1, "blue": 1, "white": 1}, True),
        (("Århus", "København"), {"red": 1}, False),
        (("Århus", "København"), {"red": 2}, False),
        (("Århus", "København"), {"red": 2, "locomotive": 1}, False),
        (("Ålborg", "Göteborg"), {"red": 1, "locomotive": 1}, True),
        (("Ålborg", "Göteborg"), {"locomotive": 2}, True),
        (("Ålborg", "Göteborg"), {"red": 4}, True),  # one of the set, three for the symbol
        (("Ålborg", "Göteborg"), {"red": 6}, True),  # two threes, if no set is named
        (("Ålborg", "Göteborg"), {"red": 5}, False),
        (("Ålborg", "Göteborg"), {"red": 3, "locomotive": 1}, True),  # no set: three cards are the second locomotive
        (("Ålborg", "Göteborg"), {"red": 2, "blue": 2, "white": 2}, True),
        (("Ålborg", "Kristiansand"), {"red": 3, "locomotive": 1}, False),  # its set is red, and one is enough
        (("Ålborg", "Kristiansand"), {"blue": 3, "locomotive": 1}, True),
        (("Ålborg", "Kristiansand"), {"blue": 6}, True),
        (("Ålborg", "Århus"), {"purple": 1}, True),
        (("Ålborg", "Århus"), {"locomotive": 1}, False),  # an ordinary route
        (("Åndalsnes", "Lillehammer"), {"yellow": 1, "locomotive": 1}, True),
        (("Åndalsnes", "Lillehammer"), {"locomotive": 2}, True),
        (("Åndalsnes", "Lillehammer"), {"yellow": 1, "red": 3}, False),  # a tunnel takes no three
        (("Åndalsnes", "Lillehammer"), {"yellow": 3}, False),
    ],
)
def test_payments_in_the_nordic_countries(cities: tuple[str, str], hand: dict[str, int], legal: bool) -> None:
    assert payable("nordic-countries", cities, hand) is legal


@pytest.mark.parametrize(
    ("cities", "hand", "legal"),
    [
        (("Karlstad", "Lillehammer"), {"black": 3}, True),
        (("Karlstad", "Lillehammer"), {"black": 1, "locomotive": 2}, True),
        (("Karlstad", "Lillehammer"), {"locomotive": 3}, True),
        (("Karlstad", "Lillehammer"), {"red": 3}, False),
        (("Mo i Rana", "Narvik"), {"red": 2, "locomotive": 2}, True),
        (("Mo i Rana", "Narvik"), {"red": 2, "blue": 2, "locomotive": 1}, True),
        (("Mo i Rana", "Narvik"), {"red": 2, "blue": 2, "white": 2}, True),
        (("Mo i Rana", "Narvik"), {"red": 6}, True),
        (("Mo i Rana", "Narvik"), {"locomotive": 4}, True),
        (("Mo i Rana", "Narvik"), {"red": 4}, False),
        (("Mo i Rana", "Narvik"), {"red": 2, "blue": 1, "white": 1, "locomotive": 1}, False),
        (("Mo i Rana", "Narvik"), {"red": 1, "blue": 1, "locomotive": 2}, False),
        (("Mo i Rana", "Narvik"), {"blue": 2, "locomotive": 3}, True),  # no set: a pair and three locomotives
        (("Helsinki", "Tallinn"), {"locomotive": 1}, True),
        (("Helsinki", "Tallinn"), {"red": 2}, True),
        (("Helsinki", "Tallinn"), {"red": 1, "blue": 1}, False),
        (("Helsinki", "Tallinn"), {"red": 1}, False),
    ],
)
def test_payments_in_the_northern_lights(cities: tuple[str, str], hand: dict[str, int], legal: bool) -> None:
    assert payable("northern-lights", cities, hand) is legal


def test_cards_you_do_not_hold_and_no_cards_at_all_pay_for_nothing() -> None:
    game = at_turn(BOARDS["nordic-countries"], {"purple": 1})
    assert game.can_pay(0, {"purple": 1})
    assert not game.can_pay(0, {"purple": 2})
    assert not game.can_pay(0, {"pink": 1})
    assert not game.can_pay(0, {"purple": 1, "red": -1})
    assert not game.can_pay(len(BOARDS["nordic-countries"]["routes"]), {"purple": 1})


def test_big_hands_are_quick() -> None:
    hand = {"red": 12, "blue": 12, "white": 12, "green": 4, "locomotive": 14}
    game = at_turn(BOARDS["nordic-countries"], hand)
    game.play(("claim", numbered(BOARDS["nordic-countries"], "Murmansk", "Lieksa")))
    while game.phase == "pay":
        game.play(game.legal()[-1])
    assert sum(hand.values()) - sum(game.hands[0].values()) == 36


def test_nobody_owns_both_sides_of_a_double_and_with_two_seats_one_side_closes() -> None:
    board = BOARDS["nordic-countries"]
    one, other = numbered(board, "Bergen", "Oslo", colour="blue"), numbered(board, "Bergen", "Oslo", colour="red")
    for seats, open_to_next in ((2, False), (3, True)):
        game = at_turn(board, {"blue": 4, "red": 4}, seats)
        game.owners[one] = 0
        assert not game.can_pay(other, {"red": 4})
        game.owners[one] = 1
        assert game.can_pay(other, {"red": 4}) is open_to_next


def test_a_tunnel_always_asks_and_giving_up_returns_the_cards() -> None:
    board = BOARDS["nordic-countries"]
    tunnel = numbered(board, "Åndalsnes", "Lillehammer")
    asked = Counter[str]()
    for seed in range(60):
        game = at_turn(board, {"yellow": 2})
        game.dice.rng = seed + 1000
        game.play(("claim", tunnel))
        if game.phase == "tunnel":
            asked["asked"] += 1
            assert game.legal() == [("give up",)]
            before = game.position()
            assert before["laid"] == {"yellow": 2}
            game.play(("give up",))
            assert game.hands[0]["yellow"] == 2
            assert game.known[0]["yellow"] == 2
            assert game.position()["discard"] == before["revealed"]
        else:
            asked["settled"] += 1
            assert game.owners == {tunnel: 0}
            assert sum(game.discard.values()) == 5
    assert set(asked) == {"asked", "settled"}


def longest_walk(tracks: list[tuple[str, str, int]], city: str, used: frozenset[int]) -> int:
    """Return the longest path from a city, by trying every one."""
    ways = [0]
    for number, (one, other, trains) in enumerate(tracks):
        if number not in used and city in (one, other):
            ways.append(trains + longest_walk(tracks, other if city == one else one, used | {number}))
    return max(ways)


def test_longest_path_is_the_longest_of_all_walks() -> None:
    chooser = random.Random(5)
    for _ in range(100):
        cities = "abcdef"[: chooser.randint(2, 6)]
        tracks = []
        for _ in range(chooser.randint(0, 7)):
            one, other = chooser.sample(cities, 2)
            tracks.append((one, other, chooser.randint(1, 4)))
        assert longest_path(tracks) == max(longest_walk(tracks, city, frozenset()) for city in cities)


def test_longest_path_of_a_dense_network_is_quick() -> None:
    grid = [(f"{x} {y}", f"{x + 1} {y}", 1) for x in range(4) for y in range(5)]
    grid += [(f"{x} {y}", f"{x} {y + 1}", 1) for x in range(5) for y in range(4)]
    assert longest_path(grid) == 34


def everything(game: ReferenceGame) -> Counter[str]:
    """Count all train cards, wherever they are."""
    piles = [*game.hands, game.deck, game.discard, game.face_up, game.laid, game.revealed]
    return sum((Counter(pile) for pile in piles), Counter())


def check_laws(game: ReferenceGame, board: Board) -> None:
    """Check that no card, train or ticket is lost or duplicated."""
    rules = board["rules"]
    cards: Cards = dict.fromkeys(COLOURS, rules["cards"]["each_colour"]) | {LOCOMOTIVE: rules["cards"]["locomotives"]}
    assert everything(game) == cards
    assert not any(game.discard.values()) or any(game.deck.values())
    assert all(game.known[seat][card] >= 0 for seat in range(game.seats) for card in TYPES)
    for seat, hand in enumerate(game.hands):
        for card in TYPES:
            held = hand[card] + (game.laid[card] if seat == game.seat else 0)
            assert game.known[seat][card] <= held
    for seat in range(game.seats):
        own = [board["routes"][route] for route, owner in game.owners.items() if owner == seat]
        assert game.trains[seat] == rules["trains"] - sum(row["length"] for row in own) >= 0
        assert len({frozenset(row["cities"]) for row in own}) == len(own)
    tickets = [*game.ticket_deck, *game.offered, *(t for held in game.tickets + (game.dealt or []) for t in held)]
    if rules["returned_tickets"] == "leave the game":
        tickets += [t for gone in game.returned for t in gone]
        assert game.batches == []
    assert sorted(tickets) == list(range(len(board["tickets"])))
    at = len(game.ticket_deck) - sum(batch["count"] for batch in game.batches)
    assert at >= 0
    for place, batch in enumerate(game.batches):
        lying = set(game.ticket_deck[at : at + batch["count"]])
        assert lying <= set(game.returned[batch["seat"]])
        assert place == 0 or not batch["opened"]
        at += batch["count"]


def numbers(game: ReferenceGame) -> list[int]:
    """Return the legal moves as numbers."""
    return [game.number(move) for move in game.legal()]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_random_games_lose_no_cards_and_invent_none(name: str, seats: int) -> None:
    board = BOARDS[name]
    for seed in range(4):
        chooser = random.Random(seed)
        game = ReferenceGame(board, seats, seed)
        # Some play for cards alone and empty the deck, some for tickets, some for anything.
        shunned = {0: "claim", 1: "draw_tickets"}.get(seed)
        for _ in range(1200):
            if game.over:
                break
            check_laws(game, board)
            moves = game.legal()
            assert numbers(game) == sorted(set(numbers(game)))
            assert [game.tuple_of(number) for number in numbers(game)] == moves
            if chooser.random() < 0.05:
                twin = ReferenceGame.from_position(board, game.position())
                assert twin.position() == game.position()
                assert twin.legal() == moves
                game.scores()
                game = twin
            wanted = [move for move in moves if move[0] != shunned]
            game.play(chooser.choice(wanted or moves))
        check_laws(game, board)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_random_games_end_and_are_scored(name: str, seats: int) -> None:
    for seed in range(3):
        game = random_game(BOARDS[name], seats, seed)
        assert game.over
        assert game.legal() == []
        table = game.scores()
        assert all(row["total"] == row["routes"] + row["tickets"] + sum(row["bonuses"].values()) for row in table)
        assert all(0 <= row["longest"] <= 40 - trains for row, trains in zip(table, game.trains, strict=True))
        best = max(row["total"] for row in table)
        assert game.winners()
        assert all(table[seat]["total"] == best for seat in game.winners())
        for card in game.position()["bonus_cards"]:
            assert any(card in row["bonuses"] for row in table), "somebody has the most, if only of nothing"


def test_an_illegal_move_changes_nothing() -> None:
    game = ReferenceGame(BOARDS["nordic-countries"], 2, seed=3)
    before = game.position()
    with pytest.raises(ValueError, match="cannot play"):
        game.play(("pass",))
    assert game.position() == before


def test_a_copy_is_independent() -> None:
    game = ReferenceGame(BOARDS["northern-lights"], 2, seed=3)
    before, twin = game.position(), game.copy()
    twin.play(twin.legal()[0])
    assert game.position() == before != twin.position()


def test_the_game_ends_when_everybody_passes() -> None:
    game = at_turn(BOARDS["northern-lights"], {}, seats=3)
    game.hands = [no_cards() for _ in range(3)]
    game.deck, game.discard, game.face_up, game.ticket_deck = no_cards(), no_cards(), no_cards(), []
    game.batches = []
    for _ in range(3):
        assert game.legal() == [("pass",)]
        game.play(("pass",))
    assert game.over
    assert game.seat == 2


def test_with_two_trains_left_everybody_has_one_more_turn() -> None:
    game = at_turn(BOARDS["northern-lights"], {"black": 3}, seats=4)
    game.trains[0] = 5
    game.play(("claim", numbered(BOARDS["northern-lights"], "Karlstad", "Lillehammer")))
    assert game.turns_left == 4
    turns = []
    while not game.over:
        if game.phase == "turn":
            turns.append(game.seat)
        game.play(("blind",))
    assert turns == [1, 2, 3, 0]


@pytest.mark.parametrize(("name", "may_take_two"), [("nordic-countries", True), ("northern-lights", False)])
def test_face_up_locomotives(name: str, may_take_two: bool) -> None:
    game = at_turn(BOARDS[name], {})
    game.face_up = no_cards() | {"red": 3, LOCOMOTIVE: 2}
    after_locomotive, after_red = game.copy(), game.copy()
    after_locomotive.play(("take", LOCOMOTIVE))
    assert (after_locomotive.phase == "second_card") is may_take_two
    after_red.play(("take", "red"))
    assert after_red.phase == "second_card"
    assert (("take", LOCOMOTIVE) in after_red.legal()) is may_take_two


def test_a_second_card_is_not_asked_for_where_there_is_none() -> None:
    game = at_turn(BOARDS["northern-lights"], {})
    game.deck, game.discard, game.face_up = no_cards(), no_cards(), no_cards() | {"red": 1, LOCOMOTIVE: 2}
    game.play(("take", "red"))
    assert (game.seat, game.phase) == (1, "turn")
    assert [move for move in game.legal() if move[0] in ("take", "blind")] == [("take", LOCOMOTIVE)]


def test_a_seat_knows_which_of_its_returned_tickets_may_still_be_in_the_deck() -> None:
    game = at_turn(BOARDS["northern-lights"], {})
    game.ticket_deck, game.batches, game.returned = [5, 9, 7, 3, 4], [], [[], [5, 7, 9]]
    game.batches = [{"seat": 1, "count": 3, "opened": False}, {"seat": 1, "count": 2, "opened": False}]
    game.returned[1] = [3, 4, 5, 7, 9]
    two_at_a_time = copy.deepcopy(game.board.rules)
    two_at_a_time["drawn_tickets"] = {"deal": 2, "keep": 1}
    game.board.rules = two_at_a_time
    game.play(("tickets",))
    assert game.batches == [{"seat": 1, "count": 1, "opened": True}, {"seat": 1, "count": 2, "opened": False}]
    assert game.returned[1] == [3, 4, 5, 7, 9]  # which two were drawn it cannot know
    game.play(("keep", 0b11))
    game.play(("tickets",))
    assert game.offered == [3, 7]
    assert game.batches == [{"seat": 1, "count": 1, "opened": False}]
    assert game.returned[1] == [4]
    game.play(("keep", 0b01))
    assert game.returned[1] == [4, 7]


def test_bonus_cards_go_to_all_who_have_the_most() -> None:
    board = copy.deepcopy(BOARDS["northern-lights"])
    board["rules"]["bonus_cards_in_play"] = len(board["bonus_cards"])
    game = at_turn(board, {"red": 5, LOCOMOTIVE: 1})
    game.hands[1] = no_cards() | {"red": 1, "blue": 1, LOCOMOTIVE: 3}
    game.tickets = [[], []]
    names = [card["name"] for card in board["bonus_cards"]]
    assert [list(row["bonuses"]) for row in game.scores()] == [names, names]
    assert game.winners() == [0, 1]
    game.owners = {numbered(board, "Honningsvåg", "Kirkenes"): 0, numbered(board, "Oslo", "Lillehammer"): 1}
    game.trains = [38, 39]
    won = [set(row["bonuses"]) for row in game.scores()]
    assert won[0] - won[1] == {"Nordic Express", "Snowplow award", "Ferry Master"}
    assert won[1] - won[0] == {"Cost efficiency", "Small steps strategist"}
    assert "The wild west" in won[0] & won[1]
