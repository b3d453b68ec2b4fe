"""Hints: what the planner would do in a seat, and why. A hint comes out of that seat's view and nothing else."""

from northrail.engine.game import Game
from northrail.engine.view import View
from northrail.players.decide import whole_choice
from northrail.players.planner import Planner
from northrail.players.reasons import reasons_for
from northrail.server.match import Json


def hint_for(view: View) -> Json:
    """Return the planner's choice for the seat of a view, and its reasons.

    The choice is tried out in an imagined world, so nothing that the seat can't see has any effect. First tickets may
    be chosen ahead of the turn; the choices of the seats before make no difference.
    """
    assert view.me is not None, "a spectator gets no hints"
    world = Game.imagine(view)
    while world.seat != view.me:
        world.play(world.moves()[0])
    player = Planner()
    player.choose(world.view(view.me))
    reasons = reasons_for(player)
    return {
        "choice": whole_choice(world, player).json(),
        "reasons": [{"code": reason.code, "facts": reason.facts} for reason in reasons],
    }
