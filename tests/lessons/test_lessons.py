"""Lessons: every one can be played to its end in every way it accepts, and a bad file says what is wrong with it."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from positions import LIGHTS, NORDIC, small_board

import northrail
from northrail.boards.load import BUILT_IN
from northrail.cli import board_report
from northrail.engine.choices import choice_from
from northrail.errors import BadLesson
from northrail.lessons import Lesson, load_lessons, read_lesson

BOARDS = {board.id: board for board in (NORDIC, LIGHTS)}
LESSONS = [lesson for name in BUILT_IN for lesson in load_lessons(BOARDS[name], name)]

GOOD = """
title = "A first route"
teaches = "Claim a route"
rivals = ["Bo"]

[start]
seats = 2
seat = 0
phase = "turn"
hands = [{ red = 2 }, { blue = 1 }]
face_up = ["green", "white"]
tickets = [[["A", "B"]], [["A", "C"]]]

[[steps]]
say = "You have {red} red cards."
show = { cities = ["A"] }

[[steps]]
say = "Claim A–B for {points} points, and complete a ticket worth {ticket A–B}."
otherwise = "Claim A–B first."
do = { kind = "claim", route = ["A", "B"] }

[[steps]]
rival = { kind = "blind" }

[[steps]]
rival = { kind = "take", colour = "white" }

[[steps]]
say = "Draw."
do = [{ kind = "blind" }, { kind = "take", colour = "green" }]
"""


def played(lesson: Lesson, way: int) -> northrail.Game:
    """Play a lesson through the engine with the first or the last choice that each step accepts."""
    game = northrail.Game.from_position(BOARDS[lesson.board], lesson.start)
    for version, step in enumerate(lesson.moves):
        assert step.version == version
        choice: dict[str, Any] = dict(step.choices[way])
        if choice["kind"] == "claim" and "cards" not in choice:
            options = game.view(game.seat).options
            assert options is not None
            choice["cards"] = options["claim"][str(choice["route"])]["payments"][way]
        assert (step.who == "you") == (game.seat == 0)
        assert step.accepts(choice | ({"place": 2} if choice["kind"] == "take" else {}))
        game.apply(choice_from(choice))
    return game


def test_the_lessons_are_those_we_promise() -> None:
    assert [lesson.id for lesson in LESSONS] == [
        "nordic-countries/1-first-route",
        "nordic-countries/2-tickets",
        "nordic-countries/3-ferry",
        "nordic-countries/4-tunnel",
        "nordic-countries/5-locomotives",
        "nordic-countries/6-last-round",
        "northern-lights/1-northern-lights",
    ]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
@pytest.mark.parametrize("way", [0, -1])
def test_a_lesson_can_be_played_to_its_end(lesson: Lesson, way: int) -> None:
    game = played(lesson, way)
    assert game.over == (lesson.id == "nordic-countries/6-last-round")
    assert 3 <= sum(step.who == "you" for step in lesson.moves) <= 6
    assert any(step.who == "rival" for step in lesson.moves)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_every_move_has_a_reason_and_an_answer_to_other_moves(lesson: Lesson) -> None:
    assert lesson.steps[-1].who == "nobody", "the last step says what was learned"
    for step in lesson.steps:
        for text in (step.say, step.otherwise):
            assert "{" not in text
            assert not re.search(r"\b1 (points|trains|cards)\b|'", text), text
            assert all(len(sentence.split()) <= 25 for sentence in re.split(r"[.!?:] ", text)), text
        if step.who == "you" and step.choices[0]["kind"] != "give_up":
            assert step.otherwise
            assert step.show != type(step.show)() or step.choices[0]["kind"] == "tunnel"


def test_lessons_tell_what_the_game_says() -> None:
    lessons = {lesson.id.partition("/")[2]: lesson for lesson in LESSONS}
    long_route = next(route for route in NORDIC.routes if route.length == 9)
    assert any(f"is worth {long_route.points} points" in step.say for step in lessons["5-locomotives"].steps)
    end = played(lessons["6-last-round"], 0)
    yours, rival = end.scores()
    assert f"You win, {yours.total} to {rival.total}" in lessons["6-last-round"].steps[-1].say
    assert end.winners() == [0] and yours.completed > rival.completed
    tunnel = played(lessons["4-tunnel"], 0)
    assert {"Lillehammer–Oslo", "Åndalsnes–Lillehammer"} <= {
        "–".join(NORDIC.routes[int(route)].cities) for route, seat in tunnel.view(0).owners.items() if seat == 0
    }
    assert all(ticket["joined"] for ticket in played(lessons["2-tickets"], 0).view(0).tickets)


def test_an_own_board_brings_lessons_in_the_folder_beside_it(tmp_path: Path) -> None:
    board = small_board(tmp_path)
    assert load_lessons(board, tmp_path / "small.toml") == ()
    folder = tmp_path / "small.lessons"
    folder.mkdir()
    (folder / "1-route.toml").write_text(GOOD, encoding="utf-8")
    (folder / "notes.txt").write_text("not a lesson")
    (lesson,) = load_lessons(board, tmp_path / "small.toml")
    assert lesson.id == "small/1-route"
    assert [step.say for step in lesson.steps][:2] == [
        "You have 2 red cards.",
        "Claim A–B for 2 points, and complete a ticket worth 2.",
    ]
    claim, draw = lesson.steps[1], lesson.steps[-1]
    assert claim.accepts({"kind": "claim", "route": 0, "cards": {"red": 2, "blue": 0}})
    assert not claim.accepts({"kind": "claim", "route": 1, "cards": {"red": 2}})
    assert draw.accepts({"kind": "blind"}) and not draw.accepts({"kind": "take", "colour": "red"})
    assert claim.show.routes == (0,) and draw.show.cards == ("green",) and draw.show.parts == ("deck",)


def test_a_table_follows_its_lesson_or_an_edited_one(tmp_path: Path) -> None:
    board = small_board(tmp_path)
    lesson = read_lesson(board, "one", GOOD.encode())
    claim = {"kind": "claim", "route": 0, "cards": {"red": 2}}
    assert lesson.led_to(lesson.start, [claim, {"kind": "blind"}])
    assert not lesson.led_to(lesson.start, [{"kind": "blind"}])
    assert not lesson.led_to({**lesson.start, "rng": 5}, [claim])
    assert not lesson.led_to(lesson.start, [claim, *[{"kind": "blind"}] * 9])


@pytest.mark.parametrize(
    ("was", "now", "sentence"),
    [
        ('title = "A first route"', "", "one.toml: title: expected a text of at most 260 characters, got None"),
        ('title = "A first', 'titel = "A first', "one.toml: titel: unknown field; did you mean 'title'?"),
        ('["Bo"]', '["Bo", "Cy"]', "one.toml: rivals: expected 1 names, one for each seat but yours, got ['Bo', 'Cy']"),
        ("{ red = 2 }", "{ red = 9 }", "one.toml: start: hands: expected 2 red cards in all places together, got 9"),
        ("tickets = [", "owners = 3\ntickets = [", "one.toml: start.owners: expected a list of routes for each seat"),
        ("tickets = [", 'owners = [[["A", "D"]]]\ntickets = [', "start.owners: expected two cities joined by a route"),
        ('say = "Draw."', 'say = "{cats}"', "one.toml: step 5: say: expected numbers such as {trains}"),
        ('say = "Draw."', f'say = "{"x" * 300}"', "one.toml: step 5: say: expected a text of at most 260 characters"),
        ('say = "Draw."', 'say = "You have {green}."\nask = 1', "one.toml: step 5: ask: unknown field"),
        ('["A", "B"] }', '["A", "Q"] }', "one.toml: step 2: do: expected a city of Small, got 'Q'"),
        ('["A", "B"] }', '"A" }', "one.toml: step 2: do: expected a route such as"),
        ('["A", "B"] }', '["A", "C"] }', "step 2: do: expected a route that can be claimed now, got A–C"),
        ('colour = "white"', 'colour = "red"', "one.toml: step 4: rival: seat 1 cannot take red"),
        (
            'rival = { kind = "blind" }',
            'rival = { kind = "nap" }',
            "one.toml: step 3: rival: expected a choice such as",
        ),
        ('rival = { kind = "blind" }', 'rival = "blind"', "one.toml: step 3: rival: expected a choice such as"),
        (
            'rival = { kind = "blind" }',
            'rival = { kind = "claim", route = ["A", "C"] }',
            "one.toml: step 3: rival: expected the cards that the rival pays with",
        ),
        (
            'rival = { kind = "blind" }',
            'say = "x"\ndo = { kind = "blind" }',
            "step 3: do: expected a move of the seat to move, which is a rival's",
        ),
        ('cities = ["A"]', 'cities = ["Q"]', "one.toml: step 1: show: expected a city of Small, got 'Q'"),
        ('cities = ["A"]', 'parts = ["sky"]', "one.toml: step 1: show: expected deck, ticket deck"),
        ('cities = ["A"]', 'cats = ["A"]', "one.toml: step 1: show.cats: unknown field; expected routes, cities"),
        ('cities = ["A"]', 'cities = "A"', "one.toml: step 1: show: expected lists such as"),
        ("[[steps]]\nrival", '[[steps]]\ndo = { kind = "blind" }\nrival', "step 3: do: expected either do or rival"),
        ("[start]", "[start", "one.toml: not TOML:"),
    ],
)
def test_a_bad_lesson_names_the_file_and_the_field(tmp_path: Path, was: str, now: str, sentence: str) -> None:
    assert was in GOOD
    with pytest.raises(BadLesson) as error:
        read_lesson(small_board(tmp_path), "one", GOOD.replace(was, now, 1).encode())
    assert sentence in str(error.value)


def test_texts_must_be_true_after_every_choice_a_step_accepts(tmp_path: Path) -> None:
    more = GOOD + '\n[[steps]]\nsay = "You have {green} green cards."\n'
    with pytest.raises(BadLesson, match="step 5: do: expected texts that are true after every choice it accepts"):
        read_lesson(small_board(tmp_path), "one", more.encode())


@pytest.mark.parametrize("missing", ["start", "steps"])
def test_a_lesson_needs_a_position_and_steps(tmp_path: Path, missing: str) -> None:
    data = tomllib.loads(GOOD)
    assert missing in data
    text = GOOD.partition("[start]" if missing == "start" else "[[steps]]")[0]
    with pytest.raises(BadLesson, match=f"one.toml: {missing}: expected"):
        read_lesson(small_board(tmp_path), "one", text.encode())


def test_check_board_warns_about_a_bad_lesson(tmp_path: Path) -> None:
    small_board(tmp_path)
    folder = tmp_path / "small.lessons"
    folder.mkdir()
    assert not board_report.check(tmp_path / "small.toml").warnings
    (folder / "one.toml").write_text(GOOD.replace("rivals", "rival"), encoding="utf-8")
    (warning,) = board_report.check(tmp_path / "small.toml").warnings
    assert "lesson one.toml: rival: unknown field; did you mean 'rivals'?" in str(warning)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_lessons_name_routes_and_tickets_as_the_page_does(lesson: Lesson) -> None:
    board = BOARDS[lesson.board]
    known = {"–".join(route.cities) for route in board.routes} | {"–".join(ticket.cities) for ticket in board.tickets}
    cities = "|".join(sorted((city.name for city in board.cities), key=len, reverse=True))
    for step in lesson.steps:
        for name in re.findall(rf"(?:{cities})–(?:{cities})", f"{step.say} {step.otherwise}"):
            assert name in known
