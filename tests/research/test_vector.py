"""The vector of games, step by step against `Game`."""

import copy
import gc
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from observations import compact
from tables import BOARDS, TABLES, Size, situation
from worlds import altered

import northrail
from northrail.engine.position import state_of
from northrail.kernels.structs import copy_struct
from northrail.players.bots import OPPONENTS
from northrail.research.episodes import SHOW
from northrail.research.layouts import LAYOUTS, layout_of
from northrail.research.vector import ARRAYS, Vector

pytestmark = pytest.mark.engine

Table = tuple[northrail.Board, int]


def legal_of(game: northrail.Game) -> list[int]:
    return [] if game.over else [move.number for move in game.moves()]


def random_walk(vector: Vector, steps: int) -> list[dict[str, Any]]:
    """Return the arrays after each of some random steps."""
    seen = []
    for _ in range(steps):
        vector.step(vector.random_actions())
        seen.append({name: getattr(vector, name).copy() for name in ARRAYS})
    return seen


def assert_same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    assert len(one) == len(other)
    for step, (mine, theirs) in enumerate(zip(one, other, strict=True)):
        for name in mine:
            np.testing.assert_array_equal(mine[name], theirs[name], f"{name} after step {step}")


# --- against Game -----------------------------------------------------------------------------------------------------


def test_every_step_is_a_step_of_game(table: Table, size: Size) -> None:
    ended = compare_with_game(table, size.pick(80, 280 * table[1]))
    assert size.name == "small" or ended


@pytest.mark.long
def test_a_million_steps_are_steps_of_game(table: Table) -> None:
    assert compare_with_game(table, 1_000_000 // len(TABLES), observed=20)


def compare_with_game(table: Table, steps: int, observed: int = 1) -> int:
    """Compare masks, seats, rewards and scores, and every so many observations; return how many games ended."""
    board, seats = table
    count = 2
    vector = Vector(board, count, ("learner",) * seats, seed=11, illegal="lose")
    games = [northrail.Game(board, seats, 11 + at) for at in range(count)]
    seeds = [11 + at for at in range(count)]
    ended = 0
    for step in range(steps // count):
        for at, game in enumerate(games):
            assert np.flatnonzero(vector.mask[at]).tolist() == legal_of(game)
            assert vector.to_move[at] == game.seat
            if step % observed == 0:
                np.testing.assert_array_equal(vector.obs[at], compact(game, game.seat))
        actions = vector.random_actions()
        _, rewards, terminated, truncated = vector.step(actions)
        assert not truncated.any()
        for at, game in enumerate(games):
            if game.over:
                seeds[at] += count
                games[at] = northrail.Game(board, seats, seeds[at])
                assert not terminated[at] and not rewards[at].any()
                continue
            game.play(int(actions[at]))
            assert terminated[at] == game.over
            if game.over:
                ended += 1
                totals = [score.total for score in game.scores()]
                assert vector.scores[at].tolist() == totals
                best = [max(totals[:seat] + totals[seat + 1 :]) for seat in range(seats)]
                assert rewards[at].tolist() == [total - other for total, other in zip(totals, best, strict=True)]
            else:
                assert not rewards[at].any()
    return ended


@pytest.mark.parametrize("bot", ["path", "one-step", "long-route", "hungry", "planner"])
def test_bots_play_as_everywhere_else(bot: str, board: northrail.Board, size: Size) -> None:
    vector = Vector(board, 1, ("learner", bot), seed=5)
    game, player = northrail.Game(board, 2, 5), northrail.load_player(bot)()

    def let_bot_play() -> None:
        while not game.over and game.seat == 1:
            answer = player.choose(game.view(1))
            assert isinstance(answer, int)
            game.play(answer)

    let_bot_play()
    for _ in range(size.pick(10, 150, 2000)):
        np.testing.assert_array_equal(vector.obs[0], compact(game, 0))
        assert np.flatnonzero(vector.mask[0]).tolist() == legal_of(game)
        action = int(vector.random_actions()[0])
        vector.step([action])
        if game.over:
            game = northrail.Game(board, 2, vector.seeds()[0])
        else:
            game.play(action)
        let_bot_play()


@pytest.mark.parametrize("bot", OPPONENTS)
def test_every_bot_plays_whole_games_in_the_last_seat(bot: str, size: Size) -> None:
    board = BOARDS["northern-lights"]
    vector = Vector(board, 2, ("learner", "random", bot), seed=3)
    ended = 0
    for _ in range(size.pick(6, 300)):
        _, _, terminated, _ = vector.step(vector.random_actions())
        ended += int(terminated.sum())
        assert (vector.to_move == 0).all()
    assert size.name == "small" or ended


# --- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_seat_cannot_know_changes_nothing_it_observes(layout: str, table: Table, size: Size) -> None:
    board, seats = table
    vector = Vector(board, 2, ("learner",) * seats, layout=layout)
    changed = 0
    for seed in range(size.pick(2, 8, 300)):
        game, chance = situation(board, seats, seed), random.Random(seed)
        for me in range(seats):
            worlds = [game.position(), altered(game.position(), board, me, chance)]
            for at, position in enumerate(worlds):
                copy_struct(vector._episodes[at].state, state_of(board, position))
            np.testing.assert_array_equal(vector.observe(0, me), vector.observe(1, me))
            changed += worlds[0] | {"rng": 0} != worlds[1] | {"rng": 0}
    assert changed, "nothing was hidden in any of them"


def test_history_tells_only_public_events(table: Table, size: Size) -> None:
    """Each seat sees the same events: what happened since its last observation, in the words of `Game`."""
    board, seats = table
    vector = Vector(board, 1, ("learner",) * seats, layout="history", seed=2)
    game, chance = northrail.Game(board, seats, 2), random.Random(2)
    codes = {"took": 1, "drew": 2, "claimed": 5, "tunnel_tried": 7, "gave_up": 8, "drew_tickets": 9}
    codes |= {"kept_tickets": 10, "passed": 11, "last_round": 12}
    told: list[tuple[int, int, int]] = []
    for _ in range(size.pick(10, 200)):
        if game.over:
            break
        events = game.play(move := chance.choice(game.moves()))
        vector.step([move.number])
        for event in (event.seen_by(None) for event in events):
            if event["code"] in codes:
                which = event.get("route", event.get("count", 0))
                if "colour" in event:
                    which = northrail.boards.board.COLOURS.index(event["colour"])
                told.append(
                    (codes[event["code"]], event["seat"], which if event["code"] != "last_round" else event["seat"])
                )
        for me in range(seats):
            shown = vector.observe(0, me)[-4 * 32 :].reshape(32, 4)
            for (code, seat, which), row in zip(reversed(told), shown, strict=False):
                assert row[:3].tolist() == [code, (seat - me) % seats, which]
            assert not shown[len(told) :].any()


# --- the same arrays --------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_arrays_on_any_number_of_threads(size: Size) -> None:
    steps = size.pick(3, 200)
    walks = [
        random_walk(Vector("nordic-countries", 7, ("learner", "medium"), seed=9, threads=threads), steps)
        for threads in (1, 3)
    ]
    assert_same(*walks)
    other = random_walk(Vector("nordic-countries", 7, ("learner", "medium"), seed=10), steps)
    assert any((mine["obs"] != theirs["obs"]).any() for mine, theirs in zip(walks[0], other, strict=True))


def test_threads_that_slept_go_on(size: Size) -> None:
    """They wait awake for 0.2 ms, then they sleep."""
    awake, slept = (Vector(games=5, seed=2, threads=threads) for threads in (1, 3))
    for _ in range(size.pick(2, 30)):
        time.sleep(0.005)
        assert_same(random_walk(slept, 1), random_walk(awake, 1))


def test_threads_end_with_their_vector() -> None:
    before = threading.active_count()
    vectors = [Vector(games=4, threads=4) for _ in range(3)]
    assert threading.active_count() == before + 9
    vectors[0].close()
    assert threading.active_count() == before + 6
    vectors.clear()
    gc.collect()
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_vector_goes_on_in_a_forked_process() -> None:
    """Also, a program that does not close its vectors ends."""
    script = """if True:
        import os
        from northrail.research import Vector
        vector = Vector(games=4, threads=2, seed=1)
        vector.step(vector.random_actions())
        child = os.fork()
        vector.step(vector.random_actions())
        if child:
            assert os.waitpid(child, 0)[1] == 0
            alone = Vector(games=4, seed=1)
            for _ in range(2):
                alone.step(alone.random_actions())
            assert (alone.obs == vector.obs).all()
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


def test_random_actions_play_the_games_of_random_games(table: Table, size: Size) -> None:
    board, seats = table
    if size.name == "small":
        pytest.skip("whole games take seconds in plain Python")
    count = size.pick(1, 20, 500)
    vector = Vector(board, count, ("learner",) * seats, seed=3, autoreset="disabled", threads=2)
    scores, open_games = np.zeros((count, seats)), np.ones(count, bool)
    while open_games.any():
        _, _, terminated, _ = vector.step(vector.random_actions())
        scores[terminated] = vector.scores[terminated]
        open_games &= ~terminated
    np.testing.assert_array_equal(scores, northrail.random_games(board, seats, count, seed=3)["scores"])


@pytest.mark.parametrize("way", ["state", "pickle", "deepcopy"])
def test_a_saved_vector_continues_in_the_same_way(way: str, size: Size) -> None:
    vector = Vector("northern-lights", 3, ("learner", "easy", "learner"), seed=4, layout="history", reward="steps")
    steps = size.pick(5, 150)
    random_walk(vector, steps)
    if way == "state":
        state, rng = vector.get_state(), vector._rng.copy()
        expected = random_walk(vector, steps)
        vector.set_state(state)
        vector._rng[:] = rng
        assert_same(random_walk(vector, steps), expected)
    else:
        twin = pickle.loads(pickle.dumps(vector)) if way == "pickle" else copy.deepcopy(vector)
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(twin, name), getattr(vector, name))
        assert_same(random_walk(twin, steps), random_walk(vector, steps))


def test_one_game_can_be_saved_and_put_elsewhere() -> None:
    vector = Vector(games=3, seed=1)
    random_walk(vector, 4)
    before = vector.obs.copy()
    vector.set_state(vector.get_state([2]), [0])
    np.testing.assert_array_equal(vector.obs, before[[2, 1, 2]])
    assert vector.game(0) == vector.game(2) != vector.game(1)


def test_arrays_are_shared_without_copies() -> None:
    vector = Vector(games=2)
    for name in ("obs", "mask", "to_move", "rewards", "scores"):
        shared = np.from_dlpack(getattr(vector, name))
        vector.step(vector.random_actions())
        np.testing.assert_array_equal(shared, getattr(vector, name))
        assert np.shares_memory(shared, getattr(vector, name))


# --- rewards and resets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["score", "steps", "win", "margin"])
def test_rewards_add_up(reward: str, table: Table, size: Size) -> None:
    board, seats = table
    if size.name == "small":
        pytest.skip("whole games take seconds in plain Python")
    vector = Vector(board, 4, ("learner",) * seats, reward=reward, autoreset="disabled", seed=8)
    sums = np.zeros((4, seats))
    done = np.zeros(4, bool)
    while not done.all():
        _, rewards, terminated, _ = vector.step(vector.random_actions())
        sums += rewards
        done |= terminated
    for at in range(4):
        game = vector.game(at)
        totals = [score.total for score in game.scores()]
        if reward in ("score", "steps"):
            assert sums[at].tolist() == totals
        elif reward == "win":
            winners = game.winners()
            assert sums[at].sum() == pytest.approx(0, abs=1e-6)
            assert {seat for seat in range(seats) if sums[at, seat] == sums[at].max()} == set(winners)
            assert len(winners) > 1 or sums[at].max() == 1
        else:
            assert sums[at].max() >= 0 >= sums[at].min()


def test_rewards_at_every_step_come_from_what_the_seat_knows(table: Table, size: Size) -> None:
    """Its routes and its tickets; bonus cards depend on what others hold and come at the end."""
    board, seats = table
    vector = Vector(board, 1, ("learner",) * seats, reward="steps", seed=6)
    sums = np.zeros(seats)
    for _ in range(size.pick(8, 100, 400)):
        _, rewards, terminated, _ = vector.step(vector.random_actions())
        if terminated.any():
            break
        sums += rewards[0]
        assert sums.tolist() == [score.routes + score.tickets for score in vector.game(0).scores()]


def until_the_end(vector: Vector) -> None:
    while not (vector.terminated | vector.truncated).any():
        vector.step(vector.random_actions())


def test_next_step_deals_anew_one_step_later() -> None:
    vector = Vector(games=1, seed=3)
    until_the_end(vector)
    assert not vector.mask.any() and vector.obs[0, vector.layout["phase"]].tolist() == [0, 0, 0, 0, 0, 1]
    vector.step([0])
    np.testing.assert_array_equal(vector.obs[0], Vector(games=1, seed=4).obs[0])
    assert not vector.terminated.any() and not vector.rewards.any()


def test_same_step_deals_anew_at_once_and_keeps_the_last_observation() -> None:
    vector, other = Vector(games=1, seed=3, autoreset="same-step"), Vector(games=1, seed=3)
    until_the_end(vector)
    until_the_end(other)
    np.testing.assert_array_equal(vector.final_obs, other.obs)
    np.testing.assert_array_equal(vector.rewards, other.rewards)
    np.testing.assert_array_equal(vector.obs[0], Vector(games=1, seed=4).obs[0])


def test_without_autoreset_you_reset_the_games_you_choose() -> None:
    vector = Vector(games=2, seed=3, autoreset="disabled")
    until_the_end(vector)
    done = vector.terminated.copy()
    before = vector.obs.copy()
    vector.step(vector.random_actions())
    np.testing.assert_array_equal(vector.obs[done], before[done])
    before = vector.obs.copy()
    vector.reset(games=done)
    np.testing.assert_array_equal(vector.obs[~done], before[~done])
    assert (vector.obs[done] != before[done]).any() and vector.seeds() == [3 + 2 * done[0], 4 + 2 * done[1]]


def test_long_games_are_cut() -> None:
    vector = Vector(games=1, most_steps=5)
    random_walk(vector, 4)
    assert not vector.truncated[0]
    vector.step(vector.random_actions())
    assert vector.truncated[0] and not vector.terminated[0] and not vector.rewards.any()


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([134, 0], "game 0: expected an action from 0 to 133, got 134"),
        ([-1, 0], "game 0: expected an action from 0 to 133, got -1"),
        ([0, 0], r"game 0: expected one of 26 legal actions, such as .*, got 0 \(claim .*\); see mask\[0\]"),
        ([133, 0], r"game 0: .* got 133 \(pass\)"),
        ([0.0, 1.0], "expected 2 integers, one for each game, got float64"),
        ([True, False], "expected 2 integers, one for each game, got bool"),
        ([1], r"expected 2 integers, one for each game, got int64 of shape \(1,\)"),
        (3, "expected 2 integers"),
        ("no", "expected 2 integers"),
        (None, "expected 2 integers"),
        (np.array([2**64 - 1, 0], np.uint64), "game 0: expected an action from 0 to 133, got"),
    ],
)
def test_bad_actions_change_nothing(actions: Any, words: str) -> None:
    vector = Vector(games=2, seed=1)
    before = vector.get_state()
    with pytest.raises(northrail.NorthrailError, match=words):
        vector.step(actions)
    assert vector.get_state() == before


def test_an_illegal_action_loses_if_you_say_so() -> None:
    for reward, penalty in (("margin", -100), ("win", -1)):
        vector = Vector(games=2, seed=1, illegal="lose", reward=reward)
        seat = vector.to_move[0]
        _, rewards, terminated, _ = vector.step([-7, int(vector.random_actions()[1])])
        assert terminated.tolist() == [True, False]
        assert rewards[0, seat] == penalty and rewards.sum() == penalty
        vector.step([0, int(vector.random_actions()[1])])
        assert vector.mask[0].any()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"games": 0}, "games: expected a number from 1 to"),
        ({"games": 2.0}, "games: expected a number"),
        ({"seed": -1}, "seed: expected a number from 0"),
        ({"players": ("learner",)}, "players: expected one for each seat, 2 to 3 on Nordic Countries, got 1"),
        ({"players": ("hard", "path")}, "expected a learner in at least one seat, got hard, path"),
        ({"players": ("learner", "expert")}, "expected learner or one of random, path.*, got 'expert'"),
        ({"layout": "wide"}, "layout: expected compact, planner, history, got 'wide'"),
        ({"reward": "money"}, "reward: expected margin, win, score, steps, got 'money'"),
        ({"autoreset": "never"}, "autoreset: expected next-step, same-step, disabled, got 'never'"),
        ({"illegal": "ignore"}, "illegal: expected raise, lose, got 'ignore'"),
        ({"most_steps": 0}, "most_steps: expected a number from 1"),
        ({"threads": 0}, "threads: expected a number from 1"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(northrail.NorthrailError, match=words):
        Vector(**({"games": 1} | arguments))


def test_a_state_that_does_not_fit_changes_nothing() -> None:
    vector = Vector(games=2, seed=1)
    state = vector.get_state()
    for wrong, words in (
        (b"", "expected bytes from get_state"),
        ("text", "expected bytes from get_state"),
        (state[:-1], "expected the length|expected 2 games|damaged"),
        (state[:9] + b"\2" + state[10:], "expected the version 1, got 2"),
        (state[:11] + b"\2" + state[12:], "expected the version of the rules 1, got 2"),
        (state[:-3] + b"\7" + state[-2:], "damaged"),
        (Vector("northern-lights", 2).get_state(), "expected the board"),
        (Vector(games=2, players=("learner",) * 3).get_state(), "expected the number of seats 2, got 3"),
        (Vector(games=2, reward="win").get_state(), "expected the reward margin, got win"),
        (Vector(games=3).get_state(), "expected 2 games, got 3"),
    ):
        with pytest.raises(northrail.BadPosition, match=words):
            vector.set_state(wrong)  # type: ignore[arg-type]  # a text
        assert vector.get_state() == state
    for games, words in (([2], "from 0 to 1"), (["a"], "expected 2 bools"), ([[0]], "expected 2 bools")):
        with pytest.raises(northrail.NorthrailError, match=words):
            vector.get_state(games)


def test_a_closed_vector_says_so() -> None:
    vector = Vector(games=4, threads=2)
    vector.close()
    vector.close()
    for call in (vector.reset, vector.random_actions, vector.get_state, lambda: vector.step([0] * 4)):
        with pytest.raises(northrail.NorthrailError, match="got a closed one; make a new one"):
            call()
    with pytest.raises(northrail.NorthrailError, match="seat: expected a number from 0 to 1, got 2"):
        Vector(games=1).observe(0, 2)


# --- layouts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_covers_every_byte_once(name: str, table: Table) -> None:
    board, seats = table
    layout = layout_of(board, seats, name)
    assert [part.start for part in layout.parts] == [0, *(part.stop for part in layout.parts[:-1])]
    vector = Vector(board, 1, ("learner",) * seats, layout=name)
    vector.obs[:] = 77
    vector._run(SHOW)
    assert not (vector.obs == 77).any(), "a byte was not written"
    with pytest.raises(KeyError, match="expected a part of"):
        layout["wings"]


def test_the_planners_features(nordic: northrail.Board, size: Size) -> None:
    vector = Vector(nordic, 4, ("learner", "path"), layout="planner", seed=1)
    planned = np.zeros(4)
    for _ in range(size.pick(3, 40)):
        vector.step(vector.random_actions())
        open_routes, layout = vector.obs[:, vector.layout["open"]], vector.layout
        assert (vector.obs[:, layout["planned"]] <= open_routes).all()
        planned += vector.obs[:, layout["planned"]].sum(1)
        held = vector.obs[:, layout["held"]]
        assert (vector.obs[:, layout["completed"]] <= held).all()
        for at in range(4):
            tickets = vector.game(at).view(0).tickets
            assert np.flatnonzero(vector.obs[at, layout["completed"]]).tolist() == sorted(
                ticket["number"] for ticket in tickets if ticket["joined"]
            )
    assert size.name == "small" or planned.all()


def test_the_vector_needs_only_numpy() -> None:
    block = "import sys; sys.modules |= dict.fromkeys(['gymnasium', 'pettingzoo', 'pyspiel', 'PIL', 'pyarrow']); "
    steps = "from northrail.research import Vector; v = Vector(games=2); v.step(v.random_actions())"
    subprocess.run([sys.executable, "-c", block + steps], check=True)
