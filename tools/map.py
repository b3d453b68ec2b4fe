"""Make the map under the boards: simplified coasts and borders of Northern Europe, and the large lakes.

Coasts and borders come from Natural Earth (public domain) through the npm package world-atlas (ISC licence). That
package has no lakes, so we traced them by hand, below. `make map` runs this, which is rarely needed: the result,
src/northrail/boards/map.json, is in the repository.
"""

import json
import math
import subprocess
import tarfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

Point = tuple[float, float]
Line = list[Point]

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache" / "map"
MAP = ROOT / "src" / "northrail" / "boards" / "map.json"

PACKAGE = "world-atlas@2.0.2"
WEST, SOUTH, EAST, NORTH = -2.0, 52.0, 45.0, 73.0
SMALLEST_ISLAND = 30.0  # square kilometres
COARSE = 5.0  # square kilometres; corners whose triangle is smaller are removed, which keeps bends of about 2 km
KILOMETRES = 111.2  # per degree of latitude

# Pairs of longitude and latitude around each lake.
LAKES: dict[str, list[float]] = {
    "Vänern": [
        12.33, 58.37, 12.46, 58.68, 12.66, 58.93, 12.75, 59.06, 12.92, 59.08, 13.00, 58.86, 13.10, 58.84, 13.22, 59.02,
        13.20, 59.28, 13.50, 59.37, 13.78, 59.34, 14.05, 59.29, 13.98, 59.10, 14.08, 58.97, 13.85, 58.73, 13.60, 58.72,
        13.42, 58.66, 13.27, 58.72, 13.08, 58.68, 13.17, 58.52, 12.95, 58.52, 12.72, 58.43, 12.42, 58.35,
    ],
    "Vättern": [
        14.93, 58.87, 15.02, 58.55, 14.86, 58.44, 14.66, 58.22, 14.50, 58.03, 14.30, 57.83, 14.15, 57.78, 14.11, 57.93,
        14.22, 58.15, 14.30, 58.32, 14.50, 58.52, 14.66, 58.75,
    ],
    "Mälaren": [
        18.02, 59.34, 17.78, 59.27, 17.60, 59.27, 17.35, 59.34, 17.02, 59.39, 16.60, 59.47, 16.08, 59.42, 16.50, 59.58,
        16.80, 59.52, 17.08, 59.60, 17.40, 59.53, 17.62, 59.60, 17.70, 59.42,
    ],
    "Hjälmaren": [15.28, 59.25, 15.60, 59.31, 15.98, 59.29, 16.25, 59.18, 15.92, 59.15, 15.55, 59.19],
    "Siljan": [14.52, 61.00, 14.80, 61.03, 15.02, 60.92, 15.15, 60.80, 14.95, 60.75, 14.72, 60.83],
    "Storsjön": [14.15, 63.05, 14.42, 63.33, 14.66, 63.22, 14.72, 63.10, 14.48, 63.02, 14.38, 62.88],
    "Torneträsk": [18.62, 68.43, 19.20, 68.41, 19.90, 68.25, 19.70, 68.20, 19.10, 68.31],
    "Hornavan": [17.10, 66.42, 17.55, 66.34, 18.05, 66.08, 17.75, 66.06, 17.40, 66.22],
    "Mjøsa": [
        10.42, 61.12, 10.62, 60.98, 10.92, 60.86, 11.14, 60.76, 11.25, 60.52, 11.16, 60.37, 11.02, 60.58, 10.72, 60.70,
        10.62, 60.86,
    ],
    "Inari": [
        26.98, 68.92, 27.25, 69.08, 27.75, 69.16, 28.30, 69.22, 28.62, 69.06, 28.40, 68.86, 27.95, 68.76, 27.40, 68.80,
    ],
    "Lokka": [27.42, 67.92, 27.70, 68.08, 28.10, 67.98, 28.05, 67.84, 27.72, 67.82],
    "Kemijärvi": [27.20, 66.62, 27.42, 66.78, 27.75, 66.70, 27.60, 66.55, 27.35, 66.56],
    "Oulujärvi": [26.63, 64.42, 26.98, 64.55, 27.32, 64.46, 27.66, 64.28, 27.32, 64.19, 26.98, 64.20, 26.74, 64.30],
    "Pielinen": [
        29.12, 63.56, 29.50, 63.49, 29.76, 63.36, 30.00, 63.24, 30.06, 63.06, 29.82, 62.98, 29.62, 63.12, 29.38, 63.28,
        29.18, 63.42,
    ],
    "Päijänne": [
        25.50, 61.14, 25.70, 61.36, 25.80, 61.60, 25.62, 61.85, 25.80, 62.16, 25.58, 62.16, 25.38, 61.84, 25.32, 61.52,
        25.38, 61.25,
    ],
    "Näsijärvi": [23.70, 61.52, 23.92, 61.62, 23.86, 61.82, 23.70, 61.98, 23.62, 61.78],
    "Kallavesi": [27.55, 62.98, 27.78, 62.96, 27.98, 62.78, 27.74, 62.66, 27.52, 62.80],
    "Saimaa": [
        27.52, 61.15, 28.00, 61.09, 28.42, 61.10, 28.80, 61.22, 28.62, 61.33, 28.38, 61.40, 28.26, 61.58, 27.92, 61.50,
        27.72, 61.38, 27.42, 61.32,
    ],
    "Pihlajavesi": [28.52, 61.74, 28.92, 61.72, 29.30, 61.66, 29.18, 61.84, 28.86, 61.92, 28.62, 61.88],
    "Haukivesi": [28.60, 61.96, 28.78, 62.06, 28.46, 62.22, 28.06, 62.36, 28.18, 62.18, 28.40, 62.02],
    "Orivesi": [29.20, 62.14, 29.62, 62.12, 29.88, 62.32, 29.82, 62.56, 29.60, 62.52, 29.52, 62.34, 29.28, 62.28],
    "Ladoga": [
        31.02, 59.94, 31.06, 60.15, 30.92, 60.36, 30.56, 60.64, 30.45, 60.85, 30.12, 61.04, 29.98, 61.18, 30.28, 61.42,
        30.70, 61.66, 31.10, 61.64, 31.48, 61.56, 31.72, 61.40, 32.10, 61.26, 32.46, 61.12, 32.76, 60.86, 32.88, 60.56,
        32.62, 60.48, 32.58, 60.22, 32.28, 60.13, 31.92, 60.20, 31.60, 60.10, 31.54, 59.93, 31.26, 59.88,
    ],
    "Onega": [
        35.45, 60.97, 36.02, 61.04, 36.46, 61.30, 36.34, 61.58, 36.14, 61.82, 35.72, 62.06, 35.62, 62.34, 35.22, 62.58,
        34.92, 62.82, 34.48, 62.90, 34.66, 62.66, 35.02, 62.42, 35.26, 62.18, 34.98, 62.02, 34.62, 62.22, 34.28, 62.26,
        34.50, 61.98, 34.38, 61.80, 34.78, 61.60, 35.10, 61.34, 35.26, 61.14,
    ],
    "Peipus": [
        26.96, 58.88, 27.28, 58.98, 27.70, 59.00, 27.86, 58.78, 27.72, 58.48, 27.58, 58.28, 27.78, 58.06, 28.16, 57.95,
        28.08, 57.83, 27.80, 57.86, 27.52, 58.05, 27.44, 58.26, 27.28, 58.44, 27.16, 58.66,
    ],
    "Võrtsjärv": [26.02, 58.42, 26.14, 58.34, 26.08, 58.14, 25.98, 58.08, 25.94, 58.26],
    "Ilmen": [31.00, 58.36, 31.36, 58.48, 31.60, 58.34, 31.72, 58.18, 31.36, 58.12, 31.06, 58.20],
    "Beloye": [37.30, 60.22, 37.58, 60.32, 37.90, 60.24, 37.86, 60.08, 37.56, 60.03, 37.34, 60.10],
    "Segozero": [33.42, 63.30, 33.70, 63.44, 34.02, 63.34, 33.92, 63.18, 33.62, 63.16],
    "Vygozero": [34.30, 63.80, 34.62, 63.92, 35.06, 63.72, 35.20, 63.46, 34.88, 63.36, 34.62, 63.56],
    "Topozero": [31.72, 65.84, 32.02, 65.92, 32.26, 65.70, 32.18, 65.48, 31.92, 65.46, 31.82, 65.66],
    "Pyaozero": [30.62, 66.10, 31.00, 66.24, 31.36, 66.12, 31.42, 65.96, 31.06, 65.92, 30.80, 65.98],
    "Kovdozero": [31.70, 66.86, 32.10, 66.92, 32.40, 66.78, 32.16, 66.66, 31.84, 66.72],
    "Imandra": [
        32.90, 67.96, 33.10, 67.90, 33.12, 67.72, 33.28, 67.58, 33.10, 67.44, 32.66, 67.36, 32.20, 67.40, 31.82, 67.52,
        32.26, 67.54, 32.72, 67.50, 32.98, 67.62, 32.84, 67.80,
    ],
    "Umbozero": [34.28, 67.92, 34.52, 67.86, 34.52, 67.62, 34.38, 67.46, 34.26, 67.64],
}  # fmt: skip


def main() -> None:
    """Write the map file."""
    atlas = fetch()
    arcs = decode(atlas)
    land = []
    for polygon in atlas["objects"]["land"]["geometries"][0]["arcs"]:
        ring = clip(join(arcs, polygon[0]))  # the only hole in it is the Caspian Sea
        if area(ring) >= SMALLEST_ISLAND:
            land.append(along_frame(simplify(ring, closed=True)))
    land.sort(key=area, reverse=True)
    borders = [
        simplify(part, closed=False)
        for number in shared_arcs(atlas["objects"]["countries"]["geometries"])
        for part in inside(arcs[number])
    ]
    lakes = [list(zip(lake[::2], lake[1::2], strict=True)) for lake in LAKES.values()]
    rows = {
        name: [flat(line) for line in lines] for name, lines in (("land", land), ("lakes", lakes), ("borders", borders))
    }
    text = ",\n".join(f'"{name}": {json.dumps(lines, separators=(",", ":"))}' for name, lines in rows.items())
    MAP.write_text(f"{{{text}}}\n", encoding="utf-8")


def fetch() -> Any:
    """Download Natural Earth's countries at 1:10 million, as TopoJSON."""
    CACHE.mkdir(parents=True, exist_ok=True)
    if not list(CACHE.glob("*.tgz")):
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(next(CACHE.glob("*.tgz"))) as package:
        member = package.extractfile("package/countries-10m.json")
        assert member is not None
        return json.load(member)


# --- topology -------------------------------------------------------------------------------------------------------


def decode(atlas: Any) -> list[Line]:
    """Return the arcs in degrees; TopoJSON stores differences between integers."""
    (scale_x, scale_y), (x0, y0) = atlas["transform"]["scale"], atlas["transform"]["translate"]
    arcs = []
    for steps in atlas["arcs"]:
        x = y = 0
        line = []
        for dx, dy in steps:
            x, y = x + dx, y + dy
            line.append((x * scale_x + x0, y * scale_y + y0))
        arcs.append(line)
    return arcs


def join(arcs: list[Line], numbers: list[int]) -> Line:
    """Join several arcs into a ring; the bitwise complement of a number means the reversed arc."""
    ring: Line = []
    for number in numbers:
        ring += (arcs[number] if number >= 0 else arcs[~number][::-1])[:-1]
    turns = 0  # Eurasia continues beyond 180° east
    unrolled = ring[:1]
    for before, here in pairwise(ring):
        turns += (before[0] - here[0] > 180) - (here[0] - before[0] > 180)
        unrolled.append((here[0] + 360 * turns, here[1]))
    return unrolled


def shared_arcs(countries: list[Any]) -> list[int]:
    """Return the arcs that two countries share."""
    seen: dict[int, set[int]] = {}
    for at, country in enumerate(countries):
        if country["type"] == "Polygon":
            polygons = [country["arcs"]]
        else:
            polygons = country.get("arcs", [])
        for number in (number for polygon in polygons for ring in polygon for number in ring):
            seen.setdefault(max(number, ~number), set()).add(at)
    return sorted(number for number, owners in seen.items() if len(owners) > 1)


# --- the frame ------------------------------------------------------------------------------------------------------


def clip(ring: Line) -> Line:
    """Clip a ring to the frame, one side of the frame after the other (Sutherland–Hodgman)."""
    for axis, bound, sign in ((0, WEST, 1), (0, EAST, -1), (1, SOUTH, 1), (1, NORTH, -1)):
        kept: Line = []
        for before, here in zip(ring[-1:] + ring[:-1], ring, strict=True):
            if (sign * before[axis] < sign * bound) != (sign * here[axis] < sign * bound):
                kept.append(crossing(before, here, axis, bound))
            if sign * here[axis] >= sign * bound:
                kept.append(here)
        ring = kept
    return ring


def crossing(a: Point, b: Point, axis: int, bound: float) -> Point:
    """Return where the line between two points crosses a side of the frame."""
    part = (bound - a[axis]) / (b[axis] - a[axis])
    other = a[1 - axis] + part * (b[1 - axis] - a[1 - axis])
    return (bound, other) if axis == 0 else (other, bound)


def along_frame(ring: Line) -> Line:
    """Add a corner at every degree along the frame, because a parallel is not a straight line on the map."""
    out: Line = []
    for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
        steps = math.ceil(abs(a[0] - b[0])) if a[1] == b[1] and a[1] in (SOUTH, NORTH) else 1
        out += [(a[0] + (b[0] - a[0]) * step / steps, a[1]) for step in range(steps)] if steps > 1 else [a]
    return out


def inside(line: Line) -> Iterator[Line]:
    """Yield the parts of a line inside the frame, cut at its corners."""
    part: Line = []
    for point in line:
        if WEST <= point[0] <= EAST and SOUTH <= point[1] <= NORTH:
            part.append(point)
        elif part:
            yield part
            part = []
    if len(part) > 1:
        yield part


# --- simplifying ----------------------------------------------------------------------------------------------------


def plane(point: Point) -> Point:
    """Convert a point to kilometres east and north, accurately enough to compare areas."""
    longitude, latitude = point
    return longitude * KILOMETRES * math.cos(math.radians(latitude)), latitude * KILOMETRES


def area(ring: Line) -> float:
    """Return the area inside a ring, in square kilometres."""
    points = [plane(point) for point in ring]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*points, *points[:1]]))) / 2


def simplify(line: Line, closed: bool) -> Line:
    """Remove the least important corners, by the area of the triangle with their neighbours (Visvalingam)."""
    kept = list(line)
    while len(kept) > (4 if closed else 2):
        worth = [triangle(kept[at - 1], kept[at], kept[(at + 1) % len(kept)]) for at in range(len(kept))]
        if not closed:
            worth[0] = worth[-1] = math.inf
        limit = min(COARSE, sorted(worth)[len(worth) // 20])  # remove 5 % at a time: one by one takes minutes
        chosen = {at for at, value in enumerate(worth) if value <= limit and value < COARSE}
        chosen -= {at for at in chosen if at - 1 in chosen}  # never two neighbours at once
        if not chosen:
            break
        kept = [point for at, point in enumerate(kept) if at not in chosen]
    return kept


def triangle(a: Point, b: Point, c: Point) -> float:
    """Return a triangle's area in square kilometres; infinity if its corner is on the frame and must stay."""
    if b[0] in (WEST, EAST) or b[1] in (SOUTH, NORTH):
        return math.inf
    return area([a, b, c])


def flat(line: Line) -> list[float]:
    """Return longitude, latitude, longitude, … rounded to about half a kilometre."""
    return [number for longitude, latitude in line for number in (round(longitude, 2), round(latitude, 2))]


if __name__ == "__main__":
    main()
