"""The picture of a board, or of a game on it, as SVG. Where things lie is `layout`'s business.

Everything is of our own drawing, on the coast of `boards/map.json`. Colours and signs stand in `themes`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise

from northrail.boards.board import SEATS, Board, City, Route
from northrail.drawing.geometry import Point
from northrail.drawing.layout import Box, CityPlace, Label, Layout, Space, layout_of, text_width
from northrail.drawing.themes import AURORA, SHAPES, SIGNS, THEMES, Theme
from northrail.engine.game import Game
from northrail.errors import BadPosition, NorthrailError

MAT = 40.0  # of paper around the map
RAY = 7.0  # how wide a ray of northern lights is
STEP = 0.5  # coasts are drawn to half a unit, in whole numbers
FINE = 1.4  # bends of the coast that are shorter are left out
COARSE = 8.0  # and so in shallow water: wide strokes along every fjord take a browser seconds
SERIF = "'Iowan Old Style','Palatino Linotype',Palatino,'Book Antiqua',Georgia,serif"
SANS = "'Gill Sans Nova','Gill Sans','Source Sans 3','Source Sans Pro','Segoe UI','Noto Sans',Ubuntu,sans-serif"


# --- the whole ------------------------------------------------------------------------------------------------------


def draw(what: Board | Game, theme: str = "light", owners: Mapping[int, int] | None = None) -> str:
    """An SVG of a board, or of a game with its trains; ``theme`` is "light" (midnight sun) or "dark" (polar night).

    ``owners`` puts trains on a board without a game: the seat of each route that is taken.

    >>> import northrail
    >>> svg = draw(northrail.load_board("nordic-countries"), theme="dark")
    >>> svg.startswith("<svg"), "Göteborg" in svg
    (True, True)
    """
    if theme not in THEMES:
        raise NorthrailError(f"theme: expected {' or '.join(THEMES)}, got {theme!r}")
    game = what if isinstance(what, Game) else None
    board = what.board if isinstance(what, Game) else what
    if game is not None:
        owners = {int(route): seat for route, seat in game.view().owners.items()}
    owners = _checked(board, owners or {})
    return "\n".join(_Picture(board, layout_of(board), THEMES[theme], owners, game).lines()) + "\n"


def _checked(board: Board, owners: Mapping[int, int]) -> Mapping[int, int]:
    for route, seat in owners.items():
        if not 0 <= route < len(board.routes) or not 0 <= seat < SEATS:
            most = len(board.routes) - 1
            raise BadPosition(
                f"owners: expected routes from 0 to {most} and seats from 0 to {SEATS - 1}, got {route}: {seat}"
            )
    return owners


@dataclass(frozen=True)
class _Picture:
    """All that is drawn at once."""

    board: Board
    layout: Layout
    theme: Theme
    owners: Mapping[int, int]
    game: Game | None

    def lines(self) -> Iterator[str]:
        legend, strip = _legend(self.board, self.layout, self.theme)
        width, height = self.layout.width + 2 * MAT, self.layout.height + MAT + strip
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{_class(self.theme)}"'
            ' role="img" aria-labelledby="title desc"'
            f' viewBox="{_n(-MAT)} {_n(-MAT)} {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}">'
        )
        yield f'<title id="title">{escape(self.board.name)}</title>'
        yield f'<desc id="desc">{escape(self.words())}</desc>'
        yield f"<style>{_style(self.theme)}</style>"
        yield from _definitions(self.layout, self.theme)
        yield f'<rect class="paper" x="{_n(-MAT)}" y="{_n(-MAT)}" width="{_n(width)}" height="{_n(height)}"/>'
        yield from _ground(self.layout, self.theme)
        yield from _frame(self.layout)
        yield from self.routes()
        yield from self.cities()
        yield from _title(self.board, self.layout.title, self.theme)
        yield from _table(self.board, self.layout.table)
        if self.game is not None:
            yield from _seats(self.game, self.layout.seats)
        else:
            yield _ornament(self.layout.seats, self.theme)
        yield from legend
        yield "</svg>"

    def words(self) -> str:
        """What a person hears who cannot see it."""
        said = f"{len(self.board.cities)} cities and {len(self.board.routes)} routes, {self.theme.title}"
        if self.game is not None:
            rows = _standings(self.game)
            told = "; ".join(f"seat {row.seat}: {row.points} points, {row.trains} trains left" for row in rows)
            said += f". {'Final points' if self.game.over else 'Points so far'}: {told}"
        return said + "."

    def routes(self) -> Iterator[str]:
        taken = [place for place in self.layout.routes if place.number in self.owners]
        free = [place for place in self.layout.routes if place.number not in self.owners]
        at = {city.name: (city.x, city.y) for city in self.layout.cities}
        for place in (*free, *taken):  # trains last: they are larger than their spaces
            route, seat = self.board.routes[place.number], self.owners.get(place.number)
            look = f"{route.colour}" if seat is None else f"seat-{seat}"
            yield f'<g id="route-{place.number}" data-route="{place.number}" class="route {look}">'
            yield f"<title>{escape(_name(route, seat))}</title>"
            if seat is None:
                yield from (_at(space, _plate(route, space)) for space in place.spaces)
            else:
                yield _track(place.spaces, at[route.cities[0]], at[route.cities[1]])
                yield from (_at(space, _wagon(space, seat)) for space in place.spaces)
            yield "</g>"
        yield from (_mark(place.mark) for place in self.layout.routes if place.mark is not None)

    def cities(self) -> Iterator[str]:
        known = {city.name: city for city in self.board.cities}
        yield from (_city(place, known[place.name]) for place in self.layout.cities)
        yield from (_city_name(place, known[place.name]) for place in self.layout.cities)


def _style(theme: Theme) -> str:
    """Every colour and font, by class."""
    rules = {
        "text": f"font-family:{SANS};fill:{theme.ink}",
        ".paper": f"fill:{theme.paper}",
        ".land": f"fill:{theme.land}",
        ".coast": f"fill:none;stroke:{theme.coast};stroke-width:{_n(1.1 / STEP)};stroke-linejoin:round",
        ".lake": f"fill:{theme.lake};stroke:{theme.coast};stroke-width:{_n(0.9 / STEP)}",
        ".border": f"fill:none;stroke:{theme.border};stroke-width:{_n(1 / STEP)};stroke-dasharray:10 5 2 5",
        ".circle": f"fill:none;stroke:{theme.circle};stroke-width:1;stroke-dasharray:9 6;opacity:.75",
        ".circle-name": f"fill:{theme.circle};font-family:{SERIF};font-style:italic",
        ".line": f"fill:none;stroke:{theme.line}",
        ".stroke": "fill:none;stroke:currentColor;stroke-width:1.25;stroke-linecap:round;stroke-linejoin:round",
        ".sign": "fill:currentColor;fill-rule:evenodd",
        ".edge": f"stroke:{theme.edge};stroke-width:1",
        ".rock": f"fill:{theme.rock};stroke:{theme.rock};stroke-width:2.2;stroke-dasharray:2.4 2",
        ".cut": f"stroke:{theme.cut};stroke-width:.8",
        ".water": f"fill:{theme.water}",
        ".wave": "fill:none;stroke:currentColor;stroke-width:1;stroke-linecap:round;opacity:.8",
        ".swap": "fill:currentColor;font-weight:700",
        ".track": f"fill:none;stroke:{theme.wagon};stroke-width:2.2;stroke-linecap:round;stroke-linejoin:round",
        ".wagon": f"stroke:{theme.wagon};stroke-width:1.5",
        ".roof": "fill:currentColor;opacity:.2",
        ".city": f"fill:{theme.city[0]};stroke:{theme.city[1]};stroke-width:2.4",
        ".arctic": f"fill:{theme.arctic[0]};stroke:{theme.arctic[1]};color:{theme.arctic[1]};stroke-width:2",
        ".ring": f"fill:none;stroke:{theme.ink};stroke-width:.9",
        ".name": f"font-weight:600;paint-order:stroke;stroke:{theme.halo};stroke-width:3.6;stroke-linejoin:round",
        ".lent": "font-style:italic;font-weight:500",
        ".middle": "text-anchor:middle",
        ".end": "text-anchor:end",
        ".mark": f"fill:{theme.mark[0]};stroke:{theme.mark[1]};stroke-width:1",
        ".mark-text": f"fill:{theme.mark[1]};font-weight:700",
        ".panel": f"fill:{theme.panel};stroke:{theme.line};stroke-width:1",
        ".title": f"font-family:{SERIF}",
        ".faint": f"fill:{theme.faint}",
        ".heading": f"font-family:{SERIF};font-style:italic;fill:{theme.faint}",
        ".bold": "font-weight:700",
        ".accent": f"fill:{theme.accent}",
        **{f".{name}": f"fill:{fill};color:{sign}" for name, (fill, sign) in theme.cards.items()},
        **{f".seat-{seat}": f"fill:{fill};color:{sign}" for seat, (fill, sign) in enumerate(theme.seats)},
    }
    # Each under the picture's own class: in a notebook they would colour the page, and other pictures on it. But what a
    # <use> brings in does not see where it is used.
    inside = (".sign", ".stroke")
    return "".join(
        f"{name}{{{rule}}}" if name in inside else f".{_class(theme)} {name}{{{rule}}}" for name, rule in rules.items()
    )


def _class(theme: Theme) -> str:
    return theme.title.replace(" ", "-")


def _definitions(layout: Layout, theme: Theme) -> Iterator[str]:
    """Signs, shapes, the sea's colours, the coast: what is drawn more than once."""
    yield "<defs>"
    stops = "".join(
        f'<stop offset="{_n(at / (len(theme.sea) - 1))}" stop-color="{colour}"/>' for at, colour in enumerate(theme.sea)
    )
    yield f'<linearGradient id="sea" x2=".25" y2="1">{stops}</linearGradient>'
    for at, colour in enumerate(theme.aurora):
        fading = "".join(
            f'<stop offset="{_n(part)}" stop-color="{colour}" stop-opacity="{_n(shine)}"/>'
            for part, shine in ((0, 0), (0.5, 0.3 * AURORA), (0.82, AURORA), (0.9, 0.5 * AURORA), (1, 0))
        )
        yield f'<linearGradient id="aurora-{at}" x2="0" y2="1">{fading}</linearGradient>'
        size = f'width="{_n(RAY)}" height="{_n(0.17 * layout.height)}"'
        yield f'<rect id="ray-{at}" {size} fill="url(#aurora-{at})" shape-rendering="crispEdges"/>'
    yield f'<clipPath id="map"><rect width="{_n(layout.width)}" height="{_n(layout.height)}"/></clipPath>'
    for name, sign in SIGNS.items():
        yield f'<g id="{name}" class="sign">{sign}</g>'
    for seat, shape in enumerate(SHAPES):
        yield f'<g id="shape-{seat}" class="sign">{shape}</g>'
    if layout.land:
        coast = "".join(_curve(ring, layout, 3.0) for ring in layout.land)
        yield f'<path id="land" d="{coast}"/>'
        shore = "".join(_curve(ring, layout, 0.0, fine=COARSE) for ring in layout.land)
        yield f'<path id="shore" d="{shore}"/>'
    yield "</defs>"


# --- the ground -----------------------------------------------------------------------------------------------------


def _ground(layout: Layout, theme: Theme) -> Iterator[str]:
    """Sea, land, lakes, borders and the Arctic Circle."""
    yield '<g clip-path="url(#map)">'
    yield f'<rect width="{_n(layout.width)}" height="{_n(layout.height)}" fill="url(#sea)"/>'
    for at in range(len(theme.aurora)):
        yield from _curtain(layout, at)
    yield f'<g transform="scale({_n(STEP)})">'
    if layout.land:
        for depth, colour in enumerate(theme.shoals):
            wide = (len(theme.shoals) - depth) * 9 / STEP
            yield (
                f'<use href="#shore" fill="none" stroke="{colour}" stroke-width="{_n(wide)}" stroke-linejoin="round"'
                ' stroke-opacity=".6"/>'
            )
        yield '<use href="#land" class="land"/>'
    yield "</g>"
    yield from _scaled("border", (_curve(line, layout, 3.0, closed=False) for line in layout.borders))
    if layout.land:
        yield f'<use href="#land" class="coast" transform="scale({_n(STEP)})"/>'
    yield from _scaled("lake", (_curve(ring, layout, 40.0) for ring in layout.lakes))
    if layout.arctic_circle:
        corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in layout.arctic_circle)
        yield f'<polyline class="circle" points="{corners}"/>'
        yield _circle_name(layout)
    yield "</g>"


def _curtain(layout: Layout, number: int) -> Iterator[str]:
    """Northern lights: rays side by side across the upper part of the map, on a hem that swings."""
    for at in range(math.ceil(layout.width / RAY) + 1):
        swing = 2 * math.sin(at / 9 + 2.4 * number) + math.sin(at / 4 + number) + 0.6 * math.sin(at * 1.1)
        y = layout.height * (0.085 * number - 0.03 + 0.009 * swing)
        yield f'<use href="#ray-{number}" x="{_n(at * RAY)}" y="{y:.0f}"/>'


def _scaled(name: str, paths: Iterable[str]) -> Iterator[str]:
    """Curves of one class, as one path."""
    whole = "".join(paths)
    if whole:
        yield f'<path class="{name}" transform="scale({_n(STEP)})" d="{whole}"/>'


def _curve(points: tuple[Point, ...], layout: Layout, radius: float, closed: bool = True, fine: float = FINE) -> str:
    """A line with its corners rounded, as whole steps from point to point; outside the map corners stay as they are."""
    thin = list(points[:1])
    for point in points[1:]:
        if math.dist(point, thin[-1]) >= fine:
            thin.append(point)
    if len(thin) < 3:
        return ""
    corners = list(zip(thin[-1:] + thin[:-1], thin, thin[1:] + thin[:1], strict=True))
    if not closed:
        corners = corners[1:-1]
    bends = [
        (_toward(here, before, radius, layout), here, _toward(here, after, radius, layout))
        for before, here, after in corners
    ]
    start = bends[0][0] if closed else thin[0]
    pen = _Pen(start)
    for bend in bends:
        pen.line(bend[0])
        pen.bend(bend[1], bend[2])
    if not closed:
        pen.line(thin[-1])
    return pen.path + ("z" if closed else "")


def _toward(here: Point, there: Point, most: float, layout: Layout) -> Point:
    """A point at most half way and at most so far on the way; none of it outside the map."""
    if not (0 < here[0] < layout.width and 0 < here[1] < layout.height):
        return here
    part = min(0.5, most / (math.dist(here, there) or 1.0))
    return here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])


class _Pen:
    """Writes a path in whole steps, each from where the last one ended: the shortest way to say it."""

    def __init__(self, start: Point) -> None:
        self.at = self._grid(start)
        self.path = f"M{self.at[0]} {self.at[1]}"

    def _grid(self, point: Point) -> tuple[int, int]:
        return round(point[0] / STEP), round(point[1] / STEP)

    def _steps(self, *points: tuple[int, int]) -> str:
        numbers = [f"{p[axis] - self.at[axis]}" for p in points for axis in (0, 1)]
        return numbers[0] + "".join(n if n.startswith("-") else f" {n}" for n in numbers[1:])

    def line(self, point: Point) -> None:
        """Straight to a point."""
        end = self._grid(point)
        if end != self.at:
            self.path += f"l{self._steps(end)}"
            self.at = end

    def bend(self, corner: Point, point: Point) -> None:
        """Around a corner to a point."""
        end = self._grid(point)
        if end != self.at:
            self.path += f"q{self._steps(self._grid(corner), end)}"
            self.at = end


def _circle_name(layout: Layout) -> str:
    """The words "Arctic Circle", along it, where there is most room."""
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
    steps = list(pairwise(layout.arctic_circle))
    spots = []
    for (x, y), (u, v) in steps:
        middle = (x + u) / 2, (y + v) / 2
        if 90 < middle[0] < layout.width - 90:
            room = min(_apart(middle, thing) for thing in things)
            spots.append((min(room, 90.0), middle, math.degrees(math.atan2(v - y, u - x))))
    if not spots:
        return ""
    _, (x, y), angle = max(spots)
    angle = angle if -90 <= angle <= 90 else angle - math.copysign(180, angle)
    return (
        f'<text class="circle-name middle" font-size="14" letter-spacing="1.5" y="-6"'
        f' transform="translate({_n(x)} {_n(y)}) rotate({_n(angle)})">Arctic Circle</text>'
    )


def _apart(point: Point, box: Box) -> float:
    """How far a point is from a box; across counts half, for a name lies along."""
    dx = max(box.x - point[0], 0, point[0] - box.x - box.width)
    dy = max(box.y - point[1], 0, point[1] - box.y - box.height)
    return math.hypot(dx / 2, dy)


def _frame(layout: Layout) -> Iterator[str]:
    """A fine double line around the map."""
    for out, stroke in ((0.0, 1.6), (7.0, 0.7)):
        yield (
            f'<rect class="line" x="{_n(-out)}" y="{_n(-out)}" width="{_n(layout.width + 2 * out)}"'
            f' height="{_n(layout.height + 2 * out)}" stroke-width="{stroke}"/>'
        )


# --- routes ---------------------------------------------------------------------------------------------------------


def _name(route: Route, seat: int | None = None) -> str:
    """A route in words: "Bergen–Oslo blue, 4 spaces, tunnel"."""
    parts = [str(route), f"{route.length} space{'s' * (route.length > 1)}"]
    if route.tunnel:
        parts.append("tunnel")
    if route.ferry:
        parts.append(f"ferry with {route.locomotives} locomotive{'s' * (route.locomotives > 1)}")
    elif route.substitute is not None:
        parts.append(f"{route.substitute.cards} cards stand in for one")
    if route.draw_bonus:
        parts.append(f"draws {route.draw_bonus} card{'s' * (route.draw_bonus > 1)}")
    if seat is not None:
        parts.append(f"taken by seat {seat}")
    return ", ".join(parts)


def _at(space: Space, drawn: str, name: str = ' class="space"') -> str:
    """Something on a space, along it."""
    return f'<g{name} transform="translate({_n(space.x)} {_n(space.y)}) rotate({_n(_tilt(space))})">{drawn}</g>'


def _tilt(space: Space) -> float:
    """The angle of a space, turned so that nothing stands on its head."""
    angle = space.angle % 180
    return angle - 180 if angle > 90 else angle


def _plate(route: Route, space: Space) -> str:
    """A train space: what it is cut in or floats on, its colour, its sign."""
    long, wide = space.length, space.width
    if route.tunnel:
        plate = _rect("rock", long, wide, 1.5) + _rect("cut", long - 3.4, wide - 3.4, 1)
    elif route.ferry:
        plate = _hull(long, wide)
    else:
        plate = _rect("edge", long, wide, 2)
    scale = min(1.0, wide / 12, long / 12)
    swap = None if route.ferry else route.substitute
    if space.locomotive:
        sign = _use("locomotive", min(1.0, wide / 12, long / 15))
    elif swap is not None:
        sign = f'<text class="swap middle" font-size="{_n(9.5 * scale)}" y="{_n(3.3 * scale)}">{swap.cards}:1</text>'
    else:
        sign = _use(route.colour, scale * (0.86 if route.tunnel else 1), -_tilt(space))
    return plate + sign


def _wagon(space: Space, seat: int) -> str:
    """A wagon, seen from above and larger than its space, with the shape of its seat."""
    long, wide = space.length + 1.5, space.width + 2.5
    body = _rect("wagon", long, wide, 3.5) + _rect("roof", long - 5, wide - 5.5, 1.5)
    return body + _use(f"shape-{seat}", min(1.0, wide / 14.5, long / 14.5), -_tilt(space))


def _use(name: str, scale: float, turn: float = 0.0) -> str:
    """A sign or a shape, upright if its space is tilted by the opposite of ``turn``."""
    changes = ([f"rotate({_n(turn)})"] if turn else []) + ([f"scale({_n(scale)})"] if scale != 1 else [])
    return f'<use href="#{name}"' + (f' transform="{" ".join(changes)}"/>' if changes else "/>")


def _rect(name: str, long: float, wide: float, corner: float) -> str:
    """A rectangle around 0, 0."""
    long, wide = max(long, 1.0), max(wide, 1.0)
    return (
        f'<rect class="{name}" x="{_n(-long / 2)}" y="{_n(-wide / 2)}" width="{_n(long)}" height="{_n(wide)}"'
        f' rx="{_n(corner)}"/>'
    )


def _hull(long: float, wide: float) -> str:
    """A ferry's space: round at bow and stern, in water, with waves before and behind its sign."""
    hull = _rect("water", long, wide, wide / 2) + _rect("edge", long - 2.6, wide - 2.6, wide / 2 - 1.3)
    reach = long / 2 - 5
    if reach < 10:
        return hull
    step = (reach - 6.5) / 2
    wave = f"q{_n(step / 2)}-2 {_n(step)} 0t{_n(step)} 0"
    return f'{hull}<path class="wave" d="M{_n(-reach)} 0{wave}M6.5 0{wave}"/>'


def _track(spaces: tuple[Space, ...], start: Point, end: Point) -> str:
    """The line wagons stand on, from city to city."""
    corners = [start, *((space.x, space.y) for space in spaces), end]
    return f'<polyline class="track" points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in corners)}"/>'


def _mark(label: Label) -> str:
    """The "+X" of a route."""
    wide, high = label.width, label.height
    return (
        f'<rect class="mark" x="{_n(label.x - wide / 2)}" y="{_n(label.y - high / 2)}" width="{_n(wide)}"'
        f' height="{_n(high)}" rx="{_n(high / 2)}"/>' + _label(label, "mark-text", label.size * 0.86, wide - 9)
    )


def _label(label: Label, look: str, size: float, wide: float) -> str:
    """A text in its box: stretched or narrowed a little, so that any font fills the room that was kept for it."""
    return (
        f'<text class="{look} middle" x="{_n(label.x)}" y="{_n(label.y + 0.35 * size)}" font-size="{_n(size)}"'
        f' textLength="{_n(wide)}" lengthAdjust="spacingAndGlyphs">{escape(label.text)}</text>'
    )


# --- cities ---------------------------------------------------------------------------------------------------------


def _city(place: CityPlace, city: City) -> str:
    """A city's dot; a snowflake inside the Arctic Circle, where the board counts that."""
    at = f'transform="translate({_n(place.x)} {_n(place.y)})"'
    dot = f'<circle class="{"arctic" if city.arctic else "city"}" r="{_n(place.radius - 1.2)}"/>'
    ring = f'<circle class="ring" r="{_n(place.radius)}"/>'
    snow = f'<g class="arctic">{_use("snow", place.radius / 9)}</g>' if city.arctic else ""
    return f"<g {at}>{dot}{ring}{snow}</g>"


def _city_name(place: CityPlace, city: City) -> str:
    """A city's name; in italics where only the nearest place lends it."""
    return _label(place.label, "name" if city.printed else "name lent", place.label.size, place.label.width)


# --- panels ---------------------------------------------------------------------------------------------------------


def _say(x: float, y: float, size: float, words: object, look: str = "") -> str:
    """A text at a place."""
    name = f' class="{look}"' if look else ""
    return f'<text{name} x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}">{escape(str(words))}</text>'


def _title(board: Board, box: Box, theme: Theme) -> Iterator[str]:
    """The board's name, the light it is seen in, and how many play."""
    least, most = board.rules.seats
    seats = f"{least} to {most} seats" if least < most else f"{least} seats"
    yield (
        f'<text class="title" x="{_n(box.x)}" y="{_n(box.y + box.height * 0.58)}"'
        f' font-size="{_n(box.height * 0.74)}" textLength="{_n(box.width)}">{escape(board.name)}</text>'
    )
    yield _say(box.x + 2, box.y + box.height * 0.97, 15, f"{theme.title} · {seats}", "heading")


def _panel(box: Box, heading: str) -> Iterator[str]:
    """A sheet with a heading."""
    corner = f'x="{_n(box.x)}" y="{_n(box.y)}"'
    yield f'<rect class="panel" {corner} width="{_n(box.width)}" height="{_n(box.height)}" rx="3"/>'
    yield _say(box.x + 16, box.y + 25, 15, heading, "heading")


def _table(board: Board, box: Box) -> Iterator[str]:
    """What routes are worth by their length."""
    worth = dict(sorted({route.length: route.points for route in board.routes}.items()))
    pitch = min(14.0, (box.width - 70) / max(worth))
    row = (box.height - 40) / len(worth)
    yield from _panel(box, "points for a route")
    for at, (length, points) in enumerate(worth.items()):
        y = box.y + 34 + (at + 0.5) * row
        for space in range(length):
            corner = f'x="{_n(box.x + 16 + space * pitch)}" y="{_n(y - 3.5)}"'
            yield f'<rect class="gray edge" {corner} width="{_n(pitch - 2.5)}" height="7" rx="1.2"/>'
        yield _say(box.x + box.width - 16, y + 5, 15, points, "end bold")


@dataclass(frozen=True)
class _Standing:
    """A line of the seats' panel."""

    seat: int
    points: int
    trains: int
    wins: bool


def _standings(game: Game) -> list[_Standing]:
    """Points of routes so far, or of everything at the end."""
    view = game.view()
    points = [score.total for score in game.scores()] if game.over else view.points
    winners = game.winners() if game.over else []
    return [_Standing(seat, points[seat], view.trains[seat], seat in winners) for seat in range(game.seats)]


def _seats(game: Game, box: Box) -> Iterator[str]:
    """Whose trains are which, how many each seat has left, and its points."""
    rows = _standings(game)
    row = (box.height - 60) / SEATS
    box = replace(box, height=48 + row * len(rows))
    right = box.x + box.width - 16
    yield from _panel(box, "at the end" if game.over else "so far")
    yield _say(right - 66, box.y + 25, 15, "trains", "heading end")
    yield _say(right, box.y + 25, 15, "points", "heading end")
    for at, standing in enumerate(rows):
        y = box.y + 38 + (at + 0.5) * row
        bold = " bold" if standing.wins else ""
        wagon = Space(box.x + 36, y, 0, 36, 14)
        yield _at(wagon, _wagon(wagon, standing.seat), f' class="seat-{standing.seat}"')
        yield _say(box.x + 66, y + 5.5, 16, f"seat {standing.seat}", f"seat{bold}")
        yield _say(right - 66, y + 5.5, 16, standing.trains, "end faint")
        yield _say(right, y + 6, 19, standing.points, f"end{bold}")
        if standing.wins:
            star = f"<title>wins</title>{SHAPES[4]}"
            yield _at(replace(wagon, x=right - 50), star, ' class="accent"')


def _ornament(box: Box, theme: Theme) -> str:
    """A sun that does not set, or the moon and stars, where a game would have its seats."""
    x, y, size = box.x + box.width / 2, box.y + box.height / 2, min(box.width, box.height) / 2
    drawn = _moon(size) if theme.aurora else _sun(size)
    return f'<g class="line" stroke-width="1" transform="translate({_n(x)} {_n(y)})">{drawn}</g>'


def _sun(size: float) -> str:
    """Half a disc on the horizon, its rays, and the light on the water below."""
    lines = ""
    for at in range(25):
        turn = math.pi * at / 24
        x, y = -math.cos(turn) * size, -math.sin(turn) * size
        end = 0.62 if at % 2 else 0.78
        lines += f"M{_n(x * 0.46)} {_n(y * 0.46)}L{_n(x * end)} {_n(y * end)}"
    for half, below in ((0.9, 0.02), (0.55, 0.12), (0.32, 0.2), (0.14, 0.27)):
        lines += f"M{_n(-size * half)} {_n(size * below)}H{_n(size * half)}"
    r = _n(size * 0.38)
    return f'<path class="accent" stroke="none" d="M-{r} 0A{r} {r} 0 0 1 {r} 0Z"/><path d="{lines}"/>'


def _moon(size: float) -> str:
    """A crescent among stars."""
    r, s, x, y = _n(size * 0.34), _n(size * 0.27), _n(size * 0.1), _n(size * 0.12)
    drawn = f"M{x}-{r}A{r} {r} 0 1 0 {r} {y}A{s} {s} 0 1 1 {x}-{r}Z"
    for right, down, ray in (
        *((-0.7, -0.35, 8), (-0.5, 0.5, 5), (0.55, -0.55, 6)),
        *((0.75, 0.3, 4), (-0.25, -0.7, 4), (0.3, 0.68, 5)),
    ):
        drawn += f"M{_n(right * size)} {_n(down * size - ray)}"
        drawn += f"q0 {ray} {ray} {ray}q-{ray} 0-{ray} {ray}q0-{ray}-{ray}-{ray}q{ray} 0 {ray}-{ray}z"
    return f'<path class="accent" stroke="none" d="{drawn}"/>'


def _legend(board: Board, layout: Layout, theme: Theme) -> tuple[list[str], float]:
    """What the signs mean, in lines under the map, and how much paper they take."""
    pieces = list(_signs(board, theme))
    lines: list[str] = []
    x, y = 0.0, layout.height + 34
    for drawn, said in pieces:
        wide = 38 + text_width(said, 13)
        if x > 0 and x + wide > layout.width:
            x, y = 0.0, y + 24
        lines.append(f'<g transform="translate({_n(x + 15)} {_n(y)})">{drawn}</g>')
        lines.append(_say(x + 38, y + 4.5, 13, said, "faint"))
        x += wide + 14
    return lines, y - layout.height + 32


def _signs(board: Board, theme: Theme) -> Iterator[tuple[str, str]]:
    """Each sign the board uses, and its meaning."""
    space, routes = Space(0, 0, 0, 30, 12), board.routes
    for colour in theme.cards:
        if any(route.colour == colour for route in routes):
            plate = _plate(Route(("", ""), 1, colour), space)
            yield f'<g class="{colour}">{plate}</g>', "any colour" if colour == "gray" else colour
    if any(route.tunnel for route in routes):
        yield f'<g class="gray">{_plate(Route(("", ""), 1, "gray", tunnel=True), space)}</g>', "tunnel"
    if any(route.ferry for route in routes):
        ferry = _plate(Route(("", ""), 1, "gray", locomotives=1), replace(space, locomotive=True))
        yield f'<g class="gray">{ferry}</g>', "ferry"
    swaps = {route.substitute: route for route in routes if route.substitute is not None and not route.ferry}
    for swap, route in swaps.items():
        yield f'<g class="{route.colour}">{_plate(route, space)}</g>', f"{swap.cards} cards for one"
    if any(route.draw_bonus for route in routes):
        yield _mark(Label("+2", 0, 0, 28, 18, 15)), "draw cards"


# --- writing --------------------------------------------------------------------------------------------------------


def _n(number: float) -> str:
    """A number, as short as it can be."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)
