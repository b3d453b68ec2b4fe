"""Lessons in a real browser, by touch and by keys: other taps, leaving, resuming and playing again."""

import re

import pytest
from browsers import PAYS, Person, Visit
from playwright.sync_api import expect
from serving import Json

pytestmark = pytest.mark.xdist_group("page learn")

SAYS = "says => document.querySelector('[data-testid=coach]')?.textContent === says"


def lessons_of(person: Person) -> list[Json]:
    """The lessons as the server lists them."""
    listed: list[Json] = person.page.request.get(f"{person.address}/api/lessons").json()
    return listed


def begin(person: Person, lesson: Json) -> None:
    """Start a lesson from the list of lessons."""
    person.go("/learn")
    person.press_like(f": {re.escape(lesson['title'])}$")


def hear(person: Person, step: Json) -> None:
    """Wait until the coach says this step."""
    person.page.wait_for_function(SAYS, arg=step["say"], polling=30)


def follow(person: Person, lesson: Json, steps: list[Json]) -> None:
    """Do what the coach says, with the controls of the page."""
    for step in steps:
        if step["who"] == "rival":
            continue
        hear(person, step)
        if step["who"] == "you":
            make(person, step["choices"][0])
        elif step is not lesson["steps"][-1]:
            person.press("Next")


def make(person: Person, choice: Json) -> None:
    """Make a choice."""
    page = person.page
    match choice["kind"]:
        case "take":
            card = "a locomotive" if choice["colour"] == "locomotive" else choice["colour"]
            person.press_like(f"^Take {card}, place")
        case "blind":
            person.press_like("^Draw from the deck")
        case "draw_tickets":
            person.press_like("^Draw tickets, ")
            person.press_like(r"^Draw \d tickets$")
        case "keep":
            person.press(next(each.name for each in person.offers("Stockholm–Umeå") if "Umeå" in each.name), True)
            person.press_like("^Keep 1 ticket$")
        case "claim":
            route = page.locator(f'[data-route="{choice["route"]}"]')
            person.press_route(route.get_attribute("aria-label") or "")
            if choice.get("cards") == {"locomotive": 1}:
                page.get_by_role("radio", name="Pay 1 locomotive").check(force=True)
            person.press_like(PAYS)
        case "tunnel":
            adds = page.get_by_role("button", name="Add 1 purple")  # its radio button has the same name
            adds.tap() if person.hands == "finger" else adds.press("Enter")
        case "give_up":
            person.press_like("^Give up and take")


def test_a_lesson_with_a_ferry_is_played_by_keys(visit: Visit) -> None:
    """The long run plays all of them by keys: Tab takes them as long as all the rest."""
    anna = visit(hands="keys")
    lesson = lessons_of(anna)[2]
    begin(anna, lesson)
    follow(anna, lesson, lesson["steps"])
    expect(anna.page.get_by_text("Lesson done!")).to_be_visible()


@pytest.mark.parametrize("by", ["finger", pytest.param("keys", marks=pytest.mark.long)])
def test_all_lessons_are_played_to_their_end_one_after_the_other(visit: Visit, by: str) -> None:
    anna = visit("phone") if by == "finger" else visit(hands="keys")
    lessons = lessons_of(anna)
    assert len(lessons) == 7
    begin(anna, lessons[0])
    for lesson, following in zip(lessons, [*lessons[1:], None], strict=True):
        follow(anna, lesson, lesson["steps"])
        expect(anna.page.get_by_text("Lesson done!")).to_be_visible()
        if lesson["id"].endswith("last-round"):
            expect(anna.page.get_by_role("heading", name=re.compile("wins with 85 points"))).to_be_visible()
        if following is not None:
            anna.press_like(f"^Next lesson: {re.escape(following['title'])}$")
    anna.press_like("^Play a real game$")
    anna.offers("^Learn to play")
    expect(anna.page.get_by_text("7 of 7 lessons done")).to_be_visible()
    assert "Won by" not in anna.words() and "In progress" not in anna.words(), "lessons are not among my tables"


def test_the_first_visit_offers_the_lessons_and_another_move_is_answered_with_the_reason(visit: Visit) -> None:
    anna = visit("phone")
    page, lesson = anna.page, lessons_of(anna)[0]
    anna.go("/")
    anna.press_like("^Learn to play")
    anna.press_like(f"^Start: {lesson['title']}$")
    read, take = lesson["steps"][:2]
    hear(anna, read)
    anna.press_like("^Take blue")  # before reading on
    objection = page.get_by_role("status").filter(has_text=take["otherwise"])
    expect(objection).to_be_visible()
    hear(anna, take)
    anna.press_like("^Draw tickets, ")
    expect(page.get_by_role("heading", name="Draw 3 tickets?")).not_to_be_visible()
    make(anna, take["choices"][0])
    expect(objection).not_to_be_visible()
    hear(anna, lesson["steps"][2])
    assert anna.hand() == 5


def test_a_route_that_the_lesson_does_not_ask_for_is_not_selected(visit: Visit) -> None:
    anna = visit(hands="keys")
    page, lesson = anna.page, lessons_of(anna)[2]
    begin(anna, lesson)
    anna.press_like("^Next$")
    hear(anna, lesson["steps"][1])
    other = page.locator("[data-route]").filter(has_not=page.locator("[data-ring]"))
    names = [name for each in other.all() if (name := each.get_attribute("aria-label") or "")]
    wrong = next(name for name in names if not name.startswith("Göteborg–København"))
    page.get_by_role("button", name=wrong).dispatch_event("click")
    expect(page.get_by_text(lesson["steps"][1]["otherwise"])).to_be_visible()
    expect(page.locator("#pay-title")).not_to_be_visible()
    ring = page.locator(f'.hinted[data-ring="{lesson["steps"][1]["choices"][0]["route"]}"]')
    expect(ring).to_have_count(1)  # the map rings the route that is meant


def test_the_rules_page_shows_a_turn_a_ticket_and_which_routes_close(visit: Visit) -> None:
    anna = visit()
    page = anna.page
    anna.go("/rules#nordic-countries")
    expect(page.get_by_text("Locomotives are not wild on plain routes.")).to_be_visible()
    expect(page.get_by_text("You want the green route Oslo–Örebro. It has 2 spaces")).to_be_visible()
    expect(page.get_by_role("img", name="Part of the map with a path for Oslo–Stockholm")).to_be_visible()
    expect(page.get_by_role("row", name="Double routes (14) 1 of 2 both")).to_be_visible()
    page.get_by_text("All double routes").click()
    expect(page.get_by_text("Kristiansand–Stavanger, Mo i Rana–Trondheim")).to_be_visible()
    anna.press("Northern Lights")
    expect(page.get_by_text("Locomotives are wild on every route")).to_be_visible()
    expect(page.get_by_role("row", name="Triple routes (2) 1 of 3 2 of 3 all 3 all 3")).to_be_visible()


def test_a_lesson_is_left_resumed_and_played_again(visit: Visit) -> None:
    anna = visit()
    page, lesson = anna.page, lessons_of(anna)[3]
    begin(anna, lesson)
    follow(anna, lesson, lesson["steps"][:3])
    hear(anna, lesson["steps"][5])
    table = anna.table
    anna.press_like("^Leave$")
    anna.press_like(f"^Continue: {lesson['title']}$")
    hear(anna, lesson["steps"][5])
    assert anna.table == table
    page.reload()
    hear(anna, lesson["steps"][5])
    follow(anna, lesson, lesson["steps"][5:])
    anna.press_like("^Play again$")
    hear(anna, lesson["steps"][0])
    assert anna.table != table
    anna.press_like("^Leave$")
    anna.press_like(f"^Play again: {lesson['title']}$")
    hear(anna, lesson["steps"][0])
