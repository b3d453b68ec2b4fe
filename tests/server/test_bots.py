"""Bots at a table play exactly as in the arena, also after a restart and in another process."""

import pytest
from contests import LIGHTS, NORDIC, contest

import northrail
from northrail.arena.match import IDLE, Table
from northrail.players import load_player
from northrail.players.levels import PLAYERS
from northrail.server.match import Command, Match, SeatInfo, TableInfo
from northrail.server.tables import bots

# The search plays the same with a given number of iterations; few, because the number makes no difference here.
LEVELS = {name: "search:iterations=6" if name in ("search", "expert", "master") else name for name in PLAYERS}

SENDING = 0.05  # seconds that a turn takes to write, to send and to begin the next one


@pytest.mark.parametrize("board", [NORDIC, LIGHTS], ids=str)
@pytest.mark.parametrize("level", sorted(set(LEVELS.values())))
def test_a_bot_at_a_table_plays_as_in_the_arena(board: northrail.Board, level: str) -> None:
    arena = Table(contest(level, "path" if level == "simple" else "simple", board=board, seed=5), 0, list(IDLE))
    assert arena.play().fault is None
    info = TableInfo("x" * 10, board.id, board.digest, arena.seed, str(arena.seed), began=1.0)
    match = Match(board, info, [SeatInfo(seat, "bot", recipe.name) for seat, recipe in enumerate(arena.recipes)])
    while match.game is not None and match.turn is not None:
        name = arena.recipes[match.turn].name
        # A new player for every choice, as after a restart.
        choice = bots.choose(match.game.copy(), load_player(name)(), name, info.secret)
        match.add(Command(match.version + 1, match.turn, "bot", 2.0, choice))
    assert match.game == arena.game


@pytest.mark.parametrize("then", ["second_card", "tickets", "tunnel"])
@pytest.mark.parametrize("level", sorted(PLAYERS))
def test_people_wait_at_most_six_seconds_for_four_bots(level: str, then: str) -> None:
    """The longest turns are those with a second decision. One of eight decisions may take a step longer."""
    pauses = sum(bots.pause_of(phase, level, "normal", 4) for phase in ("turn", then))
    step = bots.STEP_SEARCH if level in bots.SEARCHES else bots.STEP
    assert 4 * (pauses + SENDING) + step <= 6


def test_only_bots_that_nobody_waits_for_pause_at_least_a_tenth_of_a_second() -> None:
    assert bots.pause_of("turn", "simple", "instant", 1, people=1) == bots.LEAST
    assert bots.pause_of("turn", "simple", "instant", 3, people=0) == bots.LEAST_ALONE


@pytest.mark.parametrize("phase", sorted(bots.PAUSES))
def test_a_faster_speed_never_means_a_longer_pause(phase: str) -> None:
    for level, others in (("easy", 1), ("expert", 2), ("expert", 5)):
        pauses = [bots.pause_of(phase, level, speed, others) for speed in ("normal", "fast", "instant")]
        assert pauses == sorted(pauses, reverse=True)
        assert pauses[-1] > 0, "how long it thinks would show"
