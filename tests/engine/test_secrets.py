"""What a seat cannot know never affects what it sees; and the worlds it imagines have the right probabilities."""

import functools
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from tables import BOARDS, TABLES, WAYS, Position, Size, choose, corner, play_on, situation
from worlds import altered, hidden_cards, tuples, undone

import northrail
from northrail.engine.knowledge import imagine
from northrail.engine.position import position_of
from northrail.engine.state import State, seeded

pytestmark = pytest.mark.engine

Table = tuple[northrail.Board, int]


def lookers(game: northrail.Game) -> list[int | None]:
    """Every seat, and the spectator."""
    return [*range(game.seats), None]


def seen(game: northrail.Game, me: int | None) -> tuple[bytes, str]:
    """Return everything a seat sees, as bytes and as JSON."""
    view = game.view(me)
    return bytes(view.struct), json.dumps(view.json())


def is_opened(game: northrail.Game) -> bool:
    """Return whether another seat has drawn from a batch of returned tickets."""
    return any(batch["opened"] for batch in game.position()["batches"])


# What to play on to, how, and by which sign it is reached.
WANTED: dict[str, tuple[str, Callable[[northrail.Game], bool]]] = {
    "first tickets": ("any", lambda game: game.phase == "tickets"),
    "turn": ("any", lambda game: game.phase == "turn"),
    "second card": ("draws", lambda game: game.phase == "second_card"),
    "payment": ("substitutes", lambda game: game.phase == "pay"),
    "drawn tickets": ("any", lambda game: game.phase == "tickets" and game.position()["dealt"] is None),
    "end": ("claims", lambda game: game.over),
    "tunnel": ("tunnels", lambda game: game.phase == "tunnel"),
    "opened batch": ("keeps few", is_opened),
}


def wanted_on(board: northrail.Board) -> list[str]:
    """Return the situations that exist on a board."""
    there = {"tunnel": any(route.tunnel for route in board.routes), "opened batch": board.rules.returned_go_under}
    return [name for name in WANTED if there.get(name, True)]


@functools.cache
def _situation(name: str, seats: int, wanted: str, seed: int) -> northrail.Game:
    board, chance = BOARDS[name], random.Random(seed)
    way, is_there = WANTED[wanted]
    game = northrail.Game(board, seats, seed)
    if wanted == "first tickets":
        return play_on(game, "any", chance, seed % seats)
    if wanted == "opened batch":
        while game.phase == "tickets":
            game.play(game.moves()[0])
        game = northrail.Game.from_position(board, few_tickets(game.position(), chance))
    elif seed % 3 == 2:
        game = corner(board, seats, seed)
    else:
        play_on(game, list(WAYS)[seed % len(WAYS)], chance, chance.randrange(40 * seats))
    while not is_there(game):
        if game.over:
            game = northrail.Game(board, seats, chance.randrange(1 << 40))
        game.play(choose(way, board, game.moves(), chance))
    return game


def few_tickets(position: Position, chance: random.Random) -> Position:
    """Return the position with only four tickets left above the returned ones."""
    new: Position = json.loads(json.dumps(position))
    while len(new["ticket_deck"]) > sum(batch["count"] for batch in new["batches"]) + 4:
        new["tickets"][chance.randrange(new["seats"])].append(new["ticket_deck"].pop(0))
    return new


def situations(table: Table, size: Size) -> Iterator[tuple[northrail.Game, random.Random]]:
    """Yield situations of all kinds: from the first choice of tickets to the end, in every phase."""
    board, seats = table
    kinds = wanted_on(board)
    if size.name == "small":  # two for each table, but others at the next
        at = 2 * TABLES.index((board.id, seats))
        kinds = [kinds[at % len(kinds)], kinds[(at + 1) % len(kinds)]]
    for seed in range(size.pick(1, 3)):
        for kind in kinds:
            yield _situation(board.id, seats, kind, seed).copy(), random.Random(seed)


# --- changing what is hidden ------------------------------------------------------------------------------------------


def test_a_view_does_not_depend_on_hidden_information(table: Table, size: Size) -> None:
    changed = 0
    for game, chance in situations(table, size):
        position = game.position()
        for me in lookers(game):
            other = northrail.Game.from_position(game.board, altered(position, game.board, me, chance))
            assert seen(other, me) == seen(game, me), f"seat {me} sees what it cannot know of {position}"
            changed += other.position() | {"rng": 0} != position | {"rng": 0}
    assert changed, "nothing was hidden in any of them"


def test_to_others_an_unfinished_payment_looks_like_a_turn_not_begun(table: Table, size: Size) -> None:
    board, seats = table
    for seed in range(size.pick(1, 8)):
        game = _situation(board.id, seats, "payment", seed)
        before = northrail.Game.from_position(board, undone(game.position(), board))
        assert (game.phase, before.phase) == ("pay", "turn")
        for me in lookers(game):
            if me != game.seat:
                assert seen(game, me) == seen(before, me)


def test_extra_tunnel_cards_are_hidden_until_all_are_paid(nordic: northrail.Board) -> None:
    """Two cards are owed and one locomotive is laid: it might still be in the hand."""
    position = tight(nordic, 2, seed=1)
    position["hands"] = [{"red": 2, "locomotive": 2}, dict(Counter(position["hands"][0]))]
    position["hands"][1] = dict(Counter(position["hands"][1]) - Counter(red=7, locomotive=4, black=2))
    position.update(phase="tunnel", route=nordic.route("Bergen", "Oslo", "red"), set="red", deck={"black": 1})
    position.update(laid={"red": 3, "locomotive": 2}, revealed={"red": 2, "black": 1})
    position["known"] = [{"red": 1, "locomotive": 1}, {}]
    game = northrail.Game.from_position(nordic, position)
    assert [str(move) for move in game.moves()] == ["card red", "card locomotive"]
    before = northrail.Game.from_position(nordic, undone(position, nordic))
    assert before.position()["laid"] == {"red": 3, "locomotive": 1}
    for me in (1, None):
        assert seen(game, me) == seen(before, me)
        assert game.view(me).laid == {"red": 3, "locomotive": 1} and game.view(me).hand_sizes[0] == 5
        other = northrail.Game.from_position(nordic, altered(position, nordic, me, random.Random(1)))
        assert seen(game, me) == seen(other, me)
    assert game.view(0).laid == {"red": 3, "locomotive": 2} and game.view(0).hand_sizes[0] == 4


def public_part(events: list[northrail.Event], me: int | None) -> list[dict[str, Any]]:
    """Return the events as a seat sees them, without newly revealed facts: cards turned over, choices made."""
    told = [event.seen_by(me) for event in events]
    return [event for event in told if event["code"] not in ("turned_up", "tunnel_tried", "all_kept")]


def test_events_do_not_depend_on_hidden_information(table: Table, size: Size) -> None:
    kinds = Counter[str]()
    for game, chance in situations(table, size):
        for me in lookers(game):
            if me == game.seat or game.over:
                continue
            other = northrail.Game.from_position(game.board, altered(game.position(), game.board, me, chance))
            common = {move.number for move in game.moves()} & {move.number for move in other.moves()}
            for number in chance.sample(sorted(common), min(len(common), 6)):
                one, two = game.copy(), other.copy()
                move = next(move for move in one.moves() if move.number == number)
                told, retold = public_part(one.play(number), me), public_part(two.play(number), me)
                if move.kind in ("claim", "card"):
                    continue  # whether it settles at once, and with which cards, is seen when it is done
                assert told == retold, f"{move}: seat {me} is told what it cannot know"
                kinds[move.kind] += 1
    assert size.name == "small" or (kinds["blind"] and kinds["keep"] and kinds["draw_tickets"])


def swapped(position: Position, me: int | None, chance: random.Random) -> Position | None:
    """Return the position with hidden cards and tickets of two other seats exchanged; the decks stay the same."""
    new: Position = json.loads(json.dumps(position))
    paying = new["seat"] if new["phase"] in ("pay", "tunnel") else None
    others = [seat for seat in range(new["seats"]) if seat not in (me, paying)]
    if len(others) < 2 or new["dealt"] is not None:
        return None
    one, two = chance.sample(others, 2)
    mine, theirs = (sorted(hidden_cards(new, seat).elements()) for seat in (one, two))
    count = min(len(mine), len(theirs))
    gone, come = Counter(chance.sample(mine, count)), Counter(chance.sample(theirs, count))
    new["hands"][one] = dict(Counter(new["hands"][one]) - gone + come)
    new["hands"][two] = dict(Counter(new["hands"][two]) - come + gone)
    a, b = new["tickets"][one], new["tickets"][two]
    if a and b:
        a[0], b[0] = b[0], a[0]
    return new


@pytest.mark.parametrize(("name", "seats"), [table for table in TABLES if table[1] > 2])
def test_indistinguishable_games_continue_in_the_same_way(name: str, seats: int, size: Size) -> None:
    """Exchange hidden cards and tickets of two others, then play the same moves while they are legal."""
    table = BOARDS[name], seats
    compared = 0
    for game, chance in situations(table, size):
        for me in range(game.seats):
            position = swapped(game.position(), me, chance)
            if position is None or game.over:
                continue
            one, two = game.copy(), northrail.Game.from_position(game.board, position)
            for _ in range(12):
                moves = sorted({m.number for m in one.moves()} & {m.number for m in two.moves()})
                if one.over or not moves:
                    break
                number = chance.choice(moves)
                told = [event.seen_by(me) for event in one.play(number)]
                retold = [event.seen_by(me) for event in two.play(number)]
                paid = [[event.get("cards") for event in story] for story in (told, retold)]
                if one.phase != two.phase or one.seat != two.seat or paid[0] != paid[1]:
                    break  # they paid with different cards, and that is seen
                assert told == retold
                if not one.over:
                    assert seen(one, me) == seen(two, me)
                compared += 1
    assert compared or size.name == "small"


# --- what is in a view and what is not --------------------------------------------------------------------------------


def tickets_in(value: Any) -> set[tuple[str, str]]:
    """Find every ticket named anywhere in a piece of JSON."""
    if isinstance(value, dict):
        own = {(value["cities"][0], value["cities"][1])} if "cities" in value else set()
        return own.union(*(tickets_in(part) for part in value.values()))
    if isinstance(value, list):
        return set().union(*(tickets_in(part) for part in value)) if value else set()
    return set()


def test_a_view_names_no_ticket_of_another_seat(table: Table, size: Size) -> None:
    for game, chance in situations(table, size):
        position = game.position()
        for me in lookers(game):
            told = game.view(me).json()
            mine: list[Any] = []
            if me is not None:
                mine = position["tickets"][me] + position["returned"][me]
                mine += position["dealt"][me] if position["dealt"] else []
                mine += position["offered"] if me == game.seat else []
            if game.over:
                mine = [*mine, *itertools.chain(*position["tickets"])]
            assert tickets_in(told) == set(tuples(mine))
            for move in [] if game.over else game.moves():
                if move.kind in ("tickets", "keep"):
                    after = game.copy()
                    shown = tickets_in([event.seen_by(me) for event in after.play(move)])
                    assert not shown or me == game.seat
        if chance.random() < 0.2:
            assert not tickets_in(game.view(None).json()) or game.over


CARD_FIELDS = {"hand", "known", "face_up", "discard", "laid", "revealed"}
OTHER_FIELDS = {
    *("board", "me", "seats", "first", "seat", "phase", "tickets", "offered", "keep_least", "returned", "hand_sizes"),
    *("ticket_counts", "trains", "points", "owners", "deck", "ticket_deck", "batches", "bonus_cards", "route"),
    *("turns_left", "final", "options"),
}


def test_a_marked_hand_appears_in_no_other_view(board: northrail.Board) -> None:
    game = northrail.Game(board, 2, seed=3, first=0)
    while game.phase == "tickets":
        game.play(game.moves()[-1])
    position = game.position()
    rest = Counter(dict.fromkeys(("purple", "blue", "orange", "white", "green", "yellow", "black", "red"), 12))
    planted = Counter(purple=12, blue=1)
    mine, row = Counter(red=4), Counter(green=2, white=3)
    position.update(hands=[dict(mine), dict(planted)], known=[{}, {}], face_up=dict(row), discard={})
    position["deck"] = dict(rest + Counter(locomotive=board.rules.locomotives) - planted - mine - row)
    game = northrail.Game.from_position(board, position)
    for me in (0, None):
        told = game.view(me).json()
        assert set(told) == CARD_FIELDS | OTHER_FIELDS
        assert told["hand_sizes"] == [4, 13]
        text = json.dumps({name: told[name] for name in told if name != "options"})
        assert "purple" not in text and "blue" not in text
        assert "rng" not in text and "seed" not in text
    assert game.view(1).hand == dict(planted)


def test_only_the_seat_to_move_has_options_and_moves(table: Table, size: Size) -> None:
    for game, _ in situations(table, size):
        for me in lookers(game):
            view = game.view(me)
            asked = me == game.seat and not game.over
            assert (view.options is not None) == asked
            assert view.moves == (game.moves() if asked else [])


def test_first_tickets_are_chosen_at_the_same_time(table: Table) -> None:
    """Nobody learns how many tickets others kept until the last seat has chosen; then everybody does."""
    board, seats = table
    deal = board.rules.first_tickets[0]
    game = northrail.Game(board, seats, seed=1, first=0)
    start = len(board.tickets) - seats * deal
    kept: list[int] = []
    for seat in range(seats):
        assert game.seat == seat and game.phase == "tickets"
        for me in range(seats):
            view = game.view(me)
            assert view.ticket_deck == start and view.batches == []
            assert [count for other, count in enumerate(view.ticket_counts) if other != me] == [0] * (seats - 1)
            assert len(view.offered) == (deal if me >= seat else 0)
            assert len(view.tickets) == (kept[me] if me < seat else 0)
        sets = [move for move in game.moves() if len(move.tickets) == (2 + seat % 2)]
        kept.append(len(sets[0].tickets))
        events = game.play(sets[0])
        for other in (None, *(other for other in range(seats) if other != seat)):
            told = [event.seen_by(other) for event in events]
            assert told[0] == {"code": "kept_tickets", "seat": seat}
            assert [event["counts"] for event in told[1:]] == ([kept] if seat == seats - 1 else [])
    assert game.phase == "turn"
    assert all(game.view(me).ticket_counts == kept for me in range(seats))
    if board.rules.returned_go_under:
        assert game.view(None).ticket_deck == len(board.tickets) - sum(kept)


def test_after_the_end_everything_is_public(table: Table) -> None:
    board, seats = table
    game = play_on(northrail.Game(board, seats, seed=2), "claims", random.Random(2))
    position = game.position()
    for me in lookers(game):
        final = game.view(me).final
        assert final is not None
        assert [place["hand"] for place in final] == position["hands"]
        assert [tuples([ticket["cities"] for ticket in place["tickets"]]) for place in final] == [
            tuples(tickets) for tickets in position["tickets"]
        ]


# --- imagining --------------------------------------------------------------------------------------------------------


def imagined(view: northrail.View, seed: int, count: int) -> Iterator[State]:
    """Yield worlds that look like the view; they share one struct, which is overwritten."""
    chance = np.array([seeded(seed)], np.int64)
    state = State()
    for _ in range(count):
        imagine(view.board.struct, view.struct, chance, state)
        yield state


def test_an_imagined_world_looks_the_same_and_can_be_played(table: Table, size: Size) -> None:
    for number, (game, chance) in enumerate(situations(table, size)):
        for me in lookers(game):
            view = game.view(me)
            for state in imagined(view, number, 2):
                position = position_of(game.board, state)
                world = northrail.Game.from_position(game.board, position)  # checks that every card and ticket is there
                assert bytes(world.state) == bytes(state)
                assert seen(world, me) == seen(game, me)
            if me is None or (size.name != "small" and chance.random() < 0.1):
                play_on(world, "any", chance)
                assert world.over


def test_imagining_does_not_use_the_games_random_numbers(nordic: northrail.Board) -> None:
    game = situation(nordic, 2, 4)
    before = game.position()
    worlds = [position_of(nordic, states)["rng"] for states in imagined(game.view(0), 1, 5)]
    assert game.position() == before
    assert len({*worlds, before["rng"]}) == 6


def improbable(freedom: int) -> float:
    """Return the chi-square value exceeded about once in 30,000 times (Wilson–Hilferty, four deviations)."""
    step = 2 / (9 * freedom)
    return float(freedom * (1 - step + 4 * math.sqrt(step)) ** 3)


def assert_drawn_from(counts: Counter[Any], odds: dict[Any, float]) -> None:
    """Check the counts with a chi-square test; rare outcomes are pooled until five are expected."""
    total = sum(counts.values())
    assert set(counts) <= set(odds), f"impossible: {set(counts) - set(odds)}"
    assert math.isclose(sum(odds.values()), 1)
    bins: list[list[Any]] = [[]]
    for outcome in odds:
        if total * sum(odds[other] for other in bins[-1]) >= 5:
            bins.append([])
        bins[-1].append(outcome)
    chi = 0.0
    for outcomes in bins:
        expected = total * sum(odds[outcome] for outcome in outcomes)
        chi += (sum(counts[outcome] for outcome in outcomes) - expected) ** 2 / expected
    assert len(bins) > 1, "no choice, no chance"
    assert chi < improbable(len(bins) - 1), f"chi-square {chi:.1f} in {len(bins)} bins: {counts.most_common(5)}"


def even(outcomes: Counter[Any]) -> dict[Any, float]:
    """Return probabilities from counts of equally likely cases."""
    return {outcome: count / sum(outcomes.values()) for outcome, count in outcomes.items()}


def gathered(view: northrail.View, seed: int, count: int, outcome: Callable[[Position], Hashable]) -> Counter[Any]:
    """Count how often each outcome is imagined."""
    return Counter(outcome(position_of(view.board, states)) for states in imagined(view, seed, count))


def as_key(cards: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(cards.items()))


def tight(board: northrail.Board, seats: int, seed: int) -> Position:
    """Return a turn where seat 0 holds almost all cards and tickets, so that every world can be listed."""
    game = northrail.Game(board, seats, seed, first=0)
    while game.phase == "tickets":
        game.play(game.moves()[-1])
    position = game.position()
    cards = Counter(dict.fromkeys(("purple", "blue", "orange", "white", "green", "yellow", "black", "red"), 12))
    cards["locomotive"] = board.rules.locomotives
    position["face_up"] = {"white": 5}
    position["discard"] = {}
    position["hands"] = [dict(cards - Counter(white=5)), *({} for _ in range(seats - 1))]
    position["deck"] = {}
    position["known"] = [{} for _ in range(seats)]
    position["tickets"] = [[list(ticket.cities) for ticket in board.tickets], *([] for _ in range(seats - 1))]
    position.update(ticket_deck=[], batches=[], returned=[[] for _ in range(seats)])
    return position


def move_cards(position: Position, target: dict[str, int], cards: dict[str, int]) -> None:
    """Move cards from seat 0 to another place."""
    position["hands"][0] = dict(Counter(position["hands"][0]) - Counter(cards))
    merged = dict(Counter(target) + Counter(cards))
    target.clear()
    target.update(merged)


def test_hidden_cards_are_imagined_with_the_right_probabilities(board: northrail.Board, size: Size) -> None:
    """Two cards in one hand, one in the next (beside a known one), three in the deck: every way to deal six cards."""
    position = tight(board, 3, seed=1)
    move_cards(position, position["hands"][1], {"red": 1, "blue": 1})
    move_cards(position, position["hands"][2], {"red": 1, "black": 1})
    move_cards(position, position["deck"], {"red": 1, "blue": 1, "locomotive": 1})
    position["known"][2] = {"black": 1}
    view = northrail.Game.from_position(board, position).view(0)

    def outcome(world: Position) -> Hashable:
        return as_key(world["hands"][1]), as_key(world["hands"][2])

    pool = ["red"] * 3 + ["blue"] * 2 + ["locomotive"]
    cases = Counter(
        (as_key(Counter(dealt[:2])), as_key(Counter(dealt[2:3]) + Counter(["black"])))
        for dealt in itertools.permutations(pool)
    )
    assert_drawn_from(gathered(view, 5, size.pick(120, 4000), outcome), even(cases))


def test_an_imagined_hand_is_distributed_like_a_draw_from_the_deck(table: Table, size: Size) -> None:
    """In a game under way the number of cards of a colour in another hand is hypergeometric."""
    board, seats = table
    game = situation(board, seats, 11, "draws")
    while game.phase != "turn":
        game.play(game.moves()[0])
    me, other = game.seat, (game.seat + 1) % seats
    position = game.position()
    hidden = {seat: hidden_cards(position, seat) for seat in range(seats) if seat != me}
    pool = sum(hidden.values(), Counter(position["deck"]))
    draws, whole = hidden[other].total(), pool.total()
    assert draws > 2
    seen_cards = Counter(position["hands"][other]) - hidden[other]
    worlds = [position_of(board, states)["hands"][other] for states in imagined(game.view(me), 7, size.pick(100, 3000))]
    for colour in pool:
        odds = {
            count: math.comb(pool[colour], count)
            * math.comb(whole - pool[colour], draws - count)
            / math.comb(whole, draws)
            for count in range(min(pool[colour], draws) + 1)
            if draws - count <= whole - pool[colour]
        }
        assert_drawn_from(Counter(world.get(colour, 0) - seen_cards[colour] for world in worlds), odds)


def names(tickets: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(tuples(tickets)))


def test_tickets_out_of_the_game_are_imagined_with_the_right_probabilities(nordic: northrail.Board, size: Size) -> None:
    """Two are in another hand, that seat returned one, and two are in the deck: every way to deal five tickets."""
    position = tight(nordic, 2, seed=1)
    pool = [position["tickets"][0].pop() for _ in range(5)]
    position["tickets"][1], position["returned"][1], position["ticket_deck"] = pool[:2], pool[2:3], pool[3:]
    view = northrail.Game.from_position(nordic, position).view(0)

    def outcome(world: Position) -> Hashable:
        return names(world["tickets"][1]), names(world["returned"][1]), tuple(tuples(world["ticket_deck"]))

    cases = Counter(
        (names(deal[:2]), names(deal[2:3]), tuple(deal[3:])) for deal in itertools.permutations(tuples(pool))
    )
    assert_drawn_from(gathered(view, 3, size.pick(120, 4000), outcome), even(cases))


def test_tickets_under_the_deck_are_imagined_in_their_batches(lights: northrail.Board, size: Size) -> None:
    """Your own batch stays in its place, in any order; another seat's batch holds unseen tickets."""
    position = tight(lights, 2, seed=1)
    pool = [position["tickets"][0].pop() for _ in range(4)]
    own = [position["tickets"][0].pop() for _ in range(3)]
    position["tickets"][1] = pool[:1]
    position["ticket_deck"] = pool[1:2] + own + pool[2:]
    position["returned"] = [own, pool[2:]]
    position["batches"] = [
        {"seat": 0, "count": 3, "opened": False},
        {"seat": 1, "count": 2, "opened": False},
    ]
    view = northrail.Game.from_position(lights, position).view(0)
    cases = Counter(
        (names(deal[:1]), (deal[1], *order, *deal[2:]))
        for deal in itertools.permutations(tuples(pool))
        for order in itertools.permutations(tuples(own))
    )
    counts = gathered(
        view, 4, size.pick(200, 5000), lambda world: (names(world["tickets"][1]), tuple(tuples(world["ticket_deck"])))
    )
    assert_drawn_from(counts, even(cases))
    for states in imagined(view, 5, 20):
        world = position_of(lights, states)
        assert names(world["returned"][1]) == names(world["ticket_deck"][4:])
        assert names(world["returned"][0]) == names(own)


def test_an_opened_batch_still_holds_some_of_the_tickets_you_returned(lights: northrail.Board, size: Size) -> None:
    """Seat 0 returned three; another drew one of them: any two are left, and the third may be anywhere."""
    position = tight(lights, 3, seed=1)
    own = [position["tickets"][0].pop() for _ in range(3)]
    pool = [position["tickets"][0].pop() for _ in range(2)]
    position["tickets"][1], position["tickets"][2] = [own[0]], pool[:1]
    position["ticket_deck"] = own[1:] + pool[1:]
    position["returned"] = [own, [], pool[1:]]
    position["batches"] = [
        {"seat": 0, "count": 2, "opened": True},
        {"seat": 2, "count": 1, "opened": False},
    ]
    view = northrail.Game.from_position(lights, position).view(0)
    cases = Counter[Any]()
    for order in itertools.permutations(tuples(own)):
        for deal in itertools.permutations([order[2], *tuples(pool)]):
            cases[deal[0], deal[1], (*order[:2], deal[2])] += 1
    counts = gathered(
        view,
        6,
        size.pick(120, 4000),
        lambda world: (
            tuples(world["tickets"][1])[0],
            tuples(world["tickets"][2])[0],
            tuple(tuples(world["ticket_deck"])),
        ),
    )
    assert_drawn_from(counts, even(cases))


def test_tickets_on_offer_to_another_seat_are_imagined(board: northrail.Board, size: Size) -> None:
    position = tight(board, 2, seed=1)
    pool = [position["tickets"][0].pop() for _ in range(5)]
    position.update(seat=1, phase="tickets", offered=pool[:2], ticket_deck=pool[2:4])
    position["tickets"][1] = pool[4:]
    view = northrail.Game.from_position(board, position).view(0)
    cases = Counter((names(deal[:2]), tuple(deal[2:4])) for deal in itertools.permutations(tuples(pool)))
    counts = gathered(
        view, 8, size.pick(120, 4000), lambda world: (names(world["offered"]), tuple(tuples(world["ticket_deck"])))
    )
    assert_drawn_from(counts, even(cases))


@pytest.mark.parametrize("name", BOARDS)
def test_first_choices_are_imagined_evenly(name: str, size: Size) -> None:
    """Seat 0 has chosen and seat 1 is to choose: seat 0 may have got any tickets, and kept any set of them."""
    board = BOARDS[name]
    deal, keep = board.rules.first_tickets
    game = northrail.Game(board, 3, seed=9, first=0)
    game.play(game.moves()[3])
    view = game.view(1)
    mine = set(tuples([ticket["cities"] for ticket in view.offered]))
    unseen = [ticket.cities for ticket in board.tickets if ticket.cities not in mine]
    sizes, kept, dealt, waiting, top = Counter[int](), Counter[Any](), Counter[Any](), Counter[Any](), Counter[Any]()
    worlds = size.pick(120, 4000)
    for states in imagined(view, 2, worlds):
        world = position_of(board, states)
        assert len(world["tickets"][0]) + len(world["returned"][0]) == deal
        sizes[len(world["tickets"][0])] += 1
        kept.update(tuples(world["tickets"][0]))
        dealt.update(tuples(world["tickets"][0] + world["returned"][0]))
        waiting.update(tuples(world["dealt"][2]))
        top[tuples(world["ticket_deck"])[0]] += 1
        if board.rules.returned_go_under:
            count = len(world["returned"][0])
            assert [batch["count"] for batch in world["batches"]] == ([count] if count else [])
            assert names(world["ticket_deck"][len(world["ticket_deck"]) - count :]) == names(world["returned"][0])
    odds = {count: math.comb(deal, count) for count in range(keep, deal + 1)}
    assert_drawn_from(sizes, even(Counter(odds)))
    assert_drawn_from(top, dict.fromkeys(unseen, 1 / len(unseen)))
    for places in (kept, dealt, waiting):
        # Each world holds several different tickets, so counts vary less than single draws would: the test is milder.
        assert_drawn_from(places, dict.fromkeys(unseen, 1 / len(unseen)))


def test_a_spectator_imagines_every_hand(table: Table) -> None:
    board, seats = table
    game = northrail.Game(board, seats, seed=3)
    hands = {as_key(position_of(board, states)["hands"][0]) for states in imagined(game.view(None), 1, 30)}
    assert len(hands) > 1


def after_reshuffle(board: northrail.Board, seed: int) -> northrail.Game:
    """Return a two-seat game just after a reshuffle, or at its end if there is none."""
    game, chance = northrail.Game(board, 2, seed), random.Random(seed)
    while not game.over:
        if any(event.code == "reshuffled" for event in game.play(choose("draws", board, game.moves(), chance))):
            break
    return game


def test_with_two_seats_nothing_is_hidden_after_a_reshuffle(board: northrail.Board) -> None:
    """After a reshuffle each seat can work out what the other holds."""
    game = next(game for game in map(functools.partial(after_reshuffle, board), itertools.count()) if not game.over)
    position = game.position()
    for me in range(2):
        hands = {as_key(position_of(board, states)["hands"][1 - me]) for states in imagined(game.view(me), 1, 10)}
        drawn_since = hidden_cards(position, 1 - me).total()
        assert drawn_since <= 1 and (drawn_since or hands == {as_key(position["hands"][1 - me])})
