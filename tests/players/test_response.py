"""The search that knows a rival's code: it uses that code, and sees no more than its seat."""

from typing import Any

import pytest
from blindness import assert_blind
from positions import LIGHTS, NORDIC, small_board

from northrail import Board, Game
from northrail.arena import Contest, play_game
from northrail.kernels.structs import copy_struct
from northrail.players import Recipe, load_player
from northrail.players.bots import Bot, bot_of
from northrail.players.planner import BoardWeights
from northrail.players.response import Response, RivalScratch, grow_against
from northrail.players.search import USUAL_SETTINGS
from northrail.players.tree import SearchSettings, TreeScratch, begin


def recipe(rival: str, **arguments: Any) -> Recipe:
    return Recipe("response", "northrail.players.response", "Response", {"rival": rival} | arguments)


def ends_against(bot: Bot, game: Game, turns: int) -> list[float]:
    """Return what the first move is worth in ten worlds against a bot."""
    tree, rival, settings = TreeScratch(), RivalScratch(), SearchSettings()
    for name, value in USUAL_SETTINGS.items():
        setattr(settings, name, value)
    rival.turns = turns
    board, view, weights = game.board.struct, game.view(game.seat).struct, BoardWeights().on(game.board)
    begin(board, view, weights, settings, tree)
    tree.count = 1
    grow_against(board, view, weights, bot, settings, tree, rival, 99, 10)
    return [tree.ends[0, world] for world in range(10)]


def opened(board: Board, seed: int) -> Game:
    """Return a game after its first tickets."""
    game = Game(board, 2, seed)
    while game.phase == "tickets":
        game.play(game.moves()[-1])
    return game


def test_the_rivals_own_code_decides_at_its_turns() -> None:
    game = opened(NORDIC, 3)
    hard = ends_against(bot_of(NORDIC, "hard"), game, 500)
    assert hard == ends_against(bot_of(NORDIC, "planner:kind='patient'"), game, 500), "the same code, the same games"
    random = ends_against(bot_of(NORDIC, "random"), game, 500)
    assert min(random) > 0.9 > sum(hard) / len(hard), "nobody loses against random"
    assert ends_against(bot_of(NORDIC, "medium"), game, 500) not in (hard, random)
    changed = Bot()
    copy_struct(changed, bot_of(NORDIC, "hard"))
    changed.weights.tickets = -99.0
    assert ends_against(changed, game, 500) != hard, "with its own weights"


def test_after_some_turns_the_quick_planner_plays_for_everyone() -> None:
    game = opened(NORDIC, 3)
    hard, random = bot_of(NORDIC, "hard"), bot_of(NORDIC, "random")
    assert ends_against(hard, game, 0) == ends_against(random, game, 0), "none of the rival's"
    assert ends_against(hard, game, 6) != ends_against(random, game, 6) != ends_against(random, game, 500)


@pytest.mark.parametrize("rival", ["hard", "medium", "hungry", "random", "search:iterations=5"])
def test_the_response_is_blind_and_its_moves_are_legal(rival: str) -> None:
    for board, seats in ((NORDIC, 2), (LIGHTS, 3)):
        assert_blind(lambda _: Response(rival, iterations=6), board, seats, seed=4, decisions=6)


def test_the_response_beats_a_bad_rival() -> None:
    contest = Contest(NORDIC, (recipe("long-route", iterations=10), load_player("long-route")), 2, seed=5)
    results = [play_game(contest, number) for number in range(4)]
    wins = [result.places[result.players.index("response")] == 1 for result in results]
    assert not any(result.fault for result in results) and sum(wins) >= 3


@pytest.mark.engine
def test_the_same_seed_gives_the_same_moves(tmp_path: Any) -> None:
    board = small_board(tmp_path)
    for rival in ("hard", "medium", "random"):
        players = (recipe(rival, iterations=3), load_player(rival))
        first, again = (play_game(Contest(board, players, 2, seed=8), 1) for _ in range(2))
        assert first == again and first.fault is None


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations: expected 1 to"):
        Response("hard", iterations=0)
    with pytest.raises(ValueError, match="turns: expected 1 to"):
        Response("hard", turns=0)
    with pytest.raises(ValueError, match="rival: expected a search or one of random"):
        Response("simple")
    with pytest.raises(ValueError, match="expected weights among"):
        Response("hard", wit=3.0)
