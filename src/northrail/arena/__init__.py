"""Compare players over many games.

A *contest* says which players meet, on which board and with how many seats. A *deal* is a seed and all the games played
with it: every line-up of the players, rotated around the table so that each player sits in each seat. This spreads the
luck of the cards evenly. The statistics treat the games of a deal as one cluster, because they share that luck.

A game depends only on the contest and the number of the game: they determine its deal, its line-up and each player's
own seed. The number of processes, their order and the machine make no difference, unless a player uses a clock. So a
run can stop and resume anywhere, and a cluster only needs the numbers of the games.

Worker processes play the games. Each keeps a few numbers in shared memory: its game, the seat to move and the deadline.
The parent process can therefore end a worker whose player hangs, in Python or in a kernel, and knows which seat was to
move. That player loses the game, like a player that raises an error or makes an illegal move.

All games in a process share one board. A player from a file could change it, so we compare the board with a copy after
each of that player's moves. If it changed, we restore it and the player loses the game.

A file of results holds the digests of the board and of each player. You cannot resume a run after one has changed.
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
