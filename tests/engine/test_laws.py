"""Laws that hold in every position of every game; Hypothesis looks for one that breaks them."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from lockstep import BOARD_FILES
from tables import BOARDS, SIZE, TABLES, WAYS, corner, play_on, situation

import northrail
from northrail.boards.board import COLOURS
from northrail.engine.batches import CHOICES
from northrail.engine.moves import move_of, number_of
from northrail.engine.rules import is_legal, legal
from northrail.engine.state import Moves, advance, scaled, seeded
from reference import ReferenceGame, brute_force_payments

pytestmark = pytest.mark.engine

SMALL = SIZE.name == "small"
MANY_EXAMPLES = settings(max_examples=SIZE.pick(10, 120, 3000))
EXAMPLES = settings(max_examples=SIZE.pick(4, 40, 2000))
FEW_EXAMPLES = settings(max_examples=SIZE.pick(3, 20, 1000))


# Plain functions under `st.builds`, so that a failure prints a call to paste into an `@example`.


def played(table: tuple[str, int], seed: int, way: str, moves: int, late: bool) -> northrail.Game:
    """Play a game for some moves; a ``late`` one begins with next to nothing on the table."""
    board, seats = BOARDS[table[0]], table[1]
    game = corner(board, seats, seed) if late else northrail.Game(board, seats, seed)
    return play_on(game, way, random.Random(seed), moves)


def games() -> st.SearchStrategy[northrail.Game]:
    """Games somewhere between the deal and the end."""
    return st.builds(
        played,
        table=st.sampled_from(TABLES),
        seed=st.integers(0, 2**32),
        way=st.sampled_from(list(WAYS)),
        moves=st.integers(0, 40 if SMALL else 400),
        late=st.just(False) if SMALL else st.sampled_from([False, False, False, True]),
    )


def at_next_turn(game: northrail.Game, seed: int) -> northrail.Game:
    """Return a copy played on to the beginning of a turn, in a new game if this one is over."""
    game, chance = game.copy(), random.Random(seed)
    while game.phase != "turn":
        if game.over:
            game = northrail.Game(game.board, game.seats, seed=chance.randrange(1000))
        play_on(game, "any", chance, 1)
    return game


def turns() -> st.SearchStrategy[northrail.Game]:
    """Games at the beginning of a turn."""
    return st.builds(at_next_turn, games(), st.integers(0, 1000))


def digest(game: northrail.Game) -> tuple[Any, ...]:
    """Return everything about a game that could change."""
    return game.position(), bytes(game.state), game.record()


def test_a_failure_prints_a_call_to_paste_into_an_example() -> None:
    @settings(phases=[Phase.generate])
    @given(turns())
    def fails(_: northrail.Game) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        fails()
    notes = "".join("".join(caught.value.__notes__).split())
    assert "at_next_turn(played(table=('nor" in notes, notes


# --- conservation -----------------------------------------------------------------------------------------------------


@EXAMPLES
@given(games())
def test_cards_trains_and_tickets_are_conserved(game: northrail.Game) -> None:
    board, position = game.board, game.position()
    cards = Counter[str]()
    for place in (*position["hands"], *(position[n] for n in ("face_up", "deck", "discard", "laid", "revealed"))):
        cards.update(place)
    every = dict.fromkeys(COLOURS[:-1], board.rules.each_colour) | {"locomotive": board.rules.locomotives}
    assert dict(cards) == every
    for seat in range(game.seats):
        used = sum(board.routes[int(route)].length for route, owner in position["owners"].items() if owner == seat)
        assert used + position["trains"][seat] == board.rules.trains
    places = [*position["tickets"], position["offered"], position["ticket_deck"], *(position["dealt"] or [])]
    if not board.rules.returned_go_under:
        places += position["returned"]
    tickets = Counter(tuple(ticket) for place in places for ticket in place)
    assert tickets == Counter(ticket.cities for ticket in board.tickets)


@EXAMPLES
@given(games())
def test_fields_stay_in_their_ranges(game: northrail.Game) -> None:
    board = game.board
    s: Any = game.state  # whose fields are NumPy's
    rules, seats = board.rules, game.seats
    colours = board.struct.card_count
    for field in ("face_up", "discard", "laid", "revealed", "deck", "hand", "known"):
        assert (getattr(s, field) >= 0).all() and (getattr(s, field) <= colours).all(), field
    assert 0 <= s.face_up.sum() <= rules.face_up
    assert 0 <= s.revealed.sum() <= rules.tunnel_cards
    assert s.deck.sum() == s.deck_size and (s.deck_size > 0 or not s.discard.any())
    assert (s.hand.sum(axis=1) == s.hand_size).all()
    assert (s.trains[:seats] >= 0).all() and (s.trains[:seats] <= rules.trains).all()
    assert 0 <= s.seat < seats and 0 <= s.first < seats and 0 <= s.choosing <= seats
    assert -1 <= s.turns_left <= seats and 0 <= s.passes <= seats
    assert 0 <= s.offered_count <= rules.first_tickets[0]
    assert 0 < s.rng < 2**63 and 0 <= s.ticket_deck_size <= len(board.tickets)
    laid = s.laid if s.seat in range(seats) else 0
    for seat in range(seats):
        assert (s.known[seat] <= s.hand[seat] + (laid if seat == s.seat else 0)).all()
    for field in ("owned", "open", "hand", "known", "trains", "ticket_count", "returned_count", "held", "returned"):
        assert not getattr(s, field)[seats:].any(), f"{field} of seats that are not there"


@EXAMPLES
@given(games())
def test_scores_add_up(game: northrail.Game) -> None:
    scores, position = game.scores(), game.position()
    names = {card.name: card.points for card in game.board.bonus_cards}
    for seat, score in enumerate(scores):
        owned = [game.board.routes[int(route)] for route, owner in position["owners"].items() if owner == seat]
        assert score.total == score.routes + score.tickets + sum(score.bonuses.values())
        assert score.routes == sum(route.points for route in owned) == game.view(None).points[seat]
        assert score.bonuses.items() <= names.items() and set(score.bonuses) <= set(position["bonus_cards"])
        assert 0 <= score.completed <= len(position["tickets"][seat])
        assert 0 <= score.longest <= sum(route.length for route in owned)
    for card in position["bonus_cards"]:
        assert any(card in score.bonuses for score in scores)
    assert game.winners() and all(scores[seat].total == max(score.total for score in scores) for seat in game.winners())


# --- moves ------------------------------------------------------------------------------------------------------------


@FEW_EXAMPLES
@given(games())
def test_the_list_of_moves_agrees_with_is_legal_and_play(game: northrail.Game) -> None:
    """Every listed move is legal. Every other number is refused with an explanation, and nothing changes."""
    moves = Moves()
    legal(game.board.struct, game.state, moves)
    listed = [move.number for move in game.moves()]
    assert listed == sorted(set(listed)) and bool(listed) != game.over
    numbers = range(len(game.board.routes) + 53)
    assert [number for number in numbers if is_legal(game.board.struct, moves, number)] == listed
    before = digest(game)
    for number in numbers:
        if number not in listed:
            with pytest.raises((northrail.IllegalMove, northrail.BadMove), match=r"\w+ \w+"):
                game.play(number)
    assert digest(game) == before
    for number in (-1, len(numbers)):
        with pytest.raises(northrail.BadMove):
            game.play(number)


@EXAMPLES
@given(games())
def test_a_move_and_its_text_are_interchangeable(game: northrail.Game) -> None:
    moves = game.moves()
    texts = [str(move) for move in moves]
    assert len(set(texts)) == len(texts)
    position = game.position()
    offered = tuple(game.board.ticket(*cities) for cities in position["offered"])
    for move in moves:
        assert number_of(game.board, str(move), offered) == move.number
        assert move_of(game.board, move.number, offered) == move
        assert number_of(game.board, str(move).upper().replace("–", "-"), offered) == move.number


@FEW_EXAMPLES
@given(games(), st.integers(0, 1000))
def test_a_move_its_text_and_its_number_play_the_same(game: northrail.Game, pick: int) -> None:
    assume(not game.over)
    move = game.moves()[pick % len(game.moves())]
    spellings: list[northrail.Move | str | int] = [move, str(move), move.number]
    copies = [game.copy() for _ in spellings]
    events = [copy.play(spelled) for copy, spelled in zip(copies, spellings, strict=True)]
    assert events[0] == events[1] == events[2]
    assert copies[0] == copies[1] == copies[2]


def test_every_move_of_a_board_has_its_own_text(board: northrail.Board) -> None:
    offered = tuple(range(5))
    texts = [str(move_of(board, number, offered)) for number in range(len(board.routes) + 53)]
    assert len(set(texts)) == len(texts)
    assert [number_of(board, text, offered) for text in texts] == list(range(len(texts)))


# --- copies, records, positions ---------------------------------------------------------------------------------------


@EXAMPLES
@given(games(), st.integers(0, 2**32))
def test_copies_are_independent(game: northrail.Game, seed: int) -> None:
    before = digest(game)
    copy = game.copy()
    assert copy == game and digest(copy) == before
    play_on(copy, "any", random.Random(seed), 5)
    assert digest(game) == before
    assert (copy == game) == (copy.position() == game.position())


@FEW_EXAMPLES
@given(games())
def test_a_record_replays_to_the_same_game(game: northrail.Game) -> None:
    record = json.loads(json.dumps(game.record()))
    again = northrail.Game.replay(record)
    assert again == game and again.record() == game.record()
    half = len(record["moves"]) // 2
    part = northrail.Game.replay(record, upto=half)
    for text in record["moves"][half:]:
        part.play(text)
    assert part == game


@EXAMPLES
@given(games(), st.integers(0, 2**32))
def test_a_position_is_the_whole_game(game: northrail.Game, seed: int) -> None:
    """This includes the future: the same moves lead to the same end."""
    position = json.loads(json.dumps(game.position()))
    again = northrail.Game.from_position(game.board, position)
    assert again == game and again.position() == position
    assert [move.number for move in again.moves()] == [move.number for move in game.moves()]
    play_on(again, "any", random.Random(seed), 20)
    assert again == play_on(game, "any", random.Random(seed), 20)


def test_positions_of_every_phase_survive_a_round_trip(table: tuple[northrail.Board, int]) -> None:
    board, seats = table
    phases = set()
    game, chance = northrail.Game(board, seats, seed=8), random.Random(8)
    while not game.over:
        if game.phase not in phases or chance.random() < (0.02 if SMALL else 0.2):
            assert northrail.Game.from_position(board, game.position()) == game
        phases.add(game.phase)
        play_on(game, "tunnels", chance, 1)
    assert northrail.Game.from_position(board, game.position()) == game
    tunnels = {"tunnel"} if any(route.tunnel for route in board.routes) else set()
    assert phases == {"tickets", "turn", "second_card", "pay"} | tunnels


# --- paying -----------------------------------------------------------------------------------------------------------


@st.composite
def payments(draw: st.DrawFn) -> tuple[northrail.Game, int, dict[str, int]]:
    """Draw a turn, a route (one that can be claimed, if any) and some cards, often from the hand."""
    game = draw(turns())
    claims = [move.route for move in game.moves() if move.route is not None]
    some = st.integers(0, len(game.board.routes) - 1)
    route = draw(st.sampled_from(claims) | some if claims else some)
    hand = game.position()["hands"][game.seat]
    most = {colour: min(hand.get(colour, 0) + draw(st.integers(0, 1)), 9) for colour in COLOURS}
    cards = {colour: draw(st.integers(0, most[colour]) | st.just(0)) for colour in COLOURS}
    return game, route, {colour: count for colour, count in cards.items() if count}


@MANY_EXAMPLES
@given(payments())
def test_the_reference_accepts_the_same_payments(found: tuple[northrail.Game, int, dict[str, int]]) -> None:
    game, route, cards = found
    twin = ReferenceGame.from_position(BOARD_FILES[game.board.id], game.position())
    assert game.can_pay(route, cards) == twin.can_pay(route, cards)
    if not game.can_pay(route, cards):
        before = digest(game)
        with pytest.raises(northrail.IllegalMove, match=r"\(move \d+\)"):
            game.claim(route, cards)
        assert digest(game) == before


@EXAMPLES
@given(turns())
def test_payments_on_offer_are_accepted(game: northrail.Game) -> None:
    """Every listed payment is legal and costs exactly these cards; every claimable route lists at least one."""
    options = game.view(game.seat).options
    assert options is not None
    twin = ReferenceGame.from_position(BOARD_FILES[game.board.id], game.position())
    assert set(options["claim"]) == {str(move.route) for move in game.moves() if move.route is not None}
    for route, price in options["claim"].items():
        assert price["payments"]
        used = [payment.get("locomotive", 0) for payment in price["payments"]]
        assert used == sorted(used), "the cheapest in locomotives first"
        for payment in price["payments"]:
            assert game.can_pay(int(route), payment) and twin.can_pay(int(route), payment)


@FEW_EXAMPLES
@given(turns(), st.integers(0, 1000))
def test_a_claim_by_its_cards_equals_laying_them_one_by_one(game: northrail.Game, pick: int) -> None:
    """Laying a payment card by card ends in the same position as `claim`, including the tunnel question."""
    claims = [move.route for move in game.moves() if move.route is not None]
    assume(claims)
    route = claims[pick % len(claims)]
    chance = random.Random(pick)
    for _ in range(4):
        laid = game.copy()
        events = laid.play(route)
        hand = Counter(game.position()["hands"][game.seat])
        while laid.phase == "pay":
            events += laid.play(chance.choice(laid.moves()))
        told = next(event for event in events if event.code in ("tunnel_tried", "claimed"))
        cards = told.public["cards"]
        assert Counter(cards) <= hand and game.can_pay(route, cards)
        whole = game.copy()
        assert whole.claim(route, cards) == events
        assert whole.position() == laid.position()


# Routes that differ in what may pay for them, and hands small enough to try everything.
SHAPES = {
    name: list(
        {
            (r.length, r.locomotives, r.colour, r.wild, r.substitute, r.tunnel): number
            for number, r in enumerate(board.routes)
            if r.length <= 4
        }.values()
    )
    for name, board in BOARDS.items()
}


@st.composite
def small_hands(draw: st.DrawFn) -> tuple[northrail.Game, int, dict[str, int]]:
    """Draw a first turn with a hand of up to seven cards, and a route."""
    name = draw(st.sampled_from(list(BOARDS)))
    board = BOARDS[name]
    route = draw(st.sampled_from(SHAPES[name]))
    own = board.routes[route].colour
    colours = st.sampled_from([own if own != "gray" else "green", "locomotive", "red", "blue"])
    hand = dict(Counter(draw(st.lists(colours, max_size=7))))
    return draw(st.builds(with_hand, st.just(name), st.just(hand))), route, hand


def with_hand(name: str, hand: dict[str, int]) -> northrail.Game:
    """Return a game at the first turn of seat 0, with exactly this hand; the deck holds the other cards."""
    board = BOARDS[name]
    game = northrail.Game(board, 2, seed=1, first=0)
    while game.phase == "tickets":
        game.play(game.moves()[-1])
    position = game.position()
    cards = Counter(dict.fromkeys(COLOURS[:-1], board.rules.each_colour)) + Counter(locomotive=board.rules.locomotives)
    row = Counter(yellow=3, purple=2)
    position.update(hands=[hand, {}], known=[{}, {}], face_up=dict(row), deck=dict(cards - row - Counter(hand)))
    return northrail.Game.from_position(board, position)


def laid_card_by_card(game: northrail.Game, route: int) -> Counter[tuple[int, ...]]:
    """Count how often each payment is reached, over all ways of laying cards."""
    reached = Counter[tuple[int, ...]]()
    unfinished: list[tuple[northrail.Game, northrail.Move]] = []
    unfinished += [(game.copy(), move) for move in game.moves() if move.route == route]
    while unfinished:
        at, move = unfinished.pop()
        for event in at.play(move):
            if event.code in ("tunnel_tried", "claimed"):
                paid = event.public["cards"]
                reached[tuple(paid.get(colour, 0) for colour in COLOURS)] += 1
                break
        else:
            choices = at.moves()
            assert len(choices) > 1, "a single choice is made by itself"
            unfinished += [(at.copy(), choice) for choice in choices]
    return reached


@MANY_EXAMPLES
@given(small_hands())
def test_every_legal_payment_can_be_laid_card_by_card(found: tuple[northrail.Game, int, dict[str, int]]) -> None:
    """Card by card you reach exactly the payments that brute force finds, each once per set you can name."""
    game, number, hand = found
    route = game.board.routes[number]
    rule = route.substitute
    tried = brute_force_payments(
        route.length,
        route.locomotives,
        route.colour,
        route.wild,
        None if rule is None else (rule.cards, rule.alike, rule.any_space),
        hand,
    )
    expected = Counter(payment for choice in tried.values() for payment in choice)
    assert laid_card_by_card(game, number) == expected
    for payment in expected:
        assert game.can_pay(number, dict(zip(COLOURS, payment, strict=True)))


# --- many games -------------------------------------------------------------------------------------------------------


def test_random_games_are_the_same_on_one_thread_or_two(table: tuple[northrail.Board, int]) -> None:
    board, seats = table
    count, half = (2, 1) if SMALL else (501, 250)
    one, two = (northrail.random_games(board, seats, count, seed=3, threads=threads) for threads in (1, 2))
    assert one.tobytes() == two.tobytes()
    assert one["winners"].any(axis=1).all() and (one["turns"] <= one["decisions"]).all()
    later = northrail.random_games(board, seats, half, seed=3 + half)
    assert later.tobytes() == one[half : 2 * half].tobytes()


def test_each_of_many_random_games_is_the_game_of_its_seed(table: tuple[northrail.Board, int]) -> None:
    board, seats = table
    count = 1 if SMALL else 8
    results = northrail.random_games(board, seats, count, seed=17)
    for number in range(count):
        game = northrail.Game(board, seats, seed=17 + number)
        rng, decisions, turns_played = seeded(17 + number + CHOICES), 0, 0
        while not game.over:
            moves = game.moves()
            rng = advance(rng)
            turns_played += game.phase == "turn"
            decisions += 1
            game.play(moves[scaled(rng, len(moves))])
        row = results[number]
        assert (row["decisions"], row["turns"]) == (decisions, turns_played)
        assert row["scores"].tolist() == [score.total for score in game.scores()]
        assert row["winners"].nonzero()[0].tolist() == game.winners()


def test_seeds_give_different_games(board: northrail.Board) -> None:
    deals = {json.dumps(northrail.Game(board, 2, seed).position()["hands"]) for seed in range(50)}
    assert len(deals) > 45
    assert northrail.Game(board, 2, 7) == northrail.Game(board, 2, 7) != northrail.Game(board, 2, 8)
    assert situation(board, 2, 3) == situation(board, 2, 3)
