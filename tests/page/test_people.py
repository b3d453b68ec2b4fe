"""People around the table: names and colours, boards to choose from, invitations, levels and statistics."""

import pytest
from browsers import Person, Site, Visit, moment
from playwright.sync_api import expect
from serving import Json

import northrail

pytestmark = pytest.mark.xdist_group("page people")

OPEN = [{"who": "open"}]
CRIMSON, BLUE, AMBER, VIOLET, MINT = range(5)


def colours_on_the_map(person: Person) -> set[tuple[str, str]]:
    """The owner of each claimed route as its tooltip says it, and the colour of the trains there."""
    found = person.page.locator("g[data-at^=route-][class*=seat-]").evaluate_all(
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
    bo.press_like("^Take a seat$")
    anna.offers()
    bo.page.locator("g[data-at^=route-]").first.wait_for()
    for person in (anna, bo):
        assert colours_on_the_map(person) == {("Anna", f"seat-{MINT}"), ("Bo", f"seat-{AMBER}")}
    # The next game starts with the same colour.
    bo.go("/")
    expect(bo.page.get_by_role("radio", name="Amber")).to_be_checked()
    bo.go("/new")
    expect(bo.page.get_by_role("radio", name="Amber")).to_be_checked()
