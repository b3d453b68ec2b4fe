"""The table explains itself: why something is not possible, hints, useful routes, scores, and taking back."""

import re
from typing import Any

import pytest
from browsers import MINUS, Person, Site, Visit, faults
from playwright.sync_api import Locator, expect
from positions import LIGHTS, NORDIC, at, named, using
from serving import Json, here

import northrail
from northrail.server.wire.outlook import trains_together

pytestmark = pytest.mark.xdist_group("page explains")

RED, BLUE = named(NORDIC, "Bergen–Oslo red"), named(NORDIC, "Bergen–Oslo blue")
BLACK = named(NORDIC, "Kristiansand–Oslo black")
FERRY = named(NORDIC, "Helsinki–Stockholm yellow")
GREEN, LAST = named(NORDIC, "Oslo–Örebro green"), named(NORDIC, "Örebro–Stockholm black")
FOUR_RED = {"red": 4}
BOT = [{"who": "bot", "level": "random"}]

PARALLEL = at(NORDIC, FOUR_RED, seats=3, owners={BLUE: 0}).position()
TURN = at(NORDIC, FOUR_RED | {"yellow": 1}, owners={BLUE: 1, BLACK: 0}).position()
FEW_TRAINS = at(NORDIC, FOUR_RED, owners=using(NORDIC, 38, 0, [RED])).position()
EMPTY = at(NORDIC, FOUR_RED, deck={}, ticket_deck=[]).position()
SECOND = at(LIGHTS, phase="second_card", face_up={"locomotive": 2, "red": 3}).position()
TUNNEL = at(
    NORDIC, FOUR_RED, phase="tunnel", route=BLUE, set="blue", laid={"blue": 4}, revealed={"blue": 1}, owners={BLACK: 1}
).position()
OTHERS = at(NORDIC, seat=1, others={0: FOUR_RED}, face_up={"red": 5}).position()
TICKETS = northrail.Game(NORDIC, 2, 3, first=1).position()
DECK, TICKET_DECK = "^Draw from the deck", "^Draw tickets"

# A position, and what the page answers to a tap on each thing: a route by its number, anything else by its name.
WHY_NOT: dict[str, tuple[Json, dict[int | str, str]]] = {
    "a turn": (
        TURN,
        {
            BLUE: "Bo owns it.",
            BLACK: "You already own it.",
            RED: "Closed with 2 players: Bergen–Oslo blue is taken.",
            FERRY: "You have 0 of 1 locomotive and 1 of 3 yellow.",
        },
    ),
    "a parallel route": (PARALLEL, {RED: "You already own a parallel route."}),
    "few trains": (FEW_TRAINS, {RED: "You have 2 trains left. This route needs 4."}),
    "empty decks": (EMPTY, {DECK: "The deck is empty.", TICKET_DECK: "There are no tickets left."}),
    "a second card": (
        SECOND,
        {
            r"^Place \d: locomotive": "A face-up locomotive can’t be your second card.",
            TICKET_DECK: "Take your second card first.",
            0: "Take your second card first.",
        },
    ),
    "a tunnel": (TUNNEL, {RED: "Pay for the tunnel or give it up first.", BLACK: "Bo owns it."}),
    "another's turn": (
        OTHERS,
        {RED: "It’s Bo’s turn.", DECK: "It’s Bo’s turn.", r"^Place 1: red": "It’s Bo’s turn.", FERRY: "You have 0 of"},
    ),
    "first tickets": (TICKETS, {RED: "Choose your tickets first."}),
}


def sit(person: Person, site: Site, start: Json, **more: Any) -> None:
    """Sit down as Anna. Bo plays elsewhere."""
    table, cookie = site.table(here("Anna", "Bo", "Cleo")[: start["seats"]], start, **more)
    person.sit((table, cookie.split(".")[0]))


def route(person: Person, number: int) -> Locator:
    """A route on the map."""
    return person.page.locator(f"[data-at=route-{number}]").first


def tap(person: Person, what: int | str) -> None:
    """Tap a route by its number, or another control by its name."""
    if isinstance(what, str):
        target = person.page.get_by_role("button", name=re.compile(what)).first
    else:
        spaces = route(person, what).locator("> *:not(title)")
        target = spaces.nth(spaces.count() // 2)
    box = target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if person.hands == "finger":
        person.page.touchscreen.tap(x, y)
    else:
        person.page.mouse.click(x, y)


def answer(person: Person) -> Locator:
    """The line that explains."""
    return person.page.locator(".explanation").get_by_role("status")


@pytest.mark.parametrize("case", WHY_NOT)
def test_a_tap_on_what_is_not_possible_says_why(visit: Visit, site: Site, case: str) -> None:
    start, taps = WHY_NOT[case]
    anna = visit("phone" if case in ("a turn", "a second card", "another's turn") else "laptop")
    sit(anna, site, start)
    anna.page.locator("main .status").wait_for()
    for what, sentence in taps.items():
        tap(anna, what)
        expect(answer(anna)).to_contain_text(sentence)
        if isinstance(what, int):
            board = northrail.load_board(start["board"])
            expect(answer(anna)).to_contain_text("–".join(board.routes[what].cities))
            expect(anna.page.locator(f".rings .marked[data-ring='{what}']")).to_have_count(1)
    anna.page.keyboard.press("Escape")
    expect(answer(anna)).to_have_text("")


def test_while_others_choose_tickets_or_a_bot_plays_the_reason_says_so(visit: Visit, site: Site) -> None:
    anna = visit()
    sit(anna, site, TICKETS)
    expect(anna.page.get_by_role("checkbox")).to_have_count(5)
    for box in anna.page.get_by_role("checkbox").all():
        box.click()
    anna.press_like(r"^Keep \d")
    expect(anna.page.locator("main .status")).to_contain_text("Waiting for Bo")
    tap(anna, RED)
    expect(answer(anna)).to_contain_text("Bo is still choosing tickets.")
    anna.press("Menu")
    anna.press_like("^Let a bot play for me$")
    expect(anna.page.get_by_role("dialog")).to_be_hidden()
    tap(anna, BLACK)  # far from the first tap, so that the two are no double tap
    expect(answer(anna)).to_contain_text("A bot is playing for Anna. Take the seat back first.")


# --- hints ------------------------------------------------------------------------------------------------------------


def hint(person: Person, name: str, sentence: str) -> None:
    """Ask for the next step of a hint, and check what it says."""
    person.press_like(f"^{re.escape(name)}$")
    expect(answer(person)).to_contain_text(sentence)


@pytest.mark.parametrize("device", ["laptop", "phone"])
def test_a_hint_says_where_to_look_then_what_to_do_then_why(visit: Visit, site: Site, device: Any) -> None:
    anna = visit(device, "dark" if device == "phone" else "light")
    start = at(NORDIC, {"black": 2, "green": 1}, tickets={0: ["Oslo–Stockholm"]}, owners={GREEN: 0}).position()
    anna.sit(site.table([*here("Anna"), *BOT], start))
    bar = anna.page.locator("main .status")
    anna.offers("^Hint$")
    before = bar.bounding_box()
    hint(anna, "Hint", "Look at the ringed route on the map.")
    expect(anna.page.get_by_text("Take a face-up card or draw")).to_have_count(0)  # there is no room for both
    expect(anna.page.locator(f".rings .hinted[data-ring='{LAST}']")).to_have_count(1)
    hint(anna, "Show move", "Claim Örebro–Stockholm with 2 black.")
    hint(anna, "Why?", "It completes Oslo–Stockholm.")
    assert bar.bounding_box() == before, "the bar keeps its height without the button"
    assert faults(anna.page, has_map=False) == []
    anna.picture(f"hint-{device}")
    anna.press_like("^Claim for 2 points$")
    expect(answer(anna)).to_have_text("")


def test_a_hint_points_at_cards_and_tickets_too(visit: Visit, site: Site) -> None:
    anna = visit()
    row = {"black": 1, "red": 4}
    start = at(NORDIC, {"black": 1}, tickets={0: ["Oslo–Stockholm"]}, owners={GREEN: 0}, face_up=row).position()
    anna.sit(site.table([*here("Anna"), *BOT], start))
    hint(anna, "Hint", "Look at the ringed card.")
    expect(anna.page.locator(".card.hinted")).to_have_count(1)
    hint(anna, "Show move", "Take the black card.")
    hint(anna, "Why?", "Örebro–Stockholm still needs 1 black.")
    anna.sit(site.table([*here("Anna"), *BOT], northrail.Game(NORDIC, 2, 3, first=0).position()))
    hint(anna, "Hint", "Compare the points of each ticket")
    hint(anna, "Show move", "Keep ")
    hint(anna, "Why?", "points for")
    anna.press_like(r"^Keep \d tickets?$")


def test_everyone_sees_whether_hints_are_allowed(visit: Visit, site: Site) -> None:
    anna = visit("phone")
    sit(anna, site, TURN)
    anna.press_like("^Menu$")
    expect(anna.page.get_by_text("Hints are off at this table.")).to_be_visible()
    anna.press("Close")
    assert not [offer for offer in anna.offers() if offer.name == "Hint"]
    anna.sit(site.table([*here("Anna"), {"who": "open"}], TURN, hints=True))
    expect(anna.page.get_by_text("Hints are allowed at this table.")).to_be_visible()
    anna.go("/new")
    allow = anna.page.get_by_role("checkbox", name="Allow hints")
    expect(allow).not_to_be_checked()  # an open seat is for someone else
    allow.check()
    anna.press_like("^Create and invite$")
    expect(anna.page.get_by_text("Hints are allowed at this table.")).to_be_visible()


# --- what is useful, and what counts ----------------------------------------------------------------------------------


def test_useful_routes_glow_and_a_wasteful_claim_says_so(visit: Visit, site: Site) -> None:
    anna = visit()
    hand = {"black": 2, "orange": 1, "white": 1}
    start = at(NORDIC, hand, tickets={0: ["Oslo–Stockholm"]}, owners={GREEN: 0}).position()
    anna.sit(site.table([*here("Anna"), *BOT], start))
    anna.offers()
    halos = anna.page.locator(".halo polyline")
    expect(anna.page.locator(".halo .useful")).to_have_count(2)  # Örebro–Stockholm and its parallel route
    assert halos.count() > 3
    anna.press_route(next(offer.name for offer in anna.offers() if offer.name.startswith("Århus–København")))
    wasteful = "This uses 3 of your 4 cards for 1 point and helps none of your tickets."
    expect(anna.page.get_by_text(wasteful)).to_be_visible()
    anna.picture("wasteful")
    anna.press_like("^Cancel$")
    anna.press_route(next(offer.name for offer in anna.offers() if offer.name.startswith("Örebro–Stockholm black")))
    expect(anna.page.get_by_text("helps none of your tickets")).to_have_count(0)


@pytest.mark.parametrize("device", ["laptop", "phone"])
def test_your_score_counts_tickets_and_bonus_cards_show_who_leads(visit: Visit, site: Site, device: Any) -> None:
    anna = visit(device)
    start = at(
        LIGHTS,
        owners=using(LIGHTS, 12, 0) | {named(LIGHTS, "Honningsvåg"): 1},
        tickets={0: [str(LIGHTS.tickets[0]), str(LIGHTS.tickets[1])]},
        bonus_cards=["Nordic Express", "Local network", "Cost efficiency", "Ferry Master"],
    )
    score, view = start.scores()[0], start.view(0)
    anna.sit(site.table(here("Anna") + BOT, start.position()))
    anna.offers()
    mine = anna.page.get_by_role("button", name=re.compile("^Anna"))
    open_points = sum(ticket["points"] for ticket in view.tickets if not ticket["joined"])
    total = view.points[0] + score.tickets
    expect(mine).to_contain_text(f"= {str(total).replace('-', MINUS)}")
    expect(mine).to_contain_text(f"minus {open_points} for open tickets")
    if device == "phone":
        anna.press_like(r"Tickets$")
    section = anna.page.locator("section", has=anna.page.locator("#tickets-title"))
    bot = anna.names()[1]
    expect(section).to_contain_text(f"You {score.longest}, {bot} {start.scores()[1].longest}")
    expect(section.locator("div", has_text="Local network").locator(".standing")).to_have_text("You 0")
    assert faults(anna.page, has_map=False) == []
    anna.picture(f"score-{device}")


def test_chosen_tickets_say_how_many_trains_they_need_together(visit: Visit, site: Site) -> None:
    anna = visit("phone")
    game = northrail.Game(LIGHTS, 2, 5, first=0)
    anna.sit(site.table([*here("Anna"), *BOT], game.position()))
    together = trains_together(game.view(0))
    names = [offer.name for offer in anna.offers(r", \d+ points?, needs") if re.search(r", needs", offer.name)]
    anna.press(names[0], is_tick=True)
    expect(anna.page.get_by_text(f"1 ticket needs {together[1]} of your 40 trains.")).to_be_visible()
    anna.press(names[1], is_tick=True)
    expect(anna.page.get_by_text(f"2 tickets need about {together[3]} of your 40 trains.")).to_be_visible()
    anna.picture("together")


# --- taking back ------------------------------------------------------------------------------------------------------


def test_the_menu_says_what_can_be_taken_back(visit: Visit, site: Site) -> None:
    anna = visit()
    sit(anna, site, at(NORDIC, face_up={"red": 5}).position())

    def asked() -> Locator:
        anna.press_like("^Menu$")
        anna.press_like("^Take back a move$")
        return anna.page.get_by_role("dialog")

    expect(asked()).to_contain_text("You haven’t made a move yet.")
    anna.press_like("^Close$")
    anna.press_like("^Take red")
    expect(anna.page.locator("main .status")).to_contain_text("Take your second card")
    expect(asked()).to_contain_text("a new card was turned up")
    expect(anna.page.get_by_role("dialog")).to_contain_text("until you draw a card, or confirm")
