"""The test positions: the file is sound, and players are examined fairly."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from northrail import Game
from northrail.arena import positions
from northrail.arena.positions import KINDS, Problem, Share, answers_of, decision_of, load_problems, shares_of
from northrail.cli.app import app
from northrail.engine.choices import Claim, GiveUp, PayTunnel
from northrail.errors import BadMove
from northrail.players import load_player

PROBLEMS = load_problems()
FILE = Path(positions.__file__).with_suffix(".json")
ROOT = Path(__file__).parents[2]
SHARES: dict[str, Any] = json.loads((ROOT / "docs" / "strength" / "positions.json").read_text("utf-8"))


def test_there_are_enough_of_every_kind_on_both_boards() -> None:
    assert len(PROBLEMS) >= 200
    assert len({each.name for each in PROBLEMS}) == len(PROBLEMS)
    for board in ("nordic-countries", "northern-lights"):
        assert {each.kind for each in PROBLEMS if each.board.id == board and each.seats == 2} == {*KINDS}
    assert {each.seats for each in PROBLEMS} == {2, 3, 5}
    assert sum(bool(each.exact) for each in PROBLEMS) >= 20


def test_the_file_is_small() -> None:
    assert FILE.stat().st_size < 300_000


def test_every_position_loads_and_its_best_decisions_are_legal() -> None:
    for each in PROBLEMS:
        view = each.view()
        legal = {move.text for move in view.moves}
        named = {*each.best, *each.losses}
        assert view.me == view.seat and {*each.best} <= legal and named <= legal, each.name
        assert each.kind in KINDS
        assert len(legal) == len(named) + each.rest[0], f"{each.name}: every legal move was compared"
        assert each.json() == positions.problem_from(each.json()).json()


def test_every_other_decision_is_clearly_worse_and_all_checks_agree() -> None:
    for each in PROBLEMS:
        others = {move: loss for move, loss in each.losses.items() if move not in each.best}
        assert others, each.name
        for move, (loss, error) in others.items():
            assert loss >= 2.5 and loss >= 4 * error - 0.05, f"{each.name}: {move}"  # the file has rounded numbers
        agreed, searches, _ = each.searches
        assert agreed == searches or each.exact, each.name
        for move, loss in each.exact.items():
            assert (loss < 2.5) == (move in each.best), f"{each.name}: {move}"


def test_quick_players_solve_what_the_documentation_says() -> None:
    """`random` and `simple` depend on no weights and no search, so only a change of the list changes their shares."""
    for name in ("random", "simple"):
        found = shares_of(PROBLEMS, answers_of(load_player(name), PROBLEMS))
        assert {kind: [share.solved, share.of] for kind, share in found.items()} == SHARES["players"][name]


def test_the_documentation_is_about_this_list() -> None:
    counts = {kind: sum(each.kind == kind for each in PROBLEMS) for kind in KINDS} | {"all": len(PROBLEMS)}
    for shares in SHARES["players"].values():
        assert {kind: of for kind, (_, of) in shares.items()} == counts


def test_a_claim_counts_however_it_is_paid_and_in_every_form_of_answer() -> None:
    problem = next(each for each in PROBLEMS if each.best[0].startswith("claim "))
    view = problem.view()
    claim = next(
        choice
        for choice in view.choices
        if isinstance(choice, Claim) and f"claim {view.board.routes[choice.route]}" == problem.best[0]
    )
    number = Game.imagine(view).find_move(problem.best[0]).number
    for answer in (claim, (claim.route, claim.cards), number, problem.best[0]):
        assert decision_of(view, answer) == problem.best[0]
    for wrong in (GiveUp(), PayTunnel({"red": 1}), "pass"):
        with pytest.raises(BadMove, match=r"expected a (legal move|decision) of phase"):
            decision_of(view, wrong)


def test_every_whole_choice_starts_with_a_legal_move() -> None:
    for problem in PROBLEMS[::10]:
        view = problem.view()
        assert {decision_of(view, choice) for choice in view.choices} == {move.text for move in view.moves}


class Perfect:
    """Knows the answers."""

    def choose(self, view: Any) -> str:
        return next(each.best[-1] for each in PROBLEMS if bytes(each.view().struct) == bytes(view.struct))


def test_a_perfect_player_solves_all() -> None:
    recipe: Any = Perfect
    some = PROBLEMS[::40]
    assert shares_of(some, answers_of(recipe, some))["all"] == Share(len(some), len(some))


def test_an_illegal_answer_is_an_error_that_names_the_player_and_the_position(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def choose(self, view):\n        return 'pass'\n", "utf-8")
    recipe = load_player(str(path))
    with pytest.raises(BadMove, match=f"in position {PROBLEMS[0].name}: expected a legal move"):
        answers_of(recipe, PROBLEMS[:1])


def test_shares_have_intervals() -> None:
    assert str(Share(30, 40)) == "75% (60–86)"
    assert str(Share(0, 0)) == "–"


# --- the command ------------------------------------------------------------------------------------------------------


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["positions", *map(str, words)], env={"COLUMNS": "120"})


def test_the_command_shows_a_row_for_each_kind_and_a_column_for_each_player() -> None:
    result = run("random", "simple")
    assert result.exit_code == 0, result.stderr
    lines = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert lines == ["decision", *KINDS, "all"]
    assert "random" in result.stdout and "simple" in result.stdout


def test_the_command_prints_json_with_every_answer() -> None:
    result = run("random", "--kind", "last round", "--board", "nordic-countries", "--seats", 2, "--json")
    found = json.loads(result.stdout)["players"]["random"]
    wanted: list[Problem] = [
        each for each in PROBLEMS if (each.kind, each.board.id, each.seats) == ("last round", "nordic-countries", 2)
    ]
    assert {*found["answers"]} == {each.name for each in wanted}
    assert found["shares"]["all"]["of"] == len(wanted)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("randon",), "did you mean random"),
        (("random", "--kind", "opening"), "expected one of first tickets"),
        (("random", "--seats", "4"), "expected a table with test positions"),
    ],
)
def test_the_command_says_what_is_wrong(words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2 and said in result.stderr
