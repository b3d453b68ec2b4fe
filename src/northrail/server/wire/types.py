"""Types that requests and responses share, and how a message becomes bytes."""

from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from northrail.boards.board import MOST_CARDS

MOST_NAME, MOST_CHAT = 24, 300
MOST_VERSION = 2**31 - 1


JOINERS = "\u200c\u200d"  # Persian words and some emoji need them
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs without ink


def _visible(text: str) -> str:
    """Return the text, if it can be printed on one line and is not blank."""
    if not "".join(sign for sign in text if sign not in JOINERS).isprintable():
        raise ValueError("expected letters, digits, signs and spaces")
    if all(sign.isspace() or sign in JOINERS + BLANKS for sign in text):
        raise ValueError("expected something that can be seen")
    return text


Colour = Literal["purple", "blue", "orange", "white", "green", "yellow", "black", "red", "locomotive"]
Phase = Literal["tickets", "turn", "second_card", "pay", "tunnel", "over"]
Speed = Literal["normal", "fast", "instant"]
Status = Literal["waiting", "running", "over", "closed"]
Cards = dict[Colour, Annotated[int, Field(ge=0, le=MOST_CARDS)]]
Seat = Annotated[int, Field(ge=0, le=4)]
Version = Annotated[int, Field(ge=0, le=MOST_VERSION, description="How many commands the game has had.")]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_NAME), AfterValidator(_visible)
]
ChatText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHAT), AfterValidator(_visible)
]
Level = Annotated[str, StringConstraints(max_length=40), Field(description="A bot's level, one of `/api/bots`.")]
Key = Annotated[str, StringConstraints(min_length=22, max_length=22, pattern=r"^[A-Za-z0-9_-]{22}$")]


class Message(BaseModel):
    """A message from the server."""


class Request(BaseModel):
    """A message from a client. Unknown fields are refused, because they are mistakes."""

    model_config = ConfigDict(extra="forbid")


Packed = orjson.Fragment  # a part of a message that is packed already


def packed(message: Any) -> bytes:
    """Return a message as compact JSON, as it is sent."""
    return orjson.dumps(message, option=orjson.OPT_NON_STR_KEYS)


def packed_part(facts: dict[str, Any]) -> bytes:
    """Return facts as JSON, without the braces around them.

    It is a copy, because what the serialiser returns occupies a whole page of memory, however short it is.
    """
    return packed(facts)[1:-1]
