"""Figures of a contest's results."""

import doctest
import re
from dataclasses import replace
from pathlib import Path

import pytest
from contests import LIGHTS, NORDIC, contest, write_player

from northrail.arena import play_game, standings
from northrail.arena.match import forfeit


def test_standings_agree_with_the_results() -> None:
    of = contest("random", "simple", board=NORDIC)
    results = [play_game(of, number) for number in range(2)]
    lost = forfeit(of, [2, 0, 3], "raised", "oh")
    found = {one.player: one for one in standings.standings([*results, lost])}
    points = [result.points[result.players.index("simple")] for result in results if result.points]
    assert found["simple"].points[0] == pytest.approx(sum(points) / 2)
    assert found["simple"].margin[0] == -found["random"].margin[0]
    assert found["simple"].wins[0] == 1 and found["random"].faults == 1
    assert found["simple"].games == 3 and found["random"].rating.elo == 0


def test_without_random_the_mean_is_zero_and_the_table_says_so() -> None:
    of = contest("random:", "simple")
    found = standings.standings([play_game(of, number) for number in range(2)])
    assert sum(one.rating.elo for one in found) == pytest.approx(0)
    assert standings.zero_of(found).endswith("0 is the mean of these players, because random did not play")


def test_a_shared_win_is_half_a_win() -> None:
    of = contest("random", "simple")
    shared = replace(play_game(of, 0), places=(1, 1))
    assert {one.wins[0] for one in standings.standings([shared])} == {0.5}
    assert standings.running([shared]) == "random 50 % · simple 50 %"


def test_similar_faults_are_grouped(tmp_path: Path) -> None:
    failing = write_player(tmp_path, "Failing", "def choose(self, view):\n    return view.no_such_thing")
    of = contest(failing, "random", seed=3)
    results = [play_game(of, number) for number in range(2)]
    (told,) = standings.faults_of(results)
    seat = results[0].players.index("Failing.py:Failing")
    assert re.match(rf"Failing.py:Failing raised, in 2 games; first at move \d, seat {seat}, seed 3:\n  File ", told)
    assert standings.faults_of(results[:1])[0].startswith("Failing.py:Failing raised, at move ")
    slow = [forfeit(of, [0, 0, 1], "slow", f"after {seconds} s") for seconds in (1, 2)]
    other = [forfeit(of, [0, 0, 1], "illegal", str(number)) for number in range(7)]
    many = standings.faults_of([*slow, *other])
    assert len(many) == 6 and "in 2 games" in many[0] and many[-1] == "and 3 more kinds of faults"


def test_the_players_in_the_docs_rank_as_the_docs_say(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "write-a-player.md"
    samples = [each.source for each in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))]
    parts = [part for part in samples if part.startswith(("from northrail", "def ", "class "))]
    (tmp_path / "mine.py").write_text("\n".join(parts), encoding="utf-8")
    mine = f"{tmp_path}/mine.py"
    for board, seats in ((NORDIC, 2), (LIGHTS, 3)):
        of = contest(f"{mine}:Better", f"{mine}:Mine", "random", board=board, seats=seats)
        results = [play_game(of, number) for number in range(of.whole(6))]
        assert not standings.faults_of(results)
        assert [one.player for one in standings.standings(results)] == ["mine.py:Better", "mine.py:Mine", "random"]
