"""Northrail: play, study and build bots for the two Nordic Ticket to Ride games."""

from northrail.boards.board import Board, BonusCard, City, Route, Ticket
from northrail.boards.load import load_board
from northrail.engine.batches import random_games
from northrail.engine.events import Event
from northrail.engine.game import Game, Record, Score
from northrail.engine.moves import Move
from northrail.engine.view import View
from northrail.errors import BadBoard, BadMove, BadPosition, BadRecord, IllegalMove, NorthrailError
from northrail.players import BadPlayer, Player, load_player

__all__ = [
    "BadBoard",
    "BadMove",
    "BadPlayer",
    "BadPosition",
    "BadRecord",
    "Board",
    "BonusCard",
    "City",
    "Event",
    "Game",
    "IllegalMove",
    "Move",
    "NorthrailError",
    "Player",
    "Record",
    "Route",
    "Score",
    "Ticket",
    "View",
    "load_board",
    "load_player",
    "random_games",
]


def _picture(shown: Board | Game) -> str:
    """Draw a board or a game as SVG."""
    from northrail.drawing.svg import draw  # noqa: PLC0415  # only notebooks need it; imports start 30 ms sooner

    return draw(shown)


# Notebooks show what has a `_repr_svg_`. Drawing lies above boards and engine, so it is added here.
for _shown in (Board, Game):
    setattr(_shown, "_repr_svg_", _picture)  # noqa: B010  # mypy refuses to add a method in the usual way
