"""People around the table: names and colours, boards to choose from, invitations, levels and statistics."""

import json
import re

import pytest
from browsers import BOTS, Person, Site, Visit, moment
from playwright.sync_api import expect
from serving import Json, here, near_the_end

import northrail

pytestmark = pytest.mark.xdist_group("page people")

OPEN = [{"who": "open"}]
CRIMSON, BLUE, AMBER, VIOLET, MINT = range(5)


def colours_on_the_map(person: Person) -> set[tuple[str, str]]:
    """The owner of each claimed route as its tooltip says it, and the colour of the trains there."""
    trains = person.page.locator("g[data-at^=route-][class*=seat-]")
    trains.first.wait_for()
    found = trains.evaluate_all(
        "all => all.map(each => [each.querySelector('title').textContent.split('claimed by ')[1], each.classList[0]])"
    )
    return {(owner, colour) for owner, colour in found}


def test_trains_have_the_colour_their_player_chose(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna, bo = visit(), visit("phone")
    seats: list[Json] = [{"who": "here", "name": "Anna", "colour": MINT}, *OPEN]
    anna.sit(site.table(seats, moment(nordic, "turn")))
    bo.go(f"/t/{anna.table}")
    offered = bo.page.get_by_role("radiogroup", name="Colour of your trains").get_by_role("radio")
    expect(offered).to_have_count(4)
    bo.page.get_by_label("Your name").fill("Bo")
    bo.page.get_by_role("radio", name="Amber").check(force=True)
    bo.press_like("^Join$")
    anna.offers()
    for person in (anna, bo):
        assert colours_on_the_map(person) == {("Anna", f"seat-{MINT}"), ("Bo", f"seat-{AMBER}")}
    # The next game starts with the same colour.
    bo.go("/")
    expect(bo.page.get_by_role("radio", name="Amber")).to_be_checked()
    bo.go("/new")
    expect(bo.page.get_by_role("radio", name="Amber")).to_be_checked()


def test_home_shows_the_boards_and_one_tap_plays_on_one(visit: Visit) -> None:
    bo = visit("phone", "dark", is_new=True)
    bo.go("/")
    pictures = bo.page.locator("button.board img")
    loaded = "all => all.filter(each => each.naturalWidth).map(each => each.className.split(' ')[0])"
    bo.page.wait_for_function(
        "() => document.querySelectorAll('button.board img.dark-only').length === 2"
        " && [...document.querySelectorAll('button.board img.dark-only')].every(i => i.complete)"
    )
    assert pictures.evaluate_all(loaded) == ["dark-only", "dark-only"]  # no picture of the other theme
    expect(bo.page.get_by_label("Bot level")).to_have_value(re.compile("beginner|easy"))
    bo.page.get_by_role("radio", name="Violet").check(force=True)
    bo.page.get_by_role("radio", name="Instant").check(force=True)
    bo.press_like(r"^Play against bots on\s+Northern Lights")
    bo.offers(r"points, needs")
    table = bo.news[-1]["table"]
    assert (table["board"], table["speed"], len(table["seats"])) == ("northern-lights", "instant", 3)
    assert (table["seats"][0]["name"], table["seats"][0]["colour"]) == ("Traveller", VIOLET)
    bo.go("/")
    expect(bo.page.get_by_role("radio", name="Instant")).to_be_checked()


def test_your_own_turn_is_called_that(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.offers("^Draw from the deck")
    anna.go("/")
    expect(anna.page.get_by_role("region", name="My tables")).to_contain_text("Your turn")


def test_an_invitation_says_who_invites_you_to_what(visit: Visit) -> None:
    anna, bo = visit(), visit("phone")
    anna.go("/new")
    anna.page.get_by_label("Seat 1: Name").fill("Anna")
    anna.page.get_by_text("Northern Lights").click()
    anna.page.get_by_label("Time per turn").select_option("1 minute")
    # Bots for study are only offered on request.
    player = anna.page.get_by_label("Seat 3: Player")
    expect(player.get_by_role("option", name="Random bot")).to_have_count(0)
    anna.page.get_by_label("Offer bots for study").check()
    player.select_option("Random bot")
    anna.page.get_by_label("Offer bots for study").uncheck()
    expect(player).to_have_value(re.compile("^bot (beginner|easy)$"))
    anna.press_like("^Create and invite$")
    link = anna.page.get_by_role("textbox", name=re.compile("Share this link")).input_value()
    expect(anna.page.get_by_text("This link only works on this device.")).to_be_visible()
    expect(anna.page.get_by_text("make play ARGS")).to_be_visible()
    expect(anna.page.get_by_role("img", name="QR code for this link")).to_have_count(0)
    bo.page.goto(link)
    expect(bo.page.get_by_role("heading", name="Anna invites you to Northern Lights")).to_be_visible()
    expect(bo.page.get_by_text("3 players · 1 minute a turn")).to_be_visible()
    expect(bo.page.locator(".map img.light-only")).to_be_visible()
    expect(bo.page.get_by_text("Share this link")).to_have_count(0)
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press_like("^Join$")
    bo.offers(r"points, needs")


def test_statistics_count_your_games_once_and_can_be_exported_and_deleted(
    visit: Visit, site: Site, nordic: northrail.Board, lights: northrail.Board
) -> None:
    anna = visit()
    anna.go("/statistics")
    expect(anna.page.get_by_text("No finished games yet.")).to_be_visible()
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(nordic, 2)))
    assert anna.play()
    own = next(row for row in anna.final() if row["seat"] == 0)
    completed = anna.news[-1]["final"]["seats"][0]["completed"]
    # Another game ends while its page is closed.
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(lights, 2)))
    anna.press_like("^Menu$")
    anna.press_like("^Let a bot play for me$")
    for _ in range(50):
        anna.go("/")
        games = anna.page.get_by_role("link", name=re.compile("^Your games"))
        games.wait_for()
        anna.page.wait_for_load_state("networkidle")
        if "2 games" in games.inner_text():
            break
    games.click()
    expect(anna.page.get_by_role("link", name=re.compile("^Replay"))).to_have_count(2)
    row = anna.page.get_by_role("row", name=re.compile("Nordic Countries Random"))
    expect(row.get_by_role("cell").last).to_have_text(str(own["total"]).replace("-", "\N{MINUS SIGN}"))
    with anna.page.expect_download() as coming:
        anna.press_like("^Export$")
    exported: list[Json] = json.loads(coming.value.path().read_text(encoding="utf-8"))
    assert [game["board"] for game in exported] == ["northern-lights", "nordic-countries"]
    mine = next(seat for seat in exported[1]["seats"] if seat["isYours"])
    assert (mine["name"], mine["total"], mine["completed"]) == ("Anna", own["total"], completed)
    anna.press_like("^Delete$")
    anna.press_like("^Delete all$")
    expect(anna.page.get_by_text("No finished games yet.")).to_be_visible()
    anna.go("/")  # where both tables are still listed
    expect(anna.page.get_by_role("region", name="My tables").get_by_role("listitem")).to_have_count(2)
    anna.page.wait_for_load_state("networkidle")
    assert "Your results" in anna.page.get_by_role("link", name=re.compile("^Your games")).inner_text()


def test_two_wins_in_a_row_suggest_the_next_level(visit: Visit) -> None:
    anna = visit("phone")
    seat = {"name": "Anna", "level": None, "total": 90, "place": 1, "tickets": 3, "completed": 3, "isYours": True}
    bot = seat | {"name": "Hare", "level": "easy", "total": 60, "place": 2, "isYours": False}
    game = {"board": "nordic-countries", "boardName": "Nordic Countries", "ended": 1, "seats": [seat, bot]}
    stored = json.dumps({"games": [game | {"table": name} for name in ("aaaaaaaaaa", "bbbbbbbbbb")], "seen": []})
    anna.run_before_each_page(f"localStorage.setItem('northrail.games', {json.dumps(stored)})")
    anna.go("/")
    anna.page.get_by_label("Bot level").select_option("easy")
    expect(anna.page.get_by_text("You won twice in a row against easy bots.")).to_be_visible()
    anna.press_like("^Try Medium$")
    expect(anna.page.get_by_label("Bot level")).to_have_value("medium")
    expect(anna.page.get_by_text("You won twice")).to_have_count(0)
