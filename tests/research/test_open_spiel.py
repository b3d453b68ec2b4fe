"""The game in OpenSpiel: its own tests, its bots, and the same tensors as `Game`. Only `make test-long` installs it."""

import pickle
import random
from typing import Any

import numpy as np
import pytest
from observations import compact
from tables import TABLES, Size

import northrail

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; run: pip install 'northrail[research]'")
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402  # only if it is installed

from northrail.research import open_spiel_game  # noqa: E402

pytestmark = pytest.mark.long

Table = tuple[northrail.Board, int]


def load(board: str, players: int) -> Any:
    return pyspiel.load_game(f"python_northrail(board={board},players={players})")


def start(table: Table, seed: int) -> tuple[Any, northrail.Game]:
    """Return a dealt state, and the same game."""
    board, seats = table
    state = load(board.id, seats).new_initial_state()
    state.apply_action(seed // 256)
    state.apply_action(seed % 256)
    return state, northrail.Game(board, seats, seed)


def play(state: Any, action: int, outcome: int = 0) -> None:
    """Play an action, and the chance node that may follow."""
    state.apply_action(action)
    if state.is_chance_node():
        state.apply_action(outcome)


@pytest.mark.parametrize(("board", "players"), TABLES)
def test_their_random_simulation_passes(board: str, players: int) -> None:
    pyspiel.random_sim_test(load(board, players), num_sims=3, serialize=True, verbose=False)


def test_a_million_steps_are_steps_of_game(table: Table, size: Size) -> None:
    """Players, legal actions, their texts and the returns; every so many times what all players observe."""
    seats = table[1]
    state, game = start(table, seed := 300)
    chance = random.Random(1)
    for step in range(size.pick(50, 1000, 1_000_000 // len(TABLES))):
        legal = [move.number for move in game.moves()]
        assert state.current_player() == game.seat and state.legal_actions() == legal
        for me in range(seats if step % 20 == 0 else 0):
            np.testing.assert_array_equal(state.observation_tensor(me), compact(game, me))
        action = chance.choice(legal)
        assert state.action_to_string(game.seat, action) == str(game.find_move(action))
        game.play(action)
        play(state, action)
        if game.over:
            assert state.is_terminal()
            winners, returns = game.winners(), state.returns()
            assert {seat for seat in range(seats) if returns[seat] == max(returns)} == set(winners)
            assert sum(returns) == pytest.approx(0) and (len(winners) > 1 or max(returns) == 1)
            seed += 1
            state, game = start(table, seed)


def test_a_saved_state_continues_in_the_same_way(table: Table) -> None:
    chance = random.Random(2)
    state, _ = start(table, 5)
    for _ in range(60):
        state.apply_action(chance.choice(state.legal_actions()))
        for again in (state.clone(), pickle.loads(pickle.dumps(state))):
            assert again.history() == state.history() and again.current_player() == state.current_player()
            assert again.legal_actions() == state.legal_actions()
            for me in range(table[1]):
                assert again.information_state_string(me) == state.information_state_string(me)
                assert again.information_state_tensor(me) == state.information_state_tensor(me)


def test_resampled_states_look_the_same_to_the_player(table: Table, size: Size) -> None:
    chance = random.Random(3)
    state, _ = start(table, 9)
    changed = 0
    for _ in range(size.pick(10, 80, 300)):
        if state.is_terminal():
            break
        me = state.current_player()
        twin = state.resample_from_infostate(me, chance.random)
        assert twin.information_state_string(me) == state.information_state_string(me)
        assert twin.observation_string(me) == state.observation_string(me)
        assert twin.information_state_tensor(me) == state.information_state_tensor(me)
        assert twin.legal_actions() == state.legal_actions() and twin.current_player() == me
        others = [other for other in range(table[1]) if other != me]
        changed += any(twin.observation_tensor(other) != state.observation_tensor(other) for other in others)
        play(state, chance.choice(state.legal_actions()), chance.randrange(256))
    assert changed


def test_others_learn_nothing_from_an_unfinished_payment_and_remember_everything_else(table: Table) -> None:
    """What a player remembers changes exactly when its view does, or when it acts itself."""
    chance = random.Random(4)
    state, game = start(table, 12)
    for _ in range(300):
        if game.over:
            break
        mover = game.seat
        before = [(game.view(me).json(), state.information_state_string(me)) for me in range(table[1])]
        action = chance.choice(state.legal_actions())
        game.play(action)
        play(state, action)
        for me, (view, text) in enumerate(before):
            same = view == game.view(me).json() and me != mover
            assert (state.information_state_string(me) == text) == same
            assert state.observation_string(me) == state.clone().observation_string(me)


def test_outcomes_of_chance_lead_to_different_draws() -> None:
    drawn = set()
    for outcome in range(40):
        state, game = start((northrail.load_board("nordic-countries"), 2), 7)
        while game.phase != "turn":
            action = state.legal_actions()[0]
            game.play(action)
            play(state, action)
        blind = next(move.number for move in game.moves() if str(move) == "take blind")
        play(state, blind, outcome)
        drawn.add(tuple(state.observation_tensor(game.seat)))
    assert len(drawn) > 5


@pytest.mark.parametrize("searches", ["mcts", "ismcts"])
def test_their_searching_bots_play_whole_games(searches: str) -> None:
    game, chance = load("nordic-countries", 2), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    bots: list[Any] = [pyspiel.make_uniform_random_bot(1, 3) for _ in range(2)]
    if searches == "mcts":
        bots[0] = mcts.MCTSBot(game, 2.0, 2, evaluator, random_state=chance)
    else:
        bots[0] = ismcts.ISMCTSBot(game, evaluator, 2.0, 2, random_state=chance)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(chance.randint(256)))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert sum(state.returns()) == 0


def test_bad_parameters() -> None:
    with pytest.raises(pyspiel.SpielError, match="players: expected 2 to 3 on Nordic Countries, got 5"):
        open_spiel_game.NorthrailGame({"board": "nordic-countries", "players": 5})
    game = load("nordic-countries", 2)
    with pytest.raises(ValueError, match="expected public information and that of a single player"):
        game.make_py_observer(pyspiel.IIGObservationType(public_info=False, perfect_recall=False))
    with pytest.raises(ValueError, match="expected no parameters"):
        game.make_py_observer(None, {"a": 1})
    state = game.new_initial_state()
    assert "before the deal" in state.observation_string(0) and not any(state.observation_tensor(1))
