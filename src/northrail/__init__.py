"""Northrail: play, study and build bots for the two Nordic Ticket to Ride games."""

from northrail.board import Board, BonusCard, City, Route, Ticket
from northrail.board_file import load_board
from northrail.errors import BadBoard, BadMove, BadPosition, BadRecord, IllegalMove, NorthrailError
from northrail.events import Event
from northrail.game import Game, Record, Score
from northrail.many import random_games
from northrail.moves import Move
from northrail.players import BadPlayer, Player, load_player
from northrail.view import View

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
