"""The picture of a board, or of a game on it, as one SVG: the map, trains, seats and a legend, on paper.

`layout` says where things are, `ground`, `routes` and `cities` draw them, `style` and `themes` say how they look.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape

from northrail.boards.board import SEATS, Board, Route
from northrail.drawing.cities import city_dot, city_name
from northrail.drawing.ground import ground, ornament, panel
from northrail.drawing.layout import Box, Label, Layout, Space, layout_of, text_width
from northrail.drawing.markup import on_space, short, symbols, text
from northrail.drawing.routes import mark, sleepers, spaces, train, train_space, wagon
from northrail.drawing.style import style_sheet
from northrail.drawing.themes import SHAPES, THEMES, Theme
from northrail.engine.game import Game
from northrail.errors import BadPosition, NorthrailError

MARGIN = 40.0  # of paper around the map


def draw(what: Board | Game, theme: str = "light", owners: Mapping[int, int] | None = None) -> str:
    """Return an SVG of a board, or of a game with its trains.

    ``theme`` is "light" (midnight sun) or "dark" (polar night). ``owners`` puts trains on a board without a game: it
    maps each claimed route to its seat.

    >>> import northrail
    >>> svg = draw(northrail.load_board("nordic-countries"), theme="dark")
    >>> svg.startswith("<svg"), "Göteborg" in svg
    (True, True)
    """
    if theme not in THEMES:
        raise NorthrailError(f"theme: expected {' or '.join(THEMES)}, got {theme!r}")
    game = what if isinstance(what, Game) else None
    board = what.board if isinstance(what, Game) else what
    if game is not None:
        owners = {int(route): seat for route, seat in game.view().owners.items()}
    owners = _checked(board, owners or {})
    return "\n".join(_Picture(board, layout_of(board), THEMES[theme], owners, game).lines()) + "\n"


def _checked(board: Board, owners: Mapping[int, int]) -> Mapping[int, int]:
    for route, seat in owners.items():
        if not 0 <= route < len(board.routes) or not 0 <= seat < SEATS:
            most = len(board.routes) - 1
            raise BadPosition(
                f"owners: expected routes from 0 to {most} and seats from 0 to {SEATS - 1}, got {route}: {seat}"
            )
    return owners


@dataclass(frozen=True)
class _Picture:
    """Everything a picture shows."""

    board: Board
    layout: Layout
    theme: Theme
    owners: Mapping[int, int]
    game: Game | None

    def lines(self) -> Iterator[str]:
        """Yield the lines of the SVG file."""
        legend, strip = _legend(self.board, self.layout, self.theme)
        width, height = self.layout.width + 2 * MARGIN, self.layout.height + MARGIN + strip
        corner, size = f"{short(-MARGIN)} {short(-MARGIN)}", f'width="{short(width)}" height="{short(height)}"'
        look = self.theme.title.replace(" ", "-")
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" role="img" aria-labelledby="title desc"'
            f' viewBox="{corner} {short(width)} {short(height)}" {size}>'
        )
        yield f'<title id="title">{escape(self.board.name)}</title>'
        yield f'<desc id="desc">{escape(self.description())}</desc>'
        yield f"<style>{style_sheet(self.theme, look)}</style>"
        yield f"<defs>{symbols()}</defs>"
        yield f'<rect class="paper" x="{short(-MARGIN)}" y="{short(-MARGIN)}" {size}/>'
        yield from ground(self.board, self.layout, self.theme)
        if self.game is not None:
            yield from _seats(self.game, self.layout.seats)
        else:
            yield ornament(self.layout.seats, self.theme)
        yield _subtitle(self.board, self.layout.title, self.theme)
        yield from _frame(self.layout)
        yield from self.routes()
        yield from (mark(place.mark) for place in self.layout.routes if place.mark is not None)
        cities = {city.name: city for city in self.board.cities}
        yield from (city_dot(place, cities[place.name]) for place in self.layout.cities)
        yield from (city_name(place, cities[place.name]) for place in self.layout.cities)
        yield from legend
        yield "</svg>"

    def description(self) -> str:
        """Return the description for screen readers."""
        text = f"{len(self.board.cities)} cities and {len(self.board.routes)} routes, {self.theme.title}"
        if self.game is not None:
            rows = _standings(self.game)
            standings = "; ".join(f"seat {row.seat}: {row.points} points, {row.trains} trains left" for row in rows)
            text += f". {'Final points' if self.game.over else 'Points so far'}: {standings}"
        return text + "."

    def routes(self) -> Iterator[str]:
        """Yield each route with its name; trains come last, because they are larger than their spaces."""
        at = {city.name: (city.x, city.y) for city in self.layout.cities}
        for place in sorted(self.layout.routes, key=lambda place: place.number in self.owners):
            route, seat = self.board.routes[place.number], self.owners.get(place.number)
            start, end = (at[city] for city in route.cities)
            look = route.colour if seat is None else f"seat-{seat}"
            yield f'<g id="route-{place.number}" data-route="{place.number}" class="route {look}">'
            yield f"<title>{escape(_route_words(route, seat))}</title>"
            if seat is None:
                yield sleepers(place, start, end) + spaces(route, place.spaces)
            else:
                yield train(place, start, end, seat)
            yield "</g>"


def _route_words(route: Route, seat: int | None = None) -> str:
    """Return a route in words: "Bergen–Oslo blue, 4 spaces, tunnel"."""
    parts = [str(route), f"{route.length} space{'s' * (route.length > 1)}"]
    if route.tunnel:
        parts.append("tunnel")
    if route.ferry:
        parts.append(f"ferry with {route.locomotives} locomotive{'s' * (route.locomotives > 1)}")
    elif route.substitute is not None:
        parts.append(f"{route.substitute.cards} cards of any colour replace 1")
    if route.draw_bonus:
        parts.append(f"draws {route.draw_bonus} card{'s' * (route.draw_bonus > 1)}")
    if seat is not None:
        parts.append(f"claimed by seat {seat}")
    return ", ".join(parts)


def _subtitle(board: Board, box: Box, theme: Theme) -> str:
    """Return the name of the theme, and how many people can play."""
    least, most = board.rules.seats
    seats = f"{least} to {most} seats" if least < most else f"{least} seats"
    return text(box.x + 2, box.y + box.height * 0.97, 15, f"{theme.title} · {seats}", "caption")


def _frame(layout: Layout) -> Iterator[str]:
    """Draw a fine double line around the map."""
    for out, stroke in ((0.0, 1.6), (7.0, 0.7)):
        yield (
            f'<rect class="line" x="{short(-out)}" y="{short(-out)}" width="{short(layout.width + 2 * out)}"'
            f' height="{short(layout.height + 2 * out)}" stroke-width="{stroke}"/>'
        )


# --- seats ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Standing:
    """A line of the panel with the seats."""

    seat: int
    points: int
    trains: int
    wins: bool


def _standings(game: Game) -> list[_Standing]:
    """Return points from routes so far, or all points at the end."""
    view = game.view()
    points = [score.total for score in game.scores()] if game.over else view.points
    winners = game.winners() if game.over else []
    return [_Standing(seat, points[seat], view.trains[seat], seat in winners) for seat in range(game.seats)]


def _seats(game: Game, box: Box) -> Iterator[str]:
    """Draw each seat's wagon, the trains it has left, and its points."""
    rows = _standings(game)
    row = (box.height - 60) / SEATS
    box = replace(box, height=48 + row * len(rows))
    right = box.x + box.width - 16
    yield from panel(box, "at the end" if game.over else "so far")
    yield text(right - 66, box.y + 25, 15, "trains", "caption end")
    yield text(right, box.y + 25, 15, "points", "caption end")
    for at, standing in enumerate(rows):
        y = box.y + 38 + (at + 0.5) * row
        bold = " bold" if standing.wins else ""
        space = Space(box.x + 36, y, 0, 36, 14)
        yield on_space(space, wagon(space, standing.seat), f"seat-{standing.seat}")
        yield text(box.x + 66, y + 5.5, 16, f"seat {standing.seat}", f"seat{bold}")
        yield text(right - 66, y + 5.5, 16, standing.trains, "end faint")
        yield text(right, y + 6, 19, standing.points, f"end{bold}")
        if standing.wins:
            yield on_space(replace(space, x=right - 50), f"<title>wins</title>{SHAPES[4]}", "accent")


# --- the legend -----------------------------------------------------------------------------------------------------


def _legend(board: Board, layout: Layout, theme: Theme) -> tuple[list[str], float]:
    """Return a legend for below the map, in lines, and its height."""
    lines: list[str] = []
    x, y = 0.0, layout.height + 34
    for drawn, said in _legend_entries(board, theme):
        width = 38 + text_width(said, 13)
        if x > 0 and x + width > layout.width:
            x, y = 0.0, y + 24
        lines.append(f'<g transform="translate({short(x + 15)} {short(y)})">{drawn}</g>')
        lines.append(text(x + 38, y + 4.5, 13, said, "faint"))
        x += width + 14
    return lines, y - layout.height + 32


def _legend_entries(board: Board, theme: Theme) -> Iterator[tuple[str, str]]:
    """Yield each sign the board uses, and its meaning."""
    space, routes = Space(0, 0, 0, 30, 12), board.routes
    for colour in theme.cards:
        if any(route.colour == colour for route in routes):
            drawn = train_space(Route(("", ""), 1, colour), space)
            yield f'<g class="{colour}">{drawn}</g>', "any colour" if colour == "gray" else colour
    if any(route.tunnel for route in routes):
        yield f'<g class="gray">{train_space(Route(("", ""), 1, "gray", tunnel=True), space)}</g>', "tunnel"
    if any(route.ferry for route in routes):
        ferry = train_space(Route(("", ""), 1, "gray", locomotives=1), replace(space, locomotive=True))
        yield f'<g class="gray">{ferry}</g>', "ferry"
    swaps = {route.substitute: route for route in routes if route.substitute is not None and not route.ferry}
    for swap, route in swaps.items():
        yield f'<g class="{route.colour}">{train_space(route, space)}</g>', f"{swap.cards} cards replace 1"
    if any(route.draw_bonus for route in routes):
        yield mark(Label("+2", 0, 0, 28, 18, 15)), "draw cards"
