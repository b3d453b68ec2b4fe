"""Bots inside kernels: who plays a seat, and its move. This is the same code that plays outside of kernels."""

from northrail.boards.board import Board, BoardStruct
from northrail.engine.rules import count_moves, legal, nth_move
from northrail.engine.state import Moves, ViewStruct, scaled
from northrail.kernels.decorators import kernel
from northrail.kernels.structs import Struct, int8, part
from northrail.players import BadPlayer, load_player
from northrail.players.casual import Habits, choose_casually
from northrail.players.levels import PLAYERS
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import CAREFUL, PATIENT, choose, fill_weights
from northrail.players.published import AGENTS, choose_published

LEARNER, RANDOM, PUBLISHED, PLANNING, CASUAL = range(5)  # who plays a seat
BOTS = 1 << 60  # added to a game's seed to get the seed of its bots
KINDS = {"Random": RANDOM, "Published": PUBLISHED, "Planner": PLANNING, "Casual": CASUAL}
OPPONENTS = tuple(name for name, (_, made_of, _) in PLAYERS.items() if made_of in KINDS)


class Bot(Struct):
    """Who plays a seat: a learner, or a bot with what it believes and how it errs."""

    weights = part(Weights)
    habits = part(Habits)
    plays = int8()  # LEARNER, RANDOM …
    agent = int8()  # of the published ones
    care = int8()  # of a planner


@kernel
def bot_move(
    board: BoardStruct,
    v: ViewStruct,
    bot: Bot,
    scratch: PlanScratch,
    plan: Plan,
    moves: Moves,
    noticed: ViewStruct,
    seed: int,
    chance: int,
) -> int:
    """Return the move of a bot from its seat's view, and write the legal moves; ``noticed`` is scratch memory.

    ``seed`` is the bot's own for the whole game, and ``chance`` is the state of a generator, new for each move.
    ``plan`` belongs to the seat alone: a claim is paid as planned.
    """
    if bot.plays == PUBLISHED:
        return choose_published(board, v, int(bot.agent), scratch, plan, moves)
    if bot.plays == PLANNING:
        return choose(board, v, bot.weights, scratch, plan, moves, int(bot.care))
    if bot.plays == CASUAL:
        return choose_casually(board, v, bot.weights, bot.habits, scratch, plan, moves, noticed, seed, chance >> 1)
    legal(board, v, moves)
    return nth_move(board, moves, scaled(chance, count_moves(board, moves)))


def bot_of(board: Board, name: str) -> Bot:
    """Return the bot with this name; settings may follow, as in ``medium:dawdle=0.3``.

    >>> import northrail
    >>> bot_of(northrail.load_board("nordic-countries"), "easy").habits.overlook
    0.5
    """
    if name.partition(":")[0] not in OPPONENTS:
        raise BadPlayer(f"expected one of {', '.join(OPPONENTS)}, got {name!r}")
    recipe = load_player(name)
    bot = Bot()
    bot.plays, bot.care = KINDS[recipe.made_of], CAREFUL
    if recipe.made_of == "Published":
        bot.agent = AGENTS.index(recipe.arguments["agent"])
    for habit in Habits.fields:
        setattr(bot.habits, habit, recipe.arguments.get(habit, 0.0))
    if recipe.made_of in ("Planner", "Casual"):
        given = {key: value for key, value in recipe.arguments.items() if key not in (*Habits.fields, "kind")}
        fill_weights(bot.weights, board, given, recipe.arguments.get("kind", PATIENT))
    return bot
