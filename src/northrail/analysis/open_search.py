"""The search with all cards open, to measure what hidden information costs.

It takes a State, so it is no player: nobody can load it or seat it. `tools/open_cards.py` uses it.
"""

from northrail.analysis.playouts import shuffle_future
from northrail.boards.board import BoardStruct
from northrail.engine.knowledge import look
from northrail.engine.state import State
from northrail.kernels.decorators import entry
from northrail.kernels.structs import copy_struct
from northrail.players.cards import worth_of_cards
from northrail.players.plan_structs import Weights
from northrail.players.plans import clear_plan
from northrail.players.tree import (
    TURNS,
    SearchSettings,
    TreeScratch,
    descend,
    make_move,
    note_end,
    offer,
    play_on,
)


@entry(threads=True)
def grow_open(
    board: BoardStruct, s: State, w: Weights, settings: SearchSettings, tree: TreeScratch, seed: int, iterations: int
) -> None:
    """Grow the tree of `begin` as `grow` does, in the true position instead of imagined worlds.

    Only the future differs from world to world: which cards are drawn, and the order of the ticket deck.
    """
    me = int(s.seat)
    for _ in range(iterations):
        first = offer(tree, settings, 0, tree.firsts, int(tree.count))
        world = int(tree.nodes[first].visits)
        tree.turn = seed + world * TURNS
        copy_struct(tree.state, s)
        shuffle_future(tree.state, int(tree.turn))
        for seat in range(s.seats):
            clear_plan(tree.plans[seat])
        copy_struct(tree.plans[me], tree.plan)
        look(board, tree.state, me, tree.seen)
        worth_of_cards(tree.seen, w, tree.planning, tree.plan)
        make_move(board, tree, int(tree.nodes[first].move))
        depth = descend(board, w, settings, tree, first, me)
        note_end(tree, first, world, depth, play_on(board, w, settings, tree, me))
