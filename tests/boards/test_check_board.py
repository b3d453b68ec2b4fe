"""`northrail check-board`: errors, warnings and the summary; every warning has a file that causes it."""

import datetime
import json
import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import northrail
from northrail.boards.checks import Fault
from northrail.boards.fields import FIELDS
from northrail.boards.load import BUILT_IN, BoardFile, build_board
from northrail.boards.toml_lines import line_of, lines_of
from northrail.cli import board_report
from northrail.cli.app import app
from northrail.drawing import layout


def run(*words: object) -> Result:
    """What a command prints and how it ends; anything but an orderly end is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


# A board without a fault or a warning. It is small enough to know its lines by heart.
GOOD = """\
id = "square"
name = "Square"
cities = [
  { name = "Ash", x = 0, y = 0 },
  { name = "Birch", x = 300, y = 0 },
  { name = "Cedar", x = 300, y = 300 },
  { name = "Date", x = 0, y = 300 },
]
routes = [
  { cities = ["Ash", "Birch"], length = 3, colour = "red" },
  { cities = ["Birch", "Cedar"], length = 3, colour = "blue", tunnel = true },
  { cities = ["Cedar", "Date"], length = 3, colour = "gray", locomotives = 1 },
  { cities = ["Date", "Ash"], length = 3, colour = "green" },
  { cities = ["Date", "Ash"], length = 3, colour = "green" },
]
tickets = [
  { cities = ["Ash", "Cedar"], points = 6 },
  { cities = ["Birch", "Date"], points = 6 },
]
bonus_cards = [{ name = "Ferry master", points = 4, most = "routes", ferry = true }]
[rules]
seats = { least = 2, most = 2 }
trains = 8
cards = { each_colour = 4, locomotives = 4, hand = 2, face_up = 3 }
first_tickets = { deal = 1, keep = 1 }
drawn_tickets = { deal = 1, keep = 1 }
route_points = { 3 = 4, 6 = 15 }
double_routes = { 2 = 1 }
triple_routes = { 2 = 1 }
bonus_cards_in_play = 1
"""


def checked(folder: Path, text: str) -> board_report.Report:
    """What is found in a file with this text."""
    path = folder / "square.toml"
    path.write_text(text, encoding="utf-8")
    return board_report.check(path)


def changed(*pairs: tuple[str, str]) -> str:
    """The good board with pieces of its text replaced."""
    text = GOOD
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_good_board_gives_no_word_of_warning(tmp_path: Path) -> None:
    report = checked(tmp_path, GOOD)
    assert (report.faults, report.warnings) == ((), ())
    assert report.verdict == "no errors, no warnings: the board can be played"


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_boards_give_none_either(name: str) -> None:
    assert board_report.check(name).warnings == ()


# --- warnings -------------------------------------------------------------------------------------------------------

LONELY = '{ name = "Elm", x = 600, y = 150 },\n'
PAIR = '{ name = "Elm", x = 600, y = 0 },\n  { name = "Fir", x = 900, y = 0 },\n'
FIVE = "".join(f'{{ name = "Far {at}", x = {600 + 300 * at}, y = 0 }},\n  ' for at in range(5))
CHAIN = ",\n  ".join(f'{{ cities = ["Far {at}", "Far {at + 1}"], length = 3, colour = "red" }}' for at in range(4))

WARNED: list[tuple[str, list[tuple[str, str]], int | None, str]] = [
    (
        "borrowed_id",
        [('"square"', '"nordic-countries"')],
        1,
        "id 'nordic-countries' belongs to a built-in board; choose another, so that game records stay apart",
    ),
    (
        "lonely_cities",
        [('  { name = "Date"', f'  {LONELY}  {{ name = "Date"')],
        7,
        "city Elm has no route; add one, or remove the city",
    ),
    (
        "separate_parts",
        [
            ('  { name = "Date"', f'  {PAIR}  {{ name = "Date"'),
            ("routes = [", 'routes = [\n  { cities = ["Fir", "Elm"], length = 3, colour = "red" },'),
        ],
        7,
        "no route connects Elm, Fir to the other cities; add one",
    ),
    (
        "separate_parts",
        [('  { name = "Date"', f'  {FIVE}{{ name = "Date"'), ("routes = [", f"routes = [\n  {CHAIN},")],
        7,
        "no route connects Far 0, Far 1, Far 2, Far 3 and 1 more to the other cities; add one",
    ),
    (
        "same_places",
        [('"Cedar", x = 300, y = 300', '"Cedar", x = 300, y = 0')],
        6,
        "city Cedar is in the same place as Birch; move one of them",
    ),
    (
        "covered_spaces",
        [('"Cedar", x = 300, y = 300', '"Cedar", x = 150, y = 0')],
        11,
        "route Birch–Cedar blue covers spaces of Ash–Birch red on the drawing; bend one of them, or nudge a city",
    ),
    (
        "crowded_names",
        [('"Ash", x = 0, y = 0', '"Ash", x = 0, y = 0, label = "right"')],
        4,
        "the name of Ash covers something on the drawing; choose another side with label",
    ),
    (
        "odd_tickets",
        [('["Birch", "Date"], points = 6', '["Birch", "Date"], points = 9')],
        18,
        "ticket Birch–Date is worth 9, but its shortest path has 6 spaces; most tickets are worth their spaces",
    ),
    (
        "odd_tickets",
        [('["Birch", "Date"], points = 6', '["Birch", "Date"], points = 3')],
        18,
        "ticket Birch–Date is worth 3, but its shortest path has 6 spaces; most tickets are worth their spaces",
    ),
    (
        "odd_tickets",
        [("trains = 8", "trains = 5")],
        17,
        "ticket Ash–Cedar needs 6 trains, but a seat has 5; give more trains, or choose nearer cities",
    ),
    (
        "unclaimable_routes",
        [("trains = 8", "trains = 2")],
        10,
        "route Ash–Birch red has 3 spaces, but a seat has 2 trains; nobody can ever claim it",
    ),
    (
        "unclaimable_routes",
        [("each_colour = 4", "each_colour = 2")],
        10,
        "route Ash–Birch red costs 3 red, but there are only 2 of each colour and 4 locomotives; nobody can ",
    ),
    (
        "unclaimable_routes",
        [("locomotives = 4", "locomotives = 0")],
        12,
        "route Cedar–Date gray costs 1 locomotive and 2 of one colour; a locomotive can replace any card, but ",
    ),
    (
        "short_of_spaces",
        [("trains = 8", "trains = 9")],
        23,
        "2 seats have 18 trains but only 12 spaces to fill, so the last round may never begin; give fewer trains, ",
    ),
    (
        "idle_bonus_cards",
        [("bonus_cards_in_play = 1", "bonus_cards_in_play = 0")],
        30,
        "bonus_cards_in_play is 0, so no bonus card is ever used; set how many to draw for each game",
    ),
    (
        "idle_bonus_cards",
        [("bonus_cards_in_play = 1\n", "")],
        21,
        "bonus_cards_in_play is 0, so no bonus card is ever used; set how many to draw for each game",
    ),
    (
        "idle_bonus_cards",
        [("ferry = true", "length = 5")],
        20,
        "bonus card Ferry master counts no routes of this board; nobody can win it",
    ),
    (
        "idle_bonus_cards",
        [('most = "routes", ferry = true', 'most = "completed tickets", worth_at_most = 2')],
        20,
        "bonus card Ferry master counts no completed tickets of this board; nobody can win it",
    ),
]


@pytest.mark.parametrize(("kind", "pairs", "line", "sentence"), WARNED, ids=[f"{w[0]}-{w[3][:40]}" for w in WARNED])
def test_a_warning(tmp_path: Path, kind: str, pairs: list[tuple[str, str]], line: int | None, sentence: str) -> None:
    report = checked(tmp_path, changed(*pairs))
    assert report.faults == () and report.board is not None
    found = [warning for warning in report.warnings if warning.sentence.startswith(sentence)]
    assert [warning.line for warning in found] == [line], report.warnings
    told = [text for _, text in getattr(board_report, kind)(report.board)]
    assert found[0].sentence in told


def test_every_kind_of_warning_has_a_case() -> None:
    assert {kind for kind, *_ in WARNED} == {"borrowed_id", *(warn.__name__ for warn in board_report.WARNINGS)}


def test_a_route_that_covers_several_is_told_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "overlaps", lambda _: [(0, 2), (1, 2)])
    (warning,) = checked(tmp_path, GOOD).warnings
    assert warning.line == 12
    assert warning.sentence.startswith("route Cedar–Date gray covers spaces of Ash–Birch red and 1 more on the drawing")


def test_small_differences_of_a_ticket_are_fine(tmp_path: Path) -> None:
    for points in (4, 5, 7, 8):
        pair = ('["Birch", "Date"], points = 6', f'["Birch", "Date"], points = {points}')
        assert checked(tmp_path, changed(pair)).warnings == ()


@pytest.mark.parametrize(
    ("substitute", "payable"),
    [
        ("{ cards = 4, alike = false, any_space = true }", True),
        ("{ cards = 2, alike = true, any_space = true }", True),
        ("{ cards = 3, alike = true, any_space = true }", False),
        ("{ cards = 2, alike = true, any_space = false }", False),
    ],
)
def test_what_stands_in_may_make_a_route_payable(tmp_path: Path, substitute: str, payable: bool) -> None:
    """Two red cards pay for two of the three spaces."""
    report = checked(
        tmp_path,
        changed(
            ("each_colour = 4", "each_colour = 2"),
            ('length = 3, colour = "red"', f'length = 3, colour = "red", substitute = {substitute}'),
        ),
    )
    assert report.board is not None
    assert board_report.is_payable(report.board, report.board.routes[0]) == payable


def test_a_copy_of_a_built_in_board_may_keep_its_id(tmp_path: Path) -> None:
    source = Path(northrail.__file__).parent / "boards" / "nordic-countries.toml"
    path = tmp_path / "copy.toml"
    path.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    assert not [warning for warning in board_report.check(path).warnings if "id" in warning.sentence.split()[0]]


# --- the command ------------------------------------------------------------------------------------------------------


def test_check_board_tells_what_is_on_a_board(tmp_path: Path) -> None:
    checked(tmp_path, GOOD)
    told = run("check-board", tmp_path / "square.toml")
    assert told.exit_code == 0
    lines = [" ".join(line.split()) for line in told.stdout.splitlines()]
    assert max(len(line) for line in told.stdout.splitlines()[:-1]) <= 80
    for line in (
        "Square",
        "cities 4",
        "routes 5, with 1 double, 1 ferry, 1 tunnel",
        "spaces 15",
        "tickets 2, worth 6 to 6, 6.0 on average",
        "bonus cards 1, of which 1 in play",
        "cards 36: 4 of each colour, 4 locomotives",
        "seats 2",
        "trains 8 per seat; the longest ticket needs 6, all routes 15",
        f"{tmp_path / 'square.toml'}: no errors, no warnings: the board can be played",
    ):
        assert line in lines
    assert any(line.startswith("green 6 ████") for line in lines)
    assert any(line.endswith("3 5 ████████████████████") for line in lines)


def test_check_board_knows_the_built_in_boards() -> None:
    told = run("check-board", "northern-lights")
    assert told.exit_code == 0
    assert "50 in 9 countries" in told.stdout and "161, with 48 doubles, 2 triples, 53 ferries" in told.stdout
    assert "2 to 5" in told.stdout


def test_check_board_lists_faults_with_their_lines(tmp_path: Path) -> None:
    report = checked(tmp_path, changed(('"red"', '"rde"'), ("trains = 8", "trains = 99")))
    told = run("check-board", tmp_path / "square.toml")
    assert told.exit_code == 1
    text = " ".join(told.stdout.split())
    assert text.startswith("line error")
    for fault in report.faults:
        assert f"{fault.line} {fault.sentence}" in text
    assert text.endswith("2 errors: the board cannot be played yet")
    assert "seats" not in text  # nothing is said of what is on a board that is none


def test_check_board_lists_warnings_and_is_content(tmp_path: Path) -> None:
    checked(tmp_path, changed(("trains = 8", "trains = 9")))
    told = run("check-board", tmp_path / "square.toml")
    assert told.exit_code == 0
    text = " ".join(told.stdout.split())
    assert text.startswith("line warning") and "23 2 seats have 18 trains" in text
    assert text.endswith("no errors, 1 warning: the board can be played")


def test_the_verdict_counts() -> None:
    fault = Fault("wrong")
    assert board_report.Report("", None, (fault,), ()).verdict == "1 error: the board cannot be played yet"
    assert board_report.Report("", None, (), (fault,) * 2).verdict == "no errors, 2 warnings: the board can be played"


def test_check_board_takes_names_as_they_are(tmp_path: Path) -> None:
    checked(tmp_path, changed(('"Square"', '"[red]Square[/red] :smile:"')))
    assert "[red]Square[/red] :smile:" in run("check-board", tmp_path / "square.toml").stdout


def test_check_board_for_programs(tmp_path: Path) -> None:
    checked(tmp_path, GOOD)
    told = run("check-board", "--json", tmp_path / "square.toml")
    facts = json.loads(told.stdout)
    assert told.exit_code == 0 and facts["playable"] and facts["faults"] == facts["warnings"] == []
    assert facts["summary"]["routes_by_length"] == {"3": 5}
    assert facts["summary"]["spaces_by_colour"] | {"green": 6, "gray": 3} == facts["summary"]["spaces_by_colour"]
    checked(tmp_path, changed(("trains = 8", "trains = 0")))
    told = run("check-board", "--json", tmp_path / "square.toml")
    facts = json.loads(told.stdout)
    assert told.exit_code == 1 and not facts["playable"] and facts["summary"] is None
    assert facts["faults"] == [{"line": 23, "text": "rules: trains should be 1 to 60, got 0"}]


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_check_board_without_a_file(tmp_path: Path, words: list[str]) -> None:
    told = run("check-board", tmp_path / "none.toml", *words)
    assert told.exit_code == 2 and told.stdout == ""
    assert told.stderr.startswith("northrail: expected ") and told.stderr.endswith("; there is no such file\n")


# --- lines ------------------------------------------------------------------------------------------------------------

HEADERS = """\
id = "square"
name = "Square"

[[cities]]
name = "Ash"
x = 0
y = 0

[[cities]]
name = "Birch"
x = 300
y = 'far'

[[routes]]
cities = [
  "Ash",
  "Brich", # a comment with ] and "
]
length = 3
colour = "red"

[routes.substitute]
cards = 9
alike = false
any_space = true

[[routes]]
cities = ["Ash", "Birch"]
length = 30
colour = "red"

[[tickets]]
cities = ["Ash", "Birch"]

[rules]
seats.least = 2
seats.most = 7
trains = 9

[rules.cards]
each_colour = 4
locomotives = 4
hand = 20
"""


def test_lines_of_a_file_with_headers(tmp_path: Path) -> None:
    found = [(fault.line, fault.sentence.split(";")[0]) for fault in checked(tmp_path, HEADERS).faults]
    assert found == [
        (12, "city Birch: y should be a number, got 'far'"),
        (17, "route Ash–Brich: unknown city 'Brich'"),
        (23, "route Ash–Brich: substitute.cards should be 2 to 4, got 9"),
        (29, "route Ash–Birch: length should be 1 to 12, got 30"),
        (32, "ticket Ash–Birch: points is missing"),
        (35, "rules: first_tickets is missing"),
        (35, "rules: drawn_tickets is missing"),
        (35, "rules: route_points is missing"),
        (35, "rules: double_routes is missing"),
        (35, "rules: triple_routes is missing"),
        (37, "rules: seats.most should be 2 to 5, got 7"),
        (40, "rules: cards.face_up is missing"),
        (43, "rules: cards.hand should be 0 to 12, got 20"),
    ]


TRICKY = [
    'a = """',
    '[b] # "',
    '""\\""" """""',
    "\"c d\".'e' = 'x = [ # {'",
    "[[f]]",
    "[f.g]",
    "h = [[1, 2],",
    "  [3.5, { i = 1979-05-27 07:32:00, j.k = '' }]]",
    "[[f]] # [[f]]",
    "l = '''",
    "'] = '''''",
    'm = ""',
    "[f.n.o]",
]


def paths_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all things in a parsed file."""
    if path:
        yield path
    for at, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_in(inner, (*path, at))


def test_lines_of_texts_that_look_like_more() -> None:
    text = "\n".join(TRICKY)
    lines = lines_of(text)
    assert lines == {
        ("a",): 1,
        ("c d",): 4,
        ("c d", "e"): 4,
        ("f",): 5,
        ("f", 0): 5,
        ("f", 0, "g"): 6,
        ("f", 0, "g", "h"): 7,
        ("f", 0, "g", "h", 0): 7,
        ("f", 0, "g", "h", 0, 0): 7,
        ("f", 0, "g", "h", 0, 1): 7,
        ("f", 0, "g", "h", 1): 8,
        ("f", 0, "g", "h", 1, 0): 8,
        ("f", 0, "g", "h", 1, 1): 8,
        ("f", 0, "g", "h", 1, 1, "i"): 8,
        ("f", 0, "g", "h", 1, 1, "j"): 8,
        ("f", 0, "g", "h", 1, 1, "j", "k"): 8,
        ("f", 1): 9,
        ("f", 1, "l"): 10,
        ("f", 1, "m"): 12,
        ("f", 1, "n"): 13,
        ("f", 1, "n", "o"): 13,
    }
    assert set(lines) == set(paths_in(tomllib.loads(text)))
    assert line_of(lines, ("f", 1, "nothing", 5)) == 9 and line_of(lines, ("nothing",)) is None


@pytest.mark.parametrize("name", BUILT_IN)
def test_everything_in_a_board_file_has_its_line(name: str) -> None:
    text = (Path(northrail.__file__).parent / "boards" / f"{name}.toml").read_text(encoding="utf-8")
    lines = lines_of(text)
    assert set(lines) == set(paths_in(tomllib.loads(text)))
    for path, line in lines.items():
        assert not isinstance(path[-1], str) or path[-1] in text.splitlines()[line - 1]


# --- anything at all --------------------------------------------------------------------------------------------------


JUNK: list[Any] = [
    *(None, True, 0, -1, 7, 10**30, 0xF**5000, 1.5, math.nan, -math.inf, "", "x", "\x1b[31m", "é" * 500, [], [[]]),
    *([0, 0], ["A", "A"], [None, {}], {}, {"x": 1}, {"9" * 5000: 1}, datetime.date(2026, 1, 1), datetime.time(12)),
]


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a parsed file, as what holds it and under which key."""
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        yield data, key
        if isinstance(value, dict | list):
            yield from places(value)


def test_whatever_stands_anywhere_is_a_board_or_refused() -> None:
    data = tomllib.loads(GOOD)
    outcomes = {"a board": 0, "refused": 0}
    for holder, key in places(data):
        kept = holder[key]
        for junk in JUNK:
            holder[key] = junk
            told = told_of(data)
            assert all(line.isprintable() for line in told) and sum(map(len, told)) < 5_000, told
            outcomes["refused" if told else "a board"] += 1
        holder[key] = kept
    assert told_of(data) == []
    assert min(outcomes.values()) > 50, outcomes


def told_of(data: dict[str, Any]) -> list[str]:
    """Return the lines of a refusal; none for a board that can be played, whose warnings must then make sense."""
    try:
        board = build_board(data)
    except northrail.BadBoard as error:
        return str(error).splitlines()
    for path, sentence in board_report.warnings(BoardFile("square.toml", board, (), {})):
        assert path[0] in FIELDS["board"] and sentence.isprintable() and ("; " in sentence or ", " in sentence), (
            sentence
        )
    return []
