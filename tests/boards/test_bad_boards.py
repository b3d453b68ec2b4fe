"""Board files that cannot be played: one run reports everything that is wrong, in sentences."""

import ast
import re
import traceback
from pathlib import Path

import pytest
from positions import SMALL, small_board

import northrail
from northrail import BadBoard, Game
from northrail.boards import build, checks
from northrail.boards.checks import Fault
from northrail.boards.load import SLIPS as SLIPS_OF_TOML
from northrail.boards.load import read_board

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
    hint = "there is no such file" if name else "that is a folder"
    message = f"expected nordic-countries, northern-lights or a path to a .toml file, got {name!r}; {hint}"
    with pytest.raises(BadBoard, match=f"^{re.escape(message)}$"):
        northrail.load_board(name)


def test_a_file_of_another_kind_and_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text("{}")
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    for wrong, hint in (
        (path, "the name of a board file ends in .toml"),
        (folder, "that is a folder"),
        (tmp_path, "that is a folder"),
    ):
        with pytest.raises(BadBoard, match=rf"or a path to a .toml file, got '{wrong}'; {hint}$"):
            northrail.load_board(wrong)


SLIPS: list[tuple[str, int | None, str]] = [
    (
        "this is no board",
        1,
        "not TOML in column 6: Expected '=' after a key in a key/value pair; write each line as key = ",
    ),
    ("id = ", 1, "not TOML at the end of the file: Invalid value; put text in quotes, "),
    ("[rules\n", 1, "not TOML in column 7: Expected ']' at the end of a table declaration"),
    ('id = "a"\nid = "b"', 2, "not TOML at the end of the file: Cannot overwrite a value; duplicate key; remove one"),
    ('id = "a"\nid = "b"\n', 2, "not TOML in column 9: Cannot overwrite a value; duplicate key; remove one"),
    ("{}", 1, "not TOML in column 1: Invalid statement; write each line as key = value"),
    ("a = { b = 1, b = 2 }", 1, "not TOML in column 19: Duplicate inline table key 'b'; duplicate key; remove one"),
    ("[a]\n[a]", 2, "not TOML in column 3: Cannot declare ('a',) twice; duplicate table; remove one"),
    ('id = "a\nname = 3', 1, "not TOML in column 8: Illegal character '\\n'; a closing quote is missing"),
    ('id = "a', 1, "not TOML at the end of the file: Unterminated string; a closing quote is missing"),
    ("\na = [\n 1\n 2]", 4, "not TOML in column 2: Unclosed array; a comma or a closing ] is missing"),
    ("a = { b = 1 c = 2 }", 1, "not TOML in column 13: Unclosed inline table; a comma or a closing } is missing"),
    ("a = True", 1, "not TOML in column 5: Invalid value; put text in quotes, and write true and false in lower case"),
    ("a = " + "[" * 100_000, None, "not TOML: brackets nested too deeply"),
    ("a = " + "9" * 5_000, None, "not TOML: a number with too many digits"),
]


@pytest.mark.parametrize(("text", "line", "sentence"), SLIPS, ids=lambda value: str(value)[:30])
def test_a_file_that_is_not_toml(tmp_path: Path, text: str, line: int | None, sentence: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(text, encoding="utf-8")
    (fault,) = read_board(path).faults
    assert fault.line == line and fault.sentence.startswith(sentence), fault
    assert sentence in faults_of(tmp_path, text)


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('id = "a"\nname = "Ålborg"'.encode("latin-1"))
    message = r"latin.toml, line 2: expected text in UTF-8, got the byte 0xc5; save the file as UTF-8$"
    with pytest.raises(BadBoard, match=message):
        northrail.load_board(path)


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL, encoding="utf-8")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(BadBoard, match=r"mine.toml: cannot read this file: Permission denied$"):
        northrail.load_board(path)


def test_a_file_from_another_system_is_good(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(SMALL.replace("\n", "\r\n").encode("utf-8-sig"))
    assert northrail.load_board(path) == small_board(tmp_path)


def test_an_empty_file_lacks_everything(tmp_path: Path) -> None:
    said = faults_of(tmp_path, "")
    for name in ("id", "name", "cities", "routes", "tickets", "rules"):
        assert f"the file: {name} is missing" in said


# --- one fault at a time ----------------------------------------------------------------------------------------------

TICKET = '{ cities = ["A", "B"], points = 2 }'
ROUTE = '{ cities = ["A", "B"], length = 2, colour = "red" }'
CITY = '{ name = "A", country = "X", longitude = 0, latitude = 0 }'
BONUS = '{ name = "Walker", points = 3, most = "longest path" }'

FAULTS: list[tuple[str, str, int | None, str]] = [
    # cities
    (CITY, "5", 5, "city 1: expected a table in braces, got 5"),
    (CITY, CITY.replace('name = "A", ', ""), 5, "city 1: name is missing; expected text"),
    (CITY, CITY.replace('"A"', "7"), 5, "city 1: name should be text, got 7; write it in quotes"),
    (CITY, CITY.replace("longitude = 0, ", ""), 5, "city A: expected longitude and latitude, or x and y, got latitude"),
    (
        CITY,
        CITY.replace("latitude = 0", 'latitude = "north"'),
        5,
        "city A: latitude should be a number, got 'north'",
    ),
    (
        CITY,
        CITY.replace("latitude = 0", "latitude = 0, arctic = 1"),
        5,
        "city A: arctic should be true or false, got 1",
    ),
    (CITY, CITY.replace("latitude = 0", 'latitude = 0, also = "Ay"'), 5, "city A: also should be a list, got 'Ay'"),
    (
        CITY,
        CITY.replace("latitude = 0", "latitude = 0, height = 3"),
        5,
        "city A: unknown field 'height'; expected name, country, longitude, latitude, ",
    ),
    ('name = "D"', 'name = "C"', 8, "city C: the name 'C' is taken by city 3 (C)"),
    ('name = "D"', 'name = "bée"', 8, "city bée: the name 'bée' is taken by city 2 (B)"),
    (CITY, CITY.replace('"A"', '""'), 5, "city 1: name should be 1 to 60 characters on one line, with no space"),
    (CITY, CITY.replace('"A"', '"A "'), 5, "city A : name should be 1 to 60 characters on one line, with no space"),
    (
        CITY,
        CITY.replace('"A"', "'A, N'"),
        5,
        "city A, N: name should have no comma, because moves list tickets with com",
    ),
    (
        CITY,
        CITY.replace("latitude = 0", "latitude = 0, also = [5]"),
        5,
        "city A: also should be a list of names, got [5]",
    ),
    (CITY, CITY.replace("latitude = 0", "latitude = 86"), 5, "city A: latitude should be -85 to 85, got 86.0"),
    (CITY, CITY.replace("latitude = 0", "latitude = nan"), 5, "city A: latitude should be -85 to 85, got nan"),
    (
        CITY,
        CITY.replace("longitude = 0", "longitude = -181.5"),
        5,
        "city A: longitude should be -180 to 180, got -181.5",
    ),
    (
        CITY,
        CITY.replace("longitude = 0", f"longitude = {'9' * 400}"),
        5,
        "city A: longitude should be -180 to 180, got ",
    ),
    (
        CITY,
        CITY.replace("longitude = 0, latitude = 0", "x = 1e6, y = 0"),
        5,
        "city A: x should be -100000 to 100000, got ",
    ),
    (
        CITY,
        CITY.replace("longitude = 0, latitude = 0", "x = 1, y = 0"),
        6,
        "city B: expected all cities by longitude and latitude or all by x and y, got both",
    ),
    (
        CITY,
        CITY.replace("latitude = 0", 'latitude = 0, label = "up"'),
        5,
        "city A: label should be 'right', 'left', 'ab",
    ),
    (
        CITY,
        CITY.replace("latitude = 0", "latitude = 0, nudge = [1]"),
        5,
        "city A: nudge should be two numbers, right and down, got [1]",
    ),
    (CITY, CITY.replace('"A"', f'"{"A" * 61}"'), 5, f"city {'A' * 61}: name should be 1 to 60 characters on one line"),
    # routes
    (ROUTE, '"A–B"', 11, "route 1: expected a table in braces, got 'A–B'"),
    (
        ROUTE,
        ROUTE.replace('"A", "B"', '"A", "Q"'),
        11,
        "route A–Q: unknown city 'Q'; add it to the cities, or name one of them",
    ),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", "A"'), 11, "route A–A: goes from A to itself; name two cities"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A"'), 11, "route 1: cities should be two names, got ['A']"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", "B", "C"'), 11, "route 1: cities should be two names, got ['A', 'B', 'C']"),
    (ROUTE, ROUTE.replace('"A", "B"', '"A", 5'), 11, "route 1: cities should be two names, got ['A', 5]"),
    (ROUTE, ROUTE.replace('["A", "B"]', '"A–B"'), 11, "route A–B: cities should be a list, got 'A–B'"),
    (ROUTE, ROUTE.replace('cities = ["A", "B"], ', ""), 11, "route 1: cities is missing; expected a list"),
    (
        ROUTE,
        ROUTE.replace('"red"', '"pink"'),
        11,
        "route A–B: colour should be 'gray', 'purple', 'blue', ",
    ),
    (
        ROUTE,
        ROUTE.replace('"red"', '"locomotive"'),
        11,
        "route A–B: colour should be 'gray', 'purple', 'blue', ",
    ),
    (ROUTE, ROUTE.replace(', colour = "red"', ""), 11, "route A–B: colour is missing; expected text"),
    (ROUTE, ROUTE.replace("length = 2, ", ""), 11, "route A–B: length is missing; expected a whole number"),
    (ROUTE, ROUTE.replace("length = 2", "length = 0"), 11, "route A–B: length should be 1 to 12, got 0"),
    (ROUTE, ROUTE.replace("length = 2", "length = 13"), 11, "route A–B: length should be 1 to 12, got 13"),
    (ROUTE, ROUTE.replace("length = 2", "length = 2.0"), 11, "route A–B: length should be a whole number, got 2.0"),
    (ROUTE, ROUTE.replace("length = 2", "length = true"), 11, "route A–B: length should be a whole number, got true"),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 3"),
        31,
        "rules: route_points has no entry for length 3 (route A–B); add 3 = its points",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, locomotives = 3"),
        11,
        "route A–B: locomotives should be 0 to 2, got 3",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, locomotives = -1"),
        11,
        "route A–B: locomotives should be 0 to 2, got -1",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, draw_bonus = 13"),
        11,
        "route A–B: draw_bonus should be 0 to 12, got 13",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", 'length = 2, tunnel = "true"'),
        11,
        "route A–B: tunnel should be true or false, got 'true'; write it without quotes",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, tunnel = true, locomotives = 1"),
        11,
        "route A–B: a tunnel cannot be a ferry or have a substitute; remove tunnel, or locomotives and substitute",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, color = 1"),
        11,
        "route A–B: unknown field 'color'; did you mean 'colour'?",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, substitute = 3"),
        11,
        "route A–B: substitute should be a table, got 3",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, substitute = { cards = 2 }"),
        11,
        "route A–B: substitute.alike is missing; expected true or false",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, substitute = { cards = 5, alike = true, any_space = true }"),
        11,
        "route A–B: substitute.cards should be 2 to 4, got 5",
    ),
    (ROUTE, ", ".join([ROUTE] * 4), 11, "route A–B: expected at most 3 parallel routes, got 4"),
    (
        ROUTE,
        ROUTE.replace("length = 2", "length = 2, bend = 1e6"),
        11,
        "route A–B: bend should be -100000 to 100000, got ",
    ),
    (
        ROUTE,
        ROUTE.replace("length = 2", f"length = 0x{'f' * 4000}"),
        11,
        "route A–B: length should be 1 to 12, got a ",
    ),
    (ROUTE, ROUTE.replace('"B"]', '"Q\\u0007"]'), 11, "route 1: unknown city 'Q\\x07'; add it to the cities, or"),
    ("face_up = 2", f"face_up = {'9' * 400}", 27, "rules: cards.face_up should be 0 to 10, got 99"),
    (ROUTE, ROUTE.replace('"B"]', '"bee"]'), 11, "route A–bee: unknown city 'bee'; did you mean 'B'?"),
    (ROUTE, ROUTE.replace('"red"', '"grey"'), 11, "route A–B: colour should be 'gray', "),
    # tickets
    (TICKET, "5", 17, "ticket 1: expected a table in braces, got 5"),
    (
        TICKET,
        TICKET.replace('"B"', '"Q"'),
        17,
        "ticket A–Q: unknown city 'Q'; add it to the cities, or name one of them",
    ),
    (TICKET, TICKET.replace('"B"', '"A"'), 17, "ticket A–A: goes from A to itself; name two cities"),
    (TICKET, TICKET.replace(", points = 2", ""), 17, "ticket A–B: points is missing; expected a whole number"),
    (
        TICKET,
        TICKET.replace("points = 2", 'points = "2"'),
        17,
        "ticket A–B: points should be a whole number, got '2'; write it without quotes",
    ),
    (TICKET, TICKET.replace("points = 2", "points = 101"), 17, "ticket A–B: points should be 0 to 100, got 101"),
    (TICKET, TICKET.replace("points = 2", "points = -2"), 17, "ticket A–B: points should be 0 to 100, got -2"),
    (TICKET, f'{TICKET}, {{ cities = ["B", "A"], points = 3 }}', 17, "ticket B–A: duplicate ticket; remove one"),
    (f"  {TICKET},\n", "", 16, "the number of tickets should be 4 to 120, got 3"),
    (
        '  { cities = ["C", "D"], length = 2, colour = "gray" },\n',
        "",
        19,
        "ticket A–D: no routes connect A and D; add a route, or remove the ticket",
    ),
    # bonus cards
    (BONUS, "5", 22, "bonus card 1: expected a table in braces, got 5"),
    (
        BONUS,
        BONUS.replace('"longest path"', '"style"'),
        22,
        "bonus card Walker: most should be 'completed tickets', 'routes', ",
    ),
    (BONUS, BONUS.replace("points = 3", "points = -3"), 22, "bonus card Walker: points should be 0 to 100, got -3"),
    (
        BONUS,
        BONUS.replace("points = 3", 'points = 3, ends = "Atlantis"'),
        22,
        "bonus card Walker: ends should be 'arctic', a country or a list of cities, got 'Atlantis'",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", 'points = 3, ends = ["Q"]'),
        22,
        "bonus card Walker: ends should be 'arctic', a country or a list of cities, got ['Q']",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", "points = 3, ends = 5"),
        22,
        "bonus card Walker: ends should be 'arctic', a country or a list of cities, got 5",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", "points = 3, ferry = 1"),
        22,
        "bonus card Walker: ferry should be true or false, got 1",
    ),
    (BONUS, f"{BONUS}, {BONUS}", 22, "bonus card Walker: duplicate name; rename one of the two bonus cards"),
    (f"[{BONUS}]", f"[{', '.join([BONUS] * 16)}]", 22, "the number of bonus cards should be 0 to 15, got 16"),
    (f"[{BONUS}]", '"none"', 22, "the file: bonus_cards should be a list, got 'none'"),
    (
        BONUS,
        BONUS.replace('"Walker"', '""'),
        22,
        "bonus card 1: name should be 1 to 60 characters on one line, with no space",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", "points = 3, length = 13"),
        22,
        "bonus card Walker: length should be 0 to 12, got",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", "points = 3, worth_at_most = -1"),
        22,
        "bonus card Walker: worth_at_most should be 0 to 100, got -1",
    ),
    (
        BONUS,
        BONUS.replace("points = 3", 'points = 3, ends = "artic"'),
        22,
        "bonus card Walker: ends should be 'arctic', a country or a list of cities, got 'artic'; did you mean 'arctic'",
    ),
    # the file
    ('id = "small"\n', "", None, "the file: id is missing; expected text"),
    ('id = "small"', 'id = "my board!"', 2, "the file: id should be letters, digits and dashes, got 'my board!'"),
    ('name = "Small"\n', "", None, "the file: name is missing; expected text"),
    (
        'name = "Small"',
        'name = "Small"\nauthor = "me"',
        4,
        "the file: unknown field 'author'; expected id, name, cities, routes, tickets, bonus_cards, rules",
    ),
    (
        'name = "Small"',
        'name = "Small\\n"',
        3,
        "the file: name should be 1 to 60 characters on one line, with no space",
    ),
    # rules
    (
        "seats = { least = 2, most = 2 }",
        "seats = { least = 1, most = 2 }",
        25,
        "rules: seats.least should be 2 to 5, got 1",
    ),
    (
        "seats = { least = 2, most = 2 }",
        "seats = { least = 2, most = 6 }",
        25,
        "rules: seats.most should be 2 to 5, got 6",
    ),
    (
        "seats = { least = 2, most = 2 }",
        "seats = { least = 3, most = 2 }",
        25,
        "rules: seats.most should be 3 to 5, got 2",
    ),
    ("seats = { least = 2, most = 2 }", "seats = 2", 25, "rules: seats should be a table, got 2"),
    (
        "seats = { least = 2, most = 2 }",
        "seats = { least = 2 }",
        25,
        "rules: seats.most is missing; expected a whole number",
    ),
    ("seats = { least = 2, most = 2 }\n", "", 24, "rules: seats is missing; expected a table"),
    ("trains = 6", "trains = 0", 26, "rules: trains should be 1 to 60, got 0"),
    ("trains = 6", "trains = 61", 26, "rules: trains should be 1 to 60, got 61"),
    ("trains = 6", "trains = 6\nlast_round_at = 7", 27, "rules: last_round_at should be 0 to 6, got 7"),
    ("trains = 6", "trains = 6\ntunnel_cards = 0", 27, "rules: tunnel_cards should be 1 to 6, got 0"),
    (
        "trains = 6",
        'trains = 6\nface_up_locomotive = "twice"',
        27,
        "rules: face_up_locomotive should be 'an ordinary card' or 'first card only', got 'twice'",
    ),
    (
        "trains = 6",
        'trains = 6\nreturned_tickets = "burn"',
        27,
        "rules: returned_tickets should be 'leave the game' or 'go under the deck', got 'burn'",
    ),
    (
        "trains = 6",
        'trains = 6\nlocomotives_pay_for = "all"',
        27,
        "rules: locomotives_pay_for should be 'ferries and tunnels' or 'every route', got 'all'",
    ),
    (
        "trains = 6",
        "trains = 6\nreturned_tickets = true",
        27,
        "rules: returned_tickets should be text, got true; write it in quotes",
    ),
    (
        "trains = 6",
        "trains = 6\nstations = 3",
        27,
        "rules: unknown field 'stations'; expected seats, trains, ",
    ),
    ("trains = 6", "trains = 6\nflush_row_at = 3", 27, "rules: flush_row_at should be 0 to 2, got 3"),
    ("each_colour = 2", "each_colour = 20", 27, "rules: cards should be 5 to 126 in all, got 8 × 20 + 2"),
    (
        "each_colour = 2, locomotives = 2",
        "each_colour = 0, locomotives = 4",
        27,
        "rules: cards should be 5 to 126 in all, got 8 × 0 + 4",
    ),
    ("each_colour = 2", "each_colour = -1", 27, "rules: cards.each_colour should be 0 to 126, got -1"),
    ("face_up = 2", "face_up = 11", 27, "rules: cards.face_up should be 0 to 10, got 11"),
    ("hand = 1", "hand = 13", 27, "rules: cards.hand should be 0 to 12, got 13"),
    ("hand = 1, ", "", 27, "rules: cards.hand is missing; expected a whole number"),
    (
        "first_tickets = { deal = 2, keep = 1 }",
        "first_tickets = { deal = 6, keep = 1 }",
        28,
        "rules: first_tickets.deal should be 1 to 5, got 6",
    ),
    (
        "first_tickets = { deal = 2, keep = 1 }",
        "first_tickets = { deal = 2, keep = 3 }",
        28,
        "rules: first_tickets.keep should be 1 to 2, got 3",
    ),
    (
        "drawn_tickets = { deal = 1, keep = 1 }",
        "drawn_tickets = { deal = 1, keep = 0 }",
        29,
        "rules: drawn_tickets.keep should be 1 to 1, got 0",
    ),
    (
        "{ 1 = 1, 2 = 2 }",
        "{ 1 = 1, 2 = 2, long = 9 }",
        31,
        "rules: route_points: expected lengths from 1 to 12 = points from 0 to 100, got long = 9",
    ),
    (
        "{ 1 = 1, 2 = 2 }",
        "{ 1 = 1, 2 = 101 }",
        31,
        "rules: route_points: expected lengths from 1 to 12 = points from 0 to 100, got 2 = 101",
    ),
    (
        "double_routes = { 2 = 1 }",
        "double_routes = { 3 = 1 }",
        32,
        "rules: double_routes has no entry for 2 seats; add 2 = how many of 2 parallel routes players may claim",
    ),
    (
        "double_routes = { 2 = 1 }",
        "double_routes = { 2 = 3 }",
        32,
        "rules: double_routes: expected seats from 1 to 5 = routes from 1 to 2, got 2 = 3",
    ),
    (
        "triple_routes = { 2 = 1 }",
        "triple_routes = { 2 = 4 }",
        33,
        "rules: triple_routes: expected seats from 1 to 5 = routes from 1 to 3, got 2 = 4",
    ),
    ("bonus_cards_in_play = 1", "bonus_cards_in_play = 2", 34, "rules: bonus_cards_in_play should be 0 to 1, got 2"),
    (
        '["completed tickets"]',
        '["coin toss"]',
        35,
        "rules: tie_break should be 'completed tickets', 'longest path' or 'bonus cards', got 'coin toss'",
    ),
    (
        '["completed tickets"]',
        '["completed tickets", "longest path", "bonus cards"]',
        35,
        "rules: tie_break should be a list of at most 2, got ['completed tickets', ",
    ),
    (
        '["completed tickets"]',
        "[5]",
        35,
        "rules: tie_break should be 'completed tickets', 'longest path' or 'bonus cards', got 5",
    ),
    (
        "ferry_substitute = { cards = 2,",
        "ferry_substitute = { cards = 1,",
        30,
        "rules: ferry_substitute.cards should be 2 to 4, got 1",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"), FAULTS, ids=[f"{at}: {case[3][:60]}" for at, case in enumerate(FAULTS)]
)
def test_one_fault(tmp_path: Path, old: str, new: str, line: int | None, sentence: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(changed((old, new)), encoding="utf-8")
    faults = read_board(path).faults
    assert [fault for fault in faults if fault.line == line and fault.sentence.startswith(sentence)], faults
    told = faults_of(tmp_path, changed((old, new)))
    assert sentence in told and (line is None or f"line {line}: " in told)


def test_several_faults_are_told_at_once_by_line(tmp_path: Path) -> None:
    said = faults_of(
        tmp_path,
        changed(
            (ROUTE, ROUTE.replace("length = 2", 'length = "two"').replace('"B"', '"Q"')),
            (TICKET, TICKET.replace(", points = 2", "")),
            ("trains = 6", 'trains = 99\nreturned_tickets = "burn"'),
            ('name = "Small"\n', ""),
        ),
    )
    assert said.removeprefix(str(tmp_path)).splitlines() == [
        "/small.toml: 6 errors",
        "  the file: name is missing; expected text",
        "  line 10: route A–Q: length should be a whole number, got 'two'",
        "  line 10: route A–Q: unknown city 'Q'; add it to the cities, or name one of them",
        "  line 16: ticket A–B: points is missing; expected a whole number",
        "  line 25: rules: trains should be 1 to 60, got 99",
        "  line 26: rules: returned_tickets should be 'leave the game' or 'go under the deck', got 'burn'",
    ]


def test_a_wrong_country_and_a_bonus_card_that_counts_by_country(tmp_path: Path) -> None:
    wrong = ('country = "X"', "country = 7"), (BONUS, BONUS.replace("points = 3", 'points = 3, ends = "X"'))
    said = faults_of(tmp_path, changed(*wrong))
    assert "city A: country should be text, got 7; write it in quotes" in said
    assert "bonus card Walker: ends should be 'arctic', a country or a list of cities, got 'X'" in said


def test_a_single_fault_is_told_on_one_line(tmp_path: Path) -> None:
    said = faults_of(tmp_path, changed(("trains = 6", "trains = 99")))
    assert said == f"{tmp_path / 'small.toml'}, line 26: rules: trains should be 1 to 60, got 99"


def test_what_is_wrong_is_not_told_twice(tmp_path: Path) -> None:
    for old, new in (
        ("trains = 6", "trains = 0"),
        ("seats = { least = 2, most = 2 }\n", ""),
        ("seats = { least = 2, most = 2 }", "seats = { least = 2, most = 6 }"),
        ("first_tickets = { deal = 2", "first_tickets = { deal = 6"),
        ("{ 1 = 1, 2 = 2 }", "{ 1 = 1, 2 = 101 }"),
        ("cards = { each_colour = 2", "cards = { each_colour = -2"),
        (ROUTE, "5"),
        (ROUTE, ROUTE.replace("length = 2, ", "")),
        (f"[{BONUS}]", '"none"'),
    ):
        assert " errors" not in faults_of(tmp_path, changed((old, new))), new


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
    lists = "".join("\n".join([f"{name} = [", *(f"{row}," for row in rows), "]\n"]) for name, rows in lines.items())
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
    ("sizes", "line", "sentence"),
    [
        ({"cities": 64}, 68, "the number of cities should be 2 to 63, got 64"),
        ({"cities": 1}, 4, "the number of cities should be 2 to 63, got 1"),
        ({"routes": 253}, 322, "the number of routes should be 1 to 252, got 253"),
        ({"routes": 0}, 69, "the number of routes should be 1 to 252, got 0"),
        ({"tickets": 121}, 442, "the number of tickets should be 4 to 120, got 121"),
        ({"length": 13}, 70, "route C0–C1: length should be 1 to 12, got 13"),
    ],
    ids=str,
)
def test_a_board_too_large_or_too_small(tmp_path: Path, sizes: dict[str, int], line: int, sentence: str) -> None:
    """What is too much is told at the first thing too many."""
    assert f"line {line}: {sentence}" in faults_of(tmp_path, sized(**sizes))


# --- all of them ------------------------------------------------------------------------------------------------------


def test_every_sentence_has_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the source can note a fault, a case above makes it."""
    names = {"note", "check", "within", "choice", "spelling", "size"}
    sites = [
        (str(module.__file__), node)
        for module in (build, checks)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    ]
    assert len(sites) > 30
    running: set[tuple[str, int]] = set()

    def append(found: list[Fault], fault: Fault) -> None:
        running.update((frame.filename, frame.lineno or 0) for frame in traceback.extract_stack())
        list.append(found, fault)

    monkeypatch.setattr(checks.Faults, "append", append, raising=False)
    for text in [*(changed((old, new)) for old, new, _, _ in FAULTS), sized(routes=0)]:
        faults_of(tmp_path, text)
    silent = [
        ast.unparse(site)
        for file, site in sites
        if not running.intersection((file, line) for line in range(site.lineno, (site.end_lineno or 0) + 1))
    ]
    assert not silent
    for start in SLIPS_OF_TOML:
        assert any(start in sentence for _, _, sentence in SLIPS), start
