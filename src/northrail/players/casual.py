"""A planner that errs as people do: it overlooks routes and rivals, wants dear tickets, and collects for too long."""

from northrail.boards.board import NOBODY, TICKET_BITS, TICKET_WORDS, Board, BoardStruct
from northrail.engine.moves import KEEP, PASS
from northrail.engine.paths import FAR
from northrail.engine.scoring import join_cities, root_of
from northrail.engine.state import PAY, TICKETS_PHASE, Moves, ViewStruct, advance, scaled, seeded
from northrail.engine.view import View
from northrail.kernels.bits import lowest
from northrail.kernels.decorators import entry, kernel
from northrail.kernels.structs import Struct, copy_struct, float64
from northrail.players.cards import choose_card
from northrail.players.chance import seed_for_choice
from northrail.players.last_move import LastMove
from northrail.players.plan_structs import Plan, PlanScratch, Weights
from northrail.players.planner import CAREFUL, BoardWeights, choose
from northrail.players.plans import clear_plan

SURE = 1 << 20  # a chance of 1
LOOK_AGAIN = 0.2  # how much less it overlooks each time it looks again


class Habits(Struct):
    """How a player errs. With all of them 0 it plays like the planner."""

    overlook = float64()  # the chance not to notice a route, the same all game
    tempted = float64()  # how many times the points of an offered ticket count besides what the ticket is worth
    dawdle = float64()  # the chance to draw cards instead of claiming
    enough = float64()  # with this many cards in hand it no longer dawdles


@entry
def choose_casually(
    board: BoardStruct,
    v: ViewStruct,
    w: Weights,
    habits: Habits,
    scratch: PlanScratch,
    plan: Plan,
    moves: Moves,
    noticed: ViewStruct,
    seed: int,
    chance: int,
) -> int:
    """Return the move of a planner with these habits; ``noticed`` is overwritten with what it notices of the view.

    ``seed`` decides which routes it overlooks, ``chance`` whether it dawdles now. It looks again, and overlooks less,
    until it finds a way for every ticket that has one: people do not give up a ticket without a second look.
    """
    routes = int(board.routes)
    move = choose(board, v, w, scratch, plan, moves, CAREFUL)
    if v.phase == PAY:
        return move
    overlook = float(habits.overlook)
    if v.phase == TICKETS_PHASE:
        notice(board, v, overlook, seed, noticed)
        choose(board, noticed, w, scratch, plan, moves, CAREFUL)
        return routes + KEEP + tempting_tickets(board, v, habits, scratch, moves)
    hopeless = count_missed(board, v, plan, noticed, scratch)
    while overlook > 0:
        notice(board, v, overlook, seed, noticed)
        move = choose(board, noticed, w, scratch, plan, moves, CAREFUL)
        if move != routes + PASS and count_missed(board, v, plan, noticed, scratch) <= hopeless:
            break
        overlook -= LOOK_AGAIN
    if overlook <= 0:
        move = choose(board, v, w, scratch, plan, moves, CAREFUL)
    dawdles = scaled(advance(seeded(chance)), SURE) < habits.dawdle * SURE and v.hand_size[v.me] < habits.enough
    if move < routes and v.turns_left < 0 and dawdles:
        card = choose_card(board, v, scratch, moves)
        if card != NOBODY:
            return routes + card
    return move


@kernel
def notice(board: BoardStruct, v: ViewStruct, overlook: float, seed: int, noticed: ViewStruct) -> None:
    """Write the view without the routes that the player overlooks."""
    copy_struct(noticed, v)
    me = int(v.me)
    rng = seeded(seed)
    for route in range(board.routes):
        rng = advance(rng)
        if scaled(rng, SURE) < overlook * SURE:
            noticed.open[me, board.route_word[route]] &= ~board.route_bit[route]


@kernel
def count_missed(board: BoardStruct, v: ViewStruct, plan: Plan, noticed: ViewStruct, scratch: PlanScratch) -> int:
    """Count the tickets that the plan does not complete; overwrites ``noticed``."""
    me = int(v.me)
    for word in range(board.words):
        noticed.owned[me, word] = v.owned[me, word] | plan.routes[word]
    join_cities(board, noticed, me, scratch.roots)
    missed = 0
    for word in range(TICKET_WORDS):
        rest = int(v.held[me, word])
        while rest != 0:
            ticket = word * TICKET_BITS + lowest(rest)
            rest &= rest - 1
            a = root_of(scratch.roots, int(board.ticket_city[ticket, 0]))
            if a != root_of(scratch.roots, int(board.ticket_city[ticket, 1])):
                missed += 1
    return missed


@kernel
def tempting_tickets(board: BoardStruct, v: ViewStruct, habits: Habits, scratch: PlanScratch, moves: Moves) -> int:
    """Return the set of offered tickets that looks best: by its plan, and by the points printed on the tickets."""
    best = 0
    most = -FAR
    sets = int(moves.other) >> KEEP
    while sets != 0:
        kept = lowest(sets)
        sets &= sets - 1
        worth = scratch.value[int(board.routes) + KEEP + kept]
        at = 0
        for word in range(TICKET_WORDS):
            rest = int(v.offered[word])
            while rest != 0:
                if kept >> at & 1:
                    worth += habits.tempted * board.ticket_points[word * TICKET_BITS + lowest(rest)]
                rest &= rest - 1
                at += 1
        if worth > most:
            most = worth
            best = kept
    return best


class Casual:
    """A planner with human errors; without any it plays like the planner.

    ``overlook`` and ``dawdle`` are chances from 0 to below 1, not to notice a route and to draw cards instead of
    claiming. It dawdles only while it holds fewer than ``enough`` cards: people do not hoard half the deck. ``tempted``
    is how many times the points of an offered ticket count besides what the ticket is worth. ``weights`` replace tuned
    ones, by the names of `Weights`: people misjudge things, too.
    """

    def __init__(
        self, overlook: float = 0.0, tempted: float = 0.0, dawdle: float = 0.0, enough: float = 20.0, **weights: float
    ) -> None:
        for name, chance in (("overlook", overlook), ("dawdle", dawdle)):
            if not 0 <= chance < 1:
                raise ValueError(f"{name}: expected a number from 0 to below 1, got {chance}")
        self.last_move: LastMove | None = None
        self._habits = Habits()
        self._habits.overlook, self._habits.tempted, self._habits.dawdle = overlook, tempted, dawdle
        self._habits.enough = enough
        self._weights = BoardWeights(weights)
        self._plan, self._scratch, self._moves, self._noticed = Plan(), PlanScratch(), Moves(), ViewStruct()
        self._seed = 0
        clear_plan(self._plan)

    def start(self, _board: Board, _seat: int, _seats: int, seed: int) -> None:
        """Begin a game."""
        self._seed = seed
        self.last_move = None
        clear_plan(self._plan)

    def choose(self, view: View) -> int:
        """Return the number of its move."""
        return self.choose_struct(view.board, view.struct)

    def choose_struct(self, board: Board, view: ViewStruct) -> int:
        """Return the number of its move."""
        weights = self._weights.on(board)
        given = board.struct, view, weights, self._habits, self._scratch, self._plan, self._moves, self._noticed
        move = choose_casually(*given, self._seed, seed_for_choice(self._seed, view))
        self.last_move = LastMove(board, bytes(view), bytes(self._plan), move)
        return move
