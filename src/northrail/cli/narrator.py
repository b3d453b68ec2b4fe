"""Describe a game in words, turn by turn, and print the final table."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from northrail.drawing.themes import TERMINAL
from northrail.engine.choices import Cards
from northrail.engine.events import Event
from northrail.engine.game import Game
from northrail.players import Player
from northrail.players.basic import Simple
from northrail.players.decide import play_answer
from northrail.players.reasons import reasons_for

# Each card has its own background, so it is readable on dark and light terminals. If a terminal has few colours, Rich
# picks the nearest; these stay distinct with 16.
CARD_STYLES = {
    **{colour: Style(color=ink, bgcolor=surface) for colour, (surface, ink) in TERMINAL.cards.items()},
    "locomotive": Style(bold=True, italic=True),
}
SEAT_STYLES = tuple(Style(color=colour, bold=True) for colour in TERMINAL.seats)
DONE = Style(color=TERMINAL.good)
MISSED = Style(color=TERMINAL.bad)
LEAST_WIDTH, MOST_WIDTH = 60, 100  # below 60 the columns do not fit; above 100 lines are hard to read
STICKY = "\ue000"  # a no-break space; Rich breaks lines at Unicode's own


def play(game: Game, players: Sequence[Player] = ()) -> Iterator[list[Event]]:
    """Play the game to its end, by default with simple players; yield the events of each choice."""
    seated = players or [Simple() for _ in range(game.seats)]
    while not game.over:
        choice = seated[game.seat].choose(game.view(game.seat))
        yield play_answer(game, choice)


def replay(game: Game, moves: Iterable[str]) -> Iterator[list[Event]]:
    """Play a record's moves from its start position, ``game``; yield the events of each move."""
    for move in moves:
        yield game.play(move)


class Narrator:
    """Describes a game on a console, one turn at a time. Unlike a seat, it sees all cards and tickets.

    It prints the reasons of ``players``, if there are any.
    """

    def __init__(self, console: Console, game: Game, players: Sequence[Player] = ()) -> None:
        self.console = console
        self.game = game
        self.players = players
        self.width = max(LEAST_WIDTH, min(console.width, MOST_WIDTH))
        self.turn = 0
        self.done = [self.joined(seat) for seat in range(game.seats)]

    def begin(self, origin: str) -> None:
        """Print the heading; ``origin`` is where the game comes from: its seed or its file."""
        board = self.game.board
        self.print(Text.assemble((board.name, "bold"), f" · {self.game.seats} seats · {origin}"))
        worth = {card.name: card.points for card in board.bonus_cards}
        names = self.game.view(None).bonus_cards
        if names:
            start = "Bonus cards: " if len(names) > 1 else "Bonus card: "
            self.print(_listed(start, [f"{name} ({worth[name]})" for name in names]))
        self.print()
        self.line(Text("turn"), Text("seat"), Text("what happens"), "points", "trains", "dim")

    def narrate(self, happenings: Iterable[list[Event]]) -> Iterator[None]:
        """Describe what happens; yield after each turn, so that the caller can pause."""
        game = self.game
        seat, phase = game.seat, game.phase
        turn_events: list[Event] = []
        reasons: list[tuple[object, ...]] = []
        for events in happenings:
            turn_events += events
            self.turn += phase == "turn"
            if self.players and phase != "pay":  # the claim has already given its reason
                reasons.append(reasons_for(self.players[seat]) or (getattr(self.players[seat], "reason", ""),))
            phase = game.phase
            if game.seat != seat or phase in ("turn", "over"):
                self.describe_turn(seat, turn_events, reasons)
                yield
                seat, turn_events, reasons = game.seat, [], []

    def joined(self, seat: int) -> list[dict[str, Any]]:
        """Return the tickets a seat has completed so far."""
        return [ticket for ticket in self.game.view(seat).tickets if ticket["joined"]]

    def describe_turn(self, seat: int, events: list[Event], reasons: Iterable[tuple[object, ...]] = ()) -> None:
        """Describe one turn of a seat, and its reasons."""
        text = Text("\n").join(self.sentences(events))
        claim = next((event for event in events if event.code == "claimed"), None)
        tally = "", ""
        if claim is not None:
            view = self.game.view(None)
            tally = f"+{claim.public['points']} {view.points[seat]:>3}", str(view.trains[seat])
        if any(event.code in ("claimed", "kept_tickets") for event in events):
            before, self.done[seat] = self.done[seat], self.joined(seat)
            new = [self.ticket(ticket["number"]) for ticket in self.done[seat] if ticket not in before]
            if new:
                text.append("\n").append_text(_listed("✓ completes ", new, DONE))
                # The line above already says so.
                reasons = [
                    parts for parts in reasons if "completes" not in [getattr(part, "code", "") for part in parts]
                ]
        for reason in dict.fromkeys("; ".join(map(str, parts)) for parts in reasons):
            if reason:
                text.append(f"\n– {reason}", "dim italic")
        self.line(Text(f"{self.turn or ''}", "dim"), _seat(seat), text, *tally)
        for event in events:
            if event.code == "reshuffled":
                self.line(Text(), Text(), Text(str(event), "dim"))
            if event.code == "last_round":
                self.print()
                self.print(Rule(str(event), style="dim"))
            if event.code in ("last_round", "all_kept"):
                self.print()

    def sentences(self, events: list[Event]) -> Iterator[Text]:
        """Describe what a seat did in a turn, in words that follow its name."""
        tried = False
        for event in events:
            facts = event.public | event.private
            match event.code:
                case "tunnel_tried":
                    tried = True
                    yield Text.assemble(
                        "tries the tunnel ", self.named(facts["route"]), " with ", _cards(facts["cards"])
                    )
                    turned = [_card(colour) for colour in facts["revealed"]] or [Text("nothing")]
                    more = f"{facts['owed'] or 'nothing'} more to pay"
                    yield Text.assemble("turned over: ", Text(", ").join(turned), f"; {more}")
                case "claimed" if tried:
                    yield Text.assemble("claims it with ", _cards(facts["cards"]))
                case "claimed":
                    kind = "the ferry " if self.game.board.routes[facts["route"]].ferry else ""
                    yield Text.assemble(f"claims {kind}", self.named(facts["route"]), " with ", _cards(facts["cards"]))
                case "gave_up":
                    yield Text("gives it up")
                case "drew_tickets":
                    yield Text(f"draws {facts['count']} ticket{'s' * (facts['count'] != 1)}")
                case "kept_tickets":
                    yield _listed("keeps ", map(self.ticket, facts["tickets"]))
                case "passed":
                    yield Text("has no legal move and passes")
        taken = [_one_card(event.public["colour"]) for event in events if event.code == "took"]
        drawn = [_one_card(event.private["colour"]) for event in events if event.code == "drew"]
        parts = [Text.assemble("takes ", Text(" and ").join(taken))] if taken else []
        parts += [Text.assemble("draws ", Text(" and ").join(drawn), " from the deck")] if drawn else []
        if parts:
            yield Text(", ").join(parts)

    def ticket(self, number: int) -> str:
        """Return a ticket by its cities and points."""
        return f"{self.game.board.tickets[number]} ({self.game.board.tickets[number].points})"

    def named(self, route: int) -> Text:
        """Name a route by its cities; the cards paid tell parallel routes apart."""
        return Text("–".join(self.game.board.routes[route].cities).replace(" ", STICKY), "bold")

    def line(self, turn: Text, seat: Text, text: Text, points: str = "", trains: str = "", style: str = "") -> None:
        """Print one line; a long text continues in its own column."""
        room = self.width - 27
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=4, justify="right")
        grid.add_column(width=6)
        grid.add_column(width=room)
        grid.add_column(width=7, justify="right")
        grid.add_column(width=6, justify="right")
        grid.add_row(turn, seat, self.wrapped(text, room), points, trains, style=style)
        self.console.print(grid)

    def wrapped(self, text: Text, width: int) -> Text:
        """Wrap a text to this width, without breaks at STICKY spaces."""
        lines = text.wrap(self.console, width)
        for line in lines:
            line.plain = line.plain.replace(STICKY, " ")
        return Text("\n").join(lines)

    def print(self, what: Text | Rule | Table | str = "") -> None:
        """Print something between the lines of the game."""
        self.console.print(self.wrapped(what, self.width) if isinstance(what, Text) else what, width=self.width)

    def end(self) -> None:
        """Print the final table, the tickets and the winner; score an unfinished game as if it ended now."""
        game = self.game
        scores, winners, view = game.scores(), game.winners(), game.view(None)
        self.print()
        self.print(Rule("the game is over" if game.over else "the record ends here; the scores so far", style="dim"))
        self.print()
        table = Table(box=box.ROUNDED, border_style="dim")
        table.add_column()
        for seat in range(game.seats):
            table.add_column(_seat(seat), justify="right")
        table.add_row("routes", *(str(score.routes) for score in scores))
        table.add_row("tickets", *(str(score.tickets) for score in scores))
        for name in view.bonus_cards:
            table.add_row(name, *(str(score.bonuses.get(name, "–")) for score in scores))
        table.add_section()
        table.add_row(
            "total", *(f"{'★ ' * (seat in winners)}{score.total}" for seat, score in enumerate(scores)), style="bold"
        )
        table.add_section()
        table.add_row(
            "completed tickets",
            *(f"{score.completed} of {count}" for score, count in zip(scores, view.ticket_counts, strict=True)),
        )
        table.add_row("longest path", *(str(score.longest) for score in scores))
        self.print(table)
        self.print()
        for seat, final in enumerate(view.final or []):
            tickets = Table.grid(padding=(0, 1))
            marks = [
                _listed("✓ ", [self.ticket(ticket["number"])], DONE)
                if ticket["joined"]
                else _listed("✗ ", [self.ticket(ticket["number"])], MISSED)
                for ticket in final["tickets"]
            ]
            tickets.add_row(_seat(seat), self.wrapped(Text("  ").join(marks), self.width - 7))
            self.print(tickets)
        self.print()
        self.print(_verdict([score.total for score in scores], winners, game.over))


def _verdict(totals: list[int], winners: list[int], over: bool) -> Text:
    """Say who wins, in a sentence."""
    text = Text(" and ").join(_seat(seat) for seat in winners)
    best = f"{totals[winners[0]]} points"
    if not over:
        return text.append(f" {'lead' if len(winners) > 1 else 'leads'} with {best}")
    if len(winners) > 1:
        return text.append(f" share the victory with {best} each")
    return text.append(f" wins with {best}{', by the tie-break' * (totals.count(max(totals)) > 1)}")


def _seat(seat: int) -> Text:
    return Text(f"seat {seat}", SEAT_STYLES[seat])


def _card(colour: str, plural: bool = False) -> Text:
    return Text(colour + "s" * (plural and colour == "locomotive"), CARD_STYLES[colour])


def _one_card(colour: str) -> Text:
    return Text.assemble("a " if colour == "locomotive" else "", _card(colour))


def _cards(cards: Cards) -> Text:
    """Return cards in words, like `cards_in_words`, but in colour."""
    parts = [Text.assemble(f"{count}{STICKY}", _card(colour, count > 1)) for colour, count in cards.items()]
    return Text(" and ").join([Text(", ").join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _listed(start: str, items: Iterable[str], style: Style | str = "") -> Text:
    """Join items with commas; never break an item across lines."""
    return Text(start.replace(" ", STICKY) + ", ".join(item.replace(" ", STICKY) for item in items), style)
