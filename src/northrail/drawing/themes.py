"""How pictures look: the colours of two themes, the signs of card colours, the shapes of seats.

No colour stands anywhere else. Each card colour has a sign and each seat a shape, so that nobody needs to tell colours
apart; tests hold contrasts to what WCAG AA asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

# --- colours --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Theme:
    """The colours of a picture. Pairs are a surface and what is drawn on it."""

    title: str
    paper: str
    ink: str  # of text, on paper, land, sea and panels
    faint: str  # of small text beside it
    accent: str
    sea: tuple[str, ...]  # from north to south
    aurora: tuple[str, ...]  # northern lights over it, if any
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
    rock: str  # around tunnels
    cut: str  # between the rock and the space
    water: str  # around ferries
    city: tuple[str, str]
    arctic: tuple[str, str]
    mark: tuple[str, str]  # "+X"
    cards: Mapping[str, tuple[str, str]]  # colour of a space, and its sign
    seats: tuple[tuple[str, str], ...]  # a wagon, and the shape on it
    wagon: str  # the edge of wagons, and the track they stand on


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
# Far apart also to people who lack a kind of cone; tests hold them there.
WAGONS = (
    ("#cf2e4f", "#ffffff"),
    ("#0f7fb0", "#ffffff"),
    ("#f7b32b", "#2b2000"),
    ("#2a1a3f", "#ffffff"),
    ("#d3ead9", "#123a33"),
)

AURORA = 0.25  # how much of the sea it covers, at its brightest
THEMES = {
    "light": Theme(
        title="midnight sun",
        paper="#fbf7ef",
        ink="#21313c",
        faint="#46545d",
        accent="#b3541e",
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
        edge="#39444b",
        rock="#4a3f35",
        cut="#f6efdf",
        water="#2d7391",
        city=("#b3541e", "#fffdf8"),
        arctic=("#1f5f86", "#ffffff"),
        mark=("#fffdf8", "#9c3f14"),
        cards=CARDS,
        seats=WAGONS,
        wagon="#1b2328",
    ),
    "dark": Theme(
        title="polar night",
        paper="#0b111c",
        ink="#eef2f6",
        faint="#cbd4de",
        accent="#7fe0b4",
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
        edge="#dfe6ec",
        rock="#b9a88f",
        cut="#0b111c",
        water="#6fc3e0",
        city=("#f2c572", "#10161f"),
        arctic=("#a7dcf5", "#0d2233"),
        mark=("#10161f", "#f2c572"),
        cards=CARDS,
        seats=WAGONS,
        wagon="#f4f1e8",
    ),
}

# --- signs ----------------------------------------------------------------------------------------------------------

# Each about 8 units wide around 0, 0. In the north they are easy to remember: amethyst, drop of water, cloudberry,
# snowy peaks, fir, sun, miner's hammers, cottage; and a ring for any colour.
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
