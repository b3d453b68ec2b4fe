"""The built page, kept in memory and sent compressed; or a plain page that says how to build it."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

FOR_EVER = "public, max-age=31536000, immutable"
COMPRESSED = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest+json")
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#21313c;"
    "background:#fbf7ef}code{background:#efe7d6;padding:0 .3em;border-radius:3px}h2{margin-top:2rem}"
    "@media(prefers-color-scheme:dark){body{background:#0b111c;color:#eef2f6}code{background:#27364a}a{color:#7fe0b4}}"
)


@dataclass(frozen=True)
class File:
    """A file of the page."""

    body: bytes
    small: bytes | None  # the same with gzip
    kind: str
    tag: str
    cache: str


class Page:
    """The files of the page, by their paths."""

    def __init__(self, folder: Path) -> None:
        self.files = {
            "/" + path.relative_to(folder).as_posix(): _file(path, folder)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in (".gz", ".br")
        }

    def answer(self, request: Request) -> Response:
        """The file that is asked for; the page itself for every path that is no file."""
        path = request.url.path
        found = self.files.get(path)
        if found is None:
            if "." in path.rsplit("/", 1)[-1]:
                return Response("there is no such file\n", 404, media_type="text/plain")
            found = self.files.get("/index.html")
        if found is None:
            return Response(_document("Northrail", UNBUILT), 200, media_type="text/html")
        headers = {"etag": f'"{found.tag}"', "cache-control": found.cache, "vary": "accept-encoding"}
        if found.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if found.small is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(found.small, headers=headers | {"content-encoding": "gzip"}, media_type=found.kind)
        return Response(found.body, headers=headers, media_type=found.kind)


def _file(path: Path, folder: Path) -> File:
    body = path.read_bytes()
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    small = gzip.compress(body, 9, mtime=0) if kind.startswith(COMPRESSED) and len(body) > 500 else None
    hashed = path.relative_to(folder).parts[0] == "assets"  # Vite names these by what is in them
    return File(body, small, kind, hashlib.sha256(body).hexdigest()[:16], FOR_EVER if hashed else "no-cache")


UNBUILT = """<h1>Northrail</h1>
<p>The server runs, but its page is not built. In the repository, <code>make play</code> builds it and starts the
server; <code>make page</code> builds it alone. A wheel from <code>make wheel</code> carries it.</p>
<p>Programs can play without it: <a href="/docs">how they do</a>.</p>"""


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>"
    )


def docs(openapi: dict[str, Any]) -> str:
    """The API for people, made from its OpenAPI and without any script."""
    parts = [
        "<h1>Northrail’s API</h1>",
        f"<p>{escape(openapi['info'].get('description', ''))}</p>",
        '<p>For programs: <a href="/openapi.json">openapi.json</a>.</p>',
    ]
    for path, methods in openapi["paths"].items():
        for method, what in methods.items():
            parts.append(
                f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(what.get('summary', ''))}</p>"
            )
            if what.get("description"):
                parts.append(f"<p>{escape(what['description'])}</p>")
            asked = [f"<code>{escape(each['name'])}</code> ({each['in']})" for each in what.get("parameters", [])]
            if asked:
                parts.append(f"<p>Parameters: {', '.join(asked)}.</p>")
            body = what.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if body:
                parts.append(f"<p>Body: {_linked(body)}.</p>")
            for status, answer in what.get("responses", {}).items():
                schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
                if status.startswith("2") and schema:
                    parts.append(f"<p>Answers {status} with {_linked(schema)}.</p>")
    parts.append("<h1>Messages</h1>")
    for name, schema in openapi["components"]["schemas"].items():
        parts.append(f'<h2 id="{escape(name)}">{escape(name)}</h2><p>{escape(schema.get("description", ""))}</p>')
        rows = [
            f"<li><code>{escape(field)}</code>: {_linked(facts)}{_told(facts)}</li>"
            for field, facts in schema.get("properties", {}).items()
        ]
        parts.append(f"<ul>{''.join(rows)}</ul>")
    return _document("Northrail’s API", "".join(parts))


def _told(facts: dict[str, Any]) -> str:
    return f". {escape(facts['description'])}" if facts.get("description") else ""


def _linked(schema: dict[str, Any]) -> str:
    """A schema in words, with links to the messages it names."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_linked(each) for each in schema[several])
    if "const" in schema:
        return f"<code>{escape(repr(schema['const']))}</code>"
    if "enum" in schema:
        return ", ".join(f"<code>{escape(str(each))}</code>" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_linked(schema['items'])}" if "items" in schema else "list"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_linked(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "anything")))
