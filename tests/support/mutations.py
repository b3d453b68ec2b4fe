"""A fuzzer: take valid positions, records and boards, damage them, and see that only NorthrailErrors come of it.

Random JSON would be refused at the first field. Damaged copies of valid files get past the first checks and reach
kernels. Hypothesis builds inputs from nothing and shrinks them; here a few changes to a known file are short already.
Every input follows from a seed and a number, so that one which crashes or hangs a process can be made again.
"""

import copy
import hashlib
import json
import math
import multiprocessing
import random
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from documents import own_board
from tables import BOARDS, TABLES, WAYS, corner, situation

import northrail
from northrail.boards.load import build_board
from northrail.errors import BadMove, NorthrailError

FOUND = Path(__file__).parents[1] / "engine" / "mutations"  # inputs that once failed; tests read them again
HANGS = 60.0  # seconds without progress
NUMBERS = [
    -1,
    0,
    1,
    2,
    3,
    5,
    8,
    126,
    127,
    128,
    255,
    256,
    32767,
    65536,
    2**31 - 1,
    2**31,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
]
ODD = [*NUMBERS, -128, -129, -(2**63), 0.0, 0.5, -1.5, 1e308, math.nan, math.inf, True, False, "", " ", "\0", "\ud800"]
ODD += [
    "Oslo",
    "red",
    "locomotive",
    "é" * 300,
    "\u0661",
    "claim",
    [],
    {},
    [[]],
    [{}],
    {"red": 1},
    {"": 0},
    [0],
    [None],
    None,
]
TOKENS = [
    "=",
    "[",
    "]",
    "[[",
    "]]",
    '"',
    "'",
    '"""',
    "#",
    ",",
    "\n",
    "\t",
    "\0",
    "\ufeff",
    "1e9",
    "-1",
    "nan",
    "inf",
    "true",
]
TOKENS += [
    "0x7f",
    "99999999999999999999",
    "1979-05-27",
    "[[routes]]",
    "[rules]",
    "[[tickets]]",
    "{a = 1}",
    "é",
    "\u202e",
]


def nodes(tree: Any) -> list[tuple[Any, Any]]:
    """Return every place in a tree of lists and dicts: its container, and its key there."""
    found: list[tuple[Any, Any]]
    if isinstance(tree, dict):
        found = [(tree, key) for key in tree]
    elif isinstance(tree, list):
        found = [(tree, at) for at in range(len(tree))]
    else:
        return []
    return found + [deeper for container, key in found for deeper in nodes(container[key])]


def mutated(tree: Any, chance: random.Random) -> Any:
    """Return a copy of a tree with one to four changes."""
    holder = [copy.deepcopy(tree)]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        places = nodes(holder)
        # Most leaves are in long lists; choosing a depth first reaches the other fields too.
        container, key = chance.choice(places if chance.random() < 0.5 else [*nodes(holder)[:1], *_shallow(holder[0])])
        value = container[key]
        way = chance.randrange(7)
        if way == 0:
            container[key] = copy.deepcopy(chance.choice(ODD))
        elif way == 1:  # something from elsewhere in the same file
            other, at = chance.choice(places)
            container[key] = copy.deepcopy(other[at])
        elif way == 2 and type(value) in (int, float):
            container[key] = value + chance.choice((-2, -1, 1, 2, 127, 256))
        elif way == 3 and isinstance(value, str) and value:
            at = chance.randrange(len(value))
            container[key] = value[:at] + chance.choice(["", " ", "–", "x", value]) + value[at + chance.randrange(2) :]
        elif way == 4 and isinstance(value, list) and value:
            value.insert(chance.randrange(len(value) + 1), copy.deepcopy(chance.choice(value)))
        elif way == 5 and isinstance(value, list):
            chance.shuffle(value)
        elif isinstance(container, dict):
            taken = container.pop(key)
            if chance.random() < 0.5:
                container[chance.choice([f"{key}s", "red", "", "seats", *container])] = taken
        elif container is not holder:
            del container[key]
    return holder[0]


def _shallow(tree: Any) -> list[tuple[Any, Any]]:
    return [(tree, key) for key in tree] if isinstance(tree, dict) else []


def mutated_text(text: str, chance: random.Random) -> str:
    """Return a text with one to four changes of lines or words."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        lines = text.split("\n")
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        way = chance.randrange(5)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(at, lines[other])
        elif way == 2:
            lines[at], lines[other] = lines[other], lines[at]
        else:
            words = lines[at].split(" ")
            words[chance.randrange(len(words))] = chance.choice([*TOKENS, *lines[other].split(" ")])
            lines[at] = " ".join(words)
        text = "\n".join(lines)
    return text


@dataclass(frozen=True)
class Kind:
    """A kind of input: how one is made from chance, and how it is used."""

    make: Callable[[random.Random], Any]
    use: Callable[[Any], None]


@cache
def _game(table: int, seed: int, most: int) -> northrail.Game:
    name, seats = TABLES[table]
    if seed % 5 == 4:
        return corner(BOARDS[name], seats, seed)
    return situation(BOARDS[name], seats, seed, list(WAYS)[seed % len(WAYS)], most)


def _base(chance: random.Random, most: int) -> northrail.Game:
    """Return one of some games of at most so many moves."""
    return _game(chance.randrange(len(TABLES)), chance.randrange(20), most)


@cache
def _boards() -> list[dict[str, Any]]:
    folder = Path(northrail.__file__).parent / "boards"
    return [
        tomllib.loads(text)
        for text in (own_board(), *((folder / f"{name}.toml").read_text("utf-8") for name in BOARDS))
    ]


def make_board(chance: random.Random) -> Any:
    """Return a damaged board: mostly a small one, as parsed or as text."""
    if chance.random() < 0.5:
        return mutated_text(own_board(), chance)
    return _without_none(mutated(_boards()[0 if chance.random() < 0.97 else chance.randrange(3)], chance))


def _without_none(tree: Any) -> Any:
    """Replace None, which TOML cannot express."""
    if isinstance(tree, dict):
        return {key: _without_none(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_without_none(value) for value in tree]
    return "" if tree is None else tree


def play_on(game: northrail.Game, seed: int) -> None:
    """Play a few moves and look at everything."""
    chance = random.Random(seed)
    assert northrail.Game.from_position(game.board, game.position()) == game
    for _ in range(6):
        for seat in (None, *range(game.seats)):
            game.view(seat)
        game.scores()
        game.winners()
        if game.over:
            break
        game.play(chance.choice(game.moves()))


def _board_of(thing: Any) -> northrail.Board:
    name = thing.get("board") if isinstance(thing, dict) else None
    return BOARDS[name if isinstance(name, str) and name in BOARDS else "nordic-countries"]


def use_position(position: Any) -> None:
    """Set up a position, and play on if it is accepted."""
    play_on(northrail.Game.from_position(_board_of(position), position), 1)


def use_record(record: Any) -> None:
    """Replay a record, and play on if it is accepted."""
    board = _board_of(record)  # loading one takes longer than all else
    game = northrail.Game.replay(record, board)
    assert northrail.Game.replay(game.record(), board) == game
    play_on(game, 1)


def use_board(board: Any) -> None:
    """Build a board, and play on it if it is accepted."""
    if isinstance(board, str):
        try:
            board = tomllib.loads(board)
        except tomllib.TOMLDecodeError as error:
            raise BadMove("no TOML") from error  # tomllib's own; reading the file says which line
    built = build_board(board)
    for seats in {*built.rules.seats}:
        play_on(northrail.Game(built, seats, 1), 1)


KINDS = {
    "position": Kind(lambda chance: mutated(_base(chance, 300).position(), chance), use_position),
    "record": Kind(lambda chance: mutated(_base(chance, 40).record(), chance), use_record),
    "board": Kind(make_board, use_board),
}


def made(kind: str, seed: int, number: int) -> Any:
    """Return an input, always the same for the same seed and number."""
    return KINDS[kind].make(random.Random(f"{kind} {seed} {number}"))


def fault_of(kind: str, given: Any) -> str | None:
    """Use an input; return None if it is accepted or refused with a NorthrailError, else what came instead."""
    before = json.dumps(given)
    try:
        KINDS[kind].use(given)
    except NorthrailError as error:
        return None if str(error) else "an error without a sentence"
    except Exception as error:  # what we look for
        return f"{type(error).__name__}: {error}"[:300]
    return None if json.dumps(given) == before else "the input was changed"


def keep(kind: str, given: Any, fault: str) -> Path:
    """Write an input that failed to a file, which the tests then read; return its path."""
    text = json.dumps({"kind": kind, "fault": fault, "input": given}, indent=1) + "\n"
    path = FOUND / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fuzz(kind: str, seed: int, count: int) -> list[str]:
    """Try inputs in another process; return what was found. Each is kept in a file, also if it crashes or hangs."""
    forking = multiprocessing.get_context("fork")
    at, faults = forking.Value("q", -1), forking.SimpleQueue()
    found: list[str] = []
    first = 0
    while first < count:
        process = forking.Process(target=_try, args=(kind, seed, range(first, count), at, faults))
        process.start()
        last, since = -1, time.monotonic()
        while process.is_alive():
            process.join(0.2)
            if at.value != last:
                last, since = at.value, time.monotonic()
            elif time.monotonic() - since > HANGS:
                process.kill()
        process.join()
        while not faults.empty():
            found.append(faults.get())
        if process.exitcode == 0:
            break
        number = at.value
        fault = f"the process ended with {process.exitcode}, after a crash or {HANGS:.0f} s without progress"
        found.append(f"{keep(kind, made(kind, seed, number), fault)}: {fault}")
        first = number + 1
    return found


def _try(kind: str, seed: int, numbers: range, at: Any, faults: Any) -> None:
    seen: set[str] = set()
    for number in numbers:
        at.value = number
        given = made(kind, seed, number)
        pristine = copy.deepcopy(given)
        fault = fault_of(kind, given)
        if fault is not None and fault[:40] not in seen:  # one of a sort is enough
            seen.add(fault[:40])
            faults.put(f"{keep(kind, pristine, fault)}: {fault}")
