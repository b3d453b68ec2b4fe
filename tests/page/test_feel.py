"""How a game feels: flights, handing over, the clock, sounds and the end."""

import re

import pytest
from browsers import BOTS, MINUS, OVER, Device, Site, Visit, faults, moment
from playwright.sync_api import expect
from positions import at, named
from serving import Json, here

import northrail

pytestmark = pytest.mark.xdist_group("page feel")

DECK = "^Draw from the deck"
# In each frame: whether a card is in the air, the cards in the hand's heading, and the cards at the seat.
WATCH = """() => {
  const seen = window.seen = [];
  const look = () => {
    const heading = document.querySelector("#hand-title .number")?.textContent ?? "";
    const seat = document.querySelector('[data-at="cards-0"]')?.textContent ?? "";
    seen.push([!!document.querySelector(".card-ghost"), parseInt(heading.replace(/\\D/g, "")), parseInt(seat)]);
    requestAnimationFrame(look);
  };
  look();
}"""
# An AudioContext that records what is played: the pitch of tones, and noise.
SILENT_AUDIO = """() => {
  window.played = [];
  const ramp = () => undefined, ramps = {linearRampToValueAtTime: ramp, exponentialRampToValueAtTime: ramp};
  const param = () => ({value: 0, setValueAtTime: ramp, ...ramps});
  const node = kind => {
    const made = {frequency: param(), gain: param(), Q: param(), connect: to => to, stop() {}};
    made.start = () => window.played.push(kind === "tone" ? made.frequency.value : kind);
    return made;
  };
  window.AudioContext = class {
    currentTime = 0; sampleRate = 10; destination = {};
    async resume() {}
    createGain() { return node("gain"); }
    createOscillator() { return node("tone"); }
    createBufferSource() { return node("noise"); }
    createBiquadFilter() { return node("filter"); }
    createBuffer() { return {getChannelData: () => new Float32Array(10)}; }
  };
}"""


def test_a_drawn_card_counts_when_it_lands_in_the_hand(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit(has_motion=True)
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.offers(DECK)
    held = anna.hand()
    anna.page.evaluate(WATCH)
    anna.press_like(DECK)
    expect(anna.page.get_by_role("heading", name="Your cards")).to_contain_text(str(held + 1))
    seen = anna.page.evaluate("() => window.seen")
    in_the_air = [(hand, seat) for is_flying, hand, seat in seen if is_flying]
    assert set(in_the_air) == {(held, held)}, "the card must not be in the hand while it flies there"
    assert seen[-1] == [False, held + 1, held + 1]


def test_on_a_shared_device_you_see_what_you_drew_before_you_hand_it_over(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    both = visit("phone")
    both.sit(site.table(here("Anna", "Bo"), moment(nordic, "turn")))
    both.press_like("^I am Anna$")
    both.press_like(DECK)
    expect(both.page.get_by_text("Take your second card")).to_be_visible()
    both.press_like("^Take (?!a locomotive)")
    result = both.page.get_by_role("region", name=re.compile(r"^You drew [\w ]+\.$"))
    expect(result).to_be_visible()
    expect(both.page.get_by_role("heading", name="Your cards")).to_be_visible()
    assert both.news[-1]["you"] == 0, "until then the device only gets what Anna may know"
    assert faults(both.page, has_map=False) == []
    both.press_like("^Hand over to Bo$")
    both.offers("^I am Bo$")
    assert "You drew" not in both.page.locator("body").inner_text()
    expect(both.page.get_by_role("heading", name="Your cards")).to_be_hidden()
    both.press("I am Bo")
    both.offers(DECK)
    assert both.news[-1]["you"] == 1


def test_everyone_sees_the_clock_and_whoever_runs_out_of_time_returns_with_one_tap(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna, bo = visit("phone"), visit()
    anna.sit(site.table([*here("Anna"), {"who": "open"}], moment(nordic, "turn"), clock=600))
    bo.go(f"/t/{anna.table}")
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press_like("^Join$")
    anna.offers(DECK)
    site.let_time_pass(anna.table, 591)
    for person in (anna, bo):
        person.page.reload()
        timer = person.page.get_by_role("listitem").filter(has_text="Anna").get_by_role("timer")
        expect(timer).to_be_visible()
        expect(timer.locator("svg")).to_be_visible()  # few seconds are left: the warning is not in the colour alone
    expect(anna.page.get_by_test_id("live")).to_contain_text("10 seconds left for your turn")
    site.let_time_pass(anna.table, 9)
    notice = anna.page.get_by_text("You ran out of time. A bot is playing for you.")
    expect(notice).to_be_visible()
    anna.press_like("^Take back control$")
    expect(notice).to_be_hidden()


def test_sounds_are_off_until_you_switch_them_on_in_the_menu(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    anna.run_before_each_page(f"({SILENT_AUDIO})()")
    anna.sit(site.table([*here("Anna"), *BOTS], moment(nordic, "turn")))
    anna.press_like(DECK)
    expect(anna.page.get_by_text("Take your second card")).to_be_visible()
    assert anna.page.evaluate("() => window.played") == []
    anna.press_like("^Menu$")
    anna.page.get_by_label("Sounds").check()
    assert anna.page.evaluate("() => window.played.splice(0)") == [659.3, 987.8], "the switch lets you hear it"
    anna.press("Close")
    anna.press_like(DECK)
    anna.page.wait_for_function("() => window.played.length >= 4")
    played = anna.page.evaluate("() => window.played")
    assert played[0] == "noise", "a card slides"
    assert played[-2:] == [659.3, 987.8], "your turn again"


def last_turn(lights: northrail.Board) -> Json:
    """The last turn of a game of five: Anna has completed one ticket and not the other."""
    owners = {named(lights, name): 0 for name in ("Karlstad–Oslo white", "Karlstad–Stockholm green")}
    tickets = {seat: ["Oslo–Stockholm", "Bergen–Lahti"] if seat == 0 else [] for seat in range(5)}
    position = at(lights, seats=5, owners=owners, tickets=tickets).position()
    return position | {"turns_left": 1}


@pytest.mark.parametrize("device", ["phone", "laptop"])
def test_the_end_ranks_first_and_keeps_your_row_in_sight(
    visit: Visit, site: Site, lights: northrail.Board, device: Device
) -> None:
    anna = visit(device)
    if device == "laptop":
        anna.page.set_viewport_size({"width": 1024, "height": 768})
    anna.sit(site.table([*here("Anna"), *BOTS * 4], last_turn(lights)))
    for _ in range(2):
        anna.press_like(DECK)
    anna.offers(OVER)
    rows = anna.final()
    assert len(rows) == 5
    assert [row["total"] for row in rows] == sorted((row["total"] for row in rows), reverse=True)
    mine = anna.page.locator("li[data-seat='0']")
    tickets = anna.page.get_by_role("region", name="Anna’s tickets").get_by_role("button")
    expect(tickets).to_have_count(2)
    tickets.last.scroll_into_view_if_needed()
    expect(mine).to_be_in_viewport(ratio=1)
    assert [re.sub(r"\s+", " ", ticket.inner_text()) for ticket in tickets.all()] == [
        "Oslo–Stockholm +2 completed",
        f"Bergen–Lahti {MINUS}9 not completed",
    ]
    assert faults(anna.page, has_map=False) == []
    lit = anna.page.get_by_test_id("map").locator("[data-ring]")
    anna.press_like(r"^Oslo–Stockholm")
    expect(lit).to_have_count(2)
    anna.press_like(r"^Bergen–Lahti")
    expect(lit).to_have_count(0)
    anna.press_like("^Watch replay$")
    expect(anna.page.get_by_role("slider")).to_be_visible()
    anna.page.keyboard.press("End")
    expect(anna.page.locator("#final-title")).to_be_visible()
    assert [(row["seat"], row["total"]) for row in anna.final()] == [(row["seat"], row["total"]) for row in rows]
