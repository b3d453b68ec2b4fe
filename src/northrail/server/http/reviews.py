"""Endpoints for reviews of finished games."""

from fastapi import APIRouter, Response

from northrail.server.http.requests import REFUSALS, Reply, Since, Visiting
from northrail.server.wire.review import ReviewNews
from northrail.server.wire.types import MOST_VERSION

router = APIRouter(prefix="/api/tables/{table}/review", responses=REFUSALS, tags=["tables"])


@router.post("", response_model=ReviewNews)
async def ask_review(visit: Visiting) -> Response:
    """Ask for the review of a finished game: what was decision and what was luck. It is made once and kept."""
    visit.must_be_over()
    await visit.registry.reviews.ask(visit.session)
    return Reply(await visit.registry.reviews.look(visit.session, MOST_VERSION))


@router.get("", response_model=ReviewNews)
async def review(visit: Visiting, since: Since = 0) -> Response:
    """Return how far the review of a finished game is, with its steps from a number on."""
    visit.must_be_over()
    return Reply(await visit.registry.reviews.look(visit.session, since))
