"""Cities: their dots and their names."""

from northrail.boards.board import City
from northrail.drawing.layout import CityPlace
from northrail.drawing.markup import fitted_text, short, use


def city_dot(place: CityPlace, city: City) -> str:
    """Draw a city's dot, with a snowflake if the board counts the city as Arctic."""
    at = f'transform="translate({short(place.x)} {short(place.y)})"'
    disc = f'<circle class="{"arctic" if city.arctic else "city"}" r="{short(place.radius - 1.2)}"/>'
    ring = f'<circle class="ring" r="{short(place.radius)}"/>'
    snow = f'<g class="arctic">{use("sign-snow", place.radius / 9)}</g>' if city.arctic else ""
    return f"<g {at}>{disc}{ring}{snow}</g>"


def city_name(place: CityPlace, city: City) -> str:
    """Draw a city's name, in italics if the original board has none here and we use the nearest town's."""
    return fitted_text(place.label, "name" if city.printed else "name borrowed", place.label.size, place.label.width)
