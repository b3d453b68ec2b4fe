"""Endpoints for seats: take one, leave it, hand it to a bot, move it to another device."""

from fastapi import APIRouter, Request, Response

from northrail.server.http.requests import (
    REFUSALS,
    Reply,
    SeatNumber,
    Visit,
    Visiting,
    WithKeys,
    client_address,
    limit,
    request_keys,
    set_keys,
)
from northrail.server.tables.session import Caller
from northrail.server.wire import requests, responses
from northrail.server.wire.refusals import Refused
from northrail.server.wire.types import MOST_VERSION

router = APIRouter(prefix="/api/tables/{table}", responses=REFUSALS, tags=["seats"])


@router.post("/seats", response_model=responses.Joined, status_code=201)
async def join(request: Request, visit: Visiting, body: requests.Join, keys: WithKeys = False) -> Response:
    """Take an open seat."""
    seat, key = await visit.seating.join(visit.session, body.name, body.seat, body.colour)
    return _seated(visit, request, seat, key, keys, 201)


@router.post("/enter", response_model=responses.Joined)
async def enter(request: Request, visit: Visiting, body: requests.Enter, keys: WithKeys = False) -> Response:
    """Take your seat on this device, with a personal link."""
    try:
        seat, key = await visit.seating.enter(visit.session, body.key)
    except Refused:  # only wrong links are limited: others may share this client's address
        limit(visit.rates.wrong_keys, client_address(request), "too_many_wrong_links")
        raise
    return _seated(visit, request, seat, key, keys, 200)


@router.put("/seats/{seat}", response_model=responses.News)
async def fill(visit: Visiting, seat: SeatNumber, body: requests.Fill) -> Response:
    """Give a seat to a bot, or free it, before the game starts. Only the host can."""
    await visit.seating.fill(visit.session, visit.caller, seat, body.sitter.model_dump())
    visit.caller = await visit.session.caller(request_keys(visit.request))
    return Reply(visit.news())


@router.post("/seats/{seat}/leave", response_model=responses.News)
async def leave(visit: Visiting, seat: SeatNumber) -> Response:
    """Leave your seat before the game starts."""
    await visit.seating.leave(visit.session, visit.caller, seat)
    visit.caller = Caller(visit.caller.seats - {seat}, visit.caller.host)
    return Reply(visit.news())


@router.post("/seats/{seat}/resign", response_model=responses.News)
async def resign(visit: Visiting, seat: SeatNumber) -> Response:
    """Resign: a bot takes over the seat. The table closes when no person is left."""
    await visit.seating.resign(visit.session, visit.caller, seat)
    return Reply(visit.seat_news(seat, MOST_VERSION))


@router.post("/seats/{seat}/hand-over", response_model=responses.News)
async def hand_over(visit: Visiting, seat: SeatNumber, body: requests.HandOver) -> Response:
    """Let a bot play for your seat, or for someone who is gone."""
    await visit.seating.hand_over(visit.session, visit.caller, seat, body.level)
    return Reply(visit.seat_news(seat, MOST_VERSION))


@router.post("/seats/{seat}/take-back", response_model=responses.News)
async def take_back(visit: Visiting, seat: SeatNumber) -> Response:
    """Take back control of your seat."""
    await visit.seating.take_back(visit.session, visit.caller, seat)
    return Reply(visit.seat_news(seat, MOST_VERSION))


@router.post("/seats/{seat}/link", response_model=responses.SeatLink)
async def link(visit: Visiting, seat: SeatNumber) -> Response:
    """Return a personal link that moves the seat to another device."""
    visit.limit_seat(visit.rates.chat, seat)
    return Reply(await visit.seating.link(visit.session, visit.caller, seat))


def _seated(visit: Visit, request: Request, seat: int, key: str, with_keys: bool, status: int) -> Response:
    visit.caller = Caller(visit.caller.seats | {seat}, visit.caller.host)
    reply = Reply({"seat": seat, "key": key if with_keys else None, "news": visit.news(seat)}, status)
    if not with_keys:
        set_keys(reply, request, visit.table, [key])
    return reply
