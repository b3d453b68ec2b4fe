"""A board as a small picture: land, routes and cities, without names and signs. A list of boards shows it."""

import math
from collections.abc import Iterator
from html import escape

from northrail.boards.board import Board
from northrail.drawing.curves import SCALED, curve, scaled
from northrail.drawing.layout import Layout, Space, layout_of
from northrail.drawing.markup import corners, short
from northrail.drawing.themes import THEMES, Theme

FINE = 9.0  # detail of coasts: points nearer to the last one are left out
SMALLEST_ISLAND, SMALLEST_LAKE = 120.0, 900.0  # square units
DOT = 1.15  # cities are this much larger than on the board


def thumbnail(board: Board, theme: str = "light") -> str:
    """Return a small SVG of a board.

    >>> import northrail
    >>> thumbnail(northrail.load_board("northern-lights"), "dark").startswith("<svg")
    True
    """
    layout, colours = layout_of(board), THEMES[theme]
    return "".join([*ground(board, layout, colours), *_routes(board, layout, colours), dots(layout, colours), "</svg>"])


def ground(board: Board, layout: Layout, theme: Theme) -> Iterator[str]:
    """Open an SVG, and draw what lies below routes and cities."""
    size = f'width="{short(layout.width)}" height="{short(layout.height)}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(layout.width)} {short(layout.height)}" {size}>'
    yield f"<title>{escape(board.name)}</title>"
    last = len(theme.sea) - 1
    stops = (f'<stop offset="{short(at / last)}" stop-color="{colour}"/>' for at, colour in enumerate(theme.sea))
    yield f'<linearGradient id="sea" x2=".25" y2="1">{"".join(stops)}</linearGradient><rect {size} fill="url(#sea)"/>'
    land = "".join(curve(ring, layout, 3.0, fine=FINE) for ring in layout.land if _area(ring) > SMALLEST_ISLAND)
    if land:
        shoal, coast = theme.shoals[-1], theme.coast
        yield f'<defs><path id="land" {SCALED} d="{land}"/></defs>'
        yield f'<use href="#land" stroke="{shoal}" stroke-width="{scaled(14)}" stroke-opacity=".6"/>'
        yield f'<use href="#land" fill="{theme.land}" stroke="{coast}" stroke-width="{scaled(1.4)}"/>'
    lakes = "".join(curve(ring, layout, 10.0, fine=FINE) for ring in layout.lakes if _area(ring) > SMALLEST_LAKE)
    if lakes:
        yield f'<path {SCALED} d="{lakes}" fill="{theme.lake}"/>'
    if layout.arctic_circle:
        yield (
            f'<polyline points="{corners(layout.arctic_circle)}" fill="none" stroke="{theme.circle}"'
            ' stroke-width="2" stroke-dasharray="12 8" opacity=".7"/>'
        )


def dots(layout: Layout, theme: Theme) -> str:
    """Draw the cities."""
    every = "".join(_dot(city.x, city.y, DOT * city.radius) for city in layout.cities)
    return f'<path d="{every}" fill="{theme.city[0]}" stroke="{theme.city[1]}" stroke-width="3"/>'


def _routes(board: Board, layout: Layout, theme: Theme) -> Iterator[str]:
    """Draw the spaces of every route: first their edges, then those of each colour."""
    every = [(board.routes[place.number].colour, space) for place in layout.routes for space in place.spaces]
    width = min(space.width for _, space in every)
    yield f'<path d="{"".join(_stroke(space, 0) for _, space in every)}" stroke="{theme.edge}" stroke-width="{width}"/>'
    for colour, (fill, _) in theme.cards.items():
        strokes = "".join(_stroke(space, 1) for name, space in every if name == colour)
        if strokes:
            yield f'<path d="{strokes}" stroke="{fill}" stroke-width="{short(width - 2)}"/>'


def _stroke(space: Space, less: float) -> str:
    """Return a line along a space, shorter at both ends by ``less``."""
    turn, half = math.radians(space.angle), space.length / 2 - less
    dx, dy = math.cos(turn) * half, math.sin(turn) * half
    return f"M{space.x - dx:.0f} {space.y - dy:.0f}l{2 * dx:.0f} {2 * dy:.0f}"


def _dot(x: float, y: float, radius: float) -> str:
    r = short(radius)
    return f"M{short(x - radius)} {short(y)}a{r} {r} 0 1 0 {short(2 * radius)} 0a{r} {r} 0 1 0-{short(2 * radius)} 0"


def _area(ring: tuple[tuple[float, float], ...]) -> float:
    pairs = zip(ring, ring[1:] + ring[:1], strict=True)
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2
