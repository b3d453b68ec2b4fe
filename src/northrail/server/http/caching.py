"""Responses that a browser may keep, compressed once."""

import gzip
import hashlib
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.responses import Response

IMMUTABLE = "public, max-age=31536000, immutable"
LEAST = 500  # bytes worth compressing


@lru_cache(maxsize=128)
def digest(body: bytes) -> str:
    """Return a short name for exactly these bytes."""
    return hashlib.sha256(body).hexdigest()[:16]


@lru_cache(maxsize=128)
def gzipped(body: bytes) -> bytes:
    """Compress bytes, and cache the result."""
    return gzip.compress(body, mtime=0)


def cacheable(body: bytes, media_type: str, request: Headers, is_immutable: bool) -> Response:
    """Return a response that a browser may keep.

    If the URL changes whenever the content does, it ``is_immutable``. Otherwise the browser asks again with the ETag.
    """
    tag = f'"{digest(body)}"'
    headers = {
        "cache-control": IMMUTABLE if is_immutable else "no-cache",
        "etag": tag,
        "vary": "accept-encoding",
    }
    if tag in request.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if len(body) > LEAST and "gzip" in request.get("accept-encoding", ""):
        return Response(gzipped(body), headers=headers | {"content-encoding": "gzip"}, media_type=media_type)
    return Response(body, headers=headers, media_type=media_type)
