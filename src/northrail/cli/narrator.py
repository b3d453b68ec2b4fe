"""A game told in words, turn by turn, with the final table."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from northrail.drawing.themes import TERMINAL
from northrail.engine.events import Event
from northrail.engine.game import Game
from northrail.engine.view import Cards
from northrail.players import Player
from northrail.players.basic import Simple

# --- telling ----------------------------------------------------------------------------------------------------------

CARD_STYLES = {
    **{colour: Style(color=ink, bgcolor=surface) for colour, (surface, ink) in TERMINAL.cards.items()},
    "locomotive": Style(bold=True, italic=True),
}
SEAT_STYLES = tuple(Style(color=colour, bold=True) for colour in TERMINAL.seats)
DONE = Style(color=TERMINAL.good)
MISSED = Style(color=TERMINAL.bad)
LEAST_WIDTH, MOST_WIDTH = 60, 100  # narrower lines do not fit, wider ones are hard to follow
STICKY = "\ue000"  # a space at which no line is broken; Rich breaks at every other kind


def play(game: Game, players: Sequence[Player] = ()) -> Iterator[list[Event]]:
    """Play the game to its end, with simple players unless others are given; gives what each choice made happen."""
    seated = players or [Simple() for _ in range(game.seats)]
    while not game.over:
        choice = seated[game.seat].choose(game.view(game.seat))
        yield game.claim(*choice) if isinstance(choice, tuple) else game.play(choice)


def replay(game: Game, moves: Iterable[str]) -> Iterator[list[Event]]:
    """Play the moves of a record; ``game`` is its beginning."""
    for move in moves:
        yield game.play(move)


class Teller:
    """Tells a game on a console, a turn at a time. It sees all cards and tickets, as no seat does.

    ``players`` are asked for their reasons, if they are given and give any.
    """

    def __init__(self, console: Console, game: Game, players: Sequence[Player] = ()) -> None:
        self.console = console
        self.game = game
        self.players = players
        self.width = max(LEAST_WIDTH, min(console.width, MOST_WIDTH))
        self.turn = 0
        self.done = [self.joined(seat) for seat in range(game.seats)]

    def begin(self, origin: str) -> None:
        """Say what is played; ``origin`` is where the game comes from, its seed or its file."""
        board = self.game.board
        self.print(Text.assemble((board.name, "bold"), f" · {self.game.seats} seats · {origin}"))
        worth = {card.name: card.points for card in board.bonus_cards}
        names = self.game.view(None).bonus_cards
        if names:
            start = "Bonus cards: " if len(names) > 1 else "Bonus card: "
            self.print(_listed(start, [f"{name} ({worth[name]})" for name in names]))
        self.print()
        self.line(Text("turn"), Text("seat"), Text("what happens"), "points", "trains", "dim")

    def tell(self, happenings: Iterable[list[Event]]) -> Iterator[None]:
        """Tell what happens, and stop after each turn for whoever iterates to pause."""
        game = self.game
        seat, phase = game.seat, game.phase
        told: list[Event] = []
        reasons: list[str] = []
        for events in happenings:
            told += events
            self.turn += phase == "turn"
            if self.players and phase != "pay":  # a claim has said why, before it was paid for
                reasons.append(str(getattr(self.players[seat], "reason", "")))
            phase = game.phase
            if game.seat != seat or phase in ("turn", "over"):
                self.tell_turn(seat, told, reasons)
                yield
                seat, told, reasons = game.seat, [], []

    def joined(self, seat: int) -> list[dict[str, Any]]:
        """The tickets a seat has completed so far."""
        return [ticket for ticket in self.game.view(seat).tickets if ticket["joined"]]

    def tell_turn(self, seat: int, events: list[Event], reasons: Iterable[str] = ()) -> None:
        """Tell one turn of a seat, and why."""
        text = Text("\n").join(self.sentences(events))
        claim = next((event for event in events if event.kind == "claim"), None)
        tally = "", ""
        if claim is not None:
            view = self.game.view(None)
            tally = f"+{claim.public['points']} {view.points[seat]:>3}", str(view.trains[seat])
        if any(event.kind in ("claim", "kept") for event in events):
            before, self.done[seat] = self.done[seat], self.joined(seat)
            new = [_ticket(ticket) for ticket in self.done[seat] if ticket not in before]
            if new:
                text.append("\n").append_text(_listed("✓ completes ", new, DONE))
                reasons = [reason for reason in reasons if " complete" not in f" {reason}"]  # the table has seen it
        for reason in dict.fromkeys(filter(None, reasons)):
            text.append(f"\n– {reason}", "dim italic")
        self.line(Text(f"{self.turn or ''}", "dim"), _seat(seat), text, *tally)
        for event in events:
            if event.kind == "reshuffle":
                self.line(Text(), Text(), Text(str(event), "dim"))
            if event.kind == "last_round":
                self.print()
                self.print(Rule(str(event), style="dim"))
            if event.kind in ("last_round", "all_chosen"):
                self.print()

    def sentences(self, events: list[Event]) -> Iterator[Text]:
        """What a seat did in a turn, in words that follow its name."""
        tried = False
        for event in events:
            facts = event.public | event.private
            match event.kind:
                case "tunnel":
                    tried = True
                    yield Text.assemble(
                        "tries the tunnel ", self.named(facts["route"]), " with ", _cards(facts["laid"])
                    )
                    turned = [_card(colour) for colour in facts["revealed"]] or [Text("nothing")]
                    more = f"{facts['owed'] or 'nothing'} more to pay"
                    yield Text.assemble("turned over: ", Text(", ").join(turned), f"; {more}")
                case "claim" if tried:
                    yield Text.assemble("claims it with ", _cards(facts["paid"]))
                case "claim":
                    kind = "the ferry " if self.game.board.routes[facts["route"]].ferry else ""
                    yield Text.assemble(f"claims {kind}", self.named(facts["route"]), " with ", _cards(facts["paid"]))
                case "give_up":
                    yield Text("gives it up")
                case "offered":
                    yield Text(f"draws {facts['count']} ticket{'s' * (facts['count'] != 1)}")
                case "kept":
                    yield _listed("keeps ", map(_ticket, facts["tickets"]))
                case "pass":
                    yield Text("can do nothing and passes")
        taken = [_card(event.public["colour"]) for event in events if event.kind == "take"]
        drawn = [_card(event.private["colour"]) for event in events if event.kind == "blind"]
        parts = [Text.assemble("takes ", Text(" and ").join(taken))] if taken else []
        parts += [Text.assemble("draws ", Text(" and ").join(drawn), " from the deck")] if drawn else []
        if parts:
            yield Text(", ").join(parts)

    def named(self, route: int) -> Text:
        """A route by its cities; the cards laid say which of several it is."""
        return Text("–".join(self.game.board.routes[route].cities).replace(" ", STICKY), "bold")

    def line(self, turn: Text, seat: Text, text: Text, points: str = "", trains: str = "", style: str = "") -> None:
        """Print one line; a long text goes on below its own beginning."""
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
        """The text in lines of that width, broken at no STICKY space."""
        lines = text.wrap(self.console, width)
        for line in lines:
            line.plain = line.plain.replace(STICKY, " ")
        return Text("\n").join(lines)

    def print(self, what: Text | Rule | Table | str = "") -> None:
        """Print something of its own between the lines."""
        self.console.print(self.wrapped(what, self.width) if isinstance(what, Text) else what, width=self.width)

    def end(self) -> None:
        """Print the final table, the tickets and who wins; of an unfinished game, as if it ended now."""
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
                _listed("✓ ", [_ticket(ticket)], DONE) if ticket["joined"] else _listed("✗ ", [_ticket(ticket)], MISSED)
                for ticket in final["tickets"]
            ]
            tickets.add_row(_seat(seat), self.wrapped(Text("  ").join(marks), self.width - 7))
            self.print(tickets)
        self.print()
        self.print(_verdict([score.total for score in scores], winners, game.over))


def _verdict(totals: list[int], winners: list[int], over: bool) -> Text:
    """Who wins, in a sentence."""
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


def _cards(cards: Cards) -> Text:
    """Cards in words, as `events.words_of` has them, and in colour."""
    parts = [Text.assemble(f"{count}{STICKY}", _card(colour, count > 1)) for colour, count in cards.items()]
    return Text(" and ").join([Text(", ").join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _ticket(ticket: dict[str, Any]) -> str:
    return f"{'–'.join(ticket['cities'])} ({ticket['points']})"


def _listed(start: str, items: Iterable[str], style: Style | str = "") -> Text:
    """Items with commas between; no item is broken over two lines."""
    return Text(start.replace(" ", STICKY) + ", ".join(item.replace(" ", STICKY) for item in items), style)
