"""Static files of the page: caching, compression, odd paths, and what the server says without them."""

import asyncio
import os
import re
from pathlib import Path

import pytest
from databases import sqlite_file
from serving import browser, dialogue, listening, quick, serving


def built(folder: Path) -> Path:
    """Write a page as Vite builds it."""
    static = folder / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>Northrail</title>" + " " * 600)
    (static / "docs.html").write_text("<!doctype html><title>API</title>")
    (static / "assets" / "index-abc123.js").write_text("console.log(1);" * 100)
    (static / "icon.svg").write_text("<svg/>")
    return static


@dialogue
async def test_files_are_compressed_and_cached(tmp_path: Path) -> None:
    settings = quick(sqlite_file(tmp_path), static=built(tmp_path))
    async with serving(settings) as (app, _registry), browser(app) as client:
        for path in ("/", "/t/abcdefghjk", "/rules", "/index.html"):
            page = await client.get(path)
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert page.headers["cache-control"] == "no-cache"
            assert page.headers["content-encoding"] == "gzip"
            assert page.headers["vary"] == "accept-encoding"
            assert "Northrail" in page.text
        script = await client.get("/assets/index-abc123.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert int(script.headers["content-length"]) < 200
        plain = await client.get("/assets/index-abc123.js", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.text == script.text
        head = await client.head("/")
        assert (head.status_code, head.content) == (200, b"")
        assert (await client.get("/icon.svg")).headers["content-type"] == "image/svg+xml"
        assert "API" in (await client.get("/docs")).text


@dialogue
async def test_a_new_build_is_noticed_even_if_size_and_time_are_the_same(tmp_path: Path) -> None:
    static = built(tmp_path)
    index = static / "index.html"
    async with serving(quick(sqlite_file(tmp_path), static=static)) as (app, _registry), browser(app) as client:
        first = await client.get("/")
        known = {"if-none-match": first.headers["etag"]}
        unchanged = await client.get("/", headers=known)
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["etag"] == first.headers["etag"]
        times = index.stat().st_atime_ns, index.stat().st_mtime_ns
        index.write_text(index.read_text().replace("Northrail", "Southrail"))
        os.utime(index, ns=times)
        changed = await client.get("/", headers=known)
        assert (changed.status_code, "Southrail" in changed.text) == (200, True)


NOT_FOUND = [
    "/assets/other.js",
    "/favicon.ico",
    "/.env",
    "/..",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/..%5csecret.txt",
    "//secret.txt",
    "/%2fetc%2fhost.conf",
    "/link.txt",
    "/index.html/x.js",
    "/x%00.txt",
    f"/{'x' * 300}.txt",
]
SHOW_THE_PAGE = ["/", "//", "/assets", "/assets/", "/../secret", "/link", "/t/%00", "/%ff", f"/{'x' * 300}"]


async def raw_get(address: str, path: str) -> str:
    """Send a path as it is: httpx would tidy it up."""
    reader, writer = await asyncio.open_connection(*address.split(":"))
    writer.write(f"GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer


@dialogue
async def test_odd_paths_stay_inside_the_folder(tmp_path: Path) -> None:
    static = built(tmp_path)
    for name in ("secret", "secret.txt"):
        (tmp_path / name).write_text("secret")
    (static / "link").symlink_to(tmp_path / "secret")
    (static / "link.txt").symlink_to(tmp_path / "secret.txt")
    async with listening(quick(sqlite_file(tmp_path), static=static)) as (address, _registry):
        for path in NOT_FOUND:
            answer = await raw_get(address, path)
            assert answer.startswith("HTTP/1.1 404 "), path
            assert not answer.endswith("secret")
        for path in SHOW_THE_PAGE:
            answer = await raw_get(address, path)
            assert answer.startswith("HTTP/1.1 200 "), path
            assert "<title>Northrail</title>" in answer, path


@pytest.mark.parametrize("exists", [True, False])
@dialogue
async def test_without_a_built_page_the_server_says_how_to_build_it(tmp_path: Path, exists: bool) -> None:
    static = tmp_path / "static"
    if exists:
        static.mkdir()
    async with serving(quick(sqlite_file(tmp_path), static=static)) as (app, _registry), browser(app) as client:
        page = await client.get("/t/abcdefghjk")
        assert page.status_code == 200
        assert "make page" in page.text
        docs = await client.get("/docs")
        assert docs.status_code == 200
        assert 'href="/openapi.json"' in docs.text
        assert (await client.get("/assets/index.js")).status_code == 404


@dialogue
async def test_openapi_describes_every_response(tmp_path: Path) -> None:
    async with serving(quick(sqlite_file(tmp_path))) as (app, _registry), browser(app) as client:
        schema = (await client.get("/openapi.json")).json()
        refs = set(re.findall(r"#/components/schemas/(\w+)", str(schema)))
        assert refs <= set(schema["components"]["schemas"])
        assert {"News", "View", "Board", "Command", "Replay"} <= refs
        summaries = [what["summary"] for methods in schema["paths"].values() for what in methods.values()]
        assert "Make one whole choice for a seat" in summaries  # the page's list of endpoints shows these
        answers = [
            answer
            for methods in schema["paths"].values()
            for what in methods.values()
            for status, answer in what["responses"].items()
            if status.startswith("2")
        ]
        for answer in answers:
            (media,) = answer["content"].values()  # JSON, or the picture of a board
            assert media["schema"]
        for methods in schema["paths"].values():
            for what in methods.values():
                assert what["summary"]
                assert what["description"]
