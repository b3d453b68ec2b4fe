"""Learn from games: what choices are worth, what was decision and what was luck.

`evaluate` compares moves from a seat's view, and `advise` finds the best one. `review` judges a finished game choice by
choice; `luck` tells only how lucky each seat was. docs/review.md has the definitions.

`playouts` holds the kernels, `judge` calls them, `steps` walks through a game, `review` adds up, `ledger` follows the
tickets, `english` and `html` tell it. `endings` solves the last round exactly, and `open_search` measures what hidden
information costs.
"""

from northrail.analysis.advice import Advice, advise
from northrail.analysis.judge import Estimate, Evaluation, evaluate
from northrail.analysis.review import Luck, Parts, Review, luck, review, reviewing, step_from
from northrail.analysis.steps import DEPTHS, Step, Verdict

__all__ = [
    "DEPTHS",
    "Advice",
    "Estimate",
    "Evaluation",
    "Luck",
    "Parts",
    "Review",
    "Step",
    "Verdict",
    "advise",
    "evaluate",
    "luck",
    "review",
    "reviewing",
    "step_from",
]
