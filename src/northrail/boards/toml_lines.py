"""The line of every table, key and list item in a TOML text, which tomllib does not report."""

import re
import tomllib
from collections.abc import Mapping

Path = tuple[str | int, ...]  # ("routes", 3, "colour"): the colour of the fourth route
Lines = Mapping[Path, int]

_TOKEN = re.compile(
    r'''
      (?P<dropped> \#[^\n]* | [^\S\n]+ )
    | """(?:\\.|[^\\])*?"""(?:"{0,2})   # strings first: a bracket inside one is just text
    | \'\'\'.*?\'\'\'(?:'{0,2})
    | "(?:\\.|[^"\\\n])*"
    | '[^'\n]*'
    | [\[\]{},=.\n]
    | [^\s\[\]{},=.\#"']+
    ''',
    re.VERBOSE | re.DOTALL,
)


def lines_of(text: str) -> dict[Path, int]:
    r"""Return the line of each thing in a TOML text, by its path. The text must be valid TOML.

    >>> lines_of('name = "Ring"\nroutes = [\n  { length = 2 },\n]')
    {('name',): 1, ('routes',): 2, ('routes', 0): 3, ('routes', 0, 'length'): 3}
    """
    return _Scanner(text).lines


def line_of(lines: Lines, path: Path) -> int | None:
    """Return the line of the thing at ``path``, or of the nearest enclosing thing that exists."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


class _Scanner:
    """Walks through the tokens of a valid text and notes the line where each thing begins."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.tokens: list[tuple[str, int]] = []
        self.sizes: dict[Path, int] = {}  # lengths of lists written as [[list]]
        line = 1
        for found in _TOKEN.finditer(text):
            if found["dropped"] is None:
                self.tokens.append((found[0], line))
            line += found[0].count("\n")
        self.tokens.append(("\n", line))
        self.at = 0
        table: Path = ()
        while self.at < len(self.tokens):
            if self.token == "\n":
                self.at += 1
            elif self.token == "[":
                table = self.header()
            else:
                self.pair(table)

    @property
    def token(self) -> str:
        return self.tokens[self.at][0]

    def mark(self, path: Path) -> None:
        """Note that ``path`` begins here, unless it began before."""
        self.lines.setdefault(path, self.tokens[self.at][1])

    def header(self) -> Path:
        """Read [table] or [[list]] and return the path of what follows."""
        brackets = 2 if self.tokens[self.at + 1][0] == "[" else 1
        self.at += brackets
        path: Path = ()
        *outer, name = self.key()
        for part in outer:
            path = (*path, part)
            self.mark(path)
            if path in self.sizes:
                path = (*path, self.sizes[path] - 1)
        path = (*path, name)
        self.mark(path)
        if brackets == 2:
            size = self.sizes[path] = self.sizes.get(path, 0) + 1
            path = (*path, size - 1)
            self.mark(path)
        self.at += brackets
        return path

    def key(self) -> list[str]:
        """Read a key with its dots and return the parts."""
        parts = []
        while self.token not in ("=", "]"):
            if self.token != ".":
                quoted = self.token[0] in "\"'"
                parts.append(tomllib.loads(f"key = {self.token}")["key"] if quoted else self.token)
            self.at += 1
        return parts

    def pair(self, table: Path) -> None:
        """Read key = value."""
        start = self.at
        path = table
        for part in self.key():
            path = (*path, part)
            self.lines.setdefault(path, self.tokens[start][1])
        self.at += 1
        self.value(path)

    def value(self, path: Path) -> None:
        """Read a value and everything in it."""
        closing = {"[": "]", "{": "}"}.get(self.token)
        if closing is None:
            while self.token not in (",", "]", "}", "\n"):
                self.at += 1
            return
        self.at += 1
        items = 0
        while self.token != closing:
            if self.token in (",", "\n"):
                self.at += 1
            elif closing == "}":
                self.pair(path)
            else:
                self.mark((*path, items))
                self.value((*path, items))
                items += 1
        self.at += 1
