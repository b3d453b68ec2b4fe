"""Advice for a decision of a game in progress, from a view alone: the best choice, why, and what others would lose."""

from dataclasses import dataclass
from typing import Any

from northrail.analysis.judge import Estimate, Json, Judge, choice_of, empty_plan, script_of
from northrail.analysis.steps import Depth, Trial, Verdict, why
from northrail.engine.choices import Choice
from northrail.engine.view import View

DEPTH = Depth("advice", 24, 48, 160, 0, 0)
COSTLY = 5.0  # points that a choice loses before someone should look again
MOST_ALTERNATIVES = 5


@dataclass(frozen=True)
class Advice:
    """What to do, and what other choices lose. Losses are points against the best choice."""

    best: Json
    reasons: tuple[dict[str, Any], ...]
    loss: Estimate  # of the choice that was asked about
    alternatives: tuple[tuple[Json, float], ...]  # others and what they lose, best first

    @property
    def is_costly(self) -> bool:
        """Whether the choice that was asked about clearly loses much."""
        return self.loss.is_sure and self.loss.mean >= COSTLY


def advise(view: View, choice: Choice | None = None) -> Advice:
    """Judge a choice of the seat to move, by default the planner's own.

    >>> import northrail
    >>> game = northrail.Game(northrail.load_board("nordic-countries"), seats=2, seed=7)
    >>> view = game.view(game.seat)
    >>> advise(view, view.choices[0]).best["kind"]
    'keep'
    """
    board, struct = view.board, view.struct
    judge, plan = Judge(board), empty_plan()
    usual = judge.quick_choice(struct, plan)
    made = judge.script(struct, plan, judge.moves(struct, 1)[0])
    if choice is not None:
        made = script_of(judge, view, plan, choice)
    if len(view.moves) == 1 and made == usual:
        return Advice(choice_of(board, struct, made), why(view, made[0]), Estimate(0.0, 0.0), ())
    verdict = Trial(judge, view, plan, 0, made, usual, DEPTH).verdict()
    best = verdict.best_moves if verdict.loss.is_sure else made
    return Advice(
        choice_of(board, struct, best), why(view, best[0]), _loss(verdict), tuple(_alternatives(verdict, best))
    )


def _loss(verdict: Verdict) -> Estimate:
    return verdict.loss if verdict.loss.is_sure else Estimate(0.0, verdict.loss.error)


def _alternatives(verdict: Verdict, best: tuple[int, ...]) -> list[tuple[Json, float]]:
    """Return the other choices and what they lose. Few worlds may flatter one, so none loses less than nothing."""
    worth = next(each.margin for each in verdict.alternatives if each.moves == best)
    found = [each for each in verdict.alternatives if each.moves != best]
    return [(each.choice, max(0.0, worth - each.margin)) for each in found[:MOST_ALTERNATIVES]]
