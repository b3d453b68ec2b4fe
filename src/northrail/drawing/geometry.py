"""Convex shapes, and whether they overlap."""

import math
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """A convex shape: its corners, its bounding box, and the normals of its slanted edges."""

    corners: tuple[Point, ...]
    left: float
    top: float
    right: float
    bottom: float
    slants: tuple[Point, ...]


def _shape(corners: list[Point], slants: tuple[Point, ...]) -> Shape:
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Shape(tuple(corners), min(across), min(down), max(across), max(down), slants)


def rectangle(x: float, y: float, width: float, height: float, angle: float = 0.0, more: float = 0.0) -> Shape:
    """Return a rectangle around a centre, ``more`` units larger on every side."""
    half, rise = width / 2 + more, height / 2 + more
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = [(half, rise), (-half, rise), (-half, -rise), (half, -rise)]
    slants = ((c, s), (-s, c)) if angle else ()
    return _shape([(x + c * u - s * v, y + s * u + c * v) for u, v in corners], slants)


def disc(x: float, y: float, radius: float) -> Shape:
    """Return an octagon around a circle."""
    reach = radius / math.cos(math.pi / 8)
    turns = [math.pi / 8 + eighth * math.pi / 4 for eighth in range(8)]
    corners = [(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]
    return _shape(corners, ((1.0, 1.0), (1.0, -1.0)))


def overlap(a: Shape, b: Shape) -> bool:
    """Return whether two convex shapes share more than an edge (the separating axis theorem)."""
    if a.left >= b.right or b.left >= a.right or a.top >= b.bottom or b.top >= a.bottom:
        return False
    for x, y in a.slants + b.slants:
        of_a = [x * u + y * v for u, v in a.corners]
        of_b = [x * u + y * v for u, v in b.corners]
        if max(of_a) <= min(of_b) or max(of_b) <= min(of_a):
            return False
    return True


def grown(shape: Shape, more: float) -> Shape:
    """Return the bounding box of a shape, ``more`` units larger on every side."""
    width, height = shape.right - shape.left, shape.bottom - shape.top
    return rectangle(shape.left + width / 2, shape.top + height / 2, width, height, more=more)


def is_free(shape: Shape, others: list[Shape]) -> bool:
    """Return whether a shape overlaps none of the others."""
    return not any(overlap(shape, other) for other in others)
