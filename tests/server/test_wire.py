"""The wire carries codes with facts: no English sentence, and nothing that only a sentence would say."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from serving import choice_of

import northrail
from northrail.boards.board import COUNTED, MOST_CARDS, TIE_BREAKS
from northrail.engine.view import FACTS
from northrail.server.match import Command, Match, SeatInfo, TableInfo
from northrail.server.wire import catalogue, messages
from northrail.server.wire.types import Cards
from northrail.server.wire.view import View

NAMES = ("Anna", "Bo", "Cleo")


def strings(message: Any) -> Iterator[str]:
    """Yield every text in a message, keys included."""
    if isinstance(message, str):
        yield message
    elif isinstance(message, dict):
        for key, value in message.items():
            yield from strings(key)
            yield from strings(value)
    elif isinstance(message, list | tuple):
        for value in message:
            yield from strings(value)


def proper_names(board: northrail.Board) -> set[str]:
    """Return the names a board file gives, and the words it is written with."""
    given = {board.name, *(city.name for city in board.cities), *(city.country for city in board.cities)}
    return given | {card.name for card in board.bonus_cards} | set(COUNTED) | set(TIE_BREAKS)


def test_no_message_of_a_whole_game_has_a_sentence(board: northrail.Board) -> None:
    info = TableInfo("x" * 10, board.id, board.digest, 4, "secret", began=100.0)
    match = Match(board, info, [SeatInfo(seat, "person", name) for seat, name in enumerate(NAMES)])
    chance, said = random.Random(4), set[str]()
    while match.turn is not None:
        options = messages.options_json(match, match.turn)
        assert options is not None
        for seat in (*range(3), None):
            said.update(strings(messages.view_json(match, seat)))
        choice = choice_of(options, chance)
        match.add(Command(match.version + 1, match.turn, "person", 101.0, choice), match.trial(match.turn, choice))
        for seat in (*range(3), None):
            said.update(strings(match.steps[-1].seen_by(seat)))
    said.update(strings(messages.final_json(match)))
    said.update(strings({name: part for name, part in catalogue.board_json(board).items() if name != "drawing"}))
    assert {text for text in said if " " in text} <= proper_names(board)


def test_a_view_is_told_with_the_engine_s_fields() -> None:
    told = set(View.model_fields)
    assert set(FACTS) - told == {"face_up", "final"}
    assert told - set(FACTS) == {"board", "closed", "useful", "standings", "row", "chosen", "options"}


@pytest.mark.parametrize("seat", [0, None])
def test_a_view_has_exactly_the_fields_of_the_protocol(nordic: northrail.Board, seat: int | None) -> None:
    info = TableInfo("x" * 10, nordic.id, nordic.digest, 4, "secret", began=100.0)
    match = Match(nordic, info, [SeatInfo(at, "person", name) for at, name in enumerate(NAMES)])
    assert set(messages.view_json(match, seat)) == set(View.model_fields)


def test_a_payment_has_no_more_cards_than_a_board_can_have() -> None:
    cards: TypeAdapter[Cards] = TypeAdapter(Cards)
    assert cards.validate_python({"red": MOST_CARDS}) == {"red": MOST_CARDS}
    with pytest.raises(ValidationError, match=f"less than or equal to {MOST_CARDS}"):
        cards.validate_python({"red": MOST_CARDS + 1})
