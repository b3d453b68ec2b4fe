"""Who plays whom, and who sits where."""

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from contests import LIGHTS, contest

from northrail import load_player
from northrail.arena import BadRun, Contest
from northrail.arena.contest import line_ups, round_orders, seed_for


@pytest.mark.parametrize(
    ("players", "seats"), [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (2, 3), (2, 4), (3, 4), (2, 5), (5, 5)]
)
def test_in_every_deal_all_players_sit_in_each_seat_equally_often(players: int, seats: int) -> None:
    of = Contest(LIGHTS, tuple(replace(load_player("random"), name=str(at)) for at in range(players)), seats, seed=40)
    for deal in range(4):
        games = [of.game(deal * of.deal_games + at) for at in range(of.deal_games)]
        assert {seed for seed, _ in games} == {40 + deal}
        assert len(set(games)) == len(games), "no game is played twice"
        for seat in range(seats):
            counts = Counter(line_up[seat] for _, line_up in games)
            assert len(counts) == players and len(set(counts.values())) == 1
        met = Counter(tuple(sorted(line_up)) for _, line_up in games)
        assert len(set(met.values())) == 1 and set(met) == set(line_ups(players, seats))


def test_line_ups_are_all_combinations_of_players() -> None:
    assert line_ups(4, 2) == list(itertools.combinations(range(4), 2))
    assert line_ups(1, 3) == [(0, 0, 0)]
    assert line_ups(2, 4) == [(0, 0, 1, 1)]
    assert line_ups(3, 5) == [(0, 0, 1, 1, 2), (0, 0, 1, 2, 2), (0, 1, 1, 2, 2)]


def test_the_order_around_the_table_changes_from_deal_to_deal() -> None:
    assert len(round_orders((0, 1, 2, 3))) == 6
    of = contest("random", "simple", "random:", seats=3)
    assert [of.game(number)[1] for number in range(6)] == [
        (0, 1, 2), (1, 2, 0), (2, 0, 1),
        (0, 2, 1), (2, 1, 0), (1, 0, 2),
    ]  # fmt: skip


def test_games_are_rounded_up_to_whole_deals() -> None:
    assert [contest("random", "simple").whole(games) for games in (1, 2, 3)] == [2, 2, 4]
    assert contest("random", "simple", seats=3).whole(100) == 102
    assert contest("random", seats=3).whole(5) == 5  # alone at the table, turning changes nothing


def test_a_players_seed_depends_on_game_seat_and_name() -> None:
    seeds = {seed_for(seed, seat, name) for seed in range(20) for seat in range(5) for name in ("a", "b")}
    assert len(seeds) == 200 and max(seeds) < 2**62
    assert seed_for(1, 0, "random") == 1990887598841326378


def test_a_contest_that_cannot_be_played_is_refused() -> None:
    wrong: list[tuple[list[str], dict[str, Any], str]] = [
        ([], {}, "none"),
        (["random", "random"], {}, "different"),
        (["random"], {"seats": 6}, "2 to 5"),
        (["random"], {"seed": -1}, "seed"),
        (["random"], {"limit": 0}, "limit"),
        (["random"], {"limit": float("nan")}, "limit"),
    ]
    for players, facts, word in wrong:
        with pytest.raises(BadRun, match=word):
            contest(*players, **facts)
