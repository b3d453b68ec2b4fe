"""Several browsers at one table: opponents, spectators, two tabs, two devices."""

import re

import pytest
from browsers import BOTS, Person, Site, Visit, moment, same_as_the_engine
from playwright.sync_api import expect
from serving import here, near_the_end

import northrail

pytestmark = pytest.mark.xdist_group("page together")

OPEN = [{"who": "open"}]


def play_together(*people: Person) -> None:
    """Play to the end, in turn."""
    for _ in range(2_000):
        if all(person.is_over() for person in people):
            return
        movers = [person for person in people if person.is_to_move()]
        for person in movers:
            person.play(1)
        if not movers:
            people[0].page.wait_for_timeout(50)
    for person in people:
        person.picture(f"stuck-{person.hands}")
    raise AssertionError(f"the game did not end: {[person.pressed[-5:] for person in people]}")


def test_two_browsers_play_each_other_while_a_spectator_watches(
    visit: Visit, site: Site, lights: northrail.Board
) -> None:
    anna, bo, eve = visit(), visit("phone"), visit()
    anna.sit(site.table([*here("Anna"), *OPEN], near_the_end(lights, 2)))
    link = anna.page.get_by_role("textbox", name=re.compile("Share this link")).input_value()
    bo.page.goto(link)
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press_like("^Join$")
    anna.offers()
    eve.page.goto(link)
    expect(eve.page.get_by_text("You are watching")).to_be_visible()
    say(anna, "Good luck, Bo!")
    eve.press_like("^Chat")
    expect(eve.page.get_by_role("log", name="Chat")).to_contain_text("Good luck, Bo!")
    expect(eve.page.get_by_text("Only players at this table can chat.")).to_be_visible()
    eve.press("Log")
    play_together(anna, bo)
    expect(eve.page.get_by_text("Download record")).to_be_visible()
    for person, seat in ((anna, 0), (bo, 1), (eve, None)):
        received_nothing_secret(person, seat)
        same_as_the_engine(person)
    an_unsent_message_stays(bo, anna)
    anna.press_like("^Rematch$")
    bo.press_like("^Cards$")
    bo.press_like("^Join rematch$")
    assert {anna.offers(r"points, needs")[0].role, bo.offers(r"points, needs")[0].role}


def say(person: Person, text: str) -> None:
    """Send a chat message."""
    person.press_like("^Chat$")
    person.page.get_by_label("Write a message").fill(text)
    person.page.keyboard.press("Enter")
    expect(person.page.get_by_role("log", name="Chat")).to_contain_text(text)


def an_unsent_message_stays(writer: Person, other: Person) -> None:
    """Check that neither news nor another tab change a phone's tab or an unsent message."""
    writer.press_like("^Chat")
    line = writer.page.get_by_label("Write a message")
    line.fill("Well pl")
    say(other, "Again?")
    expect(writer.page.get_by_role("log", name="Chat")).to_contain_text("Again?")
    writer.press("Log")
    writer.press("Chat")
    expect(line).to_have_value("Well pl")


def received_nothing_secret(person: Person, seat: int | None) -> None:
    """Check that the server never sent a browser another player's cards or tickets during the game."""
    running = [news for news in person.news if news["view"] and news["table"]["status"] == "running"]
    assert running
    assert running[-1]["you"] == seat
    for news in running:
        assert news["you"] in (seat, None), "before taking a seat, a person sees what spectators see"
        assert (news["view"]["me"], news["final"]) == (news["you"], None)
        if news["you"] is None:
            view = news["view"]
            assert not (view["hand"] or view["tickets"] or view["offered"] or view["returned"] or view["options"])
        for step in news["steps"]:
            for event in step["events"]:
                if event["code"] == "drew" and event["seat"] != seat:
                    assert "colour" not in event or event["colour"] is None
                if event["code"] in ("drew_tickets", "kept_tickets", "completed_tickets") and event["seat"] != seat:
                    assert not event.get("tickets")


def test_two_tabs_of_one_seat_agree(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.offers()
    tab = Person(anna.page.context.new_page(), anna.address)
    tab.go(f"/t/{anna.table}")
    tab.offers()
    anna.press_like("^Draw from the deck")
    expect(tab.page.get_by_text("Take your second card")).to_be_visible()
    tab.press_like("^Draw from the deck")
    for each in (anna, tab):
        each.offers()
        expect(each.page.get_by_role("region", name="Log")).to_contain_text(re.compile("Anna draws .* from the deck"))
    tab.until_words_are(anna.words())
    assert tab.complaints == []


def test_a_seat_moves_to_a_phone_and_to_a_bot_and_back(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna, bo, phone = visit(), visit(), visit("phone")
    anna.sit(site.table([*here("Anna"), *OPEN], moment(nordic, "turn")))
    bo.go(f"/t/{anna.table}")
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press_like("^Join$")
    anna.offers("^Draw from the deck")
    anna.press_like("^Menu$")
    anna.press_like("^Play on another device$")
    link = anna.page.get_by_role("textbox", name=re.compile("Anyone with this link")).input_value()
    phone.page.goto(link)
    phone.offers()
    assert "#" not in phone.page.url
    expect(phone.page.get_by_text("Your cards")).to_be_visible()
    anna.press("Close")
    anna.press_like("^Menu$")
    anna.press_like("^Let a bot play for me$")
    bo.offers("^Draw from the deck")  # the bot has moved, and it is his turn
    phone.press_like("^Take back control$")
    assert bo.play(2) is False
    assert phone.play(2) is False
    expect(anna.page.get_by_text("A bot is playing for you.")).to_be_hidden()


def test_a_seat_link_gives_a_spectator_the_seat_and_its_key_leaves_the_address(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna, phone = visit(), visit("phone")
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.press_like("^Menu$")
    anna.press_like("^Play on another device$")
    link = anna.page.get_by_role("textbox", name=re.compile("Anyone with this link")).input_value()
    phone.go(f"/t/{anna.table}")
    expect(phone.page.get_by_text("You are watching")).to_be_visible()
    phone.page.evaluate("link => void (location.href = link)", link)
    expect(phone.page.get_by_text("Your cards")).to_be_visible()
    assert "#" not in phone.page.url


def test_a_waiting_table_shows_a_lost_connection_and_confirms_before_closing(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *OPEN], moment(nordic, "turn")))
    anna.offers("^Close table$")
    with anna.without_network():
        expect(anna.page.get_by_text("Connection lost.")).to_be_visible()
    expect(anna.page.get_by_text("Connection lost.")).to_be_hidden()
    anna.press("Close table")
    anna.press_like("^Cancel$")
    anna.press_like("^Close table$")
    dialog = anna.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Close table").click()
    expect(anna.page.get_by_role("heading", name="This table is closed")).to_be_visible()
    anna.forgive_the_network()


def test_the_map_on_a_phone_zooms_to_the_choice_and_stays_where_it_was_moved(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna, bo = visit("phone"), visit()
    whole = anna.page.get_by_role("button", name="Whole map")
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "tunnel", ways=2)))
    expect(whole).to_be_visible()
    anna.sit(site.table([*here("Anna"), *OPEN], moment(nordic, "tickets", claimed=0)))
    bo.go(f"/t/{anna.table}")
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press_like("^Join$")
    expect(whole).to_be_visible()
    anna.press("Whole map")
    expect(whole).to_be_hidden()
    say(bo, "Hello!")
    expect(anna.page.get_by_role("button", name="Chat new")).to_be_visible()
    expect(whole).to_be_hidden()


def test_focus_and_toasts_follow_dialogs_and_screens(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit(hands="keys")
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.press_like("^Menu$")
    anna.press_like("^Link for spectators$")
    anna.press_like("^Copy link$")
    expect(anna.page.get_by_role("dialog").get_by_role("alert")).to_have_text("Copied")
    anna.page.keyboard.press("Escape")
    expect(anna.page.get_by_role("button", name="Menu")).to_be_focused()
    anna.press_like("^Menu$")
    anna.press_like("^Home page$")
    expect(anna.page.get_by_role("heading", name="Northrail")).to_be_focused()
    anna.press_like("^Set up a table")
    expect(anna.page.get_by_role("heading", name="Set up a table")).to_be_focused()
    expect(anna.page).to_have_title("Set up a table · Northrail")


def test_resigning_closes_a_table_if_only_bots_are_left(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.press_like("^Menu$")
    expect(anna.page.get_by_role("dialog").get_by_role("button").last).to_have_text("Close table")
    anna.press_like("^Resign$")
    anna.press_like("^Cancel$")
    anna.press_like("^Resign$")
    expect(anna.page.get_by_text("A bot will take over your seat")).to_be_visible()
    anna.press("Resign")
    expect(anna.page.get_by_text("This table is closed").first).to_be_visible()
    anna.go("/")
    expect(anna.page.get_by_role("region", name="My tables")).to_contain_text("Closed")
    anna.press_like("^Remove from this list")
    expect(anna.page.get_by_text("No tables yet")).to_be_visible()
