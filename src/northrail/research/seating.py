"""Who plays each seat, as the kernels of this room read it."""

from collections.abc import Sequence

from northrail.boards.board import Board
from northrail.players import BadPlayer
from northrail.players.casual import Habits
from northrail.players.levels import PLAYERS
from northrail.players.planner import fill_weights
from northrail.players.published import AGENTS
from northrail.research.episodes import CASUAL, PLANNING, PUBLISHED, RANDOM, Bot, Setup

KINDS = {"Random": RANDOM, "Published": PUBLISHED, "Planner": PLANNING, "Casual": CASUAL}
OPPONENTS = tuple(name for name, (_, made_of, _) in PLAYERS.items() if made_of in KINDS)


def setup_of(board: Board, players: Sequence[str]) -> Setup:
    """Return the set-up of a table: for each seat ``learner``, or the name of a bot that plays inside kernels."""
    setup = Setup()
    setup.seats = len(players)
    fill_weights(setup.weights, board, {})
    for seat, name in enumerate(players):
        if name != "learner":
            _fill(setup.bots[seat], board, name)
    return setup


def _fill(bot: Bot, board: Board, name: str) -> None:
    if name not in OPPONENTS:
        raise BadPlayer(f"players: expected learner or one of {', '.join(OPPONENTS)}, got {name!r}")
    _, made_of, arguments = PLAYERS[name]
    bot.plays = KINDS[made_of]
    if made_of == "Published":
        bot.agent = AGENTS.index(arguments["agent"])
    for habit in Habits.fields:
        setattr(bot.habits, habit, arguments.get(habit, 0.0))
    if made_of in ("Planner", "Casual"):
        fill_weights(bot.weights, board, {key: value for key, value in arguments.items() if key not in Habits.fields})
