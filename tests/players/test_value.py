"""The network that judges situations: its inputs, its arithmetic, its files, and whether it knows who is ahead."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import northrail
from northrail import Board, Game
from northrail.boards.board import COLOURS, ROUTE_BITS, TICKET_BITS, numbers_in
from northrail.engine.knowledge import look
from northrail.engine.state import TURN, Moves, ViewStruct
from northrail.errors import NorthrailError
from northrail.players.plan_structs import PlanScratch, Weights
from northrail.players.planner import PLAYOUTS, Planner, fill_weights, tuned_weights
from northrail.players.search import Search
from northrail.players.training import Example, Recipe, TrainingScratch, gather
from northrail.players.tree import TreeScratch
from northrail.players.value import (
    CLOSED,
    HAND,
    MARGIN,
    OWNED,
    PAYABLE,
    Net,
    NetScratch,
    judge,
    load_net,
    net_of,
    save_net,
)


def made_up(seed: int = 0) -> Net:
    """Return a network with random weights."""
    rng, net = np.random.default_rng(seed), Net()
    for name in Net.fields:
        weights: Any = getattr(net, name)
        weights[...] = rng.normal(0, 0.2, weights.shape)
    return net


def quick_weights(board: Board) -> Weights:
    weights = Weights()
    fill_weights(weights, board, {}, PLAYOUTS)
    return weights


def turns(board: Board, seats: int, seed: int) -> Iterator[tuple[Game, ViewStruct]]:
    """Play a game of the planner; yield it at every turn, with the view of the seat to move."""
    game, player, view = Game(board, seats, seed=seed), Planner(), ViewStruct()
    while not game.over:
        look(board.struct, game.state, game.seat, view)
        if game.state.phase == TURN and game.state.turns_left < 0:
            yield game, view
        game.play(player.choose(game.view(game.seat)))


def judged(board: Board, view: ViewStruct, net: Net, scratch: NetScratch) -> Any:
    """Judge a view; return what the network predicts."""
    judge(board.struct, view, quick_weights(board), net, PlanScratch(), Moves(), scratch)
    return scratch.ends


def slowly(board: Board, net: Any, scratch: Any) -> Any:
    """Return what a network says, by the textbook."""
    first = net.first + np.asarray(scratch.inputs.numbers) @ np.asarray(net.numbers)
    for sets, weights, size, count in (
        (scratch.inputs.routes, net.routes, ROUTE_BITS, len(board.routes)),
        (scratch.inputs.tickets, net.tickets, TICKET_BITS, len(board.tickets)),
    ):
        members = [[int(word) >> place & 1 for word in words for place in range(size)][:count] for words in sets]
        first = first + np.einsum("km,kmu->u", members, np.asarray(weights)[:, :count])
    second = net.second + np.maximum(first, 0) @ np.asarray(net.between)
    return net.ends + np.maximum(second, 0) @ np.asarray(net.last)


@pytest.mark.engine
def test_the_kernel_computes_what_the_textbook_says(table: tuple[Board, int]) -> None:
    board, seats = table
    net, scratch = made_up(), NetScratch()
    seen = 0
    for _, view in turns(board, seats, seed=3):
        assert np.allclose(judged(board, view, net, scratch), slowly(board, net, scratch), atol=1e-4)
        seen += 1
        if seen == 12:
            break
    assert seen == 12


@pytest.mark.engine
def test_it_reads_what_the_view_says(nordic: Board) -> None:
    net, scratch = made_up(), NetScratch()
    inputs: Any = scratch.inputs
    for game, view in turns(nordic, 2, seed=5):
        judged(nordic, view, net, scratch)
        shown = game.view(game.seat)
        assert shown.options is not None
        cards = [round(4 * float(number)) for number in inputs.numbers[HAND : HAND + 9]]
        assert cards == [shown.hand.get(colour, 0) for colour in COLOURS]
        owners = shown.owners
        for route in range(len(nordic.routes)):
            bit = [int(words[route // ROUTE_BITS]) >> route % ROUTE_BITS & 1 for words in inputs.routes]
            assert bit[OWNED] == (owners.get(str(route)) == game.seat)
            assert bit[CLOSED] >= (owners.get(str(route)) not in (None, game.seat))
            assert bit[PAYABLE] == (str(route) in shown.options["claim"])
        done, meant, lost = (set(numbers_in(words.tolist(), TICKET_BITS)) for words in inputs.tickets)
        assert done == {ticket["number"] for ticket in shown.tickets if ticket["joined"]}
        assert not meant & lost and meant | lost == {ticket["number"] for ticket in shown.tickets} - done


def test_it_knows_who_is_ahead(table: tuple[Board, int]) -> None:
    """What it expects goes with the result, in games that it has not learned from."""
    board, seats = table
    net, players, recipe = net_of(board.digest), Weights.many(1), Recipe()
    assert net is not None
    for weights in (players[0], recipe.quick):
        fill_weights(weights, board, tuned_weights(board.id, PLAYOUTS))
    recipe.planners, recipe.rate = 1.0, 0.1
    examples = Example.many(2000)
    given = board.struct, TrainingScratch(), recipe, players, 1, TreeScratch.many(1)
    found = gather(*given, seats, 555_000_000, 100, examples, len(examples))
    assert found > 400
    kept = [examples[at] for at in range(found)]
    expected = [slowly(board, net, seen_in(example))[MARGIN] for example in kept]
    margins = [example.margin for example in kept]
    assert np.corrcoef(expected, margins)[0, 1] > 0.5


def seen_in(example: Example) -> Any:
    scratch: Any = NetScratch()
    scratch.inputs.numbers[...] = example.inputs.numbers
    scratch.inputs.routes[...] = example.inputs.routes
    scratch.inputs.tickets[...] = example.inputs.tickets
    return scratch


@pytest.mark.engine
def test_the_same_view_has_the_same_value_compiled_or_not(nordic: Board) -> None:
    """Plain Python runs this test too, and must give the same bits."""
    net, scratch = made_up(seed=1), NetScratch()
    *_, (_, view) = (each for each, _ in zip(turns(nordic, 2, seed=8), range(20), strict=False))
    assert [float(end).hex() for end in judged(nordic, view, net, scratch)] == EXPECTED


EXPECTED = ["-0x1.01222e0000000p+0", "-0x1.8a51260000000p+2"]


def test_a_network_fits_its_board_only(tmp_path: Path, nordic: Board, lights: Board) -> None:
    net: Any = made_up()
    save_net(tmp_path / "mine.npz", nordic, {name: np.asarray(getattr(net, name)) for name in Net.fields}, "a test")
    again: Any = load_net(str(tmp_path / "mine.npz"), nordic)
    assert np.allclose(np.asarray(again.between), np.asarray(net.between), atol=1e-3)
    with pytest.raises(NorthrailError, match=r"expected a network for Northern Lights as it is now; train it again"):
        load_net(str(tmp_path / "mine.npz"), lights)
    (tmp_path / "no.npz").write_text("not a network")
    with pytest.raises(NorthrailError, match="expected a network that `make train` wrote"):
        load_net(str(tmp_path / "no.npz"), nordic)


def test_a_search_on_a_board_of_your_own_does_without(tmp_path: Path, nordic: Board) -> None:
    path = tmp_path / "mine.toml"
    text = (Path(northrail.__file__).parent / "boards" / "nordic-countries.toml").read_text("utf-8")
    path.write_text(text.replace("points = 5", "points = 6", 1), "utf-8")
    mine = northrail.load_board(str(path))
    assert mine.digest != nordic.digest and net_of(mine.digest) is None
    game, search = Game(mine, 2, seed=1), Search(iterations=2)
    search.start(mine, 0, 2, 1)
    assert search.choose(game.view(game.seat)) in [move.number for move in game.moves()]
    assert not search._settings.network
    search.choose(Game(nordic, 2, seed=1).view(0))
    assert search._settings.network
