"""Routes: their train spaces, the trains on them, and their "+X"."""

from northrail.boards.board import Route
from northrail.drawing.geometry import Point
from northrail.drawing.layout import Label, RoutePlace, Space
from northrail.drawing.markup import centred_rect, corners, fitted_text, on_space, short, tilt, use


def spaces(route: Route, places: tuple[Space, ...]) -> str:
    """Draw the spaces of a route. They take their colour from the group around them, whose class is the colour."""
    return "".join(on_space(space, train_space(route, space)) for space in places)


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
    """Draw a train from city to city. It takes its colour from the group around it, such as "seat-0"."""
    line = corners([start, *((space.x, space.y) for space in place.spaces), end])
    wagons = (on_space(space, wagon(space, seat)) for space in place.spaces)
    return f'<polyline class="track" points="{line}"/>{"".join(wagons)}'


def wagon(space: Space, seat: int | str) -> str:
    """Draw a wagon from above, a little larger than its space, with the shape of its seat."""
    length, width = space.length + 1.5, space.width + 2.5
    body = centred_rect("body", length, width, 3.5) + centred_rect("roof", length - 5, width - 5.5, 1.5)
    shape = use(f"shape-{seat}", min(1.0, width / 14.5, length / 14.5), -tilt(space))
    return f'<g class="wagon">{body}{shape}</g>'


def mark(label: Label) -> str:
    """Draw the "+X" of a route."""
    width, height = label.width, label.height
    return (
        f'<rect class="mark" x="{short(label.x - width / 2)}" y="{short(label.y - height / 2)}"'
        f' width="{short(width)}" height="{short(height)}" rx="{short(height / 2)}"/>'
        + fitted_text(label, "mark-text", label.size * 0.86, width - 5)
    )
