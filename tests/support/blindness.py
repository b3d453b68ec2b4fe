"""Check that a player decides by its view alone."""

import random
from collections.abc import Callable
from typing import Any

from northrail import Board, Game
from northrail.players import Player
from northrail.players.reasons import reasons_for

World = Callable[[], Game]


def assert_blind(make: Callable[[World], Player], board: Board, seats: int, seed: int, decisions: int = 40) -> None:
    """Play a game with two copies of a player, in different worlds that look the same; both must choose the same.

    ``make`` gets a function that returns the world, which an honest player ignores. Both copies get the same seed, so
    any difference comes from hidden information. The other seats play at random.
    """
    game = Game(board, seats, seed)
    seat = seed % seats
    worlds = [game, game]
    twins = [make(lambda at=at: worlds[at]) for at in range(2)]  # type: ignore[misc]
    chance = random.Random(seed)
    for twin in twins:
        if hasattr(twin, "start"):
            twin.start(board, seat, seats, seed)
    while not game.over and decisions > 0:
        if game.seat != seat:
            moves = game.moves()
            game.play(moves[chance.randrange(len(moves))])
            continue
        decisions -= 1
        worlds[1] = Game.imagine(game.view(seat), seed=decisions)
        assert worlds[1].view(seat) == game.view(seat)
        choices = [choice_of(twin, world, seat) for twin, world in zip(twins, worlds, strict=True)]
        assert choices[0] == choices[1], f"{choices[0]} in one world, {choices[1]} in another that looks the same"
        reasons = [[getattr(twin, "reason", None), *map(str, reasons_for(twin))] for twin in twins]
        assert reasons[0] == reasons[1], f"{reasons[0]!r} in one world, {reasons[1]!r} in another that looks the same"
        _ = game.claim(*choices[0]) if isinstance(choices[0], tuple) else game.play(choices[0])


def choice_of(player: Any, world: Game, seat: int) -> Any:
    """Return what a player chooses in a world, by its kernel if it has one."""
    view = world.view(seat)
    return player.choose_struct(world.board, view.struct) if hasattr(player, "choose_struct") else player.choose(view)
