"""Scoring at the end: completed tickets, the longest path, bonus cards."""

from collections.abc import Iterable, Sequence
from typing import Any

from .bill import COLOURS, LOCOMOTIVE, Cards
from .board import ReferenceBoard, Route, Ticket

Track = tuple[str, str, int]  # two cities and the trains between them


def is_joined(start: str, goal: str, routes: Sequence[Route]) -> bool:
    """Return whether these routes connect two cities."""
    reached, fresh = {start}, [start]
    while fresh:
        city = fresh.pop()
        for route in routes:
            if city in route.cities:
                for end in route.cities:
                    if end not in reached:
                        reached.add(end)
                        fresh.append(end)
    return goal in reached


def longest_path(tracks: Sequence[Track]) -> int:
    """Return the most trains on one continuous path, in which cities may repeat and tracks may not.

    One path can run over all tracks of a connected network exactly if an odd number of them meet in two cities at
    most: its ends (Euler's bridges). If there are more, take any three of those odd cities. One of the three is no
    end of the path, so the path leaves out a track there: every such track is taken away in turn, and what is left
    is looked at in the same way. Networks seen before, or too small to beat the best path so far, are skipped.
    """
    best = 0
    seen: set[frozenset[int]] = set()
    networks = connected_parts(tracks, range(len(tracks)))
    while networks:
        network = networks.pop()
        if network in seen:
            continue
        seen.add(network)
        at: dict[str, list[int]] = {}
        for number in network:
            for city in tracks[number][:2]:
                at.setdefault(city, []).append(number)
        odd = sorted((city for city in at if len(at[city]) % 2), key=lambda city: len(at[city]))
        total = sum(tracks[number][2] for number in network)
        if len(odd) <= 2:
            best = max(best, total)
            continue
        # All cities with an odd number of tracks but two lose one, and a track has two cities.
        lightest = sorted(min(tracks[number][2] for number in at[city]) for city in odd)
        if total - (sum(lightest[:-2]) + 1) // 2 <= best:
            continue
        for number in {number for city in odd[:3] for number in at[city]}:
            networks += connected_parts(tracks, network - {number})
    return best


def connected_parts(tracks: Sequence[Track], numbers: Iterable[int]) -> list[frozenset[int]]:
    """Group these tracks into networks that do not touch."""
    parts: list[tuple[set[str], set[int]]] = []  # cities and tracks
    for number in numbers:
        cities, members = set(tracks[number][:2]), {number}
        apart = []
        for part in parts:
            if part[0] & cities:
                cities |= part[0]
                members |= part[1]
            else:
                apart.append(part)
        parts = [*apart, (cities, members)]
    return [frozenset(members) for _, members in parts]


def longest_route_of(routes: Sequence[Route]) -> int:
    """Return the length of the longest path over these routes."""
    return longest_path([(*route.cities, route.length) for route in routes])


def bonus_count(
    card: dict[str, Any],
    board: ReferenceBoard,
    routes: Sequence[Route],
    completed: Sequence[Ticket],
    hand: Cards,
    trains: int,
    longest: int,
) -> int:
    """Count what a bonus card rewards, for one seat."""

    def counts(item: Route | Ticket) -> bool:
        return "ends" not in card or any(board.is_end(city, card["ends"]) for city in item.cities)

    most = card["most"]
    if most == "completed tickets":
        return sum(counts(ticket) and ticket.points <= card.get("worth_at_most", ticket.points) for ticket in completed)
    if most == "routes":
        return sum(
            counts(route)
            and route.length == card.get("length", route.length)
            and (not card.get("ferry", False) or route.symbols > 0)
            for route in routes
        )
    if most == "locomotives in hand":
        return hand[LOCOMOTIVE] + sum(hand[colour] // 2 for colour in COLOURS)
    if most == "trains left":
        return trains
    if most == "longest path":
        return longest
    if most == "countries":
        return len({board.cities[city]["country"] for route in routes for city in route.cities})
    raise ValueError(f"no such count for a bonus card: {most!r}")
