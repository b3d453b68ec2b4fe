"""Swagger UI at /docs, in a browser: it works under our content security policy and asks no other site."""

import pytest
from browsers import Site, Visit
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("page docs")


def test_the_api_can_be_read_and_tried(visit: Visit, site: Site) -> None:
    reader = visit(theme="dark")
    urls: list[str] = []
    reader.page.on("request", lambda request: urls.append(request.url))
    reader.go("/docs")
    expect(reader.page.get_by_role("heading", name="Northrail")).to_be_visible()
    expect(reader.page.locator("html")).to_have_class("dark-mode")
    reader.page.emulate_media(color_scheme="light")
    expect(reader.page.locator("html")).not_to_have_class("dark-mode")
    health = reader.page.locator("#operations-server-health_health_get")
    health.locator(".opblock-summary-control").click()
    health.get_by_role("button", name="Try it out").click()
    health.get_by_role("button", name="Execute").click()
    expect(health.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert all(url.startswith((f"{site.address}/", "data:")) for url in urls)


def test_players_do_not_load_it(visit: Visit) -> None:
    player = visit()
    urls: list[str] = []
    player.page.on("request", lambda request: urls.append(request.url))
    player.go("/")
    player.page.wait_for_load_state("networkidle")
    assert any("/assets/index-" in url for url in urls)
    assert not any("/assets/docs-" in url for url in urls)
