"""A whole game of each board in words, played again and compared with what was written down.

Whatever changes in the wording, the events, the views or the scores shows as a difference in tests/playthroughs. When
it is meant, write them anew and read the difference before committing it:

    NORTHRAIL_REWRITE=1 python -m pytest tests/test_playthroughs.py
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


def told(board: northrail.Board) -> Iterator[str]:
    """A game, line by line: who is asked what, the move, what happened, and from time to time what is on the table."""
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
    """What everybody sees, and what the seat that is asked has."""
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
    """The scores."""
    for seat, score in enumerate(game.scores()):
        bonuses = ", ".join(f"{name} {points}" for name, points in score.bonuses.items()) or "none"
        yield (
            f"Seat {seat}: routes {score.routes}, tickets {score.tickets} ({score.completed} completed), "
            f"bonuses {bonuses}, longest path {score.longest}: {score.total}."
        )
    yield f"Wins: {' and '.join(f'seat {seat}' for seat in game.winners())}."


@pytest.mark.parametrize("name", BOARDS)
def test_a_playthrough_reads_as_before(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    lines = list(told(BOARDS[name]))
    if os.environ.get("NORTHRAIL_REWRITE"):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.exists(), f"{name} has no playthrough; NORTHRAIL_REWRITE=1 writes it"
    assert lines == path.read_text(encoding="utf-8").splitlines()


def test_every_playthrough_is_of_a_board() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(BOARDS)
