"""Where a board is drawn: nothing covers anything else, and everything is where the board file says."""

import itertools
import json
import math
import time
from dataclasses import replace

import pytest
from shapely import LineString, Point, Polygon, STRtree, affinity, box  # type: ignore[import-untyped]  # it has no types
from tables import BOARDS

import northrail
from northrail.boards.board import SIDES, Board, City, Route
from northrail.drawing import layout as layouts
from northrail.drawing import projection
from northrail.drawing.layout import Box, CityPlace, Label, Layout, Space, crowded_labels, layout_of, overlaps

on_both = pytest.mark.parametrize("board", BOARDS.values(), ids=str)
LEAST = 0.01  # square units: coordinates are rounded to a tenth


def rectangle(space: Space) -> Polygon:
    upright = box(-space.length / 2, -space.width / 2, space.length / 2, space.width / 2)
    return affinity.translate(affinity.rotate(upright, space.angle, origin=(0, 0)), space.x, space.y)


def text_box(label: Label) -> Polygon:
    return box(
        label.x - label.width / 2, label.y - label.height / 2, label.x + label.width / 2, label.y + label.height / 2
    )


def panel(area: Box) -> Polygon:
    return box(area.x, area.y, area.x + area.width, area.y + area.height)


def things(layout: Layout) -> dict[str, Polygon]:
    """All that must not cover anything else, by what it is."""
    found = {f"city {city.name}": Point(city.x, city.y).buffer(city.radius) for city in layout.cities}
    found |= {f"name {city.name}": text_box(city.label) for city in layout.cities}
    for route in layout.routes:
        found |= {f"route {route.number} space {at}": rectangle(space) for at, space in enumerate(route.spaces)}
        if route.mark:
            found[f"route {route.number} mark"] = text_box(route.mark)
    return found | {name: panel(getattr(layout, name)) for name in ("title", "table", "seats")}


def covered(layout: Layout) -> list[tuple[str, str]]:
    """Pairs of things that cover each other."""
    found = things(layout)
    names, shapes = list(found), list(found.values())
    pairs = zip(*STRtree(shapes).query(shapes, predicate="intersects").tolist(), strict=True)
    return [(names[a], names[b]) for a, b in pairs if a < b and shapes[a].intersection(shapes[b]).area > LEAST]


def drawn(board: Board, cities: list[City], routes: list[Route]) -> Layout:
    """Other cities and routes, as the layout of a board."""
    return layout_of(replace(board, cities=tuple(cities), routes=tuple(routes)))


def square(*names: str) -> list[City]:
    """Cities at the corners of a square, by x and y."""
    return [City(name, "", x=100.0 * (at % 2), y=100.0 * (at // 2)) for at, name in enumerate(names)]


@on_both
def test_nothing_covers_anything_else(board: Board) -> None:
    layout = layout_of(board)
    assert covered(layout) == []
    assert overlaps(layout) == []
    assert crowded_labels(layout) == []


@on_both
def test_everything_lies_within_the_frame(board: Board) -> None:
    layout = layout_of(board)
    frame = box(5, 5, layout.width - 5, layout.height - 5)
    assert [name for name, shape in things(layout).items() if not frame.contains(shape)] == []


@on_both
def test_every_route_has_its_spaces_and_symbols(board: Board) -> None:
    for route, place in zip(board.routes, layout_of(board).routes, strict=True):
        assert len(place.spaces) == route.length
        assert sum(space.locomotive for space in place.spaces) == route.locomotives
        assert len({(space.length, space.width) for space in place.spaces}) == 1
        assert (place.mark.text if place.mark else "") == (f"+{route.draw_bonus}" if route.draw_bonus else "")
    assert [place.number for place in layout_of(board).routes] == list(range(len(board.routes)))


@on_both
def test_no_space_is_too_small_to_be_seen(board: Board) -> None:
    sizes = [(space.length, space.width) for route in layout_of(board).routes for space in route.spaces]
    assert min(length for length, _ in sizes) > 20
    assert {width for _, width in sizes} == {12.0}


@on_both
def test_spaces_run_from_the_first_city_to_the_second(board: Board) -> None:
    layout = layout_of(board)
    at = {city.name: (city.x, city.y) for city in layout.cities}
    for route, place in zip(board.routes, layout.routes, strict=True):
        first, last = at[route.cities[0]], at[route.cities[1]]
        ways = [math.dist(first, (space.x, space.y)) for space in place.spaces]
        assert ways == sorted(ways)
        assert ways[0] <= math.dist(last, (place.spaces[0].x, place.spaces[0].y)) + LEAST or route.length == 1
        for space in place.spaces:  # the angle points ahead, so that a train may too
            ahead = math.radians(space.angle)
            assert math.cos(ahead) * (last[0] - first[0]) + math.sin(ahead) * (last[1] - first[1]) > 0


def test_a_mark_lies_beside_its_own_route(lights: Board) -> None:
    marked = [(route.mark, route.spaces) for route in layout_of(lights).routes if route.mark]
    assert len(marked) == sum(route.draw_bonus > 0 for route in lights.routes) > 0
    for mark, spaces in marked:
        assert min(rectangle(space).distance(text_box(mark)) for space in spaces) < 20


@on_both
def test_a_name_is_nearest_to_its_own_city(board: Board) -> None:
    for city in layout_of(board).cities:
        ways = {other.name: text_box(city.label).distance(Point(other.x, other.y)) for other in layout_of(board).cities}
        assert min(ways, key=lambda name: ways[name]) == city.name


@on_both
def test_parallel_routes_never_cross(board: Board) -> None:
    layout = layout_of(board)
    at = {city.name: city for city in layout.cities}

    def line(number: int) -> LineString:
        route = board.routes[number]
        spaces = layout.routes[number].spaces
        points = [(space.x, space.y) for space in (spaces if route.cities[0] == min(route.cities) else spaces[::-1])]
        return LineString(points if len(points) > 1 else [*points, ends(at, route)[1]])

    for a, b in itertools.combinations(range(len(board.routes)), 2):
        if set(board.routes[a].cities) == set(board.routes[b].cities) and board.routes[a].length > 1:
            assert not line(a).crosses(line(b)), f"{board.routes[a]} and {board.routes[b]}"


def ends(at: dict[str, CityPlace], route: Route) -> list[tuple[float, float]]:
    return [(at[name].x, at[name].y) for name in sorted(route.cities)]


@on_both
def test_the_layout_is_plain_json(board: Board) -> None:
    layout = layout_of(board)
    again = json.loads(json.dumps(layout.json(), allow_nan=False))
    assert again == json.loads(json.dumps(layout.json()))
    assert [city["x"] for city in again["cities"]] == [city.x for city in layout.cities]
    assert again["routes"][0]["spaces"][0]["angle"] == layout.routes[0].spaces[0].angle
    assert [tuple(point) for point in again["arctic_circle"]] == list(layout.arctic_circle)
    assert again["title"]["width"] == layout.title.width


@on_both
def test_the_same_board_is_drawn_the_same_way_quickly(board: Board) -> None:
    first = layout_of(board)
    assert layout_of(northrail.load_board(board.id)) is first
    layouts._layout.cache_clear()
    start = time.process_time()
    assert layout_of(board) == first
    assert time.process_time() - start < 2  # 0.2 to 0.3 s on an idle core


@on_both
def test_two_drawings_of_one_game_are_two_layouts(board: Board) -> None:
    moved = replace(board, cities=(replace(board.cities[0], nudge=(5.0, 0.0)), *board.cities[1:]))
    assert moved == board
    assert layout_of(moved) != layout_of(board)


@on_both
def test_the_arctic_circle_crosses_the_frame_south_of_the_northern_cities(board: Board) -> None:
    layout = layout_of(board)
    circle = layout.arctic_circle
    assert circle[0][0] == 0 and circle[-1][0] == layout.width
    for city, place in zip(board.cities, layout.cities, strict=True):
        (x, y), (u, v) = next((a, b) for a, b in itertools.pairwise(circle) if a[0] <= place.x <= b[0])
        below = y + (place.x - x) / (u - x) * (v - y) - place.y
        assert city.latitude is not None
        if abs(below) > layouts.CITY:
            assert (below > 0) == (city.latitude > projection.ARCTIC_CIRCLE or city.arctic), city.name
        if city.arctic:
            assert below > 0, city.name


@on_both
def test_a_unit_is_about_one_and_a_half_kilometres(board: Board) -> None:
    scale = layouts._scale(board.cities, board.routes, projection.conic(board.cities))
    assert 0.6 < scale < 0.75


@on_both
def test_the_projection_keeps_distances(board: Board) -> None:
    at = {city.name: projection.conic(board.cities)(city.longitude or 0, city.latitude or 0) for city in board.cities}
    assert math.dist(at["Helsinki"], at["Tallinn"]) == pytest.approx(82, abs=2)
    assert math.dist(at["Oslo"], at["Trondheim"]) == pytest.approx(392, abs=8)
    assert at["Honningsvåg"][1] < at["Helsinki"][1]
    assert at["Bergen"][0] < at["Helsinki"][0]


def test_cities_may_lie_at_x_and_y(nordic: Board) -> None:
    routes = [Route(("a", "b"), 1, "red"), Route(("a", "c"), 2, "blue"), Route(("d", "c"), 2, "gray", bend=30)]
    layout = drawn(nordic, square("a", "b", "c", "d"), routes)
    a, b, c, d = layout.cities
    assert (a.y, a.x) == (b.y, c.x)
    assert b.x - a.x == pytest.approx(d.x - c.x, abs=0.2)
    assert c.y - a.y == pytest.approx(b.x - a.x, abs=0.2)
    assert c.y > a.y  # y grows downwards
    assert layout.routes[2].spaces[0].y > c.y  # from d to c, left is below
    assert (layout.land, layout.lakes, layout.borders, layout.arctic_circle) == ((), (), (), ())
    assert covered(layout) == []


def test_two_cities_are_a_board(nordic: Board) -> None:
    for cities in (
        [City("a", "", x=0.0, y=0.0), City("b", "", x=1.0, y=7.0)],
        [City("a", "", longitude=10.0, latitude=60.0), City("b", "", longitude=10.0, latitude=60.5)],
        [City("a", "", longitude=-1.0, latitude=-2.0), City("b", "", longitude=1.0, latitude=2.0)],
        [City("a", "", longitude=150.0, latitude=-30.0), City("b", "", longitude=151.0, latitude=-35.0)],
    ):
        layout = drawn(nordic, cities, [Route(("a", "b"), 4, "red")])
        assert covered(layout) == []
        assert (layout.cities[0].y > layout.cities[1].y) == (cities[0].x is None and cities[1].latitude != -35.0)


def test_cities_on_one_spot_do_no_harm(nordic: Board) -> None:
    cities = [City("a", "", x=3.0, y=3.0), City("b", "", x=3.0, y=3.0)]
    layout = drawn(nordic, cities, [Route(("a", "b"), 3, "red")])
    assert all(space.length > 0 and space.width > 0 for space in layout.routes[0].spaces)
    json.dumps(layout.json(), allow_nan=False)


def test_a_city_far_away_does_no_harm(nordic: Board) -> None:
    cities = [City("a", "", x=0.0, y=0.0), City("b", "", x=1.0, y=0.0), City("c", "", x=1e5, y=1e5)]
    layout = drawn(nordic, cities, [Route(("a", "b"), 1, "red")] * 3 + [Route(("b", "c"), 1, "red")])
    assert layout.width > 1e6
    assert len(layout.routes[3].spaces) == 1


def test_parallel_routes_lie_side_by_side_in_whichever_order_their_cities_stand(nordic: Board) -> None:
    routes = [
        Route(("a", "b"), 3, "red", bend=20),
        Route(("b", "a"), 2, "blue", bend=-20),
        Route(("a", "b"), 3, "gray", bend=20),
    ]
    layout = drawn(nordic, square("a", "b", "c"), [*routes, Route(("a", "c"), 3, "red")])
    assert covered(layout) == []
    red, blue, gray = layout.routes[:3]
    assert red.spaces[1].y < min(space.y for space in blue.spaces) < gray.spaces[1].y
    assert blue.spaces[0].x > blue.spaces[1].x


def test_a_bend_is_how_far_left_of_the_straight_line_the_middle_lies(nordic: Board) -> None:
    for bend in (0.0, 20.0, -35.0):
        layout = drawn(nordic, square("a", "b"), [Route(("a", "b"), 3, "red", bend=bend)])
        assert layout.routes[0].spaces[1].y == pytest.approx(layout.cities[0].y - bend, abs=0.2)


def test_a_name_stands_on_the_side_that_the_board_file_says(nordic: Board) -> None:
    route = Route(("a", "b"), 1, "red")
    for side in SIDES:
        a, b = square("a", "b")
        layout = drawn(nordic, [replace(a, label=side), b], [replace(route, bend=40)])
        city = layout.cities[0]
        assert ("right" in side) == (city.label.x - city.label.width / 2 > city.x), side
        assert ("left" in side) == (city.label.x + city.label.width / 2 < city.x), side
        assert ("above" in side) == (city.label.y + city.label.height / 2 < city.y), side
        assert ("below" in side) == (city.label.y - city.label.height / 2 > city.y), side


def test_symbols_are_spread_and_counted(nordic: Board) -> None:
    for length in range(1, 13):
        for locomotives in range(length + 1):
            route = Route(("a", "b"), length, "gray", locomotives=locomotives)
            layout = drawn(nordic, square("a", "b"), [route])
            shown = [space.locomotive for space in layout.routes[0].spaces]
            assert sum(shown) == locomotives
            if length % 2 or locomotives % 2 == 0:
                assert shown == shown[::-1]


def test_crossing_routes_and_crowded_names_are_told(nordic: Board) -> None:
    crossing = [Route(("a", "d"), 3, "red"), Route(("b", "c"), 3, "blue")]
    assert overlaps(drawn(nordic, square("a", "b", "c", "d"), crossing)) == [(0, 1)]
    name = "A name that is far too long"
    tight = [City(name, "", x=0.0, y=0.0, label="right"), City("b", "", x=9.0, y=0.0)]
    assert crowded_labels(drawn(nordic, tight, [Route((name, "b"), 12, "red")])) == [name]
