"""Tickets: the secret first choice, drawing, keeping and returning."""

from typing import Any

import pytest
from positions import LIGHTS, NORDIC, TABLES, at, event_codes, kinds, put_aside, situation, texts

from northrail import Board, Game, IllegalMove

pytestmark = pytest.mark.engine

Ends = list[str]


def keep(game: Game, count: int) -> str:
    """Return the first move that keeps this many tickets."""
    return next(str(move) for move in game.moves() if len(move.tickets) == count)


def all_ends(board: Board) -> list[Ends]:
    return [list(ticket.cities) for ticket in board.tickets]


# --- first tickets ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "ways"), [(NORDIC, 26), (LIGHTS, 11)], ids=str)
def test_at_least_two_first_tickets_are_kept(board: Board, ways: int) -> None:
    game = Game(board, seed=1, first=0)
    sizes = [len(move.tickets) for move in game.moves()]
    assert len(sizes) == ways
    assert min(sizes) == 2 and max(sizes) == board.rules.first_tickets[0]
    assert game.view(0).keep_least == 2
    one = ", ".join(texts(game)[0].removeprefix("keep ").split(", ")[:1])
    with pytest.raises(IllegalMove, match=r"seat 0 cannot keep .*: it must keep at least 2, got 1 \(move 1\)"):
        game.play(f"keep {one}")


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_nobody_learns_a_choice_before_all_have_chosen(board: Board, seats: int) -> None:
    """Two games that differ only in what seat 0 kept look the same to all others until the last seat has chosen."""
    few, many = (Game(board, seats=seats, seed=4, first=0) for _ in range(2))
    events = [few.play(keep(few, 2)), many.play(many.moves()[-1])]
    while True:
        for looking in (None, *range(1, seats)):
            assert few.view(looking).json() == many.view(looking).json()
            if few.phase == "tickets":
                assert [event.seen_by(looking) for event in events[0]] == [
                    event.seen_by(looking) for event in events[1]
                ]
        assert few.view(None).ticket_counts == [0] * seats
        if few.seat == seats - 1:
            break
        move = keep(few, 2)
        events = [few.play(move), many.play(move)]
    events = [game.play(game.moves()[-1]) for game in (few, many)]
    dealt = board.rules.first_tickets[0]
    assert event_codes(events[0]) == ["kept_tickets", "all_kept"]
    middle = [2] * (seats - 2)
    assert events[0][-1].seen_by(None)["counts"] == [2, *middle, dealt]
    assert events[1][-1].seen_by(None)["counts"] == [dealt, *middle, dealt]
    assert few.view(None).ticket_counts == [2, *middle, dealt]


def test_a_seat_sees_its_own_choice_at_once() -> None:
    game = Game(NORDIC, seed=4, first=0)
    [event] = game.play(keep(game, 3))
    assert event.seen_by(0)["count"] == 3 and len(event.seen_by(0)["tickets"]) == 3
    assert event.seen_by(1) == {"code": "kept_tickets", "seat": 0}
    assert event.text_for(1) == "seat 0 has chosen"
    assert len(game.view(0).tickets) == 3 and len(game.view(0).returned) == 2
    assert game.view(1).tickets == [] and len(game.view(1).offered) == 5


def test_waiting_seats_see_what_they_were_dealt() -> None:
    game = Game(LIGHTS, seats=3, seed=4, first=0)
    dealt = game.position()["dealt"]
    for seat in (1, 2):
        view = game.view(seat)
        assert [ticket["cities"] for ticket in view.offered] == dealt[seat]
        assert view.moves == [] and view.options is None
    assert game.view(None).offered == []


def test_first_tickets_not_kept_leave_nordic_countries() -> None:
    game = Game(NORDIC, seats=3, seed=4, first=0)
    before = game.position()["ticket_deck"]
    for _ in range(3):
        game.play(keep(game, 2))
    assert game.position()["ticket_deck"] == before
    assert list(map(len, game.position()["returned"])) == [3, 3, 3]
    assert game.position()["batches"] == []


def test_first_tickets_not_kept_go_under_the_deck_of_northern_lights_in_the_order_of_choosing() -> None:
    game = Game(LIGHTS, seats=4, seed=4, first=2)
    before = game.position()["ticket_deck"]
    for count in (2, 3, 4, 2):
        game.play(keep(game, count))
    position = game.position()
    returned = position["returned"]
    assert position["ticket_deck"][: len(before)] == before
    assert [(batch["seat"], batch["count"]) for batch in position["batches"]] == [(2, 2), (3, 1), (1, 2)]
    under = position["ticket_deck"][len(before) :]
    assert sorted(under[:2]) == sorted(returned[2])
    assert under[2:3] == returned[3]
    assert returned[0] == []
    assert sorted(under[3:]) == sorted(returned[1])


# --- drawing tickets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
def test_three_are_drawn_and_at_least_one_is_kept(board: Board) -> None:
    game = at(board, tickets={0: ["Oslo–Helsinki"]})
    top = game.position()["ticket_deck"][:3]
    [event] = game.play("draw tickets")
    assert event.seen_by(1)["count"] == 3 and "tickets" not in event.seen_by(1)
    assert sorted(list(board.tickets[ticket].cities) for ticket in event.seen_by(0)["tickets"]) == sorted(top)
    assert (game.seat, game.phase) == (0, "tickets")
    assert sorted(game.position()["offered"]) == sorted(top)
    assert sorted(len(move.tickets) for move in game.moves()) == [1, 1, 1, 2, 2, 2, 3]
    kept, *rest = game.position()["offered"]
    [event] = game.play(f"keep {'–'.join(kept)}")
    assert event.text_for(1) == "seat 0 keeps 1 of 3 tickets"
    assert kept in game.position()["tickets"][0] and ["Oslo", "Helsinki"] in game.position()["tickets"][0]
    assert game.position()["returned"][0] == rest
    assert game.view(1).ticket_counts == [2, 0]
    assert (game.seat, game.phase) == (1, "turn")


@pytest.mark.parametrize(("left", "ways"), [(3, 7), (2, 3), (1, 1)])
def test_fewer_are_drawn_when_fewer_are_left(left: int, ways: int) -> None:
    deck = ["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København"][:left]
    game = at(NORDIC, ticket_deck=deck)
    assert (game.view(0).options or {})["draw_tickets"] == left
    game.play("draw tickets")
    assert len(game.moves()) == ways
    assert game.view(0).keep_least == 1
    game.play(game.moves()[-1])
    assert len(game.position()["tickets"][0]) == left
    assert game.position()["ticket_deck"] == []


def test_no_ticket_can_be_drawn_from_an_empty_deck() -> None:
    game = at(NORDIC, ticket_deck=[])
    assert "tickets" not in kinds(game)
    with pytest.raises(IllegalMove, match="seat 0 cannot draw tickets: there are no tickets left"):
        game.play("draw tickets")


def test_drawn_tickets_not_kept_leave_nordic_countries() -> None:
    deck = ["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Vaasa"]
    game = at(NORDIC, ticket_deck=deck)
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    assert game.position()["ticket_deck"] == [["Oslo", "Vaasa"]]
    assert game.position()["returned"] == [[["Oslo", "København"], ["Oslo", "Stockholm"]], []]


def test_drawn_tickets_not_kept_go_under_the_deck_of_northern_lights_shuffled_among_themselves() -> None:
    deck = ["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Tallinn", "Stockholm–Riga"]
    orders = set()
    for seed in range(20):
        game = at(LIGHTS, ticket_deck=deck, rng=Game(LIGHTS, seed=seed).position()["rng"])
        game.play("draw tickets")
        game.play("keep Oslo–Helsinki")
        under = game.position()["ticket_deck"]
        assert under[:2] == [["Oslo", "Tallinn"], ["Stockholm", "Riga"]]
        assert sorted(under[2:]) == [["Oslo", "København"], ["Oslo", "Stockholm"]]
        orders.add(tuple(ends[1] for ends in under[2:]))
    assert len(orders) == 2


def test_a_returned_batch_is_not_shuffled_into_earlier_ones() -> None:
    deck = ["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Tallinn", "Stockholm–Riga", "Umeå–Oslo"]
    game = at(LIGHTS, ticket_deck=deck)
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    game.play("draw tickets")
    game.play("keep Oslo–Tallinn")
    position = game.position()
    assert [(batch["seat"], batch["count"]) for batch in position["batches"]] == [(0, 2), (1, 2)]
    assert sorted(position["ticket_deck"][:2]) == [["Oslo", "København"], ["Oslo", "Stockholm"]]
    assert sorted(position["ticket_deck"][2:]) == [["Stockholm", "Riga"], ["Umeå", "Oslo"]]


def test_a_returned_ticket_comes_back_from_under_the_deck() -> None:
    game = at(LIGHTS, ticket_deck=["Oslo–Helsinki", "Oslo–Stockholm"])
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    game.play("draw tickets")
    assert game.position()["offered"] == [["Oslo", "Stockholm"]]
    assert game.position()["returned"] == [[], []]
    assert texts(game) == ["keep Oslo–Stockholm"]


def test_the_seat_that_returned_a_batch_knows_its_tickets_and_all_know_their_number() -> None:
    game = at(LIGHTS, ticket_deck=["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Tallinn"])
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    [mine] = game.view(0).batches
    assert sorted(ticket["cities"] for ticket in mine["tickets"]) == [["Oslo", "København"], ["Oslo", "Stockholm"]]
    for looking in (1, None):
        assert game.view(looking).batches == [{"seat": 0, "count": 2, "tickets": None}]
        assert game.view(looking).ticket_deck == 3


def test_after_a_draw_from_a_batch_nobody_knows_which_of_its_tickets_remain() -> None:
    deck = ["Oslo–Helsinki", "Oslo–Stockholm", "Oslo–København", "Oslo–Tallinn", "Stockholm–Riga"]
    game = at(LIGHTS, ticket_deck=deck)
    game.play("draw tickets")
    game.play("keep Oslo–Helsinki")
    game.play("draw tickets")  # the two on top, and one of the batch
    assert [(batch["count"], batch["opened"]) for batch in game.position()["batches"]] == [(1, True)]
    names = sorted(ticket["cities"] for ticket in game.view(0).returned)
    assert names == [["Oslo", "København"], ["Oslo", "Stockholm"]]
    [mine] = game.view(0).batches
    assert mine["count"] == 1 and len(mine["tickets"]) == 2


def test_tickets_once_kept_cannot_be_returned() -> None:
    game = at(NORDIC, tickets={0: ["Oslo–Helsinki"]})
    game.play("draw tickets")
    assert not any("Oslo–Helsinki" in text for text in texts(game))


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_every_ticket_stays_in_one_place(board: Board, seats: int) -> None:
    game = Game(board, seats=seats, seed=8)
    for turn in range(3 * seats):
        if game.phase == "turn":
            game.play("draw tickets")
        game.play(game.moves()[turn % len(game.moves())])
        assert sorted(places(game.position())) == sorted(all_ends(board))


def places(position: dict[str, Any]) -> list[Ends]:
    """Every ticket, wherever it is."""
    lists = [position["ticket_deck"], position["offered"], *position["tickets"], *(position["dealt"] or [])]
    if not position["batches"]:
        lists += position["returned"]  # otherwise they lie in the deck
    return [ends for tickets in lists for ends in tickets]


def test_a_seat_may_hold_any_number_of_tickets() -> None:
    names = ["–".join(ends) for ends in all_ends(NORDIC)]
    game = at(NORDIC, tickets={0: names[:43]}, ticket_deck=names[43:])
    game.play("draw tickets")
    game.play(game.moves()[-1])
    assert len(game.position()["tickets"][0]) == 46
    put_aside(game)
    assert game.view(None).ticket_counts == [46, 0]


def test_a_position_keeps_the_order_of_the_ticket_deck() -> None:
    deck = ["Oslo–Tallinn", "Stockholm–Riga", "Oslo–Helsinki"]
    position = situation(LIGHTS, ticket_deck=deck)
    assert Game.from_position(LIGHTS, position).position()["ticket_deck"] == position["ticket_deck"]
