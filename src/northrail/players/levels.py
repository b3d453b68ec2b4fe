"""The built-in players: the levels people play against, and bots for study."""

from typing import Any

# Below `hard`, levels do not see what others are after, and expect the game to last longer than it does. The lower the
# level, the more it overlooks and dawdles, the less it draws tickets, and the more it claims what it can pay right now.
MEDIUM = {"overlook": 0.35, "tempted": 0.2, "dawdle": 0.48, "enough": 20, "urgent": 0, "danger": 0, "pace": 1.2}
MEDIUM |= {"tickets": 4, "extra": 3, "windfall": 10}
EASY = {"overlook": 0.5, "tempted": 0.6, "dawdle": 0.71, "enough": 27, "urgent": 0, "danger": 0, "pace": 1.0}
EASY |= {"tickets": 2, "extra": 2, "windfall": 7, "fair": 2, "points": 0.1}
BEGINNER = {"overlook": 0.6, "tempted": 1.5, "dawdle": 0.85, "enough": 38, "urgent": 0, "danger": 0, "pace": 1.0}
BEGINNER |= {"tickets": -99, "extra": 1, "windfall": 2, "fair": 5, "points": 0}

# name -> module, class, and the arguments of the class
PLAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "random": ("northrail.players.basic", "Random", {}),
    "simple": ("northrail.players.basic", "Simple", {}),
    "path": ("northrail.players.published", "Published", {"agent": "path"}),
    "one-step": ("northrail.players.published", "Published", {"agent": "one-step"}),
    "long-route": ("northrail.players.published", "Published", {"agent": "long-route"}),
    "hungry": ("northrail.players.published", "Published", {"agent": "hungry"}),
    "planner": ("northrail.players.planner", "Planner", {"kind": "steady"}),
    "search": ("northrail.players.search", "Search", {}),
    "beginner": ("northrail.players.casual", "Casual", BEGINNER),
    "easy": ("northrail.players.casual", "Casual", EASY),
    "medium": ("northrail.players.casual", "Casual", MEDIUM),
    "hard": ("northrail.players.planner", "Planner", {"kind": "patient"}),
    "expert": ("northrail.players.search", "Search", {"effort": 2000}),
    "master": ("northrail.players.search", "Search", {"effort": 40_000, "threads": 2}),
}
