"""What the page takes from the server: its messages as OpenAPI, its colours and signs. `make page-types` runs this.

Both are kept in the repository, so that the page is built without Python; a test holds them to the server.
"""

import json
from pathlib import Path

from northrail.server.http.app import make_app
from northrail.server.wire.catalogue import themes_bytes

FOLDER = Path(__file__).parent.parent / "page" / "from-server"


def exports() -> dict[str, str]:
    """The files, by name."""
    told = {"openapi.json": make_app().openapi(), "themes.json": json.loads(themes_bytes()[0])}
    return {name: json.dumps(message, indent=1, ensure_ascii=False) + "\n" for name, message in told.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in exports().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
