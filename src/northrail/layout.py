"""Where everything of a board is drawn: cities, train spaces, names, coast. `draw` and pages read it, or its JSON.

Cities lie where they are on the globe (Lambert's conformal conic projection, true along two parallels of the board's
own height), or at the x and y of the board file. The scale is set so that three quarters of the routes have at least
55 units for each of their spaces; on the built-in boards a unit is about 1.5 km. x grows to the right and y downwards.
"""

import json
import math
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import groupby, islice, pairwise
from typing import Any, TypeVar

from northrail.board import SEATS, Board, City, Route

Point = tuple[float, float]
Projection = Callable[[float, float], Point]

ROOM = 55.0  # units for a train space, gaps included, that three quarters of the routes have
SPACE = (36.0, 12.0)  # a train space where there is room
GAP = 3.0  # between spaces, and between routes side by side
CITY = 8.0  # radius
MARGIN = 60.0  # around cities
EDGE = 30.0  # around everything else
FONT = 15.0
APART = 2.5  # so many times the space between spaces lies between them and a city
LONGEST = 42.0  # a space where there is room to spare
SHORTEST = 4.0  # a space on a route that has no room at all
TIGHT = 24.0  # spaces no longer than this do not make room for others
ROUNDS = 30  # of making room; each moves crowded routes two units away from their city
CHOICES = 16  # places among which a name may choose
CELL = 20.0  # of the grid on which panels are placed
BLEED = 4.0  # how far land goes on behind the frame, so that its cut edge is not seen
ARCTIC_CIRCLE = 66.5636  # degrees north


@dataclass(frozen=True)
class Space:
    """A train space: its centre, its direction in degrees (clockwise from the right), its size, its symbol if any."""

    x: float
    y: float
    angle: float
    length: float
    width: float
    locomotive: bool = False  # whether it shows a locomotive


@dataclass(frozen=True)
class Label:
    """A text and the box it fills, by its centre; ``size`` is that of the font."""

    text: str
    x: float
    y: float
    width: float
    height: float
    size: float


@dataclass(frozen=True)
class CityPlace:
    """A city and its name."""

    name: str
    x: float
    y: float
    radius: float
    label: Label


@dataclass(frozen=True)
class RoutePlace:
    """A route's spaces from its first city to its second; ``mark`` is the place of its "+X", where it has one."""

    number: int
    spaces: tuple[Space, ...]
    mark: Label | None = None


@dataclass(frozen=True)
class Box:
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float
    height: float


Placed = TypeVar("Placed", Space, Label, CityPlace, Box)


@dataclass(frozen=True)
class Layout:
    """A board's drawing without colours: what lies where within a frame of ``width`` by ``height``."""

    width: float
    height: float
    cities: tuple[CityPlace, ...]
    routes: tuple[RoutePlace, ...]
    land: tuple[tuple[Point, ...], ...]
    lakes: tuple[tuple[Point, ...], ...]
    borders: tuple[tuple[Point, ...], ...]
    arctic_circle: tuple[Point, ...]
    title: Box  # room for the board's name
    table: Box  # room for the points of route lengths
    seats: Box  # room for the seats of a game

    def json(self) -> dict[str, Any]:
        """Everything, as plain lists and numbers."""
        return asdict(self)


# --- the map --------------------------------------------------------------------------------------------------------


def conic(cities: tuple[City, ...]) -> Projection:
    """Lambert's conformal conic projection for these cities: longitude and latitude to kilometres."""
    south, *_, north = sorted(math.radians(city.latitude or 0) for city in cities)
    west, *_, east = sorted(city.longitude or 0 for city in cities)
    low, high = south + (north - south) / 6, north - (north - south) / 6

    def stretch(latitude: float) -> float:
        return math.tan(math.pi / 4 + latitude / 2)

    if high - low < 1e-6:
        n = math.sin(low)
    else:
        n = math.log(math.cos(low) / math.cos(high)) / math.log(stretch(high) / stretch(low))
    n = n if abs(n) > 1e-6 else 1e-6  # on both sides of the equator the cone is all but a cylinder
    f = math.cos(low) * stretch(low) ** n / n

    def project(longitude: float, latitude: float) -> Point:
        radius = 6371 * f / stretch(math.radians(latitude)) ** n
        turn = n * math.radians(longitude - (west + east) / 2)
        return radius * math.sin(turn), radius * math.cos(turn)

    return project


# --- shapes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Shape:
    """A convex shape: its corners, how far it reaches, and the slanted directions in which something may part it."""

    corners: tuple[Point, ...]
    left: float
    top: float
    right: float
    bottom: float
    slants: tuple[Point, ...]


def _shape(corners: list[Point], slants: tuple[Point, ...]) -> _Shape:
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return _Shape(tuple(corners), min(across), min(down), max(across), max(down), slants)


def _rectangle(x: float, y: float, width: float, height: float, angle: float = 0.0, more: float = 0.0) -> _Shape:
    """A rectangle by its centre, grown by ``more`` on every side."""
    half, rise = width / 2 + more, height / 2 + more
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = [(half, rise), (-half, rise), (-half, -rise), (half, -rise)]
    slants = ((c, s), (-s, c)) if angle else ()
    return _shape([(x + c * u - s * v, y + s * u + c * v) for u, v in corners], slants)


def _space_shape(space: Space, more: float = 0.0) -> _Shape:
    return _rectangle(space.x, space.y, space.length, space.width, space.angle, more)


def _label_shape(label: Label, more: float = 0.0) -> _Shape:
    return _rectangle(label.x, label.y, label.width, label.height, more=more)


def _box_shape(box: Box) -> _Shape:
    return _rectangle(box.x + box.width / 2, box.y + box.height / 2, box.width, box.height)


def _disc(x: float, y: float, radius: float) -> _Shape:
    """An octagon around a circle."""
    reach = radius / math.cos(math.pi / 8)
    turns = [math.pi / 8 + eighth * math.pi / 4 for eighth in range(8)]
    corners = [(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]
    return _shape(corners, ((1.0, 1.0), (1.0, -1.0)))


def _city_shape(city: CityPlace) -> _Shape:
    return _disc(city.x, city.y, city.radius)


def _overlap(a: _Shape, b: _Shape) -> bool:
    """Whether two convex shapes share more than an edge: no direction parts them."""
    if a.left >= b.right or b.left >= a.right or a.top >= b.bottom or b.top >= a.bottom:
        return False
    for x, y in a.slants + b.slants:
        of_a = [x * u + y * v for u, v in a.corners]
        of_b = [x * u + y * v for u, v in b.corners]
        if max(of_a) <= min(of_b) or max(of_b) <= min(of_a):
            return False
    return True


def _grown(shape: _Shape, more: float) -> _Shape:
    """The upright rectangle around a shape, and so much more on every side."""
    width, height = shape.right - shape.left, shape.bottom - shape.top
    return _rectangle(shape.left + width / 2, shape.top + height / 2, width, height, more=more)


def _is_free(shape: _Shape, others: list[_Shape]) -> bool:
    return not any(_overlap(shape, other) for other in others)


# --- routes ---------------------------------------------------------------------------------------------------------


@dataclass
class _Lane:
    """A route, and the line on which it is drawn; ``ahead`` if it runs from its bundle's first city to the second."""

    number: int
    route: Route
    path: "_Path"
    ahead: bool

    def spaces(self, trims: list[float]) -> tuple[Space, ...]:
        """Its spaces from the route's first city to its second."""
        spaces = _along(self.path, self.route, trims)
        return spaces if self.ahead else _reverse(spaces)


@dataclass
class _Bundle:
    """The routes between two cities, side by side from left to right as seen from the first; ``trims`` stay free."""

    ends: tuple[str, str]
    lanes: list[_Lane]
    trims: list[float]

    def room(self) -> float:
        """Units for a space of its longest route."""
        return min((lane.path.length - sum(self.trims) + GAP) / lane.route.length for lane in self.lanes) - GAP


class _Path:
    """A quadratic curve between two points whose middle lies ``bend`` to the left, moved ``aside`` to the right."""

    STEPS = 32

    def __init__(self, start: Point, end: Point, bend: float, aside: float) -> None:
        (x, y), (u, v) = start, end
        far = math.dist(start, end)
        left = ((v - y) / far, (x - u) / far) if far else (0.0, -1.0)
        control = (x + u) / 2 + 2 * bend * left[0], (y + v) / 2 + 2 * bend * left[1]
        self.points: list[Point] = []
        for step in range(self.STEPS + 1):
            t = step / self.STEPS
            dx = (1 - t) * (control[0] - x) + t * (u - control[0])
            dy = (1 - t) * (control[1] - y) + t * (v - control[1])
            speed = math.hypot(dx, dy) or 1.0
            px = (1 - t) ** 2 * x + 2 * t * (1 - t) * control[0] + t * t * u
            py = (1 - t) ** 2 * y + 2 * t * (1 - t) * control[1] + t * t * v
            self.points.append((px - aside * dy / speed, py + aside * dx / speed))
        self.ways = [0.0]
        for a, b in pairwise(self.points):
            self.ways.append(self.ways[-1] + math.dist(a, b))
        self.length = self.ways[-1]

    def at(self, way: float) -> Point:
        """The point after so many units."""
        step = min(max(bisect_right(self.ways, way) - 1, 0), self.STEPS - 1)
        (x, y), (u, v) = self.points[step : step + 2]
        part = (way - self.ways[step]) / ((self.ways[step + 1] - self.ways[step]) or 1.0)
        return x + part * (u - x), y + part * (v - y)


def _along(path: _Path, route: Route, trims: list[float]) -> tuple[Space, ...]:
    """Equal spaces along a path; room that is left over parts them evenly, and a good deal more from the cities."""
    room = path.length - sum(trims) + GAP
    length = min(max(room / route.length - GAP, SHORTEST), SPACE[0] + max(0.0, room / route.length - ROOM) / 2, LONGEST)
    slack = (room - route.length * (length + GAP)) / (route.length - 1 + 2 * APART)
    width = min(SPACE[1], max(0.75 * length, SHORTEST))
    symbols = _symbols(route)
    spaces = []
    for at in range(route.length):
        middle = trims[0] + APART * slack + at * (length + GAP + slack) + length / 2
        (x, y), (u, v) = path.at(middle - length / 2), path.at(middle + length / 2)
        angle = math.degrees(math.atan2(v - y, u - x))
        centre = path.at(middle)
        spaces.append(
            Space(_round(centre[0]), _round(centre[1]), _round(angle), _round(length), _round(width), at in symbols)
        )
    return tuple(spaces)


def _reverse(spaces: tuple[Space, ...]) -> tuple[Space, ...]:
    """The same spaces from the other end."""
    return tuple(
        replace(space, angle=_round(space.angle - 180 if space.angle > 0 else space.angle + 180))
        for space in reversed(spaces)
    )


def _symbols(route: Route) -> set[int]:
    """The spaces that show a locomotive, spread evenly and alike from both ends.

    >>> [sorted(_symbols(Route(("a", "b"), length, "gray", locomotives=2))) for length in (4, 5, 6)]
    [[1, 2], [1, 3], [1, 4]]
    """
    many, last = route.locomotives, route.length - 1
    half = [math.floor((2 * at + 1) * route.length / (2 * many)) for at in range((many + 1) // 2)]
    return {*half, *(last - at for at in half[: many // 2])}


def _bundles(routes: tuple[Route, ...], places: dict[str, Point]) -> list[_Bundle]:
    """Routes by the two cities they join.

    Each follows its own bend and is moved aside by its lane. The more a route bends to the left the further left is
    its lane, and with one bend for all the first in the file lies left: so parallel routes never cross.
    """
    pairs: dict[frozenset[str], list[int]] = {}
    for number, route in enumerate(routes):
        pairs.setdefault(frozenset(route.cities), []).append(number)
    bundles = []
    for numbers in pairs.values():
        ends = routes[numbers[0]].cities
        bends = {n: routes[n].bend if routes[n].cities == ends else -routes[n].bend for n in numbers}
        lanes = []
        for at, number in enumerate(sorted(numbers, key=lambda number: -bends[number])):
            aside = (at - (len(numbers) - 1) / 2) * (SPACE[1] + GAP)
            path = _Path(places[ends[0]], places[ends[1]], bends[number], aside)
            lanes.append(_Lane(number, routes[number], path, routes[number].cities == ends))
        bundles.append(_Bundle(ends, lanes, [CITY + GAP, CITY + GAP]))
    return bundles


def _draw_apart(bundles: list[_Bundle]) -> dict[int, tuple[Space, ...]]:
    """The spaces of all routes; where routes crowd around a city they start further away from it."""
    spaces: dict[int, tuple[Space, ...]] = {}
    shapes: dict[int, list[_Shape]] = {}  # [bundle] -> its spaces and half a gap around them
    meeting = [
        (a, b, city)
        for a in range(len(bundles))
        for b in range(a)
        for city in bundles[a].ends
        if city in bundles[b].ends
    ]
    changed = set(range(len(bundles)))
    for _ in range(ROUNDS):
        for at in changed:
            drawn = {lane.number: lane.spaces(bundles[at].trims) for lane in bundles[at].lanes}
            shapes[at] = [_space_shape(space, GAP / 2) for of in drawn.values() for space in of]
            spaces |= drawn
        crowded = {
            (bundle, city)
            for a, b, city in meeting
            if (a in changed or b in changed) and any(not _is_free(shape, shapes[b]) for shape in shapes[a])
            for bundle in (a, b)
            if bundles[bundle].room() > TIGHT
        }
        changed = {bundle for bundle, _ in crowded}
        for at, city in crowded:
            bundles[at].trims[bundles[at].ends.index(city)] += 2.0
    return spaces


# --- names and marks ------------------------------------------------------------------------------------------------


def text_width(text: str, size: float = FONT) -> float:
    """About how wide a text is in a semibold sans serif; rather too wide than too narrow.

    >>> text_width("Oslo", 10) < text_width("Umeå", 10)
    True
    """
    letters = [unicodedata.normalize("NFD", letter)[0] for letter in text]
    return _round(sum(_WIDTHS.get(letter, 0.72 if letter.isupper() else 0.62) for letter in letters) * size)


_WIDTHS = {
    **dict.fromkeys("il.,:;'’|!", 0.31),
    **dict.fromkeys("fjrtI ()-", 0.40),
    **dict.fromkeys("sckzvxyJ", 0.57),
    **dict.fromkeys("mwæœ", 0.95),
    **dict.fromkeys("MW", 0.98),
    **dict.fromkeys("OQGØ", 0.82),
}


def _name_places(city: City, place: Point) -> Iterator[Label]:
    """Where a name may stand, best first: close to the city and to the right of it."""
    width, height = text_width(city.name), _round(FONT * 1.2)
    tries: list[tuple[float, str, float, float]] = []  # cost, side, right of the city, below it
    for far, gap in enumerate(_GAPS):
        for step, slide in enumerate((0, -4, 4, -8, 8, -12, 12)):
            cost = 4 * far + 0.8 * step
            tries += [
                (cost, "right", CITY + gap + width / 2, slide),
                (cost + 1, "left", -CITY - gap - width / 2, slide),
            ]
        for step, part in enumerate((0, -0.1, 0.1, -0.2, 0.2, -0.3, 0.3, -0.4, 0.4, -0.5, 0.5)):
            cost, away = 4 * far + 0.5 * step, CITY + 0.8 * gap + height / 2 - 2
            tries += [(cost + 2, "below", part * width, away), (cost + 2.5, "above", part * width, -away)]
        for lower, drop in enumerate(_GAPS):
            cost = 3 * (far + lower) + 2
            aside, away = CITY / 2 + gap + width / 2, CITY / 2 + drop + height / 2
            tries += [(cost, "above right", aside, -away), (cost, "below right", aside, away)]
            tries += [(cost + 1, "above left", -aside, -away), (cost + 1, "below left", -aside, away)]
    tries = sorted(found for found in tries if city.label in ("", found[1]))
    for _, _, x, y in tries:
        yield Label(city.name, _round(place[0] + x), _round(place[1] + y), width, height, FONT)


_GAPS = (3, 6, 10, 15, 21, 28)  # between a city and its name


def _place_names(cities: tuple[City, ...], places: dict[str, Point], taken: list[_Shape]) -> dict[str, Label]:
    """Names on free places nearest to their own city; one that finds none sends another away that has a choice."""
    free: dict[str, list[Label]] = {}
    names: dict[str, Label] = {}
    for city in cities:
        place = places[city.name]
        near = _near(place, taken, text_width(city.name) + 60)
        labels = (
            label
            for label in _name_places(city, place)
            if _is_free(_label_shape(label, 1.0), near)
            and _distance(label, place) <= min(_distance(label, other) for other in places.values())
        )
        free[city.name] = list(islice(labels, CHOICES))
        if not free[city.name]:
            names[city.name] = next(_name_places(city, place))
    waiting = sorted((name for name in free if free[name]), key=lambda name: len(free[name]))
    for turn in range(4 * len(cities)):
        if not waiting:
            break
        name = waiting.pop(0)
        standing = {other: _label_shape(label, 1.0) for other, label in names.items()}
        choices = [label for label in free[name] if _is_free(_label_shape(label, 1.0), list(standing.values()))]
        names[name] = choices[0] if choices else free[name][turn % len(free[name])]
        shape = _label_shape(names[name], 1.0)
        for other, against in standing.items():
            if not choices and free[other] and _overlap(shape, against):
                del names[other]
                waiting.append(other)
    return names | {name: free[name][0] for name in waiting}


def _distance(label: Label, place: Point) -> float:
    """From a label's edge to a point outside it."""
    x, y = abs(label.x - place[0]) - label.width / 2, abs(label.y - place[1]) - label.height / 2
    return math.hypot(max(x, 0.0), max(y, 0.0))


def _near(place: Point, shapes: list[_Shape], reach: float) -> list[_Shape]:
    x, y = place
    return [
        shape
        for shape in shapes
        if shape.left < x + reach and shape.right > x - reach and shape.top < y + reach and shape.bottom > y - reach
    ]


def _place_marks(bundles: list[_Bundle], spaces: dict[int, tuple[Space, ...]], taken: list[_Shape]) -> dict[int, Label]:
    """The "+X" of routes that have one, each on the outer side of its lane where that is free."""
    marks: dict[int, Label] = {}
    for bundle in bundles:
        for at, lane in enumerate(bundle.lanes):
            if lane.route.draw_bonus:
                outside = (2 * at + 1 - len(bundle.lanes)) * (1 if lane.ahead else -1)
                around = taken + [_label_shape(mark) for mark in marks.values()]
                marks[lane.number] = _place_mark(f"+{lane.route.draw_bonus}", spaces[lane.number], outside, around)
    return marks


def _place_mark(text: str, spaces: tuple[Space, ...], outside: int, taken: list[_Shape]) -> Label:
    """A text on a free place as near as can be to the middle of a route; right (above 0) or left is outside."""
    size = text_width(text) + 4, _round(FONT * 1.2)
    middle = (len(spaces) - 1) / 2
    tries = sorted(
        (12 * abs(at / 4 - middle) + gap + (20 if side * outside < 0 else 0), at / 4, side, gap)
        for at in range(-3, 4 * len(spaces))
        for side in (-1, 1)
        for gap in (2, 6, 11, 17, 24, 32, 45)
    )
    labels = [_beside(spaces, at, side, gap, text, size) for _, at, side, gap in tries]
    reach = math.dist((spaces[0].x, spaces[0].y), (spaces[-1].x, spaces[-1].y)) + 100
    near = _near((spaces[0].x, spaces[0].y), taken, reach)
    return next((label for label in labels if _is_free(_label_shape(label, 1.0), near)), labels[0])


def _beside(spaces: tuple[Space, ...], at: float, side: int, gap: float, text: str, size: tuple[float, float]) -> Label:
    """A text next to the space number ``at`` (or between two), to the right (1) or left (-1) of the route."""
    nearest = min(max(round(at), 0), len(spaces) - 1)
    space = spaces[nearest]
    c, s = math.cos(math.radians(space.angle)), math.sin(math.radians(space.angle))
    along = (at - nearest) * (space.length + GAP)
    away = side * (space.width / 2 + gap + abs(s) * size[0] / 2 + abs(c) * size[1] / 2)
    return Label(text, _round(space.x + along * c - away * s), _round(space.y + along * s + away * c), *size, FONT)


# --- panels ---------------------------------------------------------------------------------------------------------


def _place_panels(sizes: list[tuple[float, float]], frame: Box, taken: list[_Shape]) -> tuple[list[Box], Box]:
    """Room for panels, and the frame, which is wider where there was none."""
    panels: list[Box] = []
    for width, height in sizes:
        panel = _place_panel(width, height, frame, taken + [_box_shape(box) for box in panels])
        panels.append(panel)
        frame = _around([_box_shape(frame), _grown(_box_shape(panel), CELL)])
    return panels, frame


def _place_panel(width: float, height: float, frame: Box, taken: list[_Shape]) -> Box:
    """Room for a panel, as far left and up as there is some; left of everything where there is none."""
    cell = max(CELL, frame.width / 100, frame.height / 100)
    blocked: set[tuple[int, int]] = set()
    for shape in taken:
        blocked.update(
            (column, row)
            for column in range(int((shape.left - frame.x) // cell), int((shape.right - frame.x) // cell) + 1)
            for row in range(int((shape.top - frame.y) // cell), int((shape.bottom - frame.y) // cell) + 1)
        )
    columns, rows = math.ceil(width / cell) + 1, math.ceil(height / cell) + 1
    for column in range(1, int(frame.width // cell) - columns):
        for row in range(1, int(frame.height // cell) - rows):
            cells = ((column + right, row + down) for right in range(columns) for down in range(rows))
            if not any(cell in blocked for cell in cells):
                return Box(frame.x + (column + 0.5) * cell, frame.y + (row + 0.5) * cell, width, height)
    return Box(frame.x - width - CELL, frame.y + CELL, width, height)


def _around(shapes: list[_Shape]) -> Box:
    """The box around shapes, in whole units."""
    x, y = math.floor(min(shape.left for shape in shapes)), math.floor(min(shape.top for shape in shapes))
    right, bottom = max(shape.right for shape in shapes), max(shape.bottom for shape in shapes)
    return Box(x, y, math.ceil(right) - x, math.ceil(bottom) - y)


# --- the ground -----------------------------------------------------------------------------------------------------


@cache
def _map() -> dict[str, list[list[float]]]:
    """Land, lakes and borders as longitudes and latitudes."""
    file = resources.files("northrail").joinpath("boards", "map.json")
    rings: dict[str, list[list[float]]] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return rings


def _lines(name: str, onto: Projection) -> Iterator[list[Point]]:
    """The lines or rings of that name on the drawing."""
    for line in _map().get(name, []):
        yield [onto(longitude, latitude) for longitude, latitude in zip(line[::2], line[1::2], strict=True)]


def _ground(cities: tuple[City, ...], onto: Projection, width: float, height: float) -> dict[str, Any]:
    """Land, lakes, borders and the Arctic Circle within the frame; a board of x and y has none."""
    if cities[0].x is not None:
        return {"land": (), "lakes": (), "borders": (), "arctic_circle": ()}
    middle = (min(_given(city)[0] for city in cities) + max(_given(city)[0] for city in cities)) / 2
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
    """The part of a ring within the frame (Sutherland and Hodgman), and BLEED more."""
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
    return _rounded(ring) if len(ring) > 2 else ()


def _clip_line(line: list[Point], width: float, height: float) -> list[tuple[Point, ...]]:
    """The parts of a line within the frame."""
    parts: list[list[Point]] = []
    for a, b in pairwise(line):
        piece = _clip_step(a, b, width, height)
        if piece is None:
            continue
        if parts and parts[-1][-1] == piece[0]:
            parts[-1].append(piece[1])
        else:
            parts.append(list(piece))
    return [_rounded(part) for part in parts]


def _clip_step(a: Point, b: Point, width: float, height: float) -> tuple[Point, Point] | None:
    """The part of a straight line within the frame (Liang and Barsky)."""
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


def _round(number: float) -> float:
    return round(number, 1) + 0.0  # no minus zero


def _rounded(points: list[Point]) -> tuple[Point, ...]:
    """Points to a tenth, each but once in a row."""
    return tuple(point for point, _ in groupby((_round(x), _round(y)) for x, y in points))


# --- the whole ------------------------------------------------------------------------------------------------------


def layout_of(board: Board) -> Layout:
    """Where everything of ``board`` is drawn.

    >>> import northrail
    >>> layout = layout_of(northrail.load_board("nordic-countries"))
    >>> len(layout.routes[0].spaces), layout.cities[0].label.text
    (1, 'Bergen')
    """
    return _layout(board.name, board.cities, board.routes)  # equal boards may be drawn in different places


@lru_cache(maxsize=32)
def _layout(name: str, cities: tuple[City, ...], routes: tuple[Route, ...]) -> Layout:
    project = _projection(cities)
    scale = _scale(cities, routes, project)
    places = {}
    for city in cities:
        x, y = project(*_given(city))
        places[city.name] = (x * scale + city.nudge[0], y * scale + city.nudge[1])

    bundles = _bundles(routes, places)
    spaces = _draw_apart(bundles)
    taken = [_disc(*place, CITY) for place in places.values()]
    taken += [_space_shape(space) for of in spaces.values() for space in of]
    names = _place_names(cities, places, taken)
    taken += [_label_shape(label) for label in names.values()]
    marks = _place_marks(bundles, spaces, taken)
    taken += [_label_shape(mark) for mark in marks.values()]

    frame = _around([*(_disc(*place, MARGIN) for place in places.values()), *(_grown(shape, EDGE) for shape in taken)])
    lengths = len({route.length for route in routes})
    sizes = [(26.0 * len(name), 60.0), (240.0, 60.0 + 34 * SEATS), (190.0, 40.0 + 22 * lengths)]
    (title, seats, table), frame = _place_panels(sizes, frame, taken)

    def onto(longitude: float, latitude: float) -> Point:
        x, y = project(longitude, latitude)
        return x * scale - frame.x, y * scale - frame.y

    def within(thing: Placed) -> Placed:
        return replace(thing, x=_round(thing.x - frame.x), y=_round(thing.y - frame.y))

    return Layout(
        width=frame.width,
        height=frame.height,
        cities=tuple(
            within(CityPlace(city.name, *places[city.name], CITY, within(names[city.name]))) for city in cities
        ),
        routes=tuple(
            RoutePlace(
                number,
                tuple(within(space) for space in spaces[number]),
                within(marks[number]) if number in marks else None,
            )
            for number in range(len(routes))
        ),
        title=within(title),
        seats=within(seats),
        table=within(table),
        **_ground(cities, onto, frame.width, frame.height),
    )


def _given(city: City) -> Point:
    """Where the board file puts a city."""
    if city.x is not None and city.y is not None:
        return city.x, city.y
    return city.longitude or 0.0, city.latitude or 0.0


def _projection(cities: tuple[City, ...]) -> Projection:
    return conic(cities) if cities[0].x is None else lambda x, y: (x, y)


def _scale(cities: tuple[City, ...], routes: tuple[Route, ...], project: Projection) -> float:
    """Units for a kilometre, or for one of the board's own units."""
    at = {city.name: project(*_given(city)) for city in cities}
    rooms = [math.dist(at[route.cities[0]], at[route.cities[1]]) / route.length for route in routes]
    tight = sorted(rooms)[len(rooms) // 4]
    return ROOM / tight if tight > 1e-9 else 1.0


# --- what to warn of ------------------------------------------------------------------------------------------------


def overlaps(layout: Layout) -> list[tuple[int, int]]:
    """Routes, by their numbers, whose spaces cover each other."""
    shapes = [(route.number, _space_shape(space)) for route in layout.routes for space in route.spaces]
    found = {
        (number, other)
        for at, (other, one) in enumerate(shapes)
        for number, against in shapes[:at]
        if number != other and _overlap(one, against)
    }
    return sorted(found)


def crowded_labels(layout: Layout) -> list[str]:
    """Cities whose name found no free place."""
    names = {city.name: _label_shape(city.label) for city in layout.cities}
    fixed = [_space_shape(space) for route in layout.routes for space in route.spaces]
    fixed += [_label_shape(route.mark) for route in layout.routes if route.mark]
    fixed += [_city_shape(city) for city in layout.cities]
    return [
        name
        for name, shape in names.items()
        if not _is_free(shape, fixed) or not _is_free(shape, [names[other] for other in names if other != name])
    ]
