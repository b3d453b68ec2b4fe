"""A match without any I/O: choices, the face-up row, sealed tickets, payments, and what each seat is told."""

import itertools
import json
import random
from collections import Counter

import pytest
from positions import situation
from serving import choice_of, near_the_end
from tables import BOARDS, Size

import northrail
from northrail.boards.board import COLOURS, ROUTE_BITS, numbers_in
from northrail.engine.game import Score
from northrail.errors import BadMove, IllegalMove
from northrail.players import load_player
from northrail.players.decide import whole_choice
from northrail.server.match import Command, Json, Match, SeatInfo, TableInfo
from northrail.server.tables import bots
from northrail.server.tables.news import FactsOfAll
from northrail.server.wire import messages
from northrail.server.wire.events import Step
from northrail.server.wire.packing import MOST_CLAIM, packed_options
from northrail.server.wire.requests import Command as CommandRequest
from northrail.server.wire.responses import Final
from northrail.server.wire.view import OfferedTicket, View

NAMES = ("Anna", "Bo", "Cleo", "Dag", "Eva")


def new_table(board: northrail.Board, seats: int, seed: int = 1, **facts: object) -> Match:
    """Return a match between people, whose game has begun."""
    known = TableInfo("x" * 10, board.id, board.digest, seed, "secret", began=100.0, **facts)  # type: ignore[arg-type]
    return Match(board, known, [SeatInfo(seat, "person", NAMES[seat]) for seat in range(seats)])


def move(table: Match, choice: Json, at: float = 101.0) -> list[Json]:
    """Play a choice of the seat to move; return the events as this seat is told them."""
    assert table.turn is not None
    table.trial(table.turn, choice)
    step = table.add(Command(table.version + 1, table.turn, "person", at, choice))
    told: list[Json] = step.seen_by(step.command.seat)["events"]
    return told


def options(table: Match) -> Json:
    """Return the options of the seat to move."""
    found: Json = messages.view_json(table, table.turn)["options"]
    return found


def play(table: Match, chance: random.Random) -> None:
    """Play a random choice."""
    move(table, choice_of(options(table), chance))


def joins(board: northrail.Board, path: list[int], cities: tuple[str, str]) -> bool:
    """Return whether a path of routes leads from one city to the other."""
    here = cities[0]
    for route in path:
        one, other = board.routes[route].cities
        assert here in (one, other)
        here = other if here == one else one
    return here == cities[1]


@pytest.mark.parametrize(("name", "seats"), [("nordic-countries", 3), ("northern-lights", 5)])
def test_all_messages_of_a_whole_game_fit_the_models(name: str, seats: int) -> None:
    board = BOARDS[name]
    match = new_table(board, seats, seed=seats)
    chance = random.Random(seats)
    kept = FactsOfAll()
    while match.status == "running":
        kept.forget()
        for seat in (*range(seats), None):
            client = (match, dict, seat, frozenset((seat,)), False)
            facts = kept.for_client(*client)
            assert facts == FactsOfAll().for_client(*client)
            assert json.loads(b"{%b}" % b",".join(facts.view or [])) == messages.view_json(match, seat)
        for seat in (*range(seats), None) if match.version % 9 == 0 or match.first_tickets else ():
            View.model_validate(messages.view_json(match, seat))
            assert all(make(match.view(seat)) == make(match.view(None)) for make in messages.PUBLIC)
        play(match, chance)
    assert match.game is not None
    final = messages.final_json(match)
    Final.model_validate(final)
    assert final is not None
    assert [seat["total"] for seat in final["seats"]] == [score.total for score in match.game.scores()]
    assert final["winners"] == match.winners == match.game.winners()
    for seat in final["seats"]:
        for ticket in seat["ticket_list"]:
            assert joins(board, ticket["path"], ticket["cities"]) == ticket["joined"]
            assert {match.view(None).owners[str(route)] for route in ticket["path"]} <= {seat["seat"]}
    for seat in (*range(seats), None):
        for step in match.steps:
            Step.model_validate(step.seen_by(seat))
    assert northrail.Game.replay(match.game.record(), board) == match.game


@pytest.mark.parametrize(
    ("scores", "decided"),
    [
        ([(50, 3, 9), (49, 5, 9)], None),  # no tie
        ([(50, 3, 9), (50, 3, 9)], None),  # a tie that stands
        ([(50, 3, 9), (50, 2, 20), (40, 9, 30)], "completed tickets"),
        ([(50, 3, 9), (50, 3, 8), (50, 2, 30)], "longest path"),
    ],
)
def test_the_final_says_what_broke_a_tie(
    nordic: northrail.Board, scores: list[tuple[int, int, int]], decided: str | None
) -> None:
    table = [Score(total, 0, {}, total, completed, longest) for total, completed, longest in scores]
    assert messages.tie_break(nordic, table) == decided


def test_replaying_the_commands_gives_the_same_match(lights: northrail.Board) -> None:
    match, chance = new_table(lights, 3, seed=4), random.Random(4)
    while match.status == "running":
        play(match, chance)
    again = new_table(lights, 3, seed=4)
    for step in match.steps:
        again.add(step.command)
    assert again.game == match.game
    assert again.row == match.row
    for seat in (*range(3), None):
        assert [step.seen_by(seat) for step in again.steps] == [step.seen_by(seat) for step in match.steps]


def test_face_up_cards_keep_their_place(board: northrail.Board, size: Size) -> None:
    for seed in range(1 if size.name != "long" else 50):
        match, chance = new_table(board, 2, seed), random.Random(seed)
        while match.status == "running":
            before = list(match.row)
            play(match, chance)
            events = match.steps[-1].events
            assert Counter(match.view(None).face_up) == Counter(colour for colour in match.row if colour)
            moved = {event.details["place"] for event in events if "place" in event.details}
            if not any(event.event.code == "row_cleared" for event in events):
                assert all(match.row[place] == before[place] for place in range(len(before)) if place not in moved)


def test_a_player_can_say_which_of_several_equal_cards_to_take(nordic: northrail.Board) -> None:
    for seed in itertools.count():
        match, chance = new_table(nordic, 2, seed), random.Random(seed)
        while match.first_tickets:
            play(match, chance)
        alike = [place for place, colour in enumerate(match.row) if match.row.count(colour) > 1]
        if alike and match.row[alike[-1]] != "locomotive":
            break
    place = alike[-1]
    colour = match.row[place]
    (take, *_) = move(match, {"kind": "take", "colour": colour, "place": place})
    assert take["place"] == place
    wrong = next(at for at, other in enumerate(match.row) if other != colour)
    if colour in options(match)["take"]:
        (take, *_) = move(match, {"kind": "take", "colour": colour, "place": wrong})
        assert take["place"] != wrong


def test_first_tickets_can_be_chosen_ahead_of_the_turn(board: northrail.Board) -> None:
    match = new_table(board, 2, first=0)
    later = messages.view_json(match, 1)
    assert match.turn == 0
    assert later["chosen"] == [False, False]
    keep = later["options"]["keep"]
    assert keep["offered"] == later["offered"]
    numbers = [ticket["number"] for ticket in keep["offered"]]
    match.seal(1, numbers)
    for wrong in (numbers[: keep["least"] - 1], [*numbers, numbers[0]]):
        with pytest.raises((IllegalMove, BadMove)):
            match.seal(1, wrong)
    match.sealed[1] = numbers
    assert messages.view_json(match, 1)["options"] is None
    assert messages.view_json(match, 0)["chosen"] == [False, True]
    with pytest.raises(IllegalMove, match="already"):
        match.seal(1, numbers)
    move(match, {"kind": "keep", "tickets": [ticket["number"] for ticket in options(match)["keep"]["offered"]]})
    assert match.turn == 1
    match.add(Command(2, 1, "person", 101.0, {"kind": "keep", "tickets": match.sealed[1]}))
    assert not match.sealed
    assert match.chosen is None


def test_a_ticket_needs_the_shortest_open_connection(board: northrail.Board) -> None:
    match, chance = new_table(board, 3, seed=3), random.Random(3)
    while match.status == "running":
        if match.version % 25 == 0:
            for seat in range(3):
                view = messages.view_json(match, seat)
                for ticket in [*view["tickets"], *view["offered"]]:
                    check_needs(board, match, seat, ticket)
        play(match, chance)


def check_needs(board: northrail.Board, match: Match, seat: int, ticket: Json) -> None:
    """Compare a ticket's needs with a slow search, and check that its path connects the two cities."""
    view = match.view(seat)
    own = {int(route) for route, owner in view.owners.items() if owner == seat}
    left = set(numbers_in(view.struct.open[seat], ROUTE_BITS))
    cost = {route: 0 if route in own else board.routes[route].length for route in own | left}
    start, end = ticket["cities"]
    least = {start: 0}
    for _ in board.cities:
        for route, trains in cost.items():
            for here, there in itertools.permutations(board.routes[route].cities):
                if here in least and least[here] + trains < least.get(there, 999):
                    least[there] = least[here] + trains
    needs = ticket["needs"]
    if least.get(end, 999) > view.trains[seat]:
        assert needs is None
        return
    assert needs["trains"] == least[end]
    assert ticket.get("joined", False) == (needs["trains"] == 0)
    assert needs["trains"] == sum(cost[route] for route in needs["path"])
    assert needs["routes"] == sorted(set(needs["path"]) - own)
    ends: Counter[str] = Counter(city for route in needs["path"] for city in board.routes[route].cities)
    assert {city for city, count in ends.items() if count % 2} == {start, end}


def test_a_ticket_without_enough_trains_cannot_be_completed(board: northrail.Board) -> None:
    counts = Counter[bool]()
    for seed, trains in itertools.product(range(8), (4, 6, 9)):
        position = near_the_end(board, 2, seed) | {"trains": [trains, trains]}
        match = new_table(board, 2, start=northrail.Game.from_position(board, position).position())
        for ticket in messages.view_json(match, 0)["tickets"]:
            check_needs(board, match, 0, ticket)
            counts[ticket["needs"] is None] += 1
    assert min(counts[True], counts[False]) > 5


def test_a_ticket_without_an_open_connection_cannot_be_completed(nordic: northrail.Board) -> None:
    match = new_table(nordic, 2, first=0)
    assert match.game is not None
    position = match.game.position()
    city = position["offered"][0][0]
    around = [number for number, route in enumerate(nordic.routes) if city in route.cities]
    position["owners"] = {str(number): 1 for number in {nordic.routes[at].cities: at for at in around}.values()}
    del position["trains"]
    start = northrail.Game.from_position(nordic, position).position()
    offered = messages.view_json(new_table(nordic, 2, start=start), 0)["offered"]
    assert next(ticket for ticket in offered if city in ticket["cities"])["needs"] is None
    OfferedTicket.model_validate(offered[0])


def test_only_the_seat_itself_is_told_of_completed_tickets(board: northrail.Board) -> None:
    told = 0
    for seed in range(30):
        match = new_table(board, 2, seed)
        while match.status == "running":
            assert match.game is not None
            choice = whole_choice(match.game.copy(), load_player("simple")()).json()
            seat = match.turn
            before = {ticket["number"] for ticket in messages.view_json(match, seat)["tickets"] if ticket["joined"]}
            events = move(match, choice)
            joined = [event for event in events if event["code"] == "completed_tickets"]
            if match.status == "running":
                after = {ticket["number"] for ticket in messages.view_json(match, seat)["tickets"] if ticket["joined"]}
                assert {ticket for event in joined for ticket in event["tickets"]} == after - before
            for other in (1 - (seat or 0), None):
                seen = match.steps[-1].seen_by(other)["events"]
                assert all(event["code"] != "completed_tickets" for event in seen)
            told += len(joined)
        if told > 3:
            return
    raise AssertionError("no ticket was completed")


def test_bots_that_move_card_by_card_make_whole_choices(board: northrail.Board) -> None:
    match = new_table(board, board.rules.seats[1], seed=9)
    player = load_player("random")()
    for _ in range(150):
        if match.status != "running":
            break
        assert match.game is not None
        choice = bots.choose(match.game.copy(), player, "random", "secret")
        CommandRequest.model_validate({"seat": match.turn, "version": match.version, "choice": choice})
        move(match, choice)
        assert match.game.phase != "pay"


def test_payments_are_those_the_rules_allow(board: northrail.Board) -> None:
    """Compare with every subset of the hand, where there are few enough to try."""
    seen = 0
    for seed in range(12):
        match, chance = new_table(board, 2, seed), random.Random(seed)
        while match.status == "running" and seen < 12:
            choices = options(match)
            view = match.view(match.turn)
            routes = [route for route in choices["claim"] if board.routes[int(route)].substitute] or list(
                choices["claim"]
            )
            if routes and sum(view.hand.values()) <= 11 and chance.random() < 0.5:
                route = chance.choice(routes)
                claim = choices["claim"][route]
                payable = payable_subsets(match, int(route))
                assert payable == paid_card_by_card(view, int(route))
                usual = {tuple(sorted(cards.items())) for cards in claim["payments"]}
                assert usual == payable if claim["complete"] else usual <= payable
                seen += 1
            play(match, chance)
    assert seen == 12


Payment = tuple[tuple[str, int], ...]


def paid_card_by_card(view: northrail.View, route: int) -> set[Payment]:
    """Return the payments found by laying cards in every order the engine allows."""
    found = set()
    stack = [(northrail.Game.imagine(view), f"claim {view.board.routes[route]}")]
    while stack:
        before, laid = stack.pop()
        game = before.copy()
        events = game.play(laid)
        if game.phase == "pay" and game.seat == view.seat:
            stack.extend((game, str(card)) for card in game.moves())
        else:
            claim = next(event.public for event in events if "route" in event.public)
            found.add(tuple(sorted(claim["cards"].items())))
    return found


def payable_subsets(match: Match, route: int) -> set[Payment]:
    """Return the payments found by trying every subset of the hand."""
    assert match.game is not None
    hand = match.view(match.turn).hand
    found = set()
    for counts in itertools.product(*(range(count + 1) for count in hand.values())):
        cards = {colour: count for colour, count in zip(hand, counts, strict=True) if count}
        if match.game.can_pay(route, cards):
            found.add(tuple(sorted(cards.items())))
    return found


def test_a_tunnel_is_paid_with_exactly_the_chosen_cards(nordic: northrail.Board) -> None:
    """Try every way to pay, in deals that reveal different cards."""
    tunnel = next(number for number, route in enumerate(nordic.routes) if route.tunnel and route.length > 2)
    length, colour = nordic.routes[tunnel].length, nordic.routes[tunnel].colour
    dealt = new_table(nordic, 2, first=0)
    while dealt.first_tickets:
        play(dealt, random.Random(0))
    assert dealt.game is not None
    position = dealt.game.position()
    hand = {colour: length + 2, "locomotive": 3}
    pool = Counter(position["deck"]) + Counter(position["hands"][0]) - Counter(hand)
    position["hands"][0], position["known"][0], position["deck"] = hand, {}, dict(pool)
    ways, ends = set(), Counter[str]()
    for rng in range(1, 60):
        start = position | {"rng": rng * 7919}
        claim = {"kind": "claim", "route": tunnel, "cards": {colour: length - 1, "locomotive": 1}}
        match = new_table(nordic, 2, start=start)
        move(match, claim)
        asked = options(match)["tunnel"] if match.turn == 0 else None
        (told,) = (event for event in match.steps[-1].seen_by(1)["events"] if "revealed" in event)
        assert told["matches"] == [asked is not None and card in (colour, "locomotive") for card in told["revealed"]]
        assert sum(told["matches"]) == told["owed"] == sum(asked["matching"].values() if asked else ())
        for cards in asked["payments"] if asked else ():
            copy = new_table(nordic, 2, start=start)
            move(copy, claim)
            laid = copy.view(0).laid
            paid = next(event["cards"] for event in move(copy, {"kind": "tunnel", "cards": cards}) if "points" in event)
            assert Counter(paid) == Counter(laid) + Counter(cards)
            assert sum(cards.values()) == (asked or {})["owed"]
            ways.add(tuple(sorted(cards.items())))
        if asked:
            with pytest.raises(IllegalMove, match="cannot add 9 locomotives: expected"):
                match.trial(0, {"kind": "tunnel", "cards": {"locomotive": 9}})
            (event,) = move(match, {"kind": "give_up"})
            assert event["code"] == "gave_up"
            assert match.view(0).hand == hand
        ends["asked" if asked else "free"] += 1
    assert len(ways) >= 5
    assert min(ends.values()) > 5


def test_payments_with_the_fewest_cards_come_first(nordic: northrail.Board) -> None:
    """One locomotive comes before three cards that replace it; of equally many cards, fewer locomotives come first."""
    dealt = new_table(nordic, 2, first=0)
    while dealt.first_tickets:
        play(dealt, random.Random(0))
    assert dealt.game is not None
    position = dealt.game.position()
    hand = {"purple": 3, "blue": 4, "orange": 1, "green": 5, "yellow": 2, "black": 1, "red": 6, "locomotive": 2}
    pool = Counter(position["deck"]) + Counter(position["hands"][0]) - Counter(hand)
    position["hands"][0], position["known"][0], position["deck"] = hand, {}, dict(pool)
    claims = options(new_table(nordic, 2, start=position))["claim"]
    sizes = {
        int(route): [(sum(cards.values()), cards.get("locomotive", 0)) for cards in claim["payments"]]
        for route, claim in claims.items()
    }
    assert all(each == sorted(each) for each in sizes.values())
    assert sizes[nordic.route("Ålborg", "Göteborg")][0] == (2, 1), "four cards would also do, without a locomotive"
    tunnels = {route: nordic.routes[route] for route in sizes if nordic.routes[route].tunnel}
    free = [at for at, route in tunnels.items() if (hand | {"gray": 6}).get(route.colour, 0) >= route.length]
    assert [sizes[at][0] for at in free] == [(nordic.routes[at].length, 0) for at in free]
    assert any(sizes[route][-1] == (nordic.routes[route].length, 2) for route in free)


@pytest.mark.parametrize("name", BOARDS)
def test_every_listed_choice_is_legal(name: str) -> None:
    board, chance = BOARDS[name], random.Random(5)
    match = new_table(board, 3)
    kinds = Counter[str]()
    for _ in range(90):
        if match.status != "running":
            break
        assert match.turn is not None
        choices = messages.choices_json(match, match.turn)
        assert len({str(choice) for choice in choices}) == len(choices) > 0
        kinds.update(choice["kind"] for choice in choices)
        for choice in chance.sample(choices, min(12, len(choices))):
            match.trial(match.turn, choice)
        assert match.first_tickets or not messages.choices_json(match, (match.turn + 1) % 3)
        move(match, chance.choice(choices))
    assert {"keep", "claim", "take", "blind", "draw_tickets"} <= set(kinds)
    assert messages.choices_json(match, None) == []


def test_illegal_choices_are_refused_with_a_code_and_facts(nordic: northrail.Board) -> None:
    match = new_table(nordic, 2, first=0)
    with pytest.raises(IllegalMove, match="seat 1 cannot move: it is seat 0's turn") as refused:
        match.trial(1, {"kind": "blind"})
    assert (refused.value.code, refused.value.facts) == ("not_your_turn", {"seat": 1, "turn": 0})
    with pytest.raises(IllegalMove, match="it must choose which tickets"):
        match.trial(0, {"kind": "blind"})
    with pytest.raises(IllegalMove, match="it must choose which tickets"):
        match.trial(0, {"kind": "tunnel", "cards": {"red": 1}})
    with pytest.raises(BadMove, match="expected tickets on offer") as wrong:
        match.trial(0, {"kind": "keep", "tickets": [119]})
    assert wrong.value.code == "not_offered"
    with pytest.raises(BadMove, match="expected a choice such as"):
        match.trial(0, {"kind": "steal"})


def test_the_clock_starts_with_the_first_turn_not_with_the_first_tickets(nordic: northrail.Board) -> None:
    match = new_table(nordic, 2, clock=30, first=0)
    chance = random.Random(0)
    while match.first_tickets:
        assert match.deadline is None
        move(match, choice_of(options(match), chance), at=150.0)
    assert match.deadline == 180
    seat = match.turn
    colour = next(colour for colour in options(match)["take"] if colour != "locomotive")
    move(match, {"kind": "take", "colour": colour}, at=160.0)
    assert match.turn == seat
    assert match.deadline == 180, "a second card belongs to the same turn"
    move(match, {"kind": "blind"}, at=170.0)
    assert match.deadline == 200
    match.seats[match.turn or 0].stand_in = "simple"
    assert match.deadline is None


def test_a_seat_has_no_options_while_a_bot_plays_for_it(board: northrail.Board) -> None:
    match = new_table(board, 2, first=0)
    for _ in range(3):  # first tickets of both, and a turn
        for seat in range(2):
            match.seats[seat].stand_in = "simple"
            assert messages.view_json(match, seat)["options"] is None
            match.seats[seat].stand_in = None
        assert options(match) is not None
        play(match, random.Random(0))


def test_routes_that_no_seat_can_claim_are_listed_as_closed() -> None:
    board = BOARDS["nordic-countries"]
    twin = next(number for number, route in enumerate(board.routes) if route.twin == 1)
    match = new_table(board, 2)
    assert match.game is not None
    position = match.game.position()
    position["owners"] = {str(twin): 0}
    position["trains"][0] -= board.routes[twin].length
    start = northrail.Game.from_position(board, position).position()
    closed = messages.view_json(new_table(board, 2, start=start), None)["closed"]
    beside = [n for n, r in enumerate(board.routes) if set(r.cities) == set(board.routes[twin].cities) and n != twin]
    assert closed == beside


def test_options_that_are_too_long_for_the_kernel_are_packed_in_python(
    lights: northrail.Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = situation(lights, dict.fromkeys(COLOURS, 10))
    table = new_table(lights, len(start["hands"]), start=start)
    view, whole = table.view(table.turn), messages.options_packed(table, table.turn)
    assert packed_options(view) == whole
    assert packed_options(view, room=MOST_CLAIM + len(whole) // 2) is None
    monkeypatch.setattr(messages, "packed_options", lambda _view: None)
    assert json.loads(b"{%b}" % messages.options_packed(table, table.turn)) == json.loads(b"{%b}" % whole)
