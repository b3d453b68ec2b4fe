"""Coasts as paths: short to write, and still around every corner."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tables import BOARDS

from northrail.boards.board import Board
from northrail.drawing.curves import CORNER, FINE, STEP, curve
from northrail.drawing.geometry import Point
from northrail.drawing.layout import layout_of

MAP = replace(layout_of(BOARDS["nordic-countries"]), width=100, height=100)
SQUARE = ((10.0, 10.0), (90.0, 10.0), (90.0, 90.0), (10.0, 90.0))


def drawn(path: str) -> Iterator[tuple[str, Point, Point]]:
    """Each command of a path with its control point, spelled out or mirrored, and its end."""
    at = mirrored = (0.0, 0.0)
    for command, numbers in re.findall(r"([Mlqtz])([^Mlqtz]*)", path):
        values = [float(number) for number in re.findall(r"-?\d+", numbers)]
        size = 4 if command == "q" else 2
        for start in range(0, len(values), size):
            step = values[start : start + size]
            x, y = (0.0, 0.0) if command == "M" else at
            end = x + step[-2], y + step[-1]
            control = {"q": (x + step[0], y + step[1]), "t": mirrored}.get(command, end)
            at, mirrored = end, (2 * end[0] - control[0], 2 * end[1] - control[1])
            yield command, (control[0] * STEP, control[1] * STEP), (end[0] * STEP, end[1] * STEP)


def test_corners_are_rounded_inside_the_map_and_stay_sharp_outside() -> None:
    controls = {control for command, control, _ in drawn(curve(SQUARE, MAP, 3)) if command in "qt"}
    assert controls == set(SQUARE)
    outside = tuple((3 * x - 100, 3 * y - 100) for x, y in SQUARE)
    assert {command for command, _, _ in drawn(curve(outside, MAP, 3))} == {"M", "l"}
    assert curve(SQUARE[:2], MAP, 3) == ""


def test_a_line_that_is_not_closed_keeps_its_ends() -> None:
    path = curve(SQUARE, MAP, 3, closed=False)
    steps = list(drawn(path))
    assert steps[0][2] == SQUARE[0] and steps[-1][2] == SQUARE[-1] and not path.endswith("z")


@pytest.mark.parametrize("board", BOARDS.values(), ids=str)
def test_a_coast_bends_around_its_own_corners(board: Board) -> None:
    layout = layout_of(board)
    for ring in layout.land:
        near = {(round(x / CORNER) * CORNER, round(y / CORNER) * CORNER) for x, y in ring}
        bends = [control for command, control, _ in drawn(curve(ring, layout, 3.0)) if command in "qt"]
        assert set(bends) <= near
    assert sum(curve(ring, layout, 3.0).count("t") for ring in layout.land) > 100
    assert FINE > CORNER  # else neighbours could fall on one point
