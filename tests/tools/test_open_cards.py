"""The search with open cards: it sees what a seat cannot, and stays out of reach of tables."""

import json
from pathlib import Path

import pytest

import open_cards
from northrail import Game, load_board, load_player
from northrail.players import BadPlayer
from northrail.players.search import Search
from open_cards import Games, OpenSearch, play

NORDIC = load_board("nordic-countries")


def test_a_game_is_played_to_its_end_and_again_the_same() -> None:
    game, again = (play(NORDIC, 3, 4) for _ in range(2))
    assert game | {"seconds": 0} == again | {"seconds": 0}
    assert game["seat"] == 1 and game["seed"] == open_cards.SEED + 1


def test_it_knows_what_the_usual_search_does_not() -> None:
    """Worlds that look the same to a seat are the same to the usual search, and different to the open one."""
    game = Game(NORDIC, 2, 5)
    for _ in range(30):
        game.play(game.moves()[0])
    while game.phase != "turn":
        game.play(game.moves()[0])
    worlds = [Game.imagine(game.view(game.seat), seed) for seed in range(6)]
    usual, opened = set[object](), set[object]()
    for world in worlds:
        for found, player in ((usual, Search(iterations=40)), (opened, OpenSearch(world, 40))):
            player.start(NORDIC, world.seat, 2, 0)
            player.choose(world.view(world.seat))
            found.add(tuple(player.visits().items()))
    assert len(usual) == 1 and len(opened) > 1


def test_nobody_can_load_it() -> None:
    path = Path(open_cards.__file__)
    with pytest.raises(BadPlayer, match="cannot create the player"):
        load_player(f"{path}:OpenSearch:iterations=10")


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    games = Games(NORDIC, 2, tmp_path)
    assert [games.play_on(2, 60) for _ in range(3)] == [True, True, False]
    later = Games(NORDIC, 2, tmp_path)
    assert later.games == games.games
    assert not later.play_on(4, 0), "the time is used up"
    assert [later.play_on(4, 60) for _ in range(3)] == [True, True, False]
    table = open_cards.section([later])["table"]
    assert table["rows"][0][:2] == ["Nordic Countries", "4"] and len(table["head"]) == len(table["rows"][0])
    lines = later.path.read_text("utf-8").splitlines()
    later.path.write_text("\n".join([json.dumps({"digest": "another"}), *lines[1:]]), "utf-8")
    assert not Games(NORDIC, 2, tmp_path).games, "games of other players do not count"
