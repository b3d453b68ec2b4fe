"""A response to one frozen player: a search in which that player's own code decides at its turns.

It shows how much someone could win who knows exactly how a rival thinks, but not what it holds. Every iteration
imagines a world from the view, as the search does, and plays a first move there. The rival then answers as it really
would in that world, from its own view and with its own weights and habits. That code takes about ten times as long as
the quick planner, which therefore plays for everyone after a number of turns. This seat searches as the search does.
What wins against the rival is a lower bound on how far it can be exploited: a *local best response*.
"""

from northrail.boards.board import SEATS, Board, BoardStruct
from northrail.engine.rules import apply
from northrail.engine.state import OVER, PAY, SECOND_CARD, TURN, ViewStruct, advance, seeded
from northrail.engine.view import View
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, int64, part
from northrail.players import load_player
from northrail.players.bots import BOTS, OPPONENTS, Bot, bot_move, bot_of
from northrail.players.cards import worth_of_cards
from northrail.players.chance import seed_for_choice
from northrail.players.plan_structs import Plan, Weights
from northrail.players.planner import BoardWeights, sort_moves
from northrail.players.plans import clear_plan, horizon
from northrail.players.search import MOST_ITERATIONS, USUAL_SETTINGS
from northrail.players.tree import (
    DEPTH,
    TURNS,
    WIDTH,
    SearchSettings,
    TreeScratch,
    ask,
    begin,
    best_move,
    decide,
    enter_world,
    make_move,
    note_end,
    offer,
    worth_of_end,
)

STEPS = 8  # more than the phases of a turn: seeds of its decisions stay apart


class RivalScratch(Struct):
    """Scratch memory of the rival's code in an imagined world."""

    plans = part(Plan, SEATS)
    noticed = part(ViewStruct)
    turns = int64()  # of all seats, after the first move, in which the rival's own code decides
    until = int64()  # the last turn in which the rival's code decides
    seed = int64()  # imagined, too: a rival's own seed is its secret


@kernel
def answer(board: BoardStruct, w: Weights, bot: Bot, tree: TreeScratch, rival: RivalScratch, me: int) -> int:
    """Return the move of the seat to move: the quick planner's for this seat, the bot's for the others."""
    s = tree.state
    seat = int(s.seat)
    move = ask(board, w, tree)  # which also gives the turn its luck, and looks
    if seat == me or tree.turn > rival.until:
        return move
    plan = rival.plans[seat]
    if s.phase != PAY:
        clear_plan(plan)
    chance = advance(seeded(int(tree.turn) * STEPS + int(s.phase)))
    seed = int(rival.seed) + seat
    return bot_move(board, tree.seen, bot, tree.planning, plan, tree.moves, rival.noticed, seed, chance)


@kernel
def descend_against(
    board: BoardStruct,
    w: Weights,
    bot: Bot,
    settings: SearchSettings,
    tree: TreeScratch,
    rival: RivalScratch,
    first: int,
    me: int,
) -> int:
    """Play down the tree from a first move to a leaf, as `descend` does; write the path and return its depth."""
    s = tree.state
    node = first
    depth = 0
    tree.path[0] = first
    while s.phase != OVER and tree.nodes[node].visits > 0 and depth + 1 < DEPTH:
        move = answer(board, w, bot, tree, rival, me)
        if s.seat != me or s.phase not in (TURN, SECOND_CARD):
            apply(board, s, move, tree.log)
            continue
        plan = tree.plans[me]
        if horizon(board, tree.seen, w) >= w.hurry:
            for word in range(board.words):
                tree.moves.claims[word] &= plan.routes[word] | plan.extra[word]
        if move < board.routes:
            tree.moves.claims[board.route_word[move]] |= board.route_bit[move]
        count = sort_moves(board, tree.moves, tree.planning.value, tree.best, WIDTH)
        node = offer(tree, settings, node, tree.best, count)
        if node == 0:
            apply(board, s, move, tree.log)
            break
        depth += 1
        tree.path[depth] = node
        make_move(board, tree, int(tree.nodes[node].move))
    return depth


@entry(threads=True)
def grow_against(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    bot: Bot,
    settings: SearchSettings,
    tree: TreeScratch,
    rival: RivalScratch,
    seed: int,
    iterations: int,
) -> None:
    """Grow the tree of `begin` against a bot. The n-th visit of each first move uses the same world."""
    me = int(v.me)
    for _ in range(iterations):
        first = offer(tree, settings, 0, tree.firsts, int(tree.count))
        world = int(tree.nodes[first].visits)
        enter_world(board, v, tree, seed + world * TURNS)
        rival.until = tree.turn + rival.turns
        rival.seed = tree.turn + BOTS
        worth_of_cards(tree.seen, w, tree.planning, tree.plan)
        make_move(board, tree, int(tree.nodes[first].move))
        depth = descend_against(board, w, bot, settings, tree, rival, first, me)
        while tree.state.phase != OVER:
            apply(board, tree.state, answer(board, w, bot, tree, rival, me), tree.log)
        worth = worth_of_end(board, tree, settings, me)
        note_end(tree, first, world, depth, worth)


def model_of(rival: str) -> str:
    """Return the bot that stands for a rival inside kernels: itself, or for a search its planner.

    >>> model_of("medium"), model_of("expert")
    ('medium', 'hard')
    """
    if rival.partition(":")[0] in OPPONENTS:
        return rival
    if load_player(rival).made_of == "Search":
        return "hard"  # its planner; a search inside each imagined world would take a thousand times as long
    raise ValueError(f"rival: expected a search or one of {', '.join(OPPONENTS)}, got {rival!r}")


class Response:
    """Plays against one ``rival``, a player's name, with a number of ``iterations`` for each move.

    The rival's own code plays for the next ``turns`` of all seats; 8 are four of its own. ``weights`` replace tuned
    ones of the planner that suggests its moves.
    """

    def __init__(self, rival: str = "hard", iterations: int = 400, turns: int = 8, **weights: float) -> None:
        for name, limit, most in (("iterations", iterations, MOST_ITERATIONS), ("turns", turns, TURNS)):
            if not 1 <= limit <= most:
                raise ValueError(f"{name}: expected 1 to {most:,}, got {limit}")
        self._rival = model_of(rival)
        self._iterations = iterations
        self._weights = BoardWeights(weights)
        self._settings = SearchSettings()
        for name, value in USUAL_SETTINGS.items():
            setattr(self._settings, name, value)
        self._trees, self._scratch = TreeScratch.many(1), RivalScratch()
        self._scratch.turns = turns
        self._bot, self._board = Bot(), ""
        self._seed = 0
        clear_plan(self._trees[0].plan)

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed
        clear_plan(self._trees[0].plan)

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        if self._board != board.id:
            self._bot, self._board = bot_of(board, self._rival), board.id
        tree, weights, settings = self._trees[0], self._weights.on(board), self._settings
        if begin(board.struct, view, weights, settings, tree) > 1:
            seed = seed_for_choice(self._seed, view)
            rival = self._bot, settings, tree, self._scratch
            grow_against(board.struct, view, weights, *rival, seed, self._iterations)
        move = best_move(self._trees, 1, settings)
        decide(board.struct, view, weights, tree, move)
        return move
