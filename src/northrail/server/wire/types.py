"""Types that requests and responses share, and how a message becomes bytes."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

MOST_NAME, MOST_CHAT = 24, 300
MOST_VERSION = 2**31 - 1


def _printable(text: str) -> str:
    """Return the text, if it can be printed on one line."""
    if not text.isprintable():
        raise ValueError("expected letters, digits, signs and spaces")
    return text


Colour = Literal["purple", "blue", "orange", "white", "green", "yellow", "black", "red", "locomotive"]
Phase = Literal["tickets", "turn", "second_card", "pay", "tunnel", "over"]
Speed = Literal["normal", "fast", "instant"]
Status = Literal["waiting", "running", "over", "closed"]
Cards = dict[Colour, Annotated[int, Field(ge=0, le=127)]]
Seat = Annotated[int, Field(ge=0, le=4)]
Version = Annotated[int, Field(ge=0, le=MOST_VERSION, description="How many commands the game has had.")]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_NAME), AfterValidator(_printable)
]
ChatText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHAT), AfterValidator(_printable)
]
Level = Annotated[str, StringConstraints(max_length=40), Field(description="A bot's level, one of `/api/bots`.")]
Key = Annotated[str, StringConstraints(min_length=22, max_length=22, pattern=r"^[A-Za-z0-9_-]{22}$")]


class Message(BaseModel):
    """A message from the server."""


class Request(BaseModel):
    """A message from a client. Unknown fields are refused, because they are mistakes."""

    model_config = ConfigDict(extra="forbid")


def packed(message: Any) -> bytes:
    """Return a message as compact JSON, as it is sent."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
