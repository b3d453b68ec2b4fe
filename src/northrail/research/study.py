"""Studies of a board: what many games between bots say about its routes, its tickets and the first turn.

`study` plays the games and counts; `page` shows the numbers as one HTML page with plots.

A route's *demand* is 100 if it is claimed in the first turn of every game, and 0 if nobody ever claims it: the mean
over games of the share of the game that was left when it was claimed, in percent. A ticket's *worth* is how many points
holding it adds to the margin over the mean of the other seats, compared with not holding it: a linear regression on all
tickets and on who started. It covers what the ticket pays or costs, and what the way to it is worth or prevents.
Players choose what they keep, so it is the worth for players like these. Intervals hold the true value in 95 of 100
studies.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from northrail.boards.board import TICKET_BITS, Board
from northrail.drawing.layout import layout_of
from northrail.drawing.markup import fitted_text
from northrail.drawing.routes import centre_line
from northrail.drawing.style import page_variables
from northrail.drawing.themes import PAGE_THEME
from northrail.drawing.thumbnail import dots, ground
from northrail.errors import NorthrailError
from northrail.research.collecting import whole_games

LEAST_GAMES = 500  # with fewer, most intervals would be wider than a ticket
Z = 1.96  # half the width of an interval, in standard errors
RARE = 0.02  # share of games; of routes claimed less often the page does not say how often their owners win
SHOWN = 25  # rows of a table before it is opened

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
        return f"{self.value:{sign}.1f} ± {self.error:.1f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class RouteFacts:
    """What happened to a route."""

    route: int
    demand: Estimate  # in percent
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
        left = np.where(taken, 100 * (1 - (at - 1) / every["turns"]), 0.0)
        wins = _mean(100 * share[np.flatnonzero(taken), owner[taken]])
        facts.append(RouteFacts(route, _mean(left), float(taken.mean()), wins))
    return tuple(sorted(facts, key=lambda fact: -fact.demand.value))


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

Row = tuple[str, Estimate, tuple[str, ...]]  # a name, a value with its interval, and what else is known

STYLE = """
body { margin: 2.5rem auto 4rem; max-width: 46rem; padding: 0 1rem; font: 1rem/1.55 var(--sans);
  color: var(--ink); background: var(--paper); }
h1, h2 { font-family: var(--serif); line-height: 1.2; text-wrap: balance; }
h1 { margin: 0 0 1rem; font-size: 2.1rem; }
h2 { margin: 2.8rem 0 .6rem; font-size: 1.5rem; }
p { margin: 0 0 1rem; }
b { white-space: nowrap; }
svg { display: block; width: 100%; height: auto; border-radius: .5rem; }
svg .name { font-family: var(--sans); font-weight: 650; text-anchor: middle; fill: var(--ink);
  paint-order: stroke; stroke: var(--halo); stroke-width: 3.6; stroke-linejoin: round; }
.way { fill: none; stroke: var(--paper); stroke-width: 15; }
.free { fill: none; stroke: var(--edge); stroke-width: 9; stroke-opacity: .3; }
.demand { fill: none; stroke: var(--danger); stroke-width: 11; }
.legend { display: flex; align-items: center; gap: .6rem; margin: .6rem 0 1.4rem;
  font-size: .9rem; color: var(--faint); }
.legend i { flex: 0 1 12rem; height: .7rem; border-radius: .35rem; background: linear-gradient(90deg,
  color-mix(in srgb, var(--edge) 30%, var(--paper)), var(--danger)); }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: .9rem; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
th { padding: .3rem 0; text-align: right; vertical-align: bottom; font-weight: 600; color: var(--faint); }
td { padding: .22rem 0; text-align: right; } td:nth-child(n+3) { white-space: nowrap; }
th:first-child, td:first-child { width: 36%; padding-right: .8rem; text-align: left; overflow-wrap: anywhere; }
th:nth-child(3) { width: 6.2em; } th:nth-child(n+4) { width: 5.2em; }
tr + tr { border-top: 1px solid color-mix(in srgb, var(--line) 30%, transparent); }
.bar { position: relative; }
.bar * { position: absolute; top: 50%; transform: translateY(-50%); }
.bar i { height: .75rem; background: var(--water); border-radius: 1px; }
.bar u { height: 2px; background: var(--ink); outline: 1px solid var(--paper); }
.bar s { width: 1px; height: 100%; background: var(--line); }
details { margin-top: .6rem; } summary { padding: .5rem 0; cursor: pointer; color: var(--accent); }
@media (max-width: 36rem) {
  body { margin-top: 1.5rem; } h1 { font-size: 1.7rem; } svg .name { display: none; } table { font-size: .8rem; }
  th:first-child, td:first-child { width: 32%; padding-right: .4rem; }
  th:nth-child(3) { width: 6.6em; } th:nth-child(n+4) { width: 5em; }
  th:nth-child(4):nth-last-child(2) { width: 3.4em; }
}
"""


def page(found: Study) -> str:
    """Return a study as one HTML page that needs nothing else."""
    board, name = found.board, escape(found.board.name)
    names = " and ".join(f"{count} × {player}" for player, count in Counter(found.players).items())
    even = 100 / len(found.players)
    routes = [(str(board.routes[fact.route]), fact.demand, (_percent(fact.claimed),)) for fact in found.routes]
    owners = sorted((fact for fact in found.routes if fact.claimed > RARE), key=lambda fact: -fact.owner_wins.value)
    wins = [(str(board.routes[fact.route]), fact.owner_wins, (_percent(fact.claimed),)) for fact in owners]
    tickets = [
        (str(board.tickets[fact.ticket]), fact.worth, (_percent(fact.held), _percent(fact.completed)))
        for fact in found.tickets
    ]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A study of {name}</title>
<style>
{page_variables()}{STYLE}</style></head><body>
<h1>A study of {name}</h1>
<p>{found.games:,} games between {escape(names)}, from seed {found.seed}. A game takes {found.turns:.1f} turns for each
player, and a player scores <b>{found.points.text()}</b> points on average. Intervals (±) hold the true value in 95 of
100 studies.</p>
<h2>Starting first</h2>
<p>The player who starts wins <b>{found.first_wins.text()} %</b> of the games ({even:.0f} % would be even), and scores
<b>{found.first_points.text("+")}</b> points more than the mean of the others.</p>
<h2>Routes that are fought over</h2>
<p>The stronger a route’s colour, the higher its demand: how often it is claimed, and how early. Demand is 100 if a
route is claimed in the first turn of every game, and 0 if nobody ever claims it.</p>
{_map(found)}
{_table(routes, ("Route", "Demand", "Claimed"))}
<h2>Routes of winners</h2>
<p>How often the owner of a route wins; bars start at {even:.0f} %. This shows what winners own, not why they win.
Routes claimed in less than {100 * RARE:.0f} % of the games are left out.</p>
{_table(wins, ("Route", "Wins, %", "Claimed"), even)}
<h2>What tickets are worth</h2>
<p>The points that holding a ticket adds to your lead, completed or not. They cover what the ticket pays or costs, and
what the way to it is worth or prevents. <i>Kept</i> is the share of players who keep the ticket, <i>completed</i> how
many of them complete it.</p>
{_table(tickets, ("Ticket", "Points", "Kept", "Com&shy;pleted"))}
</body></html>
"""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _map(found: Study) -> str:
    """Return the board with its routes in the strength of their demand, and a legend."""
    layout = layout_of(found.board)
    places = {place.number: place for place in layout.routes}
    most = max(fact.demand.value for fact in found.routes)
    ways, over = [], []
    for fact in found.routes:
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in centre_line(places[fact.route].spaces, 0.5))
        ways.append(f'<polyline class="way" points="{points}"/><polyline class="free" points="{points}"/>')
        over.append(
            f'<polyline class="demand" points="{points}" stroke-opacity="{fact.demand.value / (most or 1.0):.2f}">'
            f"<title>{escape(str(found.board.routes[fact.route]))}: {fact.demand.value:.0f}</title></polyline>"
        )
    names = [fitted_text(city.label, "name", city.label.size, city.label.width) for city in layout.cities]
    parts = [*ground(found.board, layout, PAGE_THEME), *ways, *over, dots(layout, PAGE_THEME), *names, "</svg>"]
    return "".join(parts) + f'\n<p class="legend">Demand 0 <i></i> {most:.0f}</p>'


def _table(rows: Sequence[Row], heads: Sequence[str], base: float = 0.0) -> str:
    """Return a table with bars and intervals from a base line: the first rows, and the others on request."""
    low = min([base, *(each.value - each.error for _, each, _ in rows)])
    wide = max([base, *(each.value + each.error for _, each, _ in rows)]) - low or 1.0

    def bar(each: Estimate) -> str:
        at, to = sorted((base, each.value))
        return (
            f'<i style="{_span(at - low, to - low, wide)}"></i>'
            f'<u style="{_span(each.value - each.error - low, each.value + each.error - low, wide)}"></u>'
            f'<s style="left:{100 * (base - low) / wide:.1f}%"></s>'
        )

    def table(some: Sequence[Row]) -> str:
        lines = ["<table><tr>", f"<th>{heads[0]}<th>", *(f"<th>{head}" for head in heads[1:])]
        for name, each, more in some:
            lines.append(f'<tr><td>{escape(name)}<td class="bar" aria-hidden="true">{bar(each)}')
            lines += [f"<td>{text}" for text in (each.text(), *more)]
        return "".join([*lines, "</table>"])

    others = rows[SHOWN:]
    rest = f"<details><summary>The other {len(others)}</summary>{table(others)}</details>" if others else ""
    return table(rows[:SHOWN]) + rest


def _span(start: float, stop: float, wide: float) -> str:
    return f"left:{100 * start / wide:.1f}%;width:{100 * (stop - start) / wide:.1f}%"
