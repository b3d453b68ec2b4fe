"""Compare players over many games.

A *deal* is a seed and all the games played with it: every line-up of the players, rotated around the table so that each
player sits in each seat. This spreads the luck of the cards evenly. A game depends only on the contest and the number
of the game. The number of processes, their order and the machine make no difference.
"""

from northrail.arena.cluster import results_on_ray
from northrail.arena.contest import BadRun, Contest
from northrail.arena.match import Fault, Result, play_game
from northrail.arena.results import Run, read_run
from northrail.arena.workers import results_here

__all__ = [
    "BadRun",
    "Contest",
    "Fault",
    "Result",
    "Run",
    "play_game",
    "read_run",
    "results_here",
    "results_on_ray",
]
