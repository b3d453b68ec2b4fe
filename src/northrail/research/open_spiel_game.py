"""The game for OpenSpiel. Importing this module registers it as ``python_northrail``.

Chance is explicit. Every chance node has 256 equally likely outcomes. The first two choose the deal: outcomes a and b
start ``Game(board, seats, seed=256 * a + b)``. Then a chance node follows each action whose result is random, such as
drawing a card. Its outcome 0 continues the game's own generator, so a play with only zeros equals a `Game`; the others
continue it elsewhere. So a search that looks at all outcomes learns nothing about what will really be drawn.

>>> import pyspiel
>>> import northrail.research.open_spiel_game
>>> state = pyspiel.load_game("python_northrail(board=northern-lights,players=3)").new_initial_state()
>>> state.apply_action(0), state.apply_action(7)
(None, None)
>>> state.current_player(), len(state.legal_actions())
(1, 11)
"""

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from northrail.boards.board import NOBODY, ROUTE_BITS, Board, numbers_in
from northrail.boards.load import BUILT_IN, load_board
from northrail.engine.game import MOST_SEED
from northrail.engine.knowledge import imagine, look
from northrail.engine.moves import OTHER_MOVES, move_of
from northrail.engine.rules import Log, deal, legal
from northrail.engine.scoring import ScoreTable, score
from northrail.engine.state import OVER, Moves, ViewStruct, seeded
from northrail.engine.view import offered_tickets
from northrail.kernels.structs import Structs
from northrail.research.episodes import Episode, Setup, StepScratch, observe, play
from northrail.research.layouts import LAYOUTS, Layout, layout_of

OUTCOMES = 256
DEALING = 2  # chance nodes that choose the deal
MOST_MOVES = 20_000  # the rules allow endless games; nobody's reward differs from 0 if one gets this long
CHANCES = [(outcome, 1 / OUTCOMES) for outcome in range(OUTCOMES)]
SEATS = [load_board(name).rules.seats for name in BUILT_IN]

GAME_TYPE = pyspiel.GameType(
    short_name="python_northrail",
    long_name="Northrail",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=max(most for _, most in SEATS),
    min_num_players=min(least for least, _ in SEATS),
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={"board": BUILT_IN[0], "players": 2},
)


class Table:
    """What all states of a game share: the board, the number of players, and how they observe."""

    def __init__(self, name: str, players: int) -> None:
        self.name, self.players = name, players
        self.board: Board = load_board(name)
        least, most = self.board.rules.seats
        if not least <= players <= most:
            raise pyspiel.SpielError(f"players: expected {least} to {most} on {self.board.name}, got {players}")
        self.layout: Layout = layout_of(self.board, players, "history")
        self.compact: Layout = layout_of(self.board, players, "compact")
        self.setup, self.scratch = Setup(), StepScratch()
        self.setup.seats, self.setup.layout, self.setup.width = players, LAYOUTS["history"], self.layout.width


@cache
def table_of(name: str, players: int) -> Table:
    """Return the table of a board, by its name or file, with a number of players."""
    return Table(name, players)


class NorthrailGame(pyspiel.Game):
    """A board with a number of players. The winner gets 1 and the others share -1; players who tie share the win."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.table = table_of(given.get("board", BUILT_IN[0]), int(given.get("players", 2)))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.table.board.routes) + OTHER_MOVES,
            max_chance_outcomes=OUTCOMES,
            num_players=self.table.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MOST_MOVES,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> "NorthrailState":
        """Return a state before the deal."""
        return NorthrailState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "NorthrailObserver":
        """Return an object that observes states."""
        return NorthrailObserver(self.table, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many chance nodes a game can have."""
        return DEALING + MOST_MOVES


class Situation:
    """Everything a state consists of. Copies share the table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.dealt: list[int] = []  # outcomes of the first chance nodes
        self.episodes: Structs[Episode] = Episode.many(1)
        self.pending = NOBODY  # an action whose random result is to come
        self.moves = 0
        self.recall = [b""] * table.players  # [player] -> hash of all it has seen and done
        self.seen = [b""] * table.players  # [player] -> its view

    def __deepcopy__(self, _memo: Any) -> "Situation":
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __reduce__(self) -> tuple[Callable[..., "Situation"], tuple[Any, ...]]:
        table, memory = (self.table.name, self.table.players), bytes(self.episodes.memory)
        return _situation, (
            table,
            memory,
            list(self.dealt),
            self.pending,
            self.moves,
            list(self.recall),
            list(self.seen),
        )

    @property
    def episode(self) -> Episode:
        """The game."""
        return self.episodes[0]

    def legal(self) -> list[int]:
        """Return the legal actions of the seat to move, ascending."""
        board, found = self.table.board, Moves()
        legal(board.struct, self.episode.state, found)
        claims = numbers_in(found.claims.tolist(), ROUTE_BITS)
        return claims + [len(board.routes) + place for place in numbers_in([found.other], 63)]

    def deal(self, outcome: int) -> None:
        """Take an outcome that chooses the deal; deal after the last one."""
        self.dealt.append(outcome)
        if len(self.dealt) == DEALING:
            seed = self.dealt[0] * OUTCOMES + self.dealt[1]
            deal(self.table.board.struct, self.episode.state, self.table.players, NOBODY, seed, Log())
            self.look()

    def apply(self, action: int) -> None:
        """Play an action, unless its result is random: then a chance node comes first."""
        before, rng = bytes(self.episodes.memory), self.episode.state.rng
        seat = self._play(action)
        if self.episode.state.rng != rng:
            self.episodes.memory[:] = before
            self.pending = action
        else:
            self._finish(seat, action)

    def resolve(self, outcome: int) -> None:
        """Play the pending action with an outcome."""
        action, self.pending = self.pending, NOBODY
        s = self.episode.state
        if outcome:
            s.rng = seeded((s.rng + outcome) & MOST_SEED)
        self._finish(self._play(action), action)

    def _play(self, action: int) -> int:
        """Play an action; return who played it."""
        seat = int(self.episode.state.seat)
        play(self.table.board.struct, self.episode, action, Log())
        return seat

    def _finish(self, seat: int, action: int) -> None:
        """Count an action that was played, and let everyone see what it changed."""
        self.moves += 1
        self.recall[seat] = _chained(self.recall[seat], action.to_bytes(2))
        self.look()

    def look(self) -> None:
        """Add what has changed for each player to what it remembers."""
        for player in range(self.table.players):
            view = bytes(self.view(player))
            if view != self.seen[player]:
                self.recall[player], self.seen[player] = _chained(self.recall[player], view), view

    def view(self, player: int) -> ViewStruct:
        """Return what a player may know."""
        found = ViewStruct()
        look(self.table.board.struct, self.episode.state, player, found)
        return found


def _situation(table: tuple[str, int], memory: bytes, *rest: Any) -> Situation:
    """Return the situation that was pickled."""
    found = Situation(table_of(*table))
    found.episodes.memory[:] = memory
    found.dealt, found.pending, found.moves, found.recall, found.seen = rest
    return found


def _chained(recall: bytes, news: bytes) -> bytes:
    return blake2b(news, digest_size=16, key=recall).digest()


class NorthrailState(pyspiel.State):
    """A state of the game."""

    def __init__(self, game: NorthrailGame) -> None:
        super().__init__(game)
        self.now = Situation(game.table)

    def current_player(self) -> int:
        """Return the seat to move, or that chance is to move or that the game is over."""
        if len(self.now.dealt) < DEALING or self.now.pending != NOBODY:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else int(self.now.episode.state.seat)

    def _legal_actions(self, _player: int) -> list[int]:
        return self.now.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node and their probabilities."""
        return CHANCES

    def _apply_action(self, action: int) -> None:
        if len(self.now.dealt) < DEALING:
            self.now.deal(action)
        elif self.now.pending != NOBODY:
            self.now.resolve(action)
        else:
            self.now.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return str(move_of(self.now.table.board, action, offered_tickets(self.now.episode.state)))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self.now.episode.state.phase == OVER) or self.now.moves >= MOST_MOVES

    def returns(self) -> list[float]:
        """Return what each player has won."""
        players = self.now.table.players
        if self.now.episode.state.phase != OVER:
            return [0.0] * players
        table = ScoreTable()
        score(self.now.table.board.struct, self.now.episode.state, table, False)
        winners = table.winner[:players].tolist()
        return [(won / sum(winners) * players - 1) / (players - 1) for won in winners]

    def __str__(self) -> str:
        s = self.now.episode.state
        return f"move {self.now.moves}: seat {s.seat}, points {s.points[: s.seats].tolist()}"

    def resample_from_infostate(self, player_id: int, sampler: Any) -> "NorthrailState":
        """Return a state that the player cannot tell from this one, uniform over everything hidden from it.

        What other players remember is replaced by what they see in that world. IS-MCTS calls this.
        """
        new: NorthrailState = self.clone()
        rng = np.array([seeded(int(sampler() * (1 << 53)))], np.int64)
        imagine(new.now.table.board.struct, new.now.view(player_id), rng, new.now.episode.state)
        for player in range(new.now.table.players):
            if player != player_id:
                new.now.recall[player], new.now.seen[player] = b"", b""
        new.now.look()
        return new


class NorthrailObserver:
    """Writes what a player may know into ``tensor``: the layout compact, with perfect recall also the last events.

    The string is exact: with perfect recall it is a hash of everything the player has seen and done.
    """

    def __init__(self, table: Table, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"expected no parameters for observations, got {params}")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("expected public information and that of a single player")
        self.perfect_recall = bool(kind.perfect_recall)
        layout = table.layout if self.perfect_recall else table.compact
        self.tensor = np.zeros(layout.width, np.float32)
        self.dict = {part.name: self.tensor[part.start : part.stop] for part in layout.parts}
        self._obs = np.zeros(table.layout.width, np.uint8)

    def set_from(self, state: NorthrailState, player: int) -> None:
        """Write what a player may know; nothing before the deal."""
        now = state.now
        self._obs[:] = 0
        if len(now.dealt) == DEALING:
            table = now.table
            observe(table.board.struct, table.setup, table.scratch, now.episodes, 0, player, self._obs)
        self.tensor[:] = self._obs[: len(self.tensor)]

    def string_from(self, state: NorthrailState, player: int) -> str:
        """Return what a player may know as a text that differs if it does."""
        now = state.now
        if len(now.dealt) < DEALING:
            return f"p{player} before the deal"
        known = now.recall[player] if self.perfect_recall else _chained(b"", now.seen[player])
        return f"p{player} {known.hex()}"


pyspiel.register_game(GAME_TYPE, NorthrailGame)
