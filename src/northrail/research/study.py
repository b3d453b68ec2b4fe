"""Studies of a board: what many games between bots say about its routes, its tickets and the first turn.

`study` plays the games and counts; `page` shows the numbers as one HTML page with plots.

A route's *demand* is 1 if it is claimed in the first turn of every game, and 0 if nobody ever claims it: the mean over
games of the share of the game that was left when it was claimed. A ticket's *worth* is how many points holding it adds
to the margin over the mean of the other seats, compared with not holding it: a linear regression on all tickets and on
who started. It covers what the ticket pays or costs, and what the way to it is worth or prevents. Players choose what
they keep, so it is the worth for players like these. Intervals hold the true value in 95 of 100 studies.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from northrail.boards.board import TICKET_BITS, Board
from northrail.drawing.layout import layout_of
from northrail.drawing.routes import centre_line
from northrail.drawing.themes import CHART, THEMES
from northrail.drawing.thumbnail import thumbnail
from northrail.errors import NorthrailError
from northrail.research.collecting import whole_games

LEAST_GAMES = 500  # with fewer, most intervals would be wider than a ticket
Z = 1.96  # half the width of an interval, in standard errors
ROW, WIDE, NAMES, VALUES = 22, 760, 250, 120  # pixels of a bar chart
SHOWN = 25  # bars of a chart before it is opened

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its interval."""

    value: float
    error: float

    def text(self, sign: str = "") -> str:
        """Return it as a text.

        >>> Estimate(1.25, 0.5).text("+")
        '+1.2 ± 0.5'
        """
        return f"{self.value:{sign}.1f} ± {self.error:.1f}"


@dataclass(frozen=True)
class RouteFacts:
    """What happened to a route."""

    route: int
    demand: float
    claimed: float  # share of games
    owner_wins: Estimate  # in percent


@dataclass(frozen=True)
class TicketFacts:
    """What a ticket was worth."""

    ticket: int
    held: float  # share of hands
    completed: float  # share of those
    worth: Estimate


@dataclass(frozen=True)
class Study:
    """The numbers of a study."""

    board: Board
    players: tuple[str, ...]
    games: int
    seed: int
    turns: float
    points: Estimate
    first_wins: Estimate  # in percent
    first_points: Estimate
    routes: tuple[RouteFacts, ...]  # highest demand first
    tickets: tuple[TicketFacts, ...]  # highest worth first


def study(
    board: Board,
    players: Sequence[str],
    games: int,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _played: None,
) -> Study:
    """Play games and return what they say. The bots must be able to play inside kernels."""
    if games < LEAST_GAMES:
        raise NorthrailError(f"games: expected at least {LEAST_GAMES}, got {games}")
    tables, played = list[Any](), 0
    columns = ["turns", "first", "total", "winner", "owner", "claimed", "held", "done"]
    for table in whole_games(board, players, games, seed, threads):
        tables.append(table[columns].copy())  # without the moves, which take most of the memory
        played += len(table)
        progress(played)
    return study_of(board, players, seed, np.concatenate(tables))


def study_of(board: Board, players: Sequence[str], seed: int, every: Any) -> Study:
    """Return what finished games say; ``every`` has the fields of `WholeGame` that matter."""
    seats, games = len(players), len(every)
    total = every["total"][:, :seats].astype(np.float64)
    share = every["winner"][:, :seats] / every["winner"][:, :seats].sum(1, keepdims=True)
    rows, first = np.arange(games), every["first"]
    return Study(
        board,
        tuple(players),
        games,
        seed,
        float(every["turns"].mean() / seats),
        _mean(total.mean(1)),
        _mean(100 * share[rows, first]),
        _mean(total[rows, first] - (total.sum(1) - total[rows, first]) / (seats - 1)),
        _routes(board, every, share),
        _tickets(board, every, total, seats),
    )


def _mean(values: Floats) -> Estimate:
    if not len(values):
        return Estimate(0.0, 0.0)
    return Estimate(float(values.mean()), float(Z * values.std() / len(values) ** 0.5))


def _routes(board: Board, every: Any, share: Floats) -> tuple[RouteFacts, ...]:
    facts = []
    for route in range(len(board.routes)):
        at, owner = every["claimed"][:, route], every["owner"][:, route]
        taken = at > 0
        left = np.where(taken, 1 - (at - 1) / every["turns"], 0.0)
        wins = _mean(100 * share[np.flatnonzero(taken), owner[taken]])
        facts.append(RouteFacts(route, float(left.mean()), float(taken.mean()), wins))
    return tuple(sorted(facts, key=lambda fact: -fact.demand))


def _tickets(board: Board, every: Any, total: Floats, seats: int) -> tuple[TicketFacts, ...]:
    numbers = np.arange(len(board.tickets))

    def bits(words: Any) -> Floats:
        """Return sets of tickets as [game, seat, ticket]."""
        found = words[:, :seats, numbers // TICKET_BITS] >> (numbers % TICKET_BITS) & 1
        return np.asarray(found, np.float64)

    held, done = bits(every["held"]), bits(every["done"])
    others = (held.sum(1) - held[:, 0]) / (seats - 1)
    started = (every["first"] == 0) - (every["first"] != 0) / (seats - 1)
    known = np.column_stack([np.ones(len(total)), started, held[:, 0] - others])
    margin = total[:, 0] - total[:, 1:].mean(1)
    inverse = np.linalg.pinv(known.T @ known)
    worth = inverse @ known.T @ margin
    spread = known * (margin - known @ worth)[:, None]  # errors may differ from game to game
    error = Z * np.sqrt(np.diag(inverse @ (spread.T @ spread) @ inverse))
    facts = []
    for ticket in numbers.tolist():
        hands = held[:, :, ticket]
        kept = float(hands.sum())
        completed = float(done[:, :, ticket].sum()) / kept if kept else 0.0
        estimate = Estimate(float(worth[2 + ticket]), float(error[2 + ticket]))
        facts.append(TicketFacts(ticket, float(hands.mean()), completed, estimate))
    return tuple(sorted(facts, key=lambda fact: -fact.worth.value))


# --- the page ---------------------------------------------------------------------------------------------------------


def page(found: Study) -> str:
    """Return a study as one HTML page that needs nothing else."""
    theme, board = THEMES["light"], found.board
    names = " and ".join(f"{count} × {name}" for name, count in Counter(found.players).items())
    even = 100 / len(found.players)
    routes = [
        (str(board.routes[fact.route]), Estimate(100 * fact.demand, 0.0), f"claimed in {100 * fact.claimed:.0f} %")
        for fact in found.routes
    ]
    tickets = [
        (
            str(board.tickets[fact.ticket]),
            fact.worth,
            f"held {100 * fact.held:.0f} %, completed {100 * fact.completed:.0f} %",
        )
        for fact in found.tickets
    ]
    owners = sorted((fact for fact in found.routes if fact.claimed > 0.02), key=lambda fact: -fact.owner_wins.value)
    wins = [(str(board.routes[fact.route]), fact.owner_wins, "") for fact in owners]
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A study of {escape(board.name)}</title>
<style>
body {{ margin: 2rem auto; max-width: {WIDE}px; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif;
  color: {theme.ink}; background: {theme.paper}; }}
svg {{ width: 100%; height: auto; }} svg text {{ font: 13px system-ui, sans-serif; fill: {theme.ink}; }}
</style>
<h1>A study of {escape(board.name)}</h1>
<p>{found.games:,} games between {escape(names)}, from seed {found.seed}. A game takes {found.turns:.1f} turns for each
player, and a player scores {found.points.text()} points on average. Intervals hold the true value in 95 of 100 studies.
</p>
<h2>Starting first</h2>
<p>The player who starts wins {found.first_wins.text()} % of the games ({even:.0f} % would be even), and scores
{found.first_points.text("+")} points more than the mean of the others.</p>
<h2>Routes that are fought over</h2>
<p>The darker a route, the higher its demand: how often it is claimed, and how early. Demand is 100 if a route is
claimed in the first turn of every game.</p>
{_map(found)}
{_charts(routes, "demand")}
<h2>Routes of winners</h2>
<p>How often the owner of a route wins, in percent.</p>
{_charts(wins, "wins", even)}
<h2>What tickets are worth</h2>
<p>The points that holding a ticket adds to the lead, whether it was completed or not. It covers what the ticket pays or
costs, and what the way to it is worth or prevents.</p>
{_bars(tickets, "worth")}
</html>
"""


def _map(found: Study) -> str:
    """Return the board with its routes in the strength of their demand."""
    places = {place.number: place for place in layout_of(found.board).routes}
    most = max(fact.demand for fact in found.routes) or 1.0
    under, over = [], []
    for fact in found.routes:
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in centre_line(places[fact.route].spaces, 0.5))
        strength = fact.demand / most
        under.append(f'<polyline points="{points}" fill="none" stroke="{THEMES["light"].paper}" stroke-width="14"/>')
        over.append(
            f'<polyline points="{points}" fill="none" stroke="{CHART.missed}" stroke-width="10"'
            f' stroke-opacity="{strength:.2f}"><title>{escape(str(found.board.routes[fact.route]))}: '
            f"{100 * fact.demand:.0f}</title></polyline>"
        )
    return thumbnail(found.board).removesuffix("</svg>") + "".join(under + over) + "</svg>"


def _charts(rows: list[tuple[str, Estimate, str]], what: str, base: float = 0.0) -> str:
    """Return a bar chart of the first rows, and one of all that opens on request."""
    every = f"<details><summary>All {len(rows)}</summary>{_bars(rows, what, base)}</details>"
    return _bars(rows[:SHOWN], what, base) + every


def _bars(rows: Iterable[tuple[str, Estimate, str]], what: str, base: float = 0.0) -> str:
    """Return a bar chart with intervals, from a base line."""
    bars = list(rows)
    low = min([base, *(each.value - each.error for _, each, _ in bars)])
    high = max([base, *(each.value + each.error for _, each, _ in bars)])
    room = WIDE - NAMES - VALUES

    def at(value: float) -> float:
        return NAMES + room * (value - low) / ((high - low) or 1.0)

    lines = [f'<svg viewBox="0 0 {WIDE} {ROW * len(bars) + 4}" role="img" aria-label="{what}">']
    for number, (name, each, more) in enumerate(bars):
        y = ROW * number + ROW / 2
        left, right = sorted((at(base), at(each.value)))
        lines.append(
            f'<text x="{NAMES - 8}" y="{y + 4:.0f}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{left:.1f}" y="{y - 6:.1f}" width="{right - left:.1f}" height="12" fill="{CHART.line}">'
            f"<title>{escape(more)}</title></rect>"
        )
        if each.error:
            ends = f'x1="{at(each.value - each.error):.1f}" x2="{at(each.value + each.error):.1f}"'
            lines.append(f'<line {ends} y1="{y:.1f}" y2="{y:.1f}" stroke="{CHART.ink}" stroke-width="2"/>')
        text = each.text() if each.error else f"{each.value:.0f}"
        lines.append(f'<text x="{WIDE - VALUES + 8}" y="{y + 4:.0f}">{text}</text>')
    lines.append(f'<line x1="{at(base):.1f}" x2="{at(base):.1f}" y1="0" y2="{ROW * len(bars)}" stroke="{CHART.axes}"/>')
    return "".join(lines) + "</svg>"
