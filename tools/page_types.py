"""Export the server's messages (as OpenAPI), colours, symbols and the look of drawings. `make page-types` runs this.

The exports are in the repository, so that building the page needs no Python. A test checks that they are up to date.
"""

import json
from pathlib import Path

from northrail.drawing.style import page_style_sheet
from northrail.server.http.app import make_app
from northrail.server.wire.catalogue import themes_bytes

FOLDER = Path(__file__).parent.parent / "page" / "from-server"


def exports() -> dict[str, str]:
    """Return the content of each file, by name."""
    contents = {"openapi.json": make_app().openapi(), "themes.json": json.loads(themes_bytes()[0])}
    written = {name: json.dumps(content, indent=1, ensure_ascii=False) + "\n" for name, content in contents.items()}
    return written | {"drawing.css": page_style_sheet()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in exports().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
