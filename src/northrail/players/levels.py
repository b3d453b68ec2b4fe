"""The built-in players: the levels people play against, and bots for study."""

from typing import Any

# name -> module, class, and the arguments of the class
PLAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "random": ("northrail.players.basic", "Random", {}),
    "simple": ("northrail.players.basic", "Simple", {}),
    "path": ("northrail.players.published", "Published", {"agent": "path"}),
    "one-step": ("northrail.players.published", "Published", {"agent": "one-step"}),
    "long-route": ("northrail.players.published", "Published", {"agent": "long-route"}),
    "hungry": ("northrail.players.published", "Published", {"agent": "hungry"}),
    "planner": ("northrail.players.planner", "Planner", {}),
    "search": ("northrail.players.search", "Search", {}),
    "easy": ("northrail.players.planner", "Planner", {"slip": 0.65, "tickets": -99}),
    "medium": ("northrail.players.planner", "Planner", {"slip": 0.45}),
    "hard": ("northrail.players.planner", "Planner", {}),
    "expert": ("northrail.players.search", "Search", {"iterations": 1000}),
}
