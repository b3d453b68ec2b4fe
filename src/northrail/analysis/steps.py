"""Judge a finished game choice by choice: what each choice was worth, and what luck did after it.

The definitions are in docs/review.md. In short: ``open`` is the expected margin with all cards open, ``known`` is the
same as far as the seat to move could know. A choice counts by the seat's own knowledge; everything else that moves the
open line is luck.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from northrail.analysis.judge import Ends, Estimate, Json, Judge, Script, choice_of, empty_plan
from northrail.boards.board import LOCOMOTIVE, Board
from northrail.engine.events import Event
from northrail.engine.game import Game, Record
from northrail.engine.moves import KEEP, move_of
from northrail.engine.state import PAY, State
from northrail.engine.view import View, legal_moves, offered_tickets
from northrail.errors import BadRecord
from northrail.kernels.structs import copy_struct
from northrail.players.last_move import LastMove
from northrail.players.plan_structs import Plan
from northrail.players.planner import Planner
from northrail.players.reasons import Thought
from northrail.players.tree import TURNS

WIDTH = 8  # moves that are compared at a turn, besides the one that was made and the quick planner's
SETS = 31  # sets of tickets that are compared: all of them
LABELS = {"blunder": 12.0, "mistake": 6.0, "inaccuracy": 3.0}  # points that a choice loses at least
PRAISE = 3.0  # points by which a good find beats the quick planner's choice
DEALS = 200  # fresh deals that tell what a seat can expect at a table with more than two seats


@dataclass(frozen=True)
class Depth:
    """How many worlds each stage of a judgement plays, early in a game. Later playouts are shorter and more."""

    name: str
    screen: int  # every option
    sift: int  # the best of them
    judge: int  # the best and the one that was made: fresh worlds, so that the best one has no head start
    confirm: int  # again, before a label is given; 0 to do without
    open: int  # futures of each position, with all cards open


USUAL = Depth("usual", 16, 32, 112, 320, 64)  # keeps a game of two seats under 40 s on one core
DEEP = Depth("deep", 160, 320, 1120, 3200, 640)
DEPTHS = {depth.name: depth for depth in (USUAL, DEEP)}
LUCK_ONLY = Depth("luck", 0, 0, 96, 0, 96)  # compares the choice that was made with the quick planner's alone


@dataclass(frozen=True)
class Alternative:
    """An option that was compared with the choice that was made."""

    choice: Json
    moves: Script
    margin: float  # expected, as far as the seat could know
    win: float


@dataclass(frozen=True)
class Verdict:
    """What a choice was worth, as far as its seat could know."""

    margin: float  # expected with this choice
    win: float
    loss: Estimate  # against the best alternative, in worlds that had no part in choosing it; negative if it was better
    win_loss: float
    best: Json  # the best alternative, or the choice itself
    best_moves: Script
    label: str  # blunder, mistake, inaccuracy, good_find; or empty
    find: Estimate  # how much better than the quick planner's choice
    usual: Json  # the quick planner's choice
    alternatives: tuple[Alternative, ...]  # best first
    tickets: dict[int, float] = field(default_factory=dict)  # offered ticket -> what keeping it was worth
    reasons: tuple[dict[str, Any], ...] = ()  # for the best alternative: codes with facts


@dataclass(frozen=True)
class Chance:
    """What chance decided after a choice."""

    kind: str  # card, row, tunnel, tickets, bonus
    facts: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One whole choice of a game, and the luck that followed. Lists hold one number for each seat."""

    number: int
    move: int  # how many moves of the record come before it
    moves: Script
    turn: int  # turns begun before it
    seat: int
    phase: str
    kind: str  # of its first move: claim, take, blind, draw_tickets, card, give_up, keep, pass
    choice: Json
    forced: bool
    offered: tuple[int, ...]  # the tickets it chose from
    claimed: int | None  # the route it claimed
    drawn: int  # cards it drew from the deck
    locomotives: int  # locomotives among them
    expected_locomotives: float  # as many as the deck promised
    open: list[float]  # expected margin before the choice, with all cards open
    open_win: list[float]
    known: float | None  # the same for its seat, as far as it could know; None if the choice was forced
    known_win: float | None
    decision: list[float]  # what the choice was worth against the quick planner's, as far as its seat could know
    decision_error: float
    hidden: list[float]  # how much more it was worth with all cards open: luck
    luck: list[float]  # what chance then did
    luck_error: float
    chance: Chance | None
    verdict: Verdict | None
    again: bool = False  # whether the best alternative is a chance that the seat had missed before


class Walk:
    """A finished game, choice by choice, with the plan that the quick planner would have at every seat."""

    def __init__(self, record: Record, board: Board | None) -> None:
        end = Game.replay(record, board)
        if not end.over:
            raise BadRecord(f"expected the record of a finished game, got one that stops in phase {end.phase}")
        self.end = end
        self.game = Game.replay(record, end.board, upto=0)
        self.board = end.board
        self.judge = Judge(self.board)
        self.plans = Plan.many(self.game.seats)
        for plan in self.plans:
            copy_struct(plan, empty_plan())
        self.turn = 0
        # Each game has its own futures: if games shared them, so would the errors of many games.
        self.seed = int.from_bytes(blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=6).digest())
        self._texts: list[str] = record["moves"]
        self._at = 0

    def __iter__(self) -> Iterator["Moment"]:
        """Yield every choice, before it is made; then make it."""
        number = 0
        while not self.game.over:
            seat, view, state = self.game.seat, self.game.view(self.game.seat), self.game.state.copy()
            usual = self.judge.quick_choice(view.struct, self.plans[seat])
            at, script, events = self._at, list[int](), list[Event]()
            while not script or self.game.state.phase == PAY or self.game.state.extra > 0:
                move = self.game.find_move(self._texts[self._at])
                script.append(move.number)
                events += self.game.play(move)
                self._at += 1
            yield Moment(number, at, self.turn, seat, view, state, tuple(script), usual, events)
            number += 1
            self.turn += view.phase == "turn"

    @property
    def result(self) -> tuple[list[float], list[float]]:
        """The margin and the share of the win of each seat."""
        totals, winners = [score.total for score in self.end.scores()], self.end.winners()
        margins = [float(total - max(totals[:at] + totals[at + 1 :])) for at, total in enumerate(totals)]
        return margins, [(seat in winners) / len(winners) for seat in range(len(totals))]


@dataclass(frozen=True)
class Moment:
    """A choice of a game, with the position before it."""

    number: int
    move: int
    turn: int
    seat: int
    view: View
    state: State
    script: Script
    usual: Script  # the quick planner's choice
    events: list[Event]


# --- judging a choice -----------------------------------------------------------------------------------------------


def judged_steps(walk: Walk, depth: Depth, done: Sequence[Step] = ()) -> Iterator[Step]:
    """Yield the steps of a game as they are judged, after those that are done."""
    last: tuple[dict[str, Any], Ends] | None = None  # the step before, and how the futures after it ended
    missed: list[set[int]] = [set() for _ in range(walk.game.seats)]  # [seat] -> moves whose chance it has missed
    for moment in walk:
        if moment.number < len(done):
            _notice(missed[moment.seat], moment, done[moment.number].verdict)
            continue
        judge, plans = walk.judge, walk.plans
        made, usual = moment.script, moment.usual
        scripts = [usual] if made == usual else [usual, made]
        futures = judge.open(moment.state, plans, moment.turn, scripts, walk.seed, depth.open)
        before, after = futures.of_option(0), futures.of_option(len(scripts) - 1)
        if last is not None:
            yield _with_luck(*last, before)
        fields = _decision(walk, moment, depth)
        better = (after.margins - before.margins).mean(axis=0)
        fields["hidden"] = [float(more) for more in better - np.array(fields["decision"])]
        fields["open"] = before.margins.mean(axis=0).tolist()
        fields["open_win"] = before.shares.mean(axis=0).tolist()
        fields["again"] = _notice(missed[moment.seat], moment, fields["verdict"])
        last = fields, after
    if last is not None:
        margins, shares = walk.result
        yield _with_luck(*last, Ends(np.array([margins]), np.array([shares])))


def verdicts(walk: Walk, depth: Depth) -> Iterator[tuple[Moment, Verdict]]:
    """Yield what each choice of a game that was not forced was worth, and leave out luck."""
    for moment in walk:
        if len(legal_moves(walk.board, moment.view.struct)) > 1:
            yield moment, trial_of(walk, moment, depth).verdict()


def trial_of(walk: Walk, moment: Moment, depth: Depth) -> "Trial":
    """Return the comparison of a choice with its alternatives."""
    plan = walk.plans[moment.seat]
    return Trial(walk.judge, moment.view, plan, moment.turn, moment.script, moment.usual, depth)


def _notice(missed: set[int], moment: Moment, verdict: Verdict | None) -> bool:
    """Remember the chance that a choice missed; return whether the seat had missed it before.

    A route that nobody takes is the best choice at every turn, but it is missed once.
    """
    missed.discard(moment.script[0])
    if verdict is None or moment.view.phase != "turn" or verdict.label not in LABELS:
        return False
    before = verdict.best_moves[0] in missed
    missed.add(verdict.best_moves[0])
    return before


def _with_luck(fields: dict[str, Any], expected: Ends, came: Ends) -> Step:
    """Return a step with the luck that followed it: what came, less what could be expected."""
    more = came.margins - expected.margins
    return Step(**fields, luck=more.mean(axis=0).tolist(), luck_error=float(Estimate.of(more[:, fields["seat"]]).error))


def worlds_for(board: Board, state: Any, worlds: int) -> int:
    """Return how many worlds to play when ``worlds`` are played early in a game: more when games end soon."""
    left = min(int(state.trains[seat]) for seat in range(state.seats)) if state.turns_left < 0 else 0
    return worlds * board.rules.trains // max(board.rules.trains // 4, left)


def _decision(walk: Walk, moment: Moment, depth: Depth) -> dict[str, Any]:
    """Return the fields of a step that depend on what its seat could know."""
    board, view = walk.board, moment.view
    first = move_of(board, moment.script[0], offered_tickets(view.struct))
    drawn = [event.private["colour"] for event in moment.events if event.code == "drew"]
    fields: dict[str, Any] = {
        "number": moment.number,
        "move": moment.move,
        "moves": moment.script,
        "turn": moment.turn,
        "seat": moment.seat,
        "phase": view.phase,
        "kind": first.kind,
        "choice": choice_of(board, view.struct, moment.script),
        "forced": moment.script == moment.usual and len(legal_moves(board, view.struct)) == 1,
        "offered": offered_tickets(view.struct) if view.phase == "tickets" else (),
        "claimed": next((event.public["route"] for event in moment.events if event.code == "claimed"), None),
        "drawn": len(drawn),
        "locomotives": drawn.count("locomotive"),
        "expected_locomotives": len(drawn) * moment.state.deck[LOCOMOTIVE] / max(1, moment.state.deck_size),
        "known": None,
        "known_win": None,
        "decision": [0.0] * view.seats,
        "decision_error": 0.0,
        "chance": _chance(moment.events),
        "verdict": None,
    }
    if fields["forced"]:
        return fields
    trial = trial_of(walk, moment, depth)
    if not depth.screen and moment.script == moment.usual:
        return fields
    verdict = None
    if depth.screen:
        verdict = trial.verdict()
    else:
        trial.compare()
    made, usual = trial.ends[moment.script], trial.ends[moment.usual]
    gained = made.margins - usual.margins
    known = usual.margins[:, moment.seat]
    return fields | {
        "known": float(known.mean()),
        "known_win": float(usual.shares[:, moment.seat].mean()),
        "decision": gained.mean(axis=0).tolist(),
        "decision_error": Estimate.of(gained[:, moment.seat]).error,
        "verdict": verdict,
    }


class Trial:
    """The comparison of a choice with its alternatives, from the view of its seat and nothing else."""

    def __init__(
        self, judge: Judge, view: View, plan: Plan, turn: int, made: Script, usual: Script, depth: Depth
    ) -> None:
        self.judge, self.view, self.plan, self.turn, self.depth = judge, view, plan, turn, depth
        self.made, self.usual = made, usual
        self._next_world = 0
        self.ends: dict[Script, Ends] = {}

    def _play(self, scripts: list[Script], worlds: int) -> dict[Script, Ends]:
        """Play choices in fresh worlds."""
        unique = list(dict.fromkeys(scripts))
        worlds = worlds_for(self.view.board, self.view.struct, worlds)
        found = self.judge.imagined(self.view.struct, self.plan, self.turn, unique, self._next_world, worlds)
        self._next_world += worlds
        return {script: found.of_option(at) for at, script in enumerate(unique)}

    def _add(self, scripts: list[Script], worlds: int) -> dict[Script, Ends]:
        """Play choices in fresh worlds, and count these worlds in what each choice is worth."""
        fresh = self._play(scripts, worlds)
        for script, ends in fresh.items():
            before = self.ends.get(script)
            self.ends[script] = ends if before is None else before.joined(ends)
        return fresh

    def _margin(self, script: Script) -> float:
        return float(self.ends[script].margins[:, self.view.me].mean())

    def options(self) -> list[Script]:
        """Return the choices to compare: the planner's favourites, the quick planner's, and the one that was made."""
        width = SETS if self.view.phase == "tickets" else WIDTH
        moves = self.judge.moves(self.view.struct, width)
        scripts = [self.judge.script(self.view.struct, self.plan, move) for move in moves]
        return list(dict.fromkeys([*scripts, self.usual, self.made]))

    def compare(self) -> None:
        """Compare the choice with the quick planner's, and with nothing else."""
        self._add([self.made, self.usual], self.depth.judge)

    def verdict(self) -> Verdict:
        """Compare the choice with its alternatives. `ends` then holds worlds whose number no result had a say in."""
        depth, me, made, usual = self.depth, self.view.me, self.made, self.usual
        options = self.options()
        is_tickets = self.view.phase == "tickets"
        screened = self._add(options, depth.sift if is_tickets else depth.screen)
        favourites = sorted(options, key=self._margin, reverse=True)[:2]
        self._add([made, usual, options[0], *favourites], depth.sift)
        # Only options with as many worlds as the choice itself can be the best: few worlds mislead.
        sifted = [made, usual, options[0], *favourites]
        best = max(sifted, key=self._margin)
        loss, win_loss, find = Estimate(0.0, 0.0), 0.0, Estimate(0.0, 0.0)
        if best != made or usual != made:
            fresh = self._add([made, usual, best], depth.judge)
            loss, win_loss = self._gap(fresh, best, made)
            find, _ = self._gap(fresh, made, usual)
            if depth.confirm and loss.mean >= max(LABELS["inaccuracy"], 1.5 * loss.error):
                loss, win_loss = self._gap(self._play([made, best], depth.confirm), best, made)
            if depth.confirm and find.mean >= PRAISE and find.is_sure:
                find, _ = self._gap(self._play([made, usual], depth.confirm), made, usual)
        label = next((name for name, least in LABELS.items() if loss.mean >= least and loss.is_sure), "")
        if not label and find.mean >= PRAISE and find.is_sure:
            label = "good_find"
        board, struct = self.view.board, self.view.struct
        ordered = sorted(options, key=self._margin, reverse=True)
        return Verdict(
            margin=self._margin(made),
            win=float(self.ends[made].shares[:, me].mean()),
            loss=loss,
            win_loss=win_loss,
            best=choice_of(board, struct, best),
            best_moves=best,
            label=label,
            find=find,
            usual=choice_of(board, struct, usual),
            alternatives=tuple(
                Alternative(
                    choice_of(board, struct, each),
                    each,
                    self._margin(each),
                    float(self.ends[each].shares[:, me].mean()),
                )
                for each in ordered
            ),
            tickets=self._ticket_worths(screened) if is_tickets else {},
            reasons=why(self.view, best[0]) if best != made else (),
        )

    def _gap(self, ends: dict[Script, Ends], better: Script, worse: Script) -> tuple[Estimate, float]:
        """Return how many points one choice is better than another, and how much more often it wins."""
        more, less = ends[better], ends[worse]
        gap = Estimate.of(more.margins[:, self.view.me] - less.margins[:, self.view.me])
        return gap, float((more.shares[:, self.view.me] - less.shares[:, self.view.me]).mean())

    def _ticket_worths(self, screened: Mapping[Script, Ends]) -> dict[int, float]:
        """Return what each offered ticket was worth besides the others that were kept."""
        base = len(self.view.board.routes) + KEEP
        worth = {script[0] - base: ends.margins[:, self.view.me] for script, ends in screened.items()}
        kept = self.made[0] - base
        worths = {}
        for at, ticket in enumerate(offered_tickets(self.view.struct)):
            bit = 1 << at
            if kept & bit == 0:
                worths[ticket] = float((worth[kept | bit] - worth[kept]).mean())
                continue
            without = [each for each in worth if each & bit == 0]
            if kept ^ bit in worth:
                without = [kept ^ bit]
            if without:  # otherwise it had to be kept
                worths[ticket] = float(worth[kept].mean() - max(worth[each].mean() for each in without))
        return worths


def why(view: View, move: int) -> tuple[dict[str, Any], ...]:
    """Return what speaks for a move, by the planner's plan: codes with facts."""
    planner = Planner()
    planner.choose(view)
    assert planner.last_move is not None, "it has just moved"
    thought = Thought(LastMove(view.board, planner.last_move.view, planner.last_move.plan, move))
    return tuple(
        {"code": each.code, "facts": {name: _listed(fact) for name, fact in each.facts.items()}}
        for each in thought.reasons(thought.move(move))
    )


def _listed(fact: Any) -> Any:
    """Return a fact as JSON has it."""
    return list(fact) if isinstance(fact, tuple) else fact


# --- chance ---------------------------------------------------------------------------------------------------------


def _chance(events: list[Event]) -> Chance | None:
    """Return what chance decided in a choice; None if it decided nothing."""
    drawn = [event.private["colour"] for event in events if event.code == "drew"]
    row = [event.public["colour"] for event in events if event.code == "turned_up"]
    for event in events:
        if event.code == "tunnel_tried":
            facts = {name: event.public[name] for name in ("route", "revealed", "owed")}
            return Chance("tunnel", facts | ({"drawn": drawn} if drawn else {}))
        if event.code == "drew_tickets":
            return Chance("tickets", {"tickets": event.private["tickets"]})
    if any(event.code in ("claimed", "gave_up") for event in events):
        return Chance("bonus", {"drawn": drawn, "row": row}) if drawn or row else None
    if drawn:
        return Chance("card", {"drawn": drawn})
    return Chance("row", {"row": row}) if row else None


@lru_cache(maxsize=64)
def expected_margin(board: Board, seats: int) -> float:
    """Return the margin that a seat can expect before the deal, when all seats play alike.

    With two seats it is 0. With more it is negative: the best of the others is usually ahead.
    """
    if seats == 2:
        return 0.0
    judge, total = Judge(board), 0.0
    for seed in range(DEALS):
        game = Game(board, seats, seed)
        plans = Plan.many(seats)
        for plan in plans:
            copy_struct(plan, empty_plan())
        usual = judge.quick_choice(game.view(game.seat).struct, plans[game.seat])
        total += float(judge.open(game.state, plans, 0, [usual], seed * TURNS, 1).margins.mean())
    return total / DEALS
