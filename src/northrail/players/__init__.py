"""Players decide for a seat. This module says what a player is, lists ours, and loads players by name.

Any class with a ``choose(view)`` method is a player. It gets a `View` of its own seat and nothing else, so it cannot
see what its seat cannot.

`load_player` finds a player by text: a name in `PLAYERS`, or your file and class, such as ``./mine.py:Mine``. Arguments
may follow, as in ``search:seconds=0.5``. The result is a `Recipe`, which makes new players and can be sent to other
processes.

Our own players remember nothing from one choice to the next. A choice depends only on the view and on what ``start``
received. So a bot plays the same in the arena, in a script, and on a server that restarts between moves. Their kernels
take a `ViewStruct` and work in scratch memory whose content means nothing to the next choice.

`Recipe.digest` names the code that decides: your file, or for our players all modules of this package that they import,
and their data files. Comments, docstrings and formatting do not count. If a digest has changed, the arena does not
reuse the player's old results. `reasons` is imported by name when someone asks for a reason, so its sentences are not
part of a digest.
"""

import ast
import difflib
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from northrail.engine.choices import Choice
from northrail.engine.moves import Move
from northrail.engine.view import View
from northrail.errors import NorthrailError
from northrail.kernels.decorators import code_of
from northrail.players.digests import content_of, files_of
from northrail.players.levels import PLAYERS

# A move as a Move, its text or its number; or a whole choice, where a claim may also be (9, {"red": 4}).
Answer = Move | str | int | Choice | tuple[int, Mapping[str, int]]


class BadPlayer(NorthrailError):
    """A name without a player, or something that is not a player."""


class Player(Protocol):
    """A player chooses moves. It needs only ``choose``, and may also have:

    - ``start(board, seat, seats, seed)``, called before each game: forget the last game here, and take all randomness
      from ``seed``, so that the same seed gives the same game;
    - ``finish(view)``, called after it, with all hands and tickets open;
    - ``reason``, a sentence about its last move;
    - ``choose_struct(board, view) -> move number``, for fast players: the arena calls it instead of ``choose``, with
      the ViewStruct that a View is made from.

    Our own players keep nothing from one whole choice to the next; a claim and its cards are one choice. So you may
    call ``start`` with the same seed before any choice, or make a new player for it.
    """

    def choose(self, view: View) -> Answer:
        """Return the move of the seat whose view this is."""
        ...


@dataclass(frozen=True)
class Recipe:
    """How to make a player, in a form that can be sent to other processes. Call it to make one.

    ``source`` is the text of your own file. It travels along, so that a file edited during a run, or missing on another
    machine, changes nothing.
    """

    name: str  # its name in results
    module: str  # the module's name, or a path
    made_of: str  # the name of the class
    arguments: dict[str, Any] = field(default_factory=dict)
    source: str | None = None

    def __call__(self) -> Player:
        """Make a new player; raises whatever its class raises."""
        module = importlib.import_module(self.module) if self.source is None else _run(Path(self.module), self.source)
        player: Player = getattr(module, self.made_of)(**self.arguments)
        return player

    @property
    def digest(self) -> str:
        """A hash of the code that decides, and of the arguments: if it differs, the player may play differently.

        For your own file, this is its code. For our players, it is all code of this package that they import, and the
        data that this code names. Comments, docstrings and formatting do not count.
        """
        made_of = [code_of(self.source.encode())] if self.source is not None else map(content_of, files_of(self.module))
        made_with = repr(sorted(self.arguments.items())).encode()
        return hashlib.sha256(b"\0".join([made_with, *made_of])).hexdigest()[:12]


def load_player(text: str) -> Recipe:
    """Return the recipe of a player: ``random``, ``./mine.py:Mine``, or ``./mine.py:Mine:depth=3,calm=True``.

    >>> load_player("random")().choose
    <bound method Random.choose of ...>
    >>> load_player("randon")
    Traceback (most recent call last):
    ...
    northrail.players.BadPlayer: unknown player 'randon'; did you mean random? Expected random, simple...
    """
    own = re.fullmatch(r"(?P<path>.*\.py)(:(?P<name>\w+))?(:(?P<arguments>.*))?", text, re.DOTALL)
    if own:
        return _own(Path(own["path"]), own["name"], own["arguments"])
    name, _, arguments = text.partition(":")
    if name not in PLAYERS:
        close = difflib.get_close_matches(name.lower(), PLAYERS, n=1)
        raise BadPlayer(
            f"unknown player {text!r}; "
            + "".join(f"did you mean {guess}? " for guess in close)
            + f"{'Expected' if close else 'expected'} {', '.join(PLAYERS)}, or a file such as ./mine.py:Mine"
        )
    module, made_of, usual = PLAYERS[name]
    return _tried(Recipe(text, module, made_of, usual | _arguments(text, arguments)))


def load_players(texts: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the recipes of players that meet; files with the same name get their folders in front."""
    recipes = [load_player(text) for text in texts]
    names = Counter(recipe.name for recipe in recipes)
    alike = [recipe for recipe in recipes if recipe.source is not None and names[recipe.name] > 1]
    above = os.path.commonpath([Path(recipe.module).parent for recipe in alike]) if alike else ""
    return tuple(
        replace(recipe, name=(Path(recipe.module).parent.relative_to(above) / recipe.name).as_posix())
        if recipe in alike
        else recipe
        for recipe in recipes
    )


def _own(path: Path, name: str | None, arguments: str | None) -> Recipe:
    """Return the recipe of a player in your own file; the name may be left out if there is only one."""
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise BadPlayer(f"{path}: cannot read this player: {fault.strerror}") from fault
    except ValueError as fault:
        raise BadPlayer(f"{path}: expected a Python file with a player, got {fault}") from fault
    try:
        module = _run(path, source)
    except (Exception, SystemExit) as fault:
        raise BadPlayer(f"{path}: expected a Python file with a player, got {type(fault).__name__}: {fault}") from fault
    found = [
        each
        for each, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__ and callable(getattr(thing, "choose", None))
    ]
    if name is None and len(found) == 1:
        name = found[0]
    if name is None or not callable(getattr(module, name, None)):
        names = " or ".join(f"{path}:{each}" for each in found) or "a class with choose(view)"
        raise BadPlayer(f"{path}: expected {names}, got {name or 'no name'!r}")
    text = f"{path.name}:{name}" + (f":{arguments}" if arguments else "")
    return _tried(Recipe(text, str(path.resolve()), name, _arguments(text, arguments or ""), source))


def _run(path: Path, source: str) -> ModuleType:
    """Return the module made from a file's text; the same text runs only once."""
    digest = hashlib.sha256("\0".join((str(path), source)).encode()).hexdigest()
    name = f"{path.stem}_{digest[:12]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_loader(name, None, origin=str(path))
        assert spec is not None, "a name always has a spec"
        module = importlib.util.module_from_spec(spec)
        module.__file__ = str(path)
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))  # so that it can import its neighbours, as when you run the file
        sys.modules[name] = module
        try:
            exec(compile(source, path, "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _arguments(text: str, arguments: str) -> dict[str, Any]:
    """Parse the arguments after the colon: ``iterations=200,calm=True``, each value a Python literal."""
    try:
        call = ast.parse(f"_({arguments})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        return {_named(word): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError) as fault:
        raise BadPlayer(
            f"expected arguments such as name:iterations=200,calm=True after a player's name, got {text!r}"
        ) from fault


def _named(word: ast.keyword) -> str:
    if word.arg is None:  # **something
        raise ValueError
    return word.arg


def _tried(recipe: Recipe) -> Recipe:
    """Return the recipe itself, after it has made a player."""
    try:
        player = recipe()
    except (Exception, SystemExit) as fault:
        raise BadPlayer(f"cannot create the player {recipe.name}: {type(fault).__name__}: {fault}") from fault
    if not callable(getattr(player, "choose", None)):
        raise BadPlayer(f"{recipe.name}: expected a player with choose(view), got {player!r}")
    return recipe
