"""The page's files, and the plain pages the server makes itself."""

import re
from html.parser import HTMLParser
from pathlib import Path

from databases import sqlite_file
from serving import browser, dialogue, quick, serving


def built(folder: Path) -> Path:
    """A page as a build leaves it."""
    static = folder / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>Northrail</title>" + " " * 600)
    (static / "assets" / "index-abc123.js").write_text("console.log(1);" * 100)
    (static / "icon.svg").write_text("<svg/>")
    return static


@dialogue
async def test_the_page_is_sent_compressed_and_kept(tmp_path: Path) -> None:
    settings = quick(sqlite_file(tmp_path), static=built(tmp_path))
    async with serving(settings) as (app, _registry), browser(app) as client:
        for path in ("/", "/t/abcdefghjk", "/rules", "/index.html"):
            page = await client.get(path)
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert page.headers["cache-control"] == "no-cache"
            assert page.headers["content-encoding"] == "gzip"
            assert "Northrail" in page.text
        script = await client.get("/assets/index-abc123.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert int(script.headers["content-length"]) < 200
        plain = await client.get("/assets/index-abc123.js", headers={"accept-encoding": "identity"})
        assert plain.text == script.text
        again = await client.get("/", headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert (await client.head("/")).status_code == 200
        assert (await client.get("/assets/other.js")).status_code == 404
        assert (await client.get("/../pyproject.toml")).status_code == 404
        assert (await client.get("/icon.svg")).headers["content-type"] == "image/svg+xml"


@dialogue
async def test_without_a_built_page_the_server_says_how_to_build_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    settings = quick(sqlite_file(tmp_path), static=tmp_path / "empty")
    async with serving(settings) as (app, _registry), browser(app) as client:
        page = await client.get("/t/abcdefghjk")
        assert page.status_code == 200
        assert "make page" in page.text


class Outline(HTMLParser):
    """Which elements a page has, and where its links within itself lead."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name == "href" and value and value.startswith("#"):
                self.links.add(value[1:])


@dialogue
async def test_the_api_is_told_without_any_script(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _registry), browser(app) as client:
        page = await client.get("/docs")
        outline = Outline()
        outline.feed(page.text)
        assert "script" not in outline.tags
        assert outline.links <= outline.ids
        schema = (await client.get("/openapi.json")).json()
        for path in schema["paths"]:
            assert path in page.text
        refs = set(re.findall(r"#/components/schemas/(\w+)", str(schema)))
        assert refs <= set(schema["components"]["schemas"])
        assert {"News", "View", "Board", "Command", "Replay"} <= refs
        answers = [
            answer
            for methods in schema["paths"].values()
            for what in methods.values()
            for status, answer in what["responses"].items()
            if status.startswith("2")
        ]
        assert all(answer["content"]["application/json"]["schema"] for answer in answers)
        assert all(what.get("summary") for methods in schema["paths"].values() for what in methods.values())
