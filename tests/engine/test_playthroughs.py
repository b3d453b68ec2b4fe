"""A whole game of each board in words, played again and compared with a saved text.

Any change in the wording, the events, the views or the scores shows up as a difference in tests/engine/playthroughs. If
you intended it, rewrite them and read the difference before you commit it:

    NORTHRAIL_REWRITE=1 python -m pytest tests/engine/test_playthroughs.py
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tables import BOARDS, choose

import northrail
from northrail.engine.english import cards_in_words

FOLDER = Path(__file__).parent / "playthroughs"
SEED = 2024
SEATS = 3


def narration(board: northrail.Board) -> Iterator[str]:
    """Describe a game line by line: the seat, the phase, the move, its events, and sometimes the whole table."""
    game = northrail.Game(board, SEATS, SEED)
    chance = random.Random(SEED)
    yield f"{board.name}, {SEATS} seats, seed {SEED}; seat {game.seat} begins."
    if len(board.bonus_cards) > 1:
        yield f"Bonus cards: {', '.join(game.view().bonus_cards)}."
    number = 0
    while not game.over:
        if game.phase == "turn":
            if number % 12 == 0:
                yield from on_the_table(game)
            number += 1
        moves = game.moves()
        way = "claims" if chance.random() < 0.35 else "any"
        move = choose(way, board, moves, chance)
        yield f"> seat {game.seat}, {game.phase.replace('_', ' ')}, {len(moves)} moves: {move}"
        events = game.play(move)
        for event in events:
            yield f"  {event}"
            secret = event.text_for(None)
            if secret != str(event):
                yield f"    others: {secret}"
    yield from on_the_table(game)
    yield from final_table(game)


def on_the_table(game: northrail.Game) -> Iterator[str]:
    """Describe what everybody sees, and what the seat to move has."""
    view = game.view(game.seat)
    yield ""
    discarded = sum(view.discard.values())
    yield f"  On the table: {cards_in_words(view.face_up)}; {view.deck} in the deck, {discarded} discarded."
    yield f"  {view.ticket_deck} tickets in the deck, {sum(batch['count'] for batch in view.batches)} of them returned."
    for seat in range(game.seats):
        known = f" ({cards_in_words(view.known[seat])} known)" if view.known[seat] else ""
        yield (
            f"  Seat {seat}: points {view.points[seat]}, trains {view.trains[seat]}, "
            f"cards {view.hand_sizes[seat]}{known}, "
            f"tickets {view.ticket_counts[seat]}, routes {list(view.owners.values()).count(seat)}."
        )
    tickets = [f"{'–'.join(t['cities'])} ({t['points']}{', joined' if t['joined'] else ''})" for t in view.tickets]
    yield f"  Seat {game.seat} holds {cards_in_words(view.hand)}; {', '.join(tickets) or 'no tickets'}."
    if view.options:
        claims = [
            f"{game.board.routes[int(route)]} for {cards_in_words(price['payments'][0])}"
            for route, price in view.options["claim"].items()
        ]
        yield f"  It could claim {'; '.join(claims[:4]) or 'nothing'}{' …' if len(claims) > 4 else ''}."
    yield ""


def final_table(game: northrail.Game) -> Iterator[str]:
    """Describe the scores."""
    for seat, score in enumerate(game.scores()):
        bonuses = ", ".join(f"{name} {points}" for name, points in score.bonuses.items()) or "none"
        yield (
            f"Seat {seat}: routes {score.routes}, tickets {score.tickets} ({score.completed} completed), "
            f"bonuses {bonuses}, longest path {score.longest}: {score.total}."
        )
    yield f"Wins: {' and '.join(f'seat {seat}' for seat in game.winners())}."


@pytest.mark.parametrize("name", BOARDS)
def test_a_playthrough_has_not_changed(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    lines = list(narration(BOARDS[name]))
    if os.environ.get("NORTHRAIL_REWRITE"):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.exists(), f"{name} has no playthrough; NORTHRAIL_REWRITE=1 writes it"
    assert lines == path.read_text(encoding="utf-8").splitlines()


def test_every_playthrough_belongs_to_a_board() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(BOARDS)
