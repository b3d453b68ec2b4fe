"""The last round, the score, and who wins."""

import pytest
from positions import LIGHTS, LOCOMOTIVE, NORDIC, TABLES, Cards, at, event_codes, named, put_aside, texts, using

from northrail import Board, Game

pytestmark = pytest.mark.engine

NO_BONUS_DIFFERS = ["Capital investment", "Local network", "Polar Express", "Call of the wild"]


# --- the last round ---------------------------------------------------------------------------------------------------


def one_space(board: Board) -> int:
    return named(board, "Norrköping–Stockholm")


def nearly_over(board: Board, seats: int, left: int = 3) -> Game:
    """Return a game in which seat 0 has few trains left and can claim a route of one space."""
    route = one_space(board)
    colour = board.routes[route].colour
    return at(board, {colour: 1}, seats=seats, owners=using(board, 40 - left, clear=[route]))


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_with_two_trains_left_every_seat_including_that_one_has_one_more_turn(board: Board, seats: int) -> None:
    game = nearly_over(board, seats)
    events = game.play(f"claim {board.routes[one_space(board)]}")
    assert event_codes(events) == ["claimed", "last_round"]
    assert str(events[1]) == "seat 0 has 2 trains left: the last round begins"
    assert game.position()["turns_left"] == game.view(None).turns_left == seats
    order = []
    while not game.over:
        order.append(game.seat)
        game.play("take blind")
        events = game.play("take blind")
    assert order == [*range(1, seats), 0]
    assert event_codes(events) == ["drew", "game_over"]
    assert game.position()["turns_left"] == 0
    assert (game.seat, game.phase, game.moves()) == (0, "over", [])


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_three_trains_left_do_not_start_the_last_round(board: Board, seats: int) -> None:
    game = nearly_over(board, seats, left=4)
    assert event_codes(game.play(f"claim {board.routes[one_space(board)]}")) == ["claimed"]
    assert game.position()["trains"][0] == 3
    assert game.position()["turns_left"] is None


@pytest.mark.parametrize(
    ("left", "cards", "name"), [(1, {"red": 2}, "Norrköping–Örebro gray"), (0, {"red": 3}, "Helsinki–Imatra red")]
)
def test_one_or_no_trains_left_starts_the_last_round_too(left: int, cards: Cards, name: str) -> None:
    route = named(NORDIC, name)
    game = at(NORDIC, cards, owners=using(NORDIC, 37, clear=[route]))
    assert event_codes(game.claim(route, cards)) == ["claimed", "last_round"]
    assert game.position()["trains"][0] == left


def test_the_last_round_starts_only_once() -> None:
    """Seat 1 also gets down to two trains in the last round; that does not extend the game."""
    route = one_space(NORDIC)
    wanted = named(NORDIC, "Rovaniemi–Tornio red")
    mine = using(NORDIC, 37, clear=[route, wanted])
    theirs = using(NORDIC, 37, seat=1, clear=[route, wanted, *mine])
    game = at(NORDIC, {"red": 1}, seats=3, others={1: {"red": 1}}, owners=mine | theirs)
    game.claim(route, {"red": 1})
    assert game.position()["turns_left"] == 3
    assert event_codes(game.claim(wanted, {"red": 1})) == ["claimed"]
    assert game.position()["turns_left"] == 2
    put_aside(game)
    put_aside(game)
    assert game.over


def test_the_last_turn_may_be_a_claim_or_tickets() -> None:
    game = at(NORDIC, {"red": 1}, turns_left=1, tickets={0: ["Oslo–Helsinki"]})
    assert "draw tickets" in texts(game)
    claimed = game.copy()
    assert event_codes(claimed.claim(one_space(NORDIC), {"red": 1})) == ["claimed", "game_over"]
    game.play("draw tickets")
    assert not game.over
    assert event_codes(game.play(game.moves()[-1])) == ["kept_tickets", "game_over"]
    assert game.over


@pytest.mark.parametrize(("board", "seats"), TABLES, ids=str)
def test_turns_go_around_the_table(board: Board, seats: int) -> None:
    game = at(board, seats=seats, seat=seats - 1)
    order = []
    for _ in range(seats):
        order.append(game.seat)
        put_aside(game)
    assert order == [seats - 1, *range(seats - 1)]


# --- the score --------------------------------------------------------------------------------------------------------


def test_tickets_add_or_subtract_their_points() -> None:
    """Helsinki–Tallinn and Helsinki–Tampere connect Tampere with Tallinn; København is not reached."""
    owners = {named(NORDIC, "Helsinki–Tallinn"): 0, named(NORDIC, "Helsinki–Tampere"): 0}
    game = at(NORDIC, owners=owners, tickets={0: ["Tampere–Tallinn", "Oslo–København"], 1: ["Oslo–Stockholm"]})
    mine, theirs = game.scores()
    assert (mine.routes, mine.tickets, mine.completed, mine.longest) == (3, 3 - 4, 1, 3)
    assert (theirs.routes, theirs.tickets, theirs.completed, theirs.longest) == (0, -4, 0, 0)
    assert mine.total == 3 - 1 + 10 and mine.bonuses == {"Globetrotter": 10}
    assert theirs.total == -4 and theirs.bonuses == {}
    assert game.winners() == [0]


def test_others_routes_do_not_complete_a_ticket() -> None:
    owners = {named(NORDIC, "Helsinki–Tallinn"): 0, named(NORDIC, "Helsinki–Tampere"): 1}
    game = at(NORDIC, owners=owners, tickets={0: ["Tampere–Tallinn"]})
    assert [score.tickets for score in game.scores()] == [-3, 0]


def test_route_points_show_during_play_and_tickets_only_at_the_end() -> None:
    owners = {named(NORDIC, "Helsinki–Tallinn"): 0}
    game = at(NORDIC, owners=owners, tickets={0: ["Tampere–Tallinn"], 1: ["Oslo–Helsinki"]}, turns_left=1)
    view = game.view(1)
    assert view.points == [2, 0] and view.ticket_counts == [1, 1]
    assert view.final is None and [ticket["cities"] for ticket in view.tickets] == [["Oslo", "Helsinki"]]
    put_aside(game)
    final = game.view(None).final
    assert final is not None
    assert [ticket["cities"] for ticket in final[0]["tickets"]] == [["Tampere", "Tallinn"]]
    assert sum(final[0]["hand"].values()) == 2


def test_the_final_score_equals_the_score_as_if_it_ended_now() -> None:
    owners = {named(NORDIC, "Helsinki–Tallinn"): 0}
    game = at(NORDIC, owners=owners, tickets={0: ["Tampere–Tallinn"]}, turns_left=1)
    before = game.scores()
    put_aside(game)
    assert game.over and game.scores() == before


# --- Globetrotter -----------------------------------------------------------------------------------------------------

TALLINN = ["Helsinki–Tallinn", "Helsinki–Tampere"]  # completes Tampere–Tallinn (3)
STOCKHOLM = ["Oslo–Örebro green", "Örebro–Stockholm black"]  # completes Oslo–Stockholm (4)


def owning(board: Board, **by_seat: list[str]) -> dict[int, int]:
    """Owners, from seat0=[…], seat1=[…]."""
    return {named(board, name): int(seat[-1]) for seat, names in by_seat.items() for name in names}


def test_globetrotter_goes_to_the_most_completed_tickets() -> None:
    game = at(
        NORDIC,
        seats=3,
        owners=owning(NORDIC, seat1=TALLINN + STOCKHOLM),
        tickets={0: ["Oslo–Helsinki"], 1: ["Tampere–Tallinn", "Oslo–Stockholm"], 2: ["Oslo–Vaasa"]},
    )
    assert [score.bonuses for score in game.scores()] == [{}, {"Globetrotter": 10}, {}]


def test_globetrotter_goes_to_all_tied_seats_in_full() -> None:
    game = at(
        NORDIC,
        seats=3,
        owners=owning(NORDIC, seat1=TALLINN, seat2=STOCKHOLM),
        tickets={1: ["Tampere–Tallinn"], 2: ["Oslo–Stockholm", "Oslo–Helsinki"]},
    )
    assert [score.bonuses for score in game.scores()] == [{}, {"Globetrotter": 10}, {"Globetrotter": 10}]


@pytest.mark.parametrize("seats", [2, 3])
def test_globetrotter_goes_to_all_when_nobody_completed_any(seats: int) -> None:
    game = at(NORDIC, seats=seats, tickets={0: ["Oslo–Helsinki"]})
    assert [score.bonuses for score in game.scores()] == [{"Globetrotter": 10}] * seats


# --- tie-breaks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("best", [0, 1])
def test_nordic_the_most_completed_tickets_break_a_tie(best: int) -> None:
    """3 for routes, 3 for a ticket, 10 for Globetrotter; against 15 and 1 for routes."""
    other = 1 - best
    routes = {f"seat{best}": TALLINN, f"seat{other}": ["Mo i Rana–Trondheim red", "Rovaniemi–Tornio"]}
    game = at(NORDIC, owners=owning(NORDIC, **routes), tickets={best: ["Tampere–Tallinn"]})
    scores = game.scores()
    assert [score.total for score in scores] == [16, 16]
    assert scores[best].longest < scores[other].longest, "the longer route comes second"
    assert game.winners() == [best]


@pytest.mark.parametrize("best", [0, 1])
def test_nordic_the_longest_route_breaks_a_tie_of_tickets(best: int) -> None:
    routes = {f"seat{best}": STOCKHOLM, f"seat{1 - best}": ["Helsinki–Imatra"]}
    game = at(NORDIC, owners=owning(NORDIC, **routes))
    assert [score.total for score in game.scores()] == [14, 14]
    assert [score.longest for score in game.scores()] == [4 if seat == best else 3 for seat in range(2)]
    assert game.winners() == [best]


def test_nordic_an_unbroken_tie_is_shared() -> None:
    game = at(NORDIC, owners=owning(NORDIC, seat0=["Helsinki–Imatra"], seat1=["Boden–Umeå red"]))
    assert game.winners() == [0, 1]
    assert at(NORDIC, seats=3).winners() == [0, 1, 2]


def test_nordic_only_tied_seats_take_part_in_the_tie_break() -> None:
    """Seat 2 has completed more and owns the longest route, but has fewer points."""
    game = at(
        NORDIC,
        seats=3,
        owners=owning(
            NORDIC,
            seat0=["Lieksa–Murmansk"],
            seat1=["Mo i Rana–Trondheim red", "Åndalsnes–Bergen black", "Göteborg–Oslo"],
            seat2=[*TALLINN, "Helsinki–Turku"],
        ),
        tickets={2: ["Tampere–Tallinn", "Oslo–Mo i Rana"]},
    )
    totals = [score.total for score in game.scores()]
    assert totals[0] == totals[1] == 27 > totals[2]
    assert game.scores()[2].completed == 1
    assert game.winners() == [0]


@pytest.mark.parametrize("best", [0, 1])
def test_lights_the_most_completed_tickets_break_a_tie(best: int) -> None:
    """2 for routes and 2 for Oslo–Stockholm against 4 for a route of three; every card in play is tied."""
    other = 1 - best
    routes = {f"seat{best}": ["Karlstad–Oslo white", "Karlstad–Stockholm green"], f"seat{other}": ["Helsinki–Imatra"]}
    cards = ["Polar Express", "Snowplow award", "Ferry Master", "Call of the wild"]
    game = at(LIGHTS, owners=owning(LIGHTS, **routes), tickets={best: ["Oslo–Stockholm"]}, bonus_cards=cards)
    assert [score.total for score in game.scores()] == [4 + 41, 4 + 41]
    assert game.winners() == [best]


@pytest.mark.parametrize("best", [0, 1])
def test_lights_the_most_bonus_cards_break_a_tie_of_tickets(best: int) -> None:
    """Ferry Master (12) against Call of the wild (5) and Cost efficiency (7), with 4 for routes on both sides."""
    other = 1 - best
    routes = {f"seat{other}": ["Stockholm–Turku", "Umeå–Storuman"], f"seat{best}": ["Helsinki–Imatra"]}
    hands = {best: {LOCOMOTIVE: 1}, other: {}}
    game = at(
        LIGHTS,
        hands[0],
        others={1: hands[1]},
        owners=owning(LIGHTS, **routes),
        bonus_cards=["Call of the wild", "Cost efficiency", "Ferry Master", "Polar Express"],
    )
    scores = game.scores()
    assert set(scores[best].bonuses) == {"Call of the wild", "Cost efficiency", "Polar Express"}
    assert set(scores[other].bonuses) == {"Ferry Master", "Polar Express"}
    assert scores[0].total == scores[1].total
    assert game.winners() == [best]


@pytest.mark.parametrize("seats", range(2, 6))
def test_lights_an_unbroken_tie_is_shared(seats: int) -> None:
    assert at(LIGHTS, seats=seats).winners() == list(range(seats))


def test_lights_the_longest_route_breaks_no_tie() -> None:
    """Two connected routes of two against one of three: 4 points each, and no card in play counts length."""
    routes = {"seat0": ["Göteborg–Karlstad", "Göteborg–Oslo black"], "seat1": ["Helsinki–Imatra"]}
    game = at(LIGHTS, owners=owning(LIGHTS, **routes), bonus_cards=NO_BONUS_DIFFERS)
    assert [score.longest for score in game.scores()] == [4, 3]
    assert game.winners() == [0, 1]


# --- the longest route ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "longest"),
    [
        ([], 0),
        (["Helsinki–Lahti"], 1),
        (["Helsinki–Lahti", "Boden–Tornio"], 1),
        (["Helsinki–Lahti", "Lahti–Tampere", "Helsinki–Tampere"], 3),  # a loop
        (["Helsinki–Lahti", "Lahti–Tampere", "Helsinki–Tampere", "Tampere–Vaasa", "Tampere–Turku"], 6),  # Tampere twice
        (
            ["Helsinki–Lahti", "Lahti–Tampere", "Helsinki–Tampere", "Tampere–Vaasa", "Helsinki–Turku"],
            5,
        ),  # never all of it
        (["Helsinki–Lahti", "Helsinki–Imatra", "Helsinki–Tallinn"], 5),  # a star: the two longest arms
        (["Helsinki–Lahti", "Lahti–Tampere", "Helsinki–Tampere", "Boden–Umeå red"], 3),
        (["Lieksa–Murmansk", "Kajaani–Lieksa", "Kuopio–Lieksa"], 10),
    ],
    ids=str,
)
def test_cities_may_repeat_on_the_longest_route_and_routes_may_not(names: list[str], longest: int) -> None:
    assert at(NORDIC, owners=owning(NORDIC, seat0=names)).scores()[0].longest == longest
