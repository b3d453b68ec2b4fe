"""Nothing is lost when the page reloads, the network fails or the server is killed."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from browsers import (
    BOTS,
    MINUS,
    OVER,
    PAYS,
    ROUTE,
    Person,
    Site,
    Visit,
    context_of,
    moment,
    must_be_built,
    same_as_the_engine,
)
from databases import sqlite_file
from playwright.sync_api import Browser, Route, expect
from positions import at
from serving import here, near_the_end, server

import northrail

pytestmark = pytest.mark.xdist_group("page never lost")

DECK = "^Draw from the deck"


def test_a_reload_shows_the_same_page_in_every_phase(
    visit: Visit, site: Site, nordic: northrail.Board, lights: northrail.Board
) -> None:
    anna = visit()
    phases = (("tickets", 0), ("tickets", 4), ("turn", 4), ("second_card", 4))
    for board, phase, claimed in (*((nordic, *each) for each in phases), (lights, "turn", 4)):
        anna.sit(site.table([*here("Anna"), *BOTS], moment(board, phase, claimed=claimed)))
        same_after_reload(anna)
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "tunnel", ways=2)))
    anna.offers("^Give up and take")
    same_after_reload(anna)


def same_after_reload(person: Person) -> None:
    """Check that the page has the same words after a reload."""
    person.offers()
    before = person.words()
    person.page.reload()
    person.until_words_are(before)


def test_a_reload_forgets_an_unfinished_payment_and_pays_nothing(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], at(nordic, {"blue": 4, "red": 3, "locomotive": 2}).position()))
    offers = anna.offers()
    before = anna.words()
    anna.press_route(next(offer.name for offer in offers if ROUTE.match(offer.name) and "ferry" in offer.name))
    anna.press_like("^Other cards$")
    anna.press_like("^Use one ")
    expect(anna.page.get_by_text("These cards don’t pay for the route exactly.")).to_be_visible()
    assert anna.page.get_by_role("button", name=re.compile(PAYS)).is_disabled()
    anna.page.reload()
    anna.until_words_are(before)


def test_if_the_payment_check_fails_the_server_decides_at_the_claim(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], at(nordic, {"blue": 4, "red": 3, "locomotive": 2}).position()))
    anna.page.route("**/payments", lambda route: route.fulfill(status=500, json={"code": "server_error", "facts": {}}))
    anna.press_route(next(offer.name for offer in anna.offers("ferry") if "ferry" in offer.name))
    anna.press_like("^Other cards$")
    anna.press_like("^Use one ")
    expect(anna.page.get_by_text("Something went wrong on the server.")).to_be_visible()
    anna.press_like(PAYS)
    expect(anna.page.get_by_role("alert")).to_contain_text("These cards don’t pay for the route exactly.")
    anna.page.goto("about:blank")  # the page would check again with the next news
    anna.complaints.clear()  # the browser complains about the refusals


def test_a_finished_game_survives_a_reload_and_is_listed_under_my_tables(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(nordic, 2)))
    anna.play()
    before = anna.final()
    anna.page.reload()
    anna.offers(OVER)
    assert anna.final() == before
    same_as_the_engine(anna)
    anna.go("/")
    tables = anna.page.get_by_role("region", name="My tables")
    expect(tables).to_contain_text(re.compile("Won by|You won"))
    anna.press_like("^Replay: ")
    moments = anna.page.get_by_role("slider", name="Position in the game")
    expect(moments).to_have_value("0")
    anna.page.keyboard.press("End")
    expect(anna.page.get_by_text("The game is over", exact=True)).to_be_visible()
    for row in before:
        hand = anna.page.get_by_role("region", name=anna.names()[row["seat"]], exact=True)
        expect(hand).to_contain_text(str(row["total"]).replace("-", MINUS))
    assert anna.final() == [row | {"text": row["text"].replace(" you", "")} for row in before]
    anna.page.keyboard.press("Home")
    anna.page.keyboard.press("ArrowRight")
    expect(moments).to_have_value("1")


def test_a_move_made_offline_is_played_once_when_the_network_is_back(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.offers(DECK)
    before, held = anna.words(), anna.hand()
    with anna.without_network():
        expect(anna.page.get_by_text("Connection lost.")).to_be_visible()
        anna.until_words_are(before)
        anna.press_like(DECK)
        expect(anna.page.get_by_text("One moment")).to_be_visible()
    expect(anna.page.get_by_text("Connection lost.")).to_be_hidden()
    expect(anna.page.get_by_text("Take your second card")).to_be_visible()
    assert anna.hand() == held + 1
    anna.forgive_the_network()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("is_heard", [True, pytest.param(False, marks=pytest.mark.long)], ids=["played", "unheard"])
def test_a_server_killed_during_a_move_loses_nothing_and_plays_it_once(
    chromium: Browser, tmp_path: Path, is_heard: bool
) -> None:
    must_be_built()
    database = sqlite_file(tmp_path)
    context = context_of(chromium, "laptop", "light", has_motion=False)

    def kill() -> None:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def play_but_do_not_answer(move: Route) -> None:
        move.fetch()
        kill()
        move.abort("connectionreset")

    with server(database) as (process, address):
        anna = Person(context.new_page(), address)
        anna.go("/")
        anna.press_like("^Play against bots")
        while not anna.is_to_move() or anna.phase() != "turn":
            anna.play(1)
            anna.offers()
        before, held = anna.words(), anna.hand()
        if is_heard:
            anna.page.route("**/moves?*", play_but_do_not_answer, times=1)
            anna.press_like(DECK)
            expect(anna.page.get_by_text("Connection lost.")).to_be_visible()
        else:
            kill()
            expect(anna.page.get_by_text("Connection lost.")).to_be_visible()
            anna.until_words_are(before)
            anna.press_like(DECK)
    with server(database, "--port", address.rsplit(":", 1)[1]):
        expect(anna.page.get_by_text("Take your second card")).to_be_visible()
        expect(anna.page.get_by_text("Connection lost.")).to_be_hidden()
        assert anna.hand() == held + 1
        same_after_reload(anna)
        anna.play(4)
    anna.forgive_the_network()
    assert anna.complaints == []
    context.close()
