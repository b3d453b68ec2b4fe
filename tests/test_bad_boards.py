"""Board files that cannot be played: everything wrong with one is told at once, in sentences."""

import re
from pathlib import Path

import pytest

import northrail
from northrail import BadBoard, Game
from positions import SMALL, small_board

pytestmark = pytest.mark.engine


def faults_of(folder: Path, text: str) -> str:
    """What is said of a board file."""
    with pytest.raises(BadBoard) as caught:
        small_board(folder, text)
    assert str(caught.value).startswith(str(folder / "small.toml"))
    return str(caught.value)


def changed(*pairs: tuple[str, str]) -> str:
    """The small board with pieces of its text replaced."""
    text = SMALL
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_small_board_is_good(tmp_path: Path) -> None:
    board = small_board(tmp_path)
    game = Game(board, seed=1)
    for _ in range(200):
        if not game.over:
            game.play(game.moves()[0])
    assert len(board.routes) == 4


# --- no board at all --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["atlantis", "", "nowhere.toml", "nordic-countries.toml"])
def test_a_board_that_is_not_there(name: str) -> None:
    message = "expected nordic-countries, northern-lights or a path to a .toml file, got "
    with pytest.raises(BadBoard, match=f"^{re.escape(message)}{name!r}$"):
        northrail.load_board(name)


def test_a_file_of_another_kind_and_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text("{}")
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    for wrong in (path, folder, tmp_path):
        with pytest.raises(BadBoard, match=r"or a path to a .toml file, got "):
            northrail.load_board(wrong)


@pytest.mark.parametrize("text", ["this is no board", "id = ", "[rules", 'id = "a"\nid = "b"', "{}"])
def test_a_file_that_is_not_toml(tmp_path: Path, text: str) -> None:
    assert "not TOML: " in faults_of(tmp_path, text)


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "Ålborg"'.encode("latin-1"))
    with pytest.raises(BadBoard, match=r"latin.toml: expected text in UTF-8, got "):
        northrail.load_board(path)


def test_an_empty_file_lacks_everything(tmp_path: Path) -> None:
    said = faults_of(tmp_path, "")
    for name in ("id", "name", "cities", "routes", "tickets", "rules"):
        assert f"the file: {name} is missing" in said


# --- one fault at a time ----------------------------------------------------------------------------------------------

TICKET = '{ cities = ["A", "B"], points = 2 }'
ROUTE = '{ cities = ["A", "B"], length = 2, colour = "red" }'
CITY = '{ name = "A", country = "X", longitude = 0, latitude = 0 }'
BONUS = '{ name = "Walker", points = 3, most = "longest path" }'

FAULTS: list[tuple[str, str, str]] = [
    # cities
    (CITY, "5", "city 1: expected a table, got 5"),
    (CITY, CITY.replace('name = "A", ', ""), "city 1: name is missing"),
    (CITY, CITY.replace('"A"', "7"), "city 1: name should be a text, got 7"),
    (
        CITY,
        CITY.replace("longitude = 0, ", ""),
        "city 1 (A): expected longitude and latitude, or x and y, got latitude",
    ),
    (CITY, CITY.replace("latitude = 0", 'latitude = "north"'), "city 1: latitude should be a number, got 'north'"),
    (CITY, CITY.replace("latitude = 0", "latitude = 0, arctic = 1"), "city 1: arctic should be true or false, got 1"),
    (CITY, CITY.replace("latitude = 0", 'latitude = 0, also = "Ay"'), "city 1: also should be a list, got 'Ay'"),
    (
        CITY,
        CITY.replace("latitude = 0", "latitude = 0, height = 3"),
        "city 1: unknown field 'height'; expected name, country",
    ),
    ('name = "D"', 'name = "C"', "two cities have one name"),
    ('name = "D"', 'name = "bée"', "city 4: 'bée' is already the name of B"),
    # routes
    (ROUTE, '"A–B"', "route 0: expected a table, got 'A–B'"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", "Q"'), "route 0: unknown city 'Q'"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", "A"'), "route 0: leads from A to itself"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A"'), "route 0: cities should be two names, got ['A']"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", "B", "C"'), "route 0: cities should be two names, got ['A', 'B', 'C']"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", 5'), "route 0: cities should be two names, got ['A', 5]"),
    (ROUTE, ROUTE.replace('["A", "B"]', '"A–B"'), "route 0: cities should be a list, got 'A–B'"),
    (ROUTE, ROUTE.replace('cities = ["A", "B"], ', ""), "route 0: cities is missing"),
    (
        ROUTE,
        ROUTE.replace('"red"', '"pink"'),
        "colour should be gray or one of purple, blue, orange, white, green, yellow, black, red, got 'pink'",
    ),
    (ROUTE, ROUTE.replace('"red"', '"locomotive"'), "colour should be gray or one of"),
    (ROUTE, ROUTE.replace(', colour = "red"', ""), "colour is missing"),
    (ROUTE, ROUTE.replace("length = 2, ", ""), "length is missing"),
    (ROUTE, ROUTE.replace("length = 2", "length = 0"), "length should be 1 to 12, got 0"),
    (ROUTE, ROUTE.replace("length = 2", "length = 13"), "length should be 1 to 12, got 13"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2.0"), "length should be a whole number, got 2.0"),
    (ROUTE, ROUTE.replace("length = 2", "length = true"), "length should be a whole number, got True"),
    (ROUTE, ROUTE.replace("length = 2", "length = 3"), "route_points says nothing of length 3"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2, locomotives = 3"), "locomotives should be 0 to 2, got 3"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2, locomotives = -1"), "locomotives should be 0 to 2, got -1"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2, draw_bonus = 13"), "draw_bonus should be 0 to 12, got 13"),
    (ROUTE, ROUTE.replace("length = 2", 'length = 2, tunnel = "yes"'), "tunnel should be true or false, got 'yes'"),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, tunnel = true, locomotives = 1"),
        "a tunnel is no ferry and takes no substitute",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, color = 1"),
        "unknown field 'color'; expected cities, length, colour",
    ),
    (ROUTE, ROUTE.replace("length = 2", "length = 2, substitute = 3"), "substitute should be a table, got 3"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2, substitute = { cards = 2 }"), "substitute: alike is missing"),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, substitute = { cards = 5, alike = true, any_space = true }"),
        "substitute: cards should be 2 to 4, got 5",
    ),
    (ROUTE, ", ".join([ROUTE] * 4), "A–B: expected at most 3 parallel routes, got 4"),
    # tickets
    (TICKET, "5", "ticket 0: expected a table, got 5"),
    (TICKET, TICKET.replace('"B"', '"Q"'), "ticket 0: unknown city 'Q'"),
    (TICKET, TICKET.replace('"B"', '"A"'), "ticket 0: leads from A to itself"),
    (TICKET, TICKET.replace(", points = 2", ""), "ticket 0: points is missing"),
    (TICKET, TICKET.replace("points = 2", 'points = "2"'), "ticket 0: points should be a whole number, got '2'"),
    (TICKET, TICKET.replace("points = 2", "points = 101"), "points should be 0 to 100, got 101"),
    (TICKET, TICKET.replace("points = 2", "points = -2"), "points should be 0 to 100, got -2"),
    (TICKET, f'{TICKET}, {{ cities = ["B", "A"], points = 3 }}', "ticket 1: B–A stands twice"),
    (f"  {TICKET},\n", "", "the number of tickets should be 4 to 120, got 3"),
    # bonus cards
    (BONUS, "5", "bonus card 0: expected a table, got 5"),
    (
        BONUS,
        BONUS.replace('"longest path"', '"style"'),
        "bonus card Walker: most should be one of 'completed tickets', 'routes', ",
    ),
    (BONUS, BONUS.replace("points = 3", "points = -3"), "bonus card Walker: points should be 0 to 100, got -3"),
    (BONUS, BONUS.replace("points = 3", 'points = 3, ends = "Atlantis"'), "no city has the mark or country 'Atlantis'"),
    (
        BONUS,
        BONUS.replace("points = 3", 'points = 3, ends = ["Q"]'),
        "ends should be 'arctic', a country or a list of cities, got ['Q']",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", "points = 3, ends = 5"),
        "ends should be 'arctic', a country or a list of cities, got 5",
    ),
    (BONUS, BONUS.replace("points = 3", "points = 3, ferry = 1"), "ferry should be true or false, got 1"),
    (BONUS, f"{BONUS}, {BONUS}", "two bonus cards have one name"),
    (f"[{BONUS}]", f"[{', '.join([BONUS] * 16)}]", "the number of bonus cards should be 0 to 15, got 16"),
    (f"[{BONUS}]", '"none"', "the file: bonus_cards should be a list, got 'none'"),
    # the file
    ('id = "small"\n', "", "the file: id is missing"),
    ('id = "small"', 'id = "my board!"', "id should be letters, digits and dashes, got 'my board!'"),
    ('name = "Small"\n', "", "the file: name is missing"),
    (
        'name = "Small"',
        'name = "Small"\nauthor = "me"',
        "the file: unknown field 'author'; expected id, name, cities, ",
    ),
    # rules
    (
        "seats = { least = 2, most = 2 }",
        "seats = { least = 1, most = 2 }",
        "rules: seats.least should be 2 to 5, got 1",
    ),
    ("seats = { least = 2, most = 2 }", "seats = { least = 2, most = 6 }", "rules: seats.most should be 2 to 5, got 6"),
    ("seats = { least = 2, most = 2 }", "seats = { least = 3, most = 2 }", "rules: seats.most should be 3 to 5, got 2"),
    ("seats = { least = 2, most = 2 }", "seats = 2", "rules: seats should be a table, got 2"),
    ("seats = { least = 2, most = 2 }", "seats = { least = 2 }", "rules.seats: most is missing"),
    ("seats = { least = 2, most = 2 }\n", "", "rules: seats is missing"),
    ("trains = 6", "trains = 0", "rules: trains should be 1 to 60, got 0"),
    ("trains = 6", "trains = 61", "rules: trains should be 1 to 60, got 61"),
    ("trains = 6", "trains = 6\nlast_round_at = 7", "rules: last_round_at should be 0 to 6, got 7"),
    ("trains = 6", "trains = 6\ntunnel_cards = 0", "rules: tunnel_cards should be 1 to 6, got 0"),
    (
        "trains = 6",
        'trains = 6\nface_up_locomotive = "twice"',
        "face_up_locomotive should be 'an ordinary card' or 'first card only', got 'twice'",
    ),
    (
        "trains = 6",
        'trains = 6\nreturned_tickets = "burn"',
        "returned_tickets should be 'leave the game' or 'go under the deck', got 'burn'",
    ),
    (
        "trains = 6",
        'trains = 6\nlocomotives_pay_for = "all"',
        "locomotives_pay_for should be 'ferries and tunnels' or 'every route', got 'all'",
    ),
    ("trains = 6", "trains = 6\nreturned_tickets = true", "rules: returned_tickets should be a text, got True"),
    ("trains = 6", "trains = 6\nstations = 3", "rules: unknown field 'stations'; expected seats, trains, "),
    ("each_colour = 2", "each_colour = 20", "rules: the number of cards should be 5 to 126, got 162"),
    (
        "each_colour = 2, locomotives = 2",
        "each_colour = 0, locomotives = 4",
        "rules: the number of cards should be 5 to 126, got 4",
    ),
    ("each_colour = 2", "each_colour = -1", "rules: cards of a kind should be 0 to 126, got -1"),
    ("face_up = 2", "face_up = 11", "rules: cards.face_up should be 0 to 10, got 11"),
    ("hand = 1", "hand = 13", "rules: cards.hand should be 0 to 12, got 13"),
    ("hand = 1, ", "", "rules.cards: hand is missing"),
    (
        "first_tickets = { deal = 2, keep = 1 }",
        "first_tickets = { deal = 6, keep = 1 }",
        "rules: first_tickets.deal should be 1 to 5, got 6",
    ),
    (
        "first_tickets = { deal = 2, keep = 1 }",
        "first_tickets = { deal = 2, keep = 3 }",
        "rules: first_tickets.keep should be 1 to 2, got 3",
    ),
    (
        "drawn_tickets = { deal = 1, keep = 1 }",
        "drawn_tickets = { deal = 1, keep = 0 }",
        "rules: drawn_tickets.keep should be 1 to 1, got 0",
    ),
    (
        "{ 1 = 1, 2 = 2 }",
        "{ 1 = 1, 2 = 2, long = 9 }",
        "route_points: expected a number from 1 to 12 = 0 to 100, got long = 9",
    ),
    ("{ 1 = 1, 2 = 2 }", "{ 1 = 1, 2 = 101 }", "route_points: expected a number from 1 to 12 = 0 to 100, got 2 = 101"),
    (
        "double_routes = { 2 = 1 }",
        "double_routes = { 3 = 1 }",
        "rules: double_routes: routes in use with 2 seats should be 1 to 2, got 0",
    ),
    (
        "double_routes = { 2 = 1 }",
        "double_routes = { 2 = 3 }",
        "rules: double_routes: routes in use with 2 seats should be 1 to 2, got 3",
    ),
    (
        "triple_routes = { 2 = 1 }",
        "triple_routes = { 2 = 4 }",
        "rules: triple_routes: routes in use with 2 seats should be 1 to 3, got 4",
    ),
    ("bonus_cards_in_play = 1", "bonus_cards_in_play = 2", "rules: bonus_cards_in_play should be 0 to 1, got 2"),
    (
        '["completed tickets"]',
        '["coin toss"]',
        "rules: tie_break should be of 'completed tickets', 'longest path', 'bonus cards', got 'coin toss'",
    ),
    (
        '["completed tickets"]',
        '["completed tickets", "longest path", "bonus cards"]',
        "rules: the number of tie_breaks should be 0 to 2, got 3",
    ),
    (
        '["completed tickets"]',
        "[5]",
        "rules: tie_break should be of 'completed tickets', 'longest path', 'bonus cards', got 5",
    ),
    (
        "ferry_substitute = { cards = 2,",
        "ferry_substitute = { cards = 1,",
        "rules: ferry_substitute: cards should be 2 to 4, got 1",
    ),
]


@pytest.mark.parametrize(("old", "new", "sentence"), FAULTS, ids=[sentence[:60] for _, _, sentence in FAULTS])
def test_one_fault(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert sentence in faults_of(tmp_path, changed((old, new)))


def test_several_faults_are_told_at_once(tmp_path: Path) -> None:
    said = faults_of(
        tmp_path,
        changed(
            (ROUTE, ROUTE.replace('"red"', '"pink"').replace('"B"', '"Q"')),
            (TICKET, TICKET.replace(", points = 2", "")),
            ("trains = 6", 'trains = 99\nreturned_tickets = "burn"'),
            ('name = "Small"\n', ""),
        ),
    )
    for sentence in (
        "route 0: unknown city 'Q'",
        "got 'pink'",
        "ticket 0: points is missing",
        "trains should be 1 to 60, got 99",
        "got 'burn'",
        "the file: name is missing",
    ):
        assert sentence in said


# --- sizes ------------------------------------------------------------------------------------------------------------


def sized(cities: int = 63, routes: int = 250, tickets: int = 120, length: int = 12) -> str:
    """A board of this size: routes and tickets between different pairs of cities."""
    pairs = [(a, b) for gap in range(1, cities) for a in range(cities - gap) for b in [a + gap]]
    lines = {
        "cities": [f'{{ name = "C{at}", longitude = {at}, latitude = 0 }}' for at in range(cities)],
        "routes": [f'{{ cities = ["C{a}", "C{b}"], length = {length}, colour = "gray" }}' for a, b in pairs[:routes]],
        "tickets": [f'{{ cities = ["C{a}", "C{b}"], points = 9 }}' for a, b in pairs[:tickets]],
    }
    head, rules = SMALL.split("cities = [", 1)[0], SMALL[SMALL.index("[rules]") :]
    lists = "".join(f"{name} = [{', '.join(rows)}]\n" for name, rows in lines.items())
    rules = (
        rules.replace("bonus_cards_in_play = 1", "")
        .replace("trains = 6", "trains = 60")
        .replace("{ 1 = 1, 2 = 2 }", f"{{ {length} = 50 }}")
    )
    return head + lists + rules.replace("each_colour = 2", "each_colour = 13")


def test_the_largest_board_can_be_played(tmp_path: Path) -> None:
    board = small_board(tmp_path, sized())
    assert (len(board.cities), len(board.routes), len(board.tickets)) == (63, 250, 120)
    game = Game(board, seed=1)
    while game.phase == "tickets":
        game.play(game.moves()[0])
    seat = game.seat
    position = game.position() | {
        "hands": [{"red": 12} if at == seat else {} for at in range(2)],
        "face_up": {"blue": 2},
    }
    del position["deck"]
    game = Game.from_position(board, position)
    game.claim(249, {"red": 12})
    assert game.position()["owners"] == {"249": seat}
    assert game.scores()[seat].longest == 12


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"cities": 64}, "the number of cities should be 2 to 63, got 64"),
        ({"cities": 1}, "the number of cities should be 2 to 63, got 1"),
        ({"routes": 253}, "the number of routes should be 1 to 252, got 253"),
        ({"routes": 0}, "the number of routes should be 1 to 252, got 0"),
        ({"tickets": 121}, "the number of tickets should be 4 to 120, got 121"),
        ({"length": 13}, "length should be 1 to 12, got 13"),
    ],
    ids=str,
)
def test_a_board_too_large_or_too_small(tmp_path: Path, sizes: dict[str, int], sentence: str) -> None:
    assert sentence in faults_of(tmp_path, sized(**sizes))
