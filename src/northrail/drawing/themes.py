"""How pictures look: the colours of the themes, the signs of card colours, the shapes of seats.

This is the only module that names colours; a test checks the rest of the project. Each card colour has a sign and each
seat a shape, so nobody has to tell colours apart. Tests check that contrasts meet WCAG AA.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

# --- colours --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours of a picture and of the page. Pairs are a surface and what is drawn on it."""

    title: str
    scheme: str  # "light" or "dark"; "light dark" for a drawing that can switch between them
    paper: str
    ink: str  # text on paper, land, sea and panels
    faint: str  # small, less important text
    accent: str
    danger: str  # buttons for actions that cannot be undone
    sea: tuple[str, ...]  # from north to south
    aurora: tuple[str, ...]  # northern lights over the sea, if any
    shoals: tuple[str, ...]  # shallow water, from the open sea to the coast
    land: str
    lake: str
    coast: str
    border: str
    circle: str  # the Arctic Circle and its name
    halo: str  # around names
    panel: str
    line: str  # frames and rules
    edge: str  # around train spaces
    coal: str  # around black ones, which need more of it in the dark
    sleeper: str  # of the track below train spaces
    rock: str  # around tunnels
    cut: str  # between the rock and the space
    water: str  # around ferries
    city: tuple[str, str]
    arctic: tuple[str, str]
    mark: tuple[str, str]  # "+X"
    wagon: str  # the edge of wagons beside the map
    bed: str  # below the wagons of a train
    spaces: Mapping[str, tuple[str, str]]  # the colour of a space, and its sign: a card's, but calmer than any wagon
    # The same in both themes:
    cards: Mapping[str, tuple[str, str]]  # a card, and its sign
    seats: tuple[tuple[str, str], ...]  # a wagon, and the shape on it
    keyline: str = "#fffdf8"  # around the wagons of a train, and around the last move
    claimable: str = "#ffd84a"  # behind routes that can be claimed
    locomotive: tuple[str, str] = ("#fdfcf8", "#21313c")  # the card
    card_back: tuple[str, str] = ("#1d3a52", "#eef2f6")
    card_stripe: str = "#24465f"
    ticket_back: tuple[str, str] = ("#8a4a22", "#fffdf8")
    ticket_stripe: str = "#97552a"
    qr_code: tuple[str, str] = ("#ffffff", "#101820")
    fur: tuple[str, str] = ("#ad7a52", "#6d4830")  # faces of animals: brown fur, and dark fur on it
    gloss: str = "#ffffff"  # along the edges of cards
    shade: str = "#000000"  # shadows
    backdrop: str = "#050a12"  # behind dialogs


CARDS = {
    "purple": ("#8450a0", "#ffffff"),
    "blue": ("#2f6fb3", "#ffffff"),
    "orange": ("#e5842b", "#341a00"),
    "white": ("#fdfcf8", "#4d5860"),
    "green": ("#3f8747", "#ffffff"),
    "yellow": ("#f3cb3c", "#473600"),
    "black": ("#2a2c31", "#eceae4"),
    "red": ("#c23b33", "#ffffff"),
    "gray": ("#b6babd", "#32393f"),
}
# Distinguishable with colour blindness; tests check it.
WAGONS = (
    ("#cf2e4f", "#ffffff"),
    ("#0f7fb0", "#ffffff"),
    ("#f7b32b", "#2b2000"),
    ("#2a1a3f", "#ffffff"),
    ("#d3ead9", "#123a33"),
)


def _calmer(towards: str, share: float) -> dict[str, tuple[str, str]]:
    """Return the colours of spaces: a part of each card's colour is replaced by another colour."""

    def mixed(colour: str) -> str:
        pairs = ((int(colour[at : at + 2], 16), int(towards[at : at + 2], 16)) for at in (1, 3, 5))
        return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)

    return {name: (mixed(colour), sign) for name, (colour, sign) in CARDS.items()}


AURORA = 0.25  # opacity of the northern lights where they are brightest
THEMES = {
    "light": Theme(
        title="midnight sun",
        scheme="light",
        paper="#fbf7ef",
        ink="#21313c",
        faint="#46545d",
        accent="#b3541e",
        danger="#a8261f",
        sea=("#e9dfd0", "#d5dfdf", "#c3d8e0", "#bdd4de"),
        aurora=(),
        shoals=("#c9dde2", "#d3e4e6", "#dfecea"),
        land="#f6efdf",
        lake="#c9dde2",
        coast="#7b98a4",
        border="#b9a98c",
        circle="#33596a",
        halo="#fbf7ef",
        panel="#fbf7ef",
        line="#8f8264",
        edge="#5f6c74",
        coal="#16181b",
        sleeper="#6f6450",
        rock="#4a3f35",
        cut="#f6efdf",
        water="#2d7391",
        city=("#b3541e", "#fffdf8"),
        arctic=("#1f5f86", "#ffffff"),
        mark=("#fffdf8", "#9c3f14"),
        wagon="#1b2328",
        bed="#20292f",
        spaces=_calmer("#f6efdf", 0.16),
        cards=CARDS,
        seats=WAGONS,
    ),
    "dark": Theme(
        title="polar night",
        scheme="dark",
        paper="#0b111c",
        ink="#eef2f6",
        faint="#cbd4de",
        accent="#7fe0b4",
        danger="#ff9d93",
        sea=("#12363b", "#122c42", "#0f2138", "#0d1b30"),
        aurora=("#3fbf96", "#49b6b0", "#7a6fc4"),
        shoals=("#173448", "#1e4053", "#28505f"),
        land="#27364a",
        lake="#15273d",
        coast="#7d96ae",
        border="#5f7288",
        circle="#9fd9c4",
        halo="#131f30",
        panel="#0f1928",
        line="#5b7189",
        edge="#93a5b6",
        coal="#f1f4f7",
        sleeper="#a9b9c9",
        rock="#b9a88f",
        cut="#0b111c",
        water="#6fc3e0",
        city=("#f2c572", "#10161f"),
        arctic=("#a7dcf5", "#0d2233"),
        mark=("#10161f", "#f2c572"),
        wagon="#f4f1e8",
        bed="#04070c",
        spaces=_calmer("#0b111c", 0.12),
        cards=CARDS,
        seats=WAGONS,
    ),
}


def _recoloured(theme: Theme, colour: Callable[[str, str], str]) -> Theme:
    """Return a copy of a theme. ``colour`` takes the name and value of each colour and returns the new value."""

    def pair(name: str, values: tuple[str, str]) -> tuple[str, str]:
        return colour(name, values[0]), colour(f"{name}-on", values[1])

    changes: dict[str, Any] = {}
    for field in fields(theme):
        name, value = field.name.replace("_", "-"), getattr(theme, field.name)
        if field.name in ("title", "scheme"):
            continue
        if field.name in ("cards", "spaces"):
            name = name.removesuffix("s")
            changes[field.name] = {card: pair(f"{name}-{card}", values) for card, values in value.items()}
        elif field.name == "seats":
            changes[field.name] = tuple(pair(f"seat-{seat}", values) for seat, values in enumerate(value))
        elif field.name in ("sea", "aurora", "shoals"):
            name = name.removesuffix("s")
            changes[field.name] = tuple(colour(f"{name}-{at}", one) for at, one in enumerate(value))
        else:
            changes[field.name] = colour(name, value) if isinstance(value, str) else pair(name, value)
    return replace(theme, **changes)


def variables(theme: Theme) -> dict[str, str]:
    """Return the CSS variables of a theme, without their dashes: each colour by its name.

    >>> variables(THEMES["light"])["card-red"], variables(THEMES["light"])["card-red-on"]
    ('#c23b33', '#ffffff')
    """
    found: dict[str, str] = {}
    _recoloured(theme, found.setdefault)
    return found


# Drawings for the page: every colour is a CSS variable. The dark theme has all the colours a theme can have.
PAGE_THEME = replace(_recoloured(THEMES["dark"], lambda name, _: f"var(--{name})"), title="page", scheme="light dark")


# --- the terminal ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TerminalTheme:
    """Colours for a terminal, which may be dark or light. Pairs are a surface and the text on it."""

    cards: Mapping[str, tuple[str, str]]
    seats: tuple[str, ...]
    good: str
    bad: str


# Cards have their own background and seats medium brightness, so both are readable on any terminal. Terminals with
# 16 colours show the nearest ones; these still differ from each other there.
TERMINAL = TerminalTheme(
    cards={
        "purple": ("#8e44ad", "#ffffff"),
        "blue": ("#1450b8", "#ffffff"),
        "orange": ("#e07b10", "#000000"),
        "white": ("#f2f2f2", "#000000"),
        "green": ("#0f8a2f", "#ffffff"),
        "yellow": ("#f5d327", "#000000"),
        "black": ("#1c1c1c", "#ffffff"),
        "red": ("#c0282d", "#ffffff"),
    },
    seats=("#0f93a8", "#b03ab0", "#b57a08", "#2f8f1f", "#6a7be0"),
    good="#3c963c",
    bad="#d0453c",
)


# --- charts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChartTheme:
    """Colours of charts about players."""

    line: str = "#1450b8"
    box: str = "#cfe0f5"
    missed: str = "#b3261e"  # a goal that was not reached
    ink: str = "#333333"
    axes: str = "#888888"
    grid: str = "#dddddd"


CHART = ChartTheme()

# --- signs ----------------------------------------------------------------------------------------------------------

# Each is about 8 units wide, around 0, 0. They show things from the north: amethyst, drop of water, cloudberry, snowy
# peaks, fir, sun, miner's hammers, cottage; and a ring for any colour.
SIGNS = {
    "purple": '<path d="M0-4.4 3.6-1.8 2.4 3.2 0 4.4-2.4 3.2-3.6-1.8Z"/>',
    "blue": '<path d="M0-4.6C1.8-1.8 3.2-.3 3.2 1.4A3.2 3.2 0 0 1-3.2 1.4C-3.2-.3-1.8-1.8 0-4.6Z"/>',
    "orange": '<circle cy="-2.1" r="2"/><circle cx="-2.2" cy="1.6" r="2"/><circle cx="2.2" cy="1.6" r="2"/>',
    "white": '<path d="M-5 3.4-1.4-3.6.9.7 2.2-1.4 5 3.4Z"/>',
    "green": '<path d="M0-4.8 2.7-1H1.5L3.7 2.6H.8V4.4H-.8V2.6H-3.7L-1.5-1H-2.7Z"/>',
    "yellow": '<circle r="2.1"/><path class="stroke" d="M0-4.7V-3.2M0 3.2V4.7M-4.7 0H-3.2M3.2 0H4.7M-3.3-3.3-2.3-2.3'
    'M2.3 2.3 3.3 3.3M-3.3 3.3-2.3 2.3M2.3-2.3 3.3-3.3"/>',
    "black": '<path class="stroke" d="M-3.2 3.8 2.8-2.8M3.2 3.8-2.8-2.8"/>'
    '<path d="M.7-3 2.9-5 5-2.9 4-1.9 2.8-2.9 1.7-2ZM-.7-3-2.9-5-5-2.9-4-1.9-2.8-2.9-1.7-2Z"/>',
    "red": '<path d="M0-4.4 4.4-.8H3.2V3.8H1.1V.9H-1.1V3.8H-3.2V-.8H-4.4Z"/>',
    "gray": '<circle class="stroke" r="2.7"/>',
    "locomotive": '<path d="M-5-3.8H-1.2V-1.3H2V-3.6H3.8V-1.3H4.2Q5.2-.6 5.2 1.5H-5ZM-4-2.8V-1.1H-2.2V-2.8Z"/>'
    '<circle cx="-3" cy="2.4" r="1.5"/><circle cx=".4" cy="2.4" r="1.5"/><circle cx="3.6" cy="2.4" r="1.5"/>',
    "snow": '<path class="stroke" d="M0-4.8V4.8M-4.2-2.4 4.2 2.4M-4.2 2.4 4.2-2.4M-1.3-4.2 0-3 1.3-4.2M-1.3 4.2 0 3'
    ' 1.3 4.2"/>',
}
SHAPES = (
    '<circle r="4"/>',
    '<rect x="-3.7" y="-3.7" width="7.4" height="7.4"/>',
    '<path d="M0-4.6 4.9 3.8H-4.9Z"/>',
    '<path d="M0-5.2 5.2 0 0 5.2-5.2 0Z"/>',
    '<path d="M0-5.4 1.4-1.9 5.1-1.7 2.2.7 3.2 4.4 0 2.3-3.2 4.4-2.2.7-5.1-1.7-1.4-1.9Z"/>',
)
