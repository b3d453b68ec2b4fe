"""The map has room on every screen, stays where it is during a turn, and follows mouse and keys."""

import re

import pytest
from browsers import BOTS, ROUTE, Person, Site, Visit, faults, moment
from playwright.sync_api import FloatRect, expect
from positions import at
from serving import here

import northrail

pytestmark = pytest.mark.xdist_group("page map")

HAND = {"purple": 3, "blue": 4, "orange": 1, "green": 5, "yellow": 2, "black": 1, "red": 6, "locomotive": 2}
SHARES = {  # of the window that the map fills at least
    (1024, 768): 0.4,
    (1180, 820): 0.4,
    (1440, 900): 0.4,
    (1920, 1080): 0.4,
    (390, 844): 0.45,
    (820, 1180): 0.45,
    (844, 390): 0.45,
    (360, 640): 0.38,
}
ENLARGED = [(720, 450), (512, 384), (320, 256)]  # at 200 % and more, the window is that much smaller


def map_box(person: Person) -> FloatRect:
    """Where the map is."""
    box = person.page.get_by_test_id("map").bounding_box()
    assert box
    return box


def sit(person: Person, site: Site, board: northrail.Board) -> None:
    """Sit down with cards for many routes, at your turn."""
    person.sit(site.table([*here("Anna"), *BOTS], at(board, HAND).position()))
    person.offers("^Draw from the deck")


def a_route(person: Person, pattern: str = "") -> str:
    """The name of a route that can be claimed."""
    return next(offer.name for offer in person.offers() if ROUTE.match(offer.name) and re.search(pattern, offer.name))


def test_the_map_fills_much_of_every_window_and_the_hand_is_visible(
    visit: Visit, site: Site, nordic: northrail.Board
) -> None:
    anna = visit()
    anna.sit(site.table([*here("Anna"), *BOTS, *BOTS], moment(nordic, "turn", 3, claimed=20)))
    anna.offers("^Draw from the deck")
    for (width, height), least in SHARES.items():
        anna.page.set_viewport_size({"width": width, "height": height})
        for card in anna.page.locator("[data-at=hand] li").all():
            expect(card).to_be_in_viewport(ratio=1)
        box = map_box(anna)
        assert box["width"] * box["height"] >= least * width * height, f"{width} × {height}: {box}"
    assert anna.complaints == []


@pytest.mark.parametrize("device", ["laptop", "phone"])
def test_the_map_stays_where_it_is_while_you_draw_pay_and_choose(
    visit: Visit, site: Site, nordic: northrail.Board, device: str
) -> None:
    anna = visit("phone" if device == "phone" else "laptop")
    if device == "laptop":
        anna.page.set_viewport_size({"width": 1024, "height": 768})
    sit(anna, site, nordic)
    box = map_box(anna)
    anna.press_route(a_route(anna, "ferry with"))
    assert map_box(anna) == box, "paying"
    anna.press_like("^Other cards$")
    anna.offers("^Use one red")
    assert map_box(anna) == box, "paying with other cards"
    anna.press_like("^Cancel$")
    anna.press_like("^Draw tickets")
    anna.offers(r"^Draw \d tickets?$")
    assert map_box(anna) == box, "asked about tickets"
    anna.press_like(r"^Draw \d tickets?$")
    anna.offers(r"^.*–.*, \d+ points?, needs")
    assert map_box(anna) == box, "choosing tickets"


# The controls that are cut off or covered, each after scrolling to it.
UNREACHABLE = """() => [...document.querySelectorAll("button, a[href]")]
  .filter(each => !each.closest("svg") && each.checkVisibility()).flatMap(each => {
    each.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
    const {x, y, width, height} = each.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    const isSeen = x >= -1 && y >= -1 && x + width <= innerWidth + 1 && y + height <= innerHeight + 1;
    return isSeen && each.contains(top) ? [] : [each.ariaLabel ?? each.innerText];
  })"""


def test_at_twice_the_size_everything_can_be_reached(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    sit(anna, site, nordic)
    for width, height in ENLARGED:
        anna.page.set_viewport_size({"width": width, "height": height})
        assert anna.page.evaluate(UNREACHABLE) == [], f"{width} × {height}"
        assert faults(anna.page, has_map=False) == [], f"{width} × {height}"
    anna.page.set_viewport_size({"width": 720, "height": 450})
    anna.press_route(a_route(anna, "ferry with"))
    assert anna.page.evaluate(UNREACHABLE) == [], "paying"


def test_arrow_keys_bring_routes_of_a_zoomed_map_into_view(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit(hands="keys")
    page = anna.page
    sit(anna, site, nordic)
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
    page.locator("[role=button][data-route][tabindex='0']").focus()
    frame, reached = map_box(anna), set()
    for key in ["ArrowDown"] * 12 + ["End", "Home"]:
        page.keyboard.press(key)
        focused = page.locator("[data-route]:focus")
        expect(focused).to_be_in_viewport(ratio=1)
        box = focused.bounding_box()
        assert box
        assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"], focused
        assert frame["y"] <= box["y"] and box["y"] + box["height"] <= frame["y"] + frame["height"], focused
        expect(page.locator(".rings .hovered")).to_have_attribute(
            "data-ring", focused.get_attribute("data-route") or ""
        )
        reached.add(focused.get_attribute("aria-label"))
    assert len(reached) > 10
    assert page.get_by_test_id("map").evaluate("map => map.scrollTop + map.scrollLeft") == 0


def test_the_mouse_tells_parallel_routes_apart(visit: Visit, site: Site, nordic: northrail.Board) -> None:
    anna = visit()
    page = anna.page
    sit(anna, site, nordic)
    twins = [number for number, route in enumerate(nordic.routes) if route.cities == ("Bergen", "Oslo")]
    assert len(twins) == 2
    said = set()
    for number in twins:
        box = page.locator(f"[data-at=route-{number}] .space").nth(1).bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page.locator(".rings .hovered")).to_have_attribute("data-ring", str(number))
        info = page.locator(".dock .info")
        expect(info).to_contain_text(f"Bergen–Oslo {nordic.routes[number].colour}")
        said.add(info.inner_text())
    assert len(said) == 2
    page.mouse.move(2, 2)
    expect(page.locator(".rings .hovered")).to_have_count(0)
