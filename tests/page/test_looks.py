"""Every screen passes axe-core and fits its device; the long test keeps screenshots in .cache/pictures."""

import itertools
import json
import re
from collections.abc import Iterator

import pytest
from browsers import BOTS, DRAWS, OVER, PICTURES, ROUTE, TICKET, Device, Person, Site, Theme, Visit, faults, moment
from playwright.sync_api import expect
from positions import at
from serving import Json, here, near_the_end

import northrail

pytestmark = pytest.mark.xdist_group("page looks")

FIRST_LOAD = 250_000  # bytes
FONTS = 60_000  # bytes
LONG_NAME = "M" * 24  # the longest name, in the widest letters and without a break
HAND = {"purple": 3, "blue": 4, "orange": 1, "green": 5, "yellow": 2, "black": 1, "red": 6, "locomotive": 2}


def before_the_game(person: Person, site: Site, board: northrail.Board) -> Iterator[str]:
    """Visit every screen before a game; yield the name of each when it is ready."""
    page = person.page
    person.go("/")
    person.offers("^Play against bots")
    expect(page.get_by_label("Bot level")).to_be_visible()
    yield "home"
    person.press("Settings")
    person.offers("^Close$")
    yield "settings"
    person.go("/new")
    person.offers("^(Start the game|Create and invite)$")
    yield "setup"
    person.go(f"/rules#{board.id}")
    expect(page.get_by_role("button", name=board.name, exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", name="Points for routes")).to_be_visible()
    yield "rules"
    person.go("/learn")
    person.offers("^Start: ")
    yield "learn"
    person.press_like("^Start: (Your first route|Northern Lights)$")
    person.press_like("^Next$")
    expect(page.get_by_test_id("coach")).to_be_visible()
    yield "lesson"
    person.go("/t/aaaaaaaaaa")
    expect(page.get_by_role("heading", name="Table not found")).to_be_visible()
    person.complaints.clear()  # the browser complains about the 404
    yield "no-table"
    person.sit(site.table([*here("Anna"), {"who": "open"}], near_the_end(board, 2)))
    person.offers("^Copy link$")
    yield "waiting"
    person.press_like("^Close table$")
    person.offers("^Cancel$")
    yield "close"
    person.sit(site.table([*here(LONG_NAME), {"who": "open"}], near_the_end(board, 2)))
    expect(page.get_by_text(LONG_NAME)).to_be_visible()
    yield "waiting-long-name"


def in_the_game(person: Person, site: Site, board: northrail.Board) -> Iterator[str]:
    """Visit every screen during and after a game."""
    page, start = person.page, moment(board, "turn", board.rules.seats[1], claimed=20)
    bots = BOTS * (board.rules.seats[1] - 1)
    person.sit(site.table([*here("Anna"), *BOTS], moment(board, "tickets", claimed=0)))
    person.press(_first(person, TICKET), is_tick=True)
    yield "tickets"
    person.sit(site.table([*here("Anna"), *bots], start))
    person.offers("^Draw from the deck")
    expect(page.get_by_role("button", name=re.compile("[Rr]andom bot")).first).to_be_visible()
    yield "turn"
    person.press_like("^Anna")
    person.offers("^Close$")
    yield "seat"
    person.press("Close")
    person.press_like("^Menu$")
    person.offers("^Close$")
    yield "menu"
    person.press("Link for spectators")
    person.offers("^Copy link$")
    yield "link"
    person.press("Close")
    person.press_like("^Chat$")
    page.get_by_label("Write a message").fill("Shall we?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log", name="Chat")).to_contain_text("Shall we?")
    yield "chat"
    person.press_like("^Routes$")
    yield "routes"
    tabs = page.get_by_role("navigation")
    if tabs.get_by_role("button", name="Tickets").count():
        person.press_like("^Log$")
        yield "log"
        tabs.get_by_role("button", name="Tickets").tap()
        yield "my-tickets"
        tabs.get_by_role("button", name="Cards").tap()
    person.press_like("^Draw tickets")
    person.offers(r"^Draw \d tickets?$")
    yield "draw-tickets"
    person.press_like("^Cancel$")
    person.press_like("^Draw from the deck")
    person.offers("^Draw from the deck")
    yield "second-card"

    person.sit(site.table([*here("Anna"), *BOTS], at(board, HAND).position()))
    person.press_route(_ferry(person))
    expect(page.locator("main .status")).to_contain_text("Pay for ")
    yield "pay"
    person.press_like("^Other cards$")
    expect(page.get_by_role("button", name=re.compile("^Use one red"))).to_be_in_viewport(ratio=1)
    person.press_like("^Use one red")
    expect(page.get_by_text("These cards don’t pay for the route exactly.")).to_be_visible()
    yield "pay-custom"
    if board.rules.tunnel_cards and any(route.tunnel for route in board.routes):
        person.sit(site.table([*here("Anna"), *BOTS], moment(board, "tunnel", ways=2)))
        person.offers("^Give up and take")
        expect(page.locator(".halo .picked")).not_to_have_count(0)  # the map marks the tunnel
        yield "tunnel"

    with person.without_network():
        expect(page.get_by_text("Connection lost.")).to_be_visible()
        yield "connection-lost"
    person.forgive_the_network()
    person.sit(site.table([*here("Anna"), *bots], in_the_last_round(board)))
    person.offers(DRAWS)
    expect(page.get_by_text("Last round", exact=True)).to_be_visible()
    yield "last-round"
    person.sit(site.table([*here("Anna", "Bo")], moment(board, "turn")))
    person.offers("^I am ")
    yield "pass-device"
    person.sit(site.table([*here(LONG_NAME, "Bo")], moment(board, "turn")))
    person.press_like("^I am ")
    person.offers(DRAWS)  # the seat's own view is here, with its score
    person.press_like(f"^{LONG_NAME}")
    person.offers("^Close$")
    yield "seat-long-name"
    person.page.reload()
    person.offers("^I am ")
    yield "pass-device-long-name"
    table, _ = site.table([*here("Anna", "Bo")], moment(board, "turn"))
    page.context.clear_cookies()
    person.go(f"/t/{table}")
    expect(page.get_by_text("You are watching")).to_be_visible()
    yield "watching"
    person.sit(site.table([*here("Anna"), *BOTS], near_the_end(board, 2)))
    person.play()
    person.offers(OVER)
    for name in ("Rematch", "Watch replay", "Download record"):
        box = page.get_by_text(name, exact=True).bounding_box()
        assert box and box["height"] < 50, f"{name} needs more than one line"
    yield "over"
    person.press_like("^Watch replay$")
    page.get_by_role("slider", name="Position in the game").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("status").get_by_text("The game is over", exact=True)).to_be_visible()
    yield "replay"
    person.go("/")
    expect(page.get_by_role("region", name="My tables")).to_contain_text(re.compile("Won by|You won"))
    yield "home-with-tables"
    person.go("/statistics")
    expect(page.get_by_role("link", name=re.compile("^Replay")).first).to_be_visible()
    yield "statistics"


def in_the_last_round(board: northrail.Board) -> Json:
    """A position in which seat 0 has its last turn."""
    position = moment(board, "turn", board.rules.seats[1], claimed=20)
    position["trains"][1], position["turns_left"] = board.rules.last_round_at, 1
    return northrail.Game.from_position(board, position).position()


def _first(person: Person, pattern: str) -> str:
    return next(offer.name for offer in person.offers(pattern) if re.search(pattern, offer.name))


def _ferry(person: Person) -> str:
    """A ferry: there are many ways to pay for it."""
    offers = person.offers("ferry with")
    return next(offer.name for offer in offers if ROUTE.match(offer.name) and "ferry with" in offer.name)


def look(person: Person, screens: Iterator[str], which: str | None = None) -> None:
    """Go through screens and fail with the faults of each; save pictures of them under that name."""
    wrong = {}
    for name in screens:
        if which is not None:
            person.picture(f"{name}-{which}")
        if found := faults(person.page, has_map=name == "turn"):
            wrong[name] = found
    assert wrong == {}


def test_screens_before_a_game_on_a_laptop_have_no_faults(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit("laptop", "light")
    look(anna, before_the_game(anna, site, nordic))


def test_screens_of_a_game_on_a_dark_phone_have_no_faults(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit("phone", "dark")
    look(anna, in_the_game(anna, site, nordic))


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("device", ["laptop", "phone"])
def test_no_screen_has_faults_on_any_device_and_theme(
    visit: Visit, site: Site, board: northrail.Board, device: Device, theme: Theme
) -> None:
    anna = visit(device, theme)
    screens = itertools.chain(before_the_game(anna, site, board), in_the_game(anna, site, board))
    look(anna, screens, f"{board.id}-{device}-{theme}")


SINCE_NAVIGATION = """pattern => {
  const isThere = each => !each.disabled && new RegExp(pattern).test(each.ariaLabel ?? each.innerText);
  return [...document.querySelectorAll("button")].some(isThere) ? performance.now() : null;
}"""


def milliseconds_until(person: Person, pattern: str) -> float:
    """Milliseconds from the request for the page until a button with that name can be pressed."""
    found: float = person.page.wait_for_function(SINCE_NAVIGATION, arg=pattern, polling="raf").json_value()
    return found


def test_the_first_load_is_small_and_without_inline_script(visit: Visit, site: Site) -> None:
    anna = visit(is_new=True)
    sizes: dict[str, int] = {}
    anna.page.on("requestfinished", lambda request: sizes.update({request.url: request.sizes()["responseBodySize"]}))
    answer = anna.page.goto(site.address)
    assert answer
    interactive = milliseconds_until(anna, "^Play against bots")
    policy = answer.headers["content-security-policy"]
    scripts = next(part for part in policy.split(";") if part.strip().startswith("script-src"))
    assert scripts.split() == ["script-src", "'self'"]
    assert anna.page.evaluate("() => [...document.scripts].filter(each => !each.src).length") == 0
    anna.page.wait_for_load_state("networkidle")
    start = sum(sizes.values())
    clicked: float = anna.page.evaluate("() => performance.now()")
    anna.press_like("^Play against bots")
    playable = milliseconds_until(anna, TICKET) - clicked
    anna.page.wait_for_load_state("networkidle")
    assert len(sizes) > 4
    assert sum(sizes.values()) < FIRST_LOAD, sizes
    assert 0 < sum(size for url, size in sizes.items() if url.endswith(".woff2")) < FONTS, sizes
    is_there = "name => [...document.fonts].some(font => font.family.includes(name) && font.status === 'loaded')"
    assert all(anna.page.evaluate(is_there, name) for name in ("Figtree", "Fraunces"))
    figures = {
        "bytes to the home page": start,
        "bytes to the table": sum(sizes.values()),
        "milliseconds until Play can be pressed": round(interactive),
        "milliseconds from there to the table": round(playable),
    }
    (PICTURES.parent / "first-load.json").write_text(json.dumps(figures, indent=4) + "\n", encoding="utf-8")


def test_the_final_table_is_revealed_ticket_by_ticket_and_can_be_skipped(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit(has_motion=True)
    anna.sit(site.table([*here("Anna"), *BOTS], near_the_end(nordic, 2)))
    anna.play()
    expect(anna.page.get_by_role("heading", name="Revealing tickets")).to_be_visible()
    expect(anna.page.get_by_text("Last round", exact=True)).to_have_count(0)
    opened = anna.page.locator("section", has=anna.page.locator("#final-title")).locator(".stage .ticket")
    expect(opened).not_to_have_count(0)
    anna.picture("final-revealing")
    anna.press_like("^Skip$")
    expect(anna.page.locator("#final-title")).to_contain_text("points")
    anna.picture("final-revealed")
