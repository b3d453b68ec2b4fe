"""Pictures of boards and games: whole, small, legible, and the same to a browser as to the layout."""

import itertools
import json
import math
import random
import re
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright
from tables import BOARDS, play_on

import northrail
from northrail.boards.load import build_board
from northrail.drawing.layout import Space, layout_of
from northrail.drawing.routes import centre_line
from northrail.drawing.svg import MARGIN, draw
from northrail.drawing.themes import AURORA, SHAPES, THEMES, Theme
from northrail.errors import BadPosition, NorthrailError

SVG = "{http://www.w3.org/2000/svg}"
MOMENTS = ("empty", "middle", "end")
LARGEST = 250_000  # bytes
CHROMIUM = Path("/usr/bin/chromium")

Thing = northrail.Board | northrail.Game


@cache
def thing(name: str, moment: str) -> Thing:
    """The board, or a game on it with as many seats as it takes."""
    board = BOARDS[name]
    if moment == "empty":
        return board
    game = northrail.Game(board, board.rules.seats[1], seed=5)
    return play_on(game, "claims", random.Random(5), 60 * game.seats if moment == "middle" else 100_000)


@cache
def picture(name: str, moment: str, theme: str = "light") -> ET.Element:
    return ET.fromstring(draw(thing(name, moment), theme))


@pytest.fixture(params=itertools.product(BOARDS, MOMENTS, THEMES), ids="-".join)
def drawn(request: pytest.FixtureRequest) -> tuple[Thing, ET.Element, str]:
    """Each board at each moment in each theme: what is drawn, its picture, and the theme."""
    name, moment, theme = request.param
    return thing(name, moment), picture(name, moment, theme), theme


def board_of(what: Thing) -> northrail.Board:
    return what.board if isinstance(what, northrail.Game) else what


def owners_of(what: Thing) -> dict[int, int]:
    return {int(route): seat for route, seat in what.view().owners.items()} if isinstance(what, northrail.Game) else {}


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def routes_in(root: ET.Element) -> dict[int, ET.Element]:
    groups = [group for group in root.iter(f"{SVG}g") if "data-route" in group.attrib]
    found = {int(group.attrib["data-route"]): group for group in groups}
    assert len(found) == len(groups)
    return found


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_a_picture_is_small_and_needs_nothing_else(drawn: tuple[Thing, ET.Element, str]) -> None:
    what, root, theme = drawn
    svg = draw(what, theme)
    assert len(svg.encode()) <= LARGEST
    assert root.get("role") == "img" and root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
    assert not {element.tag for element in root.iter()} & {f"{SVG}script", f"{SVG}image", f"{SVG}foreignObject"}
    assert re.findall(r"\w+://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    used = {element.attrib["href"] for element in root.iter(f"{SVG}use")} | set(re.findall(r"url\(([^)]*)\)", svg))
    assert used <= {f"#{name}" for name in ids}
    assert "class=" in svg and {name for element in root.iter() for name in element.get("class", "").split()} <= {
        *re.findall(r"\.([\w-]+)[ {]", svg),
        *("route", "space", "wagon", "seat", "light-only", "dark-only"),
    }


def test_every_city_is_named_once_in_its_own_spelling(drawn: tuple[Thing, ET.Element, str]) -> None:
    what, root, _ = drawn
    names = [element.text for element in of_class(root, "name")]
    assert sorted(map(str, names)) == sorted(city.name for city in board_of(what).cities)


def test_every_route_is_named_and_has_each_of_its_spaces_once(drawn: tuple[Thing, ET.Element, str]) -> None:
    what, root, _ = drawn
    groups = routes_in(root)
    assert set(groups) == set(range(len(board_of(what).routes)))
    for number, route in enumerate(board_of(what).routes):
        assert len(of_class(groups[number], "space")) == route.length
        assert str(groups[number].findtext(f"{SVG}title")).startswith(f"{route}, {route.length} space")


def test_routes_with_an_owner_carry_its_wagons_and_others_none(drawn: tuple[Thing, ET.Element, str]) -> None:
    what, root, _ = drawn
    owners = owners_of(what)
    assert bool(owners) == isinstance(what, northrail.Game)
    for number, group in routes_in(root).items():
        route, wagons = board_of(what).routes[number], of_class(group, "wagon")
        shapes = [use.get("href") for use in group.iter(f"{SVG}use")]
        if number in owners:
            assert f"seat-{owners[number]}" in group.get("class", "").split() and len(wagons) == route.length
            assert shapes == [f"#shape-{owners[number]}"] * route.length
        else:
            assert route.colour in group.get("class", "").split() and not wagons
            assert shapes.count("#sign-locomotive") == route.locomotives


def test_tunnels_ferries_and_marks_are_told_apart() -> None:
    for name, board in BOARDS.items():
        root = picture(name, "empty")
        groups = routes_in(root)
        for number, route in enumerate(board.routes):
            assert len(of_class(groups[number], "rock")) == route.length * route.tunnel
            assert len(of_class(groups[number], "water")) == route.length * route.ferry
        assert len(of_class(root, "mark-text")) - any(r.draw_bonus for r in board.routes) == sum(
            route.draw_bonus > 0 for route in board.routes
        )
    murmansk = BOARDS["nordic-countries"].route("Lieksa", "Murmansk")
    group = routes_in(picture("nordic-countries", "empty"))[murmansk]
    assert texts(group) == ["4:1"] * 9
    assert group.findtext(f"{SVG}title") == "Lieksa–Murmansk gray, 9 spaces, 4 cards of any colour replace 1"


def test_arctic_cities_show_a_snowflake() -> None:
    flakes = [use for use in picture("northern-lights", "empty").iter(f"{SVG}use") if use.get("href") == "#sign-snow"]
    assert len(flakes) == sum(city.arctic for city in BOARDS["northern-lights"].cities)


def test_the_table_says_what_routes_are_worth() -> None:
    for name, board in BOARDS.items():
        said = texts(picture(name, "empty"))
        assert {str(route.points) for route in board.routes} <= set(said)
        assert board.name in said


def test_a_game_shows_its_seats_with_points_and_trains() -> None:
    for name in BOARDS:
        for moment in ("middle", "end"):
            game, root = thing(name, moment), picture(name, moment)
            assert isinstance(game, northrail.Game)
            said = texts(root)
            points = [score.total for score in game.scores()] if game.over else game.view().points
            at = said.index("points", said.index("points for a route") + 1) + 1
            rows = [(f"seat {seat}", str(game.view().trains[seat]), str(points[seat])) for seat in range(game.seats)]
            assert said[at : at + 3 * game.seats] == [word for row in rows for word in row]
            stars = [element for element in of_class(root, "accent") if element.findtext(f"{SVG}title") == "wins"]
            assert len(stars) == (len(game.winners()) if game.over else 0)
        assert not of_class(picture(name, "empty"), "seat")


def test_notebooks_show_boards_and_games() -> None:
    for moment in MOMENTS:
        what = thing("nordic-countries", moment)
        shown: Any = what
        assert shown._repr_svg_() == draw(what)


# --- what comes from outside ------------------------------------------------------------------------------------------


def data_of(name: str) -> dict[str, Any]:
    path = Path(northrail.__file__).parent / "boards" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_names_may_hold_anything() -> None:
    data = data_of("nordic-countries")
    data["name"] = "<&\"']]> & Söhne"
    odd = '<b onload="x">&amp;'
    for place in (*data["cities"], *data["routes"], *data["tickets"]):
        if place.get("name") == "Oslo":
            place["name"] = odd
        if "cities" in place:
            place["cities"] = [odd if end == "Oslo" else end for end in place["cities"]]
    root = ET.fromstring(draw(build_board(data, "odd")))
    assert "<&\"']]> & Söhne" in texts(root)
    assert '<b onload="x">&amp;' in texts(root)


def test_a_board_without_a_globe_is_drawn_without_land() -> None:
    data = data_of("nordic-countries")
    for city in data["cities"]:
        city["x"], city["y"] = 20 * city.pop("longitude"), -40 * city.pop("latitude")
    root = ET.fromstring(draw(build_board(data, "flat")))
    assert not of_class(root, "land") and not of_class(root, "circle") and len(of_class(root, "name")) == 39


def test_trains_can_be_put_on_a_board_without_a_game() -> None:
    root = ET.fromstring(draw(BOARDS["nordic-countries"], owners={0: 4, 8: 1}))
    assert [len(of_class(group, "wagon")) for _, group in sorted(routes_in(root).items())][:9] == [1, *[0] * 7, 4]
    for owners in ({99: 0}, {0: 5}, {-1: 0}, {0: -1}):
        with pytest.raises(BadPosition, match="owners: expected routes from 0 to 80 and seats from 0 to 4, got"):
            draw(BOARDS["nordic-countries"], owners=owners)


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(NorthrailError, match="theme: expected light or dark, got 'sepia'"):
        draw(BOARDS["nordic-countries"], "sepia")


# --- colours ----------------------------------------------------------------------------------------------------------

Rgb = tuple[float, float, float]


def rgb(colour: str) -> Rgb:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def linear(colour: Rgb) -> Rgb:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return red, green, blue


def luminance(colour: Rgb) -> float:
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def mixed(over: Rgb, under: Rgb, share: float) -> Rgb:
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(over, under, strict=True))
    return red, green, blue


def contrast(a: Rgb, b: Rgb) -> float:
    """As WCAG 2 defines it, from 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def ground(theme: Theme) -> list[Rgb]:
    """Everything that names, routes and trains may lie on."""
    seas = [rgb(colour) for colour in theme.sea]
    lit = [mixed(rgb(veil), sea, AURORA) for veil in theme.aurora for sea in seas]
    return [*seas, *lit, *(rgb(colour) for colour in (*theme.shoals, theme.lake, theme.land))]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_can_be_read(theme: Theme) -> None:
    for under in (*ground(theme), rgb(theme.paper), rgb(theme.panel), rgb(theme.halo)):
        assert contrast(rgb(theme.ink), under) >= 4.5
    for under in (*ground(theme), rgb(theme.paper), rgb(theme.panel)):
        assert contrast(rgb(theme.faint), under) >= 4.5
    for under in ground(theme):
        assert contrast(rgb(theme.circle), under) >= 4.5
    assert contrast(*map(rgb, theme.mark)) >= 4.5
    assert contrast(*map(rgb, theme.spaces["gray"])) >= 4.5  # "4:1" is text


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_signs_and_shapes_can_be_seen(theme: Theme) -> None:
    for fill, sign in (*theme.cards.values(), *theme.spaces.values(), theme.city, theme.arctic):
        assert contrast(rgb(fill), rgb(sign)) >= 3
    for fill, shape in theme.seats:
        assert contrast(rgb(fill), rgb(shape)) >= 3
    assert contrast(rgb(theme.accent), rgb(theme.panel)) >= 3
    for under in ground(theme):
        for colour in (theme.edge, theme.coal, theme.wagon, theme.water, theme.rock):
            assert contrast(rgb(colour), under) >= 3


# How colours look to people without one kind of cone, in linear light (Machado, Oliveira and Fernandes 2009).
SIGHTS: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def lab(light: Rgb) -> Rgb:
    """Linear light as CIE L*a*b*, in which distances are what one sees."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (sum(a * b for a, b in zip(row, light, strict=True)) for row in rows)
    f, g, h = (max(value / white, 0) ** (1 / 3) for value, white in ((x, 0.9505), (y, 1.0), (z, 1.089)))
    return 116 * g - 16, 500 * (f - g), 200 * (g - h)


@cache
def perceived(colour: Rgb, sight: str) -> Rgb:
    """A colour as CIE L*a*b*, as people with that sight see it."""
    light = linear(colour)
    red, green, blue = (sum(a * b for a, b in zip(row, light, strict=True)) for row in SIGHTS[sight])
    return lab((red, green, blue))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_seats_are_told_apart_by_all_eyes(theme: Theme, sight: str) -> None:
    for (a, _), (b, _) in itertools.combinations(theme.seats, 2):
        assert math.dist(perceived(rgb(a), sight), perceived(rgb(b), sight)) >= 30
    assert len(set(SHAPES)) == len(theme.seats) == 5


# --- in a browser -----------------------------------------------------------------------------------------------------

BOXES = """() => [...document.querySelectorAll("text")].map(text => {
  const box = text.getBoundingClientRect();
  return [text.textContent, text.classList.contains("name"), box.x, box.y, box.width, box.height];
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield chromium
        chromium.close()


PIXELS = """async ([svg, spots]) => {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return spots.map(([x, y]) => [...context.getImageData(2 * x - 10, 2 * y - 10, 20, 20).data]);
}"""


@pytest.mark.parametrize("theme", THEMES)
def test_a_browser_shows_a_sign_on_every_colour_and_a_shape_on_every_seat(browser: Any, theme: str) -> None:
    board = BOARDS["northern-lights"]
    plain = [route for route in range(len(board.routes)) if not board.routes[route].ferry]
    owners = {route: seat for seat, route in enumerate(plain[:5])}
    looks = {route: THEMES[theme].seats[seat] for route, seat in owners.items()}
    looks |= {route: THEMES[theme].spaces[board.routes[route].colour] for route in plain[5:]}
    centres = {place.number: place.spaces[0] for place in layout_of(board).routes}
    spots = [(centres[route].x + MARGIN, centres[route].y + MARGIN) for route in looks]
    page = browser.new_page()
    seen = page.evaluate(PIXELS, [draw(board, theme, owners), spots])
    page.close()
    for (route, look), data in zip(looks.items(), seen, strict=True):
        pixels = list(zip(data[::4], data[1::4], data[2::4], strict=True))
        for colour in look:
            wanted = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
            near = sum(math.dist(pixel, wanted) < 60 for pixel in pixels)
            assert near >= 8, (str(board.routes[route]), colour)


CLEAR = 10.0  # a distance between colours that nobody overlooks; 2 can just be told apart
PHONE = 0.66  # pixels per unit, where a phone of 390 px with two pixels per px shows the whole map
# With spots and colours as JSON: Playwright takes ten times as long to pass many numbers one by one.
COLOURS_AT = """async ([svg, scale, spots]) => {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [scale * image.width, scale * image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const {data, width} = context.getImageData(0, 0, canvas.width, canvas.height);
  const at = ([x, y]) => 4 * (Math.floor(y * scale) * width + Math.floor(x * scale));
  return JSON.stringify(JSON.parse(spots).map(spot => [...data.slice(at(spot), at(spot) + 3)].map(part => part / 255)));
}"""


def rim(spaces: tuple[Space, ...]) -> list[tuple[float, float]]:
    """Spots along both sides of a route, just outside its spaces: threes across each side."""
    found = []
    for (ax, ay), (bx, by) in itertools.pairwise(centre_line(spaces, 0.5)):
        far = math.dist((ax, ay), (bx, by))
        for along, across in itertools.product(range(0, round(far), 4), (-9, -8, -7, 7, 8, 9)):
            x, y = ax + along * (bx - ax) / far, ay + along * (by - ay) / far
            found.append((x + MARGIN + across * (by - ay) / far, y + MARGIN - across * (bx - ax) / far))
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_all_eyes_tell_a_train_from_a_free_route_on_a_phone(browser: Any, theme: str) -> None:
    """Its colour does not matter: a train has a rim without gaps, where a free route shows the map."""
    board = BOARDS["nordic-countries"]
    alone = Counter(route.cities for route in board.routes)
    routes = {
        route.colour: at
        for at, route in enumerate(board.routes)
        if alone[route.cities] == 1 and not (route.ferry or route.tunnel)
    }
    assert len(routes) == 9
    spots = {colour: rim(layout_of(board).routes[at].spaces) for colour, at in routes.items()}

    def seen(svg: str) -> list[Rgb]:
        found = json.loads(page.evaluate(COLOURS_AT, [svg, PHONE, json.dumps([*itertools.chain(*spots.values())])]))
        return [(red, green, blue) for red, green, blue in found]

    page = browser.new_page()
    empty = draw(board, theme)
    ground = seen(re.sub(rf'(?s)<g id="route-({"|".join(map(str, routes.values()))})".*?\n</g>\n', "", empty))
    pictures: dict[int | None, list[Rgb]] = {None: seen(empty)}
    for owner in range(len(SHAPES)):
        pictures[owner] = seen(draw(board, theme, dict.fromkeys(routes.values(), owner)))
    page.close()
    for sight, (seat, picture) in itertools.product(SIGHTS, pictures.items()):
        far = [math.dist(perceived(a, sight), perceived(b, sight)) for a, b in zip(picture, ground, strict=True)]
        differs = iter([max(far[at : at + 3]) >= CLEAR for at in range(0, len(far), 3)])
        for colour, of in spots.items():
            share = sum(itertools.islice(differs, len(of) // 3)) / (len(of) // 3)
            assert (share > 0.9) if seat is not None else (share < 0.5), (seat, colour, sight, share)


@pytest.mark.parametrize(
    ("name", "moment", "theme"), [("nordic-countries", "end", "dark"), ("northern-lights", "middle", "light")]
)
def test_a_browser_puts_every_text_where_the_layout_says(
    browser: Any, tmp_path: Path, name: str, moment: str, theme: str
) -> None:
    path = tmp_path / "picture.svg"
    path.write_text(draw(thing(name, moment), theme), encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    boxes = page.evaluate(BOXES)
    page.close()
    assert said == []
    layout = layout_of(BOARDS[name])
    strip = float(picture(name, moment, theme).attrib["height"]) - MARGIN
    for _, _, x, y, width, height in boxes:
        assert x >= 0 and y >= 0 and x + width <= layout.width + 2 * MARGIN and y + height <= strip + MARGIN
    names = {text: box for text, is_name, *box in boxes if is_name}
    for city in layout.cities:
        x, y, width, height = names[city.name]
        assert (
            x >= MARGIN and x + width <= MARGIN + layout.width and y >= MARGIN and y + height <= MARGIN + layout.height
        )
        assert abs(width - city.label.width) < 2
        assert abs(x + width / 2 - MARGIN - city.label.x) < 2 and abs(y + height / 2 - MARGIN - city.label.y) < 4
