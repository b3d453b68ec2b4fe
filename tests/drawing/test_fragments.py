"""The pieces the page gets: the same drawing as in the SVG, in either theme."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise

import pytest
from tables import BOARDS

from northrail.boards.board import Board
from northrail.drawing.fragments import Drawing, drawing_of
from northrail.drawing.ground import CAPTIONS
from northrail.drawing.markup import symbols
from northrail.drawing.style import page_style_sheet, style_sheet
from northrail.drawing.svg import draw
from northrail.drawing.themes import PAGE_THEME, THEMES, Theme, variables

SVG = "http://www.w3.org/2000/svg"

on_both = pytest.mark.parametrize("board", BOARDS.values(), ids=str)
in_both_themes = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def coloured(text: str, theme: Theme) -> str:
    """The page's markup or style sheet as a browser shows it in a theme."""
    colours = variables(theme)
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], text)


def shown(fragment: str, theme: Theme) -> str:
    """A piece in the colours of a theme, with the page's captions, and without what only the other theme shows."""
    for name, words in CAPTIONS.items():
        fragment = fragment.replace(f"{{{name}}}", words)
    root = ET.fromstring(f'<svg xmlns="{SVG}">{fragment}</svg>')
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("class", "").endswith("-only") and child.get("class") != f"{theme.scheme}-only":
                parent.remove(child)
    return coloured(canonical(root), theme)


def canonical(root: ET.Element) -> str:
    """What is inside an element, spelled in one way."""
    text = ET.canonicalize(ET.tostring(root, encoding="unicode"), strip_text=True)
    return re.sub(r"^<[^>]*>|</[^>]*>$", "", text)


def pieces(drawing: Drawing, seat: int | None = None) -> Iterator[str]:
    """Everything the page shows, with a train of a seat on every route or with none."""
    yield drawing.ground
    for route in drawing.routes:
        yield route.spaces if seat is None else route.train.replace("{seat}", str(seat))
    yield drawing.marks
    yield "".join(city.dot for city in drawing.cities)


@in_both_themes
@on_both
@pytest.mark.parametrize("seat", [None, 0, 4])
def test_the_page_shows_what_the_svg_shows(board: Board, theme: Theme, seat: int | None) -> None:
    owners = {} if seat is None else dict.fromkeys(range(len(board.routes)), seat)
    picture = canonical(ET.fromstring(draw(board, theme.scheme, owners)))
    for piece in pieces(drawing_of(board), seat):
        assert shown(piece, theme) in picture, f"the SVG does not show {piece[:200]}"


@in_both_themes
def test_classes_look_on_the_page_as_in_the_svg(theme: Theme) -> None:
    assert coloured(style_sheet(PAGE_THEME, "drawing"), theme) == style_sheet(theme, "drawing")
    assert style_sheet(PAGE_THEME, "drawing") in page_style_sheet()
    for name, colour in variables(theme).items():
        assert f"--{name}:{colour};" in page_style_sheet()


@on_both
def test_every_colour_is_a_variable_of_both_themes(board: Board) -> None:
    text = json.dumps(asdict(drawing_of(board))) + style_sheet(PAGE_THEME, "drawing")
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    assert "sea-0" in used and used <= set(variables(THEMES["dark"]))
    assert {name for name in used if not name.startswith("aurora")} <= set(variables(THEMES["light"]))


@on_both
def test_the_page_adds_symbols_captions_and_seats_alone(board: Board) -> None:
    drawing = drawing_of(board)
    text = "".join([*pieces(drawing, seat=0), *pieces(drawing), *(kind.spaces for kind in drawing.kinds)])
    defined = set(re.findall(r'id="([\w-]+)"', text + symbols()))
    assert set(re.findall(r'href="#([\w-]+)"', text)) | set(re.findall(r"url\(#([\w-]+)\)", text)) <= defined
    left_open = re.findall(r"\{\w+\}", "".join([drawing.ground, drawing.marks, *(r.train for r in drawing.routes)]))
    assert set(left_open) == {"{seat}", *(f"{{{name}}}" for name in CAPTIONS)}


@on_both
def test_a_route_has_a_line_through_its_spaces(board: Board) -> None:
    for route, drawn in zip(board.routes, drawing_of(board).routes, strict=True):
        at = re.findall(r'class="space" transform="translate\((\S+) (\S+)\)', drawn.spaces)
        assert list(drawn.line[1:-1]) == [(float(x), float(y)) for x, y in at]
        assert len(at) == route.length
        assert all(one != other for one, other in pairwise(drawn.line))


@on_both
def test_each_kind_of_route_has_an_example(board: Board) -> None:
    kinds = drawing_of(board).kinds
    wanted = {
        "plain": any(not r.ferry and not r.tunnel and r.colour != "gray" for r in board.routes),
        "ferry": any(r.ferry for r in board.routes),
        "tunnel": any(r.tunnel for r in board.routes),
        "swap": any(r.substitute is not None and not r.ferry for r in board.routes),
    }
    assert {kind.kind for kind in kinds} - {"gray"} == {kind for kind, is_there in wanted.items() if is_there}
    for kind in kinds:
        route = board.routes[kind.route]
        assert kind.spaces.count('class="space"') == route.length
        assert kind.spaces.count("#sign-locomotive") == route.locomotives
        assert ('class="rock"' in kind.spaces) == (kind.kind == "tunnel") == route.tunnel
        assert ('class="water"' in kind.spaces) == (kind.kind == "ferry") == route.ferry
