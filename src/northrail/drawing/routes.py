"""Routes: their train spaces, the trains on them, and their "+X"."""

import math
from itertools import pairwise

from northrail.boards.board import Route
from northrail.drawing.geometry import Point
from northrail.drawing.layout import Label, RoutePlace, Space
from northrail.drawing.markup import centred_rect, corners, on_space, short, text, tilt, use
from northrail.drawing.projection import rounded

COUPLING = 4.0  # between two wagons
STRETCH = 1.25  # a wagon may be so much longer than its space


def spaces(route: Route, places: tuple[Space, ...]) -> str:
    """Draw the spaces of a route. They take their colour from the group around them, whose class is the colour."""
    return "".join(on_space(space, train_space(route, space)) for space in places)


def sleepers(place: RoutePlace, start: Point, end: Point) -> str:
    """Draw the track of a route that nobody has claimed, from city to city."""
    return f'<polyline class="sleepers" points="{_way(place, start, end)}"/>'


def _way(place: RoutePlace, start: Point, end: Point) -> str:
    return corners([start, *((space.x, space.y) for space in place.spaces), end])


def centre_line(places: tuple[Space, ...], reach: float) -> tuple[Point, ...]:
    """Return a line through the middle of all spaces; ``reach`` is how far it goes beyond the outer ones."""

    def end(space: Space, way: int) -> Point:
        far, turn = way * reach * space.length, math.radians(space.angle)
        return rounded(space.x + far * math.cos(turn)), rounded(space.y + far * math.sin(turn))

    return end(places[0], -1), *((space.x, space.y) for space in places), end(places[-1], 1)


def train_space(route: Route, space: Space) -> str:
    """Draw a train space around 0, 0: rock or water if it is a tunnel or a ferry, its colour, its sign."""
    length, width = space.length, space.width
    if route.tunnel:
        surface = centred_rect("rock", length, width, 1.5) + centred_rect("cut", length - 3.4, width - 3.4, 1)
    elif route.ferry:
        surface = _hull(length, width)
    else:
        surface = centred_rect("edge", length, width, 2)
    scale = min(1.0, width / 12, length / 12)
    swap = None if route.ferry else route.substitute
    if space.locomotive:
        sign = use("sign-locomotive", min(1.0, width / 12, length / 15))
    elif swap is not None:
        size, y = short(9.5 * scale), short(3.3 * scale)
        sign = f'<text class="swap middle" font-size="{size}" y="{y}">{swap.cards}:1</text>'
    else:
        sign = use(f"sign-{route.colour}", scale * (0.86 if route.tunnel else 1), -tilt(space))
    return surface + sign


def _hull(length: float, width: float) -> str:
    """Draw a ferry's space: round at bow and stern, in water, with waves before and behind its sign."""
    hull = centred_rect("water", length, width, width / 2)
    hull += centred_rect("edge", length - 2.6, width - 2.6, width / 2 - 1.3)
    reach = length / 2 - 5
    if reach < 10:
        return hull
    step = (reach - 6.5) / 2
    wave = f"q{short(step / 2)}-2 {short(step)} 0t{short(step)} 0"
    return f'{hull}<path class="wave" d="M{short(-reach)} 0{wave}M6.5 0{wave}"/>'


def train(place: RoutePlace, start: Point, end: Point, seat: int | str) -> str:
    """Draw a train from city to city. It takes its colour from the group around it, such as "seat-0".

    Spaces are places, with gaps between them; a train is a thing. It lies on a dark bed without gaps, throws a shadow,
    and its wagons are larger than their spaces and nearly touch. The bed ends with the spaces, because it would cover
    parallel routes next to a city; a track in the train's colour goes on.
    """
    way, bed = _way(place, start, end), corners(centre_line(place.spaces, 0.5))
    drawn = f'<polyline class="shadow" points="{bed}"/>'
    drawn += "".join(f'<polyline class="{name}" points="{way}"/>' for name in ("ballast", "track"))
    drawn += f'<polyline class="bed" points="{bed}"/>'
    pitch = min((math.dist((a.x, a.y), (b.x, b.y)) for a, b in pairwise(place.spaces)), default=0.0)
    return drawn + "".join(on_space(space, wagon(space, seat, pitch - COUPLING)) for space in place.spaces)


def wagon(space: Space, seat: int | str, most: float = 0.0) -> str:
    """Draw a wagon from above with the shape of its seat: a little longer than its space, or ``most`` long."""
    length, width = max(min(most, space.length * STRETCH), space.length + 1), space.width + 1.6
    shape = use(f"shape-{seat}", min(1.15, width / 12.5, length / 12.5), -tilt(space))
    return f'<g class="wagon">{centred_rect("body", length, width, 3.5)}{shape}</g>'


def mark(label: Label) -> str:
    """Draw the "+X" of a route."""
    width, height = label.width, label.height
    return (
        f'<rect class="mark" x="{short(label.x - width / 2)}" y="{short(label.y - height / 2)}"'
        f' width="{short(width)}" height="{short(height)}" rx="{short(height / 2)}"/>'
        + text(label.x, label.y + 0.3 * label.size, label.size * 0.86, label.text, "mark-text middle")
    )
