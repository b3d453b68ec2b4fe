"""Refusals: a code with facts. The page, or a program, turns them into a sentence."""

from typing import Any, Literal

from northrail.errors import NorthrailError

# Refused by the rules: see `engine/refusals.py` and `engine/game.py`.
MoveCode = Literal[
    "already_chosen",
    "bad_move",
    "bad_position",
    "card_not_wanted",
    "cards_not_held",
    "deck_empty",
    "game_over",
    "keep_more",
    "locomotive_second",
    "must_move",
    "no_such_colour",
    "no_such_route",
    "no_tickets_left",
    "not_face_up",
    "not_offered",
    "not_your_turn",
    "owns_parallel",
    "route_closed",
    "route_owned",
    "too_few_cards",
    "too_few_trains",
    "tunnel_begun",
    "wrong_extra",
    "wrong_payment",
    "wrong_phase",
]
# Refused by the server.
TableCode = Literal[
    "board_changed",
    "bot_plays",
    "chat_full",
    "database_failing",
    "game_begun",
    "game_not_begun",
    "game_not_over",
    "hints_off",
    "host_only",
    "invalid",
    "lesson_changed",
    "link_expired",
    "no_bot_plays",
    "no_open_seat",
    "no_such_address",
    "no_such_board",
    "no_such_lesson",
    "no_such_level",
    "no_such_seat",
    "no_such_table",
    "not_in_lesson",
    "not_your_seat",
    "others_choose",
    "others_play",
    "overtaken",
    "person_present",
    "players_only",
    "rate_limited",
    "rules_changed",
    "seat_not_open",
    "seat_occupied",
    "seat_resigned",
    "server_busy",
    "server_error",
    "stale",
    "table_closed",
    "too_large",
    "too_many_connections",
    "too_many_tables",
    "too_many_watchers",
    "too_many_wrong_links",
    "wrong_host",
    "wrong_method",
    "wrong_origin",
    "wrong_seat_count",
]
Code = MoveCode | TableCode


class Refused(Exception):
    """A request that is refused: an HTTP status, a code and its facts. ``retry`` is in seconds."""

    def __init__(self, status: int, code: Code, retry: float = 0.0, **facts: Any) -> None:
        super().__init__(code)
        self.status, self.code, self.retry, self.facts = status, code, retry, facts

    @classmethod
    def by_rules(cls, error: NorthrailError) -> "Refused":
        """Return the refusal for an error of the engine, without its sentence.

        The sentence contains the engine's move number. A payment is several moves, and how many depends on the payer's
        hand, so the number would reveal something about hidden cards.
        """
        return cls(422, error.code or "bad_move", **error.facts)  # type: ignore[arg-type]  # the engine's codes

    def json(self) -> dict[str, Any]:
        """Return the refusal as a message."""
        return {"code": self.code, "facts": self.facts}
