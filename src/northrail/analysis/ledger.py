"""The ticket ledger: what each offered ticket was worth, took and brought."""

from collections.abc import Sequence
from dataclasses import dataclass

from northrail.analysis.steps import Step
from northrail.boards.board import Board
from northrail.engine.moves import KEEP
from northrail.engine.paths import shortest_path


@dataclass(frozen=True)
class Entry:
    """A ticket that a seat was offered."""

    ticket: int
    points: int
    step: int  # the number of the step in which the seat chose
    kept: bool
    worth: float | None  # points that keeping it was worth then; None if it had to be kept
    complete: bool  # whether its cities were joined in the end, also of a ticket that was not kept
    brought: int  # points it brought or cost; 0 if it was not kept
    trains: int | None  # on its path; None if it was never complete
    turns: int | None  # own turns from the choice until it was complete


def ledger(board: Board, steps: Sequence[Step], seat: int) -> list[Entry]:
    """Return every ticket that a seat was offered, in order."""
    own = [step for step in steps if step.seat == seat]
    claims = [(step, step.claimed) for step in own if step.claimed is not None]
    entries = []
    for step in own:
        for at, ticket in enumerate(step.offered):
            kept = bool((step.moves[0] - len(board.routes) - KEEP) >> at & 1)
            points = board.tickets[ticket].points
            done = _completion(board, claims, ticket)
            turns = trains = None
            if done is not None:
                last, trains = done
                turns = sum(1 for each in own if each.phase == "turn" and step.number < each.number <= last)
            entries.append(
                Entry(
                    ticket=ticket,
                    points=points,
                    step=step.number,
                    kept=kept,
                    worth=step.verdict.tickets.get(ticket) if step.verdict else None,
                    complete=done is not None,
                    brought=(points if done is not None else -points) if kept else 0,
                    trains=trains,
                    turns=turns,
                )
            )
    return entries


def _completion(board: Board, claims: Sequence[tuple[Step, int]], ticket: int) -> tuple[int, int] | None:
    """Return the number of the step that completed a ticket, and the trains on its path then."""
    lengths: dict[int, int] = {}  # of the routes claimed so far
    for step, route in claims:
        lengths[route] = board.routes[route].length
        path = shortest_path(board, lengths.get, *board.tickets[ticket].cities)
        if path is not None:
            return step.number, path.cost
    return None
