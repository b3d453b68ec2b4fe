"""One game: its result, and players that fail."""

from pathlib import Path
from typing import Any

import pytest
from contests import NORDIC, contest, write_player

from northrail import Game, load_board
from northrail.arena import play_game
from northrail.arena.contest import seed_for
from northrail.arena.match import IDLE, Table


def test_a_game_in_the_arena_is_the_same_as_a_game_played_by_hand() -> None:
    of = contest("random", "simple", board=NORDIC, seed=7)
    result = play_game(of, 1)
    game = Game(NORDIC, 2, 7)
    players: Any = [recipe() for recipe in reversed(of.players)]
    players[1].start(NORDIC, 1, 2, seed_for(7, 1, "random"))
    decisions = [0, 0]
    while not game.over:
        decisions[game.seat] += 1
        choice = players[game.seat].choose(game.view(game.seat))
        _ = game.claim(*choice) if isinstance(choice, tuple) else game.play(choice)
    assert result.players == ("simple", "random") and result.decisions == tuple(decisions)
    assert result.points == tuple(score.total for score in game.scores())
    assert result.completed == tuple(score.completed for score in game.scores())
    assert result.tickets == tuple(game.view(None).ticket_counts)
    assert result.places == ((1, 2) if game.winners() == [0] else (2, 1))
    assert play_game(of, 1) == result


def test_players_get_start_and_finish_and_may_answer_in_any_form(tmp_path: Path) -> None:
    checks = write_player(
        tmp_path,
        "Checks",
        """
        reason = "because"
        def start(self, board, seat, seats, seed):
            self.given, self.turn = [board.id, seat, seats, type(seed)], 0
        def choose(self, view):
            assert view.me == view.seat == self.given[1] and view.phase != "over"
            self.turn += 1
            for route, price in (view.options["claim"] or {}).items():
                return int(route), price["payments"][0]
            move = view.moves[0]
            return (move, str(move), move.number)[self.turn % 3]
        def finish(self, view):
            assert view.phase == "over" and view.me == self.given[1] and len(view.final) == 3
            assert self.given == ["northern-lights", view.me, 3, int]
            raise RuntimeError(f"all is well after {self.turn}")
        """,
    )
    result = play_game(contest(checks, seats=3), 0)
    assert result.fault is not None and result.fault.kind == "raised"
    assert f"all is well after {result.decisions[0]}" in result.fault.text


COUNTS = """
turns = 0
def choose(self, view):
    import numpy
    self.turns += 1
    assert self.turns < 20, "enough"
    return numpy.int16(view.moves[-1].number)
"""


COUNTS_STRUCTS = """
def choose_struct(self, board, view):
    from northrail.engine.view import View
    self.kept = view
    return self.choose(View(board, view))
"""


def test_any_kind_of_integer_is_a_move_number_for_kernel_players_too(tmp_path: Path) -> None:
    slow, fast = (
        play_game(contest(write_player(tmp_path, "Counts", *parts)), 0)
        for parts in ([COUNTS], [COUNTS, COUNTS_STRUCTS])
    )
    assert slow.fault is not None and "enough" in slow.fault.text and sum(slow.decisions) > 20
    assert slow.decisions == fast.decisions


def test_a_view_that_a_kernel_player_keeps_never_shows_another_seat(tmp_path: Path) -> None:
    table = Table(contest(write_player(tmp_path, "Counts", COUNTS, COUNTS_STRUCTS)), 0, list(IDLE))
    table.play()
    players: list[Any] = table.players
    assert [player.kept.me for player in players] == [0, 1]


# --- players that fail ------------------------------------------------------------------------------------------------


FAILURES = {
    "raises": ("return [][0]", "raised", "IndexError: list index out of range"),
    "leaves": ("sys.exit('enough')", "raised", "SystemExit: enough"),
    "illegal": ("return 'pass'", "illegal", "seat 0 cannot pass: it must choose which tickets to keep"),
    "nonsense": ("return 'win'", "illegal", "expected claim, take"),
    "nothing": ("return None", "illegal", "expected a Move, a text or a number, got None"),
    "too far": ("return 10**30", "illegal", "expected a move number from"),
    "truth": ("return True", "illegal", "got True"),
    "a claim out of turn": ("return 0, {'red': 1}", "illegal", "it must choose which tickets to keep"),
    "no cards": ("return 0, 5", "illegal", "expected cards such as"),
    "slow": ("time.sleep(0.06); return view.moves[0]", "slow", "expected an answer within 0.05 s, got one after 0."),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_player_that_fails_loses_and_the_result_says_why(name: str, tmp_path: Path) -> None:
    body, kind, text = FAILURES[name]
    limit = 0.05 if kind == "slow" else 60.0
    failing = write_player(tmp_path, "Failing", f"def choose(self, view):\n    {body}")
    of = contest(failing, "random:", "random", seats=3, board=NORDIC, limit=limit, seed=6)
    number = next(at for at in range(9) if Game(NORDIC, 3, of.game(at)[0]).seat == of.game(at)[1].index(0) == 0)
    result = play_game(of, number)
    assert result.fault is not None
    assert (result.fault.player, result.fault.seat, result.fault.move) == ("Failing.py:Failing", 0, 1)
    assert result.fault.kind == kind and text in result.fault.text
    assert result.places == (3, 1, 1) and result.points is None


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("-1", "expected a move number from 0 to"),
        ("10**30", "expected a move number from 0 to"),
        ("'pass'", "got 'pass'"),
        ("None", "got None"),
        ("0", "seat 0 cannot claim"),
        ("len(board.routes) + 51", "set"),
    ],
)
def test_a_kernel_player_that_fails_loses_too(answer: str, text: str, tmp_path: Path) -> None:
    body = f"def choose_struct(self, board, view):\n    return {answer}"
    of = contest(write_player(tmp_path, "Failing", "def choose(self, view): ...", body), board=NORDIC, seed=6)
    number = next(at for at in range(9) if Game(NORDIC, 2, of.game(at)[0]).seat == 0)
    fault = play_game(of, number).fault
    assert fault is not None and fault.kind == "illegal" and text in fault.text


def test_a_fault_says_where_the_exception_was_raised(tmp_path: Path) -> None:
    failing = write_player(tmp_path, "Failing", "def choose(self, view):\n    return view.no_such_thing")
    fault = play_game(contest(failing), 0).fault
    assert fault is not None
    assert "Failing.py" in fault.text and "line 5" in fault.text and "no_such_thing" in fault.text


CHEATS = {
    "by a view": "def choose(self, view):\n    move = view.moves[0]\n"
    "    view.board.struct.memory[0] ^= 1\n    return move",
    "by start": "def start(self, board, *_):\n    board.struct.memory[0] ^= 1\ndef choose(self, view): ...",
    "by other memory": "def choose(self, view):\n    move, struct = view.moves[0], view.board.struct\n"
    "    struct.memory = struct.memory[::-1]\n    return move",
    "and raises": "def choose(self, view):\n    view.board.struct.memory[0] ^= 1\n    return [][0]",
    "as a kernel": "def choose(self, view): ...\ndef choose_struct(self, board, view):\n"
    "    board.struct.memory[0] ^= 1",
}


@pytest.mark.parametrize("body", CHEATS.values(), ids=CHEATS)
def test_a_player_that_changes_the_board_loses_and_the_board_is_restored(body: str, tmp_path: Path) -> None:
    board = load_board("nordic-countries")
    fault = play_game(contest(write_player(tmp_path, "Cheats", body), board=board), 0).fault
    assert fault is not None and fault.kind == ("raised" if "[][0]" in body else "cheated")
    assert bytes(board.struct) == bytes(NORDIC.struct)


def test_ctrl_c_is_not_a_players_fault(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        play_game(contest(write_player(tmp_path, "Waits", "def choose(self, view): raise KeyboardInterrupt")), 0)
