"""Whole games on the page in a real browser: by mouse, by touch, by keys, and several people on one device."""

import re

import pytest
from browsers import BOTS, OVER, PAYS, TICKET, Person, Site, Visit, moment, same_as_the_engine
from playwright.sync_api import expect
from positions import at
from serving import here, near_the_end

import northrail

pytestmark = pytest.mark.xdist_group("page games")


def set_up(person: Person, board: str, seats: int, level: str = "random") -> None:
    """Set up a table with the form, with bots in all other seats."""
    page, person.worth = person.page, 3
    person.go("/new")
    page.get_by_text(board, exact=True).click()
    page.get_by_text(str(seats), exact=True).click()
    page.get_by_label("Seat 1: Name").fill("Anna")
    for seat in range(2, seats + 1):
        page.get_by_label(f"Seat {seat}: Player").select_option(f"bot {level}")
    page.get_by_label("Bot speed").select_option("instant")
    person.press_like("^Start the game$")


def test_a_nordic_game_starts_with_one_click_and_ends_with_the_engine_s_scores(visit: Visit) -> None:
    anna = visit()
    anna.worth = 3
    anna.go("/")
    anna.press_like("^Play against bots")
    anna.offers(TICKET)
    first, *bots = [seat["level"] for seat in anna.news[-1]["table"]["seats"]]
    assert first is None
    assert bots in (["beginner"] * 2, ["easy"] * 2)
    assert not anna.play(10)
    anna.press_like("^Menu$")
    anna.press_like("^Let a bot play for me$")
    anna.offers(OVER)
    assert same_as_the_engine(anna).board.id == "nordic-countries"


def test_northern_lights_is_played_to_the_end_on_a_phone_by_touch(
    visit: Visit, site: Site, lights: northrail.Board
) -> None:
    anna = visit("phone")
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(lights, 2)))
    assert anna.play()
    assert same_as_the_engine(anna).board.id == "northern-lights"
    anna.press_like("^Rematch$")
    anna.offers(TICKET)
    assert not anna.play(3), "a rematch starts a new game"


def test_a_game_is_played_to_the_end_by_keys_alone(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit(hands="keys")
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(nordic, 2)))
    assert anna.play()
    expect(anna.page.get_by_test_id("live")).to_contain_text("The game is over")
    same_as_the_engine(anna)


def test_people_on_one_device_never_see_each_other_s_cards(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    start = near_the_end(nordic, 3)
    both = visit()
    both.sit(site.table([*here("Anna", "Bo"), *BOTS], start))
    seen = {"Anna": 0, "Bo": 0}
    for _ in range(200):
        offers = both.offers()
        if any(offer.name == "Download record" for offer in offers):
            break
        covered = [offer.name for offer in offers if offer.name.startswith("I am ")]
        if covered:
            words = both.page.locator("body").inner_text()
            assert "Your cards" not in words and "Your tickets" not in words
            assert not re.search(r"draws (?!a card)[\w ]+ from the deck|You (drew|kept|completed)", words)
            assert both.page.get_by_role("heading", name=f"Pass the device to {covered[0][5:]}").is_visible()
            seen[covered[0][5:]] += 1
        both.choose(offers)
    assert min(seen.values()) > 1, seen
    same_as_the_engine(both)


def test_a_screen_reader_on_a_shared_device_never_reads_out_the_other_s_cards(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    both = visit()
    both.sit(site.table(here("Anna", "Bo"), moment(nordic, "turn")))
    both.press_like("^I am Anna$")
    both.press_like("^Draw from the deck")
    live = both.page.get_by_test_id("live")
    expect(live).to_contain_text(re.compile("Anna draws .* from the deck"))
    both.press_like("^Take (?!locomotive)")
    expect(live).to_contain_text(re.compile("Anna takes"))
    both.press_like("^Hand over to Bo$")
    both.offers("^I am Bo$")
    expect(live).to_be_empty()


def test_a_double_tap_draws_one_card(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit("phone")
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.offers("^Draw from the deck")
    held = anna.hand()
    anna.page.get_by_role("button", name=re.compile("^Draw from the deck")).dblclick(delay=20)
    anna.offers("^Draw from the deck")  # for the second card
    expect(anna.page.get_by_text("Take your second card")).to_be_visible()
    assert anna.hand() == held + 1


def test_a_screen_reader_s_click_chooses_a_route_and_arrow_keys_choose_its_payment(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit(hands="keys")
    anna.sit(site.table([*here("Anna"), *BOTS], at(nordic, {"blue": 4, "red": 3, "locomotive": 2}).position()))
    anna.offers("ferry with")
    ferry = anna.page.get_by_role("button", name=re.compile("ferry with")).first
    ferry.dispatch_event("click")
    anna.offers(PAYS)
    ways = anna.page.get_by_role("radio")
    expect(ways.nth(0)).to_be_checked()
    ways.nth(0).focus()
    anna.page.keyboard.press("ArrowRight")
    expect(ways.nth(1)).to_be_checked()


@pytest.mark.long
@pytest.mark.parametrize("level", ["easy", "hard"])
@pytest.mark.parametrize(("board", "seats"), [("Nordic Countries", 3), ("Northern Lights", 5)])
def test_whole_games_against_better_bots_with_motion(visit: Visit, board: str, seats: int, level: str) -> None:
    anna = visit(theme="dark", has_motion=True)
    set_up(anna, board, seats, level)
    assert anna.play()
    anna.press_like("^Skip$")
    anna.picture(f"end-of-{seats}-against-{level}")
    same_as_the_engine(anna)


@pytest.mark.long
@pytest.mark.parametrize("board", ["Nordic Countries", "Northern Lights"])
def test_a_whole_game_by_touch(visit: Visit, board: str) -> None:
    anna = visit("phone")
    set_up(anna, board, 2)
    assert anna.play()
    same_as_the_engine(anna)


@pytest.mark.long
def test_a_whole_game_by_keys_alone_from_the_start_page(visit: Visit) -> None:
    anna = visit(hands="keys")
    anna.worth = 3
    anna.go("/")
    anna.offers("^Play against bots")
    anna.press_like("^Play against bots")
    assert anna.play()
    same_as_the_engine(anna)


@pytest.mark.long
def test_a_whole_game_of_northern_lights_set_up_and_played_by_keys_alone(visit: Visit) -> None:
    anna = visit(hands="keys")
    anna.worth, keys = 3, anna.page.keyboard
    anna.go("/new")
    anna.offers("^Create and invite$")
    anna.tab_to_field("board")
    keys.press("ArrowRight")
    anna.tab_to_field("count")
    keys.press("ArrowLeft")
    anna.tab_to_field("Seat 2: Player")
    keys.type("Easy")
    anna.press_like("^Start the game$")
    assert anna.play()
    game = same_as_the_engine(anna)
    assert (game.board.id, game.seats) == ("northern-lights", 2)


@pytest.mark.long
def test_a_whole_game_of_four_on_one_phone(visit: Visit) -> None:
    all_four = visit("phone", theme="dark")
    all_four.worth = 3
    page = all_four.page
    all_four.go("/new")
    page.get_by_text("Northern Lights", exact=True).click()
    page.get_by_text("4", exact=True).click()
    for seat in range(1, 5):
        page.get_by_label(f"Seat {seat}: Player").select_option("here")
        page.get_by_label(f"Seat {seat}: Name").fill(f"Number {seat}")
    all_four.press_like("^Start the game$")
    assert all_four.play()
    same_as_the_engine(all_four)
