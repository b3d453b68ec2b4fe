"""Pictures of a game for the environments: as pixels, as SVG and as text. They show what a spectator may know.

A text is for one seat and also shows its own cards and tickets. Pixels need Pillow, which the extra `research`
installs.
"""

import math
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np

from northrail.boards.board import Board
from northrail.drawing.layout import Layout, Space, layout_of
from northrail.drawing.svg import draw
from northrail.drawing.themes import THEMES
from northrail.engine.english import cards_in_words
from northrail.engine.game import Game
from northrail.errors import NorthrailError
from northrail.extras import import_extra

RENDER_MODES = ("human", "rgb_array", "svg", "ansi")
LONGER_SIDE = 720  # pixels
LIGHT = THEMES["light"]
Pixels = np.ndarray[Any, np.dtype[np.uint8]]


def check_mode(mode: str | None) -> None:
    """Raise an error unless we can render in this mode; None means that nothing is rendered."""
    if mode is not None and mode not in RENDER_MODES:
        raise NorthrailError(f"render_mode: expected {', '.join(RENDER_MODES)} or None, got {mode!r}")


def render(game: Game, mode: str | None, seat: int) -> Pixels | str | None:
    """Return a picture of a game; ``ansi`` is a text for ``seat``, and ``human`` writes it to the terminal."""
    if mode is None:
        warnings.warn("expected a render_mode when the environment was made, got None", stacklevel=3)
        return None
    if mode == "human":
        sys.stdout.write(text(game, seat))
        return None
    if mode == "rgb_array":
        return pixels(game)
    return draw(game) if mode == "svg" else text(game, seat)


def text(game: Game, seat: int) -> str:
    """Return a game as text, for one seat.

    >>> import northrail
    >>> print(text(northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7), 0).splitlines()[0])
    Nordic Countries: seat 0 to move (tickets)
    """
    view = game.view(seat)
    lines = [f"{game.board.name}: {'over' if game.over else f'seat {view.seat} to move ({view.phase})'}"]
    for other in range(view.seats):
        cards, tickets = view.hand_sizes[other], view.ticket_counts[other]
        facts = f"{view.points[other]} points, {view.trains[other]} trains, {cards} cards, {tickets} tickets"
        lines.append(f"{'you' if other == seat else f'seat {other}'}: {facts}")
    lines.append(f"face up: {cards_in_words(view.face_up)}; deck: {view.deck}")
    lines.append(f"your cards: {cards_in_words(view.hand)}")
    lines += [f"ticket: {game.board.tickets[ticket['number']]}{', done' * ticket['joined']}" for ticket in view.tickets]
    lines += [f"offered: {game.board.tickets[ticket['number']]}" for ticket in view.offered]
    lines += [f"claimed by seat {owner}: {game.board.routes[int(route)]}" for route, owner in view.owners.items()]
    return "\n".join(lines) + "\n"


def pixels(game: Game) -> Pixels:
    """Return a picture of the board with all trains, as an array [y, x, red-green-blue]."""
    drawing = import_extra("PIL.ImageDraw", "research")
    picture, scale = _board_picture(game.board)
    picture = picture.copy()
    pen = drawing.Draw(picture)
    places = {place.number: place for place in layout_of(game.board).routes}
    for route, seat in game.view().owners.items():
        for space in places[int(route)].spaces:
            pen.polygon(_corners(space, scale, 2.5), LIGHT.seats[seat][0], LIGHT.ink)
    return np.array(picture, np.uint8)


@cache
def _board_picture(board: Board) -> tuple[Any, float]:
    """Return a picture of an empty board, and its pixels per unit."""
    image, drawing = (import_extra(f"PIL.{name}", "research") for name in ("Image", "ImageDraw"))
    layout: Layout = layout_of(board)
    scale = LONGER_SIDE / max(layout.width, layout.height)
    picture = image.new("RGB", (round(layout.width * scale), round(layout.height * scale)), LIGHT.sea[-1])
    pen = drawing.Draw(picture)
    for rings, colour in ((layout.land, LIGHT.land), (layout.lakes, LIGHT.lake)):
        for ring in rings:
            pen.polygon([(x * scale, y * scale) for x, y in ring], colour)
    for place in layout.routes:
        colour = LIGHT.spaces[board.routes[place.number].colour][0]
        for space in place.spaces:
            pen.polygon(_corners(space, scale), colour, LIGHT.edge)
    for city in layout.cities:
        x, y, radius = city.x * scale, city.y * scale, city.radius * scale
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), LIGHT.city[0], LIGHT.city[1])
    return picture, scale


def _corners(space: Space, scale: float, more: float = 0.0) -> list[tuple[float, float]]:
    """Return the corners of a train space in pixels, ``more`` units larger on all sides."""
    turn = math.radians(space.angle)
    along, across = space.length / 2 + more, space.width / 2 + more
    return [
        (
            scale * (space.x + math.cos(turn) * x - math.sin(turn) * y),
            scale * (space.y + math.sin(turn) * x + math.cos(turn) * y),
        )
        for x, y in ((-along, -across), (along, -across), (along, across), (-along, across))
    ]
