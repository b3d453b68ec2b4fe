"""A board's drawing in pieces, for pages that add their own trains, highlights and gestures.

The pieces are what `svg.draw` draws, but every colour is a CSS variable, so one drawing serves both themes. The page
puts them into elements of the class "drawing"; `style.page_style_sheet` says how their classes look. Three things are
left open, in curly brackets: the seat of a train, and the two captions of the ground.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from northrail.boards.board import Board, Route
from northrail.drawing.cities import city_dot
from northrail.drawing.geometry import Point
from northrail.drawing.ground import CAPTIONS, ground, ornament
from northrail.drawing.layout import Label, Space, layout_of, locomotive_spaces
from northrail.drawing.routes import centre_line, mark, sleepers, spaces, train
from northrail.drawing.themes import PAGE_THEME

PITCH = 39.0  # distance between the spaces of an example


@dataclass(frozen=True)
class CityDrawing:
    """A city: its dot as SVG, and where its name is written."""

    name: str
    x: float
    y: float
    radius: float
    label: Label
    dot: str


@dataclass(frozen=True)
class RouteDrawing:
    """A route as a line from end to end through the middle of its spaces, and as SVG without and with a train.

    Put ``spaces`` into a group whose class is the route's colour, and ``train`` into one of class "seat-{seat}".
    """

    line: tuple[Point, ...]
    spaces: str
    train: str


@dataclass(frozen=True)
class KindOfRoute:
    """An example of a kind of route, drawn straight: ``kind`` is plain, gray, ferry, tunnel or swap."""

    kind: str
    route: int
    width: float
    height: float
    spaces: str


@dataclass(frozen=True)
class Drawing:
    """A board as SVG of ``width`` by ``height``. Draw the ground first, then routes or trains, marks, cities."""

    width: float
    height: float
    ground: str
    routes: tuple[RouteDrawing, ...]
    marks: str
    cities: tuple[CityDrawing, ...]
    kinds: tuple[KindOfRoute, ...]


def drawing_of(board: Board) -> Drawing:
    """Return the drawing of a board in pieces.

    >>> import northrail
    >>> drawing = drawing_of(northrail.load_board("nordic-countries"))
    >>> len(drawing.routes), "var(--sea-0)" in drawing.ground, "{arctic_circle}" in drawing.ground
    (81, True, True)
    """
    layout = layout_of(board)
    captions = {name: f"{{{name}}}" for name in CAPTIONS}
    at = {city.name: (city.x, city.y) for city in layout.cities}
    return Drawing(
        width=layout.width,
        height=layout.height,
        ground="".join([*ground(board, layout, PAGE_THEME, captions), ornament(layout.seats, PAGE_THEME)]),
        routes=tuple(
            RouteDrawing(
                centre_line(place.spaces, 1 / 2.6),
                sleepers(place, at[route.cities[0]], at[route.cities[1]]) + spaces(route, place.spaces),
                train(place, at[route.cities[0]], at[route.cities[1]], "{seat}"),
            )
            for route, place in zip(board.routes, layout.routes, strict=True)
        ),
        marks="".join(mark(place.mark) for place in layout.routes if place.mark is not None),
        cities=tuple(
            CityDrawing(place.name, place.x, place.y, place.radius, place.label, city_dot(place, city))
            for place, city in zip(layout.cities, board.cities, strict=True)
        ),
        kinds=tuple(_kinds(board)),
    )


def _is_swap(route: Route) -> bool:
    return route.substitute is not None and not route.ferry


KINDS: dict[str, Callable[[Route], bool]] = {
    "plain": lambda route: not route.ferry and not route.tunnel and route.colour != "gray",
    "gray": lambda route: not route.ferry and not route.tunnel and route.colour == "gray" and not _is_swap(route),
    "ferry": lambda route: route.ferry and route.length > 1,
    "tunnel": lambda route: route.tunnel,
    "swap": _is_swap,
}


def _kinds(board: Board) -> Iterator[KindOfRoute]:
    """Yield one route of each kind the board has, as close to 3 spaces as possible."""
    for kind, is_kind in KINDS.items():
        found = [number for number, route in enumerate(board.routes) if is_kind(route)]
        if not found:
            continue
        number = min(found, key=lambda number: abs(board.routes[number].length - 3))
        route = board.routes[number]
        symbols = locomotive_spaces(route)
        places = tuple(Space(20 + at * PITCH, 10, 0, 36, 13, at in symbols) for at in range(route.length))
        yield KindOfRoute(kind, number, route.length * PITCH + 2, 20, spaces(route, places))
