"""Coasts and borders as SVG paths with rounded corners."""

import math

from northrail.drawing.geometry import Point
from northrail.drawing.layout import Layout
from northrail.drawing.markup import short

STEP = 0.25  # paths are written in multiples of this many units, which makes them short
CORNER = 2 * STEP  # corners lie on a grid twice as coarse, so that the middle between two is exact
FINE = 1.4  # points nearer to the last one are left out
COARSE = 8.0  # the same for shallow water: wide strokes along every fjord take a browser seconds
SCALED = f'transform="scale({short(STEP)})"'  # on every element that shows a path


def scaled(*lengths: float) -> str:
    """Return lengths in units of the board, for the style of an element that shows a path."""
    return " ".join(short(length / STEP) for length in lengths)


def curve(points: tuple[Point, ...], layout: Layout, radius: float, closed: bool = True, fine: float = FINE) -> str:
    """Return a line with rounded corners; corners outside the map stay sharp."""
    thin: list[Point] = []
    for point in points:
        if not thin or math.dist(point, thin[-1]) >= fine:
            thin.append((round(point[0] / CORNER) * CORNER, round(point[1] / CORNER) * CORNER))
    if len(thin) < 3:
        return ""
    corners = list(zip(thin[-1:] + thin[:-1], thin, thin[1:] + thin[:1], strict=True))
    if not closed:
        corners = corners[1:-1]
    bends = [
        (_toward(here, before, radius, layout), here, _toward(here, after, radius, layout))
        for before, here, after in corners
    ]
    pen = _Pen(bends[0][0] if closed else thin[0])
    for into, corner, out in bends:
        pen.line(into)
        pen.bend(corner, out)
    if not closed:
        pen.line(thin[-1])
    return pen.path + ("z" if closed else "")


def _toward(here: Point, there: Point, most: float, layout: Layout) -> Point:
    """Return the point ``most`` units or half the way from ``here`` to ``there``; ``here`` itself outside the map."""
    if not (0 < here[0] < layout.width and 0 < here[1] < layout.height):
        return here
    part = min(0.5, most / (math.dist(here, there) or 1.0))
    return here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])


class _Pen:
    """Writes a path in whole, relative steps, which is the shortest form."""

    def __init__(self, start: Point) -> None:
        self.at = self._grid(start)
        self.mirrored = self.at  # the corner of the last bend, mirrored: where a smooth curve would go on
        self.command = "M"  # the last one; its letter need not be repeated
        self.path = f"M{self.at[0]} {self.at[1]}"

    def _grid(self, point: Point) -> tuple[int, int]:
        return round(point[0] / STEP), round(point[1] / STEP)

    def _write(self, command: str, *points: tuple[int, int]) -> None:
        numbers = "".join(f"{point[axis] - self.at[axis]: }" for point in points for axis in (0, 1))
        self.path += numbers if command == self.command else command + numbers.lstrip()
        self.command = command
        self.at = self.mirrored = points[-1]

    def line(self, point: Point) -> None:
        """Draw a straight line to a point."""
        end = self._grid(point)
        if end != self.at:
            self._write("l", end)

    def bend(self, corner: Point, point: Point) -> None:
        """Draw a curve around a corner to a point."""
        end, control = self._grid(point), self._grid(corner)
        if end == self.at:
            return
        if control == self.mirrored:
            self._write("t", end)
        else:
            self._write("q", control, end)
        self.mirrored = 2 * end[0] - control[0], 2 * end[1] - control[1]
