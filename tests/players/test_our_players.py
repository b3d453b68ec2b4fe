"""Our players keep to the rules, to their view and to their seed, in whole games and in odd situations."""

import itertools
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blindness import World, assert_blind
from documents import own_board
from positions import LIGHTS, NORDIC, at, named, small_board, using
from tables import BOARDS, TABLES, Size, corner

import northrail
from northrail import Board, Game
from northrail.arena import Contest, play_game, results_here
from northrail.boards.board import COLOURS
from northrail.engine.view import cards_of
from northrail.kernels.decorators import COMPILED
from northrail.players import load_player
from northrail.players.casual import Casual
from northrail.players.fast_games import fast_games, planner_contender, published_contender
from northrail.players.levels import PLAYERS
from northrail.players.planner import CAREFUL, QUICK, THOROUGH, Planner, expected_worth
from northrail.players.published import AGENTS
from northrail.players.reasons import reasons_for
from northrail.players.search import CHUNK, JUDGED, Search

ENDLESS = 100_000
LIEKSA = named(NORDIC, "Lieksa–Murmansk")
NAMES = [  # but for those that are others by another name, or with another budget
    f"{name}:iterations=6" if name == "search" else name for name in PLAYERS if name not in ("hard", "expert", "master")
]
OF_EACH_KIND = ["random", "path", "one-step", "long-route", "hungry", "planner", "easy"]
if COMPILED:  # plain Python takes half a minute to search for one move
    OF_EACH_KIND.append("search:iterations=1")


def started(name: str, board: Board, seats: int, seed: int, seat: int = 0) -> Any:
    """Return a player after its `start`."""
    player: Any = load_player(name)()
    if hasattr(player, "start"):
        player.start(board, seat, seats, seed)
    return player


def play_on(game: Game, players: list[Any], most: int = ENDLESS) -> list[Any]:
    """Continue a game, with the players in turn around the table; return their moves. An illegal move raises."""
    moves: list[Any] = []
    while not game.over and len(moves) < most:
        choice = players[game.seat % len(players)].choose(game.view(game.seat))
        moves.append(choice)
        _ = game.claim(*choice) if isinstance(choice, tuple) else game.play(choice)
    return moves


# --- legality ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_player_makes_legal_moves_only(name: str, table: tuple[Board, int]) -> None:
    board, seats = table
    for players in ([name], [name, "random"] if name != "random" else ["random", "simple"]):
        result = play_game(Contest(board, tuple(map(load_player, players)), seats, seed=7), 0)
        assert result.fault is None and result.points is not None


@pytest.mark.parametrize("care", [QUICK, CAREFUL, THOROUGH])
def test_the_planner_makes_legal_moves_only_with_any_care(care: int, table: tuple[Board, int], size: Size) -> None:
    board, seats = table
    contenders = [planner_contender(board, care)] * seats
    games = fast_games(board, seats, contenders, deals=size.pick(1, 8, 100), seed=99)  # which raises otherwise
    assert (games["decisions"] > 20 * seats).all()


@pytest.mark.engine
@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_players_find_their_way_in_corners(name: str, size: Size) -> None:
    """Start from positions with almost nothing on the table, where seats must pass and decks are empty."""
    for at_table, (board, seats) in enumerate(TABLES):
        if size.name == "small" and at_table != OF_EACH_KIND.index(name) % len(TABLES):
            continue
        for seed in range(size.pick(1, 2, 100)):
            game = corner(BOARDS[board], seats, 500 + seed)
            play_on(game, [started(name, game.board, seats, seed)], ENDLESS if COMPILED else 20)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_games_without_an_illegal_move(name: str, size: Size, capsys: pytest.CaptureFixture[str]) -> None:
    each = -(-size.pick(6, 60, 10_000) // len(TABLES))
    began, played = time.monotonic(), 0
    for board, seats in TABLES:
        for result in results_here(Contest(BOARDS[board], (load_player(name),), seats, seed=1_000_000), range(each)):
            assert result.fault is None, result
            played += 1
            if played % 100 == 0:
                with capsys.disabled():
                    sys.stdout.write(f"\r{name}: {played:,} games, {played / (time.monotonic() - began):.1f} a second ")
                    sys.stdout.flush()
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {played:,} games, every move legal\n")


@pytest.mark.long
def test_ten_thousand_games_inside_a_kernel(size: Size) -> None:
    for (name, seats), care in itertools.product(TABLES, (QUICK, CAREFUL, THOROUGH)):
        board = BOARDS[name]
        contenders = [planner_contender(board, care), *map(published_contender, AGENTS)][:seats]
        fast_games(board, seats, contenders, deals=size.pick(1, 10, 10_000) // seats + 1, seed=5_000_000)


# --- odd situations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_players_play_your_own_boards(name: str, tmp_path: Path) -> None:
    estonia = tmp_path / "estonia.toml"
    estonia.write_text(own_board(), encoding="utf-8")
    board = northrail.load_board(estonia)
    for seats in range(board.rules.seats[0], board.rules.seats[1] + 1):
        game = Game(board, seats, seed=2)
        play_on(game, [started(name, board, seats, 5, seat) for seat in range(seats)])
        assert game.over


@pytest.mark.engine
@pytest.mark.parametrize("name", [*NAMES, "search:iterations=4,threads=2"])
def test_players_play_a_small_board_and_say_why(name: str, tmp_path: Path, size: Size) -> None:
    """Play whole games that are quick in plain Python, and ask for the reasons of every move."""
    board = small_board(tmp_path)
    for seed in range(size.pick(1, 20)):
        game = Game(board, 2, seed)
        players = [started(name, board, 2, seed, seat) for seat in range(2)]
        while not game.over:
            player = players[game.seat]
            play_on(game, [player], 1)
            assert all(str(reason) for reason in reasons_for(player))


@pytest.mark.engine
@pytest.mark.parametrize("care", [QUICK, CAREFUL, THOROUGH])
def test_fast_games_on_a_small_board(care: int, tmp_path: Path) -> None:
    board = small_board(tmp_path)
    for agent in AGENTS:
        games = fast_games(board, 2, [planner_contender(board, care), published_contender(agent)], deals=1)
        assert games["share"].sum(axis=1) == pytest.approx(1)
    with pytest.raises(ValueError, match="expected 2 contenders"):
        fast_games(board, 2, [planner_contender(board)], deals=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_player_may_move_to_another_table_without_start(name: str) -> None:
    player: Any = load_player(name)()
    for board, seats, most in ((NORDIC, 2, 60), (LIGHTS, 4, 90), (NORDIC, 3, 31), (LIGHTS, 2, 77), (NORDIC, 2, 200)):
        play_on(Game(board, seats, seed=seats + most), [player], most)


@pytest.mark.parametrize("name", NAMES)
def test_players_can_take_over_in_the_middle_of_a_turn(name: str) -> None:
    """A new player pays for a claim that another began, and chooses among tickets that another drew."""
    for seed, board in enumerate((NORDIC, LIGHTS)):
        game = Game(board, 2, seed)
        chance = random.Random(seed)
        asked = set()
        while not game.over:
            if game.phase in ("pay", "tunnel", "second_card", "tickets") and chance.random() < 0.5:
                asked.add(game.phase)
                play_on(game, [load_player(name)()], 1)
            else:
                game.play(chance.choice(game.moves()))
        assert {"pay", "second_card", "tickets"} <= asked


@pytest.mark.parametrize("name", NAMES)
def test_players_cope_with_few_options(name: str) -> None:
    little = using(NORDIC, 38)  # routes that leave two trains
    situations = [
        # in the last round, with cards to spare and a ticket that cannot be joined any more
        at(
            NORDIC,
            {"red": 6, "blue": 6, "locomotive": 5},
            owners=little,
            turns_left=1,
            tickets={0: ["Oslo–Honningsvåg"]},
        ),
        # without a card in hand, and without a ticket anywhere
        at(NORDIC, {}, owners=little, turns_left=2, ticket_deck=[]),
        # no deck and no row: seats can only claim, and pass when their cards are used up
        at(NORDIC, {"green": 12, "locomotive": 14}, deck={}, face_up={}, ticket_deck=[]),
        at(LIGHTS, {"green": 12, "locomotive": 9}, seats=5, deck={}, face_up={}, ticket_deck=[]),
        # nothing at all in hand
        at(NORDIC, {}, deck={}, face_up={}, ticket_deck=[]),
        # the last ticket of the deck, and the longest route there is
        at(NORDIC, dict.fromkeys(COLOURS, 5), ticket_deck=["Oslo–Helsinki"], owners=using(NORDIC, 31, clear=[LIEKSA])),
    ]
    for game in situations:
        play_on(game, [started(name, game.board, game.seats, 3, seat) for seat in range(game.seats)], 60)


def test_the_longest_route_is_claimed_with_the_last_trains() -> None:
    """The planner claims Murmansk–Lieksa for 27 points when it can pay and nothing else is worth as much."""
    game = at(NORDIC, {"red": 9}, owners=using(NORDIC, 31, clear=[LIEKSA]))
    play_on(game, [started("planner", NORDIC, 2, 1)], 1)
    assert game.record()["moves"] == [f"claim {NORDIC.routes[LIEKSA]}"]


@pytest.mark.engine
@pytest.mark.parametrize("drawn", range(5))
def test_the_average_worth_of_drawn_tickets(drawn: int) -> None:
    """Compare with every set that may be drawn: a player keeps the tickets with positive worth, or else the best."""
    chance = random.Random(drawn)
    for count in range(8):
        lot = sorted(chance.uniform(-20, 20) - 5 for _ in range(count))
        sets = list(itertools.combinations(lot, min(drawn, count)))
        kept = [sum(worth for worth in each if worth > 0) or max(each, default=0) for each in sets]
        assert expected_worth(np.array(lot), count, drawn) == pytest.approx(sum(kept) / len(sets))


@pytest.mark.parametrize("name", NAMES)
def test_a_player_without_a_legal_move_passes(name: str) -> None:
    game = at(NORDIC, {}, deck={}, face_up={}, ticket_deck=[])
    assert [move.text for move in game.moves()] == ["pass"]
    play_on(game, [started(name, NORDIC, 2, 1)], 1)
    assert game.seat == 1


# --- intentions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["planner", "easy", "hungry", "search:iterations=8"])
def test_claims_are_paid_as_intended(name: str, board: Board) -> None:
    """A player lays the cards it had in mind when it claimed, also card by card."""
    claims = sum(paid_as_intended(name, Game(board, 2, seed)) for seed in range(4, 7))
    assert claims > 20


def paid_as_intended(name: str, game: Game) -> int:
    """Play a game against random, and compare each payment with the plan; return the number of claims."""
    board = game.board
    player, other = started(name, board, 2, 8), started("random", board, 2, 9, 1)
    intended: dict[str, int] = {}
    claims = 0
    while not game.over:
        if game.seat == 1:
            play_on(game, [other], 1)
            continue
        move = player.choose(game.view(0))
        if move < len(board.routes):
            plan = player._trees[0].plan if isinstance(player, Search) else player._plan
            assert plan.route == move
            intended = cards_of(plan.pay)
        for event in game.play(move):
            if event.code == "tunnel_tried":
                assert event.public["cards"] == intended
            if event.code == "claimed" and not board.routes[event.public["route"]].tunnel:
                assert event.public["cards"] == intended
                claims += 1
    return claims


def test_the_planner_is_worth_its_name(nordic: Board, lights: Board) -> None:
    """The seeds are fixed, so the figures never change; docs/strength.md has those of many games."""
    games = fast_games(nordic, 2, [planner_contender(nordic)] * 2, deals=50)
    assert games["points"].mean() > 110 and games["completed"].mean() > 5
    for agent in AGENTS:
        games = fast_games(nordic, 2, [planner_contender(nordic), published_contender(agent)], deals=50)
        assert games["share"][:, 0].mean() > 0.75
    for seats in (2, 5):
        contenders = [planner_contender(lights), *[published_contender("hungry")] * (seats - 1)]
        games = fast_games(lights, seats, contenders, deals=50)
        assert games["share"][:, 0].mean() > 1.4 / seats


@pytest.mark.engine
def test_weights_and_budgets_that_make_no_sense_are_refused() -> None:
    for make, words in (
        (lambda: Casual(overlook=1), "overlook: expected a number from 0"),
        (lambda: Casual(dawdle=-0.1), "dawdle: expected a number from 0"),
        (lambda: Planner(courage=3), "expected weights among turn, .*, got courage"),
        (lambda: Search(iterations=0), "iterations: expected 1 to"),
        (lambda: Search(effort=0), "effort: expected 1 to"),
        (lambda: Search(seconds=0), "seconds: expected more than 0"),
        (lambda: Search(threads=0), "threads: expected 1 to"),
        (lambda: Search(mood=1), "expected settings among"),
    ):
        with pytest.raises(ValueError, match=words):
            make()


# --- human errors ----------------------------------------------------------------------------------------------------


def test_without_errors_a_casual_player_is_the_planner(board: Board) -> None:
    casual, planner = Casual(), Planner()
    game = Game(board, 2, seed=11)
    while not game.over:
        view = game.view(game.seat)
        move = casual.choose(view)
        assert move == planner.choose(view)
        game.play(move)


def test_weaker_levels_score_less_and_never_play_absurdly(nordic: Board) -> None:
    """The seeds are fixed, so the figures never change; docs/strength.md has those of many games."""
    means = []
    for level in ("beginner", "easy", "medium", "hard"):
        points = []
        for seed in range(6):
            game = Game(nordic, 2, seed)
            players = [started(level, nordic, 2, 2 * seed + seat, seat) for seat in range(2)]
            while not game.over:
                seat, view = game.seat, game.view(game.seat)
                move = next(move for move in view.moves if move.number == players[seat].choose(view))
                if level != "hard":
                    tunnel = (view.options or {}).get("tunnel")
                    assert move.kind != "give_up" or not (tunnel or {})["payments"], "gives up what it can pay"
                    assert level != "beginner" or view.hand_sizes[seat] < 45, "hoards cards"
                game.play(move)
            points += [score.total for score in game.scores()]
        means.append(sum(points) / len(points))
    assert means == sorted(means) and means[-1] - means[0] > 40


def test_a_route_that_a_player_overlooks_does_not_cost_it_its_ticket() -> None:
    """However much it overlooks, it looks again until it finds a way to its ticket."""
    game = at(NORDIC, {"red": 3, "yellow": 3}, tickets={0: ["Oslo–Helsinki"]})
    for seed in range(20):
        player = Casual(overlook=0.95)
        player.start(NORDIC, 0, 2, seed)
        player.choose(game.view(0))
        assert "gives up" not in " ".join(map(str, reasons_for(player)))
        assert any(player._plan.routes.tolist())


# --- determinism ------------------------------------------------------------------------------------------------------


def record_of(name: str, board: Board, seats: int, seat_player: str) -> list[str]:
    """Return the moves of a whole game. Players stay, or are new before every choice, or one is shared by all seats."""
    game = Game(board, seats, seed=6)
    players = [started(name, board, seats, 40 + seat, seat) for seat in range(seats)]
    shared: Any = load_player(name)()
    while not game.over:
        seat = game.seat
        if game.phase != "pay":  # the cards of a claim belong to the choice of the claim
            if seat_player == "new":
                players[seat] = started(name, board, seats, 40 + seat, seat)
            elif seat_player == "shared":
                players[seat] = shared
                if hasattr(shared, "start"):
                    shared.start(board, seat, seats, 40 + seat)
        play_on(game, [players[seat]], 1)
    moves: list[str] = game.record()["moves"]
    return moves


@pytest.mark.parametrize("name", [*NAMES, "hard", "expert:iterations=4"])
def test_a_choice_depends_on_the_seed_and_the_view_alone(name: str, board: Board) -> None:
    """Players keep nothing from one whole choice to the next, so that a server may forget them at any time."""
    playing_on, new, shared = (record_of(name, board, 2, kind) for kind in ("playing on", "new", "shared"))
    assert playing_on == new
    assert playing_on == shared


@pytest.mark.parametrize("name", [*NAMES, "search:iterations=12,threads=2"])
def test_the_same_seed_gives_the_same_moves(name: str, board: Board) -> None:
    seats = board.rules.seats[1]
    played = []
    used = [load_player(name)() for _ in range(seats)]
    play_on(Game(board, seats, seed=8), used, 20)  # a player that has played before
    for players in (used, [load_player(name)() for _ in range(seats)]):
        for seat, player in enumerate(players):
            if hasattr(player, "start"):
                player.start(board, seat, seats, 21)
        game = Game(board, seats, seed=3)
        play_on(game, players, 15 * seats)
        played.append(game.record()["moves"])
    assert played[0] == played[1]


def test_another_seed_leads_to_other_moves_if_the_player_uses_chance(nordic: Board) -> None:
    for name in ("random", "easy", "search:iterations=8"):
        games = [Game(nordic, 2, seed=3) for _ in range(2)]
        for seed, game in enumerate(games):
            play_on(game, [started(name, nordic, 2, seed)])
        assert games[0] != games[1]


def test_a_search_with_a_time_limit_runs_until_the_time_is_up(nordic: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock here advances a tenth of a second whenever it is read."""
    ticks = itertools.count()
    game = Game(nordic, 2, seed=3)
    while game.phase != "turn":
        play_on(game, [started("planner", nordic, 2, 0)], 1)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) / 10)
    for seconds in (0.25, 0.55):
        player = started(f"search:seconds={seconds}", nordic, 2, 0)
        player.choose(game.view(game.seat))
        assert sum(worlds for worlds, _ in player.visits().values()) == CHUNK * int(seconds * 10)


@pytest.mark.parametrize(
    ("name", "worlds"),
    [
        ("search:effort=60,network=False", (30, 12)),
        ("search:effort=60,network=False,iterations=20", (20, 12)),
        ("search:effort=60", (30 * JUDGED, 12 * JUDGED)),
    ],
)
def test_with_more_seats_a_search_of_the_same_effort_plays_fewer_worlds(
    name: str, worlds: tuple[int, int], lights: Board
) -> None:
    """An iteration moves all seats, so that five take about 2.5 times as long as two; a network saves most moves."""
    for seats, expected in zip((2, 5), worlds, strict=True):
        game = Game(lights, seats, seed=3)
        player = started(name, lights, seats, 0)
        player.choose(game.view(game.seat))
        assert sum(worlds for worlds, _ in player.visits().values()) == expected


# --- blindness --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "search:iterations=10,threads=2"])
def test_players_are_blind(name: str, table: tuple[Board, int]) -> None:
    assert_blind(lambda _: load_player(name)(), *table, seed=4, decisions=12)


class Peeker(Planner):
    """A planner that peeks: it takes a card of which the next seat holds many, if it can."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world

    def choose_struct(self, board: Board, view: Any) -> int:
        game = self.world()
        other = game.view((game.seat + 1) % game.seats).hand
        takes = [move for move in game.moves() if move.kind == "take" and move.colour in COLOURS[:-1]]
        best = max(takes, key=lambda move: other.get(str(move.colour), 0), default=None)
        return super().choose_struct(board, view) if best is None else best.number


class LuckyPeeker(Search):
    """A search that peeks: its imagined worlds depend on the next seat's hand."""

    def __init__(self, world: World) -> None:
        super().__init__(iterations=6)
        self.world = world

    def choose_struct(self, board: Board, view: Any) -> int:
        game = self.world()
        hand = game.view((game.seat + 1) % game.seats).hand
        self._seed = sum((COLOURS.index(colour) + 1) * count for colour, count in hand.items())
        return super().choose_struct(board, view)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_planner_that_peeks_is_caught(seed: int, table: tuple[Board, int]) -> None:
    with pytest.raises(AssertionError, match="in another that looks the same"):
        assert_blind(Peeker, *table, seed=seed)


def test_a_search_that_peeks_is_caught(nordic: Board) -> None:
    with pytest.raises(AssertionError, match="in another that looks the same"):
        assert_blind(LuckyPeeker, nordic, 2, seed=0, decisions=200)
