"""SVG elements as text: numbers, texts, rectangles, symbols."""

import re
from html import escape

from northrail.drawing.geometry import Point
from northrail.drawing.layout import Label, Space
from northrail.drawing.themes import SHAPES, SIGNS


def short(number: float) -> str:
    """Return a number with at most two decimals, as short as it can be written.

    >>> short(12.0), short(-0.504), short(0.001)
    ('12', '-.5', '0')
    """
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)


def symbols() -> str:
    """Define the sign of each card colour and the shape of each seat, for `use`."""
    signs = [f'<g id="sign-{name}" class="sign">{sign}</g>' for name, sign in SIGNS.items()]
    return "".join([*signs, *(f'<g id="shape-{seat}" class="sign">{shape}</g>' for seat, shape in enumerate(SHAPES))])


def use(symbol: str, scale: float, turn: float = 0.0) -> str:
    """Draw a symbol, turned by some degrees."""
    changes = ([f"rotate({short(turn)})"] if turn else []) + ([f"scale({short(scale)})"] if scale != 1 else [])
    return f'<use href="#{symbol}"' + (f' transform="{" ".join(changes)}"/>' if changes else "/>")


def centred_rect(name: str, length: float, width: float, corner: float) -> str:
    """Draw a rectangle of a class around 0, 0."""
    length, width = max(length, 1.0), max(width, 1.0)
    return (
        f'<rect class="{name}" x="{short(-length / 2)}" y="{short(-width / 2)}" width="{short(length)}"'
        f' height="{short(width)}" rx="{short(corner)}"/>'
    )


def text(x: float, y: float, size: float, words: object, name: str = "") -> str:
    """Write a text that starts at a point, or ends there if its class says so."""
    look = f' class="{name}"' if name else ""
    return f'<text{look} x="{short(x)}" y="{short(y)}" font-size="{short(size)}">{escape(str(words))}</text>'


def fitted_text(label: Label, name: str, size: float, width: float) -> str:
    """Write a text spaced to ``width``, so that it fits its place in any font."""
    return (
        f'<text class="{name} middle" x="{short(label.x)}" y="{short(label.y + 0.35 * size)}" font-size="{short(size)}"'
        f' textLength="{short(width)}" lengthAdjust="spacing">{escape(label.text)}</text>'
    )


def on_space(space: Space, drawn: str, name: str = "space") -> str:
    """Put something drawn around 0, 0 on a space, turned in its direction."""
    at = f"translate({short(space.x)} {short(space.y)}) rotate({short(tilt(space))})"
    return f'<g class="{name}" transform="{at}">{drawn}</g>'


def tilt(space: Space) -> float:
    """Return the angle of a space from -90 to 90 degrees, so that nothing on it is upside down."""
    angle = space.angle % 180
    return angle - 180 if angle > 90 else angle


def corners(points: tuple[Point, ...] | list[Point]) -> str:
    """Return the points of a polyline."""
    return " ".join(f"{short(x)},{short(y)}" for x, y in points)
