"""Finished games to review."""

from collections.abc import Sequence

from northrail import Board, Game, Record
from northrail.players import load_player
from northrail.players.decide import play_answer


def played(board: Board, names: Sequence[str], seed: int) -> Record:
    """Return the record of a game between players."""
    return finished(Game(board, len(names), seed), names, seed).record()


def finished(game: Game, names: Sequence[str], seed: int) -> Game:
    """Play a game to its end."""
    players = [load_player(name)() for name in names]
    for seat, player in enumerate(players):
        if hasattr(player, "start"):
            player.start(game.board, seat, game.seats, seed * 10 + seat)
    while not game.over:
        play_answer(game, players[game.seat].choose(game.view(game.seat)))
    return game


def late_record(board: Board, names: Sequence[str], seed: int, trains: int = 6) -> Record:
    """Return the record of the end of a game, from where a seat first has few trains; it is quick to review."""
    record = played(board, names, seed)
    game = Game.replay(record, upto=0)
    for number, move in enumerate(record["moves"]):
        if game.phase == "turn" and min(game.view(0).trains) <= trains:
            late = Game.from_position(board, game.position())
            for later in record["moves"][number:]:
                late.play(later)
            return late.record()
        game.play(move)
    raise AssertionError("expected the trains to run out")
