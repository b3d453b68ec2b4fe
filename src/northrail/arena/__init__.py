"""Many games between players, and what they prove.

A *deal* is a seed, and all the games that are played with it: every line-up of the players, turned round the table so
that each sits in each seat. Luck with the cards is thus dealt out evenly. What happens in a game depends on the contest
and the game's number alone, and so not on how many processes play, in which order, or on which machine.
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
