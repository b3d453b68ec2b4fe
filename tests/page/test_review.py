"""The review of a finished game on the page: its graph, bars, decisions, tickets and luck, by mouse, touch and keys."""

import json
import re
from pathlib import Path

import pytest
from browsers import BOTS, MINUS, Device, Person, Site, Visit, faults
from playwright.sync_api import Locator, expect
from serving import here, near_the_end
from tables import BOARDS

from northrail.analysis.steps import Depth
from northrail.server.tables import reviews

pytestmark = pytest.mark.xdist_group("page review")


@pytest.fixture(autouse=True)
def quick_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few worlds are enough to see the page work."""
    monkeypatch.setattr(reviews, "USUAL", Depth("usual", 4, 4, 8, 8, 4))


def finish(person: Person, site: Site, board: str) -> None:
    """Play the end of a game with a bot."""
    person.sit(site.table([*here("Anna"), *BOTS], near_the_end(BOARDS[board], 2)))
    assert person.play()


def number_in(cell: Locator) -> float:
    return float(cell.inner_text().replace(MINUS, "-"))


@pytest.mark.parametrize(("device", "board"), [("laptop", "nordic-countries"), ("phone", "northern-lights")])
def test_the_review_of_a_game_adds_up(visit: Visit, site: Site, device: Device, board: str) -> None:
    anna = visit(device)
    finish(anna, site, board)
    page = anna.page
    anna.press_like("^Review$")
    expect(page.get_by_text(re.compile(r"^Anna (won|lost|shared).*points of (good|bad) luck"))).to_be_visible()
    rows = page.locator("table.parts tr")
    *parts, result = [number_in(row.locator("td").first) for row in rows.all()]
    assert len(parts) == 4, "the game began at a position"
    assert sum(parts) == pytest.approx(result, abs=0.21), "each is rounded to a tenth"
    assert page.locator(".graph polyline").count() == 2
    expect(page.get_by_role("heading", name="Tickets")).to_be_visible()
    assert faults(page, has_map=False) == []
    anna.picture(f"review-{device}")
    page.get_by_role("group", name="Whose game").get_by_role("button").nth(1).click()
    assert number_in(rows.last.locator("td").first) == -result


def test_the_graph_is_stepped_by_keys_and_told_to_screen_readers(visit: Visit, site: Site) -> None:
    anna = visit(hands="keys")
    finish(anna, site, "nordic-countries")
    anna.press_like("^Review$")
    graph = anna.page.get_by_role("slider", name="Choice in the game")
    expect(anna.page.locator("table.parts")).to_be_visible()
    graph.focus()
    anna.page.keyboard.press("Home")
    expect(graph).to_have_attribute("aria-valuenow", "0")
    anna.page.keyboard.press("ArrowRight")
    text = graph.get_attribute("aria-valuetext") or ""
    assert re.fullmatch(r"Choice 1 of \d+, as far as they could know: .+, with all cards open: .+", text)
    anna.page.keyboard.press("End")
    expect(graph).to_have_attribute("aria-valuenow", graph.get_attribute("aria-valuemax") or "")
    anna.page.get_by_label("Show chance to win").check()
    assert "%" in (graph.get_attribute("aria-valuetext") or "")
    anna.page.get_by_text("Show as a table").click()
    assert anna.page.locator("details tbody tr").count() > 0


def test_a_decision_can_be_tried_again(visit: Visit, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("northrail.analysis.steps.LABELS", {"blunder": 12.0, "mistake": 6.0, "inaccuracy": 0.01})
    anna = visit()
    finish(anna, site, "nordic-countries")
    anna.press_like("^Review$")
    expect(anna.page.locator("table.parts")).to_be_visible()
    again = anna.page.get_by_role("button", name="Try again")
    if again.count() == 0:  # a random player errs, but not always the one who is shown
        anna.page.get_by_role("group", name="Whose game").get_by_role("button").nth(1).click()
    again.first.click()
    decision = anna.page.locator("article", has=anna.page.locator("fieldset"))
    expect(decision.get_by_text("Better", exact=True)).to_have_count(0)
    decision.locator("fieldset button").first.click()
    expect(decision.get_by_text("Better", exact=True)).to_be_visible()
    expect(decision.get_by_role("status")).to_have_text(re.compile("played|best choice"))


def test_a_review_is_reached_from_the_replay_and_the_list_of_games(visit: Visit, site: Site) -> None:
    anna = visit()
    finish(anna, site, "nordic-countries")
    table = anna.table
    anna.press_like("^Watch replay$")
    anna.press_like("^Review$")
    expect(anna.page).to_have_url(re.compile(f"/t/{table}/review$"))
    anna.go("/statistics")
    anna.press_like("^Review: Nordic Countries")
    expect(anna.page).to_have_url(re.compile(f"/t/{table}/review$"))


def test_the_tutor_asks_before_a_costly_choice_and_a_hint_compares_choices(visit: Visit, site: Site) -> None:
    blunders = json.loads((Path(__file__).parents[1] / "analysis" / "blunders.json").read_text("utf-8"))
    start = next(each for each in blunders if each["kind"] == "ticket" and each["loss"] > 15)["position"]
    anna = visit()
    anna.sit(site.table([*here("Anna", "Bo")][: start["seats"]], start, hints=True))
    page = anna.page
    anna.press_like("^I am ")
    anna.press_like("^Menu$")
    page.get_by_label("Ask me before a choice that costs much").check()
    page.keyboard.press("Escape")
    anna.press_like("^Draw from the deck")
    expect(page.get_by_text(re.compile(r"^This loses about \d+ points\."))).to_be_visible()
    page.get_by_role("button", name="Look again").click()
    for name in ("Hint", "Show move", "Why\\?", "Compare"):
        anna.press_like(f"^{name}$")
    expect(page.get_by_text("Points that others lose:")).to_be_visible()
    assert faults(page, has_map=False) == []
    anna.press_like("^Claim for ")
    anna.offers("^Download record$")
