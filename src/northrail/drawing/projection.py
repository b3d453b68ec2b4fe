"""From the globe to paper: the projection of a board, and the coast, lakes, borders and Arctic Circle in its frame."""

import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from itertools import groupby, pairwise
from typing import Any

from northrail.boards.board import City
from northrail.drawing.geometry import Point

Projection = Callable[[float, float], Point]

BLEED = 4.0  # units that land continues outside the frame, which hides its cut edge
ARCTIC_CIRCLE = 66.5636  # degrees north


def given(city: City) -> Point:
    """Return where the board file puts a city."""
    if city.x is not None and city.y is not None:
        return city.x, city.y
    return city.longitude or 0.0, city.latitude or 0.0


def conic(cities: tuple[City, ...]) -> Projection:
    """Return Lambert's conformal conic projection for these cities: longitude and latitude to kilometres."""
    south, *_, north = sorted(math.radians(city.latitude or 0) for city in cities)
    west, *_, east = sorted(city.longitude or 0 for city in cities)
    low, high = south + (north - south) / 6, north - (north - south) / 6

    def stretch(latitude: float) -> float:
        return math.tan(math.pi / 4 + latitude / 2)

    if high - low < 1e-6:
        n = math.sin(low)
    else:
        n = math.log(math.cos(low) / math.cos(high)) / math.log(stretch(high) / stretch(low))
    n = n if abs(n) > 1e-6 else 1e-6  # near the equator the cone is almost a cylinder
    f = math.cos(low) * stretch(low) ** n / n

    def project(longitude: float, latitude: float) -> Point:
        radius = 6371 * f / stretch(math.radians(latitude)) ** n
        turn = n * math.radians(longitude - (west + east) / 2)
        return radius * math.sin(turn), radius * math.cos(turn)

    return project


@cache
def _map() -> dict[str, list[list[float]]]:
    """Return land, lakes and borders as longitudes and latitudes."""
    file = resources.files("northrail").joinpath("boards", "map.json")
    rings: dict[str, list[list[float]]] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return rings


def _lines(name: str, onto: Projection) -> Iterator[list[Point]]:
    """Yield the lines or rings with this name, projected."""
    for line in _map().get(name, []):
        yield [onto(longitude, latitude) for longitude, latitude in zip(line[::2], line[1::2], strict=True)]


def map_features(cities: tuple[City, ...], onto: Projection, width: float, height: float) -> dict[str, Any]:
    """Return land, lakes, borders and the Arctic Circle within the frame; a board drawn by x and y has none."""
    if cities[0].x is not None:
        return {"land": (), "lakes": (), "borders": (), "arctic_circle": ()}
    middle = (min(given(city)[0] for city in cities) + max(given(city)[0] for city in cities)) / 2
    circle = [onto(middle + half / 2, ARCTIC_CIRCLE) for half in range(-120, 121)]
    rings = {
        name: tuple(ring for whole in _lines(name, onto) if (ring := _clip_ring(whole, width, height)))
        for name in ("land", "lakes")
    }
    borders = tuple(part for line in _lines("borders", onto) for part in _clip_line(line, width, height))
    return rings | {
        "borders": borders,
        "arctic_circle": max(_clip_line(circle, width, height), key=len, default=()),
    }


def _clip_ring(ring: list[Point], width: float, height: float) -> tuple[Point, ...]:
    """Return the part of a ring within the frame and BLEED around it (Sutherland–Hodgman)."""
    for axis, sign, limit in ((0, 1, -BLEED), (0, -1, -width - BLEED), (1, 1, -BLEED), (1, -1, -height - BLEED)):
        kept: list[Point] = []
        for a, b in zip(ring[-1:] + ring[:-1], ring, strict=True):
            of_a, of_b = sign * a[axis] - limit, sign * b[axis] - limit
            if (of_a < 0) != (of_b < 0):
                part = of_a / (of_a - of_b)
                kept.append((a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])))
            if of_b >= 0:
                kept.append(b)
        ring = kept
    return rounded_points(ring) if len(ring) > 2 else ()


def _clip_line(line: list[Point], width: float, height: float) -> list[tuple[Point, ...]]:
    """Return the parts of a line within the frame."""
    parts: list[list[Point]] = []
    for a, b in pairwise(line):
        piece = _clip_step(a, b, width, height)
        if piece is None:
            continue
        if parts and parts[-1][-1] == piece[0]:
            parts[-1].append(piece[1])
        else:
            parts.append(list(piece))
    return [rounded_points(part) for part in parts]


def _clip_step(a: Point, b: Point, width: float, height: float) -> tuple[Point, Point] | None:
    """Return the part of a straight line within the frame (Liang–Barsky)."""
    start, end = 0.0, 1.0
    for axis, size in ((0, width), (1, height)):
        step = b[axis] - a[axis]
        for sign, room in ((-1, a[axis]), (1, size - a[axis])):
            if sign * step == 0:
                if room < 0:
                    return None
            elif sign * step > 0:
                end = min(end, room / (sign * step))
            else:
                start = max(start, room / (sign * step))
    if start >= end:
        return None

    def point(part: float) -> Point:
        if part in (0.0, 1.0):
            return b if part else a
        return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])

    return point(start), point(end)


def rounded(number: float) -> float:
    """Return a number rounded to a tenth."""
    return round(number, 1) + 0.0  # no minus zero


def rounded_points(points: list[Point]) -> tuple[Point, ...]:
    """Return points rounded to a tenth, without repetitions."""
    return tuple(point for point, _ in groupby((rounded(x), rounded(y)) for x, y in points))
