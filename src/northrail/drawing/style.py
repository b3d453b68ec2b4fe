"""How the classes of a drawing look: a style sheet for pictures, and one for the page."""

from northrail.drawing.curves import scaled
from northrail.drawing.themes import PAGE_THEME, THEMES, Theme, variables

SERIF = "Fraunces,'Iowan Old Style','Palatino Linotype',Palatino,Georgia,serif"
SANS = "Figtree,'Segoe UI',system-ui,'Noto Sans',Ubuntu,sans-serif"


def style_sheet(theme: Theme, inside: str) -> str:
    """Return the CSS of every class, for drawings inside an element of the class ``inside``.

    Without it, a picture in a notebook would colour the page and other pictures on it. Symbols are the exception: what
    a <use> shows does not match selectors outside of it.
    """
    symbols = {
        ".stroke": "fill:none;stroke:currentColor;stroke-width:1.25;stroke-linecap:round;stroke-linejoin:round",
        ".sign": "fill:currentColor;fill-rule:evenodd",
    }
    dashes = scaled(5, 2.5, 1, 2.5)
    ends = "stroke-linecap:round;stroke-linejoin:round"
    rules = {
        "text": f"font-family:{SANS};fill:{theme.ink}",
        ".paper": f"fill:{theme.paper}",
        ".land": f"fill:{theme.land}",
        ".coast": f"fill:none;stroke:{theme.coast};stroke-width:{scaled(1.1)};stroke-linejoin:round",
        ".lake": f"fill:{theme.lake};stroke:{theme.coast};stroke-width:{scaled(0.9)}",
        ".border": f"fill:none;stroke:{theme.border};stroke-width:{scaled(1)};stroke-dasharray:{dashes}",
        ".circle": f"fill:none;stroke:{theme.circle};stroke-width:1;stroke-dasharray:9 6;opacity:.75",
        ".circle-name": f"fill:{theme.circle};font-style:italic",
        ".line": f"fill:none;stroke:{theme.line}",
        ".edge": f"stroke:{theme.edge};stroke-width:1",
        ".black .edge": f"stroke:{theme.coal}",
        ".rock": f"fill:{theme.rock};stroke:{theme.rock};stroke-width:2.2;stroke-dasharray:2.4 2",
        ".cut": f"stroke:{theme.cut};stroke-width:.8",
        ".water": f"fill:{theme.water}",
        ".wave": "fill:none;stroke:currentColor;stroke-width:1;stroke-linecap:round;opacity:.8",
        ".swap": "fill:currentColor;font-weight:700",
        ".sleepers": f"fill:none;stroke:{theme.sleeper};stroke-width:7;stroke-dasharray:1.6 4.4;opacity:.55",
        ".shadow": f"fill:none;stroke:{theme.shade};stroke-width:20;opacity:.25;{ends};transform:translate(0,2.5px)",
        ".ballast": f"fill:none;stroke:{theme.bed};stroke-width:8;{ends}",
        ".track": f"fill:none;stroke-width:4;{ends}",
        ".bed": f"fill:none;stroke:{theme.bed};stroke-width:18.5;stroke-linejoin:round",
        ".body": f"stroke:{theme.keyline};stroke-width:2.2",
        ".city": f"fill:{theme.city[0]};stroke:{theme.city[1]};stroke-width:2.4",
        ".arctic": f"fill:{theme.arctic[0]};stroke:{theme.arctic[1]};color:{theme.arctic[1]};stroke-width:2",
        ".ring": f"fill:none;stroke:{theme.ink};stroke-width:.9",
        ".name": f"font-weight:650;paint-order:stroke;stroke:{theme.halo};stroke-width:3.6;stroke-linejoin:round",
        ".borrowed": "font-style:italic;font-weight:500",
        ".middle": "text-anchor:middle",
        ".end": "text-anchor:end",
        ".mark": f"fill:{theme.mark[0]};stroke:{theme.mark[1]};stroke-width:1",
        ".mark-text": f"fill:{theme.mark[1]};font-weight:700",
        ".panel": f"fill:{theme.panel};stroke:{theme.line};stroke-width:1",
        ".title": f"font-family:{SERIF}",
        ".faint": f"fill:{theme.faint}",
        ".caption": f"font-style:italic;fill:{theme.faint}",
        ".bold": "font-weight:700",
        ".accent": f"fill:{theme.accent}",
        **{f".{name}": f"fill:{fill};color:{sign}" for name, (fill, sign) in theme.spaces.items()},
        **{f".seat-{seat} .track": f"stroke:{fill}" for seat, (fill, _) in enumerate(theme.seats)},
        **{f".seat-{seat}": f"fill:{fill};color:{sign}" for seat, (fill, sign) in enumerate(theme.seats)},
    }
    return "".join(
        [
            *(f"{name}{{{rule}}}" for name, rule in symbols.items()),
            *(f".{inside} {name}{{{rule}}}" for name, rule in rules.items()),
        ]
    )


def page_style_sheet() -> str:
    """Return the page's colours and fonts, and the CSS of its drawings, which have class "drawing"."""
    only = (f".{name}-only{{display:var(--{name}-only)}}" for name in THEMES)
    return "\n".join([page_variables(), *only, style_sheet(PAGE_THEME, "drawing")]) + "\n"


def page_variables() -> str:
    """Return a page's colours and fonts as CSS variables.

    The page is light by default, and dark where the device or the person asks for it.
    """
    light, dark = _variables(THEMES["light"]), _variables(THEMES["dark"])
    return (
        f":root{{--serif:{SERIF};--sans:{SANS};{light}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
    )


def _variables(theme: Theme) -> str:
    shown = {f"{name}-only": "inline" if name == theme.scheme else "none" for name in THEMES}
    found = variables(theme) | shown
    return f"color-scheme:{theme.scheme};" + "".join(f"--{name}:{value};" for name, value in found.items())
