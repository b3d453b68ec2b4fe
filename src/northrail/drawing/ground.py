"""Everything under the routes: sea, land, the Arctic Circle, the board's title, the points for a route, an ornament."""

import math
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import pairwise

from northrail.boards.board import Board
from northrail.drawing.curves import COARSE, SCALED, curve, scaled
from northrail.drawing.geometry import Point
from northrail.drawing.layout import Box, Layout
from northrail.drawing.markup import corners, short, text
from northrail.drawing.themes import AURORA, Theme

RAY = 7.0  # width of a ray of northern lights
CAPTIONS = {"arctic_circle": "Arctic Circle", "points_for_a_route": "points for a route"}


def ground(board: Board, layout: Layout, theme: Theme, captions: Mapping[str, str] = CAPTIONS) -> Iterator[str]:
    """Draw the map, the title and the points for a route."""
    yield f"<defs>{''.join(_definitions(layout, theme))}</defs>"
    yield '<g clip-path="url(#map)">'
    yield f'<rect width="{short(layout.width)}" height="{short(layout.height)}" fill="url(#sea)"/>'
    yield _in_scheme(theme, dark="".join(_aurora(layout, theme)))
    yield from _land(layout, theme)
    if layout.arctic_circle:
        yield f'<polyline class="circle" points="{corners(layout.arctic_circle)}"/>'
        yield _circle_name(layout, captions["arctic_circle"])
    yield "</g>"
    yield _title(board, layout.title)
    yield from _points_table(board, layout.table, captions["points_for_a_route"])


def ornament(box: Box, theme: Theme) -> str:
    """Draw the midnight sun, or the moon and stars, where a game would show its seats."""
    x, y, size = box.x + box.width / 2, box.y + box.height / 2, min(box.width, box.height) / 2
    drawn = _in_scheme(theme, light=_sun(size), dark=_moon(size))
    return f'<g class="line" stroke-width="1" transform="translate({short(x)} {short(y)})">{drawn}</g>'


def panel(box: Box, caption: str) -> Iterator[str]:
    """Draw a sheet of paper with a caption."""
    corner = f'x="{short(box.x)}" y="{short(box.y)}"'
    yield f'<rect class="panel" {corner} width="{short(box.width)}" height="{short(box.height)}" rx="3"/>'
    yield text(box.x + 16, box.y + 25, 15, caption, "caption")


def _in_scheme(theme: Theme, light: str = "", dark: str = "") -> str:
    """Return what only the light or only the dark theme shows; both where the theme can switch."""
    drawn = {"light": light, "dark": dark}
    return "".join(f'<g class="{name}-only">{drawn[name]}</g>' for name in theme.scheme.split() if drawn[name])


# --- the map --------------------------------------------------------------------------------------------------------


def _definitions(layout: Layout, theme: Theme) -> Iterator[str]:
    """Define the colours of the sea, the frame, and the coast, which is used more than once."""
    last = len(theme.sea) - 1
    stops = (f'<stop offset="{short(at / last)}" stop-color="{colour}"/>' for at, colour in enumerate(theme.sea))
    yield f'<linearGradient id="sea" x2=".25" y2="1">{"".join(stops)}</linearGradient>'
    yield f'<clipPath id="map"><rect width="{short(layout.width)}" height="{short(layout.height)}"/></clipPath>'
    if layout.land:
        yield f'<path id="land" d="{"".join(curve(ring, layout, 3.0) for ring in layout.land)}"/>'
        yield f'<path id="shore" d="{"".join(curve(ring, layout, 0.0, fine=COARSE) for ring in layout.land)}"/>'


def _aurora(layout: Layout, theme: Theme) -> Iterator[str]:
    """Draw northern lights: curtains of rays across the upper part of the map, each on a wavy line."""
    fading = ((0, 0), (0.5, 0.3 * AURORA), (0.82, AURORA), (0.9, 0.5 * AURORA), (1, 0))
    size = f'width="{short(RAY)}" height="{short(0.17 * layout.height)}"'
    for number, colour in enumerate(theme.aurora):
        stops = "".join(
            f'<stop offset="{short(part)}" stop-color="{colour}" stop-opacity="{short(opacity)}"/>'
            for part, opacity in fading
        )
        yield f'<defs><linearGradient id="aurora-{number}" x2="0" y2="1">{stops}</linearGradient>'
        yield f'<rect id="ray-{number}" {size} fill="url(#aurora-{number})" shape-rendering="crispEdges"/></defs>'
        for at in range(math.ceil(layout.width / RAY) + 1):
            wave = 2 * math.sin(at / 9 + 2.4 * number) + math.sin(at / 4 + number) + 0.6 * math.sin(at * 1.1)
            y = layout.height * (0.085 * number - 0.03 + 0.009 * wave)
            yield f'<use href="#ray-{number}" x="{short(at * RAY)}" y="{y:.0f}"/>'


def _land(layout: Layout, theme: Theme) -> Iterator[str]:
    """Draw shallow water, land, borders, coast and lakes."""
    if layout.land:
        for depth, colour in enumerate(theme.shoals):
            width = scaled((len(theme.shoals) - depth) * 9)
            yield (
                f'<use href="#shore" {SCALED} fill="none" stroke="{colour}" stroke-width="{width}"'
                ' stroke-linejoin="round" stroke-opacity=".6"/>'
            )
        yield f'<use href="#land" {SCALED} class="land"/>'
    yield from _path("border", (curve(line, layout, 3.0, closed=False) for line in layout.borders))
    if layout.land:
        yield f'<use href="#land" {SCALED} class="coast"/>'
    yield from _path("lake", (curve(ring, layout, 40.0) for ring in layout.lakes))


def _path(name: str, curves: Iterable[str]) -> Iterator[str]:
    """Yield curves of one class as one path, if there are any."""
    if whole := "".join(curves):
        yield f'<path class="{name}" {SCALED} d="{whole}"/>'


def _circle_name(layout: Layout, name: str) -> str:
    """Write the name of the Arctic Circle along it, where there is most room."""
    things = [Box(space.x, space.y, 0, 0) for route in layout.routes for space in route.spaces]
    things += [
        Box(label.x - label.width / 2, label.y - label.height / 2, label.width, label.height)
        for label in (
            *(city.label for city in layout.cities),
            *(route.mark for route in layout.routes if route.mark is not None),
        )
    ]
    things += [Box(city.x, city.y, 0, 0) for city in layout.cities]
    things += [layout.title, layout.table, layout.seats]
    spots = []
    for (x, y), (u, v) in pairwise(layout.arctic_circle):
        middle = (x + u) / 2, (y + v) / 2
        if 90 < middle[0] < layout.width - 90:
            room = min(_distance(middle, thing) for thing in things)
            spots.append((min(room, 90.0), middle, math.degrees(math.atan2(v - y, u - x))))
    if not spots:
        return ""
    _, (x, y), angle = max(spots)
    angle = angle if -90 <= angle <= 90 else angle - math.copysign(180, angle)
    return (
        f'<text class="circle-name middle" font-size="14" letter-spacing="1.5" y="-6"'
        f' transform="translate({short(x)} {short(y)}) rotate({short(angle)})">{escape(name)}</text>'
    )


def _distance(point: Point, box: Box) -> float:
    """Return the distance from a point to a box. Horizontal distance counts half, because the name is wide."""
    dx = max(box.x - point[0], 0, point[0] - box.x - box.width)
    dy = max(box.y - point[1], 0, point[1] - box.y - box.height)
    return math.hypot(dx / 2, dy)


# --- title, points and ornaments ------------------------------------------------------------------------------------


def _title(board: Board, box: Box) -> str:
    return (
        f'<text class="title" x="{short(box.x)}" y="{short(box.y + box.height * 0.58)}"'
        f' font-size="{short(box.height * 0.74)}" textLength="{short(box.width)}">{escape(board.name)}</text>'
    )


def _points_table(board: Board, box: Box, caption: str) -> Iterator[str]:
    """Draw the points for a route of each length."""
    points_of = dict(sorted({route.length: route.points for route in board.routes}.items()))
    pitch = min(14.0, (box.width - 70) / max(points_of))
    row = (box.height - 40) / len(points_of)
    yield from panel(box, caption)
    for at, (length, points) in enumerate(points_of.items()):
        y = box.y + 34 + (at + 0.5) * row
        for space in range(length):
            corner = f'x="{short(box.x + 16 + space * pitch)}" y="{short(y - 3.5)}"'
            yield f'<rect class="gray edge" {corner} width="{short(pitch - 2.5)}" height="7" rx="1.2"/>'
        yield text(box.x + box.width - 16, y + 5, 15, points, "end bold")


def _sun(size: float) -> str:
    """Draw half a disc on the horizon, its rays, and the light on the water below."""
    lines = ""
    for at in range(25):
        turn = math.pi * at / 24
        x, y = -math.cos(turn) * size, -math.sin(turn) * size
        end = 0.62 if at % 2 else 0.78
        lines += f"M{short(x * 0.46)} {short(y * 0.46)}L{short(x * end)} {short(y * end)}"
    for half, below in ((0.9, 0.02), (0.55, 0.12), (0.32, 0.2), (0.14, 0.27)):
        lines += f"M{short(-size * half)} {short(size * below)}H{short(size * half)}"
    r = short(size * 0.38)
    return f'<path class="accent" stroke="none" d="M-{r} 0A{r} {r} 0 0 1 {r} 0Z"/><path d="{lines}"/>'


def _moon(size: float) -> str:
    """Draw a crescent among stars."""
    r, s, x, y = short(size * 0.34), short(size * 0.27), short(size * 0.1), short(size * 0.12)
    drawn = f"M{x}-{r}A{r} {r} 0 1 0 {r} {y}A{s} {s} 0 1 1 {x}-{r}Z"
    for right, down, ray in (
        *((-0.7, -0.35, 8), (-0.5, 0.5, 5), (0.55, -0.55, 6)),
        *((0.75, 0.3, 4), (-0.25, -0.7, 4), (0.3, 0.68, 5)),
    ):
        drawn += f"M{short(right * size)} {short(down * size - ray)}"
        drawn += f"q0 {ray} {ray} {ray}q-{ray} 0-{ray} {ray}q0-{ray}-{ray}-{ray}q{ray} 0 {ray}-{ray}z"
    return f'<path class="accent" stroke="none" d="{drawn}"/>'
