"""Which kinds of decisions cost each player most."""

import pytest
from contests import contest
from tables import BOARDS

from northrail.analysis.steps import Depth
from northrail.arena import costs, play_game


def test_costs_come_from_the_same_games_and_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "DEPTH", Depth("tiny", 2, 2, 4, 0, 0))
    of = contest("hard", "beginner", board=BOARDS["nordic-countries"])
    results = [play_game(of, number) for number in range(2)]
    ((count, found),) = costs.costs_of(of, results, games=1)
    assert count == 1
    assert {cost.player for cost in found} == {"hard", "beginner"}
    for cost in found:
        assert cost.kind in costs.KINDS.values()
        assert cost.a_game == pytest.approx(cost.loss * cost.decisions)
    # Choices count, not moves: paying for a route is part of claiming it.
    assert 40 < sum(cost.decisions for cost in found) <= sum(results[0].decisions)
    assert costs.table_of(found).row_count == len(found) == len(costs.json_of(found))
