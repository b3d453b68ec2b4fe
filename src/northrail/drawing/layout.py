"""Where everything on a board is drawn: cities, train spaces, names, panels and coast.

The scale is chosen so that three quarters of the routes have at least 55 units for each of their spaces; on the
built-in boards a unit is about 1.5 km. x grows to the right and y downwards.
"""

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any, TypeVar

from northrail.boards.board import SEATS, Board, City, Route
from northrail.drawing.geometry import Point, Shape, disc, grown, is_free, overlap, rectangle
from northrail.drawing.projection import Projection, conic, given, map_features, rounded

ROOM = 55.0  # units per train space, gaps included, for three quarters of the routes
SPACE = (36.0, 12.0)  # length and width of a train space where there is room
GAP = 3.0  # between spaces, and between routes side by side
CITY = 8.0  # radius
MARGIN = 60.0  # around cities
EDGE = 30.0  # around everything else
FONT = 15.0
APART = 2.5  # leftover room next to a city, as a multiple of that between two spaces
LONGEST = 42.0  # length of a space where there is room to spare
SHORTEST = 4.0  # length of a space on a route that has no room at all
TIGHT = 24.0  # routes with spaces this short do not make room for others
ROUNDS = 30  # of moving crowded routes two units away from their city
CHOICES = 16  # places considered for each name
CELL = 20.0  # size of a cell of the grid on which panels are placed


@dataclass(frozen=True)
class Space:
    """A train space: its centre, its direction in degrees (clockwise from the right), its size."""

    x: float
    y: float
    angle: float
    length: float
    width: float
    locomotive: bool = False  # whether it shows a locomotive


@dataclass(frozen=True)
class Label:
    """A text and the centre and size of the box it fills; ``size`` is the font size."""

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
    """A route's spaces from its first city to its second, and the place of its "+X" if it has one."""

    number: int
    spaces: tuple[Space, ...]
    mark: Label | None = None


@dataclass(frozen=True)
class Box:
    """A rectangle, given by its upper left corner."""

    x: float
    y: float
    width: float
    height: float


Placed = TypeVar("Placed", Space, Label, CityPlace, Box)


@dataclass(frozen=True)
class Layout:
    """A board's drawing without colours: where things are in a frame of ``width`` by ``height``."""

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
        """Return the layout as plain lists and numbers."""
        return asdict(self)


def _space_shape(space: Space, more: float = 0.0) -> Shape:
    return rectangle(space.x, space.y, space.length, space.width, space.angle, more)


def _label_shape(label: Label, more: float = 0.0) -> Shape:
    return rectangle(label.x, label.y, label.width, label.height, more=more)


def _box_shape(box: Box) -> Shape:
    return rectangle(box.x + box.width / 2, box.y + box.height / 2, box.width, box.height)


def _city_shape(city: CityPlace) -> Shape:
    return disc(city.x, city.y, city.radius)


# --- routes ---------------------------------------------------------------------------------------------------------


@dataclass
class _Lane:
    """A route and the line it is drawn on; ``ahead`` if it runs from its bundle's first city to the second."""

    number: int
    route: Route
    path: "_Path"
    ahead: bool

    def spaces(self, trims: list[float]) -> tuple[Space, ...]:
        """Return its spaces from the route's first city to its second."""
        spaces = _along(self.path, self.route, trims)
        return spaces if self.ahead else _reverse(spaces)


@dataclass
class _Bundle:
    """The routes between two cities, from left to right as seen from the first; ``trims`` stay free at both ends."""

    ends: tuple[str, str]
    lanes: list[_Lane]
    trims: list[float]

    def room(self) -> float:
        """Return the length that the spaces of its most crowded route can have."""
        return min((lane.path.length - sum(self.trims) + GAP) / lane.route.length for lane in self.lanes) - GAP


class _Path:
    """A quadratic curve between two points whose middle is ``bend`` to the left, moved ``aside`` to the right."""

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
        self.distances = [0.0]
        for a, b in pairwise(self.points):
            self.distances.append(self.distances[-1] + math.dist(a, b))
        self.length = self.distances[-1]

    def at(self, distance: float) -> Point:
        """Return the point ``distance`` units from the start."""
        step = min(max(bisect_right(self.distances, distance) - 1, 0), self.STEPS - 1)
        (x, y), (u, v) = self.points[step : step + 2]
        part = (distance - self.distances[step]) / ((self.distances[step + 1] - self.distances[step]) or 1.0)
        return x + part * (u - x), y + part * (v - y)


def _along(path: _Path, route: Route, trims: list[float]) -> tuple[Space, ...]:
    """Return equal spaces along a path. Leftover room goes between them, and more of it next to the cities."""
    room = path.length - sum(trims) + GAP
    length = min(max(room / route.length - GAP, SHORTEST), SPACE[0] + max(0.0, room / route.length - ROOM) / 2, LONGEST)
    slack = (room - route.length * (length + GAP)) / (route.length - 1 + 2 * APART)
    width = min(SPACE[1], max(0.75 * length, SHORTEST))
    symbols = locomotive_spaces(route)
    spaces = []
    for at in range(route.length):
        middle = trims[0] + APART * slack + at * (length + GAP + slack) + length / 2
        (x, y), (u, v) = path.at(middle - length / 2), path.at(middle + length / 2)
        angle = math.degrees(math.atan2(v - y, u - x))
        centre = path.at(middle)
        spaces.append(
            Space(
                rounded(centre[0]), rounded(centre[1]), rounded(angle), rounded(length), rounded(width), at in symbols
            )
        )
    return tuple(spaces)


def _reverse(spaces: tuple[Space, ...]) -> tuple[Space, ...]:
    """Return the same spaces from the other end."""
    return tuple(
        replace(space, angle=rounded(space.angle - 180 if space.angle > 0 else space.angle + 180))
        for space in reversed(spaces)
    )


def locomotive_spaces(route: Route) -> set[int]:
    """Return the spaces that show a locomotive: spread evenly, and the same seen from both ends.

    >>> [sorted(locomotive_spaces(Route(("a", "b"), length, "gray", locomotives=2))) for length in (4, 5, 6)]
    [[1, 2], [1, 3], [1, 4]]
    """
    many, last = route.locomotives, route.length - 1
    half = [math.floor((2 * at + 1) * route.length / (2 * many)) for at in range((many + 1) // 2)]
    return {*half, *(last - at for at in half[: many // 2])}


def _bundles(routes: tuple[Route, ...], places: dict[str, Point]) -> list[_Bundle]:
    """Return routes grouped by the two cities they join.

    Each route follows its own bend and is shifted sideways to its lane. Lanes are ordered by bend, so that parallel
    routes never cross; with equal bends, the first in the file is on the left.
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
    """Return the spaces of all routes. Where routes crowd around a city, they start further away from it."""
    spaces: dict[int, tuple[Space, ...]] = {}
    shapes: dict[int, list[Shape]] = {}  # [bundle] -> its spaces, with half a gap around them
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
            if (a in changed or b in changed) and any(not is_free(shape, shapes[b]) for shape in shapes[a])
            for bundle in (a, b)
            if bundles[bundle].room() > TIGHT
        }
        changed = {bundle for bundle, _ in crowded}
        for at, city in crowded:
            bundles[at].trims[bundles[at].ends.index(city)] += 2.0
    return spaces


# --- names and marks ------------------------------------------------------------------------------------------------


def text_width(text: str, size: float = FONT) -> float:
    """Estimate how wide a text is in a semibold sans serif, erring on the wide side.

    >>> text_width("Oslo", 10) < text_width("Umeå", 10)
    True
    """
    letters = [unicodedata.normalize("NFD", letter)[0] for letter in text]
    return rounded(sum(_WIDTHS.get(letter, 0.72 if letter.isupper() else 0.62) for letter in letters) * size)


_WIDTHS = {
    **dict.fromkeys("il.,:;'’|!", 0.31),
    **dict.fromkeys("fjrtI ()-", 0.40),
    **dict.fromkeys("sckzvxyJ", 0.57),
    **dict.fromkeys("mwæœ", 0.95),
    **dict.fromkeys("MW", 0.98),
    **dict.fromkeys("OQGØ", 0.82),
}


def _name_places(city: City, place: Point) -> Iterator[Label]:
    """Yield places for a name, best first: close to the city and to its right."""
    width, height = text_width(city.name), rounded(FONT * 1.2)
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
        yield Label(city.name, rounded(place[0] + x), rounded(place[1] + y), width, height, FONT)


_GAPS = (3, 6, 10, 15, 21, 28)  # between a city and its name


def _place_names(cities: tuple[City, ...], places: dict[str, Point], taken: list[Shape]) -> dict[str, Label]:
    """Put each name in a free place that is nearer to its own city than to any other.

    A name that finds all its places taken displaces other names, which then choose again.
    """
    free: dict[str, list[Label]] = {}
    names: dict[str, Label] = {}
    for city in cities:
        place = places[city.name]
        near = _near(place, taken, text_width(city.name) + 60)
        labels = (
            label
            for label in _name_places(city, place)
            if is_free(_label_shape(label, 1.0), near)
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
        choices = [label for label in free[name] if is_free(_label_shape(label, 1.0), list(standing.values()))]
        names[name] = choices[0] if choices else free[name][turn % len(free[name])]
        shape = _label_shape(names[name], 1.0)
        for other, against in standing.items():
            if not choices and free[other] and overlap(shape, against):
                del names[other]
                waiting.append(other)
    return names | {name: free[name][0] for name in waiting}


def _distance(label: Label, place: Point) -> float:
    """Return the distance from a label's edge to a point outside it."""
    x, y = abs(label.x - place[0]) - label.width / 2, abs(label.y - place[1]) - label.height / 2
    return math.hypot(max(x, 0.0), max(y, 0.0))


def _near(place: Point, shapes: list[Shape], reach: float) -> list[Shape]:
    x, y = place
    return [
        shape
        for shape in shapes
        if shape.left < x + reach and shape.right > x - reach and shape.top < y + reach and shape.bottom > y - reach
    ]


def _place_marks(bundles: list[_Bundle], spaces: dict[int, tuple[Space, ...]], taken: list[Shape]) -> dict[int, Label]:
    """Place the "+X" of each route that has one, on the outer side of its lane if that is free."""
    marks: dict[int, Label] = {}
    for bundle in bundles:
        for at, lane in enumerate(bundle.lanes):
            if lane.route.draw_bonus:
                outside = (2 * at + 1 - len(bundle.lanes)) * (1 if lane.ahead else -1)
                around = taken + [_label_shape(mark) for mark in marks.values()]
                marks[lane.number] = _place_mark(f"+{lane.route.draw_bonus}", spaces[lane.number], outside, around)
    return marks


def _place_mark(text: str, spaces: tuple[Space, ...], outside: int, taken: list[Shape]) -> Label:
    """Place a text as near as possible to the middle of a route; ``outside`` is positive for its right side."""
    size = text_width(text) + 4, rounded(FONT * 1.2)
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
    return next((label for label in labels if is_free(_label_shape(label, 1.0), near)), labels[0])


def _beside(spaces: tuple[Space, ...], at: float, side: int, gap: float, text: str, size: tuple[float, float]) -> Label:
    """Return a text next to space number ``at``, or between two, on the right (1) or left (-1) of the route."""
    nearest = min(max(round(at), 0), len(spaces) - 1)
    space = spaces[nearest]
    c, s = math.cos(math.radians(space.angle)), math.sin(math.radians(space.angle))
    along = (at - nearest) * (space.length + GAP)
    away = side * (space.width / 2 + gap + abs(s) * size[0] / 2 + abs(c) * size[1] / 2)
    return Label(text, rounded(space.x + along * c - away * s), rounded(space.y + along * s + away * c), *size, FONT)


# --- panels ---------------------------------------------------------------------------------------------------------


def _place_panels(sizes: list[tuple[float, float]], frame: Box, taken: list[Shape]) -> tuple[list[Box], Box]:
    """Place panels, and return them with the frame, which grows if there was no room."""
    panels: list[Box] = []
    for width, height in sizes:
        panel = _place_panel(width, height, frame, taken + [_box_shape(box) for box in panels])
        panels.append(panel)
        frame = _around([_box_shape(frame), grown(_box_shape(panel), CELL)])
    return panels, frame


def _place_panel(width: float, height: float, frame: Box, taken: list[Shape]) -> Box:
    """Place a panel as far left and up as there is room; left of everything if there is none."""
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


def _around(shapes: list[Shape]) -> Box:
    """Return the box around shapes, in whole units."""
    x, y = math.floor(min(shape.left for shape in shapes)), math.floor(min(shape.top for shape in shapes))
    right, bottom = max(shape.right for shape in shapes), max(shape.bottom for shape in shapes)
    return Box(x, y, math.ceil(right) - x, math.ceil(bottom) - y)


# --- the whole layout -----------------------------------------------------------------------------------------------


def layout_of(board: Board) -> Layout:
    """Return where everything on ``board`` is drawn.

    >>> import northrail
    >>> layout = layout_of(northrail.load_board("nordic-countries"))
    >>> len(layout.routes[0].spaces), layout.cities[0].label.text
    (1, 'Bergen')
    """
    # Not cached by board: boards are equal if they play the same, however they are drawn.
    return _layout(board.name, board.cities, board.routes)


@lru_cache(maxsize=32)
def _layout(name: str, cities: tuple[City, ...], routes: tuple[Route, ...]) -> Layout:
    project = _projection(cities)
    scale = _scale(cities, routes, project)
    places = {}
    for city in cities:
        x, y = project(*given(city))
        places[city.name] = (x * scale + city.nudge[0], y * scale + city.nudge[1])

    bundles = _bundles(routes, places)
    spaces = _draw_apart(bundles)
    taken = [disc(*place, CITY) for place in places.values()]
    taken += [_space_shape(space) for of in spaces.values() for space in of]
    names = _place_names(cities, places, taken)
    taken += [_label_shape(label) for label in names.values()]
    marks = _place_marks(bundles, spaces, taken)
    taken += [_label_shape(mark) for mark in marks.values()]

    frame = _around([*(disc(*place, MARGIN) for place in places.values()), *(grown(shape, EDGE) for shape in taken)])
    lengths = len({route.length for route in routes})
    sizes = [(26.0 * len(name), 60.0), (240.0, 60.0 + 34 * SEATS), (190.0, 40.0 + 22 * lengths)]
    (title, seats, table), frame = _place_panels(sizes, frame, taken)

    def onto(longitude: float, latitude: float) -> Point:
        x, y = project(longitude, latitude)
        return x * scale - frame.x, y * scale - frame.y

    def within(thing: Placed) -> Placed:
        return replace(thing, x=rounded(thing.x - frame.x), y=rounded(thing.y - frame.y))

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
        **map_features(cities, onto, frame.width, frame.height),
    )


def _projection(cities: tuple[City, ...]) -> Projection:
    return conic(cities) if cities[0].x is None else lambda x, y: (x, y)


def _scale(cities: tuple[City, ...], routes: tuple[Route, ...], project: Projection) -> float:
    """Return units per kilometre, or per unit of the board file."""
    at = {city.name: project(*given(city)) for city in cities}
    rooms = [math.dist(at[route.cities[0]], at[route.cities[1]]) / route.length for route in routes]
    tight = sorted(rooms)[len(rooms) // 4]
    return ROOM / tight if tight > 1e-9 else 1.0


# --- warnings -------------------------------------------------------------------------------------------------------


def overlaps(layout: Layout) -> list[tuple[int, int]]:
    """Return pairs of routes, by number, whose spaces overlap."""
    shapes = [(route.number, _space_shape(space)) for route in layout.routes for space in route.spaces]
    found = {
        (number, other)
        for at, (other, one) in enumerate(shapes)
        for number, against in shapes[:at]
        if number != other and overlap(one, against)
    }
    return sorted(found)


def crowded_labels(layout: Layout) -> list[str]:
    """Return cities whose names found no free place."""
    names = {city.name: _label_shape(city.label) for city in layout.cities}
    fixed = [_space_shape(space) for route in layout.routes for space in route.spaces]
    fixed += [_label_shape(route.mark) for route in layout.routes if route.mark]
    fixed += [_city_shape(city) for city in layout.cities]
    return [
        name
        for name, shape in names.items()
        if not is_free(shape, fixed) or not is_free(shape, [names[other] for other in names if other != name])
    ]
