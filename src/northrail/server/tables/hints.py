"""Hints: what to do in a seat, why, and what other choices cost. They come out of that seat's view and nothing else."""

from northrail.analysis.advice import advise
from northrail.engine.choices import choice_from
from northrail.engine.game import Game
from northrail.engine.view import View
from northrail.players.decide import whole_choice
from northrail.players.planner import Planner
from northrail.players.reasons import reasons_for
from northrail.server.match import Json


def hint_for(view: View) -> Json:
    """Return the planner's choice for the seat of a view, and its reasons.

    The choice is tried out in an imagined world, so nothing that the seat can't see has any effect.
    """
    world = _at_its_turn(view)
    player = Planner()
    player.choose(world.view(view.me))
    reasons = reasons_for(player)
    return {
        "choice": whole_choice(world, player).json(),
        "reasons": [{"code": reason.code, "facts": reason.facts} for reason in reasons],
        "alternatives": None,
    }


def careful_hint_for(view: View) -> Json:
    """Return the choice that does best in many imagined worlds, its reasons, and what others would lose."""
    advice = advise(_at_its_turn(view).view(view.me))
    return {
        "choice": advice.best,
        "reasons": list(advice.reasons),
        "alternatives": [{"choice": choice, "loss": loss} for choice, loss in advice.alternatives],
    }


def cost_of(view: View, choice: Json) -> Json:
    """Return what a legal choice loses against the best one, and whether that is much."""
    advice = advise(view, choice_from(choice))
    return {"loss": advice.loss.mean, "error": advice.loss.error, "costly": advice.is_costly}


def _at_its_turn(view: View) -> Game:
    """Return an imagined world in which the seat of a view is to move.

    First tickets may be chosen ahead of the turn; the choices of the seats before make no difference.
    """
    assert view.me is not None, "a spectator gets no hints"
    world = Game.imagine(view)
    while world.seat != view.me:
        world.play(world.moves()[0])
    return world
