"""Structs: one declaration for Python, NumPy and C. Kernels refuse arguments of the wrong kind."""

import pickle
from typing import Any

import numpy as np
import pytest

import northrail
from northrail.boards.board import BoardStruct
from northrail.engine.knowledge import imagine, look
from northrail.engine.payment import set_for
from northrail.engine.rules import Log, apply, deal, legal
from northrail.engine.state import Moves, State, ViewStruct
from northrail.kernels.decorators import COMPILED
from northrail.kernels.structs import Struct, clear_struct, copy_struct, float64, int8, int16, int64, part
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import CAREFUL, choose

pytestmark = pytest.mark.engine


class Inner(Struct):
    """A nested struct."""

    small = int8()
    wide = int64(2)


class Outer(Struct):
    """One field of each kind."""

    flag = int8()
    weight = float64()
    table = int16(2, 3)
    one = part(Inner)
    several = part(Inner, 3)


def test_all_fields_share_the_structs_memory() -> None:
    outer = Outer()
    outer.flag, outer.weight = -3, 0.25
    outer.table[1, 2] = 300
    outer.one.small = 7
    outer.several[2].wide[1] = 1 << 62
    record = outer.array[0]
    assert (record["flag"], record["weight"], record["table"][1, 2], record["one"]["small"]) == (-3, 0.25, 300, 7)
    assert record["several"]["wide"][2, 1] == 1 << 62
    assert outer.values.table == [(0, 0, 0), (0, 0, 300)] and outer.values.weight == 0.25


def test_a_value_that_does_not_fit_is_refused() -> None:
    outer = Outer()
    for wrong in (128, -129, "1"):
        with pytest.raises(Exception, match=r"byte format|integer"):
            outer.flag = wrong  # type: ignore[assignment]  # the wrong type is the point
    with pytest.raises(IndexError, match="from 0 to 2, got 3"):
        outer.several[3]


def test_copies_are_independent_and_survive_pickling() -> None:
    outer = Outer()
    outer.one.wide[0] = 5
    twin, sent = outer.copy(), pickle.loads(pickle.dumps(outer))
    outer.one.wide[0] = 6
    assert (twin.one.wide[0], sent.one.wide[0], Outer.of(bytes(outer)).one.wide[0]) == (5, 5, 6)
    copy_struct(twin, outer)
    assert bytes(twin) == bytes(outer)
    clear_struct(twin)
    assert not any(bytes(twin))


def test_a_state_and_a_view_share_only_public_fields() -> None:
    game = northrail.Game(northrail.load_board("northern-lights"), 3, seed=4)
    view = ViewStruct()
    copy_struct(view, game.state)
    for name in ViewStruct.fields:
        is_public = ViewStruct.fields[name] is State.fields.get(name)
        same = np.array_equal(getattr(view, name), getattr(game.state, name)) if is_public else True
        assert same, name
        assert is_public or not np.any(getattr(view, name)), f"{name} must not be copied"


WRONG: list[tuple[Any, tuple[Any, ...], str]] = [
    (legal, (BoardStruct(), Moves(), Moves()), "expected a State or a ViewStruct, got <.*Moves"),
    (legal, (State(), State(), Moves()), "expected a BoardStruct, got <.*State"),
    (apply, (BoardStruct(), ViewStruct(), 0, Log()), "expected a State, got <.*ViewStruct"),
    (look, (BoardStruct(), ViewStruct(), 0, ViewStruct()), "expected a State, got <.*ViewStruct"),
    # A player must get a view: a state would show it everything.
    (
        choose,
        (BoardStruct(), State(), Weights(), PlanScratch(), Plan(), Moves(), CAREFUL),
        "expected a ViewStruct, got <.*State",
    ),
    (deal, (None, State(), 2, 0, 0, Log()), "expected a BoardStruct, got None"),
    (imagine, (BoardStruct(), ViewStruct(), np.zeros(1, np.int32), State()), "expected an array of int64"),
    (set_for, (BoardStruct(), 0, np.zeros(18, np.int8)[::2]), "contiguous"),
]


@pytest.mark.skipif(not COMPILED, reason="plain Python does not check its arguments")
@pytest.mark.parametrize(("kernel", "arguments", "message"), WRONG, ids=lambda thing: getattr(thing, "__name__", ""))
def test_a_kernel_refuses_arguments_of_the_wrong_kind(kernel: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((TypeError, ValueError, BufferError), match=message):
        kernel(*arguments)


@pytest.mark.skipif(not COMPILED, reason="only compiled code checks sizes")
def test_a_struct_with_too_little_memory_is_refused() -> None:
    board = northrail.load_board("nordic-countries").struct
    for memory in (memoryview(bytearray(39)), memoryview(bytes(40)), memoryview(bytearray(80))[::2]):
        with pytest.raises(TypeError, match="expected a Moves of 40 bytes that can be written to"):
            legal(board, State(), Moves(memory))
