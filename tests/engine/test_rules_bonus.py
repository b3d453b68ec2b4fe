"""The eleven bonus cards of Northern Lights: one winner, a tie, a tie of all at zero; and what each card counts."""

from dataclasses import dataclass, field

import pytest
from positions import LIGHTS, LOCOMOTIVE, Cards, at, named

from northrail import Game

pytestmark = pytest.mark.engine

NAMES = [card.name for card in LIGHTS.bonus_cards]


@dataclass(frozen=True)
class Has:
    """What a seat has at the end."""

    routes: list[str] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)
    hand: Cards = field(default_factory=dict)


def ending(card: str, *seats: Has) -> Game:
    """Return a game with only this card in play."""
    return at(
        LIGHTS,
        seats[0].hand,
        seats=len(seats),
        others={seat: has.hand for seat, has in enumerate(seats)},
        owners={named(LIGHTS, name): seat for seat, has in enumerate(seats) for name in has.routes},
        tickets={seat: has.tickets for seat, has in enumerate(seats)},
        bonus_cards=[card],
    )


def winners_of(card: str, *seats: Has) -> list[int]:
    """Return the seats that score a card; check that each scores it in full."""
    game = ending(card, *seats)
    points = next(bonus.points for bonus in LIGHTS.bonus_cards if bonus.name == card)
    scores = game.scores()
    assert all(score.bonuses[card] == points for score in scores if card in score.bonuses)
    assert all(score.total == score.routes + score.tickets + sum(score.bonuses.values()) for score in scores)
    return [seat for seat, score in enumerate(scores) if card in score.bonuses]


OSLO_STOCKHOLM = Has(["Karlstad–Oslo white", "Karlstad–Stockholm green"], ["Oslo–Stockholm"])  # 2 points
STOCKHOLM_HELSINKI = Has(["Stockholm–Turku", "Helsinki–Turku"], ["Stockholm–Helsinki"])  # 3
TROMSO_MURMANSK = Has(["Karesuando–Tromsø", "Karesuando–Kirkenes", "Kirkenes–Murmansk"], ["Tromsø–Murmansk"])  # 7

# card -> a seat that has the most, one that has as much in another way, one that has less
CASES: dict[str, tuple[Has, Has, Has]] = {
    "Call of the wild": (
        Has(hand={LOCOMOTIVE: 2, "red": 3}),
        Has(hand={LOCOMOTIVE: 1, "blue": 2, "green": 2}),
        Has(hand={LOCOMOTIVE: 1, "red": 3, "green": 1, "white": 1}),
    ),
    "Capital investment": (OSLO_STOCKHOLM, STOCKHOLM_HELSINKI, TROMSO_MURMANSK),
    "Cost efficiency": (Has(), Has(), Has(["Helsinki–Lahti orange"])),
    "Small steps strategist": (
        Has(["Helsinki–Lahti orange", "Kuopio–Kajaani"]),
        Has(["Umeå–Vaasa", "Visby–Norrköping"]),  # ferries count
        Has(["Boden–Tornio", "Karlstad–Östersund"]),
    ),
    "Nordic Express": (
        Has(["Helsinki–Imatra", "Lahti–Imatra"]),
        Has(["Karlstad–Östersund"]),
        Has(["Umeå–Storuman", "Storuman–Mo i Rana", "Boden–Tornio"]),  # 4 in a row, and one elsewhere
    ),
    "Local network": (OSLO_STOCKHOLM, STOCKHOLM_HELSINKI, TROMSO_MURMANSK),
    "International tycoon": (
        Has(["Helsinki–Tallinn", "Visby–Klaipėda"]),  # Finland, Estonia, Sweden, Lithuania
        Has(["København–Gdańsk", "Göteborg–Oslo black"]),  # Denmark, Poland, Sweden, Norway
        Has(["Karlstad–Oslo white", "Karlstad–Stockholm green", "Stockholm–Turku"]),
    ),
    "Polar Express": (
        TROMSO_MURMANSK,
        Has(["Boden–Rovaniemi", "Karesuando–Rovaniemi", "Karesuando–Honningsvåg"], ["Honningsvåg–Rovaniemi"]),
        OSLO_STOCKHOLM,
    ),
    "Snowplow award": (
        Has(["Boden–Rovaniemi", "Boden–Kiruna black"]),
        Has(["Rovaniemi–Kemijärvi", "Apatity–Murmansk"]),
        Has(["Kiruna–Narvik yellow", "Boden–Tornio", "Storuman–Mo i Rana"]),
    ),
    "Ferry Master": (
        Has(["Stockholm–Turku", "Stockholm–Helsinki"]),
        Has(["Umeå–Vaasa", "Helsinki–Tallinn"]),
        Has(["Visby–Norrköping", "Karlstad–Oslo white"]),
    ),
    "The wild west": (
        Has(["Göteborg–Oslo black", "Bergen–Oslo purple"]),
        Has(["Storuman–Mo i Rana", "Kiruna–Narvik yellow"]),
        Has(["Östersund–Trondheim white", "Boden–Tornio"]),
    ),
}


def test_every_card_has_its_cases() -> None:
    assert sorted(CASES) == sorted(NAMES)


@pytest.mark.parametrize("card", NAMES)
def test_the_seat_with_the_most_wins_in_every_place_at_the_table(card: str) -> None:
    most, _, less = CASES[card]
    if card == "Cost efficiency":
        less_still = Has(["Boden–Tornio", "Kuopio–Kajaani"])
    else:
        less_still = Has()
    assert winners_of(card, most, less, less_still) == [0]
    assert winners_of(card, less, most, less_still) == [1]
    assert winners_of(card, less_still, less, most) == [2]
    assert winners_of(card, less, most) == [1]


@pytest.mark.parametrize("card", NAMES)
def test_all_tied_seats_score_in_full(card: str) -> None:
    most, same, less = CASES[card]
    assert winners_of(card, most, same) == [0, 1]
    assert winners_of(card, less, same, most) == [1, 2]
    assert winners_of(card, most, less, same) == [0, 2]


@pytest.mark.parametrize("card", NAMES)
@pytest.mark.parametrize("seats", range(2, 6))
def test_everybody_scores_when_all_tie_at_zero(card: str, seats: int) -> None:
    """For Cost efficiency, everybody has the same number of trains left."""
    assert winners_of(card, *[Has()] * seats) == list(range(seats))


def test_only_cards_in_play_are_scored() -> None:
    everything = Has(
        ["Stockholm–Turku", "Umeå–Vaasa", "Bergen–Oslo purple", "Kiruna–Narvik yellow"], hand={LOCOMOTIVE: 5}
    )
    game = ending("Ferry Master", everything, Has())
    assert [score.bonuses for score in game.scores()] == [{"Ferry Master": 12}, {}]


# --- what each counts -------------------------------------------------------------------------------------------------


def test_call_of_the_wild_counts_each_pair_of_one_colour_as_a_locomotive() -> None:
    """Five of a colour are two pairs; single cards of different colours are none."""
    five, two = Has(hand={"red": 5}), Has(hand={LOCOMOTIVE: 2})
    assert winners_of("Call of the wild", five, two) == [0, 1]
    singles = Has(hand={"purple": 1, "blue": 1, "orange": 1, "white": 1, "green": 1, LOCOMOTIVE: 1})
    assert winners_of("Call of the wild", singles, two) == [1]


def test_call_of_the_wild_counts_the_hand_and_not_what_was_played() -> None:
    game = ending("Call of the wild", Has(hand={LOCOMOTIVE: 3}), Has(hand={LOCOMOTIVE: 2}))
    game.claim(named(LIGHTS, "Helsinki–Imatra"), {LOCOMOTIVE: 3})
    assert "Call of the wild" not in game.scores()[0].bonuses


def test_capital_investment_counts_a_ticket_between_two_capitals_once() -> None:
    """Oslo–Stockholm against Stockholm–Riga and Oslo–Tallinn."""
    two = Has(
        [
            "Stockholm–Kuressaare",
            "Riga–Kuressaare red",
            "Kuressaare–Tallinn green",
            "Norrköping–Stockholm",
            "Norrköping–Karlstad",
            "Karlstad–Oslo white",
        ],
        ["Stockholm–Riga", "Oslo–Tallinn"],
    )
    one = Has(["Göteborg–Oslo black", "København–Göteborg"], ["Oslo–København"])
    assert winners_of("Capital investment", one, two) == [1]


@pytest.mark.parametrize("card", ["Capital investment", "Local network", "Polar Express"])
def test_tickets_that_are_not_completed_count_nothing(card: str) -> None:
    tickets = Has(tickets=["Oslo–Stockholm", "Stockholm–Helsinki", "Tromsø–Murmansk", "Honningsvåg–Rovaniemi"])
    assert winners_of(card, tickets, Has()) == [0, 1]


def test_local_network_counts_tickets_worth_five_and_not_six() -> None:
    five = Has(["Karesuando–Rovaniemi", "Karesuando–Honningsvåg"], ["Honningsvåg–Rovaniemi"])
    six = Has(
        ["Helsinki–Tallinn", "Stockholm–Helsinki", "Karlstad–Stockholm green", "Karlstad–Oslo white"], ["Oslo–Tallinn"]
    )
    assert winners_of("Local network", five, Has()) == [0]
    assert winners_of("Local network", six, Has()) == [0, 1]


def test_small_steps_counts_routes_of_one_space_only() -> None:
    assert winners_of("Small steps strategist", Has(["Umeå–Storuman"]), Has()) == [0, 1]
    assert winners_of("Small steps strategist", Has(["Helsinki–Tallinn"]), Has()) == [0]


def test_nordic_express_may_repeat_cities_but_not_routes() -> None:
    """A triangle of three with a tail of two makes five; a star of three arms makes only its two longest."""
    loop = Has(["Helsinki–Lahti orange", "Lahti–Tampere", "Helsinki–Tampere", "Tampere–Vaasa black"])
    star = Has(["Karlstad–Oslo white", "Göteborg–Karlstad", "Karlstad–Lillehammer", "Karlstad–Stockholm green"])
    game = ending("Nordic Express", loop, star)
    assert [score.longest for score in game.scores()] == [5, 5]
    assert winners_of("Nordic Express", loop, star) == [0, 1]


def test_international_tycoon_counts_each_country_at_the_ends_of_own_routes_once() -> None:
    finland = Has(["Helsinki–Lahti orange", "Kuopio–Kajaani", "Lahti–Tampere", "Oulu–Tornio"])
    two = Has(["Karlstad–Oslo white"])
    assert winners_of("International tycoon", finland, two) == [1]


def test_polar_express_counts_a_ticket_with_two_arctic_ends_once() -> None:
    one = TROMSO_MURMANSK
    also_one = Has(["Boden–Kiruna black", "Storuman–Boden", "Umeå–Storuman"], [])
    two = Has(
        [
            "Narvik–Tromsø",
            "Mo i Rana–Narvik",
            "Kiruna–Narvik yellow",
            "Kiruna–Karesuando",
            "Karesuando–Rovaniemi",
            "Karesuando–Honningsvåg",
        ],
        ["Tromsø–Mo i Rana", "Honningsvåg–Rovaniemi"],
    )
    assert winners_of("Polar Express", one, two) == [1]
    assert winners_of("Polar Express", one, also_one) == [0]


def test_rovaniemi_counts_as_arctic_and_mo_i_rana_does_not() -> None:
    assert winners_of("Snowplow award", Has(["Boden–Rovaniemi"]), Has()) == [0]
    assert winners_of("Snowplow award", Has(["Storuman–Mo i Rana"]), Has()) == [0, 1]


def test_snowplow_counts_a_route_with_two_arctic_ends_once() -> None:
    assert winners_of("Snowplow award", Has(["Kiruna–Narvik yellow"]), Has(["Boden–Rovaniemi"])) == [0, 1]


def test_the_wild_west_counts_a_route_between_two_norwegian_cities_once() -> None:
    assert winners_of("The wild west", Has(["Bergen–Oslo purple"]), Has(["Göteborg–Oslo black"])) == [0, 1]


def test_ferry_master_counts_routes_and_not_symbols() -> None:
    assert winners_of("Ferry Master", Has(["Bergen–Åndalsnes"]), Has(["Umeå–Vaasa"])) == [0, 1]


def test_cost_efficiency_counts_trains_left_and_not_routes() -> None:
    few_long, many_short = (
        Has(["Karlstad–Östersund"]),
        Has(["Boden–Tornio", "Kuopio–Kajaani", "Oulu–Tornio", "Lahti–Tampere"]),
    )
    assert winners_of("Cost efficiency", few_long, many_short) == [1]


def test_everybody_sees_the_bonus_cards_from_the_beginning() -> None:
    game = Game(LIGHTS, seats=3, seed=1)
    assert game.view(0).bonus_cards == game.view(None).bonus_cards == game.position()["bonus_cards"]
