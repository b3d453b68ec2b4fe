"""The built page as static files; without one, a plain page that says how to build it."""

import mimetypes
import os
from pathlib import Path, PurePath

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from northrail.server.http.caching import cacheable

# Browsers insist on these types. Python asks the system, which may not know them.
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


class Page(StaticFiles):
    """The files of the page. Every path without an extension is the page itself, which has client-side routes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, check_dir=False)  # the folder is missing until the page is built

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file at a path, or the document that shows it."""
        if "." in PurePath(path).name:
            return await super().get_response(path, scope)
        document = "docs" if path == "docs" else "index"
        try:
            return await super().get_response(f"{document}.html", scope)
        except HTTPException as fault:
            if fault.status_code != 404:
                raise
            return HTMLResponse(UNBUILT[document])

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,  # noqa: ARG002  # packages may give all files one time, so this makes no ETag
        scope: Scope,
        status_code: int = 200,  # noqa: ARG002  # always 200; `cacheable` answers 304 itself
    ) -> Response:
        """Return a file. Vite names assets by their content, so browsers may keep these for ever."""
        path = Path(full_path)
        media_type = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return cacheable(path.read_bytes(), media_type, Headers(scope=scope), path.parent.name == "assets")


def _plain(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>'
    )


UNBUILT = {
    "index": _plain(
        "Northrail",
        "<p>The server is running, but its page is not built. In the repository, <code>make play</code> builds the "
        "page and starts the server; <code>make page</code> only builds it. Wheels from <code>make wheel</code> "
        'include it.</p><p>Programs can play without the page: see <a href="/docs">the API</a>.</p>',
    ),
    "docs": _plain(
        "Northrail’s API",
        "<p>This page is not built: <code>make page</code> builds it. "
        'The API is also described in <a href="/openapi.json">openapi.json</a>.</p>',
    ),
}
