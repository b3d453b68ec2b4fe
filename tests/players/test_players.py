"""How players are found, and that they see only their view."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blindness import World, assert_blind

import northrail
from northrail import Game, Move, View
from northrail.engine.state import State
from northrail.players import BadPlayer, load_player
from northrail.players.basic import Random, Simple
from northrail.players.levels import PLAYERS

MINE = """
from beside import FAVOURITE

class Mine:
    def __init__(self, colour=FAVOURITE, times=1):
        self.colour, self.times = colour, times

    def choose(self, view):
        return view.moves[0]
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A player in a file, with a module beside it."""
    (tmp_path / "beside.py").write_text("FAVOURITE = 'red'\n", encoding="utf-8")
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


def refusal(text: object) -> str:
    with pytest.raises(BadPlayer) as caught:
        load_player(str(text))
    return str(caught.value)


# --- finding ----------------------------------------------------------------------------------------------------------


@pytest.mark.engine
def test_every_name_leads_to_a_player() -> None:
    for name in PLAYERS:
        recipe = load_player(name)
        assert recipe.name == name and callable(recipe().choose)
        assert len(recipe.digest) == 12


@pytest.mark.engine
def test_your_own_file_is_a_player_with_arguments(mine: Path) -> None:
    player: Any = load_player(f"{mine}:Mine:colour='blue',times=3")()
    assert (player.colour, player.times) == ("blue", 3)
    plain: Any = load_player(f"{mine}:Mine")()
    assert (plain.colour, plain.times) == ("red", 1)
    assert load_player(f"{mine}:Mine:times=3").name == "mine.py:Mine:times=3"
    assert load_player(f"{mine}").name == "mine.py:Mine"


@pytest.mark.engine
def test_a_recipe_travels_without_its_file(mine: Path) -> None:
    recipe = load_player(f"{mine}:Mine:times=2")
    parcel = pickle.dumps(recipe)
    mine.unlink()
    arrived = pickle.loads(parcel)
    player: Any = arrived()
    assert player.times == 2 and arrived.digest == recipe.digest != ""


def test_the_digest_depends_on_the_arguments() -> None:
    assert len({load_player(name).digest for name in ("beginner", "easy", "medium", "hard")}) == 4
    assert load_player("hard").digest == load_player("planner:kind='patient'").digest


@pytest.mark.engine
def test_an_edited_file_is_another_player(mine: Path) -> None:
    before = load_player(f"{mine}:Mine")
    mine.write_text(MINE.replace("times=1", "times=9"), encoding="utf-8")
    after = load_player(f"{mine}:Mine")
    assert before.digest != after.digest
    players: list[Any] = [before(), after()]
    assert [player.times for player in players] == [1, 9]


@pytest.mark.engine
def test_something_that_is_not_a_player_is_refused_with_a_sentence(mine: Path, tmp_path: Path) -> None:
    assert "random, simple" in refusal("nobody") and "did you mean" not in refusal("nobody")
    assert "did you mean simple?" in refusal("Simpel")
    assert "did you mean random?" in refusal("randon:seed=1")
    assert "unexpected keyword argument 'depth'" in refusal("random:depth=3")
    assert "No such file" in refusal(tmp_path / "missing.py")
    (tmp_path / "folder.py").mkdir()
    assert "Is a directory" in refusal(tmp_path / "folder.py")
    assert "mine.py:Mine" in refusal(f"{mine}:Yours")
    for arguments in ("times", "times=", "times=open('x')", "**{}", "1", "times=2)(", "times=2) + _("):
        assert "iterations=200" in refusal(f"{mine}:Mine:{arguments}")
    two = tmp_path / "two.py"
    two.write_text(
        "class A:\n def choose(self, view): ...\nclass B(A): pass\nNUMBER = 3\nclass C: pass\n", encoding="utf-8"
    )
    assert "two.py:A or" in refusal(two) and "two.py:B" in refusal(two)
    assert "two.py:A" in refusal(f"{two}:NUMBER")
    assert "choose(view)" in refusal(f"{two}:C")
    two.write_text("import no_such_module\n", encoding="utf-8")
    assert "no_such_module" in refusal(two)
    two.write_text("raise SystemExit('bye')\n", encoding="utf-8")
    assert "SystemExit: bye" in refusal(two)
    two.write_text("class (", encoding="utf-8")
    assert "SyntaxError" in refusal(two)
    two.write_text("class A:\n def __init__(self): 1/0\n def choose(self, view): ...\n", encoding="utf-8")
    assert "ZeroDivisionError" in refusal(two)
    two.write_bytes(b"\xff\xfe")
    assert "utf-8" in refusal(two)


# --- what players see -------------------------------------------------------------------------------------------------


def reachable(thing: Any, seen: set[int]) -> Any:
    """Yield every object that can be reached from another by looking into it."""
    if id(thing) in seen or isinstance(thing, str | int | float | bool | type | None):
        return
    seen.add(id(thing))
    yield thing
    parts: list[Any] = []
    if isinstance(thing, dict):
        parts += [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        parts += thing
    elif isinstance(thing, np.ndarray):
        parts.append(thing.base)
    parts += vars(thing).values() if hasattr(thing, "__dict__") else ()
    for part in parts:
        yield from reachable(part, seen)


def test_nothing_hidden_can_be_reached_from_a_view(board: northrail.Board) -> None:
    game = Game(board, seats=2, seed=3)
    for _ in range(30):
        game.play(game.moves()[-1])
    view = game.view(game.seat)
    _ = view.moves
    for thing in reachable(view, set()):
        assert not isinstance(thing, Game)
        assert not isinstance(thing, State)
    assert any(thing is game.state for thing in reachable(game, set())), "the search would find it"


# --- our players ------------------------------------------------------------------------------------------------------


def test_the_random_player_chooses_the_same_from_a_view_and_from_its_struct(board: northrail.Board) -> None:
    one, other = Random(), Random()
    game = Game(board, seats=2, seed=5)
    for player in (one, other):
        player.start(board, 0, 2, 99)
    kinds = set()
    while not game.over:
        view = game.view(game.seat)
        number = one.choose(view)
        assert number == other.choose_struct(board, view.struct)
        kinds.add(next(move.kind for move in view.moves if move.number == number))
        game.play(number)
    assert {"claim", "take", "blind", "draw_tickets", "keep"} <= kinds


def test_the_simple_player_pays_for_its_claims_at_once(nordic: northrail.Board) -> None:
    game = Game(nordic, seats=2, seed=5)
    claims = 0
    while not game.over:
        choice = Simple().choose(game.view(game.seat))
        if isinstance(choice, tuple):
            claims += 1
            game.claim(*choice)
        else:
            assert isinstance(choice, Move) and choice.kind != "claim"
            game.play(choice)
    assert claims > 10


# --- blindness --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "simple"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_players_are_blind(name: str, seed: int, table: tuple[northrail.Board, int]) -> None:
    assert_blind(lambda _: load_player(name)(), *table, seed=seed, decisions=15)


class Peeker(Simple):
    """A simple player that peeks: it takes a card of which the next seat holds many, if it can."""

    def __init__(self, world: World) -> None:
        self.world = world

    def choose(self, view: View) -> Any:
        other = self.world().view((view.seat + 1) % view.seats)
        takes = [move for move in view.moves if move.kind == "take" and move.colour != "locomotive"]
        return max(takes, key=lambda move: other.hand.get(str(move.colour), 0)) if takes else super().choose(view)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_player_that_peeks_is_caught(seed: int, table: tuple[northrail.Board, int]) -> None:
    with pytest.raises(AssertionError, match="in another that looks the same"):
        assert_blind(Peeker, *table, seed=seed)


def test_a_view_cannot_be_written_to(nordic: northrail.Board) -> None:
    view = Game(nordic, seats=2, seed=1).view(0)
    with pytest.raises(AttributeError, match="read only"):
        view.hand = {}
